"""How far from the best a selection may land, in the worst case, when only public numbers are known.

Everything here is in nats: ``reach = rate * error``. Each mechanism has one curve, read three ways: the chance of
an error at least so large, the error exceeded with at most some chance, and the mean. All results are fractions
surely not below the true bound. Proofs use one coupling: moving every loser to the same distance from the best,
and every candidate nearer than that to the best itself, can only hurt.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from discreet import balls
from discreet.balls import Ball, ball
from discreet.errors import SettingError
from discreet.exact import number, up, whole

BITS = 192
"""Working precision: far beyond a float, so that rounding up at the edge costs one unit in the last place."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """What is public about the candidates: how many are surely best, and how many are the rest.

    >>> Crowd.of(100)
    Crowd(best=Fraction(1, 1), rest=Fraction(99, 1))
    """

    best: Fraction
    rest: Fraction

    @classmethod
    def of(cls, candidates: object, winners: object = 1) -> "Crowd":
        """Count: ``winners`` of the ``candidates`` share the best score (1 is always true)."""
        total = whole(candidates, "candidates")
        best = whole(winners, "winners", most=total)
        return cls(Fraction(best), Fraction(total - best))

    @classmethod
    def measure(cls, mass: object) -> "Crowd":
        """Weigh: the best outcomes have base measure ``mass`` out of one.

        >>> Crowd.measure("0.25").rest
        Fraction(3, 4)
        """
        wanted = "a number above 0 and at most 1"
        best = number(mass, "mass", wanted)
        if not 0 < best <= 1:
            raise SettingError.of("mass", wanted, mass)
        return cls(best, 1 - best)


@dataclass(frozen=True, slots=True)
class Curve:
    """The worst case of one mechanism: a tail, its inverse and a mean, each certified from above.

    >>> float(EXPONENTIAL.reach(Crowd.of(2), Fraction(1, 2)))
    0.0
    """

    tail: Callable[[Crowd, Fraction], Fraction]
    inverse: Callable[[Crowd, Fraction], Fraction]
    average: Callable[[Crowd], Fraction]

    def chance(self, crowd: Crowd, reach: Fraction) -> Fraction:
        """Bound the chance that rate times error is at least ``reach``."""
        if reach <= 0:
            return Fraction(1)
        if not crowd.rest:
            return Fraction(0)
        # Past this reach every tail is under the least float, and tails only fall: no astronomical exponents.
        cap = 800 + math.ceil(crowd.rest / crowd.best).bit_length()
        return min(Fraction(1), self.tail(crowd, min(reach, Fraction(cap))))

    def reach(self, crowd: Crowd, chance: Fraction) -> Fraction:
        """Bound the rate times error that is exceeded with at most this chance."""
        return max(Fraction(0), self.inverse(crowd, chance)) if crowd.rest else Fraction(0)

    def mean(self, crowd: Crowd) -> Fraction:
        """Bound the expectation of rate times error."""
        return max(Fraction(0), self.average(crowd)) if crowd.rest else Fraction(0)


def above(compute: Callable[[], Ball]) -> Fraction:
    """Evaluate in balls and return a fraction surely not below the result.

    >>> above(lambda: ball(2).sqrt()) ** 2 > 2
    True
    """
    result: Fraction = balls.at(BITS, lambda: balls.upper(compute()))
    return result


def ball_log(value: Fraction | int) -> Ball:
    """Enclose the natural logarithm of a number above zero.

    >>> balls.upper(ball_log(1)) == 0
    True
    """
    return ball(value).log()


def outward(value: Fraction) -> float:
    """Return a float not below ``value``, also when it is read back as the decimal it prints as.

    >>> outward(Fraction(3, 10))
    0.30000000000000004
    """
    result = up(value)
    while math.isfinite(result) and Fraction(repr(result)) < value:
        result = math.nextafter(result, math.inf)
    return result


@lru_cache(maxsize=4096)
def _exponential_tail(crowd: Crowd, reach: Fraction) -> Fraction:
    return above(lambda: 1 / (1 + ball(reach).exp() * ball(crowd.best / crowd.rest)))


@lru_cache(maxsize=4096)
def _exponential_inverse(crowd: Crowd, chance: Fraction) -> Fraction:
    return _log(crowd.rest * (1 - chance) / (crowd.best * chance))


@lru_cache(maxsize=4096)
def _exponential_mean(crowd: Crowd) -> Fraction:
    return above(lambda: (ball(crowd.rest / crowd.best) * ball(-1).exp()).lambertw())  # noqa: PLW0108 - inside, at our precision


EXPONENTIAL = Curve(_exponential_tail, _exponential_inverse, _exponential_mean)
"""The exponential mechanism (noisy max with Gumbel noise): exact worst cases.

