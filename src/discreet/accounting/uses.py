"""What is composed: guarantees in their order of execution, and how many times each.

A count multiplies in one place: ``[g] * n`` and ``repeat(g, n)`` are read as the same uses, whatever rule comes after.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any, Literal, NamedTuple

from discreet.balls import Ball, at, ball, upper
from discreet.errors import SettingError
from discreet.exact import whole
from discreet.guarantees import Approx, Guarantee, Pure
from discreet.readings import as_pure

Plan = Literal["batch", "fixed", "adaptive"]
"""What is decided beforehand. ``batch``: everything. ``fixed``: all parameters and their order, while what is asked may
depend on earlier answers. ``adaptive``: only the total; every parameter may depend on earlier answers."""

ITEMS = "guarantees, repeat(guarantee, times), or answers that carry their guarantee"
BITS = 256


class Repeated(NamedTuple):
    """One guarantee, several times in a row.

    >>> Repeated(Pure(1), 3).times
    3
    """

    guarantee: Guarantee
    times: int


def repeat(guarantee: Guarantee, times: int) -> Repeated:
    """Say that a guarantee was given this many times in a row, for ``compose``.

    >>> repeat(Pure(1), 1000)
    Repeated(guarantee=Pure(epsilon=Fraction(1, 1)), times=1000)
    """
    given: Any = guarantee
    if not isinstance(given, Guarantee):
        raise SettingError.of("guarantee", "a guarantee such as Range('0.1')", given)
    return Repeated(given, whole(times, "times", least=0))


@dataclass(frozen=True, slots=True)
class Uses:
    """What is composed; what is lost outright (``Approx`` deltas) is apart, and what costs nothing is left out.

    >>> Uses.of([Approx(1, "0.5"), Pure(0), repeat(Pure(1), 2), Pure(2)], "adaptive")
    Uses(runs=(Repeated(guarantee=Pure(epsilon=Fraction(1, 1)), times=3), \
Repeated(guarantee=Pure(epsilon=Fraction(2, 1)), times=1)), lost=Fraction(1, 2), ordered=True)
    """

    runs: tuple[Repeated, ...]
    lost: Fraction = Fraction(0)
    ordered: bool = True

    @classmethod
    def of(cls, items: Iterable[Any], plan: Plan, *, ordered: bool = True) -> "Uses":
        """Read guarantees, repetitions, and releases that carry their guarantee."""
        given = _read(items)
        costly = [use for use in map(_without_delta, given) if use.times and as_pure(use.guarantee) != Pure(0)]
        runs = groupby(costly, lambda use: use.guarantee)
        merged = tuple(Repeated(guarantee, sum(use.times for use in same)) for guarantee, same in runs)
        return cls(merged, _lost(given, plan), ordered)

    @property
    def total(self) -> int:
        """How many there are."""
        return sum(use.times for use in self.runs)

    def only(self, *kinds: type[Guarantee]) -> bool:
        """Return whether all are of these kinds."""
        return all(isinstance(use.guarantee, kinds) for use in self.runs)

    def counted(self) -> dict[Guarantee, int]:
        """Count equal guarantees together, out of their order."""
        found: dict[Guarantee, int] = {}
        for guarantee, count in self.runs:
            found[guarantee] = found.get(guarantee, 0) + count
        return found

    def amounts(self, reading: Callable[[Guarantee], Fraction | None]) -> dict[Fraction, int] | None:
        """Read each as one number, equal numbers counted together; None if one cannot be read so."""
        found: dict[Fraction, int] = {}
        for guarantee, count in self.runs:
            amount = reading(guarantee)
            if amount is None:
                return None
            found[amount] = found.get(amount, 0) + count
        return found


def _read(items: Any) -> list[Repeated]:
    if isinstance(items, Repeated | str) or not hasattr(items, "__iter__"):
        raise SettingError.of("guarantees", f"a list of {ITEMS}", items)
    given: list[Any] = list(items)
    for name in ("neighbours", "unit"):
        _same(name, [getattr(item, name, None) for item in given])
    return [_use(item) for item in given]


def _use(item: Any) -> Repeated:
    match item:
        case Repeated(guarantee=guarantee, times=times):
            return repeat(guarantee, times)
        case _ if isinstance(item, Guarantee):
            return Repeated(item, 1)
        case _ if isinstance(getattr(item, "guarantee", None), Guarantee):
            return Repeated(item.guarantee, 1)
        case _:
            raise SettingError.of("guarantees", ITEMS, item)


def _same(name: str, found: list[Any]) -> None:
    """Refuse releases whose promises speak of different people, or of different neighbours."""
    known = sorted({str(value) for value in found if value is not None})
    if len(known) > 1:
        got = " and ".join(map(repr, known))
        raise SettingError(f"{name}: wanted one for all releases, got {got}; compose those of each apart")


def _without_delta(use: Repeated) -> Repeated:
    """Read (epsilon, delta) as: all is lost with chance delta, and otherwise the rest is purely private."""
    guarantee = use.guarantee
    return Repeated(Pure(guarantee.epsilon), use.times) if isinstance(guarantee, Approx) else use


def _lost(given: list[Repeated], plan: Plan) -> Fraction:
    """Return the chance that anything is lost: independent in a plan, and no more than the sum in any case."""
    parts = [(g.delta, n) for g, n in given if isinstance(g, Approx) and g.delta and n]
    total = min(Fraction(1), sum((delta * count for delta, count in parts), Fraction(0)))
    if plan == "adaptive" or total in {0, 1} or any(delta == 1 for delta, _ in parts):
        return total
    return min(total, at(BITS, lambda: upper(-_log_kept(parts).expm1())))


def _log_kept(parts: list[tuple[Fraction, int]]) -> Ball:
    return sum(((-ball(delta)).log1p() * count for delta, count in parts), ball(0))
