"""Random stopping: the best of a random number of private runs, for little more than the price of one.

Run the same private algorithm Q a random number K of times, with K drawn beforehand from a public law, and release the
run with the best score, alone. Write Q(y) for the chance that one run is not better than y, q(y) for its density, and
f(x) = E[x**K]. Then the best is y with density q(y) f'(Q(y)). Ties are broken at random, as if every score had a
uniform number behind it. K is not released. (Liu and Talwar 2019; Papernot and Steinke 2022.)

This file has what the laws of K share: how a curve is stated, and what one run may cost.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import ceil, exp, log, sqrt
from typing import Protocol

from discreet.errors import SettingError
from discreet.exact import Number, number
from discreet.guarantees import Approx, Guarantee, LaplacePair, Pure, PureRange, Range, Renyi, Zcdp
from discreet.mechanisms.base import spendable
from discreet.readings import as_pure, as_zcdp, edge, implies, largest
from discreet.readings.curves import CURVED, reach

BITS = 256
ORDERS = tuple(1 + part * Fraction(2) ** power for power in range(-6, 12) for part in (Fraction(1), Fraction(3, 2)))
"""The orders at which a Renyi curve is stated; between them it is read off its chords."""
NEAREST, FURTHEST, STEPS = -20.0, 40.0, 40
FLATTEST = Fraction(2**200)


class Stopping(Protocol):
    """A law of the number of runs, and what the best of them promises."""

    def renyi(self, base: Guarantee, orders: Iterable[Number] = ORDERS) -> Renyi:
        """Return the Renyi curve of the best of all runs."""
        ...

    def zcdp(self, base: Guarantee) -> Zcdp:
        """Return a rho of the best of all runs."""
        ...


def stated(base: Guarantee, orders: Iterable[Number], bound: Callable[[Fraction], Fraction]) -> Renyi:
    """Return a curve at the orders of which the base speaks; a divergence is at most that of any larger order.

    >>> stated(Zcdp(1), [2, 3, 4], lambda order: abs(order - 3)).points[0]
    (Fraction(2, 1), Fraction(0, 1))
    """
    furthest = furthest_of(base)
    within = sorted({number(order, "order") for order in orders if number(order, "order") <= furthest} or {furthest})
    points, least = list[tuple[Fraction, Fraction]](), None
    for order in reversed(within):
        found = short(bound(order))
        least = found if least is None else min(least, found)
        points.append((order, least))
    return Renyi(points)


def least(bound: Callable[[Fraction], Fraction], furthest: Fraction) -> Fraction:
    """Return the least bound found over orders above 1, by golden sections; every order gives a bound that holds.

    >>> round(float(least(lambda x: x + 100 / x, Fraction(10**9))), 3)
    20.0
    """
    tried: dict[float, Fraction] = {}

    def height(place: float) -> Fraction:
        if place not in tried:
            tried[place] = bound(min(furthest, 1 + Fraction(exp(place))))
        return tried[place]

    low, high, part = NEAREST, min(FURTHEST, log(furthest - 1)), (sqrt(5) - 1) / 2
    for _ in range(STEPS):
        left, right = high - part * (high - low), low + part * (high - low)
        low, high = (low, right) if height(left) <= height(right) else (left, high)
    height(high)
    return short(min(tried.values()))


def furthest_of(base: Guarantee) -> Fraction:
    """Return the largest order of which a guarantee speaks; those with a delta have none and are refused.

    >>> furthest_of(Renyi({2: 1, 8: 3}))
    Fraction(8, 1)
    """
    if isinstance(base, Approx) and not base.delta:
        return reach(Pure(base.epsilon))
    if not isinstance(base, CURVED):
        raise SettingError.of("guarantee", "one without delta for each run, such as Pure(...) or Zcdp(...)", str(base))
    return reach(base)


def rho_of(base: Guarantee) -> Fraction:
    """Return the rho of one run.

    >>> rho_of(Zcdp("0.1"))
    Fraction(1, 10)
    """
    found = as_zcdp(base)
    if found is None:
        raise SettingError.of("guarantee", "one with a rho for each run, such as Pure(...) or Zcdp(...)", str(base))
    return found.rho


def affordable(law: Stopping, target: Guarantee, pure: Callable[[Fraction], Pure]) -> Guarantee:
    """Return the most that one run may cost: a pure epsilon for a target of that kind, else a rho.

    >>> from discreet.mechanisms.negative_binomial import NegativeBinomial
    >>> affordable(NegativeBinomial(1, "0.1"), Pure(1), lambda epsilon: Pure(3 * epsilon))
    Pure(epsilon=Fraction(1, 3))
    """
    if isinstance(target, Pure | Range | PureRange | LaplacePair) or as_pure(target) is not None:
        most = spendable(largest(Pure, target), target)
        simple = most / pure(Fraction(1)).epsilon
        proportional = pure(simple) == Pure(most)
        return Pure(simple if proportional else edge(lambda epsilon: pure(epsilon).epsilon <= most)[0])
    if isinstance(target, Zcdp):
        return Zcdp(edge(lambda rho: law.zcdp(Zcdp(rho)).rho <= target.rho)[0])
    return Zcdp(edge(lambda rho: implies(law.renyi(Zcdp(rho)), target))[0])


def best_order(size: Fraction, rho: Fraction) -> Fraction:
    """Return an order at which rho * order + size / (order - 1) is about the least.

    >>> best_order(Fraction(4), Fraction(1))
    Fraction(3, 1)
    """
    return 1 + Fraction(max(1e-9, sqrt(min(size / rho, FLATTEST)))) if rho else Fraction(2**100)


def short(value: Fraction) -> Fraction:
    """Return a number from 0 in 64 significant bits, rounded up: a stated bound needs no more.

    >>> short(Fraction(3, 4)), 0 < short(Fraction(1, 3)) - Fraction(1, 3) < Fraction(1, 2**64)
    (Fraction(3, 4), True)
    """
    scale = Fraction(2) ** (64 - value.numerator.bit_length() + value.denominator.bit_length())
    return ceil(value * scale) / scale
