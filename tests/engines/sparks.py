"""Rows for Spark, and engines that remember what they were asked."""

import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from discreet.balls import Ball, at
from discreet.engines import in_place, members
from discreet.engines.in_place import Small
from discreet.engines.sql import Quote
from discreet.sampling.column import Column
from discreet.selection.in_place import select_in_place
from discreet.testing import exact_law
from discreet.testing.engines import Rows
from tests.engines.test_tally import AMONG, SCHEMA
from tests.sampling.forks import large_forks

MARKS = [
    pytest.mark.xdist_group("spark"),  # one process starts it, and not each
    pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
TINY = [
    (in_place, "MOST_LEVELS", 1),
    (in_place, "PIECE", 1),
    (members, "MOST_FETCHED", 1),
    (members, "LIKELY", 1),
    (members, "MOST_SHARDS", 2),
]
"""Limits so small that six candidates need buckets, pieces and shards."""
DDL = "who STRING, id BIGINT, item STRING, `group` STRING, x DOUBLE, d DECIMAL(20, 4), yes BOOLEAN, mark STRING"


def spark_frame(session: Any, rows: Rows, partitions: int = 2) -> Any:
    """The rows as a DataFrame of so many partitions."""
    given = [tuple(row[name] for name in SCHEMA) for row in rows]
    return session.createDataFrame(given, DDL).repartition(partitions)


def many_rows(count: int, seed: int) -> list[dict[str, Any]]:
    """Rows of about count / 4 people, with nulls, unicode, duplicates and numbers out of reach."""
    pick = random.Random(seed)  # noqa: S311 - made-up rows
    people = [None, "", "é", "o'hara", *(f"p{n}" for n in range(count // 4))]
    numbers = [None, 1e300, -1e300, float("nan"), *(n / 8 for n in range(-40, 40))]
    decimals = [None, *(Decimal(n).scaleb(-4) for n in range(-30_000, 80_000, 777))]
    rows = [
        {
            "who": pick.choice(people),
            "id": pick.choice([None, *range(-2, count // 5)]),
            "item": pick.choice([*AMONG, "nobody", "", None]),
            "group": pick.choice(["north", "south", "east", None]),
            "x": pick.choice(numbers),
            "d": pick.choice(decimals),
            "yes": pick.choice([None, True, False]),
            "mark": pick.choice(["yes", "No", "true", "T", "1", "0", "", None]),
        }
        for _ in range(count)
    ]
    return rows + rows[: count // 10]


def check_law(engine: Any, scores: list[int], mechanism: str, oracle: Callable[..., Any], runs: int) -> None:
    """Walked coin by coin, each of n0, n1, ... has the chance it has in a plain list; at a rate 10 % off it has not."""
    remembering, rate = Remembering(engine), Fraction(3, 4)
    words: Any = {"epsilon": rate, "range": 1, "mechanism": mechanism}
    with large_forks():
        found = exact_law(
            lambda coins: select_in_place(remembering, "item", "score", coins=coins, **words).winner,
            leftover="1e-2",
            runs=runs,
        )

    def listed(rate: Fraction) -> dict[Any, Ball]:
        return {f"n{place}": chance for place, chance in enumerate(oracle(Column.of(scores), rate))}

    assert found.contains(at(128, lambda: listed(rate)))
    assert not found.contains(at(128, lambda: listed(rate * Fraction(9, 10))))


class Remembering:
    """An engine whose queries run once; asked again, it gives the answer it has. So a law can be walked."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        self.asked: dict[str, list[tuple[Any, ...]]] = {}
        self.checked: set[str] = set()

    def columns(self) -> Any:
        """Return the engine's columns."""
        return self.engine.columns()

    def check(self, ask: Any, unit: str | None) -> None:
        """Let the engine refuse what does not fit, once."""
        if repr((ask, unit)) not in self.checked:
            self.engine.check(ask, unit)
            self.checked.add(repr((ask, unit)))

    def shard(self, column: str, count: str) -> str:
        """Write the engine's own shard."""
        return str(self.engine.shard(column, count))

    def query(self, columns: Callable[[Quote], str], text: str, tables: Small, name: str) -> list[tuple[Any, ...]]:
        """Run a query that was not run before."""
        key = repr((text, sorted(tables.items())))
        if key not in self.asked:
            self.asked[key] = self.engine.query(columns, text, tables, name)
        return self.asked[key]

    def tally(self) -> None:
        """Be an engine."""
