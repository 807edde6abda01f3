"""Truncated, endless and two-sided geometric draws have their law, on the tree of all coins."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from discreet.balls import at, ball
from discreet.sampling import geometric
from discreet.sampling.coins import Coins, SystemCoins
from discreet.sampling.geometric import geometric_sum, offset, two_sided
from discreet.testing.tree import Chances, exact_law

FALLS = [Fraction(0), Fraction(1, 10**40), Fraction(1, 3), Fraction(2), Fraction(40)]


def row(fall: Fraction, size: int) -> Chances:
    """The chances of t below ``size``, term by term."""
    terms = [ball(-fall * t).exp() for t in range(size)]
    total = sum(terms, ball(0))
    return {t: term / total for t, term in enumerate(terms)}


def far(k: int) -> int:
    """Put all numbers beyond 6 together."""
    return max(-7, min(7, k))


def endless(fall: Fraction) -> Chances:
    """The chances of t from 0 on, with one for all from 7."""
    return {t: ball(-fall * t).exp() * (1 - ball(-fall).exp() if t < 7 else 1) for t in range(8)}


def both_ways(fall: Fraction) -> Chances:
    """The chances of discrete Laplace noise, with one for all beyond 6 on each side."""
    less = ball(-fall).exp()
    return {k: less ** abs(k) * (1 - less if abs(k) < 7 else 1) / (1 + less) for k in range(-7, 8)}


def check(run: Callable[[Coins], int], law: Callable[[], Chances]) -> None:
    """Refuse a draw whose tree of coins contradicts the law."""
    assert exact_law(run, leftover="1e-3").contains(at(128, law))


@pytest.mark.parametrize("fall", FALLS)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_truncated_draw_has_its_law(fall: Fraction, size: int) -> None:
    """Whatever the fall, also next to nothing."""
    check(lambda coins: offset(fall, size, coins), lambda: row(fall, size))


@pytest.mark.parametrize("fall", [Fraction(1, 3), Fraction(3)])
def test_endless_draws_have_their_law(fall: Fraction) -> None:
    """On one side, and on both."""
    check(lambda coins: far(offset(fall, None, coins)), lambda: endless(fall))
    check(lambda coins: far(two_sided(fall, coins)), lambda: both_ways(fall))


def even(_: Any, coins: Coins) -> int:
    """Choose a side with no regard to where zero is counted."""
    return coins.bits(1)


@pytest.mark.parametrize(
    ("wrong"),
    [
        lambda fall, size, coins: offset(2 * fall, size, coins),
        lambda fall, size, coins: offset(fall, size - 1, coins),
        lambda fall, size, coins: size - 1 - offset(fall, size, coins),
    ],
    ids=["fall", "last", "side"],
)
def test_planted_wrong_truncated_draws_are_caught(wrong: Callable[..., int]) -> None:
    """Another fall, a missing last place and the wrong side are other laws."""
    with pytest.raises(AssertionError):
        check(lambda coins: wrong(Fraction(1, 3), 5, coins), lambda: row(Fraction(1, 3), 5))


def test_zero_counted_on_both_sides_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The side below zero has less weight: an even choice between them is another law."""
    monkeypatch.setattr(geometric, "among", even)
    with pytest.raises(AssertionError):
        check(lambda coins: far(two_sided(Fraction(1, 3), coins)), lambda: both_ways(Fraction(1, 3)))


def test_sums_keep_their_digits() -> None:
    """Down to falls at which a difference of exponentials would lose all of them, and over 2**62 terms."""
    for fall in (Fraction(1, 10**60), Fraction(1, 7)):
        direct = at(256, lambda: sum((ball(-fall * t).exp() for t in range(50)), ball(0)))  # noqa: B023
        assert at(64, lambda: geometric_sum(fall, 50)).overlaps(direct)  # noqa: B023
    assert at(64, lambda: geometric_sum(Fraction(1, 10**60), 2**62)).rel_accuracy_bits() > 55


def test_huge_runs_are_drawn_from() -> None:
    """2**62 places, from a level run to one that falls at once."""
    coins = SystemCoins()
    for fall in (Fraction(0), Fraction(1, 10**30), Fraction(1, 2**62), Fraction(1, 10**9), Fraction(10**9)):
        drawn = [offset(fall, 2**62, coins) for _ in range(20)]
        assert all(0 <= t < 2**62 for t in drawn)
        assert len(set(drawn)) == (1 if fall > 1 else 20)  # two alike have a chance below 2**-20
