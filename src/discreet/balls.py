"""Certified real numbers: the one file that imports the ball arithmetic library (python-flint's Arb).

A ball is a midpoint and a radius that surely contains the real number meant. Comparing balls answers True only
when it is certain, so code that waits for a certain answer is exact whatever the precision it started from.
"""

import os
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from threading import RLock
from typing import Any, TypeAlias, TypeVar

from flint import arb, ctx, fmpq

_lock = RLock()  # the library keeps its working precision in one place for all threads


def _renew() -> None:
    global _lock  # noqa: PLW0603 - a fork may copy the lock while another thread holds it
    _lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)

Ratio: TypeAlias = Any
"""An exact rational number in the ball library's own type (``flint.fmpq``)."""

T = TypeVar("T")

FINEST = 1 << 15
"""Numbers below 2**-FINEST are too small to write down as fractions, and are rounded outwards."""

Ball: TypeAlias = Any
"""A real number with a certified error bound (``flint.arb``; the library ships no types)."""


def ball(value: Fraction | int) -> Ball:
    """Return a ball around a rational number at the working precision.

    >>> ball(Fraction(1, 3)).contains(ratio(Fraction(1, 3)))
    True
    """
    return arb(value if isinstance(value, int) else ratio(value))


def exponential(rate: Ratio, amount: Fraction | int) -> Ball:
    """Return exp(rate * amount) for an exact rate made by ``ratio``: the one call every decision makes.

    >>> exponential(ratio(Fraction(1, 2)), 2).contains(ball(1).exp().mid())
    True
    """
    return arb(rate * (amount if isinstance(amount, int) else ratio(amount))).exp()


def rational(over: int, under: int) -> Ratio:
    """Return the exact quotient of two whole numbers.

    >>> rational(2, 6)
    1/3
    """
    return fmpq(over, under)


def ratio(value: Fraction | int) -> Ratio:
    """Return the exact rational as the ball library's own type.

    >>> ratio(Fraction(1, 3))
    1/3
    """
    return fmpq(value.numerator, value.denominator)


def between(digits: int, count: int) -> Ball:
    """Return a ball around all numbers from digits to digits + 1, divided by ``2**count``.

    >>> between(1, 2).contains(ratio(Fraction(3, 8)))
    True
    """
    return arb(2 * digits + 1, 1) * two_to(-count - 1)


@lru_cache(maxsize=4096)
def two_to(power: int) -> Ball:
    """Return a power of two, exactly: multiplying by it is much cheaper than by a Python integer.

    >>> two_to(-1)
    0.500000000000000
    """
    return arb((1, power))


def whole_part(value: Ball) -> int | None:
    """Return the greatest whole number not above the real number in the ball, or None where the ball cannot tell.

    >>> whole_part(ball(Fraction(7, 2)))
    3
    """
    floor = value.floor().unique_fmpz()
    return None if floor is None else int(floor)


def at(bits: int, compute: Callable[[], T]) -> T:
    """Evaluate ``compute`` with ``bits`` bits of working precision.

    >>> at(200, lambda: ball(2).sqrt()).rel_accuracy_bits() > 190
    True
    """
    with _lock:
        before, ctx.prec = ctx.prec, bits
        try:
            return compute()
        finally:
            ctx.prec = before


def upper(value: Ball) -> Fraction:
    """Return a fraction surely not below the real number in the ball, and close to it.

    >>> upper(ball(1).exp()) > Fraction(271828, 100000)
    True
    """
    mantissa, exponent = _parts(value.upper())
    if exponent < -FINEST:
        return Fraction(1, 2**FINEST) if mantissa > 0 else Fraction(0)
    return Fraction(mantissa) * Fraction(2) ** exponent


def lower(value: Ball) -> Fraction:
    """Return a fraction surely not above the real number in the ball, and close to it.

    >>> lower(ball(1).exp()) < Fraction(271829, 100000)
    True
    """
    return -upper(-value)


def _parts(point: Ball) -> tuple[int, int]:
    mantissa, exponent = point.man_exp()
    return int(mantissa), int(exponent)
