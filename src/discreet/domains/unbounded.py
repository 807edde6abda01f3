"""A quantile of data that have no known bounds: of tests along a public geometric grid the first to pass answers.

For clipping bounds and for "about how large is the largest?" (Durfee 2023). Test i asks whether #{x <= g_i} - q n
reaches 0, with exponential noise of rate l2 on it and one of rate l1 on the 0, kept for all tests.

**What one person can do.** Write d_i for the change of test i and s_k = max(0, the greatest d_i with i < k). Halting at
k loses at most l1 s_k + l2 max(0, s_k - d_k), and never halting l1 s (see ``mechanisms.threshold``).

*Add-remove.* A new person x changes test i by -q for g_i below x, and by 1 - q from the first g_j that reaches x on.
Seen from the smaller data: before j, s is 0 and the loss at most l2 q; at j, s is 0 and d positive, no loss; beyond j,
s = d = 1 - q, and the loss is l1 (1 - q). Seen from the larger data d is q, then q - 1: before j, s is at most q = d,
and the loss at most l1 q; from j on, s is at most q and d = q - 1, and the loss at most l1 q + l2. Never halting loses
at most l1 (1 - q), or l1 q. Together

    epsilon = max(l1 q + l2, l1 (1 - q)),

against l1 + 2 l2 for scores of sensitivity 1 in general. One way the loss is at most max(l2 q, l1 (1 - q)), the other
way l1 q + l2, and the bounded range is the sum of these.

*Replace.* Now q n stays. If x falls, the tests from one place up to another rise by 1 and no other moves; if x rises,
they fall by 1. Rising: before that block no loss; at its first test, s = 0 and d = 1, no loss; inside it s = d = 1,
loss l1; after it s = 1 and d = 0, loss l1 + l2. Falling: s is 0 throughout, and the loss is l2 inside the block.
Together

    epsilon = l1 + l2,

with a bounded range of l1 + 2 l2.

A person who is no number is not counted. To replace a number by none, or the reverse, is to remove or to add it, and
that bound is not above this one.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import isinf, isnan
from numbers import Rational
from typing import Any, TypeAlias, get_args

import numpy as np

from discreet.balls import Ball
from discreet.errors import SettingError
from discreet.exact import Number, chance, cube_root, down, number, positive, three_digits, unwritable, whole
from discreet.guarantees import Guarantee, PureRange
from discreet.readings import largest
from discreet.sampling.coins import Coins
from discreet.sampling.column import is_array
from discreet.sampling.crossing import Bar, crossings
from discreet.sensitivity import Neighbours, one_of

MOST_TESTS = 4096
LARGEST = 2**63 - 1

Rates: TypeAlias = tuple[Fraction, Fraction]
"""The rates l1 of the threshold's noise and l2 of each test's."""


@dataclass(frozen=True, init=False)
class UnboundedQuantile:
    """The q-quantile of numbers without known bounds, on start, start * factor, start * factor**2 and so on.

    The answer is a number of the grid, or None where none of the ``most`` tests passed.

    >>> from discreet.sampling.coins import SystemCoins
    >>> wide = UnboundedQuantile("0.5", start=1, factor=2, most=40)
    >>> fitted = wide.score([900] * 10**4)
    >>> fitted, fitted.law(Fraction(1)).draw(SystemCoins())
    (Queries(40 tests, add-remove), Fraction(1024, 1))
    >>> print(wide.promise(Fraction(1)))
    1-differential privacy and 1.3865-bounded range
    """

    q: Fraction
    start: Fraction
    factor: Fraction
    most: int

    def __init__(self, q: Number, start: Number = 1, factor: Number = 2, most: int = 64) -> None:
        object.__setattr__(self, "q", chance(q, "q"))
        object.__setattr__(self, "start", positive(start, "start"))
        object.__setattr__(self, "factor", number(factor, "factor"))
        object.__setattr__(self, "most", whole(most, "most", most=MOST_TESTS))
        if self.factor <= 1:
            raise SettingError.of("factor", "a number above 1", factor)

    @cached_property
    def grid(self) -> tuple[Fraction, ...]:
        """The public numbers that are tested, in their order."""
        return tuple(accumulate(range(1, self.most), lambda point, _: point * self.factor, initial=self.start))

    def rates(self, epsilon: Fraction, neighbours: Neighbours = "add-remove") -> Rates:
        """Return l1 and l2: of all pairs with this epsilon, nearly the one with the least variance of a test.

        >>> UnboundedQuantile("0.5").rates(Fraction(2), "replace")
        (Fraction(1, 1), Fraction(1, 1))
        """
        if one_of(neighbours, "neighbours", get_args(Neighbours)) == "replace":
            return epsilon / 2, epsilon / 2
        first = epsilon * min(three_digits(1 / (self.q + cube_root(self.q))), 1 / (1 - self.q))
        return first, epsilon - first * self.q

    def score(self, data: Iterable[object], neighbours: Neighbours = "add-remove") -> "Queries":
        """Count how many numbers each point of the grid reaches; what is no number is left out, infinities are kept."""
        places = _places(data, self.grid)
        return self.score_parts(np.bincount(places, minlength=self.most + 1), neighbours)

    def score_parts(self, people: Any, neighbours: Neighbours = "add-remove") -> "Queries":
        """Count how many numbers each point reaches, from how many lie up to each and no earlier one, and above all.

        >>> UnboundedQuantile("0.5", most=2).score_parts([3, 1, 4])
        Queries(2 tests, add-remove)
        """
        one_of(neighbours, "neighbours", get_args(Neighbours))
        reached = list(accumulate(int(count) for count in people))
        return Queries(self, tuple(count - self.q * reached[-1] for count in reached[: self.most]), neighbours)

    def promise(self, rate: Fraction, neighbours: Neighbours = "add-remove") -> PureRange:
        """Return the pure epsilon, which is the rate itself, and the bounded range: from the two rates it is."""
        (first, second), q = self.rates(rate, neighbours), self.q
        over, under = max(second * q, first * (1 - q)), first * q + second
        if neighbours == "replace":
            over, under = first + second, second
        return PureRange(max(over, under), over + under)

    def calibrate(self, target: Guarantee, neighbours: Neighbours = "add-remove") -> Fraction:
        """Return the largest rate whose promise gives the target."""
        return largest(lambda rate: self.promise(rate, neighbours), target)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Queries:
    """The tests as they stand in the data: private.

    >>> UnboundedQuantile("0.5", most=3).score([1, 2]).law(Fraction(1))
    Halting(3 tests)
    """

    domain: UnboundedQuantile
    margins: tuple[Fraction, ...]
    neighbours: Neighbours

    def law(self, rate: Fraction) -> "Halting":
        """Return where the tests halt, with noise for this epsilon."""
        return Halting(self.domain.grid, self.margins, *self.domain.rates(rate, self.neighbours))

    def __repr__(self) -> str:
        return f"Queries({self.domain.most} tests, {self.neighbours})"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Halting:
    """Where the tests halt: private. The bar is moved by the difference of the noises' means, so that it lies at 0.

    >>> from discreet.balls import at
    >>> law = UnboundedQuantile("0.5", most=2).score([1]).law(Fraction(10))
    >>> [(point, round(float(share), 2)) for point, share in at(64, law.chances).items()]
    [(Fraction(1, 1), 0.99), (Fraction(2, 1), 0.0), (None, 0.01)]
    """

    grid: tuple[Fraction, ...]
    margins: tuple[Fraction, ...]
    bar_rate: Fraction
    test_rate: Fraction

    @property
    def centre(self) -> Fraction:
        """How much higher the bar stands, since the tests' noise is larger than its own on average."""
        return 1 / self.test_rate - 1 / self.bar_rate

    def draw(self, coins: Coins) -> Fraction | None:
        """Return the first point of the grid whose test passes; None if none does."""
        bar = Bar(self.centre, self.bar_rate, coins)
        passed = (
            point for point, margin in zip(self.grid, self.margins, strict=True) if bar.cleared(margin, self.test_rate)
        )
        return next(passed, None)

    def chances(self) -> Mapping[Fraction | None, Ball]:
        """Return every answer and its chance; the working precision must grow with the number of tests."""
        shares = crossings([margin - self.centre for margin in self.margins], self.bar_rate, self.test_rate)
        return dict(zip((*self.grid, None), shares, strict=True))

    def __repr__(self) -> str:
        return f"Halting({len(self.grid)} tests)"


