"""Levels: candidates in runs of equal scores have the law of the same candidates one by one."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet.balls import Ball, at, ball
from discreet.errors import GuardError, SettingError
from discreet.mechanisms import Exponential, NoisyMax, NoisyMaxWithGap, Peel, PermuteAndFlip
from discreet.sampling import laws
from discreet.sampling.choose import attempt
from discreet.sampling.coins import SystemCoins
from discreet.sampling.column import BLOCK, Column
from discreet.sampling.levels import LevelProposal, Levels, proposed
from discreet.testing import exact_law
from discreet.testing.fit import fits
from tests.sampling.alarms import ALARMS
from tests.sampling.forks import large_forks

RATE = Fraction(3, 4)
SMALL = [([0, 1], [2, 1]), ([0, -1, 2], [1, 2, 1]), ([5], [3]), ([3, 3], [1, 2])]
MECHANISMS: list[tuple[Any, Callable[[Column, Fraction], list[Ball]]]] = [
    (Exponential(RATE), laws.exponential),
    (PermuteAndFlip(RATE), laws.permute_and_flip),
    (NoisyMax(RATE, "laplace"), laws.laplace_noisy_max),
]


def levels(scores: list[int], sizes: list[int]) -> Levels:
    """Levels of whole scores."""
    return Levels.of(Column.of(scores), np.array(sizes))


@pytest.mark.parametrize(("scores", "sizes"), SMALL)
@pytest.mark.parametrize("rate", [RATE, Fraction(5)])
def test_one_attempt_has_exactly_its_law(scores: list[int], sizes: list[int], rate: Fraction) -> None:
    """Bit by bit, an attempt gives each candidate its weight over one total; a rate 5 % off does not."""
    held = levels(scores, sizes)
    proposal = LevelProposal(held, rate, bits=3)
    proposal._open(0)  # later runs of the walk find it open
    law = exact_law(lambda coins: attempt(proposal, coins), leftover="1e-3", runs=4000)

    def claimed(other: Fraction) -> dict[Any, Ball]:
        each = [weight * (1 << proposal.bits) / proposal.total for weight in laws.weights(held.spread(), other)]
        return {**dict(enumerate(each)), None: 1 - sum(each, ball(0))}

    assert law.contains(at(128, lambda: claimed(rate)))
    assert len(set(scores)) == 1 or not law.contains(
        at(128, lambda: claimed(rate * (Fraction(95, 100) if rate == RATE else Fraction(1, 2))))
    )


@pytest.mark.parametrize(("scores", "sizes"), SMALL)
@pytest.mark.parametrize(("mechanism", "oracle"), MECHANISMS[:2])
def test_the_law_is_that_of_the_candidates_one_by_one(
    mechanism: Any, oracle: Callable[[Column, Fraction], list[Ball]], scores: list[int], sizes: list[int]
) -> None:
    """With large forks, each member of a level has the chance it has in a plain list; a rate 5 % off has not."""
    held = levels(scores, sizes)
    with large_forks():
        found = exact_law(lambda coins: mechanism.draw(held, coins), leftover="1e-2", runs=800)
    assert found.contains(at(128, lambda: dict(enumerate(oracle(held.spread(), RATE)))))
    wrong = at(128, lambda: dict(enumerate(oracle(held.spread(), RATE * Fraction(95, 100)))))
    assert len(set(scores)) == 1 or found.leftover > Fraction(1, 100) or not found.contains(wrong)


@pytest.mark.parametrize(("mechanism", "oracle"), MECHANISMS)
def test_samples_have_the_law(mechanism: Any, oracle: Callable[[Column, Fraction], list[Ball]]) -> None:
    """Samples through lazily opened blocks fit the law of the list, and not that of another rate."""
    scores, sizes = [0, 3, -2, 1, 3], [4, 1, 50, 7, 2]

    def look(block: int) -> tuple[Any, Any]:
        some = slice(2 * block, 2 * block + 2)
        return np.array(scores)[some], np.array(sizes)[some]

    held = Levels(np.array([3, 1, 3]), np.array([5, 57, 2]), np.array([2, 2, 1]), look)
    law = [float(p) for p in at(128, lambda: oracle(held.spread(), RATE))]
    wrong = [float(p) for p in at(128, lambda: oracle(held.spread(), RATE * Fraction(9, 10)))]
    coins, counts = SystemCoins(), [0] * 64
    for _ in range(6000):
        counts[mechanism.draw(held, coins)] += 1
    grouped = [sum(counts[low:high]) for low, high in ((0, 4), (4, 5), (5, 55), (55, 62), (62, 64))]
    merged = [
        [sum(one[low:high]) for low, high in ((0, 4), (4, 5), (5, 55), (55, 62), (62, 64))] for one in (law, wrong)
    ]
    assert fits(grouped, merged[0], ALARMS["levels"])
    assert not fits([20 * count for count in grouped], merged[1], ALARMS["levels"])


@settings(max_examples=30)
@given(
    some.lists(some.tuples(some.integers(-40, 40), some.integers(1, 2**58)), min_size=1, max_size=12),
    some.fractions(Fraction(1, 50), 20, max_denominator=50),
)
def test_no_bound_is_ever_below_its_weight(rows: list[tuple[int, int]], rate: Fraction) -> None:
    """Whatever the sizes, the share of a proposal that stands is at most one, and bounds add up to the total."""
    scores, sizes = zip(*rows, strict=True)
    if sum(sizes) > 2**62:
        return
    proposal = LevelProposal(levels(list(scores), list(sizes)), rate)
    assert at(128, lambda: _largest_share(proposal)) <= 1
    picked = [proposal.pick(SystemCoins()) for _ in range(5)]
    assert all(one is None or 0 <= one[0] < sum(sizes) for one in picked)


def _largest_share(proposal: LevelProposal) -> float:
    worst = 0.0
    sums = proposal._open(0)
    for offset in range(len(sums)):
        bound = int(sums[offset] - (sums[offset - 1] if offset else 0))
        size = int(proposal.levels.open(0).sizes[offset])
        position = int(proposal.levels.open(0).ends[offset]) - 1
        share = proposal.share(proposal.weight(position), Fraction(bound << proposal._raised, size))
        worst = max(worst, float(share))
    return worst


def test_many_candidates_cost_nothing() -> None:
    """A level of 2**61 equal candidates is drawn from uniformly; a single better one is found when it weighs more."""
    held = levels([0, 200], [2**61, 1])
    drawn = {Exponential(Fraction(1, 100)).draw(held, SystemCoins()) >> 58 for _ in range(400)}
    assert drawn == set(range(8))
    assert {PermuteAndFlip(Fraction(1)).draw(held, SystemCoins()) for _ in range(5)} == {2**61}


def test_peeling_takes_members_out() -> None:
    """All members of the best level come first, each once, by either mechanism."""
    held = levels([0, 10**6, 5], [3, 4, 2])
    for once in (Exponential(Fraction(1)), PermuteAndFlip(Fraction(1))):
        drawn = Peel(once, 9).draw(held, SystemCoins())
        assert sorted(drawn[:4]) == [3, 4, 5, 6]
        assert sorted(drawn) == list(range(9))


def test_peeling_has_the_law_of_the_list() -> None:
    """Two rounds over levels are two rounds over the list, also where scores fit no native integer."""
    for scores in ([0, 1], [10**40, 10**40 + 1]):
        held = Levels.of(Column.of(scores), np.array([2, 1]))
        with large_forks():
            first, second = (
                exact_law(lambda coins: tuple(Peel(Exponential(RATE), 2).draw(way, coins)), leftover="1e-4", runs=3000)  # noqa: B023
                for way in (held, held.spread())
            )
        slack = first.leftover + second.leftover
        assert slack < Fraction(1, 100)
        assert all(abs(first.mass(pair) - second.mass(pair)) <= slack for pair in {*first.masses, *second.masses})


def test_a_broken_promise_of_a_block_is_noticed() -> None:
    """A block that holds other sizes than it said, or better scores than its bound, releases nothing."""
    other = Levels(np.array([3]), np.array([5]), np.array([1]), lambda _: (np.array([3]), np.array([4])))
    better = Levels(np.array([3]), np.array([5]), np.array([1]), lambda _: (np.array([9]), np.array([5])))
    for wrong in (other, better):
        with pytest.raises(GuardError):
            Exponential(Fraction(1)).draw(wrong, SystemCoins())


def test_many_blocks_agree_with_one_list() -> None:
    """Levels over several blocks find the best candidate, and their bounds cover what is opened."""
    scores = np.arange(3 * BLOCK) % 1000
    scores[2 * BLOCK + 7] = 10**7
    held = Levels.of(Column.of(scores), np.full(3 * BLOCK, 2))
    assert PermuteAndFlip(Fraction(1)).draw(held, SystemCoins()) // 2 == 2 * BLOCK + 7
    proposal = proposed(held, Fraction(1, 10**6))
    before = proposal.total
    assert len({proposal.pick(SystemCoins()) for _ in range(200)}) > 50
    assert proposal.total <= before


def test_what_levels_cannot_do_is_refused() -> None:
    """Gaps, empty levels, and more candidates than positions are refused; nothing private is shown."""
    held = levels([1, 2], [1, 1])
    with pytest.raises(SettingError, match="gap"):
        NoisyMaxWithGap(Fraction(1), "gumbel", Fraction(1)).draw_with_gap(held, SystemCoins())
    with pytest.raises(SettingError, match="from 1"):
        levels([1, 2], [1, 0])
    with pytest.raises(SettingError, match="larger step"):
        levels([1, 2], [2**62, 2**61])
    with pytest.raises(SettingError, match="one by one"):
        levels([1], [2**40]).spread()
    assert repr(held) == "Levels(2 candidates)"
