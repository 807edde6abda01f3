"""Distance: which public number is nearest to a statistic of the data."""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

from discreet.counts import Labels
from discreet.errors import SettingError
from discreet.exact import Number, flag, plain, positive
from discreet.scores.base import Scores, Values, numbers, whole_numbers
from discreet.scores.order import Comparable, comparable, finite
from discreet.sensitivity import Neighbours, Sensitivity

Statistic: TypeAlias = Callable[[Sequence[Any]], object]
"""A number computed from all the people; how far one person moves it is vouched for by the caller."""


@dataclass(frozen=True, slots=True, init=False)
class Distance:
    """The score of a grid point y is -|y - f(people)|. Step S and gap 2S, where one person moves f by at most S.

    >>> Distance(range(100), len, sensitivity=1).score(["ann", "bob"])
    Scores(100 candidates, step=1, gap=2, add-remove, by distance)

    By the triangle inequality |y - f| moves by at most S; it falls by S beyond f' and rises by S before f, so the gap
    is 2S under either relation. S is vouched for under ``neighbours``. A replacement is a removal and an addition, so
    from S under add-remove follows 2S under replace; nothing follows the other way.

    ``wrap=True`` takes whole numbers round a circle. There the sum of all weights is the same whatever f is, since
    moving f only turns the circle: the normaliser is constant and a rate of epsilon/S is epsilon-private, without
    the factor 2. So it is on the line without ends, where the law is the discrete Laplace mechanism: weights
    exp(-rate |y - f|), a two-sided geometric law, here wound round the circle. On a finite line the normaliser
    varies (f near an end loses one tail), so there the gap is what counts.

    A statistic outside the line is moved to its nearer end: this adds one constant to all scores and changes no law.
    A statistic that fails or is no number reads as the first grid point; S must hold with that rule.
    """

    name: ClassVar[str] = "distance"
    candidates: Labels
    grid: tuple[Fraction, ...]
    statistic: Statistic
    reach: Fraction
    neighbours: Neighbours
    wrap: bool

    def __init__(
        self,
        grid: Iterable[Hashable],
        statistic: Statistic,
        sensitivity: Number,
        *,
        neighbours: Neighbours = "add-remove",
        wrap: bool = False,
    ) -> None:
        names, exact = numbers(grid, "grid")
        if not callable(statistic):
            raise SettingError.of("statistic", "a function of all the people", statistic)
        reach = positive(sensitivity, "sensitivity")
        Sensitivity.of(sensitivity=reach, neighbours=neighbours)
        if flag(wrap, "wrap"):
            _round_a_circle(exact, reach)
        object.__setattr__(self, "candidates", names)
        object.__setattr__(self, "grid", exact)
        object.__setattr__(self, "statistic", statistic)
        object.__setattr__(self, "reach", reach)
        object.__setattr__(self, "neighbours", neighbours)
        object.__setattr__(self, "wrap", wrap)

    def sensitivity(self, neighbours: Neighbours = "add-remove") -> Sensitivity:
        """Return step S and gap 2S; under replace, twice both where S was vouched for under add-remove."""
        if self.neighbours == "replace" and neighbours == "add-remove":
            remedy = "a bound for replacing a person says nothing about adding one"
            raise SettingError.of("neighbours", "'replace', as vouched for", neighbours, remedy)
        step = self.reach if neighbours == self.neighbours else 2 * self.reach
        normaliser = "constant" if self.wrap else "varies"
        return Sensitivity.of(sensitivity=step, range=2 * step, neighbours=neighbours, normaliser=normaliser)

    def score(self, people: Iterable[Any], neighbours: Neighbours = "add-remove") -> Scores:
        """Score each grid point by minus its distance from the statistic of the people."""
        facts = self.sensitivity(neighbours)
        centre = _computed(self.statistic, list(people))
        values = _circle(self.grid, centre) if self.wrap else _line(self.grid, centre)
        return Scores(self.candidates, values, facts, family=self.name)


def _round_a_circle(grid: tuple[Fraction, ...], reach: Fraction) -> None:
    if any(point != grid[0] + place for place, point in enumerate(grid)) or grid[0].denominator != 1:
        raise SettingError("grid: wanted consecutive whole numbers with wrap=True, such as range(24)")
    if reach.denominator != 1:
        raise SettingError.of("sensitivity", "a whole number with wrap=True", plain(reach))


def _computed(statistic: Statistic, people: list[Any]) -> Comparable | None:
    try:
        return comparable(statistic(people))
    except Exception:  # noqa: BLE001 - whether a statistic fails depends on the data, so it may not show
        return None


def _line(grid: tuple[Fraction, ...], centre: Comparable | None) -> Values:
    low, high = min(grid), max(grid)
    clamped = grid[0] if centre is None else min(max(centre, low), high)
    inside = Fraction(clamped) if finite(clamped) else grid[0]
    scores = [-abs(point - inside) for point in grid]
    whole = all(score.denominator == 1 for score in scores)
    return whole_numbers([score.numerator for score in scores]) if whole else scores


def _circle(grid: tuple[Fraction, ...], centre: Comparable | None) -> Values:
    size, first = len(grid), grid[0].numerator
    place = 0 if centre is None or not finite(centre) else (math.floor(centre) - first) % size
    steps = ((place - other) % size for other in range(size))
    return whole_numbers([-min(step, size - step) for step in steps])
