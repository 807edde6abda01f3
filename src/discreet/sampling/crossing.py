"""A bar raised by exponential noise, and scores that jump at it: which ones clear it, exactly.

A score q gets exponential noise of its own and clears the bar if q + noise >= height + rho. Given rho that is a coin of
bias exp(-rate * (height + rho - q)), or a sure thing where q is above the bar already. So the score's noise is never
drawn: the coin is flipped against an enclosure of rho, which is a real number known by its first bits and refined only
where a decision needs it. The bar stays the same for all scores.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from discreet.balls import Ball, at, ball, ratio, whole_part
from discreet.sampling.coins import Coins
from discreet.sampling.flip import flip
from discreet.sampling.race import Clock


class Bar:
    """A height plus one exponential random number of mean 1/rate, which unfolds only as far as it is looked at.

    >>> from discreet.sampling.coins import SystemCoins
    >>> bar = Bar(Fraction(5), Fraction(1), SystemCoins())
    >>> bar.cleared(Fraction(10**6), Fraction(1)), bar.cleared(Fraction(-(10**6)), Fraction(1)), bar
    (True, False, Bar())
    """

    __slots__ = ("_coins", "_height", "_raised")

    def __init__(self, height: Fraction, rate: Fraction, coins: Coins) -> None:
        self._coins, self._height = coins, height
        self._raised = Clock(coins, lambda: ball(0))
        self._raised.advance(ratio(1 / rate))

    def cleared(self, score: Fraction, rate: Fraction) -> bool:
        """Return whether the score, with exponential noise of mean 1/rate added, reaches the bar."""

        def bias() -> Ball:
            return (ball(-rate) * self._short(score)).exp()

        return flip(self._coins, bias, refine=self._raised.refine)

    def lead(self, score: Fraction, rate: Fraction, tick: Fraction) -> int:
        """Return by how much a score that cleared the bar did so, in whole ticks rounded down.

        Exponential noise has no memory: whatever it took to reach the bar, what it has beyond is exponential again.
        """
        beyond = Clock(
            self._coins,
            lambda: self._short(score) + ball(score - self._height) - self._raised.now(),
            after=self._raised,
        )
        beyond.advance(ratio(1 / rate))
        while (ticks := at(beyond.precision, lambda: whole_part(beyond.now() / ball(tick)))) is None:
            beyond.refine()
        return ticks

    def _short(self, score: Fraction) -> Ball:
        """Enclose how far the score is below the bar, 0 if it is above."""
        return (ball(self._height - score) + self._raised.now()).max(ball(0))

    def __repr__(self) -> str:
        return "Bar()"


def crossings(margins: Sequence[Fraction], bar_rate: Fraction, rate: Fraction) -> list[Ball]:
    """Return each score's chance to be the first to clear the bar, and at the end the chance that none does.

    ``margins`` are the scores less the height of the bar.

    >>> [float(chance) for chance in crossings([Fraction(0)], Fraction(1), Fraction(1))]
    [0.5, 0.5]
    """
    left = list(_survivals(margins, bar_rate, rate))
    return [before - after for before, after in pairwise(left)] + left[-1:]


def _survivals(margins: Sequence[Fraction], bar_rate: Fraction, rate: Fraction) -> Iterator[Ball]:
    """Yield the chance that none of the first k clears the bar, for k from 0 on.

    Nobody does only if rho is beyond a, the greatest margin so far or 0. With y = exp(-rate (rho - a)) the chance given
    rho is the product of 1 - exp(rate (margin - a)) y, a polynomial in y; and the mean of y**m over rho beyond a is
    exp(-bar_rate a) bar_rate / (bar_rate + m rate).
    """
    reached, coefficients = Fraction(0), [ball(1)]
    yield ball(1)
    for margin in margins:
        top = max(reached, margin)
        fall = ball(rate * (reached - top)).exp()
        coefficients = [each * fall**power for power, each in enumerate(coefficients)]
        share, reached = ball(rate * (margin - top)).exp(), top
        shifted = [ball(0), *(each * share for each in coefficients)]
        coefficients = [one - other for one, other in zip([*coefficients, ball(0)], shifted, strict=True)]
        means = (ball(bar_rate / (bar_rate + power * rate)) for power in range(len(coefficients)))
        total = sum((each * mean for each, mean in zip(coefficients, means, strict=True)), ball(0))
        yield ball(-bar_rate * reached).exp() * total
