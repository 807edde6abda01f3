"""Frames: no row changes how another is read, and what has no types of its own is no table."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from discreet.engines.ask import Amount, Ask, Cells, Cuts, Differs, Fails, Holds, Long, Named, Unlisted, Wide
from discreet.engines.duckdb import DuckDB
from discreet.engines.frames import Stream
from discreet.engines.opening import reader
from discreet.errors import DataError, SettingError


def counts(frame: Any, column: str, among: list[str]) -> list[int]:
    """Count, for each candidate, the rows whose text equals it."""
    found: list[int] = DuckDB(frame).tally(Long(Named(column, tuple(among))), None, "")[0].tolist()
    return found


def test_a_column_of_python_objects_is_refused() -> None:
    """A column of mixed objects has no type of its own, whether it is asked or is the unit; texts are the remedy."""
    pandas: Any = pytest.importorskip("pandas")
    usual = [Decimal("1.5")] * 100 + [2.5] * 90
    rows = pandas.DataFrame({"p": pandas.Series(usual, dtype=object), "who": pandas.Series([1] * 190, dtype=object)})
    for column, unit in (("p", None), ("who", None)):
        with pytest.raises(DataError, match=r"wanted one type, got '\w+' of mixed Python objects.*astype\('string'\)"):
            DuckDB(rows).check(Long(Named(column, ("1.5",))), unit)
    typed = rows.astype({"p": "string"})
    with pytest.raises(DataError, match="got 'who' of mixed"):
        DuckDB(typed).check(Long(Named("p", ("1.5",))), "who")
    with pytest.raises(DataError, match="got 'who' of mixed"):
        DuckDB(typed).check(Wide((Differs("p", "who"),)), None)
    assert counts(typed, "p", ["1.5", "2.5"]) == [100, 90]
    more = pandas.concat([typed, pandas.DataFrame({"p": ["1.25"]}).astype("string")])
    assert counts(more, "p", ["1.5", "2.5"]) == [100, 90]
    assert DuckDB(rows).columns() == {"p": "OBJECT", "who": "OBJECT"}
    flags = pandas.DataFrame({"p": pandas.Series([True, "x"], dtype=object).astype("category")})
    with pytest.raises(DataError, match="mixed"):
        counts(flags, "p", ["True"])


def test_duckdb_itself_lets_one_row_take_all_votes() -> None:
    """The planted wrong case: left alone, one decimal of three digits changes the text of all the others."""
    pandas: Any = pytest.importorskip("pandas")
    seen = list[int]()
    for last in ([], [Decimal("1.25")]):
        rows = pandas.DataFrame({"p": pandas.Series([Decimal("1.5")] * 9 + last, dtype=object)})
        with duckdb.connect(":memory:") as connection:
            connection.register("given", rows)
            found = connection.execute("SELECT COUNT(*) FROM given WHERE CAST(p AS STRING) = '1.5'").fetchall()
            seen.append(found[0][0])
    assert seen == [9, 0]


@pytest.mark.parametrize("source", [{"p": np.array([1.5, "x"], dtype=object)}, np.array([1.5])], ids=["dict", "array"])
def test_what_has_no_types_of_its_own_is_no_table(source: Any) -> None:
    """DuckDB would read a dict of arrays, and infer its types from the rows."""
    with pytest.raises(SettingError, match="Arrow stream"):
        DuckDB(source).columns()


def test_a_column_that_is_missing_everywhere_is_one_of_texts() -> None:
    """Polars gives it a type of its own; whatever is asked of it is answered as of texts that are missing."""
    untyped = pl.DataFrame({"p": [None] * 3, 'a "b"': [None] * 3, "who": ["ann", "bob", None]})
    assert untyped.schema["p"] == pl.Null
    texts = untyped.with_columns(pl.col("p", 'a "b"').cast(pl.String))
    cells = Cells("p", Fraction(0), Fraction(1), 2)
    amount = Amount("p", 0, 9, Fraction(1))
    asks: list[Ask] = [
        Long(Named("p", ("x", "y"))),
        Long(Named("p", ("x", "y"), other=1)),
        Long(Named("who", ("ann",)), by=Named("p", ("x",))),
        Long(Named("who", ("ann",)), amount=amount),
        Long(cells),
        Long(replace(cells, sparse=True)),
        Unlisted("p", 1, 9),
        Wide((Holds("p"), Differs("p", "who"), Fails("p", ">", Fraction(1), 'a "b"'), Fails("p", "==", "x", "who"))),
    ]
    for ask, unit in product(asks, (None, "who", "p")):
        found, wanted = (DuckDB(frame).tally(ask, unit, "key") for frame in (untyped, texts))
        assert repr(found) == repr(wanted)
    assert (
        DuckDB(untyped).columns() == DuckDB(texts).columns() == {"p": "VARCHAR", 'a "b"': "VARCHAR", "who": "VARCHAR"}
    )


def test_a_column_may_be_called_schema() -> None:
    """What a frame of another library holds is not taken for its types."""
    pandas: Any = pytest.importorskip("pandas")
    assert counts(pandas.DataFrame({"schema": ["Null", "x"]}).astype("string"), "schema", ["Null"]) == [1]
    assert counts(pl.DataFrame({"schema": ["Null", "x"]}), "schema", ["Null"]) == [1]


def test_duckdb_itself_cannot_read_a_column_without_a_type() -> None:
    """The planted wrong case: left alone, a frame is refused where nobody has given an answer yet."""
    with duckdb.connect(":memory:") as connection:
        connection.register("given", Stream(pl.DataFrame({"p": [None] * 3})))
        with pytest.raises(duckdb.Error):
            connection.execute("SELECT COUNT(p) FROM given").fetchall()


@pytest.mark.parametrize("name", ["wanted", "homes", "people", "chosen", "best", "given", "named"])
def test_a_table_may_be_called_anything(name: str, tmp_path: Path) -> None:
    """A table of a database is itself, and none of the small tables that a query brings along."""
    path = tmp_path / "rows.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            f"CREATE TABLE {name} AS SELECT 'zoo' AS item, 'ann' || i AS who, 'n' AS home FROM range(9) AS r(i)"  # noqa: S608 - our own names
        )
    engine = DuckDB(path, table=name)
    ask = Long(Named("item", ("lake", "zoo")), by=Named("home", ("n", "s")))
    assert engine.tally(ask, "who", "5e").tolist() == [[0, 9], [0, 0]]


def test_columns_may_be_called_as_ours_are() -> None:
    """A column of a name that a query uses, or that an engine has as a method, is a column."""
    rows = pl.DataFrame(
        {"v": [100] * 9 + [5], "discreet_n0": [1] * 5 + [7] * 5, "DISCREET_R0": [1.0] * 10, "tally": [1] * 10}
    )
    assert DuckDB(rows).tally(Long(Cuts("v", (Fraction(6),))), None, "").tolist() == [[1, 9]]
    pandas: Any = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"tally": [1, 2], "check": [3, 4], "read_next_batch": [5, 6]})
    assert reader(frame).tally(Long(Cuts("tally", (Fraction(1),))), None, "").tolist() == [[1, 1]]
