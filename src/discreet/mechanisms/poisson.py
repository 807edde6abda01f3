"""Random stopping with a Poisson number of runs.

f'(x) = mu exp(mu (x-1)). If one run is also (h, d)-private with exp(h) = 1 + 1/(a-1), then 1 - Q' <= exp(h) (1-Q) + d,
and so a Q - (a-1) Q' - 1 <= (a-1) d. Put into the sum that defines the divergence of order a, the outcomes of K > 0 add
at most mu exp((a-1) (e(a) + mu d)), and K = 0, which tells nothing, adds exp(-mu). So the divergence is at most

    e(a) + mu d + L/(a-1),   L = ln(mu + exp(-mu)).

In the limit of large orders h is 0 and d the most that one run's chances move: pure eps + mu d, if one run is pure eps.
Where e(a) = rho a and c is some order, a divergence below c is at most the bound at c, and beyond c it is at most
rho a + mu d(0) + L/(c-1). The larger of the first, and of the second divided by a at a = c, is a rho.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.balls import Ball, at, ball, lower, upper
from discreet.exact import Number, chance, positive, up
from discreet.guarantees import Guarantee, Pure, Renyi, Zcdp
from discreet.mechanisms.repeats import BITS, ORDERS, affordable, furthest_of, least, rho_of, stated
from discreet.readings import as_pure, as_zcdp, delta_at, divergence
from discreet.sampling.coins import Coins
from discreet.sampling.endless import endless


@dataclass(frozen=True, slots=True, init=False)
class Poisson:
    """K from 0 on, with the Poisson law of this mean. Where K is 0, nothing is released but that.

    For the same mean it misses the best outcomes less often than the negative binomial. Its price grows with the mean
    where that of the others does so by its logarithm, and is less where the mean is small or one run is very private.

    >>> Poisson(20).mean, round(Poisson(20).misses("0.1"), 4)
    (20.0, 0.1353)
    """

    mu: Fraction

    def __init__(self, mu: Number) -> None:
        object.__setattr__(self, "mu", positive(mu, "mu"))

    @classmethod
    def expecting(cls, mean: Number) -> Self:
        """Return the law with so many runs on average."""
        return cls(positive(mean, "mean"))

    @classmethod
    def reaching(cls, top: Number, surely: Number = "0.9") -> Self:
        """Return the law with the fewest runs that hits the top share of all outcomes with this chance.

        >>> round(Poisson.reaching("0.05", surely="0.9").mean, 2)
        46.05
        """
        share, rest = chance(top, "top"), 1 - chance(surely, "surely")
        return cls(Fraction(up(upper(at(BITS, lambda: -ball(rest).log() / ball(share))))))

    @property
    def mean(self) -> float:
        """E K, rounded up."""
        return up(self.mu)

    def misses(self, top: Number) -> float:
        """Return the chance that no run lies in the top share of Q's outcomes, rounded up."""
        share = chance(top, "top")
        return up(upper(at(BITS, lambda: self.generating(1 - share))))

    def promise(self, base: Guarantee) -> Guarantee:
        """Return what the best of all runs promises: a pure epsilon where one run has one, else a Renyi curve.

        >>> round(float(Poisson(1).promise(Pure(1)).epsilon), 4)
        1.4621
        """
        pure = as_pure(base)
        return self.renyi(base) if pure is None else self._pure(base, pure.epsilon)

    def renyi(self, base: Guarantee, orders: Iterable[Number] = ORDERS) -> Renyi:
        """Return the Renyi curve at these orders, each bound rounded up and none above that of a larger order."""
        pure = as_pure(base)
        most = None if pure is None else self._pure(base, pure.epsilon)

        def bound(order: Fraction) -> Fraction:
            found = divergence(base, order) + self._tail(base, order)
            return found if most is None else min(found, divergence(most, order))

        return stated(base, orders, bound)

    def zcdp(self, base: Guarantee) -> Zcdp:
        """Return a rho for the best of all runs, where one run has one."""
        rho, pure = rho_of(base), as_pure(base)
        found = least(lambda order: self._rho_at(base, rho, order), furthest_of(base))
        known = None if pure is None else as_zcdp(self._pure(base, pure.epsilon))
        return Zcdp(found if known is None else min(found, known.rho))

    def calibrate(self, target: Guarantee) -> Guarantee:
        """Return what one run may cost so that the best of all keeps the target: a pure epsilon, or a rho."""
        return affordable(self, target, lambda epsilon: self._pure(Pure(epsilon), epsilon))

    def draw(self, coins: Coins) -> int:
        """Return K.

        >>> from discreet.sampling.coins import SystemCoins
        >>> Poisson("0.5").draw(SystemCoins()) >= 0
        True
        """
        return endless(self.chances, coins)

    def chances(self) -> Iterator[Ball]:
        """Yield P(K = 0), P(K = 1) and so on, at the working precision."""
        share, k = ball(-self.mu).exp(), 0
        while True:
            yield share
            k += 1
            share *= ball(self.mu / k)

    def generating(self, x: Fraction) -> Ball:
        """Return E[x**K] for x from 0 to 1, at the working precision."""
        return ball(self.mu * (x - 1)).exp()

    def _pure(self, base: Guarantee, epsilon: Fraction) -> Pure:
        return Pure(epsilon + self.mu * delta_at(base, 0))

    def _size(self) -> Fraction:
        def size() -> Ball:
            return (ball(self.mu) + ball(-self.mu).exp()).log()

        return max(Fraction(0), upper(at(BITS, size)))

    def _tail(self, base: Guarantee, order: Fraction) -> Fraction:
        near = lower(at(BITS, lambda: ball(1 / (order - 1)).log1p()))
        return self.mu * delta_at(base, max(Fraction(0), near)) + self._size() / (order - 1)

    def _rho_at(self, base: Guarantee, rho: Fraction, order: Fraction) -> Fraction:
        beyond = (self.mu * delta_at(base, 0) + self._size() / (order - 1)) / order
        return rho + max(rho * (order - 1) + self._tail(base, order), beyond)
