"""What every local report is: an exponential mechanism whose sum of weights is the same whatever the person's value.

A person's own candidate is named with chance p, any other with chance q. From these two numbers follow the estimate,
its variance and its price, the same way for all families.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

from discreet.balls import Ball, at, ball, lower, upper
from discreet.guarantees import Guarantee, LaplacePair, Pure
from discreet.local.bulk import Die
from discreet.local.coding import Coding, Rows
from discreet.sampling.coins import Coins

PRECISION = 256


class Channel(Protocol):
    """Public settings of a family: candidates are numbers from 0 to ``size - 1``."""

    @property
    def size(self) -> int:
        """How many candidates there are, two at least."""
        ...

    @property
    def epsilon(self) -> Fraction:
        """The greatest log of odds between two values of one person; attained exactly."""
        ...

    @property
    def word(self) -> str:
        """The name of the family among the mechanisms of a survey."""
        ...

    @property
    def coding(self) -> Coding:
        """How its reports are written."""
        ...

    def own(self) -> Ball:
        """Enclose p, the chance that a report names the person's own candidate."""
        ...

    def other(self) -> Ball:
        """Enclose q, the chance that a report names some one other candidate."""
        ...

    def apart(self) -> Ball:
        """Enclose the chance that a report names the own candidate and not some one other."""
        ...

    def draw(self, position: int, coins: Coins) -> int:
        """Return one person's report: a position or a mask."""
        ...

    def draw_all(self, positions: Any, coins: Coins) -> Rows:
        """Return a report for each of many people."""
        ...

    def __hash__(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Facts:
    """The two chances as floats, each within one unit in the last place, and what follows from them.

    >>> facts = Facts(own=0.75, other=0.25, summed=4.0)
    >>> facts.variance(0), facts.variance(1)
    (0.75, 0.75)
    """

    own: float
    other: float
    summed: float
    """The variances of all shares added up, times the number of reports."""

    def variance(self, share: float) -> float:
        """Return the variance of one estimated share, times the number of reports, where the true one is ``share``.

        Given the people, their reports are independent coins: n f of bias p and n (1 - f) of bias q name a candidate.
        """
        p, q = self.own, self.other
        return (q * (1 - q) + share * (p - q) * (1 - p - q)) / (p - q) ** 2


@lru_cache(maxsize=256)
def facts(channel: Channel) -> Facts:
    """Return what follows from a channel's two chances: public.

    >>> from discreet.local.kary import Kary
    >>> round(facts(Kary(4, Fraction(1))).summed, 2)
    7.56
    """

    def summed() -> Ball:
        p, q = channel.own(), channel.other()
        return (channel.size * q * (1 - q) + (p - q) * (1 - p - q)) / (p - q) ** 2

    return Facts(_float(channel.own), _float(channel.other), _float(summed))


def promise(channel: Channel) -> Guarantee:
    """Return what one report guarantees for any two values of the person.

    The score moves by at most the step and the sum of weights not at all, so the loss is at most epsilon, and both
    epsilon and -epsilon are attained. There is a third loss, 0, and nothing else. So the best tests follow three
    straight lines, with a corner at (exp(-epsilon) a, a), where a is the chance of the greatest loss. If a is at most
    one half, that corner lies on the first line of the Laplace test, and all the rest within: a ``LaplacePair``.

    >>> from discreet.local.kary import Kary
    >>> promise(Kary(2, Fraction(1))), promise(Kary(4, Fraction(1)))
    (Pure(epsilon=Fraction(1, 1)), LaplacePair(epsilon=Fraction(1, 1)))
    """
    within = at(PRECISION, lambda: bool(channel.apart() <= ball(Fraction(1, 2))))
    return LaplacePair(channel.epsilon) if within else Pure(channel.epsilon)


@lru_cache(maxsize=256)
def own_coin(channel: Channel) -> Die:
    """Return the coin that says whether the own candidate is named: face 1 with chance p.

    >>> from discreet.local.kary import Kary
    >>> own_coin(Kary(2, Fraction(1))).edges(8)
    ([68], [68])
    """
    return Die(lambda: [1 - channel.own(), channel.own()])


def _float(compute: Callable[[], Ball]) -> float:
    return at(PRECISION, lambda: _middle(compute()))


def _middle(enclosed: Ball) -> float:
    return float((lower(enclosed) + upper(enclosed)) / 2)
