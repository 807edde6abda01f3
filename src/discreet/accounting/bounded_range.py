"""The least delta of a batch of bounded ranges: of one epsilon exactly, of several in ``classes``. A fixed batch only.

Proved, and checked against enumeration. Mechanisms that see earlier answers can do worse (see ``adaptive``), and so
can parameters chosen on the way: never use this there.

For k mechanisms of range b, delta(e) is the largest over l of F_l, the sum over i = 0..l of

    C(k, i) q**(k-i) (1-q)**i (1 - exp(-(b-t) - (l-i) b)),   q = (1 - exp(t-b)) / (1 - exp(-b)),

at t = (e + (l+1) b) / (k+1), where 0 < t < b. All terms are positive. That F rises and then falls in l was always
seen but is not proved, so every l is looked at: ``scan`` bounds all of them in floats, with a margin for their
rounding, and those that could be the largest are evaluated in balls.

Different epsilons are a maximum over one t for each: ``classes`` encloses it, and its upper end is the answer.
"""

import math
from fractions import Fraction

from discreet.accounting import classes
from discreet.accounting.basic import Amounts, counted
from discreet.accounting.rule import of_amounts
from discreet.accounting.scan import Batch, contenders, guess
from discreet.accounting.uses import Uses
from discreet.balls import Ball, at, ball, two_to, upper
from discreet.exact import Number, chance, nonnegative, up
from discreet.guarantees import Guarantee, PureRange, Range

BITS = 256
MOST = 200_000
"""Larger batches are not scanned."""
LARGE = 10**6
"""A range above this is left to the sum."""
SMALL = Fraction(1, 2**300)
"""A range below this is read as this one, which is a weaker promise, and so safe."""
FEW = 60
"""Newton's steps double the digits; only a start far from a steep root takes more than a few."""
REFINED = 64
"""At most so many l are evaluated in balls; for any others their bound in floats is taken."""


def delta(epsilons: Amounts, at: Number) -> Fraction | None:
    """Return the least delta of all such batches, rounded up; None if they are too many, or too many different ones.

    Of different epsilons it is the upper end of a bracket.

    >>> round(float(delta({"0.1": 100}, 1)), 12)
    0.006887477214
    >>> round(float(delta({"0.1": 100, "0.2": 1}, 1)), 4)
    0.0078
    """
    found, e = counted(epsilons), nonnegative(at, "epsilon")
    if not found:
        return Fraction(0)
    if len(found) > 1:
        return classes.delta(found, e)
    if sum(found.values()) > MOST:
        return None
    (b, k), *_ = found.items()
    return _best(b, k, e)[0]


def epsilon(epsilons: Amounts, delta: Number) -> Fraction | None:
    """Return the least epsilon of all such batches, rounded up; None as for ``delta``.

    >>> round(float(epsilon({"0.1": 100}, "1e-6")), 5)
    2.24603
    """
    found, d = counted(epsilons), chance(delta, "delta")
    if not found:
        return Fraction(0)
    if len(found) > 1:
        return classes.epsilon(found, d)
    if sum(found.values()) > MOST:
        return None
    (b, k), *_ = found.items()
    if b > LARGE or _best(b, k, Fraction(0))[0] <= d:
        return b * k if b > LARGE else Fraction(0)
    return _root(b, k, d)


def _best(b: Fraction, k: int, e: Fraction) -> tuple[Fraction, int]:
    """Return the largest F_l, rounded up, and the l that gives it."""
    if e >= k * b:
        return Fraction(0), 0
    if b > LARGE:
        return Fraction(1), 0
    b = max(b, SMALL)
    best, at_lies = Fraction(0), 0
    for place, (lies, log) in enumerate(contenders(Batch(b, k, e))):
        bound = _exponential(log)
        if bound <= best:
            break
        if place == REFINED:
            return max(best, bound), at_lies
        value = upper(_value(Batch(b, k, e), lies)[0])
        best, at_lies = max((best, at_lies), (value, lies))
    return min(Fraction(1), best), at_lies


