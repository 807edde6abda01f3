"""One step of the recursion for a bounded range, on a grid of s = ln y, rounded to one side for certain.

Let u = e**t. Between two neighbouring points V is at most its chord in y, so on a stretch of t where both successors
stay between fixed grid points the objective is A - B u - C/u. With F0, F1 its values at the ends of the stretch it is

    (1-v) F0 + v F1 + C (u-u0)(u1-u)/(u u0 u1)  <=  (1-v) F0 + v F1 + K v (1-v),    v = (u-u0)/(u1-u0),

whose maximum is max(F0, F1) + max(0, K - |F1-F0|)**2 / (4 K). Nothing cancels but K, whose error counts a quarter.

Rounding. The coefficients are certified to a relative 2**-52. All other sums are of positive numbers: those below y = 1
err by at most 4 units of 2**-53, interpolated ones by 4 more, F0 and F1 by 12, hence the bump by 13 units of the larger
of them, the sum by 31. Each step therefore multiplies its result by 1 +- 2**-47, which is 64 units. What underflows is
far below 2**-1000, which is added or taken away too. The rising values are bounds whatever the true V is: no step
relies on their being convex.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet import balls
from discreet.balls import Ball, ball

Array = npt.NDArray[np.float64]

BITS = 128
SLACK = 2.0**-47
TINY = 2.0**-1000
MOST_CELLS = 1e8
CURVED = 4.0
"""Larger parameters get no coarser grids: e**s bends too much on them."""
UNITS = 2.0**-50
"""Eight units in the last place: more than any coefficient or bump is off."""


@dataclass(frozen=True, slots=True)
class Knot:
    """A value of t that puts a successor on the grid: ``index`` whole steps, and the part of one if ``split``.

    >>> Step.of(Fraction(1), Fraction(1)).knots[0]
    Knot(index=0, split=False, stay=1.0, leave=0.0)
    """

    index: int
    split: bool
    stay: float
    leave: float


@dataclass(frozen=True, slots=True)
class Step:
    """All the coefficients one parameter needs: it is ``cells`` whole grid steps long, and a part where ``parted``.

    >>> Step.of(Fraction(1), Fraction(2, 5)).cells, Step.of(Fraction(1), Fraction(2, 5)).parted
    (2, True)
    """

    cells: int
    parted: bool
    knots: tuple[Knot, ...]
    mix: tuple[float, ...]
    bumps: tuple[tuple[float, float], tuple[float, float]]
    mirror: tuple[Array, Array]

    @classmethod
    def of(cls, b: Fraction, step: Fraction) -> "Step":
        """Prepare a parameter: at any point of the grid t runs over these knots.

        >>> [knot.index for knot in Step.of(Fraction(1), Fraction(1, 2)).knots]
        [0, 1, 2]
        """
        cells = b // step
        rest = b - cells * step
        times = [(i, split) for i in range(cells + 1) for split in ((False, True) if rest else (False,))]
        return balls.at(BITS, lambda: cls._prepare(b, step, rest, times))

    @classmethod
    def _prepare(cls, b: Fraction, step: Fraction, rest: Fraction, times: list[tuple[int, bool]]) -> "Step":
        cells = b // step
        knots = tuple(Knot(i, split, *_chances(b, i * step + split * rest)) for i, split in times)
        width = ball(step).expm1()
        parts = (ball(rest).expm1(), ball(step - rest).expm1())
        mix = tuple(_float(x / width) for part in parts for x in (width - part, part))
        bumps = (
            _bump(b, step, rest, ball(step), ball(-cells * step)),
            _bump(b, step, step - rest, ball(step - rest), ball((1 - cells) * step - rest)),
        )
        back = [ball(-a * step) for a in range(cells + 3, 0, -1)]
        fall, scale = (
            np.array([_float(x) for x in xs]) for xs in ([-a.expm1() for a in back], [a.exp() for a in back])
        )
        return cls(cells, bool(rest), knots, mix, bumps, (fall, scale))

    @property
    def pad(self) -> int:
        """How many grid points on either side of the asked ones are looked at."""
        return self.cells + 3

    def extended(self, values: Array, size: int, beyond: float) -> Array:
        """Continue V below y = 1 by self-duality, and beyond its last point by a constant."""
        right = np.concatenate([values, np.full(max(0, size + self.pad - len(values)), beyond)])[: size + self.pad]
        fall, scale = self.mirror
        return np.concatenate([fall + scale * right[self.pad : 0 : -1], right])


def rise(step: Step, values: Array, size: int) -> Array:
    """Return upper bounds on the next V at ``size`` points, from upper bounds on this one.

    >>> bool(rise(Step.of(Fraction(1), Fraction(1, 4)), np.zeros(1), 4)[0] >= math.tanh(0.25))
    True
    """
    x = step.extended(values, size, float(values[-1]))
    x[: step.pad] *= 1 + UNITS
    after, before = _moved(x, step)
    bumps = [_bumps(x, step, split) for split in (False, True)]
    best, last, last_knot = np.zeros(size), np.zeros(size), None
    for knot in step.knots:
        low, high = (before, x) if knot.split else (x, after)
        i = step.pad - knot.index
        now = knot.stay * low[i : i + size]
        now += knot.leave * high[i + step.cells : i + step.cells + size]
        if last_knot is not None:
            four_k = bumps[last_knot.split or not step.parted][step.pad - last_knot.index - 1 :][:size]
            np.maximum(best, _summit(last, now, four_k), out=best)
        last, last_knot = now, knot
    return best * (1 + SLACK) + TINY


def sink(step: Step, values: Array, size: int) -> Array:
    """Return lower bounds on the next V at ``size`` points: the adversary keeps to the grid, and to whole steps.

    >>> bool(sink(Step.of(Fraction(1), Fraction(1, 4)), np.zeros(1), 4)[0] <= math.tanh(0.25))
    True
    """
    x = step.extended(values, size, 0.0)
    best = np.zeros(size)
    for knot in step.knots:
        i = step.pad - knot.index
        now = knot.stay * x[i : i + size]
        now += knot.leave * x[i + step.cells : i + step.cells + size]
        np.maximum(best, now, out=best)
    return np.maximum(best * (1 - SLACK) - TINY, 0.0)


def grid_step(plan: Sequence[Fraction], points: int) -> Fraction:
    """Return a step fitting a plan: a divisor of all its parameters if that is not much finer than ``points`` asks.

    >>> grid_step([Fraction(1), Fraction(1, 4)], 8)
    Fraction(1, 16)
    """
    wanted = Fraction(min(_coarse(plan), max(_fine(plan), _affordable(plan) * points)) / points)
    scale = math.lcm(*(b.denominator for b in plan))
    common = Fraction(math.gcd(*(b.numerator * (scale // b.denominator) for b in plan)), scale)
    if 2 * common >= wanted:
        return common / math.ceil(common / wanted)
    return wanted


def _coarse(plan: Sequence[Fraction]) -> float:
    """The mean parameter, weighted by itself: the small ones of an uneven plan are then below the step."""
    return float(sum(b * b for b in plan) / sum(plan))


def _fine(plan: Sequence[Fraction]) -> float:
    return min(CURVED, float(sum(plan) / len(plan)))


def _affordable(plan: Sequence[Fraction]) -> float:
    """The step at which an uneven plan costs about a second."""
    total, variance = float(sum(plan)), float(sum(b * b for b in plan)) / 4
    return math.sqrt(total * min(total, variance / 2 + 10 * math.sqrt(variance)) / MOST_CELLS)


def _chances(b: Fraction, t: Fraction) -> tuple[float, float]:
    over = ball(-b).expm1()
    return _float(ball(t - b).expm1() / over), _float(ball(t - b).exp() * ball(-t).expm1() / over)


def _bump(b: Fraction, step: Fraction, width: Fraction, low: Ball, high: Ball) -> tuple[float, float]:
    """Return the two factors that make 4 K of the drops of V on the cells of the two successors."""
    scale = 4 * ball(width).expm1() ** 2 * ball(-width).exp() / (-ball(-b).expm1() * ball(step).expm1())
    return _float(scale * low.exp()) * (1 + UNITS), _float(scale * high.exp()) * (1 - UNITS)


def _bumps(x: Array, step: Step, split: bool) -> Array:  # noqa: FBT001 - it says which of two
    plus, minus = step.bumps[split]
    drop = x[:-1] - x[1:]
    shift = step.cells + (not split)
    found = plus * drop
    found[: len(drop) - shift] -= minus * drop[shift:]
    return np.maximum(found, TINY)


def _moved(x: Array, step: Step) -> tuple[Array, Array]:
    """Return the chord interpolant a part of a step to the right, and the same part to the left, of every point."""
    if not step.parted:
        return x, x
    after, before = x.copy(), x.copy()
    after[:-1] = step.mix[0] * x[:-1] + step.mix[1] * x[1:]
    before[1:] = step.mix[2] * x[:-1] + step.mix[3] * x[1:]
    return after, before


def _summit(left: Array, right: Array, four_k: Array) -> Array:
    room = four_k / 4
    room -= np.abs(right - left)
    np.maximum(room, 0.0, out=room)
    room *= room / four_k
    room += np.maximum(left, right)
    return room


def _float(value: Ball) -> float:
    return float(value.mid())
