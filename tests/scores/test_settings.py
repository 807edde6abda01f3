"""Wrong settings are refused where they are given, by name, and with what was wanted."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.counts import Counts, labels
from discreet.errors import DataError, SettingError
from discreet.scores import (
    NAMED,
    Agreement,
    Approvals,
    Conflicts,
    Distance,
    Errors,
    Grid,
    Rank,
    Revenue,
    Scores,
    Votes,
    named,
)
from discreet.scores.base import one_each

LISTS: dict[str, Callable[[Any], Any]] = {
    "candidates": Votes,
    "candidates: ": lambda given: Approvals(given, at_most=1),
    "candidates:": Rank,
    "slots": Agreement,
    "slots:": Conflicts,
    "prices": Revenue,
    "grid": lambda given: Distance(given, len, 1),
    "candidates: wanted": lambda given: Counts(given, [1, 2]),
}
NO_LISTS = [[], (), "ab", b"ab", 7, None, [1, 1], [1, 1.0], [[1], 2], [None, 1], [float("nan"), 1]]


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("given", NO_LISTS, ids=repr)
def test_candidates_are_labels_named_once(name: str, given: Any) -> None:
    """No candidates, a bare text, doubles, unhashable labels, None and NaN are refused under the setting's name."""
    with pytest.raises(SettingError, match=rf"^{name}"):
        LISTS[name](given)


WRONG: dict[str, tuple[str, Callable[[], Any]]] = {
    "doubles by value": ("prices", lambda: Revenue(["0.1", Fraction(1, 10)])),
    "free": ("prices", lambda: Revenue([0, 1])),
    "negative": ("prices", lambda: Revenue([-1])),
    "no price": ("prices", lambda: Revenue(["cheap"])),
    "off the grid": ("high", lambda: Revenue.grid("0.01", "1.995", "0.01")),
    "down the grid": ("high", lambda: Revenue.grid(2, 1, 1)),
    "no stride": ("step", lambda: Revenue.grid(1, 2, 0)),
    "no number": ("candidates", lambda: Rank(["a"])),
    "q of 1": ("q", lambda: Rank([1], q=1)),
    "flat above": ("over", lambda: Rank([1], over=0)),
    "flat below": ("under", lambda: Rank([1], under=-1)),
    "nobody approves": ("at_most", lambda: Approvals(["a"], at_most=0)),
    "counts of nobody": ("at_most", lambda: Counts(["a"], [1], at_most=0)),
    "counts among strangers": ("neighbours", lambda: Counts(["a"], [1], neighbours="swap")),  # type: ignore[arg-type]
    "counts too few": ("values", lambda: Counts(["a", "b"], [1])),
    "scores too few": ("values", lambda: Scores(("a", "b"), [1], one_each("replace"))),
    "still": ("sensitivity", lambda: Distance([1], len, 0)),
    "no statistic": ("statistic", lambda: Distance([1], 3, 1)),  # type: ignore[arg-type]
    "perhaps a circle": ("wrap", lambda: Distance([1], len, 1, wrap="no")),  # type: ignore[arg-type]
    "perhaps one way": ("monotonic", lambda: Grid(1).sensitivity(one_each("add-remove"), monotonic="no")),  # type: ignore[arg-type]
    "circle with holes": ("grid", lambda: Distance([0, 2], len, 1, wrap=True)),
    "circle off the whole": ("grid", lambda: Distance(["0.5", "1.5"], len, 1, wrap=True)),
    "circle by halves": ("sensitivity", lambda: Distance(range(4), len, "0.5", wrap=True)),
    "distance among strangers": ("neighbours", lambda: Distance([1], len, 1, neighbours="swap")),  # type: ignore[arg-type]
    "hypotheses in a list": ("hypotheses", lambda: Errors([("a", len)])),  # type: ignore[arg-type]
    "no hypotheses": ("hypotheses", lambda: Errors({})),
    "strangers": ("neighbours", lambda: Votes(["a"]).sensitivity("swap")),  # type: ignore[arg-type]
    "strange ranks": ("neighbours", lambda: Rank([1]).sensitivity("swap")),  # type: ignore[arg-type]
    "strange revenue": ("neighbours", lambda: Revenue([1]).score([], "swap")),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("label", WRONG)
def test_a_wrong_setting_is_named(label: str) -> None:
    """The message begins with the setting and says what was wanted."""
    name, build = WRONG[label]
    with pytest.raises(SettingError, match=rf"^{name}: wanted"):
        build()


ROWS = ["smith 4711", "smith 4711"]
MISUSES: dict[str, Callable[[], Any]] = {
    "votes": lambda: Votes(ROWS),
    "slots": lambda: Agreement(ROWS),
    "prices": lambda: Revenue(ROWS),
    "prices below 0": lambda: Revenue([-4711]),
    "prices twice": lambda: Revenue([4711, 4711]),
    "ranks": lambda: Rank(ROWS),
    "grid": lambda: Distance(ROWS, len, 1),
    "statistic": lambda: Distance([1], ROWS, 1),  # type: ignore[arg-type]
    "hypotheses": lambda: Errors(ROWS),  # type: ignore[arg-type]
    "rows unhashable": lambda: Votes([{"name": "smith 4711"}]),  # type: ignore[list-item]
    "counts": lambda: Counts(["a"], ROWS),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("label", MISUSES)
def test_rows_given_as_settings_are_not_repeated(label: str) -> None:
    """Whoever puts people where candidates belong is told so without a word of theirs, down the chain of causes."""
    with pytest.raises((SettingError, DataError)) as refusal:
        MISUSES[label]()
    seen: BaseException | None = refusal.value
    while seen is not None:
        assert "smith" not in str(seen)
        assert "4711" not in str(seen)
        seen = seen.__cause__ or seen.__context__


@pytest.mark.parametrize("name", ["count", "", "revenue", None, 7])
def test_an_unknown_family_lists_the_known(name: Any) -> None:
    """Whoever mistypes a family's name reads all the names."""
    with pytest.raises(SettingError, match=r"^scores: wanted") as refusal:
        named(name)
    assert all(repr(family.name) in str(refusal.value) for family in NAMED)


@pytest.mark.parametrize(
    "values", [[1.5, 2.0], [-4711, 1], [2**63, 1], np.array([2**63, 4711], dtype=np.uint64), ["a", "b"]]
)
def test_counts_that_are_no_counts_are_refused_silently(values: Any) -> None:
    """Fractions, negative numbers, numbers past 64 bits and texts are refused without showing one."""
    with pytest.raises(DataError) as refusal:
        Counts(["a", "b"], values)
    assert "4711" not in str(refusal.value)


def test_labels_come_back_as_given() -> None:
    """Order and type are kept, and a range is not written out."""
    assert labels(["b", 1, ("a", 2)]) == ("b", 1, ("a", 2))
    assert labels(range(10**12)) == range(10**12)
    assert Revenue(["0.50", 1]).candidates == ("0.50", 1)
    assert len(Counts(["a", "b"], np.array([1, 2], dtype=np.uint8))) == 2
