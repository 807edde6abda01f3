"""Candidates that come in levels: many with one score, drawn without ever being listed.

Counts take few distinct values, and a fine grid has one score between two data points. What is kept is the score of
each level and how many candidates it has; laid end to end, the levels give every candidate a position. Proposals are
those of ``propose``, with the size of a level in its weight: for level j of N_j candidates a whole number W_j bounds
2**bits N_j w_j / 2**raised, and one of them comes with chance W_j / total, each as likely as another.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.balls import Ball, exponential, ratio, two_to
from discreet.errors import GuardError, SettingError
from discreet.sampling.coins import Coins
from discreet.sampling.column import BLOCK, Array, Column, distances, whole_or_fraction
from discreet.sampling.propose import BITS, LN2, SLACK, Floats, Proposal, split

ONE = Fraction(1)
MOST = 2**62
"""Candidates in all."""
MOST_SPREAD = 10**7
PASSED = "a block passed what was said of it; nothing was released"
ROOM = 12
"""Bits by which a block that was not looked into may be heavier than the heaviest that was."""

Look: TypeAlias = Callable[[int], tuple[Array, NDArray[np.int64]]]


class Block(NamedTuple):
    """The scores of some levels, how many candidates each has, and how many there are up to each: private.

    >>> Block._fields
    ('scores', 'sizes', 'ends')
    """

    scores: Array
    sizes: NDArray[np.int64]
    ends: NDArray[np.int64]


class Levels:
    """Exact scores of levels, in blocks that are looked into only when they are drawn; nothing of them is printed.

    A block is known by its best score, which may be an upper bound where another block's best is as good, by how many
    candidates it has, and by the most levels it may have. ``look`` returns the scores of its levels and their sizes.

    >>> levels = Levels.of(Column.of([5, 7]), np.array([3, 10**18]))
    >>> levels, len(levels), levels.stored(2), levels.stored(3)
    (Levels(1000000000000000003 candidates), 1000000000000000003, 5, 7)
    """

    __slots__ = ("_seen", "column", "counts", "ends", "look", "members", "tops", "unit")

    def __init__(
        self, tops: Array, members: NDArray[np.int64], counts: NDArray[np.int64], look: Look, unit: Fraction = ONE
    ) -> None:
        if float(members.sum(dtype=np.float64)) > MOST:
            raise SettingError("sizes: wanted at most 2**62 candidates, got more; take a larger step")
        self.tops, self.members, self.counts, self.look, self.unit = tops, members, counts, look, unit
        self.ends: NDArray[np.int64] = members.cumsum(dtype=np.int64)
        self.column: Column | None = None
        self._seen: dict[int, Block] = {}

    @classmethod
    def of(cls, column: Column, sizes: NDArray[np.int64]) -> "Levels":
        """Lay out levels that are all known."""
        if len(sizes) != len(column) or not len(column) or int(sizes.min()) < 1:
            raise SettingError("sizes: wanted at least one level, and for each a whole number from 1, got others")
        starts = np.arange(0, len(column), BLOCK)
        members = np.add.reduceat(sizes, starts, dtype=np.int64)

        def look(block: int) -> tuple[Array, NDArray[np.int64]]:
            some = slice(block * BLOCK, (block + 1) * BLOCK)
            return column.data[some], sizes[some]

        made = cls(column.tops(), members, np.diff(np.append(starts, len(column))), look, column.unit)
        made.column = column
        return made

    def __len__(self) -> int:
        return int(self.ends[-1])

    def __repr__(self) -> str:
        return f"Levels({len(self)} candidates)"

    def open(self, block: int) -> Block:
        """Look into a block: private."""
        if block not in self._seen:
            scores, sizes = self.look(block)
            self._seen[block] = Block(scores, sizes, sizes.cumsum(dtype=np.int64))
            if int(sizes.sum()) != int(self.members[block]) or len(sizes) > int(self.counts[block]):
                raise GuardError(PASSED)
        return self._seen[block]

    def first(self, block: int) -> int:
        """Return the first position in a block: private."""
        return int(self.ends[block] - self.members[block])

    def stored(self, position: int) -> int | Fraction:
        """Return the score of one position exactly: private."""
        block = int(self.ends.searchsorted(position, side="right"))
        found = self.open(block)
        level = int(found.ends.searchsorted(position - self.first(block), side="right"))
        if self.column is not None:
            return self.column.stored(block * BLOCK + level)
        return whole_or_fraction(found.scores[level])

    def greatest(self) -> int | Fraction:
        """Return the greatest score exactly: private."""
        if self.column is not None and self.column.exact is not None:
            return 0
        return whole_or_fraction(self.tops.max())

    def listed(self) -> tuple[Column, NDArray[np.int64]]:
        """Return every level and its size: private."""
        if self.column is not None:
            column, blocks = self.column, [self.open(block) for block in range(len(self.tops))]
        else:
            blocks = [self.open(block) for block in range(len(self.tops))]
            column = Column(np.concatenate([block.scores for block in blocks]), self.unit)
        return column, np.concatenate([block.sizes for block in blocks])

    def negated(self) -> "Levels":
        """Return scores whose order is reversed and whose differences keep their size."""
        column, sizes = self.listed()
        return Levels.of(column.negated(), sizes)

    def spread(self) -> Column:
        """Return the candidates one by one, where they are few enough to list.

        >>> Levels.of(Column.of([5, 7]), np.array([3, 2])).spread()
        Column(5 scores)
        """
        if len(self) > MOST_SPREAD:
            raise SettingError.of("candidates", f"at most {MOST_SPREAD} to list them one by one", len(self))
        column, sizes = self.listed()
        return column.only(np.repeat(np.arange(len(sizes)), sizes))

    def without(self, position: int) -> "Levels":
        """Return the levels with one candidate less: private.

        >>> len(Levels.of(Column.of([5, 7]), np.array([3, 1])).without(3))
        3
        """
        if self.column is None:
            return self._less(position)
        column, sizes = self.listed()
        level = int(sizes.cumsum().searchsorted(position, side="right"))
        left = sizes.copy()
        left[level] -= 1
        if left[level]:
            return Levels.of(column, left)
        places = np.delete(np.arange(len(sizes)), level)
        return Levels.of(column.only(places), left[places])

    def _less(self, position: int) -> "Levels":
        """Take one candidate out of the block it is in; all other blocks stay as they are, looked into or not."""
        block = int(self.ends.searchsorted(position, side="right"))
        found = self.open(block)
        left = found.sizes.copy()
        left[int(found.ends.searchsorted(position - self.first(block), side="right"))] -= 1
        scores, left = found.scores[left > 0], left[left > 0]
        tops, members, counts = self.tops.copy(), self.members.copy(), self.counts
        members[block] -= 1
        if len(left):
            tops[block] = scores.max()
        keep = np.flatnonzero(members)
        shown = {place: (scores, left) if old == block else None for place, old in enumerate(keep.tolist())}

        def look(place: int) -> tuple[Array, NDArray[np.int64]]:
            opened = self.open(int(keep[place]))
            return shown[place] or (opened.scores, opened.sizes)

        return Levels(tops[keep], members[keep], counts[keep], look, self.unit)


Candidates: TypeAlias = Column | Levels
"""Exact hidden scores, one by one or in levels."""


class LevelProposal:
    """The scores of levels, bounded from above by whole numbers and ready to be drawn from.

    >>> from discreet.sampling.coins import SystemCoins
    >>> LevelProposal(Levels.of(Column.of([5]), np.array([1])), Fraction(1)).pick(SystemCoins())[0]
    0
    """

    def __init__(self, levels: Levels, rate: Fraction, bits: int = BITS, lift: int = 0) -> None:
        self.levels, self.lift = levels, lift
        self._top = levels.tops.max()
        self.best = levels.greatest()
        exact_rate = rate * levels.unit
        self._fall_rate = -ratio(exact_rate)
        self._factor, self._float_rate = split(exact_rate)
        self.bits = min(bits, 59 - ROOM - len(levels.tops).bit_length())
        loose = self._powers(levels.tops, levels.members)
        tight = self._tightened(loose)
        self._raised = max(0, math.ceil(max(tight.values()) / LN2))
        loose[list(tight)] = 0  # these are known exactly
        self._totals = self._bound(loose, 2 * SLACK).astype(np.int64) + levels.counts
        self._opened: dict[int, Floats] = {block: self._sums(block) for block in tight}
        for block, sums in self._opened.items():
            self._totals[block] = int(sums[-1])
        self._ends = self._totals.cumsum()

    @property
    def total(self) -> int:
        """The sum of all bounds, as if no level were scaled down: 2**bits is a candidate of the best score."""
        return int(self._ends[-1]) << self._raised

    def pick(self, coins: Coins) -> tuple[int, Fraction] | None:
        """Return a position and its bound with chance bound / total, or None where a block's bound was loose."""
        drawn = coins.below(int(self._ends[-1]))
        block = int(self._ends.searchsorted(drawn, side="right"))
        rest = drawn - (int(self._ends[block - 1]) if block else 0)
        sums = self._opened.get(block)
        if sums is None:
            sums = self._open(block)
            self._ends = self._totals.cumsum()
        if rest >= sums[-1]:
            return None
        offset = int(sums.searchsorted(rest, side="right"))
        bound = int(sums[offset] - (sums[offset - 1] if offset else 0.0))
        found = self.levels.open(block)
        size = int(found.sizes[offset])
        member = int(found.ends[offset]) - size + coins.below(size)
        return self.levels.first(block) + member, Fraction(bound << self._raised, size)

    def weight(self, position: int) -> Ball:
        """Enclose the true weight of one candidate, at the working precision (lift included, not capped)."""
        weight = exponential(self._fall_rate, self.best - self.levels.stored(position))
        return weight * two_to(self.lift) if self.lift else weight

    def share(self, weight: Ball, bound: Fraction) -> Ball:
        """Enclose the chance that a proposal with this weight and bound stands."""
        return weight * two_to(self.bits) / ratio(bound)

    def anchor_on_best(self) -> None:
        """Do nothing: all weights are measured from the best score."""

    def _tightened(self, loose: Floats) -> dict[int, float]:
        """Look into the heaviest blocks until no other can be much heavier than one that was seen."""
        seen: dict[int, float] = {}
        for block in np.argsort(-loose, kind="stable").tolist():
            if seen and loose[block] <= max(seen.values()) + ROOM * LN2:
                break
            found = self.levels.open(block)
            powers = self._powers(found.scores, found.sizes)
            most = float(powers.max())
            seen[block] = most + math.log(float(np.exp(powers - most).sum()))
            if seen[block] > loose[block] + SLACK:
                raise GuardError(PASSED)
        return seen

    def _powers(self, stored: Array, members: NDArray[np.int64]) -> Floats:
        """Return ln(members * weight), within 2**-40 wherever it is not far below 0."""
        with np.errstate(over="ignore"):  # too far to matter
            powers = distances(stored, self._top, self._factor)
            powers *= -self._float_rate
            if self.lift:
                powers += self.lift * LN2
                np.minimum(powers, 0, out=powers)
        powers += np.log(members)
        return powers

    def _bound(self, powers: Floats, slack: float) -> Floats:
        """Return whole numbers not below 2**(bits - raised) * exp(powers + slack), less one."""
        powers += (self.bits - self._raised) * LN2 + slack
        return np.floor(np.exp(powers, out=powers), out=powers)

    def _open(self, block: int) -> Floats:
        sums = self._sums(block)
        if sums[-1] > self._totals[block]:
            raise GuardError(PASSED)
        self._opened[block] = sums
        self._totals[block] = int(sums[-1])
        return sums

    def _sums(self, block: int) -> Floats:
        found = self.levels.open(block)
        powers = self._powers(found.scores, found.sizes)
        return (self._bound(powers, SLACK) + 1).cumsum()  # whole numbers below 2**53: exact


def listed(candidates: Candidates) -> Column:
    """Return candidates one by one, where they are few enough to list.

    >>> listed(Column.of([1]))
    Column(1 scores)
    """
    return candidates.spread() if isinstance(candidates, Levels) else candidates


def proposed(candidates: Candidates, rate: Fraction, lift: int = 0) -> Proposal | LevelProposal:
    """Return candidates made ready to be drawn from.

    >>> type(proposed(Column.of([1]), Fraction(1))).__name__
    'Proposal'
    """
    kind = LevelProposal if isinstance(candidates, Levels) else Proposal
    return kind(candidates, rate, lift=lift)  # type: ignore[arg-type]
