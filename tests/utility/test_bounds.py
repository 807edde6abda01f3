"""The worst-case curves: against independent numbers, against exact laws, and against planted mistakes."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from discreet import balls
from discreet.errors import SettingError
from discreet.utility import Crowd, Curve, private_chance_of_error, private_mean_error
from discreet.utility.bounds import BITS, EXPONENTIAL, EXPONENTIAL_TEXTBOOK, LAPLACE
from discreet.utility.flips import PERMUTE_AND_FLIP, PERMUTE_AND_FLIP_TEXTBOOK, loser_chance
from tests.utility.golden import GOLDEN, off

CURVES: dict[str, dict[str, Curve]] = {
    "exponential": {"exact": EXPONENTIAL, "textbook": EXPONENTIAL_TEXTBOOK},
    "permute-and-flip": {"exact": PERMUTE_AND_FLIP, "textbook": PERMUTE_AND_FLIP_TEXTBOOK},
}
ALL = [*CURVES["exponential"].values(), *CURVES["permute-and-flip"].values(), LAPLACE]
BETA = Fraction(1, 100)


def holds(curve: Curve, mechanism: str, gaps: list[float]) -> bool:
    """Say whether the curve is above the exact law of candidates at these distances (in nats) from the best."""
    scores = [-gap for gap in gaps] + [0.0]
    crowd = Crowd.of(len(scores), 1 + gaps.count(0.0))
    pace: dict[str, Any] = {"rate": 1, "mechanism": mechanism}
    over = 1 + 1e-12  # the exact law is a float
    tails = (
        private_chance_of_error(scores, error=gap, **pace) <= curve.chance(crowd, Fraction(gap)) * over for gap in gaps
    )
    return all(tails) and private_mean_error(scores, **pace) <= curve.mean(crowd) * over


@given(
    st.sampled_from(sorted(CURVES)), st.lists(st.floats(0, 30).map(lambda gap: round(gap, 3)), min_size=1, max_size=12)
)
def test_bounds_hold_for_every_score_vector(mechanism: str, gaps: list[float]) -> None:
    """No vector of scores has a likelier error or a greater mean error than the exact and the textbook bound."""
    assert all(holds(curve, mechanism, gaps) for curve in CURVES[mechanism].values())


@pytest.mark.parametrize("losers", [1, 2, 9, 99])
def test_the_exact_worst_case_is_attained(losers: int) -> None:
    """All losers at one distance reach the exact tail, and at the best distance the exact mean."""
    crowd = Crowd.of(losers + 1)
    for mechanism, forms in CURVES.items():
        curve = forms["exact"]
        for gap in (0.5, 3.0, 20.0):
            law = private_chance_of_error([0.0, *[-gap] * losers], error=gap, rate=1, mechanism=mechanism)
            assert math.isclose(law, curve.chance(crowd, Fraction(gap)), rel_tol=1e-13)
        means = [
            private_mean_error([0.0, *[-gap] * losers], rate=1, mechanism=mechanism) for gap in np.arange(1, 7, 0.02)
        ]
        assert math.isclose(max(means), curve.mean(crowd), rel_tol=1e-4)


def _faster(curve: Curve) -> Curve:
    return Curve(
        lambda crowd, reach: curve.tail(crowd, 2 * reach),
        lambda crowd, chance: curve.inverse(crowd, chance) / 2,
        lambda crowd: curve.average(crowd) / 2,
    )


@pytest.mark.parametrize(
    ("mechanism", "mutant"),
    [
        ("exponential", _faster(EXPONENTIAL)),
        ("permute-and-flip", _faster(PERMUTE_AND_FLIP)),
        ("exponential", PERMUTE_AND_FLIP),
        ("exponential", PERMUTE_AND_FLIP_TEXTBOOK),
        ("exponential", replace(EXPONENTIAL, average=PERMUTE_AND_FLIP.average)),
    ],
    ids=["twice the rate", "twice the rate, flips", "another mechanism", "another textbook", "another mean"],
)
def test_mutants_fail(mechanism: str, mutant: Curve) -> None:
    """Twice the rate, or the bound of permute-and-flip for the exponential mechanism, is refuted by an exact law."""
    assert not all(holds(mutant, mechanism, [gap] * 9) for gap in (1.0, 2.10100299727697, 5.0))


def test_ties_at_the_top_are_used() -> None:
    """The textbook bound is ln(|H|/(|H*| beta)), and leaving out |H*| gives another number."""
    with_ties, without = (float(EXPONENTIAL_TEXTBOOK.reach(Crowd.of(100, ties), BETA)) for ties in (10, 1))
    assert math.isclose(with_ties, math.log(1000), rel_tol=1e-15)
    assert math.isclose(without - with_ties, math.log(10), rel_tol=1e-14)


@given(st.integers(1, 10**12), st.integers(2, 10**12), st.fractions(Fraction(1, 10**9), Fraction(999, 1000)))
def test_reach_inverts_chance(winners: int, more: int, chance: Fraction) -> None:
    """At the reach of a chance the tail is at most that chance, and just before it is above."""
    crowd = Crowd.of(winners % 1000 + 1 + more, winners % 1000 + 1)
    for curve in ALL:
        reach = curve.reach(crowd, chance)
        sliver = Fraction(1, 10**12)
        assert curve.chance(crowd, reach + sliver) <= chance
        assert reach == 0 or curve.chance(crowd, reach * (1 - sliver)) > chance * (1 - sliver)


@given(st.integers(2, 60), st.integers(1, 60), st.fractions(Fraction(1, 1000), 12))
def test_loser_chance_is_the_integral(losers: int, winners: int, reach: Fraction) -> None:
    """The recursion encloses N p times the integral of (1 - u)^h (1 - p u)^(N - 1), here as a sum of exact terms."""
    crowd = Crowd.of(losers + winners, winners)

    def by_expansion() -> balls.Ball:
        weight, total = balls.ball(-reach).exp(), balls.ball(0)
        for power in range(losers):
            beta = Fraction(math.comb(losers - 1, power), (winners + 1 + power) * math.comb(winners + power, power))
            total += balls.ball(beta) * (-weight) ** power
        return losers * weight * total

    ours, theirs = balls.at(BITS, lambda: loser_chance(crowd, reach)), balls.at(900, by_expansion)
    assert ours.overlaps(theirs)
    assert ours.rel_accuracy_bits() > 120


@pytest.mark.parametrize(("losers", "winners"), [(1, 1), (5, 1), (40, 3)])
@pytest.mark.parametrize("reach", [0.1, 2.0, 9.0])
def test_laplace_is_a_bound(losers: int, winners: int, reach: float) -> None:
    """The Laplace bound is above the integrated chance of a loser, equal for two candidates, and half of it is not."""

    def below(point: float) -> float:
        return math.exp(point) / 2 if point < 0 else 1 - math.exp(-point) / 2

    def density(point: float) -> float:
        loser = losers * below(point) ** (losers - 1) * math.exp(-abs(point)) / 2
        return loser * below(point - reach) ** winners

    true = sum(quad(density, low, high, epsabs=1e-13)[0] for low, high in ((-60, 0), (0, reach), (reach, reach + 60)))
    bound = float(LAPLACE.chance(Crowd.of(losers + winners, winners), Fraction(reach)))
    assert true <= bound * (1 + 1e-9)
    assert (losers, winners) != (1, 1) or math.isclose(true, bound, rel_tol=1e-9)
    assert (losers, winners) != (1, 1) or true > bound / 2


@pytest.mark.parametrize("row", GOLDEN["worst_case_mean_error_eta_1"], ids=lambda row: str(row["d"]))
def test_means_are_golden(row: dict[str, Any]) -> None:
    """Exact and textbook means agree with independent numbers to 1e-16, from above."""
    crowd = Crowd.of(row["d"])
    pairs = [
        (EXPONENTIAL, "em"),
        (PERMUTE_AND_FLIP, "pf"),
        (EXPONENTIAL_TEXTBOOK, "ln_d"),
        (PERMUTE_AND_FLIP_TEXTBOOK, "harmonic_minus_1"),
    ]
    for curve, key in pairs:
        assert abs(curve.mean(crowd) / Fraction(row[key]) - 1) < Fraction(1, 10**16)


def test_a_mean_is_above_its_tail() -> None:
    """The mean of noisy max with Laplace noise is at least x times the chance of x, and at most the integral."""
    crowd = Crowd.of(50)
    points = [Fraction(point, 20) for point in range(1, 400)]
    assert LAPLACE.mean(crowd) >= max(point * LAPLACE.chance(crowd, point) for point in points)
    assert LAPLACE.mean(crowd) <= sum(
        LAPLACE.chance(crowd, point - Fraction(1, 20)) for point in points
    ) / 20 + Fraction(1, 10**3)
    assert LAPLACE.mean(Crowd.of(2)) == Fraction(3, 4)


@pytest.mark.parametrize("curve", ALL)
def test_extremes_are_ordinary(curve: Curve) -> None:
    """One candidate, all best, 10^12 or 2^5000 candidates, and reaches from 1e-300 to 1e300 all have an answer."""
    for sure in (Crowd.of(1), Crowd.of(7, 7)):
        assert curve.chance(sure, Fraction(1, 10**300)) == curve.reach(sure, BETA) == curve.mean(sure) == 0
    for crowd in (Crowd.of(2), Crowd.of(10**12), Crowd.of(10**12, 10**11), Crowd.of(2**5000)):
        assert 0 < curve.chance(crowd, Fraction(10**300)) < Fraction(5, 10**324)
        assert curve.chance(crowd, Fraction(0)) == 1
        assert 0 < curve.chance(crowd, Fraction(1, 10**300)) <= 1
        assert curve.reach(crowd, Fraction(1, 10**30)) > 60
        assert 0 < curve.mean(crowd) < curve.reach(crowd, BETA)


@pytest.mark.parametrize(
    ("build", "name"),
    [
        (lambda: Crowd.of(0), "candidates"),
        (lambda: Crowd.of(2.5), "candidates"),
        (lambda: Crowd.of(3, 4), "winners"),
        (lambda: Crowd.of(3, 0), "winners"),
        (lambda: Crowd.measure(0), "mass"),
        (lambda: Crowd.measure("1.1"), "mass"),
    ],
)
def test_bad_crowds_name_the_setting(build: Callable[[], Crowd], name: str) -> None:
    """A count or a mass outside what is allowed is refused by name."""
    with pytest.raises(SettingError, match=f"^{name}: wanted"):
        build()


def test_golden_quantiles() -> None:
    """The approval-voting numbers are the exact and the textbook quantiles at rate 1/2, to 1e-16, from above."""
    voting = GOLDEN["approval_voting"]
    crowd = Crowd.of(voting["d"])
    monotone = voting["monotone_weights_exp_eps_q"]
    for curve, true in [
        (EXPONENTIAL, monotone["tight_worst_case_quantile"]),
        (EXPONENTIAL_TEXTBOOK, monotone["bound_ln_d_over_beta_over_eps"]),
        (PERMUTE_AND_FLIP_TEXTBOOK, voting["permute_and_flip_monotone_union_bound"]),
    ]:
        assert 0 <= off(math.nextafter(float(curve.reach(crowd, BETA) * 2), math.inf), true) < 1e-15
