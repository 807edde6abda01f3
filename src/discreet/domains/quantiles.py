"""Several quantiles at once by halving (Kaplan, Schnapp and Stemmer 2022), on a public grid of any size.

The middle quantile is drawn first, by the exponential mechanism for ranks; it splits the data and the grid, and each
half is asked for its own quantiles. So m quantiles take floor(log2(m)) + 1 levels, and on one level everybody is in
one part.

Ties would be a trouble: a run of equal values must be split between two halves. So each value is first moved by a
random amount within its own cell of the grid, by extra low bits that are dropped from the answer. What is done to each
person's value by itself costs no privacy.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.balls import Ball, ball
from discreet.domains.crowd import Crowd
from discreet.domains.middle import Middle
from discreet.domains.settings import Held, reached
from discreet.errors import SettingError
from discreet.exact import Number, chance, plain
from discreet.guarantees import Guarantee, Pure, Range, Zcdp
from discreet.points import Points, bounded
from discreet.readings import as_zcdp, edge, implies, largest
from discreet.sampling.coins import Coins, SystemCoins
from discreet.sensitivity import Neighbours

Places: TypeAlias = NDArray[np.int64]
Outcome: TypeAlias = tuple[int | Decimal, ...]
Account: TypeAlias = Literal["pure", "zcdp"]

MOST_JITTER = 32
"""Bits of random movement within a cell. Of a million people in one cell about a hundred pairs meet again."""


@dataclass(frozen=True, slots=True, init=False)
class ApproximateQuantiles:
    """Release several quantiles; the rate is the bounded range of one level.

    >>> quartiles = ApproximateQuantiles((0, 1000), qs=["0.25", "0.5", "0.75"])
    >>> quartiles.levels, quartiles.promise(Fraction(1, 2)), quartiles.calibrate(Pure(1))
    (2, Pure(epsilon=Fraction(1, 1)), Fraction(1, 2))

    A node with target p scores by rank with gap 2 max(p, 1 - p) (``Rank``), so rate / gap makes it a bounded range of
    ``rate``. Add-remove: on a level a person is in one node, so a level is one bounded range of ``rate``, and levels
    follow one another. Replace: a person may leave one node and enter another, so nodes run at half that rate.
    """

    points: Points
    qs: tuple[Fraction, ...]
    account: Account

    def __init__(
        self,
        bounds: tuple[Number, Number],
        step: Number = 1,
        qs: Iterable[Number] = ("1/4", "1/2", "3/4"),
        account: Account = "pure",
    ) -> None:
        if account not in {"pure", "zcdp"}:
            raise SettingError.of("account", "'pure' or 'zcdp'", account)
        object.__setattr__(self, "points", bounded(bounds, step))
        object.__setattr__(self, "qs", rising(qs))
        object.__setattr__(self, "account", account)

    @property
    def levels(self) -> int:
        """How often the data is split: one level for one quantile, two for three, three for seven."""
        return len(self.qs).bit_length()

    def gap(self, neighbours: Neighbours) -> Fraction:
        """Return how far the difference of two scores moves, at the node where it moves most."""
        widest = max(max(p, 1 - p) for p in _targets(self.qs))
        return widest * (2 if neighbours == "add-remove" else 4)

    def promise(self, rate: Fraction, neighbours: Neighbours = "add-remove") -> Guarantee:
        """Return what all levels promise together: the sum of their epsilons, or of their rhos."""
        del neighbours  # the rate of a node depends on it, and so the promise does not
        zcdp = as_zcdp(Range(rate))
        assert zcdp is not None  # noqa: S101 - for the type checkers: a bounded range has a rho
        return Zcdp(self.levels * zcdp.rho) if self.account == "zcdp" else Pure(self.levels * rate)

    def calibrate(self, target: Guarantee, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return the largest rate whose promise gives the target."""
        if self.account == "pure":
            return largest(Pure, target) / self.levels
        return edge(lambda rate: implies(self.promise(rate, neighbours), target))[0]

    def score(self, data: Any, neighbours: Neighbours = "add-remove") -> "Placed":
        """Read numbers: rounded down to the grid, clipped to the bounds; what is no number drops."""
        return Placed(self, reached(data, self.points), neighbours)

    def score_places(self, places: Places, people: Places, neighbours: Neighbours = "add-remove") -> "Placed":
        """Read how many people are at each of some places of the grid, in rising order.

        >>> ApproximateQuantiles((0, 9)).score_places(np.array([3, 4]), np.array([10, 20]))
        Placed(3 quantiles of 10 points)
        """
        return Placed(self, (places, people), neighbours)

    def law(self, fitted: "Placed", rate: Fraction, jitter: int) -> "HalvingLaw":
        """Return the law of drawing the middle one first, and going on in both halves."""
        return HalvingLaw(fitted, rate, jitter)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Placed:
    """How many people are where on the grid of several quantiles: private.

    >>> ApproximateQuantiles((0, 9)).score([3, 4])
    Placed(3 quantiles of 10 points)
    """

    domain: Any
    held: Held
    neighbours: Neighbours

    def __repr__(self) -> str:
        return f"Placed({len(self.domain.qs)} quantiles of {len(self.domain.points)} points)"

    def law(self, rate: Fraction, jitter: int | None = None) -> Any:
        """Return the law at a rate; values are moved within their cells by ``jitter`` bits."""
        return self.domain.law(self, rate, MOST_JITTER if jitter is None else min(jitter, MOST_JITTER))

    def crowd(self, jitter: int, coins: Coins) -> Crowd:
        """Return everybody on the finer grid, each at a random place within their cell."""
        return Crowd(self.held, len(self.domain.points), jitter, coins)


