"""What goes wrong ends in one line and a code, and shows nothing of the data."""

import json
import traceback
from pathlib import Path
from typing import Any

import pytest

from discreet.cli import terminal
from discreet.cli.words import Words
from discreet.engines.duckdb import DuckDB
from tests.cli.runner import process, run

PLANTED = "zebra77"
ROWS = f"id,vote\n1,smith\n2,{PLANTED}\n"
ASK = ("--column", "vote", "--among", "smith,jones")


def one_line(stderr: str) -> str:
    """Return the one line that says what is wrong."""
    said = [line for line in stderr.splitlines() if line.startswith("Error: ")]
    assert len(said) == 1
    assert "Traceback" not in stderr
    assert PLANTED not in stderr
    return said[0]


@pytest.mark.parametrize("epsilon", ["nan", "inf", "-inf", "0", "-1", "1/0", "", "0x1", "1e", "one", "0/5", "1/2/3"])
def test_epsilon_is_a_number_above_zero(epsilon: str) -> None:
    """Whatever else is typed is a misuse, said in our own grammar."""
    result = run("winner", *ASK, f"--epsilon={epsilon}", given=ROWS)
    assert (result.exit_code, result.stdout) == (2, "")
    assert one_line(result.stderr).startswith("Error: epsilon: wanted a decimal or a fraction above 0, such as 0.1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["winner", *ASK], "epsilon: wanted --epsilon or --rho, got neither"),
        (["winner", *ASK, "-e", "1", "--rho", "0.5"], "got --epsilon 1 and --rho 0.5"),
        (["winner", "-c", "vote", "-e", "1"], "got neither"),
        (["winner", *ASK, "--among-file", "x", "-e", "1"], "got both"),
        (["winner", "-c", "vote", "--among", "a,a", "-e", "1"], "named twice"),
        (["winner", "-c", "vote", "--among", " , ", "-e", "1"], "at least one"),
        (["winner", "-c", "vote", "--among", '"a', "-e", "1"], "quoted as in CSV"),
        (["winner", *ASK, "-e", "1", "--noise", "gumbel"], "noise: wanted nothing unless"),
        (["winner", *ASK, "-e", "1", "--mechanism", "magic"], "--mechanism"),
        (["winner", *ASK, "-e", "1", "--delimiter", ";;"], "delimiter: wanted one character"),
        (["winner", "--among", "a", "-e", "1"], "--column"),
        (["winner", *ASK, "-e", "1", "--at-most", "0"], "at-most: wanted a whole number from 1, got 0"),
        (["winner", *ASK, "-e", "1", "--other", "lee"], "other: wanted one of the candidates"),
        (["winner", *ASK, "-e", "1", "--by", "school"], "groups: wanted --by (a column) and --groups"),
        (["winner", *ASK, "-e", "1", "--memo", "May"], "memo: wanted --ledger with it"),
        (["winner", *ASK, "-e", "1", "--request", "may-1"], "request: wanted --ledger with it"),
        (["winner", *ASK, "-e", "1", "--analyst", "ann"], "analyst: wanted --ledger with it"),
        (["winner", *ASK, "-e", "1", "--ledger", "none.db"], "discreet budget open none.db --epsilon 3 --per row"),
        (["winner", *ASK, "-e", "1", "--ledger", "x://ann:secret@h"], "a file that lasts, or a URL such as"),
        (["winner", *ASK, "-e", "1", "--ledger", ""], "ledger: wanted a file or a URL, got ''"),
        (["winner", *ASK, "-e", "1", "--unit", ""], "unit: wanted the column that names a person, got ''"),
        (["winner", *ASK, "-e", "1", "--noise", "gumbel"], "unless --mechanism noisy-max"),
        (
            ["approve", "-e", "1"],
            "column: wanted --column (one name a row) or --columns (one a candidate), got neither",
        ),
        (["slot", "-e", "1"], "column: wanted --column (one name a row) or --columns (one a candidate), got neither"),
        (["approve", "--columns", "a,b", "-c", "vote", "-e", "1"], "column: wanted none with --columns"),
        (["approve", "--columns", "a,b", "--among-file", "x", "-e", "1"], "among-file: wanted none with --columns"),
        (["slot", *ASK, "--says", "maybe", "-e", "1"], "--says"),
        (["quantile", "-c", "wage", "-e", "1", "-q", "0.1,0.9"], "bounds: wanted --low and --high"),
        (["quantile", "-c", "wage", "-e", "1", "--step", "2"], "step: "),
        (["quantile", "-c", "wage", "-e", "1", "--over", "2"], "over: "),
        (["quantile", "-c", "wage", "-e", "1", "--method", "joint"], "method: wanted none"),
        (["quantile", "-c", "wage", "-e", "1", "--low", "3"], "bounds: wanted --low and --high"),
        (["quantile", "-c", "wage", "-e", "1", "--low", "3", "--high", "1"], "bounds: wanted a highest number"),
        (["quantile", "-c", "wage", "-e", "1", "--low", "x", "--high", "1"], "low: wanted a number, got 'x'"),
        (["price", "-c", "bid", "-e", "1", "--low", "1", "--high", "y"], "high: wanted a number, got 'y'"),
        (["quantile", "-c", "wage", "-e", "1", "--low", "0", "--high", "1", "-q", "2"], "q: wanted a number strictly"),
        (["quantile", "-c", "w", "-e", "1", "--low", "0", "--high", "1", "-q", "0.5,0.1"], "qs: wanted"),
        (
            ["quantile", "-c", "w", "-e", "1", "--low", "0", "--high", "1", "--over", "0"],
            "over: wanted a number above 0",
        ),
        (
            ["quantile", "-c", "w", "-e", "1", "--low", "0", "--high", "1", "-q", "0.1,0.5", "--under", "2"],
            "under: wanted none",
        ),
        (["price", "-c", "bid", "-e", "1", "--low", "0", "--high", "1"], "prices: wanted prices above 0"),
        (["total", *ASK, "-e", "1"], "amount: wanted --amount"),
        (["total", *ASK, "-e", "1", "--amount", "paid"], "high: wanted --high"),
        (["hypothesis", "-e", "1", "--predicted", "a"], "truth: wanted --truth"),
        (["hypothesis", "-e", "1", "--truth", "b"], "hypotheses: wanted one or more of"),
        (["hypothesis", "-e", "1", "--truth", "b", "--rule", "age"], "rule: wanted a column, one of"),
        (["hypothesis", "-e", "1", "--truth", "b", "--rule", "a > b"], "hypotheses: wanted a number"),
        (["budget", "open", "none.db"], "epsilon: wanted --epsilon or --rho, got neither"),
        (["budget", "open", "none.db", "-e", "1", "--analyst", "ann"], "analyst: wanted a name and a number"),
        (["budget", "show", "none.db"], "ledger: wanted one that was opened before"),
        (["budget", "show", ""], "ledger: wanted a file, a URL or a declared dataset, got ''"),
        (["top", *ASK, "-e", "1", "-k", "3", "--delta", "1e-6"], "among: wanted none with --delta"),
        (["top", "-c", "vote", "--rho", "1", "-k", "3", "--delta", "1e-6"], "rho: wanted none with --delta"),
        (
            ["top", "-c", "v", "-e", "1", "-k", "3", "--delta", "1e-6", "--mechanism", "exponential"],
            "mechanism: wanted",
        ),
        (["top", "-c", "v", "-e", "1", "-k", "3", "--delta", "2"], "delta: wanted a number strictly between 0 and 1"),
        (["plan", "top", "-c", "v", "-k", "3", "--delta", "1e-6", "--error", "3"], "error: wanted --epsilon with it"),
        (["plan", "winner", *ASK, "-e", "1", "--rehearse", "-"], "rehearse: wanted a file of invented or public data"),
        (["top", *ASK, "-e", "1", "-k", "3"], "k: wanted a whole number from 1 to 2, got 3"),
        (["top", *ASK, "-e", "1", "-k", "0"], "k: wanted a whole number from 1 to 2, got 0"),
        (["top", *ASK, "-e", "1", "-k", "1", "--mechanism", "noisy-max"], "which can be peeled"),
        (["elect"], "elect"),
    ],
)
def test_a_wrong_setting_is_a_misuse(words: list[str], said: str) -> None:
    """Settings are refused with code 2; most of them before the data is looked at."""
    result = run(*words, given=ROWS)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in one_line(result.stderr)


