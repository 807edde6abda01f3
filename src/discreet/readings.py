"""One guarantee read as another: what follows from what, exactly or rounded towards privacy.

Write b for a bounded range, a for a pure epsilon, and delta(e) for the least delta at epsilon e.

* ``Range(b)`` is ``Pure(b)``: the loss lies in an interval of length b that contains 0. ``Pure(a)`` is ``Range(2 a)``.
* ``Range(b)`` has delta(e) = (1 - exp((e - b)/2))**2 / (1 - exp(-b)); ``Pure(a)`` has (e**a - e**e) / (1 + e**a).
* ``Range(b)`` is ``Zcdp(b/(1-exp(-b)) - 1 - ln(b/(1-exp(-b))))``, at most b**2/8. ``Pure(a)`` is ``Zcdp(a tanh(a/2))``.
* ``Zcdp(rho)`` has delta(e) <= exp((x-1)(x rho - e)) / (x-1) * (1 - 1/x)**x for every order x > 1.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import assert_never

from discreet.balls import Ball, at, ball, upper
from discreet.errors import SettingError
from discreet.exact import Number, chance, down, nonnegative, plain
from discreet.guarantees import Approx, Guarantee, Pure, Range, Zcdp

__all__ = [
    "as_approx",
    "as_pure",
    "as_range",
    "as_zcdp",
    "delta_at",
    "edge",
    "implies",
    "pure_within",
    "range_within",
]

BITS = 256
REACH = 4096
"""Roots are sought from 2**-4096 to 2**4096."""
STEPS = 60
TINY = Fraction(1, 2**16)
"""Below this, closed forms cancel and their leading terms are as good: the ratio is above 1 - 2**-36."""


def as_pure(guarantee: Guarantee) -> Pure | None:
    """Read a guarantee as pure differential privacy, or None where none follows.

    >>> as_pure(Range(1)), as_pure(Zcdp(1))
    (Pure(epsilon=Fraction(1, 1)), None)
    """
    match guarantee:
        case Pure():
            return guarantee
        case Range(epsilon=epsilon):
            return Pure(epsilon)
        case Approx(epsilon=epsilon, delta=delta):
            return None if delta else Pure(epsilon)
        case Zcdp(rho=rho):
            return None if rho else Pure(0)
        case _:
            assert_never(guarantee)


def as_range(guarantee: Guarantee) -> Range | None:
    """Read a guarantee as a bounded range, or None where none follows.

    >>> as_range(Pure(1))
    Range(epsilon=Fraction(2, 1))
    """
    if isinstance(guarantee, Range):
        return guarantee
    pure = as_pure(guarantee)
    return None if pure is None else Range(2 * pure.epsilon)


def as_zcdp(guarantee: Guarantee) -> Zcdp | None:
    """Read a guarantee as zero-concentrated differential privacy, or None where none follows.

    >>> as_zcdp(Range(1)).rho < Fraction(1, 8) < as_zcdp(Pure(1)).rho
    True
    """
    match guarantee:
        case Zcdp():
            return guarantee
        case Range(epsilon=b):
            simple = b * b / 8
            return Zcdp(simple if b < TINY else min(simple, _certified_up(lambda: _range_rho(ball(b)))))
        case Pure(epsilon=a):
            simple = a * a / 2
            return Zcdp(simple if a < TINY else min(simple, _certified_up(lambda: ball(a) * (ball(a) / 2).tanh())))
        case Approx():
            pure = as_pure(guarantee)
            return None if pure is None else as_zcdp(pure)
        case _:
            assert_never(guarantee)


def delta_at(guarantee: Guarantee, epsilon: Number) -> Fraction:
    """Return a delta, rounded up, such that the guarantee implies (epsilon, delta)-differential privacy.

    >>> float(delta_at(Range(1), "0.5")) < float(delta_at(Pure(1), "0.5"))
    True
    """
    e = nonnegative(epsilon, "epsilon")
    match guarantee:
        case Pure(epsilon=a):
            return Fraction(0) if e >= a else min(Fraction(1), _certified_up(lambda: _pure_delta(a, e)))
        case Range(epsilon=b):
            return Fraction(0) if e >= b else min(Fraction(1), _certified_up(lambda: _range_delta(b, e)))
        case Zcdp(rho=rho):
            return _zcdp_delta(rho, e)
        case Approx(epsilon=a, delta=delta):
            return delta if e >= a else delta + (1 - delta) * delta_at(Pure(a), e)
        case _:
            assert_never(guarantee)


def as_approx(guarantee: Guarantee, delta: Number) -> Approx:
    """Read a guarantee as (epsilon, delta)-differential privacy with the least epsilon found, rounded up.

    >>> float(as_approx(Zcdp("1/8"), "1e-6").epsilon) < 0.125 + 2 * (0.125 * 13.8156) ** 0.5
    True
    """
    d = chance(delta, "delta")
    if delta_at(guarantee, 0) <= d:
        return Approx(0, d)
    if isinstance(guarantee, Approx) and guarantee.delta > d:
        raise SettingError.of("delta", f"at least {plain(guarantee.delta)}, which no epsilon takes away", delta)
    return Approx(edge(lambda e: delta_at(guarantee, e) > d)[1], d)


def implies(guarantee: Guarantee, target: Guarantee) -> bool:
    """Return whether the guarantee surely gives the target, by the readings of this file.

    >>> implies(Range(1), Pure(1)), implies(Pure(1), Range(1))
    (True, False)
    """
    match target:
        case Pure(epsilon=epsilon):
            pure = as_pure(guarantee)
            return pure is not None and pure.epsilon <= epsilon
        case Range(epsilon=epsilon):
            bounded = as_range(guarantee)
            return bounded is not None and bounded.epsilon <= epsilon
        case Zcdp(rho=rho):
            zcdp = as_zcdp(guarantee)
            return zcdp is not None and zcdp.rho <= rho
        case Approx(epsilon=epsilon, delta=delta):
            return delta_at(guarantee, epsilon) <= delta
        case _:
            assert_never(target)


def range_within(target: Guarantee) -> Fraction:
    """Return the largest b found such that ``Range(b)`` surely gives the target.

    >>> range_within(Pure(1)), float(range_within(Zcdp("1/8"))) > 1
    (Fraction(1, 1), True)
    """
    match target:
        case Pure(epsilon=epsilon) | Range(epsilon=epsilon):
            return epsilon
        case Zcdp() | Approx():
            return edge(lambda b: implies(Range(b), target))[0]
        case _:
            assert_never(target)


def pure_within(target: Guarantee) -> Fraction:
    """Return the largest a found such that ``Pure(a)`` surely gives the target.

    >>> pure_within(Range(1))
    Fraction(1, 2)
    """
    match target:
        case Pure(epsilon=epsilon):
            return epsilon
        case Range(epsilon=epsilon):
            return epsilon / 2
        case Zcdp() | Approx():
            return edge(lambda a: implies(Pure(a), target))[0]
        case _:
            assert_never(target)


def edge(holds: Callable[[Fraction], bool]) -> tuple[Fraction, Fraction]:
    """Return two positive numbers, a hair apart, such that ``holds`` is true at the first and false at the second.

    ``holds`` must be true near 0 and false from some point on. However early the search stopped, both ends have been
    tried, so a caller who takes the end on the private side is never wrong.

    >>> [float(end) for end in edge(lambda x: x * x <= 2)]
    [1.4142135623730951, 1.4142135623730951]
    """
    power, too_high = -REACH, REACH
    if not holds(Fraction(1, 2**REACH)) or holds(Fraction(2**REACH)):
        raise SettingError("guarantee: wanted one met by an epsilon between 2**-4096 and 2**4096, got one that is not")
    while too_high - power > 1:
        middle = (power + too_high) // 2
        power, too_high = (middle, too_high) if holds(Fraction(2) ** middle) else (power, middle)
    low, high = Fraction(2) ** power, Fraction(2) ** too_high
    for _ in range(STEPS):
        between = (low + high) / 2
        low, high = (between, high) if holds(between) else (low, between)
    return low, high


def _certified_up(compute: Callable[[], Ball]) -> Fraction:
    return upper(at(BITS, compute))


def _range_rho(b: Ball) -> Ball:
    spread = b / -(-b).expm1()
    return spread - 1 - spread.log()


def _pure_delta(a: Fraction, e: Fraction) -> Ball:
    return -ball(e - a).expm1() / (1 + ball(-a).exp())


def _range_delta(b: Fraction, e: Fraction) -> Ball:
    return ball((e - b) / 2).expm1() ** 2 / -ball(-b).expm1()


def _zcdp_delta(rho: Fraction, e: Fraction) -> Fraction:
    if rho == 0:
        return Fraction(0)
    x = 1 + Fraction(math.exp(_best_order(down(rho), down(e))))  # any order is valid; this one is nearly the best
    power = (x - 1) * (x * rho - e)
    if power > 100:
        return Fraction(1)
    found = _certified_up(lambda: (ball(power) + ball(x) * ball(1 - 1 / x).log()).exp() / ball(x - 1))
    return min(Fraction(1), found)


def _best_order(rho: float, e: float) -> float:
    """Return ln(x - 1) near the root of (2 x - 1) rho - e + ln(1 - 1/x), which increases in x."""
    low, high = -100.0, 700.0
    for _ in range(60):
        middle = (low + high) / 2
        slope = (2 * math.exp(middle) + 1) * rho - e - math.log1p(math.exp(-middle))
        low, high = (middle, high) if slope < 0 else (low, middle)
    return low
