"""Opening: files, patterns, frames, relations and database tables, and whom they protect."""

from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import discreet
from discreet import Winner
from discreet.engines.ask import Long, Named
from discreet.errors import DataError, SettingError

ROWS = pl.DataFrame({"pupil": ["ann", "ann", "bob", None], "trip": ["zoo", "zoo", "zoo", "zoo"]})
COUNT = Long(Named("trip", ("zoo", "lake")))


def counted(table: discreet.Table) -> list[int]:
    """The counts behind a table, which no answer shows."""
    found: list[int] = table.engine.tally(COUNT, None if table.unit == "row" else table.unit, "00")[0].tolist()
    return found


def sources(folder: Path) -> dict[str, Any]:
    """The same rows in every form."""
    ROWS.write_csv(folder / "a.csv")
    ROWS.write_parquet(folder / "a.parquet")
    for part in range(2):
        ROWS[2 * part : 2 * part + 2].write_parquet(folder / f"part-{part}.parquet")
        ROWS[2 * part : 2 * part + 2].write_csv(folder / f"part-{part}.csv")
    return {
        "a path": folder / "a.csv",
        "text": str(folder / "a.parquet"),
        "a pattern": str(folder / "part-*.parquet"),
        "a pattern of text": str(folder / "part-?.csv"),
        "Polars": ROWS,
        "pandas": ROWS.to_pandas().astype("string") if _has("pyarrow") else None,
        "PyArrow": ROWS.to_arrow() if _has("pyarrow") else None,
        "a relation": duckdb.from_query(
            "SELECT * FROM (VALUES ('ann', 'zoo'), ('ann', 'zoo'), ('bob', 'zoo'), (NULL, 'zoo')) AS t(pupil, trip)"
        ),
    }


def _has(library: str) -> bool:
    return __import__("importlib.util").util.find_spec(library) is not None


def test_every_source_counts_alike(tmp_path: Path) -> None:
    """Two pupils, or four rows; a row without a pupil drops where pupils are protected."""
    for name, source in sources(tmp_path).items():
        if source is not None:
            assert counted(discreet.open(source, unit="pupil")) == [2, 0], name
            assert counted(discreet.open(source)) == [4, 0], name


def test_a_table_of_a_database_is_opened(tmp_path: Path) -> None:
    """It is read only, and must be named; a column may be called anything."""
    path = tmp_path / "school.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("""CREATE TABLE trips AS SELECT 'ann' AS pupil, 'zoo' AS "x""; DROP TABLE trips; --" """)
    table = discreet.open(path, unit="pupil", table="trips")
    assert table.columns == ("pupil", 'x"; DROP TABLE trips; --')
    assert table.ask(Winner('x"; DROP TABLE trips; --', ["zoo"]), epsilon=1).winner == "zoo"
    assert table.columns == ("pupil", 'x"; DROP TABLE trips; --')
    with pytest.raises(DataError, match="table: wanted table="):
        discreet.open(path)
    with pytest.raises(DataError, match="table: wanted one that the database has"):
        discreet.open(path, table="none")


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ({"unit": "pupils"}, "column: wanted one of pupil, trip; got 'pupils'"),
        ({"unit": ""}, "unit: wanted the name of a column"),
        ({"neighbours": "nearby"}, "neighbours: wanted 'add-remove' or 'replace', got 'nearby'"),
    ],
)
def test_wrong_words_are_refused_when_a_table_is_opened(words: Any, match: str) -> None:
    """Whom to protect is settled before anything is asked."""
    with pytest.raises((SettingError, DataError), match=match):
        discreet.open(ROWS, **words)


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    """A missing file, a lazy frame and a stream that can be read once are each told what would serve."""
    with pytest.raises(DataError, match="file: wanted a file that exists"):
        discreet.open(tmp_path / "none.csv")
    with pytest.raises(SettingError, match=r"collect\(\)"):
        discreet.open(ROWS.lazy())

    class Reader:
        def read_next_batch(self) -> None:
            """Like a reader of record batches."""

    with pytest.raises(DataError, match="read again"):
        discreet.open(Reader())
    for memory in ("lots", "", "4"):
        with pytest.raises(SettingError, match=f"memory: wanted a size such as '4GB', got '{memory}'"):
            discreet.open(ROWS, memory=memory)


def test_a_table_is_one_of_a_database(tmp_path: Path) -> None:
    """A name of a table goes with a database file; of a frame, nothing is shown."""
    ROWS.write_csv(tmp_path / "a.csv")
    with pytest.raises(DataError, match="file: wanted a database of DuckDB, since table= names a table of one"):
        discreet.open(tmp_path / "a.csv", table="trips")
    with pytest.raises(DataError, match="file: wanted a file that exists, got"):
        discreet.open(tmp_path / "none.duckdb", table="trips")
    with pytest.raises(SettingError, match="memory: wanted"):
        discreet.open(tmp_path / "a.csv", table="trips", memory="lots")
    with pytest.raises(SettingError, match=r"got one of a DataFrame$"):
        discreet.open(ROWS, table="trips")


def test_mixed_files_are_refused(tmp_path: Path) -> None:
    """Files of two kinds, or with other columns, are not one table."""
    ROWS.write_csv(tmp_path / "a.csv")
    ROWS.write_parquet(tmp_path / "a.parquet")
    ROWS.rename({"trip": "journey"}).write_csv(tmp_path / "b.csv")
    with pytest.raises(DataError, match="one kind"):
        discreet.open(f"{tmp_path}/a.*")
    with pytest.raises(DataError, match="same columns"):
        discreet.open(f"{tmp_path}/*.csv")
