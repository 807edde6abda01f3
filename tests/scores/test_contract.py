"""Whatever the data holds, one person moves no score beyond the step and no difference beyond the gap."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts import Counts, Labels
from discreet.scores import FAMILIES, NAMED, Family, Scores, Votes, by_count, named
from discreet.sensitivity import Neighbours, Sensitivity
from discreet.testing.scores import Movement, check_family, furthest
from tests.scores.cases import CASES, PEOPLE, RELATIONS, SPOKEN, Case

LITTLE = Fraction(1, 1000)


@pytest.mark.parametrize(("label", "relation"), SPOKEN)
@settings(max_examples=40)
@given(data=st.data())
def test_no_neighbour_moves_scores_further_than_promised(label: str, relation: Neighbours, data: st.DataObject) -> None:
    """Datasets and newcomers drawn by Hypothesis, garbage among them, keep within step and gap."""
    family = CASES[label].family
    people = data.draw(st.lists(PEOPLE[family.name], max_size=5))
    newcomers = data.draw(st.lists(PEOPLE[family.name], max_size=2))
    check_family(family, people, relation, newcomers)


@pytest.mark.parametrize(("label", "relation"), SPOKEN)
def test_step_and_gap_are_attained(label: str, relation: Neighbours) -> None:
    """Over all small datasets the largest movement is exactly the promise, where the family has two candidates."""
    case = CASES[label]
    promise = case.family.sensitivity(relation)
    assert furthest(case.family, case.universe, case.size, relation) == _expected(label, promise)


def _expected(label: str, promise: Sensitivity) -> Movement:
    # One candidate has no difference to move.
    return Movement(promise.step, Fraction(0) if label == "revenue, one price" else promise.gap)


@pytest.mark.parametrize(("label", "relation"), [pair for pair in SPOKEN if pair[0] != "revenue, one price"])
def test_a_gap_a_little_too_small_is_caught(label: str, relation: Neighbours) -> None:
    """A family that claims a thousandth less gap than it has fails the contract on some small dataset."""
    case = CASES[label]
    truth = case.family.sensitivity(relation)
    wrong = Planted(case.family, replace(truth, gap=truth.gap - LITTLE))
    assert _caught(wrong, case, relation) == "a difference moved further"


@pytest.mark.parametrize(("label", "relation"), SPOKEN)
def test_a_step_a_little_too_small_is_caught(label: str, relation: Neighbours) -> None:
    """A family that claims a thousandth less step than it has fails the contract on some small dataset."""
    case = CASES[label]
    truth = case.family.sensitivity(relation)
    step = truth.step - LITTLE
    wrong = Planted(case.family, replace(truth, step=step, gap=min(truth.gap, 2 * step)))
    assert _caught(wrong, case, relation) in {"a score moved further", "a difference moved further"}


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_family_that_counts_a_person_twice_is_caught(relation: Neighbours) -> None:
    """The contract looks at the scores, not at what the family says of them."""
    assert _caught(Twice(), CASES["votes"], relation) == "a score moved further"


def test_scores_that_carry_another_sensitivity_are_caught() -> None:
    """What the family states and what its scores carry must be one statement."""
    with pytest.raises(AssertionError, match="another sensitivity"):
        check_family(Split(), ["a"], "add-remove")


def test_scores_of_other_candidates_are_caught() -> None:
    """The scores must name the candidates the family names."""
    with pytest.raises(AssertionError, match="other candidates"):
        check_family(Renamed(), ["a"], "add-remove")


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("family", NAMED)
def test_a_name_alone_says_what_the_family_says(family: type[Any], relation: Neighbours) -> None:
    """Where a name stands for step and gap, the family's own proof gives the same."""
    cases = [case.family for case in CASES.values() if type(case.family) is family]
    assert cases
    assert all(named(family.name, relation) == case.sensitivity(relation) for case in cases)


@pytest.mark.parametrize("relation", RELATIONS)
def test_counts_move_like_approvals(relation: Neighbours) -> None:
    """Scores made from counts carry the step and gap of approvals, however many candidates a person touches."""
    counts = Counts(["a", "b"], [3, 4], at_most=2, neighbours=relation)
    assert by_count(counts).sensitivity == CASES["approvals"].family.sensitivity(relation)
    assert list(by_count(counts).values) == [3, 4]


def test_every_family_is_put_to_the_test() -> None:
    """Each family in the list has a case and a strategy here, and the names differ."""
    names = [family.name for family in FAMILIES]
    assert len(set(names)) == len(names)
    assert {case.family.name for case in CASES.values()} == set(names) == set(PEOPLE)


def _caught(family: Family, case: Case, relation: Neighbours) -> str:
    for size in range(case.size + 1):
        for people in combinations_with_replacement(case.universe, size):
            try:
                check_family(family, people, relation, newcomers=case.universe)
            except AssertionError as error:
                return str(error).split(": ")[1].split(" than")[0]
    return "nothing"


@dataclass(frozen=True)
class Planted:
    """A family with a planted sensitivity."""

    name: ClassVar[str] = "planted"
    inner: Family
    claim: Sensitivity

    @property
    def candidates(self) -> Labels:
        """As the inner family's."""
        return self.inner.candidates

    def sensitivity(self, neighbours: Neighbours = "add-remove") -> Sensitivity:
        """What it claims."""
        assert neighbours == self.claim.neighbours
        return self.claim

    def score(self, people: Iterable[Any], neighbours: Neighbours = "add-remove") -> Scores:
        """What it does."""
        return replace(self.inner.score(people, neighbours), sensitivity=self.claim)


class Twice:
    """Votes, with each person counted twice."""

    name: ClassVar[str] = "twice"
    candidates: Labels = ("a", "b")

    def sensitivity(self, neighbours: Neighbours = "add-remove") -> Sensitivity:
        """What it claims."""
        return named("counts", neighbours)

    def score(self, people: Iterable[Any], neighbours: Neighbours = "add-remove") -> Scores:
        """What it does."""
        rows = list(people)
        return Votes(self.candidates).score(rows + rows, neighbours)


class Split(Twice):
    """Votes whose scores claim more than the family does."""

    name: ClassVar[str] = "split"

    def score(self, people: Iterable[Any], neighbours: Neighbours = "add-remove") -> Scores:
        """What it does."""
        half = Sensitivity.of(sensitivity="1/2", neighbours=neighbours)
        return replace(Votes(self.candidates).score(people, neighbours), sensitivity=half)


class Renamed(Twice):
    """Votes that come back under other names."""

    name: ClassVar[str] = "renamed"

    def score(self, people: Iterable[Any], neighbours: Neighbours = "add-remove") -> Scores:
        """What it does."""
        return Votes(["c", "d"]).score(people, neighbours)
