"""Geometric weights on a run of whole numbers: their sum, certified, and an exact draw from them."""

from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.balls import Ball, at, ball, between, whole_part
from discreet.sampling.among import among
from discreet.sampling.coins import Coins
from discreet.sampling.flip import GUARD_BITS

Floats: TypeAlias = NDArray[np.float64]

LEVEL = 2.0**-20
"""A row that falls by less than this in all is bounded by its size."""


def geometric_sum(fall: Fraction, size: int) -> Ball:
    """Return the sum of exp(-fall * t) for t from 0 to size - 1, at the working precision.

    A quotient of two ``expm1`` keeps all its digits however small the fall; without a fall it is a count.

    >>> float(geometric_sum(Fraction(0), 7)), geometric_sum(Fraction(1, 1000), 2) < 2
    (7.0, True)
    """
    return ball(-fall * size).expm1() / ball(-fall).expm1() if fall else ball(size)


def log_sums(fall: Floats, size: Floats) -> Floats:
    """Return the logs of many such sums in floats, at most 2**-40 too small.

    >>> log_sums(np.array([0.0, 800.0]), np.array([1.0, 2.0**62])).tolist()
    [0.0, 0.0]
    """
    whole = fall * size
    sums = np.log(size)
    steep = whole >= LEVEL
    sums[steep] = np.log(-np.expm1(-whole[steep])) - np.log(-np.expm1(-fall[steep]))
    return sums


def offset(fall: Fraction, size: int | None, coins: Coins) -> int:
    """Return t from 0 to size - 1 with chance exactly in proportion to exp(-fall * t); None: without an end.

    A uniform real number goes through the inverse of the distribution function. As many of its bits are drawn as it
    takes until the whole part of what comes out is certain.

    >>> from discreet.sampling.coins import SystemCoins
    >>> offset(Fraction(10**6), 2**62, SystemCoins()), offset(Fraction(10**6), None, SystemCoins())
    (0, 0)
    >>> offset(Fraction(0), 2**62, SystemCoins()) < 2**62
    True
    """
    if size == 1:
        return 0
    if size is not None and not fall:
        return coins.below(size)
    digits, count = coins.bits(coins.word), coins.word
    while True:
        found = at(count + GUARD_BITS, lambda: _place(fall, size, between(digits, count)))  # noqa: B023
        if found is not None:
            return found
        digits = digits << coins.word | coins.bits(coins.word)
        count += coins.word


def two_sided(fall: Fraction, coins: Coins) -> int:
    """Return a whole number k with chance exactly in proportion to exp(-fall * abs(k)): discrete Laplace noise.

    From 0 up the weights add up to 1 / (1 - exp(-fall)); below 0, to exp(-fall) times that.

    >>> from discreet.sampling.coins import SystemCoins
    >>> two_sided(Fraction(10**6), SystemCoins())
    0
    """
    below = among(lambda: [ball(1), ball(-fall).exp()], coins)
    steps = offset(fall, None, coins)
    return -1 - steps if below else steps


def _place(fall: Fraction, size: int | None, uniform: Ball) -> int | None:
    inside = -1 if size is None else ball(-fall * size).expm1()
    steps = (uniform * inside).log1p() / ball(-fall)
    if steps < 1:  # the ends first: a ball around a uniform number next to 0 or 1 reaches beyond them
        return 0
    if size is not None and steps >= size - 1:
        return size - 1
    return whole_part(steps)
