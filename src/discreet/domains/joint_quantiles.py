"""Several quantiles in one draw (Gillenwater, Joseph and Kulesza 2021), exactly, without a Fourier transform.

The score of points v_1 <= ... <= v_m is minus the sum of |n_j - w_j n|, where n_j people lie from v_(j-1) to below v_j
and w_j = q_j - q_(j-1) is the share that should. Points with the same people below them form a run; with n people
there are n + 1 runs, whatever the grid. F_j(i) is the weight of all ways to place v_1, ..., v_j with v_j the first in
run i: the number of points of the run times a sum over earlier runs of exp(-rate |i - i' - tau|), which falls off
geometrically on either side of tau. So one pass of sums that only add, never subtract, gives all F_j: O(m**2 n).

All this is float code, and only proposes. It draws the runs from the last to the first with whole-number weights, so
the chance q of the way it took is a known fraction. The true weight w of that way is certified, and the way is kept
with chance w / (Z q), where Z is a little more than the sum of all F: then the law is exact. A guard sees to it that
w <= Z q.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from math import comb
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.balls import Ball, ball
from discreet.domains.quantiles import Outcome, Placed, Places, rising
from discreet.errors import SettingError
from discreet.exact import Number
from discreet.guarantees import Guarantee, Range
from discreet.points import Points
from discreet.readings import largest
from discreet.sampling.coins import Coins
from discreet.sampling.flip import flip
from discreet.scores.line import placed
from discreet.scores.order import readable
from discreet.sensitivity import Neighbours

Floats: TypeAlias = NDArray[np.float64]
Way: TypeAlias = list[tuple[int, int]]
"""Which runs are used, and how many of the quantiles lie in each."""

MOST_LISTED = 10**5
SPARE = Fraction(1, 2**10)
"""What Z has in hand: far more than all rounding."""


@dataclass(frozen=True, slots=True, init=False)
class JointQuantiles:
    """Release several quantiles at once, in order, as one bounded range.

    >>> quartiles = JointQuantiles((0, 1000), qs=["0.25", "0.5", "0.75"])
    >>> quartiles.gap("add-remove"), quartiles.promise(Fraction(1, 3))
    (Fraction(3, 1), Range(epsilon=Fraction(1, 1)))

    Add-remove. One more person raises n by 1 and one n_j by 1: its term moves by at most 1 - w_j, the others by their
    w, together by at most 2 (1 - w_j). So the score moves by at most 2 (1 - min w), and two scores by twice that.
    Replace. n stays, two n_j move by 1: a score by at most 2, two by 4.
    """

    points: Points
    qs: tuple[Fraction, ...]

    def __init__(
        self, bounds: tuple[Number, Number], step: Number = 1, qs: Iterable[Number] = ("1/4", "1/2", "3/4")
    ) -> None:
        object.__setattr__(self, "points", Points.between(*bounds, step))
        object.__setattr__(self, "qs", rising(qs))

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The share of the people that should lie between each two quantiles, and at both ends."""
        return tuple(high - low for low, high in pairwise((Fraction(0), *self.qs, Fraction(1))))

    def gap(self, neighbours: Neighbours) -> Fraction:
        """Return how far the difference of two scores moves."""
        return 4 * (1 - min(self.shares)) if neighbours == "add-remove" else Fraction(4)

    def promise(self, rate: Fraction, neighbours: Neighbours = "add-remove") -> Guarantee:
        """Return the bounded range rate * gap."""
        return Range(rate * self.gap(neighbours))

    def calibrate(self, target: Guarantee, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return the largest rate whose promise gives the target."""
        return largest(Range, target) / self.gap(neighbours)

    def score(self, data: Any, neighbours: Neighbours = "add-remove") -> Placed:
        """Read numbers: rounded down to the grid, clipped to the bounds; what is no number drops."""
        return Placed(self, placed(readable(data), self.points), neighbours)

    def law(self, fitted: Placed, rate: Fraction, jitter: int) -> "JointLaw":
        """Return the law of drawing all of them at once."""
        return JointLaw(fitted, rate, jitter)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class JointLaw:
    """What comes out for one dataset and one rate.

    >>> law = JointQuantiles((0, 9), qs=["1/2"]).score([4] * 99).law(Fraction(1))
    >>> law.jitter
    32

    Without jitter, or where a grid of nearly 2**62 points leaves no room for it, a run of equal values cannot be split,
    and counts for one of its sides: as private, and less accurate.
    """

    fitted: Placed
    rate: Fraction
    jitter: int

    def draw(self, coins: Coins) -> Outcome:
        """Move everybody within their cells, then draw all quantiles at once."""
        points, places = self.fitted.domain.points, self.fitted.moved(self.jitter, coins)
        proposal = Ways(np.sort(places), len(points) << self.jitter, self.fitted.domain.shares, self.rate)
        while True:
            way, chance = proposal.pick(coins)
            if flip(coins, lambda: proposal.stands(way, chance)):  # noqa: B023
                return tuple(points[place >> self.jitter] for place in proposal.placed(way, coins))

    def chances(self) -> Mapping[Outcome, Ball]:
        """Return every outcome and its chance; only without jitter, and for small grids."""
        domain, places = self.fitted.domain, np.sort(self.fitted.places)
        size, m = len(domain.points), len(domain.qs)
        if self.jitter or comb(size + m - 1, m) > MOST_LISTED:
            wanted = f"no jitter and at most {MOST_LISTED} outcomes, to list the law"
            raise SettingError(f"jitter: wanted {wanted}, got more")
        weights = {
            tuple(domain.points[place] for place in drawn): ball(-self.rate * self._miss(drawn, places)).exp()
            for drawn in combinations_with_replacement(range(size), m)
        }
        total = sum(weights.values(), ball(0))
        return {drawn: weight / total for drawn, weight in weights.items()}

    def _miss(self, drawn: tuple[int, ...], places: Places) -> Fraction:
        below = [0, *np.searchsorted(places, drawn).tolist(), len(places)]
        shares = self.fitted.domain.shares
        return sum(
            (abs(b - a - w * len(places)) for (a, b), w in zip(pairwise(below), shares, strict=True)), Fraction(0)
        )


class Ways:
    """The ways to place quantiles in runs, proposed by floats with known chances.

    >>> from discreet.sampling.coins import SystemCoins
    >>> ways = Ways(np.array([2, 5]), 10, (Fraction(1, 2), Fraction(1, 2)), Fraction(100))
    >>> way, _ = ways.pick(SystemCoins())
    >>> way
    [(1, 1)]
    """

    def __init__(self, places: Places, size: int, shares: tuple[Fraction, ...], rate: Fraction) -> None:
        self.n, self.m, self.shares, self.rate = len(places), len(shares) - 1, shares, rate
        edges = np.concatenate([[-1], places, [size - 1]])
        self.starts, self.sizes = edges[:-1] + 1, np.diff(edges)
        self._float_rate = float(rate)
        self._aims = [float(share * self.n) for share in shares]
        self._choices = _log_choices(self.sizes, self.m)
        self._firsts: list[Floats] = []
        for j in range(1, self.m + 1):
            self._firsts.append(self._first(j))
        self._total = float(np.logaddexp.reduce(self._ends(self.m, self.n).ravel()))

    def pick(self, coins: Coins) -> tuple[Way, Fraction]:
        """Return a way, from the last run to the first, and the chance it was proposed with."""
        way: Way = []
        chance, left, beyond = Fraction(1), self.m, self.n
        while left:
            run, count, share = _drawn(self._ends(left, beyond, before=bool(way)), coins)
            way.append((run, count))
            chance, left, beyond = chance * share, left - count, run
        return way, chance

    def stands(self, way: Way, chance: Fraction) -> Ball:
        """Enclose the chance that a proposed way is kept."""
        weight, miss = 1, Fraction(0)
        below = [0, *(run for run, count in reversed(way) for _ in range(count)), self.n]
        for (a, b), share in zip(pairwise(below), self.shares, strict=True):
            miss += abs(b - a - share * self.n)
        for run, count in way:
            weight *= comb(int(self.sizes[run]) + count - 1, count)
        return ball(-self.rate * miss - Fraction(self._total) - SPARE).exp() * ball(weight / chance)

    def placed(self, way: Way, coins: Coins) -> list[int]:
        """Place the quantiles within their runs, every rising sequence as likely as another."""
        found: list[int] = []
        for run, count in reversed(way):
            first, size = int(self.starts[run]), int(self.sizes[run])
            found += [first + one for one in _rising(size, count, coins)]
        return found

    def _first(self, j: int) -> Floats:
        """Return ln F_j(i) for a run of one point: the last of j quantiles is the first in run i."""
        aim, rate = self._aims[j - 1], self._float_rate
        if j == 1:
            first: Floats = -rate * np.abs(np.arange(self.n + 1.0) - aim)
            return first
        return _spread(self._held(j - 1), rate, aim)

    def _held(self, j: int) -> Floats:
        """Return the log of the weight of all ways whose j-th quantile is in run i, one row a count in that run."""
        return np.asarray(np.logaddexp.reduce(self._table(j), axis=0))

    def _table(self, j: int) -> Floats:
        """Return, for c = 1, ..., j, the log of the weight with the last c of j quantiles in run i."""
        stay = [0.0]
        for aim in self._aims[j - 1 : 0 : -1]:
            stay.append(stay[-1] - self._float_rate * abs(aim))
        rows = [self._firsts[j - c] + self._choices[c] + stay[c - 1] for c in range(1, j + 1)]
        return np.stack(rows)

    def _ends(self, j: int, beyond: int, *, before: bool = False) -> Floats:
        """Return the table for j quantiles, times the weight of what comes after; ``before`` a run that is used."""
        table = self._table(j)[:, : beyond if before else beyond + 1]
        steps: Floats = beyond - np.arange(float(table.shape[1]))
        found: Floats = table - self._float_rate * np.abs(steps - self._aims[j])
        return found


def _log_choices(sizes: Places, m: int) -> Floats:
    """Return ln C(size + c - 1, c) for c = 0, ..., m: the rising sequences of c points."""
    rows = [np.zeros(len(sizes))]
    with np.errstate(divide="ignore"):
        for c in range(m):
            rows.append(rows[-1] + np.where(sizes > 0, np.log((sizes + c) / (c + 1)), -np.inf))
    return np.stack(rows)


def _spread(held: Floats, rate: float, aim: float) -> Floats:
    """Return ln of the sum over i' < i of exp(held(i') - rate |i - i' - aim|)."""
    place, near = np.arange(len(held)), int(aim)
    rising, falling = held - rate * place, held + rate * place
    upto = np.logaddexp.accumulate(falling)  # far: i - i' > aim
    found = np.full(len(held), -np.inf)
    far = place[near + 1 :]
    found[far] = upto[: len(far)] - rate * (far - aim)
    if near:
        window = _sliding(rising, near) + rate * (place - aim)  # near: 1 <= i - i' <= aim
        found = np.logaddexp(found, window)
    return found


