"""The system's coins, and those of tests."""

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet.sampling.choose import choose
from discreet.sampling.coins import SystemCoins
from discreet.sampling.column import Column
from discreet.sampling.propose import Proposal
from discreet.testing import ScriptedCoins, fits
from discreet.testing.fit import tail
from tests.sampling.alarms import ALARMS, BUDGET


@given(some.integers(0, 200), some.integers(1, 2**130))
def test_numbers_stay_within_what_was_asked(count: int, bound: int) -> None:
    """Bits are below their power of two, and draws below their bound."""
    assert 0 <= SystemCoins().bits(count) < 2**count
    assert 0 <= SystemCoins().below(bound) < bound


@pytest.mark.parametrize("bound", [2, 6, 10])
def test_draws_below_a_bound_are_even(bound: int) -> None:
    """Sixty thousand draws fit the even law and not one that leaves out a value."""
    seen = Counter(SystemCoins().below(bound) for _ in range(60_000))
    counts = [seen[value] for value in range(bound)]
    assert fits(counts, [1 / bound] * bound, ALARMS["below"])
    assert not fits(counts, [1 / (bound + 1)] * bound, ALARMS["below"])


def test_no_bit_of_a_word_is_stuck() -> None:
    """Each of 64 bits is seen as 0 and as 1 in 100 words: missing one has a chance below 64 * 2**-99."""
    words = SystemCoins().words(100)
    assert words.dtype == np.uint64
    assert int(np.bitwise_or.reduce(words)) == 2**64 - 1
    assert int(np.bitwise_and.reduce(words)) == 0


def test_a_forked_child_draws_other_numbers() -> None:
    """Parent and child, forked between two draws, do not repeat each other: equal 128 bits have a chance of 2**-128."""
    coins = SystemCoins()
    coins.bits(64)
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - another process
        os.write(send, coins.bits(128).to_bytes(16, "little"))
        os._exit(0)
    mine = coins.bits(128).to_bytes(16, "little")
    os.waitpid(child, 0)
    assert os.read(receive, 16) != mine


def test_threads_share_coins_and_the_precision_of_balls() -> None:
    """Draws from eight threads at once have the law."""
    column = Column.of([0, 1])

    def some_draws(_: int) -> int:
        return sum(choose(Proposal(column, Fraction(1)), SystemCoins()) for _ in range(1000))

    with ThreadPoolExecutor(8) as pool:
        ones = sum(pool.map(some_draws, range(8)))
    chance = 1 / (1 + np.exp(-1.0))
    assert fits([8000 - ones, ones], [1 - chance, chance], ALARMS["threads"])
    assert not fits([8000 - ones, ones], [0.5, 0.5], ALARMS["threads"])


def test_scripted_coins_say_when_they_run_out() -> None:
    """A missing answer, and one that does not fit, are errors that name the answer."""
    coins = ScriptedCoins([5, 9])
    assert coins.below(6) == 5
    with pytest.raises(AssertionError, match="answer 2 is 9"):
        coins.bits(3)
    with pytest.raises(AssertionError, match="all 2 answers"):
        coins.bits(3)
    assert ScriptedCoins([1, 2]).words(2).tolist() == [1, 2]


@given(some.integers(0, 40), some.floats(0.01, 0.99))
def test_the_tail_bound_is_a_bound(count: int, chance: float) -> None:
    """Chernoff's bound is never below the exact binomial tail on the same side."""
    exact = Fraction(chance)
    side = range(count, 41) if count >= 40 * chance else range(count + 1)
    binomial = sum(comb(40, k) * exact**k * (1 - exact) ** (40 - k) for k in side)
    assert tail(count, 40, chance) >= float(binomial) * (1 - 1e-9)


def test_the_whole_suite_may_be_wrong_once_in_a_thousand_million_runs() -> None:
    """All sampled tests together spend at most 1e-9."""
    assert sum(level * times for level, times in BUDGET.values()) <= 1e-9
