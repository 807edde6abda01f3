"""Several quantiles, and names nobody listed: the law of their mechanisms through the SQL, the promise, the ledger."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, get_args

import numpy as np
import polars as pl
import pytest

import discreet
from discreet import Budget, Ledger, Median, Quantiles, TopK
from discreet.balls import Ball, at, ball, upper
from discreet.domains import ApproximateQuantiles, JointQuantiles, joint_quantiles, middle, quantiles, ways
from discreet.engines.duckdb import DuckDB
from discreet.errors import DataError, SettingError
from discreet.exact import number
from discreet.guarantees import Approx, Pure, PureRange, Range, Zcdp
from discreet.mechanisms import limited_domain
from discreet.questions.drawn import FromDomain, Unnamed
from discreet.questions.kinds import question_from
from discreet.questions.settle import settle
from discreet.questions.table import Table
from discreet.questions.unbounded import Unbounded
from discreet.readings import implies
from discreet.sensitivity import Neighbours
from discreet.testing import exact_law
from tests.domains.quantile_worlds import among_pieces
from tests.questions.worlds import KEY, Person, table, trips
from tests.sampling.forks import weigh

RELATIONS: tuple[Neighbours, ...] = get_args(Neighbours)
TERCILES = Quantiles("bid", ["1/3", "2/3"], bounds=(0, 2))
NAMES = TopK("trip", 2, among=None, delta="0.1")
MANY = TopK("trip", 2, among=None, at_most=2, delta="0.1")
HALVED = Quantiles("bid", ["1/3", "2/3"], bounds=(0, 2), method="halving")
BROUGHT = TopK("trip", 1, among=None, at_most=3, delta="0.01")
QUESTIONS: list[Any] = [TERCILES, HALVED, NAMES, MANY, BROUGHT]
KINDS_ASKED = ["quantiles", "halved quantiles", "names", "many names", "three names a person"]


def split(weights: Callable[[], Sequence[Ball]], coins: Any) -> int:
    """Fork where ``among`` would draw bits."""
    last = len(at(64, weights)) - 1
    for place in range(last):
        if coins.weigh(lambda: weights()[place] / sum(weights()[place:], ball(0))):  # noqa: B023
            return place
    return last


def drawn(logs: Any, coins: Any) -> tuple[int, int, Fraction]:
    """Fork into the ways a quantile may go, by whole-number weights near those proposed."""
    weights = [int(weight) for weight in np.floor(np.exp(logs - logs.max()).ravel() * 2**20)]
    place = coins.among(weights)
    count, run = divmod(place, logs.shape[1])
    return run, count + 1, Fraction(weights[place], sum(weights))


@contextmanager
def large_forks() -> Iterator[None]:
    """Fork where bits would be drawn, and leave values where they are in their cells."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quantiles, "MOST_JITTER", 0)
        patch.setattr(joint_quantiles, "flip", weigh)
        patch.setattr(ways, "_drawn", drawn)
        patch.setattr(middle, "flip", weigh)
        patch.setattr(middle, "_drawn", among_pieces)
        patch.setattr(limited_domain, "among", split)
        yield


def stated(question: Any, counted: Any, way: Any) -> Mapping[Any, Ball]:
    """The chances of every answer, as the mechanism lists them for these counts."""
    if isinstance(way, FromDomain):
        numbers = np.repeat(counted.places, counted.people)
        law: Any = (
            type(way.domain)(question.bounds, question.step, question.qs)
            .score(numbers.tolist())
            .law(way.mechanism.rate, 0)
        )
        return {tuple(points): chance for points, chance in at(128, law.chances).items()}
    if isinstance(way, Unbounded):
        halting = way.domain.score_parts(counted, way.sensitivity.neighbours).law(way.mechanism.rate)
        shares = at(128, halting.chances).values()
        return dict(zip([*((label,) for label in question.candidates), (None,)], shares, strict=True))
    assert isinstance(way, Unnamed)
    found = way.plan.read_counts(dict(zip(counted.items, counted.people, strict=True))).law(question.k)
    return {one.items: chance for one, chance in at(128, found.chances).items()}


