"""A ledger in one file. The one place that imports sqlite3.

Each charge is one immediate transaction, and is on the disk before it is acknowledged (``synchronous=FULL``).

The write-ahead log is moved into the file by us and never by chance: SQLite from 3.7.0 to 3.51.2 can lose what was
committed if somebody commits while somebody else checkpoints (https://sqlite.org/wal.html#walresetbug), and most
machines run such a version. So checkpoints of their own accord are off, and we hold the writer's lock to make one.
"""

import os
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from errno import ENOSPC
from functools import partial
from pathlib import Path

from discreet.errors import LedgerError
from discreet.ledger import files
from discreet.ledger.schema import TABLES, VERSIONS
from discreet.ledger.store import NOTHING_DONE, UNSETTLED, Held, Row, Session
from discreet.ledger.triggers import SQLITE as TRIGGERS

OLDEST = (3, 37, 0)
"""The first version with strict tables."""
TYPES = {"text": "TEXT", "integer": "INTEGER", "bytes": "BLOB", "end": " STRICT"}
LOG_BYTES = 2**22
"""The log is moved into the file when it is longer."""

CAUSES = {
    "SQLITE_BUSY": "wanted the lock within {timeout} s, got none; another process holds it, so try again",
    "SQLITE_LOCKED": "wanted the lock within {timeout} s, got none; another process holds it, so try again",
    "SQLITE_PROTOCOL": "wanted the lock within {timeout} s, got none; many others hold it in turns, so try again",
    "SQLITE_FULL": "wanted room on the disk, got none; make some",
    "SQLITE_READONLY": "wanted a file that may be written, in a folder that may be, got a read-only one",
    "SQLITE_NOTADB": "wanted a ledger, got another kind of file; name a ledger",
    "SQLITE_CORRUPT": "wanted a whole ledger, got a damaged one; keep it, and restore a back-up",
    "SQLITE_CANTOPEN": "wanted a file that can be opened, and written next to, got one that cannot",
    "SQLITE_IOERR": "wanted a disk that reads and writes, got an error from it",
    "SQLITE_CONSTRAINT": "wanted to append, got a refusal by the file's own rules; run check()",
}


