"""The place on a line with the least total distance to the people."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.domains.line import OnLine
from discreet.domains.settings import nearest, within
from discreet.errors import SettingError
from discreet.exact import Number, plain, positive
from discreet.guarantees import Guarantee, Range
from discreet.points import Points, bounded
from discreet.readings import largest
from discreet.sampling.lines import Lines
from discreet.sensitivity import Neighbours

_LARGEST = 2**62


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Location:
    """Asks which point of a grid from low to high is nearest to all people, by the sum of their distances.

    >>> from discreet.guarantees import Pure
    >>> stop = Location(bounds=(0, 100), step="0.01", cap=5)
    >>> stop, stop.calibrate(Pure(1)), stop.calibrate(Pure(1), "replace")
    (Location(0 to 100 in steps of 0.01, cap=5), Fraction(1, 5), Fraction(1, 10))

    The score of a point y is minus the sum of min(abs(x - y), cap) over all people x: whoever is further away than the
    cap counts as just that far, so that the far ones do not decide. Without a cap it is the bounds' width. A release at
    rate r has the weight exp(r * score).

    Write c for the cap or the width, whichever is less. Add-remove: a new person x moves the scores by
    -min(abs(x - y), cap), which is 0 at y = x and nowhere below -c: the gap is c, attained by a person at an end.
    Replace: the score of y moves by min(abs(x - y), cap) - min(abs(x' - y), cap), at most min(abs(x - x'), cap) in
    size: the gap is 2 c, attained by a move from end to end. The promise is a bounded range of rate * gap.

    People count at the point next to them, those outside at the nearer end; what is no number drops.
    """

    points: Points
    cap: Fraction

    def __init__(self, bounds: Sequence[Number], step: Number, cap: Number | None = None) -> None:
        points = bounded(bounds, step)
        width = points.high - points.low
        most = width if cap is None else min(width, positive(cap, "cap"))
        if most % points.step:
            raise SettingError.of("cap", f"a whole number of steps of {plain(points.step)}", cap)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "cap", most)

    def __repr__(self) -> str:
        cap = "" if self.cap == self.points.high - self.points.low else f", cap={plain(self.cap)}"
        return f"Location({within(self.points)}{cap})"

    def gap(self, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return how far one person moves the difference of two scores; 0 where there is one point alone."""
        return self.cap if neighbours == "add-remove" else 2 * self.cap

    def promise(self, rate: Fraction, neighbours: Neighbours = "add-remove") -> Guarantee:
        """Return the bounded range rate * gap."""
        return Range(rate * self.gap(neighbours))

    def calibrate(self, target: Guarantee, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return the largest rate whose promise gives the target; where there is one point alone, 1."""
        gap = self.gap(neighbours)
        return largest(Range, target) / gap if gap else Fraction(1)

    def score(self, data: Iterable[object], neighbours: Neighbours = "add-remove") -> OnLine:
        """Read where the people are, one item a person."""
        return self.score_places(*nearest(data, self.points), neighbours)

    def score_places(
        self, places: NDArray[np.int64], people: NDArray[np.int64], neighbours: Neighbours = "add-remove"
    ) -> OnLine:
        """Read how many people are at each of some places of the grid.

        >>> Location((0, 9), 1).score_places(np.array([2, 4]), np.array([2, 1]))
        OnLine(of Location(0 to 9 in steps of 1), add-remove)
        """
        step = self.points.step
        lines = closeness(places, people, int(self.cap / step), self.points.size)
        return OnLine(self, neighbours, self.points, lines, step)


def closeness(places: NDArray[np.int64], people: NDArray[np.int64], cap: int, count: int) -> Lines:
    """Return minus the sum of min(distance, cap), up to a constant, for the places from 0 below ``count``: private.

    One person's term begins to rise at x - cap, turns at x and ends its fall at x + cap.

    >>> closeness(np.array([3]), np.array([1]), 9, 10)
    Lines()
    """
    begins, ends = places > cap, places < count - cap
    turns = np.concatenate([[0], places, places[begins] - cap, places[ends] + cap])
    changes = np.concatenate([[people[~begins].sum()], -2 * people, people[begins], people[ends]])
    known, which = np.unique(turns, return_inverse=True)
    steps = np.zeros(len(known), dtype=np.int64)
    np.add.at(steps, which, changes)
    kind: Any = np.int64 if 2 * (int(people.sum()) + 1) * count < _LARGEST else object
    slope = np.cumsum(steps)
    size = np.diff(np.append(known, count))
    start = np.append(np.zeros(1, dtype=kind), np.cumsum(slope.astype(kind) * size)[:-1])
    return Lines(known, size, start, slope)
