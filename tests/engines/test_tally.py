"""The common SQL through DuckDB: a plain loop's counts, from frames and files, and neighbours keep step and gap."""

import csv
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.engines.ask import Amount, Ask, Cells, Cuts, Differs, Fails, Holds, Long, Named, Tally, Unlisted, Wide
from discreet.engines.duckdb import DuckDB
from discreet.errors import DataError, SettingError
from discreet.testing.engines import Rows, by_loop, check_engine, listed

SCHEMA: dict[str, Any] = {
    "who": pl.String,
    "id": pl.Int64,
    "item": pl.String,
    "group": pl.String,
    "x": pl.Float64,
    "d": pl.Decimal(20, 4),
    "yes": pl.Boolean,
    "mark": pl.String,
}
AMONG = ("zoo", "Zoo", "é", "e\u0301", " zoo", "a'b", 'a"b', "\U0001f980")
NASTY = st.sampled_from([*AMONG, "nobody", "", None])
ROW = st.fixed_dictionaries(
    {
        "who": st.sampled_from(["ann", "bob", "é", "", "o'hara", None]),
        "id": st.one_of(st.none(), st.integers(-2, 2), st.just(2**63 - 1)),
        "item": NASTY,
        "group": st.sampled_from(["north", "south", "east", None]),
        "x": st.one_of(st.none(), st.integers(-40, 40).map(lambda n: n / 8), st.sampled_from([1e300, -1e300])),
        "d": st.one_of(st.none(), st.decimals(-3, 8, places=4)),
        "yes": st.one_of(st.none(), st.booleans()),
        "mark": st.sampled_from(["yes", "No", "true", "T", "1", "0", "", None]),
    }
)
NAMED = Named("item", AMONG)
BY = Named("group", ("north", "south"))
ASKS: list[Ask] = [
    Long(NAMED),
    Long(NAMED, at_most=3),
    Long(NAMED, at_most=None),
    Long(Named("item", AMONG, other=2), at_most=2),
    Long(Named("id", ("-1", "0", "2")), at_most=2),
    Long(NAMED, at_most=2, by=BY),
    Long(NAMED, at_most=None, amount=Amount("d", -2, 5, Fraction(1, 2))),
    Long(NAMED, at_most=2, amount=Amount("x", 0, 3, Fraction(1)), by=BY),
    Long(Cells("x", Fraction(-2), Fraction(1, 4), 17)),
    Long(Cells("d", Fraction(0), Fraction("0.05"), 101, "drop"), by=BY),
    Long(Cells("id", Fraction(-1), Fraction(1), 3)),
    Long(Cuts("x", (Fraction(-1), Fraction("0.25"), Fraction(1, 3), Fraction(10**15))), by=BY),
    Long(Cuts("d", (Fraction("0.01"), Fraction(1))), at_most=None),
    Long(Cuts("id", (Fraction(1), Fraction(2)))),
    Long(Cells("x", Fraction(-2), Fraction(1, 10**6), 5 * 10**6 + 1, sparse=True)),
    Long(Cells("d", Fraction(0), Fraction("0.01"), 2**40, "drop", sparse=True), by=BY),
    Unlisted("item", 1, 3),
    Unlisted("id", 2, 4),
    Wide((Holds("yes"), Holds("mark"), Differs("item", "who"), Differs("mark", "item"))),
    Wide(
        (Fails("x", ">=", Fraction(1), "yes"), Fails("item", "==", "a'b", "mark"), Fails("d", "<", Fraction(2), "yes"))
    ),
    Wide((Holds("yes"), Fails("id", "!=", Fraction(1), "yes")), by=BY),
]
UNITS = ["who", "id", None]


def frame(rows: Rows) -> pl.DataFrame:
    """The rows as a frame."""
    return pl.DataFrame(list(rows), schema=SCHEMA, orient="row")


def by_frame(rows: Rows, ask: Ask, unit: str | None, key: str) -> Tally:
    """Count through the Arrow stream."""
    return DuckDB(frame(rows)).tally(ask, unit, key)


@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: str(ask)[:60])
@settings(max_examples=8)
@given(rows=st.lists(ROW, max_size=25), unit=st.sampled_from(UNITS), key=st.sampled_from(["00", "ff17"]))
def test_a_tally_is_that_of_a_loop(ask: Ask, rows: Rows, unit: str | None, key: str) -> None:
    """Whatever the rows, their order and the unit, the SQL counts what a loop over people counts."""
    check_engine(by_frame, rows, ask, unit, key)


@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: str(ask)[:60])
@settings(max_examples=4)
@given(rows=st.lists(ROW, min_size=1, max_size=25), shuffled=st.randoms(use_true_random=False))
def test_order_and_partitions_change_nothing(ask: Ask, rows: Rows, shuffled: random.Random) -> None:
    """Parquet files cut anywhere, in any order, count as the frame does."""
    expected = listed(by_frame(rows, ask, "who", "5e"))
    mixed = list(rows)
    shuffled.shuffle(mixed)
    cut = shuffled.randrange(len(mixed) + 1)
    with TemporaryDirectory() as folder:
        for place, part in enumerate((mixed[:cut], mixed[cut:])):
            frame(part).write_parquet(Path(folder) / f"part-{place}.parquet")
        assert listed(DuckDB(f"{folder}/part-*.parquet").tally(ask, "who", "5e")) == expected


