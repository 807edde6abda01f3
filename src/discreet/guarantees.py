"""What is promised about a release: a small closed union of frozen, exact statements.

All speak of any two neighbouring datasets and the laws P, Q of the release on them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from discreet.errors import SettingError
from discreet.exact import Number, nonnegative, number, plain


@dataclass(frozen=True, slots=True, init=False)
class Pure:
    """Pure differential privacy: no outcome is more than ``e**epsilon`` times likelier under P than under Q.

    >>> print(Pure("0.5"))
    0.5-differential privacy
    """

    epsilon: Fraction

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", nonnegative(epsilon, "epsilon"))

    def __str__(self) -> str:
        return f"{plain(self.epsilon)}-differential privacy"


@dataclass(frozen=True, slots=True, init=False)
class Range:
    """Bounded range: the privacy loss ln P/Q varies by at most ``epsilon`` over all outcomes.

    Stronger than ``Pure(epsilon)``: selections that promise it compose like mechanisms of half their epsilon.

    >>> print(Range(1))
    1-bounded range (so 1-differential privacy)
    """

    epsilon: Fraction

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", nonnegative(epsilon, "epsilon"))

    def __str__(self) -> str:
        amount = plain(self.epsilon)
        return f"{amount}-bounded range (so {amount}-differential privacy)"


@dataclass(frozen=True, slots=True, init=False)
class PureRange:
    """A pure epsilon and a larger bounded range at once: ``Pure(pure)`` and ``Range(range)``, each exact.

    What an exponential mechanism promises whose sum of weights does not depend on the data.

    >>> print(PureRange(1, "1.5"))
    1-differential privacy and 1.5-bounded range
    >>> PureRange(1, 3) == PureRange(1, 2)  # a pure epsilon alone bounds the range by its double
    True
    """

    pure: Fraction
    range: Fraction

    def __init__(self, pure: Number, range: Number) -> None:  # noqa: A002 - the field's own word
        a, b = nonnegative(pure, "pure"), nonnegative(range, "range")
        object.__setattr__(self, "pure", min(a, b))
        object.__setattr__(self, "range", min(b, 2 * a))

    def __str__(self) -> str:
        return f"{plain(self.pure)}-differential privacy and {plain(self.range)}-bounded range"


@dataclass(frozen=True, slots=True, init=False)
class LaplacePair:
    """P and Q are no easier to tell apart than Laplace noise of scale 1 on two numbers that differ by ``epsilon``.

    Stronger than ``Pure(epsilon)``, and what permute-and-flip and noisy max promise; in words it is that of a pure one.

    >>> print(LaplacePair(1))
    1-differential privacy
    """

    epsilon: Fraction

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", nonnegative(epsilon, "epsilon"))

    def __str__(self) -> str:
        return f"{plain(self.epsilon)}-differential privacy"


@dataclass(frozen=True, slots=True, init=False)
class Gdp:
    """Gaussian differential privacy: no easier to tell apart than noise N(0, 1) on two numbers that differ by ``mu``.

    Gaussian noise of standard deviation s on a query of sensitivity d promises mu = d / s.

    >>> print(Gdp("0.5"))
    0.5-Gaussian differential privacy
    """

    mu: Fraction

    def __init__(self, mu: Number) -> None:
        object.__setattr__(self, "mu", nonnegative(mu, "mu"))

    def __str__(self) -> str:
        return f"{plain(self.mu)}-Gaussian differential privacy"


@dataclass(frozen=True, slots=True, init=False)
class Zcdp:
    """Zero-concentrated differential privacy: the Renyi divergence of order a is at most ``rho * a``, all a > 1.

    >>> print(Zcdp("1/8"))
    0.125-zCDP
    """

    rho: Fraction

    def __init__(self, rho: Number) -> None:
        object.__setattr__(self, "rho", nonnegative(rho, "rho"))

    def __str__(self) -> str:
        return f"{plain(self.rho)}-zCDP"


@dataclass(frozen=True, slots=True, init=False)
class Renyi:
    """Renyi differential privacy: at each of these orders the divergence is at most so much.

    >>> print(Renyi({2: "0.1", 16: 1}))
    Renyi differential privacy, 0.1 at order 2 to 1 at order 16
    """

    points: tuple[tuple[Fraction, Fraction], ...]

    def __init__(self, points: Mapping[Any, Number] | Iterable[tuple[Number, Number]]) -> None:
        read = {number(order, "order"): nonnegative(amount, "divergence") for order, amount in dict(points).items()}
        if not read or min(read) <= 1:
            raise SettingError.of("order", "one or more numbers above 1", min(read, default=None))
        object.__setattr__(self, "points", tuple(sorted(read.items())))

    def __str__(self) -> str:
        (low, least), (high, most) = self.points[0], self.points[-1]
        end = f" to {plain(most)} at order {plain(high)}" if low < high else ""
        return f"Renyi differential privacy, {plain(least)} at order {plain(low)}{end}"


@dataclass(frozen=True, slots=True, init=False)
class Approx:
    """Approximate differential privacy: P(S) <= ``e**epsilon`` Q(S) + ``delta`` for every set S of outcomes.

    >>> print(Approx(1, "1e-6"))
    (1, 0.000001)-differential privacy
    """

    epsilon: Fraction
    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number) -> None:
        object.__setattr__(self, "epsilon", nonnegative(epsilon, "epsilon"))
        object.__setattr__(self, "delta", nonnegative(delta, "delta"))
        if self.delta > 1:
            raise SettingError.of("delta", "a number from 0 to 1", delta)

    def __str__(self) -> str:
        return f"({plain(self.epsilon)}, {plain(self.delta)})-differential privacy"


Guarantee = Pure | Range | PureRange | LaplacePair | Gdp | Zcdp | Renyi | Approx
"""The closed union: a `match` over these is complete, and the type checkers hold us to it."""

_KINDS: dict[str, type[Guarantee]] = {
    "pure": Pure,
    "range": Range,
    "pure-range": PureRange,
    "laplace-pair": LaplacePair,
    "gdp": Gdp,
    "zcdp": Zcdp,
    "renyi": Renyi,
    "approx": Approx,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def to_dict(guarantee: Guarantee) -> dict[str, Any]:
    """Write a guarantee as JSON-ready text; every number is exact.

    >>> to_dict(Pure("0.1"))
    {'kind': 'pure', 'epsilon': '1/10'}
    >>> to_dict(Renyi({2: "0.1"}))
    {'kind': 'renyi', 'points': [['2', '1/10']]}
    """
    if isinstance(guarantee, Renyi):
        return {"kind": "renyi", "points": [[str(order), str(amount)] for order, amount in guarantee.points]}
    numbers = {field.name: str(getattr(guarantee, field.name)) for field in fields(guarantee)}
    return {"kind": _NAMES[type(guarantee)], **numbers}


def from_dict(written: Mapping[str, Any]) -> Guarantee:
    """Read what ``to_dict`` wrote.

    >>> from_dict({"kind": "range", "epsilon": "1/10"})
    Range(epsilon=Fraction(1, 10))
    """
    kind = written.get("kind")
    if kind not in _KINDS:
        raise SettingError.of("kind", " or ".join(map(repr, _KINDS)), kind)
    values = {name: value for name, value in written.items() if name != "kind"}
    if set(values) != {field.name for field in fields(_KINDS[kind])}:
        raise SettingError.of("guarantee", f"the numbers of a {kind!r} guarantee", ", ".join(values))
    return _KINDS[kind](**values)
