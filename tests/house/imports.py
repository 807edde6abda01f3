"""Who may import whom: the table, and the reader of imports that holds the package to it."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

BASE = frozenset({"errors", "exact", "balls", "points"})
STATEMENTS = BASE | {"guarantees", "sensitivity"}
LEGS = STATEMENTS | {"readings", "counts", "engines", "scores", "sampling", "mechanisms", "utility", "accounting"}
ALL = LEGS | {"domains", "local", "ledger", "selection", "questions", "testing", "audit", "plots", "streams", "tuning"}

MAY_USE: dict[str, frozenset[str]] = {
    "errors": frozenset(),
    "exact": frozenset({"errors"}),
    "balls": frozenset({"errors", "exact"}),
    "points": frozenset({"errors", "exact"}),
    "guarantees": BASE,
    "sensitivity": BASE,
    "readings": BASE | {"guarantees"},
    "sampling": BASE,
    "counts": BASE | {"sensitivity"},
    "engines": BASE | {"counts", "sensitivity"},
    "scores": BASE | {"counts", "sensitivity"},
    "mechanisms": STATEMENTS | {"readings", "sampling"},
    "domains": STATEMENTS | {"readings", "sampling", "scores"},
    "local": STATEMENTS | {"readings", "counts", "sampling"},
    "utility": STATEMENTS | {"readings", "sampling", "mechanisms", "domains"},
    "accounting": STATEMENTS | {"readings"},
    "ledger": STATEMENTS | {"readings", "accounting"},
    "interchange": BASE | {"guarantees", "readings"},
    "selection": LEGS | {"domains", "ledger"},
    "streams": STATEMENTS | {"mechanisms", "sampling", "ledger"},
    "tuning": STATEMENTS | {"readings", "mechanisms", "sampling", "ledger"},
    "sklearn": STATEMENTS | {"mechanisms", "selection", "ledger"},
    "questions": LEGS | {"domains", "ledger", "selection"},
    "testing": ALL | {"__init__"},
    "audit": ALL | {"__init__"},
    "plots": ALL | {"__init__"},
    "cli": ALL | {"__init__"},
    "__init__": ALL,
    "__main__": frozenset({"cli"}),
}
"""Each room and the rooms it may import; a room may always import itself, and no room imports the command line."""

BORROWED = {
    "flint": "balls.py",
    "duckdb": "engines/duckdb.py",
    "dp_accounting": "interchange.py",
    "psycopg": "ledger/postgres.py",
    "pyspark": "engines/spark.py",
    "sklearn": "sklearn.py",
    "sqlite3": "ledger/sqlite.py",
    "matplotlib": "plots/",
    "rich": "cli/",
    "click": "cli/",
    "pandas": "(nowhere)",
    "polars": "(nowhere)",
    "random": "(nowhere)",
    "numpy.random": "(nowhere)",
    "importlib.import_module": "(nowhere)",
}
"""Each borrowed library and the one file or folder where its import stands."""


class Import(NamedTuple):
    """One imported name, and the line it stands on."""

    name: str
    line: int


def complaints(source: str, place: str) -> list[str]:
    """Say what is wrong with the imports of a file that stands at ``place`` inside the package."""
    room = place.split("/", maxsplit=1)[0].removesuffix(".py")
    wrong = [(found.line, _wrong(found.name, room, place)) for found in imports(ast.parse(source))]
    return [f"{place}:{line}: {what}" for line, what in wrong if what]


def imports(tree: ast.Module) -> Iterator[Import]:
    """Yield all that a file imports, wherever in the file, and every use of ``numpy.random`` by attribute."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (Import(name.name, node.lineno) for name in names)
            case ast.ImportFrom(level=0, module=str(module), names=names):
                yield from (Import(f"{module}.{name.name}", node.lineno) for name in names)
            case ast.ImportFrom():
                yield Import(".", node.lineno)
            case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="random"):
                yield Import("numpy.random", node.lineno)
            case ast.Attribute(value=ast.Name(id="importlib"), attr="import_module") | ast.Name(id="__import__"):
                yield Import("importlib.import_module", node.lineno)
            case _:
                pass


def _wrong(name: str, room: str, place: str) -> str:
    if name.startswith("."):
        return "a relative import hides which room it enters"
    if f"{name}.".startswith("discreet."):
        return _wrong_room(name, room)
    for library, home in BORROWED.items():
        if f"{name}.".startswith(f"{library}.") and not f"{place}/".startswith(f"{home.rstrip('/')}/"):
            return f"{library} stands in {home}"
    return ""


def _wrong_room(name: str, room: str) -> str:
    entered = [*name.split("."), ""][1]
    entered = entered if entered in MAY_USE else "__init__"
    if room not in MAY_USE:
        return f"the room {room} is not in the table"
    return "" if entered == room or entered in MAY_USE[room] else f"{room} may not import {entered}"
