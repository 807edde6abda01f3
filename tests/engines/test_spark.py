"""Spark counts what a loop and DuckDB count, whatever the partitions, and says nothing of a row."""

import json
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import discreet
from discreet.engines.ask import Amount, Ask, Cells, Fails, Long, Named, Tally, Wide
from discreet.engines.duckdb import DuckDB
from discreet.engines.spark import Spark
from discreet.errors import DataError, SettingError
from discreet.ledger import Budget, Ledger
from discreet.testing.engines import Rows, by_loop, check_engine, listed
from tests.cli.runner import run
from tests.engines.sparks import MARKS, many_rows, spark_frame
from tests.engines.test_tally import ASKS, BEYOND, EDGES, EXTREME, NAMED, ROW, UNITS, frame

pytestmark = MARKS


@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: str(ask)[:60])
@settings(max_examples=1)
@given(
    rows=some.lists(ROW, min_size=20, max_size=40),
    asked=some.tuples(some.sampled_from(UNITS), some.sampled_from(["00", "ff17"])),
    ansi=some.sampled_from(["true", "false"]),
)
def test_a_tally_is_that_of_a_loop(spark: Any, ask: Ask, rows: Rows, asked: Any, ansi: str) -> None:
    """The contract of all engines holds in either of Spark's dialects."""
    spark.conf.set("spark.sql.ansi.enabled", ansi)

    def by_spark(rows: Rows, ask: Ask, unit: str | None, key: str) -> Tally:
        return Spark(spark_frame(spark, rows)).tally(ask, unit, key)

    check_engine(by_spark, rows, ask, *asked)


@pytest.mark.parametrize(
    ("place", "partitions"), [(1, 1), (5, 7), (7, 3), (8, 7), (11, 3), (12, 2), (13, 7), (14, 3), (17, 2)]
)
def test_the_counts_are_those_of_duckdb(spark: Any, place: int, partitions: int) -> None:
    """Thousands of rows, cut anywhere, count as they do in the other engine, to the last person's last row."""
    ask, rows = ASKS[place], many_rows(3000, seed=partitions)
    found = listed(Spark(spark_frame(spark, rows, partitions)).tally(ask, "who", "5eed"))
    assert found == listed(DuckDB(frame(rows)).tally(ask, "who", "5eed"))
    for wrong in (frame(rows[:0]), frame(rows[:-30])):
        assert found != listed(DuckDB(wrong).tally(ask, None, "5eed"))


@pytest.mark.parametrize("ask", EDGES, ids=lambda ask: str(ask)[:40])
def test_no_number_overflows(spark: Any, ask: Ask) -> None:
    """At the largest and the finest grid allowed, whatever a field says, the counts are a loop's or DuckDB's."""
    spark.conf.set("spark.sql.ansi.enabled", "true")
    rows = [{"x": Fraction(Decimal(text)), "item": "a", "who": "ann"} for text in EXTREME]
    for said, expected in ((EXTREME, by_loop(rows, ask, None, "00")), ([*EXTREME, *BEYOND], None)):
        texts = [(text, "a", "ann") for text in said]
        held = Spark(spark.createDataFrame(texts, "x STRING, item STRING, who STRING"))
        duck = DuckDB(pl.DataFrame(texts, schema=["x", "item", "who"], orient="row")).tally(ask, None, "00")
        assert held.tally(ask, None, "00").tolist() == (duck if expected is None else expected).tolist()


