"""A score that is linear on each of a few or many runs of whole numbers, and exact draws in proportion to exp(score).

The weights on a run form a geometric row, whose sum is certified at any precision. So a draw is a run and then a place
in it, and costs the same for ten numbers and for 2**62. A few runs are drawn by their certified sums. Among many,
floats propose and integers decide: every sum has a whole-number upper bound from floating point, a run is drawn in
proportion to its bound, and a certified coin accepts it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.balls import Ball, ball, two_to
from discreet.errors import SettingError
from discreet.sampling.among import among
from discreet.sampling.coins import Coins
from discreet.sampling.flip import flip
from discreet.sampling.geometric import LEVEL, Floats, geometric_sum, log_sums, offset

Whole: TypeAlias = NDArray[Any]
"""Whole numbers: 64-bit where they fit, else Python's own."""

FEW = 32
"""Up to so many runs are drawn without proposals."""
BITS = 38
SLACK = 2.0**-30
"""Added to every exponent, whose error is below 2**-40 wherever it matters."""
MOST_LISTED = 100_000
"""Numbers whose chances may be listed."""
MOST_RATE = Fraction(2**900)


class Run(NamedTuple):
    """Numbers from first on, as many as size; the score of first + t is start + slope * t.

    >>> Run(first=1, size=3, start=0, slope=-2).best
    0
    """

    first: int
    size: int
    start: int
    slope: int

    @property
    def best(self) -> int:
        """The best score of the run, at one of its ends."""
        return self.start + max(self.slope, 0) * (self.size - 1)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lines:
    """Runs of whole numbers, one after the other, and a score that is linear on each. Private: it does not print.

    >>> around(3, 8)
    Lines()
    """

    first: NDArray[np.int64]
    size: NDArray[np.int64]
    start: Whole
    slope: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.first)

    def __repr__(self) -> str:
        return "Lines()"

    def run(self, position: int) -> Run:
        """Return one run, in Python's own integers."""
        return Run(*(int(column[position]) for column in (self.first, self.size, self.start, self.slope)))

    def best(self) -> Whole:
        """Return the best score of each run."""
        return self.start + np.maximum(self.slope, 0).astype(self.start.dtype) * (self.size - 1)

    def log_sums(self, rate: float) -> Floats:
        """Return the logs of the sums of weights, each measured from the run's best score; at most 2**-40 too small."""
        return log_sums(rate * np.abs(self.slope).astype(np.float64), self.size.astype(np.float64))

    def from_top(self, rate: float) -> tuple[int, Floats]:
        """Return the best score of all, and how far below it each run stays: in floats, and at least so far.

        Python's integers are slow, so the runs are looked at in floats first, where an error at this rate is nothing.
        """
        if self.start.dtype == object:
            rises = np.maximum(self.slope, 0) * (self.size - 1).astype(np.float64)
            rough = self.start.astype(np.float64)
            error = 2.0**-48 * float(np.abs(rough).max() + rises.max())
            rough += rises
            near = np.flatnonzero(rough >= rough.max() - 2 * error)
            if rate * error < LEVEL and len(near) < MOST_LISTED:
                top = max(self.run(position).best for position in near.tolist())
                return top, np.maximum(rough.max() - 2 * error - rough, 0)
        best = self.best()
        top = int(best.max())
        return top, (top - best).astype(np.float64)


def around(centre: int, count: int) -> Lines:
    """Return minus the distance to a centre, for the numbers from 0 below ``count``.

    >>> around(0, 8), around(0, 8).run(0)
    (Lines(), Run(first=0, size=8, start=0, slope=-1))
    """
    runs = [(0, centre, -centre, 1)] if centre else []
    runs.append((centre, count - centre, 0, -1))
    first, size, start, slope = (np.array(column, dtype=np.int64) for column in zip(*runs, strict=True))
    return Lines(first, size, start, slope)


class LogLinear:
    """The law that gives every number a chance in proportion to exp(rate * score).

    >>> from discreet.sampling.coins import SystemCoins
    >>> LogLinear(around(5, 2**62), Fraction(10**6)).draw(SystemCoins())
    5
    """

    __slots__ = ("_bits", "_ends", "_lift", "_lines", "_rate", "_top")

    def __init__(self, lines: Lines, rate: Fraction) -> None:
        self._lines = lines
        self._rate = rate
        self._bits = min(BITS, 61 - len(lines).bit_length())
        self._ends: NDArray[np.int64] | None = None
        self._lift = 0
        near = float(min(rate, MOST_RATE))
        self._top, below = lines.from_top(near)
        if len(lines) > FEW:
            self._bound(near, below)

    def __repr__(self) -> str:
        return "LogLinear()"

    def draw(self, coins: Coins) -> int:
        """Return a number, with exactly this law."""
        run = self._lines.run(self._pick(coins))
        steps = offset(self._rate * abs(run.slope), run.size, coins)
        return run.first + (run.size - 1 - steps if run.slope > 0 else steps)

    def chances(self) -> Mapping[int, Ball]:
        """Return the chance of every number, at the working precision; refuse where they are too many to list."""
        if int(self._lines.size.sum()) > MOST_LISTED:
            raise SettingError.of("step", f"a grid of at most {MOST_LISTED} points to list chances", "a finer one")
        runs = [self._lines.run(position) for position in range(len(self._lines))]
        total = sum((self.mass(position) for position in range(len(runs))), ball(0))
        return {
            run.first + step: ball(self._rate * (run.start + run.slope * step - self._top)).exp() / total
            for run in runs
            for step in range(run.size)
        }

    def mass(self, position: int) -> Ball:
        """Enclose the sum of a run's weights, measured from the best score; at the working precision."""
        run = self._lines.run(position)
        fall = self._rate * abs(run.slope)
        return ball(self._rate * (run.best - self._top)).exp() * geometric_sum(fall, run.size)

    def _pick(self, coins: Coins) -> int:
        if self._ends is None:
            return among(lambda: [self.mass(position) for position in range(len(self._lines))], coins)
        while (position := self._attempt(self._ends, coins)) is None:
            pass
        return position

    def _attempt(self, ends: NDArray[np.int64], coins: Coins) -> int | None:
        """Return a run with chance exactly its mass * 2**(bits - lift) over the sum of all bounds, else None."""
        drawn = coins.below(int(ends[-1]))
        position = int(ends.searchsorted(drawn, side="right"))
        bound = int(ends[position]) - (int(ends[position - 1]) if position else 0)
        stands = flip(coins, lambda: self.mass(position) * two_to(self._bits - self._lift) / bound)
        return position if stands else None

    def _bound(self, rate: float, below: Floats) -> None:
        """Sum whole numbers W with W >= 2**(bits - lift) times the mass of each run.

        A rate too large for a float is replaced by a smaller one, which only raises the bounds. Errors in the distance
        from the top matter only where that is a few hundred at the most: beyond it every W is 1, far above the mass.
        """
        with np.errstate(over="ignore"):  # too far, or too steep, to matter
            powers = self._lines.log_sums(rate) - rate * below
        self._lift = math.ceil(float(powers.max()) / math.log(2))
        powers += (self._bits - self._lift) * math.log(2) + SLACK
        self._ends = np.cumsum(np.floor(np.exp(powers)).astype(np.int64) + 1)
