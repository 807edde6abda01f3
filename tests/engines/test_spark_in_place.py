"""Selection on Spark where the candidates are: the law, the retries, and what can be read of it elsewhere."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from discreet.engines.ask import Long, Named
from discreet.engines.duckdb import DuckDB
from discreet.engines.spark import Spark
from discreet.errors import BudgetError, GuardError
from discreet.ledger import Budget, Ledger
from discreet.mechanisms.limited_domain import LimitedDomain
from discreet.sampling import laws
from discreet.sampling.coins import SystemCoins
from discreet.selection.in_place import select_in_place, shortlist_in_place
from discreet.testing.fit import fits
from tests.engines.connect_job import PLANTED
from tests.engines.secret_job import KEY, SCORES
from tests.engines.sparks import MARKS, TINY, Remembering, check_law, many_rows, spark_frame
from tests.engines.test_tally import frame
from tests.house.tree import ROOT
from tests.sampling.alarms import ALARMS

pytestmark = MARKS
FEW = [3, 1, 3, 0]


class Recording(SystemCoins):
    """Coins that keep what they said."""

    def __init__(self) -> None:
        self.said: list[int] = []

    def bits(self, count: int) -> int:
        """Say a number below 2**count."""
        return self.below(1 << count)

    def below(self, bound: int) -> int:
        """Say a number below a bound."""
        self.said.append(SystemCoins().below(bound))
        return self.said[-1]


class Replaying(SystemCoins):
    """Coins that say it again."""

    def __init__(self, said: list[int]) -> None:
        self.said = list(said)

    def bits(self, count: int) -> int:
        """Say the next number."""
        return self.below(1 << count)

    def below(self, bound: int) -> int:
        """Say the next number, if it fits."""
        assert 0 <= self.said[0] < bound
        return self.said.pop(0)


def scored(spark: Any, scores: list[int]) -> Any:
    """A table of candidates."""
    return spark.createDataFrame([(f"n{place}", score) for place, score in enumerate(scores)], "item STRING, score INT")


@pytest.mark.parametrize(
    ("mechanism", "oracle", "limits"),
    [("permute-and-flip", laws.permute_and_flip, []), ("exponential", laws.exponential, TINY)],
    ids=["levels", "buckets"],
)
def test_the_law_is_that_of_the_list(
    spark: Any, mechanism: str, oracle: Any, limits: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Walked coin by coin through Spark's own answers, each candidate has its chance; a rate 10 % off has not."""
    for limit in limits:
        monkeypatch.setattr(*limit)
    check_law(Spark(scored(spark, FEW)), FEW, mechanism, oracle, runs=900)


def test_samples_fit_over_many_candidates(spark: Any) -> None:
    """Of 40,000 candidates in seven levels, the level of the winner has its law, and a rate 10 % off has not."""
    held = spark.range(40_000).selectExpr("id AS item", "id % 7 AS score")
    engine, coins, counts = Remembering(Spark(held)), SystemCoins(), [0] * 7
    for _ in range(1500):
        made = select_in_place(
            engine, "item", "score", coins=coins, epsilon=1, scores="counts", mechanism="exponential"
        )
        assert isinstance(made.winner, int)
        counts[made.winner % 7] += 1
    sizes = [len(range(first, 40_000, 7)) for first in range(7)]
    right, wrong = ([n * 2.718281828459045 ** (rate * s) for s, n in enumerate(sizes)] for rate in (1.0, 0.9))
    assert fits(counts, [w / sum(right) for w in right], ALARMS["in place"])
    assert not fits([20 * n for n in counts], [w / sum(wrong) for w in wrong], ALARMS["in place"])


def test_a_task_that_fails_changes_nothing(spark: Any, tmp_path: Path) -> None:
    """Tasks are killed at their first attempt; the same coins then give the same winners, and counts stay the same."""
    from pyspark import TaskContext  # noqa: PLC0415
    from pyspark.sql.functions import udf  # noqa: PLC0415

    folder = str(tmp_path)

    def once(item: str) -> str:
        context: Any = TaskContext.get()
        if context.attemptNumber() == 0 and context.partitionId() == 1:
            with open(f"{folder}/{context.taskAttemptId()}", "w"):  # noqa: PTH123 - on an executor
                os._exit(1)
        return item

    rows = [(f"p{n % 50}", f"n{n}", n % 11) for n in range(300)]
    calm = spark.createDataFrame(rows, "who STRING, item STRING, score INT").repartition(3).cache()
    shaken = calm.withColumn("item", udf(once, "string", useArrow=False)("item"))
    ask = Long(Named("item", tuple(f"n{n}" for n in range(300))), at_most=2)
    assert Spark(shaken).tally(ask, "who", "5eed").tolist() == Spark(calm).tally(ask, "who", "5eed").tolist()
    killed = len(list(tmp_path.iterdir()))
    coins = Recording()
    winners = select_in_place(calm, "item", "score", k=2, epsilon=1, scores="counts", coins=coins).winners
    again = Replaying(coins.said)
    assert select_in_place(shaken, "item", "score", k=2, epsilon=1, scores="counts", coins=again).winners == winners
    assert not again.said
    assert 0 < killed < len(list(tmp_path.iterdir()))


