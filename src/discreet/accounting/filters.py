"""Rules for ledgers whose parameters may depend on earlier answers: a charge is admitted while the sum still fits.

Proved for adaptively chosen parameters: sums of pure epsilons, of rho with a separate sum of delta, and of Renyi
divergences at one order fixed when the ledger opens. All arithmetic is exact. A plan declared as a whole, before the
first answer, may cost what the sharper rules for fixed plans say: it is reserved, and then followed.

Not valid, and so not here: asking whether the parameters used so far, read as if they had been fixed, still meet the
target by an optimal rule (``pure_optimum``, ``bounded_range``, a discretised loss, the Gaussian limit); taking
whichever order still fits; charging only answers that were kept. The tests hold counterexamples to the first and last.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from discreet.accounting.uses import Repeated, Uses
from discreet.errors import SettingError
from discreet.exact import Number, nonnegative, number, plain
from discreet.guarantees import Guarantee
from discreet.readings import implies


@dataclass(frozen=True, slots=True, init=False)
class PureFilter:
    """Admit pure mechanisms while the sum of their epsilons is within the limit.

    >>> ledger = PureFilter("0.3").after("0.1").after("0.2")
    >>> ledger.spent, ledger.admits("1e-9"), ledger.admits(0)
    (Fraction(3, 10), False, True)
    """

    limit: Fraction
    spent: Fraction

    def __init__(self, limit: Number, spent: Number = 0) -> None:
        object.__setattr__(self, "limit", nonnegative(limit, "epsilon"))
        object.__setattr__(self, "spent", _within(spent, self.limit, "spent"))

    def admits(self, epsilon: Number) -> bool:
        """Return whether a mechanism of this epsilon still fits."""
        return self.spent + nonnegative(epsilon, "epsilon") <= self.limit

    def after(self, epsilon: Number) -> Self:
        """Return the filter with this epsilon spent, or refuse."""
        return replace(self, spent=_charged(self.spent, nonnegative(epsilon, "epsilon"), self.limit, "epsilon"))


@dataclass(frozen=True, slots=True, init=False)
class ZcdpFilter:
    """Admit mechanisms while the sum of their rhos, and that of their deltas, are within their limits.

    The whole then is rho-zCDP but for a chance of delta: read the limits, not what is spent, as the guarantee.

    >>> ledger = ZcdpFilter("1/8", "1e-9").after("1/16")
    >>> ledger.admits("1/16"), ledger.admits("1/16", "1e-8"), ledger.after("1/16").admits("1/999")
    (True, False, False)
    """

    limit: Fraction
    limit_delta: Fraction
    spent: Fraction
    spent_delta: Fraction

    def __init__(self, limit: Number, limit_delta: Number = 0, spent: Number = 0, spent_delta: Number = 0) -> None:
        object.__setattr__(self, "limit", nonnegative(limit, "rho"))
        object.__setattr__(self, "limit_delta", _probability(limit_delta))
        object.__setattr__(self, "spent", _within(spent, self.limit, "spent"))
        object.__setattr__(self, "spent_delta", _within(spent_delta, self.limit_delta, "spent_delta"))

    def admits(self, rho: Number, delta: Number = 0) -> bool:
        """Return whether a mechanism of this rho and delta still fits."""
        fits = self.spent + nonnegative(rho, "rho") <= self.limit
        return self.spent_delta + _probability(delta) <= self.limit_delta and fits

    def after(self, rho: Number, delta: Number = 0) -> Self:
        """Return the filter with this rho and delta spent, or refuse."""
        return replace(
            self,
            spent=_charged(self.spent, nonnegative(rho, "rho"), self.limit, "rho"),
            spent_delta=_charged(self.spent_delta, _probability(delta), self.limit_delta, "delta"),
        )


@dataclass(frozen=True, slots=True, init=False)
class RenyiFilter:
    """Admit mechanisms while the sum of their Renyi divergences, at the one order of this filter, is within the limit.

    The whole then has at most the limit as its divergence of that order. The order cannot be changed later.

    >>> ledger = RenyiFilter(order=16, limit=1).after("0.75")
    >>> ledger.order, ledger.admits("0.25"), ledger.admits("0.26")
    (Fraction(16, 1), True, False)
    """

    order: Fraction
    limit: Fraction
    spent: Fraction

    def __init__(self, order: Number, limit: Number, spent: Number = 0) -> None:
        fixed = number(order, "order")
        if fixed <= 1:
            raise SettingError.of("order", "a number above 1", order)
        object.__setattr__(self, "order", fixed)
        object.__setattr__(self, "limit", nonnegative(limit, "divergence"))
        object.__setattr__(self, "spent", _within(spent, self.limit, "spent"))

    def admits(self, divergence: Number) -> bool:
        """Return whether a mechanism of this divergence, at the order of the filter, still fits."""
        return self.spent + nonnegative(divergence, "divergence") <= self.limit

    def after(self, divergence: Number) -> Self:
        """Return the filter with this divergence spent, or refuse."""
        amount = nonnegative(divergence, "divergence")
        return replace(self, spent=_charged(self.spent, amount, self.limit, "divergence"))


@dataclass(frozen=True, slots=True)
class PlanFilter:
    """Admit the releases of one declared plan, one after the other; stopping early is free, and forfeits the rest.

    What the plan costs is ``compose(plan, plan="fixed")``, and it is charged as a whole before the first release. What
    each release asks may depend on earlier answers; its guarantee may not be more than the plan says of its turn.

    >>> from discreet.accounting.uses import repeat
    >>> from discreet.guarantees import Range
    >>> reserved = PlanFilter.of([repeat(Range("0.1"), 2), Range("0.5")])
    >>> reserved.admits(Range("0.1")), reserved.admits(Range("0.5"))
    (True, False)
    >>> reserved.after(Range("0.1")).after(Range("0.05")).after(Range("0.5")).left
    ()
    """

    left: tuple[Repeated, ...]

    @classmethod
    def of(cls, guarantees: Iterable[Any]) -> Self:
        """Declare a plan: guarantees or repetitions, in their order of execution."""
        return cls(Uses.of(guarantees, "fixed").runs)

    def admits(self, guarantee: Guarantee) -> bool:
        """Return whether a release with this guarantee may be the next."""
        return bool(self.left) and (guarantee == self.left[0].guarantee or implies(guarantee, self.left[0].guarantee))

    def after(self, guarantee: Guarantee) -> Self:
        """Return the filter with the next release taken, or refuse."""
        if not self.admits(guarantee):
            turn = f"at most {self.left[0].guarantee}, whose turn it is in the plan" if self.left else "nothing more"
            raise SettingError.of("guarantee", turn, str(guarantee))
        (first, times), *rest = self.left
        return replace(self, left=((Repeated(first, times - 1),) if times > 1 else ()) + tuple(rest))


def _within(spent: Number, limit: Fraction, name: str) -> Fraction:
    result = nonnegative(spent, name)
    if result > limit:
        raise SettingError.of(name, f"a number from 0 to {plain(limit)}", spent)
    return result


def _probability(delta: Number) -> Fraction:
    return _within(delta, Fraction(1), "delta")


def _charged(spent: Fraction, amount: Fraction, limit: Fraction, name: str) -> Fraction:
    if spent + amount > limit:
        raise SettingError.of(name, f"at most the {plain(limit - spent)} that is left", amount)
    return spent + amount