@pytest.mark.parametrize(
    ("rows", "column"),
    [
        ("", "vote"),
        (ROWS, "teacher"),
        (ROWS, PLANTED.upper()),
        (f"1,{PLANTED}\n2,smith\n", "vote"),
        (f"id,vote\n1,{PLANTED},3\n", "vote"),
        (f'id,vote\n1,"{PLANTED}\n', "vote"),
    ],
)
def test_a_wrong_declaration_of_the_data_has_its_own_code(rows: str, column: str) -> None:
    """Data that is not as declared ends with code 4, and shows no field, here and in a process of its own."""
    words = ["winner", "-c", column, "--among", "smith,jones", "-e", "1"]
    result = run(*words, given=rows)
    done = process(*words, given=rows.encode())
    assert (result.exit_code, result.stdout, done.returncode, done.stdout) == (4, "", 4, b"")
    assert one_line(result.stderr) == done.stderr.decode().rstrip()


def test_a_missing_file_has_the_same_code(tmp_path: Path) -> None:
    """A file that is not there is a wrong declaration too, of data and of candidates."""
    none = str(tmp_path / "none.parquet")
    assert run("winner", none, *ASK, "-e", "1").exit_code == 4
    assert run("winner", "-c", "vote", "--among-file", none, "-e", "1", given=ROWS).exit_code == 4


