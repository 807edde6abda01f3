"""The private views: the law is the exact law, and prepared draws have it."""

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet import PrivateLaw, SettingError, law, prepare
from discreet.counts import Counts
from discreet.sampling import laws
from discreet.sampling.column import Column
from discreet.scores import Scores, by_count
from discreet.scores.base import one_each
from discreet.selection.entries import read
from discreet.testing import ScriptedCoins, fits

ALARM = 1e-12
SECRET = 987654
VALUES: list[int | Fraction] = [3, Fraction(5, 3), 0, 0, Fraction(-7, 2)]

ORACLES: dict[str, tuple[dict[str, Any], Any]] = {
    "auto": ({}, laws.permute_and_flip),
    "exponential": ({"mechanism": "exponential"}, laws.exponential),
    "gumbel": ({"mechanism": "noisy-max", "noise": "gumbel"}, laws.exponential),
    "exponential noise": ({"mechanism": "noisy-max"}, laws.permute_and_flip),
    "laplace": ({"mechanism": "noisy-max", "noise": "laplace"}, laws.laplace_noisy_max),
    "gap": ({"gap": 1}, laws.permute_and_flip),
    "gap, gumbel": ({"gap": 1, "mechanism": "exponential"}, laws.exponential),
}


def exactly(certified: Any, values: Any, rate: Fraction) -> list[float]:
    """Return the certified law at this rate."""
    return [float(share) for share in laws.settled(certified, Column.of(values), rate)]


def seen_in(draws: Any, size: int) -> list[int]:
    """Count how often each position came."""
    counts: list[int] = np.bincount(draws, minlength=size).tolist()
    return counts


@pytest.mark.parametrize("name", ORACLES)
def test_the_law_is_that_of_the_mechanism(name: str) -> None:
    """The probabilities are the certified ones at the planned rate, to the last bit; at twice the rate they are not."""
    words, certified = ORACLES[name]
    found = law(VALUES, epsilon=1, sensitivity=1, **words).probabilities
    assert found.tolist() == exactly(certified, VALUES, Fraction(1, 2))
    assert found.tolist() != exactly(certified, VALUES, Fraction(1))
    assert abs(found.sum() - 1) < 1e-14


@pytest.mark.parametrize("name", ["auto", "exponential"])
@pytest.mark.parametrize("size", [256, 257, 400])
def test_large_laws_agree_with_certified_ones(name: str, size: int) -> None:
    """On both sides of the edge the law sums to 1 and is the certified one within 2e-14."""
    words, certified = ORACLES[name]
    values = [Fraction(place * 37 % size, 16) for place in range(size)]
    found = law(values, epsilon=1, sensitivity=1, **words).probabilities
    assert abs(found.sum() - 1) < 1e-12
    balls = [float(share) for share in laws.settled(certified, Column.of(values), Fraction(1, 2))]
    assert np.abs(found - np.array(balls)).max() <= 2e-14
    wrong = law(values, epsilon=2, sensitivity=1, **words).probabilities
    assert np.abs(wrong - np.array(balls)).max() > 1e-4


def test_large_laws_count_ticks_and_fractions() -> None:
    """Beyond the edge a column kept over a common denominator, or past 64 bits, has the law of its points."""
    size, big = 300, 2**70
    plainly = law([place / 8 for place in range(size)], epsilon=1, range=1).probabilities
    ticked = Scores(tuple(range(size)), list(range(size)), one_each("add-remove"), Fraction(1, 8))
    shifted = [big + Fraction(place, 8) for place in range(size)]
    assert np.abs(law(shifted, epsilon=1, range=1).probabilities - plainly).max() < 2e-14
    assert np.abs(law(ticked, epsilon="1/8").probabilities - plainly).max() < 2e-14
    assert np.abs(law(ticked, epsilon=1).probabilities - plainly).max() > 1e-4


def test_the_law_of_laplace_noise_ends_at_the_edge() -> None:
    """Where only certified arithmetic is known, more candidates are refused."""
    with pytest.raises(SettingError, match="candidates: wanted at most 256"):
        law(range(257), epsilon=1, sensitivity=1, mechanism="noisy-max", noise="laplace")


def test_the_law_of_unequal_sensitivities_is_refused() -> None:
    """No exact view of the generalised mechanism is offered, and the error says which word asked for it."""
    with pytest.raises(SettingError, match="mechanism"):
        law([1, 2], epsilon=1, sensitivity=[1, 2])


def test_the_law_with_a_prior() -> None:
    """Prior times weight, over their sum; a candidate of prior 0 has chance 0."""
    found = law([np.log(2), 0, 5], epsilon=2, sensitivity=1, prior=[1, 3, 0]).probabilities
    assert found.tolist() == pytest.approx([2 / 5, 3 / 5, 0], rel=1e-14)


