"""The single dominating pairs and their sums: against closed forms, and against planted mistakes."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from discreet.accounting.adaptive import delta_bracket
from discreet.accounting.envelope import (
    Pair,
    envelope,
    envelope_delta,
    envelope_epsilon,
    gaussian,
    laplace,
    randomised,
)
from discreet.accounting.losses import Losses
from discreet.accounting.sums import Sum, delta_of_sum, epsilon_of_sum
from discreet.errors import SettingError
from tests.accounting.closed import sure
from tests.accounting.plans import GOLDEN, plan, rows

DELTAS = rows("delta", "delta_large_k", "delta_heterogeneous", need="br_envelope")


@pytest.mark.parametrize("row", DELTAS, ids=str)
def test_delta_is_the_exact_one_from_above(row: dict[str, Any]) -> None:
    """The sum of envelope losses has the golden delta, never below it, and above by 0.03 % at most."""
    off = envelope_delta(plan(row), row["eg"]) / Fraction(row["br_envelope"]) - 1
    assert 0 <= off < Fraction(3, 10_000)


@pytest.mark.parametrize("row", GOLDEN["eps_for_delta"], ids=str)
def test_epsilon_is_the_exact_one_from_above(row: dict[str, Any]) -> None:
    """The sum of envelope losses has the golden epsilon, never below it, and above by 0.07 % at most."""
    off = sure(envelope_epsilon(plan(row), row["delta"])) / Fraction(row["br_envelope"]) - 1
    assert -Fraction(1, 10**15) <= off < Fraction(7, 10_000)


@pytest.mark.parametrize("row", GOLDEN["tradeoff_logistic"], ids=str)
def test_the_pair_is_the_logistic_one(row: dict[str, Any]) -> None:
    """The golden power of a test is the largest that the profile lets through."""
    profile = envelope(row["eps"]).profile
    b, size, true = float(row["eps"]), float(row["type_one_error"]), float(row["power"])
    both = [(e, profile(abs(e)) if e >= 0 else 1 - math.exp(e) * (1 - profile(-e))) for e in np.linspace(-b, b, 20001)]
    power = min(delta + math.exp(e) * size for e, delta in both)
    assert power == pytest.approx(true, rel=1e-7)


@pytest.mark.parametrize("k", [2, 7, 30])
def test_the_envelope_is_above_every_order(k: int) -> None:
    """No bracket of a fixed plan reaches above the envelope."""
    sequence = [Fraction(1 + i % 3, 5) for i in range(k)]
    for at in (0, "0.3", 2):
        assert delta_bracket(sequence, at).lower <= envelope_delta(sequence, at)


def exact(pair: str, size: float, e: float) -> float:
    """Return the profile of a pair from its two densities."""
    if pair == "gaussian":
        return float(stats.norm.sf(e / size - size / 2) - math.exp(e) * stats.norm.sf(e / size + size / 2))
    if pair == "randomised":
        return float((math.exp(size) - math.exp(e)) / (1 + math.exp(size)))
    law = stats.laplace if pair == "laplace" else stats.logistic
    edge = -40 - size
    points = [0.0, size]
    found = integrate.quad(
        lambda x: max(0.0, law.pdf(x) - math.exp(e) * law.pdf(x - size)), edge, 60 + size, points=points, limit=400
    )
    return float(found[0])


@pytest.mark.parametrize(
    ("name", "make"), [("envelope", envelope), ("laplace", laplace), ("gaussian", gaussian), ("randomised", randomised)]
)
@pytest.mark.parametrize("size", ["0.3", "1", "2.5"])
def test_profiles_are_those_of_the_laws(name: str, make: Callable[[str], Pair], size: str) -> None:
    """Each profile is the hockey stick of its two laws, and its losses on a grid have it at the grid points."""
    pair = make(size)
    step = Fraction(size) / 40
    one = pair.losses(step)
    for j in (0, 1, 13, 30):
        true = exact(name, float(size), float(j * step))
        assert pair.profile(float(j * step)) == pytest.approx(true, rel=1e-6)
        assert delta_of_sum([(one, 1)], float(j * step)) == pytest.approx(true, rel=1e-6)
        assert delta_of_sum([(one, 1)], float(j * step) * (1 - 1e-15)) >= Fraction(pair.profile(float(j * step)))


def test_gaussian_losses_add_up_to_gaussian_losses() -> None:
    """Two hundred Gaussian pairs are one pair, down to deltas no plain transform reaches."""
    one = gaussian("0.1").losses(Fraction(1, 200))
    for e in (0.0, 1.0, 5.0, 12.0, 20.0):
        true = exact("gaussian", 0.1 * math.sqrt(200), e)
        found = float(delta_of_sum([(one, 200)], e))
        assert true * (1 - 1e-9) <= found <= true * 1.05 + 1e-85
    assert exact("gaussian", 0.1 * math.sqrt(200), 20.0) < 1e-36


def test_windows_and_spans_agree() -> None:
    """A sum whose window is shorter than its span is what it is on its whole span."""
    one = envelope("0.1").losses(Fraction(1, 1000))
    cut = Sum.around([(one, 400)], 3.0)
    assert len(cut.losses) < 400 * len(one.masses) / 2
    assert cut.beyond < cut.delta(3.0) * 1e-9
    halves = Losses.of_values(
        Fraction(1, 1000), np.array([float(delta_of_sum([(one, 2)], j / 1000)) for j in range(220)])
    )
    assert float(delta_of_sum([(halves, 200)], 3.0)) == pytest.approx(cut.delta(3.0), rel=1e-6)


@pytest.mark.parametrize("centre", [0.0, 0.5, 1.0, 2.0, 2.9])
def test_any_tilt_gives_a_bound(centre: float) -> None:
    """A law tilted for one epsilon is right, if sometimes loose, at another."""
    one = randomised("0.5").losses(Fraction(1, 2))
    for e in (0.0, 0.7, 1.3, 2.2):
        losses = [(2 * i - 6) / 2 for i in range(7)]
        chances = [math.comb(6, i) * math.exp(i / 2) / (1 + math.exp(0.5)) ** 6 for i in range(7)]
        true = sum(p * max(0.0, 1 - math.exp(e - x)) for p, x in zip(chances, losses, strict=True))
        assert true <= Sum.around([(one, 6)], centre).delta(e)
        assert float(delta_of_sum([(one, 6)], e)) == pytest.approx(true, rel=1e-9)


def test_infinite_mass_counts() -> None:
    """Mass cut off the top stays in delta, and no epsilon is promised below it."""
    whole_law = gaussian(1).losses(Fraction(1, 20))
    cut = Losses.of_profile(gaussian(1).profile, Fraction(1, 20), 2)
    assert cut.infinite > 0.02
    assert delta_of_sum([(cut, 3)], 1.0) > delta_of_sum([(whole_law, 3)], 1.0)
    assert delta_of_sum([(cut, 1)], 50.0) >= Fraction(cut.infinite)
    assert epsilon_of_sum([(cut, 3)], 0.05) is None
    assert delta_of_sum([(replace(cut, infinite=0.0), 3)], 1.0) < delta_of_sum([(whole_law, 3)], 1.0)


def test_monotone() -> None:
    """More mechanisms cost more; a larger epsilon or delta costs less."""
    found = [envelope_delta(["0.2"] * k, "0.5") for k in (2, 3, 9, 27)]
    assert found == sorted(found)
    found = [envelope_delta(["0.2"] * 9, e) for e in ("1.5", "1", "0.333", 0)]
    assert found == sorted(found)
    found = [sure(envelope_epsilon(["0.2"] * 9, d)) for d in ("0.5", "0.01", "1e-6", "1e-60")]
    assert found == sorted(found)


def test_a_pair_smaller_than_the_envelope_is_caught() -> None:
    """A planted pair with a smaller profile falls below the golden numbers."""
    row = next(row for row in DELTAS if row.get("k") == 12)
    b = Fraction(row["eps"])
    planted = envelope(b * Fraction(99, 100)).losses(b / 100)
    assert delta_of_sum([(planted, 12)], float(row["eg"])) < Fraction(row["br_envelope"])


@pytest.mark.parametrize(
    "call",
    [
        lambda: envelope(0),
        lambda: laplace(-1),
        lambda: gaussian("much"),
        lambda: randomised(0),
        lambda: envelope_delta([1], -1),
        lambda: envelope_delta([-1], 1),
        lambda: envelope_epsilon([1], 0),
        lambda: envelope_epsilon([1], "0.1", points=0),
    ],
)
def test_bad_settings_are_refused(call: Callable[[], Any]) -> None:
    """Numbers outside what is allowed raise."""
    with pytest.raises(SettingError):
        call()
