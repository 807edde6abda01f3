"""The exponential law, by walking coins."""

from fractions import Fraction
from typing import Any

import pytest

from discreet.balls import Ball, at, ball
from discreet.sampling import laws
from discreet.sampling.choose import attempt, choose, peel
from discreet.sampling.column import Column
from discreet.sampling.propose import Proposal
from discreet.testing import ExactLaw, exact_law
from tests.sampling.forks import large_forks
from tests.sampling.oracle import GOLDEN, softmax

RATE = Fraction(1, 2)
SCORES = [Fraction(0), Fraction(2), Fraction(3)]


def one_round(bits: int) -> tuple[Proposal, ExactLaw]:
    """Walk one attempt, bit by bit, with small bounds."""
    proposal = Proposal(Column.of(SCORES), RATE, bits=bits)
    return proposal, exact_law(lambda coins: attempt(proposal, coins), leftover="1e-5")


def claimed(proposal: Proposal, rate: Fraction) -> dict[int | None, Ball]:
    """Return w_i * 2**bits / total for each candidate, and what is left for None."""
    each = at(256, lambda: [w * (1 << proposal.bits) / proposal.total for w in laws.weights(Column.of(SCORES), rate)])
    return {**dict(enumerate(each)), None: at(256, lambda: 1 - sum(each, ball(0)))}


@pytest.mark.parametrize("bits", [2, 3, 5])
def test_one_attempt_has_exactly_its_law(bits: int) -> None:
    """Bit by bit, an attempt gives i with chance w_i * 2**bits / total; a rate 1 % off, or doubled, is rejected."""
    proposal, law = one_round(bits)
    assert law.contains(claimed(proposal, RATE))
    for wrong in (RATE * Fraction(101, 100), 2 * RATE):
        assert not law.contains(claimed(proposal, wrong))


@pytest.mark.parametrize("bits", [2, 3])
def test_given_that_one_came_the_law_is_the_softmax(bits: int) -> None:
    """Attempts that gave somebody have the softmax in decimals; the greedy choice and wrong rates are rejected."""
    law = one_round(bits)[1].given(lambda outcome: outcome is not None)
    assert law.contains(dict(enumerate(softmax(SCORES, RATE))))
    assert not law.contains(dict(enumerate(softmax(SCORES, RATE * Fraction(101, 100)))))
    assert not law.contains({2: Fraction(1)})


def test_choosing_repeats_attempts_until_one_gives() -> None:
    """Bit by bit, the whole loop has the softmax of two candidates; a rate 1 % off is rejected."""
    proposal = Proposal(Column.of([0, 3]), RATE, bits=3)
    law = exact_law(lambda coins: choose(proposal, coins), leftover="4e-4", runs=20_000)
    points = [Fraction(0), Fraction(3)]
    assert law.contains(dict(enumerate(softmax(points, RATE))))
    assert not law.contains(dict(enumerate(softmax(points, RATE * Fraction(101, 100)))))


@pytest.mark.parametrize("case", GOLDEN["em_pf_laws"])
def test_golden_softmax(case: dict[str, str]) -> None:
    """With large forks, choosing has the law computed by independent code to twenty digits."""
    scores, rate = [Fraction(score) for score in case["scores"]], Fraction(case["eta"])
    with large_forks():
        law = exact_law(lambda coins: choose(Proposal(Column.of(scores), rate), coins), leftover="1e-11")
    rounded = Fraction(1, 10**19)
    wide = ExactLaw({key: mass - rounded for key, mass in law.masses.items()}, law.leftover + 2 * rounded)
    assert wide.contains({place: Fraction(share) for place, share in enumerate(case["em"])})
    assert not wide.contains(dict(enumerate(softmax(scores, rate * Fraction(1001, 1000))))) or len(set(scores)) == 1


@pytest.mark.parametrize("case", GOLDEN["gumbel_top_k"])
@pytest.mark.parametrize("whole", [True, False])
def test_peeling_has_the_law_of_the_greatest_gumbels(case: dict[str, Any], whole: bool) -> None:  # noqa: FBT001
    """Peeling gives every ordered pair its golden chance, for stored integers and for scores kept as fractions."""
    scores = [Fraction(score) for score in case["scores"]]
    column = Column.of([int(score) for score in scores]) if whole else huge(scores)
    rate = Fraction(case["eta"]) / (1 if whole else HUGE)
    with large_forks():
        law = exact_law(lambda coins: tuple(peel(column, rate, 2, coins, choose)), leftover="1e-9")
    golden = {
        tuple(map(int, key.split(","))): Fraction(share) for key, share in case["ordered_outcome_probabilities"].items()
    }
    assert all(abs(law.mass(order) - share) <= Fraction(1, 10**8) for order, share in golden.items())
    assert not law.contains({order[::-1]: share for order, share in golden.items()})


HUGE = 10**40


def huge(scores: list[Fraction]) -> Column:
    """Stretch scores so far that only fractions hold them."""
    column = Column.of([score * HUGE + 0 for score in scores])
    assert column.exact is not None
    return column
