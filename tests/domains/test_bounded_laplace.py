"""Bounded and clamped Laplace: the law, an epsilon that is exact, and rates that are the spec's."""

import math
from collections.abc import Callable, Hashable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet.balls import Ball, at, ball, upper
from discreet.domains import bounded_laplace, corner
from discreet.domains.bounded_laplace import BoundedLaplace, ClampedLaplace
from discreet.errors import SettingError
from discreet.guarantees import Approx, Guarantee, Pure, PureRange, Range, Zcdp
from discreet.readings import as_pure, implies
from discreet.sampling.coins import SystemCoins
from discreet.testing.domains import check_law

CLOSE = Fraction(1, 10**12)


def oracle(true: int, count: int, fall: Fraction) -> dict[Hashable, Ball]:
    """Return the chances on 0 below ``count``, weight by weight."""
    weights = {y: ball(-fall * abs(y - true)).exp() for y in range(count)}
    total = sum(weights.values(), ball(0))
    return {y: weight / total for y, weight in weights.items()}


def clamped(true: int, count: int, fall: Fraction) -> dict[Hashable, Ball]:
    """Return the chances of clamped discrete Laplace noise, its tails added up over 400 steps."""
    law: dict[Hashable, Ball] = {y: ball(0) for y in range(count)}
    scale = (1 - ball(-fall).exp()) / (1 + ball(-fall).exp())
    for y in range(-400, 401):
        law[min(max(y, 0), count - 1)] += scale * ball(-fall * abs(y - true)).exp()
    return law


def attained(domain: Any, rate: Fraction, moved: int) -> tuple[Fraction, Fraction]:
    """Return the greatest log of odds, and its greatest spread, over all true points at most ``moved`` steps apart."""
    count = domain.points.size
    laws = [at(128, domain.score(domain.points[x]).law(rate).chances) for x in range(count)]
    losses = [
        at(128, lambda: [(one[y] / other[y]).log() for y in one])  # noqa: B023
        for x, one in enumerate(laws)
        for other in laws[max(0, x - moved) : x + moved + 1]
    ]
    spreads = [at(128, lambda: upper(max(row, key=float) - min(row, key=float))) for row in losses]  # noqa: B023
    return max(upper(loss) for row in losses for loss in row), max(spreads)


@pytest.mark.parametrize(("true", "count"), [(0, 1), (0, 4), (3, 4), (2, 5), (9, 4), (-7, 3)])
@pytest.mark.parametrize("rate", [Fraction(1, 10**9), Fraction(1, 2), Fraction(3)])
def test_the_draws_have_their_laws(true: int, count: int, rate: Fraction) -> None:
    """On one point and more, from an end, and from outside, where the true number counts as the end."""
    inside = min(max(true, 0), count - 1)
    bounds = (0, count - 1)
    law = BoundedLaplace(bounds, 1, 1).score(true).law(rate)
    check_law(law, at(128, lambda: oracle(inside, count, rate)))
    if rate > Fraction(1, 100):  # else the noise itself is as wide as the tree
        check_law(ClampedLaplace(bounds, 1, 1).score(true).law(rate), at(128, lambda: clamped(inside, count, rate)))


