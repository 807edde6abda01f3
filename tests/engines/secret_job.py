"""A job of its own process: asks Spark with a known key and scores, and writes an event log where it is told."""

import json
import sys
import warnings
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")

from pyspark.sql import SparkSession  # noqa: E402

from discreet.engines import members  # noqa: E402
from discreet.engines.ask import Long, Named, Unlisted  # noqa: E402
from discreet.engines.spark import Spark  # noqa: E402
from discreet.sampling.coins import SystemCoins  # noqa: E402
from discreet.selection.in_place import select_in_place  # noqa: E402
from tests.engines.conftest import PLAIN  # noqa: E402

KEY = "c0ffee17c0ffee17c0ffee17c0ffee17"
SCORES = (918273645, 564738291, 192837465)


class Noted(SystemCoins):
    """Coins that note what they said, where it is long enough to be found again."""

    def __init__(self) -> None:
        self.said: list[int] = []

    def bits(self, count: int) -> int:
        """Return and note a number."""
        self.said.append(super().bits(count))
        return self.said[-1]


def session(folder: Path) -> Any:
    """Start Spark with an event log."""
    folder.mkdir()
    builder: Any = SparkSession.builder
    builder = (
        builder.master("local[2]").config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", str(folder))
    )
    for name, value in (PLAIN | {"spark.eventLog.compress": "false"}).items():
        builder = builder.config(name, value)
    spark: Any = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def people(spark: Any) -> Any:
    """A table of both kinds: rows of people, and scores."""
    rows = [(f"person-{n % 20}", f"item-{n % 3}", SCORES[n % 3]) for n in range(60)]
    return spark.createDataFrame(rows, "who STRING, item STRING, score BIGINT")


def main(folder: Path) -> None:
    """Run our job; then one that puts key and score into a query, as one must not."""
    spark = session(folder / "ours")
    frame, coins = people(spark), Noted()
    Spark(frame).tally(Long(Named("item", ("item-0", "item-1", "item-2"))), "who", KEY)
    Spark(frame).tally(Unlisted("item", 1, 2), "who", KEY)
    for mechanism in ("permute-and-flip", "exponential"):
        words: Any = {"epsilon": 1, "scores": "counts", "mechanism": mechanism, "k": 2}
        select_in_place(frame, "item", "score", coins=coins, **words)
    members.MOST_FETCHED, members.LIKELY = 1, 1  # so that a level of twenty is cut into parts and shards
    select_in_place(frame, "item", "score", coins=coins, epsilon=1, scores="counts")
    spark.stop()
    spark = session(folder / "naive")
    people(spark).selectExpr("score", f"md5(concat('{KEY}', who))").where(f"score = {SCORES[0]}").collect()
    spark.stop()
    print(json.dumps([str(number) for number in coins.said if number > 2**40]))  # noqa: T201 - what the test reads


if __name__ == "__main__":
    main(Path(sys.argv[1]))
