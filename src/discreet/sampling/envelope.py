"""Exact draws in proportion to exp(score) from a box of places, where a score is known by bounds above it.

The box is cut into cells, on each of which a linear function bounds the score. So the bound's weights on a cell are a
product of geometric rows, and a place can be drawn from the bound as a whole: a cell by the sum of its weights, then a
place along each axis. The place stands with chance exp(score - bound), decided by a certified coin. If it does not, its
cell is cut into cells with closer bounds. Each attempt returns a place in proportion to its true weight, however the
cells were cut before; so the first that stands has exactly the law, and how well the bounds fit costs time alone.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.balls import Ball, ball, two_to
from discreet.errors import GuardError
from discreet.sampling.among import among
from discreet.sampling.coins import Coins
from discreet.sampling.flip import flip
from discreet.sampling.geometric import geometric_sum, log_sums, offset

Place: TypeAlias = tuple[int, ...]
Ends: TypeAlias = NDArray[np.int64]

FEW = 32
"""Up to so many cells are drawn by certified sums, without proposals."""
WARM = 64
"""Cuts made before the first attempt, each of the heaviest cell."""
MOST_CELLS = 2**20
BITS = 38
SLACK, ROUNDING = 2.0**-30, 2.0**-45
"""Added to every exponent, and in proportion to it: far more than the errors of floats."""
STEEPEST = Fraction(2**900)
LOW = 2**20
"""Nats by which the anchor may lie above all bounds; floats lose next to nothing of so many."""
PASSED = "a score passed the bound that was given for it; nothing was released"
CROWDED = f"more than {MOST_CELLS} cells were needed, since the bounds are too loose; nothing was released"


class Cell(NamedTuple):
    """A part of the box: its lowest place, places along each axis, and a bound on the score, linear in the place.

    >>> cell = Cell((5, 0), (2, 3), Fraction(1), (Fraction(-1), Fraction(2)))
    >>> cell.best, cell.bound((6, 1)), cell.single
    (Fraction(5, 1), Fraction(2, 1), False)
    """

    low: Place
    size: Place
    start: Fraction
    slope: tuple[Fraction, ...]

    @property
    def best(self) -> Fraction:
        """The greatest value of the bound, at one of the corners."""
        rises = (slope * (size - 1) for slope, size in zip(self.slope, self.size, strict=True) if slope > 0)
        return self.start + sum(rises, Fraction(0))

    @property
    def single(self) -> bool:
        """Whether the cell is one place."""
        return all(size == 1 for size in self.size)

    def bound(self, place: Place) -> Fraction:
        """Return the bound on the score of a place."""
        steps = zip(self.slope, place, self.low, strict=True)
        return self.start + sum((slope * (at - low) for slope, at, low in steps), Fraction(0))


class Hill(Protocol):
    """A score on a box, and what bounds it: private. On a cell of one place the bound is that place's score."""

    def score(self, place: Place, /) -> Fraction:
        """Return the score of one place: the same whenever it is asked."""
        ...

    def cells(self) -> Iterable[Cell]:
        """Return cells that share out the box."""
        ...

    def cut(self, cell: Cell, place: Place | None) -> Iterable[Cell]:
        """Return cells that share out a cell of more than one place, with closer bounds.

        ``place`` is where the bound was found loose, if that is known.
        """
        ...


