"""The optimum of a batch of bounded ranges: golden values, enumeration, and the scan against every single l."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet.accounting import bounded_range
from discreet.accounting.bounded_range import _value
from discreet.accounting.scan import Batch, rivals
from discreet.balls import lower, upper
from discreet.guarantees import Range
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
    meets_epsilon,
)

SHARES = some.floats(min_value=0, max_value=1)


@pytest.mark.parametrize(
    "case", [*PROFILES, *({"k": 2, **case} for case in GOLDEN["k2_exact_examples"])], ids=case_name
)
def test_golden_delta(case: dict[str, Any]) -> None:
    """Delta is the golden one from above; with one mechanism more, or another range, it is not."""
    epsilon, count, golden = Fraction(case["eps"]), case["k"], case["br_nonadaptive"]
    assert meets_delta(bounded_range.delta({epsilon: count}, case["eg"]), golden)
    for other in ({2 * epsilon: count}, {epsilon * (1 + Fraction(1, 10**9)): count}):
        assert not Fraction(golden) or not meets_delta(bounded_range.delta(other, case["eg"]), golden)


@pytest.mark.parametrize(
    "case", [case for case in PROFILES if case["k"] <= 100 and Fraction(case["br_nonadaptive"])], ids=case_name
)
def test_the_place_of_the_maximum_matters(case: dict[str, Any]) -> None:
    """The formula with t one step off, l instead of l + 1, misses the golden value; with t as stated it is met."""
    epsilon, count, e = float(case["eps"]), case["k"], float(case["eg"])
    right, wrong = (max(planted(epsilon, count, e, lies, step) for lies in range(count)) for step in (1, 0))
    assert math.isclose(right, float(case["br_nonadaptive"]), rel_tol=1e-9)
    assert not math.isclose(wrong, float(case["br_nonadaptive"]), rel_tol=1e-6)


def planted(epsilon: float, count: int, e: float, lies: int, step: int) -> float:
    """Add up the event "at most l lies", with t at (e + (l + step) epsilon) / (k + 1), straight from its formula."""
    t = min(epsilon, (e + (lies + step) * epsilon) / (count + 1))
    q = math.expm1(t - epsilon) / math.expm1(-epsilon)
    return math.fsum(
        math.comb(count, i) * q ** (count - i) * (1 - q) ** i * -math.expm1(e - count * t + i * epsilon)
        for i in range(lies + 1)
    )


@pytest.mark.parametrize("case", GOLDEN["eps_for_delta"], ids=case_name)
def test_golden_epsilon(case: dict[str, Any]) -> None:
    """Epsilon is the golden one from above; at twice the delta, or with one mechanism more, it is not."""
    epsilon, count, golden = case["eps"], case["k"], case["br_nonadaptive"]
    assert meets_epsilon(bounded_range.epsilon({epsilon: count}, case["delta"]), golden)
    assert not meets_epsilon(bounded_range.epsilon({epsilon: count}, 2 * Fraction(case["delta"])), golden)
    assert not meets_epsilon(bounded_range.epsilon({epsilon: count + 1}, case["delta"]), golden)


@pytest.mark.parametrize("case", GOLDEN["table_main_doubles"], ids=case_name)
def test_the_table(case: dict[str, Any]) -> None:
    """The long table's column is met, up to a thousand mechanisms."""
    found = bounded_range.epsilon({str(case["eps"]): case["k"]}, "1e-6")
    assert found is not None
    assert abs(found - Fraction(case["br_nonadaptive"])) <= max(Fraction("3e-12"), found * Fraction("1e-13"))


@given(EPSILONS, some.lists(SHARES, min_size=1, max_size=7), PARTS)
def test_no_batch_does_worse(epsilon: Fraction, shares: list[float], part: Fraction) -> None:
    """The delta of responses whose t differ at will, over all outcomes one by one, is at most the optimum."""
    e = part * len(shares) * epsilon
    found = bounded_range.delta([epsilon] * len(shares), e)
    assert found is not None
    assert enumerated(float(epsilon), shares, float(e)) <= float(found) * (1 + 1e-9) + 1e-15


def enumerated(epsilon: float, shares: list[float], e: float) -> float:
    """Delta of generalised randomised responses with t = share * epsilon, by summing over every single outcome."""
    ts = [share * epsilon for share in shares]
    truths = [math.expm1(t - epsilon) / math.expm1(-epsilon) for t in ts]
    found = []
    for lies in product((0, 1), repeat=len(ts)):
        loss = math.fsum(t - lie * epsilon for t, lie in zip(ts, lies, strict=True))
        chance = math.prod(1 - q if lie else q for q, lie in zip(truths, lies, strict=True))
        found.append(max(0.0, chance * -math.expm1(e - loss)))
    return math.fsum(found)


