"""What domains on a box share: data as a hill on it, and the law of a release."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from discreet.balls import Ball, ball
from discreet.domains.axes import Axes, Spot
from discreet.domains.base import Domain
from discreet.errors import GuardError, SettingError
from discreet.sampling.coins import Coins
from discreet.sampling.envelope import Envelope, Hill
from discreet.sampling.lines import MOST_LISTED
from discreet.scores.order import comparable, finite
from discreet.sensitivity import Neighbours


@dataclass(frozen=True, slots=True, eq=False)
class OnBox:
    """Data as a score on a box, in units of ``unit`` points of score: private, and it does not print.

    >>> from discreet.domains import LeastLoss
    >>> LeastLoss((0, 9), 1, lambda people, at: [abs(x - at) for x in people], lipschitz=1).score([2, 3])
    OnBox(of LeastLoss(0 to 9 in steps of 1, lipschitz=1), add-remove)
    """

    domain: Domain[Any]
    neighbours: Neighbours
    axes: Axes
    hill: Callable[[], Hill]
    unit: Fraction = Fraction(1)

    def __repr__(self) -> str:
        return f"OnBox(of {self.domain}, {self.neighbours})"

    def law(self, rate: Fraction) -> "BoxLaw":
        """Return the law of one release at this rate."""
        return BoxLaw(self.axes, self.hill, rate * self.unit)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoxLaw:
    """The exponential law of a score on a box: private, and it does not print.

    >>> from discreet.domains.hills import Concave
    >>> from discreet.sampling.coins import SystemCoins
    >>> law = BoxLaw(Axes.of((0, 9), "0.1"), lambda: Concave(90, lambda at: Fraction(-abs(at[0] - 7))), Fraction(10**6))
    >>> law, law.draw(SystemCoins())
    (BoxLaw(Axes(0 to 9 in steps of 0.1)), Decimal('0.7'))
    """

    axes: Axes
    hill: Callable[[], Hill]
    rate: Fraction

    def __repr__(self) -> str:
        return f"BoxLaw({self.axes})"

    def draw(self, coins: Coins) -> Spot:
        """Return a point of the box, with exactly this law."""
        return self.axes.spot(Envelope(self.hill(), self.rate).draw(coins))

    def chances(self) -> Mapping[Spot, Ball]:
        """Return every point and its chance; refuse where they are too many to list."""
        if self.axes.size > MOST_LISTED:
            raise SettingError.of("step", f"a box of at most {MOST_LISTED} points to list chances", "a finer one")
        hill, places = self.hill(), list(product(*(range(line.size) for line in self.axes.lines)))
        scores = [hill.score(place) for place in places]
        best = max(scores)
        weights = [ball(self.rate * (score - best)).exp() for score in scores]
        total = sum(weights, ball(0))
        return {self.axes.spot(place): weight / total for place, weight in zip(places, weights, strict=True)}


def called(function: Callable[..., object], *given: Any, name: str) -> Any:
    """Return what a function of private data says; whatever it raises stays with it.

    >>> called(lambda people, at: people[at], ["ann"], 7, name="score")
    Traceback (most recent call last):
    discreet.errors.GuardError: score: it failed at a point of the box, so nothing was released; try it on invented data
    """
    try:
        return function(*given)
    except Exception:  # noqa: BLE001, S110 - what it says may quote a row
        pass
    raise GuardError(f"{name}: it failed at a point of the box, so nothing was released; try it on invented data")


def read(value: object, name: str) -> Fraction:
    """Return a score exactly; a float is the binary number it is.

    >>> read(0.5, "score")
    Fraction(1, 2)
    """
    known = comparable(value)
    if known is None or not finite(known):
        raise GuardError(f"{name}: wanted a finite number at every point of the box, got another; nothing was released")
    return Fraction(known)


def held(data: Any) -> Any:
    """Return data as it is, or as a list where it could be read but once.

    >>> held(iter([1, 2])), held((1, 2))
    ([1, 2], (1, 2))
    """
    return data if hasattr(data, "__len__") else list(data)
