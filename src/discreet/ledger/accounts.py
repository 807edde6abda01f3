"""What a guarantee costs by a rule, and how an account stands: spent, remaining, and what the whole of it means."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from discreet.errors import BudgetError, SettingError
from discreet.exact import plain
from discreet.guarantees import Approx, Guarantee, Pure, Zcdp, to_dict
from discreet.ledger import plans
from discreet.ledger.budget import MEASURES, Budget, Rule
from discreet.ledger.units import NOTHING, SCALE, Cost, charged, shown
from discreet.readings import as_pure, as_zcdp

Read = TypeVar("Read", Pure, Zcdp)

PRICELESS = {
    "pure": "one that promises a pure epsilon, which is all this ledger counts",
    "zcdp": "one that promises a rho, with or without a delta, which is all this ledger counts",
}


@dataclass(frozen=True, slots=True)
class Balance:
    """An amount of a budget, spent or left, by the ledger's own measure; ``whole`` is what the budget means in full.

    The whole holds from the first release on. What is spent, read alone, promises nothing: which parameters came
    next may have depended on the answers.

    >>> left = Balance("zcdp", Fraction(1, 8), Fraction(0), Approx(3, "1e-6"))
    >>> left.rho, left.epsilon, left.guarantee
    (Fraction(1, 8), None, Zcdp(rho=Fraction(1, 8)))
    >>> print(left)
    rho 0.125 left of (3, 0.000001)-differential privacy
    """

    rule: Rule
    amount: Fraction
    delta: Fraction
    whole: Guarantee
    left: bool = True
    """Left, or spent."""

    @property
    def epsilon(self) -> Fraction | None:
        """The amount, in a ledger of pure epsilons."""
        return self.amount if self.rule == "pure" else None

    @property
    def rho(self) -> Fraction | None:
        """The amount, in a ledger of rhos."""
        return self.amount if self.rule == "zcdp" else None

    @property
    def releases(self) -> int | None:
        """The amount, in a ledger of one plan."""
        return int(self.amount) if self.rule == "plan" else None

    @property
    def guarantee(self) -> Guarantee | None:
        """The one release that would take this amount (spare delta aside); None in a ledger of one plan."""
        if self.rule == "plan":
            return None
        return Pure(self.amount) if self.rule == "pure" else Zcdp(self.amount)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values; numbers are exact."""
        amounts = {MEASURES[self.rule]: str(self.amount), "delta": str(self.delta)}
        return {"rule": self.rule, **amounts, "whole": to_dict(self.whole)}

    def __str__(self) -> str:
        write = at_most if self.left else plain
        also = f" and delta {write(self.delta)}" if self.delta else ""
        return f"{MEASURES[self.rule]} {write(self.amount)}{also} {'left' if self.left else 'spent'} of {self.whole}"


@dataclass(frozen=True, slots=True)
class Account:
    """A budget and how much of it is gone; ``analyst`` is None for the account of the whole dataset.

    >>> account = Account(None, Budget(epsilon=1), Pure(1), limit=Cost(SCALE, 0), gone=Cost(SCALE // 4, 0))
    >>> account.remaining.epsilon, account.spent.epsilon
    (Fraction(3, 4), Fraction(1, 4))
    """

    analyst: str | None
    budget: Budget
    whole: Guarantee
    limit: Cost
    gone: Cost = NOTHING

    @classmethod
    def of(cls, budget: Budget, analyst: str | None = None) -> "Account":
        """Open an account: what the limit is and what the whole means is worked out now, once, and kept."""
        return cls(analyst, budget, budget.guarantee, budget.limit)

    @property
    def spent(self) -> Balance:
        """What is gone."""
        return self._balance(self.gone, left=False)

    @property
    def remaining(self) -> Balance:
        """What is left."""
        return self._balance(self.limit.minus(self.gone), left=True)

    def after(self, cost: Cost) -> Cost:
        """Return what is gone after a charge, or refuse the charge."""
        total = self.gone.plus(cost)
        if total.within(self.limit):
            return total
        left, which = self.limit.minus(self.gone), int(total.amount <= self.limit.amount)
        name = "delta" if which else MEASURES[self.budget.rule]
        requested, remaining = shown(cost[which]), shown(left[which])
        whose = f"in the budget of {self.analyst!r}" if self.analyst else "in the budget"
        message = f"{name}: wanted at most the {at_most(remaining)} that is left {whose}, got {plain(requested)}"
        remedy = "; nothing was charged, and what is spent does not come back"
        raise BudgetError(message + remedy, requested=requested, remaining=remaining, rule=self.budget.rule)

    def _balance(self, cost: Cost, *, left: bool) -> Balance:
        return Balance(self.budget.rule, shown(cost.amount), shown(cost.delta), self.whole, left)


def at_most(amount: Fraction) -> str:
    """Write an amount as ``plain`` does, but never larger than it is: what is left is really there.

    >>> at_most(Fraction(1, 8)), at_most(Fraction(10**30, 10**30 + 1)), plain(Fraction(10**30, 10**30 + 1))
    ('0.125', 'about 0.999999', 'about 1')
    """
    return plain(-amount).replace("-", "", 1) if amount else plain(amount)


def price(guarantee: Guarantee, rule: Rule) -> Cost:
    """Return what one release costs by a rule, rounded up.

    >>> from discreet.guarantees import Range
    >>> price(Range(1), "pure") == Cost(SCALE, 0), price(Range(1), "zcdp").amount < SCALE / 8
    (True, True)

    ``Approx`` in a ledger of rhos: all is lost with chance delta, which is charged to the spare one, and otherwise the
    release is purely private.
    """
    if rule == "plan":
        return Cost(SCALE, 0)
    if rule == "pure":
        pure = as_pure(guarantee)
        return Cost(charged(_priced(pure, guarantee, rule).epsilon), 0)
    delta = guarantee.delta if isinstance(guarantee, Approx) else Fraction(0)
    zcdp = as_zcdp(Pure(guarantee.epsilon) if isinstance(guarantee, Approx) else guarantee)
    return Cost(charged(_priced(zcdp, guarantee, rule).rho), charged(delta))


def price_of_plan(plan: plans.Plan, rule: Rule) -> Cost:
    """Return what the releases of a plan cost together.

    >>> from discreet.accounting import repeat
    >>> price_of_plan((repeat(Pure("0.1"), 10),), "pure") == price(Pure(1), "pure")
    True
    """
    costs = [price(guarantee, rule).times(times) for guarantee, times in plan]
    return Cost(sum(cost.amount for cost in costs), sum(cost.delta for cost in costs))


def _priced(found: Read | None, guarantee: Guarantee, rule: Rule) -> Read:
    if found is None:
        raise SettingError.of("guarantee", PRICELESS[rule], str(guarantee))
    return found
