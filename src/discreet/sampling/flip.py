"""A coin of any real bias, exactly: compare lazily extended random bits with a certified enclosure."""

from collections.abc import Callable

from discreet.balls import Ball, at, two_to
from discreet.errors import GuardError
from discreet.sampling.coins import Coins

GUARD_BITS = 64


def flip(
    coins: Coins, bias: Callable[[], Ball], prefix: tuple[int, int] = (0, 0), refine: Callable[[], None] | None = None
) -> bool:
    """Return True with chance exactly ``bias()``, the real number its balls enclose.

    A uniform real number U is known to lie in [d, d + 1] / 2**c after c random bits. As soon as the enclosure of
    the bias lies wholly to one side, no further bit can change the answer. Otherwise both are refined. ``prefix`` is a
    U begun elsewhere, as (d, c); ``refine`` is called where the bias itself rests on random reals still unfolding.

    >>> from discreet.balls import ball
    >>> from discreet.sampling.coins import SystemCoins
    >>> flip(SystemCoins(), lambda: ball(1)), flip(SystemCoins(), lambda: ball(0))
    (True, False)
    """
    digits, count = prefix
    while True:
        digits = digits << coins.word | coins.bits(coins.word)
        count += coins.word
        scaled = at(count + GUARD_BITS, lambda: bias() * two_to(count))  # noqa: B023
        if scaled >= digits + 1:
            if scaled > 1 << count:
                raise GuardError("a weight passed its proved upper bound; nothing was released")
            return True
        if scaled <= digits:
            return False
        if refine is not None:
            refine()
