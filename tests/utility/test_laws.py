"""Private views: the laws against independent numbers and exact arithmetic, digit by digit."""

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import balls
from discreet.errors import DataError, SettingError
from discreet.utility import private_chance_of_error, private_error_quantile, private_law, private_mean_error
from discreet.utility.bounds import BITS, Crowd
from discreet.utility.flips import loser_chance
from discreet.utility.gaps import private_gaps
from discreet.utility.laws import _LAWS, _permute_and_flip
from tests.utility.golden import GOLDEN, off

KEYS = {"exponential": "em", "permute-and-flip": "pf"}
CLOSE = 2e-15
APART = 2e-14


def wide(law: Iterable[float], true: Sequence[str | Fraction]) -> float:
    """Return the greatest relative error of a law."""
    return max(abs(off(float(ours), exact)) for ours, exact in zip(law, true, strict=True))


def exact_weight(nats: Fraction) -> Fraction:
    """Return e^-nats, certified to many digits."""
    return Fraction(balls.at(BITS, lambda: balls.upper(balls.ball(-nats).exp())))


def exact_flip(weights: Sequence[float]) -> list[Fraction]:
    """Integrate the polynomial for each candidate in fractions."""
    return [_integral([Fraction(weight) for weight in weights], index) for index in range(len(weights))]


def _integral(weights: list[Fraction], index: int) -> Fraction:
    product = [Fraction(1)]
    nothing = Fraction(0)
    for weight in weights[:index] + weights[index + 1 :]:
        product = [a - weight * b for a, b in zip([*product, nothing], [nothing, *product], strict=True)]
    return weights[index] * sum(term / (power + 1) for power, term in enumerate(product))


@pytest.mark.parametrize("mechanism", KEYS)
@pytest.mark.parametrize("row", GOLDEN["em_pf_laws"], ids=lambda row: ",".join(row["scores"]))
def test_laws_are_golden(row: dict[str, Any], mechanism: str) -> None:
    """Each probability and the mean error agree with independent numbers to 2e-15; the other law does not."""
    scores, key = [Fraction(score) for score in row["scores"]], KEYS[mechanism]
    law = private_law(scores, rate=row["eta"], mechanism=mechanism)
    assert wide(law, row[key]) < CLOSE
    assert abs(off(private_mean_error(scores, rate=row["eta"], mechanism=mechanism), row[f"{key}_mean_error"])) < CLOSE
    assert len(set(scores)) == 1 or wide(law, row["pf" if key == "em" else "em"]) > 1e-3


@pytest.mark.parametrize("row", GOLDEN["pf_exact_rationals"])
def test_rational_weights_are_golden(row: dict[str, Any]) -> None:
    """Rational acceptance chances give the known rational law."""
    weights = np.array([float(Fraction(weight)) for weight in row["acceptance_probabilities"]])
    assert wide(_permute_and_flip(weights).tolist(), row["pf"]) < CLOSE


@given(st.lists(st.floats(1e-9, 1), max_size=24))
def test_permute_and_flip_is_its_integral(weights: list[float]) -> None:
    """For any weights each probability is within 2e-14 of the integral in exact fractions."""
    assert wide(_permute_and_flip(np.array([*weights, 1.0])).tolist(), exact_flip([*weights, 1.0])) < APART


@pytest.mark.parametrize(
    ("size", "winners", "gap"), [(10**5, 1, 9), (10**5, 50_000, 2), (10**5, 100, 7), (1000, 999, 3)]
)
def test_large_laws_keep_their_digits(size: int, winners: int, gap: int) -> None:
    """Among 100000 candidates each loser has its certified chance to 2e-14, and all sum to one."""
    scores = np.repeat([gap, 0], [winners, size - winners])
    law = private_law(scores, rate=1, mechanism="permute-and-flip")
    crowd = Crowd.of(size, winners)
    true = balls.at(BITS, lambda: balls.upper(loser_chance(crowd, Fraction(gap)))) / crowd.rest
    assert abs(off(float(law[-1]), true)) < APART
    assert math.isclose(law.sum(), 1, rel_tol=APART)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30),
    st.sampled_from(["0.1", "1", "1e-9", "123.456"]),
    st.sampled_from([list, np.array]),
)
def test_weights_keep_their_digits(scores: list[float], rate: str, kind: Any) -> None:
    """Each weight above 1e-290 is exp(-rate * gap) to 1e-15, also when that exponent is in the hundreds."""
    gaps = private_gaps(kind(scores), Fraction(rate))
    best = max(map(Fraction, scores))
    for score, weight in zip(scores, gaps.weights, strict=True):
        nats = Fraction(rate) * (best - Fraction(score))
        if nats < 665:
            assert abs(off(float(weight), exact_weight(nats))) < 1e-15
        assert nats < 800 or weight == 0


