"""Opening: what is fixed then, who may open what, and what is refused."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from fractions import Fraction
from typing import Any

import pytest

from discreet.accounting import repeat
from discreet.errors import LedgerError, SettingError
from discreet.guarantees import Pure, Range
from discreet.ledger import Budget, Ledger
from discreet.ledger.opening import store_at
from tests.ledger.doors import back_door

FIRST = Budget(epsilon=3, delta="1e-6", per="listener")


def test_a_ledger_that_is_there_needs_no_budget(where: str) -> None:
    """It knows its own, and an equal one is welcome."""
    Ledger(where, FIRST).close()
    for budget in (None, Budget("3", 1e-6, per="listener")):
        with Ledger(where, budget) as ledger:
            assert ledger.budget == FIRST
            assert ledger.rule == "zcdp"
            assert "listener" in repr(ledger)


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        (Budget(epsilon=4, delta="1e-6", per="listener"), "epsilon"),
        (Budget(epsilon=3, per="listener"), "delta"),
        (Budget(rho=1, per="listener"), "epsilon and delta and rho"),
        (Budget(epsilon=3, delta="1e-6", per="row"), "per"),
        (Budget(epsilon=3, delta="1e-6", per="listener", neighbours="replace"), "neighbours"),
        (Budget(epsilon=3, delta="1e-6", spare="1e-7", per="listener"), "spare"),
        (Budget(plan=[repeat(Range(1), 3)], delta="1e-6", per="listener"), "epsilon and plan"),
    ],
)
def test_another_budget_is_refused(where: str, other: Budget, differs: str) -> None:
    """Rule, unit and amounts are fixed by the first who opens; the refusal names what differs, and changes nothing."""
    Ledger(where, FIRST).close()
    with pytest.raises(SettingError, match=rf"^budget: wanted the one this ledger has \(.*\), got another {differs};"):
        Ledger(where, other)
    with Ledger(where) as ledger:
        assert ledger.budget == FIRST


def test_there_must_be_a_budget_the_first_time(where: str) -> None:
    """Without one nothing is made; an unknown dataset is not a new one by accident."""
    with pytest.raises(SettingError, match=r"budget: wanted one, since there is no ledger yet at "):
        Ledger(where)
    with closing(store_at(where, 1)) as store:
        assert not store.exists()
    Ledger(where, FIRST).close()
    with pytest.raises(SettingError, match=r"dataset: wanted 'default', got 'songs'; give a budget to open a new one"):
        Ledger(where, dataset="songs")


def test_datasets_have_budgets_of_their_own(where: str) -> None:
    """Charges, requests, keys and rules of one are nothing to another."""
    with Ledger(where, Budget(epsilon=1), dataset="plays") as plays, Ledger(where, FIRST, dataset="songs") as songs:
        plays.charge(Pure(1), request="may-1")
        assert plays.remaining.epsilon == songs.spent.rho == 0
        songs.charge(Pure("0.1"), request="may-1")
        assert [ledger.check() for ledger in (plays, songs)] == [1, 1]
        assert plays.key() == songs.key("plays") != songs.key()
        assert len(plays.key()) == 32
        assert plays.key().hex() not in repr(plays)
        with pytest.raises(SettingError, match=r"dataset: wanted 'plays' or 'songs', got 'films'"):
            plays.key("films")


def test_analysts_may_be_added_and_not_changed(where: str) -> None:
    """Each share counts as the whole does."""
    whole, share = Budget(epsilon=3, per="listener"), Budget(epsilon=1, per="listener")
    Ledger(where, whole).close()
    with Ledger(where, analysts={"ann": share}) as ledger:
        ledger.charge(Pure("0.5"), analyst="ann")
    with Ledger(where, whole, analysts={"ann": share, "bob": share}) as ledger:
        assert ledger.analysts == ("ann", "bob")
        assert ledger.account("ann").remaining.epsilon == Fraction(1, 2)
    wrong: dict[str, Any] = {
        "budget of 'ann': wanted the one this ledger has": Budget(epsilon=2, per="listener"),
        "analysts: rule: wanted": Budget(rho=1, per="listener"),
        "analysts: per: wanted": Budget(epsilon=1, per="row"),
        "analysts: epsilon: wanted at most the 3 of the whole, got 3.5$": Budget(epsilon="3.5", per="listener"),
        "analysts: wanted a budget for each": 1,
    }
    for message, budget in wrong.items():
        with pytest.raises(SettingError, match=message):
            Ledger(where, analysts={"eve": share, "ann": budget})
    with Ledger(where) as ledger:
        assert ledger.analysts == ("ann", "bob")


def test_a_share_is_within_the_whole(where: str) -> None:
    """One above it could never be spent in full, so nothing is made; one as large as the whole is welcome."""
    whole = Budget(epsilon=3, delta="1e-6", spare="1e-7")
    above = {"rho": Budget(epsilon=4, delta="1e-6"), "delta": Budget(epsilon=1, delta="1e-6", spare="2e-7")}
    for name, share in above.items():
        with pytest.raises(SettingError, match=rf"^analysts: {name}: wanted at most the .* of the whole, got "):
            Ledger(where, whole, analysts={"ann": share})
    with closing(store_at(where, 1)) as store:
        assert not store.exists()
    with Ledger(where, whole, analysts={"ann": whole, "bob": Budget(rho="0.1")}) as ledger:
        assert ledger.account("ann").limit == ledger.account().limit


def test_a_plan_has_no_analysts(where: str) -> None:
    """It is followed as a whole."""
    with pytest.raises(SettingError, match=r"analysts: wanted none, since a plan is followed as a whole"):
        Ledger(where, Budget(plan=[Pure(1)]), analysts={"ann": Budget(epsilon=1)})
    with closing(store_at(where, 1)) as store:
        assert not store.exists()


@pytest.mark.parametrize("new_dataset", [False, True])
def test_many_may_open_what_is_not_there_yet(where: str, *, new_dataset: bool) -> None:
    """Eight who make the same ledger, or the same dataset, at once all get it; there is one."""
    if new_dataset:
        Ledger(where, Budget(epsilon=1)).close()

    def charge(number: int) -> bytes:
        share = {"ann": Budget(epsilon=1), f"analyst {number}": Budget(epsilon=1)}
        with Ledger(where, Budget(epsilon=8), dataset="plays", analysts=share) as ledger:
            ledger.charge(Pure(1), analyst=f"analyst {number}")
            return ledger.key()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(charge, range(8)))) == 1
    with Ledger(where, dataset="plays") as ledger:
        assert ledger.remaining.epsilon == 0
        assert len(ledger.analysts) == 9
        assert ledger.check() == 8


def test_a_ledger_of_a_newer_version_is_left_alone(where: str) -> None:
    """It is refused, with and without a budget, and nothing of it changes."""
    Ledger(where, FIRST).close()
    with back_door(where, disarmed=True) as run:
        run("UPDATE discreet_about SET version = 2")
    for budget in (None, FIRST):
        with pytest.raises(LedgerError, match=r"wanted tables of version 1, got 2: a newer discreet wrote them"):
            Ledger(where, budget, dataset="another")
    with back_door(where, disarmed=False) as run:
        assert run("SELECT version FROM discreet_about") == [(2,)]
        assert len(run("SELECT dataset FROM discreet_dataset")) == 1


def test_a_ledger_without_its_version_is_damaged(where: str) -> None:
    """And so is one whose budget cannot be read."""
    Ledger(where, FIRST).close()
    with back_door(where, disarmed=True) as run:
        run("UPDATE discreet_account SET budget = 'no budget'")
    with pytest.raises(LedgerError, match=r"wanted rows that can be read"):
        Ledger(where)
    with back_door(where, disarmed=True) as run:
        run("DELETE FROM discreet_about")
    with pytest.raises(LedgerError, match=r"wanted a whole ledger, got a damaged one"):
        Ledger(where)


@pytest.mark.parametrize(
    "settings",
    [
        {"budget": 3},
        {"analysts": ["ann"]},
        {"analysts": {"": Budget(epsilon=1)}},
        {"dataset": ""},
        {"dataset": None},
        {"timeout": 0},
        {"timeout": float("inf")},
    ],
)
def test_wrong_settings_make_nothing(where: str, settings: Any) -> None:
    """They are refused before anything is touched."""
    with pytest.raises(SettingError):
        Ledger(where, **{"budget": FIRST, **settings})
    with closing(store_at(where, 1)) as store:
        assert not store.exists()


@pytest.mark.parametrize("place", ["", ":memory:", "mysql://host/db", 7])
def test_a_ledger_lasts(place: Any) -> None:
    """What would not last, or is no ledger's place, is refused."""
    with pytest.raises(SettingError, match=r"ledger: wanted a file that lasts, or a URL such as postgresql://"):
        Ledger(place, FIRST)
