"""Which family answers a survey: the one asked for, or the one that errs least."""

from fractions import Fraction
from typing import Literal, get_args

from discreet.errors import SettingError
from discreet.exact import Number, positive, whole
from discreet.local.channels import Channel, facts
from discreet.local.kary import Kary
from discreet.local.subset import Subset, best_names
from discreet.local.unary import Unary
from discreet.sensitivity import one_of

LEAST = Fraction(1, 10**9)
"""With a smaller epsilon no number of reports there could ever be would say anything."""

Mechanism = Literal["auto", "response", "symmetric", "asymmetric", "subset"]


def best_channel(size: int, epsilon: Number) -> Channel:
    """Return the family with the least summed variance of all shares; of equal ones the one with shorter reports.

    >>> best_channel(4, 1), best_channel(32, 1)
    (Kary(size=4, epsilon=Fraction(1, 1)), Subset(size=32, epsilon=Fraction(1, 1), names=9))
    """
    amount, among = local_epsilon(epsilon), whole(size, "size", least=2)
    families: list[Channel] = [
        Kary(among, amount),
        Unary(among, amount, "asymmetric"),
        Unary(among, amount, "symmetric"),
    ]
    if (names := best_names(among, amount)) > 1:
        families.append(Subset(among, amount, names))
    return min(families, key=lambda family: facts(family).summed)


def local_epsilon(epsilon: Number) -> Fraction:
    """Read an epsilon that a report can be made with.

    >>> local_epsilon(0.1)
    Fraction(1, 10)
    """
    amount = positive(epsilon, "epsilon")
    if amount < LEAST:
        raise SettingError.of("epsilon", "at least one billionth", epsilon, "nothing could be estimated")
    return amount


def channel(size: int, epsilon: Fraction, mechanism: str = "auto", names: int | None = None) -> Channel:
    """Return the family that a word stands for; ``names`` is how many candidates a subset names, the best by default.

    >>> channel(4, Fraction(1), "subset", names=2)
    Subset(size=4, epsilon=Fraction(1, 1), names=2)
    """
    word = one_of(mechanism, "mechanism", get_args(Mechanism))
    if names is not None and word != "subset":
        raise SettingError.of("names", "nothing, except with mechanism='subset'", names)
    match word:
        case "auto":
            return best_channel(size, epsilon)
        case "response":
            return Kary(size, epsilon)
        case "subset":
            count = best_names(size, epsilon) if names is None else whole(names, "names", most=size - 1)
            return Subset(size, epsilon, count)
        case _:
            return Unary(size, epsilon, word)
