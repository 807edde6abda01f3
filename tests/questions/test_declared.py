"""Datasets declared in a file: read exactly, found where it should be, and refused by name where they are wrong."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.errors import BudgetError
from discreet.questions.declared import datasets, found
from discreet.questions.sources import Bounds

WHOLE = """
[datasets.plays]
source = "data/*.csv"
unit = "listener"
neighbours = "replace"
delimiter = ";"
memory = "1GB"
ledger = "budget.db"
budget = { epsilon = 0.1, delta = 1e-6, spare = "1/10000000" }
analysts = { ann = { epsilon = "1/20", delta = 1e-6 } }

[datasets.plays.candidates]
song = ["Blue Hour", "caf\u00e9"]
article = { file = "articles.txt" }
stars = { from = 1, to = 5 }
price = { from = 0.1, to = 0.3, step = 0.1 }
day = [2026-05-01, 2026-05-02]
mixed = [1.50, true, 7]

[datasets.plays.bounds]
minutes = { low = 0, high = 10.5, step = 0.1 }
"wage; \\"monthly\\"" = { low = -1, high = 1 }

[datasets.other]
source = "votes.parquet"
"""

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a declaration and say where it is."""

    def written(text: str) -> Path:
        file = tmp_path / "discreet.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return written


def test_all_that_is_declared_is_read(write: Write, tmp_path: Path) -> None:
    """Paths stand beside the file that names them; numbers with a point are the decimals they are written as."""
    (tmp_path / "articles.txt").write_text("\ufeffone\r\n\n two \n", encoding="utf-8")
    known = datasets(write(WHOLE))
    plays = known["plays"]
    assert list(known) == ["plays", "other"]
    assert (plays.source, plays.unit, plays.neighbours) == (str(tmp_path / "data/*.csv"), "listener", "replace")
    assert (plays.delimiter, plays.memory, plays.ledger()) == (";", "1GB", str(tmp_path / "budget.db"))
    assert plays.budget is not None
    assert (plays.budget.epsilon, plays.budget.delta, plays.budget.spare) == tuple(
        map(Fraction, ("1/10", "1e-6", "1e-7"))
    )
    assert (plays.budget.per, plays.budget.neighbours) == ("listener", "replace")
    assert plays.analysts["ann"].epsilon == Fraction(1, 20)
    assert (plays.among("song"), plays.among("article")) == (("Blue Hour", "caf\u00e9"), ("one", "two"))
    assert (plays.among("stars"), plays.among("price")) == ((1, 2, 3, 4, 5), tuple(map(Decimal, ("0.1", "0.2", "0.3"))))
    assert plays.among("day") == (dt.date(2026, 5, 1), dt.date(2026, 5, 2))
    assert plays.among("mixed") == (Decimal("1.50"), True, 7)
    assert plays.bounds("minutes") == Bounds(0, Fraction(21, 2), Fraction(1, 10))
    assert plays.bounds('wage; "monthly"') == Bounds(-1, 1, 1)
    assert (known["other"].unit, known["other"].neighbours, known["other"].budget) == ("row", "add-remove", None)


