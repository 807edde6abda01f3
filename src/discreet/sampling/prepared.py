"""Many draws from one exponential law: one 64-bit word each, nearly always.

48 bits of the word pick a candidate in proportion to its integer bound, and 16 settle whether the proposal stands.
About once in 2**16 they do not, and certified arithmetic goes on from those 16 bits. The law stays exact.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.exact import whole
from discreet.sampling.coins import Coins, SystemCoins
from discreet.sampling.column import Column
from discreet.sampling.flip import flip
from discreet.sampling.propose import BITS, Proposal

Positions: TypeAlias = NDArray[np.intp]

PICK, SETTLE = 48, 16
CERTAIN = 2.0**-20
"""Far above any error of the float shares below."""
BATCH = 1 << 17
MOST_GUIDE = 20
"""Bits of the largest table that says where to begin the search for a number."""


class Prepared:
    """An exponential law made ready for many draws. Every draw of private scores costs privacy again.

    ``places`` says which position each score stands for, where that is not its own.

    >>> Prepared(Column.of([0, 10**6]), Fraction(1)).draws(3)
    array([1, 1, 1])
    """

    __slots__ = ("_cell", "_ends", "_falls", "_guide", "_places", "_proposal", "_stands", "_width")

    def __init__(self, column: Column, rate: Fraction, places: Sequence[int] | None = None) -> None:
        self._places = None if places is None else np.asarray(places)
        bits = min(BITS, PICK - 1 - len(column).bit_length())
        self._proposal = Proposal(column, rate, bits=bits)
        bounds, falls = self._proposal.table()
        self._ends = bounds.astype(np.int64).cumsum().astype(np.uint64)
        self._width = int(self._ends[-1]).bit_length()
        guide = min(self._width, len(bounds).bit_length() + 2, MOST_GUIDE)
        self._cell = np.uint64(self._width - guide)
        starts = np.arange(1 << guide, dtype=np.uint64) << self._cell
        self._guide: Positions = self._ends.searchsorted(starts, side="right").clip(max=len(bounds) - 1)
        shares = np.exp(-falls) * float(1 << bits) / bounds
        self._stands = np.floor((shares - CERTAIN).clip(0) * (1 << SETTLE)).astype(np.uint32)
        self._falls = np.ceil((shares + CERTAIN) * (1 << SETTLE)).astype(np.uint32)
        if column.exact is not None:  # rounded distances settle nothing
            self._stands[:], self._falls[:] = 0, 1 << SETTLE

    def draws(self, count: int, coins: Coins | None = None) -> Positions:
        """Return ``count`` independent positions from the law."""
        count = whole(count, "count", least=0)
        door = SystemCoins() if coins is None else coins
        parts = [np.zeros(0, dtype=np.intp)]
        useful = int(self._ends[-1]) / 2.0**self._width
        while count > 0:
            part = self._batch(min(int(count / useful) + 16, BATCH), door)[:count]
            parts.append(part)
            count -= len(part)
        drawn = np.concatenate(parts)
        return drawn if self._places is None else self._places[drawn]

    def _batch(self, count: int, coins: Coins) -> Positions:
        words = coins.words(count)
        numbers = words >> np.uint64(64 - self._width)
        inside = numbers < self._ends[-1]  # a number beyond the total proposes nothing
        numbers = numbers[inside]
        settle = (words[inside] & np.uint64((1 << SETTLE) - 1)).astype(np.uint32)
        found = self._search(numbers)
        kept = settle < self._stands[found]
        for draw in np.flatnonzero(~kept & (settle < self._falls[found])):
            kept[draw] = self._flip(int(found[draw]), int(settle[draw]), coins)
        chosen: Positions = found[kept]
        return chosen

    def _search(self, numbers: NDArray[np.uint64]) -> Positions:
        """Return the first place whose end is beyond each number: begin where the guide says, seldom look further."""
        found: Positions = self._guide[numbers >> self._cell]
        late = np.flatnonzero(self._ends[found] <= numbers)
        found[late] += 1
        later = late[self._ends[found[late]] <= numbers[late]]
        found[later] = self._ends.searchsorted(numbers[later], side="right")
        return found

    def _flip(self, position: int, settle: int, coins: Coins) -> bool:
        bound = int(self._ends[position]) - (int(self._ends[position - 1]) if position else 0)
        share = self._proposal.share
        return flip(coins, lambda: share(self._proposal.weight(position), bound), prefix=(settle, SETTLE))
