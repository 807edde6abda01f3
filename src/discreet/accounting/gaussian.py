"""Composition of Gaussian differential privacy: the squares of mu add up. And the limit picture of many selections.

Proved, for fixed parameters and adaptive mechanisms: a query with noise of standard deviation (its sensitivity) / mu
is mu-GDP, and many of them are together one with mu the root of the sum of squares. With N the normal
distribution function, delta(e) = N(mu/2 - e/mu) - exp(e) N(-mu/2 - e/mu), exactly.

The functions called ``limit_...`` say what many bounded ranges tend to. They are a picture, never a certificate: the
true optimum lies above them at many places. Nothing may be charged by them.
"""

from fractions import Fraction

from discreet.accounting.basic import Amounts, counted, total
from discreet.balls import Ball, ball, upper
from discreet.balls import at as at_precision
from discreet.exact import Number, chance, nonnegative
from discreet.readings import edge

BITS = 256
DEEPEST = 20_000
"""A delta below exp(-20000) is given as that."""
STEEPEST = 10**6
"""Above this epsilon the second term is left out, which is on the private side."""


def delta(mus: Amounts, at: Number) -> Fraction:
    """Return the least delta of Gaussian mechanisms with these mus at an epsilon, rounded up.

    >>> round(float(delta({"0.05": 100}, 1)), 12)
    0.006829594983
    """
    return _delta(total(counted(mus, "mu"), power=2), nonnegative(at, "epsilon"))


def epsilon(mus: Amounts, delta: Number) -> Fraction:
    """Return the least epsilon of Gaussian mechanisms with these mus at a delta, rounded up.

    >>> round(float(epsilon({"0.05": 100}, "1e-6")), 4)
    2.2541
    """
    return _epsilon(total(counted(mus, "mu"), power=2), chance(delta, "delta"))


def limit_delta(ranges: Amounts, at: Number) -> float:
    """Return what delta tends to for many small bounded ranges. A picture, not a bound: the true delta may be larger.

    >>> round(limit_delta({"0.01": 100}, "0.05"), 4)
    0.0043
    """
    return float(_delta(total(counted(ranges), power=2) / 4, nonnegative(at, "epsilon")))


def limit_epsilon(ranges: Amounts, delta: Number) -> float:
    """Return what epsilon tends to for many small bounded ranges. A picture, not a bound.

    >>> round(limit_epsilon({"0.1": 100}, "1e-6"), 4)
    2.2541
    """
    return float(_epsilon(total(counted(ranges), power=2) / 4, chance(delta, "delta")))


def _epsilon(square: Fraction, d: Fraction) -> Fraction:
    if _delta(square, Fraction(0)) <= d:
        return Fraction(0)
    return edge(lambda e: _delta(square, e) > d)[1]


def _delta(square: Fraction, e: Fraction) -> Fraction:
    if not square:
        return Fraction(0)
    if 2 * e > square and (e - square / 2) ** 2 > 2 * DEEPEST * square:
        return upper(at_precision(BITS, lambda: ball(-DEEPEST).exp() / 2))  # the normal tail is at most this
    return min(Fraction(1), max(Fraction(0), upper(at_precision(BITS, lambda: _profile(square, e)))))


def _profile(square: Fraction, e: Fraction) -> Ball:
    mu = ball(square).sqrt()
    near, far = ((ball(e) / mu + side * mu / 2) / ball(2).sqrt() for side in (-1, 1))
    return (near.erfc() - (ball(e).exp() * far.erfc() if e <= STEEPEST else 0)) / 2