def test_a_ledger_is_charged_once(spark: Any, tmp_path: Path) -> None:
    """Asked again under its name, a selection on Spark comes out of the ledger, and Spark is not asked."""
    held = spark.range(40_000).selectExpr("DATE_ADD(DATE '2020-01-01', CAST(id AS INT)) AS item", "id % 7 AS score")
    words: Any = {"epsilon": 1, "scores": "counts", "per": "reader", "request": "may", "k": 2}
    with Ledger(tmp_path / "budget.db", Budget(epsilon=1, per="reader")) as ledger:
        first = select_in_place(held, "item", "score", ledger=ledger, **words)
        engine = Remembering(Spark(held))
        assert select_in_place(engine, "item", "score", ledger=ledger, **words) == first
        assert ledger.remaining.epsilon == 0
        with pytest.raises(BudgetError):
            select_in_place(engine, "item", "score", ledger=ledger, **words | {"request": "june"})
        assert not engine.asked


def test_a_table_that_is_another_each_time_is_noticed(spark: Any) -> None:
    """Scores that are others at each look are not those that were counted, and nothing is released."""
    moving = spark.range(50).selectExpr("id", "unix_micros(current_timestamp()) + id AS score")
    with pytest.raises(GuardError, match="changed between two looks"):
        select_in_place(moving, "id", "score", epsilon=1, scores="counts")


def test_the_greatest_counts_are_those_of_duckdb(spark: Any) -> None:
    """Without a list of items, the same few counts leave either engine."""
    rows = many_rows(2000, seed=9)
    plan = LimitedDomain(Fraction(1), 2, Fraction(1, 100), at_most=2, depth=5)
    found = [shortlist_in_place(plan, table, "id").counts for table in (spark_frame(spark, rows), DuckDB(frame(rows)))]
    assert found[0] == found[1]
    whole = [shortlist_in_place(plan, table, "item") for table in (spark_frame(spark, rows), DuckDB(frame(rows)))]
    assert (whole[0].items, whole[0].next) == (whole[1].items, whole[1].next)


def test_no_plan_and_no_log_holds_a_secret(java: str, tmp_path: Path) -> None:
    """The key, the scores and the coins of a job are in no event of Spark; put into a query, they would be."""
    del java
    said = json.loads(_job("tests.engines.secret_job", str(tmp_path)).splitlines()[-1])
    assert said
    for word, expected in (("ours", []), ("naive", [KEY, str(SCORES[0])])):
        log = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / word).rglob("*") if path.is_file())
        assert "SparkListenerSQLExecutionStart" in log
        assert [secret for secret in (KEY, *map(str, SCORES), *said) if secret in log] == expected


def test_connect_answers_as_well(java: str, tmp_path: Path) -> None:
    """Through Spark Connect: the loop's counts, a table by its name, selection in place, and a log without secrets."""
    del java
    for package in ("grpc", "google.protobuf", "pyarrow", "zstandard"):
        pytest.importorskip(package)
    assert _job("tests.engines.connect_job", str(tmp_path)).split()[-3:] == ["True", "77", "3"]
    log = "".join(path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file())
    assert PLANTED in log
    assert [secret for secret in (KEY, *map(str, SCORES)) if secret in log] == []


def test_a_standalone_cluster_answers_as_well(java: str, tmp_path: Path) -> None:
    """With master, worker, executor and driver in processes of their own, the same questions get their answers."""
    del java
    with ExitStack() as running:
        master = running.enter_context(_daemon("master.Master", tmp_path / "master", "--port", "0"))
        address = _said(master, tmp_path / "master", r"Starting Spark master at (spark://\S+)")
        words = ("--cores", "2", "--memory", "1g", "--work-dir", str(tmp_path / "work"), address)
        worker = running.enter_context(_daemon("worker.Worker", tmp_path / "worker", *words))
        _said(worker, tmp_path / "worker", r"(Successfully registered) with master")
        assert _job("tests.engines.standalone_job", address).split()[-3:] == ["77", "True", "tea"]


@contextmanager
def _daemon(name: str, log: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A part of a cluster, in a process group of its own that ends with the block."""
    home = find_spec("pyspark")
    assert home is not None
    assert home.origin is not None
    folder = Path(home.origin).parent
    env = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK", "PYSPARK"))}
    env |= {"SPARK_HOME": str(folder), "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [str(folder / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1"]
    with log.open("wb") as out:
        running = subprocess.Popen(
            [*command, "--webui-port", "0", *words], stdout=out, stderr=out, env=env, start_new_session=True
        )
    try:
        yield running
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGTERM)
        running.wait(60)


def _said(process: subprocess.Popen[bytes], log: Path, wanted: str) -> str:
    """Wait until a process has said something; a process that has ended never will."""
    while process.poll() is None:
        if found := re.search(wanted, log.read_text(encoding="utf-8")):
            return found[1]
        time.sleep(0.1)
    raise AssertionError(log.read_text(encoding="utf-8")[-3000:])


def _job(module: str, *words: str) -> str:
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    env = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK", "PYSPARK"))}
    command = [sys.executable, "-m", module, *words]
    done = subprocess.run(
        command, env=env | {"PYTHONPATH": path}, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
