"""Write docs/reference.md: every public name with the first line of what it says of itself.

Run ``python docs/make_reference.py`` from the root of the repository; a test compares the page with what this returns.
"""
# ruff: noqa: INP001 - a script that stands beside the page it writes

import ast
import importlib
import inspect
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

MODULES = (
    "discreet",
    "discreet.scores",
    "discreet.domains",
    "discreet.mechanisms",
    "discreet.readings",
    "discreet.accounting",
    "discreet.interchange",
    "discreet.ledger",
    "discreet.questions",
    "discreet.streams",
    "discreet.tuning",
    "discreet.local",
    "discreet.utility",
    "discreet.audit",
    "discreet.testing",
)
PAGE = Path(__file__).with_name("reference.md")
PACKAGE = Path(__file__).parents[1] / "src" / "discreet"
HEAD = """# Reference

Every public name, and the first line of what it says of itself; `help(name)` says the rest, with an example that runs.
Names that begin with `private_`, and `law` and `prepare`, show private numbers.

This page is written by `docs/make_reference.py`. Do not edit it.
"""


def reference() -> str:
    """Return the page."""
    return "\n".join([HEAD, *map(_section, MODULES)])


def line_about(module: str, name: str) -> str:
    """Return the first line of a name's documentation, and fail where it has none."""
    value = getattr(importlib.import_module(module), name)
    own = inspect.isclass(value) or inspect.isroutine(value)
    text = value.__doc__ if own else _documented().get(name)
    if not text:
        raise LookupError(f"{module}.{name} says nothing of itself")
    return inspect.cleandoc(text).splitlines()[0]


def _section(module: str) -> str:
    room = importlib.import_module(module)
    lines = [f"* `{name}`: {line_about(module, name)}" for name in room.__all__]
    about = inspect.cleandoc(room.__doc__ or "").splitlines()[0]
    return "\n".join([f"## {module}", "", about, "", *lines, ""])


def _documented() -> dict[str, str]:
    """Map each constant of the package to the text that stands below it."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py")))
    return {name: text for tree in trees for name, text in _constants(tree)}


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node, below in pairwise(tree.body):
        match node, below:
            case (
                ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, text
            case _:
                pass


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
