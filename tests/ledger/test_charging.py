"""The contract of a ledger, in a file and on a server: charges, requests, plans, analysts, answers."""

import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from discreet.accounting import repeat
from discreet.errors import BudgetError, LedgerError, SettingError
from discreet.guarantees import Approx, LaplacePair, Pure, Range, Zcdp
from discreet.ledger import Budget, Ledger
from tests.ledger.doors import in_child, locked


def test_ten_tenths_fill_one(where: str) -> None:
    """Sums are exact; one charge more is refused with public numbers, charges nothing, and stays refused."""
    with Ledger(where, Budget(epsilon=1)) as ledger:
        for number in range(10):
            assert ledger.admits(Pure("0.1"))
            assert ledger.charge(Pure("0.1")).seq == number + 1
        assert ledger.remaining.epsilon == 0
        with pytest.raises(BudgetError, match=r"epsilon: wanted at most the 0 that is left .* got 0.1; nothing was"):
            ledger.charge(Pure("0.1"))
        assert not ledger.admits(Pure("1e-300"))
        assert ledger.spent.epsilon == 1
        assert ledger.check() == 10


def test_a_refusal_carries_public_numbers(where: str) -> None:
    """What was requested, what is left, and the rule."""
    with Ledger(where, Budget(epsilon=3)) as ledger:
        ledger.charge(Pure("2.5"))
        with pytest.raises(BudgetError) as refused:
            ledger.charge(Range(1))
        error = refused.value
        assert (error.requested, error.remaining, error.rule) == (Fraction(1), Fraction(1, 2), "pure")
        assert str(ledger.remaining) == "epsilon 0.5 left of 3-differential privacy"
        assert str(ledger.spent) == "epsilon 2.5 spent of 3-differential privacy"


def test_a_request_is_charged_once(where: str) -> None:
    """The same request gets the same receipt, after a reopening and after the budget is gone."""
    about: dict[str, Any] = {"request": "may-1", "memo": "May", "question": {"column": "trip", "among": ["a", "b"]}}
    with Ledger(where, Budget(epsilon=1)) as ledger:
        first = ledger.charge(LaplacePair("0.9"), **about)
        assert ledger.charge(LaplacePair("0.9"), **about) == first
    with Ledger(where) as ledger:
        ledger.check_room(LaplacePair("0.9"), request="may-1")
        assert ledger.charge(LaplacePair("0.9"), **about) == first
        assert ledger.spent.epsilon == Fraction(9, 10)
        assert [entry.request for entry in ledger.history()] == ["may-1"]
        assert first.question == {"column": "trip", "among": ["a", "b"]}


@pytest.mark.parametrize(
    ("guarantee", "about", "other"),
    [
        (Pure("0.2"), {}, "guarantee"),
        (Range("0.1"), {}, "guarantee"),
        (Pure("0.1"), {"memo": "June"}, "memo"),
        (Pure("0.1"), {"question": {"k": 2}, "memo": "June"}, "question and memo"),
        (Pure("0.1"), {"analyst": "ann"}, "analyst"),
    ],
)
def test_a_request_with_other_content_is_refused(where: str, guarantee: Any, about: Any, other: str) -> None:
    """Two different charges under one request are a mistake, and the second charges nothing."""
    with Ledger(where, Budget(epsilon=1), analysts={"ann": Budget(epsilon=1)}) as ledger:
        ledger.charge(Pure("0.1"), request="may-1")
        with pytest.raises(SettingError, match=rf"got 'may-1' with another {other}$"):
            ledger.charge(guarantee, request="may-1", **about)
        assert ledger.check() == 1


def test_looking_charges_nothing(where: str) -> None:
    """``check_room`` refuses as ``charge`` would, with the same words, and leaves no trace."""
    with Ledger(where, Budget(epsilon=1)) as ledger:
        ledger.check_room(Pure(1))
        for wrong in (Pure("1.1"), Zcdp(1), 1):
            errors: list[str] = []
            for call in (ledger.check_room, ledger.charge):
                with pytest.raises((BudgetError, SettingError)) as refused:
                    call(wrong)  # type: ignore[arg-type]
                errors.append(f"{refused.type} {refused.value}")
            assert errors[0] == errors[1]
        assert not list(ledger.history())


def test_a_ledger_of_rhos(where: str) -> None:
    """Rhos add up; deltas of releases go to the spare one; each has its own limit."""
    with Ledger(where, Budget(rho="0.5", delta="1e-6", spare="1e-7")) as ledger:
        assert ledger.charge(Zcdp("0.25")).amount == Fraction(1, 4)
        assert ledger.charge(Approx("0.1", "1e-7")).delta == Fraction(1, 10**7)
        with pytest.raises(BudgetError, match=r"^delta: wanted at most the 0 that is left"):
            ledger.charge(Approx("0.1", "1e-12"))
        with pytest.raises(BudgetError, match=r"^rho: wanted at most the about 0.245"):
            ledger.charge(Zcdp("0.25"))
        assert ledger.check() == 2


