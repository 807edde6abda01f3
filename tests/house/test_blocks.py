"""What README and docs show, runs.

The blocks of one page run in order, in one namespace and one empty folder. A ``python`` block is executed, and
a ``console`` block that calls ``discreet`` is run line by line; each line must succeed. Blocks that install
or set up something name another language (``sh``), or call something other than ``discreet``.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.house.tree import ROOT, pages, shown

FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)``` *$", re.MULTILINE | re.DOTALL)
SHELL = 'discreet() { "$PYTHON" -m discreet "$@"; }\nset -eo pipefail\n'


class Block(NamedTuple):
    """A fenced block of a page: its language and what else the fence says, its text, its first line."""

    info: str
    body: str
    line: int


def page_of(page: Path) -> Any:
    """A page that starts Spark runs where the tests of Spark do, or not at all where there is no Java."""
    if "pyspark" not in page.read_text(encoding="utf-8"):
        return pytest.param(page, id=shown(page))
    no_java = pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java here, so Spark is not tried")
    warns = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning", "ignore::ResourceWarning")
    return pytest.param(page, id=shown(page), marks=[no_java, warns, pytest.mark.xdist_group("spark")])


@pytest.mark.parametrize("page", [page_of(page) for page in pages()])
def test_the_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example on the page does what it shows, or at least runs to its end."""
    monkeypatch.chdir(tmp_path)
    run_page(page.read_text(encoding="utf-8"), shown(page))


@pytest.mark.parametrize(
    "text",
    [
        "```python\n1 / 0\n```\n",
        "```python no-run\n1\n```\n",
        "```python\n>>> 1 + 1\n3\n```\n",
        "```console\n$ discreet no-such-verb\n```\n",
        "```console\n$ discreet --help\n$ false\n```\n",
        "- item\n\n  ```python\n  1 / 0\n  ```\n",
    ],
)
def test_a_planted_wrong_example_is_caught(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An example that raises, prints something else, fails in the shell or asks not to be run is refused."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises((AssertionError, ZeroDivisionError)):
        run_page(text, "planted.md")


def test_blocks_share_a_namespace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later block sees what an earlier one made; other languages and calls of other programs are left alone."""
    monkeypatch.chdir(tmp_path)
    other = "```sh\nexit 1\n```\n```console\n$ no-such-program\n```\n"
    run_page(other + "```python\nx = 1\n```\nwords\n```python\nassert x == 1\n```\n```python\n>>> x\n1\n```\n", "p.md")


def run_page(text: str, name: str) -> None:
    """Run the blocks of a page in order, in the current folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(text):
        language = block.info.split()[0] if block.info.split() else ""
        where = f"{name}:{block.line}"
        if language in {"python", "pycon", "py"}:
            assert block.info == "python", f"{where}: wanted a bare python fence, got {block.info!r}"
            _run_python(block, where, names)
        elif language == "console" and re.search(r"^\$ discreet\b", block.body, re.MULTILINE):
            _run_console(block, where)


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page, without the indentation of a list they may stand in."""
    for found in FENCE.finditer(text):
        body = re.sub(rf"^{found['indent']}", "", found["body"], flags=re.MULTILINE)
        yield Block(found["info"].strip(), body, text.count("\n", 0, found.start()) + 2)


def _run_python(block: Block, where: str, names: dict[str, Any]) -> None:
    if not block.body.lstrip().startswith(">>>"):
        padded = "\n" * (block.line - 1) + block.body
        exec(compile(padded, where.rpartition(":")[0], "exec"), names)  # noqa: S102 - our own pages
        return
    test = doctest.DocTestParser().get_doctest(block.body, names, where, where, block.line - 1)
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, clear_globs=False)
    names.update(test.globs)
    assert results.failed == 0, f"{where}: the example printed something else"


def _run_console(block: Block, where: str) -> None:
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    env = os.environ | {"PYTHON": sys.executable, "PYTHONPATH": path, "NO_COLOR": "1", "COLUMNS": "100"}
    for command in _commands(block.body):
        run = ["bash", "-c", SHELL + command]
        done = subprocess.run(run, env=env, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, f"{where}: {command}\n{done.stdout}{done.stderr}"


def _commands(body: str) -> list[str]:
    """The lines after ``$``, each with the lines it continues on after a backslash."""
    return [found[1] for found in re.finditer(r"^\$ ((?:[^\n]*\\\n)*[^\n]*)$", body, re.MULTILINE)]
