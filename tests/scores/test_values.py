"""The quick ways to score agree with the definitions, one person at a time."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.scores import Rank, Revenue, Scores

EXACT = st.one_of(st.integers(-2, 6), st.floats(-2, 6), st.fractions(-2, 6, max_denominator=5), st.just(float("inf")))
PRICES = st.lists(st.fractions("1/10", 5, max_denominator=20), min_size=1, max_size=5, unique=True)
SHARES = st.fractions("1/9", "8/9", max_denominator=9)
WEIGHTS = st.fractions("1/4", 4, max_denominator=4)


def points(scores: Scores) -> list[Fraction]:
    """The scores in points instead of ticks."""
    return [Fraction(int(value)) * scores.tick for value in scores.values]


@given(PRICES, st.lists(EXACT, max_size=8))
def test_revenue_is_price_times_buyers(prices: list[Fraction], bids: list[Any]) -> None:
    """Each price earns itself times the bids that reach it."""
    wanted = [price * sum(bid >= price for bid in bids) for price in prices]
    assert points(Revenue(prices).score(bids)) == wanted


@given(st.lists(st.integers(-2, 6), min_size=1, max_size=6, unique=True), st.lists(EXACT, max_size=8), st.data())
def test_rank_is_the_quantile_score(candidates: list[int], values: list[Any], data: st.DataObject) -> None:
    """Each number scores minus its weighted rank error, ties handled, whatever the order of the candidates."""
    q, a, b = data.draw(SHARES), data.draw(WEIGHTS), data.draw(WEIGHTS)
    n = len(values)
    wanted = [
        -max(Fraction(0), a * (sum(x < o for x in values) - q * n), b * (sum(x > o for x in values) - (1 - q) * n))
        for o in candidates
    ]
    assert points(Rank(candidates, q, a, b).score(values)) == wanted


def test_a_quantile_inside_a_run_of_equal_values_scores_zero() -> None:
    """The median of 1, 2, 2, 2, 9 is 2 and nothing else; without ties handled, 2 would be off by one person."""
    assert points(Rank([1, 2, 3]).score([1, 2, 2, 2, 9])) == [Fraction(-3, 2), 0, Fraction(-3, 2)]


def test_any_even_split_scores_zero() -> None:
    """Between two middle people every number is a median, and the people themselves too."""
    assert points(Rank([1, 2, "2.5", 3, 4]).score([1, 2, 3, 4])) == [-1, 0, 0, 0, -1]


def test_scores_past_64_bits_stay_exact() -> None:
    """Prices so unequal that a product leaves 64 bits are multiplied as Python integers, ranks too."""
    big = 10**30
    scores = Revenue([1, big]).score([big, 2, big + 1])
    assert list(scores.values) == [3, 2 * big]
    assert list(Rank([1, 3], over=big).score([0, 2]).values) == [0, -2 * big]
    assert Rank([1, 3], over=big).score([0, 2]).tick == Fraction(1, 2)


def test_bids_of_text_are_bids() -> None:
    """Prices and bids as text, as decimals and as fractions earn the same; a bid equal to a price reaches it."""
    texts = ["0.80", "0.95", "1.20", "1.99", "0.40", "none", ""]
    exact = [Fraction(text) for text in texts[:5]]
    family = Revenue.grid("0.01", "1.99", "0.01")
    assert points(family.score(texts)) == points(family.score(exact))
    assert max(points(family.score(texts))) == Fraction("3.20")
    assert points(Rank(["0.8", "0.95"]).score(texts)) == points(Rank(["0.8", "0.95"]).score(exact))


def test_a_bid_above_the_top_price_counts_as_the_top_price() -> None:
    """A bid of infinity, or simply a large one, buys once at every price."""
    assert points(Revenue([1, 2]).score([float("inf"), 10**400, 2])) == [3, 6]


@pytest.mark.parametrize("count", [0, 1, 100_000])
def test_long_columns_agree_with_counting(count: int) -> None:
    """A long column of floats gives the revenue that plain counting gives."""
    bids = np.arange(count) % 200 / 100
    family = Revenue.grid("0.01", "1.99", "0.01")
    wanted = [k * int((bids >= k / 100).sum()) - _short_of(bids, k) for k in range(1, 200)]
    assert list(family.score(bids).values) == wanted


def _short_of(bids: Any, cents: int) -> int:
    # Bids that print as the price but lie a hair below it do not reach it.
    equal = int((bids == cents / 100).sum())
    return cents * equal if Fraction(cents / 100) < Fraction(cents, 100) else 0
