"""Rank: which number splits the people as asked: a median, a quartile, a threshold."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.counts import Labels
from discreet.exact import Number, chance, positive
from discreet.scores.base import Scores, Values, common_tick, dtype_for, numbers, whole_numbers
from discreet.scores.order import reaching, readable
from discreet.sensitivity import Neighbours, Sensitivity


@dataclass(frozen=True, slots=True, init=False)
class Rank:
    """The score of a number is minus how far it is, in people, from the q-quantile.

    >>> Rank([0, 10, 20], q="1/2").score([3, 11, 12])
    Scores(3 candidates, step=1, gap=2, add-remove, in ticks of 0.5, by rank)

    With L people below o, G above it and n in all, the score of o is -max(0, a(L - qn), b(G - (1-q)n)): 0 exactly on
    the valid sample quantiles, also inside a run of equal values; a is ``over``, b is ``under``. Write -u for the
    maximum; it moves by something between the least and the greatest move of its three terms.

    Add-remove. A new person x moves the terms of o by (0, a(1-q), -b(1-q)) where x < o, by (0, -aq, -b(1-q)) where
    x = o, and by (0, -aq, bq) where x > o. So -u moves within [-b(1-q), a(1-q)], within [-max(aq, b(1-q)), 0], or
    within [-aq, bq]. Step: max(a, b) max(q, 1-q). Gap, over all pairs of those intervals: two of the first give
    (a+b)(1-q), two of the last (a+b)q, one of each a or b; the middle one adds nothing new.

    Replace. n stays; moving x up moves the terms by (0, -a, b) where x < o < x', by (0, 0, b) at x, by (0, -a, 0) at
    x', and not at all elsewhere: step max(a, b), gap a + b. A changed person may also stop, or start, giving a number;
    that is add-remove, whose step and gap are never larger.
    """

    name: ClassVar[str] = "rank"
    candidates: Labels
    cuts: tuple[Fraction, ...]
    q: Fraction
    over: Fraction
    under: Fraction

    def __init__(self, candidates: Iterable[Hashable], q: Number = "1/2", over: Number = 1, under: Number = 1) -> None:
        names, exact = numbers(candidates, "candidates")
        object.__setattr__(self, "candidates", names)
        object.__setattr__(self, "cuts", exact)
        object.__setattr__(self, "q", chance(q, "q"))
        object.__setattr__(self, "over", positive(over, "over"))
        object.__setattr__(self, "under", positive(under, "under"))

    @property
    def tick(self) -> Fraction:
        """The largest number of which every score is a whole multiple."""
        a, b, q = self.over, self.under, self.q
        return common_tick((a, a * q, b, b * (1 - q)))

    def sensitivity(self, neighbours: Neighbours = "add-remove") -> Sensitivity:
        """Return the step and gap proved above, in ticks."""
        a, b, q = self.over / self.tick, self.under / self.tick, self.q
        step, gap = max(a, b), a + b
        if neighbours == "add-remove":
            step, gap = max(a, b) * max(q, 1 - q), max(a, b, (a + b) * q, (a + b) * (1 - q))
        return Sensitivity.of(sensitivity=step, range=gap, neighbours=neighbours)

    def score(self, people: Iterable[object], neighbours: Neighbours = "add-remove") -> Scores:
        """Score each number by its rank error; one item of ``people`` is one person's number.

        Decimal text such as "0.80" is the number it says. Who gives no number, or NaN, is left out.
        """
        values = readable(people)
        below = len(values) - reaching(values, self.cuts)
        return self._scored(below, reaching(values, self.cuts, beyond=True), len(values), neighbours)

    def score_cells(self, cells: NDArray[np.int64], neighbours: Neighbours = "add-remove") -> Scores:
        """Score each number by its rank error, from how many people hold each; the candidates must rise.

        >>> Rank([0, 10, 20]).score_cells(np.array([1, 2, 0]))
        Scores(3 candidates, step=1, gap=2, add-remove, in ticks of 0.5, by rank)
        """
        reached = np.cumsum(cells)
        n = int(reached[-1])
        return self._scored(reached - cells, n - reached, n, neighbours)

    def _scored(self, below: NDArray[np.int64], above: NDArray[np.int64], n: int, neighbours: Neighbours) -> Scores:
        exact = self.ranked(below, above, n)
        return Scores(self.candidates, exact, self.sensitivity(neighbours), self.tick, self.name)

    def fits(self, n: int) -> bool:
        """Return whether scores of so many people are 64-bit integers.

        >>> Rank([0]).fits(10**9), Rank([0], over=10**12).fits(10**9)
        (True, False)
        """
        return dtype_for(int((self.over + self.under) / self.tick) * (n + 1)) is np.int64

    def ranked(self, below: NDArray[np.int64], above: NDArray[np.int64], n: int) -> Values:
        """Return the score of points with so many of n people below and above them, in ticks: private.

        >>> Rank([0]).ranked(np.array([2]), np.array([1]), 4)
        array([0])
        """
        a, b, tick = int(self.over / self.tick), int(self.under / self.tick), self.tick
        target, rest = int(self.over * self.q / tick) * n, int(self.under * (1 - self.q) / tick) * n
        kind: Any = np.int64 if self.fits(n) else object
        score = np.minimum(target - a * below.astype(kind, copy=False), rest - b * above.astype(kind, copy=False))
        np.minimum(score, 0, out=score)
        return score if kind is np.int64 else whole_numbers(score)
