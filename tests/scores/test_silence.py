"""Scores, counts and families show public facts only."""

import copy
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.counts import Counts
from discreet.scores import Rank, Revenue, Scores, Votes, by_count
from discreet.scores.base import one_each
from tests.scores.cases import CASES, relations_of

SECRET = 918273
COUNTS = Counts(["a", "b"], [SECRET, SECRET + 1], at_most=2)
HIDDEN = [COUNTS, by_count(COUNTS), Scores(("a",), [Fraction(SECRET, 7)], one_each("replace"), Fraction(1, 7))]


@pytest.mark.parametrize("hidden", HIDDEN, ids=["counts", "scores", "fractions"])
def test_no_private_number_is_shown(hidden: Any) -> None:
    """Neither repr nor str nor formatting, nor that of a container, shows a value."""
    for shown in (repr(hidden), str(hidden), f"{hidden}", f"{[hidden]}", f"{hidden!r:>80}"):
        assert str(SECRET)[:4] not in shown
    assert str(SECRET) in repr(list(hidden.values))  # the secret is there, and would be seen if it were shown


def test_the_public_facts_are_shown() -> None:
    """Number of candidates, step, gap, relation, tick and family are what a reader needs."""
    assert repr(COUNTS) == "Counts(2 candidates, at_most=2, add-remove)"
    assert repr(by_count(COUNTS)) == "Scores(2 candidates, step=1, gap=1, add-remove, by counts)"
    assert repr(HIDDEN[2]) == "Scores(1 candidate, step=1, gap=2, replace, in ticks of 1/7, by given)"
    circle = CASES["distance, circle"].family.score([])
    assert repr(circle) == "Scores(16 candidates, step=2, gap=4, add-remove, constant normaliser, by distance)"


@pytest.mark.parametrize("label", CASES)
def test_the_repr_depends_on_settings_only(label: str) -> None:
    """Scores of nobody and of many print the same."""
    case = CASES[label]
    relation = relations_of(case.family)[0]
    assert repr(case.family.score([], relation)) == repr(case.family.score(list(case.universe) * 3, relation))


@pytest.mark.parametrize("hidden", HIDDEN, ids=["counts", "scores", "fractions"])
def test_private_values_are_not_compared(hidden: Any) -> None:
    """Equality and hash are identity: they would otherwise answer questions about the values."""
    twin = copy.deepcopy(hidden)
    assert twin != hidden
    assert hidden == hidden  # noqa: PLR0124 - identity is what is left of equality
    assert len({hidden, twin}) == 2


@pytest.mark.parametrize("hidden", HIDDEN, ids=["counts", "scores", "fractions"])
def test_they_can_be_sent_to_another_process(hidden: Any) -> None:
    """Pickling keeps every field."""
    copied = pickle.loads(pickle.dumps(hidden))  # noqa: S301 - our own bytes
    assert list(copied.values) == list(hidden.values)
    assert repr(copied) == repr(hidden)
    assert tuple(copied.candidates) == tuple(hidden.candidates)


def test_values_are_read_only_and_the_callers_own_stay_writable() -> None:
    """Nobody changes a score after its sensitivity was proved, and the caller's array is left alone."""
    mine = np.array([1, 2])
    both: tuple[Any, ...] = (Counts(["a", "b"], mine), Scores(("a", "b"), mine, one_each("add-remove")))
    for hidden in both:
        with pytest.raises(ValueError, match="read-only"):
            hidden.values[0] = 7
        with pytest.raises(AttributeError):
            hidden.values = mine
    mine[0] = 5


def test_families_are_plain_values() -> None:
    """Settings are public: equal settings make equal, hashable, printable families."""
    assert Votes(["a", "b"]) == Votes(("a", "b"))
    assert hash(Revenue(["1", "2"])) == hash(Revenue(["1", "2"]))
    assert repr(Votes(["a"])) == "Votes(candidates=('a',))"
    assert pickle.loads(pickle.dumps(Rank([1, 2], q="1/4"))) == Rank([1, 2], q="1/4")  # noqa: S301 - our own bytes
