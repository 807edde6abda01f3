"""Every sampler with the system's coins, held to its law at a stated false-alarm level; wrong laws are rejected."""

from collections import Counter
from collections.abc import Callable, Hashable
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np
import pytest

from discreet.balls import ball
from discreet.sampling.among import among
from discreet.sampling.choose import choose, peel
from discreet.sampling.coins import SystemCoins
from discreet.sampling.column import Column
from discreet.sampling.gap import race_with_gap
from discreet.sampling.laws import exponential, settled, weights
from discreet.sampling.prepared import Prepared
from discreet.sampling.propose import Proposal
from discreet.sampling.race import keep, race
from discreet.testing import fits
from tests.sampling.alarms import ALARMS
from tests.sampling.oracle import flip_walk, laplace_max, softmax
from tests.sampling.oracle import weights as exact_weights

SCORES = [Fraction(0), Fraction(1), Fraction(1), Fraction(3)]
COLUMN = Column.of([0, 1, 1, 3])
FAR = Column.of([score * 10**40 for score in SCORES])
DRAWS = 12_000
COINS = SystemCoins()
Law = dict[Hashable, float]


def keep_one(column: Column, rate: Fraction) -> int:
    """Draw by permute-and-flip."""
    return keep(Proposal(column, rate), COINS)


def law_of(shares: Any) -> Law:
    """Number the outcomes."""
    return {place: float(share) for place, share in enumerate(shares)}


def flipped(scores: list[Fraction], rate: Fraction) -> list[Fraction]:
    """Return permute-and-flip's law by permutations."""
    return flip_walk(exact_weights(scores, rate))


def pairs(once: Callable[[list[Fraction], Fraction], list[Fraction]], rate: Fraction) -> Law:
    """Return the law of two rounds of peeling."""
    law: Law = {}
    for first, share in enumerate(once(SCORES, rate)):
        left = [place for place in range(4) if place != first]
        for second, rest in zip(left, once([SCORES[place] for place in left], rate), strict=True):
            law[first, second] = float(share * rest)
    return law


def gumbel_gap(rate: Fraction) -> Law:
    """Return the law of winner and gap, in ticks of 1/2 and at most 9: a sigmoid in the gap."""
    shares = [float(weight) for weight in exact_weights(SCORES, rate)]
    law: Law = {}
    for place, weight in enumerate(shares):
        beyond = [weight / (weight + exp(float(rate) * k / 2) * (sum(shares) - weight)) for k in range(11)]
        law |= {(place, k): beyond[k] - beyond[k + 1] for k in range(9)}
        law[place, 9] = beyond[9]
    return law


def gap_of(rate: Fraction) -> tuple[int, int]:
    """Draw winner and gap."""
    place, ticks = race_with_gap(COLUMN, rate, "gumbel", Fraction(1, 2), COINS)
    return place, min(ticks, 9)


