"""Several quantiles: exact laws against plain enumeration, exact epsilons of small worlds, ties, planted mistakes."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import discreet
from discreet.balls import Ball, at
from discreet.domains import joint_quantiles, quantiles
from discreet.domains.joint_quantiles import JointQuantiles, Ways
from discreet.domains.quantiles import ApproximateQuantiles
from discreet.guarantees import Pure, Range, Zcdp
from discreet.sampling.coins import SystemCoins
from discreet.testing.domains import check_promise, worst_loss
from discreet.testing.fit import fits
from tests.sampling.alarms import ALARMS

QUARTILES = ["1/4", "1/2", "3/4"]
KINDS: list[Any] = [ApproximateQuantiles, JointQuantiles]
RATE = Fraction(1, 2)


@dataclass(frozen=True)
class Still:
    """A domain whose values stay where they are in their cells, so that its law can be listed."""

    domain: Any
    other: Callable[[Any], Any] = lambda law: law

    def score(self, data: Any, neighbours: Any = "add-remove") -> Any:
        """Read data; the law is taken without jitter."""
        fitted, other = self.domain.score(data, neighbours), self.other

        class Fitted:
            """What the kit asks for."""

            def law(self, rate: Fraction) -> Any:
                return other(fitted.law(rate, 0))

        return Fitted()

    def promise(self, rate: Fraction, neighbours: Any = "add-remove") -> Any:
        """Return the promise of the domain."""
        return self.domain.promise(rate, neighbours)

    def calibrate(self, target: Any, neighbours: Any = "add-remove") -> Any:
        """Return the rate of the domain."""
        return self.domain.calibrate(target, neighbours)


def sampled(law: Any, draws: int) -> tuple[list[int], list[float], list[tuple[Any, ...]]]:
    """Draw, and count the outcomes beside their chances."""
    listed = at(128, law.chances)
    outcomes, coins = sorted(listed), SystemCoins()
    drawn = [law.draw(coins) for _ in range(draws)]
    return [drawn.count(one) for one in outcomes], [float(listed[one]) for one in outcomes], outcomes


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("data", [[0, 1, 1, 1, 3], [2], [], [0, 0, 0, 0], [-5, 9, 3, 3]])
def test_draws_have_the_listed_law(kind: Any, data: list[int]) -> None:
    """Samples fit the chances listed one by one, ties and nobody at all included, and not those of half the rate."""
    fitted = kind((0, 3), qs=QUARTILES).score(data)
    counts, law, outcomes = sampled(fitted.law(Fraction(3), 0), 600)
    assert sum(counts) == 600
    assert fits(counts, law, ALARMS["quantiles"])
    wrong = at(128, fitted.law(Fraction(3, 2), 0).chances)
    if len(set(data)) > 1:
        assert not fits([25 * count for count in counts], [float(wrong[one]) for one in outcomes], 1e-12)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("kind", KINDS)
def test_neighbours_keep_the_promise(kind: Any, neighbours: Any) -> None:
    """On all small datasets the exact loss is within the promise, and not far below it."""
    domain = Still(kind((0, 3), qs=QUARTILES))
    check_promise(domain, [0, 1, 3], 3, RATE, neighbours, attained="0.3")


def test_a_rate_without_its_gap_is_caught() -> None:
    """Nodes drawn at twice the rate, and a joint draw charged for half its gap, break the promise."""

    def twice(law: Any) -> Any:
        return type(law)(law.fitted, 2 * law.rate, 0)

    for kind, data, share in ((ApproximateQuantiles, [0, 1, 3], 3), (JointQuantiles, [0, 1, 3], 2)):
        domain = kind((0, 3), qs=["1/2"] if kind is ApproximateQuantiles else ["1/3"])
        with pytest.raises(AssertionError, match=r"better than|spread wider"):
            check_promise(Still(domain, twice), data, share, RATE, "add-remove")


def test_the_joint_gap_is_reached() -> None:
    """Two quantiles of a few people: the spread of losses comes near the gap under both relations."""
    domain = JointQuantiles((0, 2), qs=["1/3", "2/3"])
    for neighbours in ("add-remove", "replace"):
        _, spread = worst_loss(Still(domain), [0, 1, 2], 4, RATE, neighbours)
        assert Fraction(6, 10) <= spread / (RATE * domain.gap(neighbours)) < 1 + Fraction(1, 2**60)


@settings(max_examples=40)
@given(
    some.lists(some.integers(0, 5), max_size=9),
    some.sampled_from([["1/2"], QUARTILES, ["0.1", "0.2", "0.9", "0.95"]]),
    some.sampled_from([Fraction(1, 9), Fraction(1), Fraction(7, 2)]),
)
def test_sums_that_only_add_have_the_total_of_enumeration(data: list[int], qs: list[str], rate: Fraction) -> None:
    """The float total of all ways is that of listing every outcome, to many digits; without a term it is not."""
    domain = JointQuantiles((0, 5), qs=qs)
    law = domain.score(data).law(rate, 0)
    ways = Ways(np.sort(law.fitted.places), 6, domain.shares, rate)
    outcomes = at(128, law.chances)
    best = max(outcomes, key=lambda one: float(outcomes[one]))
    missed = law._miss(tuple(map(int, best)), np.sort(law.fitted.places))
    listed = -float(rate * missed) - float(np.log(float(outcomes[best])))
    assert ways._total == pytest.approx(listed, abs=1e-12)


@settings(max_examples=60)
@given(
    some.lists(some.floats(-30, 30), min_size=1, max_size=40),
    some.integers(1, 45),
    some.floats(0.01, 3),
    some.floats(0, 50),
)
def test_kernels_are_their_sums(held: list[float], width: int, rate: float, aim: float) -> None:
    """Sliding and two-sided sums by prefixes are the sums they stand for."""
    values = np.array(held)
    for place, found in enumerate(joint_quantiles._sliding(values, width)):
        window = values[max(place - width, 0) : place]
        assert found == pytest.approx(np.logaddexp.reduce(window) if len(window) else -np.inf, abs=1e-9)
    for place, found in enumerate(joint_quantiles._spread(values, rate, aim)):
        terms = [values[one] - rate * abs(place - one - aim) for one in range(place)]
        assert found == pytest.approx(np.logaddexp.reduce(terms) if terms else -np.inf, abs=1e-9)


def test_a_total_that_is_too_small_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard raises where float code said too little: here by a half."""
    law = JointQuantiles((0, 3), qs=QUARTILES).score([0, 1, 2, 3]).law(Fraction(1), 0)
    monkeypatch.setattr(joint_quantiles, "SPARE", Fraction(-1))
    with pytest.raises(discreet.GuardError):
        [law.draw(SystemCoins()) for _ in range(200)]


