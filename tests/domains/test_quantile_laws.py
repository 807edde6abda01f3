"""The laws of several quantiles, walked over all coins with the movement within cells, against plain enumeration."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import discreet
from discreet.balls import at
from discreet.domains import ApproximateQuantiles, JointQuantiles, joint_quantiles, middle, quantiles, ways
from discreet.domains import crowd as crowds
from discreet.domains.crowd import Crowd
from tests.domains.quantile_worlds import (
    Oracle,
    Words,
    World,
    halving,
    joint,
    large_forks,
    moved,
    walked,
)

WORLDS: list[World] = [
    ([1, 1, 2], 3, (Fraction(1, 3), Fraction(2, 3))),
    ([0, 0, 0], 2, (Fraction(1, 4), Fraction(1, 2), Fraction(7, 8))),
    ([2], 3, (Fraction(1, 2),)),
    ([], 2, (Fraction(1, 5), Fraction(1, 2))),
]
KINDS: list[tuple[Any, Oracle]] = [(ApproximateQuantiles, halving), (JointQuantiles, joint)]
RATE = Fraction(2)
FEW: Any = WORLDS[0]


def drawn_law(kind: Any, world: Any, jitter: int) -> Any:
    """Return the law of a world."""
    people, size, qs = world
    return kind((0, size - 1), qs=qs).score(people).law(RATE, jitter)


@settings(max_examples=40)
@given(
    some.lists(some.integers(0, 4), max_size=7),
    some.lists(some.fractions(0, 1, max_denominator=9), min_size=1, max_size=3, unique=True),
    some.sampled_from([Fraction(1, 9), Fraction(1), Fraction(7, 2)]),
)
def test_listed_laws_are_those_of_enumeration(people: list[int], qs: list[Fraction], rate: Fraction) -> None:
    """What the package lists is what everybody counted one by one gives."""
    shares = tuple(sorted(q for q in qs if 0 < q < 1)) or (Fraction(1, 2),)
    for kind, oracle in KINDS:
        found = at(128, kind((0, 4), qs=shares).score(people).law(rate, 0).chances)
        expected = moved(oracle, (people, 5, shares), rate, 0)
        assert found.keys() == expected.keys()
        assert all(abs(float(found[one]) - float(expected[one])) < 1e-14 for one in found)


@pytest.mark.parametrize("jitter", [0, 1])
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("kind", "oracle"), KINDS)
def test_draws_have_exactly_the_law_of_enumeration(kind: Any, oracle: Oracle, world: Any, jitter: int) -> None:
    """Every coin of the draw, with those that move people within their cells, is walked; another rate is rejected."""
    with large_forks():
        found = walked(drawn_law(kind, world, jitter))
    assert found.leftover < Fraction("0.003")
    assert found.contains(moved(oracle, world, RATE, jitter))
    if len(set(world[0])) > 1:
        assert not found.contains(moved(oracle, world, RATE / 2, jitter))


def _strictly_below(self: Any, crowd: Crowd, part: Any, coins: Any) -> list[int]:
    """Leave those who are at the place that was drawn to the upper half."""
    if not part.qs:
        return []
    place = self._node(crowd, part).draw(coins)
    lower, upper = part.halves(place, max(part.first, crowd.below(place)))
    return [*_strictly_below(self, crowd, lower, coins), place, *_strictly_below(self, crowd, upper, coins)]


def _not_rescaled(self: Any, place: int, upto: int) -> Any:
    """Forget that the upper half has only a part of the people."""
    lower, upper = halves(self, place, upto)
    p = self.qs[self.middle]
    return lower, upper._replace(qs=[q - p for q in self.qs[self.middle + 1 :]])


halves, below = quantiles._Part.halves, Crowd.below
MUTANTS: list[tuple[Any, str, Any, Oracle, Any]] = [
    (quantiles.HalvingLaw, "_drawn", _strictly_below, halving, ApproximateQuantiles),
    (quantiles._Part, "halves", _not_rescaled, halving, ApproximateQuantiles),
    (joint_quantiles.JointLaw, "_miss", lambda *_: Fraction(1), joint, JointQuantiles),
    (Crowd, "below", lambda self, place: below(self, place + 1), joint, JointQuantiles),
]


@pytest.mark.parametrize(("where", "name", "wrong", "oracle", "kind"), MUTANTS)
def test_planted_mistakes_are_rejected(where: Any, name: str, wrong: Any, oracle: Oracle, kind: Any) -> None:
    """A split that is off by one piece, a target not rescaled, a score not counted: the same check finds them."""
    for jitter in (0, 1):
        with large_forks() as patch:
            patch.setattr(where, name, wrong)
            found = walked(drawn_law(kind, FEW, jitter))
        assert not found.contains(moved(oracle, FEW, RATE, jitter))


@pytest.mark.parametrize(("kind", "oracle"), KINDS)
def test_people_move_through_all_of_their_cell(kind: Any, oracle: Oracle) -> None:
    """Moved within half a cell only, by a shift that is off by one, they would have another law."""
    with large_forks():
        found = walked(drawn_law(kind, FEW, 1), shift=1)
    assert not found.contains(moved(oracle, FEW, RATE))
    assert found.contains(moved(oracle, FEW, RATE, within=1))


def _absolute(error: float) -> Callable[..., Any]:
    """Return sums with an error in proportion to the largest of them, as a Fourier transform makes it."""

    def spread(held: Any, before: Any, after: Any) -> Any:
        sums = np.exp(kernel(held, before, after))
        signs = np.where(np.arange(len(sums)) % 2, 1.0, -1.0)
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(sums + error * signs * sums.max(), 0))

    return spread


kernel = ways._spread


def test_an_error_in_the_proposal_never_changes_the_law() -> None:
    """Absolute errors, stretches off by one, a rate that is off: the law stays, or the guard stops the draw."""
    first, of = ways.Ways._first, ways.Stretches.of

    def shifted(crowd: Crowd, ranks: Any) -> Any:
        found = of(crowd, ranks)
        return ways.Stretches(found.ends, found.sizes, found.middle + 1, found.off)

    plants: list[tuple[Any, str, Any]] = [(ways, "_spread", _absolute(1e-9)), (ways, "_spread", _absolute(1e-2))]
    plants += [(ways.Ways, "_first", lambda self, j: first(self, j) * 0.9), (ways.Stretches, "of", shifted)]
    for jitter in (0, 1):
        expected = moved(joint, FEW, RATE, jitter)
        for place, (where, name, wrong) in enumerate(plants):
            with large_forks() as patch:
                patch.setattr(where, name, wrong)
                patch.setattr(joint_quantiles, "flip", guarded)
                try:
                    assert walked(drawn_law(JointQuantiles, FEW, jitter)).contains(expected)
                except discreet.GuardError:
                    assert place, "an error of 1e-9 is covered by what the total has in hand"


def test_the_proposal_alone_would_have_another_law() -> None:
    """With nothing to decide what stays, an absolute error shows in the law: the check above can fail."""
    with large_forks() as patch:
        patch.setattr(joint_quantiles, "flip", lambda *_: True)
        patch.setattr(ways, "_spread", _absolute(0.1))
        found = walked(drawn_law(JointQuantiles, FEW, 0))
    assert not found.contains(moved(joint, FEW, RATE, 0))


def guarded(coins: Any, bias: Any) -> bool:
    """Fork in two, and refuse a bias above one as ``flip`` does."""
    if at(128, lambda: bias() > 1):
        raise discreet.GuardError("above one")
    return bool(coins.weigh(bias))


@pytest.mark.parametrize(("kind", "oracle"), KINDS)
def test_loose_bounds_are_made_finer_and_change_nothing(kind: Any, oracle: Oracle) -> None:
    """With hardly a landmark at first, and patience for one proposal only, the law is the same."""
    people = [0, 0, 0, 1, 1, 2, 2, 2, 2]
    world: Any = (people, 3, (Fraction(1, 3),))
    with large_forks() as patch:
        for module in (ways, middle, joint_quantiles):
            patch.setattr(module, "PATIENCE", 1, raising=False)
        patch.setattr(ways, "ALONE", 200.0)
        patch.setattr(middle, "ALONE", 100.0)
        found = walked(drawn_law(kind, world, 0))
    assert found.leftover < Fraction("0.003")
    assert found.contains(moved(oracle, world, RATE, 0))
    assert not found.contains(moved(oracle, (people[1:], 3, world[2]), RATE, 0))


@pytest.mark.parametrize("together", [1, 3, 2**20])
def test_a_crowd_that_is_looked_at_anywhere_is_the_same_crowd(monkeypatch: pytest.MonkeyPatch, together: int) -> None:
    """Ranks, places and counts agree with sorting everybody, whichever cells are looked at first, or at a time."""

    class Fixed(Words):
        def __init__(self) -> None:
            self.next = 0

        def words(self, count: int) -> Any:
            self.next += count
            return np.array([one % 4 << 62 for one in range(self.next - count, self.next)], dtype=np.uint64)

    coins: Any = Fixed()
    monkeypatch.setattr(crowds, "MOST_TOGETHER", together)
    crowd = Crowd((np.array([2, 5, 2**61]), np.array([4, 1, 3])), 2**62, 2, coins)
    places, below, upto = crowd.landmarks(np.array([6, 7]))
    assert places == [2**63 + 1, 2**63 + 2]
    everybody = crowd.landmarks(np.arange(8))[0]
    assert everybody == [8, 9, 10, 11, 23, 2**63, 2**63 + 1, 2**63 + 2]
    for place, low, high in zip(places, below, upto, strict=True):
        assert crowd.below(place) == low == sum(one < place for one in everybody)
        assert crowd.upto(place) == high
    assert crowd.below(2**64) == crowd.n == 8
