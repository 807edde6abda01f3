"""People on a public grid, each moved to a random place within their own cell: looked at only where it matters.

What is kept is who is in which cell, as counts. A cell is divided into 2**jitter fine places, and everybody takes one
at random, independently. Whether that is settled at once or when somebody first looks into the cell makes no difference
to any law, so it is settled then. The fine grid may have 2**94 places: they are Python's own integers.
"""

import numpy as np
from numpy.typing import NDArray

from discreet.domains.settings import Held
from discreet.sampling.coins import Coins

Ranks = NDArray[np.int64]

MOST_TOGETHER = 2**20
"""People who are moved at a time: what that takes besides four bytes for each."""


class Crowd:
    """People in the order of their fine places: private.

    >>> from discreet.sampling.coins import SystemCoins
    >>> crowd = Crowd((np.array([3, 5]), np.array([1, 2])), size=10, jitter=0, coins=SystemCoins())
    >>> crowd, crowd.n, crowd.size, crowd.below(5), crowd.upto(5)
    (Crowd(), 3, 10, 1, 3)
    """

    __slots__ = ("_bits", "_cells", "_coins", "_ends", "_people", "_seen", "jitter", "n", "size")

    def __init__(self, held: Held, size: int, jitter: int, coins: Coins) -> None:
        self._cells, self._people = held
        self._ends: Ranks = self._people.cumsum(dtype=np.int64)
        self.n = int(self._ends[-1]) if len(self._ends) else 0
        self.jitter, self.size, self._coins = jitter, size << jitter, coins
        self._bits = np.zeros(self.n, dtype=np.uint32)
        self._seen = np.full(len(self._cells), jitter == 0)

    def __repr__(self) -> str:
        return "Crowd()"

    def below(self, place: int) -> int:
        """Return how many people are at lower places."""
        cell = place >> self.jitter
        at = int(self._cells.searchsorted(cell))
        first = int(self._ends[at - 1]) if at else 0
        if at == len(self._cells) or int(self._cells[at]) != cell:
            return first
        self._look(np.array([at]))
        inside = np.uint32(place - (cell << self.jitter))
        return first + int(self._bits[first : int(self._ends[at])].searchsorted(inside))

    def upto(self, place: int) -> int:
        """Return how many people are at this place or a lower one."""
        return self.below(place + 1)

    def landmarks(self, ranks: Ranks) -> tuple[list[int], list[int], list[int]]:
        """Return the places of people, each place once, and how many people are below and up to each; ranks rise.

        >>> from discreet.sampling.coins import SystemCoins
        >>> crowd = Crowd((np.array([3, 5]), np.array([1, 2])), size=10, jitter=0, coins=SystemCoins())
        >>> crowd.landmarks(np.array([0, 1, 2]))
        ([3, 5], [0, 1], [1, 3])
        """
        at = self._ends.searchsorted(ranks, side="right")
        self._look(at)
        firsts, lasts = self._tied(ranks, at)
        cells, bits = self._cells[at], self._bits[ranks]
        new = np.ones(len(ranks), dtype=bool)
        new[1:] = firsts[1:] != firsts[:-1]
        pairs = zip(cells[new].tolist(), bits[new].tolist(), strict=True)
        return [(cell << self.jitter) | inside for cell, inside in pairs], firsts[new].tolist(), lasts[new].tolist()

    def _tied(self, ranks: Ranks, at: Ranks) -> tuple[Ranks, Ranks]:
        """Return for each rank how many people are below that place, and how many up to it."""
        firsts, lasts = ranks.copy(), ranks + 1
        starts, ends, bits = self._ends[at] - self._people[at], self._ends[at], self._bits
        left = (firsts > starts) & (bits[firsts - 1] == bits[ranks])
        right = lasts < ends
        right[right] = bits[lasts[right]] == bits[ranks[right]]
        for one in np.flatnonzero(left | right).tolist():  # few, unless nobody is moved
            inside = bits[starts[one] : ends[one]]
            firsts[one] = starts[one] + inside.searchsorted(bits[ranks[one]])
            lasts[one] = starts[one] + inside.searchsorted(bits[ranks[one]], side="right")
        return firsts, lasts

    def _look(self, at: Ranks) -> None:
        """Move the people of some cells within them, if nobody has looked there before."""
        asked = at[~self._seen[at]]
        if not len(asked):
            return
        new = np.unique(asked)
        batch = self._people[new].cumsum() // MOST_TOGETHER
        for some in np.split(new, np.flatnonzero(np.diff(batch)) + 1):
            self._move_alone(int(some[0])) if len(some) == 1 else self._move(some)
        self._seen[new] = True

    def _move(self, cells: Ranks) -> None:
        """Move the people of some cells: each cell's in order."""
        people = self._people[cells]
        total, ends = int(people.sum()), people.cumsum()
        keys = np.repeat(np.arange(len(cells), dtype=np.uint64) << np.uint64(self.jitter), people)
        keys |= self._coins.words(total) >> np.uint64(64 - self.jitter)
        keys.sort()
        places = np.repeat(self._ends[cells] - ends, people) + np.arange(total)
        self._bits[places] = (keys & np.uint64((1 << self.jitter) - 1)).astype(np.uint32)

    def _move_alone(self, cell: int) -> None:
        """Move the people of one cell, who may be very many: in place."""
        end = int(self._ends[cell])
        inside = self._bits[end - int(self._people[cell]) : end]
        for start in range(0, len(inside), MOST_TOGETHER):
            part = inside[start : start + MOST_TOGETHER]
            part[:] = (self._coins.words(len(part)) >> np.uint64(64 - self.jitter)).astype(np.uint32)
        inside.sort()


def near(aim: int, n: int, alone: float, growth: float) -> Ranks:
    """Return ranks around an aim among n people: those next to it, then fewer and fewer.

    Between two of them, at a distance D from the aim, are at most about 2 (alone + growth D) others.

    >>> near(50, 1000, alone=0, growth=0.5).tolist()
    [5, 33, 44, 47, 49, 50, 51, 53, 56, 67, 95, 170, 376, 935]
    """
    alone = min(max(alone, 1e-3), float(n + 1))
    reach = float(max(aim, n - aim) + 1)
    count = int(np.log1p(growth * reach / alone) / (2 * growth)) + 1
    if count >= 2 * n:
        return np.arange(n)
    far = np.expm1(2 * growth * np.arange(count)) * alone / growth
    steps = np.unique(np.minimum(np.ceil(far), reach).astype(np.int64))
    found = np.concatenate([aim - steps[:0:-1], aim + steps])
    return found[(found >= 0) & (found < n)]
