"""What an output domain is: public settings that fit private data to a law, which draws and can be checked.

A list of candidates needs none of this: its scores and a mechanism are enough. A domain is for outputs that are too
many to list, or not a list: numbers of a fine grid, several numbers at once, sequences, lattices.
"""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from discreet.balls import Ball
from discreet.guarantees import Guarantee
from discreet.sampling.coins import Coins
from discreet.sensitivity import Neighbours

Outcome_co = TypeVar("Outcome_co", bound=Hashable, covariant=True)


class Law(Protocol[Outcome_co]):
    """What comes out for one dataset and one rate, and how likely: private."""

    def draw(self, coins: Coins) -> Outcome_co:
        """Return an outcome, with exactly this law."""
        ...

    def chances(self) -> Mapping[Any, Ball]:
        """Return every outcome and its chance, at the working precision; refuse where they are too many to list."""
        ...


class Fitted(Protocol[Outcome_co]):
    """Data that a domain has read: private, and it does not print."""

    @property
    def domain(self) -> "Domain[Any]":
        """The public settings."""
        ...

    @property
    def neighbours(self) -> Neighbours:
        """The relation that the promise is about."""
        ...

    def law(self, rate: Fraction) -> Law[Outcome_co]:
        """Return the law of one release at this rate: the weight of an outcome is base * exp(rate * score)."""
        ...


class Domain(Protocol[Outcome_co]):
    """Public settings of an output domain: a frozen record."""

    def score(self, data: Any, neighbours: Neighbours = "add-remove") -> Fitted[Outcome_co]:
        """Read data. Whatever it holds, this succeeds or fails by public rules alone."""
        ...

    def promise(self, rate: Fraction, neighbours: Neighbours = "add-remove") -> Guarantee:
        """Return what one release at this rate guarantees."""
        ...

    def calibrate(self, target: Guarantee, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return the largest rate whose promise gives the target, rounded down."""
        ...
