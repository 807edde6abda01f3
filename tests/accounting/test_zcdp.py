"""Sums of rho: golden conversions, budgets, and their agreement with the Renyi rule."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from discreet.accounting import renyi, zcdp
from discreet.errors import SettingError
from discreet.guarantees import LaplacePair, Range, Zcdp
from discreet.readings import as_zcdp
from tests.accounting.closed import COUNTS, DELTAS, EPSILONS, GOLDEN, case_name, meets_delta, meets_epsilon


@pytest.mark.parametrize("case", GOLDEN["cks_zcdp_delta"], ids=lambda case: case["rho"])
def test_golden_delta(case: dict[str, str]) -> None:
    """Delta is the golden one from above, from one rho or from ten parts of it; with one part more it is not."""
    rho = Fraction(case["rho"])
    assert meets_delta(zcdp.delta([rho], case["eg"]), case["delta"])
    assert meets_delta(zcdp.delta({rho / 10: 10}, case["eg"]), case["delta"])
    assert not meets_delta(zcdp.delta({rho / 10: 11}, case["eg"]), case["delta"])


@pytest.mark.parametrize("case", GOLDEN["eps_for_delta"], ids=case_name)
def test_golden_epsilon(case: dict[str, Any]) -> None:
    """The simple and the tight rho of a bounded range convert to the golden epsilons from above, capped by the sum."""
    epsilon, count = Fraction(case["eps"]), case["k"]
    tight = as_zcdp(Range(epsilon))
    assert tight is not None
    for rho, key in ((epsilon * epsilon / 8, "br_zcdp_eps2_8_cks"), (tight.rho, "br_zcdp_tight_rho_cks")):
        found = zcdp.epsilon({rho: count}, case["delta"])
        assert meets_epsilon(min(count * epsilon, found), case[key])
        assert not meets_epsilon(zcdp.epsilon({4 * rho: count}, case["delta"]), case[key])


@pytest.mark.parametrize("case", GOLDEN["zcdp_budget_for_target"], ids=lambda case: case["eg"])
def test_golden_budget(case: dict[str, str]) -> None:
    """The budget is the golden one from below, and gives the target; a hair more does not."""
    found, golden = zcdp.budget(case["eg"], case["delta"]), Fraction(case["rho_budget"])
    assert golden * (1 - Fraction("1e-12")) <= found <= golden * (1 + Fraction("1e-18"))
    assert zcdp.delta([found], case["eg"]) <= Fraction(case["delta"])
    assert zcdp.delta([found * (1 + Fraction("1e-9"))], case["eg"]) > Fraction(case["delta"])
    assert meets_delta(8 * golden, case["max_sum_eps_squared_br"], "1e-17")


@pytest.mark.parametrize("case", GOLDEN["pf_rnm_zcdp"], ids=lambda case: case["eta_range"])
def test_golden_rho_of_the_laplace_pair(case: dict[str, str]) -> None:
    """Permute-and-flip's rho is the golden one from above; half its rate has another."""
    assert meets_delta(laplace_rho(case["eta_range"]), case["rho"])
    assert not meets_delta(laplace_rho(Fraction(case["eta_range"]) / 2), case["rho"])


def laplace_rho(epsilon: Fraction | str) -> Fraction:
    """The rho of the Laplace pair."""
    zcdp_read = as_zcdp(LaplacePair(epsilon))
    assert zcdp_read is not None
    return zcdp_read.rho


@given(EPSILONS, COUNTS, DELTAS)
def test_the_renyi_rule_says_the_same(rho: Fraction, count: int, delta: Fraction) -> None:
    """Straight curves, added up and converted by the other rule, give the same epsilon."""
    one, other = zcdp.epsilon({rho: count}, delta), renyi.epsilon({Zcdp(rho): count}, delta)
    assert other is not None
    assert math.isclose(one, other, rel_tol=1e-12)
    assert one == zcdp.epsilon([rho] * count, delta)


@given(EPSILONS, COUNTS, DELTAS)
def test_bounds_grow_with_what_is_spent(rho: Fraction, count: int, delta: Fraction) -> None:
    """One mechanism more, or half the delta, needs a larger epsilon; and the budget gives it back."""
    found = zcdp.epsilon({rho: count}, delta)
    assert found < zcdp.epsilon({rho: count + 1}, delta)
    assert found < zcdp.epsilon({rho: count}, delta / 2)
    assert math.isclose(zcdp.budget(found, delta), rho * count, rel_tol=1e-9)


@pytest.mark.parametrize("bad", [0, 1, -1, float("nan")])
def test_bad_targets_are_refused(bad: float) -> None:
    """A budget needs a delta strictly between 0 and 1, and an epsilon from 0."""
    with pytest.raises(SettingError):
        zcdp.budget(1, bad)
    with pytest.raises(SettingError):
        zcdp.budget(-1, "0.1")
