"""Scoring never fails and never warns, whatever the rows hold, and reads each row by itself."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.scores import Agreement, Approvals, Conflicts, Distance, Errors, Rank, Revenue, Votes
from tests.scores.cases import CASES, GARBAGE, Hostile, relations_of

PARTED = {"counts", "approvals", "agreement", "conflicts", "revenue", "rank"}


@pytest.mark.parametrize("label", CASES)
def test_garbage_is_scored(label: str) -> None:
    """Every kind of garbage, alone and all together, gives a score for every candidate under every relation."""
    family = CASES[label].family
    for people in ([], *([row] for row in GARBAGE), GARBAGE, GARBAGE * 2):
        for relation in relations_of(family):
            assert len(family.score(people, relation)) == len(family.candidates)


@pytest.mark.parametrize("label", [label for label, case in CASES.items() if case.family.name in PARTED])
def test_garbage_changes_no_count(label: str) -> None:
    """Rows that name no candidate leave the scores of the others as they were."""
    case = CASES[label]
    harmless = [None, float("nan"), "nobody", [], object(), Hostile(), 1j, np.datetime64("NaT")]
    alone = case.family.score(list(case.universe))
    crowded = case.family.score([*harmless, *case.universe, *harmless])
    assert list(crowded.values) == list(alone.values)


@pytest.mark.parametrize("label", CASES)
@given(data=st.data())
def test_the_order_of_people_does_not_matter(label: str, data: st.DataObject) -> None:
    """Scores are a function of the bag of people."""
    case = CASES[label]
    people = data.draw(st.lists(st.sampled_from(list(case.universe)), max_size=6))
    relation = relations_of(case.family)[0]
    shuffled = data.draw(st.permutations(people))
    assert list(case.family.score(people, relation).values) == list(case.family.score(shuffled, relation).values)


@pytest.mark.parametrize("wrap", [True, False])
@pytest.mark.parametrize("value", [*GARBAGE, 10**400, float("inf")])
def test_any_statistic_is_a_place_on_the_grid(wrap: bool, value: Any) -> None:  # noqa: FBT001 - a parameter of a test
    """A statistic may return anything: some grid point is at distance 0, and no score is above 0."""
    scores = Distance(range(5), lambda _people: value, 1, wrap=wrap).score([])
    assert max(scores.values) == 0


def test_a_failing_statistic_does_not_show() -> None:
    """A statistic that raises reads as the first grid point."""
    assert list(Distance(range(3), lambda people: 1 // len(people), 1).score([]).values) == [0, -1, -2]


def test_votes_are_read_as_keys() -> None:
    """A vote counts for the candidate it equals; text, whole floats and NumPy scalars included."""
    votes = ["a", np.str_("a"), 1, 1.0, np.int64(1), True, "A", 2, None]
    assert list(Votes(["a", 1]).score(votes).values) == [2, 4]


@pytest.mark.parametrize("column", [np.array, pd.Series, pl.Series, tuple, iter])
def test_columns_of_any_library_are_read(column: Any) -> None:
    """NumPy, pandas and Polars columns and plain iterables give the same scores."""
    assert list(Votes(["a", "b"]).score(column(["a", "b", "b"])).values) == [1, 2]
    assert list(Revenue([1, 2]).score(column([0.5, 1.5, 2.0])).values) == [2, 2]
    assert list(Rank([1, 2]).score(column([1, 1, 3])).values) == [0, -1]


def test_ballots_are_read_by_the_public_rule() -> None:
    """One label stands for itself, doubles count once, and of too many the first in candidate order are kept."""
    ballots = [["c", "b", "b", "a"], "a", "abc", {"b": 1}, ("nobody", "c"), np.array(["b", "b"]), [["a"]]]
    assert list(Approvals(["a", "b", "c"], at_most=2).score(ballots).values) == [2, 3, 1]
    assert list(Approvals(["a", "b", "c"]).score(ballots).values) == [2, 3, 2]


def test_slots_count_who_can_and_who_cannot() -> None:
    """Agreement counts up, conflicts count down."""
    rows = [{"mon"}, {"mon", "tue"}, set[str](), None]
    assert list(Agreement(["mon", "tue"]).score(rows).values) == [2, 1]
    assert list(Conflicts(["mon", "tue"]).score(rows).values) == [-2, -1]


def test_a_hypothesis_that_fails_is_wrong() -> None:
    """Functions, columns, failures and values equal to nothing are counted as the docstring says."""
    rules = {
        "one": lambda _row: 1,
        "column": "guess",
        "fails": lambda row: row["none"],
        "nan": lambda _row: float("nan"),
    }
    rows = [{"label": 1, "guess": 1}, {"label": 0, "guess": 0}, {"label": float("nan"), "guess": 1}, {"guess": 1}, None]
    assert list(Errors(rules).score(rows).values) == [-4, -3, -5, -5]
    assert list(Errors({"same": lambda row: row}, truth=lambda row: row).score([1, Hostile()]).values) == [-1]
