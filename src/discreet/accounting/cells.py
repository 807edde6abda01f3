"""The search for the least delta of a batch of several ranges: cells of t's, cut until their bounds are close.

The t's are written as shares of their ranges, so the box is the unit cube. D is bounded on each cell twice:

*Wide.* On the cell every loss lies between lo_j - b_j and hi_j. The pair with these two losses dominates every pair
whose losses lie between them, and products of dominating pairs dominate products.

*Bent.* D is at most its largest corner, and what ``bends`` says that it can rise in between.

The first is close on large cells, the second on small ones. Whatever leads the search to cut where it does, the cells
cover the box; so the largest of their bounds is a bound on D.
"""

import math
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.accounting.bends import bends
from discreet.accounting.products import DEEPEST, Batch, Floats, deltas

CLOSE = 2.0**-13
"""How near to the best member a bound needs to be."""
WORK = 5e7
"""About how many terms are added up before the bound reached so far is the answer: a second's work."""
ROUND = 20_000.0
"""What a round of cuts costs in any case, in terms."""
NEAR = 1.0
"""Bends are tried where no class moves the sum of losses by more ranges than this."""
CENTRES = 8
"""So many cells show their centres in each round, where a better member may be."""


class Member(NamedTuple):
    """A point of the box and its delta, rounded up.

    >>> Member(0.5, np.zeros(2)).delta
    0.5
    """

    delta: float
    shares: Floats


class Cells(NamedTuple):
    """Cells, a column each; bounds on their deltas; by how much the width of each class raises them, relatively.

    >>> from fractions import Fraction
    >>> Cells.whole(Batch.of({Fraction(1): 2, Fraction(3): 4}, 0.0)).halves().hi.tolist()
    [[0.5, 1.0], [1.0, 1.0]]
    """

    lo: Floats
    hi: Floats
    bound: Floats
    raised: Floats

    @classmethod
    def whole(cls, batch: Batch) -> "Cells":
        """Return the one cell that is the box.

        >>> from fractions import Fraction
        >>> Cells.whole(Batch.of({Fraction(1): 2}, 0.0)).bound.tolist()
        [1.0]
        """
        return cls(np.zeros(batch.b.shape), np.ones(batch.b.shape), np.ones(1), batch.b)

    def kept(self, chosen: npt.NDArray[np.bool_]) -> "Cells":
        """Return those chosen.

        >>> from fractions import Fraction
        >>> Cells.whole(Batch.of({Fraction(1): 2}, 0.0)).kept(np.array([False])).bound.size
        0
        """
        return Cells(*(part[..., chosen] for part in self))

    def joined(self, other: "Cells") -> "Cells":
        """Return these and those.

        >>> from fractions import Fraction
        >>> whole = Cells.whole(Batch.of({Fraction(1): 2}, 0.0))
        >>> whole.joined(whole).bound.size
        2
        """
        return Cells(*(np.concatenate(pair, axis=-1) for pair in zip(self, other, strict=True)))

    def halves(self) -> "Cells":
        """Cut every cell in two, across the class whose width raises the bound most.

        >>> from fractions import Fraction
        >>> Cells.whole(Batch.of({Fraction(1): 2}, 0.0)).halves().lo.tolist()
        [[0.0, 0.5]]
        """
        across = np.arange(len(self.lo))[:, None] == self.raised.argmax(axis=0)
        middle = (self.lo + self.hi) / 2
        left = self._replace(hi=np.where(across, middle, self.hi))
        return left.joined(self._replace(lo=np.where(across, middle, self.lo)))


