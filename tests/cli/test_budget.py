"""A budget that lasts: opened, charged by several processes, shown, listed, exported, checked."""

import io
import json
import shlex
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from discreet import Ledger
from tests.cli.runner import process, run
from tests.ledger.conftest import server  # noqa: F401 - a fixture
from tests.ledger.server import Server

ASK = ("-c", "vote", "--among", "smith,jones,lee", "--unit", "who")
SECRET = "zebra77"  # noqa: S105 - what must not be shown


@pytest.fixture
def votes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file in which nobody leads, so that each draw is open."""
    rows = "who,vote\n" + "".join(f"{name}-{n},{name}\n" for name in ("smith", "jones", "lee") for n in range(50))
    (tmp_path / "votes.csv").write_text(rows + f"{SECRET},{SECRET}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "votes.csv"


def opened(*words: str) -> None:
    """Open a ledger for the tests below."""
    assert run("budget", "open", "budget.db", "--epsilon", "2", "--per", "who", *words).exit_code == 0


def left(*words: str) -> str:
    """Return what is left, exactly."""
    return str(json.loads(run("budget", "show", "budget.db", *words, "--json").stdout)["remaining"]["epsilon"])


def test_it_is_never_overspent_by_processes_that_hurry(votes: str) -> None:
    """Six ask at once for a half of two: four are answered, two are refused, and nothing is left."""
    opened()
    words = ("winner", votes, *ASK, "-e", "1/2", "--ledger", "budget.db")
    with ThreadPoolExecutor(3) as pool:
        done = list(pool.map(lambda _: process(*words), range(6)))
    assert sorted(one.returncode for one in done) == [0] * 4 + [3] * 2
    assert all(SECRET.encode() not in one.stdout + one.stderr for one in done)
    assert left() == "0"
    assert run("budget", "check", "budget.db").stdout == "whole, with 4 charges\n"


def test_a_request_is_charged_and_answered_once(votes: str) -> None:
    """Asked again, in this process or another, the same answer comes back, even when nothing is left."""
    opened()
    words = ("winner", votes, *ASK, "-e", "2", "--ledger", "budget.db", "--request", "may-1", "--json")
    first = json.loads(run(*words).stdout)
    answers = [json.loads(process(*words).stdout), *(json.loads(run(*words).stdout) for _ in range(20))]
    assert answers == [first] * 21
    balance = {"rule": "pure", "epsilon": "0", "delta": "0", "whole": {"kind": "pure", "epsilon": "2"}}
    assert (first["request"], first["left"], first["left_of_share"], left()) == ("may-1", balance, None, "0")
    assert run("winner", votes, *ASK, "-e", "2", "--ledger", "budget.db").exit_code == 3


def test_an_answer_that_was_recorded_needs_no_file(votes: str) -> None:
    """The file may be gone, or be standard input that nobody sends again: it is not read."""
    opened()
    words = (*ASK, "-e", "1", "--ledger", "budget.db", "--request", "may-1", "--json")
    first = run("winner", votes, *words)
    Path(votes).unlink()
    for given in (votes, "-", "elsewhere.csv.gz"):
        again = run("winner", given, *words, given=Unread())
        assert (again.exit_code, again.stdout) == (0, first.stdout)


def test_what_is_over_budget_is_refused_before_anything_is_read(votes: str) -> None:
    """A file need not even be there, and standard input is left alone."""
    opened("--analyst", "ann=1/2")
    Path(votes).unlink()
    asked = (*ASK, "--ledger", "budget.db")
    for file in (votes, "broken.csv.gz", "-"):
        assert run("winner", file, *asked, "-e", "3", given=Unread()).exit_code == 3
        assert run("winner", file, *asked, "-e", "1", "--analyst", "ann", given=Unread()).exit_code == 3
        assert run("winner", file, *asked, "-e", "1", given=Unread()).exit_code in {1, 4}
    assert left() == "2"


def test_an_answer_is_shown_whatever_happens_to_the_ledger(votes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was charged: where what is left cannot be read any more, the answer and its name are told all the same."""
    opened()
    recorded = Ledger.record

    def last(book: Ledger, request: Any, answer: Any) -> dict[str, Any]:
        told = recorded(book, request, answer)
        book.close()
        return told

    monkeypatch.setattr(Ledger, "record", last)
    words = ("winner", votes, *ASK, "-e", "1/4", "--ledger", "budget.db")
    shown, told = run(*words, "--request", "may-1"), json.loads(run(*words, "--json").stdout)
    assert shown.stdout.splitlines()[0] in {"smith", "jones", "lee"}
    assert "Charged as may-1; what is left cannot be read just now." in shown.stdout
    assert (told["left"], len(told["request"])) == (None, 32)


