"""The least delta of pure mechanisms with fixed parameters, exactly: many randomised responses are the worst case.

Known from the literature, and checked here against enumeration. It holds for fixed parameters and adaptive
mechanisms. It does NOT hold when later parameters are chosen after earlier answers: see ``filters``.

Over the outcomes of all responses, with L an outcome's privacy loss and P its chance, delta(e) is the sum of
P (1 - exp(e - L)) where L > e. For k responses of one epsilon with l lies, L = (k - 2 l) epsilon and P is binomial,
so there are k + 1 kinds of outcome. Different epsilons multiply these numbers; beyond ``MOST`` kinds of outcome
there is no answer (None), as counting them exactly is hard, and a discretised rule must be used.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import lcm, prod
from typing import NamedTuple

from discreet.accounting.basic import Amounts, counted, pure_amount, total
from discreet.accounting.rule import PLANNED, of_amounts
from discreet.balls import Ball, ball, upper
from discreet.balls import at as at_precision
from discreet.exact import Number, chance, nonnegative
from discreet.guarantees import Pure, PureRange

BITS = 256
MOST = 250_000
"""More kinds of outcome than this are not enumerated."""


class Kind(NamedTuple):
    """Outcomes of equal privacy loss: the loss in common units, and their chances on the two datasets.

    >>> Kind(1, ball(1), ball(0)).loss
    1
    """

    loss: int
    here: Ball
    there: Ball


def delta(epsilons: Amounts, at: Number) -> Fraction | None:
    """Return the least delta of all pure mechanisms with these epsilons, rounded up; None if too many differ.

    >>> float(delta({"0.1": 100}, 1)).hex() == float(delta(["0.1"] * 100, 1)).hex()
    True
    >>> round(float(delta({"0.1": 100}, 1)), 12)
    0.125688390241
    """
    found, e = counted(epsilons), nonnegative(at, "epsilon")
    if e >= total(found):
        return Fraction(0)
    return min(Fraction(1), at_precision(BITS, lambda: upper(_delta(found, e)))) if _few(found) else None


def epsilon(epsilons: Amounts, delta: Number) -> Fraction | None:
    """Return the least epsilon of all pure mechanisms with these epsilons, rounded up; None if too many differ.

    >>> round(float(epsilon({"0.1": 100}, "1e-6")), 4)
    4.7746
    """
    found, d = counted(epsilons), chance(delta, "delta")
    return min(total(found), at_precision(BITS, lambda: _epsilon(found, d))) if _few(found) else None


def _few(found: Mapping[Fraction, int]) -> bool:
    return prod(count + 1 for count in found.values()) <= MOST


def _delta(found: Mapping[Fraction, int], e: Fraction) -> Ball:
    unit = _unit(found)
    here, there = ball(0), ball(0)
    for kind in _kinds(found):
        if kind.loss * unit <= e:
            break
        here, there = here + kind.here, there + kind.there
    return here - ball(e).exp() * there


def _epsilon(found: Mapping[Fraction, int], d: Fraction) -> Fraction:
    """Solve for the epsilon at which delta passes d: between neighbouring losses delta is a line in exp(e).

    The line of every piece lies below delta, so its root is never above the answer, and one root is the answer.
    """
    best, here, there = Fraction(0), ball(0), ball(0)
    for kind in [*_kinds(found), None]:
        excess = here - ball(d)
        passed = 1 if kind is None else excess * kind.there - kind.here * there  # of the sign of delta - d here
        if not passed < 0 and excess > 0:
            best = max(best, upper((excess / there).log()))
        if kind is None or passed > 0 or kind.loss < 0:
            return best
        here, there = here + kind.here, there + kind.there
    return best


def _kinds(found: Mapping[Fraction, int]) -> list[Kind]:
    """List all kinds of outcome, the greatest loss first."""
    unit = _unit(found)
    kinds = [Kind(0, ball(1), ball(1))]
    for amount, count in found.items():
        more = list(_responses(amount, count, int(amount / unit)))
        kinds = [Kind(a.loss + b.loss, a.here * b.here, a.there * b.there) for a, b in product(kinds, more)]
    return sorted(kinds, key=lambda kind: -kind.loss)


def _responses(amount: Fraction, count: int, step: int) -> Iterator[Kind]:
    ratio = ball(-amount).exp()
    here = (-ball(count) * (1 + ratio).log()).exp()
    there = here * ball(-amount * count).exp()
    for lies in range(count + 1):
        yield Kind((count - 2 * lies) * step, here, there)
        ways = ball(count - lies) / (lies + 1)
        here, there = here * ways * ratio, there * ways / ratio


def _unit(found: Mapping[Fraction, int]) -> Fraction:
    """Return a loss of which every epsilon is a whole multiple."""
    return Fraction(1, lcm(*(amount.denominator for amount in found)))


RULE = of_amounts(
    "pure optimum",
    PLANNED,
    pure_amount,
    epsilon,
    delta,
    exact=lambda uses: uses.only(Pure),
    quick=lambda uses: uses.only(Pure, PureRange),  # others have a sharper reading than this
)
