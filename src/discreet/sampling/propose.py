"""Floats propose: integer upper bounds on every weight, and an exact draw in proportion to them.

With scores q, rate r and the best score m, candidate i has weight w_i = exp(-r (m - q_i)) in (0, 1]. A block of scores
is bounded by whole numbers W_i >= 2**bits * w_i, computed with ordinary float code whose error is thousands of times
smaller than the slack added. A whole block is first bounded by one number, in single precision; a block whose best
score is so low that every W_i would be 1 needs no exponential at all. ``pick`` draws i with chance exactly
W_i / total, or nothing where a bound was loose. What is kept of the proposals is decided elsewhere, by certified
arithmetic, so float code can cost time and never exactness.
"""

import math
from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.balls import Ball, ball, ratio
from discreet.errors import GuardError
from discreet.sampling.coins import Coins
from discreet.sampling.column import BLOCK, Array, Column, distances, whole_or_fraction
from discreet.sampling.threads import spread

Sums: TypeAlias = NDArray[np.float64]

BITS = 38
LN2 = math.log(2)
SLACK = math.log1p(2.0**-30)
"""Added to every exponent in double precision, whose error here is below 2**-46."""
LOOSE = 1 + 2.0**-8
"""Multiplies block sums in single precision, whose error here is below 2**-9."""


