"""Distance with a constant normaliser is the discrete Laplace mechanism: exact laws, in fractions."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import SettingError
from discreet.scores import Distance
from discreet.sensitivity import Sensitivity

RATIO = Fraction(2, 5)
"""The weight of one step, exp(-rate): any fraction will do, since only its powers matter."""


def weights(family: Distance, centre: int) -> list[Fraction]:
    """The weights exp(rate * score) when the statistic is ``centre``."""
    return [RATIO ** (-int(score)) for score in family.score([None] * centre).values]


def law(family: Distance, centre: int) -> list[Fraction]:
    """The law of the exponential mechanism."""
    found = weights(family, centre)
    return [weight / sum(found) for weight in found]


def loss(family: Distance, near: int, far: int) -> Fraction:
    """The largest ratio of the two laws over all outcomes, either way round."""
    pairs = list(zip(law(family, near), law(family, far), strict=True))
    return max(max(p / q, q / p) for p, q in pairs)


@pytest.mark.parametrize("size", [1, 2, 7, 12])
@pytest.mark.parametrize("reach", [1, 2, 3])
def test_on_a_circle_a_rate_of_epsilon_per_step_is_epsilon_private(size: int, reach: int) -> None:
    """The sum of weights never changes, and no ratio exceeds exp(epsilon) = RATIO ** -S; long circles attain it."""
    family = Distance(range(size), len, reach, wrap=True)
    assert len({sum(weights(family, centre)) for centre in range(2 * size)}) == 1
    losses = {loss(family, a, a + move) for a in range(size) for move in range(reach + 1)}
    assert max(losses) <= RATIO**-reach
    assert (max(losses) == RATIO**-reach) == (size >= 2 * reach)
    assert family.sensitivity() == Sensitivity.of(sensitivity=reach, normaliser="constant")


def test_on_a_finite_line_the_normaliser_varies() -> None:
    """The same rate breaks the promise near an end: claiming a constant normaliser there would be wrong."""
    family = Distance(range(7), len, 1)
    assert loss(family, 0, 1) > RATIO**-1
    assert loss(family, 0, 1) <= RATIO**-2
    assert family.sensitivity() == Sensitivity.of(sensitivity=1)


@pytest.mark.parametrize("half", [1, 5, 40])
def test_on_a_wide_line_the_law_is_two_sided_geometric(half: int) -> None:
    """Neighbouring outcomes differ by exactly the ratio, and the law is the geometric one over its mass in the line."""
    probabilities = law(Distance(range(2 * half + 1), len, 1), half)
    steps = [b / a for a, b in pairwise(probabilities)]
    assert steps == [1 / RATIO] * half + [RATIO] * half
    missing = 2 * RATIO ** (half + 1) / (1 + RATIO)
    unbounded = [(1 - RATIO) / (1 + RATIO) * RATIO ** abs(k) for k in range(-half, half + 1)]
    assert probabilities == [p / (1 - missing) for p in unbounded]


@given(st.integers(0, 60), st.integers(1, 20))
def test_a_statistic_off_the_line_draws_as_from_the_end(centre: int, width: int) -> None:
    """Moving the statistic to the nearer end adds a constant to all scores, so the law is the same."""
    family = Distance(range(width), len, 1)
    plain = [RATIO ** abs(y - centre) for y in range(width)]
    assert law(family, centre) == [weight / sum(plain) for weight in plain]


def test_scores_are_exact_fractions_off_the_grid() -> None:
    """A statistic between grid points gives fractions, a float the binary fraction it is."""
    third = Distance([0, 1], lambda _people: Fraction(1, 3), 1).score([])
    assert third.values == [Fraction(-1, 3), Fraction(-2, 3)]
    tenth = Distance([0, 1], lambda _people: 0.1, 1).score([])
    assert tenth.values == [-Fraction(0.1), Fraction(0.1) - 1]


def test_replacement_is_a_removal_and_an_addition() -> None:
    """A bound vouched for under add-remove doubles; one vouched for under replace says nothing about add-remove."""
    assert Distance(range(5), len, 1).sensitivity("replace") == Sensitivity.of(sensitivity=2, neighbours="replace")
    with pytest.raises(SettingError, match="neighbours: wanted 'replace'"):
        Distance(range(5), len, 1, neighbours="replace").sensitivity()
