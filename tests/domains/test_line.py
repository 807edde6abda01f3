"""Prices and locations on a fine grid: the law against plain enumeration, gaps that are attained, and mutants."""

import math
from collections.abc import Callable, Hashable, Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet.balls import Ball, at, ball
from discreet.domains.location import Location, closeness
from discreet.domains.prices import ContinuousPrice, revenue
from discreet.domains.settings import steepest
from discreet.errors import SettingError
from discreet.guarantees import Guarantee, Pure, Range, Zcdp
from discreet.readings import as_pure, implies
from discreet.sampling.coins import SystemCoins
from discreet.scores.revenue import Revenue
from discreet.sensitivity import Neighbours
from discreet.testing.domains import check_law, check_promise, worst_loss

BIDS: list[list[Any]] = [[], [1, 1, 1], ["0.5", 2, 9, -1, "none"], [Fraction(3, 4), 0.3, 2], [0.49]]
PEOPLE: list[list[Any]] = [[], [1, 1, 1], [0, 2, 9, -1, "none"], ["0.75", "0.7", 2, 2]]
RATES = [Fraction(1, 10**9), Fraction(1, 2), Fraction(4)]
PRICE = ContinuousPrice(2, "0.5")
PLACES = Location((0, 2), "0.5")
NEAR = Location((0, 2), "0.5", cap="0.5")


def earned(bids: Iterable[Any]) -> list[Fraction]:
    """Return what 0.5, 1, 1.5 and 2 would earn."""
    known = [Fraction(bid) for bid in bids if bid != "none"]
    return [p * sum(bid >= p for bid in known) for p in (Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2))]


def missed(people: Iterable[Any], cap: Fraction) -> list[Fraction]:
    """Return minus the capped distances from 0, 0.5, 1, 1.5 and 2, of people rounded half up to these."""
    known = [min(max(math.floor(Fraction(x) * 2 + Fraction(1, 2)), 0), 4) for x in people if x != "none"]
    return [-sum((min(abs(Fraction(x - y, 2)), cap) for x in known), Fraction(0)) for y in range(5)]


def chances(points: Any, scores: list[Fraction], rate: Fraction) -> dict[Hashable, Ball]:
    """Return the exponential law of listed scores."""
    weights = [ball(rate * (score - max(scores))).exp() for score in scores]
    total = sum(weights, ball(0))
    return {points[place]: weight / total for place, weight in enumerate(weights)}


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("bids", BIDS)
def test_prices_have_their_law(bids: list[Any], rate: Fraction) -> None:
    """With nobody, with ties, with bids off the grid, beyond its ends, and of no number."""
    law = PRICE.score(bids).law(rate)
    check_law(law, at(128, lambda: chances(PRICE.points, earned(bids), rate)))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("people", PEOPLE)
@pytest.mark.parametrize("domain", [PLACES, NEAR, Location((0, 2), "0.5", cap=1)])
def test_locations_have_their_law(domain: Location, people: list[Any], rate: Fraction) -> None:
    """With a cap and without."""
    law = domain.score(people).law(rate)
    check_law(law, at(128, lambda: chances(domain.points, missed(people, domain.cap), rate)))


WRONG_LAWS: dict[str, Callable[[], dict[Hashable, Ball]]] = {
    "half the rate": lambda: chances(PRICE.points, earned([1, 2]), Fraction(1, 4)),
    "a bid too many": lambda: chances(PRICE.points, earned([1, 2, 2]), Fraction(1, 2)),
    "bids count only below": lambda: chances(PRICE.points, earned(["0.5", "1.5"]), Fraction(1, 2)),
    "no last price": lambda: chances(PRICE.points, [*earned([1, 2])[:3], Fraction(-99)], Fraction(1, 2)),
}


@pytest.mark.parametrize("name", WRONG_LAWS)
def test_planted_wrong_laws_are_caught(name: str) -> None:
    """Another rate, another bid, bids off by one place and a missing last price are seen."""
    with pytest.raises(AssertionError):
        check_law(PRICE.score([1, 2]).law(Fraction(1, 2)), at(128, WRONG_LAWS[name]))


