"""The ways to place several quantiles, proposed by floats with known chances.

Some people are landmarks: all near a quantile that is wanted, and the fewer the further away. The points after one
landmark, up to the next, form a stretch; all of them have a known least and greatest number of people below. Where that
is one number, the score of a point is known, and else it is bounded: by the middle number, and how far that may be off.
So there are some thousand stretches for a million people, and the fewer the lower the rate.

Write D for how many people too many are below a quantile. The score of a sequence of points is minus the sum of
|D_j - D_(j-1)|, where D is 0 before the first and after the last. F_j(i) is the weight of all ways to place the first j
quantiles with the j-th the first in stretch i: a sum over earlier stretches of exp(-rate |D_j(i) - D_(j-1)(i')|), which
falls off geometrically on either side. So sums that only add, never subtract, give all F_j. Distances from what is
wanted are small where it matters, so floats tell them apart at high rates too.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import comb
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.domains.crowd import Crowd, near
from discreet.sampling.coins import Coins

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]

ALONE, GROWTH = 0.5, 4.0
"""How loose a bound is at first: this many nats in all next to the quantiles, and how fast that grows further away."""
BITS = 45
SPARE = 2.0**-10
"""What the total has in hand, with ``LOSS`` of its size: far more than all rounding."""
LOSS = 2.0**-44


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Stretches:
    """Stretches of points, one after the other: private.

    A stretch ends before the point in ``ends``, where the next starts; its points have from ``middle - off`` to
    ``middle + off`` people below.

    >>> from discreet.sampling.coins import SystemCoins
    >>> crowd = Crowd((np.array([2, 5]), np.array([1, 4])), size=10, jitter=0, coins=SystemCoins())
    >>> found = Stretches.of(crowd, np.array([1]))
    >>> found.ends, found.sizes, found.middle.tolist(), found.off.tolist()
    ([6, 10], [6, 4], [0, 5], [1, 0])
    """

    ends: list[int]
    sizes: list[int]
    middle: Whole
    off: Whole

    def __repr__(self) -> str:
        return "Stretches()"

    @classmethod
    def of(cls, crowd: Crowd, ranks: Whole) -> "Stretches":
        """Divide the points at some people, given by how many are before them."""
        places, below, upto = crowd.landmarks(ranks)
        edges = [-1, *places] if places and places[-1] == crowd.size - 1 else [-1, *places, crowd.size - 1]
        least = np.array([0, *upto])[: len(edges) - 1]
        most = np.array([*below, crowd.n])[: len(edges) - 1]
        middle = (least + most) // 2
        sizes = [high - low for low, high in pairwise(edges)]
        return cls([edge + 1 for edge in edges[1:]], sizes, middle, most - middle)


class Ways:
    """Rising sequences of points for the quantiles of a crowd, drawn with a known chance that bounds their weight.

    >>> from discreet.sampling.coins import SystemCoins
    >>> crowd = Crowd((np.array([2, 5]), np.array([1, 1])), size=10, jitter=0, coins=SystemCoins())
    >>> ways = Ways(crowd, (Fraction(1, 2),), Fraction(100))
    >>> [3 <= place <= 5 for place in ways.pick(SystemCoins())[0]]
    [True]
    """

    def __init__(self, crowd: Crowd, qs: tuple[Fraction, ...], rate: Fraction, detail: int = 1) -> None:
        self.m, self._rate = len(qs), float(rate)
        self._aims = [q * crowd.n for q in qs]
        self._stretches = Stretches.of(crowd, self._ranks(crowd.n, detail))
        self._choices = _log_choices(self._stretches, self.m, self._rate)
        self._offs = [self._off(aim) for aim in self._aims]
        self._firsts: list[Floats] = []
        for j in range(1, self.m + 1):
            self._firsts.append(self._first(j))
        last = self._ends(self.m)
        self._total = float(np.logaddexp.reduce(last.ravel()))
        rounded = SPARE + LOSS * (abs(self._total) + 700 * self.m)
        self.total = self._total + rounded + self.m * last.size * 2.0 ** -_bits(last.size)

    def pick(self, coins: Coins) -> tuple[list[int], Fraction]:
        """Return a rising sequence of points, and its chance; times exp(total), that is no less than its weight."""
        used: list[tuple[int, int]] = []
        chance, left = Fraction(1), self.m
        while left:
            stretch, count, share = _drawn(self._ends(left, used[-1][0] if used else None), coins)
            used.append((stretch, count))
            chance, left = chance * share / comb(self._stretches.sizes[stretch] + count - 1, count), left - count
        return [place for stretch, count in reversed(used) for place in self._placed(stretch, count, coins)], chance

    def _placed(self, stretch: int, count: int, coins: Coins) -> list[int]:
        size = self._stretches.sizes[stretch]
        first = self._stretches.ends[stretch] - size
        return [first + one for one in _rising(size, count, coins)]

    def _ranks(self, n: int, detail: int) -> Whole:
        """Return who the landmarks are: for each quantile some of those who are nearer to it than to another."""
        loose = self.m * detail
        alone = min(ALONE / (4 * loose * self._rate), n + 1.0) if self._rate else n + 1.0
        found = [np.empty(0, dtype=np.int64)]
        for place, aim in enumerate(self._aims):
            ranks = near(int(aim), n, alone, 1 / (GROWTH * loose))
            low = (self._aims[place - 1] + aim) / 2 if place else 0
            high = (self._aims[place + 1] + aim) / 2 if place + 1 < self.m else n
            found.append(ranks[(ranks >= int(low)) & (ranks <= int(high))])
        return np.unique(np.concatenate(found))

    def _off(self, aim: Fraction) -> Floats:
        """Return how many people too many are below each stretch."""
        whole = aim.numerator // aim.denominator
        return np.asarray((self._stretches.middle - whole) - float(aim - whole), dtype=np.float64)

    def _first(self, j: int) -> Floats:
        """Return ln F_j(i) for a stretch of one point: the last of j quantiles is the first in stretch i."""
        if j == 1:
            first: Floats = -self._rate * np.abs(self._offs[0])
            return first
        held = np.asarray(np.logaddexp.reduce(self._table(j - 1), axis=0))
        return _spread(held, self._rate * self._offs[j - 2], self._rate * self._offs[j - 1])

    def _table(self, j: int, beyond: int | None = None) -> Floats:
        """Return, for c = 1, ..., j, the log of the weight with the last c of j quantiles in stretch i."""
        stay = [0.0]
        for place in range(j - 1, 0, -1):
            stay.append(stay[-1] - self._rate * float(self._aims[place] - self._aims[place - 1]))
        rows = [self._firsts[j - c][:beyond] + self._choices[c][:beyond] + stay[c - 1] for c in range(1, j + 1)]
        return np.stack(rows)

    def _ends(self, j: int, beyond: int | None = None) -> Floats:
        """Return the table for j quantiles, times the weight of going on to stretch ``beyond``, or to the end."""
        after = 0.0 if beyond is None else float(self._offs[j][beyond])
        found: Floats = self._table(j, beyond) - self._rate * np.abs(after - self._offs[j - 1][:beyond])
        return found


def _log_choices(stretches: Stretches, m: int, rate: float) -> Floats:
    """Return for c = 0, ..., m the log of how many rising sequences of c points there are, times what may be off.

    A quantile whose D is off by at most h moves two terms of the score, each by at most h.
    """
    sizes = np.array(stretches.sizes, dtype=np.float64)
    rows = [np.zeros(len(sizes))]
    for c in range(m):
        rows.append(rows[-1] + np.log((sizes + c) / (c + 1)) + 2 * rate * stretches.off)
    return np.stack(rows)


def _spread(held: Floats, before: Floats, after: Floats) -> Floats:
    """Return ln of the sum over i' < i of exp(held(i') - |after(i) - before(i')|); both rise."""
    place = np.arange(len(held))
    split = np.minimum(before.searchsorted(after), place)  # from here on, before is no less than after
    upto = np.concatenate([[-np.inf], np.logaddexp.accumulate(held + before)])
    return np.asarray(np.logaddexp(upto[split] - after, _windows(held - before, split, place) + after))


def _windows(values: Floats, starts: Whole, ends: Whole) -> Floats:
    """Return ln of the sum of exp over each window, from its start to before its end, by sums that only add.

    A window is cut into pieces whose lengths are powers of two, and those are sums of two halves.
    """
    found = np.full(len(starts), -np.inf)
    at, length = starts.copy(), 1
    widths = ends - starts
    longest = int(widths.max(initial=0))
    while length <= longest:
        some = np.flatnonzero(widths & length)
        found[some] = np.logaddexp(found[some], values[at[some]])
        at[some] += length
        values = np.logaddexp(values[: max(len(values) - length, 0)], values[length:])
        length *= 2
    return found


def _bits(count: int) -> int:
    """Return how many bits the weight of the likeliest of so many has."""
    return min(60 - count.bit_length(), BITS)


def _drawn(logs: Floats, coins: Coins) -> tuple[int, int, Fraction]:
    """Draw an entry by whole-number weights; return its stretch, its count, and the chance it had."""
    bounds = np.floor(np.exp(logs - logs.max()) * 2.0 ** _bits(logs.size)).astype(np.int64) + 1
    bounds[:-1, 0] = 0  # nothing precedes the first stretch
    weights = bounds.ravel()
    ends = weights.cumsum()
    place = int(ends.searchsorted(coins.below(int(ends[-1])), side="right"))
    count, stretch = divmod(place, logs.shape[1])
    return stretch, count + 1, Fraction(int(weights[place]), int(ends[-1]))


def _rising(size: int, count: int, coins: Coins) -> list[int]:
    """Return a rising sequence of ``count`` of ``size`` points, repeats allowed, all as likely: stars and bars."""
    chosen: set[int] = set()
    for top in range(size - 1, size + count - 1):
        one = coins.below(top + 1)
        chosen.add(top if one in chosen else one)
    return [one - place for place, one in enumerate(sorted(chosen))]
