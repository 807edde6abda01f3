"""Scores in every form people hold them come back under the names they were given."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from discreet import DataError, SettingError, law, prepare, select, top_k
from discreet.counts import Counts
from discreet.scores import Distance, Rank, Revenue, Scores, Votes, by_count
from discreet.scores.base import one_each

FAR = 10**6
"""A lead that one draw at these rates overturns with chance below exp(-400 000)."""

NAMED: dict[str, tuple[Any, list[Any]]] = {
    "dict": ({"a": 0, "b": FAR, "c": 1}, ["a", "b", "c"]),
    "dict, keys of many kinds": ({(1, 2): 0, 7: FAR, "c": 1}, [(1, 2), 7, "c"]),
    "pandas": (pd.Series([0, FAR, 1], index=["a", "b", "c"]), ["a", "b", "c"]),
    "pandas, whole-number index": (pd.Series([0.0, FAR, 1.0], index=[30, 20, 10]), [30, 20, 10]),
    "pandas, index of pairs": (pd.Series({("x", 1): 0, ("x", 2): FAR, ("y", 1): 1}), [("x", 1), ("x", 2), ("y", 1)]),
    "pandas, nullable": (pd.Series([0, FAR, 1], index=list("abc"), dtype="Int64"), ["a", "b", "c"]),
    "pandas, objects": (pd.Series([0, Fraction(FAR), 1.5], index=list("abc"), dtype=object), ["a", "b", "c"]),
    "Polars": (pl.Series([0, FAR, 1]), [0, 1, 2]),
    "list": ([0, FAR, 1], [0, 1, 2]),
    "tuple": ((0, FAR, 1), [0, 1, 2]),
    "generator": (None, [0, 1, 2]),
    "mixed list": ([Decimal("0.5"), FAR, Fraction(1, 3)], [0, 1, 2]),
    "float16": (np.array([0, 60000, 1], dtype=np.float16), [0, 1, 2]),
    "float32": (np.array([0, FAR, 1], dtype=np.float32), [0, 1, 2]),
    "long double": (np.array([0, FAR, 1], dtype=np.longdouble), [0, 1, 2]),
    "other byte order": (np.array([0, FAR, 1], dtype=">i4"), [0, 1, 2]),
    "every second": (np.array([0, 5, FAR, 5, 1])[::2], [0, 1, 2]),
    "objects": (np.array([0, FAR, 0.5], dtype=object), [0, 1, 2]),
    "counts": (by_count(Counts(["a", "b", "c"], [0, FAR, 1])), ["a", "b", "c"]),
    "ticks": (Scores(("a", "b", "c"), [0, FAR, 1], one_each("replace"), Fraction(1, 7)), ["a", "b", "c"]),
}


def settings_for(values: Any) -> dict[str, Any]:
    """Return what must be said of scores that do, or do not, know how far they move."""
    return {"epsilon": 1} if isinstance(values, Scores) else {"epsilon": 1, "sensitivity": 1}


@pytest.mark.parametrize("form", NAMED)
def test_the_winner_comes_back_as_given(form: str) -> None:
    """Whatever holds the scores, the best is named by its own label, and its position is counted from 0."""
    values, names = NAMED[form]

    def fresh() -> Any:
        return iter([0, FAR, 1]) if values is None else values

    made = select(fresh(), **settings_for(values))
    assert (made.winner, made.index, made.candidates) == (names[1], 1, 3)
    several = top_k(fresh(), 3, **settings_for(values))
    assert several.winners[0] == names[1]
    assert [names[place] for place in several.indices] == list(several.winners)
    assert sorted(several.indices) == [0, 1, 2]
    assert list(law(fresh(), **settings_for(values)).candidates) == names


@pytest.mark.parametrize(
    ("candidates", "names"),
    [
        (["x", "y", "z"], ["x", "y", "z"]),
        (range(10, 40, 10), [10, 20, 30]),
        (np.array([5.5, 6.5, 7.5]), [5.5, 6.5, 7.5]),
        (pd.Index(["x", "y", "z"]), ["x", "y", "z"]),
        ((name for name in "xyz"), ["x", "y", "z"]),
    ],
    ids=["list", "range", "array", "index", "generator"],
)
def test_labels_given_beside_the_scores(candidates: Any, names: list[Any]) -> None:
    """``candidates=`` names the scores in their order."""
    made = select(np.array([0, 1, FAR]), candidates=candidates, epsilon=1, sensitivity=1)
    assert (made.winner, made.index) == (names[2], 2)


def test_a_dictionary_takes_no_second_names() -> None:
    """Scores that carry labels refuse others, whichever form they have."""
    for values in ({"a": 1}, pd.Series([1], index=["a"]), by_count(Counts(["a"], [1]))):
        with pytest.raises(SettingError, match="candidates: wanted nothing"):
            select(values, candidates=["b"], **settings_for(values))


FAMILIES: dict[str, tuple[Any, list[Any], Any]] = {
    "votes": (Votes(["flu", "cold"]), ["cold"] * 5000, "cold"),
    "revenue": (Revenue(["0.25", "1.5", "9"]), [1.75] * 5000, "1.5"),
    "rank": (Rank([10, 20, 30], q="1/3"), [5] * 1000 + [15] * 1000 + [25] * 4000, 20),
    "distance": (Distance(["-90000", "0.5", "90000"], len, 1), [None] * 50, "0.5"),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_families_with_and_without_ticks(name: str) -> None:
    """Scores made from people name the family's own labels, and are planned with the family's own sensitivity."""
    family, people, best = FAMILIES[name]
    scores = family.score(people)
    made = select(scores, epsilon=1)
    assert made.winner == best
    assert family.candidates[made.index] == best
    assert made.tick == scores.tick
    assert made.rate == Fraction(made.mechanism.rate) / scores.tick  # type: ignore[union-attr]
    assert family.sensitivity().gap == scores.sensitivity.gap


def test_a_replacement_is_promised_where_the_scores_were_made_for_it() -> None:
    """The relation comes with the scores, and asking for the other one is refused."""
    scores = Votes(["flu", "cold"]).score(["flu"] * 9, "replace")
    assert select(scores, epsilon=1).neighbours == "replace"
    with pytest.raises(SettingError, match="neighbours"):
        select(scores, epsilon=1, neighbours="add-remove")


@pytest.mark.parametrize("form", ["dict", "pandas", "list", "float32", "mixed list", "objects", "ticks"])
def test_the_least_wins_where_it_is_sought(form: str) -> None:
    """``maximize=False`` names the least score, under its own label."""
    values, names = NAMED[form]
    settings: dict[str, Any] = settings_for(values) | {"epsilon": 10**6}
    assert select(values, maximize=False, **settings).winner == names[0 if form != "mixed list" else 2]
    assert select(values, maximize=True, **settings).winner == names[1]


INF = math.inf
NEVER: dict[str, Callable[[float], Any]] = {
    "list": lambda never: [never, 0, never, FAR],
    "dict": lambda never: {0: never, 1: 0, 2: never, 3: FAR},
    "float64": lambda never: np.array([never, 0, never, FAR]),
    "float32": lambda never: np.array([never, 0, never, FAR], dtype=np.float32),
    "list of float32": lambda never: [np.float32(never), 0, np.float32(never), FAR],
    "Decimal": lambda never: [Decimal(never), Decimal(0), Decimal(never), Decimal(FAR)],
    "objects": lambda never: np.array([never, 0, Decimal(never), FAR], dtype=object),
    "pandas": lambda never: pd.Series([never, 0, never, FAR]),
    "Polars": lambda never: pl.Series([never, 0.0, never, float(FAR)]),
}


@pytest.mark.parametrize("form", NEVER)
def test_never_chosen_but_still_counted_in_positions(form: str) -> None:
    """Infinitely bad scores never win, and the others keep their positions, with labels and without."""
    values = NEVER[form](-INF)
    made = select(values, infinite="never", epsilon=1, sensitivity=1)
    assert (made.winner, made.index, made.candidates) == (3, 3, 2)
    assert top_k(values, 2, infinite="never", epsilon=1, sensitivity=1).indices == (3, 1)
    if form not in {"dict", "pandas"}:
        named = select(values, candidates=["a", "b", "c", "d"], infinite="never", epsilon=1, sensitivity=1)
        assert (named.winner, named.index) == ("d", 3)
    found = law(values, infinite="never", epsilon=1, sensitivity=1)
    assert found.to_dict() == {1: 0.0, 3: 1.0}
    assert set(prepare(values, infinite="never", epsilon=1, sensitivity=1).draws(50).tolist()) == {3}
    least = select(NEVER[form](INF), infinite="never", maximize=False, epsilon=1, sensitivity=1)
    assert (least.winner, least.index) == (1, 1)
    with pytest.raises(DataError, match="scores"):
        select(values, epsilon=1, sensitivity=1)


def test_never_is_only_the_bad_infinity() -> None:
    """An infinitely good score is refused, and so is a table in which nobody may be chosen."""
    for values in ([INF, 0.0], np.array([INF, 0.0]), np.array([0.0, math.nan])):
        with pytest.raises(DataError, match="scores"):
            select(values, infinite="never", epsilon=1, sensitivity=1)
    for values in ([-INF], np.array([-INF, -INF])):
        with pytest.raises(DataError, match="at least one candidate"):
            select(values, infinite="never", epsilon=1, sensitivity=1)


@pytest.mark.parametrize("given", [[1, 0, 9, 1], (1, 0, 9, 1), {0: 1, 1: 0, 2: 9, 3: 1}, np.array([1, 0, 9, 1])])
def test_a_prior_keeps_to_its_candidates_when_some_are_set_aside(given: Any) -> None:
    """Prior and position stay together: the second candidate has prior 0, so the fourth wins although it is worse."""
    values = [-INF, FAR, -INF, 0]
    made = select(values, infinite="never", prior=given, epsilon=1, sensitivity=1)
    assert made.index == 3
    assert made.mechanism.prior == (0, 1)  # type: ignore[union-attr]
    assert law(values, infinite="never", prior=given, epsilon=1, sensitivity=1).to_dict() == {1: 0.0, 3: 1.0}


def test_sensitivities_keep_to_their_candidates_when_some_are_set_aside() -> None:
    """Each candidate that is left is planned with its own sensitivity."""
    made = select([-INF, 0, -INF, FAR], infinite="never", sensitivity=[1, 2, 3, 4], epsilon=1)
    assert made.mechanism.steps == (2, 4)  # type: ignore[union-attr]
    assert made.index == 3


EXACT: dict[str, tuple[Any, int]] = {
    "the largest floats": ([-1e308, 1e308, 1e308 - 1e293], 1),
    "a difference of 1 at 1e18": ([10**18, 10**18 + 1], 1),
    "the same in 64-bit integers": (np.array([10**18, 10**18 + 1]), 1),
    "the same in floats that hold it": (np.array([2.0**53 - 1, 2.0**53]), 1),
    "the least floats above 0": (np.array([5e-324, 1e-323, 0.0]), 1),
    "unsigned 64 bits": (np.array([2**64 - 2, 2**64 - 1, 0], dtype=np.uint64), 1),
    "integers past 64 bits": ([2**200, 2**200 + 1], 1),
    "signed and unsigned ends": ([-(2**63), 2**64], 1),
    "thirds": ([Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)], 1),
}


@pytest.mark.parametrize("mechanism", ["exponential", "permute-and-flip", "noisy-max"])
@pytest.mark.parametrize("name", EXACT)
def test_differences_survive_exactly(name: str, mechanism: str) -> None:
    """No difference is lost to rounding: with a rate beyond any difference the best always wins, and the least too."""
    values, best = EXACT[name]
    settings: Any = {"epsilon": "1e340", "sensitivity": "1e-4", "mechanism": mechanism}
    assert select(values, **settings).index == best
    assert law(values, **settings).probabilities.tolist() == [float(place == best) for place in range(len(values))]
    plainly = values if isinstance(values, list) else values.tolist()
    least = min(range(len(plainly)), key=lambda place: Fraction(plainly[place]))
    assert select(values, maximize=False, **settings).index == least


@pytest.mark.parametrize("epsilon", ["1e-300", "1e300"])
@pytest.mark.parametrize("mechanism", ["exponential", "permute-and-flip", "noisy-max"])
def test_budgets_of_any_size_are_used_as_they_are(epsilon: str, mechanism: str) -> None:
    """The rate is the exact half of the epsilon, and the draw ends."""
    settings: Any = {"epsilon": epsilon, "sensitivity": 1, "mechanism": mechanism}
    made = select([1e308, -1e308, 0], **settings)
    assert made.rate == Fraction(epsilon) / 2
    if epsilon == "1e300":
        assert made.index == 0
        assert law([1, 0], **settings).probabilities.tolist() == [1.0, 0.0]
    else:
        assert law([1, 0], **settings).probabilities.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("mechanism", ["exponential", "permute-and-flip"])
def test_a_million_equal_scores_of_one_byte(mechanism: str) -> None:
    """Any of them may win: twenty draws all alike have chance 1e-114."""
    values = np.full(10**6, 7, dtype=np.int8)
    drawn = {select(values, epsilon=1, sensitivity=1, mechanism=mechanism).index for _ in range(20)}
    assert len(drawn) > 1
    assert all(0 <= place < 10**6 for place in drawn)


def test_a_table_is_refused_where_infinities_are_public() -> None:
    """Two dimensions are refused with and without the word never."""
    with pytest.raises(DataError, match="one dimension"):
        select(np.ones((2, 3)), infinite="never", epsilon=1, sensitivity=1)


def test_a_signalling_nan_is_refused_where_infinities_are_public() -> None:
    """A Decimal that raises when compared is refused like any other NaN."""
    with pytest.raises(DataError, match="scores"):
        select([Decimal("sNaN"), Decimal(1)], infinite="never", epsilon=1, sensitivity=1)