class SqliteStore:
    """A SQLite file on a local disk.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = SqliteStore(Path(folder) / "budget.db")
    ...     store.exists()
    False
    """

    def __init__(self, path: Path, timeout: float = 30) -> None:
        if sqlite3.sqlite_version_info < OLDEST:
            wanted = ".".join(map(str, OLDEST))
            raise LedgerError(f"sqlite: wanted version {wanted} or newer, got {sqlite3.sqlite_version}; update it")
        self.path, self._timeout = path.absolute(), timeout
        self._inode: tuple[int, int] | None = None
        self._next_move = LOG_BYTES
        self._held = Held(self._open)

    @property
    def name(self) -> str:
        """Where the file is."""
        return str(self.path)

    def exists(self) -> bool:
        """Return whether there is a ledger; fail where there is another file."""
        with self._told():
            if not self.path.exists():
                return False
        with self.reading() as run:
            run(VERSIONS)
        return True

    def create(self, fill: Callable[[Session], None]) -> None:
        """Make the whole ledger under another name, then give it its own: at every instant it is absent or complete.

        By a link, since a rename would write over a ledger that somebody else has made meanwhile. For a moment the
        file has two names, or for long if we are killed just then: ``files.one_name`` knows of that.
        """
        files.local(self.path)
        self._no_lost_log()
        draft = files.draft(self.path)
        with self._told(NOTHING_DONE):
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            try:
                with closing(_connect(draft, self._timeout)) as connection:
                    _make(connection, fill)
                if Path(f"{draft}-wal").exists():  # closing moves the log into the file, or leaves it where it cannot
                    raise OSError(ENOSPC, os.strerror(ENOSPC))
                with suppress(FileExistsError):  # somebody else was quicker, and has a ledger there
                    os.link(draft, self.path)
            finally:
                for part in ("", "-wal", "-shm", "-journal"):
                    Path(f"{draft}{part}").unlink(missing_ok=True)
            files.sync(self.path.parent)

    @contextmanager
    def writing(self, dataset: str) -> Generator[Session, None, None]:  # noqa: ARG002 - a file has one writer, whatever the dataset
        """Hold the whole file for writing."""
        with self._held.use() as connection:
            with self._told(NOTHING_DONE), _transaction(connection, "BEGIN IMMEDIATE"):
                self._same_file()
                yield partial(_run, connection)
                with self._told(UNSETTLED):
                    connection.execute("COMMIT")
            self._move_log(connection)

    @contextmanager
    def reading(self) -> Generator[Session, None, None]:
        """See one state of the file."""
        with self._held.use() as connection, self._told(), _transaction(connection, "BEGIN"):
            yield partial(_run, connection)

    def complaints(self) -> list[str]:
        """Say what SQLite finds damaged."""
        with self.reading() as run:
            found = [str(text) for (text,) in run("PRAGMA integrity_check")]
            return [text for text in found if text != "ok"] + [
                "a lost reference" for _ in run("PRAGMA foreign_key_check")
            ]

    def close(self) -> None:
        """Close the file."""
        self._held.close()

    def _open(self) -> sqlite3.Connection:
        with self._told(NOTHING_DONE):
            files.local(self.path)
            files.one_name(self.path, NOTHING_DONE)
            connection = _connect(self.path, self._timeout)
            try:
                mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
                # Without a log it is the deletion of the journal that commits, and EXTRA makes that durable, too.
                connection.execute(f"PRAGMA synchronous = {'FULL' if mode == 'wal' else 'EXTRA'}")
                self._inode = self._inode or files.inode(self.path)
            except BaseException:
                connection.close()
                raise
            return connection

    def _no_lost_log(self) -> None:
        """Refuse to begin anew beside the log of a ledger whose file is gone: SQLite would mix the two."""
        log = any(Path(f"{self.path}{part}").exists() for part in ("-wal", "-journal"))
        if log and not self.path.exists():  # in this order: another process may be making the ledger just now
            wanted = "wanted the ledger that the log beside it belongs to, got the log alone"
            raise LedgerError(f"{self.name}: {wanted}; bring the file back, or move the log away as well")

    def _same_file(self) -> None:
        """Refuse to charge a file that was moved away, or that has got a second name."""
        if files.inode(self.path) != self._inode:
            wanted = "wanted the file that was opened, got another or none: it was moved or replaced"
            raise LedgerError(f"{self.name}: {wanted}; {NOTHING_DONE}, so open the ledger again")
        files.one_name(self.path, NOTHING_DONE)

    def _move_log(self, connection: sqlite3.Connection) -> None:
        """Move a long log into the file while nobody can commit; the charge is safe whether or not this succeeds."""
        log = Path(f"{self.path.resolve()}-wal")  # SQLite follows links, and keeps the log beside the file itself
        with suppress(sqlite3.Error, OSError):
            size = log.stat().st_size
            if size < self._next_move:
                self._next_move = self._next_move if size >= LOG_BYTES else LOG_BYTES
                return
            self._next_move = size + LOG_BYTES
            with _transaction(connection, "BEGIN IMMEDIATE"), closing(_connect(self.path, self._timeout)) as other:
                other.execute("PRAGMA wal_checkpoint(PASSIVE)")

    @contextmanager
    def _told(self, outcome: str = "") -> Generator[None, None, None]:
        """Say what went wrong in our words; never with a value."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise LedgerError(f"{self.name}: {self._cause(error)}" + (f"; {outcome}" if outcome else "")) from error

    def _cause(self, error: Exception) -> str:
        if isinstance(error, OSError):
            return f"wanted a file that can be made and opened, got an error ({error.strerror or type(error).__name__})"
        if "no such table" in str(error):
            return CAUSES["SQLITE_NOTADB"]
        known = str(getattr(error, "sqlite_errorname", ""))
        cause = next((text for name, text in CAUSES.items() if known.startswith(name)), None)
        return cause.format(timeout=self._timeout) if cause else f"wanted a ledger that works, got {known or error}"


def _connect(path: Path, timeout: float) -> sqlite3.Connection:
    """Open a file that is there; a missing one is never made."""
    address = path.as_uri() + "?mode=rw"
    connection = sqlite3.connect(address, timeout, isolation_level=None, check_same_thread=False, uri=True)
    try:
        for setting in (
            "wal_autocheckpoint = 0",
            "foreign_keys = ON",
            "trusted_schema = OFF",
            "journal_size_limit = 0",
        ):
            connection.execute(f"PRAGMA {setting}").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _make(connection: sqlite3.Connection, fill: Callable[[Session], None]) -> None:
    connection.execute("PRAGMA journal_mode = WAL").fetchall()  # where that is impossible, the journal stays
    connection.execute("PRAGMA synchronous = EXTRA")
    with _transaction(connection, "BEGIN IMMEDIATE"):
        for statement in (*(table.format(**TYPES) for table in TABLES), *TRIGGERS):
            connection.execute(statement)
        fill(partial(_run, connection))
        connection.execute("COMMIT")


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Generator[None, None, None]:
    """Begin, and undo whatever was not committed, however the block ends."""
    try:
        if connection.in_transaction:  # an interrupt at the wrong moment
            connection.rollback()
        connection.execute(begin)
        yield
    finally:
        if connection.in_transaction:
            connection.rollback()


def _run(connection: sqlite3.Connection, sql: str, /, *values: object) -> list[Row]:
    return connection.execute(sql, values).fetchall()
