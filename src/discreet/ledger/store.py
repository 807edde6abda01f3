"""What a ledger asks of a database, and the one connection that it holds.

Logic stands above, once. A store opens transactions that are durable when they end, one writer to a dataset at a time.
"""

import os
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Lock, RLock
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakSet

from discreet.errors import LedgerError

Row = tuple[Any, ...]
CLOSED = "ledger: wanted an open one, got a closed one; open it again"
NOTHING_DONE = "nothing was charged"
UNSETTLED = "whether it was written is not known: do the same again with the same request, and it counts once"


class Session(Protocol):
    """Run one statement inside a transaction and return its rows; ``?`` stands for a value."""

    def __call__(self, sql: str, /, *values: object) -> list[Row]:
        """Run it."""
        ...


class Store(Protocol):
    """One database, for one ledger."""

    @property
    def name(self) -> str:
        """Where it is, without a password."""
        ...

    def exists(self) -> bool:
        """Return whether there is a ledger; fail where there is something else."""
        ...

    def create(self, fill: Callable[[Session], None]) -> None:
        """Make the tables and what ``fill`` writes, all at once; leave a ledger that is there by now alone."""
        ...

    def writing(self, dataset: str) -> AbstractContextManager[Session]:
        """Hold a dataset alone: what is read stays true to the end, and then all that was written is durable."""
        ...

    def reading(self) -> AbstractContextManager[Session]:
        """See one state of everything."""
        ...

    def complaints(self) -> list[str]:
        """Say what the database itself finds damaged."""
        ...

    def close(self) -> None:
        """Let go of the connection."""
        ...


class Closable(Protocol):
    """Anything that can be closed."""

    def close(self) -> None:
        """Close it."""
        ...


Connection = TypeVar("Connection", bound=Closable)


class Held(Generic[Connection]):
    """One connection for the threads of a process: opened when needed, used by one at a time, closed before a fork.

    A child process must find nothing open. With SQLite it inherits the belief that a file is locked, without the lock;
    the parent then deletes the log under a child's charges. (The tests show it happen where this is left out.)

    >>> import io
    >>> held = Held(io.StringIO)
    >>> with held.use() as first, held.use() as second:
    ...     first is second
    True
    >>> held.close()
    >>> with held.use():
    ...     pass
    Traceback (most recent call last):
    discreet.errors.LedgerError: ledger: wanted an open one, got a closed one; open it again
    """

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self.lock = RLock()
        self._connect = connect
        self._connection: Connection | None = None
        self._closed = False
        with _FORKING:
            _HELD.add(self)

    @contextmanager
    def use(self) -> Generator[Connection, None, None]:
        """Have the connection alone."""
        with self.lock:
            if self._closed:
                raise LedgerError(CLOSED)
            if self._connection is None:
                self._connection = self._connect()
            yield self._connection

    def drop(self) -> None:
        """Close the connection; the next use opens another."""
        with self.lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                with suppress(Exception):  # a broken connection may not even close, and there is nobody to tell
                    connection.close()

    def close(self) -> None:
        """Close the connection for good."""
        with self.lock:
            self._closed = True
            self.drop()


_FORKING = Lock()
_HELD: "WeakSet[Held[Any]]" = WeakSet()
_STOPPED: list[Held[Any]] = []


def _before_fork() -> None:
    _FORKING.acquire()
    for held in list(_HELD):
        held.lock.acquire()  # waits until a transaction that runs in another thread has ended
        _STOPPED.append(held)
        held.drop()


def _after_fork() -> None:
    while _STOPPED:
        _STOPPED.pop().lock.release()
    _FORKING.release()


if hasattr(os, "register_at_fork"):  # where processes can fork
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
