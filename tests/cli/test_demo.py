"""The demonstration: a story whose commands are the real ones, on any screen, and for a second time by oneself."""

import re
import shlex
import sqlite3
import sys
from pathlib import Path

import pytest

from tests.cli.runner import process, run

story = sys.modules["discreet.cli.demo"]  # the package's own name for it is the command


def told(text: str) -> list[tuple[str, str]]:
    """Return the commands a story shows, each with what is printed below it."""
    parts = re.split(r"^\$ discreet (.*)\n\n", text, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def test_the_story_is_told() -> None:
    """A plan that spends nothing, an answer, the same answer again, what is left, and a refusal with its code."""
    result = run("demo")
    assert (result.exit_code, result.stderr) == (0, "")
    steps = dict(told(result.stdout))
    (plan,) = (shown for command, shown in steps.items() if command.startswith("plan "))
    assert "left      epsilon 2 left of 2-differential privacy" in plan
    answers = [shown.partition("\n\n")[0] for command, shown in told(result.stdout) if "--request june" in command]
    assert answers[0] == answers[1]
    assert set(answers[0].splitlines()) <= set(story.SONGS)
    (left,) = (shown for command, shown in steps.items() if command == "budget show plays")
    assert "epsilon 1.5   epsilon 0.5" in left
    last = list(steps.values())[-1]
    assert "wanted at most the 0.5 that is left in the budget, got 1" in last.replace("\n", " ")
    assert "(exit code 3)" in last


def test_the_answers_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The data follow a rule; the answers do not: with little to spend they differ from one telling to the next."""
    monkeypatch.setattr(story, "STORY", (("", ("budget", "open", "plays")), ("", (*story.TOP[:-1], "0.001"))))
    assert len({run("demo").stdout for _ in range(12)}) > 1  # 120 answers are about as likely: never alike by chance


@pytest.mark.parametrize("env", [{"COLUMNS": "200"}, {"COLUMNS": "60", "NO_COLOR": "1"}, {"PYTHONIOENCODING": "ascii"}])
def test_the_story_fits_any_screen(env: dict[str, str]) -> None:
    """Wide, narrow or without Unicode, a real process prints it plainly within 80 columns, wherever it is told."""
    done = process("demo", env={"DISCREET_CONFIG": "none.toml", "DISCREET_LEDGER": "none.db", **env})
    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode()
    assert "(exit code 3)" in shown
    assert "\x1b" not in shown
    lines = [line for line in shown.splitlines() if not line.startswith("    song = ")]
    assert max(map(len, lines)) <= 80


def test_the_files_may_be_kept_to_go_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --folder all the story's commands run there again; a folder with such files is not written over."""
    folder = tmp_path / "new" / "playground"
    shown = run("demo", "--folder", str(folder)).stdout
    assert sorted(path.name for path in folder.iterdir()) == sorted(story.FILES)
    assert run("demo", "--folder", str(folder)).exit_code == 2
    monkeypatch.chdir(folder)
    codes = [run(*shlex.split(command)).exit_code for command, _ in told(shown)]
    assert codes == [0, 0, 0, 0, 0, 0, 3]  # half was left of the budget, for one more median
    with sqlite3.connect("budget.db") as ledger:
        assert ledger.execute("SELECT count(*) FROM discreet_charge").fetchone() == (3,)
    ledger.close()


def test_the_songs_have_the_shares_that_are_told() -> None:
    """More people play a song that is named earlier, each of the songs is played, and every minute is on the grid."""
    rows = list(story.plays())
    fans = [len({who for who, song, _ in rows if song == name}) for name in story.SONGS]
    assert fans == sorted(fans, reverse=True)
    assert fans[0] - fans[1] > 20
    assert len({who for who, _, _ in rows}) == story.LISTENERS
    assert all(0 <= float(minutes) <= 10 for _, _, minutes in rows)


@pytest.mark.parametrize("verb", ["winner", "top", "demo", "quantile", "hypothesis"])
def test_help_shows_a_command_that_can_be_copied(verb: str) -> None:
    """The example stands on one line of its own, not run into the text."""
    shown = run(verb, "--help").stdout
    assert f"Example:\n    discreet {verb} " in shown
