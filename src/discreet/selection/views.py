"""Private views, asked for by name: exact laws of given scores, and many draws for simulation. Not for publication."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from discreet.balls import ball
from discreet.counts import say
from discreet.errors import SettingError
from discreet.mechanisms import Exponential, NoisyMax, NoisyMaxWithGap, PermuteAndFlip, Weighted
from discreet.sampling import laws
from discreet.sampling.column import Column
from discreet.sampling.levels import listed
from discreet.sampling.prepared import Prepared
from discreet.selection.entries import read
from discreet.selection.plan import Chosen, Settings, plan

CERTIFIED = 256
"""Candidates up to which laws are computed with certified balls; permute-and-flip takes the square of their number."""

Floats = NDArray[np.float64]


def prepare(
    values: object,
    /,
    *,
    candidates: Iterable[Hashable] | None = None,
    maximize: bool = True,
    infinite: str = "refuse",
    **settings: Unpack[Settings],
) -> Prepared:
    """Make the exponential mechanism ready for many draws, for simulation and audits. Each draw spends the guarantee.

    >>> prepare([0, 1000], epsilon=1, range=1).draws(3)
    array([1, 1, 1])
    """
    entries = read(values, candidates, maximize=maximize, infinite=infinite)
    settings.setdefault("mechanism", "exponential")
    chosen = plan(entries, **settings).mechanism
    if not isinstance(chosen, Exponential):
        raise SettingError(
            "mechanism: wanted the plain exponential mechanism (no prior, no gap), which can be prepared"
        )
    return Prepared(listed(entries.column), chosen.rate, None if isinstance(entries.places, range) else entries.places)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PrivateLaw:
    """The chance of every candidate, given the scores: private, like the scores themselves.

    >>> law([1, 1], epsilon=1, range=1)
    PrivateLaw(2 candidates; not for publication)
    """

    candidates: Sequence[Hashable]
    probabilities: Floats

    def __repr__(self) -> str:
        return f"PrivateLaw({say(len(self.candidates))}; not for publication)"

    def to_dict(self) -> dict[Hashable, float]:
        """Return label -> probability: private.

        >>> law({"a": 1, "b": 1}, epsilon=1, range=1).to_dict()
        {'a': 0.5, 'b': 0.5}
        """
        return dict(zip(self.candidates, self.probabilities.tolist(), strict=True))


def law(
    values: object,
    /,
    *,
    candidates: Iterable[Hashable] | None = None,
    maximize: bool = True,
    infinite: str = "refuse",
    **settings: Unpack[Settings],
) -> PrivateLaw:
    """Return the exact chance ``select`` gives each candidate. Private: for the owner of the data, never for release.

    Each is the nearest float to the certified probability up to 256 candidates, and within 2e-14 of it beyond.

    >>> law([3, 1, 0], epsilon=1, sensitivity=1).probabilities.round(4).tolist()
    [0.7319, 0.1703, 0.0979]
    """
    entries = read(values, candidates, maximize=maximize, infinite=infinite)
    found = _probabilities(listed(entries.column), plan(entries, **settings).mechanism)
    return PrivateLaw([entries.label(place) for place in range(len(entries))], found)


def _probabilities(column: Column, mechanism: Chosen) -> Floats:
    match mechanism:
        case Exponential() | NoisyMax(noise="gumbel") | NoisyMaxWithGap(noise="gumbel"):
            return _rated(column, mechanism.rate, laws.exponential, "exponential")
        case PermuteAndFlip() | NoisyMax(noise="exponential") | NoisyMaxWithGap():
            return _rated(column, mechanism.rate, laws.permute_and_flip, "permute-and-flip")
        case NoisyMax():
            return _rated(column, mechanism.rate, laws.laplace_noisy_max, None)
        case Weighted():
            return _floats(laws.settled(lambda scores, _: _shares(mechanism, scores), column, mechanism.rate))
        case _:
            raise SettingError.of("mechanism", "one winner and one sensitivity for all candidates", mechanism)


def _rated(
    column: Column, rate: Fraction, certified: Callable[[Column, Fraction], laws.Law], name: str | None
) -> Floats:
    if len(column) <= CERTIFIED:
        return _floats(laws.settled(certified, column, rate))
    if name is None:
        raise SettingError.of("candidates", f"at most {CERTIFIED} for the law of Laplace noise", len(column))
    from discreet.utility import private_law  # noqa: PLC0415 - only large private views need it

    exact = column.data if column.exact is None else column.exact
    return private_law(exact, rate=rate * column.unit, mechanism=name)


def _shares(mechanism: Weighted, column: Column) -> laws.Law:
    each = mechanism.weights(column)
    total = sum(each, ball(0))
    return [weight / total for weight in each]


def _floats(law_in_balls: laws.Law) -> Floats:
    return np.array([float(share) for share in law_in_balls])
