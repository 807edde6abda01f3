"""Grid: real-valued scores, put on a public exact grid by flooring, with what that does to step and gap."""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.counts import labels
from discreet.errors import DataError, SettingError
from discreet.exact import Number, flag, positive
from discreet.scores.base import Scores, Values, whole_numbers
from discreet.scores.order import array_of, comparable, finite
from discreet.sensitivity import Sensitivity

_DOUBLE = np.dtype(np.float64).itemsize
_SURE = 2.0**-49  # eight times the error of one rounding of the tick and one of the quotient
_LARGE = 2.0**49


@dataclass(frozen=True, slots=True, init=False)
class Grid:
    """Scores become whole numbers of ticks, rounded down exactly; the sensitivity follows.

    >>> Grid("0.25").floor([0.5, -0.1, 1e300]) == [2, -1, 4 * int(1e300)]
    True
    >>> Grid("0.25").scores(["a", "b"], [0.6, 0.1], Sensitivity.of(sensitivity=1, monotonic=True), monotonic=True)
    Scores(2 candidates, step=4, gap=4, add-remove, in ticks of 0.25, by grid)

    Write g for the tick. For real x and v, floor(x + v) - floor(x) is floor(v) or ceil(v). So where a score moves by at
    most S, its floor moves by at most ceil(S/g) ticks. Two moves no further than R apart become at most
    ceil(max/g) - floor(min/g) < R/g + 2 ticks apart, a whole number, so at most ceil(R/g) + 1; and never more than
    twice the step. Where all scores move the same way, in [0, S] or in [-S, 0], the floors do so too, in ticks from
    0 to ceil(S/g): gap ceil(S/g). This last needs a true bound S on one score's move; knowing the gap alone is not
    enough, since flooring does not commute with adding a constant.
    """

    tick: Fraction

    def __init__(self, tick: Number) -> None:
        object.__setattr__(self, "tick", positive(tick, "tick"))

    def sensitivity(self, before: Sensitivity, *, monotonic: bool = False) -> Sensitivity:
        """Return the step and gap of the floors, in ticks, from those of the scores, in points.

        >>> Grid(1).sensitivity(Sensitivity.of(sensitivity=1, range=1)).gap
        Fraction(2, 1)
        """
        if flag(monotonic, "monotonic") and before.neighbours == "replace":
            raise SettingError.of("monotonic", "False with neighbours='replace'", monotonic)
        step = math.ceil(before.step / self.tick)
        gap = min(step if monotonic else 2 * step, math.ceil(before.gap / self.tick) + 1)
        # A constant normaliser rests on the exact shape of the scores, which flooring changes.
        return Sensitivity.of(sensitivity=step, range=gap, neighbours=before.neighbours)

    def floor(self, values: Iterable[Any]) -> Values:
        """Return each score in whole ticks, rounded down; floats are read as the binary fractions they are."""
        array = array_of(values)
        if array is None or array.dtype.kind != "f" or array.dtype.itemsize > _DOUBLE:
            return whole_numbers(_floor_each(values, self.tick))
        return whole_numbers(_floor_fast(array.astype(np.float64), self.tick))

    def scores(
        self, candidates: Iterable[Hashable], values: Iterable[Any], before: Sensitivity, *, monotonic: bool = False
    ) -> Scores:
        """Return the floored scores with their new sensitivity, ready to select from."""
        after = self.sensitivity(before, monotonic=monotonic)
        return Scores(labels(candidates), self.floor(values), after, self.tick, "grid")


def _floor_each(values: Iterable[Any], tick: Fraction) -> list[int]:
    return [_floor_one(value, tick) for value in values]


def _floor_one(value: Any, tick: Fraction) -> int:
    exact = comparable(value)
    if exact is None or not finite(exact):
        raise DataError("scores: wanted finite numbers")
    return math.floor(Fraction(exact) / tick)


def _floor_fast(column: NDArray[np.float64], tick: Fraction) -> list[int]:
    """Divide in floating point, and settle exactly those quotients whose floor a rounding could change.

    Underflow is no such rounding: it keeps the sign, and a quotient of exactly 0 is settled.
    """
    if not np.isfinite(column).all():
        raise DataError("scores: wanted finite numbers")
    if not Fraction(1, 2**900) < tick < 2**900:
        return _floor_each(column.tolist(), tick)
    with np.errstate(all="ignore"):  # an infinite quotient is among the large ones, settled below
        quotient = column / float(tick)
        size = np.abs(quotient)
        doubtful = (size >= _LARGE) | (np.abs(quotient - np.rint(quotient)) <= size * _SURE)
    floors: list[int] = np.floor(np.where(doubtful, 0.0, quotient)).astype(np.int64).tolist()
    for place in np.flatnonzero(doubtful).tolist():
        floors[place] = _floor_one(float(column[place]), tick)
    return floors
