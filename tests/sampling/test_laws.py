"""The certified laws, against decimals, permutations, integrals and golden numbers."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet.balls import at, ball, ratio
from discreet.sampling import laws
from discreet.sampling.column import Column
from tests.sampling.oracle import GOLDEN, flip_walk, laplace_max, softmax, weights

SCORES = some.lists(some.fractions(-3, 3, max_denominator=8), min_size=1, max_size=5)
RATES = some.sampled_from([Fraction(1, 7), Fraction(1), Fraction(5, 2)])
CLOSE = Fraction(1, 10**18)


def agree(
    law: Callable[[Column, Fraction], Any], scores: list[Fraction], rate: Fraction, other: list[Fraction]
) -> bool:
    """Say whether every ball lies within 1e-18 of the other number."""
    found = laws.settled(law, Column.of(scores), rate, 128)
    pairs = zip(found, other, strict=True)
    return at(192, lambda: all(bool(abs(mine - ratio(theirs)) < ball(CLOSE)) for mine, theirs in pairs))


@given(SCORES, RATES)
def test_the_exponential_law_is_the_softmax(scores: list[Fraction], rate: Fraction) -> None:
    """Weights in decimal give the same law; a doubled rate does not, unless all scores are the same."""
    assert agree(laws.exponential, scores, rate, softmax(scores, rate))
    assert len(set(scores)) == 1 or not agree(laws.exponential, scores, rate, softmax(scores, 2 * rate))


@given(SCORES, RATES)
def test_permute_and_flip_is_the_walk_over_permutations(scores: list[Fraction], rate: Fraction) -> None:
    """Every permutation walked gives the same law; the softmax is another one, unless all scores are the same."""
    assert agree(laws.permute_and_flip, scores, rate, flip_walk(weights(scores, rate)))
    assert len(set(scores)) == 1 or not agree(laws.permute_and_flip, scores, rate, softmax(scores, rate))


@pytest.mark.parametrize("scores", [[0], [0, 0], [0, 2, 3], [1, 1, -4, 0.5], [30, 0], [0, 1, 2, 3, 4, 5]])
def test_laplace_noisy_max_is_the_integral(scores: list[float]) -> None:
    """Integrated densities agree to 1e-10, and those of another rate do not."""
    found = [float(share) for share in laws.settled(laws.laplace_noisy_max, Column.of(scores), Fraction(3, 4))]
    assert found == pytest.approx(laplace_max(scores, 0.75), abs=1e-10)
    assert len(set(scores)) == 1 or found != pytest.approx(laplace_max(scores, 0.7575), abs=1e-10)


@pytest.mark.parametrize("case", GOLDEN["em_pf_laws"])
def test_golden_laws(case: dict[str, Any]) -> None:
    """Both laws agree with independent code to all its digits."""
    scores, rate = [Fraction(score) for score in case["scores"]], Fraction(case["eta"])
    assert agree(laws.exponential, scores, rate, [Fraction(share) for share in case["em"]])
    assert agree(laws.permute_and_flip, scores, rate, [Fraction(share) for share in case["pf"]])


@pytest.mark.parametrize("case", GOLDEN["pf_exact_rationals"])
def test_the_walk_itself_is_right(case: dict[str, Any]) -> None:
    """The oracle gives the golden fractions exactly, and so does the integral in balls."""
    biases = [Fraction(bias) for bias in case["acceptance_probabilities"]]
    golden = [Fraction(share) for share in case["pf"]]
    assert flip_walk(biases) == golden
    everyone = laws._product([ball(bias) for bias in biases])
    areas = [laws._area(laws._without(everyone, ball(bias)), ball(0), ball(1)) for bias in biases]
    assert all(
        (area * ball(bias)).contains(ratio(share)) for area, bias, share in zip(areas, biases, golden, strict=True)
    )


def test_far_tails_are_enclosed_to_full_relative_precision() -> None:
    """A chance of e**-100000 is known to 64 bits, and is not zero."""
    for law in (laws.exponential, laws.permute_and_flip, laws.laplace_noisy_max):
        tail = laws.settled(law, Column.of([0, 10**5]), Fraction(1))[0]
        assert tail > 0
        assert tail.rel_accuracy_bits() >= 64