def test_the_law_of_the_least_is_the_law_of_the_negated() -> None:
    """``maximize=False`` is the same question about minus the scores."""
    least = law(VALUES, epsilon=1, sensitivity=1, maximize=False).probabilities
    assert least.tolist() == law([-value for value in VALUES], epsilon=1, sensitivity=1).probabilities.tolist()
    assert least.tolist() != law(VALUES, epsilon=1, sensitivity=1).probabilities.tolist()


PREPARED: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "whole": ([3, 2, 0, 0], {"sensitivity": 1}),
    "floats": ([0.75, -2.5, 0.0, 1e-300], {"sensitivity": 1}),
    "fractions past 64 bits": ([2**80 + Fraction(1, 3), 2**80, 2**80 - 1], {"sensitivity": 1}),
    "constant": ([3, 2, 0], {"sensitivity": 2, "normaliser": "constant"}),
    "least": ([0, 1, 3], {"sensitivity": 1, "maximize": False}),
}


@pytest.mark.parametrize("name", PREPARED)
def test_prepared_draws_have_the_law(name: str) -> None:
    """Draws from system coins fit the exact law, and reject that of twice the epsilon."""
    values, words = PREPARED[name]
    seen = seen_in(prepare(values, epsilon=1, **words).draws(20_000), len(values))
    once, twice = (
        law(values, epsilon=spent, mechanism="exponential", **words).probabilities.tolist() for spent in (1, 2)
    )
    assert fits(seen, once, ALARM)
    assert not fits(seen, twice, ALARM)


def test_prepared_positions_are_those_of_the_scores_given() -> None:
    """With candidates set aside, draws name the places in the list the caller holds."""
    values = [float("-inf"), 3.0, float("-inf"), 2.0, 0.0]
    seen = seen_in(prepare(values, infinite="never", epsilon=1, sensitivity=1).draws(20_000), 5)
    shares = law([3, 2, 0], epsilon=1, sensitivity=1, mechanism="exponential").probabilities.tolist()
    assert seen[0] == seen[2] == 0
    assert fits([seen[1], seen[3], seen[4]], shares, ALARM)
    assert not fits([seen[1], seen[3], seen[4]], shares[::-1], ALARM)


@pytest.mark.parametrize("words", [{"prior": [1, 2]}, {"gap": 1}, {"mechanism": "permute-and-flip"}], ids=str)
def test_only_the_plain_exponential_mechanism_is_prepared(words: dict[str, Any]) -> None:
    """What has no prepared form is refused, and not quietly drawn from another law."""
    with pytest.raises(SettingError, match="mechanism"):
        prepare([1, 2], epsilon=1, sensitivity=1, **words)


def test_prepared_draws_take_coins_and_a_whole_count() -> None:
    """Coins of a test are the coins used; a count that is none is refused; none asked for is none drawn."""
    ready = prepare([1, 1], epsilon=1, sensitivity=1)
    assert ready.draws(0).tolist() == []
    with pytest.raises(AssertionError, match="scripted coins"):
        ready.draws(1, ScriptedCoins([]))
    for wrong in (-1, 1.5, True, "2"):
        with pytest.raises(SettingError, match="count"):
            ready.draws(wrong)  # type: ignore[arg-type]


HIDDEN: dict[str, Any] = {
    "entries": read({"a": SECRET, "b": 1.5}),
    "column": read([SECRET, 1]).column,
    "fractions": Column.of([Fraction(SECRET, 7), 1]),
    "scores": by_count(Counts(["a", "b"], [SECRET, 1])),
    "law": law({"a": SECRET, "b": 1}, epsilon=1, sensitivity=1),
    "prepared": prepare([SECRET, 1], epsilon=1, sensitivity=1),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_holds_private_numbers_does_not_print_them(name: str) -> None:
    """repr, str and formatting show at most how many there are; addresses in memory aside."""
    for shown in (repr(HIDDEN[name]), str(HIDDEN[name]), f"{[HIDDEN[name]]}"):
        bare = re.sub("0x[0-9A-Fa-f]+", "", shown)
        assert not re.search(r"\d{3}|\d\.\d", bare)
        assert len(bare) < 80


def test_private_laws_are_compared_by_identity() -> None:
    """Two laws are never compared by value, since equality would answer questions about the scores."""
    one, other = (law([1, 2], epsilon=1, sensitivity=1) for _ in range(2))
    assert one != other
    assert isinstance(one, PrivateLaw)
    assert repr(one) == repr(law([9, 0], epsilon=2, sensitivity=1))
    assert one.to_dict() == other.to_dict()
