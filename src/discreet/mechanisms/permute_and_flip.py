"""Permute-and-flip (McKenna and Sheldon 2020)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.guarantees import Guarantee, LaplacePair
from discreet.mechanisms.base import spendable
from discreet.readings import largest
from discreet.sampling.coins import Coins
from discreet.sampling.levels import Candidates, proposed
from discreet.sampling.race import keep
from discreet.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True)
class PermuteAndFlip:
    """Walk through the candidates in random order; take the first whose coin shows heads.

    The coin of candidate i has bias exp(-rate * (best score - score i)), so that of the best always does.

    The same law as noisy max with exponential noise. At equal pure epsilon its error is never larger than the
    exponential mechanism's. It is not a bounded range of rate * gap, so under composition it costs more.

    >>> from discreet.guarantees import Pure
    >>> PermuteAndFlip.calibrate(Pure(1), Sensitivity.of(sensitivity=1, monotonic=True)).rate
    Fraction(1, 1)
    """

    rate: Fraction

    def promise(self, sensitivity: Sensitivity) -> Guarantee:
        """Return the Laplace pair of rate * gap, and so the pure epsilon rate * gap.

        Shift the scores so that the change v lies in [0, gap]. With exponential noise, of hazard at most the rate, the
        chance of any event moves by at most the Laplace map of rate * gap, so by a factor of exp(rate * gap) at most.

        >>> PermuteAndFlip(Fraction(1)).promise(Sensitivity.of(sensitivity=1))
        LaplacePair(epsilon=Fraction(2, 1))
        """
        return LaplacePair(self.rate * sensitivity.gap)

    @classmethod
    def calibrate(cls, target: Guarantee, sensitivity: Sensitivity) -> Self:
        """Return the mechanism with the largest rate whose promise gives the target."""
        return cls(spendable(largest(LaplacePair, target) / sensitivity.gap, target))

    def draw(self, column: Candidates, coins: Coins) -> int:
        """Return the position of the winner.

        >>> from discreet.sampling.coins import SystemCoins
        >>> from discreet.sampling.column import Column
        >>> PermuteAndFlip(Fraction(1)).draw(Column.of([0, 10**6]), SystemCoins())
        1
        """
        return keep(proposed(column, self.rate), coins)