def test_what_is_left_is_told_of_all_and_of_the_share(votes: str) -> None:
    """The whole may be lower than what is left of a share; exactly, too."""
    opened("--analyst", "ann=3/2")
    words = ("winner", votes, *ASK, "-e", "1/3", "--ledger", "budget.db")
    assert run(*words[:-3], "1", *words[-2:]).exit_code == 0
    told = json.loads(run(*words, "--analyst", "ann", "--json").stdout)
    assert (told["left"]["epsilon"], told["left_of_share"]["epsilon"]) == ("2/3", "7/6")
    text = run(*words, "--analyst", "ann").stdout.replace("\n", " ")
    assert "epsilon 1/3 left of 2-differential privacy; of the share, epsilon 5/6 left of 1.5-differential" in text


class Unread(io.BytesIO):
    """A standard input that must not be read."""

    def read(self, size: int | None = -1) -> bytes:
        """Fail, unless nothing is wanted."""
        if size:
            raise AssertionError(size)
        return b""


def test_a_request_that_asks_something_else_is_refused(votes: str) -> None:
    """A name belongs to one question, one price and one memo."""
    opened()
    words = ("winner", votes, *ASK, "--ledger", "budget.db", "--request", "may-1")
    assert run(*words, "-e", "1").exit_code == 0
    for other in (("-e", "1/2"), ("-e", "1", "--memo", "June"), ("-e", "1", "--other", "lee")):
        result = run(*words, *other)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "request: wanted a new one, or the same charge as before" in result.stderr
    assert left() == "1"


def test_settings_and_files_that_are_refused_cost_nothing(votes: str) -> None:
    """Wrong words, a wrong column and a file that breaks off are all found before the charge."""
    opened()
    Path("broken.csv").write_text(f'who,vote\n1,"{SECRET}', encoding="utf-8")
    asked = ("-e", "1", "--ledger", "budget.db")
    assert run("winner", votes, *ASK, *asked, "--at-most", "0").exit_code == 2
    assert run("winner", votes, "-c", "teacher", "--among", "smith", "--unit", "who", *asked).exit_code == 4
    broken = run("winner", "broken.csv", *ASK, *asked)
    assert (broken.exit_code, SECRET in broken.stderr) == (4, False)
    assert left() == "2"


def test_analysts_have_shares(votes: str) -> None:
    """A share is a limit of its own within the whole, may be added later, and belongs to its name."""
    opened("--analyst", "ann=1/2")
    words = ("winner", votes, *ASK, "-e", "1/2", "--ledger", "budget.db")
    assert run(*words, "--analyst", "ann", "--memo", "May report").exit_code == 0
    refused = run(*words, "--analyst", "ann")
    assert (refused.exit_code, "in the budget of 'ann'" in refused.stderr) == (3, True)
    assert run(*words, "--analyst", "bob").exit_code == 2
    opened("--analyst", "ann=1/2", "--analyst", "bob=0.5")
    assert run(*words, "--analyst", "bob").exit_code == 0
    shown = json.loads(run("budget", "show", "budget.db", "--json").stdout)
    assert {name: share["remaining"]["epsilon"] for name, share in shown["analysts"].items()} == {
        "ann": "0",
        "bob": "0",
    }
    assert shown["remaining"]["epsilon"] == "1"
    table = run("budget", "show", "budget.db").stdout
    assert [line.split()[0] for line in table.splitlines() if " epsilon " in line][-3:] == ["(all)", "ann", "bob"]


