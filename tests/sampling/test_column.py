"""Scores are read as the exact numbers they are."""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays

from discreet.errors import DataError
from discreet.sampling import column
from discreet.sampling.column import Column

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">i4", ">i8", ">u8", ">f4", ">f8", "?"]


def falls(column: Column) -> list[Fraction]:
    """Return every exact distance from the best."""
    best = column.greatest()
    return [(best - Fraction(column.stored(place))) * column.unit for place in range(len(column))]


def exactly(value: Any) -> Fraction:
    """Read one number with nothing of ours."""
    return Fraction(int(value)) if isinstance(value, np.integer | np.bool_) else Fraction(*value.as_integer_ratio())


def distances(values: Iterable[Any]) -> list[Fraction]:
    """Return the distances from the best, in fractions."""
    exact = [exactly(value) for value in values]
    return [max(exact) - value for value in exact]


@pytest.mark.parametrize("dtype", DTYPES)
@given(data=some.data())
def test_every_dtype_is_read_exactly(dtype: str, data: some.DataObject) -> None:
    """Distances of any array, of any byte order and stride, are those of its values as fractions."""
    finite: dict[str, Any] = {} if np.dtype(dtype).kind != "f" else {"allow_nan": False, "allow_infinity": False}
    elements = arrays.from_dtype(np.dtype(dtype), **finite)
    array = data.draw(arrays.arrays(np.dtype(dtype), some.integers(1, 12), elements=elements))
    step = data.draw(some.sampled_from([1, 2, -1]))
    assert falls(Column.of(array[::step])) == distances(array[::step])
    assert falls(Column.of(list(array))) == distances(array)
    assert falls(Column.of(array.astype(object))) == distances(array)


@given(
    some.lists(
        some.one_of(
            some.integers(-(10**40), 10**40),
            some.fractions(),
            some.booleans(),
            some.floats(allow_nan=False, allow_infinity=False),
            some.decimals(allow_nan=False, allow_infinity=False, places=20),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_mixed_lists_are_read_exactly(values: list[Any]) -> None:
    """Integers of any size, fractions, decimals, floats and truth values may stand side by side."""
    exact = [Fraction(value) for value in values]
    column = Column.of(values)
    assert falls(column) == [max(exact) - value for value in exact]
    assert falls(column.negated()) == [value - min(exact) for value in exact]
    keep = np.arange(0, len(values), 2)
    assert falls(column.only(keep)) == [max(exact[::2]) - value for value in exact[::2]]


def test_long_doubles_keep_their_last_bit() -> None:
    """A difference below a double's last place is a difference."""
    if np.finfo(np.longdouble).nmant <= 52:
        pytest.skip("long doubles are doubles here")
    one = np.longdouble(1)
    assert falls(Column.of(np.array([one, one + np.finfo(np.longdouble).eps]))) == [Fraction(1, 2**63), 0]


@pytest.mark.parametrize("top", [10**18, 2**63 - 1, 2**64 - 1])
def test_a_difference_of_one_survives_any_size(top: int) -> None:
    """Neighbouring 64-bit integers differ by one, to the proposals too."""
    column = Column.of([top, top - 1])
    assert falls(column) == [0, 1]
    assert falls(column.negated()) == [1, 0]


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u8"])
def test_negation_does_not_overflow(dtype: str) -> None:
    """The least and the greatest integer change places."""
    info = np.iinfo(dtype)
    width = Fraction(info.max) - info.min
    assert falls(Column.of(np.array([info.min, info.max], dtype=dtype)).negated()) == [0, width]


BAD: list[Any] = [
    [1.0, float("nan"), 98765.0],
    [float("inf"), 98765.0],
    [98765.0, float("-inf")],
    np.array([np.nan, -np.inf, 98765.0]),
    np.array([9.8765, np.nan], dtype=np.float16),
    np.array([98765, np.inf], dtype=np.longdouble),
    [98765, None],
    [98765, "98765"],
    [98765, 1j],
    np.array([98765 + 1j]),
    np.array([[98765, 1], [2, 3]]),
    np.array([[98765, 1], [2, None]], dtype=object),
    np.array(["98765"]),
    np.array([98765], dtype="datetime64[s]"),
    [Decimal("nan"), 98765],
    [Decimal("inf"), 98765],
    [Decimal("snan"), 98765],
    [Fraction(98765), float("nan")],
    [[98765]],
]


@pytest.mark.parametrize("scores", BAD, ids=range(len(BAD)))
def test_what_is_no_score_is_refused_without_a_number(scores: Any) -> None:
    """NaN, infinities, text, complex numbers and tables raise DataError, and no score is in the message."""
    with pytest.raises(DataError) as caught, np.errstate(all="ignore"):
        Column.of(scores).tops()
    assert "9876" not in str(caught.value).replace(".", "")
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("place", [0, 9, 20])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_one_bad_score_in_any_block_is_seen(place: int, bad: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Full blocks and the short last one are all looked at."""
    monkeypatch.setattr(column, "BLOCK", 8)
    scores = np.arange(21.0)
    scores[place] = bad
    with pytest.raises(DataError):
        Column.of(scores).tops()


def test_scores_do_not_print() -> None:
    """No way of showing a column shows a score."""
    column = Column.of([98765, 43210])
    assert "98765" not in f"{column!r} {column} {[column]}"