def test_planted_wrong_laws_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half the rate, a missing last point, and clamping to the point before the last, are seen."""
    law = BoundedLaplace((0, 4), 1, 1).score(2).law(Fraction(1, 2))
    for wrong in (at(128, lambda: oracle(2, 5, Fraction(1, 4))), at(128, lambda: oracle(2, 4, Fraction(1, 2)))):
        with pytest.raises(AssertionError):
            check_law(law, wrong)
    monkeypatch.setattr(bounded_laplace, "min", lambda value, last: min(value, last - 1), raising=False)
    with pytest.raises(AssertionError):
        check_law(ClampedLaplace((0, 4), 1, 1).score(2).law(Fraction(1)), at(128, lambda: clamped(2, 5, Fraction(1))))


@settings(max_examples=60, deadline=None)
@given(
    count=some.integers(1, 9),
    moved=some.integers(1, 10),
    rate=some.fractions(Fraction(1, 1000), 6, max_denominator=1000),
    step=some.sampled_from([Fraction(1), Fraction(1, 4), Fraction(5, 2)]),
)
def test_the_promise_is_exact(count: int, moved: int, rate: Fraction, step: Fraction) -> None:
    """Over all neighbours, the greatest log of odds and its spread are the two numbers promised, to twelve digits."""
    bounded = BoundedLaplace((0, step * (count - 1)), step, step * moved)
    promise = bounded.promise(rate)
    assert isinstance(promise, PureRange)
    pure, spread = attained(bounded, rate, moved)
    assert abs(pure - promise.pure) <= CLOSE
    assert abs(spread - promise.range) <= CLOSE
    noise = ClampedLaplace((0, step * (count - 1)), step, step * moved)
    read = as_pure(noise.promise(rate))
    assert read is not None
    assert abs(attained(noise, rate, moved)[0] - read.epsilon) <= CLOSE


PLANTED: dict[str, Callable[[Fraction, int, int], Fraction]] = {
    "plain Laplace": lambda fall, _, moved: fall * moved,
    "half weight missing": lambda fall, most, moved: fall * moved + log_of(fall, most, moved, less=0),
    "last point missing": lambda fall, most, moved: corner.promised(fall, most - 1, moved).pure,
}


def log_of(fall: Fraction, most: int, moved: int, less: int) -> Fraction:
    """Return the log of the rise of the sum, with ``less`` taken off for the centre counted twice."""
    lengths = (moved + 1, most - moved + 1, 1, most + 1)
    left, right, one, corner_sum = (sum(math.exp(-fall * t) for t in range(length)) for length in lengths)
    return Fraction(math.log((left + right - less) / (one + corner_sum - less)))


@pytest.mark.parametrize("name", PLANTED)
def test_planted_wrong_promises_are_caught(name: str) -> None:
    """The check above tells the exact epsilon from those of plain Laplace, of a wrong sum, and of a shorter grid."""
    pure, _ = attained(BoundedLaplace((0, 5), 1, 1), Fraction(1, 2), 1)
    assert abs(pure - PLANTED[name](Fraction(1, 2), 5, 1)) > Fraction(1, 1000)


def test_rates_are_those_of_the_continuous_law() -> None:
    """On a fine grid of width 10: 0.053, 0.621 and 3.325, between plain exponential and clamped rates."""
    near = BoundedLaplace((0, 10), "0.0001", 1)
    found = [round(float(near.calibrate(Pure(epsilon))), 3) for epsilon in ("0.1", 1, 4)]
    assert found == [0.053, 0.621, 3.325]
    assert [ClampedLaplace((0, 10), "0.0001", 1).calibrate(Pure(e)) for e in ("0.1", 1, 4)] == [Fraction(1, 10), 1, 4]


@pytest.mark.parametrize("rate", [0.05, 0.6, 3.0])
def test_fine_grids_come_near_the_continuous_formula(rate: float) -> None:
    """The formula of Holohan et al. on an interval of width 7, sensitivity 2."""
    exact = rate * 2 + math.log((2 - math.exp(-rate * 2) - math.exp(-rate * 5)) / (1 - math.exp(-rate * 7)))
    pure = as_pure(BoundedLaplace((0, 7), "0.00001", 2).promise(Fraction(rate)))
    assert pure is not None
    assert abs(float(pure.epsilon) - exact) < 1e-4


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(4)])
def test_one_step_on_a_wide_grid_has_a_closed_form(epsilon: Fraction) -> None:
    """exp(-rate) = (1 - e^epsilon + sqrt((e^epsilon - 1)^2 + 4)) / 2."""
    grown = math.exp(epsilon) - 1
    closed = -math.log((math.sqrt(grown**2 + 4) - grown) / 2)
    assert math.isclose(BoundedLaplace((0, 10**6), 1, 1).calibrate(Pure(epsilon)), closed, rel_tol=1e-12)


@pytest.mark.parametrize("target", [Pure("0.3"), Range(2), Zcdp("0.1"), Approx(1, "1e-6"), Pure(20)])
@pytest.mark.parametrize("kind", [BoundedLaplace, ClampedLaplace])
def test_calibration_inverts_the_promise(kind: Any, target: Guarantee) -> None:
    """The promise at the rate gives the target, and a millionth more does not."""
    domain = kind((0, 3), "0.01", "0.5")
    rate = domain.calibrate(target)
    assert implies(domain.promise(rate), target)
    assert not implies(domain.promise(rate * (1 + Fraction(1, 10**6))), target)


def test_a_sensitivity_between_two_steps_is_rounded_up() -> None:
    """True numbers that move by 1.2 steps can move by two points, and then lose more than one step allows."""
    bounded = BoundedLaplace((0, 6), 1, "1.5")
    assert bounded.promise(Fraction(1)) == BoundedLaplace((0, 6), 1, 2).promise(Fraction(1))
    one, other = (at(128, bounded.score(x).law(Fraction(1)).chances) for x in ("0.4", "1.6"))
    worst = max(upper(loss) for loss in at(128, lambda: [(one[y] / other[y]).log() for y in one]))
    allowed, too_little = (as_pure(BoundedLaplace((0, 6), 1, steps).promise(Fraction(1))) for steps in ("1.5", 1))
    assert allowed is not None
    assert too_little is not None
    assert too_little.epsilon < worst <= allowed.epsilon + CLOSE


def test_huge_grids_draw_at_once() -> None:
    """2**62 points, at the least and the largest rates."""
    coins = SystemCoins()
    for rate in (Fraction(1, 10**30), Fraction(1, 10**6), Fraction(10)):
        for kind in (BoundedLaplace, ClampedLaplace):
            domain: Any = kind((0, 2**62 - 1), 1, 1)
            assert 0 <= domain.score(2**61).law(rate).draw(coins) < 2**62


def test_limits_of_the_rate() -> None:
    """Towards 0 the law is level; where it is large, the true number comes."""
    near = BoundedLaplace((0, 1), "0.25", 1).score("0.7")
    assert {str(y) for y in near.law(Fraction(0)).chances()} == {"0.00", "0.25", "0.50", "0.75", "1.00"}
    assert len({float(chance) for chance in near.law(Fraction(0)).chances().values()}) == 1
    assert str(near.law(Fraction(10**6)).draw(SystemCoins())) == "0.75"


def test_what_is_no_number_counts_as_the_lowest_point() -> None:
    """Nothing in the data makes reading fail."""
    for strange in (None, "many", float("nan"), [], object()):
        assert BoundedLaplace((3, 5), 1, 1).score(strange).law(Fraction(10**6)).draw(SystemCoins()) == 3
    for long, point in (("1e9999999", 5), ("-1e9999999", -5), ("1e-9999999", 0)):
        near = BoundedLaplace((-5, 5), 1, 1).score(Decimal(long))
        assert near.law(Fraction(10**6)).draw(SystemCoins()) == point


def test_one_point_costs_nothing() -> None:
    """A grid of one point says nothing about the data; whatever the target, it comes."""
    for kind in (BoundedLaplace, ClampedLaplace):
        domain: Any = kind((2, 2), 1, 1)
        assert as_pure(domain.promise(Fraction(7))) == Pure(0)
        assert domain.score(9).law(domain.calibrate(Pure(1))).draw(SystemCoins()) == 2


def test_settings_are_checked() -> None:
    """Two bounds, a step that fits and a positive sensitivity are wanted."""
    wrong: list[tuple[Any, Any, Any]] = [((0,), 1, 1), ((1, 0), 1, 1), ((0, 1), "0.3", 1), ((0, 1), 1, 0)]
    for given_settings in wrong:
        with pytest.raises(SettingError):
            BoundedLaplace(*given_settings)
