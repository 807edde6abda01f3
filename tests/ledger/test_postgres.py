"""What only a server can do: crash, refuse to write, forget, or be missing."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from discreet.errors import LedgerError
from discreet.guarantees import Pure
from discreet.ledger import Budget, Ledger
from tests.ledger.doors import back_door
from tests.ledger.server import Server

BUDGET = Budget(epsilon=10)


def test_a_server_that_crashes_keeps_what_it_acknowledged(server: Server) -> None:
    """The ledger says that it is gone, and connects again when it is back."""
    with Ledger(server.fresh(), BUDGET) as ledger:
        for number in range(5):
            ledger.charge(Pure(1), request=str(number))
        server.crash()
        try:
            for _ in range(2):
                with pytest.raises(LedgerError, match=r"wanted a server that answers, got none.*; nothing was charged"):
                    ledger.charge(Pure(1), request="5")
        finally:
            server.start()
        assert ledger.charge(Pure(1), request="4").seq == 5
        assert ledger.charge(Pure(1), request="5").seq == 6
        assert ledger.check() == 6


def test_a_connection_that_is_cut_is_made_anew(server: Server) -> None:
    """Between two charges nobody notices."""
    with Ledger(server.fresh(), BUDGET) as ledger:
        ledger.charge(Pure(1))
        with psycopg.connect(server.url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'discreet'")
        ledger.charge(Pure(1))
        assert ledger.check() == 2


def test_a_server_that_may_not_be_written_is_said(server: Server) -> None:
    """What is there can be read."""
    url = server.fresh()
    Ledger(url, BUDGET).close()
    with Ledger(url + "%20-cdefault_transaction_read_only%3Don") as ledger:
        assert ledger.remaining.epsilon == 10
        with pytest.raises(LedgerError, match=r"wanted a server that may be written, got a read-only one \(25006\)"):
            ledger.charge(Pure(1))


def test_a_user_needs_certain_rights_and_no_others(server: Server) -> None:
    """With fewer, the refusal says so."""
    url = server.fresh()
    Ledger(url, BUDGET).close()
    with back_door(url, disarmed=False) as run:
        run("DROP ROLE IF EXISTS guest")
        run("CREATE ROLE guest LOGIN")
        ((schema,),) = run("SELECT current_schema()")
        run(f"GRANT USAGE ON SCHEMA {schema} TO guest")
        run("GRANT SELECT ON ALL TABLES IN SCHEMA " + schema + " TO guest")
    try:
        with Ledger(url.replace("discreet@", "guest@")) as ledger:
            assert ledger.remaining.epsilon == 10
            with pytest.raises(LedgerError, match=r"wanted the right to read and write the ledger, got less"):
                ledger.charge(Pure(1))
            with back_door(url, disarmed=False) as run:
                run("GRANT INSERT ON discreet_charge, discreet_answer TO guest")
                run("GRANT UPDATE ON discreet_account, discreet_dataset TO guest")
            assert ledger.once(Pure(1), lambda: {"winner": 1}, request="may-1") == {"winner": 1}
            assert ledger.check() == 1
    finally:
        with back_door(url, disarmed=False) as run:
            run("DROP OWNED BY guest")
            run("DROP ROLE guest")


def shown(server: Server, setting: str) -> str:
    """Return a setting as a new connection sees it."""
    with psycopg.connect(server.url) as connection:
        return str(next(connection.execute(f"SHOW {setting}".encode()))[0])


@contextmanager
def forgetful(server: Server) -> Iterator[None]:
    """Let the server answer before anything is on the disk."""
    with psycopg.connect(server.url, autocommit=True) as owner:
        for setting in ("off", "on"):
            owner.execute(f"ALTER SYSTEM SET fsync = {setting}".encode())
            owner.execute("SELECT pg_reload_conf()")
            while shown(server, "fsync") != setting:
                pass
            if setting == "off":
                yield


def test_a_server_that_may_forget_is_refused(server: Server) -> None:
    """A charge that is lost at a power cut is a privacy violation."""
    url = server.fresh()
    with forgetful(server), pytest.raises(LedgerError, match=r"wanted a server with fsync on"):
        Ledger(url, BUDGET)
    Ledger(url, BUDGET).close()


def test_without_psycopg_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra."""
    monkeypatch.setitem(sys.modules, "discreet.ledger.postgres", None)
    with pytest.raises(LedgerError, match=r"pip install 'discreet\[postgres\]'"):
        Ledger("postgresql://127.0.0.1/budgets", BUDGET)


def test_no_error_shows_a_password() -> None:
    """Neither of a server that is not there, nor of an address that cannot be read."""
    for url in ("postgresql://ann:secret@127.0.0.1:1/budgets", "postgresql://ann:secret@[/budgets"):
        with pytest.raises(LedgerError) as refused:
            Ledger(url, BUDGET, timeout=1)
        assert "secret" not in str(refused.value)
