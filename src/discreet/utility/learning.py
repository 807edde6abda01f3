"""How many examples private learning needs: the exponential mechanism over a finite class of hypotheses.

The score of a hypothesis is minus the number of examples it gets wrong. One example more lowers every score by 0
or 1, so the gap is 1 (2 when an example is replaced), and the rate is epsilon / gap.

Theorem. Draw n examples independently; let h* have the least risk and h a risk more than a above it. With S the
errors of h minus those of h*, the mechanism returns h with chance at most 1/(1 + e^(rate S)) <= e^(-r S) for every
0 <= r <= rate (S >= 0: the rate only helps; S < 0: the right side is above 1). Averaging over the examples:

* Realisable (h* makes no error): S is binomial with chance above a, so E e^(-r S) < (1 - a (1 - e^-r))^n; r = rate.
* Agnostic: S is a sum of n independent Z in [-1, 1] with mean above a. By convexity e^(-rZ) lies under the chord
  cosh r - Z sinh r, so E e^(-r S) < (cosh r - a sinh r)^n; the best r is min(rate, artanh a).

A union over the other |H| - 1 hypotheses bounds the failure; n is what makes it at most the probability allowed.
With x = ln(|H|/b): realisable n is about x/(a (1 - e^-rate)), that is x/a without privacy and x/(a rate) for small
rates; agnostic n is at most 2x/a^2 once rate >= a, the number known without privacy, and before that at most
2x/(a rate), near x/(a rate) for small rates.
"""

from dataclasses import dataclass
from fractions import Fraction

from discreet import balls
from discreet.balls import Ball, ball
from discreet.exact import Number, chance, flag, positive, whole
from discreet.sensitivity import Sensitivity
from discreet.utility.bounds import BITS, above, ball_log, outward

_ENOUGH = Fraction(64)  # beyond this rate nothing is gained that a float could show, and a smaller rate is still valid


@dataclass(frozen=True, slots=True)
class Lesson:
    """A learning task in public numbers: how many hypotheses, how much excess risk, and at what rate.

    >>> lesson = Lesson.of(1000, error="0.1", epsilon=1)
    >>> lesson.sample_size("0.05"), lesson.chance_of_failure(1971) <= 0.05 < lesson.chance_of_failure(1970)
    (1971, True)
    """

    hypotheses: int
    error: Fraction
    rate: Fraction
    realisable: bool

    @classmethod
    def of(
        cls,
        hypotheses: int,
        *,
        error: Number,
        epsilon: Number,
        realisable: bool = False,
        neighbours: str = "add-remove",
    ) -> "Lesson":
        """Read the task; ``error`` is the excess risk allowed over the best hypothesis of the class."""
        change = Sensitivity.of(sensitivity=1, monotonic=neighbours == "add-remove", neighbours=neighbours)
        rate = positive(epsilon, "epsilon") / change.gap
        return cls(whole(hypotheses, "hypotheses"), chance(error, "error"), rate, flag(realisable, "realisable"))

    def sample_size(self, probability: Number = "0.05") -> int:
        """Return a number of examples with which the excess risk is above ``error`` with at most this probability."""
        failure = chance(probability, "probability")
        others = self.hypotheses - 1
        if not others:
            return 0
        needed = above(lambda: ball_log(others / failure) / self._nats())
        return -int(-needed // 1)

    def chance_of_failure(self, examples: int) -> float:
        """Return the most likely it is that the excess risk is above ``error``, rounded up.

        >>> Lesson.of(2, error="0.5", epsilon=1).chance_of_failure(0)
        1.0
        """
        size, others = whole(examples, "examples", least=0), self.hypotheses - 1
        if not others:
            return 0.0
        nats = balls.at(BITS, lambda: balls.lower(self._nats()))
        cap = 800 + others.bit_length()
        return min(1.0, outward(above(lambda: others * ball(-min(size * nats, Fraction(cap))).exp())))

    def _nats(self) -> Ball:
        rate, error = ball(min(self.rate, _ENOUGH)), ball(self.error)
        if self.realisable:
            return -(error * (-rate).expm1()).log1p()
        rate = rate.min(error.atanh())
        # cosh r - 1 = 2 sinh(r/2)**2, so nothing cancels when the rate and the error are tiny.
        return -(2 * (rate / 2).sinh() ** 2 - error * rate.sinh()).log1p()


def sample_size(
    hypotheses: int,
    *,
    error: Number,
    epsilon: Number,
    probability: Number = "0.05",
    realisable: bool = False,
    neighbours: str = "add-remove",
) -> int:
    """Return how many examples suffice to learn one of ``hypotheses`` privately to excess risk ``error``.

    >>> sample_size(1000, error="0.1", epsilon=1, realisable=True)
    152
    """
    lesson = Lesson.of(hypotheses, error=error, epsilon=epsilon, realisable=realisable, neighbours=neighbours)
    return lesson.sample_size(probability)
