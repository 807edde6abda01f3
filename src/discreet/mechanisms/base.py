"""What every mechanism is: a frozen record that says what it promises and how it draws."""

from fractions import Fraction
from typing import Protocol

from discreet.errors import SettingError
from discreet.guarantees import Guarantee
from discreet.sampling.coins import Coins
from discreet.sampling.levels import Candidates
from discreet.sensitivity import Sensitivity


class Mechanism(Protocol):
    """Settings in the record; scores and coins as arguments."""

    @property
    def rate(self) -> Fraction:
        """Return how much one point of score weighs: candidate i has weight exp(rate * score i)."""
        ...

    def promise(self, sensitivity: Sensitivity) -> Guarantee:
        """Return what one use guarantees for scores this sensitive."""
        ...

    def draw(self, column: Candidates, coins: Coins) -> int:
        """Return the position of the winner, with exactly the mechanism's law."""
        ...


def spendable(amount: Fraction, target: Guarantee) -> Fraction:
    """Return the amount, refusing a target that leaves nothing to draw with.

    >>> from discreet.guarantees import Pure
    >>> spendable(Fraction(1), Pure(1))
    Fraction(1, 1)
    """
    if amount <= 0:
        raise SettingError.of("guarantee", "one that leaves something to spend", str(target))
    return amount
