"""A ledger in a file, and what can happen to files: each a clear error, and nothing lost or half charged."""

import os
import resource
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import LedgerError
from discreet.guarantees import Pure
from discreet.ledger import Budget, Ledger, files, sqlite
from discreet.ledger.store import Held
from tests.ledger.doors import in_child

BUDGET = Budget(epsilon=10**6)


@pytest.fixture
def path(folder: Path) -> Path:
    """Return the file of a ledger with some pages of charges, closed."""
    where = folder / "budget.db"
    with Ledger(where, BUDGET) as ledger:
        for number in range(60):
            ledger.charge(Pure(1), request=f"request {number}", memo="x" * 200)
    assert where.stat().st_size > 8 * 4096
    assert names(folder) == ["budget.db"]
    return where


def names(folder: Path) -> list[str]:
    """Return what lies in a folder."""
    return [found.name for found in folder.iterdir()]


def damaged(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Write something else over a file."""
    path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize("size", [0, 1, 50, 100, 2000, 4096, 8192, 20000, -4096])
def test_a_truncated_file_is_refused(path: Path, size: int) -> None:
    """Wherever it was cut; with and without a budget; and it stays as it is."""
    damaged(path, lambda content: content[:size])
    left = path.read_bytes()
    for budget in (None, BUDGET):
        with pytest.raises(LedgerError, match=r"budget.db: wanted a (whole )?ledger, got (a damaged one|another kind)"):
            Ledger(path, budget)
    assert path.read_bytes() == left


@pytest.mark.parametrize("content", [b"which,one\n1,2\n", os.urandom(10_000), b"SQLite format 3\0" + bytes(5000)])
def test_another_file_is_refused(path: Path, content: bytes) -> None:
    """Text, noise, and what only looks like a database."""
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=r"budget.db: wanted a (whole )?ledger, got (a damaged one|another kind)"):
        Ledger(path, BUDGET)
    assert path.read_bytes() == content


def test_another_database_is_refused(folder: Path) -> None:
    """One that is somebody else's is left alone, and so is a folder."""
    with closing(sqlite3.connect(folder / "other.db")) as other:
        other.execute("CREATE TABLE theirs (x)")
    with pytest.raises(LedgerError, match=r"wanted a ledger, got another kind of file"):
        Ledger(folder / "other.db", BUDGET)
    with pytest.raises(LedgerError, match=r"wanted a file that can be opened"):
        Ledger(folder, BUDGET)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content[:-8192] + os.urandom(4096) + content[-4096:],
        lambda content: content[:-2000],
        lambda content: content.replace(b'"epsilon":"1"', b'"epsilon":"0"'),
    ],
)
def test_damage_that_opening_does_not_see_is_found(path: Path, change: Callable[[bytes], bytes]) -> None:
    """A page of noise, a cut in the last page, a word changed: they show in the check, if not before."""
    damaged(path, change)
    with pytest.raises(LedgerError, match=r"got (a damaged one|one where)"), Ledger(path) as ledger:
        ledger.check()


def test_a_log_without_its_file_is_refused(path: Path) -> None:
    """To begin anew beside it would mix two ledgers."""
    with Ledger(path) as ledger:
        ledger.charge(Pure(1))
        shutil.copy(path.with_name("budget.db-wal"), path.with_name("saved"))
    path.unlink()
    path.with_name("saved").rename(path.with_name("budget.db-wal"))
    with pytest.raises(LedgerError, match=r"wanted the ledger that the log beside it belongs to"):
        Ledger(path, BUDGET)
    assert not path.exists()


@pytest.mark.parametrize("replacement", ["none", "copy", "new"])
def test_a_file_that_is_moved_away_is_not_charged(path: Path, replacement: str) -> None:
    """Nor is what lies in its place; brought back, it is the ledger again."""
    away = path.with_name("away.db")
    with Ledger(path) as ledger:
        path.rename(away)
        if replacement == "copy":
            shutil.copy(away, path)
        if replacement == "new":
            path.touch()
        with pytest.raises(LedgerError, match=r"wanted the file that was opened, got another or none: .*nothing was"):
            ledger.charge(Pure(1))
        away.replace(path)
        assert ledger.charge(Pure(1)).seq == 61
        assert ledger.check() == 61


