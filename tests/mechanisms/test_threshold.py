"""AboveThreshold: joint law of all answers, exact loss over small worlds, how tight, and the faults of its history."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import log
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet.errors import SettingError
from discreet.guarantees import Pure, PureRange, Range, Zcdp
from discreet.mechanisms.threshold import AboveThreshold
from discreet.readings import as_pure, as_range, implies
from discreet.sensitivity import Sensitivity
from discreet.testing import ScriptedCoins
from tests.mechanisms.contract import TARGETS, sensitivities
from tests.sampling.integrals import mean_over_bar
from tests.sampling.test_crossing import walked

ONE_WAY, TWO_WAY = Sensitivity.of(sensitivity=1, monotonic=True), Sensitivity.of(sensitivity=1)
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
Answers = tuple[bool, ...]


def outcomes(count: int, positives: int) -> Iterator[Answers]:
    """Yield all lists of answers to so many questions that end with the last "above" allowed."""
    for answers in product((False, True), repeat=count):
        until = [place for place, above in enumerate(answers) if above][:positives]
        if len(until) == positives and any(answers[until[-1] + 1 :]):
            continue
        yield answers[: until[-1] + 1] if len(until) == positives else answers


def law(one: AboveThreshold, scores: Sequence[float]) -> dict[Answers, float]:
    """Return the joint law of the answers at threshold 0 by quadrature."""
    rates = float(one.threshold_rate), float(one.score_rate)
    return {answers: mean_over_bar(*rates, scores, answers) for answers in outcomes(len(scores), one.positives)}


def fresh(one: AboveThreshold, scores: Sequence[float]) -> dict[Answers, float]:
    """Return the law if the threshold got new noise after each "above"."""
    rates, found = (float(one.threshold_rate), float(one.score_rate)), dict[Answers, float]()
    for answers in outcomes(len(scores), one.positives):
        chance, start = 1.0, 0
        for end in [place + 1 for place, above in enumerate(answers) if above] + [len(answers)]:
            chance *= mean_over_bar(*rates, scores[start:end], answers[start:end]) if end > start else 1.0
            start = end
        found[answers] = chance
    return found


def shared(one: AboveThreshold, scores: Sequence[float]) -> dict[Answers, float]:
    """Return the law if all scores got the same noise: then one number parts those above from those below."""
    rates, found = (float(one.threshold_rate), float(one.score_rate)), dict[Answers, float]()
    for answers in outcomes(len(scores), one.positives):
        highest = min((score for score, up in zip(scores, answers, strict=False) if up), default=100.0)
        lowest = max((score for score, up in zip(scores, answers, strict=False) if not up), default=-100.0)
        apart = [mean_over_bar(*rates, [point], [True]) for point in (highest, lowest)]
        found[answers] = max(0.0, apart[0] - apart[1])
    return found


def exactly(found: dict[Answers, float]) -> dict[Any, Fraction]:
    """Return chances as fractions."""
    return {answers: Fraction(chance) for answers, chance in found.items()}


def test_answers_have_their_joint_law() -> None:
    """Two positives over three scores: one noise on the threshold for all; no other rates, fresh or shared noise."""
    scores = [Fraction(0), Fraction(2), Fraction(1, 2)]
    one = AboveThreshold(Fraction(1), HALF, 2)
    found = walked(lambda coins: one.draw(scores, Fraction(0), coins))
    points = [float(score) for score in scores]
    assert found.leftover < Fraction(1, 50)
    assert found.contains(exactly(law(one, points)))
    assert not found.contains(exactly(law(AboveThreshold(HALF, Fraction(1), 2), points)))
    assert not found.contains(exactly(fresh(one, points)))
    assert not found.contains(exactly(shared(one, points)))
    assert not found.contains(exactly(law(AboveThreshold(Fraction(1), HALF, 1), points)))
    assert not found.contains(exactly(law(AboveThreshold(Fraction(1), HALF, 3), points)))


def losses(
    laws: Callable[[Sequence[float]], dict[Answers, float]], *, one_way: bool, far: int = 12, count: int = 3
) -> tuple[float, float]:
    """Return the largest |ln P/Q| and its widest spread over score vectors and moves of 0 and 1, or of -1 to 1."""
    moves = list(product((0, 1) if one_way else (-1, 0, 1), repeat=count))
    worst = spread = 0.0
    for scores in product((-far, 0, far), repeat=count):
        before = laws(scores)
        for move in moves:
            after = laws([score + step for score, step in zip(scores, move, strict=True)])
            found = [log(after[key] / chance) for key, chance in before.items() if chance > 1e-9 and after[key] > 1e-9]
            worst, spread = max(worst, *map(abs, found)), max(spread, max(found) - min(found))
    return worst, spread


@pytest.mark.parametrize("positives", [1, 2])
@pytest.mark.parametrize("one_way", [True, False])
def test_small_worlds_keep_the_promise_and_come_close(*, one_way: bool, positives: int) -> None:
    """Over all moves of three scores loss and range stay within the promise, and all of the epsilon is used."""
    one = AboveThreshold(HALF, THIRD, positives)
    promise = one.promise(ONE_WAY if one_way else TWO_WAY)
    pure, bounded = as_pure(promise), as_range(promise)
    assert pure is not None
    assert bounded is not None
    worst, spread = losses(lambda scores: law(one, scores), one_way=one_way)
    assert 0.999 * float(pure.epsilon) < worst <= float(pure.epsilon) + 1e-9
    assert spread <= float(bounded.epsilon) + 1e-9


def forgetful(one: AboveThreshold, scores: Sequence[float]) -> dict[Answers, float]:
    """A mutant that goes on after the last "above"."""
    rates = float(one.threshold_rate), float(one.score_rate)
    return {answers: mean_over_bar(*rates, scores, answers) for answers in product((False, True), repeat=len(scores))}


def noiseless(one: AboveThreshold, scores: Sequence[float]) -> dict[Answers, float]:
    """A mutant whose scores get no noise of their own (Stoddard et al. 2014): next to none is enough to show it."""
    return law(AboveThreshold(one.threshold_rate, 8 * one.score_rate, one.positives), scores)


@pytest.mark.parametrize("mutant", [forgetful, noiseless])
def test_faults_known_from_the_literature_break_the_promise(mutant: Callable[..., dict[Answers, float]]) -> None:
    """Going on after the last "above", or too little noise on the scores, is seen by the same worlds (Lyu et al.)."""
    one = AboveThreshold(HALF, THIRD)
    worst, _ = losses(lambda scores: mutant(one, scores), one_way=False)
    assert worst > 1.1 * float(one.promise(TWO_WAY).epsilon)  # type: ignore[union-attr]


def test_one_way_rates_are_not_enough_for_two_way_scores() -> None:
    """What costs epsilon for scores that move one way costs more where they move both ways."""
    one = AboveThreshold(HALF, THIRD)
    worst, _ = losses(lambda scores: law(one, scores), one_way=False)
    assert worst > 1.2 * float(HALF + THIRD)


@pytest.mark.parametrize(("margin", "moved"), [(-1.0, 1.0), (0.5, -0.5), (2.0, 1.0)])
@pytest.mark.parametrize("lead", [0.0, 0.3, 2.5])
def test_the_lead_costs_nothing_more(margin: float, moved: float, lead: float) -> None:
    """After one answer "below", the density of "above, by so much" keeps the promise for all moves of both scores."""
    one = AboveThreshold(Fraction(1), HALF)

    def density(first: float, second: float) -> float:
        # "Above by more than x" is "above" for a score lower by x; a narrow step gives the density.
        rates, width = (1.0, 0.5), 1e-4
        far = mean_over_bar(*rates, [first, second - lead - width], [False, True])
        return (mean_over_bar(*rates, [first, second - lead], [False, True]) - far) / width

    before = density(margin, moved)
    for steps in product((-1, 0, 1), repeat=2):
        loss = abs(log(density(margin + steps[0], moved + steps[1]) / before))
        facts = ONE_WAY if min(steps) * max(steps) >= 0 else TWO_WAY
        assert loss <= float(one.promise(facts).pure if facts is ONE_WAY else one.promise(facts).epsilon) + 1e-6  # type: ignore[union-attr]


@settings(max_examples=40)
@given(TARGETS, sensitivities(), some.integers(1, 50))
def test_promise_and_calibrate_are_inverse(target: Any, facts: Sensitivity, positives: int) -> None:
    """The promise gives the target, and a thousandth more of rate would not."""
    one = AboveThreshold.calibrate(target, facts, positives)
    assert implies(one.promise(facts), target)
    more = AboveThreshold(one.threshold_rate * Fraction(1001, 1000), one.score_rate * Fraction(1001, 1000), positives)
    assert not implies(more.promise(facts), target)


@pytest.mark.parametrize("facts", [ONE_WAY, TWO_WAY], ids=["one-way", "two-way"])
@pytest.mark.parametrize("positives", [1, 3, 20])
def test_the_split_is_the_best_one(facts: Sensitivity, positives: int) -> None:
    """No other split of the same epsilon compares with less variance, beyond the rounding of its root."""

    def variance(one: AboveThreshold) -> float:
        return float(one.threshold_rate) ** -2 + float(one.score_rate) ** -2

    one = AboveThreshold.calibrate(Pure(1), facts, positives)
    assert as_pure(one.promise(facts)) == Pure(1)
    for share in (Fraction(part, 40) for part in range(1, 40)):
        other = AboveThreshold(share, (1 - share) / (positives * facts.gap), positives)
        assert as_pure(other.promise(facts)) == Pure(1)
        assert variance(one) < variance(other) * 1.0001


def test_promises_are_the_stated_sums() -> None:
    """l1 once and l2 for every "above": doubled where scores move both ways; the range is less than doubled one way."""
    one = AboveThreshold(Fraction(5), Fraction(1), 3)
    assert one.promise(ONE_WAY) == PureRange(8, 11)
    assert one.promise(TWO_WAY) == Pure(11)
    assert one.promise(Sensitivity.of(sensitivity=2, range=3)) == PureRange(19, 33)
    assert AboveThreshold.calibrate(Range(11), ONE_WAY, 3).promise(ONE_WAY).range == 11  # type: ignore[union-attr]
    assert implies(AboveThreshold.calibrate(Zcdp(1), ONE_WAY, 3).promise(ONE_WAY), Zcdp(1))


def test_extreme_rates_answer_by_the_scores_alone() -> None:
    """With next to no noise the answers are the comparisons, with one coin word each."""
    sharp = AboveThreshold(Fraction(10**9), Fraction(10**9), 3)
    scores = [Fraction(x) for x in (3, 5, 4, 9, 1)]
    coins = ScriptedCoins([2**63] * 6, word=64)
    assert sharp.draw(scores, Fraction(9, 2), coins) == (False, True, False, True, False)
    assert sharp.draw([], Fraction(0), ScriptedCoins([0])) == ()


def test_no_answer_after_the_last_one() -> None:
    """A watch that is used up refuses, and a lead needs its public grid."""
    watch = AboveThreshold(Fraction(10**9), Fraction(1)).watch(Fraction(0), ScriptedCoins([2**63] * 3, word=64))
    with pytest.raises(SettingError, match="gap"):
        watch.lead(Fraction(1))
    assert watch.above(Fraction(1))
    with pytest.raises(SettingError, match="positives: wanted at most 1"):
        watch.above(Fraction(1))


def test_the_error_bound_holds_by_quadrature() -> None:
    """A score that far below is answered "above" at most that often, and one that far above "below"."""
    one = AboveThreshold(HALF, THIRD)
    bound, rates = one.error_bound(1, "0.1"), (0.5, 1 / 3)
    low = mean_over_bar(*rates, [-bound - float(one.centre)], [True])
    high = mean_over_bar(*rates, [bound - float(one.centre)], [False])
    assert low <= 0.1
    assert high <= 0.1
    assert one.error_bound(100, "0.1") > bound
