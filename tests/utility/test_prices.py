"""The price grid: golden numbers, and no bids that lose more than the bound."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import SettingError
from discreet.utility import PriceGrid, continuous_price_loss, private_chance_of_error, private_mean_error
from tests.utility.golden import GOLDEN, off

GOODS = GOLDEN["digital_goods"]


def test_digital_goods_are_golden() -> None:
    """The published grid loss and the continuous loss, from above, to 1e-15; half the grid gives another number."""
    case = GOODS["grid_price_bound"]
    grid = PriceGrid.of(case["n_bidders"], epsilon=GOODS["eta"], step=case["alpha"])
    assert 0 <= off(grid.loss_bound(case["beta"], form="textbook"), case["loss"]) < 1e-15
    assert grid.loss_bound(case["beta"]) < float(case["loss"])
    assert (
        0
        <= off(continuous_price_loss(GOODS["m"], epsilon=GOODS["eta"]), GOODS["gibbs_loss_1_plus_ln_eta_m_over_eta"])
        < 1e-15
    )
    coarse = PriceGrid.of(case["n_bidders"], epsilon=GOODS["eta"], step="0.02")
    assert abs(off(coarse.loss_bound(case["beta"], form="textbook"), case["loss"])) > 0.01


def revenues(bids: list[Fraction], prices: list[Fraction]) -> list[Fraction]:
    """Return the revenue of each price."""
    return [price * sum(bid >= price for bid in bids) for price in prices]


@given(
    st.lists(st.fractions(0, 5, max_denominator=1000), min_size=1, max_size=12),
    st.integers(1, 12),
    st.sampled_from(["0.1", "1", "7"]),
    st.sampled_from(["0.5", "0.05", "0.001"]),
)
def test_no_bids_lose_more(bids: list[Fraction], steps: int, epsilon: str, beta: str) -> None:
    """Against the best price of all, the exact law of the selection loses more with at most the chance allowed."""
    grid = PriceGrid.of(len(bids), epsilon=epsilon, top=5, step=Fraction(5, steps))
    scores = revenues(bids, [grid.step * (index + 1) for index in range(grid.prices)])
    best = max([Fraction(0), *revenues(bids, bids)])
    missed = float(best - max(scores))
    pace: dict[str, Any] = {"rate": Fraction(epsilon) / 5}
    allowed = max(0.0, grid.loss_bound(beta) - missed) + 1e-9
    assert private_chance_of_error(scores, error=allowed, **pace) <= float(beta)
    assert missed + private_mean_error(scores, **pace) <= grid.expected_loss() * (1 + 1e-12)


def test_rounding_costs_about_a_step_a_bidder() -> None:
    """Bids just under a price lose nearly n steps before any noise, so the bound needs that term in full."""
    bids = [Fraction(499, 1000)] * 10
    scores = revenues(bids, [Fraction(1, 2), Fraction(1)])
    missed = max(revenues(bids, bids)) - max(scores)
    grid = PriceGrid.of(10, epsilon=10**6, step="0.5")
    assert 0.99 * float(grid.step * 10) < missed < grid.loss_bound()


def test_the_rule_balances_the_losses() -> None:
    """Steps of top ln(n)/(n epsilon), finer by less than one in the number of prices, and the step divides the top."""
    for bidders, epsilon, top in [(1000, "0.1", "1"), (50, "3", "9.99"), (10**6, "0.01", "200")]:
        grid = PriceGrid.of(bidders, epsilon=epsilon, top=top)
        wanted = bidders * float(Fraction(epsilon)) / math.log(bidders)
        assert wanted <= grid.prices < wanted + 1
        assert grid.step * grid.prices == Fraction(top)
        assert float(grid.step * bidders) <= float(Fraction(top) / Fraction(epsilon)) * math.log(bidders)


def test_more_budget_loses_less() -> None:
    """More epsilon, fewer bidders or a lower top never raise the loss bound on the same grid."""
    base = PriceGrid.of(100, epsilon=1, top=1, step="0.01").loss_bound()
    assert PriceGrid.of(100, epsilon=2, top=1, step="0.01").loss_bound() < base
    assert PriceGrid.of(50, epsilon=1, top=1, step="0.01").loss_bound() < base
    assert PriceGrid.of(100, epsilon=1, top="0.5", step="0.01").loss_bound() < base


def test_extremes_are_ordinary() -> None:
    """One bidder, a tiny or huge epsilon, and a step above the top all give a grid with a loss bound."""
    assert PriceGrid.of(1, epsilon=1).prices == 1
    assert PriceGrid.of(10, epsilon="1e-300").loss_bound() == 10
    assert PriceGrid.of(10, epsilon="1e300").loss_bound() < 1e-295
    assert PriceGrid.of(10, epsilon=1, top=1, step=3).prices == 1
    assert continuous_price_loss(10, epsilon="1e-300") == 10


@pytest.mark.parametrize(
    ("name", "bidders", "settings"),
    [
        ("bidders", 0, {"epsilon": 1}),
        ("epsilon", 9, {"epsilon": 0}),
        ("top", 9, {"epsilon": 1, "top": 0}),
        ("step", 9, {"epsilon": 1, "step": -1}),
    ],
)
def test_bad_settings_are_named(name: str, bidders: int, settings: dict[str, Any]) -> None:
    """Each wrong setting is refused with its own name first."""
    with pytest.raises(SettingError, match=f"^{name}: wanted"):
        PriceGrid.of(bidders, **settings)
