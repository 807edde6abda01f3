"""Selection in place through a ledger: room, count, charge, draw, fetch, record, show, in this order and no other."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

import polars as pl
import pytest

from discreet.engines.duckdb import DuckDB
from discreet.errors import BudgetError, DataError, LedgerError, SettingError
from discreet.guarantees import Pure
from discreet.ledger import Budget, Ledger
from discreet.mechanisms import Exponential, Peel, PermuteAndFlip
from discreet.sampling.coins import SystemCoins
from discreet.selection.in_place import label, select_in_place, written
from tests.engines.sparks import Remembering

FIRST, FETCH = "GROUP BY q", "SELECT ranked.c"
WORDS: dict[str, Any] = {"epsilon": 1, "scores": "counts", "per": "reader", "request": "may"}


class Noting(Remembering):
    """An engine that calls somebody before each query, and keeps the texts."""

    def __init__(self, engine: Any, before: Callable[[str], None] | None = None) -> None:
        super().__init__(engine)
        self.before, self.texts = before, list[str]()

    def query(self, columns: Any, text: str, tables: Any, name: str) -> Any:
        """Tell, then ask."""
        self.texts.append(text)
        if self.before is not None:
            self.before(text)
        return self.engine.query(columns, text, tables, name)


class Counting(SystemCoins):
    """Coins that count their flips."""

    flips = 0

    def below(self, bound: int) -> int:
        """Count, and flip."""
        Counting.flips += 1
        return super().below(bound)


def held(names: Any = ("a", "b", "c", "d")) -> DuckDB:
    """A table of candidates with two in front."""
    return DuckDB(pl.DataFrame({"item": names, "score": [50, 50, *range(len(names) - 2)]}))


@pytest.fixture
def book(tmp_path: Path) -> Any:
    """A ledger of three epsilon for readers."""
    shares = {"ann": Budget(epsilon=1, per="reader")}
    with Ledger(tmp_path / "budget.db", Budget(epsilon=3, per="reader"), analysts=shares) as ledger:
        yield ledger


def untouched(engine: Any, book: Ledger) -> bool:
    """Whether nothing was read and nothing spent."""
    return not engine.texts and book.spent.epsilon == 0


def chosen(engine: Any, **words: Any) -> Any:
    """Select in place."""
    return select_in_place(engine, "item", "score", **words)


def test_the_charge_stands_between_the_count_and_the_coins(book: Ledger) -> None:
    """Nothing is charged when levels are counted; when a name is fetched, the charge is there and no answer yet."""
    seen: list[tuple[bool, Any, Any]] = []
    flips = Counting.flips

    def before(_: str) -> None:
        drawn = Counting.flips > flips
        seen.append((drawn, book.spent.epsilon, [entry.answer for entry in book.history()]))

    engine = Noting(held(), before)
    made = chosen(engine, ledger=book, memo="May", coins=Counting(), **WORDS)
    assert [FIRST in text for text in engine.texts] == [True, False]
    assert seen == [(False, 0, []), (True, 1, [None])]
    (entry,) = book.history()
    assert (entry.answer, entry.memo) == ({"winners": [made.winner], "candidates": 4}, "May")
    assert entry.question["candidate"] == "item"
    assert made.receipt is not None
    assert made.to_dict()["request"] == "may"
    assert made.to_dict()["receipt"] == entry.digest


def test_a_retry_is_shown_what_was_recorded(book: Ledger) -> None:
    """The same request reads nothing, flips nothing and costs nothing; another question under its name is refused."""
    first = chosen(held(), ledger=book, k=2, **WORDS)
    engine, flips = Noting(held()), Counting.flips
    assert chosen(engine, ledger=book, k=2, coins=Counting(), **WORDS) == first
    assert Counting.flips == flips
    for other in ({"k": 3}, {"k": 2, "epsilon": 2}, {"k": 2, "maximize": False}, {"k": 2, "memo": "June"}):
        with pytest.raises(SettingError, match="request: wanted a new one"):
            chosen(engine, ledger=book, **WORDS | other)
    assert not engine.texts
    assert book.spent.epsilon == 1
    assert chosen(held(), ledger=book, **WORDS | {"request": None}).receipt != first.receipt


def test_without_room_nothing_is_read(book: Ledger) -> None:
    """Beyond the budget, or beyond an analyst's own, there is a refusal and no query."""
    engine = Noting(held())
    for words in ({"epsilon": 4}, {"epsilon": 2, "analyst": "ann"}):
        with pytest.raises(BudgetError):
            chosen(engine, ledger=book, **WORDS | words)
    assert untouched(engine, book)
    assert not [*book.history()]
    assert chosen(engine, ledger=book, analyst="ann", **WORDS).receipt.analyst == "ann"


def test_a_crash_after_the_charge_costs_one_charge(book: Ledger) -> None:
    """Where fetching fails, the charge stays and there is no answer; the same request is then answered for it."""

    def failing(text: str) -> None:
        if FETCH in text:
            raise DataError("table: gone")

    with pytest.raises(DataError, match="gone"):
        chosen(Noting(held(), failing), ledger=book, **WORDS)
    assert book.spent.epsilon == 1
    assert book.recorded("may") is None
    made = chosen(held(), ledger=book, **WORDS)
    assert book.spent.epsilon == 1
    assert book.recorded("may") == {"winners": [made.winner], "candidates": 4}
    assert chosen(Noting(held(), failing), ledger=book, **WORDS) == made
    assert book.check() == 1


