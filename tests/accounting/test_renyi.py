"""Renyi curves and their conversion: golden values, the two-point laws they come from, order of the curves."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet.accounting import bounded_range, pure_optimum, renyi
from discreet.errors import SettingError
from discreet.guarantees import Guarantee, LaplacePair, Pure, Range, Zcdp
from discreet.readings import as_zcdp
from tests.accounting.closed import (
    COUNTS,
    DELTAS,
    EPSILONS,
    GOLDEN,
    PARTS,
    case_name,
    meets_delta,
    meets_doubles,
    meets_epsilon,
    sure,
)

ORDERS = some.fractions(min_value=Fraction(101, 100), max_value=200, max_denominator=100)
KINDS = [Range, Pure, LaplacePair, Zcdp]


@pytest.mark.parametrize(
    "case", [case for case in GOLDEN["rdp_br"] if case["alpha"] != "1"], ids=lambda c: f"{c['eps']}-{c['alpha']}"
)
def test_golden_curve_of_a_bounded_range(case: dict[str, str]) -> None:
    """The tight curve is the golden one from above; at a neighbouring order it is not."""
    curves: renyi.Uses = {Range(Fraction(case["eps"])): 1}
    assert meets_delta(renyi.divergence_of(curves, case["alpha"]), case["rdp"])
    assert not meets_delta(renyi.divergence_of(curves, Fraction(case["alpha"]) * Fraction(1001, 1000)), case["rdp"])


@pytest.mark.parametrize("case", GOLDEN["eps_for_delta"], ids=case_name)
def test_golden_epsilon(case: dict[str, Any]) -> None:
    """The tight curve converts to the golden epsilon from above; one mechanism more does not."""
    curve = Range(Fraction(case["eps"]))
    assert meets_epsilon(renyi.epsilon({curve: case["k"]}, case["delta"]), case["br_rdp_cks"])
    assert not meets_epsilon(renyi.epsilon({curve: case["k"] + 1}, case["delta"]), case["br_rdp_cks"])


@pytest.mark.parametrize("case", GOLDEN["table_main_doubles"], ids=case_name)
def test_the_table(case: dict[str, Any]) -> None:
    """The long table's column is met, whose own search was coarser: ours is at most as large."""
    found = renyi.epsilon({Range(Fraction(str(case["eps"]))): case["k"]}, "1e-6")
    assert meets_doubles(found, case, "br_rdp_tight")


@given(EPSILONS, ORDERS, some.floats(min_value=0.001, max_value=0.999))
def test_no_two_point_law_is_further_apart(epsilon: Fraction, order: Fraction, share: float) -> None:
    """Every generalised randomised response lies below the curve of its range, and the worst one lies on it."""
    found = float(renyi.divergence_of({Range(epsilon): 1}, order))
    b, x = float(epsilon), float(order)
    assert two_points(b, share * b, x) <= found * (1 + 1e-9) + 1e-12
    c = math.exp(-b)
    worst = math.log((x - 1) * (1 - c**x) / (x * (c - c**x)))
    assert math.isclose(two_points(b, worst, x), found, rel_tol=1e-6, abs_tol=1e-12)


def two_points(b: float, t: float, x: float) -> float:
    """The divergence of a generalised randomised response, from its two outcomes."""
    p = (math.exp(-t) - math.exp(-b)) / -math.expm1(-b)
    return math.log(p * math.exp(x * t) + (1 - p) * math.exp(x * (t - b))) / (x - 1)


@given(EPSILONS, ORDERS)
def test_the_order_of_the_curves(epsilon: Fraction, order: Fraction) -> None:
    """At one pure epsilon: bounded range, Laplace, randomised response, epsilon; each below its own rho times order."""
    ranged, laplace, pure = (
        renyi.divergence_of({curve: 1}, order) for curve in (Range(epsilon), LaplacePair(epsilon), Pure(epsilon))
    )
    assert ranged <= laplace <= pure <= epsilon * (1 + Fraction(1, 10**30))
    for kind, least in ((Range, ranged), (LaplacePair, laplace), (Pure, pure)):
        straight = as_zcdp(kind(epsilon))
        assert straight is not None
        assert least <= straight.rho * order


