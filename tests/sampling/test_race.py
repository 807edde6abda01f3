"""Permute-and-flip and noisy max: the race, on a tree whose only small forks are the bits of the clock."""

from collections.abc import Callable
from fractions import Fraction
from math import exp
from typing import Any

import pytest

from discreet.balls import Ball, at, ball, rational
from discreet.sampling import laws
from discreet.sampling.choose import peel
from discreet.sampling.column import Column
from discreet.sampling.gap import race_with_gap
from discreet.sampling.propose import Proposal
from discreet.sampling.race import Clock, _stands, keep, race
from discreet.testing import ExactLaw, exact_law
from tests.sampling.forks import large_forks
from tests.sampling.oracle import flip_walk, laplace_max, softmax, weights

RATE = Fraction(1)
PAIR = [Fraction(0), Fraction(1)]
THREE = [Fraction(0), Fraction(2), Fraction(3)]


def walked(run: Callable[[Any], Any], runs: int = 4000) -> ExactLaw:
    """Walk the heaviest few thousand branches."""
    with large_forks():
        return exact_law(run, leftover="1e-3", runs=runs)


@pytest.mark.parametrize("scores", [PAIR, THREE])
def test_keeping_is_permute_and_flip(scores: list[Fraction]) -> None:
    """The race contains the walk over permutations, and not the softmax, the best alone, or a doubled rate."""
    law = walked(lambda coins: keep(Proposal(Column.of(scores), RATE), coins))
    assert law.leftover < Fraction(1, 25)
    assert law.contains(dict(enumerate(flip_walk(weights(scores, RATE)))))
    assert not law.contains(dict(enumerate(softmax(scores, RATE))))
    assert not law.contains(dict(enumerate(flip_walk(weights(scores, 2 * RATE)))))
    assert not law.contains({len(scores) - 1: Fraction(1)})


def test_laplace_noisy_max_has_its_law() -> None:
    """The race, doublings and all, contains the integrated law, and neither permute-and-flip nor a doubled rate."""
    law = walked(lambda coins: race(Column.of(PAIR), RATE, "laplace", coins).position, runs=8000)
    assert law.leftover < Fraction(1, 6)
    floats = [float(score) for score in PAIR]
    assert law.contains({place: Fraction(share) for place, share in enumerate(laplace_max(floats, 1.0))})
    assert not law.contains({place: Fraction(share) for place, share in enumerate(laplace_max(floats, 3.0))})
    assert not law.contains({place: Fraction(share) for place, share in enumerate(laplace_max(floats, 0.1))})


def test_gumbel_noisy_max_is_the_softmax() -> None:
    """With Gumbel noise the winner has the exponential law to nine digits."""
    law = walked(lambda coins: race(Column.of(THREE), RATE, "gumbel", coins).position)
    assert law.contains(dict(enumerate(softmax(THREE, RATE))))
    assert not law.contains(dict(enumerate(softmax(THREE, RATE * Fraction(101, 100)))))


def test_peeling_by_permute_and_flip_measures_from_the_best_left() -> None:
    """The second winner's law is permute-and-flip among those left, wherever the first one stood."""
    scores = [Fraction(0), Fraction(1), Fraction(40)]
    law = walked(lambda coins: peel(Column.of([0, 1, 40]), RATE, 2, coins, keep)[1], runs=6000)
    assert law.leftover < Fraction(1, 25)
    assert law.contains(dict(enumerate(flip_walk(weights(scores[:2], RATE)))))
    assert not law.contains(dict(enumerate(softmax(scores[:2], RATE))))


def test_a_steps_time_is_exponential() -> None:
    """A clock with mean 3/2 has passed 2 with chance e**(-4/3), to a millionth."""

    def passed(coins: Any) -> bool:
        clock = Clock(coins, lambda: ball(0))
        clock.advance(rational(3, 2))
        return clock.passed(2)

    law = exact_law(passed, leftover="1e-6")
    late = at(256, lambda: ball(Fraction(-4, 3)).exp())
    assert law.contains({True: late, False: at(256, lambda: 1 - late)})
    assert not law.contains({True: at(256, lambda: late * ball(Fraction(10001, 10000)))})


class Stopped:
    """A clock that stands at a time."""

    def __init__(self, time: Fraction) -> None:
        self.time = time

    def now(self) -> Ball:
        """Return the time."""
        return ball(self.time)