def test_planted_mistakes_are_caught(spark: Any) -> None:
    """The contract sees a key that is ignored, and a person cut off from part of the rows."""
    rows = [{**dict.fromkeys(many_rows(1, 0)[0]), "who": "ann", "item": item} for item in NAMED.among for _ in (1, 2)]
    ask = Long(NAMED, at_most=2)

    def no_key(rows: Rows, ask: Ask, unit: str | None, key: str) -> Tally:
        return Spark(spark_frame(spark, rows)).tally(ask, unit, "0" * len(key))

    def one_part(rows: Rows, ask: Ask, unit: str | None, key: str) -> Tally:
        return Spark(spark_frame(spark, rows[:3])).tally(ask, unit, key)

    for wrong in (no_key, one_part):
        with pytest.raises(AssertionError, match="otherwise"):
            check_engine(wrong, rows, ask, "who", "5e")


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_values_print_as_they_do_in_duckdb(spark: Any, ansi: str) -> None:
    """Whole numbers, small decimals, dates, times and booleans have one text, in either dialect."""
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    written = "CAST('{}' AS DECIMAL(38, 12))"
    tiny = ["0.000000000001", "-0.000000000001", "0", "-12.5", "7"]
    values = {text: written.format(text) for text in tiny} | {
        "127": "CAST(127 AS TINYINT)",
        "true": "TRUE",
        "2020-01-02": "DATE '2020-01-02'",
        "2020-01-02 03:04:05.5": "CAST('2020-01-02 03:04:05.500' AS TIMESTAMP_NTZ)",
    }
    for text, value in values.items():
        expected = f"{Decimal(text):.12f}" if text in tiny else text
        engine = Spark(spark.sql(f"SELECT {value} AS item"))
        assert engine.tally(Long(Named("item", (expected, "other"))), None, "").tolist() == [[1, 0]]
        duck = value.replace("TIMESTAMP_NTZ", "TIMESTAMP")
        assert DuckDB(duckdb.sql(f"SELECT {duck} AS item")).tally(
            Long(Named("item", (expected,))), None, ""
        ).tolist() == [[1]]


def test_numbers_in_text_are_read_as_duckdb_reads_them(spark: Any) -> None:
    """What says a number says the same one in both engines; what says none drops."""
    said = [
        " 1 ",
        "1e3",
        "1_000",
        "_1",
        "1_",
        "0x10",
        ".5",
        "5.",
        "+5",
        "inf",
        "-inf",
        "nan",
        "1d",
        "1f",
        "1,0",
        "",
        "--1",
    ]
    said += ["1e400", "-0", "12e-1", "\t1", "1 2", "1e", "true", "0.0000000004", "99999999999999999999", "1L", "1.0D"]
    rows = [{"n": str(place), "x": text} for place, text in enumerate(said)]
    held = spark.createDataFrame([tuple(row.values()) for row in rows], "n STRING, x STRING")
    asks: list[Ask] = [
        Long(Cells("x", Fraction(-2), Fraction(1, 4), 4000), by=Named("n", tuple(row["n"] for row in rows))),
        Long(Named("n", tuple(row["n"] for row in rows)), amount=Amount("x", -3, 2000, Fraction(1, 2))),
        Wide((Fails("x", ">=", Fraction(1), "n"), Fails("x", "==", "1_000", "n"))),
    ]
    for ask in asks:
        assert Spark(held).tally(ask, None, "").tolist() == DuckDB(pl.DataFrame(rows)).tally(ask, None, "").tolist()


@pytest.mark.parametrize("name", ["x`; DROP TABLE people", 'x"y', "a.b", "c0", "item", "é", "{0}", " "])
def test_a_column_is_only_a_name(spark: Any, name: str) -> None:
    """A column may be called anything, since no name is ever in a query."""
    held = spark.createDataFrame([("zoo", 1), ("zoo", 2)], ["first", "second"]).toDF(name, "who")
    assert Spark(held).tally(Long(Named(name, ("zoo",))), "who", "").tolist() == [[2]]


def test_columns_that_do_not_fit_are_refused(spark: Any) -> None:
    """Missing and doubled columns, and types without one text, are refused by their names and types alone."""
    held = spark.sql("SELECT 1.5D AS half, current_timestamp() AS moment, map(1, 2) AS pairs, 'zoo' AS item")
    for column in ("half", "moment", "pairs"):
        with pytest.raises(DataError, match="write it as text"):
            Spark(held).check(Long(Named(column, ("a",))), None)
    with pytest.raises(DataError, match="wanted one of half, moment, pairs, item; got 'trip'"):
        Spark(held).check(None, "trip")
    with pytest.raises(DataError, match="twice"):
        discreet.open(held.select("item", "item"))
    for words in ({"table": "plays"}, {"memory": "4GB"}):
        with pytest.raises(SettingError, match="session of its own"):
            discreet.open(held, **words)


