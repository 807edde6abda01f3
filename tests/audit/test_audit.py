"""The exact audit: it keeps true promises, breaks false ones, and finds the worst pair."""

from collections.abc import Sequence
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import exp, log
from typing import Any

import pytest

from discreet.audit import Audit, audit
from discreet.audit.odds import Odds
from discreet.audit.worlds import how_many, pairs
from discreet.errors import SettingError
from discreet.guarantees import Pure, Range, Zcdp
from discreet.mechanisms import Exponential, NoisyMax, NoisyMaxWithGap, Peel, PermuteAndFlip, Unequal, Weighted
from discreet.scores.size import Votes
from discreet.sensitivity import Neighbours, Sensitivity

HALF = Fraction(1, 2)
ONE_WAY = Sensitivity.of(sensitivity=1, monotonic=True)
REPLACED = Sensitivity.of(sensitivity=1, neighbours="replace")
KINDS: list[Any] = [
    Exponential(HALF),
    PermuteAndFlip(HALF),
    NoisyMax(HALF, "gumbel"),
    NoisyMax(HALF, "exponential"),
    NoisyMax(HALF, "laplace"),
    Weighted(HALF, (Fraction(1), Fraction(0), Fraction(3))),
    Peel(Exponential(HALF), 2),
    Peel(PermuteAndFlip(HALF), 2),
    Peel(PermuteAndFlip(HALF), 1),
]


def votes(people: Sequence[str]) -> list[int]:
    """Count the votes for each letter."""
    return [people.count(letter) for letter in "abc"]


def polls(mechanism: Any, facts: Sensitivity, **more: Any) -> Audit:
    """Audit up to four voters."""
    return audit(votes, ["a", "b", "c"], 4, mechanism=mechanism, sensitivity=facts, **more)


@pytest.mark.parametrize("facts", [ONE_WAY, REPLACED], ids=["add-remove", "replace"])
@pytest.mark.parametrize("mechanism", KINDS, ids=str)
def test_true_promises_hold(mechanism: Any, facts: Sensitivity) -> None:
    """Counts keep every mechanism's promise, use more than half of it, and never more than all."""
    found = polls(mechanism, facts)
    assert found.holds
    assert not found.refuted
    assert HALF < found.tightness <= 1
    assert (found.step, found.gap) == (facts.step, facts.gap)
    assert found.low <= found.high <= found.low + Fraction(1, 2**60)


@pytest.mark.parametrize("mechanism", KINDS[:6], ids=str)
def test_a_planted_wrong_sensitivity_is_refuted(mechanism: Any) -> None:
    """Counts said to have gap 1 under replace-one break every promise, and the audit shows on which pair."""
    wrong = Sensitivity.of(range=1, neighbours="replace")
    found = polls(mechanism, wrong)
    assert found.refuted
    assert not found.holds
    assert found.moved_too_far
    assert "REFUTED" in str(found)
    assert len(found.worst.dataset) == len(found.worst.neighbour)


@pytest.mark.parametrize("mechanism", KINDS, ids=str)
def test_a_promise_just_below_the_worst_is_refuted(mechanism: Any) -> None:
    """The verdict turns exactly at the largest log ratio: a hair above holds, a hair below is refuted."""
    found = polls(mechanism, ONE_WAY, promise=Pure(100))
    hair = Fraction(1, 10**15)
    assert polls(mechanism, ONE_WAY, promise=Pure(found.high + hair)).holds
    assert polls(mechanism, ONE_WAY, promise=Pure(found.low - hair)).refuted


def test_permute_and_flip_is_refuted_as_a_bounded_range() -> None:
    """Its log ratio varies by more than its epsilon when scores move both ways."""
    found = polls(PermuteAndFlip(Fraction(1)), REPLACED, promise=Range(2))
    assert found.high <= 2
    assert found.refuted


def test_a_constant_normaliser_is_believed_exactly() -> None:
    """Where the scores are only permuted, the exponential mechanism spends rate * step and not a hair more."""

    def place(people: Sequence[int]) -> list[int]:
        return [1 if people and sum(people) % 3 == spot else 0 for spot in range(3)]

    constant = Sensitivity.of(sensitivity=1, neighbours="replace", normaliser="constant")
    found = audit(place, [1, 2, 3], 1, mechanism=Exponential(HALF), sensitivity=constant)
    assert found.promise == Pure(HALF)
    assert found.low == found.high == HALF
    assert found.holds


