"""Floats propose: integer upper bounds on every weight, and an exact draw in proportion to them.

With scores q, rate r and the best score m, candidate i has weight w_i = exp(-r (m - q_i)) in (0, 1]. Whole numbers
W_i >= 2**bits * w_i are computed with ordinary float code whose error is thousands of times smaller than the slack
added. At first a block is known only by its best score, which bounds all its weights at once: one pass over memory, and
an exponential a block. ``pick`` draws a block by its bound, opens it, and draws i in it, so i comes with chance exactly
W_i / total, or nothing where the block's bound was loose; an opened block is known exactly from then on. What is kept
of the proposals is decided elsewhere, by certified arithmetic, so float code can cost time and never exactness.
"""

import math
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.balls import Ball, exponential, ratio, two_to
from discreet.errors import GuardError, SettingError
from discreet.sampling.coins import Coins
from discreet.sampling.column import BLOCK, Array, Column, distances, whole_or_fraction

Floats: TypeAlias = NDArray[np.float64]

LN2 = math.log(2)
BITS = 38
"""Bits of an integer weight: sums over a block stay exact in a double, and over 2**23 scores in 61 bits."""
SLACK = math.log1p(2.0**-30)
"""Added to every exponent, whose error is below 2**-46."""


class Proposal:
    """The scores of a column, bounded from above by whole numbers and ready to be drawn from.

    ``lift`` doubles all weights that many times, capped at one: noisy max with Laplace noise needs it.

    >>> from discreet.sampling.coins import SystemCoins
    >>> Proposal(Column.of([5, 5]), Fraction(1)).pick(SystemCoins())[0] in (0, 1)
    True
    """

    def __init__(self, column: Column, rate: Fraction, bits: int = BITS, lift: int = 0) -> None:
        if not len(column):
            raise SettingError.of("scores", "at least one candidate", [])
        self.column = column
        self.rate = rate if column.unit == 1 else rate * column.unit
        self.bits = min(bits, 61 - len(column).bit_length())
        self.lift = lift
        self._fall_rate = -ratio(self.rate)
        self._factor, self._float_rate = split(self.rate)
        self._gone: dict[int, list[int]] = {}
        self.tops = column.tops()
        self.remaining = len(column)
        self.anchor()

    def anchor(self) -> None:
        """Measure all weights from the best score that is left."""
        self.top = self.tops[0] if len(self.tops) == 1 else self.tops.max()
        self.best = 0 if self.column.exact is not None else whole_or_fraction(self.top)
        self._opened: dict[int, Floats] = {}
        self._patience = 0
        if len(self.tops) == 1:
            self._totals = self._ends = np.zeros(1, dtype=np.int64)
            self._open(0)
        else:
            self._bound_blocks()
            self._ends = self._totals.cumsum()

    def anchor_on_best(self) -> None:
        """Measure anew if the best score has been taken out."""
        if self._gone and self.tops.max() != self.top:
            self.anchor()

    @property
    def total(self) -> int:
        """The sum of all bounds."""
        return int(self._ends[-1])

    def pick(self, coins: Coins) -> tuple[int, int] | None:
        """Return position i and its bound W_i with chance W_i / total, or None where a block's bound was loose."""
        drawn = coins.below(self.total)
        block = int(self._ends.searchsorted(drawn, side="right"))
        rest = drawn - (int(self._ends[block - 1]) if block else 0)
        sums = self._opened.get(block)
        if sums is None:
            sums = self._tighten(block)
        if rest >= sums[-1]:
            self._missed()
            return None
        offset = int(sums.searchsorted(rest, side="right"))
        below = sums[offset - 1] if offset else 0.0
        return block * BLOCK + offset, int(sums[offset] - below)

    def weight(self, position: int) -> Ball:
        """Enclose the true weight of one candidate, at the working precision (lift included, not capped)."""
        weight = exponential(self._fall_rate, self.best - self.column.stored(position))
        return weight * two_to(self.lift) if self.lift else weight

    def share(self, weight: Ball, bound: int) -> Ball:
        """Enclose the chance that a proposal with this weight and bound stands."""
        return weight * two_to(self.bits) / bound

    def table(self) -> tuple[Floats, Floats]:
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
        self._open(block)
        self._ends = self._totals.cumsum()
        if self.total < 4 * self.remaining:  # proposals would mostly be slack
            self.anchor()

    def _bound_blocks(self) -> None:
        sizes = np.full(len(self.tops), BLOCK, dtype=np.int64)
        sizes[-1] = len(self.column) - BLOCK * (len(self.tops) - 1)
        for block, gone in self._gone.items():
            sizes[block] -= len(gone)
        bounds = self._bound(self.tops, 2 * SLACK)  # the second for an exponential that is not quite monotone
        self._totals = sizes * bounds.astype(np.int64)
        self._hot = np.flatnonzero(bounds > 1)
        self._patience = len(self._hot) // 8

    def _bound(self, stored: Array, slack: float) -> Floats:
        """Return whole numbers not below 2**bits * exp(slack - SLACK) times the weights."""
        with np.errstate(over="ignore"):  # too far to matter, or taken out: both are settled elsewhere
            powers = distances(stored, self.top, self._factor)
            powers *= -self._float_rate
            powers += (self.bits + self.lift) * LN2 + slack
            if self.lift:
                np.minimum(powers, self.bits * LN2 + slack, out=powers)
            np.exp(powers, out=powers)
        np.floor(powers, out=powers)
        powers += 1
        return powers

    def _weights(self, block: int) -> Floats:
        weights = self._bound(self._slice(block), SLACK)
        if block in self._gone:
            weights[self._gone[block]] = 0
        return weights

    def _open(self, block: int) -> Floats:
        sums = self._weights(block).cumsum()  # whole numbers below 2**53: exact
        self._opened[block] = sums
        self._totals[block] = int(sums[-1])
        return sums

    def _tighten(self, block: int) -> Floats:
        before = self._totals[block]
        sums = self._open(block)
        if sums[-1] > before:
            raise GuardError("a block passed its proved upper bound; nothing was released")
        self._ends = self._totals.cumsum()
        return sums

    def _missed(self) -> None:
        """Lose patience with loose bounds: after one miss for every eight hot blocks, sum every hot block."""
        self._patience -= 1
        if self._patience == -1 and len(self.tops) > 1:
            for block in map(int, self._hot):
                if block not in self._opened:
                    self._totals[block] = int(self._weights(block).sum())
            self._ends = self._totals.cumsum()

    def _slice(self, block: int) -> Array:
        return self.column.data[block * BLOCK : (block + 1) * BLOCK]

    def _top_left(self, block: int) -> Any:
        data = self._slice(block)
        left = np.ones(len(data), dtype=bool)
        left[self._gone[block]] = False
        lowest = -np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min
        return data.max(where=left, initial=lowest)


def split(rate: Fraction) -> tuple[float, float]:
    """Write a rate as a power of two times a float, never above it by more than half a unit in the last place.

    >>> split(Fraction(1, 2)), split(Fraction(3, 2**1000))
    ((1.0, 0.5), (1.8665272370064378e-301, 1.5))
    """
    power = rate.numerator.bit_length() - rate.denominator.bit_length()
    if abs(power) < 900:
        return 1.0, float(rate)
    power = max(-1000, min(1000, power))
    return 2.0**power, float(min(rate / Fraction(2) ** power, Fraction(2) ** 900))
