"""One file, one name, one log: a second name is refused, and a maker that is killed halfway leaves none behind."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import LedgerError
from discreet.guarantees import Pure
from discreet.ledger import Budget, Ledger, files
from tests.ledger.doors import in_child

BUDGET = Budget(epsilon=1)
Link = Callable[[Path, Path], None]


def charge(path: Path, amount: str = "0.9", budget: Budget | None = None, request: str | None = None) -> Any:
    """Charge, as a process of its own would."""
    with Ledger(path, budget) as ledger:
        return ledger.charge(Pure(amount), request=request).seq


def left(path: Path) -> str:
    """Only look."""
    with Ledger(path) as ledger:
        return str(ledger.remaining)


@contextmanager
def linking(link: Callable[[Link, Path, Path], None]) -> Iterator[None]:
    """Make ledgers with another ``os.link``, which is given the true one."""
    true = os.link
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "link", lambda source, name: link(true, source, name))
        yield


def overspent(path: Path, second: Path) -> bool:
    """Spend 0.9 of 1 by one name and stay; return whether another process can spend 0.9 by another."""
    Ledger(path, BUDGET).close()
    ready, go = os.pipe()
    child = os.fork()  # before the first opens the file, since a fork closes it
    if not child:
        refused = 1
        try:
            os.read(ready, 1)
            charge(second)
            refused = 0
        finally:
            os._exit(refused)
    with Ledger(path) as ledger:
        ledger.charge(Pure("0.9"))
        second.hardlink_to(path)
        os.write(go, b".")
        _, status = os.waitpid(child, 0)
    os.close(ready)
    os.close(go)
    return status == 0


def test_a_second_name_would_overspend(folder: Path) -> None:
    """Why it is refused: SQLite keeps a log for each name, so each sees the whole budget."""
    assert not overspent(folder / "budget.db", folder / "same.db")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "one_name", lambda *_: None)
        assert overspent(folder / "other.db", folder / "wrong.db")


@pytest.mark.parametrize("second", ["same.db", "elsewhere/budget.db", ".budget.db.mine", ".other.db.0123.new"])
def test_a_second_name_is_refused(folder: Path, second: str) -> None:
    """Whoever has it open, and whoever opens it by either name, until it is gone; nobody's link is taken away."""
    path, other = folder / "budget.db", folder / second
    other.parent.mkdir(exist_ok=True)
    with Ledger(path, BUDGET) as ledger:
        ledger.charge(Pure("0.5"))
        other.hardlink_to(path)
        with pytest.raises(LedgerError, match=r"remove the others, and copy instead of linking; nothing was charged"):
            ledger.charge(Pure("0.1"))
        for name in (path, other):
            kind, text = in_child(partial(left, name))
            assert kind == "LedgerError"
            assert text.startswith(f"{name}: wanted a file with one name, got one with 2 (hard links)")
        other.unlink()
        assert in_child(lambda: charge(path, "0.1")) == 2
        assert ledger.charge(Pure("0.4")).seq == 3
        assert ledger.check() == 3


def test_a_maker_that_is_killed_before_its_link_made_nothing(folder: Path) -> None:
    """What it left is no ledger's name, and the next one makes the ledger."""
    path = folder / "budget.db"
    with linking(lambda *_: os.kill(os.getpid(), signal.SIGKILL)):
        assert in_child(lambda: charge(path, budget=BUDGET)) is None
    assert not path.exists()
    assert charge(path, budget=BUDGET) == 1


@pytest.mark.parametrize("budget", [None, BUDGET])
@pytest.mark.parametrize("name", ["budget.db", "[a]*.db"])
def test_a_maker_that_is_killed_after_its_link_made_a_ledger(folder: Path, name: str, budget: Budget | None) -> None:
    """Its draft is a second name, which whoever opens next takes away; the drafts of others stay."""
    path, working = folder / name, folder / f".{name}.0123456789abcdef.new"
    working.touch()

    def die(link: Link, source: Path, name: Path) -> None:
        link(source, name)
        os.kill(os.getpid(), signal.SIGKILL)

    with linking(die):
        assert in_child(lambda: charge(path, budget=BUDGET)) is None
    assert path.stat().st_nlink == 2
    assert in_child(lambda: charge(path, budget=budget)) == 1
    assert sorted(folder.iterdir()) == sorted([path, working])
    with Ledger(path) as ledger:
        assert not ledger.admits(Pure("0.2"))
        assert ledger.check() == 1


def test_nobody_waits_for_a_maker_that_sleeps(folder: Path) -> None:
    """Between its link and the end of its draft others open and charge; it goes on, and there is one budget."""
    path = folder / "budget.db"
    (linked, tell), (wait, wake) = os.pipe(), os.pipe()

    def sleep(link: Link, source: Path, name: Path) -> None:
        link(source, name)
        os.write(tell, b".")
        os.read(wait, 1)

    def meanwhile() -> Any:
        os.read(linked, 1)
        try:
            return charge(path), path.stat().st_nlink
        finally:
            os.write(wake, b".")

    child = os.fork()
    if not child:
        with linking(sleep):
            charge(path, "0.1", BUDGET, "the maker's")
        os._exit(0)
    assert in_child(meanwhile) == (1, 1)
    assert os.waitpid(child, 0)[1] == 0
    for end in (linked, tell, wait, wake):
        os.close(end)
    with Ledger(path) as ledger:
        assert [entry.request for entry in ledger.history()][1:] == ["the maker's"]
        assert ledger.remaining.epsilon == 0
        assert ledger.check() == 2


def test_many_processes_may_make_it_at_once(folder: Path) -> None:
    """Each charges in the ledger that one of them made, and no draft is left."""
    makers = 8
    for number in range(5):
        path = folder / f"budget {number}.db"
        (ready, go), children = os.pipe(), list[int]()
        for _ in range(makers):
            children.append(os.fork())
            if not children[-1]:
                failed = 1
                try:
                    os.read(ready, 1)
                    charge(path, "1/8", BUDGET)
                    failed = 0
                finally:
                    os._exit(failed)
        os.write(go, b"." * makers)
        assert [os.waitpid(child, 0)[1] for child in children] == [0] * makers
        os.close(ready)
        os.close(go)
        with Ledger(path) as ledger:
            assert ledger.remaining.epsilon == 0
            assert ledger.check() == makers
    assert not list(folder.glob(".*"))


def test_a_file_that_is_mounted_alone_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As into a container: its log would stay there. With its folder it is a ledger."""
    mounts = folder / "mounts"
    mounts.write_text(
        f"/dev/sda / ext4 rw 0 0\n/dev/sda {folder} ext4 rw 0 0\n/dev/sda {folder}/alone.db ext4 rw 0 0\n"
    )
    monkeypatch.setattr(files, "MOUNTS", mounts)
    Ledger(folder / "budget.db", BUDGET).close()
    (folder / "budget.db").rename(folder / "alone.db")
    with pytest.raises(LedgerError, match=r"alone.db: wanted the folder of the ledger mounted, got the file alone"):
        Ledger(folder / "alone.db")
    (folder / "alone.db").rename(folder / "budget.db")
    assert charge(folder / "budget.db") == 1
