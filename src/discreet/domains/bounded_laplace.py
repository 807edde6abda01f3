"""A number near the true one, never outside public bounds: a Laplace law on the grid between them, or a clamped one."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from discreet.balls import Ball, ball
from discreet.domains.base import Domain
from discreet.domains.corner import promised
from discreet.domains.line import OnLine
from discreet.domains.settings import next_to, steepest, within
from discreet.errors import SettingError
from discreet.exact import Number, plain, positive
from discreet.guarantees import Guarantee, Pure
from discreet.points import Points, bounded
from discreet.readings import largest
from discreet.sampling.coins import Coins
from discreet.sampling.geometric import two_sided
from discreet.sampling.lines import MOST_LISTED, around
from discreet.sensitivity import Neighbours


@dataclass(frozen=True, slots=True, init=False, repr=False)
class _Near:
    """The settings of both: a grid between bounds, and how far one person moves the true number."""

    points: Points
    sensitivity: Fraction

    def __init__(self, bounds: Sequence[Number], step: Number, sensitivity: Number) -> None:
        object.__setattr__(self, "points", bounded(bounds, step))
        object.__setattr__(self, "sensitivity", positive(sensitivity, "sensitivity"))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({within(self.points)}, sensitivity={plain(self.sensitivity)})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class BoundedLaplace(_Near):
    """A point y of a grid from low to high, with weight exp(-rate * abs(y - x)) around the true number x.

    >>> from discreet.guarantees import Pure
    >>> near = BoundedLaplace(bounds=(0, 10), step="0.001", sensitivity=1)
    >>> near, round(float(near.calibrate(Pure(1))), 3)
    (BoundedLaplace(0 to 10 in steps of 0.001, sensitivity=1), 0.621)

    ``sensitivity`` is how far one person moves x at the most, under the relation meant. x is rounded to the point next
    to it, so it moves by at most ceil(sensitivity / step) steps; what lies outside the bounds counts as the nearer one,
    and what is no number as the lowest point. For points the epsilon is exact: see ``corner``. It lies between rate *
    sensitivity and twice that, and the bounded range is twice that.

    Where a pile of chance at the two bounds does no harm, ``ClampedLaplace`` is better: its rate is epsilon over the
    sensitivity, here 1 and not 0.621.
    """

    def promise(self, rate: Fraction, neighbours: Neighbours = "add-remove") -> Guarantee:  # noqa: ARG002 - one for both
        """Return the exact pure epsilon, rounded up, and the exact bounded range."""
        step = self.points.step
        return promised(rate * step, self.points.size - 1, math.ceil(self.sensitivity / step))

    def calibrate(self, target: Guarantee, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return the largest rate found whose promise gives the target; where there is one point alone, 1."""
        return steepest(lambda rate: self.promise(rate, neighbours), target)

    def score(self, data: object, neighbours: Neighbours = "add-remove") -> OnLine:
        """Read the true number."""
        lines = around(next_to(data, self.points), self.points.size)
        return OnLine(self, neighbours, self.points, lines, self.points.step)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ClampedLaplace(_Near):
    """A point of a grid from low to high: the true number plus discrete Laplace noise, and the nearer end if outside.

    >>> from discreet.guarantees import Pure
    >>> near = ClampedLaplace(bounds=(0, 10), step="0.001", sensitivity=1)
    >>> near, near.calibrate(Pure(1))
    (ClampedLaplace(0 to 10 in steps of 0.001, sensitivity=1), Fraction(1, 1))

    The noise is k steps with chance in proportion to exp(-rate * step * abs(k)). The weights add up to the same for any
    number, so the epsilon is rate * sensitivity; and clamping is done after the noise, on what may already be known.
    ``sensitivity`` and the true number are read as by ``BoundedLaplace``; a sensitivity that is no whole number of
    steps is rounded up to one.
    """

    @property
    def moved(self) -> Fraction:
        """How far one person moves the number once it is rounded to the grid; 0 where there is one point alone."""
        return min(math.ceil(self.sensitivity / self.points.step), self.points.size - 1) * self.points.step

    def promise(self, rate: Fraction, neighbours: Neighbours = "add-remove") -> Guarantee:  # noqa: ARG002 - one for both
        """Return the pure epsilon rate * sensitivity, or rate * width where that is less."""
        return Pure(rate * self.moved)

    def calibrate(self, target: Guarantee, neighbours: Neighbours = "add-remove") -> Fraction:  # noqa: ARG002 - one for both
        """Return the largest rate whose promise gives the target; where there is one point alone, 1."""
        return largest(Pure, target) / self.moved if self.moved else Fraction(1)

    def score(self, data: object, neighbours: Neighbours = "add-remove") -> "Clamped":
        """Read the true number."""
        return Clamped(self, neighbours, self.points, next_to(data, self.points))


@dataclass(frozen=True, slots=True, eq=False)
class Clamped:
    """A number that noise is added to: private, and it does not print.

    >>> ClampedLaplace((0, 10), 1, 1).score(7)
    Clamped(of ClampedLaplace(0 to 10 in steps of 1, sensitivity=1), add-remove)
    """

    domain: Domain[Any]
    neighbours: Neighbours
    points: Points
    centre: int

    def __repr__(self) -> str:
        return f"Clamped(of {self.domain}, {self.neighbours})"

    def law(self, rate: Fraction) -> "ClampedLaw":
        """Return the law of one release at this rate."""
        return ClampedLaw(self.points, self.centre, rate * self.points.step)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClampedLaw:
    """A point plus discrete Laplace noise, clamped: private, and it does not print.

    >>> from discreet.sampling.coins import SystemCoins
    >>> ClampedLaw(Points.between(0, 9), 7, Fraction(10**6)).draw(SystemCoins())
    7
    """

    points: Points
    centre: int
    fall: Fraction

    def __repr__(self) -> str:
        return f"ClampedLaw({self.points})"

    def draw(self, coins: Coins) -> int | Decimal:
        """Return a point of the grid, with exactly this law."""
        return self.points[min(max(self.centre + two_sided(self.fall, coins), 0), self.points.size - 1)]

    def chances(self) -> Mapping[int | Decimal, Ball]:
        """Return every point and its chance; refuse where they are too many to list.

        The two ends gather all that lies beyond them: exp(-fall * distance) / (1 + exp(-fall)).
        """
        size = self.points.size
        if size > MOST_LISTED:
            raise SettingError.of("step", f"a grid of at most {MOST_LISTED} points to list chances", self.points.step)
        if size == 1:
            return {self.points[0]: ball(1)}
        inner = -ball(-self.fall).expm1()
        return {
            self.points[place]: ball(-self.fall * abs(place - self.centre)).exp()
            * (inner if 0 < place < size - 1 else 1)
            / (1 + ball(-self.fall).exp())
            for place in range(size)
        }
