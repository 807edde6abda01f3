"""The best point of a box, by any score that can be bounded from above on its parts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from discreet.domains.axes import Axes, Bounds
from discreet.domains.box import OnBox, called, held, read
from discreet.domains.hills import Concave, Halved
from discreet.errors import SettingError
from discreet.exact import Number, flag, nonnegative, plain, positive
from discreet.guarantees import Guarantee, Range
from discreet.readings import largest
from discreet.sampling.envelope import Hill, Place
from discreet.sensitivity import Neighbours, Sensitivity

Score: TypeAlias = Callable[[Any, Any], object]
"""Takes the data and a point, and returns a number."""
Upper: TypeAlias = Callable[[Any, Any, Any], object]
"""Takes the data and two corners of a part of the box, and returns a number no score between them passes."""
Steepness: TypeAlias = Number | Callable[[Any], object]
"""A number, or a function of the data: how much two scores differ at most, for each unit between their points."""

FLOATS = 16
"""With ``concave``, a step is at least so many times as long as what floats cannot tell apart."""
ROUNDING = Fraction(1, 2**40)
"""By how much of its size a score may be off, that was computed in floating point."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class BestPoint:
    """Asks which point of a box has the best score, where nobody could list the points.

    >>> hill = BestPoint(
    ...     (0, 10), "0.01", lambda people, at: -sum((x - at) ** 2 for x in people), range=100, concave=True
    ... )
    >>> hill, hill.calibrate(Range(1))
    (BestPoint(0 to 10 in steps of 0.01, range=100, concave), Fraction(1, 100))

    ``bounds`` are those of a line, or of two or three. ``score(data, at)`` is a number for each point, which comes as a
    float, or as a tuple of them; what it returns is read exactly. ``range`` is how far one person moves the difference
    of two scores, in the numbers that are returned, rounded as they are: it is vouched for, under ``neighbours``. A
    replacement is a removal and an addition, so from add-remove follows twice the range under replace; nothing follows
    the other way. A release at rate r has the weight exp(r * score), so it is a bounded range of r * range.

    The score must be bounded from above, in one of three ways, which is vouched for as the range is. A bound that is
    loose costs time and nothing else; a draw that meets a score above its bound stops.

    * ``concave=True``: on a line, the score rises less and less.
    * ``lipschitz=``: by how much two scores differ at most, for each unit of distance between their points. It is a
      number, or a function of the data.
    * ``upper=``: ``upper(data, low, high)`` is at least every score between two corners.

    ``LeastLoss`` asks less of you, where a score is a sum over people: it proves the range from the bound.
    """

    axes: Axes
    function: Score
    reach: Fraction
    relation: Neighbours
    upper: Upper | None
    lipschitz: Steepness | None
    concave: bool

    def __init__(
        self,
        bounds: Bounds,
        step: Number | Sequence[Number],
        score: Score,
        *,
        range: Number,  # noqa: A002 - the field's own word
        upper: Upper | None = None,
        lipschitz: Steepness | None = None,
        concave: bool = False,
        neighbours: Neighbours = "add-remove",
    ) -> None:
        axes = Axes.of(bounds, step)
        facts = Sensitivity.of(range=positive(range, "range"), neighbours=neighbours)
        if [upper is not None, lipschitz is not None, flag(concave, "concave")].count(True) != 1:
            raise SettingError(
                "upper: wanted one of upper=, lipschitz= and concave=True, to bound the score, got others"
            )
        if concave and len(axes.lines) > 1:
            raise SettingError.of("concave", "lipschitz= or upper= in more than one dimension", concave)
        if concave and FLOATS * axes.blur > min(line.step for line in axes.lines):
            wanted = "one that floats tell apart between these bounds, since functions get points as floats"
            raise SettingError.of("step", wanted, step, "take a larger step")
        steep = lipschitz if lipschitz is None or callable(lipschitz) else nonnegative(lipschitz, "lipschitz")
        for name, given in (("score", score), ("upper", upper)):
            if given is not None and not callable(given):
                raise SettingError.of(name, "a function", given)
        values = (axes, score, facts.gap, neighbours, upper, steep, concave)
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        how = "concave" if self.concave else "with an upper bound" if self.upper else "lipschitz"
        return f"BestPoint({self.axes.told()}, range={plain(self.reach)}, {how})"

    def gap(self, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return how far one person moves the difference of two scores."""
        if self.relation == "replace" and neighbours == "add-remove":
            remedy = "a bound for replacing a person says nothing about adding one"
            raise SettingError.of("neighbours", "'replace', as vouched for", neighbours, remedy)
        return self.reach if neighbours == self.relation else 2 * self.reach

    def promise(self, rate: Fraction, neighbours: Neighbours = "add-remove") -> Guarantee:
        """Return the bounded range rate * gap."""
        return Range(rate * self.gap(neighbours))

    def calibrate(self, target: Guarantee, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return the largest rate whose promise gives the target."""
        return largest(Range, target) / self.gap(neighbours)

    def score(self, data: Any, neighbours: Neighbours | None = None) -> OnBox:
        """Read data: whatever the functions take, under the relation the range was vouched for, if none is named."""
        relation = self.relation if neighbours is None else neighbours
        self.gap(relation)
        return OnBox(self, relation, self.axes, partial(self._hill, held(data)))

    def _hill(self, data: Any) -> Hill:
        score = partial(self._score, data)
        if self.concave:
            blur = self.axes.blur / self.axes.lines[0].step
            return Concave(self.axes.last[0], score, lambda size: ROUNDING * size, blur)
        upper = partial(self._near if self.upper is None else self._upper, data)
        return Halved(self.axes.last, tuple(line.step for line in self.axes.lines), score, upper)

    def _score(self, data: Any, place: Place) -> Fraction:
        return read(called(self.function, data, self.axes.at(place), name="score"), "score")

    def _upper(self, data: Any, low: Place, high: Place) -> Fraction:
        at = self.axes.at
        return read(called(self.upper, data, at(low), at(high), name="upper"), "upper")  # type: ignore[arg-type]

    def _near(self, data: Any, low: Place, high: Place) -> Fraction:
        """Bound the scores of a part by that of its middle, and by how far they are from there."""
        steep = self.lipschitz
        most = read(called(steep, data, name="lipschitz") if callable(steep) else steep, "lipschitz")
        middle = tuple((one + other) // 2 for one, other in zip(low, high, strict=True))
        height, rise = self._score(data, middle), most * (self.axes.far(middle, high) + self.axes.blur)
        return height + rise + ROUNDING * (abs(height) + rise)