@given(st.decimals(min_value="0.000001", max_value=1000, places=6))
def test_a_number_is_the_decimal_it_is_written_as(value: Decimal) -> None:
    """No binary float comes between the file and the budget; a float would be another number."""
    import tempfile  # noqa: PLC0415 - a folder for each example

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "discreet.toml"
        file.write_text(
            f'[datasets.a]\nsource = "a.csv"\nledger = "b"\nbudget = {{ epsilon = {value:f} }}\n', encoding="utf-8"
        )
        budget = datasets(file)["a"].budget
    assert budget is not None
    assert budget.epsilon == Fraction(value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x", "wanted TOML"),
        ("[dataset.a]", "discreet.toml: wanted only datasets; got 'dataset'"),
        ("datasets = 3", "datasets: wanted a table, got 3"),
        ("[datasets]\na = 3", "datasets.a: wanted a table, got 3"),
        ('[datasets."a b"]\nsource = "x"', "datasets: wanted names of letters, digits, _ and -, got 'a b'"),
        ("[datasets.a]", "datasets.a.source: wanted the path of a file or a pattern, got none"),
        ('[datasets.a]\nsource = ""', "datasets.a.source: wanted a text, got ''"),
        ('[datasets.a]\nsource = ["x"]', "datasets.a.source: wanted a text, got a list of 1"),
        ('[datasets.a]\nsource = "x"\nunits = "u"', "datasets.a: wanted only source, table, unit,"),
        ('[datasets.a]\nsource = "x"\nneighbours = "all"', "datasets.a.neighbours: neighbours: wanted"),
        ('[datasets.a]\nsource = "x"\nbudget = 3', "datasets.a.budget: wanted a table, got 3"),
        ('[datasets.a]\nsource = "x"\nbudget = {}', "datasets.a.budget: budget: wanted one of"),
        ('[datasets.a]\nsource = "x"\nbudget = { epsilon = -1 }', "datasets.a.budget: epsilon: wanted a number above"),
        ('[datasets.a]\nsource = "x"\nbudget = { epsilon = nan }', "datasets.a.budget: epsilon: wanted"),
        ('[datasets.a]\nsource = "x"\nbudget = { epsilon = inf }', "datasets.a.budget: epsilon: wanted"),
        ('[datasets.a]\nsource = "x"\nbudget = { epsilon = true }', "datasets.a.budget: epsilon: wanted"),
        ('[datasets.a]\nsource = "x"\nbudget = { epsilon = [1] }', "datasets.a.budget: epsilon: wanted"),
        ('[datasets.a]\nsource = "x"\nbudget = { epsilon = 1, per = "u" }', "datasets.a.budget: wanted only epsilon"),
        ('[datasets.a]\nsource = "x"\nanalysts = { ann = 1 }', "datasets.a.analysts.ann: wanted a table, got 1"),
        (
            '[datasets.a]\nsource = "x"\nbudget = { epsilon = 1 }',
            "datasets.a.budget: wanted a ledger declared with it, since nothing else holds anybody to it, got none",
        ),
        (
            '[datasets.a]\nsource = "x"\nanalysts = { ann = { epsilon = 1 } }',
            "datasets.a.analysts: wanted a ledger declared with it",
        ),
        ('[datasets.a]\nsource = "x"\nledger = 3', "datasets.a.ledger: wanted a text, got 3"),
        ('[datasets.a]\nsource = "x"\nledger = { variable = "X" }', "datasets.a.ledger: wanted only env"),
        ('[datasets.a]\nsource = "x"\nledger = { env = 3 }', "datasets.a.ledger.env: wanted a text, got 3"),
        ('[datasets.a]\nsource = "x"\nledger = {}', "datasets.a.ledger: wanted env, the variable that holds"),
        ('[datasets.a]\nsource = "x"\ncandidates = ["b"]', "datasets.a.candidates: wanted a table, got a list of 1"),
        ('[datasets.a.candidates]\nb = []\n[datasets.a]\nsource = "x"', "datasets.a.candidates.b: candidates: wanted"),
        ('[datasets.a.candidates]\nb = ["c", "c"]\n[datasets.a]\nsource = "x"', "named twice"),
        ('[datasets.a.candidates]\nb = [["c"]]\n[datasets.a]\nsource = "x"', "datasets.a.candidates.b: candidates: "),
        (
            '[datasets.a.candidates]\nb = 3\n[datasets.a]\nsource = "x"',
            "datasets.a.candidates.b: wanted a table, got 3",
        ),
        ('[datasets.a.candidates]\nb = { from = 1 }\n[datasets.a]\nsource = "x"', "wanted from and to, got from"),
        ('[datasets.a.candidates]\nb = { file = 3 }\n[datasets.a]\nsource = "x"', "b.file: wanted a text, got 3"),
        ('[datasets.a.candidates]\nb = { file = "f", to = 3 }\n[datasets.a]\nsource = "x"', "b: wanted only file"),
        ('[datasets.a.bounds]\nb = { low = 1, high = 0 }\n[datasets.a]\nsource = "x"', "datasets.a.bounds.b: bounds: "),
        ('[datasets.a.bounds]\nb = { from = 1, to = 2 }\n[datasets.a]\nsource = "x"', "wanted only low, high, step"),
    ],
)
def test_a_wrong_declaration_is_refused_by_its_place(write: Write, text: str, said: str) -> None:
    """Every refusal is a wrong declaration of data, names the place, and leaves a right file alone."""
    with pytest.raises(discreet.DataError) as refused:
        datasets(write(text))
    assert said in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_file_that_is_no_toml_is_not_quoted(write: Write) -> None:
    """It may hold a password; the place where it breaks is told."""
    with pytest.raises(discreet.DataError, match="at line 1, column") as refused:
        datasets(write('ledger = "postgresql://ann:zebra77@host/b" zebra77'))
    assert "zebra77" not in str(refused.value)


