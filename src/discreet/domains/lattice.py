"""Several whole numbers at once, near the true ones: discrete Laplace noise on the lattice, or a law on a box of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import floor, prod
from typing import Any

from discreet.balls import Ball
from discreet.domains.base import Domain
from discreet.domains.corner import promised
from discreet.domains.settings import steepest
from discreet.errors import SettingError
from discreet.exact import unwritable, whole
from discreet.guarantees import Guarantee, Pure
from discreet.points import MOST_POINTS
from discreet.readings import largest
from discreet.sampling.coins import Coins
from discreet.sampling.geometric import two_sided
from discreet.sampling.lines import MOST_LISTED, LogLinear, around
from discreet.scores.order import finite, told
from discreet.sensitivity import Neighbours


@dataclass(frozen=True, slots=True, init=False)
class LatticeLaplace:
    """Whole numbers y with chance in proportion to exp(-rate * (sum of abs(y_i - x_i))) around the true ones x.

    >>> from discreet.guarantees import Pure
    >>> LatticeLaplace(dimension=3, sensitivity=2).calibrate(Pure(1))
    Fraction(1, 2)

    ``sensitivity`` is how far one person moves x at the most, as the sum over all its numbers, under the relation
    meant. A shift of the lattice maps every law to every other, so the sum of weights is the same for all data, and the
    log of the odds is at most rate * sensitivity: pure, without a factor 2. For a sensitivity of 1 that is all that can
    be said: only the losses rate and -rate occur, which is randomised response. So no Laplace pair of that size holds.

    What is no number counts as 0, and what is not whole is rounded down: the sensitivity is that of what is read.
    """

    dimension: int
    sensitivity: int

    def __init__(self, dimension: int, sensitivity: int = 1) -> None:
        object.__setattr__(self, "dimension", whole(dimension, "dimension"))
        object.__setattr__(self, "sensitivity", whole(sensitivity, "sensitivity"))

    def promise(self, rate: Fraction, neighbours: Neighbours = "add-remove") -> Guarantee:  # noqa: ARG002 - one for both
        """Return the pure epsilon rate * sensitivity."""
        return Pure(rate * self.sensitivity)

    def calibrate(self, target: Guarantee, neighbours: Neighbours = "add-remove") -> Fraction:  # noqa: ARG002 - one for both
        """Return the largest rate whose promise gives the target."""
        return largest(Pure, target) / self.sensitivity

    def score(self, data: Iterable[object], neighbours: Neighbours = "add-remove") -> "Centre":
        """Read the true numbers."""
        return Centre(self, neighbours, _wholes(data, self.dimension), None)


@dataclass(frozen=True, slots=True, init=False)
class BoxLaplace:
    """The same weights on the whole numbers from 0 to ``most``, and on nothing else.

    >>> from discreet.guarantees import Pure
    >>> box = BoxLaplace(most=100, dimension=3, sensitivity=2)
    >>> round(float(box.calibrate(Pure(1))), 4)
    0.3189

    The sum of weights depends on the data here, and the epsilon is exact: see ``corner``. It lies between rate *
    sensitivity and twice that. To clamp what ``LatticeLaplace`` gives is closer to the truth for the same epsilon, with
    a pile of chance on the sides.

    Numbers are read as there, and clipped into the box.
    """

    most: int
    dimension: int
    sensitivity: int

    def __init__(self, most: int, dimension: int, sensitivity: int = 1) -> None:
        object.__setattr__(self, "most", whole(most, "most", 0, MOST_POINTS - 1))
        object.__setattr__(self, "dimension", whole(dimension, "dimension"))
        object.__setattr__(self, "sensitivity", whole(sensitivity, "sensitivity"))

    def promise(self, rate: Fraction, neighbours: Neighbours = "add-remove") -> Guarantee:  # noqa: ARG002 - one for both
        """Return the exact pure epsilon, rounded up, and the exact bounded range."""
        return promised(rate, self.most, self.sensitivity, self.dimension)

    def calibrate(self, target: Guarantee, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return the largest rate found whose promise gives the target; in a box of one point, 1."""
        return steepest(lambda rate: self.promise(rate, neighbours), target)

    def score(self, data: Iterable[object], neighbours: Neighbours = "add-remove") -> "Centre":
        """Read the true numbers."""
        inside = tuple(min(max(value, 0), self.most) for value in _wholes(data, self.dimension))
        return Centre(self, neighbours, inside, self.most)


@dataclass(frozen=True, slots=True, eq=False)
class Centre:
    """The whole numbers that noise is added to: private, and they do not print.

    >>> LatticeLaplace(dimension=2).score([12, 7])
    Centre(of LatticeLaplace(dimension=2, sensitivity=1), add-remove)
    """

    domain: Domain[Any]
    neighbours: Neighbours
    values: tuple[int, ...]
    most: int | None

    def __repr__(self) -> str:
        return f"Centre(of {self.domain}, {self.neighbours})"

    def law(self, rate: Fraction) -> "LatticeLaw":
        """Return the law of one release at this rate."""
        return LatticeLaw(self.values, self.most, rate)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LatticeLaw:
    """Independent discrete Laplace laws, one a number; with ``most``, on a box. Private: it does not print.

    >>> from discreet.sampling.coins import SystemCoins
    >>> LatticeLaw((12, 7), None, Fraction(10**6)).draw(SystemCoins())
    (12, 7)
    """

    values: tuple[int, ...]
    most: int | None
    rate: Fraction

    def __repr__(self) -> str:
        return "LatticeLaw()"

    def draw(self, coins: Coins) -> tuple[int, ...]:
        """Return whole numbers, with exactly this law."""
        if self.most is None:
            return tuple(value + two_sided(self.rate, coins) for value in self.values)
        return tuple(side.draw(coins) for side in self._sides(self.most + 1))

    def chances(self) -> Mapping[tuple[int, ...], Ball]:
        """Return every outcome and its chance; refuse where they are without end, or too many to list."""
        if self.most is None or len(self.values) * self.most > MOST_LISTED:
            raise SettingError("chances: wanted a box with few points, got a lattice with too many to list")
        if (self.most + 1) ** len(self.values) > MOST_LISTED:
            raise SettingError.of("dimension", f"a box of at most {MOST_LISTED} points to list", len(self.values))
        sides = [side.chances() for side in self._sides(self.most + 1)]
        return {
            outcome: prod(side[value] for side, value in zip(sides, outcome, strict=True))
            for outcome in product(*sides)
        }

    def _sides(self, count: int) -> list[LogLinear]:
        return [LogLinear(around(value, count), self.rate) for value in self.values]


def _wholes(data: Iterable[object], dimension: int) -> tuple[int, ...]:
    values = tuple(map(_whole, data))
    if len(values) != dimension:
        raise SettingError.of("data", f"{dimension} numbers, as the dimension says", len(values))
    return values


def _whole(value: object) -> int:
    number = told(value)
    if number is None or not finite(number) or unwritable(number):
        return 0
    return floor(number)
