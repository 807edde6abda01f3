"""The coin of any bias."""

from fractions import Fraction

import pytest

from discreet.balls import Ball, at, ball
from discreet.errors import GuardError
from discreet.sampling.among import among
from discreet.sampling.flip import flip
from discreet.testing import ScriptedCoins, exact_law

BIASES = [ball(Fraction(1, 3)), at(300, lambda: ball(Fraction(-1, 10)).exp()), at(300, lambda: ball(-7).exp())]


@pytest.mark.parametrize("bias", BIASES)
def test_heads_come_with_exactly_the_bias(bias: Ball) -> None:
    """On the tree of fair bits, heads have the bias and no other number a hundred thousandth away."""
    law = exact_law(lambda coins: flip(coins, lambda: bias), leftover="1e-9")
    assert law.contains({True: bias, False: at(300, lambda: 1 - bias)})
    wrong = at(300, lambda: bias * ball(Fraction(100001, 100000)))
    assert not law.contains({True: wrong, False: at(300, lambda: 1 - wrong)})


def test_a_near_tie_is_settled_by_more_bits() -> None:
    """Coins that agree with one third for 512 bits still lead to the right answer, either way."""
    third = [(1 << 64) // 3] * 8  # 0.010101... in binary, word by word
    assert flip(ScriptedCoins([*third, 0], word=64), lambda: ball(Fraction(1, 3)))
    assert not flip(ScriptedCoins([*third, 2**64 - 1], word=64), lambda: ball(Fraction(1, 3)))


def test_a_bias_that_rests_on_unfolding_numbers_is_refined() -> None:
    """With a bias known only to lie between 0 and 1, the answer waits until it has been refined."""
    known: list[Ball] = [ball(0).union(ball(1))]
    answer = flip(
        ScriptedCoins([0, 1, 0, 1, 1, 1]), lambda: known[-1], refine=lambda: known.append(ball(Fraction(1, 2)))
    )
    assert answer
    assert len(known) > 1


def test_a_bias_above_one_is_refused() -> None:
    """A bound that failed raises, whatever the coins say."""
    for first in (0, 2**64 - 1):
        with pytest.raises(GuardError):
            flip(ScriptedCoins([first], word=64), lambda: ball(Fraction(1001, 1000)))


def test_bits_begun_elsewhere_count() -> None:
    """A prefix of bits is the beginning of the uniform number."""
    assert flip(ScriptedCoins([0]), lambda: ball(Fraction(1, 2)), prefix=(0, 1))
    assert not flip(ScriptedCoins([0]), lambda: ball(Fraction(1, 2)), prefix=(1, 1))


def test_any_list_of_weights_is_drawn_from_exactly() -> None:
    """Weights 1, 0, e and 1/1000 are drawn in proportion, and a law 1 % off is rejected."""
    weights = [ball(1), ball(0), ball(1).exp(), ball(Fraction(1, 1000))]
    law = exact_law(
        lambda coins: among(lambda: [ball(1), ball(0), ball(1).exp(), ball(Fraction(1, 1000))], coins), "1e-6"
    )
    total = sum(weights, ball(0))
    assert law.contains({place: weight / total for place, weight in enumerate(weights)})
    assert law.mass(1) == 0
    wrong = [ball(Fraction(101, 100)), *weights[1:]]
    assert not law.contains({place: weight / sum(wrong, ball(0)) for place, weight in enumerate(wrong)})


def test_a_weight_no_double_holds_can_win() -> None:
    """Position 1 has weight e**-1000; coins whose first 1480 bits are ones choose it."""

    def weights() -> list[Ball]:
        return [ball(1), ball(-1000).exp()]

    assert among(weights, ScriptedCoins([2**1500 - 2**20], word=1500)) == 1
    assert among(weights, ScriptedCoins([2**1500 - 2**500], word=1500)) == 0