def _sliding(values: Floats, width: int) -> Floats:
    """Return ln of the sum of exp over the ``width`` entries before each place, by sums within blocks that only add."""
    count = len(values)
    blocks = -(-count // width)
    rows = np.full((blocks, width), -np.inf)
    rows.ravel()[:count] = values
    upto = np.logaddexp.accumulate(rows, axis=1).ravel()
    after = np.logaddexp.accumulate(rows[:, ::-1], axis=1)[:, ::-1].ravel()
    found = np.full(count, -np.inf)
    place = np.arange(1, count)
    ends, begins = place - 1, np.maximum(place - width, 0)
    within = ends // width == begins // width  # then the window begins where the block does
    found[1:] = np.where(within, upto[ends], np.logaddexp(after[begins], upto[ends]))
    return found


def _drawn(logs: Floats, coins: Coins) -> tuple[int, int, Fraction]:
    """Draw an entry by whole-number weights; return its run, its count, and the chance it had."""
    flat = logs.ravel()
    possible = np.isfinite(flat)
    bits = 60 - flat.size.bit_length()
    weights = np.where(possible, np.floor(np.exp(flat - flat[possible].max()) * 2.0 ** min(bits, 45)) + 1, 0)
    ends = weights.astype(np.int64).cumsum()
    place = int(ends.searchsorted(coins.below(int(ends[-1])), side="right"))
    count, run = divmod(place, logs.shape[1])
    return run, count + 1, Fraction(int(weights[place]), int(ends[-1]))


def _rising(size: int, count: int, coins: Coins) -> list[int]:
    """Return a rising sequence of ``count`` of ``size`` points, repeats allowed, all as likely: stars and bars."""
    chosen: set[int] = set()
    for top in range(size - 1, size + count - 1):
        one = coins.below(top + 1)
        chosen.add(top if one in chosen else one)
    return [one - place for place, one in enumerate(sorted(chosen))]
