"""Questions are public records: they say what they ask, go through JSON, and refuse what cannot be asked."""

import datetime as dt
import json
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import discreet
from discreet import (
    Approval,
    BestHypothesis,
    BestPrice,
    BestSlot,
    LargestTotal,
    Median,
    Quantile,
    Quantiles,
    Ranking,
    TopK,
    Winner,
)
from discreet.domains.runs import levels_of
from discreet.engines.ask import Spread
from discreet.engines.sql import text_of
from discreet.errors import SettingError
from discreet.exact import number
from discreet.questions import QUESTIONS, question_from
from discreet.questions.base import written
from discreet.scores import Rank

GROUPS: dict[str, Any] = {"by": "school", "groups": ["north", "south"]}
ASKED: dict[str, Any] = {
    "Which trip do most people name, of zoo, lake?": Winner("trip", ["zoo", "lake"]),
    "Which trip do most people name, of 9 candidates, for each of 2 school?": Winner("trip", range(9), 3, 4, **GROUPS),
    "Which 2 of 3 candidates for trip do most people name, best first?": TopK("trip", 2, ["abc", "x", 7]),
    "In which order do people name a, b as trip, most first?": Ranking("trip", ["a", "b"]),
    "Which of a, b do most people approve?": Approval("name", ["a", "b"]),
    "Which of mon, tue do most people approve, for each of 2 school?": Approval(columns=["mon", "tue"], **GROUPS),
    "On which of mon, tue do fewest people have a conflict?": BestSlot("busy", ["mon", "tue"]),
    "On which of mon, tue are most people free?": BestSlot(columns=["mon", "tue"], says="free"),
    "What is the median of wage, from 0 to 10 in steps of 0.5?": Median("wage", (0, 10), "0.5"),
    "What is the 1/3-quantile of wage, from -5 to 5 in steps of 1?": Quantile("wage", "1/3", (-5, 5)),
    "What is the median of wage, from 0 to 3 in steps of 1, if too high costs 1 and too low 2.5, for each of 2 school?": (  # noqa: E501
        Median("wage", (0, 3), over="0.4", under=1, **GROUPS)
    ),
    "What is the 0.9-quantile of wage, from 0 to 3 in steps of 1, if too high costs 3 and too low 1?": Quantile(
        "wage", "0.9", (0, 3), over=3
    ),
    "What is the median of wage, rounded up to a power of 2?": Median("wage"),
    "What is the 0.9-quantile of wage, rounded up to 0.25 times a power of 1.5?": Quantile(
        "wage", "0.9", start="0.25", factor="1.5"
    ),
    "Which price from 0.5 to 2 in steps of 0.25 earns most, by the bid of each person?": BestPrice(
        "bid", (Fraction(1, 2), 2, "0.25")
    ),
    "Which shop has the largest total of paid, of n, s, from -1 to 5 for each person and shop?": LargestTotal(
        "shop", "paid", ["n", "s"], high=5, low=-1, step="0.1", at_most=2
    ),
    "Which of model, old, rich is wrong about bought for the fewest people?": BestHypothesis(
        "bought", {"model": "guess", "old": ("age", ">=", 40.5), "rich": ("class", "==", "rich")}
    ),
    "Which up to 3 of all trip do most people name, best first?": TopK("trip", 3, None, 2, delta="1e-6"),
    "What are the quantiles 0.1, 0.5, 0.9 of wage, from 0 to 10 in steps of 0.5, for each of 2 school?": Quantiles(
        "wage", ["0.1", "1/2", 0.9], (0, 10), "0.5", **GROUPS
    ),
    "Which of z, a, m is wrong about bought for the fewest people?": BestHypothesis(
        "bought", [("z", ("code", "==", Fraction(7))), ("a", ("code", "==", "7")), ["m", ["age", "<", "1/8"]]]
    ),
    "Which of p, q is wrong about bought for the fewest people?": BestHypothesis("bought", ["p", "q"]),
}


