"""What domains on a public grid of numbers share: data as a score of straight pieces, and the law of a release."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from discreet.balls import Ball
from discreet.domains.base import Domain
from discreet.points import Points
from discreet.sampling.coins import Coins
from discreet.sampling.lines import Lines, LogLinear
from discreet.sensitivity import Neighbours


class LineLaw:
    """The exponential law of a score of straight pieces, on a grid of numbers: private, and it does not print.

    >>> from discreet.sampling.coins import SystemCoins
    >>> from discreet.sampling.lines import around
    >>> LineLaw(Points.between(0, 3, "0.5"), around(5, 7), Fraction(10**6)).draw(SystemCoins())
    Decimal('2.5')
    """

    __slots__ = ("_places", "_points")

    def __init__(self, points: Points, lines: Lines, rate: Fraction) -> None:
        self._points = points
        self._places = LogLinear(lines, rate)

    def __repr__(self) -> str:
        return f"LineLaw({self._points})"

    def draw(self, coins: Coins) -> int | Decimal:
        """Return a point of the grid, with exactly this law."""
        return self._points[self._places.draw(coins)]

    def chances(self) -> Mapping[int | Decimal, Ball]:
        """Return every point and its chance; refuse where they are too many to list."""
        return {self._points[place]: chance for place, chance in self._places.chances().items()}


@dataclass(frozen=True, slots=True, eq=False)
class OnLine:
    """Data as a score on a grid, in units of ``unit`` points of score: private, and it does not print.

    >>> from discreet.domains.prices import ContinuousPrice
    >>> ContinuousPrice(2, "0.5").score([1, 1, 2])
    OnLine(of ContinuousPrice(high=2, step=0.5), add-remove)
    """

    domain: Domain[Any]
    neighbours: Neighbours
    points: Points
    lines: Lines
    unit: Fraction

    def __repr__(self) -> str:
        return f"OnLine(of {self.domain}, {self.neighbours})"

    def law(self, rate: Fraction) -> LineLaw:
        """Return the law of one release at this rate."""
        return LineLaw(self.points, self.lines, rate * self.unit)
