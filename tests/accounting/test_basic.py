"""Addition, and the textbook forms that are capped by it."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings

from discreet.accounting import advanced, basic, bounded_range, pure_optimum, renyi, zcdp
from discreet.errors import SettingError
from discreet.guarantees import LaplacePair, PureRange, Range, Zcdp
from discreet.readings import delta_at
from tests.accounting.closed import (
    BAD_AMOUNTS,
    BAD_DELTAS,
    COUNTS,
    DELTAS,
    EPSILONS,
    GOLDEN,
    case_name,
    meets_delta,
    meets_doubles,
    meets_epsilon,
)

CASES: list[dict[str, Any]] = GOLDEN["eps_for_delta"]


def test_epsilons_add_up() -> None:
    """A count multiplies, a list repeats, and equal numbers written differently are one."""
    assert basic.epsilon({"0.1": 10**9}) == 10**8
    assert basic.epsilon(["0.1"] * 7) == basic.epsilon({"1/10": 3, 0.1: 4}) == Fraction(7, 10)
    assert basic.epsilon({}) == basic.epsilon([0]) == 0
    assert basic.delta({1: 3}, 3) == 0
    assert basic.delta({1: 3}, "2.99") == 1


@pytest.mark.parametrize("amounts", BAD_AMOUNTS)
def test_bad_amounts_are_refused(amounts: Any) -> None:
    """What is not a list of numbers, or numbers with whole counts, is a wrong setting in every rule."""
    rules: list[Any] = [basic.epsilon, lambda a: pure_optimum.delta(a, 1), lambda a: bounded_range.delta(a, 1)]
    rules += [lambda a: zcdp.delta(a, 1), lambda a: advanced.range_epsilon(a, "0.1")]
    for rule in rules:
        with pytest.raises(SettingError):
            rule(amounts)


@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_golden_advanced_composition(case: dict[str, Any]) -> None:
    """Each textbook form is the golden one from above, and with one mechanism more it is another."""
    forms = {
        "drv10": lambda e, d: advanced.pure_epsilon(e, d, "classic"),
        "ddr_closed": advanced.range_epsilon,
        "dr19_closed": advanced.simple_range_epsilon,
    }
    for key, form in forms.items():
        assert meets_epsilon(form({case["eps"]: case["k"]}, case["delta"]), case[key])
        assert not meets_epsilon(form({case["eps"]: case["k"] + 1}, case["delta"]), case[key])


@pytest.mark.parametrize("case", GOLDEN["table_main_doubles"], ids=case_name)
def test_the_table_of_textbook_forms(case: dict[str, Any]) -> None:
    """The long table's columns are met, up to a thousand mechanisms."""
    amounts = {str(case["eps"]): case["k"]}
    assert meets_doubles(basic.epsilon(amounts), case, "basic")
    assert meets_doubles(advanced.pure_epsilon(amounts, "1e-6", "classic"), case, "drv")
    assert meets_doubles(advanced.range_epsilon(amounts, "1e-6"), case, "ddr_closed")


@pytest.mark.parametrize("delta", BAD_DELTAS)
def test_bad_deltas_are_refused(delta: Any) -> None:
    """A delta that is no chance strictly between 0 and 1 is a wrong setting in every rule."""
    rules = [advanced.pure_epsilon, advanced.range_epsilon, advanced.simple_range_epsilon]
    for rule in [*rules, pure_optimum.epsilon, bounded_range.epsilon, zcdp.epsilon]:
        with pytest.raises(SettingError):
            rule({1: 2}, delta)
    with pytest.raises(SettingError):
        renyi.epsilon({Zcdp(1): 1}, delta)


def test_an_unknown_mean_is_refused() -> None:
    """Only the two named means are known."""
    with pytest.raises(SettingError, match="classic"):
        advanced.pure_epsilon({1: 2}, "0.1", "typical")  # type: ignore[arg-type]


@settings(max_examples=30)
@given(EPSILONS, COUNTS, DELTAS)
def test_the_ladder_of_bounds(epsilon: Fraction, count: int, delta: Fraction) -> None:
    """Batch optimum, Renyi, zCDP, sum: each bound is at most the next; and tight forms are below textbook ones."""
    amounts = {epsilon: count}
    batch, best = bounded_range.epsilon(amounts, delta), pure_optimum.epsilon(amounts, delta)
    curve = renyi.epsilon({Range(epsilon): count}, delta)
    rho = min(basic.epsilon(amounts), zcdp.epsilon({epsilon * epsilon / 8: count}, delta))
    assert batch is not None
    assert best is not None
    assert curve is not None
    hair = 1 + Fraction(1, 10**12)
    assert batch <= curve * hair
    assert curve <= rho * hair
    assert curve <= advanced.range_epsilon(amounts, delta) * hair
    assert advanced.range_epsilon(amounts, delta) <= basic.epsilon(amounts)
    assert batch <= best <= advanced.pure_epsilon(amounts, delta) * hair
    assert advanced.pure_epsilon(amounts, delta) <= advanced.pure_epsilon(amounts, delta, "classic")


@pytest.mark.parametrize("case", GOLDEN["pf_rnm_laplace_profile"], ids=lambda case: case["eta_range"])
def test_golden_profile_of_the_laplace_pair(case: dict[str, str]) -> None:
    """Permute-and-flip's delta is the golden one from above; that of a pure bound alone is not."""
    found = delta_at(LaplacePair(case["eta_range"]), case["eg"])
    assert meets_delta(found, case["delta"])
    assert found < (pure_optimum.delta([case["eta_range"]], case["eg"]) or 0)
    assert delta_at(LaplacePair(case["eta_range"]), case["eta_range"]) == 0


@pytest.mark.parametrize("case", GOLDEN["profile_pure_and_br"], ids=lambda case: f"{case['br']}-{case['eg']}")
def test_golden_profile_of_two_bounds(case: dict[str, str]) -> None:
    """A pure bound and a bounded range together have the golden delta, at most that of either."""
    found = delta_at(PureRange(case["pure"], case["br"]), case["eg"])
    assert meets_delta(found, case["delta"])
    hair = 1 + Fraction(1, 10**15)
    assert found <= (pure_optimum.delta([case["pure"]], case["eg"]) or 0) * hair
    assert found <= (bounded_range.delta([case["br"]], case["eg"]) or 0) * hair
    pure, bounded = (Fraction(case[key]) * Fraction(99, 100) for key in ("pure", "br"))
    assert not meets_delta(delta_at(PureRange(pure, bounded), case["eg"]), case["delta"])
