"""Numbers as the people who typed them meant them, kept exactly as fractions.

A *setting* (epsilon, a sensitivity, a price) is read as the decimal it prints as: ``0.1`` is one tenth.
A *score* is read as the number it is: the float ``0.1`` is ``3602879701896397 / 2**55``.
Rounding to a float happens once, at the edge, in a named direction.
"""

import math
import sys
from decimal import ROUND_CEILING, Context, Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Rational

from discreet.errors import SettingError

Number = int | float | str | Decimal | Fraction
"""What may be given where a setting is a number: ``1``, ``0.1``, ``"0.1"``, ``"1/10"``, ``Fraction(1, 10)``."""


MOST_DIGITS = 2000
"""Settings further from 1 than ten to this power are refused."""
MOST_SCORE_DIGITS = 100_000
"""The same for scores and other private numbers."""

_SHORT = Context(prec=6, rounding=ROUND_CEILING)


def number(value: object, name: str = "number", wanted: str = "a number") -> Fraction:
    """Read a setting exactly; a float means the decimal it prints as.

    >>> number(0.1), number("1/10"), number("1e-300") == Fraction(1, 10**300)
    (Fraction(1, 10), Fraction(1, 10), True)
    """
    try:
        return _read(value)
    except (ValueError, TypeError, ZeroDivisionError, InvalidOperation, OverflowError):
        raise SettingError.of(name, wanted, value) from None


def positive(value: object, name: str, wanted: str = "a number above 0") -> Fraction:
    """Read a setting that must be above zero.

    >>> positive("2.5", "sensitivity")
    Fraction(5, 2)
    """
    result = number(value, name, wanted)
    if result <= 0:
        raise SettingError.of(name, wanted, value)
    return result


def nonnegative(value: object, name: str, wanted: str = "a number from 0") -> Fraction:
    """Read a setting that may be zero but not below.

    >>> nonnegative(0, "delta")
    Fraction(0, 1)
    """
    result = number(value, name, wanted)
    if result < 0:
        raise SettingError.of(name, wanted, value)
    return result


def chance(value: object, name: str) -> Fraction:
    """Read a probability strictly between zero and one.

    >>> chance("1e-6", "delta")
    Fraction(1, 1000000)
    """
    wanted = "a number strictly between 0 and 1"
    result = number(value, name, wanted)
    if not 0 < result < 1:
        raise SettingError.of(name, wanted, value)
    return result


def flag(value: object, name: str) -> bool:
    """Read a yes or no; nothing else will do, since any word would count as a yes.

    >>> flag(True, "monotonic")
    True
    """
    if isinstance(value, bool) or type(value).__name__ in {"bool_", "bool"}:
        return bool(value)
    raise SettingError.of(name, "True or False", value)


def whole(value: object, name: str, least: int = 1, most: int | None = None) -> int:
    """Read a whole number from ``least`` to ``most``.

    >>> whole(3, "k", most=5)
    3
    """
    span = f"a whole number from {least}" + ("" if most is None else f" to {most}")
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise SettingError.of(name, span, value)
    result = int(value)
    if result < least or (most is not None and result > most):
        raise SettingError.of(name, span, value)
    return result


def up(value: Fraction) -> float:
    """Return the least float not below ``value``.

    >>> Fraction(up(Fraction(1, 10))) >= Fraction(1, 10)
    True
    >>> up(Fraction(10**400)), up(Fraction(-(10**400)))
    (inf, -1.7976931348623157e+308)
    """
    nearest = _nearest(value)
    if math.isinf(nearest):
        return nearest if nearest > 0 else -sys.float_info.max
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def down(value: Fraction) -> float:
    """Return the greatest float not above ``value``.

    >>> Fraction(down(Fraction(1, 10))) <= Fraction(1, 10)
    True
    """
    return -up(-value)


def cube_root(value: Fraction) -> Fraction:
    """Return a cube root on a grid of 1/1024, rounded down but not to 0: the same on every machine.

    >>> cube_root(Fraction(27)), cube_root(Fraction(1, 8)), float(cube_root(Fraction(2)))
    (Fraction(3, 1), Fraction(1, 2), 1.259765625)
    """
    scaled = max(1, value.numerator * 2**30 // value.denominator)
    root = 1 << -(-scaled.bit_length() // 3)
    while (closer := (2 * root + scaled // root**2) // 3) < root:  # Newton's steps from above, in whole numbers
        root = closer
    return Fraction(root, 2**10)


def three_digits(value: Fraction) -> Fraction:
    """Return a decimal of three digits near the value, where any number near it will do.

    >>> three_digits(Fraction(2, 3))
    Fraction(667, 1000)
    """
    return Fraction(f"{float(value):.3g}")


def unwritable(value: object, digits: int = MOST_SCORE_DIGITS) -> bool:
    """Return whether this is a decimal so far from 1 that, written out as a fraction, it would fill the memory.

    >>> unwritable(Decimal("1e999999999")), unwritable(Decimal("NaN")), unwritable(0.5)
    (True, False, False)
    """
    return isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > digits


def plain(value: Fraction) -> str:
    """Write a fraction the way a person would: a short decimal where that is exact, else ``p/q``.

    Where both are long it is six digits, rounded up: a guarantee is never shown smaller than it is.

    >>> plain(Fraction(1, 8)), plain(Fraction(1, 3)), plain(Fraction(2)), plain(Fraction(10**30, 10**30 - 1))
    ('0.125', '1/3', '2', 'about 1.00001')
    """
    if value.denominator == 1 and abs(value.numerator) < 10**15:
        return str(value.numerator)
    short = f"{_SHORT.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize():g}"
    if Fraction(short) == value:
        return short
    exact = str(value)
    return exact if len(exact) <= 20 else f"about {short}"


def _nearest(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


@lru_cache(maxsize=1024, typed=True)
def _read(value: object) -> Fraction:
    match value:
        case bool():
            raise TypeError
        case Integral():
            return Fraction(int(value))  # a NumPy integer would wrap around inside a fraction
        case Decimal():
            return _from_decimal(value)
        case Rational():
            return Fraction(value)
        case str():
            return _read_text(value.strip())
        case float():
            return Fraction(repr(float(value)))
        case _:
            return _read_scalar(value)


def _read_text(text: str) -> Fraction:
    over, slash, under = text.partition("/")
    return _from_decimal(Decimal(over)) / (_from_decimal(Decimal(under)) if slash else 1)


def _from_decimal(value: Decimal) -> Fraction:
    if unwritable(value, MOST_DIGITS):
        raise ValueError
    return Fraction(value)


def _read_scalar(value: object) -> Fraction:
    item = getattr(value, "item", None)  # a NumPy scalar, without importing NumPy to find out
    if item is None or not hasattr(value, "dtype"):
        raise TypeError
    return _read_text(str(value))