@pytest.mark.parametrize(("sentence", "question"), ASKED.items(), ids=list(ASKED))
def test_a_question_says_what_it_asks(sentence: str, question: Any) -> None:
    """Each in a sentence."""
    assert question.sentence() == sentence


@pytest.mark.parametrize("question", ASKED.values(), ids=list(ASKED))
def test_a_question_goes_through_json(question: Any) -> None:
    """What comes back asks the same of the table, in the same words, and goes through pickle too."""
    written = json.loads(json.dumps(question.to_dict()))
    again = question_from(written)
    assert type(again) is type(question)
    assert again.to_dict() == written
    assert (again.ask(), again.sentence(), list(again.candidates)) == (
        question.ask(),
        question.sentence(),
        list(question.candidates),
    )
    assert pickle.loads(pickle.dumps(question)) == question  # noqa: S301 - our own


LABELS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
    st.integers(-(2**70), 2**70),
    st.booleans(),
    st.decimals(allow_nan=False, allow_infinity=False).filter(lambda label: abs(label.adjusted()) < 50),
    st.dates(),
    st.datetimes(),
)


@settings(max_examples=60)
@given(st.lists(LABELS, min_size=1, max_size=4), st.text(st.characters(exclude_categories=["Cs"]), max_size=3))
def test_any_labels_ask_the_same_after_json(labels: list[Any], value: str) -> None:
    """Candidates of every type are compared with the same text afterwards, and numbers with numbers."""
    assume(len({str(written(label)) for label in labels}) == len(labels) == len(set(labels)))
    number = Fraction(len(labels), 8)
    rules = [("b", ("x", "==", value)), ("a", ("x", "==", number)), ("c", ("x", "<", number))]
    for question in (Winner("trip", labels, other=labels[0]), Approval("trip", labels), BestHypothesis("t", rules)):
        again = question_from(json.loads(json.dumps(question.to_dict())))
        assert again.ask() == question.ask()


def test_rules_keep_their_order_and_their_kind() -> None:
    """Two orders are two questions; a number is no text; and a question can be a key."""
    first = BestHypothesis("t", {"b": ("x", "==", 7), "a": ("x", "==", "7")})
    second = BestHypothesis("t", {"a": ("x", "==", "7"), "b": ("x", "==", 7)})
    assert (first.candidates, second.candidates) == (("b", "a"), ("a", "b"))
    assert first != second
    assert json.dumps(first.to_dict(), sort_keys=True) != json.dumps(second.to_dict(), sort_keys=True)
    assert first.to_dict()["hypotheses"] == [["b", ["x", "==", {"number": "7"}]], ["a", ["x", "==", "7"]]]
    assert {first: 1}[question_from(first.to_dict())] == 1  # type: ignore[index]
    assert len(set(ASKED.values())) == len(ASKED)


@pytest.mark.parametrize(("over", "under"), [(2, 1), (1, "2.5"), ("0.1", "0.3"), (7, 7)])
def test_weights_of_a_quantile_are_those_of_its_rank(over: Any, under: Any) -> None:
    """Too high costs ``over``, too low ``under``; one person is a point at least, whatever the unit of the weights."""
    question = Quantile("wage", "1/3", (0, 4), over=over, under=under)
    least = min(number(over), number(under))
    rank = Rank(range(5), "1/3", number(over) / least, number(under) / least)
    told = levels_of(question.scores(Spread.of({1: 4, 3: 2}), "add-remove").values)
    people = [1] * 4 + [3] * 2
    assert [told.stored(place) for place in range(5)] == list(rank.score(people).values)
    swapped = Rank(range(5), "1/3", rank.under, rank.over).score(people).values
    assert (list(rank.score(people).values) == list(swapped)) == (over == under)
    assert question.scores(Spread.of({}), "replace").sensitivity == rank.sensitivity("replace")