WORLDS: list[tuple[Any, Any, str]] = [
    (PRICE, "add-remove", "0.6"),
    (PRICE, "replace", "0.6"),
    (ContinuousPrice(2, 2), "replace", "0"),
    (PLACES, "add-remove", "0.6"),
    (PLACES, "replace", "0.7"),
    (NEAR, "add-remove", "0.6"),
    (NEAR, "replace", "0.7"),
]


@pytest.mark.parametrize(("domain", "neighbours", "share"), WORLDS)
def test_neighbours_of_small_worlds_keep_the_promise(domain: Any, neighbours: Any, share: str) -> None:
    """Of all worlds of four people, none passes it; the range is attained, the pure epsilon nearly."""
    universe = [Fraction(place, 2) for place in range(5)]
    check_promise(domain, universe, 4, Fraction(2), neighbours, attained=share)
    if share != "0":
        spread = worst_loss(domain, universe, 2, Fraction(2), neighbours)[1]
        assert abs(spread - domain.promise(Fraction(2), neighbours).epsilon) < Fraction(1, 10**12)


@pytest.mark.parametrize(("domain", "neighbours"), [world[:2] for world in WORLDS])
def test_nobody_infinitely_far_decides(domain: Any, neighbours: Any) -> None:
    """Floats that are infinite, or become so once divided by the step, move a law no further than anybody else."""
    check_promise(domain, [-math.inf, -1e308, 0.0, 2.0, 1e308, math.inf], 3, Fraction(2), neighbours)


