"""Datasets that are declared: asked by their name, charged to their ledger, completed by the shell."""

import json
from pathlib import Path

import pytest

from tests.cli.runner import process, run

SECRET = "zebra77"  # noqa: S105 - what must not be shown
DECLARED = """
[datasets.votes]
source = "votes.csv"
unit = "pupil"
ledger = "budget.db"
budget = { epsilon = 2 }
analysts = { ann = { epsilon = 1 } }

[datasets.votes.candidates]
trip = ["zoo", "lake", "castle"]
stars = { from = 1, to = 5 }
school = ["north", "south"]

[datasets.votes.bounds]
age = { low = 6, high = 18 }
paid = { low = 0, high = 20, step = 0.5 }

[datasets.open]
source = "votes.csv"
unit = "pupil"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a declaration and its data; the tests stand in another one, inside it."""
    monkeypatch.delenv("DISCREET_CONFIG", raising=False)
    monkeypatch.delenv("DISCREET_LEDGER", raising=False)
    (tmp_path / "discreet.toml").write_text(DECLARED, encoding="utf-8")
    rows = "".join(f"{n},zoo,4,9,7.25,{'north' if n % 2 else 'south'}\n" for n in range(900))
    (tmp_path / "votes.csv").write_text("pupil,trip,stars,age,paid,school\n" + rows, encoding="utf-8")
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    return tmp_path


def opened() -> None:
    """Open the declared budget."""
    assert run("budget", "open", "votes").exit_code == 0


def test_what_is_declared_need_not_be_typed() -> None:
    """Unit, candidates, bounds and budget come from the file; the questions are charged to the dataset's ledger."""
    opened()
    asked = {
        "winner": (["-c", "trip"], "zoo"),
        "top": (["-c", "stars", "-k", "1", "--analyst", "ann"], "4"),
        "quantile": (["-c", "age"], "9"),
        "total": (["-c", "trip", "--amount", "paid", "--by", "school"], "north: zoo"),
    }
    for verb, (words, answer) in asked.items():
        result = run(verb, "votes", *words, "-e", "1/2")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout.startswith(f"{answer}\n")
        assert "one pupil makes" in result.stdout
    shown = json.loads(run("budget", "show", "votes", "--json").stdout)
    assert (shown["dataset"], shown["remaining"]["epsilon"]) == ("votes", "0")
    assert run("winner", "votes", "-c", "trip", "-e", "1/2").exit_code == 3


