"""The race, to many digits: its rates integrate to the law, and its loop plays them out."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from discreet.balls import Ball, at, ball
from discreet.sampling import laws, race
from discreet.sampling.column import Column
from discreet.sampling.propose import Proposal
from discreet.testing import exact_law
from tests.sampling.forks import large_forks

RATE = Fraction(1, 2)
VECTORS = [[0, 1], [3, 1, 0], [5, 5, 4, 0], [0, 40]]
LAWS: dict[race.Noise, Callable[[Column, Fraction], laws.Law]] = {
    "gumbel": laws.exponential,
    "exponential": laws.permute_and_flip,
    "laplace": laws.laplace_noisy_max,
}


class Stopped:
    """A clock that shows one time."""

    def __init__(self, time: float) -> None:
        self.time = Fraction(time)

    def now(self) -> Ball:
        """Return the time."""
        return ball(self.time)


def rates(proposal: Proposal, noise: race.Noise, time: float) -> list[float]:
    """Return how fast each candidate truly arrives: the rate at which it is proposed, times the chance it stands."""
    bounds = [int(bound) for bound in proposal.table()[0]]
    clock: Any = Stopped(time)
    stand = [
        at(128, lambda: race._stands(proposal, noise, clock, place, bound))  # noqa: B023
        for place, bound in enumerate(bounds)
    ]
    return [bound / 2**proposal.bits * float(chance) for bound, chance in zip(bounds, stand, strict=True)]


def windows(column: Column, noise: race.Noise) -> Iterator[tuple[Proposal, float, float]]:
    """Yield the proposals of a race and the times between which each is in force."""
    if noise != "laplace":
        edges = [0, *np.geomspace(2.0**-6, 80.0, 60)]
        proposal = Proposal(column, RATE)
        yield from ((proposal, start, end) for start, end in pairwise(edges))
        return
    yield from ((Proposal(column, RATE), start, start + 0.125) for start in np.arange(0, 2, 0.125))
    for lift in range(1, 90):
        proposal = Proposal(column, RATE, lift=lift)
        yield from ((proposal, start, start + 0.25) for start in np.arange(1, 2, 0.25))


def played_out(column: Column, noise: race.Noise) -> np.ndarray[Any, Any]:
    """Integrate rate * chance that nobody has arrived, over all windows."""
    nodes, heights = np.polynomial.legendre.leggauss(12)
    law, passed = np.zeros(len(column)), 0.0
    for proposal, start, end in windows(column, noise):
        half = (end - start) / 2
        seen = np.array([rates(proposal, noise, start + half * (1 + node)) for node in nodes])
        total = seen.sum(axis=1)
        # The integral of the total up to each node, exact for the polynomial through all of them.
        curve = np.polynomial.Legendre.fit(nodes, total, len(nodes) - 1, domain=[-1, 1]).integ(lbnd=-1)
        alone = np.exp(-passed - half * curve(nodes))
        law += half * (heights * alone) @ seen
        passed += half * float(heights @ total)
    assert passed > 18
    return law


@pytest.mark.parametrize("noise", LAWS)
@pytest.mark.parametrize("scores", VECTORS, ids=str)
def test_the_rates_integrate_to_the_law(noise: race.Noise, scores: list[int]) -> None:
    """What the race keeps of its proposals, played out in time, is the law to 1e-5; a rate 1 % off is not."""
    column = Column.of(scores)
    law = played_out(column, noise)
    assert law == pytest.approx([float(p) for p in laws.settled(LAWS[noise], column, RATE)], abs=1e-5)
    off = [float(p) for p in laws.settled(LAWS[noise], column, RATE * Fraction(101, 100))]
    if max(scores) < 40:
        assert law != pytest.approx(off, abs=1e-4)


@pytest.mark.parametrize("noise", ["laplace", "exponential"])
def test_the_noises_are_told_apart(noise: race.Noise) -> None:
    """The same integral rejects each other noise's law."""
    column = Column.of([3, 1, 0])
    law = played_out(column, noise)
    for other in LAWS.keys() - {noise}:
        assert law != pytest.approx([float(p) for p in laws.settled(LAWS[other], column, RATE)], abs=1e-3)


class NodeClock:
    """A clock whose exponential steps take a few well-chosen times, so that a tree can hold them.

    With u = v**4 uniform on (0, 1), a step is -ln u; the nodes are Gauss and Legendre's in v.
    """

    NODES, HEIGHTS = np.polynomial.legendre.leggauss(6)

    def __init__(self, coins: Any, start: Callable[[], Ball]) -> None:
        self.coins, self.start, self.elapsed = coins, start, Fraction(0)

    def advance(self, mean: Any) -> None:
        """Fork into the nodes."""
        places = (1 + self.NODES) / 2
        shares = [int(share * 2**50) for share in self.HEIGHTS / 2 * 4 * places**3]
        step = -4 * math.log(places[self.coins.among(shares)])
        self.elapsed += Fraction(step) * Fraction(int(mean.p), int(mean.q))

    def refine(self) -> None:
        """Do nothing: the time is known."""

    def now(self) -> Ball:
        """Return the time."""
        return self.start() + ball(self.elapsed)


@contextmanager
def node_clocks() -> Iterator[None]:
    """Replace the clock, the flip and the pick for the length of a block."""
    with large_forks(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(race, "Clock", NodeClock)
        yield


def test_permute_and_flip_loop_has_its_law() -> None:
    """The loop over arrivals, on a tree, has permute-and-flip's law within 1e-3; a rate 1 % off is outside."""
    column, rate = Column.of([0, 1]), Fraction(7, 10)
    with node_clocks():
        law = exact_law(lambda coins: race.keep(Proposal(column, rate), coins), leftover="1e-3", runs=20_000)
    assert law.leftover <= Fraction(1, 10**3)
    loser = float(law.mass(0))
    right, wrong = (
        float(laws.settled(laws.permute_and_flip, column, rate * Fraction(factor))[0]) for factor in ("1", "1.01")
    )
    assert loser - 1e-4 <= right <= loser + float(law.leftover) + 1e-4
    assert not loser - 1e-4 <= wrong <= loser + float(law.leftover) + 1e-4
