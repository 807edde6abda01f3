"""On a terminal: a sign of life, tables, colours only where they are wanted; and nothing private in any of it."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runner import SRC, run

SECRET = "zebra77"  # noqa: S105 - what must not be shown
IMPATIENT = "from discreet.cli import main, terminal\nterminal.PATIENCE = 0.0\nmain(prog_name='discreet')"


def on_a_terminal(*words: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    """Run the command with a terminal for all it reads and writes; return its code and what was shown."""
    leader, follower = pty.openpty()
    variables = os.environ | {"PYTHONPATH": str(SRC), "TERM": "xterm", "COLUMNS": "80", "LINES": "24"} | (env or {})
    command = [sys.executable, "-W", "error", "-c", IMPATIENT, *words]
    child = subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=variables)
    os.close(follower)
    shown = bytearray()
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # the child has let go of the terminal
            break
        if not part:
            break
        shown += part
    os.close(leader)
    return child.wait(), shown.decode()


@pytest.fixture
def votes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file, and a folder to stand in."""
    monkeypatch.chdir(tmp_path)
    rows = "who,vote\n" + "".join(f"{n},smith\n" for n in range(20_000)) + f"x,{SECRET}\n"
    (tmp_path / "votes.csv").write_text(rows, encoding="utf-8")
    return "votes.csv"


def test_a_scan_shows_that_it_goes_on_and_not_how_far(votes: str) -> None:
    """The sign of life is a word; no number of rows, no percentage, and the answer is there at the end."""
    code, shown = on_a_terminal("winner", votes, "-c", "vote", "--among", "smith,jones", "--unit", "who", "-e", "1")
    assert code == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert "counting" in plain
    assert "smith\r\n" in plain
    assert not re.search(r"20[ _,.]?00\d|100 ?%|\u2588", plain)
    assert SECRET not in shown


@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_tables_are_drawn_on_any_terminal(votes: str, env: dict[str, str]) -> None:
    """Budgets and histories fit the screen, and a terminal that wants no colour gets none."""
    assert run("budget", "open", "budget.db", "-e", "2").exit_code == 0
    words = ("winner", votes, "-c", "vote", "--among", "smith", "-e", "1", "--ledger", "budget.db", "--memo", "m" * 200)
    assert run(*words).exit_code == 0
    for verb in ("show", "history"):
        code, shown = on_a_terminal("budget", verb, "budget.db", env=env)
        assert code == 0
        assert max(map(len, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).splitlines())) <= 80
        assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", shown)


def test_without_a_file_a_person_is_not_left_waiting() -> None:
    """On a terminal with nothing to read, the command says what it wants."""
    code, shown = on_a_terminal("winner", "-c", "vote", "--among", "smith", "-e", "1")
    assert code == 2
    assert "file: wanted the path of a CSV or Parquet file" in shown


def test_elsewhere_a_table_is_plain_and_whole(votes: str) -> None:
    """In a pipe no line is cut or folded, and nothing but text is written."""
    assert run("budget", "open", "budget.db", "-e", "2").exit_code == 0
    long = "request-" + "x" * 150
    words = ("winner", votes, "-c", "vote", "--among", "smith", "-e", "1", "--ledger", "budget.db", "--request", long)
    assert run(*words).exit_code == 0
    shown = run("budget", "history", "budget.db").stdout
    assert long in shown
    assert "\x1b" not in shown