def test_whole_numbers_are_only_numbers() -> None:
    """A number that writes itself as SQL is kept as the plain number it is."""

    class Sly(int):
        def __format__(self, spec: str) -> str:
            return f"1 OR TRUE{spec}"

        def __repr__(self) -> str:
            return "1 OR TRUE"

    rows = pl.DataFrame({"who": ["ann"] * 3, "trip": ["zoo", "sea", "lake"], "paid": [1, 1, 1]})
    among = ["zoo", "sea", "lake"]
    for question in (
        Winner("trip", among, at_most=Sly(1)),
        TopK("trip", Sly(2), among, at_most=Sly(1)),
        TopK("trip", Sly(2), None, Sly(1), delta="1e-6"),
        LargestTotal("trip", "paid", among, high=5, at_most=Sly(1)),
    ):
        assert "OR TRUE" not in f"{question}{question.to_dict()}{text_of(question.ask(), unit=True, key='')}"
        assert type(question.at_most) is int
        assert discreet.open(rows, unit="who").ask(question, epsilon=1).winners is not None


@pytest.mark.parametrize("question", ["winner", None, Winner, 3, {"question": "winner"}, pl.DataFrame({"trip": [1]})])
@pytest.mark.parametrize("verb", ["ask", "plan", "private_law"])
def test_what_is_no_question_is_refused(question: Any, verb: str) -> None:
    """By its kind alone: it may be somebody's data."""
    table = discreet.open(pl.DataFrame({"trip": ["zoo"]}))
    with pytest.raises(SettingError, match=rf"question: wanted one such as Winner.*got a {type(question).__name__}$"):
        getattr(table, verb)(question, epsilon=1)


def test_every_kind_is_tried_here() -> None:
    """No kind of question is left out of the two tests above."""
    assert {type(question) for question in ASKED.values()} == set(QUESTIONS)


def test_labels_come_back_as_given() -> None:
    """Dates, decimals, numbers and NumPy's numbers are compared by their text and answered as they are."""
    day = dt.date(2026, 1, 31)
    noon = dt.datetime(2026, 1, 31, 12, 0, 0, 500_000)  # noqa: DTZ001 - a table's own clock
    price = pl.Series([Decimal("1.50")] * 99, dtype=pl.Decimal(5, 2))
    rows = pl.DataFrame({"day": [day] * 99, "noon": [noon] * 99, "n": [7] * 99, "yes": [True] * 99, "price": price})
    for column, right, other, text in [
        ("day", day, dt.date(2026, 2, 1), "2026-01-31"),
        ("noon", noon, dt.datetime(2026, 1, 31), "2026-01-31 12:00:00.5"),  # noqa: DTZ001
        ("n", np.int64(7), np.int64(8), 7),
        ("yes", True, False, True),
        ("price", Decimal("1.50"), Decimal("2.5"), "1.50"),
    ]:
        answer = discreet.open(rows).ask(Winner(column, [other, right]), epsilon=5)
        assert answer.winner is right
        assert json.loads(json.dumps(answer.to_dict()))["winner"] == text


