"""Guarantees as events of Google's ``dp_accounting``, and its events as guarantees. The one file that imports it.

What is written never says less than the guarantee, however its accountants add it up. They read different events:

* ``Range`` and ``PureRange`` have no event. For the Renyi accountant they are their least rho. The accountant of loss
  distributions reads no rho, and for it they are a Laplace pair.
* ``Pure(a)`` is the ``LaplacePair`` of 2 ln((1 + exp(a))/2), which both read: the least one that is nowhere harder to
  tell apart than randomised response. Discrete Laplace noise of sensitivity 1 says it exactly, since its losses are a
  and -a alone, but only loss distributions read it.
* Randomised response is read and never written: in dp_accounting 0.6.0 the loss distributions forget its count.
"""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import groupby
from numbers import Integral, Real
from operator import itemgetter
from typing import Any, Literal, TypeAlias, get_args

from discreet.balls import ball
from discreet.errors import SettingError
from discreet.exact import down, up, whole
from discreet.guarantees import Approx, Gdp, Guarantee, LaplacePair, Pure, PureRange, Range, Renyi, Zcdp
from discreet.readings import as_pure, as_zcdp
from discreet.readings.kinds import certified_up

__all__ = ["from_dp_event", "to_dp_event"]

DpEvent: TypeAlias = Any
"""An event of ``dp_accounting``, which ships no types."""

Accountant = Literal["rdp", "pld"]
"""The module of ``dp_accounting`` whose accountant is to read an event."""

WIDEST = 2**30
"""No noise multiplier above this is written: beyond, the Renyi accountant's curve of Laplace noise loses its digits,
and from about 2**53 it reports an epsilon of 0. An epsilon, mu or rho above this hides nothing, and is written so."""

NOTHING = Pure(0)


def to_dp_event(guarantee: Guarantee, times: int = 1, *, accountant: Accountant = "rdp") -> DpEvent:
    """Return an event that charges for so many releases of a guarantee, rounded towards more loss.

    An accountant of the other kind either charges the event rightly too or refuses it.

    >>> to_dp_event(LaplacePair("0.5"), 10)
    SelfComposedDpEvent(event=LaplaceDpEvent(noise_multiplier=2.0), count=10)
    >>> to_dp_event(Range("0.5"))
    ZCDpEvent(rho=0.03114209226115588, xi=0.0)
    >>> to_dp_event(Range("0.5"), accountant="pld")
    LaplaceDpEvent(noise_multiplier=2.0)
    """
    count, events = whole(times, "times", least=0), _events()
    if accountant not in get_args(Accountant):
        raise SettingError.of("accountant", "'rdp' or 'pld'", accountant)
    if not count or as_pure(guarantee) == NOTHING:
        return events.NoOpDpEvent()
    event = _written(_readable(guarantee, accountant))
    return event if count == 1 else events.SelfComposedDpEvent(event, count)


def from_dp_event(event: DpEvent) -> tuple[tuple[Guarantee, int], ...]:
    """Return the guarantees an event stands for, in order, each with how often it is given.

    Noise is read for neighbours that add or remove one person, randomised response for those that replace one. A float
    is the binary fraction it is. What costs nothing is left out.

    >>> from_dp_event(to_dp_event(Gdp("0.25"), 3))
    ((Gdp(mu=Fraction(1, 4)), 3),)
    """
    runs = groupby(_flat(event, 1), key=itemgetter(0))
    return tuple((guarantee, sum(count for _, count in run)) for guarantee, run in runs)


def _events() -> Any:
    try:
        from dp_accounting import dp_event  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs] - optional, slow
    except ImportError:
        message = "dp_accounting: wanted the package, got none; run: pip install 'discreet[dp-accounting]'"
        raise SettingError(message) from None
    return dp_event


def _readable(guarantee: Guarantee, accountant: Accountant) -> Guarantee:
    """Return what follows from the guarantee and the accountant has an event for."""
    match guarantee:
        case Gdp() | LaplacePair():
            return guarantee
        case Approx(epsilon=a, delta=delta) if not delta:
            return _readable(Pure(a), accountant)
        case Pure(epsilon=a):
            return guarantee if accountant == "pld" else LaplacePair(_pair(a))
        case Range(epsilon=b) if accountant == "pld":
            return LaplacePair(b)
        case PureRange(pure=a, range=b) if accountant == "pld":
            return LaplacePair(min(b, _pair(a)))
        case Range() | PureRange() | Zcdp() if accountant == "rdp":
            return as_zcdp(guarantee) or guarantee
        case _:
            wanted = f"one that an event for accountant={accountant!r} can state"
            raise SettingError.of("guarantee", wanted, str(guarantee), _remedy(guarantee))