class Proposal:
    """The scores of a column, bounded from above by whole numbers and ready to be drawn from.

    ``lift`` doubles all weights that many times, capped at one: noisy max with Laplace noise needs it.

    >>> from discreet.sampling.coins import SystemCoins
    >>> Proposal(Column.of([5, 5]), Fraction(1)).pick(SystemCoins())[0] in (0, 1)
    True
    """

    def __init__(self, column: Column, rate: Fraction, bits: int = BITS, lift: int = 0) -> None:
        self.column = column
        self.rate = rate * column.unit
        self.bits = bits
        self.lift = lift
        self._exact_rate = ratio(self.rate)
        self._factor, self._float_rate = _split(self.rate)
        self._gone: dict[int, list[int]] = {}
        self.tops = column.tops()
        self.remaining = len(column)
        self.anchor()

    def anchor(self) -> None:
        """Measure all weights from the best score that is left."""
        self.top = self.tops.max()
        self.best = self.column.greatest() if not self._gone else whole_or_fraction(self.top)
        self._open: tuple[int, Sums] = (-1, np.zeros(0))
        if len(self.tops) == 1:
            self._open = (0, np.cumsum(self._weights(0)))
            self._totals = [int(self._open[1][-1])]
        else:
            self._totals = self._bound_blocks()
        self._ends = list(accumulate(self._totals))

    def anchor_on_best(self) -> None:
        """Measure anew if the best score has been taken out."""
        if self.tops.max() != self.top:
            self.anchor()

    @property
    def total(self) -> int:
        """The sum of all bounds."""
        return self._ends[-1]

    def pick(self, coins: Coins) -> tuple[int, int] | None:
        """Return position i and its bound W_i with chance W_i / total, or None where a block's bound was loose."""
        drawn = coins.below(self.total)
        block = bisect_right(self._ends, drawn)
        rest = drawn - (self._ends[block - 1] if block else 0)
        sums = self._sums(block)
        if rest >= sums[-1]:
            return None
        offset = int(sums.searchsorted(rest, side="right"))
        below = sums[offset - 1] if offset else 0.0
        return block * BLOCK + offset, int(sums[offset] - below)

    def weight(self, position: int) -> Ball:
        """Enclose the true weight of one candidate, at the working precision (lift included, not capped)."""
        fall = self.best - self.column.stored(position)
        return ball(self._exact_rate * -ratio(fall)).exp() * (1 << self.lift)

    def share(self, position: int, bound: int) -> Ball:
        """Enclose the chance that a proposal of this candidate stands: its weight over its bound."""
        return self.weight(position) * (1 << self.bits) / bound

    def table(self) -> tuple[Sums, Sums]:
        """Return every bound W_i, and every rate * (best - score), in floats."""
        bounds = np.concatenate([self._weights(block) for block in range(len(self.tops))])
        with np.errstate(over="ignore"):
            return bounds, distances(self.column.data, self.top, self._factor) * self._float_rate

    def remove(self, position: int) -> None:
        """Take one candidate out; the other weights stay measured from the same score."""
        if not self._gone:
            self.tops = self.tops.copy()
        block, offset = divmod(position, BLOCK)
        self._gone.setdefault(block, []).append(offset)
        self.remaining -= 1
        self.tops[block] = self._top_left(block)
        sums = np.cumsum(self._weights(block))
        self._open = (block, sums)
        self._totals[block] = int(sums[-1])
        self._ends = list(accumulate(self._totals))
        if self.total < 4 * self.remaining:  # proposals would mostly be slack
            self.anchor()

    def _sums(self, block: int) -> Sums:
        if self._open[0] != block:
            sums = np.cumsum(self._weights(block))  # whole numbers below 2**53: exact
            if sums[-1] > self._totals[block]:
                raise GuardError("a block passed its proved upper bound; nothing was released")
            self._open = (block, sums)
        return self._open[1]

    def _weights(self, block: int) -> Sums:
        with np.errstate(over="ignore"):  # too far to matter, or taken out: both are settled below
            powers = distances(self._slice(block), self.top, self._factor)
            powers *= -self._float_rate
            powers += self.bits * LN2 + SLACK + self.lift * LN2
            if self.lift:
                np.minimum(powers, self.bits * LN2 + SLACK, out=powers)
            np.exp(powers, out=powers)
        np.floor(powers, out=powers)
        powers += 1
        if block in self._gone:
            powers[self._gone[block]] = 0
        return powers

    def _bound_blocks(self) -> list[int]:
        sizes = np.full(len(self.tops), BLOCK)
        sizes[-1] = len(self.column) - BLOCK * (len(self.tops) - 1)
        for block, gone in self._gone.items():
            sizes[block] -= len(gone)
        with np.errstate(over="ignore"):
            falls = distances(self.tops, self.top, self._factor) * self._float_rate - self.lift * LN2
        hot = np.flatnonzero(falls < (self.bits + 1) * LN2)  # elsewhere every bound is 1
        spread(lambda first, last: self._bound_some(hot[first:last], sizes), len(hot))
        return [int(size) for size in sizes]

    def _bound_some(self, blocks: NDArray[np.intp], sizes: NDArray[np.int64]) -> None:
        narrow = np.empty(BLOCK, dtype=np.float32) if self._fits_single() else None
        for block in blocks:
            if narrow is None or int(block) in self._gone:
                sizes[block] = int(self._weights(int(block)).sum())
            else:
                data = self._slice(int(block))
                sizes[block] += math.ceil(self._sum_single(data, narrow[: len(data)]) * LOOSE * (1 << self.bits))

    def _sum_single(self, data: Array, powers: NDArray[np.float32]) -> float:
        with np.errstate(over="ignore"):
            np.copyto(powers, data, casting="same_kind")
        powers *= np.float32(self._float_rate)
        powers -= np.float32(self._float_rate * float(self.top))
        np.exp(powers, out=powers)
        return float(powers.sum())

    def _fits_single(self) -> bool:
        """Whether rate * score, rounded to single precision, is off by less than 2**-11 wherever it matters."""
        size = abs(float(self.top))
        usual = self._factor == 1 and not self.lift and 2.0**-60 < self._float_rate < 2.0**60
        return usual and size < 2.0**60 and size * self._float_rate < 2.0**10

    def _slice(self, block: int) -> Array:
        return self.column.data[block * BLOCK : (block + 1) * BLOCK]

    def _top_left(self, block: int) -> Any:
        data = self._slice(block)
        left = np.ones(len(data), dtype=bool)
        left[self._gone[block]] = False
        lowest = -np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min
        return data.max(where=left, initial=lowest)


def _split(rate: Fraction) -> tuple[float, float]:
    """Write a rate as a power of two times a float, never above it by more than half a unit in the last place."""
    power = rate.numerator.bit_length() - rate.denominator.bit_length()
    if abs(power) < 900:
        return 1.0, float(rate)
    power = max(-1000, min(1000, power))
    return 2.0**power, float(min(rate / Fraction(2) ** power, Fraction(2) ** 900))