With N losers at distance x from h winners, Pr[error >= x] = N e^-x / (h + N e^-x); the coupling makes it the worst.
Mean: sum x_i e^-x_i / (h + sum e^-x_i) = m is greatest where each (x_i - m) e^-x_i is, at x_i = m + 1, so
N e^-(m+1) = h m, that is m = W(N / (h e)) with Lambert's W.
"""


@lru_cache(maxsize=4096)
def _textbook_tail(crowd: Crowd, reach: Fraction) -> Fraction:
    return above(lambda: ball(_share(crowd)) * ball(-reach).exp())


@lru_cache(maxsize=4096)
def _textbook_inverse(crowd: Crowd, chance: Fraction) -> Fraction:
    return _log(_share(crowd) / chance)


@lru_cache(maxsize=4096)
def _textbook_mean(crowd: Crowd) -> Fraction:
    return _log(_share(crowd))


EXPONENTIAL_TEXTBOOK = Curve(_textbook_tail, _textbook_inverse, _textbook_mean)
"""The exponential mechanism as papers state it: Pr[error >= ln(d/h) + t] <= e^-t, and mean at most ln(d/h).

The mean is the Gibbs variational principle: sum p_i q_i + H(p) is greatest for the softmax p, and is at least
max q + ln h (put all mass on the winners); so the mean error is at most H(p) - ln h <= ln d - ln h.
"""


@lru_cache(maxsize=4096)
def _laplace_tail(crowd: Crowd, reach: Fraction) -> Fraction:
    return above(lambda: ball(crowd.rest * (2 + reach) / 4) * ball(-reach).exp())


@lru_cache(maxsize=4096)
def _laplace_inverse(crowd: Crowd, chance: Fraction) -> Fraction:
    if crowd.rest <= 2 * chance:
        return Fraction(0)
    # N (2 + x)/4 e^-x = c reads s e^-s = 4c/(N e^2) with s = x + 2 >= 2, on the lower branch of Lambert's W.
    return above(lambda: -(-ball(4 * chance / crowd.rest) / ball(2).exp()).lambertw(-1) - 2)


@lru_cache(maxsize=4096)
def _laplace_mean(crowd: Crowd) -> Fraction:
    cut = _laplace_inverse(crowd, Fraction(1))
    return above(lambda: cut_plus_tail(cut, crowd.rest))


def cut_plus_tail(cut: Fraction, losers: Fraction) -> Ball:
    """Integrate the tail: at most 1 up to ``cut`` and at most the union bound beyond it.

    >>> float(balls.upper(cut_plus_tail(Fraction(0), Fraction(1))))
    0.75
    """
    return ball(cut) + ball(losers * (3 + cut) / 4) * ball(-cut).exp()


LAPLACE = Curve(_laplace_tail, _laplace_inverse, _laplace_mean)
"""Noisy max with Laplace noise: Pr[error >= x] <= N e^-x (1/2 + x/4), a union bound, not attained for N > 1.

The difference of two independent standard Laplace variables exceeds x >= 0 with chance e^-x (1/2 + x/4).
"""


def _share(crowd: Crowd) -> Fraction:
    return (crowd.best + crowd.rest) / crowd.best


def _log(value: Fraction) -> Fraction:
    return above(lambda: ball_log(value)) if value > 1 else Fraction(0)