def search(batch: Batch, best: Member, enough: float = 0.0) -> tuple[Member, float]:
    """Cut until all bounds are within ``enough`` or close to the best member, or the work is done.

    Return the best member and a bound on all. A member that is more than ``enough`` ends the search, too.

    >>> from fractions import Fraction
    >>> batch = Batch.of({Fraction(1): 2}, 0.0)
    >>> best, bound = search(batch, best_of(batch, np.array([[0.3]])))
    >>> 0 <= bound / best.delta - 1 <= CLOSE
    True
    """
    cells, closed, left = Cells.whole(batch), 0.0, WORK
    while True:
        target = max(enough, best.delta * (1 + CLOSE), DEEPEST)
        far = cells.bound > target
        closed, cells = max(closed, float(cells.bound[~far].max(initial=0.0))), cells.kept(far)
        if not far.any() or left <= 0 or 0 < enough < best.delta:
            return best, max(closed, float(cells.bound.max(initial=0.0)))
        worst = _worst(cells.bound, target, 1 + int(left / batch.cost) // (2 * len(batch.k) + 2))
        halves = _wide(batch, cells.kept(worst).halves())
        best = _better(best, _centre(batch, halves))
        halves, corner, looked = _bent(batch, halves, best, max(target, best.delta * (1 + CLOSE)))
        cells, best = cells.kept(~worst).joined(halves), _better(best, corner)
        left -= ROUND + batch.cost * (halves.bound.size + looked)


def best_of(batch: Batch, shares: Floats) -> Member:
    """Return the best of some points, a column each.

    >>> from fractions import Fraction
    >>> best_of(Batch.of({Fraction(1): 1}, 0.0), np.array([[0.1, 0.5, 0.8]])).shares.tolist()
    [0.5]
    """
    found = deltas(batch, shares * batch.b, (1 - shares) * batch.b)
    return Member(float(found.max()), shares[:, found.argmax()])


def _better(one: Member, other: Member) -> Member:
    return other if other.delta > one.delta else one


def _worst(bound: Floats, target: float, most: int) -> npt.NDArray[np.bool_]:
    """Choose the upper half, in logarithms, of the bounds above the target, and no more than so many."""
    chosen = bound >= math.sqrt(target * float(bound.max()))
    chosen[np.argsort(-bound, kind="stable")[most:]] = False
    return np.asarray(chosen)


def _wide(batch: Batch, cells: Cells) -> Cells:
    bound = deltas(batch, cells.hi * batch.b, (1 - cells.lo) * batch.b)
    raised = (cells.hi - cells.lo) * batch.b**2 * batch.counts  # about as it shares in the variance
    return cells._replace(bound=np.minimum(cells.bound, bound), raised=raised)


def _centre(batch: Batch, cells: Cells) -> Member:
    top = np.argsort(-cells.bound, kind="stable")[:CENTRES]
    return best_of(batch, (cells.lo[:, top] + cells.hi[:, top]) / 2)


def _bent(batch: Batch, cells: Cells, best: Member, target: float) -> tuple[Cells, Member, int]:
    """Bound by corners and bends where that can be less; also return the best corner, and how many points were seen."""
    small = ((cells.hi - cells.lo) * batch.counts).max(axis=0) <= NEAR
    tried = np.flatnonzero(small & (cells.bound > target) & (cells.bound < 2 * best.delta))
    rises = bends(batch, cells.lo[:, tried], cells.hi[:, tried])
    hope = best.delta + rises.sum(axis=0) < cells.bound[tried]
    chosen, rises = tried[hope], rises[:, hope]
    seen = len(batch.k) * tried.size
    if not chosen.size:
        return cells, best, seen
    corners, corner, count = _corners(batch, cells.lo[:, chosen], cells.hi[:, chosen])
    bound, raised = cells.bound.copy(), cells.raised.copy()
    less = corners + rises.sum(axis=0) < bound[chosen]
    bound[chosen[less]] = (corners + rises.sum(axis=0))[less]
    raised[:, chosen[less]] = rises[:, less]
    return cells._replace(bound=bound, raised=raised), corner, seen + count


def _corners(batch: Batch, lo: Floats, hi: Floats) -> tuple[Floats, Member, int]:
    """Return delta at the largest corner of each cell, the best corner of all, and how many there are."""
    sides = product((False, True), repeat=len(lo))
    points = np.concatenate([np.where(np.array(side)[:, None], hi, lo) for side in sides], axis=1)
    order = np.lexsort(points)  # neighbours share corners
    first = np.any(np.diff(points[:, order], axis=1, prepend=-1.0) != 0, axis=0)
    unique, values = points[:, order[first]], np.zeros(points.shape[1])
    found = deltas(batch, unique * batch.b, (1 - unique) * batch.b)
    values[order] = found[np.cumsum(first) - 1]
    best = Member(float(found.max()), unique[:, found.argmax()])
    return values.reshape(-1, lo.shape[1]).max(axis=0), best, found.size
