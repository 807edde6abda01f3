"""Textbook closed forms for epsilon at a given delta. For comparison: the other rules of this room are tighter.

All hold for fixed parameters and adaptive mechanisms. They are known from the literature, and follow from the
Azuma and Hoeffding inequalities for the privacy loss, whose mean and range each form bounds in its own way.

* Pure: ``mean + sqrt(2 L V)`` with V the sum of e**2 and L = ln(1/delta). The classic mean is the sum of
  e (exp(e) - 1), the tight one the sum of e tanh(e/2).
* Bounded range: ``mean + sqrt(L V / 2)`` with mean the sum of b/(1-exp(-b)) - 1 - ln(b/(1-exp(-b))), or the simpler
  mean V/2; or the pure form.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Literal

from discreet.accounting.basic import Amounts, counted, pure_amount, total
from discreet.accounting.bounded_range import range_amount
from discreet.accounting.rule import PLANNED, of_amounts
from discreet.balls import Ball, at, ball, lower, upper
from discreet.errors import SettingError
from discreet.exact import Number, chance, nonnegative
from discreet.guarantees import Range
from discreet.readings import as_zcdp

BITS = 256


def pure_epsilon(epsilons: Amounts, delta: Number, mean: Literal["classic", "tight"] = "tight") -> Fraction:
    """Return an epsilon, rounded up, for pure mechanisms by advanced composition, capped by the sum.

    >>> classic, tight = (pure_epsilon({"0.1": 100}, "1e-6", mean) for mean in ("classic", "tight"))
    >>> round(float(classic), 4), tight < classic < 10
    (6.3082, True)
    """
    terms = {"classic": _classic_mean, "tight": _tight_mean}
    if mean not in terms:
        raise SettingError.of("mean", "'classic' or 'tight'", mean)
    found = counted(epsilons)
    return _capped(found, lambda: _sum(found, terms[mean]) + _deviation(found, chance(delta, "delta"), Fraction(2)))


def range_epsilon(epsilons: Amounts, delta: Number) -> Fraction:
    """Return an epsilon, rounded up, for bounded ranges: worst mean loss and Hoeffding's deviation, capped by the sum.

    >>> round(float(range_epsilon({"0.1": 100}, "1e-6")), 4)
    2.7532
    """
    found, d = counted(epsilons), chance(delta, "delta")
    return _capped(found, lambda: _sum(found, _range_mean) + _deviation(found, d, Fraction(1, 2)))


def simple_range_epsilon(epsilons: Amounts, delta: Number) -> Fraction:
    """Return the least of three simpler epsilons for bounded ranges: the sum, the pure form, and mean V/2.

    >>> simple_range_epsilon({"0.1": 100}, "1e-6") > range_epsilon({"0.1": 100}, "1e-6")
    True
    """
    found, d = counted(epsilons), chance(delta, "delta")
    half = total(found, power=2) / 2
    simple = _capped(found, lambda: ball(half) + _deviation(found, d, Fraction(1, 2)))
    return min(simple, pure_epsilon(epsilons, d))


def pure_delta(epsilons: Amounts, at: Number) -> Fraction:
    """Return the delta, rounded up, at which the classic form for pure mechanisms gives epsilon ``at``.

    >>> round(float(pure_delta({"0.1": 100}, "6.3082")), 8)
    1e-06
    """
    return _delta(counted(epsilons), nonnegative(at, "epsilon"), _classic_mean, Fraction(2))


def range_delta(epsilons: Amounts, at: Number) -> Fraction:
    """Return the delta, rounded up, at which the form for bounded ranges gives epsilon ``at``.

    >>> round(float(range_delta({"0.1": 100}, "2.7532")), 8)
    1e-06
    """
    return _delta(counted(epsilons), nonnegative(at, "epsilon"), _range_mean, Fraction(1, 2))


def _delta(found: Mapping[Fraction, int], e: Fraction, mean: Callable[[Fraction], Ball], factor: Fraction) -> Fraction:
    if e >= total(found):
        return Fraction(0)
    over = at(BITS, lambda: lower(ball(e) - _sum(found, mean)))
    if over <= 0:
        return Fraction(1)
    return at(BITS, lambda: upper((-ball(over * over / (factor * total(found, power=2)))).exp()))


def _capped(found: Mapping[Fraction, int], bound: Callable[[], Ball]) -> Fraction:
    return min(total(found), upper(at(BITS, bound)))


def _deviation(found: Mapping[Fraction, int], d: Fraction, factor: Fraction) -> Ball:
    return (-ball(d).log() * ball(factor * total(found, power=2))).sqrt()


def _sum(found: Mapping[Fraction, int], term: Callable[[Fraction], Ball]) -> Ball:
    return sum((term(amount) * count for amount, count in found.items()), ball(0))


def _classic_mean(epsilon: Fraction) -> Ball:
    return ball(epsilon) * ball(epsilon).expm1()


def _tight_mean(epsilon: Fraction) -> Ball:
    return ball(epsilon) * (ball(epsilon) / 2).tanh()


def _range_mean(epsilon: Fraction) -> Ball:
    rho = as_zcdp(Range(epsilon))  # the worst mean loss is the best rho
    return ball(epsilon * epsilon / 8 if rho is None else rho.rho)


RULE = of_amounts(
    "advanced", PLANNED, pure_amount, lambda e, d: pure_epsilon(e, d, "classic"), pure_delta, role="comparison"
)
RANGE_RULE = of_amounts("advanced range", PLANNED, range_amount, range_epsilon, range_delta, role="comparison")
