"""Nothing of the data is in anything that prints: not in an answer, not in a plan, not in a refusal."""

import json
import re
import traceback
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet
from discreet import Approval, BestHypothesis, LargestTotal, Median, Quantiles, TopK, Winner
from discreet.errors import DiscreetError

PLANTED = "zebra77"
COUNT = 4321
"""So many rows hold the planted value: the number is as secret as the value."""
ROWS = pl.DataFrame(
    {
        "pupil": [f"{PLANTED}-{n}" for n in range(COUNT)],
        "trip": [PLANTED] * (COUNT - 100) + ["zoo"] * 100,
        "paid": [f"{PLANTED}{n}" for n in range(COUNT)],
        "home": [PLANTED] * COUNT,
        "sum": [float(COUNT)] * COUNT,
    }
)
QUESTIONS: list[Any] = [
    Winner("trip", ["zoo", "lake"]),
    TopK("trip", 2, ["zoo", "lake", "sea"], by="home", groups=["n", "s"]),
    Approval("trip", ["zoo", "lake"]),
    Median("paid", bounds=(0, 9)),
    LargestTotal("trip", "paid", ["zoo", "lake"], high=5),
    BestHypothesis("trip", {"a": "paid", "b": ("paid", ">", 3)}),
    Quantiles("paid", ["1/4", "3/4"], bounds=(0, 9)),
    TopK("pupil", 3, among=None, delta="1e-9"),
]


def said(thing: Any) -> str:
    """All that a thing can be made to say."""
    page = thing._repr_html_() if hasattr(thing, "_repr_html_") else ""
    book = json.dumps(thing.to_dict()) if hasattr(thing, "to_dict") else ""
    return f"{thing!r} {thing!s} {thing:} {page} {book}"


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.kind)
@pytest.mark.parametrize("unit", ["pupil", "row"])
def test_what_is_printed_is_public(question: Any, unit: str, tmp_path: Path) -> None:
    """Neither the planted value nor the number of rows is in a table, a plan, an answer or the ledger's history."""
    with discreet.Ledger(
        tmp_path / "b.db", discreet.Budget(epsilon=90, delta="1e-5", spare="1e-6", per=unit)
    ) as ledger:
        table = discreet.open(ROWS, unit=unit, ledger=ledger)
        answer = table.ask(question, epsilon=1)
        things = [table, table.engine, table.plan(question, epsilon=1), answer, *ledger.history(), question]
        text = " ".join(map(said, things))
    assert PLANTED not in text
    assert not re.search(rf"\b{COUNT}\b", text)


def broken(folder: Path) -> list[Path]:
    """Files that cannot be read to their end."""
    whole = folder / "whole.parquet"
    ROWS.write_parquet(whole)
    good = ROWS.write_csv()
    held: dict[str, bytes] = {
        "cut.parquet": whole.read_bytes()[:-30],
        "hollow.parquet": whole.read_bytes()[:4] + b"\xff" * 400 + whole.read_bytes()[404:],
        "ragged.csv": (good + f"{PLANTED},1,2,3,4,5,6\n").encode(),
        "latin.csv": good.encode() + f"{PLANTED}\xff,{PLANTED},1,2,3\n".encode("latin-1"),
        "open.csv": (good + f'"{PLANTED}').encode(),
    }
    for name, content in held.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in held]


def test_a_broken_file_is_refused_in_silence(tmp_path: Path) -> None:
    """The complaint names the file's kind and no field of it; nothing was charged."""
    budget = discreet.Budget(epsilon=1, per="pupil")
    with discreet.Ledger(tmp_path / "b.db", budget) as ledger:
        for path in broken(tmp_path):
            with pytest.raises(DiscreetError, match="file: ") as caught:
                discreet.open(path, unit="pupil", ledger=ledger).ask(Winner("trip", ["zoo"]), epsilon=1)
            assert PLANTED not in "".join(traceback.format_exception_only(caught.value))
            assert caught.value.__context__ is None
        assert ledger.spent.epsilon == 0


@pytest.mark.parametrize(
    ("source", "words", "question"),
    [
        (ROWS, {"unit": "pupils"}, None),
        (ROWS, {"unit": "sum"}, None),
        (ROWS, {}, Winner("trips", ["zoo"])),
        (ROWS, {}, Winner("sum", ["zoo"])),
        (ROWS.lazy(), {}, None),
        (ROWS, {"table": "trips"}, None),
        (ROWS, {}, ROWS),
        ([PLANTED] * COUNT, {}, None),
        ({"trip": [PLANTED] * COUNT}, {}, None),
        (PLANTED.encode(), {}, None),
    ],
)
def test_a_refusal_shows_no_data(source: Any, words: dict[str, Any], question: Any) -> None:
    """A column that is not there, one of another type, and what is no table at all."""
    with pytest.raises(DiscreetError) as caught:
        discreet.open(source, **words).ask(question, epsilon=1)
    shown = "".join(traceback.format_exception_only(caught.value))
    assert PLANTED not in shown
    assert str(COUNT) not in shown


def test_the_planted_value_would_be_found() -> None:
    """The search can fail: the counts, printed, show themselves."""
    counts = discreet.open(ROWS).engine.tally(Winner("trip", [PLANTED]).ask(), None, "")
    assert str(COUNT - 100) in said(counts)
    assert PLANTED in said(Winner("trip", [PLANTED]))