def test_the_history_says_who_asked_what_and_when(votes: str) -> None:
    """As a table, as an object and as lines of JSON; from a number on; and without any row of the data."""
    opened()
    words = ("winner", votes, *ASK, "-e", "1/4", "--ledger", "budget.db")
    answers = [json.loads(run(*words, "--memo", memo, "--json").stdout) for memo in ("May", "June", "[red]July")]
    listed = json.loads(run("budget", "history", "budget.db", "--json").stdout)
    assert [entry["answer"]["winner"] for entry in listed["history"]] == [answer["winner"] for answer in answers]
    table = run("budget", "history", "budget.db", "--after", "1").stdout
    assert "[red]July" in table
    assert [line.split()[0] for line in table.splitlines() if "privacy" in line] == ["2", "3"]
    assert all(answer["request"] in table for answer in answers[1:])
    out, to = run("budget", "export", "budget.db"), run("budget", "export", "budget.db", "--to", "budget.jsonl")
    lines = [json.loads(line) for line in out.stdout.splitlines()]
    assert (lines[0]["ledger"], lines[1:], to.stdout) == ("default", listed["history"], "")
    assert Path("budget.jsonl").read_text(encoding="utf-8") == out.stdout
    head = lines[-1]["digest"]
    assert run("budget", "check", "budget.db", "--head", head).exit_code == 0
    assert run("budget", "check", "budget.db", "--head", "0" * 64).exit_code == 1
    assert SECRET not in table + out.stdout


def test_a_ledger_that_was_changed_by_hand_is_not_whole(votes: str) -> None:
    """What somebody rewrote, past the triggers, is found."""
    opened()
    assert run("winner", votes, *ASK, "-e", "1", "--ledger", "budget.db").exit_code == 0
    connection = sqlite3.connect("budget.db")
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("UPDATE discreet_charge SET memo = 'never happened'")
    connection.commit()
    connection.close()
    result = run("budget", "check", "budget.db")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "wanted a whole ledger, got one where" in result.stderr


def test_a_budget_is_opened_once(votes: str) -> None:
    """Opening again with the same budget changes nothing; with another it is refused; other people are, too."""
    opened()
    assert run("winner", votes, *ASK, "-e", "1", "--ledger", "budget.db").exit_code == 0
    opened()
    assert left() == "1"
    assert run("budget", "open", "budget.db", "-e", "3", "--per", "who").exit_code == 2
    assert run("winner", votes, "-c", "vote", "--among", "smith", "-e", "1", "--ledger", "budget.db").exit_code == 2
    assert (
        "wanted a budget per 'row'"
        in run("winner", votes, "-c", "vote", "--among", "smith", "-e", "1", "--ledger", "budget.db").stderr
    )


def test_a_ledger_that_is_not_there_is_not_made_by_a_question(votes: str) -> None:
    """A mistyped path must not be a fresh budget: the command says how to open one, and makes no file."""
    result = run("winner", votes, *ASK, "-e", "1", "--ledger", "bugdet.db")
    assert (result.exit_code, Path("bugdet.db").exists()) == (2, False)
    assert "discreet budget open bugdet.db --epsilon 3 --per who\n" in result.stderr
    asked = ("winner", votes, *ASK, "-e", "1", "--ledger", "bug det.db", "--neighbours", "replace", "--dataset", "may")
    command = run(*asked).stderr.partition("to open it: ")[2]
    assert run(*shlex.split(command)[1:]).exit_code == 0
    assert run(*asked).exit_code == 0
    other = run(*asked[:-1], "june")
    assert (other.exit_code, "'may', got 'june'; to open it: discreet budget open 'bug det.db'" in other.stderr) == (
        2,
        True,
    )
    assert run(*shlex.split(other.stderr.partition("to open it: ")[2])[1:]).exit_code == 0


def test_a_file_of_another_kind_is_no_ledger(votes: str) -> None:
    """Whoever only looks is told so, and hears neither of new files nor of charges."""
    result = run("budget", "show", votes)
    assert (result.exit_code, result.stderr.endswith("wanted a ledger, got another kind of file; name a ledger\n")) == (
        1,
        True,
    )


def test_one_ledger_keeps_several_datasets(votes: str) -> None:
    """Each dataset of a ledger has its own budget; one that is not there is named with those that are."""
    opened()
    opened("--dataset", "other")
    words = ("winner", votes, *ASK, "-e", "1", "--ledger", "budget.db")
    assert run(*words, "--dataset", "other").exit_code == 0
    assert (left(), left("--dataset", "other")) == ("2", "1")
    result = run(*words, "--dataset", "third")
    assert (result.exit_code, "'default' or 'other'" in result.stderr) == (2, True)


