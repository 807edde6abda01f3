"""Exponential mechanisms with more than one number a candidate: public prior weights, unequal sensitivities."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.balls import Ball, ball
from discreet.errors import SettingError
from discreet.exact import number
from discreet.guarantees import Guarantee, Range
from discreet.mechanisms.base import spendable
from discreet.mechanisms.exponential import Exponential
from discreet.readings import largest
from discreet.sampling import laws
from discreet.sampling.among import among
from discreet.sampling.coins import Coins
from discreet.sampling.column import Column
from discreet.sampling.levels import Candidates, listed
from discreet.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True)
class Weighted:
    """Pick candidate i with chance exactly in proportion to prior i times exp(rate * score i).

    The prior is public and cancels in every ratio between neighbours, so it costs nothing.

    >>> from discreet.guarantees import Pure
    >>> Weighted.calibrate(Pure(1), Sensitivity.of(range=1), (Fraction(1), Fraction(3))).promise(
    ...     Sensitivity.of(range=1)
    ... )
    Range(epsilon=Fraction(1, 1))
    """

    rate: Fraction
    prior: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if any(share < 0 for share in self.prior) or not any(self.prior):
            raise SettingError("prior: wanted numbers from 0, at least one of them above 0")

    def promise(self, sensitivity: Sensitivity) -> Guarantee:
        """Return the bounded range rate * gap."""
        return Range(self.rate * sensitivity.gap)

    @classmethod
    def calibrate(cls, target: Guarantee, sensitivity: Sensitivity, prior: Sequence[Fraction]) -> Self:
        """Return the mechanism with the largest rate whose promise gives the target."""
        return cls(spendable(largest(Range, target) / sensitivity.gap, target), tuple(prior))

    def draw(self, column: Candidates, coins: Coins) -> int:
        """Return the position of the winner; a candidate of prior 0 never wins.

        >>> from discreet.sampling.coins import SystemCoins
        >>> Weighted(Fraction(1), (Fraction(0), Fraction(1))).draw(Column.of([9, 0]), SystemCoins())
        1
        """
        each = listed(column)
        _one_each("prior", self.prior, each)
        return among(lambda: self.weights(each), coins)

    def weights(self, column: Column) -> list[Ball]:
        """Return every weight, at the working precision: private."""
        return [ball(share) * weight for share, weight in zip(self.prior, laws.weights(column, self.rate), strict=True)]


@dataclass(frozen=True, slots=True)
class Unequal:
    """The generalised exponential mechanism (Raskhodnikova and Smith 2016): score i moves by at most ``steps[i]``.

    A plain exponential mechanism pays for the largest step in every score. This one compares candidates pairwise: with
    losses q to be made small, s_i = max_j ((q_i + t S_i) - (q_j + t S_j)) / (S_i + S_j). Each quotient moves by at
    most 1 when every q_i moves by at most S_i, so does their maximum, and the gap of s is at most 2 whatever the steps.
    ``margin`` is the public t: how many steps of safety a sensitive candidate must show.

    >>> from discreet.guarantees import Pure
    >>> Unequal.calibrate(Pure(1), (Fraction(1), Fraction(100))).rate
    Fraction(1, 2)
    """

    rate: Fraction
    steps: tuple[Fraction, ...]
    margin: Fraction

    def __post_init__(self) -> None:
        if any(step <= 0 for step in self.steps):
            raise SettingError("sensitivity: wanted numbers above 0 for every candidate")

    def promise(self, sensitivity: Sensitivity) -> Guarantee:
        """Return twice the rate as a bounded range; ``sensitivity.step`` says how many of its steps each score moves.

        >>> Unequal(Fraction(1), (Fraction(1),), Fraction(0)).promise(Sensitivity.of(sensitivity=1))
        Range(epsilon=Fraction(2, 1))
        """
        return Range(2 * self.rate * sensitivity.step)

    @classmethod
    def calibrate(cls, target: Guarantee, steps: Sequence[Fraction], failure: Fraction = Fraction(1, 20)) -> Self:
        """Return the mechanism whose promise gives the target; ``failure`` is the chance its error bound may fail."""
        rate = spendable(largest(Range, target) / 2, target)
        margin = number(f"{float(ball(len(steps) / failure).log()):.12g}") / rate
        return cls(rate, tuple(steps), margin)

    def draw(self, column: Candidates, coins: Coins) -> int:
        """Return the position of the winner; larger scores are better.

        >>> from discreet.sampling.coins import SystemCoins
        >>> Unequal(Fraction(1), (Fraction(1), Fraction(1)), Fraction(0)).draw(Column.of([0, 10**6]), SystemCoins())
        1
        """
        each = listed(column)
        _one_each("sensitivity", self.steps, each)
        losses = [-each.stored(place) * each.unit for place in range(len(each))]
        return Exponential(self.rate).draw(Column.of([-loss for loss in self.compare(losses)]), coins)

    def compare(self, losses: Sequence[Fraction]) -> list[Fraction]:
        """Return every s_i exactly: private.

        The quotient is the slope from (-S_j, q_j + t S_j) to (S_i, q_i + t S_i), and the steepest such line touches the
        lower convex hull of the points j: O(n log n).

        >>> Unequal(Fraction(1), (Fraction(1), Fraction(1)), Fraction(0)).compare([Fraction(0), Fraction(2)])
        [Fraction(0, 1), Fraction(1, 1)]
        """
        raised = [loss + self.margin * step for loss, step in zip(losses, self.steps, strict=True)]
        hull = _lower_hull([(-step, height) for step, height in zip(self.steps, raised, strict=True)])
        return [_steepest(hull, (step, height)) for step, height in zip(self.steps, raised, strict=True)]


def _one_each(name: str, given: Sequence[Fraction], column: Column) -> None:
    column.tops()  # refuses what is not finite
    if len(given) != len(column):
        raise SettingError.of(name, f"{len(column)} numbers, one a candidate", len(given))


Point = tuple[Fraction, Fraction]


def _slope(left: Point, right: Point) -> Fraction:
    return (right[1] - left[1]) / (right[0] - left[0])


def _lower_hull(points: Sequence[Point]) -> list[Point]:
    lowest: dict[Fraction, Fraction] = {}
    for place, height in points:
        lowest[place] = min(height, lowest.get(place, height))
    hull: list[Point] = []
    for point in sorted(lowest.items()):
        while len(hull) > 1 and _slope(hull[-2], hull[-1]) >= _slope(hull[-1], point):
            hull.pop()
        hull.append(point)
    return hull


def _steepest(hull: Sequence[Point], target: Point) -> Fraction:
    """Return the greatest slope from a hull point to the target: it rises along the hull while edges are less steep."""
    last = len(hull) - 1
    best = bisect_left(
        range(last), 1, key=lambda edge: int(_slope(hull[edge], hull[edge + 1]) >= _slope(hull[edge + 1], target))
    )
    return _slope(hull[best], target)
