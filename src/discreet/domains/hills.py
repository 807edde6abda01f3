"""Scores on a box that are known point by point, and two ways to bound them in between.

``Halved`` cuts a cell in two along its longest side and takes a bound that somebody else vouches for. ``Concave`` needs
none: on a line, a concave score lies below any straight line through two of its points, beyond them.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from discreet.sampling.envelope import Cell, Place

Score: TypeAlias = Callable[[Place], Fraction]
Upper: TypeAlias = Callable[[Place, Place], Fraction]
"""Takes the lowest and the highest place of a cell, and bounds the score on it from above."""

FIRST = 4
"""Parts of a line that are looked at to begin with."""
SHARE = 8
"""Where scores are rounded, a straight line rests on points at least this share of its length apart."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Halved:
    """A score with a bound that is level on each cell: private.

    >>> steep = Halved((7,), (Fraction(1),), lambda at: Fraction(-at[0]), lambda low, high: Fraction(-low[0]))
    >>> [cell.start for cell in steep.cut(next(iter(steep.cells())), None)]
    [Fraction(0, 1), Fraction(-4, 1)]
    """

    last: Place
    steps: tuple[Fraction, ...]
    """How long a step is along each axis."""
    score: Score
    upper: Upper

    def cells(self) -> Iterable[Cell]:
        """Return the box as one cell."""
        yield self._cell((0,) * len(self.last), self.last)

    def cut(self, cell: Cell, place: Place | None) -> Iterable[Cell]:
        """Return the halves of a cell along its longest side; the bound never rises."""
        del place
        high = tuple(low + size - 1 for low, size in zip(cell.low, cell.size, strict=True))
        axis = max(range(len(high)), key=lambda axis: self.steps[axis] * (cell.size[axis] - 1))
        middle = cell.low[axis] + (cell.size[axis] - 1) // 2
        for low, top in ((cell.low, _with(high, axis, middle)), (_with(cell.low, axis, middle + 1), high)):
            half = self._cell(low, top)
            yield half._replace(start=min(half.start, cell.start))

    def _cell(self, low: Place, high: Place) -> Cell:
        size = tuple(top - bottom + 1 for bottom, top in zip(low, high, strict=True))
        return Cell(low, size, self.score(low) if low == high else self.upper(low, high), (Fraction(0),) * len(size))


class Knot(NamedTuple):
    """A place whose score is known.

    >>> Knot(3, Fraction(1)).at
    3
    """

    at: int
    score: Fraction


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Concave:
    """A score on a line that rises less and less, up to an ``error`` in each of its values: private.

    >>> hill = Concave(99, lambda at: Fraction(-((at[0] - 50) ** 2)))
    >>> all(cell.bound(at) >= hill.score(at) for cell in hill.cells() for at in [cell.low])
    True
    """

    last: int
    score: Score
    error: Callable[[Fraction], Fraction] = lambda _: Fraction(0)
    """How far a score may be from the concave function, at the most, given the largest score nearby."""
    blur: Fraction = Fraction(0)
    """By how many steps a place may be from where its score is taken; less than half."""
    knots: list[Knot] = field(default_factory=list[Knot])

    def cells(self) -> Iterable[Cell]:
        """Return the line, in a few parts."""
        places = sorted({self.last * part // FIRST for part in range(FIRST + 1)})
        self.knots[:] = [self._knot(at) for at in places]
        for after, knot in enumerate(self.knots):
            if after:
                yield from self._between(self.knots[after - 1].at + 1, knot.at - 1)
            yield _single(knot)

    def cut(self, cell: Cell, place: Place | None) -> Iterable[Cell]:
        """Return a cell in three: a place in it, and what lies on either side."""
        (low,), (size,) = cell.low, cell.size
        knot = self._knot(low + (size - 1) // 2 if place is None else place[0])
        insort(self.knots, knot)
        yield from self._between(low, knot.at - 1)
        yield _single(knot)
        yield from self._between(knot.at + 1, low + size - 1)

    def _between(self, low: int, high: int) -> Iterable[Cell]:
        """Return cells from low to high, between two knots, below straight lines through knots on either side."""
        if low > high:
            return
        after = bisect_left(self.knots, low, key=lambda knot: knot.at)
        rising = self._line(self.knots[:after][::-1], high - low)
        falling = self._line(self.knots[after:], high - low)
        lines = [line for line in (rising, falling) if line is not None]
        if len(lines) == 2:  # the left one is the lower until they meet
            meet = min(max(_meeting(*lines), low - 1), high)
            parts = [(low, meet, lines[0]), (meet + 1, high, lines[1])]
        else:
            parts = [(low, high, lines[0])]
        for first, end, (at, height, slope) in parts:
            if first == end:
                yield _single(self._knot(first))
            elif first < end:
                yield Cell((first,), (end - first + 1,), height + slope * (first - at), (slope,))

    def _line(self, knots: list[Knot], length: int) -> "tuple[int, Fraction, Fraction] | None":
        """Return a place, a height and a slope: the line through the nearest knot and one behind it, with room."""
        if len(knots) < 2:
            return None
        near, far = knots[0], knots[1]
        room = self.error(max(abs(near.score), abs(far.score)))
        if room:
            apart = (knot for knot in knots[1:] if abs(knot.at - near.at) * SHARE >= length)
            far = next(apart, knots[-1])
            room = self.error(max(abs(knot.score) for knot in knots))
        rise = near.score - far.score + 2 * room
        slope = rise / (abs(near.at - far.at) + (-2 if rise > 0 else 2) * self.blur)
        height = near.score + 2 * room + 2 * self.blur * abs(slope)
        return near.at, height, slope if near.at > far.at else -slope

    def _knot(self, at: int) -> Knot:
        return Knot(at, self.score((at,)))


def _single(knot: Knot) -> Cell:
    return Cell((knot.at,), (1,), knot.score, (Fraction(0),))


def _meeting(one: tuple[int, Fraction, Fraction], other: tuple[int, Fraction, Fraction]) -> int:
    """Return the last place where the first line is not above the second, which falls off against it."""
    (at, height, slope), (to, top, fall) = one, other
    if slope <= fall:
        return to
    return (top - height + slope * at - fall * to) // (slope - fall)


def _with(place: Place, axis: int, value: int) -> Place:
    return (*place[:axis], value, *place[axis + 1 :])
