"""What is promised about a release: a small closed union of frozen, exact statements.

All speak of any two neighbouring datasets and the laws P, Q of the release on them.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from discreet.errors import SettingError
from discreet.exact import Number, nonnegative, plain


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


Guarantee = Pure | Range | Zcdp | Approx
"""The closed union: a `match` over these four is complete, and the type checkers hold us to it."""


def to_dict(guarantee: Guarantee) -> dict[str, str]:
    """Write a guarantee as JSON-ready text; every number is exact.

    >>> to_dict(Pure("0.1"))
    {'kind': 'pure', 'epsilon': '1/10'}
    """
    match guarantee:
        case Pure(epsilon=epsilon):
            return {"kind": "pure", "epsilon": str(epsilon)}
        case Range(epsilon=epsilon):
            return {"kind": "range", "epsilon": str(epsilon)}
        case Zcdp(rho=rho):
            return {"kind": "zcdp", "rho": str(rho)}
        case Approx(epsilon=epsilon, delta=delta):
            return {"kind": "approx", "epsilon": str(epsilon), "delta": str(delta)}
        case _:
            assert_never(guarantee)
