"""Promise and calibrate are each other's inverse, and the exact odds keep the promise."""

from fractions import Fraction
from itertools import product
from math import log
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet.audit.odds import Odds
from discreet.errors import SettingError
from discreet.guarantees import Guarantee, Pure, Range
from discreet.mechanisms import Exponential, NoisyMax, NoisyMaxWithGap, Peel, PermuteAndFlip, Weighted
from discreet.readings import implies
from discreet.sensitivity import Sensitivity
from tests.mechanisms.contract import CALIBRATIONS, TARGETS, UNIT_STEPS, more, sensitivities


@pytest.mark.parametrize("name", CALIBRATIONS)
@settings(max_examples=25)
@given(target=TARGETS, facts=sensitivities())
def test_the_promise_gives_the_target_and_barely(name: str, target: Guarantee, facts: Sensitivity) -> None:
    """What is calibrated promises the target; a millionth more of rate would not."""
    mechanism = CALIBRATIONS[name](target, facts)
    known = UNIT_STEPS if name == "unequal" else facts
    assert implies(mechanism.promise(known), target)
    assert not implies(more(mechanism, 1 + Fraction(1, 10**6)).promise(known), target)


@pytest.mark.parametrize("name", CALIBRATIONS)
def test_nothing_to_spend_is_refused(name: str) -> None:
    """A target of zero leaves no mechanism."""
    with pytest.raises(SettingError):
        CALIBRATIONS[name](Pure(0), UNIT_STEPS)


POINTS = some.lists(some.integers(-6, 6).map(Fraction), min_size=3, max_size=3).map(tuple)
RATE = Fraction(2, 3)
KINDS: list[Any] = [
    Exponential(RATE),
    PermuteAndFlip(RATE),
    NoisyMax(RATE, "gumbel"),
    NoisyMax(RATE, "exponential"),
    NoisyMax(RATE, "laplace"),
    Weighted(RATE, (Fraction(1), Fraction(0), Fraction(5))),
    Peel(Exponential(RATE), 2),
    Peel(PermuteAndFlip(RATE), 2),
]


@pytest.mark.parametrize("mechanism", KINDS, ids=str)
@pytest.mark.parametrize("one_way", [True, False])
@given(before=POINTS, data=some.data())
def test_exact_odds_keep_the_promise(mechanism: Any, one_way: bool, before: Any, data: some.DataObject) -> None:  # noqa: FBT001
    """For any scores and any moves the sensitivity allows, no certified log ratio passes the promised epsilon."""
    moves = data.draw(some.lists(some.integers(0 if one_way else -1, 1), min_size=3, max_size=3))
    after = tuple(point + move for point, move in zip(before, moves, strict=True))
    promise = mechanism.promise(Sensitivity.of(sensitivity=1, monotonic=one_way))
    odds = Odds(mechanism)
    for pair in ((before, after), (after, before)):
        assert all(-promise.epsilon <= low and high <= promise.epsilon for low, high in odds.ratios(*pair).values())
        assert not isinstance(promise, Range) or odds.spread(*pair)[1] <= promise.epsilon


WORST = [
    (Exponential(RATE), (0, 40), (1, 39)),
    (PermuteAndFlip(RATE), (0, 40), (1, 39)),
    (NoisyMax(RATE, "laplace"), (0, 40), (1, 39)),
    (Weighted(RATE, (Fraction(1), Fraction(5))), (0, 40), (1, 39)),
]


@pytest.mark.parametrize(("mechanism", "before", "after"), WORST, ids=str)
def test_the_promise_is_nearly_used_up(mechanism: Any, before: tuple[int, int], after: tuple[int, int]) -> None:
    """On the worst pair all but a tenth of the promise is needed: it could not be a factor smaller."""
    start, end = tuple(map(Fraction, before)), tuple(map(Fraction, after))
    low, _ = Odds(mechanism).ratios(start, end)[0]
    assert low > Fraction(9, 10) * mechanism.promise(Sensitivity.of(sensitivity=1)).epsilon


def test_the_textbook_laplace_scale_breaks_two_sided_scores() -> None:
    """Laplace noise of scale sensitivity / epsilon spends nearly twice epsilon when one score rises and one falls."""
    epsilon = Fraction(1)
    textbook = NoisyMax(rate=epsilon / 1, noise="laplace")
    low, _ = Odds(textbook).ratios((Fraction(0), Fraction(20)), (Fraction(1), Fraction(19)))[0]
    assert low > Fraction(19, 10) * epsilon
    ours = NoisyMax.calibrate(Pure(epsilon), Sensitivity.of(sensitivity=1), "laplace")
    assert Odds(ours).ratios((Fraction(0), Fraction(20)), (Fraction(1), Fraction(19)))[0][1] <= epsilon


def test_permute_and_flip_is_no_bounded_range_of_its_epsilon() -> None:
    """Its log ratio varies by more than rate * gap, which is why it promises Pure only."""
    spread, _ = Odds(PermuteAndFlip(Fraction(1))).spread((Fraction(0), Fraction(0)), (Fraction(1), Fraction(-1)))
    assert spread > Fraction(5, 2)


@given(
    some.lists(some.floats(-4, 4), min_size=3, max_size=3),
    some.lists(some.floats(0, 1), min_size=3, max_size=3),
    some.floats(0, 6),
)
def test_winner_and_gumbel_gap_together_keep_the_promise(scores: list[float], moves: list[float], gap: float) -> None:
    """The joint density of winner and gap, logistic in the gap, moves by at most e**(rate * gap of the scores)."""

    def log_density(points: list[float], place: int) -> float:
        rivals = [2.718281828459045**point for other, point in enumerate(points) if other != place]
        lead = points[place] - gap - log(sum(rivals))
        return lead - 2 * log(1 + 2.718281828459045**lead)

    after = [score + move for score, move in zip(scores, moves, strict=True)]
    promise = NoisyMaxWithGap(Fraction(1), "gumbel", Fraction(1)).promise(Sensitivity.of(range=1))
    for place in range(3):
        assert abs(log_density(after, place) - log_density(scores, place)) <= float(promise.epsilon) + 1e-9  # type: ignore[union-attr]


@pytest.mark.parametrize(("before", "after"), [((0, 0), (1, 0)), ((0, 3), (1, 2)), ((2, 0), (1, 1)), ((0, 0), (1, -1))])
def test_winner_and_exponential_gap_together_keep_the_promise(before: Any, after: Any) -> None:
    """With exponential noise, the closed joint density of winner and gap keeps the ratio too, and comes close to it."""
    width = max(a - b for a, b in zip(after, before, strict=True)) - min(
        a - b for a, b in zip(after, before, strict=True)
    )
    cases = product((0, 1), (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 5.0))
    found = [abs(_log_density(after, *case) - _log_density(before, *case)) for case in cases]
    assert max(found) <= width + 1e-9
    assert max(found) > 0.5 * width


def _log_density(points: tuple[int, int], place: int, gap: float) -> float:
    # With y the rival's noise: integrate e**-y * e**-(y + gap - lead) over y >= max(0, lead - gap).
    lead = points[place] - points[1 - place]
    return (lead - gap) - 2 * max(0.0, lead - gap) - log(2)


def test_a_gap_is_never_promised_with_laplace_noise() -> None:
    """Its gap is not known to be free."""
    with pytest.raises(SettingError):
        NoisyMaxWithGap(Fraction(1), "laplace", Fraction(1))  # type: ignore[arg-type]