def test_bytes_and_folders_are_refused(tmp_path: Path) -> None:
    """What cannot be read as text is no declaration."""
    (tmp_path / "discreet.toml").write_bytes(b"\xff\xfe")
    for place in (tmp_path / "discreet.toml", tmp_path, tmp_path / "none.toml"):
        with pytest.raises(discreet.DataError, match=r"wanted (a file that can be read|UTF-8 text)"):
            datasets(place)


def test_it_is_found_from_here_upwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Write) -> None:
    """The nearest file counts; the variable goes before it, and the one that is named before both."""
    monkeypatch.delenv("DISCREET_CONFIG", raising=False)
    outer, inner = write(WHOLE), tmp_path / "one" / "two"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert found() == outer
    (tmp_path / "one" / "discreet.toml").write_text('[datasets.near]\nsource = "x"\n', encoding="utf-8")
    assert list(datasets()) == ["near"]
    monkeypatch.setenv("DISCREET_CONFIG", str(outer))
    assert list(datasets()) == ["plays", "other"]
    assert list(datasets("../discreet.toml")) == ["near"]
    with pytest.raises(discreet.DataError, match=r"wanted one of those declared \(plays, other\), got 'none'"):
        discreet.dataset("none")


def test_nothing_is_declared_where_there_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a file there are no datasets, and no error."""
    monkeypatch.delenv("DISCREET_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    if found() is None:  # somebody's own file may stand above the temporary folder
        assert datasets() == {}


DECLARED = """
[datasets.votes]
source = "votes.csv"
unit = "pupil"
ledger = {ledger}
budget = {{ epsilon = 2 }}
candidates = {{ trip = ["zoo", "lake"] }}
bounds = {{ age = {{ low = 6, high = 18 }} }}
"""


def test_a_declared_dataset_is_asked_with_its_budget(write: Write, tmp_path: Path) -> None:
    """The ledger is opened once, by whoever means to, and from then on each question is charged."""
    rows = {"pupil": list(range(900)), "trip": ["zoo"] * 900, "age": [9] * 900}
    pl.DataFrame(rows).write_csv(tmp_path / "votes.csv")
    votes = discreet.dataset("votes", write(DECLARED.format(ledger='"budget.db"')))
    with pytest.raises(discreet.SettingError, match="discreet budget open votes"):
        votes.open()
    assert not (tmp_path / "budget.db").exists()
    book = votes.book(create=True)
    assert book is not None
    book.close()
    table = votes.open()
    assert table.ask(discreet.Winner("trip", among=votes.among("trip")), epsilon=1).winner == "zoo"
    low, high, step = votes.bounds("age")
    assert table.ask(discreet.Median("age", bounds=(low, high), step=step), epsilon=1).value == 9
    assert table.ledger is not None
    assert table.ledger.remaining.epsilon == 0
    with pytest.raises(BudgetError):
        table.ask(discreet.Winner("trip", among=["zoo"]), epsilon="0.1")
    table.ledger.close()
    with pytest.raises(discreet.DataError, match="a budget cannot be changed"):
        discreet.dataset("votes", write(DECLARED.format(ledger='"budget.db"').replace("epsilon = 2", "rho = 3"))).open()
    for wrong in (votes.among, votes.bounds):
        with pytest.raises(discreet.DataError, match="wanted one of those declared"):
            wrong("school")


def test_a_ledger_may_be_named_by_a_variable(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that no password stands in the file, and none is shown."""
    votes = discreet.dataset("votes", write(DECLARED.format(ledger='{ env = "VOTES_LEDGER" }')))
    monkeypatch.delenv("VOTES_LEDGER", raising=False)
    with pytest.raises(
        discreet.DataError, match="wanted the variable VOTES_LEDGER to hold a path or a URL, got nothing"
    ):
        votes.book()
    monkeypatch.setenv("VOTES_LEDGER", "other.db")
    assert votes.ledger() == str(tmp_path / "other.db")
    monkeypatch.setenv("VOTES_LEDGER", "postgresql://ann:zebra77@127.0.0.1:1/b")
    with pytest.raises(discreet.DiscreetError) as refused:
        votes.book()
    assert "zebra77" not in str(refused.value) + repr(votes)
    plain = discreet.dataset("votes", write(DECLARED.format(ledger='"postgresql://ann:zebra77@host/b"')))
    assert "zebra77" not in repr(plain)
    assert plain.ledger() == "postgresql://ann:zebra77@host/b"