def _pair(a: Fraction) -> Fraction:
    return certified_up(lambda: 2 * (ball(a) + ball(-a).exp().log1p() - ball(2).log()))


def _remedy(guarantee: Guarantee) -> str:
    match guarantee:
        case Approx():
            return "write Pure(epsilon), and take delta off the target delta once for each time"
        case Renyi():
            return "write the Zcdp, Gdp or pure guarantee that its divergences came from"
        case _:
            return "use accountant='rdp'"


def _written(guarantee: Guarantee) -> DpEvent:
    events = _events()
    match guarantee:
        case Gdp(mu=mu) if mu <= WIDEST:
            return events.GaussianDpEvent(down(min(1 / mu, Fraction(WIDEST))))
        case LaplacePair(epsilon=r) if r <= WIDEST:
            return events.LaplaceDpEvent(down(min(1 / r, Fraction(WIDEST))))
        case Zcdp(rho=rho) if rho <= WIDEST:
            return events.ZCDpEvent(up(rho))
        case Pure(epsilon=a) if a <= WIDEST:
            return events.DiscreteLaplaceDpEvent(up(a), 1)
        case _:
            return events.NonPrivateDpEvent()


def _flat(event: DpEvent, times: int) -> Iterator[tuple[Guarantee, int]]:
    events = _events()
    if isinstance(event, events.ComposedDpEvent):
        for part in event.events:
            yield from _flat(part, times)
    elif isinstance(event, events.SelfComposedDpEvent):
        yield from _flat(event.event, times * whole(event.count, "count", least=0))
    elif not isinstance(event, events.NoOpDpEvent):
        guarantee = _read(event)
        if times and as_pure(guarantee) != NOTHING:
            yield guarantee, times


def _read(event: DpEvent) -> Guarantee:
    kind = type(event).__name__
    if kind not in READERS or type(event) is not getattr(_events(), kind, None):
        remedy = "what is sampled or trained has no guarantee here that says as much"
        raise SettingError.of("event", f"a composition of {', '.join(READERS)}", event, remedy)
    return READERS[kind](event)


def _exact(value: object, name: str) -> Fraction:
    wanted = "a number above 0"
    if not isinstance(value, Real) or (not isinstance(value, Integral) and not math.isfinite(value)):
        raise SettingError.of(name, wanted, value)
    exact = Fraction(int(value) if isinstance(value, Integral) else float(value))
    if exact <= 0:
        raise SettingError.of(name, wanted, value)
    return exact


def _multiplier(event: DpEvent) -> Fraction:
    return 1 / _exact(event.noise_multiplier, "noise_multiplier")


def _discrete(event: DpEvent) -> Pure:
    return Pure(_exact(event.noise_parameter, "noise_parameter") * whole(event.sensitivity, "sensitivity", least=0))


def _response(event: DpEvent) -> Pure:
    """Randomised response: how much likelier an answer is given where it is true than where it is not."""
    p, buckets = _exact(event.noise_parameter, "noise_parameter"), whole(event.num_buckets, "num_buckets")
    if p > 1:
        raise SettingError.of("noise_parameter", "a number above 0, at most 1", event.noise_parameter)
    return Pure(certified_up(lambda: ball(buckets / p - buckets + 1).log())) if buckets > 1 else NOTHING


def _zcdp(event: DpEvent) -> Zcdp:
    if event.xi:
        raise SettingError.of("xi", "0, since no guarantee here speaks of another", event.xi)
    return Zcdp(_exact(event.rho, "rho") if event.rho else 0)


READERS: dict[str, Callable[[DpEvent], Guarantee]] = {
    "GaussianDpEvent": lambda event: Gdp(_multiplier(event)),
    "LaplaceDpEvent": lambda event: LaplacePair(_multiplier(event)),
    "DiscreteLaplaceDpEvent": _discrete,
    "RandomizedResponseDpEvent": _response,
    "ZCDpEvent": _zcdp,
}
"""What each kind of event promises; a kind that is not here, and any class made from one that is, is refused."""
