"""A plan: what a question costs and how wrong it may be, from public settings alone."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn, cast

import polars as pl
import pytest

import discreet
from discreet import BestPrice, Budget, LargestTotal, Ledger, Median, Quantile, Quantiles, TopK, Winner
from discreet.engines.ask import Ask
from discreet.errors import SettingError
from discreet.questions.answer import points
from discreet.questions.table import Table
from tests.questions.worlds import CASES, table

TRIPS = ("zoo", "lake", "sea")
WINNER = Winner("trip", TRIPS)
TERCILES = Quantiles("bid", ["1/3", "2/3"], bounds=(0, 2))
NAMES = TopK("trip", 2, among=None, delta="0.1")


class Sealed:
    """An engine nobody may look into."""

    def columns(self) -> NoReturn:
        """Refuse."""
        raise AssertionError("a plan looked at the columns")

    def check(self, ask: Ask | None, unit: str | None) -> NoReturn:  # noqa: ARG002 - a protocol's words
        """Refuse."""
        raise AssertionError("a plan looked at the columns")

    def tally(self, ask: Ask, unit: str | None, key: str) -> NoReturn:  # noqa: ARG002 - a protocol's words
        """Refuse."""
        raise AssertionError("a plan read the rows")


SEALED = Table(Sealed(), "pupil")


def test_a_plan_reads_nothing() -> None:
    """The table may be anything at all; asking it would be noticed."""
    assert SEALED.plan(WINNER, epsilon=1).guarantee == discreet.LaplacePair(1)
    with pytest.raises(AssertionError, match="read the rows"):
        SEALED.ask(WINNER, epsilon=1)


@pytest.mark.parametrize(
    ("question", "neighbours", "step", "gap"),
    [
        (WINNER, "add-remove", 1, 1),
        (WINNER, "replace", 1, 2),
        (Winner("trip", TRIPS, by="school", groups=["n", "s"]), "replace", 2, 2),
        (TopK("trip", 2, TRIPS, at_most=3), "add-remove", 1, 1),
        (Quantile("bid", "0.9", bounds=(0, 10)), "add-remove", Fraction(9, 10), Fraction(9, 5)),
        (BestPrice("bid", prices=("0.01", "1.99", "0.01")), "replace", Fraction("1.99"), Fraction("1.99")),
        (Quantiles("bid", ["0.25", "0.5"], bounds=(0, 9)), "add-remove", Fraction(3, 2), 3),
        (Quantiles("bid", ["0.25", "0.5"], bounds=(0, 9)), "replace", 2, 4),
        (TopK("trip", 2, None, 3, delta="1e-6"), "replace", 1, 2),
        (LargestTotal("trip", "paid", TRIPS, high=500, step="0.5"), "replace", 500, 1000),
        (LargestTotal("trip", "paid", TRIPS, high=5, low=-5, at_most=2), "add-remove", 5, 10),
    ],
    ids=lambda value: str(getattr(value, "kind", value)),
)
def test_a_plan_shows_how_far_one_person_moves_scores(question: Any, neighbours: Any, step: Any, gap: Any) -> None:
    """Step and gap follow from what is asked and the relation, in points, and are shown."""
    plan = Table(Sealed(), "pupil", neighbours).plan(question, epsilon=1)
    assert (plan.step, plan.gap) == (step, gap)
    assert (
        f"one pupil moves a score by at most {float(step):g}, and a difference of two by at most {float(gap):g}"
        in str(plan)
    )
    assert (plan.to_dict()["step"], plan.to_dict()["gap"]) == (str(Fraction(step)), str(Fraction(gap)))


@pytest.mark.parametrize("mechanism", ["permute-and-flip", "exponential", "noisy-max"])
@pytest.mark.parametrize("question", [WINNER, BestPrice("bid", prices=("0.5", "2", "0.5"))], ids=lambda q: q.kind)
def test_the_epsilon_needed_gives_the_error_wished_for(question: Any, mechanism: str) -> None:
    """At that epsilon the error bound is the error wished for; at a little less, it is larger."""
    needed = SEALED.plan(question, epsilon=1, error=3, mechanism=mechanism).needed
    assert needed is not None
    assert SEALED.plan(question, epsilon=needed, mechanism=mechanism).error_bound() <= 3.0001
    assert SEALED.plan(question, epsilon=needed * 0.99, mechanism=mechanism).error_bound() > 3


def test_the_epsilon_needed_for_several_winners_is_for_all() -> None:
    """So too for each of several winners, who share the chance."""
    question = TopK("trip", 2, TRIPS)
    needed = SEALED.plan(question, epsilon=1, error=10).needed
    assert needed is not None
    assert SEALED.plan(question, epsilon=needed).error_bound() == pytest.approx(10)


@pytest.mark.parametrize("k", [None, 2])
def test_an_error_bound_is_for_all_groups_together(k: int | None) -> None:
    """Ten groups share the chance, in a plan, in an answer, and in the epsilon needed."""
    groups: Any = {"by": "school", "groups": range(10)}
    question = Winner("trip", TRIPS, **groups) if k is None else TopK("trip", k, TRIPS, **groups)
    alone = Winner("trip", TRIPS) if k is None else TopK("trip", k, TRIPS)
    table = discreet.open(pl.DataFrame({"trip": ["zoo"], "school": [3]}))
    plan, answer = table.plan(question, epsilon=1), table.ask(question, epsilon=1)
    assert plan.error_bound() == answer.error_bound() == table.plan(alone, epsilon=1).error_bound("0.005")
    assert plan.error_bound("0.5") == answer.error_bound("0.5")
    needed = table.plan(question, epsilon=1, error=10).needed
    assert needed is not None
    assert table.plan(question, epsilon=needed).error_bound() == pytest.approx(10)


@pytest.mark.parametrize(
    "question", [*(case.question for case in CASES.values()), TERCILES, NAMES], ids=lambda q: q.kind
)
def test_an_answer_is_as_wrong_as_its_plan_said(question: Any, tmp_path: Path) -> None:
    """The bound of the plan is that of the answer and of the answer a ledger kept, at any chance and as JSON."""
    with Ledger(tmp_path / "b.db", Budget(epsilon=3, delta="0.3", spare="0.2", per="row")) as ledger:
        asked = Table(table({"x": [{"trip": "zoo", "bid": 1.0}]}), ledger=ledger)
        plan = asked.plan(question, epsilon=1)
        answers = [asked.ask(question, epsilon=1, request="may") for _ in range(2)]
    for answer in answers:
        for odds in ("0.05", "0.5"):
            bound = answer.error_bound(odds)
            assert (math.inf if bound is None else bound) == plan.error_bound(odds)
        assert answer.to_dict()["error_bound_95"] == plan.to_dict()["error_bound_95"]
    assert (question.kind == "top" and not question.candidates) == (answers[0].error_bound() is None)


def test_the_value_of_several_numbers_is_all_of_them() -> None:
    """A tuple that rises; one number is itself, and so is a winner."""
    asked = Table(table({"x": [{"trip": "zoo", "bid": 1.0}]}))
    several = asked.ask(TERCILES, epsilon=1)
    assert several.value == several.winners
    assert several.winners == tuple(sorted(cast("Any", several.winners)))
    assert len(several.winners) == 2
    for question in (WINNER, Median("bid", bounds=(0, 4)), TopK("trip", 2, TRIPS)):
        answer = asked.ask(question, epsilon=1)
        assert answer.value == answer.winner


def test_points_are_named_after_the_unit() -> None:
    """Where each row is one, points are rows; else people; and revenue is revenue."""
    rows = discreet.open(pl.DataFrame({"trip": ["zoo"]}))
    assert "rows below the best" in str(rows.plan(WINNER, epsilon=1))
    assert "people below the best" in str(SEALED.plan(WINNER, epsilon=1))
    assert "of revenue below" in str(rows.plan(BestPrice("bid", prices=(1, 2, 1)), epsilon=1))
    assert [points(WINNER, "row", count) for count in (0, 1, 2)] == ["rows", "row", "rows"]


def test_a_rehearsal_is_on_a_table_the_caller_names() -> None:
    """The likeliest answers on invented data, with their chances; the table asked is not read."""
    invented = discreet.open(pl.DataFrame({"trip": ["zoo"] * 30 + ["sea"] * 28}))
    plan = SEALED.plan(WINNER, epsilon=1, rehearsal=invented)
    (first, high), (second, low), _ = plan.rehearsal
    assert (first, second) == ("zoo", "sea")
    assert high > low > 0
    assert f"zoo ({100 * high:.0f} %)" in str(plan)


def test_a_plan_is_json() -> None:
    """Everything goes through JSON."""
    invented = discreet.open(pl.DataFrame({"trip": ["zoo"]}))
    written = json.loads(json.dumps(SEALED.plan(WINNER, epsilon=1, error=2, rehearsal=invented).to_dict()))
    assert written["guarantee"] == {"kind": "laplace-pair", "epsilon": "1"}
    assert written["rehearsal"][0][0] == "zoo"


def test_a_plan_refuses_what_ask_would_refuse() -> None:
    """A wrong word, no epsilon, two of them, and an error that is no error."""
    for words in (
        {},
        {"epsilon": 1, "rho": 1},
        {"epsilon": 0},
        {"epsilon": 1, "sensitivity": 1},
        {"epsilon": 1, "error": 0},
    ):
        with pytest.raises(SettingError):
            SEALED.plan(WINNER, **words)  # type: ignore[arg-type]