@given(some.fractions(min_value=Fraction(1, 10), max_value=3, max_denominator=10), ORDERS.filter(lambda x: x < 30))
def test_the_laplace_curve_is_an_integral(ratio: Fraction, order: Fraction) -> None:
    """Adding up the Laplace pair over a fine grid gives its curve; a pair of twice the ratio does not."""
    r, x, step = float(ratio), float(order), 1 / 400
    points = [-30 + step * (i + 0.5) for i in range(int(60 / step))]
    moment = math.fsum(0.5 * math.exp(-x * abs(z) - (1 - x) * abs(z - r)) * step for z in points)
    found = float(renyi.divergence_of({LaplacePair(ratio): 1}, order))
    assert math.isclose(math.log(moment) / (x - 1), found, rel_tol=1e-2)
    assert not math.isclose(float(renyi.divergence_of({LaplacePair(2 * ratio): 1}, order)), found, rel_tol=1e-2)


@given(EPSILONS, COUNTS, PARTS)
def test_delta_is_above_the_optimum(epsilon: Fraction, count: int, part: Fraction) -> None:
    """The bound is never below the exact optimum, of bounded ranges and of pure mechanisms."""
    e = part * count * epsilon
    hair = 1 - Fraction(1, 10**15)
    assert sure(renyi.delta({Range(epsilon): count}, e)) >= sure(bounded_range.delta({epsilon: count}, e)) * hair
    assert sure(renyi.delta({Pure(epsilon): count}, e)) >= sure(pure_optimum.delta({epsilon: count}, e)) * hair


@given(some.sampled_from(KINDS), EPSILONS, COUNTS, PARTS, DELTAS)
def test_bounds_grow_with_what_is_spent(
    kind: type[Range], amount: Fraction, count: int, part: Fraction, delta: Fraction
) -> None:
    """More mechanisms, larger ones, a smaller epsilon or a smaller delta never lower a bound."""
    e, hair = part * count * amount, 1 + Fraction(1, 10**12)
    here: renyi.Uses = {kind(amount): count}
    dearer: list[renyi.Uses] = [{kind(amount): count + 1}, {kind(amount * Fraction(5, 4)): count}]
    for spent in dearer:
        assert sure(renyi.delta(here, e)) <= sure(renyi.delta(spent, e)) * hair
        assert sure(renyi.epsilon(here, delta)) <= sure(renyi.epsilon(spent, delta)) * hair
    assert sure(renyi.delta(here, 2 * e)) <= sure(renyi.delta(here, e)) * hair
    assert sure(renyi.epsilon(here, 2 * delta / 3)) * hair >= sure(renyi.epsilon(here, delta))


@given(some.sampled_from(KINDS), EPSILONS, COUNTS, DELTAS)
def test_delta_and_epsilon_agree(kind: type[Range], amount: Fraction, count: int, delta: Fraction) -> None:
    """Delta at the epsilon found is the delta asked for, up to the search for the order."""
    curves: renyi.Uses = {kind(amount): count}
    found = sure(renyi.epsilon(curves, delta))
    assert sure(renyi.delta(curves, found)) <= delta * (1 + Fraction(1, 10**9))


def test_different_curves_add_up() -> None:
    """A sum of curves of different kinds is at least each, and zero counts are none."""
    mixed: renyi.Uses = {Range(Fraction(1)): 5, LaplacePair(Fraction(1, 2)): 3, Zcdp(Fraction(1, 9)): 2}
    assert renyi.divergence_of(mixed, 4) > renyi.divergence_of({Range(Fraction(1)): 5}, 4)
    one: dict[Guarantee, int] = {Range(Fraction(1)): 5}
    assert sure(renyi.epsilon({**one, Pure(Fraction(1)): 0}, "1e-6")) == sure(renyi.epsilon(one, "1e-6"))
    assert (
        sure(renyi.epsilon({}, "1e-6"))
        == sure(renyi.delta({}, 0))
        == renyi.divergence_of({Zcdp(Fraction(0)): 3}, 2)
        == 0
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("amount", ["1e-400", "1e-30", "1e30", "1e200"])
def test_extreme_curves_stay_on_the_private_side(kind: type[Range], amount: str) -> None:
    """Curves where balls end still give a bound that is a chance, and an epsilon no larger than the worst loss."""
    curves: renyi.Uses = {kind(Fraction(amount)): 3}
    assert 0 <= sure(renyi.delta(curves, Fraction(amount))) <= 1
    if kind.__name__ != "Zcdp":
        assert 0 <= sure(renyi.epsilon(curves, "1e-9")) <= 3 * Fraction(amount)


@pytest.mark.parametrize("order", [1, 0, "0.5", float("nan")])
def test_bad_orders_are_refused(order: Any) -> None:
    """An order that is not above 1 is a wrong setting, and so are counts below zero and epsilons below zero."""
    with pytest.raises(SettingError):
        renyi.divergence_of({Range(1): 1}, order)
    with pytest.raises(SettingError):
        renyi.delta({Zcdp(1): 1}, -1)
