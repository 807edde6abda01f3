"""Filters for parameters chosen on the way, and a counterexample to each tempting rule that is not one."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet.accounting import compose, gaussian, pure_optimum, repeat, zcdp
from discreet.accounting.filters import PlanFilter, PureFilter, RenyiFilter, ZcdpFilter
from discreet.errors import SettingError
from discreet.guarantees import LaplacePair, Pure, Range, Zcdp
from tests.accounting.closed import EPSILONS, GOLDEN

PLUG_IN: dict[str, Any] = GOLDEN["worked"]["plug_in_ledger_counterexample"]
PAY_ONLY: dict[str, Any] = GOLDEN["worked"]["pay_only_for_returned_items_counterexample"]


@given(some.lists(EPSILONS, max_size=30), EPSILONS)
def test_no_filter_spends_more_than_its_limit(charges: list[Fraction], limit: Fraction) -> None:
    """Whatever is asked, what is spent is the exact sum of what was admitted and within the limit."""
    pure, rho, renyi = PureFilter(limit), ZcdpFilter(limit), RenyiFilter(8, limit)
    admitted: list[Fraction] = []
    for charge in charges:
        assert pure.admits(charge) == rho.admits(charge) == renyi.admits(charge) == (sum(admitted) + charge <= limit)
        if pure.admits(charge):
            admitted.append(charge)
            pure, rho, renyi = pure.after(charge), rho.after(charge), renyi.after(charge)
    assert pure.spent == rho.spent == renyi.spent == sum(admitted) <= limit


def test_a_filter_stops_exactly_at_its_limit() -> None:
    """Ten tenths make one, and nothing more fits; a refused charge changes nothing."""
    full = PureFilter(1)
    for _ in range(10):
        full = full.after("0.1")
    assert full == PureFilter(1, spent=1)
    for over in (
        lambda: full.after("1e-300"),
        lambda: ZcdpFilter(1).after(0, "1e-9"),
        lambda: RenyiFilter(2, 1).after(2),
    ):
        with pytest.raises(SettingError, match="left"):
            over()
    assert full.after(0) == full


def test_a_reserved_plan_is_followed() -> None:
    """Releases come in their declared order and no larger; smaller ones are fine, and nothing comes after the last."""
    reserved = PlanFilter.of([repeat(Range("0.1"), 2), LaplacePair("0.3"), repeat(Pure("0.2"), 1)])
    assert not reserved.admits(LaplacePair("0.3"))
    assert not reserved.admits(Pure("0.1"))  # as a range it is 0.2
    after = reserved.after(Range("0.1")).after(Pure("0.05"))
    assert after.admits(LaplacePair("0.3"))
    assert after.admits(Range("0.3"))  # a range is a Laplace pair
    assert not after.admits(Zcdp("1e-9"))
    done = after.after(LaplacePair("0.2")).after(Range("0.2"))
    assert done.left == ()
    for late in (Range("0.1"), Pure(0)):
        with pytest.raises(SettingError, match="nothing more"):
            done.after(late)
    with pytest.raises(SettingError, match="whose turn"):
        reserved.after(Range("0.2"))
    assert reserved == PlanFilter.of([Range("0.1"), Range("0.1"), LaplacePair("0.3"), Pure("0.2")])


def test_reserving_a_plan_is_cheaper_than_a_ledger_of_rho() -> None:
    """What a plan costs as a whole is less than what the same releases cost chosen one by one."""
    plan = [repeat(Range("0.1"), 100)]
    assert compose(plan, delta="1e-6", plan="fixed").epsilon < compose(plan, delta="1e-6").epsilon * Fraction(94, 100)


@pytest.mark.parametrize("bad", [-1, float("nan"), "much"])
def test_bad_settings_are_refused(bad: Any) -> None:
    """Limits, charges and orders that are no such numbers are wrong settings."""
    makers: list[Callable[[], object]] = [
        lambda: PureFilter(bad),
        lambda: PureFilter(1).admits(bad),
        lambda: ZcdpFilter(1, bad),
        lambda: ZcdpFilter(1).admits(0, bad),
        lambda: RenyiFilter(bad, 1),
        lambda: RenyiFilter(2, 1, bad),
        lambda: PureFilter(1, spent=2),
        lambda: RenyiFilter(1, 1),
        lambda: ZcdpFilter(1, 2),
    ]
    for make in makers:
        with pytest.raises(SettingError):
            make()


Rule = Callable[[int, int], bool]
SMALL, LARGE = (Fraction(epsilon) for epsilon in PLUG_IN["menu"])
TARGET = Fraction(PLUG_IN["target_delta"])


@cache
def plug_in(small: int, large: int) -> bool:
    """The wrong rule: admit while the optimum of the realised parameters, as if fixed, is within the target."""
    return (pure_optimum.delta({SMALL: small, LARGE: large}, PLUG_IN["eg"]) or 0) <= TARGET


@cache
def by_rho(small: int, large: int) -> bool:
    """The right rule: a zCDP filter whose limit is the budget of the target."""
    spent = small * SMALL * Fraction(math.tanh(SMALL / 2)) + large * LARGE * Fraction(math.tanh(LARGE / 2))
    return ZcdpFilter(zcdp.budget(PLUG_IN["eg"], TARGET)).admits(spent)


def worst(admits: Rule) -> float:
    """Delta of the worst adversary who picks epsilons from the menu after seeing earlier answers."""

    @cache
    def value(small: int, large: int, lead: int) -> float:
        """Of all that may follow, with exp(epsilon) already changed by ``lead`` tenths."""
        found = max(0.0, -math.expm1(lead / 10))
        for more, many, step in ((1, 0, 1), (0, 1, 5)):
            if admits(small + more, large + many):
                truth = 1 / (1 + math.exp(-step / 10))
                then = value(small + more, large + many, lead - step), value(small + more, large + many, lead + step)
                found = max(found, truth * then[0] + (1 - truth) * then[1])
        return found

    return value(0, 0, 10 * int(PLUG_IN["eg"]))


def test_plugging_realised_parameters_into_an_optimum_overspends() -> None:
    """Every multiset the plug-in rule admits is within the target, and yet choosing adaptively goes a third beyond."""
    admitted = [(s, n) for s in range(60) for n in range(12) if plug_in(s, n)]
    fixed = max(pure_optimum.delta({SMALL: s, LARGE: n}, PLUG_IN["eg"]) or Fraction(0) for s, n in admitted)
    assert len(admitted) == PLUG_IN["admitted_multisets"]
    assert math.isclose(fixed, float(PLUG_IN["largest_admitted_fixed_plan_delta"]), rel_tol=1e-12)
    assert math.isclose(worst(plug_in), float(PLUG_IN["adaptive_delta"]), rel_tol=1e-12)
    assert fixed <= TARGET < worst(plug_in)


def test_the_zcdp_filter_holds_against_the_same_adversary() -> None:
    """With the same menu and target, the adversary stays within the target; so it does under a pure filter."""
    assert by_rho(3, 0)
    assert 0 < worst(by_rho) <= TARGET
    assert worst(lambda small, large: PureFilter(1).admits(small * SMALL + large * LARGE)) < 1e-12


def test_paying_only_for_returned_items_overspends() -> None:
    """If only an item is charged and a stop is free, two hundred calls fit a limit of one and lose forty-three."""
    here, calls, claimed = 0.5, PAY_ONLY["queries"], float(PAY_ONLY["eps"])
    there = 1 / (1 + math.exp(-claimed))
    assert math.isclose(overspent(here, there, calls, claimed), float(PAY_ONLY["delta_at_0_5"]), rel_tol=1e-9)
    assert math.isclose(overspent(here, there, calls, 1), float(PAY_ONLY["delta_at_1"]), rel_tol=1e-9)
    assert calls * math.log(there / here) > 40
    ledger = PureFilter(claimed).after(claimed)  # the stop symbol is a draw, and is charged
    assert not ledger.admits(claimed)
    assert overspent(here, there, 1, claimed) == 0


def overspent(here: float, there: float, calls: int, e: float) -> float:
    """Delta of calling until an item is returned, for stop chances that differ between datasets; both ways."""

    def one_way(p: float, q: float) -> float:
        outcomes = [(p**n * (1 - p), q**n * (1 - q)) for n in range(calls)] + [(p**calls, q**calls)]
        return math.fsum(max(0.0, a - math.exp(e) * b) for a, b in outcomes)

    return max(one_way(here, there), one_way(there, here))


def test_a_gaussian_rule_for_bounded_ranges_overspends() -> None:
    """Adding up squares until the limit picture is reached lets an adversary pass it; the rho filter does not."""
    budget, e = 50, 10  # hundredths of squared range, and an epsilon of a half in twentieths
    reached = ranges_chosen_on_the_way(budget, e)
    assert 0.0205 < reached < 0.02124
    assert gaussian.delta([Fraction("0.353553390593273763")], "0.5") < Fraction("0.016")
    assert reached > float(gaussian.delta([Fraction("0.353553390593273763")], "0.5"))
    assert reached < zcdp.delta([Fraction(budget, 100) / 8], "0.5")


def ranges_chosen_on_the_way(budget: int, e: int) -> float:
    """Delta that an adversary reaches with ranges 0.1, 0.2, 0.4, and losses on a grid of twentieths."""

    @cache
    def value(left: int, lead: int) -> float:
        found = max(0.0, -math.expm1(lead / 20))
        for cost, width in ((1, 2), (4, 4), (16, 8)):
            for t in range(1, width) if cost <= left else ():
                q = math.expm1((t - width) / 20) / math.expm1(-width / 20)
                found = max(found, q * value(left - cost, lead - t) + (1 - q) * value(left - cost, lead - t + width))
        return found

    return value(budget, e)
