"""Rank on a line: the scores of ``Rank`` at every point of a grid, however large, lazily and with ties."""

import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import discreet
from discreet.points import Points
from discreet.scores import line as room
from discreet.scores.base import Runs
from discreet.scores.line import Line
from discreet.scores.order import readable
from discreet.scores.rank import Rank
from discreet.selection.entries import read
from discreet.testing.scores import furthest

QS = some.sampled_from(["1/2", "0.9", "0.05"])


def spread(scores: discreet.scores.Scores) -> list[int]:
    """The score of every point, one by one."""
    column: Any = read(scores).column
    return [int(column.stored(place)) for place in range(len(scores))]


@settings(max_examples=60)
@given(
    some.lists(some.integers(-30, 130), max_size=30),
    QS,
    some.integers(1, 3),
    some.integers(1, 3),
    some.sampled_from(["1", "0.5"]),
)
def test_every_point_has_the_score_of_rank(people: list[int], q: str, over: int, under: int, step: str) -> None:
    """Runs of points score as each point does by itself, at the bounds, between values and on them."""
    line = Line((0, 100), step, q, over, under)
    clipped = [min(max(one, 0), 100) for one in people]
    plain = Rank([Fraction(point) for point in line.points], q, over, under).score(clipped)
    assert spread(line.score(people)) == spread(plain)


@settings(max_examples=40)
@given(some.data(), some.integers(2, 6), QS)
def test_the_unsorted_sides_score_as_if_sorted(data: Any, window: int, q: str) -> None:
    """With a small window and ties across its edges, the three blocks hold what sorting everybody gives."""
    people = data.draw(some.lists(some.integers(0, 12), min_size=2 * window + 1, max_size=60))
    line = Line((0, 12), 1, q)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "WINDOW", window)
        patch.setattr(room, "LARGE", 2 * window)
        lazy = line.score(np.array(people))
        assert isinstance(lazy.values, Runs)
        assert lazy.values.blocks is not None
        blocks = lazy.values.blocks
        found = [blocks.look(block) for block in range(len(blocks.tops))]
        assert all(scores.max() <= top for (scores, _), top in zip(found, blocks.tops, strict=True))
        assert blocks.tops.max() == max(int(scores.max()) for scores, _ in found)
        assert spread(lazy) == spread(line.score(people))


def test_ties_are_exact() -> None:
    """A thousand people at 50: the median is 50, by either mechanism, on coarse, fine and huge grids."""
    for bounds, step in (((0, 100), 1), ((0, 100), "0.000000001"), ((0, 2**61), 1)):
        for mechanism in ("permute-and-flip", "exponential"):
            found = discreet.select(Line(bounds, step).score([50] * 1000), epsilon=1, mechanism=mechanism)
            assert found.winner == 50


def test_most_people_tied_among_a_million() -> None:
    """Nine in ten at one number of a million: the answer is theirs, and both its neighbours are the worse by far."""
    people = np.arange(10**6) % 977
    people[: 9 * 10**5] = 500
    for q in ("0.5", "0.25", "0.75"):
        assert discreet.select(Line((0, 10**9), 1, q).score(people), epsilon="0.01").winner == 500


