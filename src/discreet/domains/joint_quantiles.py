"""Several quantiles in one draw (Gillenwater, Joseph and Kulesza 2021), exactly, without a Fourier transform.

The score of points v_1 <= ... <= v_m is minus the sum of |n_j - w_j n|, where n_j people lie from v_(j-1) to below v_j
and w_j = q_j - q_(j-1) is the share that should. Float code proposes points (``ways``), and says with which chance q:
a known fraction. Their true weight w is then certified, by counting the people below them, and they are kept with
chance w / (Z q), where Z is a little more than the sum of all bounds on weights: then the law is exact. A guard sees to
it that w <= Z q. Where the bounds were too loose, they are made finer: whatever was proposed until then, what is kept
has the law.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from math import comb
from typing import Any

from discreet.balls import Ball, ball
from discreet.domains.crowd import Crowd
from discreet.domains.quantiles import Outcome, Placed, Places, rising
from discreet.domains.settings import reached
from discreet.domains.ways import Ways
from discreet.errors import SettingError
from discreet.exact import Number
from discreet.guarantees import Guarantee, Range
from discreet.points import Points, bounded
from discreet.readings import largest
from discreet.sampling.coins import Coins, SystemCoins
from discreet.sampling.flip import flip
from discreet.sensitivity import Neighbours

MOST_LISTED = 10**5
MOST_RATE = Fraction(2**40)
"""No rate above this is used: one misplaced person more is already less likely than anything a machine can do."""
PATIENCE = 8
"""Proposals that may be refused before the bounds are made finer."""


@dataclass(frozen=True, slots=True, init=False)
class JointQuantiles:
    """Release several quantiles at once, in order, as one bounded range.

    >>> quartiles = JointQuantiles((0, 1000), qs=["0.25", "0.5", "0.75"])
    >>> quartiles.gap("add-remove"), quartiles.promise(Fraction(1, 3))
    (Fraction(3, 1), Range(epsilon=Fraction(1, 1)))

    Add-remove. One more person raises n by 1 and one n_j by 1: its term moves by at most 1 - w_j, the others by their
    w, together by at most 2 (1 - w_j). So the score moves by at most 2 (1 - min w), and two scores by twice that.
    Replace. n stays, two n_j move by 1: a score by at most 2, two by 4.
    """

    points: Points
    qs: tuple[Fraction, ...]

    def __init__(
        self, bounds: tuple[Number, Number], step: Number = 1, qs: Iterable[Number] = ("1/4", "1/2", "3/4")
    ) -> None:
        object.__setattr__(self, "points", bounded(bounds, step))
        object.__setattr__(self, "qs", rising(qs))

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The share of the people that should lie between each two quantiles, and at both ends."""
        return tuple(high - low for low, high in pairwise((Fraction(0), *self.qs, Fraction(1))))

    def gap(self, neighbours: Neighbours) -> Fraction:
        """Return how far the difference of two scores moves."""
        return 4 * (1 - min(self.shares)) if neighbours == "add-remove" else Fraction(4)

    def promise(self, rate: Fraction, neighbours: Neighbours = "add-remove") -> Guarantee:
        """Return the bounded range rate * gap."""
        return Range(rate * self.gap(neighbours))

    def calibrate(self, target: Guarantee, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return the largest rate whose promise gives the target, up to 2**40."""
        return min(largest(Range, target) / self.gap(neighbours), MOST_RATE)

    def score(self, data: Any, neighbours: Neighbours = "add-remove") -> Placed:
        """Read numbers: rounded down to the grid, clipped to the bounds; what is no number drops."""
        return Placed(self, reached(data, self.points), neighbours)

    def score_places(self, places: Places, people: Places, neighbours: Neighbours = "add-remove") -> Placed:
        """Read how many people are at each of some places of the grid, in rising order.

        >>> import numpy as np
        >>> JointQuantiles((0, 9)).score_places(np.array([3, 4]), np.array([10, 20]))
        Placed(3 quantiles of 10 points)
        """
        return Placed(self, (places, people), neighbours)

    def law(self, fitted: Placed, rate: Fraction, jitter: int) -> "JointLaw":
        """Return the law of drawing all of them at once, at a rate of at most 2**40."""
        if rate > MOST_RATE:
            raise SettingError.of("rate", "at most 2**40", rate)
        return JointLaw(fitted, rate, jitter)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class JointLaw:
    """What comes out for one dataset and one rate.

    >>> law = JointQuantiles((0, 9), qs=["1/2"]).score([4] * 99).law(Fraction(1))
    >>> law.jitter, law.draw(SystemCoins())
    (32, (4,))

    Without jitter a run of equal values cannot be split, and counts for one of its sides: as private, and less
    accurate.
    """

    fitted: Placed
    rate: Fraction
    jitter: int

    def draw(self, coins: Coins) -> Outcome:
        """Move everybody within their cells, then draw all quantiles at once."""
        points, crowd = self.fitted.domain.points, self.fitted.crowd(self.jitter, coins)
        detail = 1
        while True:
            proposal = Ways(crowd, self.fitted.domain.qs, self.rate, detail)
            for _ in range(PATIENCE):
                places, chance = proposal.pick(coins)
                if flip(coins, lambda: self._stands(crowd, places, chance, proposal.total)):  # noqa: B023
                    return tuple(points[place >> self.jitter] for place in places)
            detail *= 2

    def chances(self) -> Mapping[Outcome, Ball]:
        """Return every outcome and its chance; only without jitter, and for small grids."""
        domain, crowd = self.fitted.domain, self.fitted.crowd(0, SystemCoins())
        size, m = len(domain.points), len(domain.qs)
        if self.jitter or comb(size + m - 1, m) > MOST_LISTED:
            wanted = f"no jitter and at most {MOST_LISTED} outcomes, to list the law"
            raise SettingError(f"jitter: wanted {wanted}, got more")
        weights = {
            tuple(domain.points[place] for place in drawn): ball(-self.rate * self._miss(crowd, drawn)).exp()
            for drawn in combinations_with_replacement(range(size), m)
        }
        total = sum(weights.values(), ball(0))
        return {drawn: weight / total for drawn, weight in weights.items()}

    def _stands(self, crowd: Crowd, places: list[int], chance: Fraction, total: float) -> Ball:
        """Enclose the chance that proposed points are kept."""
        return ball(-self.rate * self._miss(crowd, places) - Fraction(total)).exp() / ball(chance)

    def _miss(self, crowd: Crowd, places: Sequence[int]) -> Fraction:
        """Return how many people are not where they should be: minus the score."""
        below = [0, *map(crowd.below, places), crowd.n]
        shares = self.fitted.domain.shares
        return sum((abs(b - a - w * crowd.n) for (a, b), w in zip(pairwise(below), shares, strict=True)), Fraction(0))
