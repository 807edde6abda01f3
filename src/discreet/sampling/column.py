"""Scores as the exact numbers they are, in a form a vector unit can read.

``data`` is an array of native integers or floats, and one stored unit is ``unit`` points. Numbers that fit no native
type (mixed lists, fractions, whole numbers beyond 64 bits) are put over a common denominator and stored as minus their
distance from the best: exactly where 63 bits hold them, else rounded in ``data`` with the exact ones beside it. The
rounded ones only ever guide proposals.
"""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError
from discreet.exact import MOST_SCORE_DIGITS, unwritable

BLOCK = 1 << 12
"""Scores a block: few enough that opening one costs microseconds, and that sums of integer weights are exact."""
STRIDE = 32
"""Blocks read at a time, so that a second look finds them in the cache."""

Array: TypeAlias = NDArray[Any]
_TOO_FAR = (
    f"scores: wanted decimals within 10 to the power {MOST_SCORE_DIGITS}; written out, at least one fills the memory"
)
_NOT_FINITE = "scores: wanted finite numbers; at least one is NaN or infinite (which, and where, is private)"


class Column:
    """Exact scores that do not print.

    >>> Column.of([3, 1, 2])
    Column(3 scores)
    """

    __slots__ = ("_tops", "data", "exact", "unit")

    def __init__(self, data: Array, unit: Fraction = Fraction(1), exact: Sequence[int] | None = None) -> None:
        self.data = data
        self.unit = unit
        self.exact = exact
        self._tops: Array | None = None

    @classmethod
    def of(cls, scores: "Column | Array | Iterable[object]") -> "Column":
        """Read an array of any real dtype, or any iterable of numbers, losing nothing.

        >>> Column.of([10**30, 10**30 + 1]).data
        array([-1,  0])
        """
        if isinstance(scores, Column):
            return scores
        if is_array(scores) and scores.dtype.kind != "O":
            return _from_array(scores)
        items: list[Any] = list(scores)
        kinds = set(map(type, items))
        if kinds == {int}:
            return _from_whole(items)
        if len(kinds) == 1 and isinstance(items[0], float | np.number | np.bool_):
            return _from_array(np.array(items))
        return _from_fractions([_exactly(item) for item in items])

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        return f"Column({len(self)} scores)"

    def negated(self) -> "Column":
        """Return scores whose order is reversed and whose differences keep their size.

        >>> Column.of([3, 1]).negated().data
        array([-4, -2])
        """
        if self.exact is not None:
            return _from_whole([-value for value in self.exact], self.unit)
        if self.data.dtype.kind == "f":
            return Column(-self.data, self.unit)
        return Column(np.invert(self.data), self.unit)  # -x - 1: a shift no sampler sees, and it cannot overflow

    def only(self, keep: Array) -> "Column":
        """Return the scores at the positions in ``keep``.

        >>> Column.of([3, 1, 2]).only(np.array([0, 2])).data
        array([3, 2])
        """
        if self.exact is not None:
            return _from_whole([self.exact[position] for position in keep], self.unit)
        return Column(self.data[keep], self.unit)

    def stored(self, position: int) -> int | Fraction:
        """Return one stored score exactly: private.

        >>> Column.of([0.1]).stored(0)
        Fraction(3602879701896397, 36028797018963968)
        """
        return self.exact[position] if self.exact is not None else whole_or_fraction(self.data[position])

    def greatest(self) -> int | Fraction:
        """Return the greatest stored score exactly: private.

        >>> Column.of([3, 1, 2]).greatest()
        3
        """
        return max(self.exact) if self.exact is not None else whole_or_fraction(self.tops().max())

    def tops(self) -> Array:
        """Return the best score of each block, after refusing what is not finite: one pass over memory.

        >>> Column.of([3, 1, 2]).tops()
        array([3])
        """
        if self._tops is None:
            self._tops = _maxima(self.data)
        return self._tops


def is_array(value: object) -> TypeGuard[Array]:
    """Return whether the value is a NumPy array.

    >>> is_array(np.zeros(1)), is_array([0])
    (True, False)
    """
    return isinstance(value, np.ndarray)


def whole_or_fraction(value: Any) -> int | Fraction:
    """Return a NumPy number exactly.

    >>> whole_or_fraction(np.int8(3)), whole_or_fraction(np.float32(0.5))
    (3, Fraction(1, 2))
    """
    return Fraction(float(value)) if value.dtype.kind == "f" else int(value)


