"""The point of a box with the least total loss, where nobody counts for more than their share."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.domains.axes import FAR, Axes, Bounds
from discreet.domains.box import OnBox, called, held
from discreet.domains.hills import Concave, Halved
from discreet.errors import GuardError, SettingError
from discreet.exact import Number, flag, plain, positive
from discreet.guarantees import Guarantee, Range
from discreet.readings import largest
from discreet.sampling.envelope import Hill, Place
from discreet.sensitivity import Neighbours

Loss: TypeAlias = Callable[[Any, Any], Any]
"""Takes all people and a point, and returns a number for each of them."""

TICKS = 2**32
"""A person moves the difference of two scores by at most so many ticks; all sums are whole ticks."""
FLOAT = 2.0**-50
"""By how much of its size a number may be off, that was computed in floating point."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class LeastLoss:
    """Asks which point of a box costs the people least in all.

    >>> import numpy as np
    >>> far = lambda homes, at: np.hypot(homes[:, 0] - at[0], homes[:, 1] - at[1])
    >>> well = LeastLoss([(0, 30), (0, 40)], "0.1", far, lipschitz=1)
    >>> well, well.calibrate(Range(1))
    (LeastLoss(0 to 30 in steps of 0.1, 0 to 40 in steps of 0.1, lipschitz=1), Fraction(1, 50))

    ``loss(people, at)`` is a number for each person, of that person and the point alone; the point comes as a float, or
    as a tuple of them. ``lipschitz`` is by how much one person's loss differs at most, for each unit of distance
    between two points. With ``convex=True``, on a line, each loss falls and rises again as a convex function does. Both
    are vouched for, for every person there could be: draws rest on them, and one that meets a loss that is otherwise
    stops.

    At a point y, a person's loss counts as its difference from the loss in the middle of the box, cut to lipschitz *
    abs(y - middle) on either side, and rounded down to whole ticks. What is no number counts as 0. So whatever is
    returned, and however floats round it, a person adds at most half of lipschitz * diameter of the box to a score, up
    or down, and moves the difference of two scores by at most lipschitz * diameter: that is the gap under add-remove,
    and twice that under replace. A release at rate r has the weight exp(-r * total): a bounded range of r * gap.
    """

    axes: Axes
    loss: Loss = field(compare=False)
    lipschitz: Fraction
    convex: bool

    def __init__(
        self, bounds: Bounds, step: Number | Sequence[Number], loss: Loss, *, lipschitz: Number, convex: bool = False
    ) -> None:
        axes = Axes.of(bounds, step)
        if not callable(loss):
            raise SettingError.of("loss", "a function of all people and a point", loss)
        if flag(convex, "convex") and len(axes.lines) > 1:
            raise SettingError.of("convex", "False in more than one dimension, where it is of no use", convex)
        steep = positive(lipschitz, "lipschitz")
        if axes.diameter and not 1 / FAR < steep * axes.diameter < FAR:
            raise SettingError.of("lipschitz", "one whose product with the size of the box is a float", lipschitz)
        for name, value in zip(self.__slots__, (axes, loss, steep, convex), strict=True):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        convex = ", convex" * self.convex
        return f"LeastLoss({self.axes.told()}, lipschitz={plain(self.lipschitz)}{convex})"

    @property
    def tick(self) -> Fraction:
        """What totals are counted in: a very small part of what one person can move."""
        return self.lipschitz * self.axes.diameter / TICKS

    def gap(self, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return how far one person moves the difference of two scores; 0 where there is one point alone."""
        reach = self.lipschitz * self.axes.diameter
        return reach if neighbours == "add-remove" else 2 * reach

    def promise(self, rate: Fraction, neighbours: Neighbours = "add-remove") -> Guarantee:
        """Return the bounded range rate * gap."""
        return Range(rate * self.gap(neighbours))

    def calibrate(self, target: Guarantee, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return the largest rate whose promise gives the target; where there is one point alone, 1."""
        gap = self.gap(neighbours)
        return largest(Range, target) / gap if gap else Fraction(1)

    def score(self, data: Any, neighbours: Neighbours = "add-remove") -> OnBox:
        """Read the people: a list, an array, or whatever the loss takes, if it has a length."""
        return OnBox(self, neighbours, self.axes, partial(self._hill, held(data)), self.tick)

    def _hill(self, people: Any) -> Hill:
        total = _Total(self, people)
        if self.convex:
            return Concave(self.axes.last[0], total.score, lambda _: total.error)
        return Halved(self.axes.last, tuple(line.step for line in self.axes.lines), total.score, total.upper)


class _Total:
    """Minus the total loss, in whole ticks: private."""

    def __init__(self, domain: LeastLoss, people: Any) -> None:
        self._domain, self._people, self._axes = domain, people, domain.axes
        self._tick = domain.tick or Fraction(1)
        self._middle = tuple(Fraction(last, 2) for last in domain.axes.last)
        self._start = self._losses(self._middle)
        self.error = Fraction(self._blur())

    def score(self, place: Place) -> Fraction:
        most = min(self._ticks(self._axes.far(place, self._middle)), TICKS // 2)
        with np.errstate(all="ignore"):  # what is no number, or too large for one, is settled below
            more = np.floor((self._losses(place) - self._start) / float(self._tick))
        more = np.where(np.isnan(more), 0.0, more)
        return Fraction(-int(np.clip(more, -float(most), float(most)).astype(np.int64).sum()))

    def upper(self, low: Place, high: Place) -> Fraction:
        """Bound all scores between two corners by the one in the middle."""
        middle = tuple((one + other) // 2 for one, other in zip(low, high, strict=True))
        return self.score(middle) + len(self._people) * self._ticks(self._axes.far(middle, high)) + self.error

    def _blur(self) -> int:
        """Return by how many ticks two totals may be off: for each person one each, and what floats cannot tell apart.

        Nobody is off by more than they count, so one odd person costs a draw little.
        """
        reach = max(max(abs(line.low), abs(line.high)) for line in self._axes.lines)
        with np.errstate(all="ignore"):
            each = 2 + np.ceil(
                (float(min(self._domain.lipschitz * reach, FAR)) + np.abs(self._start)) / float(self._tick) * FLOAT
            )
        return int(np.nan_to_num(each, nan=TICKS).clip(2, TICKS).astype(np.int64).sum())

    def _ticks(self, distance: Fraction) -> int:
        """Return how many ticks a loss may differ over a distance."""
        return math.ceil(self._domain.lipschitz * distance / self._tick)

    def _losses(self, place: Sequence[int | Fraction]) -> NDArray[np.float64]:
        found = called(self._domain.loss, self._people, self._axes.at(place), name="loss")
        told: NDArray[np.float64] = called(_column, found, name="loss")
        if told.shape != (len(self._people),):
            raise GuardError("loss: wanted one number for each person, got others; nothing was released")
        return told


def _column(found: Any) -> NDArray[np.float64]:
    return np.asarray(found, dtype=np.float64)
