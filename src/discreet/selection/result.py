"""A selection that may be published: it holds what was released, and public settings."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, assert_never

from discreet.balls import at, ball, lower
from discreet.counts import say
from discreet.exact import Number, chance, down, plain
from discreet.guarantees import Guarantee, to_dict
from discreet.mechanisms import Exponential, NoisyMax, NoisyMaxWithGap, Peel, PermuteAndFlip, Unequal, Weighted
from discreet.selection.plan import Chosen
from discreet.sensitivity import Neighbours

if TYPE_CHECKING:
    from discreet.ledger import Receipt
    from discreet.utility import Forecast

BITS = 64
WHO = {"add-remove": "one person more or less", "replace": "one person's data changed"}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A way to draw whose outputs are no list of candidates: its name in words, and what a point of score weighs.

    >>> describe(Drawing("the joint exponential mechanism", Fraction(1)))
    'the joint exponential mechanism'
    """

    name: str
    rate: Fraction


@dataclass(frozen=True, slots=True)
class Selection:
    """What a selection released: winners, guarantee, and the public settings it was made with.

    >>> from discreet.guarantees import Pure
    >>> made = Selection(("smith",), (0,), PermuteAndFlip(Fraction(1)), Pure(1), "add-remove", 2)
    >>> made.winner, made.index
    ('smith', 0)
    >>> print(made)
    smith, out of 2 candidates, by permute-and-flip: 1-differential privacy (one person more or less)
    """

    winners: tuple[Hashable, ...]
    indices: tuple[int, ...]
    mechanism: Chosen | Drawing
    guarantee: Guarantee
    neighbours: Neighbours
    candidates: int
    tick: Fraction = Fraction(1)
    gap: Fraction | None = None
    receipt: "Receipt | None" = None
    """What a ledger wrote down, if this selection was charged to one."""

    @property
    def winner(self) -> Hashable:
        """The winner's label, as given; the first of several; None where no name could be given."""
        return self.winners[0] if self.winners else None

    @property
    def index(self) -> int:
        """The winner's position, counted from 0."""
        return self.indices[0]

    @property
    def rate(self) -> Fraction:
        """What one point of score weighs in each draw, in nats."""
        return (self.mechanism.round if isinstance(self.mechanism, Peel) else self.mechanism).rate / self.tick

    def error_bound(self, probability: Number = "0.05") -> float | None:
        """Return how far below the best the answer may be, exceeded with at most this chance whatever the scores.

        In points of score, from public settings alone. Several winners are each compared with the best not yet named.
        None where no bound holds for all scores (a prior, unequal sensitivities).
        """
        expected, odds = forecast(self.mechanism, self.candidates, self.tick), chance(probability, "probability")
        return None if expected is None else expected.error_bound(odds / len(self.winners))

    def certainty(self, probability: Number = "0.05") -> float | None:
        """Return a chance that the law gave to this winner at the least; too high with at most this ``probability``.

        It is read off the noisy lead, so it costs nothing more. It is known for Gumbel noise, and None otherwise. There
        candidate i wins by a lead, times the rate, of more than x with chance 1 / (1 + exp(x - h)), where h is the log
        of the odds of i. So the lead is beyond h + t for whichever of k candidates wins with a chance of at most
        k / (1 + exp(t)).

        >>> from discreet import select
        >>> won = select([0, 40], epsilon=1, range=1, mechanism="noisy-max", noise="gumbel", gap="0.1")
        >>> won.index, won.certainty() > 0.99
        (1, True)
        """
        odds, how = chance(probability, "probability"), self.mechanism
        if self.gap is None or not isinstance(how, NoisyMaxWithGap) or how.noise != "gumbel":
            return None
        others, lead = self.candidates / odds - 1, self.gap
        return down(at(BITS, lambda: lower(1 / (1 + ball(others) * ball(-self.rate * lead).exp()))))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values."""
        bound = self.error_bound()
        released: dict[str, Any] = {"winners": list(map(_json, self.winners)), "indices": list(self.indices)}
        if self.gap is not None:
            released["gap"] = str(self.gap)
        if self.receipt is not None:
            released |= {"request": self.receipt.request, "receipt": self.receipt.digest}
        return released | {
            "candidates": self.candidates,
            "mechanism": describe(self.mechanism),
            "rate": str(self.rate),
            "guarantee": to_dict(self.guarantee),
            "neighbours": self.neighbours,
            "error_bound_95": bound if bound is not None and math.isfinite(bound) else None,
        }

    def __str__(self) -> str:
        names = ", ".join(map(str, self.winners))
        lead = "" if self.gap is None else f" with a noisy lead of {plain(self.gap)}"
        how = f"by {describe(self.mechanism)}: {self.guarantee} ({WHO[self.neighbours]})"
        return f"{names}{lead}, out of {say(self.candidates)}, {how}"

    def _repr_html_(self) -> str:
        import html  # noqa: PLC0415 - only notebooks ask

        rows = [("answer", ", ".join(map(str, self.winners)))]
        rows += [] if self.gap is None else [("noisy lead", plain(self.gap))]
        rows += [("out of", say(self.candidates)), ("by", describe(self.mechanism)), ("with", str(self.guarantee))]
        rows += [("protects against", WHO[self.neighbours])]
        cells = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in rows)
        return f"<table>{cells}</table>"


def describe(mechanism: Chosen | Drawing) -> str:  # noqa: PLR0911 - one case a mechanism
    """Name a mechanism in words.

    >>> describe(Peel(PermuteAndFlip(Fraction(1)), 3))
    '3 rounds of permute-and-flip'
    """
    match mechanism:
        case Exponential():
            return "the exponential mechanism"
        case PermuteAndFlip():
            return "permute-and-flip"
        case NoisyMax(noise=noise):
            return f"noisy max with {noise} noise"
        case NoisyMaxWithGap(noise=noise):
            return f"noisy max with {noise} noise and its gap"
        case Weighted():
            return "the exponential mechanism with a public prior"
        case Unequal():
            return "the generalised exponential mechanism"
        case Peel(round=once, count=count):
            return f"{count} rounds of {describe(once)}"
        case Drawing(name=name):
            return name
        case _:
            assert_never(mechanism)


def forecast(mechanism: Chosen | Drawing, candidates: int, tick: Fraction = Fraction(1)) -> "Forecast | None":
    """Return what is known of the error of one round in public; None where no bound holds for all scores.

    >>> round(forecast(PermuteAndFlip(Fraction(1)), 2).error_bound(), 2)
    2.3
    """
    from discreet.utility import Forecast  # noqa: PLC0415 - most selections never ask

    once = mechanism.round if isinstance(mechanism, Peel) else mechanism
    if isinstance(once, Weighted | Unequal | Drawing):
        return None
    kind, noise = family(once)
    return Forecast.of(candidates, rate=once.rate / tick, mechanism=kind, noise=noise)


def family(mechanism: Chosen) -> tuple[str, str | None]:
    """Return the words of ``select`` for a mechanism, or for one round of several: its name and its noise.

    >>> family(Peel(PermuteAndFlip(Fraction(1)), 3))
    ('permute-and-flip', None)
    """
    once = mechanism.round if isinstance(mechanism, Peel) else mechanism
    if isinstance(once, NoisyMax | NoisyMaxWithGap):
        return "noisy-max", once.noise
    return ("permute-and-flip" if isinstance(once, PermuteAndFlip) else "exponential"), None


def _json(label: Hashable) -> Any:
    item = getattr(label, "item", None)  # a NumPy scalar
    plainer = item() if callable(item) else label
    if isinstance(plainer, float) and not math.isfinite(plainer):
        return str(plainer)
    return plainer if isinstance(plainer, str | int | float | bool) else str(plainer)
