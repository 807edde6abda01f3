"""Private numbers, read and compared exactly.

A float in the data is the binary number it is. Where a column of floats meets a public cut that no float equals, the
cut is replaced by the least float that reaches it; then comparing floats answers the exact question.
"""

import math
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.exact import unwritable, up

Comparable: TypeAlias = int | float | Fraction | Decimal
"""A number Python compares exactly with a fraction; infinities are allowed, NaN is not."""

Readable: TypeAlias = NDArray[np.float64] | NDArray[np.int64] | NDArray[np.uint64] | list[Comparable]

_DECIMAL = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.ASCII | re.IGNORECASE)


def comparable(value: Any) -> Comparable | None:
    """Return the number a value is, exactly, or None for NaN and for what is no number.

    >>> comparable(0.5), comparable("0.5"), comparable(float("nan"))
    (0.5, None, None)
    """
    try:
        return _comparable(value)
    except Exception:  # noqa: BLE001 - a value whose own type fails is no number
        return None


def told(value: Any) -> Comparable | None:
    """Return the number one person gave, also as decimal text; any other text is none.

    >>> told("0.80"), told(" 1e3 "), told(0.5), told("about 3"), told("inf"), told("1e100001")
    (Decimal('0.80'), Decimal('1E+3'), 0.5, None, None, None)
    """
    try:
        return _decimal(value) if isinstance(value, str) else _comparable(value)
    except Exception:  # noqa: BLE001 - a value whose own type fails is no number
        return None


def finite(value: Comparable) -> bool:
    """Return whether a number is not infinite, however large; a decimal past 100 000 digits counts as infinite.

    >>> finite(10**400), finite(float("inf")), finite(Decimal("1e999999999"))
    (True, False, False)
    """
    match value:
        case Decimal():  # writing out a decimal with a huge exponent would take all memory
            return value.is_finite() and not unwritable(value)
        case float():
            return math.isfinite(value)
        case _:
            return True


def array_of(values: Any) -> NDArray[Any] | None:
    """Return ``values`` if it is a plain NumPy column; None for lists, tables and masked arrays.

    >>> array_of(np.arange(2)), array_of([0, 1])
    (array([0, 1]), None)
    """
    return values if type(values) is np.ndarray and values.ndim == 1 else None


def readable(people: Iterable[object]) -> Readable:
    """Return the numbers among the people, as one NumPy column where that loses nothing.

    >>> readable([1.5, float("nan"), 2.5]), readable([1, 0.5, None, "0.80", "none"])
    (array([1.5, 2.5]), [1, 0.5, Decimal('0.80')])
    """
    array = array_of(people)
    column = None if array is None else _column(array)
    if column is not None:
        return column
    rows = list(people)
    kinds = set(map(type, rows))
    if kinds == {float}:
        return _not_nan(np.array(rows, dtype=np.float64))
    if kinds == {int}:
        try:
            return np.array(rows, dtype=np.int64)
        except OverflowError:
            pass  # wider than 64 bits: Python's own integers below
    return [value for value in map(told, rows) if value is not None]


def reaching(values: Readable, cuts: Sequence[Fraction], *, beyond: bool = False) -> NDArray[np.int64]:
    """Count, for each cut, the values at or above it; with ``beyond``, strictly above it.

    >>> reaching([1, 2, 2, 3], [Fraction(2), Fraction(5, 2)])
    array([3, 1])
    >>> reaching([1, 2, 2, 3], [Fraction(2)], beyond=True)
    array([1])
    """
    order = sorted(range(len(cuts)), key=cuts.__getitem__)
    passed = _passed(values, [cuts[place] for place in order], beyond=beyond)
    tail = np.bincount(passed, minlength=len(cuts) + 1)[::-1].cumsum()[::-1]
    counts = np.empty(len(cuts), dtype=np.int64)
    counts[order] = tail[1:]
    return counts


def _comparable(value: Any) -> Comparable | None:
    scalar = _unwrapped(value) if isinstance(value, np.generic) else value
    match scalar:
        case int() as whole:
            return int(whole)
        case float() as binary:
            return None if math.isnan(binary) else float(binary)
        case Decimal() as decimal:
            return None if decimal.is_nan() else decimal
        case Rational() as ratio:
            return Fraction(int(ratio.numerator), int(ratio.denominator))
        case _:
            return None


def _decimal(text: str) -> Decimal | None:
    if not _DECIMAL.fullmatch(text):
        return None
    value = Decimal(text.strip())
    return value if finite(value) else None


def _unwrapped(value: Any) -> Any:
    if value.dtype.char == "g" and np.isfinite(value):  # wider than Python's float, which would round it
        return Fraction(*map(int, value.as_integer_ratio()))
    return float(value) if value.dtype.char == "g" else value.item()


def _column(people: NDArray[Any]) -> Readable | None:
    kind, size = people.dtype.kind, people.dtype.itemsize
    if kind == "f" and size <= np.dtype(np.float64).itemsize:
        return _not_nan(people.astype(np.float64))
    if kind in "bi" or (kind == "u" and size < np.dtype(np.uint64).itemsize):
        return people.astype(np.int64)
    return people.astype(np.uint64) if kind == "u" else None


def _not_nan(column: NDArray[np.float64]) -> NDArray[np.float64]:
    missing = np.isnan(column)
    return column[~missing] if missing.any() else column


def _passed(values: Readable, cuts: list[Fraction], *, beyond: bool) -> NDArray[np.int64]:
    """How many of the sorted cuts each value passes."""
    if not isinstance(values, np.ndarray):
        find = bisect_left if beyond else bisect_right
        return np.array([find(cuts, value) for value in values], dtype=np.int64)
    if values.dtype == np.float64:
        least = np.array([_least_float(cut, beyond=beyond) for cut in cuts], dtype=np.float64)
    else:
        limits: Any = np.iinfo(values.dtype.name)
        wholes = [math.floor(cut) + 1 if beyond else math.ceil(cut) for cut in cuts]
        least = np.array([max(w, limits.min) for w in wholes if w <= limits.max], dtype=values.dtype)
    return np.searchsorted(least, values, side="right").astype(np.int64)


def _least_float(cut: Fraction, *, beyond: bool) -> float:
    least = up(cut)
    if least == -math.inf:  # a cut below every finite float is reached by every finite float and not by minus infinity
        return -sys.float_info.max
    return math.nextafter(least, math.inf) if beyond and math.isfinite(least) and Fraction(least) == cut else least