def test_a_ledger_of_one_plan(where: str) -> None:
    """A plan is followed in its order; a release may promise more than its turn says, never less."""
    with Ledger(where, Budget(plan=[repeat(Range("0.1"), 2), Pure(1)], delta="1e-6")) as ledger:
        assert str(ledger.remaining).startswith("releases 3 left of (about ")
        for guarantee in (Pure(1), Range("0.2"), LaplacePair("0.1")):
            with pytest.raises(BudgetError, match=r"whose turn it is in the plan.*; nothing was charged"):
                ledger.charge(guarantee)
        ledger.charge(Range("0.1"))
        ledger.charge(Range("0.05"))
        with pytest.raises(SettingError, match=r"wanted no further plan"):
            ledger.reserve([Pure(1)])
    with Ledger(where) as ledger:
        assert ledger.admits(Pure(1))
        ledger.charge(Pure(1))
        with pytest.raises(BudgetError, match=r"wanted nothing more"):
            ledger.charge(Pure(0))
        assert (ledger.remaining.releases, ledger.rule, ledger.check()) == (0, "plan", 3)


def test_a_reserved_plan_is_charged_as_a_whole_and_followed(where: str) -> None:
    """Its releases cost nothing more, come in order, once each; retries of them count once."""
    with Ledger(where, Budget(epsilon=1)) as ledger:
        with pytest.raises(BudgetError):
            ledger.reserve([repeat(Pure("0.3"), 4)])
        plan = ledger.reserve([repeat(Pure("0.2"), 2), Pure("0.5")], request="plan", memo="June")
        assert ledger.reserve([Pure("0.2"), Pure("0.2"), Pure("0.5")], request="plan", memo="June") == plan
        assert (plan.amount, plan.guarantee, ledger.remaining.epsilon) == (Fraction(9, 10), None, Fraction(1, 10))
        with pytest.raises(BudgetError, match=r"whose turn it is"):
            ledger.charge(Pure("0.5"), plan=plan)
        first = ledger.charge(Pure("0.2"), plan=plan, request="one")
        assert ledger.charge(Pure("0.2"), plan="plan", request="one") == first
        ledger.charge(Pure("0.2"), plan=plan)
        ledger.charge(Range("0.4"), plan=plan)
        with pytest.raises(BudgetError, match=r"nothing more"):
            ledger.charge(Pure("0.1"), plan=plan)
        with pytest.raises(SettingError, match=r"plan: wanted the receipt or request of reserve\(\), got 'one'"):
            ledger.charge(Pure("0.1"), plan="one")
        assert ledger.spent.epsilon == Fraction(9, 10)
        assert ledger.check() == 4


def test_a_reservation_belongs_to_its_analyst(where: str) -> None:
    """Nobody else takes its releases."""
    shares = {"ann": Budget(epsilon=1), "bob": Budget(epsilon=1)}
    with Ledger(where, Budget(epsilon=2), analysts=shares) as ledger:
        plan = ledger.reserve([Pure("0.5")], analyst="ann")
        for other in ("bob", None):
            with pytest.raises(SettingError, match=r"wanted the one who reserved the plan, 'ann'"):
                ledger.charge(Pure("0.5"), plan=plan, analyst=other)
        ledger.charge(Pure("0.5"), plan=plan, analyst="ann")
        assert ledger.account("ann").spent.epsilon == ledger.spent.epsilon == Fraction(1, 2)


def test_analysts_spend_from_both(where: str) -> None:
    """A charge needs room in the analyst's budget and in the whole; a refusal by either changes neither."""
    shares = {"ann": Budget(epsilon="0.6"), "bob": Budget(epsilon="0.6")}
    with Ledger(where, Budget(epsilon=1), analysts=shares) as ledger:
        ledger.charge(Pure("0.5"), analyst="ann")
        with pytest.raises(BudgetError, match=r"the 0.1 that is left in the budget of 'ann', got 0.2"):
            ledger.charge(Pure("0.2"), analyst="ann")
        with pytest.raises(BudgetError, match=r"the 0.5 that is left in the budget, got 0.6"):
            ledger.charge(Pure("0.6"), analyst="bob")
        assert ledger.admits(Pure("0.2"))
        assert not ledger.admits(Pure("0.2"), analyst="ann")
        ledger.charge(Pure("0.5"))
        with pytest.raises(BudgetError):
            ledger.charge(Pure("0.1"), analyst="ann")
        with pytest.raises(SettingError, match=r"analyst: wanted 'ann' or 'bob', got 'eve'"):
            ledger.charge(Pure("0.1"), analyst="eve")
        with pytest.raises(SettingError, match=r"analyst: wanted 'ann' or 'bob', got 'eve'"):
            ledger.account("eve")
        left = [ledger.account(name).remaining.epsilon for name in (None, "ann", "bob")]
        assert left == [0, Fraction(1, 10), Fraction(6, 10)]
        assert ledger.analysts == ("ann", "bob")
        assert ledger.check() == 2


