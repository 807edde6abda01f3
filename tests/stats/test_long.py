"""Long sampled runs, fine enough to tell a rate 1 % off; and a hundred million scores. Run with ``-m stats``."""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.sampling.choose import choose
from discreet.sampling.coins import SystemCoins
from discreet.sampling.column import Column
from discreet.sampling.laws import exponential, settled
from discreet.sampling.prepared import Prepared
from discreet.sampling.propose import Proposal
from discreet.testing import fits
from tests.sampling.alarms import ALARMS
from tests.sampling.test_samples import COLUMN, SAMPLERS

pytestmark = pytest.mark.stats


@pytest.mark.parametrize("name", ["choose", "keep", "gumbel", "exponential", "laplace", "gap"])
def test_a_rate_four_percent_off_is_rejected(name: str) -> None:
    """Half a million draws fit the law, and neither neighbour of it."""
    draw, law = SAMPLERS[name]
    seen = Counter(draw(Fraction(1)) for _ in range(500_000))
    for percent in (100, 104, 96):
        claim: dict[Any, float] = law(Fraction(percent, 100))
        assert fits([seen[key] for key in claim], list(claim.values()), ALARMS["long"]) == (percent == 100)


def test_prepared_draws_reject_a_rate_one_percent_off() -> None:
    """Thirty million draws fit the law, and neither neighbour of it."""
    counts = np.bincount(Prepared(COLUMN, Fraction(1)).draws(30_000_000), minlength=4).tolist()
    for percent in (100, 101, 99):
        law = [float(share) for share in settled(exponential, COLUMN, Fraction(percent, 100))]
        assert fits(counts, law, ALARMS["long"]) == (percent == 100)


@pytest.mark.parametrize("above", [0, -2])
def test_a_hundred_million_scores_have_the_law(above: int) -> None:
    """Among 10**8 eight-bit scores of 0, one of 20 + above wins as often as it must, and so do ten parts."""
    count = 10**8
    scores = np.zeros(count, dtype=np.int8)
    scores[count // 3] = 20 + above
    column = Column.of(scores)
    proposal = Proposal(column, Fraction(1))
    drawn = [choose(proposal, SystemCoins()) for _ in range(3000)]
    best = sum(place == count // 3 for place in drawn)
    weight = np.exp(20.0 + above)
    chance = weight / (weight + count - 1)
    assert fits([best, 3000 - best], [chance, 1 - chance], ALARMS["many equal"])
    assert not fits([best, 3000 - best], [1.2 * chance, 1 - 1.2 * chance], ALARMS["many equal"])
    parts = np.bincount([place * 10 // count for place in drawn if place != count // 3], minlength=10).tolist()
    assert fits(parts, [0.1] * 10, ALARMS["many equal"])
    assert not fits(parts, [0.5, *[0.5 / 9] * 9], ALARMS["many equal"])
