"""What may be spent, on whom, and by which rule: fixed when the ledger opens, and part of what it promises."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, get_args

from discreet.accounting import compose, zcdp
from discreet.errors import SettingError
from discreet.exact import Number, chance, nonnegative, number, plain, positive
from discreet.guarantees import Approx, Guarantee, Pure, Zcdp
from discreet.ledger import plans
from discreet.ledger.names import label
from discreet.ledger.units import Cost, granted
from discreet.readings import as_approx
from discreet.sensitivity import Neighbours, one_of

Rule = Literal["pure", "zcdp", "plan"]
"""How charges add up. ``pure``: epsilons. ``zcdp``: rhos, and spare deltas. ``plan``: one declared plan, in order."""

MEASURES: dict[Rule, str] = {"pure": "epsilon", "zcdp": "rho", "plan": "releases"}
"""What each rule counts."""


@dataclass(frozen=True, slots=True, init=False)
class Budget:
    """The most that all releases together may promise about one person (or whatever ``per`` says).

    * ``epsilon`` alone is a pure budget: epsilons add up.
    * ``epsilon`` with ``delta``, or ``rho``, is a zCDP budget: rhos add up. ``spare`` is the part of delta set aside
      for releases that have a delta of their own.
    * ``plan``, with ``delta`` where it needs one, is a plan declared as a whole: it costs what the sharp rules for
      fixed plans say, and is then followed in its order.

    >>> from discreet.accounting import repeat
    >>> from discreet.guarantees import Range
    >>> print(Budget(epsilon=3, delta="1e-6", per="listener"))
    (3, 0.000001)-differential privacy per listener (add-remove), by rho
    >>> print(Budget(plan=[repeat(Range("0.1"), 100)], delta="1e-6").guarantee)
    (about 2.25192, 0.000001)-differential privacy
    """

    epsilon: Fraction | None
    delta: Fraction
    rho: Fraction | None
    plan: plans.Plan
    spare: Fraction
    per: str
    neighbours: Neighbours

    def __init__(
        self,
        epsilon: Number | None = None,
        delta: Number | None = None,
        *,
        rho: Number | None = None,
        plan: Iterable[Any] | None = None,
        spare: Number = 0,
        per: str = "person",
        neighbours: str = "add-remove",
    ) -> None:
        given = [name for name, value in (("epsilon", epsilon), ("rho", rho), ("plan", plan)) if value is not None]
        if len(given) != 1:
            raise SettingError(f"budget: wanted one of epsilon=, rho= or plan=, got {' and '.join(given) or 'none'}")
        free = delta is None or number(delta, "delta") == 0
        object.__setattr__(self, "epsilon", None if epsilon is None else positive(epsilon, "epsilon"))
        object.__setattr__(self, "delta", Fraction(0) if free else chance(delta, "delta"))
        object.__setattr__(self, "rho", None if rho is None else positive(rho, "rho"))
        object.__setattr__(self, "plan", () if plan is None else plans.read(plan))
        object.__setattr__(self, "spare", _spare(spare, self.delta, self.rule))
        object.__setattr__(self, "per", label(per, "per"))
        object.__setattr__(self, "neighbours", one_of(neighbours, "neighbours", get_args(Neighbours)))

    @property
    def rule(self) -> Rule:
        """The rule that is fixed when a ledger opens with this budget."""
        if self.plan:
            return "plan"
        return "zcdp" if self.rho is not None or self.delta else "pure"

    @property
    def limit(self) -> Cost:
        """What may be spent, in units, rounded down: the sums of all charges stay within it."""
        return _limit(self)

    @property
    def guarantee(self) -> Guarantee:
        """What all releases together promise if the whole budget is spent. It holds from the first release on."""
        if self.plan:
            rule = "auto" if self.delta else "basic"
            return compose(self.plan, delta=self.delta or None, plan="fixed", rule=rule).guarantee
        if self.epsilon is not None:
            return Approx(self.epsilon, self.delta) if self.delta else Pure(self.epsilon)
        assert self.rho is not None  # noqa: S101 - for the type checkers: one of the three was given
        if not self.delta:
            return Zcdp(self.rho)
        return Approx(as_approx(Zcdp(self.rho), self.delta - self.spare).epsilon, self.delta)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values; numbers are exact."""
        numbers = {name: getattr(self, name) for name in ("epsilon", "delta", "rho", "spare")}
        exact = {name: None if value is None else str(value) for name, value in numbers.items()}
        return exact | {"plan": plans.to_json(self.plan), "per": self.per, "neighbours": self.neighbours}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> "Budget":
        """Read what ``to_dict`` wrote."""
        settings: dict[str, Any] = {**written, "plan": plans.from_json(written["plan"]) or None}
        return cls(**settings)

    def differences(self, other: "Budget") -> list[str]:
        """Name the settings in which two budgets differ."""
        names = (field.name for field in fields(self))
        return [name for name in names if getattr(self, name) != getattr(other, name)]

    def __str__(self) -> str:
        if self.plan:
            size = f"a plan of {plans.total(self.plan)} releases" + (
                f" at delta {plain(self.delta)}" * bool(self.delta)
            )
            return f"{size} per {self.per} ({self.neighbours})"
        whole = Zcdp(self.rho) if self.rho is not None else self.guarantee
        return f"{whole} per {self.per} ({self.neighbours}), by {MEASURES[self.rule]}"


@lru_cache(maxsize=64)
def _limit(budget: Budget) -> Cost:
    """Work the limit out, once: a rho for an epsilon takes a while, and under a lock others would wait."""
    if budget.plan:
        return Cost(granted(Fraction(plans.total(budget.plan)), "plan"), 0)
    if budget.epsilon is not None and not budget.delta:
        return Cost(granted(budget.epsilon, "epsilon"), 0)
    rho = budget.rho if budget.epsilon is None else zcdp.budget(budget.epsilon, budget.delta - budget.spare)
    assert rho is not None  # noqa: S101 - for the type checkers: one of the two was given
    return Cost(granted(rho, "rho"), granted(budget.spare, "spare"))


def _spare(spare: Number, delta: Fraction, rule: Rule) -> Fraction:
    """Read what is set aside: something must be left of delta for the conversion from rho."""
    result = nonnegative(spare, "spare")
    if result and (rule != "zcdp" or result >= delta):
        raise SettingError.of("spare", "0, or with epsilon= or rho= a number above 0 and below delta", spare)
    return result
