"""A cutoff on a line: from which number on to say yes, so that fewest people are misjudged, on a grid of any size.

Between two neighbouring values of the data every cutoff misjudges the same people. So n people make at most n + 1 runs
of equal scores, whatever the grid: that is all that is ever stored.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import SettingError
from discreet.exact import Number
from discreet.points import Points, bounded
from discreet.scores.base import Runs, Scores, one_each
from discreet.scores.line import placed
from discreet.scores.order import array_of, readable
from discreet.sensitivity import Neighbours, Sensitivity

YES = frozenset({"true", "t", "yes", "y", "1"})


@dataclass(frozen=True, slots=True, init=False)
class Cutoff:
    """The score of a cutoff t is minus how many people "yes from t on" misjudges. Step 1; gap 1, or 2 (replace).

    >>> Cutoff((0, 120), "0.5").score([(17, False), (30.5, True), (64, "yes")])
    Scores(241 candidates, step=1, gap=1, add-remove, by errors)

    A new person takes 1 from the cutoffs that misjudge them and 0 from the others, all one way: gap 1. A changed one
    adds the difference of two such vectors: gap 2. It is the proof of ``Errors``, with a hypothesis for each point.

    One item of ``people`` is a number and whether the truth is yes: True, 1, or a text such as "yes"; all else is no.
    Floats are read to nine decimals. Who gives no number drops.
    """

    name: ClassVar[str] = "errors"
    points: Points
    wide: Points
    """The points, and one below them, where those stand who reach none."""

    def __init__(self, bounds: tuple[Number, Number], step: Number = 1) -> None:
        points = bounded(bounds, step)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "wide", Points(points.low - points.step, points.step, points.size + 1))

    @property
    def candidates(self) -> Points:
        """The points of the grid."""
        return self.points

    def sensitivity(self, neighbours: Neighbours = "add-remove") -> Sensitivity:
        """Return step 1, and gap 1 or 2."""
        return one_each(neighbours)

    def score(self, people: Iterable[object], neighbours: Neighbours = "add-remove") -> Scores:
        """Score each point; one item of ``people`` is one person's number and truth."""
        told = [pair for item in people if (pair := _pair(item)) is not None]
        sides = ([value for value, truth in told if truth is said] for said in (True, False))
        return self._scored(*(placed(readable(side), self.wide) for side in sides), neighbours=neighbours)

    def score_columns(
        self, numbers: Sequence[object] | NDArray[Any], truth: Any, neighbours: Neighbours = "add-remove"
    ) -> Scores:
        """Score each point, from a column of numbers and one of truths; NumPy columns take about one sort.

        >>> Cutoff((0, 120)).score_columns(np.array([17, 30, 64]), np.array([False, True, True]))
        Scores(121 candidates, step=1, gap=1, add-remove, by errors)
        """
        if len(numbers) != len(truth):
            raise SettingError("truth: wanted one for each number, got another number of them")
        values, said = array_of(numbers), array_of(truth)
        if values is None or said is None or said.dtype.kind != "b":
            return self.score(zip(numbers, truth, strict=True), neighbours)
        sides = (values[said], values[~said])
        return self._scored(*(placed(readable(side), self.wide) for side in sides), neighbours=neighbours)

    def _scored(self, yes: NDArray[np.int64], no: NDArray[np.int64], *, neighbours: Neighbours) -> Scores:
        """Score runs of points, from how many points each person reaches: a no is wrong below, a yes from there on."""
        reached, who = np.unique(np.concatenate([yes, no]), return_inverse=True)
        said, unsaid = (np.bincount(part, minlength=len(reached)) for part in (who[: len(yes)], who[len(yes) :]))
        wrong = len(no) + np.concatenate([[0], (said - unsaid).cumsum(dtype=np.int64)])
        sizes: Any = np.ediff1d(np.concatenate([[0], reached, [len(self.points)]]))
        filled = sizes > 0
        values = Runs(-wrong[filled], sizes[filled])
        return Scores(self.points, values, self.sensitivity(neighbours), family=self.name)


def _pair(item: Any) -> tuple[object, bool] | None:
    """Return one person's number and truth; None for what is no pair."""
    if type(item) in {tuple, list} and len(item) == 2:
        return item[0], _says_yes(item[1])
    return None


def _says_yes(truth: Any) -> bool:
    if isinstance(truth, str):
        return truth.lower() in YES
    return isinstance(truth, int | float | np.bool_ | np.number) and bool(truth == 1)