def _root(b: Fraction, k: int, d: Fraction) -> Fraction:
    """Return an epsilon whose delta was seen to be at most d, starting a hair below where floats guess it."""
    b, most, log_d = max(b, SMALL), b * k, math.log(d.numerator) - math.log(d.denominator)
    e = _guess(b, k, log_d) * (1 - Fraction(1, 2**20))
    while True:
        bound, lies = _best(b, k, e)
        if bound <= d or e >= most:
            return min(e, most)
        e = Fraction(up(_newton(Batch(b, k, e), lies, d) * (1 + Fraction(1, 2**51))))


def _newton(batch: Batch, lies: int, d: Fraction) -> Fraction:
    """Return nearly the e at which F_l is d, by Newton's steps on its logarithm.

    That is concave, so the steps close in on the root from above, once they are past it.
    """
    e, most = batch.e, batch.b * batch.k
    for _ in range(FEW):
        value, fall = _value(batch._replace(e=e), lies)
        step = upper((value / ball(d)).log() * value / fall)
        e, before = Fraction(up(max(batch.e, min(e + step, (e + most) / 2)))), e
        if abs(e - before) * 2**50 <= e:
            break
    return e


def _guess(b: Fraction, k: int, log_d: float) -> Fraction:
    low, high, e = Fraction(0), b * k, b * k / 2
    for _ in range(60):
        log, slope = guess(Batch(b, k, e))
        low, high = (e, high) if log > log_d else (low, e)
        wanted = float(e) + (log_d - log) / slope if slope < 0 else math.inf
        following = Fraction(wanted) if low < wanted < high else (low + high) / 2
        if abs(following - e) <= e / 2**36:
            return following
        e = following
    return low


def _value(batch: Batch, lies: int) -> tuple[Ball, Ball]:
    """Return F_l, and by how much it falls as e grows."""
    return at(BITS, lambda: _sums(batch, lies))


def _sums(batch: Batch, lies: int) -> tuple[Ball, Ball]:
    b, k, e = batch
    t = (e + (lies + 1) * b) / (k + 1)
    rest, spread, shrink = ball(t - b), ball(-b).expm1(), ball(-b).exp()
    q, lie = rest.expm1() / spread, rest.exp() * ball(-t).expm1() / spread
    ways = ball(k + 1).lgamma() - ball(lies + 1).lgamma() - ball(k - lies + 1).lgamma()
    term, lost, odds = ball(1), rest.exp(), q / lie
    value, fall = -rest.expm1(), lost
    for i in range(lies, 0, -1):
        ratio = odds * i / (k - i + 1)
        term, lost = term * ratio, lost * shrink
        value, fall = value + term * (1 - lost), fall + term * lost
        if i % 16 == 0 and ratio < 1 and term < value * (1 - ratio) * two_to(-80):
            value += term * ratio / (1 - ratio) * ball(0).union(ball(1))  # ratios fall, so the rest is a geometric sum
            break
    first = (ways + (k - lies) * q.log() + lies * lie.log()).exp()
    return first * value, first * fall


def _exponential(log: float) -> Fraction:
    return upper(at(BITS, lambda: ball(Fraction(log)).exp()))


def range_amount(guarantee: Guarantee) -> Fraction | None:
    """Return the bounded range of a guarantee that states one, or None.

    >>> from discreet.guarantees import Pure
    >>> range_amount(Range(1)), range_amount(PureRange(1, "1.5")), range_amount(Pure(1)) is None
    (Fraction(1, 1), Fraction(3, 2), True)
    """
    match guarantee:
        case Range(epsilon=b) | PureRange(range=b):
            return b
        case _:
            return None


def _exact(uses: Uses) -> bool:
    return uses.only(Range) and len(uses.counted()) <= 1


def _quick(uses: Uses) -> bool:
    found = uses.amounts(range_amount) or {}
    return len(found) <= 1 or classes.quick(found)


RULE = of_amounts("batch optimum", ("batch",), range_amount, epsilon, delta, exact=_exact, quick=_quick)
