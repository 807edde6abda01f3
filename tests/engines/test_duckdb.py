"""Counts from files: the same as counting by hand, and nothing of a row in any complaint."""

import csv
import gzip
import io
import threading
import traceback
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.engines import duckdb as engine
from discreet.engines.ask import Differs, Long, Named, Unlisted, Wide
from discreet.engines.duckdb import DuckDB
from discreet.engines.files import Rows, at_hand
from discreet.errors import DataError, SettingError

PLANTED = "zebra77"  # in every malformed file below, and in no message
NASTY = st.text(st.sampled_from("ab \",;'\n\r\t%\\{}é\u0301$?NaN0\U0001f980"), min_size=1, max_size=4)
ADULT = Path(__file__).parents[3] / "shared" / "data" / "adult.csv"
MARITAL = {
    "Married-civ-spouse": 14976,
    "Never-married": 10683,
    "Divorced": 4443,
    "Separated": 1025,
    "Widowed": 993,
    "Married-spouse-absent": 418,
    "Married-AF-spouse": 23,
}


def counts(source: Any, column: str, among: list[str], **more: Any) -> list[int]:
    """Count, for each candidate, the rows whose text equals it; a stream is copied first, as the command does."""
    with at_hand(source) if hasattr(source, "read") else nullcontext(source) as table:
        found: list[int] = DuckDB(table, **more).tally(Long(Named(column, tuple(among))), None, "")[0].tolist()
    return found


def csv_bytes(column: str, values: list[str]) -> bytes:
    """Write a CSV of two columns in which each row is one person."""
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([("id", column), *enumerate(values)])
    return text.getvalue().encode()


def parquet(path: Path, query: str) -> Path:
    """Write what a query yields."""
    duckdb.connect(":memory:").execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


def complaint(path: Path, column: str = "vote") -> str:
    """Return all that Python would print of the failure, and what it hides behind the failure too."""
    with pytest.raises(DataError) as caught:
        counts(path, column, ["smith", PLANTED])
    assert caught.value.__context__ is None
    return "".join(traceback.format_exception_only(caught.value))


@settings(max_examples=40)
@given(st.lists(NASTY), st.lists(NASTY, min_size=1, unique=True), st.text(min_size=1).filter(str.isprintable))
def test_counts_are_those_of_a_count_by_hand(values: list[str], among: list[str], column: str) -> None:
    """Whatever the fields hold, each candidate's count is the number of rows whose text equals it."""
    column = "x" + column
    by_hand = Counter(values)
    assert counts(io.BytesIO(csv_bytes(column, values)), column, among) == [by_hand[name] for name in among]


def test_a_counter_that_infers_types_is_caught(tmp_path: Path) -> None:
    """The comparison can fail: DuckDB left to itself reads TRUE as true, and we do not."""
    file = tmp_path / "agents.csv"
    file.write_bytes(b"id,agent\n1,TRUE\n2,true\n3,TRUE\n")
    assert counts(file, "agent", ["true", "TRUE"]) == [1, 2]
    with duckdb.connect(":memory:") as connection:
        connection.execute("CREATE TABLE inferred AS SELECT * FROM read_csv(?)", [str(file)])
        rows = connection.execute("SELECT CAST(agent AS STRING) FROM inferred").fetchall()
    assert Counter(row[0] for row in rows)["true"] == 3


@settings(max_examples=40)
@given(st.lists(NASTY), st.lists(NASTY, min_size=1, unique=True))
def test_parquet_counts_are_those_of_a_count_by_hand(values: list[str], among: list[str]) -> None:
    """The same holds for Parquet, with a missing value beside."""
    with TemporaryDirectory() as folder, duckdb.connect(":memory:") as connection:
        file = Path(folder) / "votes.parquet"
        connection.execute("CREATE TABLE votes(vote VARCHAR)")
        connection.executemany("INSERT INTO votes VALUES (?)", [[None], *([value] for value in values)])
        connection.execute(f"COPY votes TO '{file}' (FORMAT parquet)")
        assert counts(file, "vote", among) == [values.count(name) for name in among]


@pytest.mark.parametrize("column", ['x"; DROP TABLE people; --', "it's", "c0", "item", "a,b", "né", "{0}", "?"])
def test_a_column_is_only_a_name(tmp_path: Path, column: str) -> None:
    """A column may be called anything, in both kinds of file."""
    rows = csv_bytes(column, ["smith", "jones", "smith"])
    assert counts(io.BytesIO(rows), column, ["smith"]) == [2]
    name = column.replace('"', '""')
    file = parquet(tmp_path / "votes.parquet", f"SELECT 'smith' AS \"{name}\", 1 AS other")
    assert counts(file, column, ["smith"]) == [1]


