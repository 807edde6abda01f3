"""Asking: the stated law, in the stated order, once for each request, and not without room in the budget."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet
from discreet import BestHypothesis, BestPrice, Budget, LargestTotal, Ledger, Median, Ranking, TopK, Winner
from discreet.engines.ask import Ask, Tally
from discreet.engines.duckdb import DuckDB
from discreet.errors import BudgetError, DataError, LedgerError, SettingError
from discreet.guarantees import LaplacePair, Pure, Range, Zcdp
from discreet.questions.table import Table
from discreet.readings import implies
from discreet.sampling.coins import SystemCoins
from discreet.testing import exact_law
from tests.sampling.forks import large_forks

TRIPS = ("zoo", "lake", "sea")
ROWS = pl.DataFrame(
    {
        "pupil": ["ann", "ann", "bob", "cid", "dan", "eve", None],
        "trip": ["zoo", "zoo", "zoo", "lake", "zoo", None, "sea"],
        "bid": [1.0, 1.0, 2.0, 2.0, 3.0, float("nan"), 3.0],
        "school": ["north", "north", "north", "south", "south", "south", "north"],
    }
)
WINNER = Winner("trip", TRIPS)


@dataclass
class Once:
    """An engine that counts once, remembers, and can be told to fail; it notes how often it was asked to count."""

    inner: DuckDB = field(default_factory=lambda: DuckDB(ROWS))
    broken: bool = False
    counted: int = 0
    known: dict[Any, Tally] = field(default_factory=dict[Any, Tally])

    def columns(self) -> Any:
        """Those of the table."""
        return self.inner.columns()

    def check(self, ask: Ask | None, unit: str | None) -> None:
        """That of the table."""
        self.inner.check(ask, unit)

    def tally(self, ask: Ask, unit: str | None, key: str) -> Tally:
        """Count, once."""
        self.counted += 1
        if self.broken:
            raise DataError("file: it cannot be read to its end as CSV")
        if (ask, unit) not in self.known:
            self.known[ask, unit] = self.inner.tally(ask, unit, key)
        return self.known[ask, unit]


class LookingCoins(SystemCoins):
    """Coins that look into the ledger before they are flipped, and may refuse."""

    def __init__(self, ledger: Ledger, *, refuse: bool = False) -> None:
        super().__init__()
        self.ledger, self.refuse, self.seen = ledger, refuse, list[Fraction]()

    def below(self, bound: int) -> int:
        """Look, then flip."""
        self._look()
        return super().below(bound)

    def bits(self, count: int) -> int:
        """Look, then flip."""
        self._look()
        return super().bits(count)

    def _look(self) -> None:
        self.seen.append(self.ledger.spent.amount)
        if self.refuse:
            raise RuntimeError("the power is gone")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A budget of epsilon 1 for each pupil."""
    with Ledger(tmp_path / "budget.db", Budget(epsilon=1, per="pupil")) as book:
        yield book


@pytest.mark.parametrize("mechanism", ["permute-and-flip", "exponential"])
@pytest.mark.parametrize(
    "question", [WINNER, Median("bid", bounds=(0, 2)), BestPrice("bid", prices=(1, 3, 1))], ids=lambda q: q.kind
)
def test_the_answer_has_the_stated_law(question: Any, mechanism: str) -> None:
    """Walked over all coins, an answer's chances are those of the formula; with one person less, they are not."""
    table = Table(Once(), "pupil")
    words: Any = {"epsilon": 3, "mechanism": mechanism}
    with large_forks():
        drawn = exact_law(lambda coins: table.ask(question, coins=coins, **words).value, leftover="1e-6", runs=1000)
    stated = {answer: Fraction(chance) for answer, chance in table.private_law(question, **words)}
    assert drawn.leftover < Fraction("0.05")
    assert drawn.contains(stated)
    fewer = Table(DuckDB(ROWS.filter(pl.col("pupil") != "dan")), "pupil")
    assert not drawn.contains({answer: Fraction(chance) for answer, chance in fewer.private_law(question, **words)})


