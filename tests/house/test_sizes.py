"""Files are chapters and functions are short."""

import ast
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.house.tree import Function, parsed, python_files, shown

FILE_LINES, FUNCTION_LINES, MEDIAN_FILE_LINES = 400, 40, 150


def test_no_file_is_longer_than_a_chapter() -> None:
    """Every Python file of the repository has at most 400 lines."""
    assert [shown(path) for path in _files() if _lines(path) > FILE_LINES] == []


def test_the_middle_file_is_short() -> None:
    """Half of the package's files have at most 150 lines."""
    assert median(_lines(path) for path in python_files("src")) <= MEDIAN_FILE_LINES


def test_no_function_is_long() -> None:
    """Every function of the repository has at most 40 lines, its docstring left out."""
    assert [f"{shown(path)}: {name}" for path in _files() for name in long_functions(parsed(path))] == []


def test_a_planted_long_function_is_caught() -> None:
    """One line too many is seen, in a method too; forty lines and a long docstring are not."""
    forty = "def f():\n    '''" + "words\n" * 50 + "'''\n" + "    x = 1\n" * 39
    assert list(long_functions(ast.parse(forty))) == []
    assert list(long_functions(ast.parse(forty + "    x = 1\n"))) == ["f"]
    method = "class C:\n    async def m(self):\n" + "        x = 1\n" * 40
    assert list(long_functions(ast.parse(method))) == ["m"]


def long_functions(tree: ast.Module) -> Iterator[str]:
    """Name the functions that are longer than the house allows."""
    for node in ast.walk(tree):
        if isinstance(node, Function) and _length(node) > FUNCTION_LINES:
            yield node.name


def _length(node: Function) -> int:
    first = node.body[0]
    documented = ast.get_docstring(node, clean=False) is not None
    words = (first.end_lineno or first.lineno) - first.lineno + 1 if documented else 0
    return (node.end_lineno or node.lineno) - node.lineno + 1 - words


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _files() -> list[Path]:
    return python_files("src", "tests", "benchmarks", "examples")
