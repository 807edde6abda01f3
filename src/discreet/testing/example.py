"""The smallest law there is, for examples."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from discreet.balls import Ball, ball
from discreet.sampling.coins import Coins
from discreet.sampling.flip import flip


@dataclass(frozen=True, slots=True)
class Coin:
    """True with a stated chance.

    >>> Coin(Fraction(1)).draw(__import__("discreet.sampling.coins").sampling.coins.SystemCoins())
    True
    """

    chance: Fraction

    def draw(self, coins: Coins) -> bool:
        """Return True with the chance."""
        return flip(coins, lambda: ball(self.chance))

    def chances(self) -> Mapping[bool, Ball]:
        """Return both chances."""
        return {True: ball(self.chance), False: ball(1 - self.chance)}
