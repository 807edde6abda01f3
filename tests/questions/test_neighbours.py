"""No person moves any question's scores further than it says, through the real SQL; and somebody moves them so far."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.questions import LargestTotal, Winner
from discreet.sensitivity import Neighbours, Sensitivity
from tests.questions.worlds import (
    CASES,
    HOMES,
    KEY,
    ROW,
    TRIPS,
    at,
    check,
    furthest,
    moved,
    of,
    promised,
    table,
    tally,
)

RELATIONS: tuple[Neighbours, ...] = get_args(Neighbours)
UNITS = ["who", None]
PERSON = st.lists(ROW, max_size=4)
LOOSE = {("total, both ways", None)}
"""A single row names one candidate, so it cannot use what is paid for two."""


@pytest.mark.parametrize(("name", "grouped", "unit"), list(product(CASES, [False, True], UNITS)))
@settings(max_examples=4)
@given(data=st.data())
def test_no_neighbour_moves_scores_further_than_promised(
    *, name: str, grouped: bool, unit: str | None, data: Any
) -> None:
    """One person more, one less, one changed into another: neither a score nor a difference goes past its bound."""
    question, whole = of(name, grouped=grouped), None if unit else 1
    others, old, new = data.draw(st.lists(PERSON, max_size=4)), data.draw(PERSON), data.draw(PERSON)
    name_of_new = data.draw(st.sampled_from(["x", "y"]))
    base = {f"p{place}": person[:whole] for place, person in enumerate(others)}
    without = tally(question, base, unit)
    before = tally(question, {"x": old[:whole], **base}, unit)
    after = tally(question, {**base, name_of_new: new[:whole]}, unit)
    check(question, promised(question, "add-remove"), without, before)
    check(question, promised(question, "add-remove"), after, without)
    check(question, promised(question, "replace"), before, after)


@pytest.mark.parametrize(("name", "neighbours", "unit"), list(product(CASES, RELATIONS, UNITS)))
def test_the_bound_is_attained(name: str, neighbours: Neighbours, unit: str | None) -> None:
    """Over all small worlds the largest movement is the bound itself: a larger gap than needed would be seen too."""
    question = of(name, grouped=False)
    facts = promised(question, neighbours)
    for by_gap, bound in ((False, facts.step), (True, facts.gap)):
        others, old, new = furthest(name, neighbours, unit, by_gap=by_gap)
        base = {f"p{place}": person for place, person in enumerate(others)}
        before, after = (tally(question, base | {"x": person}, unit) for person in (old, new))
        far = moved(question, neighbours, before, after)[by_gap]
        assert far == bound or (far < bound and (name, unit) in LOOSE)


@pytest.mark.parametrize(("name", "neighbours"), list(product(CASES, RELATIONS)))
def test_the_bound_is_attained_with_groups(name: str, neighbours: Neighbours) -> None:
    """Add-remove moves one group; replace moves two, when a person leaves one and joins another: twice that gap."""
    question = of(name, grouped=True)
    facts = promised(question, neighbours)
    others, _, new = furthest(name, "add-remove", "who", by_gap=True)
    base = {f"{home}{place}": at(home, person) for home in ("north", "south") for place, person in enumerate(others)}
    before = tally(question, base | ({"x": at("north", new)} if neighbours == "replace" else {}), "who")
    after = tally(question, base | {"x": at("south", new)}, "who")
    assert moved(question, neighbours, before, after)[1] == facts.gap


def test_groups_forgotten_under_replace_are_caught() -> None:
    """The gap of one group alone, paid for two, is refuted: prices show it."""
    question: Any = of("price", grouped=True)
    wrong = question.scores(tally(question, {}, "who")[0], "replace").sensitivity
    world = {"x": at("north", [{"bid": 3.0}])}, {"x": at("south", [{"bid": 3.0}])}
    before, after = (tally(question, people, "who") for people in world)
    assert moved(question, "replace", before, after)[1] > wrong.gap
    check(question, promised(question, "replace"), before, after)


@pytest.mark.parametrize("share", ["0.999", "0.5"])
@pytest.mark.parametrize("name", ["winner", "median", "price", "total, both ways", "hypothesis"])
def test_a_gap_too_small_is_caught(name: str, share: str) -> None:
    """A thousandth less than the bound, and half of it, are refuted."""
    question = of(name, grouped=False)
    facts = promised(question, "replace")
    others, old, new = furthest(name, "replace", "who", by_gap=True)
    base = {f"p{place}": person for place, person in enumerate(others)}
    before, after = (tally(question, base | {"x": person}, "who") for person in (old, new))
    small = Sensitivity(facts.step, facts.gap * Fraction(share), "replace")
    with pytest.raises(AssertionError, match="further"):
        check(question, small, before, after)


def test_a_tally_that_bounds_nobody_is_caught() -> None:
    """Without the unit, or without the cap, one person moves more than is paid for."""
    winner = Winner("trip", TRIPS)
    eager = {"x": [{"trip": "zoo"}] * 3}
    with pytest.raises(AssertionError, match="further"):
        check(winner, promised(winner, "add-remove"), tally(winner, {}, None), tally(winner, eager, None))
    total: Any = LargestTotal("trip", "paid", TRIPS, high=2, low=-1)
    world = table({"x": [{"trip": "zoo", "paid": 2.0}, {"trip": "lake", "paid": -1.0}]})
    nothing, facts = tally(total, {}, "who"), promised(total, "add-remove")
    check(total, facts, nothing, world.tally(total.ask(), "who", KEY))
    with pytest.raises(AssertionError, match="further"):
        check(total, facts, nothing, world.tally(replace(total.ask(), at_most=None), "who", KEY))


def test_a_person_counts_in_one_group() -> None:
    """Of two homes one is kept, for the same person always the same, and not always the first."""
    question = replace(Winner("trip", TRIPS), **HOMES)  # type: ignore[arg-type]
    both = [{"trip": "zoo", "home": "north"}, {"trip": "zoo", "home": "south"}]
    kept = [tally(question, {f"p{place}": both}, "who")[:, 0].tolist() for place in range(20)]
    assert {sum(homes) for homes in kept} == {1}
    assert {tuple(homes) for homes in kept} == {(0, 1), (1, 0)}
    assert kept[:3] == [tally(question, {f"p{place}": both}, "who")[:, 0].tolist() for place in range(3)]
