"""One pair that dominates every bounded range: losses of any plan, in any order, add up as if independent.

The pair has loss density e**(x/2) / (4 sinh(b/2)) on [-b, b] under P, mirrored under Q. It is logistic noise of scale 1
on a number that differs by b, and the least pair whose profile is that of the whole class. Its operator on value
functions is above that of the class and such operators commute, so the bound holds for adaptively chosen mechanisms in
any order. It is loose where many compose (16 % in epsilon and more); its place is a delta of about 0.01 and above.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.accounting.adaptive import parameters
from discreet.accounting.grid import grid_step
from discreet.accounting.losses import Losses
from discreet.accounting.sums import Part, delta_of_sum, epsilon_of_sum
from discreet.exact import Number, chance, down, nonnegative, positive, whole

POINTS = 100
"""Grid points to a typical parameter: the excess in epsilon is about 0.01 %."""
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


def envelope_delta(sequence: Sequence[Number], at: Number, *, points: int = POINTS) -> Fraction:
    """Return an upper bound on delta at epsilon ``at`` for bounded ranges in any order, chosen adaptively or not.

    >>> round(float(envelope_delta([0.5, 1, 0.25], 0.35)), 3)
    0.151
    """
    plan, e = parameters(sequence), nonnegative(at, "at")
    return Fraction(0) if e >= sum(plan) else delta_of_sum(_parts(plan, points), down(e))


def envelope_epsilon(sequence: Sequence[Number], delta: Number, *, points: int = POINTS) -> Fraction:
    """Return an upper bound on epsilon at ``delta`` for bounded ranges in any order, chosen adaptively or not.

    >>> round(float(envelope_epsilon([1] * 10, "1e-6")), 2)
    8.12
    """
    plan, d = parameters(sequence), chance(delta, "delta")
    total = sum(plan, Fraction(0))
    found = epsilon_of_sum(_parts(plan, points), down(d)) if plan else total
    return total if found is None else min(found, total)


def _parts(plan: list[Fraction], points: int) -> list[Part]:
    step = grid_step(plan, whole(points, "points"))
    return [(envelope(b).losses(step), count) for b, count in Counter(plan).items()]
