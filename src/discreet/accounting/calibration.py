"""The other way round: how many releases fit a budget, and how large each of so many may be.

The search is only guided. What is returned was itself evaluated, by a rule proved for the plan, and found within the
budget; that nothing larger fits is as sure as it is that the rule's bound grows.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from discreet.accounting import zcdp
from discreet.accounting.composition import compose
from discreet.accounting.uses import Plan, repeat
from discreet.errors import SettingError
from discreet.exact import Number, chance, positive, whole
from discreet.guarantees import Guarantee, LaplacePair, Pure, Range, Zcdp
from discreet.readings import as_zcdp, largest

MOST = 10**18
"""No one is told that more than this many fit."""
DIGITS = 6
"""An epsilon for each is rounded down to about so many digits."""

Kind = Callable[[Fraction], Range] | Callable[[Fraction], LaplacePair] | Callable[[Fraction], Pure]
Excess = Callable[[int], float]
"""By how much a whole number is over the budget, as a logarithm: it fits from 0 down."""


def how_many(
    guarantee: Guarantee, *, epsilon: Number, delta: Number, plan: Plan = "adaptive", rule: str = "auto"
) -> int:
    """Return how many releases with this guarantee fit a budget of (epsilon, delta).

    >>> how_many(Range("0.1"), epsilon=1, delta="1e-6", plan="batch"), how_many(Range("0.1"), epsilon=1, delta="1e-6")
    (22, 19)
    """
    excess = _excess(lambda times: repeat(guarantee, times), epsilon, delta, plan=plan, rule=rule)
    rho = as_zcdp(guarantee)
    if rho is not None and not rho.rho:
        raise SettingError.of("guarantee", "one that costs something", str(guarantee), "of this one any number fits")
    start = 1 if rho is None else zcdp.budget(epsilon, delta) // rho.rho
    return _greatest(excess, min(start, MOST))


def each_of(
    times: int, *, epsilon: Number, delta: Number, plan: Plan = "adaptive", rule: str = "auto", kind: Kind = Range
) -> Fraction:
    """Return the largest epsilon, rounded down, such that this many releases of it fit a budget of (epsilon, delta).

    ``kind`` is what each release promises: ``Range`` for the exponential mechanism, ``LaplacePair`` for
    permute-and-flip and noisy max, ``Pure`` for any other.

    >>> float(each_of(100, epsilon=1, delta="1e-6")), float(each_of(100, epsilon=1, delta="1e-6", plan="batch"))
    (0.0441421, 0.0474612)
    """
    count, total = whole(times, "times"), positive(epsilon, "epsilon")
    start = largest(kind, Zcdp(zcdp.budget(total, delta) / count))
    unit = Fraction(10) ** (math.floor(math.log10(start)) - DIGITS + 1)
    excess = _excess(lambda units: repeat(kind(units * unit), count), total, delta, plan=plan, rule=rule)
    return _greatest(excess, start // unit) * unit


def _excess(uses: Callable[[int], Any], epsilon: Number, delta: Number, **settings: Any) -> Excess:
    e, d = positive(epsilon, "epsilon"), chance(delta, "delta")

    def excess(size: int) -> float:
        found = compose([uses(size)], epsilon=e, **settings).delta
        if found <= d:
            return min(0.0, _log(found) - _log(d)) if found else -math.inf
        return max(5e-324, _log(found) - _log(d))

    return excess


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


def _greatest(excess: Excess, start: int) -> int:
    """Return a whole number that fits whose successor does not; 0 if 1 does not fit."""
    low, high = (0, -math.inf), (max(1, start), excess(max(1, start)))
    while high[1] <= 0:
        if high[0] >= MOST:
            raise SettingError(f"guarantee: wanted one of which at most {MOST} fit, got one of which more do")
        further = min(MOST, max(high[0] + 1, high[0] * 5 // 4))
        low, high = high, (further, excess(further))
    turned = 0
    while high[0] - low[0] > 1:
        middle = _between(low, high, turned)
        over = excess(middle)
        turned = min(turned, 0) - 1 if over > 0 else max(turned, 0) + 1
        low, high = (low, (middle, over)) if over > 0 else ((middle, over), high)
    return low[0]


def _between(low: tuple[int, float], high: tuple[int, float], turned: int) -> int:
    """Return where the line through both ends crosses 0, or the middle after three steps from one side."""
    (a, under), (b, over) = low, high
    if math.isinf(under) or abs(turned) >= 3:
        return (a + b) // 2
    return min(b - 1, max(a + 1, a + round((b - a) * under / (under - over))))