def test_what_is_typed_goes_before_what_may_differ() -> None:
    """Fewer candidates and a coarser step may be typed; whom to protect and what to charge may not."""
    opened()
    assert run("winner", "votes", "-c", "trip", "--among", "lake,zoo", "-e", "1/4").stdout.startswith("zoo\n")
    narrower = run("plan", "quantile", "votes", "-c", "age", "--low", "8", "--step", "2", "-e", "1/4").stdout
    assert "from 8 to 18 in steps of 2" in narrower
    for words in (
        ["--unit", "row"],
        ["--neighbours", "replace"],
        ["--ledger", "other.db"],
        ["--dataset", "default"],
        ["--delimiter", ","],
        ["--table", "t"],
    ):
        result = run("winner", "votes", "-c", "trip", "-e", "1/4", *words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{words[0][2:]}: wanted none, since 'votes' is declared with its own" in result.stderr
    for verb, option, value in (("open", "epsilon", "9"), ("open", "analyst", "bob=1"), ("show", "dataset", "open")):
        result = run("budget", verb, "votes", f"--{option}", value)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{option}: wanted none, since 'votes' is declared with its own" in result.stderr
    missing = run("winner", "votes", "-c", "age", "-e", "1/4")
    assert "or a column that is declared with its own ('trip', 'stars', 'school'), got neither" in missing.stderr


def test_nothing_is_charged_before_the_budget_is_opened(folder: Path) -> None:
    """A question to a dataset whose ledger is not there says how to open it, and makes none."""
    result = run("winner", "votes", "-c", "trip", "-e", "1")
    assert (result.exit_code, "discreet budget open votes" in result.stderr) == (2, True)
    assert run("budget", "show", "votes").exit_code == 2
    assert not (folder / "budget.db").exists()


def test_a_budget_that_is_declared_otherwise_is_refused(folder: Path) -> None:
    """Whoever raises the budget in the file has not raised the one in the ledger."""
    opened()
    (folder / "discreet.toml").write_text(DECLARED.replace("epsilon = 2", "epsilon = 20"), encoding="utf-8")
    result = run("winner", "votes", "-c", "trip", "-e", "1")
    assert (result.exit_code, "a budget cannot be changed" in result.stderr) == (4, True)
    assert run("budget", "open", "votes").exit_code == 2


def test_a_declared_budget_is_always_enforced(folder: Path) -> None:
    """Declared without a ledger it would bind nobody, whatever ledger is named; so nothing is answered."""
    (folder / "discreet.toml").write_text(DECLARED.replace('ledger = "budget.db"\n', ""), encoding="utf-8")
    assert run("budget", "open", "big.db", "-e", "100", "--per", "pupil", "--dataset", "votes").exit_code == 0
    for words in ((), ("--ledger", "big.db")):
        result = run("winner", "votes", "-c", "trip", "-e", "50", *words)
        assert (result.exit_code, result.stdout) == (4, "")
        assert "datasets.votes.budget: wanted a ledger declared with it" in result.stderr
    (folder / "discreet.toml").write_text(
        DECLARED.replace("budget = { epsilon = 2 }\nanalysts", "# "), encoding="utf-8"
    )
    result = run("budget", "open", "votes")
    assert (result.exit_code, "such as budget = { epsilon = 3 }" in result.stderr) == (4, True)


def test_a_dataset_without_a_ledger_may_be_charged_elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then --ledger or the variable names one that has the dataset; without them nothing is charged."""
    asked = ("winner", "open", "-c", "trip", "--among", "zoo,lake", "-e", "1")
    assert run(*asked).exit_code == 0
    assert run("budget", "show", "open").exit_code == 2
    book = str(folder / "own.db")
    assert run("budget", "open", book, "-e", "2", "--per", "pupil", "--dataset", "open").exit_code == 0
    assert run(*asked, "--ledger", book, "--memo", "May").exit_code == 0
    monkeypatch.setenv("DISCREET_LEDGER", book)
    assert [run(*asked).exit_code for _ in range(2)] == [0, 3]


def test_a_name_is_a_dataset_only_where_it_is_declared(folder: Path) -> None:
    """A plain word that is declared is the dataset, also beside a file of that name; other words are files."""
    (folder / "inside" / "votes").write_text("trip\n" + "lake\n" * 900, encoding="utf-8")
    (folder / "inside" / "plain").write_text("trip\n" + "lake\n" * 900, encoding="utf-8")
    asked = ("-c", "trip", "--among", "zoo,lake", "-e", "1")
    opened()
    assert run("winner", "votes", *asked).stdout.startswith("zoo\n")
    assert run("winner", "./votes", *asked).stdout.startswith("lake\n")
    assert run("winner", "plain", *asked).stdout.startswith("lake\n")
    result = run("winner", "vote", *asked)
    assert (result.exit_code, "a declared dataset (votes, open), got 'vote'" in result.stderr) == (4, True)


@pytest.mark.parametrize("broken", ["[datasets", '[datasets.votes]\nsource = 3\nledger = "zebra77"', "x = 'zebra77'"])
def test_a_broken_declaration_has_the_code_of_data(folder: Path, broken: str) -> None:
    """Code 4, for questions, plans and budgets; a file that is named as a file is asked all the same."""
    (folder / "discreet.toml").write_text(broken, encoding="utf-8")
    asked = ("-c", "trip", "--among", "zoo", "-e", "1")
    for words in (("winner", "votes", *asked), ("plan", "winner", "votes", *asked), ("budget", "show", "votes")):
        result = run(*words)
        assert (result.exit_code, result.stdout, SECRET in result.stderr) == (4, "", False)
        assert json.loads(run(*words, "--json").stderr)["error"]["kind"] == "data"
    assert run("winner", "../votes.csv", *asked).exit_code == 0


def test_the_file_may_be_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By --config or by the variable; one that is not there is a wrong declaration."""
    (folder / "discreet.toml").rename(folder / "other.toml")
    asked = ("winner", "open", "-c", "trip", "--among", "zoo", "-e", "1")
    assert run(*asked).exit_code == 4
    assert run(*asked, "--config", "../other.toml").exit_code == 0
    assert run(*asked, "--config", "../none.toml").exit_code == 4
    monkeypatch.setenv("DISCREET_CONFIG", str(folder / "other.toml"))
    assert run(*asked).exit_code == 0


def completed(*words: str) -> list[str]:
    """Return what bash would offer for the last word."""
    env = {"_DISCREET_COMPLETE": "bash_complete", "COMP_WORDS": "\n".join(["discreet", *words])}
    done = process(env=env | {"COMP_CWORD": str(len(words))})
    return [line.partition(",")[2] for line in done.stdout.decode().splitlines() if line]


def test_the_shell_completes_what_is_declared() -> None:
    """Verbs, options, datasets, their columns and their candidates, also within a list."""
    assert {"winner", "plan", "budget"} <= set(completed(""))
    assert "--among-file" in completed("top", "--amo")
    assert completed("winner", "vo") == ["votes", "vo"]
    assert completed("winner", "votes", "--column", "s") == ["stars", "school"]
    assert completed("winner", "votes", "--column", "trip", "--among", "zoo,l") == ["zoo,lake"]
    assert completed("winner", "votes", "--column", "stars", "--among", "") == ["1", "2", "3", "4", "5"]
    assert completed("plan", "winner", "votes", "--column", "age", "--among", "") == []
    assert completed("budget", "show", "o") == ["open"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_lines_for_a_shell_are_printed(shell: str) -> None:
    """They name the command and the variable it listens to."""
    shown = run("completion", shell)
    assert shown.exit_code == 0
    assert "_DISCREET_COMPLETE" in shown.stdout
    assert run("completion", "cmd").exit_code == 2


def test_a_broken_declaration_does_not_disturb_the_shell(folder: Path) -> None:
    """Between two letters nothing is told; the verb will."""
    (folder / "discreet.toml").write_text("[datasets", encoding="utf-8")
    assert completed("winner", "vo") == ["vo"]
