"""A cutoff on a line: the errors of every rule "yes from t on", however many there are, and how far one person goes."""

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import discreet
from discreet.domains.runs import levels_of
from discreet.errors import SettingError
from discreet.exact import number
from discreet.scores import Cutoff, Errors, Scores
from discreet.selection.entries import read
from discreet.testing.scores import furthest
from tests.scores.cases import GARBAGE, RELATIONS

VALUE = some.one_of(
    some.integers(-3, 13), some.integers(-12, 50).map(lambda n: n / 4), some.sampled_from([1e300, -1e300])
)


def spread(scores: Scores) -> list[int]:
    """The score of every point, one by one."""
    levels = levels_of(scores.values)
    return [int(levels.stored(place)) for place in range(len(scores))]


def errors(cutoff: Cutoff, people: list[tuple[Any, bool]]) -> list[int]:
    """Minus the errors of each rule, counted one by one."""
    return [-sum((value >= number(point)) != truth for value, truth in people) for point in cutoff.points]


@given(some.lists(some.tuples(VALUE, some.booleans()), max_size=30), some.sampled_from(["1", "0.5", "2.5"]))
def test_every_point_scores_minus_its_errors(people: list[tuple[Any, bool]], step: str) -> None:
    """Runs of points score as each rule does by itself: from lists, from columns, below the grid and above it."""
    cutoff = Cutoff((0, 10), step)
    assert spread(cutoff.score(people)) == errors(cutoff, people)
    columns = np.array([float(value) for value, _ in people]), np.array([truth for _, truth in people], dtype=bool)
    assert spread(cutoff.score_columns(*columns)) == errors(cutoff, people)
    assert spread(cutoff.score_columns([value for value, _ in people], [truth for _, truth in people])) == errors(
        cutoff, people
    )


def test_it_is_the_family_of_errors() -> None:
    """The same scores and the same law as ``Errors`` with a rule for each point, and another law for other data."""
    people = [(1, False), (2, True), (2.5, False), (3, True), (7, True)]
    cutoff = Cutoff((0, 5))
    rules = {point: lambda row, point=point: row[0] >= point for point in range(6)}
    listed = Errors(rules, truth=1).score(people)
    assert spread(cutoff.score(people)) == list(listed.values)
    laws = [
        discreet.law(one, epsilon=1, mechanism="exponential").probabilities for one in (cutoff.score(people), listed)
    ]
    assert laws[0].tolist() == pytest.approx(laws[1].tolist(), abs=1e-12)
    other = discreet.law(cutoff.score(people[1:]), epsilon=1, mechanism="exponential").probabilities
    assert max(abs(laws[0] - other)) > 0.01


class Spread:
    """The family, one score a point."""

    name: ClassVar[str] = "errors"
    cutoff = Cutoff((0, 4))
    candidates = tuple(cutoff.points)

    def sensitivity(self, neighbours: Any = "add-remove") -> discreet.Sensitivity:
        """Return what the family says."""
        return self.cutoff.sensitivity(neighbours)

    def score(self, people: Any, neighbours: Any = "add-remove") -> Scores:
        """Write the runs out."""
        found = self.cutoff.score(people, neighbours)
        return Scores(self.candidates, spread(found), found.sensitivity, found.tick, "errors")


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_step_and_gap_hold_and_are_reached(neighbours: Any) -> None:
    """On all small datasets the furthest move is exactly what is promised, so that anything less is refuted."""
    universe = [(value, truth) for value in (-1, 2, 9) for truth in (True, False)] + [None]
    moved, promised = furthest(Spread(), universe, 2, neighbours), Spread().sensitivity(neighbours)
    assert (moved.step, moved.gap) == (promised.step, promised.gap)
    assert moved.gap > promised.gap * Fraction(999, 1000)  # a planted gap, a thousandth less, is passed


def test_anything_is_scored() -> None:
    """Whatever a row holds there is a score, and it changes nobody else's; what says yes in words is a yes."""
    cutoff = Cutoff((0, 4))
    people: list[Any] = [(1, True), (3, False)]
    for garbage in GARBAGE:
        assert spread(cutoff.score([*people, garbage])) == spread(cutoff.score(people))
        moved = np.array(spread(cutoff.score([*people, (2, garbage)]))) - spread(cutoff.score(people))
        assert set(moved.tolist()) == {0, -1}
        assert len(cutoff.score([(garbage, True)])) == 5
    said: list[Any] = [
        (2, one) for one in ("Yes", "t", "1", 1, 1.0, np.True_, np.int8(1), "no", 0, 2, None, "", np.nan)
    ]
    assert spread(cutoff.score(said)) == errors(cutoff, [(2, place < 7) for place in range(13)])
    assert spread(cutoff.score([])) == [0] * 5


def test_a_grid_of_two_to_the_61_points() -> None:
    """The best cutoff of a grid too long to list is found, and one too large is refused before any data is read."""
    ages = np.repeat(np.arange(1000, 2000), 10)
    found = discreet.select(Cutoff((0, 2**61)).score_columns(ages, ages >= 1500), epsilon=1).winner
    assert abs(int(str(found)) - 1500) < 20
    with pytest.raises(SettingError, match="larger step"):
        Cutoff((0, 2**62))
    assert len(Cutoff((0, 2**62 - 1)).score([(7, True)])) == 2**62
    with pytest.raises(SettingError, match="truth: wanted one for each number"):
        Cutoff((0, 9)).score_columns([1, 2], [True])


def test_nothing_private_is_shown() -> None:
    """Neither scores nor what is read from them print a number of people or a value."""
    scores = Cutoff((0, 10**6)).score_columns(np.array([424_242] * 70_000), np.array([True] * 70_000))
    shown = f"{scores} {scores.values} {read(scores)} {read(scores).column}"
    assert "424242" not in shown
    assert "70000" not in shown