def test_the_first_recorded_answer_is_the_answer(where: str) -> None:
    """Of many who answer one request at once, one is recorded, and all get that one back."""
    with Ledger(where, Budget(epsilon=1)) as ledger:
        receipt = ledger.charge(Pure(1), request="may-1")
        assert ledger.recorded(receipt) is None
        assert ledger.recorded("never charged") is None
    start = threading.Barrier(6)

    def retry(number: int) -> dict[str, Any]:
        with Ledger(where) as own:
            start.wait()
            return own.once(Pure(1), lambda: {"winner": number}, request="may-1")

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(retry, range(6)))
    with Ledger(where) as ledger:
        assert answers == [ledger.recorded("may-1")] * 6
        assert ledger.record(receipt, {"winner": 7}) == answers[0]
        assert [entry.answer for entry in ledger.history()] == answers[:1]
        assert ledger.check() == 1


def test_an_answer_needs_a_charge(where: str) -> None:
    """Nothing is recorded for a request that was not charged, nor for a plan as a whole, nor what is no answer."""
    with Ledger(where, Budget(epsilon=1)) as ledger:
        plan = ledger.reserve([Pure("0.5")])
        for request in ("may-1", plan):
            with pytest.raises(SettingError, match=r"wanted one that was charged for a release"):
                ledger.record(request, {"winner": 1})
        receipt = ledger.charge(Pure("0.5"))
        for answer in (1, {"winner": float("nan")}, {"winner": object()}):
            with pytest.raises(SettingError, match=r"^answer: wanted"):
                ledger.record(receipt, answer)  # type: ignore[arg-type]
        assert ledger.recorded(receipt) is None


def test_a_crash_after_the_charge_leaves_the_charge(where: str) -> None:
    """A process that ends between charge and answer has spent; its request, sent again, is answered at no cost."""

    def crash() -> None:
        import os  # noqa: PLC0415 - in the child

        with Ledger(where) as own:
            own.once(Pure("0.7"), lambda: os._exit(9), request="may-1")

    Ledger(where, Budget(epsilon=1)).close()
    assert in_child(crash) is None
    with Ledger(where) as ledger:
        assert ledger.spent.epsilon == Fraction(7, 10)
        assert ledger.once(Pure("0.7"), lambda: {"winner": 1}, request="may-1") == {"winner": 1}
        assert ledger.once(Pure("0.7"), lambda: {"winner": 2}, request="may-1") == {"winner": 1}
        assert ledger.spent.epsilon == Fraction(7, 10)
        assert ledger.check() == 1


def test_threads_share_a_ledger(where: str) -> None:
    """Forty charges from eight threads at a budget for twenty: twenty are made."""
    with Ledger(where, Budget(epsilon=2)) as ledger:

        def charge(_: int) -> bool:
            try:
                ledger.charge(Pure("0.1"))
            except BudgetError:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(charge, range(40))) == 20
        assert ledger.remaining.epsilon == 0
        assert ledger.check() == 20


def test_a_fork_shares_the_budget_and_nothing_else(where: str) -> None:
    """Parent and child use the ledger that was open before the fork; every charge of both is there."""
    with Ledger(where, Budget(epsilon=1)) as ledger:
        ledger.charge(Pure("0.1"), request="before")
        for number in range(3):
            receipt = in_child(partial(ledger.charge, Pure("0.1"), request=f"child {number}"))
            assert receipt.seq == 2 * number + 2
            ledger.charge(Pure("0.1"), request=f"parent {number}")
        assert ledger.spent.epsilon == Fraction(7, 10)
    with Ledger(where) as ledger:
        assert ledger.check() == 7


def test_a_lock_that_somebody_holds_is_waited_for_and_then_said(where: str) -> None:
    """Nothing is charged, reading goes on, and after the lock is gone so does charging."""
    with Ledger(where, Budget(epsilon=1), timeout=0.2) as ledger:
        with locked(where):
            with pytest.raises(LedgerError, match=r"wanted the lock within 0.2 s, got none.*; nothing was charged"):
                ledger.charge(Pure(1), request="may-1")
            assert ledger.remaining.epsilon == 1
            with Ledger(where, Budget(epsilon=1)) as other:
                assert other.admits(Pure(1))
        ledger.charge(Pure(1), request="may-1")
        assert ledger.check() == 1


def test_a_closed_ledger_stays_closed(where: str) -> None:
    """Every use says so."""
    ledger = Ledger(where, Budget(epsilon=1))
    ledger.close()
    ledger.close()
    for use in (lambda: ledger.charge(Pure(1)), lambda: ledger.remaining, ledger.check, lambda: ledger.admits(Pure(1))):
        with pytest.raises(LedgerError, match=r"wanted an open one, got a closed one"):
            use()


@pytest.mark.parametrize(
    "about",
    [
        {"request": ""},
        {"request": 7},
        {"request": "two\nlines"},
        {"memo": "x" * 2001},
        {"question": {1j}},
        {"question": float("inf")},
        {"analyst": ""},
        {"per": "household"},
        {"neighbours": "replace"},
    ],
)
def test_wrong_settings_charge_nothing(where: str, about: Any) -> None:
    """They are refused before the database is asked."""
    with Ledger(where, Budget(epsilon=1)) as ledger:
        with pytest.raises(SettingError):
            ledger.charge(Pure(1), **about)
        ledger.charge(Pure(1), per="person", neighbours="add-remove")
        assert ledger.check() == 1
