"""The rooms of the package import one another only as the table allows."""

import pytest

from tests.house.imports import MAY_USE, complaints
from tests.house.tree import PACKAGE, python_files


def test_every_import_is_in_the_table() -> None:
    """No file of the package imports a room, or a library, that the table does not grant it."""
    files = python_files("src/discreet")
    assert files
    found = [
        line
        for path in files
        for line in complaints(path.read_text(encoding="utf-8"), path.relative_to(PACKAGE).as_posix())
    ]
    assert found == []


def test_every_room_is_in_the_table() -> None:
    """A new room must be given its line in the table before it can stand."""
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in python_files("src/discreet")}
    assert rooms <= set(MAY_USE)


def test_the_table_has_no_circles() -> None:
    """Rooms can be put in an order in which each imports only earlier ones, the leaves and the front door aside."""
    leaves = {"testing", "audit", "plots", "cli", "__init__", "__main__"}
    waiting = {room: set(used) - leaves for room, used in MAY_USE.items() if room not in leaves}
    while ready := {room for room, used in waiting.items() if not used}:
        waiting = {room: used - ready for room, used in waiting.items() if room not in ready}
    assert waiting == {}


@pytest.mark.parametrize(
    ("place", "source"),
    [
        ("mechanisms/exponential.py", "from discreet.scores.size import Counts"),
        ("mechanisms/exponential.py", "import discreet.scores"),
        ("sampling/choose.py", "def later():\n    from discreet import guarantees"),
        ("sampling/choose.py", "from discreet import Pure"),
        ("errors.py", "from discreet.exact import plain"),
        ("selection.py", "from discreet.cli import main"),
        ("__init__.py", "from discreet.cli import main"),
        ("utils.py", "from discreet.exact import plain"),
        ("scores/size.py", "from .rank import quantile"),
        ("sampling/choose.py", "from flint import arb"),
        ("engines/base.py", "import duckdb"),
        ("engines/duckdb_more.py", "import duckdb"),
        ("selection.py", "from rich.table import Table"),
        ("climate.py", "import click"),
        ("engines/duckdb.py", "import pandas as pd"),
        ("scores/given.py", "from polars import Series"),
        ("sampling/coins.py", "import random"),
        ("sampling/coins.py", "from random import choice"),
        ("sampling/coins.py", "import numpy as np\nnp.random.default_rng()"),
        ("sampling/coins.py", "from numpy import random"),
        ("sampling/coins.py", "from numpy.random import default_rng"),
        ("scores/given.py", "import importlib\nimportlib.import_module('pandas')"),
        ("scores/given.py", "__import__('pandas')"),
    ],
)
def test_a_planted_wrong_import_is_caught(place: str, source: str) -> None:
    """The reader of imports sees through each way of writing an import that the table forbids."""
    assert complaints(source, place)


@pytest.mark.parametrize(
    ("place", "source"),
    [
        ("mechanisms/exponential.py", "from discreet.sampling.choose import choose\nfrom discreet.exact import plain"),
        ("mechanisms/exponential.py", "from discreet.mechanisms.base import Mechanism"),
        ("mechanisms/exponential.py", "from discreet import exact"),
        ("engines/duckdb.py", "import duckdb"),
        ("cli/output.py", "from rich.table import Table\nimport discreet\nfrom discreet import select"),
        ("sampling/coins.py", "import secrets\nimport numpy as np\nnp.randomly = np.arange(3)"),
    ],
)
def test_a_right_import_is_let_through(place: str, source: str) -> None:
    """What the table grants raises no complaint."""
    assert complaints(source, place) == []
