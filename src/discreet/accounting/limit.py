"""What many small mechanisms tend to, by the central limit theorem. A picture, never a certificate.

The true optimum of bounded ranges lies above it at many places, so nothing may be charged by it. A bounded range b
tends to a share of b**2/4 in the square of mu; so does a pure a, read as a range of 2 a.
"""

from fractions import Fraction

from discreet.accounting.basic import Amounts, counted, total
from discreet.accounting.gaussian import epsilon_of_square
from discreet.accounting.rule import PLANNED, of_amounts
from discreet.exact import Number, chance, nonnegative
from discreet.guarantees import Gdp, Guarantee, Zcdp
from discreet.readings import as_range
from discreet.readings.profiles import gaussian_delta


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
    return float(epsilon_of_square(total(counted(ranges), power=2) / 4, chance(delta, "delta")))


def _square(guarantee: Guarantee) -> Fraction | None:
    match guarantee:
        case Gdp(mu=mu):
            return mu * mu
        case Zcdp(rho=rho):
            return 2 * rho
        case _:
            bounded = as_range(guarantee)
            return None if bounded is None else bounded.epsilon**2 / 4


RULE = of_amounts(
    "limit",
    PLANNED,
    _square,
    lambda squares, delta: epsilon_of_square(total(squares), delta),
    lambda squares, epsilon: gaussian_delta(total(squares), epsilon),
    role="picture",
)
