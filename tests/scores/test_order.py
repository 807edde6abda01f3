"""Counting the numbers that reach a cut is exact for every kind of number and every kind of column."""

import math
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.scores.order import comparable, finite, reaching, readable, told

CUTS = st.lists(
    st.one_of(
        st.fractions(),
        st.integers(-(2**65), 2**65).map(Fraction),
        st.floats(allow_nan=False, allow_infinity=False).map(Fraction),
        st.sampled_from([Fraction(10**400), Fraction(-(10**400)), Fraction(sys.float_info.max), Fraction(1, 10**400)]),
        st.decimals(-9, 9, places=1).map(Fraction),
    ),
    min_size=1,
    max_size=6,
    unique=True,
)
FLOATS = st.one_of(st.floats(), st.decimals(-9, 9, places=1).map(float))


class Shattered(Fraction):
    """A fraction that cannot be read."""

    @property
    def numerator(self) -> int:
        """Fails."""
        raise RuntimeError


def by_hand(values: list[Any], cuts: list[Fraction]) -> tuple[list[int], list[int]]:
    """Count one comparison at a time; Python compares ints, floats and fractions exactly."""
    return [sum(v >= cut for v in values) for cut in cuts], [sum(v > cut for v in values) for cut in cuts]


def counted(values: Any, cuts: list[Fraction]) -> tuple[list[int], list[int]]:
    """Count the quick way."""
    kept = readable(values)
    return reaching(kept, cuts).tolist(), reaching(kept, cuts, beyond=True).tolist()


@given(st.lists(FLOATS, max_size=8), CUTS)
def test_floats_are_compared_exactly(values: list[float], cuts: list[Fraction]) -> None:
    """Floats in a list, in an array and mixed with others reach exactly the cuts they reach as fractions."""
    cuts = list(dict.fromkeys([*cuts, *(Fraction(v) for v in values if math.isfinite(v))]))
    wanted = by_hand([v for v in values if not math.isnan(v)], cuts)
    assert counted(values, cuts) == wanted
    assert counted(np.array(values, dtype=np.float64), cuts) == wanted
    assert counted([*values, None], cuts) == wanted


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, np.bool_, np.float16, np.float32])
@given(data=st.data())
def test_columns_of_every_dtype_are_compared_exactly(dtype: Any, data: st.DataObject) -> None:
    """Each NumPy dtype, up to its extremes, reaches exactly the cuts its Python numbers reach."""
    column = data.draw(columns(np.dtype(dtype)))
    assert counted(column, cuts := data.draw(CUTS)) == by_hand(column.tolist(), cuts)


@given(st.lists(st.one_of(st.integers(), st.fractions(), st.floats(allow_nan=False)), max_size=8), CUTS)
def test_mixed_numbers_are_compared_exactly(values: list[Any], cuts: list[Fraction]) -> None:
    """Integers of any size, fractions and floats in one list lose nothing to a common type."""
    assert counted(values, cuts) == by_hand(values, cuts)


@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=3), max_size=8), CUTS)
def test_decimals_are_compared_exactly(values: list[Decimal], cuts: list[Fraction]) -> None:
    """A decimal is the number it prints as."""
    assert counted(values, cuts) == by_hand([Fraction(v) for v in values], cuts)


def test_a_rounded_cut_would_be_caught() -> None:
    """The float nearest to 3/10 lies below it: a comparison with the rounded cut would let it through."""
    tenths = Fraction(3, 10)
    assert counted([0.3], [tenths]) == by_hand([0.3], [tenths]) == ([0], [0])
    assert sum(value >= float(tenths) for value in [0.3]) == 1
    assert counted([2**53 + 1, 0.5], [Fraction(2**53 + 1)]) == ([1], [0])
    assert int(np.array([2**53 + 1, 0.5])[0]) < 2**53 + 1  # what a common float column would have made of it


