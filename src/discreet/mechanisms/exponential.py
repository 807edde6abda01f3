"""The exponential mechanism (McSherry and Talwar 2007)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.guarantees import Guarantee, PureRange, Range
from discreet.mechanisms.base import spendable
from discreet.readings import largest
from discreet.sampling.choose import choose
from discreet.sampling.coins import Coins
from discreet.sampling.levels import Candidates, proposed
from discreet.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True)
class Exponential:
    """Pick candidate i with chance exactly in proportion to exp(rate * score i).

    Protects one unit of the sensitivity's neighbour relation. Between neighbours the scores change by v, and the log of
    P(i) / Q(i) is rate * v_i plus the same number for all i. So it varies by at most rate * gap: a bounded range.
    Where the sum of all weights does not depend on the data that same number is 0, and so the loss is also at most
    rate * step.

    >>> from discreet.guarantees import Pure
    >>> Exponential.calibrate(Pure(1), Sensitivity.of(sensitivity=1)).rate
    Fraction(1, 2)
    """

    rate: Fraction

    def promise(self, sensitivity: Sensitivity) -> Guarantee:
        """Return the bounded range rate * gap, with the pure epsilon rate * step where the sum of weights is constant.

        >>> Exponential(Fraction(1)).promise(Sensitivity.of(sensitivity=1, monotonic=True))
        Range(epsilon=Fraction(1, 1))
        >>> print(Exponential(Fraction(1)).promise(Sensitivity.of(sensitivity=1, normaliser="constant")))
        1-differential privacy and 2-bounded range
        """
        by_gap = self.rate * sensitivity.gap
        if sensitivity.normaliser == "constant" and sensitivity.step < sensitivity.gap:
            return PureRange(self.rate * sensitivity.step, by_gap)
        return Range(by_gap)

    @classmethod
    def calibrate(cls, target: Guarantee, sensitivity: Sensitivity) -> Self:
        """Return the mechanism with the largest rate whose promise gives the target.

        >>> from discreet.guarantees import Zcdp
        >>> float(Exponential.calibrate(Zcdp("1/8"), Sensitivity.of(range=1)).rate)
        1.0069585121552387
        """
        return cls(spendable(largest(lambda rate: cls(rate).promise(sensitivity), target), target))

    def draw(self, column: Candidates, coins: Coins) -> int:
        """Return the position of the winner.

        >>> from discreet.sampling.coins import SystemCoins
        >>> from discreet.sampling.column import Column
        >>> Exponential(Fraction(1)).draw(Column.of([0, 10**6]), SystemCoins())
        1
        """
        return choose(proposed(column, self.rate), coins)
