"""A guarantee read as a Renyi curve, and a curve read as (epsilon, delta).

The curves, of order x > 1, with S(z) = ln(sinh(z b/2) / (z b/2)):

* bounded range b, the least curve of all such mechanisms: (x S(x) - (x-1) S(x-1) - S(1)) / (x-1);
* pure a and bounded range b at once: the largest over t from b-a to a of the curve of one two-point law, which rises in
  t up to exp(t) = (x-1)(1-c**x) / (x (c-c**x)), c = exp(-b), and falls from there on;
* pure a, by randomised response: ln((exp(x a) + exp((1-x) a)) / (1 + exp(a))) / (x-1);
* the Laplace pair of r: ln(x/(2x-1) exp((x-1) r) + (x-1)/(2x-1) exp(-x r)) / (x-1);
* rho-zCDP: x rho. Gaussian noise attains it with rho = mu**2/2;
* values R at some orders: (x-1) R(x) is convex in x, so it lies below its chords, the first one from x = 1.

From a curve R (known from the literature): delta = exp((x-1)(R(x) - e)) / (x-1) * (1 - 1/x)**x. Every order is
valid, and the best is found without local traps: (x-1) R(x) is convex in x, and so is what is added to it.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from typing import assert_never

from discreet.balls import Ball, at, ball, upper
from discreet.errors import SettingError
from discreet.exact import Number, number, plain
from discreet.guarantees import Gdp, Guarantee, LaplacePair, Pure, PureRange, Range, Renyi, Zcdp

BITS = 512
"""Orders near the ends of the search cancel up to about two hundred bits."""
NEAREST, FURTHEST = -80.0, 80.0
"""The order is sought from 1 + exp(-80) to 1 + exp(80)."""
STEPS = 60
CURVED = Pure | Range | PureRange | LaplacePair | Gdp | Zcdp | Renyi
"""Every kind of guarantee but (epsilon, delta), which bounds no divergence."""

Curve = Callable[[Fraction], Ball]
"""A divergence at each order above 1, at the working precision."""


def divergence(guarantee: Guarantee, order: Number) -> Fraction:
    """Return the Renyi divergence of an order above 1 that the guarantee allows at the most, rounded up.

    >>> round(float(divergence(Range(1), 3)), 12), divergence(Zcdp("1/8"), 2)
    (0.343376006706, Fraction(1, 4))
    """
    x = number(order, "order")
    if x <= 1:
        raise SettingError.of("order", "a number above 1", order)
    if not isinstance(guarantee, CURVED):
        raise SettingError.of("guarantee", "one without delta, which has a Renyi curve", str(guarantee))
    if isinstance(guarantee, Zcdp):
        return x * guarantee.rho
    if x > reach(guarantee):
        raise SettingError.of("order", f"at most {plain(reach(guarantee))}, the largest stated", order)
    return upper(at(BITS, lambda: curve(guarantee, x)))


def reach(guarantee: Guarantee) -> Fraction:
    """Return the largest order of which the guarantee speaks, or a number too large to matter.

    >>> reach(Renyi({2: 1, 8: 2})), reach(Pure(1)) > 10**30
    (Fraction(8, 1), True)
    """
    return guarantee.points[-1][0] if isinstance(guarantee, Renyi) else 1 + Fraction(math.exp(FURTHEST))


def curve(guarantee: CURVED, x: Fraction) -> Ball:  # noqa: PLR0911 - one case a guarantee
    """Return a divergence in a ball, at the working precision.

    >>> at(BITS, lambda: curve(Pure(1), Fraction(2))) > at(BITS, lambda: curve(LaplacePair(1), Fraction(2)))
    True
    """
    match guarantee:
        case Pure(epsilon=a):
            return ball(a) + (ball((1 - 2 * x) * a).exp().log1p() - ball(-a).exp().log1p()) / ball(x - 1)
        case Range(epsilon=b):
            s = {z: _log_sinhc(z * b / 2) for z in (x, x - 1, Fraction(1))}
            return (ball(x) * s[x] - ball(x - 1) * s[x - 1] - s[Fraction(1)]) / ball(x - 1)
        case PureRange(pure=a, range=b):
            return _two_bounds(a, b, x)
        case LaplacePair(epsilon=r):
            less = ball((1 - 2 * x) * r).exp() * ball(1 - 1 / x)
            return ball(r) + (less.log1p() - ball(2 - 1 / x).log()) / ball(x - 1)
        case Gdp(mu=mu):
            return ball(mu * mu / 2 * x)
        case Zcdp(rho=rho):
            return ball(rho * x)
        case Renyi(points=points):
            return ball(_chord(points, x))
        case _:
            assert_never(guarantee)


def delta_of(divergences: Curve, e: Fraction, furthest: Fraction) -> Fraction:
    """Return a delta, rounded up, that a curve gives at epsilon, by the best order found up to the furthest.

    >>> round(float(delta_of(lambda x: curve(Range("0.1"), x) * 100, Fraction(1), reach(Range(1)))), 6)
    0.017812
    """
    log = _least(lambda x: ball(x - 1) * (divergences(x) - ball(e)) + _price(x), furthest)
    return Fraction(1) if not log < 0 else min(Fraction(1), upper(at(BITS, log.exp)))


def epsilon_of(divergences: Curve, d: Fraction, furthest: Fraction) -> Fraction | None:
    """Return an epsilon, rounded up, that a curve gives at delta, by the best order found; None if out of all bounds.

    >>> round(float(epsilon_of(lambda x: curve(Range("0.1"), x) * 100, Fraction("1e-6"), reach(Range(1)))), 4)
    2.4002
    """
    least = _least(lambda x: divergences(x) + (_price(x) - ball(d).log()) / ball(x - 1), furthest)
    return max(Fraction(0), upper(least)) if least.is_finite() else None


def _price(x: Fraction) -> Ball:
    return ball(x) * ball(-1 / x).log1p() - ball(x - 1).log()


def _log_sinhc(z: Fraction) -> Ball:
    if z < 1:
        return (ball(z).sinh() / ball(z)).log() if z else ball(0)
    return ball(z) + (-ball(-2 * z).exp()).log1p() - ball(2 * z).log()


def _two_bounds(a: Fraction, b: Fraction, x: Fraction) -> Ball:
    if not b:
        return ball(0)
    here, there, one = (-ball(-b * z).expm1() for z in (x, x - 1, Fraction(1)))
    best, low, high = ball(b) + (ball(1 - 1 / x) * here / there).log(), ball(b - a), ball(a)
    t = low if best < low else min(best, high)  # where a ball cannot tell, it is next to that end
    return t + ((here - (t - ball(b)).exp() * there) / one).log() / ball(x - 1)


def _chord(points: tuple[tuple[Fraction, Fraction], ...], x: Fraction) -> Fraction:
    place = bisect_left(points, x, key=lambda point: point[0])
    (low, least), (high, most) = points[place - 1] if place else (Fraction(1), Fraction(0)), points[place]
    rise = ((high - x) * (low - 1) * least + (x - low) * (high - 1) * most) / (high - low)
    return rise / (x - 1)


def _least(bound: Curve, furthest: Fraction) -> Ball:
    """Return the bound at the best order found; golden sections on ln(x - 1), where the bound has one valley."""
    tried: dict[float, float] = {}

    def height(u: float) -> float:
        if u not in tried:
            found = at(BITS, lambda: bound(_order(u, furthest)))
            tried[u] = float(found) if found.is_finite() else math.inf
        return tried[u]

    low, high, part = NEAREST, min(FURTHEST, math.log(furthest - 1)), (math.sqrt(5) - 1) / 2
    for _ in range(STEPS):
        left, right = high - part * (high - low), low + part * (high - low)
        low, high = (low, right) if height(left) <= height(right) else (left, high)
    height(high)
    best = min(tried, key=lambda u: tried[u])
    return at(BITS, lambda: bound(_order(best, furthest)))


def _order(u: float, furthest: Fraction) -> Fraction:
    return min(furthest, 1 + Fraction(math.exp(u)))