@given(EPSILONS, COUNTS, PARTS)
def test_the_scan_misses_no_maximum(epsilon: Fraction, count: int, part: Fraction) -> None:
    """The maximum over every l, each evaluated in balls, is the delta found."""
    batch = Batch(epsilon, count, part * count * epsilon)
    every = [upper(_value(batch, lies)[0]) for lies in range(batch.last + 1)]
    assert bounded_range.delta({epsilon: count}, batch.e) == max(every, default=0)


def test_every_contender_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the scan cannot tell any l from another, all of them are evaluated, and the answer is the same."""
    found = bounded_range.delta({"0.1": 60}, 1)
    monkeypatch.setattr(bounded_range, "contenders", lambda batch: [(lies, 0.0) for lies in range(batch.last + 1)])
    assert bounded_range.delta({"0.1": 60}, 1) == found
    assert bounded_range.delta({"0.1": 100}, "0.5") == 1  # more than are evaluated: the bound itself, on the safe side


@pytest.mark.parametrize(
    ("epsilon", "count", "e"),
    [("0.01", 100_000, 4), ("0.01", 100_000, "0.01"), ("0.1", 3000, 8), ("2", 1000, 600), ("50", 300, 7000)],
)
def test_the_scan_bounds_every_sum(epsilon: str, count: int, e: Any) -> None:
    """In large batches, too, the bounds in floats lie on both sides of the value in balls; a shifted one does not."""
    batch = Batch(Fraction(epsilon), count, Fraction(e))
    found = rivals(batch, np.linspace(0, batch.last, 40).astype(np.int64))
    assert found.lies.size
    for lies, low, high in zip(found.lies.tolist()[:8], found.low.tolist(), found.high.tolist(), strict=False):
        log = _value(batch, int(lies))[0].log()
        assert low - batch.margin <= upper(log)
        assert lower(log) <= high
        assert high - low < 3 * batch.margin or high == 0
        wrong = _value(batch._replace(k=count + 1), int(lies))[0].log()
        assert high == 0 or not low - batch.margin <= upper(wrong) <= high


@given(EPSILONS, COUNTS, PARTS, PARTS)
def test_delta_grows_with_what_is_spent(epsilon: Fraction, count: int, one: Fraction, other: Fraction) -> None:
    """More mechanisms or a larger range never need a smaller delta, a larger epsilon to reach never a larger one."""
    grows(bounded_range.delta, epsilon, count, one, other)


@given(EPSILONS, COUNTS, DELTAS)
def test_epsilon_is_certified_and_the_least(epsilon: Fraction, count: int, delta: Fraction) -> None:
    """Delta at the epsilon found is within the one asked for, down to 1e-25, and a hair below it is not."""
    found = bounded_range.epsilon({epsilon: count}, delta)
    assert found is not None
    assert (bounded_range.delta({epsilon: count}, found) or 0) <= delta
    below = found * (1 - Fraction(1, 10**11))
    assert not found or (bounded_range.delta({epsilon: count}, below) or 0) > delta


def test_one_mechanism_is_its_reading() -> None:
    """One mechanism has the delta of its own reading, and none costs nothing."""
    assert math.isclose(bounded_range.delta([1], "0.3") or 0, delta_at(Range(1), "0.3"), rel_tol=1e-15)
    assert bounded_range.delta([], 0) == bounded_range.epsilon({1: 0}, "0.1") == 0


def test_a_list_is_its_count() -> None:
    """A list of many equal ranges and their count give the same number."""
    assert bounded_range.delta(["0.01"] * 300, "0.5") == bounded_range.delta({"0.01": 300}, "0.5")


@pytest.mark.parametrize("epsilon", ["1e-400", "1e-90", "1e-3", "1000", "999999", "1e9", "1e400"])
@pytest.mark.parametrize("count", [1, 300])
def test_extreme_ranges_stay_on_the_private_side(epsilon: str, count: int) -> None:
    """Ranges where floats end still give a bound between nothing and the sum."""
    most = Fraction(epsilon) * count
    found = bounded_range.epsilon({epsilon: count}, "1e-9")
    assert found is not None
    assert 0 <= found <= most
    assert (bounded_range.delta({epsilon: count}, found) or 0) <= Fraction("1e-9")
    assert bounded_range.delta({epsilon: count}, most) == 0


def test_what_is_not_certified_has_no_answer() -> None:
    """Batches too large to scan, and of more ranges than are searched, give None rather than a guess."""
    assert bounded_range.epsilon({1: bounded_range.MOST + 1}, "0.1") is None
    assert bounded_range.delta(range(1, 8), 1) is None
    assert bounded_range.epsilon(range(1, 8), "0.1") is None
