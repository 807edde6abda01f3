"""A public grid in one to three dimensions: a box between public bounds, in steps, that is never written out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from discreet.domains.settings import within
from discreet.errors import SettingError
from discreet.exact import Number
from discreet.points import Points, bounded
from discreet.sampling.envelope import Place

At: TypeAlias = float | tuple[float, ...]
"""A point of the box as functions get it: the nearest float, or several."""
Spot: TypeAlias = int | Decimal | tuple[int | Decimal, ...]
"""A point of the box as it is released: exactly."""
Bounds: TypeAlias = Sequence[Number] | Sequence[Sequence[Number]]

MOST_AXES = 3
FAR = Fraction(2**900)
"""Bounds lie below this: points are given to functions as floats."""
FINE = 2**64
"""Lengths are rounded up to this share of a unit."""


@dataclass(frozen=True, slots=True, repr=False)
class Axes:
    """A box of points: bounds of one line, or of up to three.

    >>> field = Axes.of([(0, 2), (0, 1)], "0.5")
    >>> field, field.size, field.at((1, 2)), field.spot((1, 2))
    (Axes(0 to 2 in steps of 0.5, 0 to 1 in steps of 0.5), 15, (0.5, 1.0), (Decimal('0.5'), Decimal('1.0')))
    """

    lines: tuple[Points, ...]
    alone: bool
    """Whether points are numbers, and not tuples of them."""

    @classmethod
    def of(cls, bounds: Bounds, step: Number | Sequence[Number]) -> "Axes":
        """Read bounds, (low, high) or up to three of them, and a step, or one for each."""
        given: Any = [] if isinstance(bounds, str) or not hasattr(bounds, "__len__") else list(bounds)
        several = bool(given) and all(hasattr(one, "__len__") and not isinstance(one, str) for one in given)
        pairs: list[Any] = given if several else [bounds]
        if len(pairs) > MOST_AXES:
            raise SettingError.of("bounds", f"bounds of at most {MOST_AXES} numbers", bounds)
        single = isinstance(step, str) or not hasattr(step, "__len__")
        steps: list[Any] = [step] * len(pairs) if single else list(step)  # type: ignore[arg-type]
        if len(steps) != len(pairs):
            raise SettingError.of("step", "one step, or as many as bounds", step)
        lines = tuple(bounded(pair, stride) for pair, stride in zip(pairs, steps, strict=True))
        if any(max(abs(line.low), abs(line.high)) >= FAR for line in lines):
            raise SettingError.of("bounds", "bounds that are floats, below 2**900 in size", bounds)
        return cls(lines, not several)

    def __repr__(self) -> str:
        return f"Axes({self.told()})"

    def told(self) -> str:
        """Write the box for a repr."""
        return ", ".join(map(within, self.lines))

    @property
    def size(self) -> int:
        """How many points the box has."""
        return math.prod(line.size for line in self.lines)

    @property
    def last(self) -> Place:
        """The place of the last point, counted from 0 along each line."""
        return tuple(line.size - 1 for line in self.lines)

    @property
    def diameter(self) -> Fraction:
        """The distance between two opposite corners, rounded up."""
        return self.far((0,) * len(self.lines), self.last)

    def at(self, place: Sequence[int | Fraction]) -> At:
        """Return a point as functions get it."""
        found = tuple(float(line.low + step * line.step) for line, step in zip(self.lines, place, strict=True))
        return found[0] if self.alone else found

    @property
    def blur(self) -> Fraction:
        """By how far a point may be from the one that functions get; along all lines together."""
        return sum((max(abs(line.low), abs(line.high)) / 2**52 for line in self.lines), Fraction(0))

    def spot(self, place: Place) -> Spot:
        """Return a point as it is released."""
        found = tuple(line[step] for line, step in zip(self.lines, place, strict=True))
        return found[0] if self.alone else found

    def far(self, one: Sequence[int | Fraction], other: Sequence[int | Fraction]) -> Fraction:
        """Return the distance of two places, which may lie between points; rounded up, and exact on a line.

        >>> Axes.of([(0, 3), (0, 4)], 1).far((0, 0), (3, 4)), Axes.of((0, 1), "0.1").far((0,), (3,))
        (Fraction(5, 1), Fraction(3, 10))
        """
        gaps = [line.step * abs(Fraction(a) - b) for line, a, b in zip(self.lines, one, other, strict=True)]
        return gaps[0] if len(gaps) == 1 else _root(sum((gap * gap for gap in gaps), Fraction(0)))


def _root(square: Fraction) -> Fraction:
    """Return a square root, rounded up."""
    scaled = -(-square.numerator * FINE**2 // square.denominator)
    root = math.isqrt(scaled)
    return Fraction(root + (root * root < scaled), FINE)
