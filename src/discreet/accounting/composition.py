"""What many releases promise together: the least bound that is proved for the plan, and which rule gave it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, get_args

from discreet.accounting.rule import Role, Rule
from discreet.accounting.rules import RULES
from discreet.accounting.uses import Plan, Uses
from discreet.errors import SettingError
from discreet.exact import Number, chance, flag, nonnegative, number, plain
from discreet.guarantees import Approx, Guarantee, Pure, to_dict
from discreet.sensitivity import one_of

IN_WORDS: dict[Plan, str] = {
    "batch": "as a batch fixed beforehand",
    "fixed": "as a plan of fixed parameters",
    "adaptive": "with parameters chosen on the way",
}
WITHOUT_DELTA = "without delta only the sum of pure epsilons holds: compose(..., rule='basic')"
Ask = Callable[[Rule], Guarantee | None]


@dataclass(frozen=True, slots=True)
class Bound:
    """What one rule says, and for which plans it is proved.

    >>> Bound("basic", ("batch", "fixed", "adaptive"), "bound", Pure(1)).holds
    ('batch', 'fixed', 'adaptive')
    """

    rule: str
    holds: tuple[Plan, ...]
    role: Role
    guarantee: Guarantee | None
    """None where the rule cannot speak: of such guarantees, of so many, of so small a delta."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values."""
        found = None if self.guarantee is None else to_dict(self.guarantee)
        return {"rule": self.rule, "holds": list(self.holds), "role": self.role, "guarantee": found}


