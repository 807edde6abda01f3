"""Eight processes at one budget, under fire: never overspent, no charge lost, none made twice."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.house.tree import ROOT
from tests.ledger.fire import WORKERS, Orders, Verdict
from tests.ledger.server import Server, programs

ROUNDS, KILLS = 4, 20
LONG_ROUNDS = 300


def fire(orders: Orders) -> Verdict:
    """Fight it out in a process of its own, which forks and kills its workers."""
    command = [sys.executable, "-m", "tests.ledger.fire", json.dumps(asdict(orders))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Verdict(**json.loads(done.stdout))


def test_a_budget_holds_under_fire(where: str, folder: Path) -> None:
    """A few rounds, each to the last unit of its budget."""
    verdict = fire(Orders("ledger", where, str(folder / "notes"), ROUNDS, KILLS))
    assert verdict.held, verdict
    assert verdict.kills > ROUNDS
    assert verdict.charges >= ROUNDS * 200 // 7


@pytest.mark.parametrize("kind", ["unlocked", "hasty"])
def test_the_fire_finds_a_wrong_ledger(kind: str, folder: Path) -> None:
    """One that reads and then writes is overspent; one that tells before it writes loses charges."""
    verdict = fire(Orders(kind, str(folder / "wrong"), str(folder / "notes"), 2, KILLS))
    assert not verdict.held
    assert verdict.overspent if kind == "unlocked" else verdict.missing


@contextmanager
def long_lasting(store: str, place: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Give a store, and a folder for notes, in memory or on the disk."""
    with tempfile.TemporaryDirectory(dir=folder if place == "memory" else None) as name:
        if store == "sqlite":
            yield f"{name}/budget.db", f"{name}/notes"
            return
        binaries = programs()
        assert binaries is not None
        server = Server(binaries, None if place == "memory" else tempfile.gettempdir())
        try:
            yield server.fresh(), f"{name}/notes"
        finally:
            server.close()


@pytest.mark.stats
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
@pytest.mark.parametrize("place", ["memory", "disk"])
def test_a_budget_holds_for_hundreds_of_rounds(
    store: str, place: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same, long: on a file system in memory for many kills, and on the disk; then in calm, for the pace."""
    rounds = LONG_ROUNDS if place == "memory" else LONG_ROUNDS // 10
    with long_lasting(store, place, folder) as (where, notes):
        verdict = fire(Orders("ledger", where, notes, rounds, KILLS))
        calm = fire(Orders("ledger", where, f"{notes} calm", 1, 0, "40", dataset="calm"))
    with capsys.disabled():
        pace = calm.charges / calm.seconds
        told = f"{pace:.0f} charges a second, each with its answer, by {WORKERS} processes that nobody kills"
        sys.stdout.write(f"\n{store} in {place}: {told}; under fire: {verdict}\n")
    assert verdict.held, verdict
    assert calm.held, calm
    assert verdict.rounds == rounds
    assert verdict.kills > rounds
