"""History, export, and the check that finds what was done behind the ledger's back."""

# ruff: noqa: S608 - the statements are our own
import io
import json
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import LedgerError, SettingError
from discreet.guarantees import Approx, Pure, Range, from_dict
from discreet.ledger import Budget, Ledger, chain, reports
from discreet.ledger.units import SCALE, WIDTH, written
from tests.ledger.doors import back_door

BUDGET = Budget(epsilon=3, delta="1e-6", spare="1e-7")


def filled(where: str) -> str:
    """Make a ledger of five charges and three answers; return the digest of the last charge."""
    with Ledger(where, BUDGET, analysts={"ann": Budget(epsilon=2, delta="1e-6", spare="1e-8")}) as ledger:
        ledger.charge(Range("0.1"), request="one", memo="May")
        ledger.charge(Approx("0.1", "1e-9"), request="two", question={"column": "trip"}, analyst="ann")
        for request in ("two", "one"):
            ledger.record(request, {"winner": request})
        ledger.reserve([Range("0.1"), Range("0.2")], request="plan")
        ledger.charge(Range("0.1"), plan="plan", request="three")
        ledger.record("three", {"winner": "three"})
        assert ledger.check() == 4
        return ledger.charge(Pure("0.1"), request="four").digest


def test_history_tells_all_in_order(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guarantee, memo, question, answer, analyst, plan; page by page."""
    filled(where)
    monkeypatch.setattr(reports, "PAGE", 2)
    with Ledger(where) as ledger:
        entries = list(ledger.history())
        assert [entry.seq for entry in entries] == [1, 2, 3, 4, 5]
        assert [entry.seq for entry in ledger.history(after=3)] == [4, 5]
        one, two, plan, three, _ = entries
        assert (one.memo, one.guarantee, one.answer) == ("May", Range("0.1"), {"winner": "one"})
        assert (two.question, two.analyst, two.delta) == ({"column": "trip"}, "ann", Fraction(1, 10**9))
        assert (plan.guarantee, len(plan.reserved), plan.answer) == (None, 2, None)
        assert (three.plan, three.amount, three.answered is not None) == ("plan", Fraction(0), True)
        assert sum(entry.amount for entry in entries) == ledger.spent.rho
        with pytest.raises(SettingError):
            list(ledger.history(after=-1))


def test_an_export_is_lines_of_json(where: str, tmp_path: Path) -> None:
    """The budgets first, then each charge; no key; and it writes over nothing."""
    head = filled(where)
    with Ledger(where) as ledger:
        assert ledger.export(tmp_path / "export.jsonl") == 5
        stream = io.StringIO()
        assert ledger.export(stream) == 5
        text = (tmp_path / "export.jsonl").read_text()
        assert stream.getvalue() == text
        first, *lines = map(json.loads, text.splitlines())
        assert Budget.from_dict(first["budget"]) == BUDGET
        assert list(first["analysts"]) == ["ann"]
        assert [line["request"] for line in lines] == ["one", "two", "plan", "three", "four"]
        assert from_dict(lines[0]["guarantee"]) == Range("0.1")
        assert lines[-1]["digest"] == head
        assert sum(Fraction(line["amount"]) for line in lines) == ledger.spent.rho
        assert ledger.key().hex() not in text
        assert all(ledger.check(head=line["digest"]) == 5 for line in (first, *lines))
        for taken in (tmp_path / "export.jsonl", tmp_path / "no folder" / "export.jsonl"):
            with pytest.raises(LedgerError, match=r"^export: wanted the name of a new file"):
                ledger.export(taken)
        assert (tmp_path / "export.jsonl").read_text() == text


def test_an_export_that_fails_leaves_nothing(where: str, tmp_path: Path) -> None:
    """A file with half of the history would look like all of it."""
    filled(where)
    with back_door(where, disarmed=True) as run:
        run("UPDATE discreet_charge SET content = 'none' WHERE seq = 3")
    with Ledger(where) as ledger, pytest.raises(LedgerError, match=r"wanted rows that can be read"):
        ledger.export(tmp_path / "export.jsonl")
    assert not (tmp_path / "export.jsonl").exists()


WORDS = {"more": written(SCALE * 10**6), "less": written(1), "wrong": "x" * WIDTH}
TAMPERED = {
    "UPDATE discreet_charge SET amount = '{less}' WHERE seq = 1": "number 1 was changed",
    "UPDATE discreet_charge SET memo = 'June' WHERE seq = 1": "number 1 was changed",
    "UPDATE discreet_charge SET content = content || ' ' WHERE seq = 5": "number 5 was changed",
    "UPDATE discreet_charge SET analyst = '' WHERE seq = 2": "number 2 was changed",
    "UPDATE discreet_charge SET request = 'other' WHERE seq = 5": "number 5 was changed",
    "UPDATE discreet_charge SET amount = '{wrong}' WHERE seq = 5": "cannot be read",
    "DELETE FROM discreet_charge WHERE seq = 5": "do not add up",
    "DELETE FROM discreet_charge WHERE seq = 3": "number 3 is missing",
    "UPDATE discreet_charge SET seq = 6 WHERE seq = 5": "number 5 is missing",
    "DELETE FROM discreet_answer WHERE seq = 1": "answer number 2 is missing",
    "UPDATE discreet_answer SET answer = '{{}}' WHERE seq = 2": "the answer to number 2 was changed",
    "UPDATE discreet_answer SET seq = 5 WHERE seq = 2": "the answer to number 5 was changed",
    "UPDATE discreet_account SET spent = '{less}' WHERE analyst = ''": "charges of the whole do not add up",
    "UPDATE discreet_account SET spent_delta = most_delta WHERE analyst = 'ann'": "charges of ann do not add up",
    "UPDATE discreet_account SET most = '{more}' WHERE analyst = ''": "number 1 was changed, or the account",
    "UPDATE discreet_account SET most = '{more}' WHERE analyst = 'ann'": "number 2 was changed, or the account",
    "DELETE FROM discreet_account WHERE analyst = 'ann'": "the account of number 2 is missing",
    "UPDATE discreet_dataset SET opened = 'never'": "number 1 was changed",
    "DELETE FROM discreet_dataset": "the dataset is missing",
}


@pytest.mark.parametrize("statement", TAMPERED)
def test_tampering_is_found(where: str, statement: str) -> None:
    """A row that was changed, deleted or moved shows; before, all is well."""
    filled(where)
    with Ledger(where) as ledger:
        assert ledger.check() == 5
        with back_door(where, disarmed=True) as run:
            run(statement.format(**WORDS))
        with pytest.raises(LedgerError, match=rf"got one where .*({TAMPERED[statement]}).*; keep it, and restore"):
            ledger.check()


def test_another_key_is_found(where: str) -> None:
    """The key decides which rows of a person are kept, so it is part of what is checked."""
    filled(where)
    with Ledger(where) as ledger, back_door(where, disarmed=True) as run:
        run("UPDATE discreet_dataset SET secret = ?", bytes(32))
        with pytest.raises(LedgerError, match=r"number 1 was changed"):
            ledger.check()


def test_an_older_copy_is_found_by_a_digest_that_was_noted(where: str) -> None:
    """By itself it is whole; what was noted outside tells that something is gone."""
    head = filled(where)
    with Ledger(where) as ledger:
        assert ledger.check(head=head) == 5
        with back_door(where, disarmed=True) as run:
            ((spent,),) = run("SELECT spent FROM discreet_account WHERE analyst = ''")
            ((amount,),) = run("SELECT amount FROM discreet_charge WHERE seq = 5")
            run("DELETE FROM discreet_charge WHERE seq = 5")
            run(
                "UPDATE discreet_account SET spent = ? WHERE analyst = ''", f"{int(spent) - int(amount):0{len(spent)}d}"
            )
        assert ledger.check() == 4
        with pytest.raises(LedgerError, match=r"no charge has the digest that was noted"):
            ledger.check(head=head)


def test_the_check_goes_through_many_pages(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is skipped between them."""
    filled(where)
    monkeypatch.setattr(chain, "PAGE", 1)
    with Ledger(where) as ledger:
        assert ledger.check() == 5
        with back_door(where, disarmed=True) as run:
            run("DELETE FROM discreet_charge WHERE seq = 4")
            run("DELETE FROM discreet_answer WHERE number = 1")
        with pytest.raises(LedgerError, match=r"number 4 is missing.*answer number 1 is missing"):
            ledger.check()


REST = "analyst, content, question, memo, plan, turn, amount, delta, digest"
REFUSED = [
    "DELETE FROM discreet_charge WHERE seq = 5",
    "DELETE FROM discreet_answer",
    "DELETE FROM discreet_account",
    "DELETE FROM discreet_dataset",
    "DELETE FROM discreet_about",
    "UPDATE discreet_charge SET memo = 'June'",
    "UPDATE discreet_answer SET answer = '{}'",
    "UPDATE discreet_dataset SET opened = 'never'",
    "UPDATE discreet_about SET version = 0",
    "UPDATE discreet_account SET spent = '0' || substr(spent, 1, length(spent) - 1)",
    "UPDATE discreet_account SET most = spent",
    "UPDATE discreet_account SET budget = '{}'",
    "UPDATE discreet_account SET spent = '9' || substr(most, 2)",
    f"INSERT INTO discreet_charge SELECT dataset, 7, time, 'new', {REST} FROM discreet_charge WHERE seq = 1",
    f"INSERT INTO discreet_charge SELECT dataset, 6, time, request, {REST} FROM discreet_charge WHERE seq = 1",
    "INSERT INTO discreet_answer SELECT dataset, 5, 5, time, answer, digest FROM discreet_answer WHERE number = 1",
]


@pytest.mark.parametrize("statement", REFUSED)
def test_the_database_itself_only_appends(where: str, statement: str) -> None:
    """A slip of the hand in the database's own shell changes nothing."""
    filled(where)
    with pytest.raises(Exception, match=r"never changed|constraint|violates"), back_door(where, disarmed=False) as run:  # noqa: PT012
        run(statement)
        run("SELECT 'it went through'")
    with Ledger(where) as ledger:
        assert ledger.check() == 5
