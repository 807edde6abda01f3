"""The adaptive optimum: against exact numbers, against other grids, and against planted mistakes."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.accounting import grid
from discreet.accounting.adaptive import delta_bracket, epsilon_bracket
from discreet.accounting.bracket import Bracket
from discreet.accounting.grid import Array, Step, rise, sink
from discreet.errors import SettingError
from tests.accounting.plans import GOLDEN, plan, rows, two

EXACT = rows("delta", "k2_exact_examples", "k4_adaptive_exact", need="br_adaptive")
BRACKETS = rows("delta", "delta_large_k", "delta_heterogeneous", need="br_adaptive_bracket")
SMALL = [row for row in BRACKETS if len(plan(row)) <= 100]


def encloses(bracket: Bracket, true: Fraction, digits: int = 16) -> bool:
    """Say whether a bracket holds a number given to so many digits."""
    return (
        bracket.lower <= true * (1 + Fraction(1, 10**digits)) and true * (1 - Fraction(1, 10**digits)) <= bracket.upper
    )


def meets(bracket: Bracket, other: list[float]) -> bool:
    """Say whether two brackets overlap."""
    return bracket.lower <= Fraction(other[1]) and Fraction(other[0]) <= bracket.upper


@pytest.mark.parametrize("row", EXACT, ids=str)
def test_exact_values_lie_inside(row: dict[str, Any]) -> None:
    """The exact optimum of up to four mechanisms lies in the bracket, which is narrow."""
    found, true = delta_bracket(plan(row), row["eg"]), Fraction(row["br_adaptive"])
    assert encloses(found, true)
    assert found.upper - found.lower <= true / 5000
    assert not encloses(Bracket(found.upper * 2, found.upper * 3), true)


@pytest.mark.parametrize("row", SMALL, ids=str)
def test_brackets_meet_those_of_another_grid(row: dict[str, Any]) -> None:
    """Brackets computed elsewhere overlap ours, and the non-adaptive optimum is not above our upper end."""
    found = delta_bracket(plan(row), row["eg"])
    assert meets(found, row["br_adaptive_bracket"])
    assert Fraction(row.get("br_nonadaptive", 0)) <= found.upper <= found.lower * Fraction(102, 100)


@pytest.mark.parametrize("row", [row for row in GOLDEN["table_main_doubles"] if row["k"] < 1000], ids=str)
def test_epsilon_brackets_meet_those_of_another_grid(row: dict[str, Any]) -> None:
    """At delta one in a million the brackets overlap, ours is a fifth of a percent wide and above the batch optimum."""
    found = epsilon_bracket(plan(row), "1e-6")
    assert meets(found, [row["br_adaptive_lo"], row["br_adaptive_up"]])
    assert found.lower <= found.upper <= found.lower * Fraction(1002, 1000)
    assert row["br_nonadaptive"] <= found.upper * (1 + Fraction(1, 10**9))


def test_a_thousand_mechanisms_are_known_to_a_fifth_of_a_percent() -> None:
    """Long plans keep the accuracy."""
    row = next(row for row in GOLDEN["table_main_doubles"] if row["k"] == 1000 and row["eps"] == 0.5)
    found = epsilon_bracket(plan(row), "1e-6")
    assert meets(found, [row["br_adaptive_lo"], row["br_adaptive_up"]])
    assert found.upper <= found.lower * Fraction(1002, 1000)


@given(st.fractions("0.02", 6, max_denominator=50), st.fractions(0, 1, max_denominator=50), st.integers(1, 40))
def test_two_mechanisms_follow_their_closed_form(b: Fraction, share: Fraction, points: int) -> None:
    """However coarse the grid, the closed form for two lies inside."""
    e = share * 2 * b
    true, found = two(float(b), float(e)), delta_bracket([b, b], e, points=points)
    assert float(found.lower) <= true * (1 + 1e-9) + 1e-14
    assert true <= float(found.upper) * (1 + 1e-9) + 1e-14


@settings(max_examples=40)
@given(st.lists(st.fractions("0.01", 2, max_denominator=1000), min_size=2, max_size=4), st.integers(1, 24))
def test_coarse_grids_enclose_fine_ones(sequence: list[Fraction], points: int) -> None:
    """Whatever the parameters are on the grid or not, brackets of two grids overlap: neither side is ever wrong."""
    at = sum(sequence) / 3
    coarse, fine = (delta_bracket(sequence, at, points=count) for count in (points, 60))
    assert coarse.lower <= fine.upper
    assert fine.lower <= coarse.upper


def test_parameters_off_the_grid_cost_nothing_on_the_upper_side() -> None:
    """A parameter a hair off the common step is worth what the round one is worth, not a grid step more."""
    round_ones, odd = [Fraction(1, 2), Fraction(3, 4)] * 3, [Fraction(5003, 10007), Fraction(3, 4)] * 3
    assert grid.grid_step(odd, 32) * 20 > grid.grid_step(round_ones, 32)
    near, far = (delta_bracket(sequence, "0.8", points=32).upper for sequence in (odd, round_ones))
    assert abs(near / far - 1) < Fraction(1, 500)


def test_uneven_plans_get_a_grid_for_their_small_parameters() -> None:
    """One large parameter does not blur three hundred small ones."""
    found = epsilon_bracket([1] + ["0.001"] * 300, "1e-6")
    assert found.upper <= found.lower * Fraction(1002, 1000)
    assert found.upper < Fraction(102, 100)
    found = epsilon_bracket([30] * 20, "1e-6")
    assert found.upper <= found.lower * Fraction(1002, 1000)


def test_order_matters() -> None:
    """Ascending order is not the worst; the recursion over the multiset is above every order."""
    case = GOLDEN["order_matters_example"]
    orders = [[Fraction(b, 16) for b in order["order_of_execution"]] for order in case["orders"]]
    found = [delta_bracket(order, case["eg"], points=200) for order in orders]
    assert all(meets(one, order["br_adaptive_bracket"]) for one, order in zip(found, case["orders"], strict=True))
    assert found[0].lower > found[1].upper > found[1].lower > found[2].upper
    free = delta_bracket(orders[0], case["eg"], ordered=False, points=200)
    assert all(free.upper >= one.lower for one in found)
    assert free.upper < found[0].upper * Fraction(101, 100)


def test_free_order_of_equal_parameters_is_the_fixed_one() -> None:
    """Where all parameters are equal there is only one order."""
    assert delta_bracket(["0.5"] * 5, 1, ordered=False) == delta_bracket(["0.5"] * 5, 1)


def test_monotone() -> None:
    """More mechanisms or larger ones cost more; a larger epsilon or delta costs less."""
    uppers = [delta_bracket(["0.25"] * k, "0.5").upper for k in (3, 6, 12, 24)]
    assert uppers == sorted(uppers)
    uppers = [delta_bracket([b] * 6, "0.5").upper for b in ("0.1", "0.2", "0.4", "0.41")]
    assert uppers == sorted(uppers)
    ends = [delta_bracket(["0.25"] * 9, e) for e in ("1.5", "1", "0.333", "0.1", 0)]
    assert [end.upper for end in ends] == sorted(end.upper for end in ends)
    epsilons = [epsilon_bracket(["0.25"] * 9, d).upper for d in ("0.9", "1e-2", "1e-6", "1e-12", "1e-100")]
    assert epsilons == sorted(epsilons)
    assert epsilons[0] == 0


def test_epsilon_and_delta_agree() -> None:
    """Delta at the upper epsilon is not above the target, and at the lower one not below."""
    lower, upper = epsilon_bracket(["0.3", "0.1"] * 5, "1e-4")
    assert delta_bracket(["0.3", "0.1"] * 5, upper).lower <= Fraction(1, 10**4)
    assert delta_bracket(["0.3", "0.1"] * 5, lower).upper >= Fraction(1, 10**4)


def test_small_and_empty_plans() -> None:
    """Nothing costs nothing, and at the sum of the parameters delta is zero."""
    assert (
        delta_bracket([], 0) == delta_bracket([0], 0) == epsilon_bracket([], "0.1") == Bracket(Fraction(0), Fraction(0))
    )
    assert delta_bracket([1, "0.5"], "1.5").upper == 0
    assert epsilon_bracket([1, "0.5"], "1e-250").upper <= Fraction(3, 2)


@pytest.mark.parametrize(
    "call",
    [
        lambda: delta_bracket([-1], 0),
        lambda: delta_bracket(["x"], 0),
        lambda: delta_bracket([1], -1),
        lambda: delta_bracket([1], 0, points=0),
        lambda: delta_bracket([2000], 1),
        lambda: epsilon_bracket([1], 0),
        lambda: epsilon_bracket([1], 1),
        lambda: delta_bracket([Fraction(k, 10) for k in range(1, 12)], 1, ordered=False),
    ],
)
def test_bad_settings_are_refused(call: Any) -> None:
    """Numbers outside what is allowed raise, and so does a multiset too large to go through."""
    with pytest.raises(SettingError):
        call()


def values(steps: list[Step], advance: Any, size: int = 200) -> Array:
    """Apply one way of stepping again and again."""
    found = np.zeros(1)
    for step in steps:
        found = advance(step, found, size)
    return found


HALF, STEP = Fraction(1, 2), Fraction(1, 32)


def without_mirror(step: Step, given_values: Array, size: int) -> Array:
    """A mutant: V is taken to be 0 below y = 1."""
    blind = Step(step.cells, step.parted, step.knots, step.mix, step.bumps, (step.mirror[0] * 0, step.mirror[1] * 0))
    return rise(blind, given_values, size)


def without_bumps(step: Step, given_values: Array, size: int) -> Array:
    """A mutant: the adversary's values at the grid are taken for the supremum, unlike in ``rise``."""
    return sink(step, given_values, size)


def rounded_down(step: Step, given_values: Array, size: int) -> Array:
    """A mutant: the parameter is a grid step smaller."""
    return rise(Step.of((step.cells - 1) * STEP, STEP), given_values, size)


@pytest.mark.parametrize("mutant", [without_mirror, without_bumps, rounded_down])
def test_a_planted_wrong_upper_side_is_caught(mutant: Any) -> None:
    """Dropping self-duality, taking the lower side for the upper, or rounding down falls below the exact values."""
    steps = [Step.of(HALF, STEP)] * 2
    exact = np.array([two(0.5, float(j * STEP)) for j in range(30)])
    assert np.all(values(steps, rise)[:30] >= exact)
    assert not np.all(values(steps, mutant)[:30] >= exact)
    assert np.all(values(steps, sink)[:30] <= exact * (1 + 1e-12))