def test_groups_answer_each_for_itself() -> None:
    """Each public group has its own winner; a group nobody is in has one too."""
    table = discreet.open(pl.concat([ROWS] * 1), unit="pupil")
    many = discreet.open(pl.DataFrame({"trip": ["zoo"] * 500 + ["lake"] * 500, "school": ["n"] * 500 + ["s"] * 500}))
    answer = many.ask(Winner("trip", TRIPS, by="school", groups=["n", "s"]), epsilon=1)
    assert {group: found.winner for group, found in answer.groups.items()} == {"n": "zoo", "s": "lake"}
    assert str(answer).splitlines()[0].endswith("for each of 2 school? n: zoo; s: lake")
    empty = table.ask(Winner("trip", TRIPS, by="school", groups=["north", "west"]), epsilon=1)
    assert empty.groups["west"].winner in TRIPS
    with pytest.raises(SettingError, match=r"groups: wanted \.groups"):
        _ = empty.winner


def test_the_last_of_all_is_who_is_left() -> None:
    """A ranking of n pays for n - 1 places and names all; so does a top n of n."""
    rows = pl.DataFrame({"trip": ["zoo"] * 900 + ["sea"] * 300})
    table = discreet.open(rows)
    for question in (Ranking("trip", TRIPS), TopK("trip", 3, TRIPS)):
        answer = table.ask(question, epsilon=1)
        assert answer.winners == ("zoo", "sea", "lake")
        assert answer.selections[0].rate == Fraction(1, 2)
    assert table.ask(TopK("trip", 2, TRIPS), epsilon=1).winners == ("zoo", "sea")
    assert table.ask(Ranking("trip", ["zoo"]), epsilon=1).winners == ("zoo",)


@pytest.mark.parametrize(
    ("budget", "promise"),
    [({"epsilon": 1}, LaplacePair), ({"epsilon": 4, "delta": "1e-6"}, Range), ({"rho": 1}, Range)],
)
def test_the_ledgers_rule_decides_the_mechanism(tmp_path: Path, budget: Any, promise: type[Any]) -> None:
    """By epsilon it is permute-and-flip; by rho the exponential mechanism, which costs a quarter."""
    with Ledger(tmp_path / "b.db", Budget(**budget, per="pupil")) as book:
        answer = discreet.open(ROWS, unit="pupil", ledger=book).ask(WINNER, epsilon="0.5")
        assert isinstance(answer.guarantee, promise)
        assert answer.receipt is not None
        assert answer.receipt.guarantee == answer.guarantee


def test_the_charge_is_made_before_a_coin_is_flipped(ledger: Ledger) -> None:
    """Coins that look into the ledger find the charge there; and the table was counted before it."""
    engine, coins = Once(), LookingCoins(ledger)
    Table(engine, "pupil").ask(WINNER, epsilon="1/4", ledger=ledger, coins=coins)
    assert coins.seen
    assert set(coins.seen) == {Fraction(1, 4)}
    assert engine.counted == 1


def test_a_crash_after_the_charge_costs_the_charge_once(ledger: Ledger) -> None:
    """The charge stays, no answer is recorded, and the same request is answered later without a second charge."""
    table = Table(Once(), "pupil", ledger=ledger)
    with pytest.raises(RuntimeError, match="power"):
        table.ask(WINNER, epsilon=1, request="may", coins=LookingCoins(ledger, refuse=True))
    assert ledger.remaining.epsilon == 0
    assert ledger.recorded("may") is None
    assert table.ask(WINNER, epsilon=1, request="may").winner in TRIPS
    assert ledger.remaining.epsilon == 0


def test_a_table_that_cannot_be_read_costs_nothing(ledger: Ledger) -> None:
    """Counting comes before the charge."""
    with pytest.raises(DataError):
        Table(Once(broken=True), "pupil").ask(WINNER, epsilon=1, ledger=ledger)
    with pytest.raises(DataError, match="'tripp'"):
        discreet.open(ROWS, unit="pupil").ask(Winner("tripp", TRIPS), epsilon=1, ledger=ledger)
    assert ledger.remaining.epsilon == 1


def test_no_room_is_seen_before_the_table_is_read(ledger: Ledger) -> None:
    """A budget that does not allow the question refuses it, and nothing was counted or charged."""
    engine = Once()
    with pytest.raises(BudgetError, match="epsilon: wanted at most the 1"):
        Table(engine, "pupil").ask(WINNER, epsilon=2, ledger=ledger)
    assert engine.counted == 0
    assert ledger.remaining.epsilon == 1