@settings(max_examples=15)
@given(rows=st.lists(ROW, max_size=20), ask=st.sampled_from(ASKS[:3] + ASKS[5:6]))
def test_a_csv_counts_as_its_frame(rows: Rows, ask: Ask) -> None:
    """Text fields count alike from CSV, where an empty field is a missing value."""
    text = [{name: row[name] or None for name in ("who", "item", "group")} for row in rows]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(["who", "item", "group"])
            writer.writerows([["" if cell is None else cell for cell in row.values()] for row in text])
        assert DuckDB(path).tally(ask, "who", "0a").tolist() == by_loop(text, ask, "who", "0a").tolist()


@settings(max_examples=25)
@given(rows=st.lists(ROW, max_size=15), gone=st.sampled_from(["ann", "bob", "é"]), ask=st.sampled_from(ASKS[:11]))
def test_a_person_moves_no_count_of_another(rows: Rows, gone: str, ask: Ask) -> None:
    """Without one person, the counts are those of all others; and one adds at most the cap, once to each place."""
    with_all, without = (
        by_frame(rows, ask, "who", "77"),
        by_frame([r for r in rows if r["who"] != gone], ask, "who", "77"),
    )
    alone = by_frame([r for r in rows if r["who"] == gone], ask, "who", "77")
    assert (with_all == without + alone).all()
    assert isinstance(ask, Long)
    assert int((alone != 0).sum()) <= (ask.item.size if ask.at_most is None else ask.at_most)
    low, high = (0, 1) if ask.amount is None else (ask.amount.low, ask.amount.high)
    assert ((alone >= min(low, 0)) & (alone <= high)).all()


def test_planted_mistakes_are_caught() -> None:
    """A cap that keeps the first rows, a key that is ignored, and a count of rows instead of people are all seen."""
    rows = [{**dict.fromkeys(SCHEMA), "who": "ann", "item": item} for item in AMONG for _ in range(2)]
    ask = Long(NAMED, at_most=2)

    def first_rows(rows: Rows, ask: Ask, unit: str | None, key: str) -> Tally:
        return by_frame(rows[:4], ask, unit, key)

    def no_key(rows: Rows, ask: Ask, unit: str | None, key: str) -> Tally:
        return by_frame(rows, ask, unit, "0" * len(key))

    def rows_alone(rows: Rows, ask: Ask, unit: str | None, key: str) -> Tally:
        del unit
        return by_frame(rows, ask, None, key)

    check_engine(by_frame, rows, ask, "who", "5e")
    for wrong in (first_rows, no_key, rows_alone):
        with pytest.raises(AssertionError, match="otherwise"):
            check_engine(wrong, rows, ask, "who", "5e")


def test_what_is_kept_favours_nobody() -> None:
    """Over many keys, each of a person's four places is kept about a quarter of the time."""
    rows = [{"who": str(n), "item": item} for n in range(4000) for item in AMONG[:4]]
    found = by_loop(rows[:40], Long(Named("item", AMONG[:4])), "who", "1")
    assert found.sum() == 10
    kept = DuckDB(pl.DataFrame(rows)).tally(Long(Named("item", AMONG[:4])), "who", "abc")[0]
    assert kept.sum() == 4000
    assert (abs(kept - 1000) < 200).all()  # 7 standard deviations


def test_sums_are_exact_beyond_64_bits() -> None:
    """Totals that no 64-bit integer holds are whole and exact."""
    rows = pl.DataFrame({"item": ["a"] * 100, "x": [1e18] * 100})
    ask = Long(Named("item", ("a",)), amount=Amount("x", 0, 10**17, Fraction(1)))
    assert DuckDB(rows).tally(ask, None, "")[0, 0] == 100 * 10**17


def test_a_table_larger_than_the_memory_is_counted() -> None:
    """The per-person ranking of two million pairs ends within a limit that does not hold them."""
    people = 200_000
    query = f"SELECT i % {people} AS who, (i * 7919 + i // {people}) % 1000 AS item FROM range({people * 10}) AS r(i)"  # noqa: S608 - numbers
    ask = Long(Named("item", tuple(map(str, range(1000)))), at_most=3)
    with TemporaryDirectory() as folder:
        path = f"{folder}/rows.parquet"
        with duckdb.connect(":memory:") as connection:
            connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
        found = DuckDB(path, memory="120MB").tally(ask, "who", "12")
        assert found.sum() == 3 * people
        assert found.tolist() == DuckDB(path).tally(ask, "who", "12").tolist()


