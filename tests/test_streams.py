"""Streams of answers: charged when opened, exact, used up after the last "above", and in one process only."""

import copy
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.errors import BudgetError, DataError, SettingError
from discreet.guarantees import Approx, Pure, PureRange, Zcdp
from discreet.ledger import Budget, Ledger
from discreet.mechanisms.limited_domain import LimitedDomain
from discreet.mechanisms.threshold import AboveThreshold
from discreet.readings import implies
from discreet.sensitivity import Sensitivity
from discreet.streams import ItemSession, ThresholdStream
from discreet.testing import ScriptedCoins
from tests.mechanisms.test_threshold import exactly, law
from tests.sampling.test_crossing import walked


def sharp(threshold: Any = 10, positives: int = 3, **settings: Any) -> ThresholdStream:
    """Open a stream with next to no noise."""
    words: dict[str, Any] = {"epsilon": 10**9, "sensitivity": 1, **settings}
    return ThresholdStream.open(threshold, positives=positives, **words)


def test_a_stream_answers_by_the_mechanisms_law() -> None:
    """Answers of an open stream have the joint law of AboveThreshold, its threshold moved by the public centre."""
    facts = Sensitivity.of(sensitivity=1, monotonic=True)
    one = AboveThreshold.calibrate(Pure(2), facts, 2)

    def run(coins: Any) -> tuple[bool, ...]:
        stream = ThresholdStream.open(1, epsilon=2, sensitivity=1, monotonic=True, positives=2, coins=coins)
        assert stream.mechanism == one
        answers = list[bool]()
        for score in (0, 2, 1):
            if stream.left:
                answers.append(stream.ask(score))
        return tuple(answers)

    found = walked(run)
    points = [score - 1 - float(one.centre) for score in (0, 2, 1)]
    assert found.contains(exactly(law(one, points)))
    assert not found.contains(exactly(law(one, [point + float(one.centre) for point in points])))


def test_the_ledger_is_charged_once_and_first(tmp_path: Path) -> None:
    """Opening charges all answers together; a refusal opens nothing; asking costs nothing more; each opening does."""
    with Ledger(tmp_path / "b.db", Budget(epsilon=1)) as ledger:
        words: dict[str, Any] = {"sensitivity": 1, "monotonic": True, "ledger": ledger, "memo": "alarms"}
        stream = ThresholdStream.open(100, epsilon="0.6", **words)
        assert [stream.ask(-(10**6)) for _ in range(50)] == [False] * 50
        assert ledger.remaining.epsilon == Fraction(4, 10)
        assert stream.receipt is not None
        assert stream.receipt.memo == "alarms"
        assert implies(stream.guarantee, Pure("0.6"))
        with pytest.raises(BudgetError):
            ThresholdStream.open(100, epsilon="0.6", coins=ScriptedCoins([]), **words)  # refused before any coin
        ThresholdStream.open(100, epsilon="0.4", **words)
        assert ledger.remaining.epsilon == 0
    with Ledger(tmp_path / "r.db", Budget(rho=1, neighbours="replace")) as ledger:
        with pytest.raises(SettingError, match="neighbours"):
            ThresholdStream.open(1, guarantee=Zcdp("0.5"), sensitivity=1, ledger=ledger)
        ThresholdStream.open(1, guarantee=Zcdp("0.5"), sensitivity=1, neighbours="replace", ledger=ledger)
        assert Fraction(1, 2) <= ledger.remaining.amount < Fraction(51, 100)


def test_it_ends_after_the_last_above() -> None:
    """So many answers "above", any number "below", and then a refusal that names the way on."""
    stream = sharp(positives=2)
    assert [stream.ask(score) for score in (9, 11, 3, 12)] == [False, True, False, True]
    assert (stream.left, stream.asked) == (0, 4)
    with pytest.raises(SettingError, match="positives: wanted at most 2"):
        stream.ask(0)
    assert stream.asked == 4


def test_leads_are_on_the_public_grid() -> None:
    """A lead is rounded down to the grid; without a grid there is none."""
    stream = sharp(gap="0.5")
    assert stream.lead(9) is None
    assert stream.lead(Decimal("11.8")) == Fraction(3, 2)
    with pytest.raises(SettingError, match="gap"):
        sharp().lead(11)


@pytest.mark.parametrize(
    "score", [11, 11.5, Fraction(21, 2), Decimal("10.5"), np.float32(11), np.int8(11), np.array(11)]
)
def test_scores_of_any_kind_are_read_exactly(score: Any) -> None:
    """Python's and NumPy's numbers are what they are."""
    assert sharp().ask(score)
    assert not sharp().ask(-score)


