"""A guarantee read as delta at every epsilon: the tight profile of all mechanisms that keep it, rounded up.

Write delta(e) for the least delta at e. It is zero from the pure epsilon on, where there is one, and below that

* ``Pure(a)``: (exp(a) - exp(e)) / (1 + exp(a)), of randomised response;
* ``Range(b)``: (1 - exp((e - b)/2))**2 / (1 - exp(-b)), the worst two-point law being the one with t = (b + e)/2;
* ``PureRange(a, b)``: that of the two-point law with t = (b + e)/2, kept between b - a and a;
* ``LaplacePair(r)``: 1 - exp((e - r)/2);
* ``Gdp(mu)``: N(mu/2 - e/mu) - exp(e) N(-mu/2 - e/mu), N the normal distribution function;
* ``Zcdp(rho)``: at most exp((x-1)(x rho - e)) / (x-1) * (1 - 1/x)**x for every order x > 1 (not tight);
* ``Renyi``: the same with the divergence at x in place of x rho;
* ``Approx(a, d)``: d + (1 - d) times the delta of ``Pure(a)``: lost with chance d, purely private else.
"""

import math
from fractions import Fraction
from functools import lru_cache
from typing import assert_never

from discreet.balls import Ball, ball
from discreet.exact import Number, down, nonnegative
from discreet.guarantees import Approx, Gdp, Guarantee, LaplacePair, Pure, PureRange, Range, Renyi, Zcdp
from discreet.readings.curves import curve, delta_of, reach
from discreet.readings.kinds import as_pure, certified_up

DEEPEST = 20_000
"""A Gaussian delta below exp(-20000) is given as that."""
STEEPEST = 10**6
"""Above this epsilon the second Gaussian term is left out, which is on the private side."""


def delta_at(guarantee: Guarantee, epsilon: Number) -> Fraction:
    """Return a delta, rounded up, such that the guarantee implies (epsilon, delta)-differential privacy.

    >>> [round(float(delta_at(kind(1), "0.5")), 4) for kind in (Range, LaplacePair, Pure)]
    [0.0774, 0.2212, 0.2876]
    """
    e = nonnegative(epsilon, "epsilon")
    pure = as_pure(guarantee)
    if pure is not None and e >= pure.epsilon:
        return Fraction(0)
    return min(Fraction(1), max(Fraction(0), _delta(guarantee, e)))


def gaussian_delta(square: Fraction, e: Fraction) -> Fraction:
    """Return the delta at ``e`` of Gaussian noise whose mu has this square, rounded up.

    >>> round(float(gaussian_delta(Fraction(1, 4), Fraction(1))), 12)
    0.006829594983
    """
    if not square:
        return Fraction(0)
    if 2 * e > square and (e - square / 2) ** 2 > 2 * DEEPEST * square:
        return _deepest()
    return min(Fraction(1), max(_deepest(), certified_up(lambda: _gaussian(square, e))))


@lru_cache(maxsize=1)
def _deepest() -> Fraction:
    """Return the least delta that is given: the normal tail beyond the root of 2 DEEPEST is at most this."""
    return certified_up(lambda: ball(-DEEPEST).exp() / 2)


def _delta(guarantee: Guarantee, e: Fraction) -> Fraction:  # noqa: PLR0911 - one case a guarantee
    match guarantee:
        case Pure(epsilon=a):
            return certified_up(lambda: -ball(e - a).expm1() / (1 + ball(-a).exp()))
        case Range(epsilon=b):
            return certified_up(lambda: ball((e - b) / 2).expm1() ** 2 / -ball(-b).expm1())
        case PureRange(pure=a, range=b):
            t = min(a, max(b - a, (b + e) / 2))
            return certified_up(lambda: _two_points(b, t, e))
        case LaplacePair(epsilon=r):
            return certified_up(lambda: -ball((e - r) / 2).expm1())
        case Gdp(mu=mu):
            return gaussian_delta(mu * mu, e)
        case Zcdp(rho=rho):
            return _zcdp_delta(rho, e)
        case Renyi():
            return delta_of(lambda x: curve(guarantee, x), e, reach(guarantee))
        case Approx(epsilon=a, delta=delta):
            return delta + (1 - delta) * delta_at(Pure(a), e)
        case _:
            assert_never(guarantee)


def _two_points(b: Fraction, t: Fraction, e: Fraction) -> Ball:
    truth, doubt = ball(t - b).expm1(), ball(e - b).exp() - ball(e - t).exp()
    return (truth - doubt) / ball(-b).expm1()


def _gaussian(square: Fraction, e: Fraction) -> Ball:
    mu = ball(square).sqrt()
    near, far = ((ball(e) / mu + side * mu / 2) / ball(2).sqrt() for side in (-1, 1))
    return (near.erfc() - (ball(e).exp() * far.erfc() if e <= STEEPEST else 0)) / 2


def _zcdp_delta(rho: Fraction, e: Fraction) -> Fraction:
    x = 1 + Fraction(math.exp(_best_order(down(rho), down(e))))  # any order is valid; this one is nearly the best
    power = (x - 1) * (x * rho - e)
    if power > 100:
        return Fraction(1)
    return certified_up(lambda: (ball(power) + ball(x) * ball(-1 / x).log1p()).exp() / ball(x - 1))


def _best_order(rho: float, e: float) -> float:
    """Return ln(x - 1) near the root of (2 x - 1) rho - e + ln(1 - 1/x), which increases in x."""
    low, high = -100.0, 700.0
    for _ in range(60):
        middle = (low + high) / 2
        slope = (2 * math.exp(middle) + 1) * rho - e - math.log1p(math.exp(-middle))
        low, high = (middle, high) if slope < 0 else (low, middle)
    return low
