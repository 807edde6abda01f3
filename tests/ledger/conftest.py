"""Where the ledgers of the tests are: each contract holds in a SQLite file and on a real PostgreSQL server."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ledger.server import MISSING, Server, programs, swift

STORES = ("sqlite", "postgres")


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One server for all tests of a process. Where it is missing, a run for the record fails, and others say so."""
    binaries = programs()
    if binaries is None:
        if os.environ.get("CI", "").lower() in {"1", "true", "yes"}:
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    server = Server(binaries)
    yield server
    server.close()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that writes fast."""
    with tempfile.TemporaryDirectory(dir=swift()) as name:
        yield Path(name)


@pytest.fixture(params=STORES)
def where(request: pytest.FixtureRequest, folder: Path) -> str:
    """Return where a ledger may be made: a path, or a URL."""
    if request.param == "sqlite":
        return str(folder / "budget.db")
    server: Server = request.getfixturevalue("server")
    return server.fresh()
