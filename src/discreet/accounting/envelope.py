"""One pair that dominates every bounded range: losses of any plan, in any order, add up as if independent.

The pair has loss density e**(x/2) / (4 sinh(b/2)) on [-b, b] under P, mirrored under Q. It is logistic noise of scale 1
on a number that differs by b, and the least pair whose profile is that of the whole class. Its operator on value
functions is above that of the class and such operators commute, so the bound holds for adaptively chosen mechanisms in
any order. It is loose where many compose (16 % in epsilon and more); its place is a delta of about 0.01 and above.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, assert_never

from discreet.accounting.adaptive import LARGEST, parameters
from discreet.accounting.bounded_range import range_amount
from discreet.accounting.grid import grid_step
from discreet.accounting.losses import Losses
from discreet.accounting.rule import PLANNED, Rule
from discreet.accounting.sums import Part, delta_of_sum, epsilon_of_sum
from discreet.accounting.uses import Uses
from discreet.exact import Number, chance, down, nonnegative, positive, whole
from discreet.guarantees import Approx, Gdp, Guarantee, LaplacePair, Pure, PureRange, Range, Renyi, Zcdp

POINTS = 100
"""Grid points to a typical parameter: the excess in epsilon is about 0.01 %."""
MOST = 100_000
"""More mechanisms than this are left to rules that need no grid."""
DEEP = 20
"""Gaussian losses are followed this many standard deviations up, where delta is below 1e-80."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A dominating pair that is its own mirror image: its profile from 0 on, and where that ends.

    ``size`` is the parameter of a bounded range whose losses spread as much; it only chooses the grid.

    >>> envelope(1).losses(Fraction(1, 10)).span > 1
    True
    """

    profile: Callable[[float], float]
    reach: float
    size: Fraction

    def losses(self, step: Fraction) -> Losses:
        """Put the pair on a grid."""
        return Losses.of_profile(self.profile, step, self.reach)


def envelope(b: Number) -> Pair:
    """Return the pair that dominates all mechanisms of bounded range ``b``.

    >>> math.isclose(envelope(1).profile(0.0), math.tanh(0.25))
    True
    """
    size = positive(b, "b")
    top = float(size) * (1 + 2.0**-50)
    return Pair(lambda e: math.expm1((e - top) / 2) ** 2 / -math.expm1(-top) if e < top else 0.0, top, size)


def laplace(r: Number) -> Pair:
    """Return the pair of permute-and-flip and noisy max: Laplace noise of scale 1 on a number that differs by ``r``.

    >>> math.isclose(laplace(1).profile(0.0), 1 - math.exp(-0.5))
    True
    """
    size = positive(r, "r")
    top = float(size) * (1 + 2.0**-50)
    return Pair(lambda e: -math.expm1((e - top) / 2) if e < top else 0.0, top, 2 * size)


def randomised(a: Number) -> Pair:
    """Return the pair that dominates pure differential privacy: randomised response.

    >>> math.isclose(randomised(1).profile(0.0), math.tanh(0.5))
    True
    """
    size = positive(a, "a")
    top = float(size) * (1 + 2.0**-50)
    return Pair(lambda e: -math.expm1(e - top) / (1 + math.exp(-top)) if e < top else 0.0, top, 2 * size)


def gaussian(mu: Number) -> Pair:
    """Return the pair of Gaussian noise of standard deviation 1 on a number that differs by ``mu``.

    >>> abs(gaussian(1).profile(0.0) - 0.38292492) < 1e-7
    True
    """
    size = positive(mu, "mu")
    scale = float(size) * (1 + 2.0**-50)

    def profile(e: float) -> float:
        here, there = e / scale - scale / 2, e / scale + scale / 2
        likely = math.erfc(here / math.sqrt(2)) / 2
        lost = math.exp(e) * math.erfc(there / math.sqrt(2)) / 2 if e < 700 else 0.0
        return likely - lost + 2.0**-46 * (1 + there * there) * likely  # the difference cancels, by no more than this

    return Pair(profile, scale * scale / 2 + DEEP * scale, 2 * size)


def envelope_delta(
    sequence: Sequence[Number], at: Number, *, others: Iterable[Pair] = (), points: int = POINTS
) -> Fraction:
    """Return an upper bound on delta at epsilon ``at`` for bounded ranges, with ``others``, in any order.

    >>> round(float(envelope_delta([0.5, 1, 0.25], 0.35)), 3)
    0.151
    """
    plan, rest, e = parameters(sequence), list(others), nonnegative(at, "at")
    if not rest and e >= sum(plan):
        return Fraction(0)
    return delta_of_sum(_parts(plan, rest, points), down(e))


def envelope_epsilon(
    sequence: Sequence[Number], delta: Number, *, others: Iterable[Pair] = (), points: int = POINTS
) -> Fraction | None:
    """Return an upper bound on epsilon at ``delta``, or None where ``others`` surely exceed such a delta.

    >>> round(float(envelope_epsilon([1] * 10, "1e-6")), 2)
    8.12
    """
    plan, rest, d = parameters(sequence), list(others), chance(delta, "delta")
    found = epsilon_of_sum(_parts(plan, rest, points), down(d)) if plan or rest else Fraction(0)
    return found if found is None or rest else min(found, sum(plan, Fraction(0)))


def pair_of(guarantee: Guarantee) -> Pair | None:
    """Return a pair that dominates all mechanisms with this guarantee, in any order; None where none is known.

    >>> pair_of(Zcdp(1)) is None
    True
    """
    match guarantee:
        case Range(epsilon=b):
            return envelope(b)
        case PureRange(pure=a, range=b):
            return randomised(a) if b == 2 * a else envelope(b)
        case LaplacePair(epsilon=r):
            return laplace(r)
        case Pure(epsilon=a):
            return randomised(a)
        case Gdp(mu=mu):
            return gaussian(mu)
        case Zcdp() | Renyi() | Approx():
            return None
        case _:
            assert_never(guarantee)


class Split(NamedTuple):
    """Bounded ranges in their order of execution, and the pairs of all else.

    >>> split(Uses.of([Range(1), Pure(1), Range(2)], "fixed")).ranges
    [Fraction(1, 1), Fraction(2, 1)]
    """

    ranges: list[Fraction]
    others: list[Pair]


def split(uses: Uses) -> Split | None:
    """Take uses apart; None if one has no pair, or if they are too many or too large to be followed on a grid.

    >>> split(Uses.of([Zcdp(1)], "fixed")) is None
    True
    """
    found = Split([], [])
    for guarantee, count in uses.runs:
        pair, b = pair_of(guarantee), range_amount(guarantee)
        if pair is None or pair.size > LARGEST or uses.total > MOST:
            return None
        if b is None:
            found.others.extend([pair] * count)
        else:
            found.ranges.extend([b] * count)
    return found


def _parts(plan: list[Fraction], others: list[Pair], points: int) -> list[Part]:
    step = grid_step([*plan, *(pair.size for pair in others)], whole(points, "points"))
    pairs = [(envelope(b), count) for b, count in Counter(plan).items()] + list(Counter(others).items())
    return [(pair.losses(step), count) for pair, count in pairs]


def _rule_epsilon(uses: Uses, delta: Fraction) -> Fraction | None:
    apart = split(uses)
    return None if apart is None else envelope_epsilon(apart.ranges, delta, others=apart.others)


def _rule_delta(uses: Uses, at: Fraction) -> Fraction | None:
    apart = split(uses)
    return None if apart is None else envelope_delta(apart.ranges, at, others=apart.others)


RULE = Rule(
    "envelope",
    PLANNED,
    _rule_epsilon,
    _rule_delta,
    quick=lambda uses: not uses.ordered or uses.total == 1,  # in a known order blocks are sharper
)
