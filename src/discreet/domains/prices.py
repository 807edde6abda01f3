"""The price that earns most, of a grid so fine that it is never listed."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.domains.line import OnLine
from discreet.domains.settings import reached
from discreet.exact import Number, plain, positive
from discreet.guarantees import Guarantee, Range
from discreet.points import Points
from discreet.readings import largest
from discreet.sampling.lines import Lines
from discreet.sensitivity import Neighbours

_LARGEST = 2**62


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ContinuousPrice:
    """Asks which price earns most, of step, 2 step, ... up to high, when everyone whose bid reaches it buys.

    >>> from discreet.guarantees import Pure
    >>> price = ContinuousPrice("1.99", "0.0001")
    >>> price, price.calibrate(Pure(1), "replace")
    (ContinuousPrice(high=1.99, step=0.0001), Fraction(100, 199))

    The score of a price p is p times the bids v >= p. A release at rate r has the weight exp(r * score).

    Add-remove. A new bid v adds p to the prices p <= v, and 0 above. If it reaches all prices the moves lie between the
    step and high; if not, between 0 and the second highest price. Both spreads are high - step: that is the gap.

    Replace. A bid raised from v to w adds p to the prices in (v, w] and 0 elsewhere; lowered, it takes p away there.
    All moves go one way: the gap is high, without a factor 2.

    With one price alone the gap is that price, under both. The promise is a bounded range of rate * gap.
    A bid above high counts as high. What is no number, NaN or negative buys nothing; a float counts to nine decimals,
    so 0.29 reaches the price 0.29. Between two bids the score is a
    straight line in p, so n bids make n + 1 pieces at most, whatever the grid.
    """

    high: Fraction
    step: Fraction

    def __init__(self, high: Number, step: Number) -> None:
        points = Points.between(positive(step, "step"), positive(high, "high"), step, "high")
        object.__setattr__(self, "high", points.high)
        object.__setattr__(self, "step", points.step)

    def __repr__(self) -> str:
        return f"ContinuousPrice(high={plain(self.high)}, step={plain(self.step)})"

    @property
    def points(self) -> Points:
        """The prices."""
        return Points.between(self.step, self.high, self.step)

    def gap(self, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return how far one person moves the difference of two scores."""
        return self.high - self.step if neighbours == "add-remove" and self.high > self.step else self.high

    def promise(self, rate: Fraction, neighbours: Neighbours = "add-remove") -> Guarantee:
        """Return the bounded range rate * gap."""
        return Range(rate * self.gap(neighbours))

    def calibrate(self, target: Guarantee, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return the largest rate whose promise gives the target."""
        return largest(Range, target) / self.gap(neighbours)

    def score(self, data: Iterable[object], neighbours: Neighbours = "add-remove") -> OnLine:
        """Read bids, one item a person."""
        return self.score_places(*reached(data, Points(Fraction(0), self.step, self.points.size + 1)), neighbours)

    def score_places(
        self, places: NDArray[np.int64], people: NDArray[np.int64], neighbours: Neighbours = "add-remove"
    ) -> OnLine:
        """Read how many bids reach each of some prices, and no higher one; place k is the price k * step.

        >>> ContinuousPrice(2, "0.5").score_places(np.array([2, 4]), np.array([2, 1]))
        OnLine(of ContinuousPrice(high=2, step=0.5), add-remove)
        """
        return OnLine(self, neighbours, self.points, revenue(places, people, self.points.size), self.step)


def revenue(places: NDArray[np.int64], people: NDArray[np.int64], count: int) -> Lines:
    """Return p times the bids at or above p, for the prices p = 1 to count, as runs of places from 0: private.

    >>> revenue(np.array([1, 3]), np.array([1, 1]), 4)
    Lines()
    """
    buying = places > 0
    edges = np.concatenate([[0], places[buying], [count]])
    buyers = np.append(people[buying][::-1].cumsum()[::-1], 0)
    kind: Any = np.int64 if (int(buyers[0]) + 1) * count < _LARGEST else object
    some = np.diff(edges) > 0
    first, slope = edges[:-1][some], buyers[some]
    return Lines(first, np.diff(edges)[some], (first.astype(kind) + 1) * slope, slope)
