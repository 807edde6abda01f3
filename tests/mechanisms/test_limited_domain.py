"""Unknown items: the law on its tree, and delta computed exactly over small worlds, with items that come and go."""

import copy
import math
import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, product
from typing import Any

import pytest

from discreet.balls import Ball, at, ball, lower, upper
from discreet.errors import BudgetError, SettingError
from discreet.guarantees import Approx, Pure, Range
from discreet.mechanisms import limited_domain
from discreet.mechanisms.limited_domain import DEPTH, Found, LimitedDomain, LimitedLaw
from discreet.mechanisms.limited_session import LimitedSession
from discreet.readings import as_zcdp, implies
from discreet.sampling.coins import SystemCoins
from discreet.sensitivity import Neighbours
from discreet.testing.domains import check_law

COINS = SystemCoins()
Counts = tuple[int, ...]
Laws = Callable[[Counts], Mapping[Any, Ball]]


def split(weights: Callable[[], Sequence[Ball]], coins: Any) -> int:
    """Fork where ``among`` would draw bits: it is settled by tests of its own."""
    last = len(at(64, weights)) - 1
    for place in range(last):
        if coins.weigh(lambda: weights()[place] / sum(weights()[place:], ball(0))):  # noqa: B023
            return place
    return last


def peeled(counts: Counts, count: int, plan: LimitedDomain) -> dict[Any, float]:
    """The law from the definition, in floats: scores, the stop symbol's with its logarithm, and rounds of softmax."""
    ranked = sorted((item for item in range(len(counts)) if counts[item]), key=lambda item: (-counts[item], item))
    after = ranked[plan.depth :]
    step = 1 if plan.neighbours == "add-remove" else 2
    most = min(step * plan.at_most, plan.depth)
    stop = (counts[after[0]] if after else 0) + step + math.log(most / float(plan.delta)) / float(plan.rate)
    law: dict[Any, float] = {}

    def go(found: tuple[int, ...], left: list[int], chance: float) -> None:
        if len(found) == count:
            law[Found(found, stopped=False)] = chance
            return
        scores = {item: math.exp(float(plan.rate) * counts[item]) for item in left}
        total = sum(scores.values()) + math.exp(float(plan.rate) * stop)
        law[Found(found, stopped=True)] = chance * math.exp(float(plan.rate) * stop) / total
        for item in left:
            go((*found, item), [other for other in left if other != item], chance * scores[item] / total)

    go((), ranked[: plan.depth], 1.0)
    return law


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize(
    ("counts", "depth", "count"), [((3, 0, 1), 2, 2), ((2, 2, 2), 2, 1), ((0, 0), 3, 2), ((1, 4, 1), 3, 3)]
)
def test_the_draw_has_the_law_of_the_definition(
    counts: Counts, depth: int, count: int, neighbours: Neighbours, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tree of coins, the certified chances and softmax rounds with a logarithm in the stop score agree."""
    monkeypatch.setattr(limited_domain, "among", split)
    plan = LimitedDomain(Fraction(3, 4), 3, Fraction(1, 7), depth=depth, neighbours=neighbours)
    law = plan.read_counts(dict(enumerate(counts))).law(count)
    chances: Mapping[Any, Ball] = at(128, law.chances)
    expected = peeled(counts, count, plan)
    assert set(chances) == set(expected)
    assert all(abs(float(chances[answer].mid()) - expected[answer]) < 1e-13 for answer in expected)
    check_law(law, chances, leftover="1e-9")
    monkeypatch.setattr(LimitedDomain, "bar", property(lambda _: Fraction(5)))
    if any(counts):
        with pytest.raises(AssertionError, match="another law"):
            check_law(law, chances, leftover="1e-9")


@cache
def changes(kinds: int, at_most: int, neighbours: Neighbours) -> list[Counts]:
    """What one person can do to the counts."""
    people = [
        tuple(int(item in named) for item in range(kinds))
        for size in range(at_most + 1)
        for named in combinations(range(kinds), size)
    ]
    if neighbours == "add-remove":
        return people[1:]
    return [tuple(a - b for a, b in zip(one, other, strict=True)) for one, other in combinations(people, 2)]


def worst_delta(  # noqa: PLR0917
    laws: Laws, epsilon: Fraction, kinds: int, at_most: int, neighbours: Neighbours, largest: int = 2
) -> Fraction:
    """The greatest delta of all pairs of neighbours of a small world, from certified chances, rounded down."""
    found = Fraction(0)
    known = {counts: laws(counts) for counts in product(range(largest + 2), repeat=kinds)}

    def one_way(one: Mapping[Any, Ball], other: Mapping[Any, Ball]) -> Fraction:
        price = ball(epsilon).exp()
        return lower(sum((gain for key in one if (gain := one[key] - price * other.get(key, ball(0))) > 0), ball(0)))

    for here in product(range(largest + 1), repeat=kinds):
        for change in changes(kinds, at_most, neighbours):
            there = tuple(a + b for a, b in zip(here, change, strict=True))
            if there in known:
                pair = known[here], known[there]
                found = max(found, *at(96, lambda: (one_way(*pair), one_way(*pair[::-1]))))  # noqa: B023
    return found


def laws_of(plan: LimitedDomain, count: int) -> Laws:
    """The certified law of one call for each count vector."""
    return lambda counts: at(96, plan.read_counts(dict(enumerate(counts))).law(count).chances)


CASES = [
    (3, 1, 1, 1, "add-remove"),
    (3, 2, 1, 2, "add-remove"),
    (3, 1, 2, 2, "add-remove"),
    (3, 2, 3, 2, "add-remove"),
    (3, 3, 3, 3, "add-remove"),
    (4, 2, 2, 1, "add-remove"),
    (3, 2, 1, 2, "replace"),
    (3, 2, 2, 1, "replace"),
]


@pytest.mark.parametrize(("kinds", "depth", "at_most", "count", "neighbours"), CASES)
@pytest.mark.parametrize("delta", [Fraction(1, 4), Fraction(1, 100)])
def test_delta_is_never_exceeded_and_nearly_used_up(  # noqa: PLR0917
    kinds: int, depth: int, at_most: int, count: int, neighbours: Neighbours, delta: Fraction
) -> None:
    """Over all small counts: at the bare sum of ranges, delta / (1 + delta) is never passed.

    It is reached where people come or go; half of it, at least, where they are replaced.
    """
    plan = LimitedDomain(Fraction(1), count, delta, at_most=at_most, depth=depth, neighbours=neighbours)
    found = worst_delta(laws_of(plan, count), Fraction(count * plan.gap), kinds, at_most, neighbours)
    assert found <= delta / (1 + delta)
    assert found >= delta / (1 + delta) * (Fraction(1, 2) if neighbours == "replace" else Fraction(999_999, 10**6))


def test_the_delta_is_attained_by_an_item_that_appears() -> None:
    """One new item against the stop symbol: delta / (1 + delta), to the last digit."""
    plan = LimitedDomain(Fraction(1), 1, Fraction(1, 100))
    found = worst_delta(laws_of(plan, 1), Fraction(1), 1, 1, "add-remove", largest=0)
    assert abs(found - Fraction(1, 101)) < Fraction(1, 10**20)


@pytest.mark.parametrize("wrong", ["no margin", "half the delta", "one item counted", "fixed bar"])
def test_planted_wrong_bars_are_refuted(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar without the +1, for twice delta, for fewer items than one person moves, or that stays put is too low."""
    delta = Fraction(1, 100)
    plan = LimitedDomain(Fraction(1), 2, delta, at_most=2, depth=2)
    if wrong == "no margin":
        monkeypatch.setattr(LimitedLaw, "_weights", shifted(LimitedLaw._weights, -1))
    elif wrong == "half the delta":
        plan = LimitedDomain(Fraction(1), 2, 2 * delta, at_most=2, depth=2)
    elif wrong == "one item counted":
        monkeypatch.setattr(LimitedDomain, "bar", property(lambda self: 1 / self.delta))
    else:
        monkeypatch.setattr(LimitedLaw, "_weights", standing(LimitedLaw._weights))
    assert worst_delta(laws_of(plan, 2), Fraction(2), 3, 2, "add-remove") > delta


def shifted(honest: Callable[..., Any], by: int) -> Callable[..., Any]:
    """Return weights whose stop symbol scores so much more."""

    def weights(self: LimitedLaw, left: list[int]) -> Callable[[], list[Ball]]:
        def compute() -> list[Ball]:
            *items, stop = honest(self, left)()
            return [*items, stop * ball(self.shortlist.plan.rate * by).exp()]

        return compute

    return weights


def standing(honest: Callable[..., Any]) -> Callable[..., Any]:
    """Return weights whose stop symbol does not move with the next count."""

    def weights(self: LimitedLaw, left: list[int]) -> Any:
        return shifted(honest, -self.shortlist.next)(self, left)

    return weights


def test_a_larger_bar_only_lowers_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounding the stop score up is rounding towards privacy, as long as it moves with the next count."""
    plan = LimitedDomain(Fraction(1), 2, Fraction(1, 10), at_most=2, depth=2)
    plain = worst_delta(laws_of(plan, 2), Fraction(2), 3, 2, "add-remove")
    monkeypatch.setattr(LimitedLaw, "_weights", shifted(LimitedLaw._weights, 1))
    assert worst_delta(laws_of(plan, 2), Fraction(2), 3, 2, "add-remove") < plain


TARGETS = [Approx(1, "1e-6"), Approx("0.1", "1e-9"), Approx(8, "1e-3")]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("draws", "calls"), [(1, 1), (10, 1), (100, 7)])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_calibration_keeps_the_target_and_leaves_little(
    target: Approx, draws: int, calls: int, neighbours: Neighbours
) -> None:
    """The promise gives the target, and at a slightly larger rate no longer does."""
    plan = LimitedDomain.calibrate(target, draws, calls=calls, at_most=3, neighbours=neighbours)
    assert implies(plan.promise(), target)
    more = LimitedDomain(
        plan.rate * (1 + Fraction(1, 10**6)), draws, plan.delta, calls, plan.slack, neighbours=neighbours
    )
    assert not implies(more.promise(), target)
    assert plan.depth == max(DEPTH, 4 * draws)
    assert plan.draw_promise == Range(plan.rate * plan.gap)


def test_the_whole_is_what_the_claim_says() -> None:
    """Sum: draws times range and delta; with slack, the rho of the draws; given a better sum, that."""
    plan = LimitedDomain(Fraction(1, 10), 40, Fraction(1, 10**6), calls=3)
    assert plan.promise() == Approx(4 + Fraction(40, 10**6), Fraction(3, 10**6))
    slack = LimitedDomain(Fraction(1, 10), 40, Fraction(1, 10**6), calls=3, slack=Fraction(1, 10**6))
    promised, once = slack.promise(), as_zcdp(Range("0.1"))
    assert isinstance(promised, Approx)
    assert once is not None
    assert promised.delta == Fraction(4, 10**6)
    rho = float(40 * once.rho)
    assert promised.epsilon < rho + 2 * (rho * math.log(1e6)) ** 0.5
    assert slack.promise_given(Approx(2, "1e-6")) == Approx(2 + Fraction(40, 10**6), Fraction(4, 10**6))


def test_a_session_pays_for_what_it_reveals() -> None:
    """Items and the stop are paid, what is left serves later calls, and nothing is drawn that may not fit."""
    plan = LimitedDomain(Fraction(1), 6, Fraction(1, 10**6), calls=3)
    session, data = LimitedSession(plan), plan.read_counts({"flu": 900, "cold": 700})
    assert session.ask(data, 2, COINS) == Found(("flu", "cold"), stopped=False)
    assert session.draws_left == 4
    assert session.ask(data, 4, COINS) == Found(("flu", "cold"), stopped=True)
    assert (session.draws_left, session.calls_left) == (1, 1)
    with pytest.raises(BudgetError) as refused:
        session.ask(data, 2, COINS)
    assert refused.value.requested - refused.value.remaining == 1
    assert refused.value.rule == "draws"
    assert session.ask(plan.read_counts({}), 1, COINS) == Found((), stopped=True)
    with pytest.raises(BudgetError, match="calls"):
        session.ask(data, 1, COINS)
    assert session.promise == plan.promise()
    assert (session.draws_left, session.calls_left) == (0, 0)


def test_a_session_takes_only_its_own_data() -> None:
    """Data read under a weaker plan is refused, and costs nothing."""
    session = LimitedSession(LimitedDomain(Fraction(1), 6, Fraction(1, 10**6)))
    other = LimitedDomain(Fraction(2), 6, Fraction(1, 10**6)).read(["flu"])
    with pytest.raises(BudgetError, match="plan"):
        session.ask(other, 1, COINS)
    assert session.calls_left == 1


def test_a_session_cannot_be_spent_twice() -> None:
    """It is neither copied nor pickled, and a forked process may not draw from it."""
    session = LimitedSession(LimitedDomain(Fraction(1), 6, Fraction(1, 10**6)))
    for twice in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="not copied"):
            twice(session)
    child = os.fork()
    if not child:  # pragma: no cover - in the child
        try:
            session.ask(session.plan.read([]), 1, COINS)
        except BudgetError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert session.ask(session.plan.read([]), 1, COINS).stopped


def test_a_free_stop_would_overspend() -> None:
    """Calls until an item comes: charged by items alone, one draw would be paid; delta at its epsilon is far above."""
    plan = LimitedDomain(Fraction(1, 2), 1, Fraction(1, 10), depth=1)
    stop = [at(96, plan.read_counts({"a": n}).law(1).chances)[Found((), stopped=True)] for n in (1, 2)]
    few, many = (float(upper(chance)) for chance in stop)
    calls = 200
    one_way = sum(max(0.0, many**n * (1 - many) - math.exp(0.5) * few**n * (1 - few)) for n in range(calls))
    other = sum(max(0.0, few**n * (1 - few) - math.exp(0.5) * many**n * (1 - many)) for n in range(calls))
    assert max(one_way, other, few**calls - math.exp(0.5) * many**calls) > 0.02
    session = LimitedSession(plan)
    session.ask(plan.read_counts({}), 1, COINS)
    assert session.draws_left == 0


def test_people_are_read_by_public_rules() -> None:
    """Texts and whole numbers count, the first few of each person; all else drops, and ties go by the public order."""
    plan = LimitedDomain(Fraction(1), 2, Fraction(1, 100), at_most=2, depth=3)
    read = plan.read(["b", ["c", "b", "a"], {"z", "y", 7}, None, 1.5, True, [], [["q"]], 3, b"w", ["a", "a"]])
    assert (read.items, read.counts, read.next) == (("b", 3, 7), (2, 1, 1), 1)
    assert plan.read_counts({"x": 0, "y": -3}).items == ()
    backwards = plan.read(["z", "a", 3, "b", "b"])
    assert backwards.items == plan.read(["b", "b", 3, "a", "z"]).items == ("b", 3, "a")
    assert "812" not in f"{plan.read_counts({'flu': 812})!r}{plan.read_counts({'flu': 812}).law(1)!r}"


@pytest.mark.parametrize(
    "make",
    [
        lambda: LimitedDomain.calibrate(Pure(1), 3),
        lambda: LimitedDomain.calibrate(Approx(1, 0), 3),
        lambda: LimitedDomain.calibrate(Approx("1e-9", "0.1"), 3),
        lambda: LimitedDomain(Fraction(1), 0, Fraction(1, 9)),
        lambda: LimitedDomain(Fraction(0), 1, Fraction(1, 9)),
        lambda: LimitedDomain(Fraction(1), 1, Fraction(0)),
        lambda: LimitedDomain(Fraction(1), 2, Fraction(1, 9)).read([]).law(3),
        lambda: LimitedDomain(Fraction(1), 9, Fraction(1, 9)).read(list(chain(range(40)))).law(9).chances(),
    ],
)
def test_bad_settings_are_refused(make: Callable[[], object]) -> None:
    """Targets without delta or room, nothing to draw, more than the plan has, too many answers to list."""
    with pytest.raises(SettingError):
        make()
