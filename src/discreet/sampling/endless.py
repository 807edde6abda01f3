"""A draw from a law on 0, 1, 2 and so on without end, given by its chances one after the other."""

from collections.abc import Callable, Iterator

from discreet.balls import Ball, at, ball, between
from discreet.sampling.coins import Coins
from discreet.sampling.flip import GUARD_BITS


def endless(chances: Callable[[], Iterator[Ball]], coins: Coins) -> int:
    """Return place i with exactly the i-th chance; all of them must add up to 1.

    A uniform real number, known by its first bits, is compared with the sums; where they do not settle it, more bits
    are drawn and the sums computed anew, with more. There is no last place, so none stands for all that follow.

    >>> from discreet.balls import two_to
    >>> from discreet.sampling.coins import SystemCoins
    >>> endless(lambda: iter([ball(0), ball(1)]), SystemCoins())
    1
    """
    digits, count = coins.bits(coins.word), coins.word
    while True:
        found = at(count + GUARD_BITS, lambda: _place(chances(), digits, count))  # noqa: B023
        if found is not None:
            return found
        digits = digits << coins.word | coins.bits(coins.word)
        count += coins.word


def _place(chances: Iterator[Ball], digits: int, count: int) -> int | None:
    point, total = between(digits, count), ball(0)
    for place, share in enumerate(chances):
        total += share
        if point <= total:
            return place
        if not point >= total:
            return None
    return None