def distances(stored: Array, top: Any, factor: float = 1.0) -> NDArray[np.float64]:
    """Return ``factor * (top - stored)`` within a few units in the last place; too large becomes infinite.

    Differences from 64-bit integers beyond 2**52 are taken modulo 2**64, where they are exact. Below it floats will do:
    a score they round, beyond 2**53, lies at least half its size from the top. A factor below one is applied first,
    so that scores of opposite sign near the largest float do not overflow.

    >>> distances(np.array([2**62, -(2**62)]), np.int64(2**62))
    array([0.00000000e+00, 9.22337204e+18])
    """
    if stored.dtype.kind == "f":
        wide = stored.astype(np.float64, copy=False)
        return float(top) * factor - wide * factor if factor < 1 else (float(top) - wide) * factor
    if stored.dtype.itemsize < 8 or abs(int(top)) <= 2**52:
        gaps: NDArray[np.float64] = np.subtract(float(top), stored, dtype=np.float64)
    else:
        gaps = (np.uint64(int(top) % 2**64) - stored.view(np.uint64)).astype(np.float64)
    return gaps if factor == 1 else gaps * factor


def _maxima(data: Array) -> Array:
    if len(data) <= BLOCK:
        if data.dtype.kind != "f":
            return data.max(keepdims=True) if len(data) else data
        return _finite(np.array([_top(data)], dtype=data.dtype)) if len(data) else data
    blocks = -(-len(data) // BLOCK)
    full = len(data) // BLOCK
    rows = data[: full * BLOCK].reshape(full, BLOCK)
    tops = np.empty(blocks, dtype=data.dtype)
    tops[-1] = _top(data[(blocks - 1) * BLOCK :])
    if data.dtype.kind != "f":
        rows.max(axis=1, out=tops[:full])
        return tops
    for first in range(0, full, STRIDE):
        some = rows[first : first + STRIDE]
        some.max(axis=1, out=tops[first : first + len(some)])
        if some.min() == -np.inf:
            raise DataError(_NOT_FINITE)
    return _finite(tops)


def _finite(tops: Array) -> Array:
    if tops.dtype.kind == "f" and not np.isfinite(tops).all():
        raise DataError(_NOT_FINITE)
    return tops


def _top(block: Array) -> Any:
    # An infinite answer stands for anything that is not finite; the minimum is read while the block is in the cache.
    return np.inf if block.dtype.kind == "f" and block.min() == -np.inf else block.max()


def _from_array(array: Array) -> Column:
    if isinstance(array, np.ma.MaskedArray):
        raise DataError("scores: wanted a plain array, got a masked one; say what masked scores mean")
    if array.ndim != 1:
        raise DataError(f"scores: wanted one dimension, got {array.ndim}")
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind not in "biuf":
        raise DataError(f"scores: wanted real numbers, got dtype {array.dtype}")
    if kind == "f" and size > 8:
        return _from_fractions([_exactly(value) for value in array])
    if kind == "b":
        array = array.astype(np.uint8)
    elif kind == "f" and size == 2:
        array = array.astype(np.float32)  # exact, and half floats have no fast arithmetic
    return Column(np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")))


def _from_fractions(values: list[Fraction]) -> Column:
    common = math.lcm(*(value.denominator for value in values))
    return _from_whole([value.numerator * (common // value.denominator) for value in values], Fraction(1, common))


def _from_whole(values: list[int], unit: Fraction = Fraction(1)) -> Column:
    try:
        return Column(np.array(values, dtype=np.int64), unit)
    except OverflowError:
        top = max(values)
    below = [value - top for value in values]
    if min(below) >= -(2**63):
        return Column(np.array(below, dtype=np.int64), unit)
    return Column(np.array([_rounded(value) for value in below]), unit, below)


def _rounded(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return float(np.finfo(np.float64).min)


def _exactly(item: object) -> Fraction:
    if unwritable(item):
        raise DataError(_TOO_FAR)
    try:
        match item:
            case bool() | np.bool_():
                return Fraction(bool(item))
            case Integral():
                return Fraction(int(item))  # a NumPy integer would wrap around inside a fraction
            case Rational() | Decimal() | float():
                return Fraction(item)
            case np.floating():
                return Fraction(*item.as_integer_ratio())
            case _:
                pass
    except (ValueError, OverflowError):
        raise DataError(_NOT_FINITE) from None
    raise DataError(f"scores: wanted real numbers, got at least one {type(item).__name__}")