def test_a_dataset_without_a_ledger_has_none(write: Write, tmp_path: Path) -> None:
    """It opens as a table that is charged nowhere."""
    pl.DataFrame({"vote": ["a"]}).write_parquet(tmp_path / "votes.parquet")
    other = discreet.dataset("other", write(WHOLE))
    assert (other.book(), other.book(create=True), other.open().ledger) == (None, None, None)


def test_a_ledger_that_is_handed_over_has_the_declared_budget(write: Write, tmp_path: Path) -> None:
    """Whichever ledger a declared dataset is opened with: it holds what was declared, of all and of each analyst."""
    pl.DataFrame({"pupil": [1], "trip": ["zoo"], "age": [9]}).write_csv(tmp_path / "votes.csv")
    shares = 'ledger = "b.db"\nanalysts = { ann = { epsilon = 1 } }\n'
    votes = discreet.dataset("votes", write(DECLARED.format(ledger='"b.db"').replace('ledger = "b.db"\n', shares)))
    two = discreet.Budget(epsilon=2, per="pupil")
    one, half = (discreet.Budget(epsilon=epsilon, per="pupil") for epsilon in ("1", "1/2"))
    for place, budget, analysts, said in (
        ("large.db", discreet.Budget(epsilon=100, per="pupil"), {}, "votes.budget: wanted the budget this ledger"),
        ("others.db", discreet.Budget(epsilon=2, per="person"), {}, "votes.budget: wanted the budget this ledger"),
        ("share.db", two, {"ann": half}, "votes.analysts.ann: wanted the budget this ledger opened with"),
        ("same.db", two, {"ann": one, "bob": half}, None),
    ):
        with discreet.Ledger(tmp_path / place, budget, dataset="votes", analysts=analysts) as book:
            if said is None:
                assert votes.open(ledger=book).ledger is book
            else:
                with pytest.raises(discreet.DataError, match=said):
                    votes.open(ledger=book)
    with discreet.Ledger(tmp_path / "b.db", two, dataset="votes", analysts={"ann": half}):
        pass
    with pytest.raises(discreet.DataError, match=r"votes\.analysts\.ann: wanted"):
        votes.open()


def test_a_ledger_is_not_opened_without_a_budget(write: Write, tmp_path: Path) -> None:
    """Whoever opens it is told what to declare, and no file is made."""
    text = DECLARED.format(ledger='"budget.db"').replace("budget = { epsilon = 2 }\n", "")
    votes = discreet.dataset("votes", write(text))
    with pytest.raises(discreet.DataError, match=r"votes\.budget: wanted one .* such as budget = \{ epsilon = 3 \}"):
        votes.book(create=True)
    assert not (tmp_path / "budget.db").exists()


def test_a_source_that_is_a_url_keeps_its_password(write: Write) -> None:
    """It is no file; what is told of it is how it begins."""
    text = DECLARED.format(ledger='"budget.db"').replace("votes.csv", "postgresql://ann:zebra77@host/b")
    votes = discreet.dataset("votes", write(text.replace('ledger = "budget.db"\nbudget = { epsilon = 2 }\n', "")))
    with pytest.raises(discreet.DataError, match=r"got 'postgresql://\.\.\.'") as refused:
        votes.open()
    assert "zebra77" not in str(refused.value)