def test_settings_are_refused_before_the_file_is_opened(tmp_path: Path) -> None:
    """With a wrong setting and a wrong file, it is the setting that is told."""
    words = ["-c", "vote", "--among", "smith", "-e", "1", "--noise", "gumbel"]
    assert run("winner", str(tmp_path / "none.csv"), *words).exit_code == 2


def test_a_terminal_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a file and with a person at the keyboard, the command says what it wants."""
    monkeypatch.setattr("sys.stdin", _Keyboard())
    with pytest.raises(ValueError, match="wanted the path"), Words({}).table(None):
        pass


def test_an_unforeseen_error_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug of ours, or of a library, shows its kind and place and not its message."""

    def broken(*_: object) -> Any:
        raise KeyError(PLANTED)

    monkeypatch.setattr(DuckDB, "tally", broken)
    result = run("winner", *ASK, "-e", "1", given=ROWS)
    assert result.exit_code == 1
    assert "nothing was released: KeyError in test_failures.py" in one_line(result.stderr)
    assert PLANTED in "".join(traceback.format_exception_only(KeyError(PLANTED)))


@pytest.mark.parametrize(
    ("words", "code", "kind"),
    [
        (["winner", *ASK], 2, "setting"),
        (["winner", "--no-such-word", *ASK], 2, "setting"),
        (["top", *ASK, "-e", "1"], 2, "setting"),
        (["winner", "-c", "teacher", "--among", "smith", "-e", "1"], 4, "data"),
        (["budget", "show"], 2, "setting"),
    ],
)
def test_with_json_a_failure_is_an_object(words: list[str], code: int, kind: str) -> None:
    """On standard error, on one line, with the kind, the code and the same message as without."""
    told, plain = run(*words, "--json", given=ROWS), run(*words, given=ROWS)
    error = json.loads(told.stderr)["error"]
    assert (told.exit_code, told.stdout, error["code"], error["kind"]) == (code, "", code, kind)
    assert one_line(plain.stderr) == f"Error: {error['message']}"


def test_over_budget_has_its_own_code_and_its_numbers(tmp_path: Path) -> None:
    """Code 3; what was wanted and what is left are in the message, and exactly in the object; nothing is charged."""
    book = str(tmp_path / "budget.db")
    assert run("budget", "open", book, "-e", "1/3").exit_code == 0
    words = ("winner", *ASK, "-e", "1/2", "--ledger", book)
    result, told = run(*words, given=ROWS), run(*words, "--json", given=ROWS)
    assert (result.exit_code, told.exit_code, result.stdout) == (3, 3, "")
    assert "nothing was charged" in one_line(result.stderr)
    error = json.loads(told.stderr)["error"]
    assert (error["requested"], error["remaining"], error["rule"]) == ("1/2", "1/3", "pure")
    assert json.loads(run("budget", "show", book, "--json").stdout)["spent"]["epsilon"] == "0"


def test_a_broken_ledger_is_told_as_such(tmp_path: Path) -> None:
    """Another kind of file in the ledger's place is code 1, in the ledger's own words, and nothing is read."""
    (tmp_path / "budget.db").write_text("not a ledger", encoding="utf-8")
    words = ("winner", str(tmp_path / "none.csv"), *ASK, "-e", "1", "--ledger", str(tmp_path / "budget.db"))
    result = run(*words)
    assert (result.exit_code, json.loads(run(*words, "--json").stderr)["error"]["kind"]) == (1, "ledger")
    assert "wanted a ledger, got another kind of file" in one_line(result.stderr)


def test_waiting_tells_no_one_but_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Off a terminal nothing is written while work goes on."""
    with terminal.waiting("counting"):
        pass
    assert capsys.readouterr() == ("", "")


def test_waiting_on_a_terminal_starts_and_stops(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """On a terminal the sign of life appears after its time, and is gone at the end even of a failure."""
    monkeypatch.setattr(terminal, "PATIENCE", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with pytest.raises(KeyError), terminal.waiting("counting"):
        raise KeyError
    assert PLANTED not in capsys.readouterr().err


class _Keyboard:
    def isatty(self) -> bool:
        """A person sits here."""
        return True
