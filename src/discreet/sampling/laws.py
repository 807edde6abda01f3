"""The exact laws of small cases, as certified balls: for audits, oracles and views the caller asks for by name.

Weights are w_i = exp(-rate * (best - score i)) throughout. Call inside ``balls.at`` to choose the precision.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise

from discreet.balls import Ball, at, ball
from discreet.sampling.column import Column

Law = list[Ball]


def weights(column: Column, rate: Fraction) -> Law:
    """Return every weight exp(-rate * (best - score)).

    >>> [float(w) for w in weights(Column.of([1, 1]), Fraction(1))]
    [1.0, 1.0]
    """
    best = column.greatest()
    return [ball(rate * column.unit * (column.stored(place) - best)).exp() for place in range(len(column))]


def exponential(column: Column, rate: Fraction) -> Law:
    """Return the law of the exponential mechanism (and of noisy max with Gumbel noise).

    >>> [float(p) for p in exponential(Column.of([1, 1]), Fraction(1))]
    [0.5, 0.5]
    """
    each = weights(column, rate)
    total = sum(each, ball(0))
    return [weight / total for weight in each]


def permute_and_flip(column: Column, rate: Fraction) -> Law:
    """Return w_i * integral_0^1 prod_{j != i} (1 - w_j u) du for every i: O(n**2), for some hundreds of candidates.

    >>> [float(p) for p in permute_and_flip(Column.of([1, 1]), Fraction(1))]
    [0.5, 0.5]
    """
    each = weights(column, rate)
    everyone = _product(each)
    return [weight * _area(_without(everyone, weight), ball(0), ball(1)) for weight in each]


def laplace_noisy_max(column: Column, rate: Fraction) -> Law:
    """Return the law of noisy max with Laplace noise of scale 1/rate.

    On the clock s = exp(-rate * (level - best)) candidate j is below the level with chance 1 - w_j s / 2 while
    w_j s <= 1, and 1 / (2 w_j s) after. Between two turning points the density of i's arrival is a polynomial over a
    power of s.

    >>> [float(p) for p in laplace_noisy_max(Column.of([1, 1]), Fraction(1))]
    [0.5, 0.5]
    """
    each = weights(column, rate)
    order = sorted(range(len(each)), key=column.stored, reverse=True)
    turns = [ball(0), *(1 / each[place] for place in order)]
    law = [ball(0)] * len(each)
    halves, constant = [weight / 2 for weight in each], ball(1)
    for past, (start, end) in enumerate(pairwise(turns)):
        rising = _product([halves[place] for place in order[past:]])
        common = constant * _area(rising, start, end, power=past + 1) if past else ball(0)
        for place in order[:past]:
            law[place] += common
        for place in order[past:]:
            rest = _without(rising, halves[place])
            law[place] += halves[place] * constant * _area(rest, start, end, power=past)
        constant /= 4 * halves[order[past]]
    tail = constant / (len(each) * turns[-1] ** len(each))
    return [share + tail for share in law]


def settled(law: Callable[[Column, Fraction], Law], column: Column, rate: Fraction, bits: int = 64) -> Law:
    """Return a law whose every probability is enclosed to ``bits`` significant bits.

    >>> float(settled(exponential, Column.of([1, 1]), Fraction(1))[0])
    0.5
    """
    precision = bits + 64
    while True:
        found = at(precision, lambda: law(column, rate))
        if all(share.rel_accuracy_bits() >= bits for share in found):
            return found
        precision *= 2


def _product(slopes: Sequence[Ball]) -> Law:
    """Return the coefficients of prod (1 - slope * s)."""
    result = [ball(1)]
    for slope in slopes:
        shifted = [ball(0), *(-slope * value for value in result)]
        result = [left + right for left, right in zip([*result, ball(0)], shifted, strict=True)]
    return result


def _without(polynomial: Law, slope: Ball) -> Law:
    """Divide out one factor (1 - slope * s)."""
    return list(accumulate(polynomial[:-1], lambda carried, value: value + slope * carried))


def _area(polynomial: Law, start: Ball, end: Ball, power: int = 0) -> Ball:
    """Integrate polynomial(s) / s**power from start to end."""
    total = ball(0)
    for degree, value in enumerate(polynomial, start=1 - power):
        total += value * ((end / start).log() if degree == 0 else (end**degree - start**degree) / degree)
    return total
