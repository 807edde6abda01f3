"""What is refused, by every verb, with the setting named and no private number shown."""

import math
import warnings
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from discreet import DataError, Pure, SettingError, error_bound, law, prepare, select, top_k
from discreet.counts import Counts
from discreet.scores import by_count

SECRET = 987654
PRIVATE: dict[str, int] = {"a": SECRET, "b": SECRET - 1, "c": 3}
LIST = list(PRIVATE.values())
GIVEN: dict[str, Any] = {"epsilon": 1, "sensitivity": 1}
SCORES = by_count(Counts(list(PRIVATE), LIST))

VERBS: dict[str, Any] = {
    "select": select,
    "top_k": lambda values, **words: top_k(values, 1, **words),
    "law": law,
    "prepare": prepare,
}

Row = tuple[Any, dict[str, Any], str]


def words(**more: Any) -> dict[str, Any]:
    """Return good settings with some of them replaced; None takes one away."""
    return {name: value for name, value in (GIVEN | more).items() if value is not None}


BAD_NUMBERS: dict[str, Any] = {
    "zero": 0,
    "negative": -1,
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "text": "x",
    "empty text": "",
    "True": True,
    "list": [1],
    "dict": {"a": 1},
    "array": np.array([1, 2]),
    "series": pd.Series([1, 2]),
    "complex": 1j,
    "decimal nan": Decimal("NaN"),
    "1/0": "1/0",
    "too far": "1e999999999",
    "bytes": b"1",
}

