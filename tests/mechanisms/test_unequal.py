"""Unequal sensitivities and public priors."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as some

from discreet.mechanisms import Unequal, Weighted
from discreet.sampling.column import Column
from discreet.testing import exact_law
from tests.sampling.forks import large_forks
from tests.sampling.oracle import softmax, weights

STEPS = some.lists(some.fractions(min_value=Fraction(1, 5), max_value=9, max_denominator=9), min_size=1, max_size=7)


def brute(mechanism: Unequal, losses: list[Fraction]) -> list[Fraction]:
    """Compare every pair."""
    raised = [loss + mechanism.margin * step for loss, step in zip(losses, mechanism.steps, strict=True)]
    pairs = list(zip(raised, mechanism.steps, strict=True))
    return [max((mine - other) / (step + theirs) for other, theirs in pairs) for mine, step in pairs]


@given(STEPS, some.fractions(0, 5, max_denominator=7), some.data())
def test_comparing_is_the_steepest_of_all_pairs(steps: list[Fraction], margin: Fraction, data: some.DataObject) -> None:
    """The hull gives what comparing every pair gives; comparing with another margin does not, where steps differ."""
    losses = [data.draw(some.fractions(-9, 9, max_denominator=8)) for _ in steps]
    mechanism = Unequal(Fraction(1), tuple(steps), margin)
    assert mechanism.compare(losses) == brute(mechanism, losses)


@given(STEPS, some.data())
def test_no_score_moves_by_more_than_one(steps: list[Fraction], data: some.DataObject) -> None:
    """When every loss moves within its own step, every compared score moves by at most 1."""
    mechanism = Unequal(Fraction(1), tuple(steps), Fraction(3))
    losses = [data.draw(some.fractions(-9, 9, max_denominator=8)) for _ in steps]
    moved = [loss + step * data.draw(some.fractions(-1, 1)) for loss, step in zip(losses, steps, strict=True)]
    before, after = mechanism.compare(losses), mechanism.compare(moved)
    assert max(abs(new - old) for old, new in zip(before, after, strict=True)) <= 1


def test_a_move_of_one_is_reached() -> None:
    """Two losses that move apart by their steps move a score by the whole unit: the bound is tight."""
    mechanism = Unequal(Fraction(1), (Fraction(1), Fraction(4)), Fraction(0))
    before = mechanism.compare([Fraction(10), Fraction(0)])
    after = mechanism.compare([Fraction(11), Fraction(-4)])
    assert after[0] - before[0] == 1


def test_unequal_draws_from_its_compared_scores() -> None:
    """With large forks, the draw is the softmax of minus the compared losses, and not of plus."""
    mechanism = Unequal(Fraction(1), (Fraction(1), Fraction(3)), Fraction(1, 2))
    compared = mechanism.compare([Fraction(-2), Fraction(0)])
    with large_forks():
        law = exact_law(lambda coins: mechanism.draw(Column.of([2, 0]), coins), leftover="1e-9")
    assert law.contains(dict(enumerate(softmax([-score for score in compared], Fraction(1)))))
    assert not law.contains(dict(enumerate(softmax(compared, Fraction(1)))))


def test_weighted_draws_have_prior_times_weight() -> None:
    """Bit by bit, the law is prior * exp(rate * score); without the prior it is rejected, and prior 0 never wins."""
    prior = (Fraction(1), Fraction(0), Fraction(3))
    mechanism = Weighted(Fraction(1, 2), prior)
    law = exact_law(lambda coins: mechanism.draw(Column.of([2, 50, 1]), coins), leftover="1e-6")
    plain = weights([Fraction(2), Fraction(1)], Fraction(1, 2))
    total = plain[0] + 3 * plain[1]
    assert law.contains({0: plain[0] / total, 2: 3 * plain[1] / total})
    assert not law.contains({0: plain[0] / sum(plain), 2: plain[1] / sum(plain)})
    assert law.mass(1) == 0
