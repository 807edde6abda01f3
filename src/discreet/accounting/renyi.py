"""Composition by Renyi divergence: curves over the order add up, and the best order gives delta or epsilon.

Proved, for fixed parameters and adaptive mechanisms in any order. For parameters chosen on the way it holds only at
an order fixed beforehand: see ``filters``. The curves, and how they are read, are in ``readings.curves``.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeGuard

from discreet.accounting.rule import PLANNED, Rule
from discreet.balls import Ball, ball
from discreet.exact import Number, chance, nonnegative
from discreet.guarantees import Guarantee
from discreet.readings import as_pure, curves, divergence
from discreet.readings.curves import CURVED, curve, delta_of, epsilon_of

Uses = Mapping[Guarantee, int]
"""Guarantees and how often each occurs; the order does not matter here."""


def divergence_of(uses: Uses, order: Number) -> Fraction:
    """Return the sum of the Renyi divergences at an order above 1, rounded up.

    >>> from discreet.guarantees import Range
    >>> divergence_of({Range(1): 100}, 2) < 100 * Fraction(1, 4)
    True
    """
    return sum((divergence(guarantee, order) * count for guarantee, count in uses.items() if count), Fraction(0))


def delta(uses: Uses, at: Number) -> Fraction | None:
    """Return a delta, rounded up, of all uses together at epsilon ``at``; None if one of them has no curve.

    >>> from discreet.guarantees import Range
    >>> round(float(delta({Range("0.1"): 100}, 1)), 6)
    0.017812
    """
    e, most = nonnegative(at, "epsilon"), _sum_of_pure(uses)
    if most is not None and e >= most:
        return Fraction(0)
    return delta_of(lambda x: _sum(uses, x), e, _reach(uses)) if _curved(uses) else None


def epsilon(uses: Uses, delta: Number) -> Fraction | None:
    """Return an epsilon, rounded up, of all uses together at a delta; None if one of them has no curve.

    >>> from discreet.guarantees import Range
    >>> round(float(epsilon({Range("0.1"): 100}, "1e-6")), 4)
    2.4002
    """
    d, most = chance(delta, "delta"), _sum_of_pure(uses)
    if most == 0:
        return Fraction(0)
    found = epsilon_of(lambda x: _sum(uses, x), d, _reach(uses)) if _curved(uses) else None
    return min((bound for bound in (found, most) if bound is not None), default=None)


def _curved(uses: Uses) -> TypeGuard[Mapping[CURVED, int]]:
    return all(isinstance(guarantee, CURVED) for guarantee, count in uses.items() if count)


def _sum_of_pure(uses: Uses) -> Fraction | None:
    pures = [(as_pure(guarantee), count) for guarantee, count in uses.items() if count]
    known = [pure.epsilon * count for pure, count in pures if pure is not None]
    return sum(known, Fraction(0)) if len(known) == len(pures) else None


def _reach(uses: Mapping[CURVED, int]) -> Fraction:
    return min(curves.reach(guarantee) for guarantee, count in uses.items() if count)


def _sum(uses: Mapping[CURVED, int], x: Fraction) -> Ball:
    return sum((curve(guarantee, x) * count for guarantee, count in uses.items() if count), ball(0))


RULE = Rule("renyi", PLANNED, lambda uses, d: epsilon(uses.counted(), d), lambda uses, e: delta(uses.counted(), e))