def test_a_normaliser_wrongly_called_constant_is_refuted() -> None:
    """Scores that move both ways and change the normaliser spend more than rate * step."""

    def opposite(people: Sequence[int]) -> list[int]:
        return [sum(people) - 9, 9 - sum(people), 9 - sum(people)]

    constant = Sensitivity.of(sensitivity=1, normaliser="constant")
    assert audit(opposite, [1], 9, mechanism=Exponential(HALF), sensitivity=constant).refuted


def test_families_bring_their_own_sensitivity() -> None:
    """A score family is audited under either relation, with the step and gap it states."""
    for relation, gap in (("add-remove", 1), ("replace", 2)):
        neighbours: Neighbours = "replace" if relation == "replace" else "add-remove"
        found = audit(Votes(["a", "b"]), ["a", "b", None], 3, mechanism=Exponential(HALF), neighbours=neighbours)
        assert found.holds
        assert found.gap == gap
        assert found.tightness == 1


def test_unequal_steps_are_audited_in_their_compared_scores() -> None:
    """Scores that move by 1 and by 3 keep twice the rate; moves of 1 and 6 do not."""
    mechanism = Unequal(HALF, (Fraction(1), Fraction(3)), Fraction(1))

    def moving(by: int) -> Any:
        return lambda people: [people.count("x") - people.count("y"), by * (people.count("y") - people.count("x"))]

    steps = Sensitivity.of(sensitivity=1)
    assert audit(moving(3), ["x", "y"], 3, mechanism=mechanism, sensitivity=steps).holds
    assert audit(moving(9), ["x", "y"], 3, mechanism=mechanism, sensitivity=steps).refuted


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize(("kinds", "size"), [(1, 3), (2, 3), (3, 2), (4, 4)])
def test_every_pair_is_walked_once(relation: Neighbours, kinds: int, size: int) -> None:
    """The pairs are those found by comparing all datasets with all others."""

    def apart(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, int]:
        lost = sum(max(0, one.count(kind) - other.count(kind)) for kind in range(kinds))
        return lost, lost + len(other) - len(one)

    everyone = [people for count in range(size + 1) for people in combinations_with_replacement(range(kinds), count)]
    wanted = {(0, 1), (1, 0)} if relation == "add-remove" else {(1, 1)}
    close = {frozenset((one, other)) for one in everyone for other in everyone if apart(one, other) in wanted}
    walked = [frozenset(pair) for pair in pairs(kinds, size, relation)]
    assert set(walked) == close
    assert len(walked) == len(close)
    assert not close or how_many(kinds, size, relation) == len(close)


def test_the_log_ratio_is_the_one_of_floats() -> None:
    """Softmax odds computed in floats agree, and the enclosure is tight."""
    before, after = (Fraction(0), Fraction(2)), (Fraction(1), Fraction(2))
    low, high = Odds(Exponential(Fraction(1))).ratios(before, after)[0]
    expected = log(exp(1) / (exp(1) + exp(2))) - log(1 / (1 + exp(2)))
    assert float(low) == pytest.approx(expected)
    assert 0 < high - low < Fraction(1, 2**90)


def test_a_tie_is_exact_only_where_the_theorem_says() -> None:
    """Permute-and-flip's exact log ratio needs rivals that move alike and a candidate not above them."""
    odds = Odds(PermuteAndFlip(Fraction(1)))
    low, high = odds.ratios((Fraction(0), Fraction(0)), (Fraction(-1), Fraction(0)))[0]
    assert low == high == -1
    low, high = odds.ratios((Fraction(0), Fraction(0)), (Fraction(1), Fraction(0)))[0]
    assert low < high < Fraction(9, 10)
    low, high = odds.ratios((Fraction(0), Fraction(0), Fraction(0)), (Fraction(-1), Fraction(0), Fraction(1)))[0]
    assert low < high


def test_the_report_reads_aloud() -> None:
    """A privacy engineer reads what was tried, promised and found, where, and the verdict."""
    text = str(polls(PermuteAndFlip(HALF), ONE_WAY))
    for words in ("60 pairs of neighbours (add-remove)", "0.5-differential privacy", "100.0 % of the promise", "holds"):
        assert words in text
    unsure = replace(polls(Exponential(HALF), ONE_WAY, promise=Pure(1)), low=Fraction(9, 10), high=Fraction(11, 10))
    assert "undecided" in str(unsure)


def test_an_audit_is_frozen() -> None:
    """What was found does not change."""
    found = polls(Exponential(HALF), ONE_WAY)
    with pytest.raises(FrozenInstanceError):
        found.low = Fraction(0)  # type: ignore[misc]


def test_progress_is_told_after_every_pair() -> None:
    """The callback hears each pair once, and how many there are."""
    heard: list[tuple[int, int]] = []
    found = polls(Exponential(HALF), ONE_WAY, progress=lambda done, all_: heard.append((done, all_)))
    assert heard == [(done, found.pairs) for done in range(1, found.pairs + 1)]