@pytest.mark.parametrize("question", QUESTIONS, ids=KINDS_ASKED)
def test_an_answer_has_the_law_of_its_mechanism(question: Any) -> None:
    """Walked over all coins, the chances are those the mechanism lists for the true counts, and for no others."""
    rows = [{"trip": trip, "bid": bid} for trip, bid in zip(["zoo"] * 3 + ["sea"], [0.0, 1.5, 2.0, 9.0], strict=True)]
    people: dict[str, Person] = {str(place): [row] for place, row in enumerate(rows)}
    way = settle(question, "add-remove", {"epsilon": 2})

    def chances(world: dict[str, Person]) -> Mapping[Any, Ball]:
        return stated(question, table(world).tally(question.ask(), None, KEY)[0], way)

    asked = Table(table(people))
    with large_forks():
        walked = exact_law(lambda coins: asked.ask(question, epsilon=2, coins=coins).winners, leftover="1e-2", runs=400)
    assert walked.leftover < Fraction("0.05")
    assert walked.contains(chances(people))
    for gone in ("0", "3"):
        assert not walked.contains(chances({name: row for name, row in people.items() if name != gone}))


KINDS: dict[str, list[Person]] = {
    "quantiles": [[], [{"bid": 0.0}], [{"bid": 1.0}], [{"bid": 0.0}, *[{"bid": 2.0}] * 8], [{"bid": None}]],
    "quantile": [[], [{"bid": 1.0}], [{"bid": 5.0}], [{"bid": 0.0}, {"bid": 5.0}, {"bid": 1e300}], [{"bid": None}]],
    "top": [[], trips("zoo"), trips("zoo", "sea"), trips("sea", "lake", "zoo")],
}


def beyond(one: Mapping[Any, Ball], other: Mapping[Any, Ball], epsilon: Fraction) -> Fraction:
    """How much likelier a set of answers can be than a factor allows: at most delta."""

    def found() -> Fraction:
        factor, zero = ball(epsilon).exp(), ball(0)
        over = [upper(chance - factor * other.get(answer, zero)) for answer, chance in one.items()]
        return sum((part for part in over if part > 0), Fraction(0))

    return at(128, found)


def worst(question: Any, neighbours: Neighbours, unit: str | None = "who", asked: Any = None) -> Fraction:
    """Over small worlds, how far the laws of neighbours go past what is promised."""
    way, ask, kinds = settle(question, neighbours, {"epsilon": 1}), asked or question.ask(), KINDS[question.kind]
    promised: Any = way.guarantee
    most = Fraction(0)
    delta = promised.delta if isinstance(promised, Approx) else Fraction(0)
    epsilon = promised.pure if isinstance(promised, PureRange) else promised.epsilon
    for crowd in ([], kinds[1:2], kinds[1:3], kinds[1:2] * 3):
        world = {f"p{place}": person for place, person in enumerate(crowd)}
        laws = [stated(question, table({**world, "x": kind}).tally(ask, unit, KEY)[0], way) for kind in kinds]
        pairs = product(laws, laws) if neighbours == "replace" else [*product(laws[:1], laws), *product(laws, laws[:1])]
        most = max(most, *(beyond(one, other, epsilon) for one, other in pairs))
    return most - delta


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("question", QUESTIONS, ids=KINDS_ASKED)
def test_neighbours_keep_the_promise(question: Any, neighbours: Neighbours) -> None:
    """Whatever one person's rows hold, the exact laws are within what the answer promises."""
    assert worst(question, neighbours) < Fraction(1, 2**60)


def test_a_tally_that_bounds_nobody_is_caught() -> None:
    """Planted mistakes: a person who counts for three names, and rows where people are meant, break it."""
    asked: Any = NAMES.ask()
    assert worst(NAMES, "add-remove", asked=replace(asked, at_most=3)) > 0
    assert worst(NAMES, "add-remove", unit=None) > 0
    assert worst(TERCILES, "add-remove", unit=None) > 0