class _Part(NamedTuple):
    """A part of the grid, from ``low`` to ``high``, who is in it by rank, and the quantiles wanted of them."""

    low: int
    high: int
    first: int
    beyond: int
    qs: Sequence[Fraction]

    @property
    def middle(self) -> int:
        return (len(self.qs) - 1) // 2

    def halves(self, place: int, upto: int) -> "tuple[_Part, _Part]":
        """Split people and grid at a place with so many people up to it; measure the other targets within halves."""
        p, after = self.qs[self.middle], self.qs[self.middle + 1 :]
        lower = _Part(self.low, place, self.first, upto, [q / p for q in self.qs[: self.middle]])
        return lower, _Part(place, self.high, upto, self.beyond, [(q - p) / (1 - p) for q in after])


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class HalvingLaw:
    """What comes out for one dataset and one rate.

    >>> law = ApproximateQuantiles((0, 9), qs=["1/2"]).score([4] * 99).law(Fraction(1), jitter=0)
    >>> round(float(law.chances()[4,]), 6)
    1.0
    """

    fitted: Placed
    rate: Fraction
    jitter: int

    def draw(self, coins: Coins) -> Outcome:
        """Move everybody within their cells, then draw quantile by quantile, the middle one first."""
        points, crowd = self.fitted.domain.points, self.fitted.crowd(self.jitter, coins)
        return tuple(points[place >> self.jitter] for place in self._drawn(crowd, self._whole(crowd), coins))

    def chances(self) -> Mapping[Outcome, Ball]:
        """Return every outcome and its chance; only without jitter, and for small grids."""
        if self.jitter:
            raise SettingError.of("jitter", "0, to list the law of values that stay where they are", self.jitter)
        points, crowd = self.fitted.domain.points, self.fitted.crowd(0, SystemCoins())
        found = self._listed(crowd, self._whole(crowd))
        return {tuple(points[place] for place in drawn): share for drawn, share in found.items()}

    def _whole(self, crowd: Crowd) -> _Part:
        return _Part(0, crowd.size - 1, 0, crowd.n, self.fitted.domain.qs)

    def _node(self, crowd: Crowd, part: _Part) -> Middle:
        """Return how the middle quantile of a part is drawn."""
        p = part.qs[part.middle]
        gap = 2 * max(p, 1 - p) * (1 if self.fitted.neighbours == "add-remove" else 2)
        return Middle(crowd, (part.low, part.high), (part.first, part.beyond), p, self.rate / gap)

    def _drawn(self, crowd: Crowd, part: _Part, coins: Coins) -> list[int]:
        if not part.qs:
            return []
        place = self._node(crowd, part).draw(coins)
        lower, upper = part.halves(place, crowd.upto(place))
        return [*self._drawn(crowd, lower, coins), place, *self._drawn(crowd, upper, coins)]

    def _listed(self, crowd: Crowd, part: _Part) -> dict[tuple[int, ...], Ball]:
        if not part.qs:
            return {(): ball(1)}
        found: dict[tuple[int, ...], Ball] = {}
        for place, share in self._node(crowd, part).chances().items():
            lower, upper = part.halves(place, crowd.upto(place))
            for before, one in self._listed(crowd, lower).items():
                for after, other in self._listed(crowd, upper).items():
                    found[*before, place, *after] = share * one * other
        return found


def rising(qs: Iterable[Number]) -> tuple[Fraction, ...]:
    """Read shares of the people, which must rise.

    >>> rising(["0.25", "0.5"])
    (Fraction(1, 4), Fraction(1, 2))
    """
    found = tuple(chance(q, "qs") for q in qs)
    if not found or any(one >= other for one, other in pairwise(found)):
        told = ", ".join(map(plain, found)) or "none"
        raise SettingError("qs: wanted one or more shares between 0 and 1 that rise, got " + told)
    return found


def _targets(qs: Sequence[Fraction]) -> Iterator[Fraction]:
    """Yield the share that each node asks for, of the people in its part."""
    if qs:
        middle = (len(qs) - 1) // 2
        p = qs[middle]
        yield p
        yield from _targets([q / p for q in qs[:middle]])
        yield from _targets([(q - p) / (1 - p) for q in qs[middle + 1 :]])
