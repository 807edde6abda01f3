"""Delta at every epsilon for one mechanism, where a guarantee alone does not say it best.

Proved and checked: the Laplace pair dominates permute-and-flip and noisy max with exponential, Laplace, Gumbel or
logistic noise, adaptively too; and a mechanism known to be both purely private and of bounded range has its worst
two-point law at t = (b + e)/2, kept between b - a and a.
"""

from fractions import Fraction

from discreet.balls import Ball, ball, upper
from discreet.balls import at as at_precision
from discreet.exact import Number, nonnegative

BITS = 256


def laplace_delta(ratio: Number, at: Number) -> Fraction:
    """Return the delta, rounded up, of permute-and-flip or noisy max of pure epsilon ``ratio``.

    >>> round(float(laplace_delta(1, "0.25")), 12)
    0.312710721209
    """
    r, e = nonnegative(ratio, "ratio"), nonnegative(at, "epsilon")
    return Fraction(0) if e >= r else at_precision(BITS, lambda: upper(-ball((e - r) / 2).expm1()))


def pure_and_range_delta(pure: Number, bounded: Number, at: Number) -> Fraction:
    """Return the least delta, rounded up, of a mechanism of a pure epsilon and a bounded range at once.

    >>> round(float(pure_and_range_delta(1, "1.5", "0.3")), 12)
    0.26203995738
    """
    e = nonnegative(at, "epsilon")
    a, b = nonnegative(pure, "pure"), nonnegative(bounded, "bounded")
    a, b = min(a, b), min(b, 2 * a)
    if e >= a:
        return Fraction(0)
    t = min(a, max(b - a, (b + e) / 2))
    return at_precision(BITS, lambda: upper(_two_points(b, t, e)))


def _two_points(b: Fraction, t: Fraction, e: Fraction) -> Ball:
    truth, doubt = ball(t - b).expm1(), ball(e - b).exp() - ball(e - t).exp()
    return (truth - doubt) / ball(-b).expm1()
