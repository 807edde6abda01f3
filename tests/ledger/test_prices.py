"""What each kind of guarantee costs by each rule: the tight reading, rounded towards privacy, and nothing else."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet.accounting import repeat
from discreet.accounting.filters import ZcdpFilter
from discreet.errors import BudgetError, SettingError
from discreet.guarantees import Approx, Gdp, Guarantee, LaplacePair, Pure, PureRange, Range, Renyi, Zcdp
from discreet.ledger import Account, Balance, Budget
from discreet.ledger.accounts import at_most, price, price_of_plan
from discreet.ledger.units import SCALE, Cost, charged, granted, shown, written
from discreet.readings import as_zcdp

EPSILON = Fraction(3, 10)
HALF = math.log(0.3 / -math.expm1(-0.3))  # ln(b / (1 - exp(-b)))
RHOS: dict[Guarantee, float] = {
    Pure(EPSILON): 0.3 * math.tanh(0.15),
    Range(EPSILON): math.expm1(HALF) - HALF,
    PureRange("0.2", EPSILON): min(0.2 * math.tanh(0.1), math.expm1(HALF) - HALF),
    LaplacePair(EPSILON): 0.3 + math.expm1(-0.3),
    Gdp(EPSILON): 0.045,
    Zcdp(EPSILON): 0.3,
    Approx(EPSILON, "1e-9"): 0.3 * math.tanh(0.15),
}
PURES: dict[Guarantee, Fraction] = {
    Pure(EPSILON): EPSILON,
    Range(EPSILON): EPSILON,
    PureRange("0.2", EPSILON): Fraction(2, 10),
    LaplacePair(EPSILON): EPSILON,
    Approx(EPSILON, 0): EPSILON,
}
AMOUNTS = some.fractions(0, 10, max_denominator=10**9)


@pytest.mark.parametrize("guarantee", RHOS, ids=str)
def test_a_price_in_rho_is_the_tight_reading(guarantee: Guarantee) -> None:
    """By formulas written down here again, in floats; delta goes to the spare one; a price a tenth off is seen."""
    cost = price(guarantee, "zcdp")
    assert math.isclose(cost.amount / SCALE, RHOS[guarantee], rel_tol=1e-12)
    assert not math.isclose(cost.amount / SCALE, RHOS[guarantee] * 1.001, rel_tol=1e-12)
    assert shown(cost.delta) == getattr(guarantee, "delta", 0)


def test_prices_are_in_their_order() -> None:
    """A bounded range is cheapest, randomised response dearest, and none costs more than half its square."""
    prices = [price(kind(EPSILON), "zcdp").amount for kind in (Range, LaplacePair, Pure)]
    assert prices == sorted(set(prices))
    assert shown(prices[0]) < EPSILON**2 / 8 < shown(prices[-1]) < EPSILON**2 / 2


@pytest.mark.parametrize("guarantee", PURES, ids=str)
def test_a_price_in_epsilon_is_the_pure_epsilon(guarantee: Guarantee) -> None:
    """Exactly."""
    assert price(guarantee, "pure") == Cost(charged(PURES[guarantee]), 0)
    assert shown(price(guarantee, "pure").amount) == PURES[guarantee]


@pytest.mark.parametrize(
    ("guarantee", "rule"),
    [
        (Zcdp(1), "pure"),
        (Gdp(1), "pure"),
        (Approx(1, "1e-9"), "pure"),
        (Renyi({2: 1}), "pure"),
        (Renyi({2: 1}), "zcdp"),
    ],
)
def test_what_a_ledger_cannot_count_is_refused(guarantee: Guarantee, rule: str) -> None:
    """A Renyi bound at some orders gives no rho, and a delta no pure epsilon."""
    with pytest.raises(SettingError, match=r"^guarantee: wanted one that promises .* all this ledger counts, got"):
        price(guarantee, rule)  # type: ignore[arg-type]


@given(some.sampled_from([Pure, Range, LaplacePair, Gdp, Zcdp]), AMOUNTS)
@settings(max_examples=40)
def test_prices_are_rounded_up(kind: type[Pure], amount: Fraction) -> None:
    """Never below the certified reading, and less than a unit above it."""
    known = as_zcdp(kind(amount))
    assert known is not None
    assert 0 <= price(kind(amount), "zcdp").amount - known.rho * SCALE < 1


@given(some.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**30), some.integers(1, 10**12))
@settings(max_examples=40)
def test_limits_are_rounded_down_and_charges_up(limit: Fraction, count: int) -> None:
    """So what is charged in units never exceeds the limit in truth; texts of amounts are in the order of numbers."""
    assert shown(granted(limit, "epsilon")) <= limit <= shown(charged(limit))
    share = charged(limit / count)
    assert share * count >= limit * SCALE
    assert written(share) <= written(charged(limit))


@pytest.mark.parametrize("parts", [1, 3, 7, 10, 30, 97, 99, 100])
def test_equal_shares_fill_a_limit(parts: int) -> None:
    """Up to a hundred, whatever their number."""
    for limit in ("1", "0.3", "0.000000000000000001", "123456.654321"):
        whole = Fraction(limit)
        assert charged(whole / parts) * parts == granted(whole, "epsilon")


@given(some.lists(some.tuples(some.sampled_from([Range, LaplacePair]), some.integers(1, 40)), max_size=12))
@settings(max_examples=15)
def test_charges_are_admitted_as_by_the_proved_filter(charges: list[tuple[type[Range], int]]) -> None:
    """Whatever comes in whatever order, an account of rhos admits what the filter for chosen parameters admits.

    The filter adds up what was certified of each release alone. No rule reads the parameters so far as a fixed plan.
    """
    budget = Budget(epsilon=1, delta="1e-6")
    account, proved = Account.of(budget), ZcdpFilter(shown(budget.limit.amount))
    for kind, hundredths in charges:
        cost = price(kind(Fraction(hundredths, 100)), "zcdp")
        fits = proved.admits(shown(cost.amount))
        try:
            account = Account(None, budget, account.whole, account.limit, account.after(cost))
        except BudgetError:
            assert not fits
        else:
            assert fits
            proved = proved.after(shown(cost.amount))
    assert account.spent.rho == proved.spent <= proved.limit


def test_a_plan_in_a_ledger_costs_the_sum_of_its_releases() -> None:
    """Nothing sharper: the releases around it are chosen on the way."""
    plan = (repeat(Range("0.1"), 100), repeat(Approx(1, "1e-9"), 2))
    one, two = price(Range("0.1"), "zcdp"), price(Approx(1, "1e-9"), "zcdp")
    assert price_of_plan(plan, "zcdp") == one.times(100).plus(two.times(2))


def test_a_budget_means_what_it_says() -> None:
    """The rho of an (epsilon, delta) is the largest that gives it, with the spare part of delta kept aside."""
    whole, less = Budget(epsilon=2, delta="1e-6"), Budget(epsilon=2, delta="1e-6", spare="5e-7")
    assert math.isclose(whole.limit.amount / SCALE, 0.088152688, rel_tol=1e-8)
    assert less.limit.amount < whole.limit.amount
    assert shown(less.limit.delta) == Fraction(5, 10**7)
    assert whole.guarantee == less.guarantee == Approx(2, "1e-6")
    back = Budget(rho=shown(whole.limit.amount), delta="1e-6").guarantee
    assert isinstance(back, Approx)
    assert 2 - 1e-9 < back.epsilon <= 2


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"epsilon": 1, "rho": 1},
        {"epsilon": 0},
        {"epsilon": 10**13},
        {"epsilon": 1, "delta": 1},
        {"epsilon": 1, "spare": "1e-9"},
        {"epsilon": 1, "delta": "1e-6", "spare": "1e-6"},
        {"plan": []},
        {"plan": Pure(1)},
        {"plan": [1]},
        {"epsilon": 1, "per": ""},
        {"epsilon": 1, "neighbours": "friends"},
    ],
)
def test_budgets_that_make_no_sense_are_refused(words: dict[str, object]) -> None:
    """Before any ledger sees them, or when its limit is worked out."""
    with pytest.raises(SettingError):
        Account.of(Budget(**words))  # type: ignore[arg-type]


@given(AMOUNTS)
@settings(max_examples=40)
def test_what_is_left_is_shown_rounded_down(amount: Fraction) -> None:
    """And what is spent, up: nobody is told of more room than there is."""
    left, spent = (Balance("pure", amount, Fraction(0), Pure(10), left=side) for side in (True, False))
    low, high = (Fraction(str(one).removeprefix("epsilon ").removeprefix("about ").split()[0]) for one in (left, spent))
    assert low <= amount <= high
    assert at_most(Fraction(1, 10**9 + 1)) == "1/1000000001"