@pytest.mark.parametrize(
    "name", ["da*.csv", "data[1].csv", "what?.csv", "{a,b}.csv", "it's.csv", "k=7.csv", "$x #.csv"]
)
def test_a_path_is_one_file(tmp_path: Path, name: str) -> None:
    """What DuckDB takes for a pattern names one file here, though others would match."""
    for decoy in ("dab.csv", "data1.csv", "whatx.csv", "a.csv"):
        (tmp_path / decoy).write_bytes(b"vote\nsmith\nsmith\n")
    (tmp_path / name).write_bytes(b"vote\nsmith\n")
    assert counts(tmp_path / name, "vote", ["smith"]) == [1]


@pytest.mark.parametrize(
    ("rows", "smith"),
    [
        (b"id,vote\r\n1,smith\r\n2,jones\r\n", 1),
        (b"id,vote\r1,smith\r2,smith\r", 2),
        (b"\xef\xbb\xbfid,vote\n1,smith", 1),
        (b'"vote",id\n"smith",1\n', 1),
        (b"id,vote\n", 0),
        (b"id,vote", 0),
        (b"id,vote\n1,\n2,NULL\n3,NaN\n4,Smith\n5, smith\n6,smith\n\n", 1),
        (b"vote\nsmith\n\n# smith\nsmith\n", 2),
        (b"id,vote\n1,smi\x00th\n2,smith\n", 1),
    ],
)
def test_every_way_to_write_a_csv_is_read(tmp_path: Path, rows: bytes, smith: int) -> None:
    """Line ends, marks, quotes, empty fields and look-alikes are read as they stand, packed or not."""
    file, small = tmp_path / "votes.csv", tmp_path / "votes.csv.gz"
    file.write_bytes(rows)
    small.write_bytes(gzip.compress(rows))
    assert counts(file, "vote", ["jones!", "smith"]) == [0, smith]
    assert counts(small, "vote", ["jones!", "smith"]) == [0, smith]


def test_a_quoted_line_end_survives_many_readers(tmp_path: Path) -> None:
    """A file that several threads read in pieces gives the counts of one reader."""
    values = ["a\nb", "x" * 50, 'say "a\nb"', ","] * 100_000
    (tmp_path / "big.csv").write_bytes(csv_bytes("vote", values))
    assert counts(tmp_path / "big.csv", "vote", sorted(set(values))) == [100_000] * 4