def test_infinities_and_absurd_decimals_have_a_place() -> None:
    """An infinity is beyond every cut, a NaN nowhere, and a decimal of a trillion digits does no harm."""
    huge = [Fraction(10**400)]
    assert counted([float("inf"), float("-inf"), float("nan")], huge) == ([1], [1])
    assert counted(np.array([np.inf, sys.float_info.max]), [Fraction(-(10**400)), *huge]) == ([2, 1], [2, 1])
    assert counted([float("-inf"), -sys.float_info.max], [Fraction(-(10**400))]) == ([1], [1])
    absurd = [Decimal("1e999999999999999999"), Decimal("-1e999999999999999999"), Decimal("-Infinity")]
    assert counted(absurd, huge) == ([1], [1])
    assert counted([Decimal("1e-999999999999999999")], [Fraction(0), Fraction(1, 10**400)]) == ([1, 0], [1, 0])


@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=3), max_size=8), CUTS)
def test_decimal_text_is_the_decimal_it_says(values: list[Decimal], cuts: list[Fraction]) -> None:
    """Text counts as the decimal, in a list, in a column of texts and beside numbers; as a float it would not."""
    texts = [str(value) for value in values]
    wanted = by_hand([Fraction(value) for value in values], cuts)
    assert counted(texts, cuts) == counted(np.array(texts, dtype=np.str_), cuts) == wanted
    assert counted([*texts, 0.5], cuts) == by_hand([*map(Fraction, values), 0.5], cuts)
    assert counted(["0.3"], [Fraction(3, 10)]) != counted([0.3], [Fraction(3, 10)])


NO_NUMBERS = [
    "", " ", ".", "-", "e5", "1/2", "1,5", "1 5", "1_000", "0x10", "nan", "sNaN", "inf", "-Infinity", "about 3", "٣",
    "1e", "1e5.0", "--1", "1e100001", "-1e100001", "1e-100001", "1e99999999999999999999", "\0001", b"1",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_other_text_is_missing(text: Any) -> None:
    """Text that is not a plain decimal, and one of more than 100000 digits, counts as no number and fails nowhere."""
    assert told(text) is None
    assert counted([text, 1], [Fraction(-(10**400)), Fraction(1)]) == ([1, 1], [1, 0])


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    """Whatever stands in a cell, reading it never fails, and what is read is finite."""
    value = told(text)
    assert value is None or finite(value)


def test_spellings_of_a_number_agree() -> None:
    """Signs, spaces, a missing digit before or after the point, and exponents are read as people mean them."""
    spelled = ["0.80", ".8", "+0.8", " 0.8\n", "8e-1", "8E-1", "80.e-2", np.str_("0.8")]
    assert {told(text) for text in spelled} == {Decimal("0.8")}
    assert told("1" * 5000) == Decimal("1" * 5000)


def test_what_is_no_number_is_none() -> None:
    """Text, complex numbers, times, missing values and NaN of any type are not numbers; wide floats are."""
    no = [None, "1", 1j, np.clongdouble(1), np.datetime64("2020"), np.ma.masked, Decimal("sNaN"), np.longdouble("nan")]
    assert [comparable(value) for value in no] == [None] * len(no)
    assert comparable(Shattered()) is None
    assert comparable(np.longdouble(1) + np.longdouble(2) ** -60) in {1, 1 + Fraction(1, 2**60)}
    assert comparable(np.longdouble("-inf")) == -math.inf
    assert [finite(value) for value in (1, 10**400, Decimal("1e9999"), math.inf, Decimal("Infinity"))] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_masked_and_square_arrays_hold_no_hidden_numbers() -> None:
    """A masked entry is missing, not the number under the mask; a row of a square array is no number."""
    masked = np.ma.masked_array(np.array([1.0, 7.0]), [False, True])
    assert counted(masked, [Fraction(0), Fraction(5)]) == ([1, 0], [1, 0])
    assert counted(np.ones((2, 2)), [Fraction(0)]) == ([0], [0])


def columns(dtype: np.dtype[Any]) -> st.SearchStrategy[NDArray[Any]]:
    """Draw columns of a dtype, without NaN."""
    if dtype.kind == "b":
        entries: st.SearchStrategy[Any] = st.booleans()
    elif dtype.kind == "f":
        entries = st.floats(width=16 if dtype.itemsize == 2 else 32, allow_nan=False)
    else:
        limits: Any = np.iinfo(dtype.name)
        entries = st.integers(int(limits.min), int(limits.max))
    return st.lists(entries, max_size=8).map(lambda values: np.array(values, dtype=dtype))
