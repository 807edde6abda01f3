"""Composition of Gaussian differential privacy: the squares of mu add up.

Proved, for fixed parameters and adaptive mechanisms: a query with noise of standard deviation (its sensitivity) / mu
is mu-GDP, and many of them are together one with mu the root of the sum of squares. With N the normal
distribution function, delta(e) = N(mu/2 - e/mu) - exp(e) N(-mu/2 - e/mu), exactly.
"""

from fractions import Fraction

from discreet.accounting.basic import Amounts, counted, total
from discreet.accounting.rule import PLANNED, of_amounts
from discreet.exact import Number, chance, nonnegative
from discreet.guarantees import Gdp, Guarantee
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
    return epsilon_of_square(total(counted(mus, "mu"), power=2), chance(delta, "delta"))


def epsilon_of_square(square: Fraction, delta: Fraction) -> Fraction:
    """Return the least epsilon at delta of Gaussian noise whose mu has this square, rounded up.

    >>> round(float(epsilon_of_square(Fraction(1, 4), Fraction(1, 10**6))), 4)
    2.2541
    """
    if gaussian_delta(square, Fraction(0)) <= delta:
        return Fraction(0)
    return edge(lambda e: gaussian_delta(square, e) > delta)[1]


def _mu(guarantee: Guarantee) -> Fraction | None:
    return guarantee.mu if isinstance(guarantee, Gdp) else None


RULE = of_amounts("gaussian", PLANNED, _mu, epsilon, delta, exact=lambda uses: uses.only(Gdp))