@dataclass(frozen=True, slots=True)
class Composition:
    """The least bound found, the rule that gave it, the plan it holds for, and what all asked rules say.

    >>> from discreet.accounting.uses import repeat
    >>> from discreet.guarantees import Range
    >>> print(compose([repeat(Range("0.1"), 100)], delta="1e-6", plan="batch"))
    (about 2.24603, 0.000001)-differential privacy as a batch fixed beforehand, by the rule 'batch optimum'
    """

    epsilon: Fraction
    delta: Fraction
    rule: str
    plan: Plan
    bounds: tuple[Bound, ...]

    @property
    def guarantee(self) -> Guarantee:
        """The same as a guarantee."""
        return _stated(self.epsilon, self.delta)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values; numbers are exact."""
        rows = [bound.to_dict() for bound in self.bounds]
        return {"guarantee": to_dict(self.guarantee), "rule": self.rule, "plan": self.plan, "bounds": rows}

    def __str__(self) -> str:
        return f"{self.guarantee} {IN_WORDS[self.plan]}, by the rule {self.rule!r}"


def compose(
    guarantees: Iterable[Any],
    *,
    delta: Number | None = None,
    epsilon: Number | None = None,
    plan: Plan = "adaptive",
    ordered: bool = True,
    rule: str = "auto",
    every: bool = False,
) -> Composition:
    """Return what releases promise together: the least epsilon at ``delta``, or the least delta at ``epsilon``.

    ``guarantees`` holds guarantees, ``repeat(guarantee, times)``, or answers that carry theirs, in order of execution;
    ``ordered=False`` says that their order is not known beforehand.

    ``plan`` says what is fixed before the first answer, and so which theorems hold. ``"batch"``: everything.
    ``"fixed"``: all parameters; what is asked may depend on earlier answers. ``"adaptive"``: parameters, too, may
    depend on earlier answers, if the total of these guarantees was the limit from the start.

    ``rule`` names one rule instead of the best. ``every=True`` asks all of them, the slow ones, those not proved for
    the plan and those that only compare included, and lists what they say in ``bounds``.

    >>> from discreet.accounting.uses import repeat
    >>> from discreet.guarantees import Range
    >>> compose([repeat(Range("0.1"), 100)], delta="1e-6", plan="fixed").epsilon < 3
    True
    >>> print(compose([Pure("0.1"), Range("0.2")], rule="basic"))
    0.3-differential privacy with parameters chosen on the way, by the rule 'basic'
    """
    held: Plan = one_of(plan, "plan", get_args(Plan))
    uses = Uses.of(guarantees, held, ordered=flag(ordered, "ordered"))
    ask, named = _question(uses, delta, epsilon, rule), _named(rule, held)
    bounds = tuple(_bounds(ask, uses, named, held, every=flag(every, "every")))
    fit = [bound for bound in bounds if bound.guarantee is not None and _promised(bound, named, held)]
    if not fit:
        raise _silence(ask, uses, named, held)
    amounts = {bound.rule: _amounts(bound.guarantee) for bound in fit}
    best = min(amounts, key=lambda name: amounts[name])
    return Composition(*amounts[best], best, held, bounds)


def _question(uses: Uses, delta: Number | None, epsilon: Number | None, rule: str) -> Ask:
    """Return what is asked of each rule. Part of delta is lost outright; the rule is asked about the rest."""
    lost = uses.lost
    if delta is not None and epsilon is not None:
        raise SettingError("delta: wanted delta= or epsilon=, got both")
    if epsilon is not None:
        e = nonnegative(epsilon, "epsilon")
        return lambda one: _at_epsilon(e, one.delta(uses, e), lost)
    if delta is None and rule == "basic":
        return lambda one: _at_delta(one.epsilon(uses, Fraction(1, 2)), lost)
    if delta is None or number(delta, "delta") == 0:
        raise SettingError.of("delta", "delta= strictly between 0 and 1, or epsilon=", delta, WITHOUT_DELTA)
    d = chance(delta, "delta")
    if d <= lost:
        remedy = "these guarantees lose that much whatever the epsilon"
        raise SettingError.of("delta", f"a number above {plain(lost)}", delta, remedy)
    left = (d - lost) / (1 - lost)
    return lambda one: _at_delta(one.epsilon(uses, left), lost if one.name == "basic" else d)


def _at_epsilon(epsilon: Fraction, found: Fraction | None, lost: Fraction) -> Guarantee | None:
    return None if found is None else _stated(epsilon, lost + (1 - lost) * min(Fraction(1), found))


def _at_delta(found: Fraction | None, delta: Fraction) -> Guarantee | None:
    return None if found is None else _stated(found, delta)


def _stated(epsilon: Fraction, delta: Fraction) -> Guarantee:
    return Approx(epsilon, delta) if delta else Pure(epsilon)


def _amounts(guarantee: Guarantee | None) -> tuple[Fraction, Fraction]:
    assert isinstance(guarantee, Pure | Approx)  # noqa: S101 - for the type checkers: nothing else is stated here
    return guarantee.epsilon, guarantee.delta if isinstance(guarantee, Approx) else Fraction(0)


def _bounds(ask: Ask, uses: Uses, named: Rule | None, plan: Plan, *, every: bool) -> Iterable[Bound]:
    """Ask the rules. Where one surely knows the least bound there is, and one need not see the others, it is enough."""
    if every or named:
        rules = RULES if every or named is None else (named,)
        return [_bound(ask, rule) for rule in rules]
    serving = [rule for rule in RULES if _serves(rule, plan) and rule.quick(uses)]
    exact = (_bound(ask, rule) for rule in serving if rule.exact(uses))
    settled = next((bound for bound in exact if bound.guarantee is not None), None)
    return [_bound(ask, rule) for rule in serving] if settled is None else [settled]


def _bound(ask: Ask, rule: Rule) -> Bound:
    return Bound(rule.name, rule.holds, rule.role, ask(rule))


def _serves(rule: Rule, plan: Plan) -> bool:
    return rule.role == "bound" and plan in rule.holds


def _promised(bound: Bound, named: Rule | None, plan: Plan) -> bool:
    return bound.rule == named.name if named else bound.role == "bound" and plan in bound.holds


def _named(name: str, plan: Plan) -> Rule | None:
    """Return the rule of this name, None for all of them; refuse one that is not proved for the plan."""
    if name == "auto":
        return None
    found = next((rule for rule in RULES if rule.name == name), None)
    if found is None:
        raise SettingError.of("rule", " or ".join(repr(known) for known in ("auto", *(r.name for r in RULES))), name)
    if found.role == "picture" or plan not in found.holds:
        serving = " or ".join(repr(rule.name) for rule in RULES if _serves(rule, plan))
        proved = "nothing, it is a picture" if found.role == "picture" else " and ".join(map(repr, found.holds))
        wanted = f"one proved for plan={plan!r} ({serving})"
        raise SettingError.of("rule", wanted, name, f"that one is proved for {proved}; every=True shows it beside them")
    return found


def _silence(ask: Ask, uses: Uses, named: Rule | None, plan: Plan) -> SettingError:
    """Say that no rule can speak, and which would for which plan."""
    others = [(rule, held) for rule in RULES for held in rule.holds if rule.role == "bound" and rule.quick(uses)]
    speaking = [(rule, held) for rule, held in others if ask(rule) is not None]
    near = [(rule, held) for rule, held in speaking if held == plan] or speaking
    remedy = f"rule {near[0][0].name!r} can, with plan={near[0][1]!r}" if near else "they are too many or too large"
    which = f"the rule {named.name!r}" if named else "a rule"
    return SettingError(f"guarantees: wanted ones that {which} for plan={plan!r} can add up, got others; {remedy}")