def test_a_retry_shows_the_recorded_answer(ledger: Ledger) -> None:
    """The same request gets the same answer and receipt, though the table can no longer be read."""
    first = Table(Once(), "pupil", ledger=ledger).ask(WINNER, epsilon="0.1", request="may", memo="report")
    engine = Once(broken=True)
    again = Table(engine, "pupil", ledger=ledger).ask(WINNER, epsilon="0.1", request="may", memo="report")
    assert again == first
    assert (engine.counted, ledger.spent.epsilon) == (0, Fraction(1, 10))
    assert [entry.answer for entry in ledger.history()] == [
        {"winner": first.winner, "indices": [[first.selections[0].index]]}
    ]


@pytest.mark.parametrize("other", [{"question": Winner("trip", ("sea", "zoo"))}, {"epsilon": "0.2"}, {"memo": "june"}])
def test_a_request_is_not_another_question(ledger: Ledger, other: dict[str, Any]) -> None:
    """What was recorded for one question is never shown as the answer to another."""
    table = Table(Once(), "pupil", ledger=ledger)
    words: dict[str, Any] = {"question": WINNER, "epsilon": "0.1", "memo": "may", "request": "r"}
    table.ask(**words)
    with pytest.raises(SettingError, match="request: wanted a new one"):
        table.ask(**{**words, **other})
    assert ledger.spent.epsilon == Fraction(1, 10)


def test_hypotheses_in_another_order_are_another_question(ledger: Ledger) -> None:
    """A recorded answer stands at a place in a list, so the list is part of what was asked, with its order."""
    rules = [("early", ("bid", "<", 2)), ("zoo", ("trip", "==", "zoo")), ("late", ("bid", ">", 2))]
    table = Table(Once(), "pupil", ledger=ledger)
    first = table.ask(BestHypothesis("school", rules), epsilon="0.1", request="may")
    assert table.ask(BestHypothesis("school", dict(rules)), epsilon="0.1", request="may") == first
    with pytest.raises(SettingError, match=r"request: wanted a new one.*another question"):
        table.ask(BestHypothesis("school", rules[::-1]), epsilon="0.1", request="may")


@pytest.mark.parametrize(
    "wrong",
    [
        {"winner": "zoo", "indices": [[1]]},
        {"winner": "zoo", "indices": [[7]]},
        {"winner": "zoo", "indices": []},
        {"winner": "zoo"},
        {"winners": ["zoo"], "indices": [[0]]},
    ],
)
def test_a_record_that_does_not_fit_is_not_shown(ledger: Ledger, wrong: dict[str, Any]) -> None:
    """The winner that was recorded is compared with what stands at its place; the planted right one is shown."""
    table = Table(Once(), "pupil", ledger=ledger)
    about: Any = {"per": "pupil", "neighbours": "add-remove", "question": WINNER.to_dict()}
    for request, record in (("may", wrong), ("june", {"winner": "lake", "indices": [[1]]})):
        guarantee = table.plan(WINNER, epsilon="0.1").guarantee
        ledger.record(ledger.charge(guarantee, request=request, **about), record)
    with pytest.raises(LedgerError, match="request: wanted a record of an answer to this question"):
        table.ask(WINNER, epsilon="0.1", request="may")
    assert table.ask(WINNER, epsilon="0.1", request="june").winner == "lake"


def test_two_who_ask_at_once_get_one_answer(ledger: Ledger) -> None:
    """Eight threads ask one request of a table where all are equal: one charge, one answer."""
    table, winners = Table(DuckDB(ROWS.head(0)), "pupil", ledger=ledger), list[Any]()
    among = Winner("trip", range(1000))

    def ask() -> None:
        winners.append(table.ask(among, epsilon=1, request="may").winner)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(winners) == 8
    assert len(set(winners)) == 1
    assert ledger.remaining.epsilon == 0


@pytest.mark.parametrize(("per", "neighbours"), [("person", "add-remove"), ("row", "add-remove"), ("pupil", "replace")])
def test_a_ledger_of_others_is_refused(tmp_path: Path, per: str, neighbours: str) -> None:
    """A budget per something else, or under the other relation, is not this table's; rows need one per row."""
    with Ledger(tmp_path / "b.db", Budget(epsilon=1, per=per, neighbours=neighbours)) as book:
        table = Table(Once(), "pupil")
        for verb in (table.ask, table.plan):
            with pytest.raises(SettingError, match="ledger: wanted a budget per 'pupil' under 'add-remove'"):
                verb(WINNER, epsilon=1, ledger=book)
        assert book.spent.epsilon == 0
        same = Table(Once(), "row" if per == "row" else "pupil", neighbours)  # type: ignore[arg-type]
        if per != "person":
            assert same.ask(WINNER, epsilon=1, ledger=book).winner in TRIPS