def test_a_database_table_and_a_relation_are_read(tmp_path: Path) -> None:
    """A table of a database file is opened read-only; a relation comes through its stream."""
    path = tmp_path / "people.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("""CREATE TABLE "x""; DROP TABLE people" AS SELECT 'zoo' AS item, 1 AS who""")
        relation = connection.sql("SELECT 'zoo' AS item, 1 AS who UNION ALL SELECT 'zoo', 2")
        assert DuckDB(relation).tally(Long(Named("item", ("zoo",))), "who", "").tolist() == [[2]]
    engine = DuckDB(path, table='x"; DROP TABLE people')
    assert engine.tally(Long(Named("item", ("zoo",))), "who", "").tolist() == [[1]]
    with pytest.raises(DataError, match="table: wanted one that the database has"):
        DuckDB(path, table="people").columns()


def test_columns_that_do_not_fit_are_refused() -> None:
    """A missing column, a unit of floats and dates as numbers are refused with what would serve."""
    rows = pl.DataFrame({"who": [1.0], "item": ["zoo"], "when": [None]}, schema_overrides={"when": pl.Date})
    wrong: list[tuple[str | None, Ask, str]] = [
        ("who", Long(Named("item", ("zoo",))), "write it as text"),
        ("nobody", Long(Named("item", ("zoo",))), "wanted one of who, item, when; got 'nobody'"),
        (None, Long(Named("trip", ("zoo",))), "'trip'"),
        (None, Long(Cells("when", Fraction(0), Fraction(1), 2)), "wanted numbers"),
        (None, Wide((Differs("who", "item"),)), "write it as text"),
    ]
    for unit, ask, match in wrong:
        with pytest.raises(DataError, match=match):
            DuckDB(rows).check(ask, unit)
    with pytest.raises(SettingError, match="Arrow stream"):
        DuckDB([1, 2, 3]).columns()


def test_pandas_is_read_with_or_without_its_stream() -> None:
    """A pandas frame is read, by DuckDB itself where its Arrow stream needs a package that is not there."""
    pandas: Any = pytest.importorskip("pandas")
    rows = pandas.DataFrame({"who": ["ann", "bob", None], "item": ["zoo", "zoo", "zoo"]}).astype("string")
    assert DuckDB(rows).tally(Long(Named("item", ("zoo",))), "who", "").tolist() == [[2]]


def test_decimals_are_cut_exactly() -> None:
    """Grid cells of money hold what they should, where binary fractions would slip."""
    prices = [Decimal(n) / 100 for n in range(200)]
    for column in (pl.Series("x", prices, dtype=pl.Decimal(10, 2)), pl.Series("x", [float(p) for p in prices])):
        found = DuckDB(pl.DataFrame(column)).tally(Long(Cells("x", Fraction(0), Fraction(1, 100), 200)), None, "")
        assert found.tolist() == [[1] * 200]


EXTREME = ["0", "-0.000000001", "0.0000000004", "999999999999999.999999999", "-1e15", "1e15", "1e-30", "1e18", "-1e18"]
BEYOND = [
    "1e19",
    "1e40",
    "-1e300",
    "1e400",
    "inf",
    "-inf",
    "nan",
    "",
    " 7",
    "7e",
    "0x10",
    "1_000",
    "1" * 60,
    "True",
    None,
]
EDGES: list[Ask] = [
    Long(Cells("x", Fraction(-(10**15)), Fraction(10**15), 3)),
    Long(Cells("x", Fraction(0), Fraction(1, 10**9), 1000), at_most=None),
    Long(Cuts("x", (Fraction(1, 10**9), Fraction(1), Fraction(10**15) - Fraction(1, 10**10), Fraction(10**15)))),
    Long(Named("item", ("a",)), amount=Amount("x", -(10**15), 10**15, Fraction(1, 10**9))),
    Long(Named("item", ("a",)), amount=Amount("x", -(10**15), 10**15, Fraction(1))),
    Wide((Fails("x", "<", Fraction(10**15), "item"), Fails("x", ">=", Fraction(-(10**15)), "item"))),
]


@pytest.mark.parametrize("ask", EDGES, ids=lambda ask: str(ask)[:40])
def test_no_number_overflows(ask: Ask) -> None:
    """At the largest and the finest grid allowed, whatever a field says, there is a count and never a failure."""
    numbers = pl.DataFrame({"x": EXTREME, "item": ["a"] * len(EXTREME), "who": ["ann"] * len(EXTREME)})
    rows = [{"x": Fraction(Decimal(row["x"])), "item": "a", "who": "ann"} for row in numbers.to_dicts()]
    for unit in ("who", None):
        assert DuckDB(numbers).tally(ask, unit, "00").tolist() == by_loop(rows, ask, unit, "00").tolist()
    unruly = pl.DataFrame({"x": [*EXTREME, *BEYOND] * 50, "item": "a", "who": "ann"})
    for unit in ("who", None):
        assert DuckDB(unruly).tally(ask, unit, "00").shape[0] == 1
    floats = pl.DataFrame({"x": [1e300, -1e300, 1e19, float("nan"), 5e-324] * 50, "item": "a", "who": "ann"})
    assert DuckDB(floats).tally(ask, "who", "00").shape[0] == 1
