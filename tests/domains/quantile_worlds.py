"""Several quantiles in tiny worlds by plain enumeration, without code of the package; and coins with large forks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.balls import Ball, at, ball
from discreet.domains import joint_quantiles, middle, ways
from discreet.testing import exact_law
from discreet.testing.tree import ExactLaw
from tests.sampling.forks import weigh

Shares = tuple[Fraction, ...]
World = tuple[Sequence[int], int, Shares]
"""Where everybody is, how many points there are, and the quantiles wanted."""
Oracle = Callable[[Sequence[int], int, Shares, Fraction], dict[tuple[int, ...], Ball]]


def joint(people: Sequence[int], size: int, qs: Shares, rate: Fraction) -> dict[tuple[int, ...], Ball]:
    """List every rising sequence of points, and count everybody for each of them."""
    n, weights = len(people), dict[tuple[int, ...], Ball]()
    for drawn in combinations_with_replacement(range(size), len(qs)):
        miss, before, share = Fraction(0), 0, Fraction(0)
        for point, q in zip([*drawn, size], [*qs, Fraction(1)], strict=True):
            below = sum(one < point for one in people)
            miss += abs(below - before - (q - share) * n)
            before, share = below, q
        weights[drawn] = ball(-rate * miss).exp()
    total = sum(weights.values(), ball(0))
    return {drawn: weight / total for drawn, weight in weights.items()}


def halving(people: Sequence[int], size: int, qs: Shares, rate: Fraction) -> dict[tuple[int, ...], Ball]:
    """Go through every point for the middle quantile, and for each through both halves; for add-remove."""
    return _halving(sorted(people), range(size), qs, rate)


def _halving(people: Sequence[int], points: range, qs: Shares, rate: Fraction) -> dict[tuple[int, ...], Ball]:
    if not qs:
        return {(): ball(1)}
    n, place = len(people), (len(qs) - 1) // 2
    q, weights = qs[place], list[Ball]()
    for point in points:
        low, high = sum(one < point for one in people), sum(one > point for one in people)
        miss = max(Fraction(0), low - q * n, high - (1 - q) * n)
        weights.append(ball(-rate / (2 * max(q, 1 - q)) * miss).exp())
    law, total = dict[tuple[int, ...], Ball](), sum(weights, ball(0))
    for point, weight in zip(points, weights, strict=True):
        lower = [one for one in people if not one > point]
        upper = people[len(lower) :]
        left = _halving(lower, range(points[0], point + 1), tuple(one / q for one in qs[:place]), rate)
        rest = tuple(1 - (1 - one) / (1 - q) for one in qs[place + 1 :])
        right = _halving(upper, range(point, points[-1] + 1), rest, rate)
        for (before, one), (after, other) in product(left.items(), right.items()):
            law[*before, point, *after] = weight / total * one * other
    return law


def moved(oracle: Oracle, world: World, rate: Fraction, bits: int = 1, within: int | None = None) -> Mapping[Any, Ball]:
    """Mix the law over all ways to move everybody to one of ``within`` fine places of their cell, of 2**bits."""
    people, size, qs = world
    places = range(1 << bits if within is None else within)

    def mixed() -> Mapping[Any, Ball]:
        law = dict[tuple[int, ...], Ball]()
        for inside in product(places, repeat=len(people)):
            fine = [(one << bits) | low for one, low in zip(people, inside, strict=True)]
            for drawn, share in oracle(fine, size << bits, qs, rate).items():
                cells = tuple(one >> bits for one in drawn)
                law[cells] = law.get(cells, ball(0)) + share / len(places) ** len(people)
        return law

    return at(128, mixed)


class Words:
    """Coins of a tree whose words fork into their highest bits only."""

    def __init__(self, path: Any, bits: int, shift: int = 0) -> None:
        self.path, self.highest, self.shift = path, bits, shift
        self.word, self.below, self.among, self.weigh, self.bits = 64, path.below, path.among, path.weigh, path.bits

    def words(self, count: int) -> NDArray[np.uint64]:
        """Fork for each word."""
        found = [self.path.bits(self.highest) << (64 - self.highest) >> self.shift for _ in range(count)]
        return np.array(found, dtype=np.uint64)


def among_stretches(logs: Any, coins: Any) -> tuple[int, int, Fraction]:
    """Fork into the ways a quantile may go, by whole numbers as in the package, of fewer bits."""
    weights = [int(weight) + 1 for weight in np.floor(np.exp(logs - logs.max()).ravel() * 2**30)]
    for row in range(logs.shape[0] - 1):
        weights[row * logs.shape[1]] = 0
    place = coins.among(weights)
    count, stretch = divmod(place, logs.shape[1])
    return stretch, count + 1, Fraction(weights[place], sum(weights))


def among_pieces(ends: list[int], coins: Any) -> int:
    """Fork into pieces."""
    found: int = coins.among([end - start for start, end in zip([0, *ends], ends, strict=False)])
    return found


@contextmanager
def large_forks() -> Iterator[pytest.MonkeyPatch]:
    """Fork where bits would be drawn."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint_quantiles, "flip", weigh)
        patch.setattr(middle, "flip", weigh)
        patch.setattr(ways, "_drawn", among_stretches)
        patch.setattr(middle, "_drawn", among_pieces)
        yield patch


def walked(law: Any, leftover: str = "2e-3", shift: int = 0) -> ExactLaw:
    """Walk the tree of a law whose forks are large, jitter included."""
    return exact_law(lambda coins: law.draw(Words(coins, law.jitter, shift)), leftover=leftover, runs=20_000)