def test_nobody_at_all() -> None:
    """Without data every point is as good: the draw is uniform over the whole grid, and so is that of text."""
    scores = Line((0, 99)).score([])
    assert {int(str(discreet.select(scores, epsilon=1).winner)) // 50 for _ in range(60)} == {0, 1}
    assert spread(Line((0, 9)).score(["none", None, float("nan")])) == spread(Line((0, 9)).score([]))


def test_everybody_outside_counts_at_the_bounds() -> None:
    """Those outside the public bounds count as the nearer one."""
    for people, nearest in (([10**9] * 500, 99), ([-5.5] * 500, 0), ([float("inf")] * 500, 99), ([-1e308] * 500, 0)):
        assert discreet.select(Line((0, 99)).score(people), epsilon=1).winner == nearest


@pytest.mark.parametrize("step", ["1", "0.01", "0.000000001"])
@pytest.mark.parametrize("kind", [list, np.array])
def test_every_float_has_its_place(step: str, kind: Any) -> None:
    """Infinities, and numbers that overflow once they are divided by the step, lie at the ends; one by one as well."""
    points = Points.between(0, 10, step)
    far = [-np.inf, -sys.float_info.max, -1e308, -1e299, -1.0, -0.0, 10.0, 11.0, 1e299, sys.float_info.max, np.inf]
    expected = [0] * 6 + [len(points) - 1] * 5
    assert room.placed(readable(kind(far)), points).tolist() == expected
    assert room.placed([*far, Fraction(0)], points).tolist() == [*expected, 0]


GRIDS = [
    ((0, 1), "0.01"),
    ((0, 2**62 - 1), 1),
    ((0, 10**16), "0.1"),
    ((-7, 8), "0.25"),
    ((-(10**9), 10**9), "0.000000001"),
]
NEAR_LINES = some.builds(
    lambda cell, off: cell / 100 + off * 1e-9, some.integers(-9, 109), some.sampled_from([-0.5, -0.500000001, 0.0, 0.5])
)
WIDE = some.sampled_from([2.0**53, 2.0**60, 1e15, 0.1, 1e-300, -3.7])
VALUES = some.one_of(
    NEAR_LINES, WIDE, some.integers(-(2**63), 2**64), some.sampled_from([0, 1, 10**15, True, "0.07", None])
)


@settings(max_examples=150)
@given(some.lists(NEAR_LINES | WIDE, min_size=1, max_size=5), some.lists(VALUES, max_size=3), some.sampled_from(GRIDS))
def test_no_neighbour_moves_a_place(alike: list[float], others: list[Any], grid: Any) -> None:
    """A number lies where it lies alone, whatever type of number, text or nothing stands beside it."""
    points = Points.between(grid[0][0], grid[0][1], grid[1])
    for given_, kind in ((alike, float), ([int(one) for one in alike], int)):
        alone = [int(room.placed(readable([kind(one)]), points)[0]) for one in given_]
        assert room.placed(readable(given_), points).tolist() == alone
        assert room.placed(readable(np.array(given_)), points).tolist() == alone
        assert room.placed(readable([*given_, *others]), points).tolist()[: len(given_)] == alone
        whole = np.array([*given_, 2**62]) if kind is int else np.array([*given_, 1e300])
        assert room.placed(readable(whole), points).tolist()[:-1] == alone


@settings(max_examples=150)
@given(some.lists(some.integers(-(2**63), 2**63 - 1), min_size=1), some.sampled_from(GRIDS))
def test_whole_numbers_lie_exactly(values: list[int], grid: Any) -> None:
    """In columns as one by one: rounded down to the grid, clipped to its ends."""
    points = Points.between(grid[0][0], grid[0][1], grid[1])
    expected = [int(min(max((value - points.low) // points.step, 0), len(points) - 1)) for value in values]
    assert room.placed(np.array(values), points).tolist() == expected
    unsigned = np.array([abs(value) + 2**63 - 1 for value in values], dtype=np.uint64)
    assert room.placed(unsigned, points).tolist() == [
        int(min((int(value) - points.low) // points.step, len(points) - 1)) for value in unsigned
    ]


def test_a_grid_of_two_to_the_62_points() -> None:
    """The largest grid has an answer at once, a decimal on it; a larger one is refused."""
    line = Line((0, 2**62 - 1))
    assert len(line.points) == 2**62
    assert 0 <= int(str(discreet.select(line.score([7] * 9), epsilon=1).winner)) < 2**62
    with pytest.raises(discreet.SettingError, match="larger step"):
        Line((0, 2**62))


def test_floats_are_read_to_nine_decimals() -> None:
    """Numbers of two decimals are on the grid of cents, though their binary forms are not."""
    points = Points.between(0, 1000, "0.01")
    cents = np.arange(100_001)
    assert (room.placed(cents / 100, points) == cents).all()
    assert room.placed([Decimal("0.29"), Fraction(29, 100), 0.29], points).tolist() == [29, 29, 29]
    assert room.placed(np.array([0.2899999, 0.2999999]), points).tolist() == [28, 29]
    far: list[Any] = [Decimal("1e9999999"), Decimal("-1e9999999"), Decimal("1e-9999999"), Decimal("Infinity")]
    assert room.placed(far, Points.between(-5, 5)).tolist() == [10, 0, 5, 10]
    assert room.placed(np.array([0.5]), Points.between(0, 1, "1e-12")).tolist() == [5 * 10**11]
    assert room.placed(np.array([2**53 + 1, -(2**60)]), Points.between(0, 2**60, "0.5")).tolist() == [
        2 * (2**53 + 1),
        0,
    ]


@pytest.mark.parametrize(("q", "over", "under"), [("1/2", 1, 1), ("1/3", 1, 1), ("1/4", 2, 1)])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_step_and_gap_hold_and_are_reached(q: str, over: int, under: int, neighbours: Any) -> None:
    """On all small datasets no score moves further than the step, nor a difference than the gap; the gap is reached."""

    class Spread:
        """The family, one score a point."""

        name: ClassVar[str] = "rank"
        line = Line((0, 4), 1, q, over, under)
        candidates = tuple(line.points)

        def sensitivity(self, neighbours: Any = "add-remove") -> discreet.Sensitivity:
            return self.line.sensitivity(neighbours)

        def score(self, people: Any, neighbours: Any = "add-remove") -> Any:
            found = self.line.score(people, neighbours)
            return discreet.scores.Scores(self.candidates, spread(found), found.sensitivity, found.tick, "rank")

    family = Spread()
    promised, moved = family.sensitivity(neighbours), furthest(family, [0, 2, 4, None], 3, neighbours)
    assert moved.step <= promised.step
    assert moved.gap <= promised.gap
    assert moved.gap >= promised.gap * Fraction(2, 3)


def test_nothing_private_is_shown() -> None:
    """Neither scores nor what is read from them print a number of people or a value."""
    scores = Line((0, 10**6)).score([424_242] * 70_000)
    shown = f"{scores} {scores.values} {read(scores)} {read(scores).column}"
    assert "424242" not in shown
    assert "70000" not in shown