@pytest.mark.parametrize(
    "score", [nan, inf, Decimal("NaN"), "81234", None, [81234], Decimal("8e999999999"), np.ones(2)]
)
def test_what_is_no_score_is_refused_in_silence(score: Any) -> None:
    """The message shows no number, and the stream goes on."""
    stream = sharp()
    with pytest.raises(DataError, match=r"^score: ") as refused:
        stream.ask(score)
    assert not any(digit in str(refused.value) for digit in "0123456789")
    assert (stream.asked, stream.left) == (0, 3)


def test_a_stream_is_never_copied() -> None:
    """Copies and pickles would answer twice with the noise that was paid for once."""
    stream = sharp()
    for way in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied"):
            way(stream)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_is_refused() -> None:
    """The child of a fork cannot ask; its parent still can."""
    stream = sharp()
    child = os.fork()
    if child == 0:  # pragma: no cover - what the child does is seen by its exit code
        code = 1
        try:
            stream.ask(11)
        except SettingError:
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert stream.ask(11)


def test_threads_share_the_positives() -> None:
    """Asked from many threads at once, a stream still gives no more answers "above" than were paid for."""
    stream = sharp(positives=5)

    def ask(_: int) -> bool:
        try:
            return stream.ask(100)
        except SettingError:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(64))) == 5


def test_nothing_private_prints() -> None:
    """Neither scores nor noise are in its words, which say what was promised."""
    stream = sharp(10, epsilon=1)
    stream.ask(-77777)
    assert "77777" not in f"{stream} {stream!r}"
    assert "above 10? 1 asked, 0 of 3 above: 1-differential privacy" in str(stream)
    assert isinstance(sharp(monotonic=True).guarantee, PureRange)
    assert stream.error_bound(100) > stream.error_bound(10) > 0


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"epsilon": None}, "epsilon"),
        ({"guarantee": Pure(1)}, "epsilon"),
        ({"epsilon": None, "guarantee": 1}, "guarantee"),
        ({"epsilon": 0}, "epsilon"),
        ({"sensitivity": None}, "sensitivity"),
        ({"positives": 0}, "positives"),
        ({"gap": 0}, "gap"),
        ({"threshold": "high"}, "threshold"),
        ({"monotonic": True, "neighbours": "replace"}, "monotonic"),
    ],
)
def test_what_a_caller_may_get_wrong(settings: dict[str, Any], name: str) -> None:
    """Each wrong setting is named."""
    with pytest.raises(SettingError, match=f"^{name}: "):
        sharp(**settings)


PLAN = LimitedDomain.calibrate(Approx(1, "1e-6"), 4, calls=2, at_most=3, neighbours="replace")


def test_a_session_of_items_is_charged_once_and_first(tmp_path: Path) -> None:
    """Opening charges the whole promise and its delta; calls cost nothing more; what does not fit opens nothing."""
    people = PLAN.read(["flu"] * 9000 + ["gout"])
    budget = Budget(epsilon=6, delta="1e-4", spare="1e-6", per="patient", neighbours="replace")
    with Ledger(tmp_path / "b.db", budget) as ledger:
        words: dict[str, Any] = {"ledger": ledger, "per": "patient", "memo": "wards"}
        session = ItemSession.open(PLAN, **words)
        assert session.receipt is not None
        assert session.receipt.memo == "wards"
        spent = ledger.spent
        assert [session.ask(people, 2).items for _ in range(2)] == [("flu",)] * 2
        assert (session.draws_left, session.calls_left, ledger.spent) == (0, 0, spent)
        with pytest.raises(BudgetError, match="count: wanted at most the 0 draws"):
            session.ask(people, 1)
        with pytest.raises(BudgetError):  # the delta set aside is used up
            ItemSession.open(PLAN, **words)
        for wrong in ({"per": "row"}, {"per": "patient", "plan": replace(PLAN, neighbours="add-remove")}):
            with pytest.raises(SettingError):
                ItemSession.open(**{"plan": PLAN, **words, **wrong})
        assert ledger.spent == spent
    with pytest.raises(TypeError, match="not copied"):
        copy.copy(session)


def test_a_session_without_a_ledger_has_no_receipt() -> None:
    """It is paid for by whoever keeps the account."""
    session = ItemSession.open(PLAN)
    assert session.receipt is None
    assert session.promise == PLAN.promise()