def test_far_weights_would_lose_digits() -> None:
    """Rounding the exponent to one float, as a plain formula does, is refuted at 600 nats."""
    scores, rate = np.array([0.0, -599.7]), Fraction("1.0007")
    true = exact_weight(-rate * Fraction(float(scores[1])))
    assert abs(off(float(private_gaps(scores, rate).weights[1]), true)) < 1e-15
    assert abs(off(math.exp(float(rate) * float(scores[1])), true)) > 1e-14


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=8))
def test_integers_of_any_size_are_exact(scores: list[int]) -> None:
    """An int64 array, a list of integers and a list of fractions weigh the same, from end to end of the range."""
    rate = Fraction(1, 2**60)
    array, items, exact = (
        private_gaps(given, rate).weights for given in (np.array(scores, np.int64), scores, list(map(Fraction, scores)))
    )
    assert np.allclose(array, items, rtol=1e-15, atol=0)
    assert np.allclose(items, exact, rtol=1e-15, atol=0)


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_order_and_shifts_do_not_matter(scores: list[int], random: Any) -> None:
    """Shuffled scores have the shuffled law, and a constant added to all changes nothing."""
    order = random.sample(range(len(scores)), len(scores))
    for mechanism in KEYS:
        law = private_law(np.array(scores), rate="0.3", mechanism=mechanism)
        moved = private_law(np.array(scores)[order] + 10**15, rate="0.3", mechanism=mechanism)
        assert np.array_equal(moved, law[order])


def test_extremes_are_ordinary() -> None:
    """One candidate, equal scores, rates of 1e-300 and 1e300, and the widest floats all have a law."""
    for mechanism in KEYS:
        assert np.allclose(private_law([5], rate=1, mechanism=mechanism), 1, rtol=1e-15)
        assert np.allclose(private_law([7] * 8, rate=1, mechanism=mechanism), 1 / 8, rtol=1e-15)
        assert np.allclose(private_law([3.0, 1.0], rate="1e-300", mechanism=mechanism), 0.5, rtol=1e-15)
        assert private_law([3.0, 1.0], rate="1e300", mechanism=mechanism).tolist() == [1.0, 0.0]
        assert private_law(np.array([1e308, -1e308]), rate=1, mechanism=mechanism).tolist() == [1.0, 0.0]
        assert private_law([10**400, 0], rate=1, mechanism=mechanism).tolist() == [1.0, 0.0]


@given(st.lists(st.integers(0, 20), min_size=1, max_size=9), st.sampled_from(sorted(KEYS)), st.floats(0.01, 0.99))
def test_quantiles_invert_tails(scores: list[int], mechanism: str, chance: float) -> None:
    """The quantile is the least error of a candidate that is exceeded with at most the chance."""
    pace: dict[str, Any] = {"rate": "0.37", "mechanism": mechanism}
    quantile = private_error_quantile(scores, probability=chance, **pace)
    assert quantile in {max(scores) - score for score in scores}
    assert private_chance_of_error(scores, error=quantile + 0.5, **pace) <= chance + 1e-12
    assert quantile == 0 or private_chance_of_error(scores, error=quantile, **pace) >= chance - 1e-12


@pytest.mark.parametrize(
    "scores",
    [
        [], [[1, 2]], [1.0, math.nan], np.array([1, math.inf]), ["secret 7654321"], [None], {"a": 1}, 7654321,
        "7654321", ["7654321"], [1, "1"], np.array(["7654321"]), [Decimal("NaN")], [Decimal("sNaN")], [1j],
        [Decimal("1e99999999"), 1], [1, Decimal("-1e99999999")], [Decimal("1e-99999999"), 1],
    ],
)  # fmt: skip
def test_bad_scores_are_not_shown(scores: Any) -> None:
    """What cannot be read, text and absurd decimals too, is refused without a value or a position, down the chain."""
    with pytest.raises(DataError) as caught:
        private_law(scores, rate=1)
    assert caught.value.__context__ is caught.value.__cause__ is None
    assert not any(word in str(caught.value) for word in ("secret", "nan", "inf", "7654321", "0"))


def test_bad_settings_are_named() -> None:
    """A mechanism without a law here, a rate of zero and a chance of one are refused by name."""
    calls: dict[str, Callable[[], object]] = {
        "mechanism": lambda: private_law([1], rate=1, mechanism="noisy-max"),
        "rate": lambda: private_law([1], rate=0),
        "probability": lambda: private_error_quantile([1], rate=1, probability=1),
        "error": lambda: private_chance_of_error([1], rate=1, error=-1),
    }
    for name, call in calls.items():
        with pytest.raises(SettingError, match=f"^{name}: wanted"):
            call()


@given(st.lists(st.floats(0, 5), min_size=1, max_size=4), st.sampled_from(sorted(KEYS)))
def test_no_chance_is_above_one(scores: list[float], mechanism: str) -> None:
    """However the last digit is rounded, a chance is at most 1."""
    assert private_law(scores, rate="0.7", mechanism=mechanism).max() <= 1


def test_a_chance_rounded_above_one_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A law whose last digit came out too large is cut at 1, and nowhere else."""
    monkeypatch.setitem(_LAWS, "exponential", lambda weights: weights * math.nextafter(1, 2))
    assert private_law([5, -5000], rate=1).tolist() == [1.0, 0.0]


def test_decimals_are_read_as_they_are() -> None:
    """A decimal score is the number it prints as, and a moderately large one is no trouble."""
    assert private_law([Decimal("0.5"), Decimal("0.5")], rate=1).tolist() == [0.5, 0.5]
    assert private_law([Decimal("1e9999"), 1], rate=1).tolist() == [1.0, 0.0]


def test_gaps_do_not_print() -> None:
    """The printed form of scores read in shows no number."""
    assert repr(private_gaps([812, 7], Fraction(1))) == "Gaps(private)"
