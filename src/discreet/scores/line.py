"""Rank on a line: a quantile on a public grid of any size, with ties, at the cost of one sort.

Between two neighbouring values of the data every point of the grid has the same score, and so has each run of equal
values. So n people make at most 2n + 1 levels, whatever the grid: that is all that is ever stored.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, lcm
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.exact import Number, unwritable
from discreet.points import Points, bounded
from discreet.scores.base import Blocks, Runs, Scores
from discreet.scores.order import Comparable, Readable, finite, readable
from discreet.scores.rank import Rank
from discreet.sensitivity import Neighbours, Sensitivity

FINE = Fraction(1, 10**9)
"""Floats are read to nine decimals, as in a table: 0.29 is on the grid of cents, although its binary form is not."""
WINDOW = 4096
"""People on either side of the quantile that are put in order; the others only if a draw falls among them."""
LARGE = 8 * WINDOW

Run: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]
ROUNDING = 2.0**-50
"""More than the relative error of a difference and a quotient of floats."""


@dataclass(frozen=True, slots=True, init=False)
class Line:
    """The score of a point of a public grid is minus how far it is, in people, from the q-quantile.

    >>> Line((0, 200_000), "0.01").score([31_500.25] * 1000)
    Scores(20000001 candidates, step=1, gap=2, add-remove, in ticks of 0.5, by rank)

    The score, its step and its gap are those of ``Rank``, and so is their proof. Numbers are rounded down to the grid;
    those outside the bounds count as the nearer bound; what is no number drops.
    """

    name: ClassVar[str] = "rank"
    points: Points
    rank: Rank

    def __init__(
        self, bounds: tuple[Number, Number], step: Number = 1, q: Number = "1/2", over: Number = 1, under: Number = 1
    ) -> None:
        object.__setattr__(self, "points", bounded(bounds, step))
        object.__setattr__(self, "rank", Rank((0,), q, over, under))

    @property
    def candidates(self) -> Points:
        """The points of the grid."""
        return self.points

    def sensitivity(self, neighbours: Neighbours = "add-remove") -> Sensitivity:
        """Return the step and gap of ``Rank``, in ticks."""
        return self.rank.sensitivity(neighbours)

    def score(self, people: Iterable[object], neighbours: Neighbours = "add-remove") -> Scores:
        """Score each point; one item of ``people`` is one person's number."""
        values = readable(people)
        if isinstance(values, np.ndarray) and len(values) >= LARGE and self.rank.fits(len(values)):
            return self._scores(Runs.of(_Window(self, values).blocks()), neighbours)
        return self.score_places(*held(placed(values, self.points)), neighbours)

    def score_places(
        self, places: NDArray[np.int64], people: NDArray[np.int64], neighbours: Neighbours = "add-remove"
    ) -> Scores:
        """Score each point, from how many people are at each of some places of the grid, in rising order.

        >>> Line((0, 10)).score_places(np.array([2, 5]), np.array([1, 3]))
        Scores(11 candidates, step=1, gap=2, add-remove, in ticks of 0.5, by rank)
        """
        sizes, below, above, n = runs(places, people, len(self.points))
        return self._scores(Runs(self.rank.ranked(below, above, n), sizes), neighbours)

    def _scores(self, values: Runs, neighbours: Neighbours) -> Scores:
        return Scores(self.points, values, self.sensitivity(neighbours), self.rank.tick, self.name)


class _Window:
    """The people near the quantile, in order, and all others unsorted until a draw falls among them.

    Points on either side of the window score worse than its best by the number of people between, at least. So each
    side is one block, known by a bound on its scores; the chance that it is ever looked into is about the size of the
    grid times exp(-rate * WINDOW).
    """

    def __init__(self, line: Line, values: NDArray[Any]) -> None:
        self.line, self.n = line, len(values)
        middle = min(max(int(line.rank.q * self.n), WINDOW), self.n - WINDOW)
        lower, rest = _cut(values, middle - WINDOW)
        window, upper = _cut(rest, 2 * WINDOW)
        self.at, self.people = held(placed(window, line.points))
        self.lower = self._without_ties(lower, end=0)
        self.upper = self._without_ties(upper, end=-1)

    def blocks(self) -> Blocks:
        """Return the points below the window, those in it, and those above, as blocks; a block has some points."""
        starts, ends = self._ends()
        inside, _ = self._window()
        below, above = np.array([0, self.n - len(self.upper)]), np.array([self.n - len(self.lower), 0])
        bounds = np.asarray(self.line.rank.ranked(below, above, self.n))
        tops = np.array([bounds[0], inside.max(), bounds[1]])
        counts = 2 * np.array([len(self.lower), len(self.at), len(self.upper)]) + 1
        filled = np.flatnonzero(ends > starts)
        sides = (self._lower, self._window, self._upper)

        def look(block: int) -> Run:
            return sides[int(filled[block])]()

        return Blocks(tops[filled], (ends - starts)[filled], counts[filled], look)

    def _ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        first, beyond = int(self.at[0]), int(self.at[-1]) + 1
        return np.array([0, first, beyond]), np.array([first, beyond, len(self.line.points)])

    def _lower(self) -> Run:
        return self._runs(*held(placed(self.lower, self.line.points)), block=0, before=0)

    def _window(self) -> Run:
        return self._runs(self.at, self.people, block=1, before=len(self.lower))

    def _upper(self) -> Run:
        return self._runs(*held(placed(self.upper, self.line.points)), block=2, before=self.n - len(self.upper))

    def _runs(self, at: NDArray[np.int64], people: NDArray[np.int64], block: int, before: int) -> Run:
        starts, ends = self._ends()
        sizes, below, above, inside = runs(at - starts[block], people, int(ends[block] - starts[block]))
        scores = self.line.rank.ranked(below + before, above + (self.n - before - inside), self.n)
        return np.asarray(scores), sizes

    def _without_ties(self, side: NDArray[Any], end: int) -> NDArray[Any]:
        """Move those who are at the same point as an end of the window into it."""
        if not len(side):
            return side
        nearest = placed(side.max(keepdims=True) if end == 0 else side.min(keepdims=True), self.line.points)
        if nearest[0] != self.at[end]:
            return side
        tied = placed(side, self.line.points) == self.at[end]
        self.people[end] += np.count_nonzero(tied)
        rest: NDArray[Any] = side[~tied]
        return rest


