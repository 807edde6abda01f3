"""Random stopping with a truncated negative binomial number of runs.

f'(x) is in proportion to G(x)**-(1+eta) with G(x) = gamma + (1-gamma) (1-x), which at x = Q(y) is the chance of an
event of one run and one further coin. For a neighbour write G'. If one run is pure eps, G moves by a factor exp(eps) at
most, and so the best of K is pure (2+eta) eps.

At order b one run has divergence e(b), so G' <= (G exp(e(b)))**(1-1/b); and G >= gamma. Put into the sum that defines
the divergence of order a, with f'(1) = E K = gamma**-(1+eta) times the constant of proportion, this gives at most

    e(a) + (1+eta) ((1-1/b) e(b) + ln(1/gamma)/b) + ln(E K)/(a-1)

for every b > 1. The middle term is convex in 1/b. Where e(a) = rho a, take the bound B at one order c: a divergence at
a < c is at most B, which is at most B a; and beyond c the bound itself is at most B a. So the best of K is B-zCDP.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Self

from discreet.balls import Ball, at, ball, lower, upper
from discreet.errors import SettingError
from discreet.exact import Number, chance, number, up
from discreet.guarantees import Guarantee, Pure, Renyi, Zcdp
from discreet.mechanisms.repeats import BITS, ORDERS, affordable, best_order, furthest_of, least, rho_of, stated
from discreet.readings import as_pure, as_zcdp, divergence, edge
from discreet.sampling.coins import Coins
from discreet.sampling.endless import endless

RAREST = Fraction(1, 2**4096)
"""The least gamma that is tried."""


@dataclass(frozen=True, slots=True, init=False)
class NegativeBinomial:
    """K from 1 on, with P(K = k) in proportion to (1-gamma)**k times the product over l < k of (l+eta)/(l+1).

    Shape 1 is geometric: three times the base epsilon. Shape 0 is logarithmic: twice. Towards -1 it falls to once, and
    K is 1 more and more often.

    >>> round(NegativeBinomial(1, "0.01").mean), NegativeBinomial(0, "0.01").promise(Pure(1))
    (100, Pure(epsilon=Fraction(2, 1)))
    """

    eta: Fraction
    gamma: Fraction

    def __init__(self, eta: Number, gamma: Number) -> None:
        object.__setattr__(self, "eta", number(eta, "eta"))
        object.__setattr__(self, "gamma", chance(gamma, "gamma"))
        if self.eta <= -1:
            raise SettingError.of("eta", "a number above -1", eta)

    @classmethod
    def expecting(cls, mean: Number, eta: Number = 0) -> Self:
        """Return the law of this shape with so many runs on average, its gamma rounded to six digits.

        >>> NegativeBinomial.expecting(100, eta=1), round(NegativeBinomial.expecting(100).mean, 2)
        (NegativeBinomial(eta=Fraction(1, 1), gamma=Fraction(1, 100)), 100.0)
        """
        wanted = number(mean, "mean")
        if wanted <= 1:
            raise SettingError.of("mean", "a number above 1", mean)
        return cls._where(eta, lambda law: lower(at(BITS, law.expected)) > wanted)

    @classmethod
    def reaching(cls, top: Number, surely: Number = "0.9", eta: Number = 0) -> Self:
        """Return the law with the fewest runs that hits the top share of all outcomes with this chance.

        >>> law = NegativeBinomial.reaching("0.05", surely="0.9", eta=1)
        >>> round(law.mean), round(law.misses("0.05"), 3)
        (171, 0.1)
        """
        share, rest = chance(top, "top"), 1 - chance(surely, "surely")

        def enough(law: Self) -> bool:
            return upper(at(BITS, lambda: law.generating(1 - share))) < rest

        if not enough(cls(eta, RAREST)):
            raise SettingError.of("surely", "a chance that this shape can reach", surely, "take eta from 0 on")
        return cls._where(eta, enough)

    @classmethod
    def _where(cls, eta: Number, enough: Callable[[Self], bool]) -> Self:
        """Return the law with the largest gamma, six digits of it, that has runs enough."""
        low, _ = edge(lambda gamma: gamma < 1 and enough(cls(eta, gamma)))
        return cls(eta, f"{Decimal(low.numerator) / low.denominator:.6g}")

    @property
    def mean(self) -> float:
        """E K, rounded up."""
        return up(upper(at(BITS, self.expected)))

    def misses(self, top: Number) -> float:
        """Return the chance that no run lies in the top share of Q's outcomes, rounded up.

        >>> [round(NegativeBinomial.expecting(100, eta).misses("0.01"), 2) for eta in (1, 0)]
        [0.5, 0.69]
        """
        share = chance(top, "top")
        return up(upper(at(BITS, lambda: self.generating(1 - share))))

    def promise(self, base: Guarantee) -> Guarantee:
        """Return what the best of all runs promises: a pure epsilon where one run has one, else a Renyi curve.

        >>> print(NegativeBinomial(0, "0.01").promise(Zcdp("0.01")))
        Renyi differential privacy, about 0.78094 at order 65/64 to about 31.1502 at order 3073
        """
        pure = as_pure(base)
        return self.renyi(base) if pure is None else Pure((2 + self.eta) * pure.epsilon)

    def renyi(self, base: Guarantee, orders: Iterable[Number] = ORDERS) -> Renyi:
        """Return the Renyi curve at these orders, each bound rounded up and none above that of a larger order."""
        extra, pure = (1 + self.eta) * self._middle(base), as_pure(base)
        most = None if pure is None else Pure((2 + self.eta) * pure.epsilon)

        def bound(order: Fraction) -> Fraction:
            tail = upper(at(BITS, lambda: self.expected().log())) / (order - 1)
            found = divergence(base, order) + extra + tail
            return found if most is None else min(found, divergence(most, order))

        return stated(base, orders, bound)

    def zcdp(self, base: Guarantee) -> Zcdp:
        """Return a rho for the best of all runs, where one run has one.

        >>> round(float(NegativeBinomial(0, "0.01").zcdp(Zcdp("0.001")).rho), 4)
        0.2465
        """
        rho, pure = rho_of(base), as_pure(base)
        size = upper(at(BITS, lambda: self.expected().log()))
        order = best_order(size, rho)
        found = rho * order + (1 + self.eta) * self._middle(base) + size / (order - 1)
        known = None if pure is None else as_zcdp(Pure((2 + self.eta) * pure.epsilon))
        return Zcdp(found if known is None else min(found, known.rho))

    def calibrate(self, target: Guarantee) -> Guarantee:
        """Return what one run may cost so that the best of all keeps the target: a pure epsilon, or a rho.

        >>> NegativeBinomial(0, "0.01").calibrate(Pure(1))
        Pure(epsilon=Fraction(1, 2))
        """
        return affordable(self, target, lambda epsilon: Pure((2 + self.eta) * epsilon))

    def draw(self, coins: Coins) -> int:
        """Return K.

        >>> from discreet.sampling.coins import SystemCoins
        >>> NegativeBinomial(1, "0.5").draw(SystemCoins()) >= 1
        True
        """
        return 1 + endless(self.chances, coins)

    def chances(self) -> Iterator[Ball]:
        """Yield P(K = 1), P(K = 2) and so on, at the working precision."""
        keep, k = 1 - self.gamma, 1
        share = ball(keep) * (ball(self.eta) / self._mass() if self.eta else 1 / -ball(self.gamma).log())
        while True:
            yield share
            share *= ball(keep * (k + self.eta) / (k + 1))
            k += 1

    def expected(self) -> Ball:
        """Return E K, at the working precision.

        >>> at(64, NegativeBinomial(1, "0.01").expected)
        [100.000000000000 +/- ...]
        """
        odds = ball(1 / self.gamma - 1)
        if not self.eta:
            return odds / -ball(self.gamma).log()
        return ball(self.eta) * odds / -(ball(self.eta) * ball(self.gamma).log()).expm1()

    def generating(self, x: Fraction) -> Ball:
        """Return E[x**K] for x from 0 to 1, at the working precision."""
        fall = -ball(1 - (1 - self.gamma) * x).log()
        if not self.eta:
            return fall / -ball(self.gamma).log()
        return (ball(self.eta) * fall).expm1() / self._mass()

    def _mass(self) -> Ball:
        return (ball(-self.eta) * ball(self.gamma).log()).expm1()

    def _middle(self, base: Guarantee) -> Fraction:
        """Return the least (1-1/b) e(b) + ln(1/gamma)/b found, rounded up."""
        size = upper(at(BITS, lambda: -ball(self.gamma).log()))
        found = least(lambda b: (1 - 1 / b) * divergence(base, b) + size / b, furthest_of(base))
        pure = as_pure(base)
        return found if pure is None else min(found, pure.epsilon)  # the limit of large b