def _places(data: Any, grid: tuple[Fraction, ...]) -> Any:
    """Return for each number the place of the first point that reaches it, or the length of the grid: exactly.

    A float is at most a point just if it is at most the greatest float that is; and so for whole numbers.
    """
    column: Any = data.to_numpy() if hasattr(data, "to_numpy") else data
    kind: str = column.dtype.str[1:] if is_array(column) and column.ndim == 1 else ""
    if kind in {"f4", "f8"}:
        return np.searchsorted([down(point) for point in grid], column[~np.isnan(column)].astype(np.float64))
    if kind in {"i1", "i2", "i4", "i8", "u1", "u2", "u4"}:
        return np.searchsorted([min(int(point), LARGEST) for point in grid], column.astype(np.int64))
    found = (_place(item, grid) for item in column)
    return np.fromiter((place for place in found if place is not None), dtype=np.int64)


def _place(item: Any, grid: tuple[Fraction, ...]) -> int | None:
    value: Any = item.item() if type(item).__module__ == "numpy" else item
    if isinstance(value, Decimal):
        known, endless = not value.is_nan(), value.is_infinite() or unwritable(value)
    elif isinstance(value, float):
        known, endless = not isnan(value), isinf(value)
    else:
        known, endless = isinstance(value, Rational), False
    if not known:
        return None
    if endless:
        return len(grid) if value > 1 else 0
    return bisect_left(grid, Fraction(value))
