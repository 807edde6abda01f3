"""A rule: from uses to epsilon at a delta, or delta at an epsilon, or None where it cannot speak."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from discreet.accounting.uses import Plan, Uses
from discreet.guarantees import Guarantee

Role = Literal["bound", "comparison", "picture"]
"""``bound``: may be promised. ``comparison``: proved, but others are smaller. ``picture``: no bound at all."""

Bound = Callable[[Uses, Fraction], Fraction | None]
ANY: tuple[Plan, ...] = ("batch", "fixed", "adaptive")
PLANNED: tuple[Plan, ...] = ("batch", "fixed")


def never(uses: Uses) -> bool:
    """Return False: of no uses does this rule know the least bound there is.

    >>> never(Uses(()))
    False
    """
    del uses
    return False


def always(uses: Uses) -> bool:
    """Return True: the rule is quick enough to be asked about any uses.

    >>> always(Uses(()))
    True
    """
    del uses
    return True


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of composition, and what is proved of it.

    >>> Rule("nothing", ANY, lambda uses, delta: None, lambda uses, epsilon: None).role
    'bound'
    """

    name: str
    holds: tuple[Plan, ...]
    """The plans for which it is proved."""
    epsilon: Bound
    """An epsilon, rounded up, at a delta."""
    delta: Bound
    """A delta, rounded up, at an epsilon."""
    role: Role = "bound"
    exact: Callable[[Uses], bool] = never
    """Whether nothing smaller holds for all mechanisms with such guarantees, so that no other rule need be asked."""
    quick: Callable[[Uses], bool] = always
    """Whether it is asked without being named; the others would take seconds, or are surely beaten."""


def of_amounts(
    name: str,
    holds: tuple[Plan, ...],
    reading: Callable[[Guarantee], Fraction | None],
    epsilon: Callable[[dict[Fraction, int], Fraction], Fraction | None],
    delta: Callable[[dict[Fraction, int], Fraction], Fraction | None],
    *,
    role: Role = "bound",
    exact: Callable[[Uses], bool] = never,
    quick: Callable[[Uses], bool] = always,
) -> Rule:
    """Make a rule that needs one number of each guarantee, and not their order; silent where one has no such number.

    >>> from discreet.guarantees import Pure
    >>> rule = of_amounts("most", ANY, lambda guarantee: None, lambda found, delta: max(found), lambda found, e: None)
    >>> rule.epsilon(Uses.of([Pure(1)], "batch"), Fraction(1, 9)) is None
    True
    """

    def through(bound: Callable[[dict[Fraction, int], Fraction], Fraction | None]) -> Bound:
        def asked(uses: Uses, x: Fraction) -> Fraction | None:
            found = uses.amounts(reading)
            return None if found is None else bound(found, x)

        return asked

    return Rule(name, holds, through(epsilon), through(delta), role, exact, quick)
