"""Choosing how to ask for the k best: bounds hold for all counts, and the verdict follows what is public."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet.balls import at
from discreet.domains.top_k import JointTopK
from discreet.errors import SettingError
from discreet.guarantees import Approx, Pure
from discreet.utility.top_k import TopKWay, compare_top_k, zipf_counts

Law = Mapping[tuple[int, ...], float]


def peeled(counts: list[int], count: int, rate: float, one: Callable[[list[float]], list[float]]) -> Law:
    """The law of rounds, each on those not yet named."""
    law: dict[tuple[int, ...], float] = {}
    for named in permutations(range(len(counts)), count):
        chance, left = 1.0, list(range(len(counts)))
        for item in named:
            chance *= one([rate * counts[other] for other in left])[left.index(item)]
            left.remove(item)
        law[named] = chance
    return law


def softmax(scores: list[float]) -> list[float]:
    """The exponential mechanism."""
    weights = np.exp(np.array(scores) - max(scores))
    return list(weights / weights.sum())


def walk(scores: list[float]) -> list[float]:
    """Permute-and-flip, over all orders in which it may walk."""
    weights = np.exp(np.array(scores) - max(scores))
    law, orders = np.zeros(len(scores)), list(permutations(range(len(scores))))
    for order in orders:
        going = 1.0
        for place in order:
            law[place] += going * weights[place] / len(orders)
            going *= 1 - weights[place]
    return list(law)


def laws(counts: list[int], count: int, ways: tuple[TopKWay, ...]) -> list[Law]:
    """The exact law of each way."""
    joint = JointTopK(range(len(counts)), count).score_counts(counts).law(ways[0].rate)
    found: dict[Any, float] = {named: float(chance.mid()) for named, chance in at(96, joint.chances).items()}
    return [
        found,
        *(peeled(counts, count, float(way.rate), one) for way, one in zip(ways[1:], (softmax, walk), strict=True)),
    ]


@settings(max_examples=60)
@given(some.lists(some.integers(0, 30), min_size=1, max_size=4), some.integers(1, 3), some.sampled_from(["1/3", "2"]))
def test_bounds_hold_for_every_count_vector(counts: list[int], count: int, epsilon: str) -> None:
    """Mean regret, the largest count missed and the chance of another set stay within their bounds, by enumeration."""
    k, falling = min(count, len(counts)), sorted(counts, reverse=True)
    fall = falling[k - 1] - falling[k] if k < len(counts) else 0
    ways = compare_top_k(len(counts), k, epsilon, probability="0.1", gap=fall or None).ways
    for way, law in zip(ways, laws(counts, k, ways), strict=True):
        misses = {named: [best - counts[item] for best, item in zip(falling, named, strict=False)] for named in law}
        assert abs(sum(law.values()) - 1) < 1e-9
        assert sum(chance * sum(misses[named]) for named, chance in law.items()) <= way.regret + 1e-9
        assert sum(chance for named, chance in law.items() if max(misses[named]) > way.missed) <= 0.1 + 1e-9
        other = sum(chance for named, chance in law.items() if sum(misses[named]) > 0)
        assert fall == 0 or way.wrong_set is None or other <= way.wrong_set + 1e-9


def test_a_planted_smaller_bound_is_passed() -> None:
    """The same sums catch bounds that are too small: a third of the quantile, a hundredth of the mean's."""
    counts = [9, 7, 7, 7]
    ways = compare_top_k(4, 1, 1, probability="0.1").ways
    for way, law in zip(ways, laws(counts, 1, ways), strict=True):
        assert sum(chance * (9 - counts[item]) for (item,), chance in law.items()) > way.regret / 100
        assert sum(chance for (item,), chance in law.items() if 9 - counts[item] > way.missed / 3) > 0.1


def test_the_shape_decides() -> None:
    """A cliff at rank k is for the joint draw; so is a gap promised in words. A flat tail is for peeling."""
    cliff = [1000] * 10 + [0] * 190
    assert compare_top_k(200, 10, 1, public_counts=cliff, runs=5).best == "joint"
    assert compare_top_k(1000, 20, 1, gap=500).best == "joint"
    flat = compare_top_k(300, 30, 1, public_counts=zipf_counts(300, "0.5", 30_000), runs=8)
    assert flat.best.startswith("peel")
    assert flat.ways[0].tried is not None
    assert flat.ways[0].tried[0] > 2 * min(way.tried[0] for way in flat.ways if way.tried)


def test_equal_guarantees_are_compared() -> None:
    """Every way has the rate that just meets the one guarantee, and delta helps rounds more than one draw."""
    pure, approx = compare_top_k(50, 10, 1), compare_top_k(50, 10, 1, delta="1e-6")
    assert pure.guarantee == Pure(1)
    assert approx.guarantee == Approx(1, "1e-6")
    assert [way.rate for way in pure.ways] == [Fraction(1, 2), Fraction(1, 10), Fraction(1, 10)]
    assert approx.ways[1].rate > Fraction(13, 100)
    assert approx.ways[0].rate < Fraction(51, 100)
    replaced = compare_top_k(50, 10, 1, neighbours="replace", at_most=1)
    assert [way.rate for way in replaced.ways] == [Fraction(1, 3), Fraction(1, 20), Fraction(1, 20)]


def test_it_prints_a_table_of_public_numbers() -> None:
    """A line for each way, columns only for what was asked, and the reason."""
    plain = str(compare_top_k(50, 5, 1)).splitlines()
    assert len(plain) == 6
    assert "other set" not in plain[1]
    assert plain[-1].startswith("take peel, permute-and-flip: its bound")
    tried = str(compare_top_k(3, 1, 1, gap=1, public_counts=np.array([900, 1, 0]), runs=2))
    assert "tried" in tried
    assert "other set" in tried
    assert "too close" in tried


def test_zipf_counts_fall_and_add_up() -> None:
    """Shares in proportion to i**-s, rounded down."""
    counts = zipf_counts(1000, "0.8", 10**6)
    assert 10**6 - 1000 <= counts.sum() <= 10**6
    assert (np.diff(counts) <= 0).all()
    assert abs(counts[0] / counts[31] - 32**0.8) < 0.01


@pytest.mark.parametrize(
    "wrong",
    [
        {"count": 9},
        {"candidates": 0},
        {"probability": 1},
        {"gap": 0},
        {"neighbours": "both"},
        {"public_counts": [1, 2]},
        {"public_counts": [1.5] * 8},
        {"public_counts": [1] * 8, "runs": 1},
        {"epsilon": -1},
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, Any]) -> None:
    """More named than there are, chances that are none, counts of another length or kind."""
    with pytest.raises(SettingError):
        compare_top_k(**{"candidates": 8, "count": 3, "epsilon": 1, **wrong})
