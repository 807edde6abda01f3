"""A job of its own process on a standalone cluster, which it is told the address of: an executor in yet another one."""

import sys
import warnings
from typing import Any

warnings.simplefilter("ignore")

from pyspark.sql import SparkSession  # noqa: E402

import discreet  # noqa: E402
from tests.engines.conftest import PLAIN  # noqa: E402


def main(address: str) -> None:
    """Select in place, through levels and through shards of many ties, and ask a question."""
    builder: Any = SparkSession.builder
    builder = builder.master(address).config("spark.executor.memory", "512m").config("spark.speculation", "true")
    for name, value in PLAIN.items():
        builder = builder.config(name, value)
    spark: Any = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    scored = spark.range(40_000).selectExpr("id", "CASE WHEN id = 77 THEN 900 ELSE id % 2 END AS score")
    best = discreet.select_in_place(scored, "id", "score", epsilon=1, scores="counts").winner
    tied: Any = discreet.select_in_place(scored, "id", "score", epsilon="0.000001", scores="counts").winner
    people = spark.range(900).selectExpr(
        "CONCAT('p', id) AS who", "CASE WHEN id % 9 = 0 THEN 'ink' ELSE 'tea' END AS t"
    )
    asked = discreet.open(people, unit="who").ask(discreet.Winner("t", among=["ink", "tea"]), epsilon=1)
    print(best, tied in range(40_000), asked.winner)  # noqa: T201 - what the test reads
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