def test_worlds_too_large_are_refused_with_their_size() -> None:
    """More than a million pairs are counted, not walked."""
    with pytest.raises(SettingError, match="1693446300"):
        audit(votes, list("abcdefghijkl"), 20, mechanism=Exponential(HALF), sensitivity=ONE_WAY)
    with pytest.raises(SettingError, match="got 0"):
        audit(votes, ["a"], 3, mechanism=Exponential(HALF), sensitivity=REPLACED)


WRONG: list[dict[str, Any]] = [
    {"mechanism": Exponential(HALF)},
    {"mechanism": Exponential(HALF), "sensitivity": ONE_WAY, "neighbours": "replace"},
    {"mechanism": Exponential(HALF), "promise": Zcdp(1)},
    {"mechanism": Exponential(HALF), "promise": Pure(0)},
    {"mechanism": NoisyMaxWithGap(HALF, "gumbel", HALF), "sensitivity": ONE_WAY},
]


@pytest.mark.parametrize("settings", WRONG, ids=range(len(WRONG)))
def test_wrong_settings_are_refused(settings: dict[str, Any]) -> None:
    """Nothing promised, a contradiction, a promise no pair can prove, and a law not known are SettingErrors."""
    with pytest.raises(SettingError):
        audit(votes, ["a", "b"], 2, **settings)


HALVES = (HALF, HALF)
KINDLY: dict[str, tuple[str, dict[str, Any]]] = {
    "scores a number": ("scores", {"scores": 3}),
    "scores a text": ("scores", {"scores": "counts"}),
    "scores of none": ("scores", {"scores": lambda _people: None}),
    "no scores": ("scores", {"scores": lambda _people: []}),
    "universe a number": ("universe", {"universe": 3}),
    "universe empty": ("universe", {"universe": []}),
    "universe an empty set": ("universe", {"universe": set()}),
    "size a text": ("size", {"size": "2"}),
    "size a fraction": ("size", {"size": 1.5}),
    "mechanism a text": ("mechanism", {"mechanism": "exponential"}),
    "mechanism a class": ("mechanism", {"mechanism": Exponential}),
    "sensitivity a number": ("sensitivity", {"sensitivity": 1}),
    "sensitivity of 0": ("sensitivity", {"sensitivity": 0}),
    "promise a function": ("promise", {"promise": lambda: None}),
    "promise a number": ("promise", {"promise": 1}),
    "neighbours unknown": ("neighbours", {"neighbours": "swap", "sensitivity": None, "promise": Pure(1)}),
    "neighbours of a family": ("neighbours", {"scores": Votes(["a"]), "sensitivity": None, "neighbours": "swap"}),
    "neighbours a list": ("neighbours", {"neighbours": ["replace"], "sensitivity": None, "promise": Pure(1)}),
    "prior too short": ("prior", {"mechanism": Weighted(HALF, HALVES)}),
    "steps too short": ("steps", {"mechanism": Unequal(HALF, HALVES, HALF)}),
    "more winners than candidates": ("count", {"mechanism": Peel(Exponential(HALF), 4)}),
}


@pytest.mark.parametrize("label", KINDLY)
def test_a_wrong_kind_of_setting_is_named(label: str) -> None:
    """Whatever stands in the wrong place, the refusal begins with the name of the place."""
    name, wrong = KINDLY[label]
    right = {"scores": votes, "universe": ["a", "b"], "size": 2, "mechanism": Exponential(HALF), "sensitivity": ONE_WAY}
    settings = {**right, **wrong}
    given = [settings.pop(word) for word in ("scores", "universe", "size")]
    with pytest.raises(SettingError, match=f"^{name}: wanted"):
        audit(*given, **settings)


def test_a_universe_may_be_any_collection() -> None:
    """A set, a tuple and an iterator of kinds are audited like a list, and the worst pair of a set is always one."""
    listed = polls(Exponential(HALF), ONE_WAY)
    for universe in ({"c", "b", "a"}, frozenset("bca"), ("a", "b", "c"), iter("abc")):
        assert audit(votes, universe, 4, mechanism=Exponential(HALF), sensitivity=ONE_WAY) == listed


def test_scores_of_changing_length_are_refused() -> None:
    """The candidates are public, so there are as many for every dataset."""
    with pytest.raises(SettingError, match="same number of scores"):
        audit(lambda people: [0] * (1 + len(people)), ["a"], 2, mechanism=Exponential(HALF), sensitivity=ONE_WAY)