def test_what_cannot_be_counted_costs_nothing(book: Ledger) -> None:
    """A score that is none, or more winners than candidates, are found before the charge."""
    bad = DuckDB(pl.DataFrame({"item": ["a", "b"], "score": [1.5, None]}))
    with pytest.raises(DataError, match="within reach"):
        chosen(bad, ledger=book, **WORDS)
    with pytest.raises(SettingError, match="k: wanted"):
        chosen(held(), ledger=book, k=5, **WORDS)
    assert book.spent.epsilon == 0


def test_auto_is_what_the_ledger_counts_best(book: Ledger, tmp_path: Path) -> None:
    """By epsilon it is permute-and-flip; by rho it is the exponential mechanism, at its own smaller cost."""
    assert isinstance(chosen(held(), ledger=book, **WORDS).mechanism, PermuteAndFlip)
    with Ledger(tmp_path / "rho.db", Budget(rho=1, per="reader")) as other:
        made = chosen(held(), ledger=other, **WORDS)
        assert isinstance(made.mechanism, Exponential)
        assert other.spent.rho is not None
        assert other.spent.rho < Fraction("0.2")
        peeled = chosen(held(), ledger=other, k=2, **WORDS | {"request": "two", "epsilon": None, "rho": "0.1"})
        assert isinstance(peeled.mechanism, Peel)
        assert isinstance(peeled.mechanism.round, Exponential)
        flipped = chosen(held(), ledger=other, mechanism="permute-and-flip", **WORDS | {"request": "pf"})
        assert isinstance(flipped.mechanism, PermuteAndFlip)
    assert made.guarantee != Pure(1)


def test_the_people_are_those_of_the_ledger(book: Ledger, tmp_path: Path) -> None:
    """Who one person is must be said, and be whom the ledger protects, under its neighbours; else nothing is read."""
    engine = Noting(held())
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"per": None}, "per: wanted whom the sensitivity is about"),
        ({"per": "row"}, "ledger: wanted a budget per 'row' under 'add-remove', as the scores, got one per 'reader'"),
        ({"neighbours": "replace"}, "ledger: wanted a budget per 'reader' under 'replace'"),
    ]
    for words, match in wrong:
        with pytest.raises(SettingError, match=match):
            chosen(engine, ledger=book, **WORDS | words)
    for words in ({"request": "may"}, {"analyst": "ann"}):
        with pytest.raises(SettingError, match="ledger: wanted one"):
            chosen(engine, epsilon=1, scores="counts", **words)
    assert untouched(engine, book)
    with Ledger(tmp_path / "swap.db", Budget(epsilon=3, per="reader", neighbours="replace")) as other:
        assert chosen(held(), ledger=other, neighbours="replace", **WORDS).neighbours == "replace"


NAMES: list[list[Any]] = [
    ["é", "zoo", " ", "a'b"],
    [2**60, -3, 0, 7],
    [dt.date(2026, 5, 1) + dt.timedelta(n) for n in range(4)],
    [dt.datetime(2026, 5, 1, 2, 3, 4, 500) + dt.timedelta(n) for n in range(4)],  # noqa: DTZ001 - as a table has it
    [Decimal(n).scaleb(-2) for n in range(100, 104)],
    [True, False, None, None],
]


@pytest.mark.parametrize("names", NAMES, ids=lambda names: type(names[0]).__name__)
def test_a_name_comes_back_as_it_was(book: Ledger, names: list[Any]) -> None:
    """Whatever kind of name a candidate has, the retry shows the same one, of the same kind."""
    first = chosen(held(names), ledger=book, k=4, **WORDS)
    again = chosen(held(names), ledger=book, k=4, **WORDS)
    assert first.winners == again.winners
    assert sorted(map(repr, again.winners)) == sorted(map(repr, names))
    for name in (*names, dt.time(3, 4, 5), UUID(int=17)):
        assert label(written(name)) == name


def test_a_record_of_something_else_is_not_shown(book: Ledger) -> None:
    """Where the ledger holds what is no answer to this, it is refused and not made to fit."""
    way: dict[str, Any] = {"epsilon": "0.5", "scores": "counts", "per": "reader"}
    chosen(held(), ledger=book, request="one", **way)
    (entry,) = book.history()
    assert entry.guarantee is not None
    broken: list[dict[str, Any]] = [
        {"winners": ["a", "b"], "candidates": 4},
        {"winners": [["kind", "a"]], "candidates": 4},
        {"winners": 3},
    ]
    for place, answer in enumerate([*broken, {"winners": ["a"], "candidates": "many"}]):
        name = f"broken-{place}"
        about: dict[str, Any] = {"question": entry.question, "per": "reader", "neighbours": "add-remove"}
        book.record(book.charge(entry.guarantee, request=name, **about), answer)
        with pytest.raises(LedgerError, match="wanted a record of an answer to this question"):
            chosen(held(), ledger=book, request=name, **way)