def test_a_budget_may_count_rho(votes: str) -> None:
    """With a delta, or as rho, charges add up as zCDP, and auto draws by the exponential mechanism."""
    words = ("--delta", "1e-6", "--per", "who", "--analyst", "ann=1.5", "--spare", "1e-7")
    assert run("budget", "open", "rho.db", "--epsilon", "2", *words).exit_code == 0
    told = json.loads(
        run("winner", votes, *ASK, "-e", "1/4", "--ledger", "rho.db", "--analyst", "ann", "--json").stdout
    )
    assert (told["mechanism"], told["guarantee"]["kind"]) == ("the exponential mechanism", "range")
    assert told["left"]["rho"] != told["left_of_share"]["rho"]
    assert run("budget", "open", "only.db", "--rho", "1/8", "--per", "who", "--neighbours", "replace").exit_code == 0
    assert json.loads(run("budget", "show", "only.db", "--json").stdout)["remaining"]["rho"] == "1/8"
    assert run("winner", votes, *ASK, "--rho", "1/9", "--ledger", "only.db").exit_code == 2
    spent = ("winner", votes, *ASK, "--rho", "1/9", "--neighbours", "replace", "--ledger", "only.db")
    assert [run(*spent).exit_code for _ in range(2)] == [0, 3]


def test_the_ledger_may_stand_in_the_environment(votes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """DISCREET_LEDGER names it where no word does: for questions, plans and budgets alike."""
    opened()
    monkeypatch.setenv("DISCREET_LEDGER", "budget.db")
    assert run("winner", votes, *ASK, "-e", "1").exit_code == 0
    assert json.loads(run("budget", "show", "--json").stdout)["remaining"]["epsilon"] == "1"
    plan = json.loads(run("plan", "winner", *ASK, "-e", "3/2", "--json").stdout)
    assert (plan["admitted"], plan["remaining"]) == (False, "epsilon 1 left of 2-differential privacy")
    assert left() == "1"


def test_no_password_is_shown(votes: str) -> None:
    """A ledger named by a URL that cannot be reached, or in the wrong place, is told without its password."""
    declared = '[datasets.votes]\nsource = "votes.csv"\nledger = "b.db"\nbudget = { epsilon = 1 }\n'
    Path("discreet.toml").write_text(declared, encoding="utf-8")
    for url in (f"postgresql://ann:{SECRET}@127.0.0.1:1/budgets", f"mysql://ann:{SECRET}@127.0.0.1/budgets"):
        asked = ("-c", "vote", "--among", "smith", "-e", "1")
        for words in (
            ("winner", votes, *ASK, "-e", "1", "--ledger", url),
            ("budget", "show", url),
            ("budget", "show", "budget.db", url),
            ("budget", url),
            ("winner", votes, url, *asked),
            ("winner", url, *asked),
            ("winner", "votes", *asked, "--ledger", url),
            ("plan", "winner", "votes", *asked, "--ledger", url),
            ("plan", "winner", votes, *asked, "--rehearse", url),
        ):
            for more in ((), ("--json",)):
                result = run(*words, *more)
                assert result.exit_code in {1, 2, 4}
                assert SECRET not in result.stderr + result.stdout


def test_a_budget_may_live_on_a_server(votes: str, server: Server) -> None:  # noqa: F811 - the fixture
    """By its URL: opened, charged from another process, asked again, overspent, listed; its password is never shown."""
    url = server.fresh().replace("//discreet@", f"//discreet:{SECRET}@")
    asked = ("winner", votes, *ASK, "-e", "1/2", "--ledger", url)
    missing, made = run(*asked), run("budget", "open", url, "-e", "1", "--per", "who")
    first, again = (run(*asked, "--request", "may-1", "--json") for _ in range(2))
    other, refused = process(*asked), run(*asked)
    assert first.stdout == again.stdout
    assert [missing.exit_code, made.exit_code, other.returncode, refused.exit_code] == [2, 0, 0, 3]
    history, whole = run("budget", "history", url), run("budget", "check", url)
    assert (whole.stdout, "may-1" in history.stdout) == ("whole, with 2 charges\n", True)
    shown = [one.stdout + one.stderr for one in (missing, made, first, refused, history, whole)]
    assert SECRET not in "".join(shown) + other.stdout.decode() + other.stderr.decode()
