"""A ledger in PostgreSQL, for fleets. The one place that imports psycopg (the extra ``postgres``).

A charge locks the row of its dataset, so there is one writer to a dataset at a time, and what is read under the lock
is the latest. Each transaction brings its own settings, so a pool between us and the server changes nothing.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from math import ceil

import psycopg
from psycopg.conninfo import conninfo_to_dict

from discreet.errors import LedgerError
from discreet.ledger.schema import TABLES, VERSIONS
from discreet.ledger.store import NOTHING_DONE, UNSETTLED, Held, Row, Session
from discreet.ledger.triggers import POSTGRES as TRIGGERS

TYPES = {"text": 'TEXT COLLATE "C"', "integer": "BIGINT", "bytes": "BYTEA", "end": ""}
"""Collation C compares digits as digits whatever the server's language."""
ONE_MAKER = "SELECT pg_advisory_xact_lock(7233183901)"
"""Any number will do that all of us share."""
_HERE = "schemaname = ANY (current_schemas(false))"
THERE = f"SELECT count(*) > 0 FROM pg_tables WHERE tablename = 'discreet_about' AND {_HERE}"  # noqa: S608 - no input
"""Not ``to_regclass``, which may remember from before we held the lock."""
HOLD = "SELECT 1 FROM discreet_dataset WHERE dataset = ? FOR UPDATE"
DURABLE = "SELECT current_setting('fsync') = 'on'"
IDLE = "'10s'"
"""A client whose machine died holds the lock until the server hears of it, or for so long."""
Server = psycopg.Connection[Row]

CAUSES: tuple[tuple[type[psycopg.Error], str], ...] = (
    (
        psycopg.errors.LockNotAvailable,
        "wanted the lock within {timeout} s, got none; another process holds it, so try again",
    ),
    (psycopg.errors.DiskFull, "wanted room on the server's disk, got none; make some"),
    (psycopg.errors.ReadOnlySqlTransaction, "wanted a server that may be written, got a read-only one"),
    (psycopg.errors.InsufficientPrivilege, "wanted the right to read and write the ledger, got less"),
    (psycopg.errors.UndefinedTable, "wanted a ledger, got a database without one"),
    (psycopg.errors.IntegrityError, "wanted to append, got a refusal by the database's own rules; run check()"),
    (psycopg.errors.RaiseException, "wanted to append, got a refusal by the database's own rules; run check()"),
    (psycopg.OperationalError, "wanted a server that answers, got none"),
)


class PostgresStore:
    """A PostgreSQL database, by its URL.

    >>> store = PostgresStore("postgresql://ann:secret@127.0.0.1:1/budgets", timeout=1)
    >>> store.name
    'postgresql://127.0.0.1:1/budgets'
    >>> store.exists()
    Traceback (most recent call last):
    discreet.errors.LedgerError: postgresql://127.0.0.1:1/budgets: wanted a server that answers, got none; ...
    """

    def __init__(self, url: str, timeout: float = 30) -> None:
        self._url, self._timeout = url, timeout
        self._held = Held(self._open)
        try:
            told = conninfo_to_dict(url)
        except psycopg.Error:
            raise LedgerError(
                "ledger: wanted a URL such as postgresql://host/database, got one that cannot be read"
            ) from None
        port = f":{told['port']}" if told.get("port") else ""
        self._name = f"postgresql://{told.get('host', '')}{port}/{told.get('dbname', '')}"

    @property
    def name(self) -> str:
        """Which database it is, without user and password."""
        return self._name

    def exists(self) -> bool:
        """Return whether the database holds a ledger."""
        with self.reading() as run:
            if run(DURABLE) != [(True,)]:
                raise LedgerError(f"{self.name}: wanted a server with fsync on, got one that may forget charges")
            if run(THERE) != [(True,)]:
                return False
            run(VERSIONS)
            return True

    def create(self, fill: Callable[[Session], None]) -> None:
        """Make tables and content in one transaction, one maker at a time."""
        with self._transaction("READ COMMITTED") as run:
            run(ONE_MAKER)
            if run(THERE) == [(True,)]:
                return
            for statement in (*(table.format(**TYPES) for table in TABLES), *TRIGGERS):
                run(statement)
            fill(run)

    @contextmanager
    def writing(self, dataset: str) -> Generator[Session, None, None]:
        """Hold the row of a dataset; where there is none yet, be the only one who may add it."""
        with self._transaction("READ COMMITTED") as run:
            if not run(HOLD, dataset):
                run(ONE_MAKER)
                run(HOLD, dataset)
            yield run

    @contextmanager
    def reading(self) -> Generator[Session, None, None]:
        """See one state of the database."""
        with self._transaction("REPEATABLE READ READ ONLY") as run:
            yield run

    def complaints(self) -> list[str]:
        """Say nothing: the server watches over its own files."""
        return []

    def close(self) -> None:
        """Close the connection."""
        self._held.close()

    def _open(self) -> Server:
        with self._told(NOTHING_DONE):
            wait = max(2, ceil(self._timeout))  # libpq rounds 1 up to 2, too
            server = psycopg.connect(self._url, autocommit=True, connect_timeout=wait, application_name="discreet")
            server.prepare_threshold = None  # what is prepared on one connection of a pool is not there on another
            return server

    @contextmanager
    def _transaction(self, kind: str) -> Generator[Session, None, None]:
        with self._held.use() as held:
            server = held
            try:
                with self._told(NOTHING_DONE):
                    server = self._begun(held, kind)
                    yield partial(_run, server)
                with self._told(UNSETTLED):
                    server.execute("COMMIT")
            except BaseException:
                self._undo(server)
                raise

    def _begun(self, server: Server, kind: str) -> Server:
        """Begin, on a new connection if the server has closed this one since it was last used."""
        try:
            _run(server, self._begin(kind))
        except psycopg.OperationalError:
            if not server.closed:
                raise
            self._held.drop()
            with self._held.use() as server:  # noqa: PLR1704 - the old one is gone
                _run(server, self._begin(kind))
        return server

    def _begin(self, kind: str) -> str:
        """Begin, with what this transaction needs, in one message."""
        wait = f"'{max(1, ceil(1000 * self._timeout))}ms'"
        limits = f"SET LOCAL lock_timeout = {wait}; SET LOCAL idle_in_transaction_session_timeout = {IDLE}"
        return f"BEGIN ISOLATION LEVEL {kind}; SET LOCAL synchronous_commit = on; {limits}"

    def _undo(self, server: Server) -> None:
        """Roll back; a connection that cannot is given up, and the next transaction opens another."""
        try:
            server.execute("ROLLBACK")
        except psycopg.Error:
            self._held.drop()

    @contextmanager
    def _told(self, outcome: str) -> Generator[None, None, None]:
        """Say what went wrong in our words; never with a value."""
        try:
            yield
        except psycopg.Error as error:
            cause = next(
                (text for kind, text in CAUSES if isinstance(error, kind)), "wanted a ledger that works, got an error"
            )
            state = f" ({error.sqlstate})" if error.sqlstate else ""
            raise LedgerError(f"{self.name}: {cause.format(timeout=self._timeout)}{state}; {outcome}") from error


def _run(server: Server, sql: str, /, *values: object) -> list[Row]:
    found = server.execute(sql.replace("?", "%s").encode(), values or None)
    return found.fetchall() if found.description else []
