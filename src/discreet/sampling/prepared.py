"""Many draws from one exponential law: one 64-bit word each, nearly always.

48 bits of the word pick a candidate in proportion to its integer bound, and 16 settle whether the proposal stands.
About once in 2**16 they do not, and certified arithmetic goes on from those 16 bits. The law stays exact.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.sampling.coins import Coins, SystemCoins
from discreet.sampling.column import Column
from discreet.sampling.flip import flip
from discreet.sampling.propose import BITS, Proposal

PICK, SETTLE = 48, 16
CERTAIN = 2.0**-20
"""Far above any error of the float shares below."""


class Prepared:
    """An exponential law made ready for many draws. Every draw of private scores costs privacy again.

    >>> Prepared(Column.of([0, 10**6]), Fraction(1)).draws(3)
    array([1, 1, 1])
    """

    __slots__ = ("_ends", "_falls", "_proposal", "_shift", "_stands")

    def __init__(self, column: Column, rate: Fraction) -> None:
        bits = min(BITS, PICK - 1 - len(column).bit_length())
        self._proposal = Proposal(column, rate, bits=bits)
        bounds, falls = self._proposal.table()
        self._ends = np.cumsum(bounds.astype(np.int64)).astype(np.uint64)
        self._shift = np.uint64(64 - int(self._ends[-1]).bit_length())
        shares = np.exp(-falls) * float(1 << bits) / bounds
        self._stands = np.floor((shares - CERTAIN).clip(0) * (1 << SETTLE)).astype(np.uint32)
        self._falls = np.ceil((shares + CERTAIN) * (1 << SETTLE)).astype(np.uint32)

    def draws(self, count: int, coins: Coins | None = None) -> NDArray[np.intp]:
        """Return ``count`` independent positions from the law."""
        door = SystemCoins() if coins is None else coins
        parts: list[NDArray[np.intp]] = [np.zeros(0, dtype=np.intp)]
        while count > 0:
            part = self._batch(min(count + count // 2 + 16, 1 << 18), door)[:count]
            parts.append(part)
            count -= len(part)
        return np.concatenate(parts)

    def _batch(self, count: int, coins: Coins) -> NDArray[np.intp]:
        words = coins.words(count)
        found: NDArray[np.intp] = self._ends.searchsorted(words >> self._shift, side="right")
        inside = found < len(self._ends)  # else a number beyond the total: nothing was proposed
        found, settle = found[inside], (words[inside] & np.uint64((1 << SETTLE) - 1)).astype(np.uint32)
        kept = settle < self._stands[found]
        for draw in np.flatnonzero(~kept & (settle < self._falls[found])):
            kept[draw] = self._flip(int(found[draw]), int(settle[draw]), coins)
        chosen: NDArray[np.intp] = found[kept]
        return chosen

    def _flip(self, position: int, settle: int, coins: Coins) -> bool:
        bound = int(self._ends[position]) - (int(self._ends[position - 1]) if position else 0)
        return flip(
            coins, lambda: self._proposal.share(self._proposal.weight(position), bound), prefix=(settle, SETTLE)
        )
