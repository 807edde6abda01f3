"""Readings between guarantees: golden numbers, the side they are rounded to, and their order."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet.guarantees import Approx, LaplacePair, Pure, Range, Zcdp
from discreet.readings import as_approx, as_pure, as_range, as_zcdp, delta_at, edge, implies, largest
from tests.mechanisms.contract import AMOUNTS, DELTAS, TARGETS

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "readings.json").read_text(encoding="utf-8")
)
ROUNDED = Fraction(1, 10**18)


def just_above(found: Fraction, golden: str) -> bool:
    """Say whether a number is the golden one rounded up to about a float's digits."""
    exact = Fraction(golden)
    return exact * (1 - ROUNDED) <= found <= exact * (1 + Fraction(1, 2**50))


@pytest.mark.parametrize("case", [case for case in GOLDEN["profile_single_br"] if Fraction(case["eg"]) >= 0])
def test_golden_profile_of_a_bounded_range(case: dict[str, str]) -> None:
    """Delta at epsilon is the golden one; at a range 1 % off it is not."""
    delta = Fraction(case["delta"])
    assert just_above(delta_at(Range(case["eps"]), case["eg"]), case["delta"])
    assert not delta or not just_above(
        delta_at(Range(Fraction(case["eps"]) * Fraction(101, 100)), case["eg"]), case["delta"]
    )


@pytest.mark.parametrize("case", GOLDEN["zcdp_br"])
def test_golden_rho_of_a_bounded_range(case: dict[str, str]) -> None:
    """Rho is the tight one, below a square over eight."""
    rho = as_zcdp(Range(case["eps"]))
    assert rho is not None
    assert just_above(rho.rho, case["rho_tight"])
    assert rho.rho < Fraction(case["eps2_over_8"])


@pytest.mark.parametrize("case", GOLDEN["cks_zcdp_delta"])
def test_golden_delta_of_zcdp(case: dict[str, str]) -> None:
    """The best conversion's delta is met within 1e-9, and never undercut: any order gives a valid delta."""
    found = delta_at(Zcdp(case["rho"]), case["eg"])
    assert Fraction(case["delta"]) * (1 - ROUNDED) <= found <= Fraction(case["delta"]) * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("case", GOLDEN["zcdp_budget_for_target"])
def test_golden_budget_for_a_target(case: dict[str, str]) -> None:
    """The largest rho that gives a target is the golden one, from below."""
    target = Approx(case["eg"], case["delta"])
    rho = edge(lambda amount: implies(Zcdp(amount), target))[0]
    golden = Fraction(case["rho_budget"])
    assert golden * (1 - Fraction(1, 10**8)) <= rho <= golden * (1 + ROUNDED)


@given(TARGETS, AMOUNTS, AMOUNTS)
def test_delta_falls_as_epsilon_grows(guarantee: Any, one: Fraction, other: Fraction) -> None:
    """A larger epsilon never needs a larger delta, and all deltas are chances."""
    low, high = sorted((one, other))
    assert 0 <= delta_at(guarantee, high) <= delta_at(guarantee, low) * (1 + Fraction(1, 10**9)) <= 2


@given(some.sampled_from([Pure, Range, Zcdp]), AMOUNTS, AMOUNTS, AMOUNTS)
def test_more_loss_needs_more_delta(kind: Any, one: Fraction, other: Fraction, epsilon: Fraction) -> None:
    """Delta and rho grow with the guarantee's own number."""
    low, high = sorted((one, other))
    assert delta_at(kind(low), epsilon) <= delta_at(kind(high), epsilon) * (1 + Fraction(1, 10**9))
    assert as_zcdp(kind(low)).rho <= as_zcdp(kind(high)).rho  # type: ignore[union-attr]


@given(TARGETS, DELTAS)
def test_approximations_follow_and_barely(guarantee: Any, delta: Fraction) -> None:
    """The epsilon found is implied, and one a millionth smaller is not."""
    if isinstance(guarantee, Approx) and guarantee.delta > delta:
        return
    found = as_approx(guarantee, delta)
    assert implies(guarantee, found)
    assert found.epsilon == 0 or not implies(guarantee, Approx(found.epsilon * (1 - Fraction(1, 10**6)), delta))


@given(TARGETS)
def test_what_is_within_a_target_gives_it_and_barely(target: Any) -> None:
    """The largest range and the largest pure epsilon give the target, and a millionth more does not."""
    beyond = 1 + Fraction(1, 10**6)
    for kind in (Range, Pure, LaplacePair):
        amount = largest(kind, target)
        assert implies(kind(amount), target)
        assert not implies(kind(amount * beyond), target)


@given(AMOUNTS)
def test_every_reading_is_implied_by_its_source(amount: Fraction) -> None:
    """Pure and range give each other, both give zCDP, and a range gives the better one."""
    for source in (Pure(amount), Range(amount)):
        for reading in (as_pure(source), as_range(source), as_zcdp(source)):
            assert reading is not None
            assert implies(source, reading)
    ranged, pure = as_zcdp(Range(amount)), as_zcdp(Pure(amount))
    assert ranged is not None
    assert pure is not None
    assert ranged.rho < pure.rho
    assert as_pure(Zcdp(amount)) is None
