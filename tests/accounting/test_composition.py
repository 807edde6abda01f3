"""One call for all rules: counts, order, refusals, and the ladder of bounds between brute force and the sum."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet import select
from discreet.accounting import RULES, Composition, compose, repeat
from discreet.accounting.adaptive import delta_bracket
from discreet.accounting.rule import Rule
from discreet.accounting.uses import Plan, Uses
from discreet.errors import SettingError
from discreet.guarantees import Approx, Gdp, Guarantee, LaplacePair, Pure, PureRange, Range, Renyi, Zcdp, from_dict
from tests.accounting.closed import GOLDEN, case_name, sure

AMOUNTS = some.fractions(min_value=Fraction(1, 20), max_value=2, max_denominator=20)
TIMES = some.integers(min_value=1, max_value=5)
KINDS: list[Callable[[Fraction], Guarantee]] = [
    Pure,
    Range,
    lambda b: PureRange(b * 2 / 3, b),
    LaplacePair,
    Gdp,
    Zcdp,
    lambda x: Renyi({2: x, 32: 3 * x}),
    lambda x: Approx(x, x / 10**9),
]
GUARANTEES = some.builds(lambda kind, amount: kind(amount), some.sampled_from(KINDS), AMOUNTS)
BOUNDS = [rule for rule in RULES if rule.role != "picture"]
HAIR = 1 + Fraction(1, 10**9)
GRAIN = Fraction(101, 100)
"""Rules on grids may differ by their excess where the exact ones would be equal."""


def says(rule: Rule, items: list[Any], e: Fraction, plan: Any = "fixed") -> Fraction | None:
    """Ask a rule for delta."""
    return rule.delta(Uses.of(items, plan), e)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@settings(max_examples=15)
@given(GUARANTEES, TIMES, AMOUNTS)
def test_a_count_multiplies_in_one_place(rule: Rule, guarantee: Guarantee, times: int, e: Fraction) -> None:
    """A list of equal guarantees and a repetition are the same to every rule, for delta and for epsilon."""
    long, short = Uses.of([guarantee] * times, "fixed"), Uses.of([repeat(guarantee, times)], "fixed")
    parts = Uses.of([repeat(guarantee, times - 1), guarantee, repeat(Pure(1), 0), Range(0)], "fixed")
    assert rule.delta(long, e) == rule.delta(short, e) == rule.delta(parts, e)
    assert rule.epsilon(long, Fraction(1, 10**6)) == rule.epsilon(short, Fraction(1, 10**6))


def forgetful(rule: Rule) -> Rule:
    """A planted rule that ignores how often a guarantee occurs."""

    def once(uses: Uses) -> Uses:
        return replace(uses, runs=tuple(run._replace(times=1) for run in uses.runs))

    return replace(rule, delta=lambda uses, e: rule.delta(once(uses), e))


@pytest.mark.parametrize("rule", BOUNDS, ids=lambda rule: rule.name)
def test_no_rule_is_below_brute_force_and_a_forgetful_one_is(rule: Rule) -> None:
    """On a few small mechanisms no bound is below what a member of the class attains; a forgetful one somewhere is."""
    spoke, caught = 0, 0
    kinds: tuple[Callable[[Fraction], Guarantee], ...] = (Pure, Range, Gdp)
    for kind, times, e in product(kinds, (2, 3, 12), (Fraction(0), Fraction(1, 2))):
        items = [kind(Fraction(3, 4))] * times
        found, true = says(rule, items, e, rule.holds[0]), attained(items[0], times, float(e))
        if found is not None:
            spoke += 1
            assert found * HAIR >= true
            caught += sure(says(forgetful(rule), items, e, rule.holds[0])) < true
    assert spoke
    assert caught or rule.name == "basic" or rule.role == "comparison"  # these say 1 where they know nothing


def attained(guarantee: Guarantee, times: int, e: float) -> float:
    """Delta of independent copies of one member of the class, from its outcomes."""
    if isinstance(guarantee, Gdp):
        mu = float(guarantee.mu) * math.sqrt(times)
        return _normal(mu / 2 - e / mu) - math.exp(e) * _normal(-mu / 2 - e / mu)
    b = float(guarantee.epsilon if isinstance(guarantee, Range) else 2 * guarantee.epsilon)  # type: ignore[union-attr]
    shares = [i / 20 for i in range(1, 20)] if isinstance(guarantee, Range) else [0.5]
    return max(_responses(b, share * b, times, e) for share in shares)


def _responses(b: float, t: float, times: int, e: float) -> float:
    q = math.expm1(t - b) / math.expm1(-b)
    return sum(
        math.comb(times, i) * q ** (times - i) * (1 - q) ** i * max(0.0, 1 - math.exp(e - times * t + i * b))
        for i in range(times + 1)
    )


def _normal(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


@settings(max_examples=30)
@given(some.lists(some.builds(repeat, some.builds(Range, AMOUNTS), TIMES), min_size=1, max_size=3), some.floats(0, 0.9))
def test_the_ladder_of_bounds(plan: list[Any], share: float) -> None:
    """Legal adversary, recursion, blocks, then Renyi, zCDP and the sum: each at most the next, whatever the plan."""
    sequence = [b for run in plan for b in [run.guarantee.epsilon] * run.times]
    e = Fraction(share) * sum(sequence)
    low = delta_bracket(sequence, e).lower
    named = {rule.name: says(rule, plan, e) for rule in RULES}
    recursion, blocks, envelope = (sure(named[name]) for name in ("adaptive optimum", "blocks", "envelope"))
    renyi, zcdp, basic = (sure(named[name]) for name in ("renyi", "zcdp", "basic"))
    assert low <= recursion <= blocks * GRAIN
    assert recursion <= renyi * GRAIN
    assert recursion <= envelope * GRAIN
    assert renyi <= zcdp * HAIR
    assert zcdp <= basic * HAIR
    batch = says(next(rule for rule in RULES if rule.name == "batch optimum"), plan, e, "batch")
    assert batch is None or batch <= recursion * GRAIN  # of different ranges it is the upper end of a bracket


@pytest.mark.parametrize("rule", BOUNDS, ids=lambda rule: rule.name)
@settings(max_examples=10)
@given(GUARANTEES, TIMES, some.fractions(min_value=0, max_value=3, max_denominator=10))
def test_bounds_are_monotone(rule: Rule, guarantee: Guarantee, times: int, e: Fraction) -> None:
    """One release more, or a smaller epsilon or delta to reach, never lowers a bound."""
    here, more = Uses.of([repeat(guarantee, times)], "fixed"), Uses.of([repeat(guarantee, times + 1)], "fixed")
    now, later, further = rule.delta(here, e), rule.delta(more, e), rule.delta(here, e + Fraction(1, 4))
    assert now is None or later is None or now <= later * GRAIN
    assert now is None or sure(further) <= now * HAIR
    near, far = (rule.epsilon(here, Fraction(1, 10**power)) for power in (3, 6))
    grown = rule.epsilon(more, Fraction(1, 10**6))
    assert near is None or far is None or near <= far * HAIR
    assert far is None or grown is None or far <= grown * GRAIN


@pytest.mark.parametrize("case", GOLDEN["table_main_doubles"], ids=case_name)
def test_auto_takes_the_least_that_is_proved(case: dict[str, Any]) -> None:
    """A batch gets its optimum; an adaptive plan at most the Renyi column; parameters on the way the zCDP column."""
    use = [repeat(Range(str(case["eps"])), case["k"])]
    batch, fixed, adaptive = (compose(use, delta="1e-6", plan=plan) for plan in ("batch", "fixed", "adaptive"))
    assert float(batch.epsilon) == pytest.approx(case["br_nonadaptive"], rel=1e-9)
    assert batch.epsilon <= fixed.epsilon * HAIR
    assert fixed.epsilon <= Fraction(case["br_rdp_tight"]) * HAIR
    assert adaptive.epsilon <= min(Fraction(case["br_zcdp_eps2_8"]), Fraction(case["basic"])) * HAIR
    assert fixed.epsilon <= adaptive.epsilon
    assert (batch.rule, adaptive.rule in {"zcdp", "basic"}) == ("batch optimum", True)


def test_every_rule_side_by_side() -> None:
    """On request all rules speak; only those proved for the plan are chosen from, however small the others are."""
    for plan in ("batch", "fixed", "adaptive"):
        found = compose([repeat(Range("0.1"), 40)], delta="1e-6", plan=plan, every=True)
        assert [bound.rule for bound in found.bounds] == [rule.name for rule in RULES]
        chosen = next(bound for bound in found.bounds if bound.rule == found.rule)
        assert plan in chosen.holds
        assert chosen.role == "bound"
    least = min(sure(bound.guarantee.epsilon) for bound in found.bounds if bound.guarantee)  # type: ignore[union-attr]
    assert least < found.epsilon


def test_deep_deltas_keep_their_digits() -> None:
    """Rules that promise relative accuracy keep it at 1e-25: delta at the epsilon found is the delta asked for."""
    use = [repeat(Range("0.5"), 50)]
    cases: list[tuple[str, Plan]] = [("batch optimum", "batch"), ("adaptive optimum", "fixed"), ("blocks", "fixed")]
    for name, plan in cases:
        found = compose(use, delta="1e-25", plan=plan, rule=name)
        back = compose(use, epsilon=found.epsilon, plan=plan, rule=name)
        assert float(back.delta) == pytest.approx(1e-25, rel=2e-3)


def test_different_kinds_are_added_up() -> None:
    """Selections, noisy max, Gaussian and pure releases together: more than each part, less than their sum."""
    parts = [repeat(Range("0.2"), 10), repeat(LaplacePair("0.1"), 10), Gdp("0.3"), repeat(Pure("0.1"), 5)]
    found = compose(parts, delta="1e-6", plan="fixed")
    assert found.rule == "blocks"
    alone = [compose([part], delta="1e-6", plan="fixed").epsilon for part in parts]
    assert max(alone) < found.epsilon < sum(alone)
    assert found.epsilon < compose(parts, delta="1e-6", plan="fixed", rule="renyi").epsilon
    assert compose(parts, delta="1e-6").rule == "zcdp"


def test_an_unknown_order_is_charged_for() -> None:
    """If the order of different ranges is open, the bound is that of the worst order, and blocks stay silent."""
    plan = [Fraction(b, 16) for b in (20, 9, 20, 21)]
    known = [compose(map(Range, order), epsilon="1.14", plan="fixed") for order in (plan, plan[::-1], sorted(plan))]
    free = compose(map(Range, plan), epsilon="1.14", plan="fixed", ordered=False, every=True)
    assert all(one.delta <= free.delta for one in known)
    assert next(bound for bound in free.bounds if bound.rule == "blocks").guarantee is None


def test_what_is_lost_outright_is_added() -> None:
    """Deltas of single releases are independent in a plan, and add up where parameters are chosen on the way."""
    two = [Approx(1, "0.1"), Approx(0, "0.2")]
    assert compose(two, epsilon=1, plan="fixed").delta == pytest.approx(Fraction("0.28"))
    assert compose(two, epsilon=1, plan="adaptive").delta == Fraction("0.3")
    many = compose([repeat(Approx("0.01", "1e-9"), 100)], delta="1e-6", plan="fixed")
    pure = compose([repeat(Pure("0.01"), 100)], delta="1e-6", plan="fixed")
    assert pure.epsilon < many.epsilon < pure.epsilon * Fraction(102, 100)
    with pytest.raises(SettingError, match="above"):
        compose(two, delta="0.25", plan="fixed")


def test_answers_bring_their_guarantee() -> None:
    """Released selections are composed as they are; under different relations they are refused."""
    votes = {"zoo": 9, "lake": 3}
    one, other = (select(votes, epsilon="0.1", scores="counts", neighbours=n) for n in ("add-remove", "replace"))
    found = compose([one, one, repeat(Range("0.1"), 3)], delta="1e-6")
    assert found == compose([repeat(LaplacePair("0.1"), 2), repeat(Range("0.1"), 3)], delta="1e-6")
    with pytest.raises(SettingError, match="'add-remove' and 'replace'"):
        compose([one, other], delta="1e-6")
    apart = [SimpleNamespace(guarantee=Pure(1), unit=unit) for unit in ("voter", "household")]
    with pytest.raises(SettingError, match="unit"):
        compose(apart, delta="1e-6")


def test_nothing_costs_nothing() -> None:
    """No releases, and releases that say nothing of anyone, are 0-private by every plan."""
    for plan in ("batch", "fixed", "adaptive"):
        for nothing in ([], [Pure(0), repeat(Gdp(0), 9)]):
            assert compose(nothing, delta="1e-6", plan=plan, every=True).epsilon == 0
            assert compose(nothing, epsilon=1, plan=plan, every=True).delta == 0


def test_in_words_and_as_json() -> None:
    """A composition is a sentence and an object; the guarantee can be read back exactly."""
    found = compose([repeat(Range("0.1"), 7)], delta="1e-6", plan="fixed")
    written = json.loads(json.dumps(found.to_dict()))
    assert from_dict(written["guarantee"]) == found.guarantee == Approx(found.epsilon, "1e-6")
    assert written["rule"] == found.rule
    assert str(found).endswith(f"as a plan of fixed parameters, by the rule {found.rule!r}")
    assert isinstance(found, Composition)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "rule='basic'"),
    ({"delta": 0}, "rule='basic'"),
    ({"delta": 1}, "strictly between 0 and 1"),
    ({"delta": "-1e-9"}, "strictly between 0 and 1"),
    ({"epsilon": -1}, "epsilon"),
    ({"delta": "1e-6", "epsilon": 1}, "both"),
    ({"delta": "1e-6", "plan": "loose"}, "'batch' or 'fixed' or 'adaptive'"),
    ({"delta": "1e-6", "rule": "kov"}, "'pure optimum'"),
    ({"delta": "1e-6", "rule": "limit", "plan": "batch"}, "picture"),
    ({"delta": "1e-6", "rule": "batch optimum", "plan": "fixed"}, "'adaptive optimum'"),
    ({"delta": "1e-6", "rule": "adaptive optimum"}, "'basic' or 'zcdp'"),
    ({"delta": "1e-6", "rule": "gaussian", "plan": "fixed"}, "can, with plan='fixed'"),
    ({"delta": "1e-6", "ordered": "yes"}, "ordered"),
]


@pytest.mark.parametrize(("words", "match"), REFUSED, ids=str)
def test_a_wrong_question_is_refused_and_told_what_serves(words: dict[str, Any], match: str) -> None:
    """Each refusal names the setting, and the rule or the words that would serve."""
    with pytest.raises(SettingError, match=match):
        compose([repeat(Range("0.1"), 9)], **words)


@pytest.mark.parametrize("items", [Range(1), "much", 3, ["1"], [None], [(Range(1), 2)]], ids=str)
def test_what_is_no_guarantee_is_refused(items: Any) -> None:
    """A list of guarantees is wanted, and nothing of what came is shown but its kind."""
    with pytest.raises(SettingError, match="repeat"):
        compose(items, delta="1e-6")


def test_a_curve_at_few_orders_needs_a_plan() -> None:
    """Renyi at some orders is no statement a ledger of rho can add up; the refusal names the plan that can."""
    with pytest.raises(SettingError, match="rule 'renyi' can, with plan='batch'"):
        compose([Renyi({4: "0.1"})], delta="1e-6")
    assert compose([repeat(Renyi({4: "0.1"}), 3)], delta="1e-2", plan="fixed").rule == "renyi"