def test_rows_are_not_held_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file several times larger than the memory allowed is counted; left to guess, DuckDB runs out of it."""
    file = tmp_path / "big.csv"
    with file.open("wb") as out:
        out.write(b"vote\n")
        for number in range(300):
            out.write((f"smith\n{number:0200d}\n" * 3000).encode())
    among = ["smith", *map(str, range(999))]
    monkeypatch.setitem(engine.QUIET, "memory_limit", "100MB")
    monkeypatch.setitem(engine.QUIET, "threads", "1")
    assert counts(file, "vote", among) == [900_000, *[0] * 999]
    monkeypatch.setitem(engine.QUIET, "temp_directory", "")
    monkeypatch.setattr(engine, "BUILD_SIDE", "SET disabled_optimizers = ''")
    with pytest.raises(DataError, match="more memory"):
        counts(file, "vote", among)


def test_a_delimiter_is_as_declared() -> None:
    """What stands between the fields is said and never guessed."""
    rows = b"id;vote\n1;smith\n2;a,b\n"
    assert counts(io.BytesIO(rows), "vote", ["smith", "a,b"], delimiter=";") == [1, 1]
    for wrong in ("", ";;", '"', "\n"):
        with pytest.raises(SettingError, match="delimiter"):
            counts(io.BytesIO(rows), "vote", ["smith"], delimiter=wrong)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("3", "3"),
        ("3::UTINYINT", "3"),
        ("true", "true"),
        ("DATE '2020-01-02'", "2020-01-02"),
        ("1.50::DECIMAL(5,2)", "1.50"),
        ("TIMESTAMP '2020-01-02 03:04:05'", "2020-01-02 03:04:05"),
        ("'u'::ENUM('u')", "u"),
    ],
)
def test_typed_values_compare_by_their_text(tmp_path: Path, value: str, text: str) -> None:
    """A whole number equals its digits, a decimal its decimals, a date its ISO form."""
    file = parquet(tmp_path / "typed.parquet", f"SELECT {value} AS vote UNION ALL SELECT NULL")
    assert counts(file, "vote", [text, "None"]) == [1, 0]


@pytest.mark.parametrize("value", ["1.0::DOUBLE", "'nan'::FLOAT", "[1]", "'x'::BLOB", "{'a': 1}", "now()"])
def test_values_that_print_differently_are_refused(tmp_path: Path, value: str) -> None:
    """The type of a column is public, so a refusal by type says nothing about any row."""
    file = parquet(tmp_path / "typed.parquet", f"SELECT {value} AS vote")
    assert "write it as text" in complaint(file)


@pytest.mark.parametrize(
    "rows",
    [
        b"",
        b"\nid,vote\n1,zebra77\n",
        b"id,vote\n1,zebra77,3\n",
        b"id,vote\n1,smith\nzebra77\n",
        b'id,vote\n1,"zebra77\n',
        b'id,vote\n1,"zebra77"x\n',
        b"id,vote\n1,zebra77\xff\n" + b"2,smith\n" * 99,
        b"id,vote\n" + b"1,smith\n" * 3000 + b"2,zebra77\xff\n",
        b"id,vote\r\n1,zebra77\r\n2,smith\n",
        b"1,zebra77\n2,smith\n",
        "id,vote\n1,zebra77\n".encode("utf-16"),
        b'"id"zebra77,vote\n',
        b'"zebra\n77",vote\r\n1,smith\r\n',
        b'"zebra77\r\nx",vote\n1,smith\n',
        b"zebra77," * 300_000,
    ],
)
def test_a_malformed_csv_is_refused_in_silence(tmp_path: Path, rows: bytes) -> None:
    """A file that is not what was declared is refused, and no field of it is shown, not even of a missing header."""
    file = tmp_path / "votes.csv"
    file.write_bytes(rows)
    assert PLANTED not in complaint(file)


def test_duckdb_itself_would_show_the_row(tmp_path: Path) -> None:
    """The silence is ours: left alone, the library quotes the line it stumbles over."""
    file = tmp_path / "votes.csv"
    file.write_bytes(b"id,vote\n1,zebra77,3\n")
    options = "auto_detect=false, header=true, columns={'a': 'VARCHAR', 'b': 'VARCHAR'}"
    with pytest.raises(duckdb.Error, match=PLANTED):
        duckdb.connect(":memory:").execute(f"SELECT * FROM read_csv(?, {options})", [str(file)]).fetchall()  # noqa: S608 - fixed text


def test_a_broken_file_is_refused_in_silence(tmp_path: Path) -> None:
    """Truncated Parquet, Parquet that is none, truncated gzip, a folder and a missing file are data errors."""
    whole = parquet(tmp_path / "whole.parquet", "SELECT 'zebra77' AS vote FROM range(1000)").read_bytes()
    for name, held in {
        "cut.parquet": whole[:-20],
        "hollow.parquet": whole[:4] + b"\xff" * 40 + whole[44:],
        "empty.parquet": b"",
        "text.parquet": b"vote\nzebra77\n",
        "cut.csv.gz": gzip.compress(b"vote\n" + b"zebra77\n" * 9999)[:-20],
        "plain.csv.gz": b"vote\nzebra77\n",
    }.items():
        (tmp_path / name).write_bytes(held)
        assert PLANTED not in complaint(tmp_path / name)
    assert "exists" in complaint(tmp_path)
    assert "exists" in complaint(tmp_path / "none.csv")


def test_a_missing_column_is_named_with_care(tmp_path: Path) -> None:
    """Parquet lists its columns; a CSV offers only a name that differs in case or punctuation."""
    file = tmp_path / "votes.csv"
    file.write_bytes(b"zebra77,My-Vote,vote,vote\n")
    assert "did you mean 'My-Vote'?" in complaint(file, "my_vote")
    assert "first line" in complaint(file, "choice")
    assert "2 columns" in complaint(file, "vote")
    assert "one of vote, other" in complaint(parquet(tmp_path / "v.parquet", "SELECT 1 AS vote, 2 AS other"), "choice")


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("""{'zebra77 has flu': 1}""", "STRUCT"),
        ("""MAP {'zebra77': 1}""", "MAP"),
        ("""['zebra77'::ENUM('zebra77')]""", "LIST"),
        ("""[1.5::DECIMAL(10,2)]""", "LIST"),
        ("""[[1.5::DECIMAL(10,2)]]""", "LIST"),
        ("""[1.5::DECIMAL(10,2)]::DECIMAL(10,2)[1]""", "LIST"),
    ],
)
def test_a_type_is_shown_without_its_members(tmp_path: Path, column: str, kind: str) -> None:
    """Fields of a STRUCT and members of an ENUM may be data; nested values are refused, whatever is in them."""
    path = tmp_path / "votes.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE TABLE votes AS SELECT {column} AS vote, 'zebra77'::ENUM('zebra77') AS who")
    table = DuckDB(path, table="votes")
    assert table.columns() == {"vote": kind, "who": "ENUM"}
    with pytest.raises(DataError, match=f"got 'vote' of type {kind}, whose") as caught:
        table.check(Long(Named("vote", ("x",))), None)
    assert PLANTED not in str(caught.value)
    assert table.tally(Long(Named("who", (PLANTED,))), None, "").tolist() == [[1]]


def test_a_collation_makes_nobody_one(tmp_path: Path) -> None:
    """To a column without case Ann and ann are one person, and zoo and Zoo one trip; to us they are two."""
    path = tmp_path / "votes.duckdb"
    with duckdb.connect(path) as connection:
        words = ", ".join(f"{name} VARCHAR COLLATE NOCASE" for name in ("who", "trip", "home", "best"))
        connection.execute(f"CREATE TABLE votes({words})")
        rows = "('Ann', 'zoo', 'N', 'Zoo'), ('ann', 'Lake', 'n', 'Lake'), ('bob', 'Zoo', 'n', 'zoo')"
        connection.execute(f"INSERT INTO votes VALUES {rows}")  # noqa: S608 - fixed text
        alike = "SELECT COUNT(DISTINCT who), SUM(CASE WHEN trip = 'zoo' THEN 1 END) FROM votes"
        assert connection.execute(alike).fetchall() == [(2, 2)]
    table = DuckDB(path, table="votes")
    trips = Named("trip", ("zoo", "Zoo", "lake", "Lake"))
    for key in ("00", "01", "02", "03"):
        assert table.tally(Long(trips), "who", key).tolist() == [[1, 1, 0, 1]]
    assert table.tally(Long(trips, by=Named("home", ("n", "N"))), None, "").tolist() == [[0, 1, 0, 1], [1, 0, 0, 0]]
    assert table.tally(Wide((Differs("trip", "best"),)), None, "").tolist() == [[2]]
    (seen,) = table.tally(Unlisted("trip", 1, 9), "who", "00")
    assert sorted(seen.items) == ["Lake", "Zoo", "zoo"]


def test_files_of_other_types_are_refused(tmp_path: Path) -> None:
    """DuckDB would read a second file as the first one's types: 2.6 would be the third person."""
    parquet(tmp_path / "a.parquet", "SELECT 1 AS who, 'zoo' AS vote")
    parquet(tmp_path / "b.parquet", "SELECT 2 AS who, 'zoo' AS vote")
    assert DuckDB(f"{tmp_path}/*.parquet").tally(Long(Named("vote", ("zoo",))), "who", "").tolist() == [[2]]
    for other in ("2.6::DOUBLE AS who, 'zoo' AS vote", "'zoo' AS vote, 2 AS who", "2 AS who", "2 AS who, 1.5 AS vote"):
        parquet(tmp_path / "c.parquet", f"SELECT {other}")
        with pytest.raises(DataError, match="same columns, of the same types"):
            DuckDB(f"{tmp_path}/*.parquet").check(None, "who")


def test_ctrl_c_is_told_from_a_failure() -> None:
    """A query that is interrupted ends as Ctrl-C does; another failure is a refusal, without its words."""

    class Broken:
        def execute(self, text: str, values: list[Any]) -> Any:  # noqa: ARG002 - a connection's words
            raise RuntimeError(PLANTED)

    rows = Rows("", (), str, "a table")
    with pytest.raises(DataError, match="cannot be read to its end as a table") as caught:
        engine._answer(Broken(), "SELECT 1", rows)  # type: ignore[arg-type]
    assert PLANTED not in str(caught.value)
    connection = duckdb.connect()
    threading.Timer(0.3, connection.interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        engine._answer(connection, "SELECT SUM(range % 7) FROM range(1000000000000)", rows)
    connection.close()


@pytest.mark.skipif(not ADULT.is_file(), reason="the census extract is not on this machine")
def test_a_census_extract_is_counted_right() -> None:
    """The marital status of 32,561 people, against published counts."""
    assert counts(ADULT, "marital_status", list(MARITAL)) == list(MARITAL.values())
