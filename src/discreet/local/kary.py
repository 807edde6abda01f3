"""k-ary response: tell the truth with chance p, else name one of the others."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from discreet.balls import Ball, ball
from discreet.local.bulk import MOST_FACES, Die, below
from discreet.local.channels import own_coin
from discreet.local.coding import Positions, Rows
from discreet.sampling.coins import Coins


@dataclass(frozen=True, slots=True)
class Kary:
    """Name candidate y with chance in proportion to exp(epsilon * [y is the own one]) (Warner 1965; Kairouz 2014).

    The weights add up to exp(epsilon) + size - 1 whatever the value, so the price is epsilon and not twice that.

    >>> from discreet.sampling.coins import SystemCoins
    >>> Kary(3, Fraction(10**6)).draw(2, SystemCoins())
    2
    """

    size: int
    epsilon: Fraction

    @property
    def word(self) -> str:
        """Its name among the mechanisms."""
        return "response"

    @property
    def coding(self) -> Positions:
        """A report is a position."""
        return Positions(self.size)

    def __str__(self) -> str:
        return "k-ary response"

    def own(self) -> Ball:
        """Enclose p = 1 / (1 + (size - 1) exp(-epsilon))."""
        return 1 / (1 + (self.size - 1) * ball(-self.epsilon).exp())

    def other(self) -> Ball:
        """Enclose q = exp(-epsilon) p."""
        return self.own() * ball(-self.epsilon).exp()

    def apart(self) -> Ball:
        """A report that names the own candidate names no other."""
        return self.own()

    def draw(self, position: int, coins: Coins) -> int:
        """Return the own position or one of the others: at one throw, or, where they are many, at two."""
        if self.size <= MOST_FACES:
            return (position + shift(self).throw(coins)) % self.size
        return position if own_coin(self).throw(coins) else int(_past(coins.below(self.size - 1), position))

    def draw_all(self, positions: Any, coins: Coins) -> Rows:
        """Return a position for each person."""
        if self.size <= MOST_FACES:
            moved: Rows = positions + shift(self).throws(len(positions), coins)
            moved -= self.size * (moved >= self.size)
            return moved
        rows: Rows = positions.copy()
        others = np.flatnonzero(own_coin(self).throws(len(rows), coins) == 0)
        rows[others] = _past(below(self.size - 1, len(others), coins), rows[others])
        return rows


@lru_cache(maxsize=64)
def shift(channel: Kary) -> Die:
    """Return the die that says how far past the own position a report is, around the circle: 0 with chance p.

    >>> shift(Kary(3, Fraction(1))).edges(8)
    ([147, 201], [147, 201])
    """
    return Die(lambda: [channel.own(), *[channel.other()] * (channel.size - 1)])


def _past(drawn: Any, position: Any) -> Any:
    """Number the others from 0."""
    return drawn + (drawn >= position)