@pytest.mark.parametrize("time", [Fraction(1, 10), Fraction(1), Fraction(5, 2), Fraction(7)])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_arrivals_stand_at_the_noises_own_rate(time: Fraction, place: int) -> None:
    """Proposal rate times the chance to stand is the noise's hazard, computed anew from its distribution function."""
    proposal = Proposal(Column.of([0, 2, 3]), RATE)
    bound = int(proposal.table()[0][place])
    weight, now = exp(-(3, 1, 0)[place]), float(time)

    def hazard(noise: Any) -> float:
        return float(_stands(proposal, noise, Stopped(time), place, bound)) * bound / 2**38  # type: ignore[arg-type]

    under = weight * now
    laplace = (weight / 2) / (1 - under / 2) if under < 1 else 1 / now
    reached = 1 - exp(-now)
    flipped = weight / (1 - weight * reached) * exp(-now)
    assert hazard("gumbel") == pytest.approx(weight, rel=1e-12)
    assert hazard("exponential") == pytest.approx(flipped, rel=1e-9)
    assert time > 2 or hazard("laplace") == pytest.approx(laplace, rel=1e-12)


@pytest.mark.parametrize("lift", [1, 2, 5])
def test_lifted_arrivals_stand_at_the_doubled_rate(lift: int) -> None:
    """On the halved clock, from 1 to 2, the hazard is that of doubled weights, and never above its proposal."""
    proposal = Proposal(Column.of([0, 2, 3]), RATE, lift=lift)
    for place, fall in enumerate((3, 1, 0)):
        bound = int(proposal.table()[0][place])
        for time in (Fraction(1), Fraction(3, 2), Fraction(2)):
            under = 2**lift * exp(-fall) * float(time)
            wanted = (under / 2) / (1 - under / 2) / float(time) if under < 1 else 1 / float(time)
            stands = float(_stands(proposal, "laplace", Stopped(time), place, bound))  # type: ignore[arg-type]
            assert stands * bound / 2**38 == pytest.approx(wanted, rel=1e-12)
            assert stands <= 1


def lead(noise: Any, tick: Fraction) -> ExactLaw:
    """Walk winner and gap of two candidates."""
    return walked(lambda coins: race_with_gap(Column.of([0, 1]), RATE, noise, tick, coins), runs=5000)


def test_the_gumbel_gap_is_logistic() -> None:
    """P(i wins by more than g) is 1 / (1 + e**(g - theta_i)); a gap half or twice as wide is rejected."""

    def claimed(tick: float) -> dict[tuple[int, int], Fraction]:
        beyond = {place: [1 / (1 + exp(k * tick - edge)) for k in range(60)] for place, edge in ((0, -1), (1, 1))}
        return {(i, k): Fraction(beyond[i][k] - beyond[i][k + 1]) for i in (0, 1) for k in range(59)}

    law = lead("gumbel", Fraction(1))
    assert law.leftover < Fraction(1, 5)
    assert law.contains(claimed(1.0))
    assert not law.contains(claimed(0.5))
    assert not law.contains(claimed(2.0))


def test_the_exponential_gap_is_memoryless_above_the_runner_up() -> None:
    """With exponential noise the best wins by more than g with its closed form; half or twice the gap is rejected."""

    def claimed(tick: float) -> dict[tuple[int, int], Fraction]:
        # The lower one wins by more than g with chance e**-(1+g) / 2; the upper one: integrate e**-(y+g-1)+ over y.
        low = [exp(-1 - k * tick) / 2 for k in range(60)]
        high = [1 - exp(k * tick - 1) / 2 if k * tick < 1 else exp(1 - k * tick) / 2 for k in range(60)]
        sides = {0: low, 1: high}
        return {(i, k): Fraction(sides[i][k] - sides[i][k + 1]) for i in (0, 1) for k in range(59)}

    law = lead("exponential", Fraction(1))
    assert law.contains(claimed(1.0))
    assert not law.contains(claimed(0.5))
    assert not law.contains(claimed(2.0))


def test_laws_agree_with_the_oracle_here_too() -> None:
    """The certified law used elsewhere is the one these races are held to."""
    found = laws.settled(laws.permute_and_flip, Column.of(THREE), RATE)
    assert [float(share) for share in found] == pytest.approx([float(x) for x in flip_walk(weights(THREE, RATE))])
