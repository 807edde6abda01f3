"""The exponential mechanism (McSherry and Talwar 2007)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Self

from discreet.errors import SettingError
from discreet.guarantees import Guarantee, Pure, Range
from discreet.mechanisms.base import spendable
from discreet.readings import pure_within, range_within
from discreet.sampling.choose import choose
from discreet.sampling.coins import Coins
from discreet.sampling.column import Column
from discreet.sampling.propose import Proposal
from discreet.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True)
class Exponential:
    """Pick candidate i with chance exactly in proportion to exp(rate * score i).

    Protects one unit of the sensitivity's neighbour relation. Between neighbours the scores change by v, and the log of
    P(i) / Q(i) is rate * v_i plus the same number for all i. So it varies by at most rate * gap: a bounded range.
    Where the sum of all weights does not depend on the data that same number is 0, and the loss is at most rate * step.

    >>> from discreet.guarantees import Pure
    >>> Exponential.calibrate(Pure(1), Sensitivity.of(sensitivity=1)).rate
    Fraction(1, 2)
    """

    rate: Fraction
    states: Literal["gap", "step"] = "gap"
    """Which of its true promises it states: by the gap, or by the step where the sum of weights is constant."""

    def promise(self, sensitivity: Sensitivity) -> Guarantee:
        """Return the bounded range rate * gap, or the pure epsilon rate * step.

        >>> Exponential(Fraction(1)).promise(Sensitivity.of(sensitivity=1, monotonic=True))
        Range(epsilon=Fraction(1, 1))
        """
        if self.states == "gap":
            return Range(self.rate * sensitivity.gap)
        if sensitivity.normaliser != "constant":
            raise SettingError.of("normaliser", "'constant' for a promise by the step", sensitivity.normaliser)
        return Pure(self.rate * sensitivity.step)

    @classmethod
    def calibrate(cls, target: Guarantee, sensitivity: Sensitivity) -> Self:
        """Return the mechanism with the largest rate of which a promise gives the target.

        >>> from discreet.guarantees import Zcdp
        >>> float(Exponential.calibrate(Zcdp("1/8"), Sensitivity.of(range=1)).rate)
        1.0069585121552387
        """
        by_gap = range_within(target) / sensitivity.gap
        by_step = pure_within(target) / sensitivity.step if sensitivity.normaliser == "constant" else Fraction(0)
        if by_step > by_gap:
            return cls(spendable(by_step, target), "step")
        return cls(spendable(by_gap, target))

    def draw(self, column: Column, coins: Coins) -> int:
        """Return the position of the winner.

        >>> from discreet.sampling.coins import SystemCoins
        >>> Exponential(Fraction(1)).draw(Column.of([0, 10**6]), SystemCoins())
        1
        """
        return choose(Proposal(column, self.rate), coins)
