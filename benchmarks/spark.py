"""What Spark costs: ``python -m benchmarks.spark [--rows 1e7] [--candidates 1e8] [--rounds 3]``, on two local threads.

Ratios of times, measured in turn in one session. *Plain* is the bare GROUP BY of the rows; *ranked* is the least any
bounded count must do: distinct pairs, numbered for each person, a few kept, counted. *Max* is ``agg(max(score))`` over
generated candidates; *selection* draws one of them where they are: once where the winner has few ties, and once at an
epsilon so small that nearly every winner is one of very many. What reached the driver is read off an event log.
"""

import argparse
import json
import secrets
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.tally import AT_MOST, RANKED, write
from benchmarks.timing import Timing, side_by_side
from discreet.engines.ask import Long, Named
from discreet.engines.duckdb import DuckDB
from discreet.engines.spark import Spark
from discreet.selection.in_place import select_in_place

SCORE = "CAST(FLOOR(POW(PMOD(XXHASH64(id), 1000003) / 1000003.0D, 8) * {levels}) AS BIGINT)"


def main() -> None:
    """Run the command line."""
    options = _options()
    warnings.simplefilter("ignore")
    with TemporaryDirectory() as folder:
        if options.rows:
            _rows(int(options.rows), options.rounds, Path(folder))
        if options.candidates:
            _candidates(int(options.candidates), options.rounds, options.levels)
            _moved(int(options.candidates), options.levels, Path(folder))


def session(log: Path | None = None) -> Any:
    """Start Spark, with an event log if one is wanted."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - not before warnings are off

    builder: Any = SparkSession.builder
    builder = builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "4g")
    builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.sql.shuffle.partitions", "8")
    if log is not None:
        builder = builder.config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", str(log))
        builder = builder.config("spark.eventLog.compress", "false")
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def _rows(rows: int, rounds: int, folder: Path) -> None:
    people, items, file = max(1, rows // 10), max(1, rows // 100), folder / "plays.parquet"
    write(file, rows, people, items)
    spark = session()
    table = spark.read.parquet(str(file))
    table.createOrReplaceTempView("plays")
    ask, key = Long(Named("item", tuple(f"item-{n:06d}" for n in range(items))), at_most=AT_MOST), secrets.token_hex(16)
    counts = Spark(table).tally(ask, "person", key)
    assert counts.tolist() == DuckDB(file).tally(ask, "person", key).tolist()
    tasks: dict[str, Any] = {
        "plain": lambda: spark.sql("SELECT item, COUNT(*) FROM plays GROUP BY item").collect(),
        "ranked": lambda: spark.sql(RANKED.format(rows="plays", at_most=AT_MOST)).collect(),
        "tally": lambda: Spark(table).tally(ask, "person", key),
    }
    print(f"{rows:.0e} rows, {people:.0e} people, {items:.0e} public items, at most {AT_MOST} each: DuckDB's counts")
    _show(side_by_side(tasks, rounds, budget=300, sample=0), [("tally", "plain"), ("tally", "ranked")])
    spark.stop()
    log = folder / "tally"
    log.mkdir()
    spark = session(log)
    Spark(spark.read.parquet(str(file))).tally(ask, "person", key)
    spark.stop()
    _told("tally", log)


def _candidates(candidates: int, rounds: int, levels: int) -> None:
    spark = session()
    table = generated(spark, candidates, levels)
    tasks: dict[str, Any] = {
        "max": lambda: table.selectExpr("MAX(score)").collect(),
        "selection": lambda: select_in_place(table, "id", "score", epsilon=1, scores="counts"),
        "selection, many ties": lambda: select_in_place(table, "id", "score", epsilon="0.0001", scores="counts"),
    }
    print(f"{candidates:.0e} generated candidates, {levels} levels, not cached")
    _show(side_by_side(tasks, rounds, budget=300, sample=0), [("selection", "max"), ("selection, many ties", "max")])
    spark.stop()


def _moved(candidates: int, levels: int, folder: Path) -> None:
    """Say how many bytes of task results reached the driver in one selection."""
    for name, epsilon in (("selection", "1"), ("selection, many ties", "0.0001")):
        log = folder / name
        log.mkdir()
        spark = session(log)
        select_in_place(generated(spark, candidates, levels), "id", "score", epsilon=epsilon, scores="counts")
        spark.stop()
        _told(name, log)


def moved(log: Path) -> tuple[int, int, int]:
    """Return the bytes of task results, the bytes written for shuffles, and the tasks, of an event log."""
    lines = [line for path in log.rglob("*") if path.is_file() for line in path.read_text().splitlines()]
    events = [json.loads(line) for line in lines if "SparkListenerTaskEnd" in line]
    metrics = [event["Task Metrics"] for event in events if event["Event"] == "SparkListenerTaskEnd"]
    shuffled = sum(metric["Shuffle Write Metrics"]["Shuffle Bytes Written"] for metric in metrics)
    return sum(metric["Result Size"] for metric in metrics), shuffled, len(metrics)


def generated(spark: Any, candidates: int, levels: int) -> Any:
    """Return candidates with a score made from their number."""
    return spark.range(candidates).selectExpr("id", f"{SCORE.format(levels=levels)} AS score")


def _told(name: str, log: Path) -> None:
    results, shuffled, tasks = moved(log)
    print(f"{name}: {tasks} tasks, {results / 1000:.0f} kB to the driver, {shuffled / 1000:.0f} kB shuffled")


def _show(times: dict[str, Timing], pairs: list[tuple[str, str]]) -> None:
    for name, timing in times.items():
        print(f"  {name}: {timing.median:.2f} s")
    for above, below in pairs:
        ratio = times[above].over(times[below])
        low, high = ratio.quartiles()
        print(f"  {above} / {below}: {ratio.median:.2f} ({low:.2f} to {high:.2f})")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description="What Spark costs.")
    parser.add_argument("--rows", type=float, default=1e7, help="rows to count; 0 leaves this out")
    parser.add_argument("--candidates", type=float, default=1e8, help="candidates to select among; 0 leaves this out")
    parser.add_argument("--levels", type=int, default=1500, help="how many different scores they have")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
