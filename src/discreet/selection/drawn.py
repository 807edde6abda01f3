"""``draw``: one release from a domain whose outputs are no list: several numbers, sequences, points of a fine grid."""

import html
from collections.abc import Hashable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from discreet.domains.base import Domain, Fitted
from discreet.errors import SettingError
from discreet.exact import Number
from discreet.guarantees import Guarantee, to_dict
from discreet.mechanisms.base import spendable
from discreet.sampling.coins import Coins
from discreet.selection.plan import target
from discreet.selection.result import WHO
from discreet.selection.verbs import door
from discreet.sensitivity import Neighbours


@dataclass(frozen=True, slots=True)
class Drawn:
    """What one draw released, its guarantee, and the public settings it was made with.

    >>> from discreet.domains import JointQuantiles
    >>> made = draw(JointQuantiles((0, 9), qs=["1/4", "3/4"]).score([3] * 90 + [5] * 90), epsilon=1)
    >>> made.value, str(made.guarantee)
    ((3, 5), '1-bounded range (so 1-differential privacy)')
    """

    value: Hashable
    domain: Domain[Any]
    rate: Fraction
    guarantee: Guarantee
    neighbours: Neighbours

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values."""
        return {
            "value": written(self.value),
            "domain": type(self.domain).__name__,
            "rate": str(self.rate),
            "guarantee": to_dict(self.guarantee),
            "neighbours": self.neighbours,
        }

    def __str__(self) -> str:
        return f"{told(self.value)}: {self.guarantee} ({WHO[self.neighbours]})"

    def _repr_html_(self) -> str:
        rows = [("answer", told(self.value)), ("with", str(self.guarantee)), ("protects against", WHO[self.neighbours])]
        cells = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in rows)
        return f"<table>{cells}</table>"


def draw(
    fitted: Fitted[Any],
    /,
    *,
    epsilon: Number | None = None,
    rho: Number | None = None,
    guarantee: Guarantee | None = None,
    coins: Coins | None = None,
) -> Drawn:
    """Release one output of a domain that has read data, for a stated ``epsilon``, ``rho`` or ``guarantee``.

    >>> from discreet.domains import JointQuantiles
    >>> print(draw(JointQuantiles((0, 9), qs=["1/2"]).score([4] * 99), epsilon=1))
    4: 1-bounded range (so 1-differential privacy) (one person more or less)

    How far one person moves the scores is known to the domain, so nobody types it. Every draw spends anew.
    """
    given: Any = fitted
    if not hasattr(given, "law") or not hasattr(given, "domain"):
        wanted = "what a domain has read, such as JointQuantiles(...).score(data)"
        raise SettingError(f"data: wanted {wanted}, got {type(given).__name__}")
    goal = target({"epsilon": epsilon, "rho": rho, "guarantee": guarantee})
    rate = spendable(given.domain.calibrate(goal, given.neighbours), goal)
    promised = given.domain.promise(rate, given.neighbours)
    return Drawn(given.law(rate).draw(door(coins)), given.domain, rate, promised, given.neighbours)


def told(value: Any) -> str:
    """Say an outcome.

    >>> told((1, Decimal("2.50")))
    '1, 2.50'
    """
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def written(value: Any) -> Any:
    """Return an outcome as a JSON-ready value; decimals and fractions as text, so that nothing is rounded.

    >>> written((1, Decimal("2.50"), "smith"))
    [1, '2.50', 'smith']
    """
    match value:
        case tuple():
            return [written(one) for one in value]  # pyright: ignore[reportUnknownVariableType]
        case Decimal() | Fraction():
            return str(value)
        case _:
            return value
