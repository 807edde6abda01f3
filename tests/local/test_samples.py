"""A million reports of each family, all at once with the system's coins, held to the channel matrix."""

from collections import Counter

import numpy as np
import pytest

from discreet.balls import at, lower
from discreet.local import Channel, Kary, Subset, Unary
from discreet.sampling.coins import SystemCoins
from discreet.testing import fits
from tests.local.oracle import EPSILONS, matrix, names
from tests.sampling.alarms import ALARMS

PEOPLE = 2_000_000
EPSILON = EPSILONS[1]
FAMILIES: list[Channel] = [
    Kary(5, EPSILON),
    Unary(4, EPSILON, "symmetric"),
    Unary(4, EPSILON, "asymmetric"),
    Subset(6, EPSILON, 2),
    Subset(6, EPSILON, 3),
]


@pytest.mark.parametrize("channel", FAMILIES, ids=str)
def test_rows_fit_the_matrix_and_none_two_percent_off(channel: Channel) -> None:
    """Reports fit the law; with p 2 % larger or smaller, or evenly drawn, the law is rejected."""
    own = channel.size - 2
    rows = channel.draw_all(np.full(PEOPLE, own), SystemCoins())
    seen = Counter(rows.ravel().tolist())
    law = {report: float(lower(mass)) for report, mass in at(128, lambda: matrix(channel))[own].items()}
    assert set(seen) <= set(law)

    def credible(claim: dict[int, float]) -> bool:
        return fits([seen[report] for report in claim], list(claim.values()), ALARMS["local"])

    def off(factor: float) -> dict[int, float]:
        p = sum(mass for report, mass in law.items() if names(channel, report, own))
        rest = (1 - factor * p) / (1 - p)
        return {report: mass * (factor if names(channel, report, own) else rest) for report, mass in law.items()}

    assert credible(law)
    assert not credible(off(1.02))
    assert not credible(off(0.98))
    assert not credible(dict.fromkeys(law, 1 / len(law)))
