"""Basic composition: the epsilons add up, and delta stays zero.

Proved, for every use: a batch, fixed parameters, and parameters chosen as one goes along. Every other bound on
epsilon is capped by this one.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import cast

from discreet.accounting.rule import ANY, of_amounts
from discreet.errors import SettingError
from discreet.exact import Number, nonnegative, whole
from discreet.guarantees import Guarantee
from discreet.readings import as_pure

Amounts = Mapping[Number, int] | Iterable[Number]
"""Parameters and how often each occurs, ``{"0.1": 1000}``, or the plain list of them."""


def counted(amounts: Amounts, name: str = "epsilon") -> dict[Fraction, int]:
    """Read parameters exactly and count equal ones together; parameters of zero cost nothing and are left out.

    >>> counted({"0.5": 3}) == counted(["1/2", 0.5, 0.5, 0])
    True
    """
    found: dict[Fraction, int] = {}
    for amount, count in _pairs(amounts, name):
        exact = nonnegative(amount, name)
        found[exact] = found.get(exact, 0) + whole(count, "count", least=0)
    return {amount: count for amount, count in found.items() if amount and count}


def total(amounts: Mapping[Fraction, int], power: int = 1) -> Fraction:
    """Return the sum of the parameters, or of a power of them, each as often as it is counted.

    >>> total(counted({"0.1": 1000})), total(counted({3: 2}), power=2)
    (Fraction(100, 1), Fraction(18, 1))
    """
    return sum((amount**power * count for amount, count in amounts.items()), Fraction(0))


def epsilon(epsilons: Amounts) -> Fraction:
    """Return the sum of all epsilons: together they are pure differential privacy of that epsilon.

    >>> epsilon({"0.1": 3, 1: 2})
    Fraction(23, 10)
    """
    return total(counted(epsilons))


def delta(epsilons: Amounts, at: Number) -> Fraction:
    """Return 0 where ``at`` reaches the sum, else 1: addition alone says nothing below the sum.

    >>> delta({"0.1": 3}, "0.3"), delta({"0.1": 3}, "0.2")
    (Fraction(0, 1), Fraction(1, 1))
    """
    return Fraction(0 if nonnegative(at, "epsilon") >= epsilon(epsilons) else 1)


def _pairs(amounts: object, name: str) -> list[tuple[object, object]]:
    if isinstance(amounts, Mapping):
        return list(cast("Mapping[object, object]", amounts).items())
    if isinstance(amounts, str) or not isinstance(amounts, Iterable):
        raise SettingError.of(name, "a list of numbers, or a dict from each number to its count", amounts)
    return [(amount, 1) for amount in cast("Iterable[object]", amounts)]


def pure_amount(guarantee: Guarantee) -> Fraction | None:
    """Return the pure epsilon of a guarantee, or None where there is none.

    >>> from discreet.guarantees import Range
    >>> pure_amount(Range("0.5"))
    Fraction(1, 2)
    """
    pure = as_pure(guarantee)
    return None if pure is None else pure.epsilon


RULE = of_amounts("basic", ANY, pure_amount, lambda found, _: total(found), delta)