def test_analysts_have_budgets_of_their_own(tmp_path: Path) -> None:
    """A plan says what is left of the analyst's, and whether the question fits; an ask is charged to it."""
    shares = {"kim": Budget(epsilon="0.2", per="pupil")}
    with Ledger(tmp_path / "b.db", Budget(epsilon=1, per="pupil"), analysts=shares) as book:
        table = discreet.open(ROWS, unit="pupil", ledger=book)
        plan = table.plan(WINNER, epsilon="0.15", analyst="kim")
        assert (plan.admitted, plan.remaining is not None and "0.2" in plan.remaining) == (True, True)
        table.ask(WINNER, epsilon="0.15", analyst="kim")
        assert not table.plan(WINNER, epsilon="0.15", analyst="kim").admitted
        assert "does not fit" in str(table.plan(WINNER, epsilon="0.15", analyst="kim"))
        with pytest.raises(BudgetError, match="kim"):
            table.ask(WINNER, epsilon="0.15", analyst="kim")
    with pytest.raises(SettingError, match="ledger: wanted one"):
        discreet.open(ROWS, unit="pupil").ask(WINNER, epsilon=1, analyst="kim")


def test_a_ledgers_key_decides_what_is_kept(ledger: Ledger) -> None:
    """Tables opened twice with one ledger keep the same of a person's rows; without one, each table has its own key."""
    rows = pl.DataFrame({"pupil": [str(n) for n in range(60) for _ in TRIPS], "trip": TRIPS * 60})
    tables = [discreet.open(rows, unit="pupil", ledger=ledger) for _ in range(2)]
    keys = {table.key for table in tables} | {ledger.key().hex()}
    assert len(keys) == 3
    kept = [DuckDB(rows).tally(WINNER.ask(), "pupil", key).tolist() for key in (*keys, ledger.key().hex())]
    assert kept[0] != kept[1] or kept[1] != kept[2]

    @dataclass
    class Noting(Once):
        def tally(self, ask: Ask, unit: str | None, key: str) -> Tally:
            assert key == ledger.key().hex()
            return super().tally(ask, unit, key)

    Table(Noting(), "pupil", ledger=ledger).ask(WINNER, epsilon="0.1")


def test_long_lists_stand_in_a_ledger_by_their_digest(ledger: Ledger) -> None:
    """A hundred thousand candidates do not fill the ledger; another list of that length is still another question."""
    table = Table(DuckDB(ROWS), "pupil", ledger=ledger)
    table.ask(Winner("trip", range(100_000)), epsilon="0.1", request="r")
    (entry,) = ledger.history()
    assert len(str(entry.question)) < 500
    with pytest.raises(SettingError, match="another question"):
        table.ask(Winner("trip", range(1, 100_001)), epsilon="0.1", request="r")


def test_every_guarantee_can_be_asked_for() -> None:
    """By epsilon, by rho, by any guarantee; what is promised gives what was asked, also for several winners."""
    table = Table(Once(), "pupil", "replace")
    wishes: list[dict[str, Any]] = [
        {"epsilon": "0.5"},
        {"rho": "0.1"},
        {"guarantee": Zcdp("0.1")},
        {"guarantee": discreet.Approx(1, "1e-6")},
    ]
    for words in wishes:
        for question in (WINNER, TopK("trip", 2, TRIPS), Winner("trip", TRIPS, by="school", groups=["north"])):
            goal: Any = words.get("guarantee") or (Pure("0.5") if "epsilon" in words else Zcdp("0.1"))
            assert implies(table.ask(question, **words).guarantee, goal)


def test_totals_and_prices_answer_with_values() -> None:
    """The answer to a question about numbers is a number of its grid, as given."""
    rows = pl.DataFrame({"shop": ["n"] * 400 + ["s"] * 400, "paid": [90.0] * 400 + [5.0] * 400})
    table = discreet.open(rows)
    assert table.ask(LargestTotal("shop", "paid", ["n", "s"], high=100), epsilon=1).winner == "n"
    assert table.ask(BestPrice("paid", prices=(5, 90, 85)), epsilon=1).value == 90
    assert 0 <= table.ask(Median("paid", bounds=(0, 100)), epsilon=5).value <= 100  # type: ignore[operator]
