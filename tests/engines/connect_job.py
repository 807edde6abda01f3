"""A job of its own process: the same questions through Spark Connect, where the client has no JVM to hold on to."""

import sys
import warnings
from typing import Any

warnings.simplefilter("ignore")

from pyspark.sql import SparkSession  # noqa: E402

import discreet  # noqa: E402
from discreet.engines.spark import Spark  # noqa: E402
from discreet.testing.engines import by_loop, listed  # noqa: E402
from tests.engines.conftest import PLAIN  # noqa: E402
from tests.engines.secret_job import KEY, people  # noqa: E402
from tests.engines.sparks import many_rows, spark_frame  # noqa: E402
from tests.engines.test_tally import ASKS  # noqa: E402

PLANTED = "naive-17-planted"


def main(folder: str) -> None:
    """Compare with the loop, select in place, open a table by its name; write an event log of it all."""
    builder: Any = SparkSession.builder
    builder = builder.remote("local[2]")
    logged = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": folder, "spark.eventLog.compress": "false"}
    for name, value in (PLAIN | logged).items():
        builder = builder.config(name, value)
    spark: Any = builder.getOrCreate()
    rows = many_rows(60, seed=3)
    frame = spark_frame(spark, rows)
    assert type(frame).__module__ == "pyspark.sql.connect.dataframe"
    for ask in (ASKS[7], ASKS[14]):  # a capped sum in groups, and what nobody lists
        rows_alike = [row for row in rows if row["x"] is None or row["x"] == row["x"]]
        found = Spark(spark_frame(spark, rows_alike)).tally(ask, "who", KEY)
        assert listed(found) == listed(by_loop(rows_alike, ask, "who", KEY)), ask
    frame.createOrReplaceTempView("people")
    asked = discreet.open("spark://people", unit="who").ask(discreet.Winner("item", among=["zoo", "Zoo"]), epsilon=1)
    scored = spark.range(1000).selectExpr("id", "CASE WHEN id = 77 THEN 500 ELSE id % 7 END AS score")
    best = discreet.select_in_place(scored, "id", "score", epsilon=1, scores="counts").winner
    few = discreet.select_in_place(scored, "id", "score", k=3, epsilon="0.01", scores="counts").winners
    discreet.select_in_place(people(spark), "item", "score", k=2, epsilon=1, scores="counts")
    spark.sql(f"SELECT '{PLANTED}'").collect()
    print(asked.winner in {"zoo", "Zoo"}, best, len(few))  # noqa: T201 - what the test reads
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
