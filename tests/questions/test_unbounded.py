"""A quantile without bounds as a question: its law through the SQL, its promise, its record, and planted faults."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet
from discreet import Budget, Ledger, Median, Quantile
from discreet.domains.unbounded import UnboundedQuantile
from discreet.engines.ask import Cuts, Long
from discreet.errors import SettingError
from discreet.guarantees import PureRange
from discreet.questions import unbounded
from discreet.questions.settle import settle
from discreet.questions.table import Table
from discreet.testing import exact_law
from tests.questions.test_drawn import RELATIONS, stated, worst
from tests.questions.worlds import KEY, Person, table
from tests.sampling.test_crossing import large_forks

COARSE = Quantile("bid", "0.75", factor=10**8)
"""Two public numbers, 1 and a hundred million."""
PEOPLE: dict[str, Person] = {str(place): [{"bid": bid}] for place, bid in enumerate([0.5, 1.0, 3.0, 1e300])}


def test_an_answer_has_the_law_of_its_mechanism() -> None:
    """Walked over all coins, the chances are those of the tests for the true counts, and for no others."""
    way = settle(COARSE, "add-remove", {"epsilon": 2})

    def chances(world: dict[str, Person]) -> Any:
        return stated(COARSE, table(world).tally(COARSE.ask(), None, KEY)[0], way)

    assert COARSE.candidates == (1, 10**8)
    asked = Table(table(PEOPLE))
    with large_forks():
        walked = exact_law(lambda coins: asked.ask(COARSE, epsilon=2, coins=coins).winners, leftover="5e-2", runs=800)
    assert walked.leftover < Fraction("0.15")
    assert walked.contains(chances(PEOPLE))
    for gone in ("0", "3"):
        assert not walked.contains(chances({name: row for name, row in PEOPLE.items() if name != gone}))


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_neighbours_keep_the_promise(neighbours: Any) -> None:
    """Whatever one person's rows hold, the exact laws are within what the answer promises."""
    assert worst(COARSE, neighbours) < Fraction(1, 2**60)


def test_planted_faults_break_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person who counts with every row, and twice the rate that was paid for, are refuted by the same worlds."""
    assert worst(COARSE, "replace", unit=None) > 0
    monkeypatch.setattr(UnboundedQuantile, "promise", lambda *_: PureRange(1, 2))
    monkeypatch.setattr(unbounded, "spendable", lambda rate, _: 2 * rate)
    assert worst(COARSE, "add-remove") > 0


def test_it_finds_about_how_large_numbers_are() -> None:
    """With many people, the first public number that the share asked for does not exceed; None where none is."""
    wages = discreet.open(pl.DataFrame({"wage": [f"{n}.07" for n in range(1000, 5000)]}))
    assert wages.ask(Median("wage"), epsilon=2).value == 4096
    assert wages.ask(Quantile("wage", "0.25", start=500, factor="1.5"), epsilon=2).value == Decimal("2531.25")
    assert wages.ask(Quantile("wage", "0.99", start="0.01", factor=10), rho=1).value == 10_000
    endless = discreet.open(pl.DataFrame({"wage": [1e300] * 4000})).ask(Median("wage"), epsilon=2)
    assert endless.value is None
    assert "above all that were tried" in str(endless)
    assert endless.to_dict()["winner"] is None


@pytest.mark.parametrize("wage", [1.0, 1e300])
def test_a_ledger_keeps_the_answer(wage: float, tmp_path: Path) -> None:
    """Charged once by its epsilon, and shown again as it was, also where it is none."""
    rows = pl.DataFrame({"wage": [wage] * 900})
    with Ledger(tmp_path / "b.db", Budget(epsilon=3, per="row")) as ledger:
        asked = discreet.open(rows, ledger=ledger)
        assert "depends on the data" in str(asked.plan(Median("wage"), epsilon=2))
        first = asked.ask(Median("wage"), epsilon=2, request="may")
        assert asked.ask(Median("wage"), epsilon=2, request="may") == first
        assert ledger.remaining.epsilon == 1
        with pytest.raises(SettingError, match="request: wanted a new one"):
            asked.ask(Median("wage", factor=4), epsilon=2, request="may")


def test_numbers_are_cut_where_their_labels_say() -> None:
    """Numbers with more than nine decimals stand for their first nine, and so many people reach them."""
    question = Quantile("bid", start="0.1", factor="1.00001e4")
    label: Any = question.candidates[2]
    assert label == Decimal("10000200.001")
    ask: Any = question.ask()
    assert isinstance(ask, Long)
    assert isinstance(ask.item, Cuts)
    rows = pl.DataFrame({"bid": [str(label), str(label + Decimal("1e-9")), "0.1", "0.100000001"]})
    assert discreet.open(rows).engine.tally(ask, None, KEY).tolist() == [[1, 1, 1, 1, 0]]


@pytest.mark.parametrize("words", [{"epsilon": 1, "mechanism": "permute-and-flip"}, {"epsilon": 1, "noise": "laplace"}])
def test_no_mechanism_is_to_be_chosen(words: Any) -> None:
    """There is one way to draw it."""
    with pytest.raises(SettingError, match="wanted none: a quantile without bounds"):
        settle(COARSE, "add-remove", words)
