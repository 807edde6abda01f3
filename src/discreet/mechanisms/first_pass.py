"""Random stopping at the first run that is good enough."""

from dataclasses import dataclass
from fractions import Fraction

from discreet.balls import Ball, at, ball, upper
from discreet.errors import SettingError
from discreet.exact import Number, chance, number, up, whole
from discreet.guarantees import Guarantee, Pure
from discreet.mechanisms.base import spendable
from discreet.mechanisms.negative_binomial import NegativeBinomial
from discreet.mechanisms.repeats import BITS
from discreet.readings import as_pure, largest
from discreet.sampling.coins import Coins


@dataclass(frozen=True, slots=True, init=False)
class FirstPass:
    """The first run whose score reaches a public threshold; after each failure it ends with chance gamma.

    Twice the price of one run (Liu and Talwar 2019). Let p be the chance that a run passes, and r = (1-gamma) (1-p). An
    outcome y that passes comes with chance q(y)/(1-r), and nothing with gamma (1-p)/(1-r). Between neighbours q(y) and
    1-p move by a factor exp(eps) at most, and so does 1-r = gamma + (1-gamma) p.

    ``most`` is a public cap m on the runs. It multiplies the first by 1 - r**m, which is from 1 - (1-gamma)**m to 1,
    and the second by 1 + (1-gamma)**m p (1-p)**(m-1) / gamma, which is largest at p = 1/m. The log of the larger of the
    two ratios is added to the price.

    >>> FirstPass("0.9", gamma="0.01").promise(Pure("0.5"))
    Pure(epsilon=Fraction(1, 1))
    >>> float(FirstPass("0.9", gamma="0.1", most=60).promise(Pure("0.5")).epsilon)
    1.0017...
    """

    threshold: Fraction
    gamma: Fraction
    most: int | None

    def __init__(self, threshold: Number, gamma: Number, most: int | None = None) -> None:
        object.__setattr__(self, "threshold", number(threshold, "threshold"))
        object.__setattr__(self, "gamma", chance(gamma, "gamma"))
        object.__setattr__(self, "most", None if most is None else whole(most, "most"))

    @property
    def mean(self) -> float:
        """The number of runs on average if none ever passes, rounded up; there are fewer if some do."""
        return up((1 - (1 - self.gamma) ** self.most) / self.gamma if self.most else 1 / self.gamma)

    def misses(self, top: Number) -> float:
        """Return the chance that nothing comes out if the top share of Q's outcomes passes, rounded up.

        >>> round(FirstPass("0.9", gamma="0.01").misses("0.05"), 3)
        0.16
        """
        p, gamma = chance(top, "top"), self.gamma
        nothing = (1 - p) * gamma / (gamma + (1 - gamma) * p)
        if self.most is None:
            return up(nothing)
        late = ball((1 - gamma) * (1 - p)) ** self.most
        return up(upper(at(BITS, lambda: ball(nothing) + late * ball(p / (gamma + (1 - gamma) * p)))))

    def promise(self, base: Guarantee) -> Pure:
        """Return the pure epsilon of what comes out; one run must have one."""
        pure = as_pure(base)
        if pure is None:
            raise SettingError.of("guarantee", "one with a pure epsilon for each run, such as Pure(...)", str(base))
        return Pure(2 * pure.epsilon + self._for_the_cap())

    def calibrate(self, target: Guarantee) -> Pure:
        """Return what one run may cost so that all together keep the target.

        >>> FirstPass("0.9", gamma="0.01").calibrate(Pure(1))
        Pure(epsilon=Fraction(1, 2))
        """
        return Pure(spendable((largest(Pure, target) - self._for_the_cap()) / 2, target))

    def draw(self, coins: Coins) -> int:
        """Return how many runs there are at the most.

        >>> from discreet.sampling.coins import SystemCoins
        >>> FirstPass(0, gamma="0.01", most=3).draw(SystemCoins()) in {1, 2, 3}
        True
        """
        drawn = NegativeBinomial(1, self.gamma).draw(coins)
        return drawn if self.most is None else min(drawn, self.most)

    def _for_the_cap(self) -> Fraction:
        if self.most is None:
            return Fraction(0)
        m, gamma = self.most, self.gamma
        peak = Fraction(m - 1, m) ** (m - 1) / m

        def price() -> Ball:
            late = ball(1 - gamma) ** m
            return (-(-late).log1p()).max((late * ball(peak / gamma)).log1p())

        return upper(at(BITS, price))
