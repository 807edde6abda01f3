"""Private learning: the sample size suffices against exact failure chances, and smaller planted ones do not."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from discreet.errors import SettingError
from discreet.utility import Lesson, sample_size

CASES = [
    (hypotheses, error, epsilon, realisable)
    for hypotheses in (2, 1000)
    for error in ("0.3", "0.05")
    for epsilon in ("0.05", "0.5", "4")
    for realisable in (True, False)
]


def exact_failure(others: int, examples: int, error: float, rate: float, *, realisable: bool) -> float:
    """Return the chance to pick one of ``others`` equal bad hypotheses, whose every example loses as theirs does.

    Realisable: a bad one errs with chance ``error``. Agnostic: on each example exactly one of bad and best errs.
    """
    wrong = error if realisable else (1 + error) / 2
    total = 0.0
    for bad in range(examples + 1):
        behind = bad if realisable else 2 * bad - examples
        total += float(binom.pmf(bad, examples, wrong)) / (1 + math.exp(min(700.0, rate * behind)) / others)
    return total


@pytest.mark.parametrize(("hypotheses", "error", "epsilon", "realisable"), CASES)
def test_the_sample_size_suffices(hypotheses: int, error: str, epsilon: str, realisable: bool) -> None:  # noqa: FBT001
    """A class of bad hypotheses fails with at most the probability allowed; with half the examples, more often."""
    size = sample_size(hypotheses, error=error, epsilon=epsilon, probability="0.01", realisable=realisable)
    known: dict[str, Any] = {"error": float(error), "rate": float(epsilon), "realisable": realisable}
    assert exact_failure(hypotheses - 1, size, **known) <= 0.01
    # Many bad hypotheses that err together are not the worst there is: there half may do where nothing is known.
    if hypotheses == 2 or realisable:
        assert exact_failure(hypotheses - 1, size // 2, **known) > 0.01


def test_mutants_fail() -> None:
    """Charging half the gap, or leaving the number of hypotheses out, gives too few examples."""
    small: dict[str, Any] = {"error": "0.1", "probability": "0.01", "realisable": True}
    known: dict[str, Any] = {"error": 0.1, "rate": 0.1, "realisable": True}
    twice = sample_size(1000, epsilon="0.2", **small)
    single = sample_size(2, epsilon="0.1", **small)
    assert exact_failure(999, twice, **known) > 0.01
    assert exact_failure(999, single, **known) > 0.01


def test_it_beats_the_two_term_bound() -> None:
    """Never more examples than Hoeffding and the selection need when each gets half the error and the chance."""
    for hypotheses, error, epsilon, realisable in CASES:
        size = sample_size(hypotheses, error=error, epsilon=epsilon, realisable=realisable)
        half, nats = float(error) / 2, math.log(2 * hypotheses / 0.025)
        generalise = nats / half if realisable else 2 * nats / half**2
        assert size <= generalise + math.log(hypotheses / 0.025) / (half * float(epsilon))


@pytest.mark.parametrize("realisable", [True, False])
def test_limits_are_known(realisable: bool) -> None:  # noqa: FBT001
    """Large epsilon costs what learning costs without privacy; small epsilon costs ln(|H|/b)/(error epsilon)."""
    free = sample_size(10**6, error="0.01", epsilon=50, realisable=realisable)
    nats = math.log(10**6 / 0.05)
    expected = nats / -math.log1p(-0.01) if realisable else -2 * nats / math.log1p(-(0.01**2))
    assert math.isclose(free, expected, rel_tol=1e-3)
    dear = sample_size(10**6, error="0.01", epsilon="1e-9", realisable=realisable)
    assert math.isclose(dear, nats / (0.01 * 1e-9), rel_tol=1e-3)


@given(st.integers(2, 10**9), st.fractions(Fraction(1, 1000), Fraction(9, 10)), st.floats(1e-6, 100), st.booleans())
def test_size_and_chance_agree(hypotheses: int, error: Fraction, epsilon: float, realisable: bool) -> None:  # noqa: FBT001
    """The sample size is the least at which the bounded chance of failure is at most what was asked."""
    lesson = Lesson.of(hypotheses, error=error, epsilon=epsilon, realisable=realisable)
    size = lesson.sample_size("0.03")
    assert lesson.chance_of_failure(size) <= math.nextafter(0.03, 1)
    assert lesson.chance_of_failure(size - 1) > 0.03


def test_settings_move_the_size_one_way() -> None:
    """More hypotheses cost more; more error, epsilon or probability cost less; replacing people costs more."""
    for realisable in (True, False):
        base: dict[str, Any] = {"error": "0.1", "epsilon": "0.04", "probability": "0.05", "realisable": realisable}
        sizes = [sample_size(hypotheses, **base) for hypotheses in (2, 10, 10**6, 10**12)]
        assert all(less < more for less, more in pairwise(sizes))
        for change in ({"error": "0.2"}, {"epsilon": "0.08"}, {"probability": "0.1"}):
            assert sample_size(10, **{**base, **change}) < sizes[1]
        replaced = sample_size(10, **base, neighbours="replace")
        assert replaced == sample_size(10, **{**base, "epsilon": "0.02"}) > sizes[1]
    # From artanh(error) on, more epsilon does not help the agnostic learner: data is what is missing.
    assert sample_size(10, error="0.1", epsilon="0.2") == sample_size(10, error="0.1", epsilon=9)


def test_extremes_are_ordinary() -> None:
    """One hypothesis needs nothing; tiny and huge epsilon and a tiny error have a size."""
    one = Lesson.of(1, error="0.1", epsilon=1)
    assert (one.sample_size(), one.chance_of_failure(0)) == (0, 0.0)
    assert sample_size(10**12, error="0.1", epsilon="1e-300") > 10**301
    assert sample_size(10**12, error="0.1", epsilon="1e300", realisable=True) < 300
    assert sample_size(2, error="1e-30", epsilon=1) > 10**59
    assert Lesson.of(10**12, error="0.1", epsilon=1).chance_of_failure(10**30) == math.ulp(0.0)


@pytest.mark.parametrize(
    ("name", "hypotheses", "changed"),
    [
        ("hypotheses", 0, {}),
        ("error", 9, {"error": 0}),
        ("error", 9, {"error": 1}),
        ("epsilon", 9, {"epsilon": 0}),
        ("probability", 9, {"probability": 0}),
        ("neighbours", 9, {"neighbours": "friends"}),
        ("realisable", 9, {"realisable": "no"}),
    ],
)
def test_bad_settings_are_named(name: str, hypotheses: int, changed: dict[str, Any]) -> None:
    """Each wrong setting is refused with its own name first."""
    with pytest.raises(SettingError, match=f"^{name}: wanted"):
        sample_size(hypotheses, **{"error": "0.1", "epsilon": 1, **changed})
