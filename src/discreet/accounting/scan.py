"""Every l of the bounded-range optimum at once: its logarithm in floats, bounded above. See ``bounded_range``.

The margin covers what rounding can do: log-factorials of size k ln k, k times the logarithm of a chance, and one
rounding in each of at most k steps, all taken several times over.
"""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CHUNK = 32
FULL = 1e280
"""A sum that has grown to this belongs to an l whose value is 1 to a float's accuracy; so 1 is taken as its bound."""
LEAST = -690.0
"""No logarithm of a bound is below this, so that nothing is lost where floats end."""
COARSE = 256


class Batch(NamedTuple):
    """k mechanisms of range b, asked for delta at e.

    >>> Batch(Fraction(1), 3, Fraction(3, 2)).last
    1
    """

    b: Fraction
    k: int
    e: Fraction

    @property
    def last(self) -> int:
        """The largest l whose value is not zero; below 0 if there is none."""
        return self.k - 1 - self.e // self.b

    @property
    def margin(self) -> float:
        """How far rounding can move a logarithm of a value, with room to spare."""
        return (10 + self.k * (4 + float(self.b) + math.log(self.k + 1))) / 2**47


class Rivals(NamedTuple):
    """For each l that may be the largest: a lower and an upper bound of the log of F_l, and the slope of the former.

    >>> rivals(Batch(Fraction(1), 3, Fraction(3, 2)), np.array([0, 1])).lies.tolist()
    [0.0]
    """

    lies: Floats
    low: Floats
    high: Floats
    slope: Floats


def contenders(batch: Batch) -> list[tuple[int, float]]:
    """List every l that may give the largest F_l, and an upper bound of its logarithm, from the highest down.

    >>> [lies for lies, _ in contenders(Batch(Fraction(1, 10), 100, Fraction(1)))]
    [43]
    """
    found = rivals(batch, np.arange(batch.last + 1))
    order = np.argsort(-found.high, kind="stable")
    return [(int(found.lies[place]), float(found.high[place])) for place in order]


def guess(batch: Batch) -> tuple[float, float]:
    """Return the log of the largest F_l among a few hundred l, and its slope in e: for searches, not certificates.

    >>> round(math.exp(guess(Batch(Fraction(1, 10), 100, Fraction(1)))[0]), 9)
    0.006887477
    """
    found = rivals(batch, np.unique(np.linspace(0, batch.last, COARSE).astype(np.int64)))
    top = int(np.argmax(found.low))
    return float(found.low[top]), float(found.slope[top])


def rivals(batch: Batch, tried: NDArray[np.int64]) -> Rivals:
    """Add up F_l for all l at once from its last term down, dropping every l that surely cannot be the largest.

    What is left of a sum is bounded by a geometric series, because the ratio of its terms falls.

    >>> np.exp(rivals(Batch(Fraction(1), 1, Fraction(0)), np.array([0])).low).round(9).tolist()
    [0.244918662]
    """
    with np.errstate(all="ignore"):
        running, best = _Running(batch, tried.astype(np.float64)), -math.inf
        found: list[Rivals] = []
        while running.lies.size:
            running.advance()
            state, over = running.state()
            best = max(best, float(state.low.max()) - batch.margin)
            found.append(_keep(state, over))
            running.keep(~over & (state.high >= best))
        together = Rivals(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
        return _keep(together, together.high >= best)


def _keep(state: Rivals, chosen: NDArray[np.bool_]) -> Rivals:
    return Rivals(*(part[chosen] for part in state))


class _Running:
    """The sums in progress, relative to their first terms."""

    def __init__(self, batch: Batch, lies: Floats) -> None:
        b, k, turns = float(batch.b), batch.k, batch.e // batch.b
        part = batch.e / batch.b - turns
        self.batch, self.steps, self.shrink = batch, 0, math.exp(-b)
        rest = b * ((batch.last - lies) + float(1 - part)) / (k + 1)  # b - t, without cancellation
        t = b * ((lies + (turns + 1)) + float(part)) / (k + 1)
        log_q = np.log(-np.expm1(-rest)) - math.log(-math.expm1(-b))
        log_lie = np.log(-np.expm1(-t)) - rest - math.log(-math.expm1(-b))
        ways = np.array([-math.lgamma(i + 1) - math.lgamma(k - i + 1) for i in lies.tolist()]) + math.lgamma(k + 1)
        self.lies, self.first, self.odds = lies, ways + (k - lies) * log_q + lies * log_lie, np.exp(log_q - log_lie)
        self.term, self.gap, self.sum, self.slope = (
            np.ones_like(lies),
            -np.expm1(-rest),
            np.zeros_like(lies),
            np.zeros_like(lies),
        )

    def advance(self) -> None:
        """Add the next few terms of every sum."""
        for _ in range(CHUNK):
            self.sum += self.term * self.gap
            self.slope += self.term * (1 - self.gap)
            self.term *= self._ratio()
            self.gap = self.gap * self.shrink - math.expm1(-float(self.batch.b))
            self.steps += 1

    def state(self) -> tuple[Rivals, NDArray[np.bool_]]:
        """Return the bounds so far, and which of the sums are complete."""
        ratio = self._ratio()
        tail = np.where(self.term == 0, 0.0, np.where(ratio < 1, self.term / (1 - ratio), math.inf))
        full = ~(self.sum < FULL)
        low = np.where(full, LEAST, self.first + np.log(self.sum))
        high = np.where(full, 0.0, self.first + np.log(self.sum + tail) + self.batch.margin)
        bounds = Rivals(self.lies, low, np.clip(high, LEAST, 0.0), -self.slope / self.sum)
        return bounds, full | (tail <= 1e-17 * self.sum)

    def keep(self, chosen: NDArray[np.bool_]) -> None:
        """Go on with the chosen sums only."""
        for name in ("lies", "first", "odds", "term", "gap", "sum", "slope"):
            setattr(self, name, getattr(self, name)[chosen])

    def _ratio(self) -> Floats:
        i = np.maximum(self.lies - self.steps, 0.0)
        ratio: Floats = i / (self.batch.k - i + 1) * self.odds
        return ratio
