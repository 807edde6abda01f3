"""The k best in one draw: all sequences of different candidates, by the count they miss at their worst position.

A sequence s of k candidates has score -max over i of (c_(i) - count of s_i), where c_(1) >= c_(2) >= ... are the counts
in order (Gillenwater, Joseph, Munoz and Ribero 2022). Peeling pays for k rounds; this pays once, for ln(d**k) nats
of candidates. So it wins where the counts fall steeply at rank k, and loses badly where they are flat: the choice
must rest on public knowledge, never on the counts.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from discreet.balls import Ball
from discreet.errors import DataError, SettingError
from discreet.exact import whole
from discreet.guarantees import Guarantee, Range
from discreet.readings import largest
from discreet.sampling.coins import Coins
from discreet.sampling.sequences import JointLaw, Sequences
from discreet.sensitivity import Neighbours

Candidates = Sequence[Hashable]
Answer = tuple[Hashable, ...]

LARGEST = 2**62
"""Larger counts count as this one."""


@dataclass(frozen=True, slots=True)
class JointTopK:
    """Name ``count`` of the candidates in order, best first, in one draw; a person adds at most one to any count.

    ``at_most`` is how many candidates one person may touch: no number means any. A sequence comes with chance exactly
    in proportion to exp(-rate * the largest count missed).

    >>> from discreet.guarantees import Pure
    >>> JointTopK(["ash", "elm", "fir"], 2).calibrate(Pure(1))
    Fraction(1, 2)
    """

    candidates: Candidates
    count: int
    at_most: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.candidates, str | bytes):
            raise SettingError.of("candidates", "a list of labels", self.candidates)
        names = self.candidates if isinstance(self.candidates, range) else tuple(self.candidates)
        if not names or (not isinstance(names, range) and len(set(names)) < len(names)):
            raise SettingError("candidates: wanted one or more, each named once; got none, or one that is named twice")
        object.__setattr__(self, "candidates", names)
        object.__setattr__(self, "count", whole(self.count, "count", most=len(names)))
        if self.at_most is not None:
            object.__setattr__(self, "at_most", whole(self.at_most, "at_most"))

    @property
    def limit(self) -> int:
        """How many candidates one person touches at most."""
        return min(self.at_most or len(self.candidates), len(self.candidates))

    def score(self, data: Iterable[Any], neighbours: Neighbours = "add-remove") -> "Standing":
        """Read people: each a label, or a list, tuple or set of them.

        What is no candidate drops, and of one person the first ``at_most`` stand, in the order of the candidates.

        >>> JointTopK(["ash", "elm", "fir"], 2).score(["ash", ["elm", "ash"], "oak"])
        Standing(2 of 3 candidates)
        """
        place = {name: position for position, name in enumerate(self.candidates)}
        counts = np.zeros(len(place), dtype=np.int64)
        for person in data:
            counts[sorted(_named(person, place))[: self.limit]] += 1
        return Standing(self, neighbours, counts)

    def score_counts(self, counts: Sequence[int] | NDArray[Any], neighbours: Neighbours = "add-remove") -> "Standing":
        """Read one count a candidate, counted elsewhere under the same limit a person; below zero counts as zero.

        >>> JointTopK(range(3), 2).score_counts([5, 0, 9], "replace").neighbours
        'replace'
        """
        given = np.asarray(counts)
        if given.shape != (len(self.candidates),):
            raise SettingError.of("counts", f"one for each of {len(self.candidates)} candidates", given.shape)
        if given.dtype.kind not in "biu":
            raise DataError("counts: wanted whole numbers of 64 bits")
        narrow = np.minimum(given, LARGEST) if given.dtype == np.uint64 else given
        return Standing(self, neighbours, narrow.astype(np.int64).clip(0, LARGEST))

    def gap(self, neighbours: Neighbours = "add-remove") -> int:
        """Return the most that one person moves the difference of two scores; the claim's page has the argument.

        >>> JointTopK(range(9), 3).gap(), JointTopK(range(9), 1).gap(), JointTopK(range(9), 3).gap("replace")
        (2, 1, 4)
        """
        if self.count == 1 or len(self.candidates) <= 2:
            return 1 if neighbours == "add-remove" else 2
        if neighbours == "add-remove":
            return 2
        return 3 if self.limit == 1 else 4

    def promise(self, rate: Fraction, neighbours: Neighbours = "add-remove") -> Guarantee:
        """Return the bounded range rate * gap.

        >>> JointTopK(range(9), 3).promise(Fraction(1, 4))
        Range(epsilon=Fraction(1, 2))
        """
        return Range(rate * self.gap(neighbours))

    def calibrate(self, target: Guarantee, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return the largest rate whose promise gives the target, rounded down.

        >>> from discreet.guarantees import Zcdp
        >>> round(float(JointTopK(range(9), 3).calibrate(Zcdp("1/8"))), 6)
        0.503479
        """
        rate = largest(lambda rate: self.promise(rate, neighbours), target)
        if rate <= 0:
            raise SettingError.of("guarantee", "one that leaves something to spend", str(target))
        return rate


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Standing:
    """The counts that were read: private, and they do not print.

    >>> JointTopK(range(3), 1).score([0, 1, 1])
    Standing(1 of 3 candidates)
    """

    domain: JointTopK
    neighbours: Neighbours
    counts: NDArray[np.int64]

    def __repr__(self) -> str:
        return f"Standing({self.domain.count} of {len(self.counts)} candidates)"

    def law(self, rate: Fraction) -> "Order":
        """Return the law of one release at this rate.

        >>> JointTopK(range(3), 1).score([0, 1, 1]).law(Fraction(1))
        Order(1 of 3 candidates)
        """
        return Order(self.domain, JointLaw(Sequences(self.counts, self.domain.count), rate))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Order:
    """Which candidates come out, in which order: draws labels.

    >>> from discreet.sampling.coins import SystemCoins
    >>> top = JointTopK(["ash", "elm", "fir"], 2)
    >>> top.score_counts([0, 9000, 5000]).law(Fraction(1)).draw(SystemCoins())
    ('elm', 'fir')
    """

    domain: JointTopK
    places: JointLaw

    def __repr__(self) -> str:
        return f"Order({self.domain.count} of {len(self.domain.candidates)} candidates)"

    def draw(self, coins: Coins) -> Answer:
        """Return the labels, best first, with exactly this law."""
        return self._labels(self.places.draw(coins))

    def chances(self) -> Mapping[Answer, Ball]:
        """Return every answer and its chance, at the working precision; refuse where they are too many to list."""
        return {self._labels(places): chance for places, chance in self.places.chances().items()}

    def _labels(self, places: Iterable[int]) -> Answer:
        return tuple(self.domain.candidates[place] for place in places)


def _named(person: object, place: Mapping[Hashable, int]) -> set[int]:
    """Return the positions of the candidates that a person names, whatever the person is."""
    several = isinstance(person, list | tuple | set | frozenset)
    labels = cast("Iterable[Any]", person) if several else [person]
    found: set[int] = set()
    for label in labels:
        try:
            position = place.get(label)
        except TypeError:  # what cannot be a key is no candidate
            continue
        if position is not None:
            found.add(position)
    return found