def test_a_link_leads_to_the_ledger(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Charges through it and past it are one budget, and its log does not grow either."""
    monkeypatch.setattr(sqlite, "LOG_BYTES", 20_000)
    link = folder / "elsewhere" / "link.db"
    link.parent.mkdir()
    link.symlink_to(path)
    with Ledger(link) as ledger, Ledger(path) as same:
        for _ in range(20):
            ledger.charge(Pure(1), memo="x" * 200)
            same.charge(Pure(1))
        assert path.with_name("budget.db-wal").stat().st_size < 100_000
        assert ledger.check() == 100


def test_the_log_is_moved_into_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When it is long enough, with readers about; not by the database's own accord, so without us it grows."""
    with Ledger(path) as ledger:
        for _ in range(100):
            ledger.charge(Pure(1))
        log = path.with_name("budget.db-wal")
        long = log.stat().st_size
        assert long > 10**6
        monkeypatch.setattr(sqlite, "LOG_BYTES", 50_000)
        ledger._store._next_move = 0  # type: ignore[attr-defined]
        for _ in range(100):
            ledger.charge(Pure(1))
        assert log.stat().st_size < 200_000
        assert ledger.check() == 260


def as_nobody(do: Callable[[], Any]) -> Any:
    """Do something in a child that is not root, since root may do everything."""

    def child() -> Any:
        if os.geteuid() == 0:
            os.setegid(65534)
            os.seteuid(65534)
        return do()

    return in_child(child)


def test_a_read_only_file_is_not_charged(path: Path) -> None:
    """Nor one in a read-only folder; nothing is made in a read-only folder; and each says what is wrong."""
    path.parent.chmod(0o755)
    path.chmod(0o444)

    def charge() -> Any:
        with Ledger(path) as ledger:
            return ledger.charge(Pure(1))

    kind, text = as_nobody(charge)
    assert kind == "LedgerError"
    assert "wanted a file that can be opened, and written next to" in text or "read-only" in text
    path.chmod(0o600)
    if os.geteuid() == 0:
        kind, text = as_nobody(charge)
        assert (kind, "wanted a file that can be" in text) == ("LedgerError", True)
    path.parent.chmod(0o555)
    kind, text = as_nobody(lambda: Ledger(path.with_name("new.db"), BUDGET))
    path.parent.chmod(0o755)
    assert (kind, "wanted a file that can be made and opened" in text) == ("LedgerError", True)
    assert names(path.parent) == ["budget.db"]
    with Ledger(path) as ledger:
        assert ledger.check() == 60


@pytest.mark.parametrize("room", [0, 5000, 30_000, 200_000])
def test_a_full_disk_charges_nothing(path: Path, room: int) -> None:
    """Files may grow so much and no more: what was acknowledged is there, what was refused is not half there."""

    def charge() -> Any:
        done = 0
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        try:
            with Ledger(path) as ledger:
                for _ in range(1000):
                    ledger.charge(Pure(1), memo="x" * 200)
                    done += 1
        except LedgerError as error:
            return done, str(error)
        return done, ""

    done, text = in_child(charge)
    assert any(words in text for words in ("wanted room on the disk", "wanted a disk that reads and writes"))
    with Ledger(path) as ledger:
        assert 60 + done <= ledger.check() <= 61 + done
        assert ledger.charge(Pure(1)).seq <= 62 + done


def test_a_full_database_charges_nothing(path: Path) -> None:
    """The database's own word for it, in ours; and with room again it goes on."""
    with Ledger(path) as ledger:
        with ledger._store._held.use() as connection:  # type: ignore[attr-defined]
            connection.execute("PRAGMA max_page_count = 1")
        done = 60

        def fill() -> None:
            nonlocal done
            for _ in range(100):
                done = ledger.charge(Pure(1), memo="x" * 2000).seq

        with pytest.raises(LedgerError, match=r"wanted room on the disk, got none; make some; nothing was charged"):
            fill()
        assert ledger.check() == done
        with ledger._store._held.use() as connection:  # type: ignore[attr-defined]
            connection.execute("PRAGMA max_page_count = 100000")
        assert ledger.charge(Pure(1), memo="x" * 2000).seq == done + 1


@pytest.mark.parametrize("room", [0, 1000, 10_000, 40_000])
def test_a_ledger_that_cannot_be_made_leaves_nothing(folder: Path, room: int) -> None:
    """It is there as a whole, or not at all."""

    def make() -> Any:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        Ledger(folder / "budget.db", BUDGET)

    kind, _ = in_child(make)
    assert kind == "LedgerError"
    assert names(folder) == []


def test_another_machine_s_disk_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log needs memory that all its users share; the nearest mount decides, and its name may hold a blank."""
    mounts = folder / "mounts"
    mounts.write_text(f"/dev/sda / ext4 rw 0 0\nserver:/x {folder}/a\\040b nfs4 rw 0 0\n")
    monkeypatch.setattr(files, "MOUNTS", mounts)
    (folder / "a b" / "c").mkdir(parents=True)
    with pytest.raises(LedgerError, match=r"wanted a file on a local disk, got one on nfs4; use PostgreSQL"):
        Ledger(folder / "a b" / "c" / "budget.db", BUDGET)
    Ledger(folder / "budget.db", BUDGET).close()


def test_an_old_sqlite_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not know strict tables."""
    monkeypatch.setattr(sqlite, "OLDEST", (99, 0, 0))
    with pytest.raises(LedgerError, match=r"sqlite: wanted version 99.0.0 or newer, got "):
        Ledger(folder / "budget.db", BUDGET)


def test_only_the_owner_may_read_it(path: Path) -> None:
    """The key is in it."""
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_connection_that_a_fork_inherits_loses_charges(path: Path) -> None:
    """Why ours is closed before a fork: where it is not, charges of a child are acknowledged and then gone."""
    assert lost_after_a_fork(path) == set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Held, "drop", lambda _: None)
        assert lost_after_a_fork(path) == {"second True"}


def lost_after_a_fork(path: Path) -> set[str]:
    """Charge in a child before and after the parent closes; return the acknowledged charges that are not there."""
    ledger = Ledger(path)
    planted = Held.drop.__name__ == "<lambda>"
    requests = [f"first {planted}", f"second {planted}"]
    (ready, go), (done, told) = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        for request in requests:
            ledger.charge(Pure(1), request=request)
            os.write(told, b".")
            os.read(ready, 1)
        os._exit(0)
    os.read(done, 1)
    with ledger._store._held.use() as connection:  # type: ignore[attr-defined]
        connection.close()
    os.write(go, b"..")
    os.waitpid(child, 0)
    assert os.read(done, 1) == b"."
    for end in (ready, go, done, told):
        os.close(end)
    with Ledger(path) as after:
        return set(requests) - {entry.request for entry in after.history()}
