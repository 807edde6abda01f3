"""Composition by Renyi divergence: curves over the order add up, and the best order gives delta or epsilon.

Proved, for fixed parameters and adaptive mechanisms in any order. For parameters chosen on the way it holds only at
an order fixed beforehand: see ``filters``.

The curves, of order x > 1, with S(z) = ln(sinh(z b/2) / (z b/2)):

* bounded range b, the least curve of all such mechanisms: (x S(x) - (x-1) S(x-1) - S(1)) / (x-1);
* pure a, by randomised response: ln((exp(x a) + exp((1-x) a)) / (1 + exp(a))) / (x-1);
* the Laplace pair of ratio r (Laplace noise, permute-and-flip, noisy max with exponential or Laplace noise):
  ln(x/(2x-1) exp((x-1) r) + (x-1)/(2x-1) exp(-x r)) / (x-1);
* rho-zCDP: x rho, which Gaussian noise attains with rho = mu**2/2.

From a curve R (known from the literature): delta = exp((x-1)(R(x) - e)) / (x-1) * (1 - 1/x)**x. Every order is
valid, and the best is found without local traps: (x-1) R(x) is convex in x, and so is what is added to it.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from discreet.balls import Ball, at, ball, upper
from discreet.errors import SettingError
from discreet.exact import Number, chance, nonnegative, number, whole

BITS = 512
"""Orders near the ends of the search cancel up to about two hundred bits."""
NEAREST, FURTHEST = -80.0, 80.0
"""The order is sought from 1 + exp(-80) to 1 + exp(80)."""
STEPS = 60


class Curve(Protocol):
    """A Renyi curve: how far apart the laws on neighbouring datasets are, at each order."""

    @property
    def most(self) -> Fraction | None:
        """The largest privacy loss of any outcome, or None if it has no bound."""
        ...

    def at(self, order: Fraction) -> Ball:
        """The divergence at an order above 1."""
        ...


@dataclass(frozen=True, slots=True)
class RangeCurve:
    """The least curve that holds for every mechanism of a bounded range.

    >>> round(float(divergence({RangeCurve(Fraction(1)): 1}, 3)), 12)
    0.343376006706
    """

    epsilon: Fraction

    @property
    def most(self) -> Fraction:
        """The range itself."""
        return self.epsilon

    def at(self, order: Fraction) -> Ball:
        """The divergence, from logarithms of sinh."""
        if not self.epsilon:
            return ball(0)
        s = {x: _log_sinhc(x * self.epsilon / 2) for x in (order, order - 1, Fraction(1))}
        return (ball(order) * s[order] - ball(order - 1) * s[order - 1] - s[Fraction(1)]) / ball(order - 1)


@dataclass(frozen=True, slots=True)
class PureCurve:
    """The least curve that holds for every purely private mechanism: that of randomised response.

    >>> round(float(divergence({PureCurve(Fraction(1)): 1}, 2)), 9)
    0.735325664
    """

    epsilon: Fraction

    @property
    def most(self) -> Fraction:
        """Epsilon itself."""
        return self.epsilon

    def at(self, order: Fraction) -> Ball:
        """The divergence of one randomised response."""
        more, less = (ball(z * self.epsilon).exp() for z in (order, 1 - order))
        return ((more + less) / (1 + ball(self.epsilon).exp())).log() / ball(order - 1)


@dataclass(frozen=True, slots=True)
class LaplaceCurve:
    """The curve of Laplace noise whose scale is the sensitivity divided by ``ratio``; permute-and-flip's bound too.

    >>> round(float(divergence({LaplaceCurve(Fraction(1)): 1}, 2)), 9)
    0.61912363
    """

    ratio: Fraction

    @property
    def most(self) -> Fraction:
        """The ratio, which is the pure epsilon."""
        return self.ratio

    def at(self, order: Fraction) -> Ball:
        """The divergence of two shifted Laplace laws."""
        more, less = ball((order - 1) * self.ratio).exp(), ball(-order * self.ratio).exp()
        return ((more * ball(order) + less * ball(order - 1)) / ball(2 * order - 1)).log() / ball(order - 1)


@dataclass(frozen=True, slots=True)
class ZcdpCurve:
    """A straight curve: zero-concentrated differential privacy, and Gaussian noise with rho = mu**2/2.

    >>> divergence({ZcdpCurve(Fraction(1, 8)): 8}, 3)
    Fraction(3, 1)
    """

    rho: Fraction

    @property
    def most(self) -> Fraction | None:
        """No bound, unless rho is zero."""
        return None if self.rho else Fraction(0)

    def at(self, order: Fraction) -> Ball:
        """Rho times the order."""
        return ball(self.rho * order)


Curves = Mapping[Curve, int]
"""Curves and how often each occurs."""


def divergence(curves: Curves, order: Number) -> Fraction:
    """Return the sum of the curves at an order above 1, rounded up.

    >>> divergence({RangeCurve(Fraction(1)): 100}, 2) < 100 * Fraction(1, 4)
    True
    """
    x = number(order, "order")
    if x <= 1:
        raise SettingError.of("order", "a number above 1", order)
    return upper(at(BITS, lambda: _sum(_read(curves), x)))


def delta(curves: Curves, epsilon: Number) -> Fraction:
    """Return a delta, rounded up, that the curves together give at epsilon, by the best order found.

    >>> round(float(delta({RangeCurve(Fraction(1, 10)): 100}, 1)), 6)
    0.017812
    """
    found, e = _read(curves), nonnegative(epsilon, "epsilon")
    most = _most(found)
    if most is not None and e >= most:
        return Fraction(0)
    log = _least(lambda x: _log_delta(found, x, e))
    return Fraction(1) if not log < 0 else min(Fraction(1), upper(at(BITS, log.exp)))


def epsilon(curves: Curves, delta: Number) -> Fraction:
    """Return an epsilon, rounded up, that the curves together give at delta, by the best order found.

    >>> round(float(epsilon({RangeCurve(Fraction(1, 10)): 100}, "1e-6")), 4)
    2.4002
    """
    found, d = _read(curves), chance(delta, "delta")
    most = _most(found)
    if most == 0:
        return Fraction(0)
    least = _least(lambda x: _epsilon(found, x, d))
    bounds = [max(Fraction(0), upper(least))] if least.is_finite() else []
    bounds += [] if most is None else [most]
    if not bounds:
        raise SettingError.of("curves", "curves that stay within a number's reach", "larger ones")
    return min(bounds)


def _read(curves: Curves) -> dict[Curve, int]:
    return {curve: count for curve, count in curves.items() if whole(count, "count", least=0)}


def _most(found: Curves) -> Fraction | None:
    mosts = [(curve.most, count) for curve, count in found.items()]
    known = [(most, count) for most, count in mosts if most is not None]
    return sum((most * count for most, count in known), Fraction(0)) if len(known) == len(mosts) else None


def _sum(found: Curves, x: Fraction) -> Ball:
    return sum((curve.at(x) * count for curve, count in found.items()), ball(0))


def _log_delta(found: Curves, x: Fraction, e: Fraction) -> Ball:
    return ball(x - 1) * (_sum(found, x) - ball(e)) + _price(x)


def _epsilon(found: Curves, x: Fraction, d: Fraction) -> Ball:
    return _sum(found, x) + (_price(x) - ball(d).log()) / ball(x - 1)


def _price(x: Fraction) -> Ball:
    return ball(x) * ball(1 - 1 / x).log() - ball(x - 1).log()


def _log_sinhc(z: Fraction) -> Ball:
    return (ball(z).sinh() / ball(z)).log()


def _least(bound: Callable[[Fraction], Ball]) -> Ball:
    """Return the bound at the best order found; golden sections on ln(x - 1), where the bound has one valley."""
    tried: dict[float, float] = {}

    def height(u: float) -> float:
        if u not in tried:
            found = at(BITS, lambda: bound(_order(u)))
            tried[u] = float(found) if found.is_finite() else math.inf
        return tried[u]

    low, high, part = NEAREST, FURTHEST, (math.sqrt(5) - 1) / 2
    for _ in range(STEPS):
        left, right = high - part * (high - low), low + part * (high - low)
        low, high = (low, right) if height(left) <= height(right) else (left, high)
    best = min(tried, key=lambda u: tried[u])
    return at(BITS, lambda: bound(_order(best)))


def _order(u: float) -> Fraction:
    return 1 + Fraction(math.exp(u))
