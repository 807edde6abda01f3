"""Totals: clipped, exact, and refusing what bounds nothing."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from discreet.errors import SettingError
from discreet.scores import Totals


def values(family: Totals, people: list[Any]) -> list[int]:
    """The totals in ticks, as plain integers."""
    return [int(value) for value in family.score(people).values]


def test_amounts_are_floored_to_ticks_and_clipped() -> None:
    """Half a tick drops, what is beyond a bound is the bound, in every kind of number."""
    family = Totals(["a", "b"], high=2, low=-1, tick="0.5", at_most=2)
    people = [{"a": 0.74, "b": -0.01}, {"a": Decimal(9), "b": Fraction(-9)}, {"a": "1.5", "b": float("inf")}]
    assert values(family, people) == [1 + 4 + 3, -1 - 2 + 4]


def test_one_person_counts_for_a_few_candidates() -> None:
    """Past ``at_most``, the first in candidate order are kept; what is no amount is not among them."""
    person = {"c": 1, "b": 1, "a": None, "nobody": 5}
    assert values(Totals(["a", "b", "c"], high=5), [person]) == [0, 1, 0]
    assert values(Totals(["a", "b", "c"], high=5, at_most=2), [person]) == [0, 1, 1]


def test_totals_beyond_64_bits_are_whole() -> None:
    """Python's integers take over where NumPy's end."""
    family = Totals(["a"], high=2**62)
    assert values(family, [{"a": 2**62}] * 5) == [5 * 2**62]
    assert family.score_totals([2**80]).values == [2**80]


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ({"high": 0}, "high: wanted a number above low, 0, got 0"),
        ({"high": 1, "low": 1}, "high: wanted a number above low"),
        ({"high": 1, "tick": 0}, "tick"),
        ({"high": 1, "tick": "0.3"}, "high: wanted a whole number of ticks of 0.3"),
        ({"high": 1, "at_most": 0}, "at_most: wanted a whole number from 1"),
        ({"high": "much"}, "high: wanted a number, got 'much'"),
    ],
)
def test_settings_that_bound_nothing_are_refused(words: Any, match: str) -> None:
    """Each says what is allowed."""
    with pytest.raises(SettingError, match=match):
        Totals(["a"], **words)