def _cut(values: NDArray[Any], rank: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the ``rank`` smallest values and the others, each in any order."""
    if not 0 < rank < len(values):
        return values[:rank], values[rank:]
    cut = np.partition(values, rank)
    return cut[:rank], cut[rank:]


def held(places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places where anybody is, in rising order, and how many are there.

    >>> [part.tolist() for part in held(np.array([3, 1, 3]))]
    [[1, 3], [1, 2]]
    """
    ordered = np.sort(places)
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    return ordered[starts], np.diff(starts, append=len(ordered))


def runs(
    places: NDArray[np.int64], people: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int]:
    """Return for each run of points with one score: how many points it has, the people below it, the people above it.

    >>> [part.tolist() for part in runs(np.array([2, 3]), np.array([5, 1]), 9)[:3]]
    [[2, 1, 1, 5], [0, 0, 5, 6], [6, 1, 0, 0]]
    """
    upto = people.cumsum(dtype=np.int64)
    n = int(upto[-1]) if len(upto) else 0
    sizes = np.ones(2 * len(places) + 1, dtype=np.int64)
    below, above = np.zeros_like(sizes), np.zeros_like(sizes)
    edges = np.concatenate([[-1], places, [size]])
    sizes[::2] = np.diff(edges) - 1
    below[1::2] = upto - people
    below[2::2] = upto
    above[1::2] = n - upto
    above[:-1:2] = n - below[1::2]
    filled = sizes > 0
    return (sizes, below, above, n) if filled.all() else (sizes[filled], below[filled], above[filled], n)


def placed(values: Readable, points: Points) -> NDArray[np.int64]:
    """Return the place of each number on the grid, rounded down, and clipped to its ends.

    A number's place depends on that number, its type and the grid alone, whatever stands beside it: otherwise one
    person could move all others.

    >>> placed([0.29, 5, -1], Points.between(0, 1, "0.01")).tolist()
    [29, 100, 0]
    """
    if isinstance(values, np.ndarray):
        return (
            _floats(values.astype(np.float64, copy=False), points)
            if values.dtype.kind == "f"
            else _wholes(values, points)
        )
    found = np.empty(len(values), dtype=np.int64)
    real = np.fromiter((isinstance(value, float) for value in values), dtype=bool, count=len(values))
    found[real] = _floats(np.array([value for value in values if isinstance(value, float)], dtype=np.float64), points)
    found[~real] = [_place(value, points) for value in values if not isinstance(value, float)]
    return found


def _floats(values: NDArray[np.float64], points: Points) -> NDArray[np.int64]:
    step, last = float(points.step), len(points) - 1
    half = min(float(FINE / points.step), 1.0) / 2
    with np.errstate(over="ignore"):
        cells = (values - float(points.low)) / step
    np.clip(cells, -1.0, last + 1.0, out=cells)  # now: below, an infinity and its rounding would make no number
    cells += np.abs(cells) * ROUNDING + half
    np.floor(cells, out=cells)
    np.clip(cells, 0.0, float(last), out=cells)
    places = cells.astype(np.int64)
    return np.minimum(places, last, out=places) if last >= 2**53 else places


def _wholes(values: NDArray[Any], points: Points) -> NDArray[np.int64]:
    """Place whole numbers exactly: in 64 bits, where the grid is such that these hold all that is needed."""
    base, parts = floor(points.low), lcm(points.low.denominator, points.step.denominator)
    span = ceil(points.high) - base
    if abs(base) + span >= 2**62 or (span + 1) * parts >= 2**62:
        return np.array([_place(value, points) for value in values.tolist()], dtype=np.int64)
    signed = np.minimum(values, 2**63 - 1).astype(np.int64) if values.dtype.kind == "u" else values.astype(np.int64)
    places: NDArray[np.int64] = np.clip(signed, base, base + span) - base
    if parts > 1:
        places *= parts
        places -= int((points.low - base) * parts)
    stride = int(points.step * parts)
    if stride > 1:
        places //= stride
    return np.clip(places, 0, len(points) - 1, out=places) if parts > 1 else places


def _place(value: Comparable, points: Points) -> int:
    if unwritable(value) and isinstance(value, Decimal) and value.adjusted() < 0:
        value = 0  # closer to 0 than anybody can write
    if not finite(value):
        return len(points) - 1 if value > 0 else 0
    return int(min(max((Fraction(value) - points.low) // points.step, 0), len(points) - 1))
