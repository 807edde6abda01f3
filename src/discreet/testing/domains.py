"""One kit for all domains: the law of the draw is the law that is said, and neighbours keep the promise, exactly."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from discreet.audit.worlds import pairs
from discreet.balls import Ball, at, lower, upper
from discreet.domains.base import Domain, Law
from discreet.exact import Number, number
from discreet.guarantees import PureRange, Range
from discreet.readings import as_pure
from discreet.sensitivity import Neighbours
from discreet.testing.tree import exact_law

PRECISION = 128


def check_law(law: Law[Any], oracle: Mapping[Hashable, Ball] | None = None, leftover: Number = "1e-2") -> None:
    """Raise AssertionError if the tree of all coin answers contradicts the law, or an ``oracle`` made another way.

    >>> from discreet.testing.example import Coin
    >>> check_law(Coin(Fraction(1, 3)))
    >>> check_law(Coin(Fraction(1, 3)), {True: Fraction(1, 2), False: Fraction(1, 2)})
    Traceback (most recent call last):
    AssertionError: the draw has another law than the one expected
    """
    walked = exact_law(law.draw, leftover=leftover)
    for expected in (at(PRECISION, law.chances), oracle):
        if expected is not None and not walked.contains(expected):
            raise AssertionError("the draw has another law than the one expected")


def worst_loss(
    domain: Domain[Any], universe: Iterable[Any], size: int, rate: Fraction, neighbours: Neighbours
) -> tuple[Fraction, Fraction]:
    """Return the greatest log of odds, and the greatest spread of it, over all neighbours of a small world; rounded up.

    The first is the pure epsilon attained, the second the bounded range.

    >>> from discreet.domains import JointTopK
    >>> worst = worst_loss(JointTopK(["ash", "elm"], 1), [["ash"], ["elm"]], 2, Fraction(1), "replace")
    >>> [round(float(most), 3) for most in worst]
    [1.434, 2.0]
    """
    kinds = list(universe)
    laws: dict[tuple[int, ...], Mapping[Any, Ball]] = {}

    def law(people: tuple[int, ...]) -> Mapping[Any, Ball]:
        if people not in laws:
            fitted = domain.score([kinds[kind] for kind in people], neighbours)
            laws[people] = at(PRECISION, fitted.law(rate).chances)
        return laws[people]

    pure = spread = Fraction(0)
    for one, other in pairs(len(kinds), size, neighbours):
        low, high = _losses(law(one), law(other))
        pure, spread = max(pure, high, -low), max(spread, high - low)
    return pure, spread


def check_promise(
    domain: Domain[Any],
    universe: Iterable[Any],
    size: int,
    rate: Fraction,
    neighbours: Neighbours,
    *,
    attained: Number = 0,
) -> None:
    """Raise AssertionError if neighbours are told apart better than promised, or the promise is far from attained.

    ``attained`` is the least share of the promised pure epsilon that the worst neighbours must reach.

    >>> from discreet.domains import JointTopK
    >>> check_promise(JointTopK(["ash", "elm"], 1), [["ash"], ["elm"]], 2, Fraction(1), "replace", attained="0.4")
    """
    promised = domain.promise(rate, neighbours)
    read = as_pure(promised)
    if read is None:
        raise AssertionError("the promise cannot be read as a pure one; check it another way")
    pure, spread = worst_loss(domain, universe, size, rate, neighbours)
    slack = Fraction(1, 2**60)
    if pure > read.epsilon + slack:
        raise AssertionError("neighbours are told apart better than the promised epsilon")
    width = (
        promised.range if isinstance(promised, PureRange) else promised.epsilon if isinstance(promised, Range) else None
    )
    if width is not None and spread > width + slack:
        raise AssertionError("the losses of a pair of neighbours spread wider than the promised range")
    if pure < number(attained) * read.epsilon:
        raise AssertionError("the promise is further from what is attained than expected")


def _losses(one: Mapping[Any, Ball], other: Mapping[Any, Ball]) -> tuple[Fraction, Fraction]:
    if set(one) != set(other):
        raise AssertionError("neighbours have different outcomes")

    def ends() -> tuple[Fraction, Fraction]:
        ratios = [(one[key] / other[key]).log() for key in one]
        return min(map(lower, ratios)), max(map(upper, ratios))

    return at(PRECISION, ends)


Draw = Callable[[Any], Hashable]
