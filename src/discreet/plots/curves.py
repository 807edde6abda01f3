"""Numbers as curves: what a rule says at many counts, and a delta at many epsilons; and numbers as words."""

import textwrap
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import inf
from typing import NamedTuple

from discreet.accounting import Bound
from discreet.accounting.uses import Plan
from discreet.errors import SettingError
from discreet.exact import plain, up
from discreet.guarantees import Approx, Guarantee, LaplacePair, Pure
from discreet.readings import as_approx, delta_at

DASHES = ("-", "--", "-.", ":")
LOOKS = {
    "basic": 0,
    "zcdp": 1,
    "renyi": 6,
    "gaussian": 2,
    "pure optimum": 5,
    "batch optimum": 2,  # never speaks of the same guarantee as gaussian
    "envelope": 4,
    "blocks": 3,
    "adaptive optimum": 7,
}
"""Which look each rule has that may be promised, so that a rule looks the same in every picture."""

COUNTS, POINTS = 17, 100
ROUND: tuple[tuple[float, ...], ...] = ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 5), (1, 1.5, 2, 3, 5, 7))
"""Steps within a power of ten, from coarse to fine."""
LONGEST = 32
"""Letters in a line beside a picture."""


class Curve(NamedTuple):
    """A line of a picture: its words, its points and its looks. A faint one is no promise.

    >>> Curve("epsilon 1", [5, 10], [0, 1], look=3).dash
    '-'
    """

    words: str
    x: Sequence[float]
    y: Sequence[float]
    look: int
    dash: str = "-"
    faint: bool = False


def counts_to(times: int) -> list[int]:
    """Return round numbers from 1, and ``times``: enough for a smooth line, and no more.

    >>> counts_to(40), len(counts_to(10**6))
    ([1, 2, 3, 5, 7, 10, 15, 20, 30, 40], 13)
    """
    tens = [10**power for power in range(len(str(times)))]
    fine = [sorted({int(step * ten) for ten in tens for step in steps if step * ten < times}) for steps in ROUND]
    return [*max((found for found in fine if len(found) < COUNTS), key=len, default=[1]), times]


def of_rule(bounds: Sequence[Bound], counts: Sequence[int], plan: Plan) -> Curve | None:
    """Return what one rule says, where it speaks and a logarithm can show it.

    >>> of_rule([Bound("basic", ("batch",), "bound", Pure(n)) for n in (1, 2)], [1, 2], "fixed")
    Curve(words='basic  2', x=[1, 2], y=[1.0, 2.0], look=0, dash='--', faint=False)
    """
    said = zip(counts, map(epsilon_in, bounds), strict=True)
    seen = [(n, epsilon) for n, epsilon in said if epsilon is not None and 0 < up(epsilon) < inf]
    if not seen:
        return None
    rule, (last, epsilon) = bounds[0], seen[-1]
    words = f"{rule.rule}  {short(epsilon)}" + (f" at {written(last)}" if last < counts[-1] else "")
    faint = rule.role != "bound"
    dash = ":" if faint else "-" if plan in rule.holds else "--"
    return Curve(words, [n for n, _ in seen], [up(e) for _, e in seen], LOOKS.get(rule.rule, 0), dash, faint)


def epsilon_in(bound: Bound) -> Fraction | None:
    """Return the epsilon a rule found, if it found one.

    >>> epsilon_in(Bound("basic", (), "bound", Approx(1, "0.1")))
    Fraction(1, 1)
    """
    return bound.guarantee.epsilon if isinstance(bound.guarantee, Pure | Approx) else None


def end_of(guarantee: Guarantee, least: Fraction) -> Fraction:
    """Return the epsilon from which on delta is at most ``least``, or falls no more.

    >>> end_of(Approx(2, "0.1"), Fraction(1, 10**6)), 0.99 < end_of(Pure(1), Fraction(1, 10**6)) < 1
    (Fraction(2, 1), True)
    """
    if delta_at(guarantee, 0) <= least:
        raise SettingError.of("guarantees", f"ones whose delta at epsilon 0 is above {plain(least)}", str(guarantee))
    if isinstance(guarantee, Approx) and guarantee.delta >= least:
        return guarantee.epsilon
    return as_approx(guarantee, least).epsilon


def of_profile(guarantee: Guarantee, look: int, end: Fraction, last: Fraction, least: Fraction) -> Curve:
    """Follow a delta down; a pure one falls so steeply near its end that points must crowd there.

    >>> curve = of_profile(Pure(1), 0, Fraction(1), Fraction(2), Fraction(1, 10**6))
    >>> curve.words, curve.x[0], curve.x[-1], curve.y[-1]
    ('1-differential privacy', 0.0, 1.0, 1.0000000000000002e-06)
    """
    even = {last * i / POINTS for i in range(POINTS + 1)}
    near = {end * (1 - Fraction(part, 2**power)) for power in range(3, 30) for part in (4, 5, 6, 7)} | {end}
    deltas = [(epsilon, delta_at(guarantee, epsilon)) for epsilon in sorted(even | near)]
    seen = [(epsilon, max(delta, least)) for epsilon, delta in deltas if epsilon <= end or delta >= least]
    words = textwrap.fill(name(guarantee), LONGEST, break_on_hyphens=False, break_long_words=False)
    return Curve(words, [up(e) for e, _ in seen], [up(delta) for _, delta in seen], look, DASHES[look % len(DASHES)])


def name(guarantee: Guarantee) -> str:
    """Return a guarantee in short words, no two kinds in the same.

    >>> from discreet.guarantees import Range
    >>> name(Range(1)), name(LaplacePair(1))
    ('1-bounded range', '1-differential privacy, as of Laplace noise')
    """
    words = str(guarantee).partition(" (so ")[0]
    return f"{words}, as of Laplace noise" if isinstance(guarantee, LaplacePair) else words


def short(value: Fraction) -> str:
    """Write three digits, rounded up.

    >>> short(Fraction(2, 3)), short(Fraction(123456)), short(Fraction(1, 10**9))
    ('0.667', '124,000', '1e-9')
    """
    rounded = Context(prec=3, rounding=ROUND_CEILING).divide(Decimal(value.numerator), Decimal(value.denominator))
    return written(rounded.normalize())


def written(value: Decimal | int) -> str:
    """Write a number out, unless that would be long.

    >>> written(0), written(1000), written(10000), written(Decimal("0.000001")), written(Decimal("1e-9"))
    ('0', '1000', '10,000', '0.000001', '1e-9')
    """
    exact = Decimal(value)
    if exact >= 10_000:
        return f"{exact:,f}"
    return f"{exact:f}" if exact > Decimal("1e-7") or not exact else f"{exact:e}"