@pytest.mark.parametrize("kind", KINDS)
def test_ties_are_exact(kind: Any) -> None:
    """Copies of one number have it as all their quantiles; nine in ten have it as nearly all."""
    assert kind((0, 100), qs=QUARTILES).score([50] * 1000).law(Fraction(1)).draw(SystemCoins()) == (50, 50, 50)
    mostly = kind((0, 10**6), qs=QUARTILES).score([70] * 9000 + list(range(0, 10**6, 1000)))
    assert mostly.law(Fraction(1, 2)).draw(SystemCoins()) == (70, 70, 70)


@pytest.mark.parametrize("kind", KINDS)
def test_many_quantiles_are_near_the_truth(kind: Any) -> None:
    """Nine deciles of ten thousand numbers rise, are on the grid, and are within one percent of their ranks."""
    values = (np.arange(10_000) * 7919 % 10_007) / 100
    domain = kind((0, 200), "0.01", [Fraction(tenth, 10) for tenth in range(1, 10)])
    found = domain.score(values).law(domain.calibrate(Pure(1))).draw(SystemCoins())
    assert list(found) == sorted(found)
    ranks = np.searchsorted(np.sort(values), [float(one) for one in found]) / 10_000
    assert np.abs(ranks - np.arange(1, 10) / 10).max() < 0.03


def test_calibration_inverts_the_promise() -> None:
    """A calibrated rate keeps its target, barely, for pure epsilons and for rho."""
    halves, joint = ApproximateQuantiles((0, 9), qs=QUARTILES), JointQuantiles((0, 9), qs=QUARTILES)
    assert halves.promise(halves.calibrate(Pure(1))) == Pure(1)
    assert joint.promise(joint.calibrate(Pure(1), "replace"), "replace") == Range(1)
    by_rho = ApproximateQuantiles((0, 9), qs=QUARTILES, account="zcdp")
    promised = by_rho.promise(by_rho.calibrate(Zcdp("1/8")))
    assert isinstance(promised, Zcdp)
    assert Fraction(124, 1000) < promised.rho <= Fraction(1, 8)


def test_what_cannot_be_asked_is_refused() -> None:
    """Shares that do not rise, none at all, and laws too long to list are refused."""
    for kind in KINDS:
        for qs in ([], ["1/2", "1/4"], ["1/2", "1/2"], [0], [1]):
            with pytest.raises(discreet.SettingError, match="qs"):
                kind((0, 9), qs=qs)
    for fitted in (kind((0, 9), qs=QUARTILES).score([1]) for kind in KINDS):
        with pytest.raises(discreet.SettingError, match="jitter"):
            fitted.law(Fraction(1)).chances()
        assert "1" not in repr(fitted).replace("10 points", "")


def test_jitter_moves_nobody_out_of_their_cell() -> None:
    """A grid that fills the 62 bits has no room to move anybody, a small one has 32 bits."""
    assert quantiles.ApproximateQuantiles((0, 2**62 - 1)).score([1]).law(Fraction(1)).jitter == 0
    assert ApproximateQuantiles((0, 9)).score([1]).law(Fraction(1)).jitter == quantiles.MOST_JITTER
    listed: dict[Any, Ball] = dict(
        at(64, ApproximateQuantiles((0, 2), qs=["1/2"]).score([1]).law(Fraction(1), 0).chances)
    )
    assert set(listed) == {(0,), (1,), (2,)}
