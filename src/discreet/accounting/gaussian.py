"""Composition of Gaussian differential privacy: the squares of mu add up. And the limit picture of many selections.

Proved, for fixed parameters and adaptive mechanisms: a query with noise of standard deviation (its sensitivity) / mu
is mu-GDP, and many of them are together one with mu the root of the sum of squares. With N the normal
distribution function, delta(e) = N(mu/2 - e/mu) - exp(e) N(-mu/2 - e/mu), exactly.

The functions called ``limit_...`` say what many bounded ranges tend to. They are a picture, never a certificate: the
true optimum lies above them at many places. Nothing may be charged by them.
"""

from fractions import Fraction

from discreet.accounting.basic import Amounts, counted, total
from discreet.exact import Number, chance, nonnegative
from discreet.readings import edge
from discreet.readings.profiles import gaussian_delta


def delta(mus: Amounts, at: Number) -> Fraction:
    """Return the least delta of Gaussian mechanisms with these mus at an epsilon, rounded up.

    >>> round(float(delta({"0.05": 100}, 1)), 12)
    0.006829594983
    """
    return gaussian_delta(total(counted(mus, "mu"), power=2), nonnegative(at, "epsilon"))


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
    return float(gaussian_delta(total(counted(ranges), power=2) / 4, nonnegative(at, "epsilon")))


def limit_epsilon(ranges: Amounts, delta: Number) -> float:
    """Return what epsilon tends to for many small bounded ranges. A picture, not a bound.

    >>> round(limit_epsilon({"0.1": 100}, "1e-6"), 4)
    2.2541
    """
    return float(_epsilon(total(counted(ranges), power=2) / 4, chance(delta, "delta")))


def _epsilon(square: Fraction, d: Fraction) -> Fraction:
    if gaussian_delta(square, Fraction(0)) <= d:
        return Fraction(0)
    return edge(lambda e: gaussian_delta(square, e) > d)[1]
