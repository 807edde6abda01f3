"""The optimum of pure mechanisms: golden values, enumeration, and its behaviour in every argument."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet.accounting import pure_optimum
from discreet.guarantees import Pure
from discreet.readings import delta_at
from tests.accounting.closed import (
    COUNTS,
    DELTAS,
    EPSILONS,
    GOLDEN,
    PARTS,
    PROFILES,
    case_name,
    grows,
    meets_delta,
    meets_doubles,
    meets_epsilon,
)


@pytest.mark.parametrize("case", PROFILES, ids=case_name)
def test_golden_delta(case: dict[str, Any]) -> None:
    """Delta is the golden one at epsilon and at twice epsilon; the one is not the other's, nor one mechanism more's."""
    epsilon, count = Fraction(case["eps"]), case["k"]
    assert meets_delta(pure_optimum.delta({epsilon: count}, case["eg"]), case["kov"])
    assert meets_delta(pure_optimum.delta({2 * epsilon: count}, case["eg"]), case["kov_2eps"])
    assert case["kov"] == case["kov_2eps"] or not meets_delta(
        pure_optimum.delta({epsilon: count}, case["eg"]), case["kov_2eps"]
    )


@pytest.mark.parametrize("case", GOLDEN["delta_heterogeneous"], ids=lambda case: f"{len(case)}-{case['eg']}")
def test_golden_delta_of_different_epsilons(case: dict[str, Any]) -> None:
    """Different epsilons are multiplied out exactly, in any order; with the largest one left out it is less."""
    epsilons = case["eps_in_order_of_execution"]
    assert meets_delta(pure_optimum.delta(epsilons, case["eg"]), case["pure_dp_optimal"])
    assert meets_delta(pure_optimum.delta(epsilons[::-1], case["eg"]), case["pure_dp_optimal"])
    fewer = sorted(epsilons, key=Fraction)[:-1]
    assert not meets_delta(pure_optimum.delta(fewer, case["eg"]), case["pure_dp_optimal"])


@pytest.mark.parametrize("case", GOLDEN["eps_for_delta"], ids=case_name)
def test_golden_epsilon(case: dict[str, Any]) -> None:
    """Epsilon is the golden one from above; at half the delta it is not."""
    amounts = {case["eps"]: case["k"]}
    assert meets_epsilon(pure_optimum.epsilon(amounts, case["delta"]), case["kov"])
    assert meets_epsilon(pure_optimum.epsilon({2 * Fraction(case["eps"]): case["k"]}, case["delta"]), case["kov_2eps"])
    half = pure_optimum.epsilon(amounts, Fraction(case["delta"]) / 2)
    assert half is not None
    assert half > Fraction(case["kov"])


@pytest.mark.parametrize("case", GOLDEN["table_main_doubles"], ids=case_name)
def test_the_table(case: dict[str, Any]) -> None:
    """The long table's columns are met, up to a thousand mechanisms."""
    epsilon = Fraction(str(case["eps"]))
    assert meets_doubles(pure_optimum.epsilon({epsilon: case["k"]}, "1e-6"), case, "kov_pure_eps")
    assert meets_doubles(pure_optimum.epsilon({2 * epsilon: case["k"]}, "1e-6"), case, "kov_pure_2eps")


@given(some.lists(EPSILONS, min_size=1, max_size=7), PARTS)
def test_delta_is_that_of_all_outcomes(epsilons: list[Fraction], part: Fraction) -> None:
    """Adding up all outcomes of randomised responses one by one gives delta; with twice the epsilons it does not."""
    e = part * sum(epsilons)
    found = pure_optimum.delta(epsilons, e)
    assert found is not None
    assert math.isclose(found, enumerated(epsilons, e), rel_tol=1e-9, abs_tol=1e-14)
    assert found < Fraction(1, 10**9) or not math.isclose(found, enumerated([2 * x for x in epsilons], e), rel_tol=1e-9)


def enumerated(epsilons: list[Fraction], e: Fraction) -> float:
    """Delta by summing over every single outcome."""
    return math.fsum(
        math.prod(1 / (1 + math.exp(-sign * x)) for sign, x in zip(signs, map(float, epsilons), strict=True))
        * -math.expm1(float(e - loss))
        for signs in product((1, -1), repeat=len(epsilons))
        if (loss := sum((sign * x for sign, x in zip(signs, epsilons, strict=True)), Fraction(0))) > e
    )


@given(EPSILONS, COUNTS, PARTS, PARTS)
def test_delta_grows_with_what_is_spent(epsilon: Fraction, count: int, one: Fraction, other: Fraction) -> None:
    """More mechanisms or a larger epsilon never need a smaller delta, a larger epsilon to reach never a larger one."""
    grows(pure_optimum.delta, epsilon, count, one, other)


@given(EPSILONS, COUNTS, DELTAS)
def test_epsilon_is_the_least(epsilon: Fraction, count: int, delta: Fraction) -> None:
    """Delta at the epsilon found is within the one asked for, and a hair below it is not."""
    found = pure_optimum.epsilon({epsilon: count}, delta)
    assert found is not None
    assert (pure_optimum.delta({epsilon: count}, found) or 0) <= delta * (1 + Fraction(1, 10**30))
    below = found * (1 - Fraction(1, 10**12))
    assert not found or (pure_optimum.delta({epsilon: count}, below) or 0) > delta


def test_one_mechanism_is_its_reading() -> None:
    """One mechanism has the delta of its own reading."""
    assert math.isclose(pure_optimum.delta([1], "0.3") or 0, delta_at(Pure(1), "0.3"), rel_tol=1e-15)


def test_large_counts_and_small_deltas() -> None:
    """Thousands of mechanisms down to delta 1e-25 are exact; a list of many and its count are the same."""
    found = pure_optimum.epsilon({"0.01": 10_000}, "1e-25")
    assert found is not None
    assert math.isclose(pure_optimum.delta({"0.01": 10_000}, found) or 0, 1e-25, rel_tol=1e-12)
    assert pure_optimum.delta(["0.01"] * 300, 1) == pure_optimum.delta({"0.01": 300}, 1)


def test_too_many_kinds_have_no_answer() -> None:
    """Where outcomes are too many to enumerate there is no number, rather than a wrong one."""
    assert pure_optimum.delta({"0.01": 1000, "0.02": 1000}, 1) is None
    assert pure_optimum.epsilon({"0.01": 1000, "0.02": 1000}, "1e-6") is None
    assert pure_optimum.delta({"0.01": 1000, "0.02": 1000}, 30) == 0
