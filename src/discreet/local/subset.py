"""Subset response: name w candidates at once, the own one among them with chance p."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.balls import Ball, at, ball, lower
from discreet.local.bulk import below
from discreet.local.channels import PRECISION, own_coin
from discreet.local.coding import Masks, Rows
from discreet.sampling.coins import Coins

WORD_BITS = 64


@dataclass(frozen=True, slots=True)
class Subset:
    """Name a set of ``names`` candidates with chance in proportion to exp(epsilon * [the own one is in it]).

    Every candidate is in equally many sets, so the weights add up to the same whatever the value. One name is k-ary
    response (Wang 2016; Ye and Barg 2018).

    >>> from discreet.sampling.coins import SystemCoins
    >>> Subset(3, Fraction(10**6), 2).draw(2, SystemCoins()) in (0b110, 0b101)
    True
    """

    size: int
    epsilon: Fraction
    names: int

    @property
    def word(self) -> str:
        """Its name among the mechanisms."""
        return "subset"

    @property
    def coding(self) -> Masks:
        """A report is a mask with so many bits set."""
        return Masks(self.size, self.names)

    def __str__(self) -> str:
        return f"subsets of {self.names}"

    def own(self) -> Ball:
        """Enclose p = w / (w + (size - w) exp(-epsilon))."""
        return self.names / (self.names + (self.size - self.names) * ball(-self.epsilon).exp())

    def other(self) -> Ball:
        """Enclose q: with the own one in, w - 1 of the others are, and else w."""
        return (self.names - self.own()) / (self.size - 1)

    def apart(self) -> Ball:
        """With the own one in, size - w of the others are out."""
        return self.own() * (self.size - self.names) / (self.size - 1)

    def draw(self, position: int, coins: Coins) -> int:
        """Toss for the own candidate, then draw the rest of the set evenly (Floyd)."""
        among = self.size - 1
        mask, names = (1 << position, self.names - 1) if own_coin(self).throw(coins) else (0, self.names)
        for last in range(among - names, among):
            drawn = _beside(coins.below(last + 1), position, among)
            mask |= 1 << (_beside(last, position, among) if mask >> drawn & 1 else drawn)
        return mask

    def draw_all(self, positions: Any, coins: Coins) -> Rows:
        """Return a packed mask for each person."""
        inside = own_coin(self).throws(len(positions), coins)
        masks = np.zeros((len(positions), -(-self.size // WORD_BITS)), dtype="<u8")
        for own in (True, False):
            people = np.flatnonzero(inside == own)
            masks[people] = self._sets(positions[people], own=own, coins=coins)
        packed: Rows = masks.view(np.uint8)[:, : self.coding.width]
        return packed

    def _sets(self, positions: Any, *, own: bool, coins: Coins) -> Rows:
        """Draw sets for people who all have their own candidate in, or all out: every place draws for all at once."""
        count, among, words = len(positions), self.size - 1, -(-self.size // WORD_BITS)
        masks = np.zeros(count * words, dtype=np.uint64)
        base = np.arange(count) * words
        for last in range(among - (self.names - own), among):
            drawn = below(last + 1, count, coins)
            taken = _bits(masks, base, drawn)
            _set(masks, base, np.where(taken, last, drawn))
        moved = np.flatnonzero(_bits(masks, base, positions))  # whoever drew the own place means the last candidate
        _clear(masks, base[moved], positions[moved])
        _set(masks, base[moved], np.full(len(moved), among))
        if own:
            _set(masks, base, positions)
        return masks.reshape(count, words)


def best_names(size: int, epsilon: Fraction) -> int:
    """Return the number of names with the least summed variance.

    With r = w / (size - w) it is, up to constants, exp(2 epsilon) r + 1 / r: it falls until w = size / (exp(epsilon) +
    1) and rises from there. So one of the two whole numbers around that is best.

    >>> best_names(32, Fraction(1)), best_names(4, Fraction(1))
    (9, 1)
    """

    def cost(names: int) -> Ball:
        ratio = ball(Fraction(names, size - names))
        return ratio + (ball(-2 * epsilon).exp() / ratio)

    def search() -> int:
        odds = ball(-epsilon).exp()
        under = max(1, int(lower(size * odds / (1 + odds)) // 1))
        over = min(under + 1, size - 1)
        return over if cost(over) < cost(under) else under

    return at(PRECISION, search)


def _beside(drawn: int, position: int, last: int) -> int:
    """Number the others from 0: the last candidate takes the own one's place."""
    return last if drawn == position else drawn


def _bits(masks: Any, base: Any, places: Any) -> Any:
    shifts = (places & (WORD_BITS - 1)).astype(np.uint64)
    return (masks[base + (places >> 6)] >> shifts & np.uint64(1)).astype(bool)


def _set(masks: Any, base: Any, places: Any) -> None:
    masks[base + (places >> 6)] |= np.uint64(1) << (places & (WORD_BITS - 1)).astype(np.uint64)


def _clear(masks: Any, base: Any, places: Any) -> None:
    masks[base + (places >> 6)] &= ~(np.uint64(1) << (places & (WORD_BITS - 1)).astype(np.uint64))
