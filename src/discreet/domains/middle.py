"""One quantile of some of the people, drawn from a part of a fine grid of any size: the exponential law for ranks.

Some people are landmarks: all near the quantile, and the fewer the further away. A landmark's own place has a known
score, and so have the places between two landmarks with nobody between them. For the others the score is bounded. So
there are a few hundred pieces for a million people. A piece is drawn in proportion to a whole number that bounds its
weight, then a place in it; the score of that place is counted, and a certified coin decides whether it stays.
"""

import math
from bisect import bisect_right
from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

from discreet.balls import Ball, ball, two_to
from discreet.domains.crowd import Crowd, near
from discreet.errors import SettingError
from discreet.sampling.coins import Coins
from discreet.sampling.flip import flip

ALONE, GROWTH = 0.25, 1 / 32
"""How loose a bound is at first: this many nats next to the quantile, and the growth of that with the distance."""
BITS = 45
SLACK = 2.0**-30
"""Added to every exponent, whose error is below 2**-40 wherever it matters."""
MOST_RATE = Fraction(2**900)
MOST_LISTED = 10**5
PATIENCE = 8
"""Proposals that may be refused before the bounds are made finer."""


class Piece(NamedTuple):
    """Places of a part, and the least they may miss by: private.

    >>> Piece._fields
    ('first', 'size', 'miss')
    """

    first: int
    size: int
    miss: int


class Middle:
    """The p-quantile of the people whose ranks are given, at a place from the first to the last given.

    With L people below a place and G above it, of n in all, its score is -max(0, L - pn, G - (1-p)n), as for ``Rank``.

    >>> import numpy as np
    >>> from discreet.sampling.coins import SystemCoins
    >>> crowd = Crowd((np.array([4]), np.array([99])), size=10, jitter=0, coins=SystemCoins())
    >>> Middle(crowd, (0, 9), (0, 99), Fraction(1, 2), Fraction(1)).draw(SystemCoins())
    4
    """

    def __init__(
        self, crowd: Crowd, places: tuple[int, int], ranks: tuple[int, int], p: Fraction, rate: Fraction
    ) -> None:
        self._crowd, self._places, self._ranks, self._p = crowd, places, ranks, p
        self._rate = rate / p.denominator
        """The rate of one share of a person, of which p is a whole number."""

    def __repr__(self) -> str:
        return "Middle()"

    def draw(self, coins: Coins) -> int:
        """Return a place, with exactly this law."""
        detail = 1
        while True:
            pieces = self._pieces(detail)
            best = min(piece.miss for piece in pieces)
            powers = [self._power(piece, best) for piece in pieces]
            top = max(powers)
            bounds = [math.floor(math.exp(power - top + SLACK) * 2.0**BITS) + 1 for power in powers]
            ends = list(accumulate(bounds))
            for _ in range(PATIENCE):
                at = _drawn(ends, coins)
                place = pieces[at].first + coins.below(pieces[at].size)
                scale = Fraction(pieces[at].size, bounds[at])
                if flip(coins, lambda: self._weight(place, best, top) * ball(scale) * two_to(BITS)):  # noqa: B023
                    return place
            detail *= 2

    def chances(self) -> Mapping[int, Ball]:
        """Return every place and its chance, for small grids."""
        low, high = self._places
        if high - low >= MOST_LISTED:
            raise SettingError.of("step", f"a grid of at most {MOST_LISTED} points to list chances", "a finer one")
        weights = {place: self._weight(place, 0, 0.0) for place in range(low, high + 1)}
        total = sum(weights.values(), ball(0))
        return {place: weight / total for place, weight in weights.items()}

    def _weight(self, place: int, best: int, top: float) -> Ball:
        """Enclose the weight of a place over exp(top), at the working precision."""
        miss = self._miss(self._crowd.below(place), self._crowd.upto(place))
        return ball(-self._rate * (miss - best) - Fraction(top)).exp()

    def _miss(self, below: int, upto: int) -> int:
        """Return minus the score of a place with so many people below it and up to it, in shares of a person."""
        first, beyond = self._ranks
        whole, target = self._p.denominator, self._p.numerator * (beyond - first)
        return max(0, whole * (max(below, first) - first) - target, target - whole * (upto - first))

    def _power(self, piece: Piece, best: int) -> float:
        """Return the log of a bound on the weight of a piece, from the best score; a lower rate only raises it."""
        return math.log(piece.size) - float(min(self._rate * (piece.miss - best), MOST_RATE))

    def _pieces(self, detail: int) -> list[Piece]:
        """Divide the part at landmarks."""
        (low, high), (first, beyond) = self._places, self._ranks
        n, rate = beyond - first, float(min(self._rate * self._p.denominator, MOST_RATE))
        alone = ALONE / (2 * detail * rate) if rate else math.inf
        ranks = near(int(self._p * n), n, alone, GROWTH / detail) + first
        found, start, passed = list[Piece](), low, first
        for place, below, upto in zip(*self._crowd.landmarks(ranks), strict=True):
            found.append(Piece(start, place - start, self._miss(passed, below)))
            found.append(Piece(place, 1, self._miss(below, upto)))
            start, passed = place + 1, upto
        found.append(Piece(start, high + 1 - start, self._miss(passed, beyond)))
        return [piece for piece in found if piece.size]


def _drawn(ends: list[int], coins: Coins) -> int:
    """Return a position in proportion to whole numbers, given as their sums."""
    return bisect_right(ends, coins.below(ends[-1]))