BAD_DATA: dict[str, tuple[Any, str]] = {
    "empty list": ([], "candidates"),
    "empty dict": ({}, "candidates"),
    "empty array": (np.array([]), "candidates"),
    "empty series": (pd.Series([], dtype=float), "candidates"),
    "repeated index": (pd.Series([SECRET, 2], index=["a", "a"]), "candidates"),
    "nan": ([SECRET, math.nan], "scores"),
    "nan in an array": (np.array([SECRET, math.nan]), "scores"),
    "+inf": ([SECRET, math.inf], "scores"),
    "-inf": (np.array([SECRET, -math.inf]), "scores"),
    "inf of decimals": ([Decimal(SECRET), Decimal("inf")], "scores"),
    "huge decimal": ([Decimal(f"{SECRET}e999999"), 1], "scores"),
    "signalling nan": ([Decimal("sNaN"), SECRET], "scores"),
    "mixed nan": ([SECRET, math.nan, Fraction(1, 2)], "scores"),
    "none": ([SECRET, None], "scores"),
    "missing": (pd.Series([SECRET, None], dtype="Int64"), "scores"),
    "null": (pl.Series([SECRET, None]), "scores"),
    "text": ([SECRET, "987654"], "scores"),
    "texts": (["987654", "987655"], "scores"),
    "array of texts": (np.array(["987654", "1"]), "scores"),
    "dates": (pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"])), "scores"),
    "complex": ([SECRET + 1j, 1], "scores"),
    "complex array": (np.array([SECRET + 1j]), "scores"),
    "two dimensions": (np.array([[SECRET, 1], [2, 3]]), "scores"),
    "lists of lists": ([[SECRET, 1], [2, 3]], "scores"),
    "a table": (pd.DataFrame({"a": [SECRET, 1]}), "scores"),
    "masked": (np.ma.array([SECRET, 1], mask=[False, True]), "scores"),
    "a single number": (SECRET, "scores"),
    "no dimension": (np.array(SECRET), "scores"),
    "one text": ("987654", "scores"),
    "bytes": (b"987654", "scores"),
    "a set": ({SECRET, 1}, "scores"),
    "a frozen set": (frozenset({SECRET, 1}), "scores"),
    "None": (None, "scores"),
    "counts": (Counts(["a", "b"], [SECRET, 1]), "scores"),
}

ROWS: dict[str, Row] = {
    **{f"data: {name}": (data, words(), names) for name, (data, names) in BAD_DATA.items()},
    **{f"epsilon {name}": (PRIVATE, words(epsilon=bad), "epsilon") for name, bad in BAD_NUMBERS.items()},
    **{f"rho {name}": (PRIVATE, words(epsilon=None, rho=bad), "rho") for name, bad in BAD_NUMBERS.items()},
    **{f"gap {name}": (PRIVATE, words(gap=bad), "gap") for name, bad in BAD_NUMBERS.items()},
    **{f"range {name}": (PRIVATE, words(sensitivity=None, range=bad), "range") for name, bad in BAD_NUMBERS.items()},
    **{f"sensitivity {name}": (PRIVATE, words(sensitivity=bad), "sensitivity") for name, bad in BAD_NUMBERS.items()},
    "no budget": (PRIVATE, words(epsilon=None), "epsilon"),
    "two budgets": (PRIVATE, words(rho=1), "epsilon"),
    "three budgets": (PRIVATE, words(rho=1, guarantee=Pure(1)), "epsilon"),
    "a number as guarantee": (PRIVATE, words(epsilon=None, guarantee=1), "guarantee"),
    "no sensitivity": (PRIVATE, {"epsilon": 1}, "sensitivity"),
    "sensitivity and family": (PRIVATE, words(scores="counts"), "sensitivity"),
    "range and family": (PRIVATE, {"epsilon": 1, "range": 1, "scores": "counts"}, "range"),
    "monotonic and family": (PRIVATE, {"epsilon": 1, "monotonic": True, "scores": "counts"}, "monotonic"),
    "constant and family": (PRIVATE, {"epsilon": 1, "normaliser": "constant", "scores": "counts"}, "normaliser"),
    "sensitivity and Scores": (SCORES, words(), "sensitivity"),
    "family and Scores": (SCORES, {"epsilon": 1, "scores": "counts"}, "scores"),
    "each and Scores": (SCORES, words(sensitivity=[1, 2, 3]), "sensitivity"),
    "other relation than Scores": (SCORES, {"epsilon": 1, "neighbours": "replace"}, "neighbours"),
    "range beyond twice": (PRIVATE, words(range=3), "range"),
    "monotonic and replace": (PRIVATE, words(monotonic=True, neighbours="replace"), "monotonic"),
    "monotonic and another range": (PRIVATE, words(monotonic=True, range=2), "range"),
    "monotonic word": (PRIVATE, words(monotonic="no"), "monotonic"),
    "monotonic number": (PRIVATE, words(monotonic=0), "monotonic"),
    "maximize word": (PRIVATE, words(maximize="no"), "maximize"),
    "maximize number": (PRIVATE, words(maximize=1), "maximize"),
    "mechanism": (PRIVATE, words(mechanism="gaussian"), "mechanism"),
    "mechanism list": (PRIVATE, words(mechanism=["exponential"]), "mechanism"),
    "noise": (PRIVATE, words(mechanism="noisy-max", noise="uniform"), "noise"),
    "noise alone": (PRIVATE, words(mechanism="exponential", noise="gumbel"), "noise"),
    "family": (PRIVATE, {"epsilon": 1, "scores": "count"}, "scores"),
    "neighbours": (PRIVATE, words(neighbours="swap"), "neighbours"),
    "neighbours list": (PRIVATE, words(neighbours=["replace"]), "neighbours"),
    "normaliser": (PRIVATE, words(normaliser="fixed"), "normaliser"),
    "infinite": (PRIVATE, words(infinite="drop"), "infinite"),
    "infinite flag": (PRIVATE, words(infinite=True), "infinite"),
    "repeated labels": (LIST, words(candidates=["a", "a", "b"]), "candidates"),
    "too few labels": (LIST, words(candidates=["a", "b"]), "candidates"),
    "no labels": (LIST, words(candidates=[]), "candidates"),
    "one text as labels": (LIST, words(candidates="abc"), "candidates"),
    "a number as labels": (LIST, words(candidates=3), "candidates"),
    "labels that cannot be keys": (LIST, words(candidates=[["a"], ["b"], ["c"]]), "candidates"),
    "a missing label": (LIST, words(candidates=["a", None, "b"]), "candidates"),
    "labels twice": (PRIVATE, words(candidates=["a", "b", "c"]), "candidates"),
    "prior of two": (PRIVATE, words(prior=[1, 2]), "prior"),
    "prior without one": (PRIVATE, words(prior={"a": 1, "b": 1}), "prior"),
    "prior of none": (PRIVATE, words(prior=[0, 0, 0]), "prior"),
    "negative prior": (PRIVATE, words(prior=[1, -1, 1]), "prior"),
    "a number as prior": (PRIVATE, words(prior=1), "prior"),
    "a set as prior": (PRIVATE, words(prior={1, 2, 3}), "prior"),
    "prior by permute-and-flip": (PRIVATE, words(prior=[1, 1, 1], mechanism="permute-and-flip"), "mechanism"),
    "prior and gap": (PRIVATE, words(prior=[1, 1, 1], gap=1), "mechanism"),
    "zero among sensitivities": (PRIVATE, words(sensitivity=[1, 0, 1]), "sensitivity"),
    "two sensitivities": (PRIVATE, words(sensitivity=[1, 2]), "sensitivity"),
    "sensitivities and range": (PRIVATE, words(sensitivity=[1, 2, 3], range=2), "sensitivity"),
    "sensitivities and prior": (PRIVATE, words(sensitivity=[1, 2, 3], prior=[1, 2, 3]), "sensitivity"),
    "gap of laplace": (PRIVATE, words(gap=1, mechanism="noisy-max", noise="laplace"), "noise"),
}
PEELED = {
    "prior of two": "mechanism", "prior without one": "mechanism", "prior of none": "mechanism",
    "negative prior": "mechanism", "a number as prior": "mechanism", "a set as prior": "mechanism",
    "zero among sensitivities": "mechanism", "two sensitivities": "mechanism", "each and Scores": "mechanism",
    "sensitivities and range": "mechanism", "sensitivities and prior": "mechanism", "gap of laplace": "mechanism",
    "sensitivity list": "mechanism", "sensitivity dict": "mechanism", "sensitivity array": "mechanism",
    "sensitivity series": "mechanism",
}  # fmt: skip
"""With several winners these words are refused as a whole, before they are read."""


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and everything it came from."""
    if error is not None:
        yield error
        yield from chain(error.__cause__)
        yield from chain(error.__context__)


def assert_silent(error: BaseException) -> None:
    """Fail if a planted number is to be seen in an error or in what it came from."""
    for link in chain(error):
        for shown in (str(link), repr(link), repr(link.args), *map(str, getattr(link, "__notes__", []))):
            assert str(SECRET) not in shown
            assert str(SECRET - 1) not in shown


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", ROWS)
def test_refused_by_name_and_in_silence(name: str, verb: str) -> None:
    """Every verb refuses every bad row with our own error, which names the setting and shows no score."""
    values, settings, named = ROWS[name]
    named = PEELED.get(name, named) if verb == "top_k" else named
    with pytest.raises((SettingError, DataError)) as caught:
        VERBS[verb](values, **settings)
    assert named in str(caught.value).split(":")[0].replace(" and ", " ").split()
    assert_silent(caught.value)


def test_the_good_row_is_accepted() -> None:
    """The settings that the bad rows change are good, so each row fails for its own reason."""
    for verb in VERBS.values():
        verb(PRIVATE, **GIVEN)


def test_the_silence_check_can_fail() -> None:
    """A number in an error, or in what it came from, would be found."""
    outer = ValueError("wrong")
    outer.__context__ = KeyError(SECRET)
    for leak in (ValueError(f"got {SECRET}"), outer):
        with pytest.raises(AssertionError):
            assert_silent(leak)


@pytest.mark.parametrize("wrong", [0, -1, 4, True, 1.5, "2", None, LIST, PRIVATE, np.array([1])], ids=repr)
def test_k_is_a_whole_number_up_to_the_candidates(wrong: Any) -> None:
    """Zero, too many, flags, fractions and data are no number of winners."""
    with pytest.raises(SettingError, match=r"^k: wanted a whole number from 1 to 3") as caught:
        top_k(PRIVATE, wrong, epsilon=1, sensitivity=1)
    assert_silent(caught.value)
    assert top_k(PRIVATE, np.int64(3), epsilon=1, sensitivity=1).candidates == 3  # type: ignore[arg-type]


def test_k_counts_only_those_who_may_be_chosen() -> None:
    """Candidates set aside cannot be among the winners."""
    with pytest.raises(SettingError, match=r"^k: wanted a whole number from 1 to 1"):
        top_k([SECRET, -math.inf], 2, infinite="never", epsilon=1, sensitivity=1)


@pytest.mark.parametrize("coins", [42, "coins", np.random.default_rng, LIST])
def test_coins_are_coins(coins: Any) -> None:
    """A seed or a generator of another library is no source of coins."""
    for verb in (VERBS["select"], VERBS["top_k"]):
        with pytest.raises(SettingError, match=r"^coins") as caught:
            verb(PRIVATE, coins=coins, **GIVEN)
        assert_silent(caught.value)


@pytest.mark.parametrize("verb", VERBS)
def test_unknown_words_are_refused(verb: str) -> None:
    """A misspelt setting is a TypeError that lists the settings, whatever is its value."""
    for value in (1, PRIVATE, LIST):
        with pytest.raises(TypeError, match=r"'sensitivty'; the settings are epsilon, rho") as caught:
            VERBS[verb](PRIVATE, epsilon=1, sensitivty=value)
        assert_silent(caught.value)


@pytest.mark.parametrize("verb", ["law", "prepare"])
def test_views_take_no_coins(verb: str) -> None:
    """Nothing is drawn when a view is made, so coins are an unknown word."""
    with pytest.raises(TypeError, match="'coins'"):
        VERBS[verb](PRIVATE, coins=42, **GIVEN)


def test_peeling_takes_what_can_be_peeled() -> None:
    """Noisy max and a lead are for one winner."""
    for more in ({"mechanism": "noisy-max"}, {"gap": 1}):
        with pytest.raises(SettingError, match=r"^mechanism"):
            VERBS["top_k"](PRIVATE, **GIVEN, **more)


# The data itself where a public number belongs

MISPLACED: dict[str, Any] = {
    "dict": PRIVATE,
    "list": LIST,
    "tuple": tuple(LIST),
    "array": np.array(LIST),
    "objects": np.array(LIST, dtype=object),
    "pandas": pd.Series(PRIVATE),
    "Polars": pl.Series(LIST),
    "counts": Counts(list(PRIVATE), LIST),
    "Scores": SCORES,
}
WHERE = [
    "epsilon", "rho", "guarantee", "sensitivity", "range", "monotonic", "scores", "neighbours", "normaliser",
    "mechanism", "noise", "gap", "prior", "maximize", "infinite", "coins",
]  # fmt: skip
TAKEN = {"sensitivity", "prior"}
"""Words for which a number a candidate is a right answer."""


def misplaced(values: Any, where: str, data: Any) -> dict[str, Any]:
    """Return settings in which the data stands where a setting belongs."""
    settings = {} if values is SCORES else {"sensitivity": 1}
    settings |= {} if where in {"rho", "guarantee"} else {"epsilon": 1}
    if where in {"range", "scores"}:
        settings.pop("sensitivity", None)
    if where == "noise":
        settings["mechanism"] = "noisy-max"  # type: ignore[assignment]
    return settings | {where: data}


@pytest.mark.parametrize("form", MISPLACED)
@pytest.mark.parametrize("where", WHERE)
def test_misplaced_data_is_not_shown(where: str, form: str) -> None:
    """Whoever passes the private table as a setting does not find it in the error, whatever the error is."""
    data = MISPLACED[form]
    for values in (PRIVATE, SCORES):
        for verb in (VERBS["select"], VERBS["top_k"]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a Series compared with None warns; no library's warning is the claim
                try:
                    verb(values, **misplaced(values, where, data))
                except Exception as error:  # noqa: BLE001 - whatever is raised must be silent
                    assert_silent(error)
                else:
                    assert where in TAKEN


ARRAYS = ("array", "pandas", "Polars")
CASES = [
    pytest.param(*case, id="-".join(case))
    for case in product(("dict", "Scores"), WHERE, ("dict", "list", *ARRAYS))
    if case[1] not in TAKEN
]


@pytest.mark.parametrize(("holder", "where", "form"), CASES)
def test_misplaced_data_is_refused_as_a_setting(holder: str, where: str, form: str) -> None:
    """The error is ours and names the setting, or the word that must not stand beside it."""
    values = MISPLACED[holder]
    with pytest.raises((SettingError, DataError), match=where):
        select(values, **misplaced(values, where, MISPLACED[form]))


@pytest.mark.parametrize("where", sorted(TAKEN))
def test_misplaced_negative_data_is_not_shown(where: str) -> None:
    """Private scores given as sensitivities or as a prior, and below 0, are refused without being shown."""
    private = {"a": -SECRET, "b": 1}
    with pytest.raises(SettingError) as caught:
        VERBS["select"](private, **words(**{where: private}))
    assert_silent(caught.value)


@pytest.mark.parametrize("form", MISPLACED)
def test_planning_and_results_are_silent_too(form: str) -> None:
    """The private table given as number of candidates, chance, or count of draws is refused and not shown."""
    data: Any = MISPLACED[form]
    made = select(PRIVATE, **GIVEN)
    attempts: list[Any] = [
        lambda: error_bound(data, epsilon=1, scores="counts"),
        lambda: error_bound(candidates=data, epsilon=1, scores="counts"),
        lambda: error_bound(3, epsilon=data, scores="counts"),
        lambda: error_bound(3, epsilon=1, scores="counts", probability=data),
        lambda: made.error_bound(data),
        lambda: top_k(PRIVATE, data, epsilon=1, sensitivity=1),
        lambda: prepare(PRIVATE, epsilon=1, sensitivity=1).draws(data),
    ]
    for attempt in attempts:
        with pytest.raises(SettingError) as caught:
            attempt()
        assert_silent(caught.value)
