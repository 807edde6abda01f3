"""Very many exact draws at once: 16 bits of randomness each, nearly always.

A die of a few hundred faces is a table of 65536 entries. All but a few of them lie surely within one face. The others
hold an edge between faces, and where one of these is hit 48 bits more are drawn; words that still hold an edge go to
certified arithmetic. No chance is rounded: the law is the exact one.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.balls import Ball, at, lower, two_to, upper
from discreet.sampling.among import among
from discreet.sampling.coins import WORD, Coins
from discreet.sampling.flip import GUARD_BITS

LOOK = 16
"""Bits of the first look, and so of the table."""
OPEN = (1 << 16) - 1
"""What the table says where the first look decides nothing."""
MOST_FACES = 256
SPARE = 32
"""A uniform number below a bound is drawn from at least so many times the bound: few draws are thrown away."""


class Die:
    """A die of certified chances that add up to 1, at most 256 of them, made ready for many throws.

    >>> from discreet.balls import ball
    >>> from discreet.sampling.coins import SystemCoins
    >>> rare = Die(lambda: [1 - ball(-1000).exp(), ball(-1000).exp()])
    >>> rare.throw(SystemCoins()), rare.throws(3, SystemCoins())
    (0, array([0, 0, 0], dtype=uint8))
    """

    __slots__ = ("_chances", "_edges", "_table")

    def __init__(self, chances: Callable[[], Sequence[Ball]]) -> None:
        self._chances = chances
        self._edges: dict[int, tuple[list[int], list[int]]] = {}
        self._table: NDArray[np.uint16] | None = None

    def edges(self, bits: int) -> tuple[list[int], list[int]]:
        """Return, for each edge between faces, the random bits that hold it: from the first, and up to the second.

        >>> from discreet.balls import ball
        >>> Die(lambda: [ball(-1).exp(), 1 - ball(-1).exp()]).edges(8)  # at 94.18 of 256
        ([94], [94])
        """
        if bits not in self._edges:
            self._edges[bits] = at(bits + GUARD_BITS, lambda: _cells(self._chances(), bits))
        return self._edges[bits]

    def throw(self, coins: Coins) -> int:
        """Return face i with chance exactly chance i."""
        digits = coins.bits(coins.word)
        firsts, lasts = self.edges(coins.word)
        face = bisect_right(firsts, digits)  # edges that begin here or before
        if face and lasts[face - 1] >= digits:
            return among(self._chances, coins, prefix=(digits, coins.word))
        return face

    def throws(self, count: int, coins: Coins) -> NDArray[np.uint8]:
        """Return so many independent throws."""
        if self._table is None:
            self._table = self._looked_up(np.arange(1 << LOOK, dtype=np.uint64), LOOK)
        digits = coins.words(-(-count * LOOK // WORD)).view(np.uint16)[:count]
        faces = self._table[digits]
        undecided = np.flatnonzero(faces == OPEN)
        if undecided.size:
            faces[undecided] = self._look_closer(digits[undecided], coins)
        return faces.astype(np.uint8)

    def _look_closer(self, digits: NDArray[np.uint16], coins: Coins) -> NDArray[np.uint16]:
        further = coins.words(len(digits)) >> np.uint64(LOOK)
        words = digits.astype(np.uint64) << np.uint64(WORD - LOOK) | further
        faces = self._looked_up(words, WORD)
        for place in np.flatnonzero(faces == OPEN):
            faces[place] = among(self._chances, coins, prefix=(int(words[place]), WORD))
        return faces

    def _looked_up(self, digits: NDArray[np.uint64], bits: int) -> NDArray[np.uint16]:
        firsts, lasts = (np.array(ends, dtype=np.uint64) for ends in self.edges(bits))
        begun, passed = firsts.searchsorted(digits, side="right"), lasts.searchsorted(digits, side="left")
        faces: NDArray[Any] = np.where(begun == passed, begun, OPEN)
        return faces.astype(np.uint16)


def below(bound: int, count: int, coins: Coins) -> NDArray[np.int64]:
    """Return so many independent uniform whole numbers below ``bound``.

    >>> from discreet.sampling.coins import SystemCoins
    >>> below(1, 3, SystemCoins())
    array([0, 0, 0])
    """
    width = next(width for width in (8, 16, 32, 64) if bound * SPARE <= 1 << width)
    most = ((1 << width) // bound) * bound - 1  # beyond it, some remainders would come once more than others
    drawn = np.empty(count, dtype=np.int64)
    filled = 0
    while filled < count:
        wanted = count - filled + (count - filled) // SPARE + 1
        numbers = coins.words(-(-wanted * width // WORD)).view(f"u{width // 8}")
        kept = numbers[numbers <= numbers.dtype.type(most)][: count - filled]
        drawn[filled : filled + len(kept)] = kept % numbers.dtype.type(bound)
        filled += len(kept)
    return drawn


def _cells(chances: Sequence[Ball], bits: int) -> tuple[list[int], list[int]]:
    """Return the cells of 2**bits that each inner edge may lie in: one cell, unless it lies on the border of two."""
    edges = [edge * two_to(bits) for edge in list(accumulate(chances))[:-1]]
    most = (1 << bits) - 1
    firsts = [min(most, max(0, int(lower(edge) // 1))) for edge in edges]
    lasts = [min(most, max(0, -int(-upper(edge) // 1) - 1)) for edge in edges]
    return firsts, lasts