def test_numbers_of_a_grid_are_short_decimals() -> None:
    """The points of a grid are whole numbers where it is whole, else decimals with the digits they need."""
    assert tuple(Median("x", bounds=(0, 4), step=2).candidates) == (0, 2, 4)
    assert list(map(str, Median("x", bounds=("-0.5", 1), step="0.25").candidates)) == [
        "-0.50",
        "-0.25",
        "0.00",
        "0.25",
        "0.50",
        "0.75",
        "1.00",
    ]
    assert list(map(str, BestPrice("x", prices=("0.01", "0.03", "0.01")).candidates)) == ["0.01", "0.02", "0.03"]


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Winner("trip", []), "among: wanted at least one"),
        (lambda: Winner("trip", "zoo"), "among: wanted a list of labels"),
        (lambda: Winner("trip", ["zoo", "zoo"]), "named twice"),
        (lambda: Winner("trip", [1, "1"]), "named twice"),
        (lambda: Winner("trip", [0.5]), "write others as the text"),
        (lambda: Winner("trip", [dt.datetime(2026, 1, 1, tzinfo=dt.UTC)]), "among: wanted texts"),
        (lambda: Winner("", ["zoo"]), "column: wanted the name of a column"),
        (lambda: Winner(3, ["zoo"]), "column: wanted the name of a column, got 3"),  # type: ignore[arg-type]
        (lambda: Winner("trip", ["zoo"], at_most=0), "at_most: wanted a whole number from 1, got 0"),
        (lambda: Winner("trip", ["zoo"], other="lake"), "other: wanted one of the candidates"),
        (lambda: Winner("trip", ["zoo"], by="school"), "groups: wanted by="),
        (lambda: Winner("trip", ["zoo"], groups=["north"]), "groups: wanted by="),
        (lambda: Winner("trip", ["zoo"], by="school", groups=["n", "n"]), "groups: .*twice"),
        (lambda: TopK("trip", 3, ["zoo", "lake"]), "k: wanted a whole number from 1 to 2, got 3"),
        (Approval, "column: wanted column= and among="),
        (lambda: Approval("name"), "column: wanted column= and among="),
        (lambda: Approval("name", ["a"], ["b"]), "column: wanted column= and among="),
        (lambda: Approval(columns=["a", 3]), "column: wanted the name of a column, got 3"),  # type: ignore[list-item]
        (lambda: BestSlot("busy", ["a"], says="both"), "says: wanted 'busy' or 'free', got 'both'"),  # type: ignore[arg-type]
        (lambda: Median("x", bounds=[]), "bounds: wanted two public numbers"),
        (lambda: Median("x", step=5), "step: wanted none, since there are no bounds, got 5"),
        (lambda: Quantile("x", over=2), "over: wanted none, since there are no bounds, got 2"),
        (lambda: Quantile("x", under=2), "under: wanted none, since there are no bounds, got 2"),
        (lambda: Median("x", **GROUPS), "by: wanted none, since there are no bounds, got 'school'"),
        (lambda: Median("x", start=0), "start: wanted a number above 0, got 0"),
        (lambda: Median("x", start="1e-10"), "start: wanted a decimal with at most nine digits"),
        (lambda: Median("x", factor=1), "factor: wanted a number above 1, by which start grows"),
        (lambda: Median("x", start="1e-9", factor="1.9"), "factor: wanted a number above 1, by which start grows"),
        (lambda: Median("x", factor="1.01"), "factor: wanted one by which start reaches"),
        (lambda: Median("x", bounds=(0, 1), start=2), "start: wanted none, since there are bounds, got 2"),
        (lambda: Median("x", bounds=(0, 1), factor=3), "factor: wanted none, since there are bounds, got 3"),
        (lambda: Median("x", bounds=(1, 1)), "bounds: wanted a highest number"),
        (lambda: Median("x", bounds=(3, 1)), "bounds: wanted a highest number"),
        (lambda: Median("x", bounds=(0, 1), step="0.3"), "bounds: wanted a highest number"),
        (lambda: Median("x", bounds=(0, 1), step=0), "step: wanted a number above 0"),
        (lambda: Median("x", bounds=(0, 1), step="1e-10"), "step: wanted a decimal with at most nine digits"),
        (lambda: Median("x", bounds=(0, 10**16), step=10**16), "bounds: .* at most 1000000000000000 in size"),
        (lambda: BestPrice("x", prices=(1, 10**7, 1)), "step: wanted a grid of at most 1000000 points"),
        (lambda: Median("x", bounds=("a", "b")), "bounds: wanted a number, got 'a'"),
        (lambda: Quantile("x", 1, bounds=(0, 1)), "q: wanted a number strictly between 0 and 1"),
        (lambda: Quantile("x", bounds=(0, 1), over=0), "over: wanted a number above 0, got 0"),
        (lambda: Median("x", bounds=(0, 1), under=-1), "under: wanted a number above 0, got -1"),
        (lambda: BestPrice("x", prices=(0, 2, 1)), "prices: wanted prices above 0"),
        (lambda: BestPrice("x", prices=(1, 2)), "prices: wanted three numbers"),
        (lambda: BestPrice("x", prices=5), "prices: wanted three numbers"),  # type: ignore[arg-type]
        (lambda: LargestTotal("s", "p", ["n"], high=0), "high: wanted a number above low, 0, got 0"),
        (lambda: LargestTotal("s", "p", ["n"], high=5, low=9), "high: wanted a number above low, 9, got 5"),
        (lambda: LargestTotal("s", "p", ["n"], high=5, step=2), "high: wanted a whole number of ticks of 2"),
        (lambda: LargestTotal("s", "p", ["n"], high=10**9, step="1e-9"), "step: wanted one of which"),
        (lambda: LargestTotal("s", "p", ["n"], high=5, at_most=0), "at_most: wanted a whole number from 1"),
        (lambda: Winner("trip", ["\udcff"]), "among: wanted texts of whole Unicode"),
        (lambda: TopK("trip", 2, None), "delta: wanted delta= with among=None"),
        (lambda: TopK("trip", 2, None, delta=0), "delta: wanted a number strictly between 0 and 1"),
        (lambda: TopK("trip", 0, None, delta="1e-6"), "k: wanted a whole number from 1, got 0"),
        (lambda: TopK("trip", 2, None, 0, delta="1e-6"), "at_most: wanted a whole number from 1, got 0"),
        (lambda: TopK("trip", 2, None, other="zoo", delta="1e-6"), "other: wanted none"),
        (lambda: TopK("trip", 2, None, delta="1e-6", **GROUPS), "by: wanted none"),
        (lambda: TopK("trip", 1, ["zoo"], delta="1e-6"), "delta: wanted none, since the candidates are listed"),
        (lambda: Quantiles("x", [], bounds=(0, 1)), "qs: wanted"),
        (lambda: Quantiles("x", ["0.5", "0.5"], bounds=(0, 1)), "qs: wanted"),
        (lambda: Quantiles("x", ["0.9", "0.1"], bounds=(0, 1)), "qs: wanted"),
        (lambda: Quantiles("x", [0, "0.5"], bounds=(0, 1)), "qs: wanted|q: wanted"),
        (lambda: Quantiles("x", ["0.5"]), "bounds: wanted two public numbers"),
        (lambda: Quantiles("", ["0.5"], bounds=(0, 1)), "column: wanted the name of a column"),
        (lambda: BestHypothesis("t", {}), "hypotheses: wanted at least one"),
        (lambda: BestHypothesis("t", "guess"), "hypotheses: wanted columns, or pairs"),
        (lambda: BestHypothesis("t", 3), "hypotheses: wanted columns, or pairs"),  # type: ignore[arg-type]
        (lambda: BestHypothesis("t", [("a", "b", "c")]), "hypotheses: wanted columns, or pairs"),
        (lambda: BestHypothesis("t", ["a", ("a", "b")]), "hypotheses: .*twice"),
        (lambda: BestHypothesis("t", {"a": ("x", "==", "\ud800")}), "hypotheses: wanted texts of whole Unicode"),
        (lambda: BestHypothesis("t", {"a": ("x", "==", {"text": "7"})}), "hypotheses: wanted a number"),
        (lambda: BestHypothesis("t", {"a": ("age", "~", 3)}), "hypotheses: wanted '<' or"),
        (lambda: BestHypothesis("t", {"a": ("age", "<")}), "hypotheses: wanted columns, or comparisons"),
        (lambda: BestHypothesis("t", {"a": ("age", "<", "old")}), "hypotheses: wanted a number"),
        (lambda: BestHypothesis("t", {"a": 7}), "hypotheses: wanted columns, or comparisons"),
        (lambda: BestHypothesis("", ["p"]), "truth: wanted the name of a column"),
        (lambda: question_from({"question": "whether"}), "question: wanted 'winner' or"),
        (lambda: question_from({"question": "winner", "colour": 3}), "question: wanted the words of Winner"),
    ],
)
def test_what_cannot_be_asked_is_refused(make: Any, match: str) -> None:
    """Each with the setting, what is allowed, and what came."""
    with pytest.raises(SettingError, match=match):
        make()
