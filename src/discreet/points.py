"""A public grid of numbers that is never written out: low, low + step, and so on, up to 2**62 of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, overload

from discreet.errors import SettingError
from discreet.exact import Number, number, plain, positive

MOST_POINTS = 2**62


@dataclass(frozen=True, slots=True, repr=False)
class Points(Sequence[int | Decimal]):
    """Numbers of a public grid, as whole numbers or decimals.

    >>> prices = Points.between(0, 2, "0.5")
    >>> prices, len(prices), prices[3], Decimal("1.5") in prices, prices.index(1)
    (Points(0 to 2 in steps of 0.5), 5, Decimal('1.5'), True, 2)
    """

    low: Fraction
    step: Fraction
    size: int

    @classmethod
    def between(cls, low: Number, high: Number, step: Number = 1, name: str = "bounds") -> "Points":
        """Read public bounds and a step; the bounds are points, all of them decimals."""
        first, last, stride = number(low, name), number(high, name), positive(step, "step")
        if last < first or (last - first) % stride:
            wanted = f"a highest number that is {plain(first)} plus a few steps of {plain(stride)}"
            raise SettingError.of(name, wanted, high)
        size = (last - first) // stride + 1
        if size > MOST_POINTS:
            raise SettingError.of("step", "a grid of at most 2**62 points", step, "take a larger step")
        if _digits(first) is None or _digits(stride) is None:
            raise SettingError.of(name, "decimals, such as 0.25", low if _digits(first) is None else step)
        return cls(first, stride, size)

    @property
    def high(self) -> Fraction:
        """The last point."""
        return self.low + (self.size - 1) * self.step

    def number(self, place: int) -> Fraction:
        """Return a point exactly.

        >>> Points.between(0, 1, "0.1").number(3)
        Fraction(3, 10)
        """
        return self.low + place * self.step

    def index(self, value: object, start: int = 0, stop: int | None = None) -> int:
        """Return where a number stands in the grid."""
        place = self._place(value)
        if place is None or not start <= place < (self.size if stop is None else stop):
            raise ValueError("the number is no point of this grid")
        return place

    def __contains__(self, value: object) -> bool:
        return self._place(value) is not None

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, place: int) -> int | Decimal: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[int | Decimal, ...]: ...
    def __getitem__(self, place: int | slice) -> int | Decimal | tuple[int | Decimal, ...]:
        """Return a point as a whole number, or as a decimal where the grid has any."""
        if isinstance(place, slice):
            return tuple(self[one] for one in range(*place.indices(self.size)))
        at = place + self.size if place < 0 else place
        if not 0 <= at < self.size:
            raise IndexError("no such point")
        return self._written(self.number(at))

    def __repr__(self) -> str:
        return f"Points({plain(self.low)} to {plain(self.high)} in steps of {plain(self.step)})"

    def _written(self, value: Fraction) -> int | Decimal:
        digits = max(_digits(self.low) or 0, _digits(self.step) or 0)
        if digits == 0:
            return int(value)
        scaled = int(value * 10**digits)
        return Decimal((int(scaled < 0), tuple(map(int, str(abs(scaled)))), -digits))

    def _place(self, value: object) -> int | None:
        try:
            place = (number(value) - self.low) / self.step
        except SettingError:
            return None
        return int(place) if place.denominator == 1 and 0 <= place < self.size else None


def bounded(bounds: Sequence[Number], step: Number) -> Points:
    """Read two public bounds and a step.

    >>> bounded((0, 1), "0.25")
    Points(0 to 1 in steps of 0.25)
    """
    ends: list[Any] = [] if isinstance(bounds, str) or not hasattr(bounds, "__len__") else list(bounds)
    if len(ends) != 2:
        raise SettingError.of("bounds", "two public numbers, the lowest and the highest", bounds)
    return Points.between(ends[0], ends[1], step)


def _digits(value: Fraction) -> int | None:
    """Return how many decimals write a number out; None if none do."""
    rest, digits = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        digits = max(digits, power)
    return digits if rest == 1 else None