def test_a_bar_for_fewer_names_than_a_person_brings_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of delta is for the names a person may bring, three here: a bar for one of them is broken by all three."""
    way = settle(BROUGHT, "add-remove", {"epsilon": 1})
    assert isinstance(way, Unnamed)
    assert not way.plan.slack
    assert way.plan.at_most == 3
    right = limited_domain.LimitedDomain.calibrate
    monkeypatch.setattr(
        limited_domain.LimitedDomain, "calibrate", lambda *of, **words: right(*of, **{**words, "at_most": 1})
    )
    assert worst(BROUGHT, "add-remove") > 0


def shortlist(question: Any, counted: Any) -> tuple[Any, ...]:
    """What the mechanism sees of counts: the items it may name, their counts, and the count just below them."""
    way = settle(question, "add-remove", {"epsilon": 1})
    assert isinstance(way, Unnamed)
    seen = way.plan.read_counts(counted)
    return seen.items, seen.counts, seen.next


@pytest.mark.parametrize("k", [1, 300])
def test_the_tally_brings_as_many_names_as_the_bar_needs(k: int) -> None:
    """More names than are looked at: what the SQL brings reads as all names do, the count below the list with it."""
    depth = max(limited_domain.DEPTH, 4 * k)
    counts = {f"n{place}": 3 if place < 10 else 2 for place in range(depth + 3)}
    rows = DuckDB(pl.DataFrame({"trip": [name for name, count in counts.items() for _ in range(count)]}))
    question = TopK("trip", k, among=None, delta="1e-6")

    def brought(ask: Any) -> dict[str, int]:
        (seen,) = rows.tally(ask, None, KEY)
        return dict(zip(seen.items, seen.people, strict=True))

    ask: Any = question.ask()
    assert shortlist(question, brought(ask)) == shortlist(question, counts)
    assert shortlist(question, counts)[2] == 2
    assert shortlist(question, brought(replace(ask, most=ask.most - 1)))[2] == 0  # planted: the bar would be too low


@pytest.mark.parametrize("question", QUESTIONS, ids=KINDS_ASKED)
def test_a_retry_shows_the_recorded_answer(question: Any, tmp_path: Path) -> None:
    """Charged once, answered once; the second time the table cannot be read, and another question is refused."""
    rows = pl.DataFrame({"trip": ["zoo"] * 200 + ["sea"] * 100, "bid": [1.0] * 300})
    with Ledger(tmp_path / "b.db", Budget(epsilon=3, delta="0.3", spare="0.2", per="row")) as ledger:
        first = discreet.open(rows, ledger=ledger).ask(question, epsilon=1, request="may")
        spent = ledger.spent

        class Broken(DuckDB):
            def tally(self, ask: Any, unit: str | None, key: str) -> Any:  # noqa: ARG002 - an engine's words
                raise DataError("file: it cannot be read to its end as CSV")

        again = Table(Broken(rows), ledger=ledger)
        assert again.ask(question, epsilon=1, request="may") == first
        assert ledger.spent == spent
        assert again.plan(question, epsilon=1).remaining is not None
        (entry,) = ledger.history()
        assert entry.answer is not None
        assert entry.answer["winners"] == list(first.winners)
        with pytest.raises(SettingError, match="request: wanted a new one"):
            again.ask(TopK("trip", 1, ["zoo"]), epsilon=1, request="may")


def test_fewer_than_k_may_come_back() -> None:
    """A name of one person is not told; where none is, that is said, and an answer of none is no failure."""
    names = TopK("trip", 3, among=None, delta="1e-6")
    answer = discreet.open(pl.DataFrame({"trip": [*["zoo"] * 900, "zebra77", None]})).ask(names, epsilon=1)
    assert answer.winners == ("zoo",)
    assert implies(answer.guarantee, Approx(1, "1e-6"))
    assert answer.error_bound() is None
    nobody = discreet.open(pl.DataFrame({"trip": ["zebra77"]})).ask(names, epsilon=1)
    assert nobody.winners == ()
    assert "none that may be named" in str(nobody)
    assert "among" not in str(nobody)
    assert nobody.to_dict()["winners"] == []


def test_quantiles_of_each_group_rise() -> None:
    """Each public group has its own, near the truth; one bounded range for all of them together."""
    rows = pl.DataFrame({"bid": [float(n % 100) for n in range(4000)], "home": ["n", "s"] * 2000})
    question = Quantiles("bid", ["0.25", "0.75"], bounds=(0, 99), by="home", groups=["n", "s", "w"])
    answer = discreet.open(rows).ask(question, epsilon=2)
    assert answer.guarantee == Range(2)
    for home, found in answer.groups.items():
        low, high = (number(point) for point in found.winners)
        assert 0 <= low <= high <= 99
        assert home == "w" or (abs(low - 25) < 9 and abs(high - 75) < 9)


def test_how_quantiles_are_drawn_depends_on_public_settings_alone() -> None:
    """One draw for a few, halving for many or by rho; each has its guarantee and its name, and comes back from JSON."""
    table = discreet.open(pl.DataFrame({"bid": [float(n % 100) for n in range(4000)]}))
    few, many = ["0.25", "0.75"], [Fraction(n, 22) for n in range(1, 22)]
    seven = [Fraction(n, 8) for n in range(1, 8)]
    cases: list[tuple[list[Any], Any, dict[str, Any], type[Any], Any]] = [
        (few, "auto", {"epsilon": 2}, JointQuantiles, Range(2)),
        (few, "halving", {"epsilon": 2}, ApproximateQuantiles, Pure(2)),
        (many, "auto", {"epsilon": 2}, ApproximateQuantiles, Pure(2)),
        (many, "joint", {"epsilon": 2}, JointQuantiles, Range(2)),
        (seven, "auto", {"epsilon": 2}, JointQuantiles, Range(2)),
        (seven, "auto", {"rho": "0.5"}, ApproximateQuantiles, None),
    ]
    for qs, method, words, kind, guarantee in cases:
        question = Quantiles("bid", qs, bounds=(0, 99), method=method)
        assert question_from(question.to_dict()) == question
        assert ("method" in question.to_dict()) == (method != "auto")
        plan, answer = table.plan(question, **words), table.ask(question, **words)
        assert isinstance(plan.settled, FromDomain)
        assert type(plan.settled.domain) is kind
        assert answer.guarantee == plan.guarantee == (guarantee or plan.guarantee)
        assert implies(answer.guarantee, Zcdp("0.5") if "rho" in words else Pure(2))
        assert ("halving" in str(plan)) == (kind is ApproximateQuantiles)
        assert max(abs(number(one) - 100 * number(q)) for one, q in zip(answer.winners, question.qs, strict=True)) < 9
    wrong: Any = "halves"
    with pytest.raises(SettingError, match="method: wanted 'auto', 'joint' or 'halving'"):
        Quantiles("bid", few, bounds=(0, 99), method=wrong)


@pytest.mark.parametrize("groups", [{}, {"by": "home", "groups": ["n", "s"]}], ids=["alone", "groups"])
def test_the_epsilon_needed_for_quantiles_gives_the_error_wished_for(groups: Any) -> None:
    """So it does for all of them together."""
    plan = discreet.open(pl.DataFrame({"bid": [1.0]})).plan
    question = Quantiles("bid", ["0.25", "0.75"], bounds=(0, 99), **groups)
    needed = plan(question, epsilon=1, error=50).needed
    assert needed is not None
    assert plan(question, epsilon=needed).error_bound() == pytest.approx(50)


def test_a_median_on_a_hundred_billion_points() -> None:
    """A grid far too long to list is answered from where people are."""
    rows = pl.DataFrame({"wage": [f"{40_000 + n}.07" for n in range(500)]})
    question = Median("wage", bounds=(0, 10**9), step="0.01")
    assert len(question.candidates) == 10**11 + 1
    assert 40_000 < number(discreet.open(rows).ask(question, epsilon=5).value) < 40_500


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ({"mechanism": "permute-and-flip"}, "mechanism: wanted none"),
        ({"noise": "laplace"}, "noise: wanted none"),
        ({"epsilon": None}, "epsilon"),
    ],
)
def test_a_mechanism_of_another_kind_is_refused(words: dict[str, Any], match: str) -> None:
    """Both kinds have one mechanism of their own, and something must be spent."""
    given: Any = {"epsilon": 1, **words}
    for question in (TERCILES, NAMES):
        with pytest.raises(SettingError, match=match):
            discreet.open(pl.DataFrame({"bid": [1.0], "trip": ["zoo"]})).ask(question, **given)


def test_groups_of_quantiles_are_refused_where_people_are_replaced() -> None:
    """A person who changes groups would move two of them."""
    moved = discreet.open(pl.DataFrame({"bid": [1.0], "home": ["n"]}), neighbours="replace")
    with pytest.raises(SettingError, match="neighbours: wanted 'add-remove' for several quantiles of groups"):
        moved.ask(Quantiles("bid", ["1/3", "2/3"], bounds=(0, 2), by="home", groups=["n"]), epsilon=1)


def test_no_name_at_all_is_an_answer() -> None:
    """Where nothing stands out, there is no winner, and no failure."""
    table = discreet.open(pl.DataFrame({"trip": ["zoo"]}))
    none = table.ask(TopK("trip", 2, among=None, delta="1e-12"), epsilon=1)  # a name has a chance below 1e-11
    assert none.winners == ()
    assert none.winner is None
