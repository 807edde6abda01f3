"""Blocks of value functions, convolved: against golden tables, the recursion itself, and planted mistakes."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.accounting.adaptive import delta_bracket, epsilon_bracket, upper_values
from discreet.accounting.blocks import block_delta, block_epsilon, chunks
from discreet.accounting.envelope import envelope_delta, gaussian, laplace, randomised
from discreet.accounting.grid import sink
from discreet.accounting.losses import Losses
from discreet.accounting.sums import delta_of_sum
from discreet.errors import SettingError
from tests.accounting.plans import GOLDEN, plan, rows

TABLE = GOLDEN["block_pld_table"]
EXCESS = {50: Fraction(16, 1000), 100: Fraction(9, 1000)}


@pytest.mark.parametrize("row", [row for row in TABLE if row["block"] in EXCESS], ids=str)
def test_blocks_are_near_the_batch_optimum(row: dict[str, Any]) -> None:
    """Blocks of 50 are within 1.6 %, of 100 within 0.9 %, of the non-adaptive optimum, and not below it."""
    found = block_epsilon(plan(row), "1e-6", block=row["block"])
    assert found is not None
    assert row["nonadaptive"] <= found <= Fraction(row["nonadaptive"]) * (1 + EXCESS[row["block"]])
    assert float(found) == pytest.approx(row["block_pld"], rel=1e-4)


@pytest.mark.parametrize("row", [row for row in TABLE if row["block"] in {1, 5, 20} and row["k"] <= 1000], ids=str)
def test_short_blocks_are_as_loose_as_computed_elsewhere(row: dict[str, Any]) -> None:
    """Short blocks give the golden table too; a block of one is the envelope."""
    found = block_epsilon(plan(row), "1e-6", block=row["block"], points=64)
    assert found is not None
    assert float(found) == pytest.approx(row["block_pld"], rel=3e-4)


@pytest.mark.parametrize("row", rows("delta_large_k", "delta_heterogeneous", need="br_adaptive_bracket"), ids=str)
def test_blocks_lie_between_the_optimum_and_the_envelope(row: dict[str, Any]) -> None:
    """The bracket's lower end is below the blocks, which are below the envelope."""
    found = block_delta(plan(row), row["eg"], block=7, points=64)
    assert Fraction(row["br_adaptive_bracket"][0]) <= found
    assert found <= envelope_delta(plan(row), row["eg"]) * Fraction(1005, 1000)


def test_one_block_is_the_recursion() -> None:
    """A plan that fits one block costs what the recursion says, far below where a plain transform drowns."""
    for delta in ("1e-2", "1e-6", "1e-30", "1e-100"):
        true = epsilon_bracket(["0.1"] * 60, delta, points=32)
        found = block_epsilon(["0.1"] * 60, delta)
        assert found is not None
        assert true.upper * (1 - Fraction(1, 10**9)) <= found <= true.upper * (1 + Fraction(1, 10**5))


def test_fifty_different_parameters() -> None:
    """Distinct parameters need no common step: cut in two they cost little more than the bracket."""
    sequence = [Fraction(k, 1000) for k in range(51, 101)]
    true = epsilon_bracket(sequence, "1e-6")
    whole_plan, halves = (block_epsilon(sequence, "1e-6", block=size) for size in (50, 25))
    assert whole_plan is not None
    assert halves is not None
    assert true.lower <= whole_plan <= halves <= true.upper * Fraction(101, 100)


def test_the_declared_order_is_kept() -> None:
    """Blocks cut the plan in order; reordering it changes the answer, as it must."""
    sequence = [Fraction(b, 16) for b in (20, 9, 20, 21)]
    assert chunks(sequence, 2) == [tuple(sequence[:2]), tuple(sequence[2:])]
    assert [b for piece in chunks(sequence * 5, 3) for b in piece] == sequence * 5
    there, back = block_delta(sequence, "1.14"), block_delta(sequence[::-1], "1.14")
    assert abs(there - back) > Fraction(1, 10_000)
    for order, found in ((sequence, there), (sequence[::-1], back)):
        assert delta_bracket(order, "1.14").lower <= found


def test_other_pairs_add_up() -> None:
    """Pairs of other mechanisms may be mixed in: alone they are themselves, together they cost more than apart."""
    known = 0.12693673750664397  # Gaussian noise of standard deviation 1 at epsilon 1
    assert float(block_delta([], 1, others=[gaussian(1)])) == pytest.approx(known, rel=1e-3)
    assert block_delta([], 1, others=[gaussian(1)]) >= Fraction(known)
    alone = block_delta(["0.1"] * 40, "0.8")
    mixed = [
        block_delta(["0.1"] * 40, "0.8", others=[pair]) for pair in (laplace("0.3"), randomised("0.3"), gaussian(1))
    ]
    assert alone < mixed[0] < mixed[2]
    assert alone < mixed[1] < mixed[2]
    assert mixed[0] <= mixed[1]  # the Laplace pair is pure too, so randomised response is above it


def test_monotone() -> None:
    """More mechanisms cost more; a larger epsilon or delta costs less; longer blocks cost less."""
    found = [block_delta(["0.2"] * k, "0.9", block=10) for k in (10, 20, 40, 80)]
    assert found == sorted(found)
    found = [block_delta(["0.2"] * 30, e, block=10) for e in (3, 2, 1, 0)]
    assert found == sorted(found)
    found = [block_delta(["0.2"] * 60, 1, block=size) for size in (60, 30, 10, 2, 1)]
    assert found == sorted(found)


def test_epsilon_and_delta_agree() -> None:
    """Delta at the epsilon found is the one asked for."""
    found = block_epsilon(["0.2"] * 300, "1e-8", block=50)
    assert found is not None
    assert float(block_delta(["0.2"] * 300, found, block=50)) == pytest.approx(1e-8, rel=1e-3)


def test_empty_plans() -> None:
    """Nothing costs nothing, and nothing costs more than the sum."""
    assert block_delta([], 0) == 0
    assert block_epsilon([], "0.1") == 0
    assert block_epsilon(["0.5", "0.5"], "1e-300") == 1


def test_a_lower_side_used_as_profile_is_caught() -> None:
    """Blocks made of the lower side of the recursion fall below the optimum."""
    from discreet.accounting.adaptive import _in_order  # noqa: PLC0415 - the mutant needs the inside

    sequence, step = [Fraction(1, 2)] * 4, Fraction(1, 16)
    lower = Losses.of_values(step, np.maximum(_in_order(sequence, step, sink, float("inf")), 0))
    upper = Losses.of_values(step, upper_values(sequence, step))
    row = next(row for row in GOLDEN["k4_adaptive_exact"] if row["eps"] == "0.5")
    true = Fraction(row["br_adaptive"])
    assert delta_of_sum([(lower, 1)], float(row["eg"])) < true <= delta_of_sum([(upper, 1)], float(row["eg"]))


@pytest.mark.parametrize(
    "call",
    [
        lambda: block_delta([-1], 0),
        lambda: block_delta([1], -1),
        lambda: block_delta([1], 1, block=0),
        lambda: block_delta([1], 1, points=0),
        lambda: block_epsilon([1], 0),
        lambda: block_epsilon([1e9], "0.1"),
    ],
)
def test_bad_settings_are_refused(call: Callable[[], Any]) -> None:
    """Numbers outside what is allowed raise."""
    with pytest.raises(SettingError):
        call()
