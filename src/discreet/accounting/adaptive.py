"""Bounded-range mechanisms, each chosen after the answers before it: the true optimum, between two certified ends.

The parameters are fixed in advance (a *fixed plan*), the mechanisms are not. With y = e**e the least delta is V(y),

    V_0(y) = max(1 - y, 0),   V(y) = sup over 0 <= t <= b of  q_t V'(y e**-t) + (1 - q_t) V'(y e**(b-t)),
    q_t = (1 - e**(t-b)) / (1 - e**-b),

where V' belongs to the mechanisms after the first. Every V is convex, falls, and is self-dual:
V(1/y) = 1 - 1/y + V(y)/y. So it is enough to know it on a grid of s = ln y >= 0; `grid.py` takes one step there.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from discreet import balls
from discreet.accounting.bounded_range import range_amount
from discreet.accounting.bracket import Bracket
from discreet.accounting.grid import BITS, Array, Step, grid_step, rise, sink
from discreet.accounting.rule import PLANNED, Rule
from discreet.accounting.uses import Uses
from discreet.balls import Ball, ball
from discreet.errors import SettingError
from discreet.exact import Number, chance, nonnegative, whole

LARGEST = 1000
"""A parameter above this gains nothing from accounting: the sum is as good."""
MOST, QUICK = 1000, 300
"""Longer plans are left to blocks: always beyond the first, and unless asked for by name beyond the second."""
MOST_ORDERS = 512
POINTS = 32
"""Grid points to a typical parameter: the excess in epsilon falls with their square, and is 0.05 % at 32."""
POINTS_IN_ALL = 1024
"""Short plans get finer grids: they are cheap, and their delta ends in a corner."""
MARGIN = 5
"""The grid ends this many standard deviations beyond what is asked for."""
HALVINGS = 40


def delta_bracket(
    sequence: Sequence[Number], at: Number, *, ordered: bool = True, points: int | None = None
) -> Bracket:
    """Enclose the least delta at epsilon ``at`` for bounded ranges declared in this order of execution.

    >>> [round(float(end), 3) for end in delta_bracket([1, 1], 0)]
    [0.303, 0.303]

    With ``ordered=False`` the plan is a multiset: which parameter comes next may depend on the answers so far.
    """
    plan, e = parameters(sequence), nonnegative(at, "at")
    if e >= sum(plan):
        return Bracket(Fraction(0), Fraction(0))
    return _values(plan, e, ordered=ordered, points=points).delta(e)


def epsilon_bracket(
    sequence: Sequence[Number], delta: Number, *, ordered: bool = True, points: int | None = None
) -> Bracket:
    """Enclose the least epsilon at ``delta`` for bounded ranges declared in this order of execution.

    >>> [round(float(end), 3) for end in epsilon_bracket([1, 1], "1e-6")]
    [1.978, 1.978]
    """
    plan, d, total = parameters(sequence), chance(delta, "delta"), Fraction(0)
    if not plan:
        return Bracket(total, total)
    total = sum(plan, total)
    rho = float(sum(b * b for b in plan)) / 8
    inverse = math.log(d.denominator) - math.log(d.numerator)
    guess = min(total, Fraction(rho + 2 * math.sqrt(rho * inverse)))
    lower, upper = _values(plan, guess, ordered=ordered, points=points).epsilon(d)
    return Bracket(min(lower, total), min(upper, total))


def parameters(sequence: Sequence[Number], name: str = "sequence") -> list[Fraction]:
    """Read the parameters of a plan; zeros cost nothing and are left out.

    >>> parameters([0, "0.5"])
    [Fraction(1, 2)]
    """
    plan = [nonnegative(value, name) for value in sequence]
    if plan and max(plan) > LARGEST:
        remedy = "for such a plan the sum of the parameters is as good a bound"
        raise SettingError.of(name, f"numbers from 0 to {LARGEST}", float(max(plan)), remedy)
    return [b for b in plan if b]


def upper_values(plan: Sequence[Fraction], step: Fraction) -> Array:
    """Return upper bounds on V at y = exp(j * step) for j = 0, 1, ... up to where V is zero.

    >>> upper_values([Fraction(1)], Fraction(1, 64))[[0, 32, 64]].round(3).tolist()
    [0.245, 0.077, 0.0]
    """
    return _in_order(plan, step, rise, math.inf)


@dataclass(frozen=True, slots=True)
class _Values:
    """Both ends of V on the grid, and how to read them between its points."""

    step: Fraction
    low: Array
    high: Array

    def delta(self, e: Fraction) -> Bracket:
        j = e // self.step
        top, bottom = self._high(j), self._high(j + 1)

        def compute() -> tuple[Fraction, Fraction]:
            part = ball(e - j * self.step).expm1() / ball(self.step).expm1()
            upper = balls.upper(ball(top) - part * ball(top - bottom))
            return max(balls.lower(end) for end in self._below(j, part)), upper

        lower, upper = balls.at(BITS, compute)
        return Bracket(max(Fraction(0), lower), min(Fraction(1), upper))

    def epsilon(self, delta: Fraction) -> Bracket:
        upper = self._search(self.high, lambda e: self.delta(e).upper > delta)[1]
        lower = self._search(self.low, lambda e: self.delta(e).lower > delta)[0]
        return Bracket(lower, upper)

    def _search(self, values: Array, above: Callable[[Fraction], bool]) -> tuple[Fraction, Fraction]:
        """Return two points close together: ``above`` holds at the first (or it is 0) and not at the second."""
        if not above(Fraction(0)):
            return Fraction(0), Fraction(0)
        first, last = 0, len(values)
        while last - first > 1:
            middle = (first + last) // 2
            first, last = (middle, last) if above(middle * self.step) else (first, middle)
        low, high = first * self.step, last * self.step
        for _ in range(HALVINGS if last < len(values) else 0):
            between = (low + high) / 2
            low, high = (between, high) if above(between) else (low, between)
        return low, high if last < len(values) else Fraction(LARGEST * len(values))

    def _below(self, j: int, part: Ball) -> Iterator[Ball]:
        """Yield bounds from below between y_j and y_(j+1): a convex function is above its chords, drawn on."""
        growth = ball(self.step).exp()
        yield ball(self._low(j + 1))
        yield ball(self._low(j)) - part * growth * ball(max(Fraction(0), self._high(j - 1) - self._low(j)))
        yield ball(self._low(j + 1)) + (1 - part) / growth * ball(self._low(j + 1) - self._high(j + 2))

    def _high(self, j: int) -> Fraction:
        if j < 0:
            drop, mirrored = ball(j * self.step), ball(self._high(-j))
            return balls.upper(drop.exp() * mirrored - drop.expm1())
        return Fraction(float(self.high[min(j, len(self.high) - 1)]))

    def _low(self, j: int) -> Fraction:
        return Fraction(float(self.low[j])) if j < len(self.low) else Fraction(0)


Advance = Callable[[Step, Array, int], Array]


def _values(plan: list[Fraction], at: Fraction, *, ordered: bool, points: int | None) -> _Values:
    default = max(POINTS, POINTS_IN_ALL // len(plan))
    step = grid_step(plan, default if points is None else whole(points, "points"))
    variance = float(sum(b * b for b in plan)) / 4
    end = max(float(at), variance / 2) + MARGIN * math.sqrt(variance)
    recursion = _in_order if ordered else _in_any_order
    floors = [floor for b in plan if (floor := b // step * step)]  # legal for the adversary, who may ask for less
    return _Values(step, recursion(floors, step, sink, end), recursion(plan, step, rise, end))


def _in_order(plan: Sequence[Fraction], step: Fraction, advance: Advance, end: float) -> Array:
    steps = {b: Step.of(b, step) for b in set(plan)}
    values, spent = np.zeros(1), Fraction(0)
    for b in reversed(plan):
        spent += b
        values = _ended(advance(steps[b], values, _size(spent, step, end)), spent, step)
    return values


def _in_any_order(plan: Sequence[Fraction], step: Fraction, advance: Advance, end: float) -> Array:
    """Go through all sub-multisets of the plan; what comes next is the worst of what is left."""
    kinds, counts = zip(*sorted(Counter(plan).items()), strict=True) if plan else ((), ())
    if math.prod(count + 1 for count in counts) > MOST_ORDERS:
        wanted = f"a plan with at most {MOST_ORDERS} sub-plans"
        remedy = "declare the order, or use the envelope or Renyi bounds, which hold in any order"
        raise SettingError.of("ordered", wanted, False, remedy)  # noqa: FBT003 - it is the value that came
    steps = [Step.of(b, step) for b in kinds]
    table: dict[tuple[int, ...], Array] = {(0,) * len(kinds): np.zeros(1)}
    for state in list(product(*(range(count + 1) for count in counts)))[1:]:
        spent = sum((n * b for n, b in zip(state, kinds, strict=True)), Fraction(0))
        size = _size(spent, step, end)
        rest = [(i, (*state[:i], n - 1, *state[i + 1 :])) for i, n in enumerate(state) if n]
        worst = np.max([advance(steps[i], table[before], size) for i, before in rest], axis=0)
        table[state] = _ended(worst, spent, step)
    return table[tuple(counts)]


def _ended(values: Array, spent: Fraction, step: Fraction) -> Array:
    """Put V to zero from where it is: at the sum of the parameters; chords leak a little beyond."""
    values[-(-spent // step) :] = 0.0
    return values


def _size(spent: Fraction, step: Fraction, end: float) -> int:
    """Count the points from 0 to where V is zero, or to one beyond the end."""
    full = -(-spent // step) + 2
    return full if math.isinf(end) else min(full, math.ceil(end / step) + 4)


def _sequence(uses: Uses) -> list[Fraction] | None:
    """Return the bounded ranges in order, if there is nothing else and the recursion can go through them."""
    ranges = [(range_amount(guarantee), count) for guarantee, count in uses.runs]
    known = [(b, count) for b, count in ranges if b is not None and b <= LARGEST]
    if len(known) < len(ranges) or uses.total > MOST:
        return None
    plan = [b for b, count in known for _ in range(count)]
    return plan if _settled(plan, uses) or math.prod(n + 1 for n in Counter(plan).values()) <= MOST_ORDERS else None


def _rule_epsilon(uses: Uses, delta: Fraction) -> Fraction | None:
    plan = _sequence(uses)
    return None if plan is None else epsilon_bracket(plan, delta, ordered=_settled(plan, uses)).upper


def _rule_delta(uses: Uses, at: Fraction) -> Fraction | None:
    plan = _sequence(uses)
    return None if plan is None else delta_bracket(plan, at, ordered=_settled(plan, uses)).upper


def _settled(plan: list[Fraction], uses: Uses) -> bool:
    return uses.ordered or len(set(plan)) <= 1


RULE = Rule("adaptive optimum", PLANNED, _rule_epsilon, _rule_delta, quick=lambda uses: uses.total <= QUICK)
