"""Flooring onto a grid is exact, and the step and gap of the floors are as proved."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DataError, SettingError
from discreet.scores import Grid
from discreet.sensitivity import Sensitivity

TICKS = st.one_of(
    st.fractions("1/50", 5, max_denominator=50),
    st.sampled_from([Fraction(1, 10**300), Fraction(10**300), Fraction(1, 2**1000), Fraction(1, 3)]),
)
SMALL = st.fractions(-6, 6, max_denominator=12)
TICK = st.fractions("1/4", 4, max_denominator=6)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=6), TICKS)
def test_floats_are_floored_exactly(values: list[float], tick: Fraction) -> None:
    """Floats of any size, lying on the grid or a hair off it, are floored as the fractions they are."""
    near = [float(k * tick) for k in (-3, 1, 7, 10**6) if k * tick < 10**300]
    values = [*values, *near, *(math.nextafter(v, math.inf) for v in near), 0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308]
    wanted = [math.floor(Fraction(value) / tick) for value in values]
    assert list(Grid(tick).floor(values)) == wanted
    assert list(Grid(tick).floor(np.array(values))) == wanted


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.uint64, np.longdouble, object])
def test_every_dtype_is_floored(dtype: Any) -> None:
    """Columns of each type give the floors of their numbers."""
    assert list(Grid("0.5").floor(np.array([0, 1, 7], dtype=dtype))) == [0, 2, 14]


@pytest.mark.parametrize("parts", [49, 100])
def test_a_float_division_would_be_caught(parts: int) -> None:
    """Multiples of a tick, written as floats, lie on both sides of the grid; dividing floats misplaces some.

    Some quotients by a 49th come out a hair above a whole number they are truly below.
    """
    column = np.array([k / parts for k in range(1, 250)])
    exact = [math.floor(Fraction(value) * parts) for value in column.tolist()]
    assert list(Grid(Fraction(1, parts)).floor(column)) == exact
    assert [math.floor(value / (1 / parts)) for value in column.tolist()] != exact


@given(st.lists(st.tuples(SMALL, SMALL), min_size=1, max_size=5), TICK)
def test_floors_move_no_further_than_promised(pairs: list[tuple[Fraction, Fraction]], tick: Fraction) -> None:
    """Any scores and any move of them keep, floored, within the new step and gap; one way, within the better gap."""
    before = [score for score, _ in pairs]
    _check(before, [move for _, move in pairs], tick, monotonic=False)
    _check(before, [abs(move) for _, move in pairs], tick, monotonic=True)
    _check(before, [-abs(move) for _, move in pairs], tick, monotonic=True)


@given(st.integers(1, 24), st.integers(1, 24))
def test_the_new_gap_is_attained_or_one_tick_off(step: int, gap: int) -> None:
    """Exhaustively over moves in twelfths, some scores move as far as the bound says, or one tick less."""
    gap = min(gap, 2 * step)
    facts = Grid(1).sensitivity(Sensitivity.of(sensitivity=Fraction(step, 12), range=Fraction(gap, 12)))
    reached = max(
        math.ceil(Fraction(low + gap, 12)) - math.floor(Fraction(low, 12)) for low in range(-step, step - gap + 1)
    )
    assert facts.step == math.ceil(Fraction(step, 12))
    assert reached <= facts.gap <= reached + 1


def test_the_extra_tick_is_needed() -> None:
    """Scores that move by -1/2 and 1/2 differ by 1 in points and by 2 in ticks of 1: a gap of ceil(R/g) is refuted."""
    facts = Grid(1).sensitivity(Sensitivity.of(sensitivity="1/2", range=1))
    before, after = [Fraction(0), Fraction(1, 2)], [Fraction(-1, 2), Fraction(1)]
    moves = [int(b) - int(a) for a, b in zip(Grid(1).floor(before), Grid(1).floor(after), strict=True)]
    assert moves == [-1, 1]
    assert facts.gap == 2 > math.ceil(1)
    assert Grid(1).sensitivity(Sensitivity.of(sensitivity=3, range="7/2")).gap == 5


def test_a_constant_normaliser_does_not_survive_flooring() -> None:
    """Flooring changes the shape of the scores, so what held for their sum of weights is dropped."""
    before = Sensitivity.of(sensitivity=1, normaliser="constant")
    assert Grid("0.5").sensitivity(before).normaliser == "varies"


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -np.inf, None, "1", Decimal("sNaN"), Decimal("1e9999999")]
)
def test_scores_that_are_no_finite_number_are_refused_silently(value: Any) -> None:
    """The refusal shows neither a value nor a place."""
    for values in ([1.25, value], np.array([1.25, np.nan])):
        with pytest.raises(DataError) as refusal:
            Grid(1).floor(values)
        assert str(refusal.value) == "scores: wanted finite numbers"


def test_monotonic_needs_add_remove() -> None:
    """Replacing a person moves scores both ways, so the better gap is refused."""
    with pytest.raises(SettingError, match="monotonic"):
        Grid(1).sensitivity(Sensitivity.of(sensitivity=1, neighbours="replace"), monotonic=True)
    with pytest.raises(SettingError, match="tick"):
        Grid(0)


def test_floored_scores_are_ready_to_select_from() -> None:
    """The scores carry the tick, the labels as given and the new sensitivity."""
    scores = Grid("0.25").scores(["a", "b"], [0.6, -0.1], Sensitivity.of(sensitivity=1, range=1))
    assert (scores.candidates, list(scores.values), scores.tick) == (("a", "b"), [2, -1], Fraction(1, 4))
    assert scores.sensitivity == Sensitivity.of(sensitivity=4, range=5)


def _check(before: list[Fraction], moves: list[Fraction], tick: Fraction, *, monotonic: bool) -> None:
    step, gap = max(map(abs, moves)), max(moves) - min(moves)
    if not gap:
        return
    step = max(step, gap / 2)
    declared = Sensitivity.of(sensitivity=step, range=step if monotonic else gap)
    facts = Grid(tick).sensitivity(declared, monotonic=monotonic)
    after = [score + move for score, move in zip(before, moves, strict=True)]
    old, new = Grid(tick).floor(before), Grid(tick).floor(after)
    moved = [int(b) - int(a) for a, b in zip(old, new, strict=True)]
    assert max(map(abs, moved)) <= facts.step
    assert max(moved) - min(moved) <= facts.gap
