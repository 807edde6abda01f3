"""Every public name is documented: with an example that runs, and on a page a user reads."""

import ast
import importlib.util
import re
from collections.abc import Iterator

import pytest

import discreet
from tests.house.tree import PACKAGE, Function, pages, parsed, python_files, shown

PUBLIC: tuple[str, ...] = tuple(getattr(discreet, "__all__", ()))


def test_every_public_definition_has_an_example() -> None:
    """Each public class and function of the package has a docstring with a doctest (protocols and commands aside)."""
    files = python_files("src/discreet")
    assert [f"{shown(path)}: {name}" for path in files for name in without_example(parsed(path))] == []


def test_a_planted_definition_without_example_is_caught() -> None:
    """A missing docstring and a docstring without a doctest are both seen; what is exempt is not."""
    bad = "def f(): pass\nclass C:\n    'Words only.'\nasync def g():\n    'Words.'"
    assert list(without_example(ast.parse(bad))) == ["f", "C", "g"]
    good = "def _f(): pass\nclass P(Protocol[T]): pass\n@click.command()\ndef c(): pass\ndef h():\n    '''>>> h()'''"
    assert list(without_example(ast.parse(good))) == []


def test_lists_of_public_names_are_sorted() -> None:
    """Each ``__all__`` in the package is in order (constants, classes, functions) and names nothing twice."""
    lists = {shown(path): names for path in python_files("src/discreet") for names in _public_lists(parsed(path))}
    assert {path: names for path, names in lists.items() if names != in_order(names)} == {}


def test_a_planted_disorder_is_caught() -> None:
    """A name out of place, or there twice, is seen."""
    assert in_order(["LIMIT", "Approx", "Pure", "select", "top_k"]) == ["LIMIT", "Approx", "Pure", "select", "top_k"]
    assert in_order(["select", "Pure", "select"]) == ["Pure", "select"]


def test_public_names_exist() -> None:
    """Each name in ``discreet.__all__`` can be had from the package."""
    assert [name for name in PUBLIC if not hasattr(discreet, name)] == []


def test_public_names_are_on_a_page() -> None:
    """Each name in ``discreet.__all__`` is spoken of in README or docs."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages())
    names = (name for name in PUBLIC if not name.startswith("__"))
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.skipif(not (PACKAGE / "cli").is_dir(), reason="there is no command line yet")
def test_commands_are_on_a_page() -> None:
    """Each verb of the command line is shown in README or docs."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages())
    assert importlib.util.find_spec("discreet.cli") is not None
    verbs = importlib.import_module("discreet.cli").main.commands
    assert verbs
    assert [verb for verb in verbs if not re.search(rf"\bdiscreet {verb}\b", text)] == []


def in_order(names: list[str]) -> list[str]:
    """Sort names as the linter does: constants, then classes, then the rest, each by the alphabet."""
    return sorted(set(names), key=lambda name: (not name.isupper(), not name[0].isupper(), name))


def without_example(tree: ast.Module) -> Iterator[str]:
    """Name the public classes and functions of a module whose docstring shows no doctest."""
    for node in tree.body:
        if not isinstance(node, ast.ClassDef | Function) or node.name.startswith("_") or _exempt(node):
            continue
        if ">>>" not in (ast.get_docstring(node) or ""):
            yield node.name


def _exempt(node: ast.ClassDef | Function) -> bool:
    """A protocol has nothing to run; a command's docstring is its help text; an overload is a signature."""
    bases = node.bases if isinstance(node, ast.ClassDef) else []
    marks = " ".join(ast.unparse(mark) for mark in node.decorator_list)
    protocol = any(re.match(r"(typing\.)?Protocol\b", ast.unparse(base)) for base in bases)
    return protocol or re.search(r"\b(command|group|overload)\b", marks) is not None


def _public_lists(tree: ast.Module) -> Iterator[list[str]]:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                yield list(ast.literal_eval(value))
            case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value):
                yield list(ast.literal_eval(value))
            case _:
                pass
