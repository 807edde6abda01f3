"""Composition of zero-concentrated differential privacy: the rhos add up, and the best order gives delta or epsilon.

Proved, for every use: a batch, fixed parameters, and, as ``filters.ZcdpFilter``, parameters chosen on the way.
Bounded range b has rho = b/(1-exp(-b)) - 1 - ln(b/(1-exp(-b))), at most b**2/8; pure a has a tanh(a/2); the Laplace
pair of ratio r (permute-and-flip, noisy max) has r + exp(-r) - 1; Gaussian noise has mu**2/2.
"""

from fractions import Fraction

from discreet.accounting.basic import Amounts, counted, total
from discreet.accounting.rule import ANY, of_amounts
from discreet.exact import Number, chance, nonnegative
from discreet.guarantees import Approx, Guarantee, Zcdp
from discreet.readings import as_approx, as_zcdp, delta_at, edge, implies


def delta(rhos: Amounts, at: Number) -> Fraction:
    """Return a delta, rounded up, that the rhos together give at an epsilon, by the best order found.

    >>> round(float(delta({"0.01": 50}, 3)), 9)
    0.005143184
    """
    return delta_at(Zcdp(total(counted(rhos, "rho"))), at)


def epsilon(rhos: Amounts, delta: Number) -> Fraction:
    """Return an epsilon, rounded up, that the rhos together give at a delta.

    >>> round(float(epsilon({"0.00125": 100}, "1e-6")), 4)
    2.4191
    """
    return as_approx(Zcdp(total(counted(rhos, "rho"))), delta).epsilon


def budget(at: Number, delta: Number) -> Fraction:
    """Return the largest rho found, rounded down, that gives epsilon ``at`` with this delta.

    >>> round(float(budget(2, "1e-6")), 9)
    0.088152688
    """
    e, d = nonnegative(at, "epsilon"), chance(delta, "delta")
    return edge(lambda rho: implies(Zcdp(rho), Approx(e, d)))[0]


def _rho(guarantee: Guarantee) -> Fraction | None:
    read = as_zcdp(guarantee)
    return None if read is None else read.rho


RULE = of_amounts("zcdp", ANY, _rho, epsilon, delta)
