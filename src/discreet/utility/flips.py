"""The worst case of permute-and-flip (noisy max with exponential noise), exactly.

With h winners and N losers at distance x, p = e^-x and d = h + N, the chance that a loser is drawn is

    T_h = N p * integral over u in [0, 1] of (1 - u)**h (1 - p u)**(N - 1).

Integrating by parts with d fixed: T_h = 1 - c_h T_(h-1), c_h = h / ((d - h + 1) p), T_0 = 1 - (1 - p)**d, T_d = 0.
Each T is a probability. Where c < 1 the recursion shrinks errors upwards, where c > 1 downwards; so starting from
the enclosure [0, 1] some way off, the ball around T_h closes without any cancellation, for any d.
"""

from fractions import Fraction
from functools import lru_cache

from discreet import balls
from discreet.balls import Ball, ball
from discreet.utility.bounds import BITS, EXPONENTIAL, Crowd, Curve, above

_STEPS = 1024  # any start gives a true enclosure: with over 10^4 winners it may be wider, and closed forms are as good
_CLOSE = Fraction(1, 2**60)


def loser_chance(crowd: Crowd, reach: Fraction) -> Ball:
    """Enclose T_h, the chance of a loser when all losers are ``reach`` nats from the best.

    >>> balls.at(BITS, lambda: loser_chance(Crowd.of(2), Fraction(1)) * 2 - ball(-1).exp()).contains(0)
    True
    """
    best, total = int(crowd.best), int(crowd.best + crowd.rest)
    weight = ball(-reach).exp()
    if _ratio(best, total, weight) < 1:
        return _upwards(best, total, weight, reach)
    return _downwards(best, total, weight)


def _ratio(index: int, total: int, weight: Ball) -> Ball:
    return ball(Fraction(index, total - index + 1)) / weight


def _upwards(best: int, total: int, weight: Ball, reach: Fraction) -> Ball:
    ratios: list[Ball] = []
    shrink = ball(1)
    index = best
    while index and len(ratios) < _STEPS and not shrink < ball(Fraction(1, 2**BITS)):
        ratios.append(_ratio(index, total, weight))
        shrink *= ratios[-1]
        index -= 1
    result = _any_chance() if index else _some_loser_kept(total, weight, reach)
    for ratio in reversed(ratios):
        result = 1 - ratio * result
    return result


def _downwards(best: int, total: int, weight: Ball) -> Ball:
    ratios = [_ratio(best + 1, total, weight)]
    shrink = ball(1)
    index = best + 1
    while index < total and len(ratios) < _STEPS and not shrink < ball(Fraction(1, 2**BITS)):
        index += 1
        ratios.append(_ratio(index, total, weight))
        shrink /= ratios[-1]
    result = ball(0) if index == total else _any_chance()
    for ratio in reversed(ratios):
        result = (1 - result) / ratio
    return result


def _some_loser_kept(total: int, weight: Ball, reach: Fraction) -> Ball:
    gone = (-weight).log1p() if weight < ball(Fraction(1, 2)) else (-ball(-reach).expm1()).log()
    return -(total * gone).expm1()


def _any_chance() -> Ball:
    return ball(0).union(ball(1))


@lru_cache(maxsize=4096)
def _tail(crowd: Crowd, reach: Fraction) -> Fraction:
    closed = min(_union_tail(crowd, reach), EXPONENTIAL.tail(crowd, reach))
    return min(closed, above(lambda: loser_chance(crowd, reach)))


@lru_cache(maxsize=4096)
def _inverse(crowd: Crowd, chance: Fraction) -> Fraction:
    if crowd.rest <= chance * (crowd.best + crowd.rest):
        return Fraction(0)
    low, high = Fraction(0), min(_union_inverse(crowd, chance), EXPONENTIAL.inverse(crowd, chance))
    while high - low > high * _CLOSE:
        middle = (low + high) / 2
        if _tail(crowd, middle) <= chance:
            high = middle
        else:
            low = middle
    return high


@lru_cache(maxsize=4096)
def _mean(crowd: Crowd) -> Fraction:
    closed = min(_harmonic(crowd), EXPONENTIAL.average(crowd))
    peak: Fraction | None = balls.at(BITS, lambda: _peak(crowd))
    return closed if peak is None else min(closed, peak)


def _peak(crowd: Crowd) -> Fraction | None:
    low, high = Fraction(1, 2), Fraction(2)
    while not _burden(crowd, high) < _burden(crowd, high / 2):
        high *= 2
        if high > 2**40:
            return None
    while high - low > Fraction(1, 2**45):
        third = (high - low) / 3
        if _burden(crowd, low + third) < _burden(crowd, high - third):
            low += third
        else:
            high -= third
    middle, side = (low + high) / 2, Fraction(1, 2**40)
    top, left, right = (_burden(crowd, middle + shift) for shift in (Fraction(0), -side, side))
    # ln(x T) is concave: a chord through the middle, extended past it, stays above the curve on the other side.
    if not (left < top and right < top):
        return None
    return max(balls.upper(top * top / left), balls.upper(top * top / right))


def _burden(crowd: Crowd, reach: Fraction) -> Ball:
    return ball(reach) * loser_chance(crowd, reach)


PERMUTE_AND_FLIP = Curve(_tail, _inverse, _mean)
"""Permute-and-flip: exact worst cases (tail T_h; the mean is the greatest x T_h(x)).

Mean: as a function of the weights p_i = e^-x_i of the losers, the mean error is concave in each. A stationary point
with p_1 != p_2 would need a*(ln p_2 - ln p_1)/(p_2 - p_1) + b*(ln(p_1 p_2) + 1) + e = 0 with a >= b > 0 and e >= 0;
but with p_1 p_2 = e^-2s the first quotient is at least 2s, so the left side is above zero. Hence all losers sit
at one distance x. T is the tail of a difference of independent variables with log-concave densities, so ln T is
concave, and x T(x) has a single peak; the hazard of T is at most 1, so the peak is at x >= 1.
"""


@lru_cache(maxsize=4096)
def _union_tail(crowd: Crowd, reach: Fraction) -> Fraction:
    return above(lambda: ball(_pairs(crowd)) * ball(-reach).exp())


@lru_cache(maxsize=4096)
def _union_inverse(crowd: Crowd, chance: Fraction) -> Fraction:
    odds = _pairs(crowd) / chance
    return above(lambda: ball(odds).log()) if odds > 1 else Fraction(0)


@lru_cache(maxsize=4096)
def _harmonic(crowd: Crowd) -> Fraction:
    best, total = crowd.best, crowd.best + crowd.rest
    return above(lambda: ball(total + 1).digamma() - ball(best + 1).digamma())


def _pairs(crowd: Crowd) -> Fraction:
    return crowd.rest / (crowd.best + 1)


PERMUTE_AND_FLIP_TEXTBOOK = Curve(_union_tail, _union_inverse, _harmonic)
"""Permute-and-flip in closed form: Pr[error >= x] <= N e^-x / (h + 1), and mean at most H_d - H_h (harmonic numbers).

Tail: each loser beats h winners with chance at most p * integral of (1 - u)**h = p / (h + 1). Mean: the drawn
loser's noise exceeds the winners' best noise by at least the error, and the greatest of n exponentials has mean H_n.
"""
