"""How many fit, and how large each may be: the golden table, and both sides of every edge."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet.accounting import compose, each_of, how_many, repeat
from discreet.accounting.adaptive import delta_bracket
from discreet.errors import SettingError
from discreet.guarantees import Approx, Gdp, Guarantee, LaplacePair, Pure, Range, Renyi
from tests.accounting.plans import GOLDEN

TABLE: list[dict[str, Any]] = GOLDEN["queries_table"]
BUDGETS = some.fractions(min_value=Fraction(1, 2), max_value=4, max_denominator=4)
DELTA = "1e-6"


def row_name(row: dict[str, Any]) -> str:
    """Name a row by its settings."""
    return f"{row['eps']}-{row['eps_g']}"


@pytest.mark.parametrize("row", TABLE, ids=row_name)
def test_the_golden_table_of_queries(row: dict[str, Any]) -> None:
    """Every column of the table is met exactly, that of certified fixed plans to one per cent and never beyond."""
    each = Fraction(str(row["eps"]))

    def fit(guarantee: Guarantee, plan: Any, rule: str = "auto") -> int:
        return how_many(guarantee, epsilon=row["eps_g"], delta=DELTA, plan=plan, rule=rule)

    assert fit(Pure(2 * each), "batch") == row["k_classic"]
    assert fit(Pure(each), "fixed") == row["k_pure_range"]
    assert fit(Range(each), "batch") == row["k_br_nonadaptive"]
    assert fit(Range(each), "fixed", "renyi") == row["k_br_rdp"]
    assert row["k_br_zcdp"] <= fit(Range(each), "adaptive", "zcdp") <= row["k_br_rdp"]
    found = fit(Range(each), "fixed")
    assert row["k_br_adaptive_certified"] * 0.99 <= found <= row["k_br_adaptive_at_most"]


@pytest.mark.parametrize("row", [row for row in TABLE if row["k_br_adaptive_certified"] <= 80], ids=row_name)
def test_a_finer_grid_certifies_the_rest(row: dict[str, Any]) -> None:
    """On a grid as fine as the table's the recursion certifies all it says, and refutes one more than is possible."""
    each, certified, most = Fraction(str(row["eps"])), row["k_br_adaptive_certified"], row["k_br_adaptive_at_most"]
    assert delta_bracket([each] * certified, row["eps_g"], points=row["grid_m"]).upper <= Fraction(DELTA)
    assert delta_bracket([each] * (most + 1), row["eps_g"], points=row["grid_m"]).lower > Fraction(DELTA)


def test_sixteen_times_as_many_in_the_limit() -> None:
    """The price of half the range, composed as a range: 16 times the classic number where each is small, never more."""
    ratios = []
    for each, total in (("0.1", 1), ("0.03", 2), ("0.01", 4), ("0.004", 4)):
        classic = how_many(Pure(2 * Fraction(each)), epsilon=total, delta=DELTA, plan="batch")
        ratios.append(how_many(Range(each), epsilon=total, delta=DELTA, plan="batch") / classic)
    assert ratios == sorted(ratios)
    assert 4 < ratios[0] < 5
    assert 15.95 < ratios[-1] <= 16


@settings(max_examples=6)
@given(
    some.sampled_from([Range, Pure, LaplacePair, Gdp]),
    some.fractions(min_value=Fraction(1, 20), max_value=1, max_denominator=20),
    BUDGETS,
    some.sampled_from(["batch", "fixed", "adaptive"]),
)
def test_one_more_does_not_fit(kind: Any, each: Fraction, total: Fraction, plan: Any) -> None:
    """The number found is within the budget by its rule, and the next is not."""
    found = how_many(kind(each), epsilon=total, delta=DELTA, plan=plan)
    assert compose([repeat(kind(each), found)], epsilon=total, plan=plan).delta <= Fraction(DELTA)
    assert compose([repeat(kind(each), found + 1)], epsilon=total, plan=plan).delta > Fraction(DELTA)


@settings(max_examples=6)
@given(
    some.sampled_from([Range, Pure, LaplacePair]),
    some.sampled_from([1, 2, 7, 40, 400]),
    BUDGETS,
    some.sampled_from(["batch", "fixed", "adaptive"]),
)
def test_a_hair_larger_does_not_fit(kind: Any, times: int, total: Fraction, plan: Any) -> None:
    """The epsilon found is within the budget by its rule, and one larger by what its bound is off is not."""
    found = each_of(times, epsilon=total, delta=DELTA, plan=plan, kind=kind)
    assert compose([repeat(kind(found), times)], epsilon=total, plan=plan).delta <= Fraction(DELTA)
    larger = kind(found * (1 + Fraction(1, 200 if plan == "fixed" else 50_000)))
    assert compose([repeat(larger, times)], epsilon=total, plan=plan).delta > Fraction(DELTA)


def test_a_larger_budget_buys_more() -> None:
    """More epsilon, more delta or a plan that fixes more never buys fewer, nor smaller ones."""
    bought = [how_many(Range("0.1"), epsilon=e, delta=d) for e, d in ((1, "1e-9"), (1, "1e-6"), (2, "1e-6"), (9, 0.01))]
    sizes = [each_of(50, epsilon=1, delta=DELTA, plan=plan) for plan in ("adaptive", "fixed", "batch")]
    assert bought == sorted(bought)
    assert sizes == sorted(sizes)


def test_few_and_very_many() -> None:
    """Nothing fits where one is too large; millions fit where each is tiny."""
    assert how_many(Range(5), epsilon=1, delta=DELTA) == 0
    assert how_many(Approx("0.1", "1e-5"), epsilon=1, delta=DELTA) == 0
    assert how_many(Approx("0.1", "1e-7"), epsilon=1, delta=DELTA) == 10
    assert how_many(Range("1e-5"), epsilon=1, delta=DELTA) > 10**9
    assert how_many(Renyi({8: "0.1"}), epsilon=4, delta=DELTA, plan="fixed") == 24


@pytest.mark.parametrize("delta", [0, 1, -1, "much"])
def test_bad_budgets_are_refused(delta: Any) -> None:
    """A delta that is no chance strictly between 0 and 1, an epsilon of 0, and releases that cost nothing."""
    with pytest.raises(SettingError, match="delta"):
        how_many(Range(1), epsilon=1, delta=delta)
    with pytest.raises(SettingError, match="delta"):
        each_of(3, epsilon=1, delta=delta)
    with pytest.raises(SettingError, match="epsilon"):
        each_of(3, epsilon=0, delta=DELTA)
    with pytest.raises(SettingError, match="any number fits"):
        how_many(Range(0), epsilon=1, delta=DELTA)
    with pytest.raises(SettingError, match="times"):
        each_of(0, epsilon=1, delta=DELTA)
