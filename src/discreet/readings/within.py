"""The other way round: whether a guarantee gives a target, and the most of a kind that still does.

Two readings need the shape of a whole profile. A bounded range b is ``LaplacePair(b)``: its odds ratio grows by at most
exp(b), and the power of the Laplace test is never below that. A purely private mechanism is dominated by randomised
response, whose tests lie on two straight lines that meet at (1/(1 + exp(a)), 1 - 1/(1 + exp(a))); the tests of a
concave power curve contain all of them as soon as they contain that point.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import assert_never

from discreet.balls import Ball, at, ball, lower
from discreet.errors import SettingError
from discreet.exact import Number, chance, plain
from discreet.guarantees import Approx, Gdp, Guarantee, LaplacePair, Pure, PureRange, Range, Renyi, Zcdp
from discreet.readings.curves import divergence, reach
from discreet.readings.kinds import BITS, as_pure, as_range, as_zcdp
from discreet.readings.profiles import delta_at

REACH = 4096
"""Roots are sought from 2**-4096 to 2**4096."""
STEPS = 60
HUGE, STEEP = 10**6, Fraction(4000)
"""The point of randomised response is not compared for a pure epsilon above the first, nor a mu above the second."""


def as_approx(guarantee: Guarantee, delta: Number) -> Approx:
    """Read a guarantee as (epsilon, delta)-differential privacy with the least epsilon found, rounded up.

    >>> float(as_approx(Zcdp("1/8"), "1e-6").epsilon) < 0.125 + 2 * (0.125 * 13.8156) ** 0.5
    True
    """
    d = chance(delta, "delta")
    if delta_at(guarantee, 0) <= d:
        return Approx(0, d)
    if isinstance(guarantee, Approx) and guarantee.delta > d:
        raise SettingError.of("delta", f"at least {plain(guarantee.delta)}, which no epsilon takes away", delta)
    return Approx(edge(lambda e: delta_at(guarantee, e) > d)[1], d)


def implies(guarantee: Guarantee, target: Guarantee) -> bool:  # noqa: C901, PLR0911 - one case a guarantee
    """Return whether the guarantee surely gives the target, by the readings of this room.

    >>> implies(Range(1), Pure(1)), implies(Pure(1), Range(1)), implies(Range(1), LaplacePair(1))
    (True, False, True)
    """
    match target:
        case Pure(epsilon=epsilon):
            pure = as_pure(guarantee)
            return pure is not None and pure.epsilon <= epsilon
        case Range(epsilon=epsilon):
            bounded = as_range(guarantee)
            return bounded is not None and bounded.epsilon <= epsilon
        case PureRange(pure=a, range=b):
            return implies(guarantee, Pure(a)) and implies(guarantee, Range(b))
        case LaplacePair(epsilon=r):
            if isinstance(guarantee, LaplacePair):
                return guarantee.epsilon <= r
            return implies(guarantee, Range(r)) or _point_within(guarantee, lambda a: 2 * ball(r / 2).exp() - 1 - a)
        case Gdp(mu=mu):
            if isinstance(guarantee, Gdp):
                return guarantee.mu <= mu
            half = min(mu, STEEP) / 2
            return _point_within(guarantee, lambda a: 2 / (ball(half) / ball(2).sqrt()).erfc() - 1 - a)
        case Zcdp(rho=rho):
            zcdp = as_zcdp(guarantee)
            return zcdp is not None and zcdp.rho <= rho
        case Renyi(points=points):
            known = not isinstance(guarantee, Approx) and points[-1][0] <= reach(guarantee)
            return known and all(divergence(guarantee, order) <= amount for order, amount in points)
        case Approx(epsilon=epsilon, delta=delta):
            return delta_at(guarantee, epsilon) <= delta
        case _:
            assert_never(target)


def largest(kind: Callable[[Fraction], Guarantee], target: Guarantee) -> Fraction:
    """Return the largest x found such that ``kind(x)`` surely gives the target.

    ``kind`` is a family of purely private guarantees that grow in proportion to x, such as ``Range``.

    >>> largest(Pure, Range(1)), largest(LaplacePair, Pure(1)), float(largest(Range, Zcdp("1/8"))) > 1
    (Fraction(1, 2), Fraction(1, 1), True)
    """
    one = kind(Fraction(1))
    pure, bounded = as_pure(one), as_range(one)
    assert pure is not None  # noqa: S101 - for the type checkers: the kinds are purely private
    assert bounded is not None  # noqa: S101
    match target:
        case Pure(epsilon=epsilon):
            return epsilon / pure.epsilon
        case Range(epsilon=epsilon):
            return epsilon / bounded.epsilon
        case PureRange(pure=a, range=b):
            return min(a / pure.epsilon, b / bounded.epsilon)
        case LaplacePair(epsilon=r) if isinstance(one, LaplacePair | Range):
            return r / one.epsilon
        case _:
            return edge(lambda x: implies(kind(x), target))[0]


def edge(holds: Callable[[Fraction], bool]) -> tuple[Fraction, Fraction]:
    """Return two positive numbers, a hair apart, such that ``holds`` is true at the first and false at the second.

    ``holds`` must be true near 0 and false from some point on. However early the search stopped, both ends have been
    tried, so a caller who takes the end on the private side is never wrong.

    >>> [float(end) for end in edge(lambda x: x * x <= 2)]
    [1.4142135623730951, 1.4142135623730951]
    """
    power, too_high = -REACH, REACH
    if not holds(Fraction(1, 2**REACH)) or holds(Fraction(2**REACH)):
        raise SettingError("guarantee: wanted one met by an epsilon between 2**-4096 and 2**4096, got one that is not")
    while too_high - power > 1:
        middle = (power + too_high) // 2
        power, too_high = (middle, too_high) if holds(Fraction(2) ** middle) else (power, middle)
    low, high = Fraction(2) ** power, Fraction(2) ** too_high
    for _ in range(STEPS):
        between = (low + high) / 2
        low, high = (between, high) if holds(between) else (low, between)
    return low, high


def _point_within(guarantee: Guarantee, room: Callable[[Ball], Ball]) -> bool:
    """Return whether the point of randomised response is surely inside; ``room`` is what is left for exp(a)."""
    pure = as_pure(guarantee)
    if pure is None or pure.epsilon > HUGE:
        return False
    return lower(at(BITS, lambda: room(ball(pure.epsilon).exp()))) >= 0
