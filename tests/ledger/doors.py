"""Ways around a ledger: raw statements, with and without what the database refuses, and processes of its own."""

import os
import pickle
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg

Run = Callable[..., list[Any]]


@contextmanager
def back_door(where: str, *, disarmed: bool) -> Iterator[Run]:
    """Run statements in the database itself; ``disarmed``: with its own rules switched off, as its owner can."""
    if "://" in where:
        with psycopg.connect(where, autocommit=True) as server:
            if disarmed:
                server.execute("SET session_replication_role = replica")
            yield lambda sql, *values: _rows(server.execute(sql.replace("?", "%s").encode(), values or None))
        return
    with closing(sqlite3.connect(where, isolation_level=None)) as file:
        if disarmed:
            for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                file.execute(f"DROP TRIGGER {name}")
            file.execute("PRAGMA ignore_check_constraints = ON")
        yield lambda sql, *values: file.execute(sql, values).fetchall()


@contextmanager
def locked(where: str) -> Iterator[None]:
    """Hold what a charge needs to hold."""
    postgres = "://" in where
    with back_door(where, disarmed=False) as run:
        run("BEGIN" if postgres else "BEGIN IMMEDIATE")
        if postgres:
            run("SELECT 1 FROM discreet_dataset FOR UPDATE")
        yield
        run("ROLLBACK")


def in_child(do: Callable[[], Any]) -> Any:
    """Do something in a forked process, and return what it returned, or the error it met; None if it was killed."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        try:
            result = do()
        except Exception as error:  # noqa: BLE001 - whatever it is, the parent wants to see it
            result = error.__class__.__name__, str(error)
        os.write(theirs, pickle.dumps(result))
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(told) if told else None  # noqa: S301 - our own child wrote it


def _rows(found: "psycopg.Cursor[Any]") -> list[Any]:
    return found.fetchall() if found.description else []
