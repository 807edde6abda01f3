"""Amounts as whole numbers of one small unit, so that sums are exact and every database can compare them.

A unit is 10**-18 divided by the least number that all of 1 to 100 divide. So up to a hundred equal shares of a limit
with at most 18 decimals fill it exactly: ten tenths, three thirds, 97 parts of 97. Anything finer is rounded to a unit,
a charge up and a limit down. Stored as digits of one length, the order of texts is the order of numbers.
"""

from fractions import Fraction
from math import ceil, floor, lcm
from typing import NamedTuple

from discreet.errors import SettingError
from discreet.exact import plain

SCALE = 10**18 * lcm(*range(1, 101))
"""Units in 1."""
MOST = 10**12
"""Budgets reach up to here."""
WIDTH = len(str(SCALE * MOST))
"""Digits of a stored amount."""


class Cost(NamedTuple):
    """What a charge takes, in units: of the rule's own number (epsilon, rho, releases), and of the spare delta.

    >>> Cost(1, 0).plus(Cost(2, 5)), Cost(1, 0).within(Cost(1, 5)), Cost(1, 6).within(Cost(1, 5))
    (Cost(amount=3, delta=5), True, False)
    """

    amount: int
    delta: int

    def plus(self, other: "Cost") -> "Cost":
        """Add both numbers."""
        return Cost(self.amount + other.amount, self.delta + other.delta)

    def minus(self, other: "Cost") -> "Cost":
        """Take both numbers off."""
        return Cost(self.amount - other.amount, self.delta - other.delta)

    def times(self, count: int) -> "Cost":
        """Count it several times."""
        return Cost(self.amount * count, self.delta * count)

    def within(self, limit: "Cost") -> bool:
        """Return whether neither number is above the limit's."""
        return self.amount <= limit.amount and self.delta <= limit.delta


NOTHING = Cost(0, 0)


def charged(amount: Fraction) -> int:
    """Return an amount in units, rounded up.

    >>> charged(Fraction(1, 3)) * 3 == SCALE, charged(Fraction(1, 10**99))
    (True, 1)
    """
    return ceil(amount * SCALE)


def granted(limit: Fraction, name: str) -> int:
    """Return a limit in units, rounded down.

    >>> granted(Fraction(3), "epsilon") // charged(Fraction(1, 10))
    30
    """
    if limit > MOST:
        raise SettingError.of(name, f"a number up to {plain(Fraction(MOST))}", limit)
    return floor(limit * SCALE)


def shown(units: int) -> Fraction:
    """Return so many units as the number they are.

    >>> shown(charged(Fraction(1, 7)))
    Fraction(1, 7)
    """
    return Fraction(units, SCALE)


def written(units: int) -> str:
    """Return units as text of the fixed length.

    >>> written(7) < written(10), len(written(10)) == WIDTH
    (True, True)
    """
    return f"{units:0{WIDTH}d}"