class Envelope:
    """A bound above a score, that comes closer where it is found loose: private, and it does not print.

    >>> from discreet.domains.hills import Concave
    >>> from discreet.sampling.coins import SystemCoins
    >>> Envelope(Concave(2**60, lambda at: Fraction(-abs(at[0] - 7))), Fraction(10**6)).draw(SystemCoins())
    (7,)
    """

    __slots__ = ("_anchor", "_bits", "_cells", "_cut", "_ends", "_hill", "_lift", "_powers", "_rate")

    def __init__(self, hill: Hill, rate: Fraction) -> None:
        self._hill, self._rate = hill, rate
        self._cells = list(hill.cells())
        self._anchor = max(cell.best for cell in self._cells)
        self._powers = list(map(self._power, self._cells))
        self._cut: dict[int, list[Cell]] = {}
        for _ in range(WARM):
            wide = [at for at, cell in enumerate(self._cells) if not cell.single]
            if not wide:
                break
            heaviest = max(wide, key=self._powers.__getitem__)
            self._cut[heaviest] = list(hill.cut(self._cells[heaviest], None))
            self._settle()
        self._arrange()

    def __repr__(self) -> str:
        return "Envelope()"

    def draw(self, coins: Coins) -> Place:
        """Return a place with chance exactly in proportion to exp(rate * score)."""
        while (place := self.attempt(coins)) is None:
            pass
        return place

    def attempt(self, coins: Coins) -> Place | None:
        """Return a place, each with the same chance for its weight, else None; then the bound has come closer."""
        at, bound = self._pick(coins)
        cell = self._cells[at]
        place = tuple(
            low + _along(self._rate * slope, size, coins)
            for low, size, slope in zip(cell.low, cell.size, cell.slope, strict=True)
        )
        below = cell.bound(place) - self._hill.score(place)
        if below < 0:
            raise GuardError(PASSED)
        if flip(coins, partial(self._share, cell, bound, below)):
            return place
        if not cell.single:
            self._refine(at, place)
        return None

    def mass(self, cell: Cell) -> Ball:
        """Enclose the sum of the bound's weights on a cell, measured from the anchor; at the working precision."""
        weight = ball(self._rate * (cell.best - self._anchor)).exp()
        for slope, size in zip(cell.slope, cell.size, strict=True):
            weight *= geometric_sum(self._rate * abs(slope), size)
        return weight

    def _share(self, cell: Cell, bound: int | None, below: Fraction) -> Ball:
        """Enclose the chance that a place stands whose score lies so far below the bound."""
        stands = ball(-self._rate * below).exp()
        return stands if bound is None else stands * self.mass(cell) * two_to(self._bits - self._lift) / bound

    def _pick(self, coins: Coins) -> tuple[int, int | None]:
        """Return a cell, and the whole number that it was proposed in proportion to; None where no number was."""
        if self._ends is None:
            return among(lambda: list(map(self.mass, self._cells)), coins), None
        at = int(self._ends.searchsorted(coins.below(int(self._ends[-1])), side="right"))
        return at, int(self._ends[at]) - (int(self._ends[at - 1]) if at else 0)

    def _refine(self, at: int, place: Place) -> None:
        """Cut a cell; the cells are laid out anew as soon as a cut one is hit again, or many are cut."""
        if at not in self._cut:
            self._cut[at] = list(self._hill.cut(self._cells[at], place))
            if len(self._cut) <= len(self._cells) // 16:
                return
        self._settle()
        self._arrange()

    def _settle(self) -> None:
        for at in sorted(self._cut, reverse=True):
            cells = self._cut[at]
            self._cells[at : at + 1] = cells
            self._powers[at : at + 1] = map(self._power, cells)
        self._cut = {}
        if len(self._cells) > MOST_CELLS:
            raise GuardError(CROWDED)
        if (best := max(cell.best for cell in self._cells)) < self._anchor - LOW / self._rate:
            self._anchor = best
            self._powers = list(map(self._power, self._cells))

    def _arrange(self) -> None:
        """Sum whole numbers W with W >= 2**(bits - lift) times the mass of each cell."""
        self._bits = min(BITS, 61 - len(self._cells).bit_length())
        self._lift = math.ceil(max(self._powers) / math.log(2))
        self._ends: Ends | None = None
        if len(self._cells) > FEW:
            powers = np.array(self._powers) + (self._bits - self._lift) * math.log(2)
            self._ends = np.cumsum(np.floor(np.exp(powers)).astype(np.int64) + 1)

    def _power(self, cell: Cell) -> float:
        """Return the log of a cell's mass, or a little more."""
        falls = np.array([float(min(self._rate * abs(slope), STEEPEST)) for slope in cell.slope])
        rise = float(max(-STEEPEST, self._rate * (cell.best - self._anchor)))
        return rise + float(log_sums(falls, np.array(cell.size, dtype=np.float64)).sum()) + SLACK + ROUNDING * abs(rise)


def _along(rise: Fraction, size: int, coins: Coins) -> int:
    """Return a place from 0 below ``size``, with chance in proportion to exp(rise * place)."""
    steps = offset(abs(rise), size, coins)
    return size - 1 - steps if rise > 0 else steps
