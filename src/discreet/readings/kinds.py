"""A guarantee read as a simpler one. None where nothing of that kind follows.

* ``Range(b)`` is ``Pure(b)``: the loss lies in an interval of length b that contains 0. ``Pure(a)`` is ``Range(2 a)``.
* ``Range(b)`` is ``Zcdp(b/(1-exp(-b)) - 1 - ln(b/(1-exp(-b))))``, at most b**2/8, and no smaller rho holds for all.
* ``Pure(a)`` is ``Zcdp(a tanh(a/2))``, at most a**2/2. ``Gdp(mu)`` is ``Zcdp(mu**2/2)``.
* ``LaplacePair(r)`` is ``Pure(r)`` and ``Zcdp(r + exp(-r) - 1)``, at most r**2/2.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import assert_never

from discreet.balls import Ball, at, ball, upper
from discreet.guarantees import Approx, Gdp, Guarantee, LaplacePair, Pure, PureRange, Range, Renyi, Zcdp

BITS = 256
TINY = Fraction(1, 2**16)
"""Below this, closed forms cancel and their leading terms are as good: the ratio is above 1 - 2**-15."""


def as_pure(guarantee: Guarantee) -> Pure | None:
    """Read a guarantee as pure differential privacy, or None where none follows.

    >>> as_pure(Range(1)), as_pure(Zcdp(1))
    (Pure(epsilon=Fraction(1, 1)), None)
    """
    match guarantee:
        case Pure():
            return guarantee
        case Range(epsilon=epsilon) | LaplacePair(epsilon=epsilon):
            return Pure(epsilon)
        case PureRange(pure=pure):
            return Pure(pure)
        case Approx(epsilon=epsilon, delta=delta):
            return None if delta else Pure(epsilon)
        case Zcdp(rho=amount) | Gdp(mu=amount):
            return None if amount else Pure(0)
        case Renyi():
            return None
        case _:
            assert_never(guarantee)


def as_range(guarantee: Guarantee) -> Range | None:
    """Read a guarantee as a bounded range, or None where none follows.

    >>> as_range(Pure(1)), as_range(PureRange(1, "1.5")).epsilon
    (Range(epsilon=Fraction(2, 1)), Fraction(3, 2))
    """
    match guarantee:
        case Range():
            return guarantee
        case PureRange(range=bounded):
            return Range(bounded)
        case _:
            pure = as_pure(guarantee)
            return None if pure is None else Range(2 * pure.epsilon)


def as_zcdp(guarantee: Guarantee) -> Zcdp | None:  # noqa: PLR0911 - one case a guarantee
    """Read a guarantee as zero-concentrated differential privacy, or None where none follows.

    >>> as_zcdp(Range(1)).rho < Fraction(1, 8) < as_zcdp(LaplacePair(1)).rho < as_zcdp(Pure(1)).rho
    True
    """
    match guarantee:
        case Zcdp():
            return guarantee
        case Gdp(mu=mu):
            return Zcdp(mu * mu / 2)
        case Range(epsilon=b):
            return _rho(b, b * b / 8, lambda: _range_rho(ball(b)))
        case PureRange(pure=a, range=b):
            return Zcdp(min(_rho_of(Pure(a)), _rho_of(Range(b))))
        case LaplacePair(epsilon=r):
            return _rho(r, r * r / 2, lambda: ball(r) + ball(-r).expm1())
        case Pure(epsilon=a):
            return _rho(a, a * a / 2, lambda: ball(a) * (ball(a) / 2).tanh())
        case Approx():
            pure = as_pure(guarantee)
            return None if pure is None else as_zcdp(pure)
        case Renyi():
            return None
        case _:
            assert_never(guarantee)


def certified_up(compute: Callable[[], Ball]) -> Fraction:
    """Return a number surely not below what is computed.

    >>> certified_up(lambda: ball(1).exp()) > Fraction(271828, 100000)
    True
    """
    return upper(at(BITS, compute))


def _rho(size: Fraction, simple: Fraction, compute: Callable[[], Ball]) -> Zcdp:
    return Zcdp(simple if size < TINY else min(simple, certified_up(compute)))


def _rho_of(guarantee: Pure | Range) -> Fraction:
    found = as_zcdp(guarantee)
    assert found is not None  # noqa: S101 - for the type checkers: both kinds have one
    return found.rho


def _range_rho(b: Ball) -> Ball:
    spread = b / -(-b).expm1()
    return spread - 1 - spread.log()
