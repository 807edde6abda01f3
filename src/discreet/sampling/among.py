"""A draw from any finite list of certified weights, with nothing proposed: slower, and free of conditions.

Used where weights are not exp(rate * score) alone: public prior weights, levels with how many members they have.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate

from discreet.balls import Ball, at, between
from discreet.sampling.coins import Coins
from discreet.sampling.flip import GUARD_BITS


def among(weights: Callable[[], Sequence[Ball]], coins: Coins, prefix: tuple[int, int] = (0, 0)) -> int:
    """Return position i with chance exactly weight i over the sum of all weights.

    A uniform real number, known to lie between two fractions, is laid on the cumulative sums; more of its bits are
    drawn, and the sums computed with more, until the piece it lies in is certain. No weight is ever rounded to zero.
    ``prefix`` is a number begun elsewhere, as (digits, count).

    >>> from discreet.balls import ball
    >>> from discreet.sampling.coins import SystemCoins
    >>> among(lambda: [ball(0), ball(3), ball(0)], SystemCoins())
    1
    """
    digits, count = prefix
    while True:
        digits = digits << coins.word | coins.bits(coins.word)
        count += coins.word
        found = at(count + GUARD_BITS, lambda: _place(weights(), digits, count))  # noqa: B023
        if found is not None:
            return found


def _place(weights: Sequence[Ball], digits: int, count: int) -> int | None:
    sums: list[Ball] = list(accumulate(weights))
    point = between(digits, count) * sums[-1]
    place = bisect_left(sums, 1, key=lambda edge: 0 if edge <= point else 1)  # the first not surely below
    certain = place < len(sums) and bool(sums[place] > point) and (place == 0 or bool(sums[place - 1] <= point))
    return place if certain else None