SAMPLERS: dict[str, tuple[Callable[[Fraction], Hashable], Callable[[Fraction], Law]]] = {
    "choose": (lambda rate: choose(Proposal(COLUMN, rate), COINS), lambda rate: law_of(softmax(SCORES, rate))),
    "choose far": (lambda r: choose(Proposal(FAR, r / 10**40), COINS), lambda rate: law_of(softmax(SCORES, rate))),
    "keep": (lambda rate: keep_one(COLUMN, rate), lambda rate: law_of(flipped(SCORES, rate))),
    "keep far": (lambda rate: keep_one(FAR, rate / 10**40), lambda rate: law_of(flipped(SCORES, rate))),
    "gumbel": (lambda r: race(COLUMN, r, "gumbel", COINS).position, lambda rate: law_of(softmax(SCORES, rate))),
    "exponential": (lambda r: race(COLUMN, r, "exponential", COINS).position, lambda r: law_of(flipped(SCORES, r))),
    "laplace": (
        lambda rate: race(COLUMN, rate, "laplace", COINS).position,
        lambda rate: law_of(laplace_max([float(score) for score in SCORES], float(rate))),
    ),
    "gap": (gap_of, gumbel_gap),
    "peel": (lambda rate: tuple(peel(COLUMN, rate, 2, COINS, choose)), lambda rate: pairs(softmax, rate)),
    "peel flips": (lambda rate: tuple(peel(COLUMN, rate, 2, COINS, keep)), lambda rate: pairs(flipped, rate)),
    "among": (lambda r: among(lambda: weights(COLUMN, r), COINS), lambda rate: law_of(softmax(SCORES, rate))),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_draws_fit_the_law_and_no_other(name: str) -> None:
    """Draws fit the law; a doubled or halved rate, the greedy choice and an even one are rejected."""
    draw, law = SAMPLERS[name]
    rate = Fraction(1, 2)
    seen = Counter(draw(rate) for _ in range(DRAWS))

    def credible(claim: Law) -> bool:
        return fits([seen[key] for key in claim], list(claim.values()), ALARMS["samplers"])

    true = law(rate)
    assert set(seen) <= set(true)
    assert credible(true)
    assert not credible(law(2 * rate))
    assert not credible(law(rate / 2))
    assert not credible(dict.fromkeys(true, 1 / len(true)))
    greedy = max(true, key=lambda key: true[key])
    assert not credible({key: float(key == greedy) for key in true})


LONG: list[Any] = [
    [0, 1, 1, 3],
    [0.25, 1.0, 1.5, -3.0],
    [Fraction(1, 3), Fraction(1, 7), 2],
    np.arange(200, dtype=np.uint8) % 7,
    np.array([-(2**63), 2**63 - 1, 2**63 - 2]),
]


@pytest.mark.parametrize("scores", LONG, ids=range(len(LONG)))
def test_prepared_draws_fit_a_law_and_none_a_tenth_off(scores: Any) -> None:
    """Two million draws fit the certified law; a rate a tenth off is rejected."""
    column = Column.of(scores)
    counts = np.bincount(Prepared(column, Fraction(1)).draws(2_000_000), minlength=len(column)).tolist()
    for percent in (100, 110, 90):
        law = [float(share) for share in settled(exponential, column, Fraction(percent, 100))]
        assert fits(counts, law, ALARMS["prepared"]) == (percent == 100)


def test_prepared_draws_are_exact_beyond_the_range_of_doubles() -> None:
    """Scores 2**1100 apart at a rate of 2**-1100 have odds of e to one, not one to one."""
    column = Column.of([0, 2**1100])
    counts = np.bincount(Prepared(column, Fraction(1, 2**1100)).draws(3000), minlength=2).tolist()
    assert fits(counts, [1 / (1 + exp(1)), 1 / (1 + exp(-1))], ALARMS["prepared wrong"])
    assert not fits(counts, [0.5, 0.5], ALARMS["prepared wrong"])


def test_a_fine_tick_is_counted_in_full() -> None:
    """A gap of more than 2**53 ticks is a whole number like any other."""
    place, ticks = race_with_gap(Column.of([0, 10**9]), Fraction(1), "gumbel", Fraction(1, 10**15), Limited())
    assert place == 1
    assert abs(ticks - 10**24) < 10**18


class Limited(SystemCoins):
    """System coins that end, so that a loop without end is a failure and not a standstill."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = 200

    def bits(self, count: int) -> int:
        """Return bits, two hundred times."""
        self._left -= 1
        assert self._left, "asked for bits without end"
        return super().bits(count)


def test_one_candidate_always_wins() -> None:
    """A single candidate needs no luck."""
    column = Column.of([7])
    assert choose(Proposal(column, Fraction(1)), COINS) == keep_one(column, Fraction(1)) == 0
    assert race(column, Fraction(1), "laplace", COINS).position == 0
    assert among(lambda: [ball(1)], COINS) == 0


def test_equal_scores_in_many_blocks_win_evenly() -> None:
    """A million equal eight-bit scores, as many blocks, win evenly over ten parts; a part left out is noticed."""
    proposal = Proposal(Column.of(np.zeros(10**6, dtype=np.int8)), Fraction(1))
    drawn = [choose(proposal, COINS) // 10**5 for _ in range(5000)]
    counts = np.bincount(drawn, minlength=10).tolist()
    assert fits(counts, [0.1] * 10, ALARMS["many equal"])
    assert not fits(counts, [0.0, *[1 / 9] * 9], ALARMS["many equal"])
