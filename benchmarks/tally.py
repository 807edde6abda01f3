"""What bounding each person's share costs: ``python -m benchmarks.tally [--rows 1e7] [--rounds 5] [--memory 1GB]``.

Ratios of times, measured in turn in one process. *Plain* is the bare GROUP BY. *Ranked* is the least that any bounded
count must do: take each person's distinct items, number them, keep a few, count; the cheapest order there is.
*Ours* is the tally that a question runs: it also looks every item up among the public candidates, orders a
person's items by a keyed hash, and returns a number for each candidate.
"""

import argparse
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np

from benchmarks.timing import Timing, side_by_side
from discreet.engines.duckdb import DuckDB
from discreet.questions import TopK
from discreet.questions.settle import settle
from discreet.sampling.coins import SystemCoins

AT_MOST = 3
PLAIN = "SELECT item, COUNT(*) FROM {rows} GROUP BY item"
RANKED = (
    "SELECT item, COUNT(*) FROM (SELECT item, ROW_NUMBER() OVER (PARTITION BY person ORDER BY item) AS turn "
    "FROM (SELECT DISTINCT person, item FROM {rows}) AS pairs) AS turns WHERE turn <= {at_most} GROUP BY item"
)


def main() -> None:
    """Run the command line."""
    options = _options()
    rows = int(options.rows)
    people, items = max(1, rows // 10), max(1, rows // 100)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "plays.parquet"
        write(file, rows, people, items)
        question = TopK("item", 10, [f"item-{n:06d}" for n in range(items)], at_most=AT_MOST)
        engine, key = DuckDB(file), secrets.token_hex(16)
        tasks: dict[str, Callable[[], object]] = {
            "plain": lambda: _run(PLAIN, file),
            "ranked": lambda: _run(RANKED, file),
            "ours": lambda: engine.tally(question.ask(), "person", key),
        }
        counts = engine.tally(question.ask(), "person", key)
        settled = settle(question, "add-remove", {"epsilon": 1})
        tasks["selection"] = lambda: settled.drawn(question, counts, SystemCoins())
        times = side_by_side(tasks, options.rounds, budget=600, sample=0)
        limited = DuckDB(file, memory=options.memory).tally(question.ask(), "person", key)
        assert np.array_equal(limited, counts)
        size = file.stat().st_size / 2**20
        print(f"{rows:.0e} rows ({size:.0f} MiB of Parquet), {people:.0e} people, {items:.0e} items")
        print(table(times))
        print(f"The same counts came within a memory limit of {options.memory}.")


def write(file: Path, rows: int, people: int, items: int) -> None:
    """Write made-up plays: people and items named by text, some items far more often than others."""
    chance = "(hash(i + 1) / 18446744073709551616.0)"
    query = (
        f"SELECT printf('person-%07d', (hash(i) % {people})::INTEGER) AS person, "  # noqa: S608 - numbers
        f"printf('item-%06d', LEAST({items - 1}, floor({items} * {chance} * {chance}))::INTEGER) AS item "
        f"FROM range({rows}) AS r(i)"
    )
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"COPY ({query}) TO '{file}' (FORMAT parquet)")


def table(times: Mapping[str, Timing]) -> str:
    """Return the ratios as Markdown: the median of the rounds, and the ends of their middle half.

    >>> print(table({name: Timing((1.0,)) for name in ("plain", "ranked", "ours", "selection")}).splitlines()[-1])
    | selection / ours | 1 | 1 to 1 | 0.01 |
    """
    lines = ["| ratio | median | middle half | wanted at most |", "| --- | --- | --- | --- |"]
    for above, below, wanted in (("ours", "plain", ""), ("ours", "ranked", "1.5"), ("selection", "ours", "0.01")):
        ratio = times[above].over(times[below])
        low, high = ratio.quartiles()
        lines.append(f"| {above} / {below} | {ratio.median:.2g} | {low:.2g} to {high:.2g} | {wanted} |")
    return "\n".join(lines)


def _run(text: str, file: Path) -> None:
    with TemporaryDirectory() as folder, duckdb.connect(":memory:", config={"temp_directory": folder}) as connection:
        connection.execute("SET preserve_insertion_order = false")
        connection.execute(text.format(rows=f"read_parquet('{file}')", at_most=AT_MOST)).fetchall()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tally", description="What bounding each person costs.")
    parser.add_argument(
        "--rows", type=float, default=1e7, help="rows; a tenth as many people, a hundredth as many items"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", default="1GB", help="the memory limit of one more run, such as 1GB")
    return parser.parse_args()


if __name__ == "__main__":
    main()