def test_a_failure_shows_no_row(spark: Any) -> None:
    """Spark itself would quote the value it cannot read; here it is not even hidden behind the refusal."""
    spark.conf.set("spark.sql.ansi.enabled", "true")
    planted = spark.createDataFrame([("zebra77",)], "item STRING").selectExpr("item", "CAST(item AS INT) AS who")
    with pytest.raises(Exception, match="zebra77"):
        planted.collect()
    with pytest.raises(DataError, match="driver's own log") as caught:
        Spark(planted).tally(Long(Named("item", ("a",))), "who", "")
    assert caught.value.__context__ is None


def queries_of(session: Any, run: Callable[[], Any]) -> list[str]:
    """The texts that are sent to Spark meanwhile."""
    sent: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        asked = session.sql

        def sql(_: Any, text: str) -> Any:
            sent.append(text)
            return asked(text)

        patch.setattr(type(session), "sql", sql)
        run()
    return sent


def test_a_question_is_answered_as_on_duckdb(spark: Any, tmp_path: Path) -> None:
    """With one ledger's key, both engines give a question the same counts, and groups come from one aggregate."""
    rows = [
        {"pupil": f"p{n % 400}", "trip": ("zoo", "lake")[n % 5 == 0], "school": ("a", "b")[n % 3 == 0]}
        for n in range(900)
    ]
    held = spark.createDataFrame([tuple(row.values()) for row in rows], "pupil STRING, trip STRING, school STRING")
    question = discreet.Winner("trip", among=["zoo", "lake"], by="school", groups=["a", "b"])
    with Ledger(tmp_path / "budget.db", Budget(epsilon=10, per="pupil")) as ledger:
        table = discreet.open(held, unit="pupil", ledger=ledger)
        answer = table.ask(question, epsilon=5)
        assert {group: one.winner for group, one in answer.groups.items()} == {"a": "zoo", "b": "zoo"}
        key = ledger.key().hex()
        counts = [
            engine.tally(question.ask(), "pupil", key).tolist() for engine in (Spark(held), DuckDB(pl.DataFrame(rows)))
        ]
        assert counts[0] == counts[1]
        assert len(queries_of(spark, lambda: Spark(held).tally(question.ask(), "pupil", key))) == 1
        assert ledger.remaining.epsilon == 5
    median = discreet.open(spark.range(1001), unit="id").ask(discreet.Median("id", bounds=(0, 1000)), epsilon=50)
    assert median.value in range(495, 506)


def test_a_table_of_the_session_is_opened_by_name(spark: Any, tmp_path: Path) -> None:
    """``spark://plays`` names a table, in Python, in a declaration and on the command line."""
    spark.createDataFrame([(n, "zoo") for n in range(90)], "who INT, trip STRING").createOrReplaceTempView("plays")
    assert discreet.open("spark://plays", unit="who").columns == ("who", "trip")
    file = tmp_path / "discreet.toml"
    file.write_text('[datasets.plays]\nsource = "spark://plays"\nunit = "who"\n', encoding="utf-8")
    assert (
        discreet.dataset("plays", file).open().ask(discreet.Winner("trip", among=["zoo", "lake"]), epsilon=1).winner
        == "zoo"
    )
    asked = ("--column", "trip", "--among", "zoo,lake", "--epsilon", "1", "--json")
    for words in (("spark://plays", "--unit", "who"), ("plays", "--config", str(file))):
        told = run("winner", *words, *asked)
        assert (told.exit_code, json.loads(told.stdout)["winner"]) == (0, "zoo")
        told = run("plan", "winner", *words, *asked)
        assert (told.exit_code, "winner" in json.loads(told.stdout)) == (0, False)
    told = run("winner", "spark://nowhere", *asked)
    assert (told.exit_code, "wanted a table that Spark has: nowhere" in told.stderr) == (4, True)
    with pytest.raises(DataError, match="wanted a table that Spark has: nowhere"):
        discreet.open("spark://nowhere")
    with pytest.raises(SettingError, match="the name of a table"):
        discreet.open("spark://host:7077")