@pytest.mark.parametrize(("domain", "neighbours"), [world[:2] for world in WORLDS if world[2] != "0"])
def test_planted_smaller_gaps_are_caught(domain: Any, neighbours: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One step less for the gap is refuted."""
    true = type(domain).gap
    monkeypatch.setattr(type(domain), "gap", lambda self, kind: true(self, kind) - Fraction(1, 2))
    with pytest.raises(AssertionError):
        check_promise(domain, [Fraction(place, 2) for place in range(5)], 2, Fraction(2), neighbours)


def test_the_gap_is_that_of_listed_prices() -> None:
    """On a grid that can be listed, both say the same."""
    for size in (1, 2, 7):
        listed = Revenue(range(1, size + 1))
        for neighbours in get_args(Neighbours):
            assert ContinuousPrice(size, 1).gap(neighbours) == listed.sensitivity(neighbours).gap


@settings(max_examples=60, deadline=None)
@given(
    held=some.dictionaries(some.integers(0, 12), some.integers(1, 3)),
    cap=some.integers(1, 12),
    scale=some.sampled_from([1, 2**40]),
)
def test_pieces_are_the_scores(held: dict[int, int], cap: int, scale: int) -> None:
    """At every place of a small grid; and on one 2**40 times as fine, at the same places, in Python's integers."""
    places = np.array(sorted(held), dtype=np.int64) * scale
    people = np.array([held[place] for place in sorted(held)], dtype=np.int64) * (1 if scale == 1 else 2**20)
    for place, found in scores(closeness(places, people, cap * scale, 12 * scale + 1), 12, scale):
        far = sum(min(abs(place - int(x)), cap * scale) * int(n) for x, n in zip(places, people, strict=True))
        start = sum(min(int(x), cap * scale) * int(n) for x, n in zip(places, people, strict=True))
        assert found == start - far
    for place, found in scores(revenue(places, people, 12 * scale), 11, scale):
        price = place + 1
        assert found == price * sum(int(n) for x, n in zip(places, people, strict=True) if x >= price)


def scores(lines: Any, last: int, scale: int) -> Iterable[tuple[int, int]]:
    """Yield a few places and their scores, read off the pieces; the pieces must follow each other."""
    runs = [lines.run(position) for position in range(len(lines))]
    assert all(one.first + one.size == other.first for one, other in pairwise(runs))
    for place in (k * scale for k in range(last + 1)):
        (run,) = [run for run in runs if run.first <= place < run.first + run.size]
        yield place, run.start + run.slope * (place - run.first)


@pytest.mark.parametrize("target", [Pure("0.3"), Range(2), Zcdp("0.1")])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("domain", [PRICE, PLACES, NEAR])
def test_calibration_inverts_the_promise(domain: Any, neighbours: Any, target: Guarantee) -> None:
    """The promise at the rate gives the target, and a millionth more does not."""
    rate = domain.calibrate(target, neighbours)
    assert implies(domain.promise(rate, neighbours), target)
    assert not implies(domain.promise(rate * (1 + Fraction(1, 10**6)), neighbours), target)


def test_many_people_on_huge_grids_draw_at_once() -> None:
    """A hundred thousand people, 2**62 points; at a large rate the best place comes."""
    people = np.arange(100_000, dtype=np.int64)
    price = ContinuousPrice(2**62, 1).score(people * 2**40).law(Fraction(1, 2**30))
    assert 0 < price.draw(SystemCoins()) <= 2**62
    assert Location((0, 2**62 - 1), 1).score(people * 2**40 + 1).law(Fraction(1)).draw(SystemCoins()) in range(
        49_999 * 2**40, 50_000 * 2**40 + 2
    )


def test_reading_never_fails_by_a_value() -> None:
    """Decimals too long to write out, infinities and what is no number have their cells, at once."""
    strange = [Decimal(text) for text in ("1e9999999", "-1e9999999", "1e-9999999", "Infinity", "NaN")]
    for domain, expected in ((PRICE, 2), (PLACES, 0)):
        fitted: Any = domain.score([*strange, None, "many", float("-inf"), object()])
        assert fitted.law(Fraction(10**6)).draw(SystemCoins()) == expected


def test_shifted_people_shift_the_law() -> None:
    """Far from the ends, what everybody moves by, the place moves by."""
    here, there = (Location((0, 40), 1, cap=3).score([x + 10, x + 12]).law(Fraction(1)).chances() for x in (0, 7))
    assert all(here[y].overlaps(there[y + 7]) for y in range(5, 25))


def test_limits_of_the_rate() -> None:
    """At rate 0 the law is level; at a large one the best comes."""
    domains: list[Any] = [PRICE, PLACES]
    for domain in domains:
        fitted = domain.score([1, 1, "1.1"])
        assert len({float(chance) for chance in fitted.law(Fraction(0)).chances().values()}) == 1
        assert str(fitted.law(Fraction(10**9)).draw(SystemCoins())) == "1.0"


def test_one_point_alone() -> None:
    """A line of one place costs nothing; one price costs its own gap, as among listed prices."""
    alone = Location((3, 3), 1)
    assert as_pure(alone.promise(Fraction(5))) == Pure(0)
    assert alone.score([1, 2]).law(alone.calibrate(Pure(1))).draw(SystemCoins()) == 3
    assert ContinuousPrice(2, 2).score([5]).law(Fraction(1)).draw(SystemCoins()) == 2


def test_settings_are_checked() -> None:
    """A cap of half a step, a high price off the grid, and bounds in the wrong order are refused."""
    wrong: list[Callable[[], object]] = [
        lambda: Location((0, 2), 1, cap="0.5"),
        lambda: ContinuousPrice(2, "0.3"),
        lambda: ContinuousPrice(0, 1),
        lambda: Location((2, 0), 1),
        lambda: Location("02", 1),
    ]
    for make in wrong:
        with pytest.raises(SettingError):
            make()


def test_nothing_private_prints() -> None:
    """What the data change, no repr shows."""
    assert {repr(PRICE.score(bids)) for bids in BIDS} == {"OnLine(of ContinuousPrice(high=2, step=0.5), add-remove)"}
    assert {repr(NEAR.score(people).law(Fraction(1))) for people in PEOPLE} == {
        "LineLaw(Points(0 to 2 in steps of 0.5))"
    }


def test_the_steepest_rate_has_been_tried() -> None:
    """What is returned holds, and where every rate holds, it is 1."""
    assert steepest(lambda _: Pure(0), Pure(1)) == 1
    assert implies(Pure(steepest(lambda rate: Pure(rate * 3), Pure(1)) * 3), Pure(1))
