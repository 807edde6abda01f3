"""Quantiles without bounds: exact laws, exact losses under both relations, data of all kinds, and planted faults."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet.balls import at
from discreet.domains.unbounded import Halting, UnboundedQuantile
from discreet.errors import SettingError
from discreet.guarantees import Pure, PureRange, Zcdp
from discreet.readings import implies
from discreet.sampling.coins import SystemCoins
from discreet.testing.domains import check_law, check_promise, worst_loss
from tests.mechanisms.contract import TARGETS
from tests.sampling.integrals import mean_over_bar
from tests.sampling.test_crossing import large_forks

UNIVERSE = [Fraction(1, 2), 2, 3, 9]
RELATIONS = ["add-remove", "replace"]


def small(q: object, most: int = 3) -> UnboundedQuantile:
    """Return a domain of three tests, at 1, 2 and 4."""
    return UnboundedQuantile(q, 1, 2, most)  # type: ignore[arg-type]


@pytest.mark.parametrize("data", [[], [1], [1, 1, 4, 100], [3] * 5])
def test_the_law_is_the_integral(data: list[int]) -> None:
    """The certified chances are those of tests counted and integrated anew; the tree of coins agrees with them."""
    domain, rate = small("0.5"), Fraction(2)
    first, second = map(float, domain.rates(rate))
    centre = 1 / second - 1 / first
    margins = [sum(x <= point for x in data) - 0.5 * len(data) - centre for point in (1, 2, 4)]
    law = domain.score(data).law(rate)
    claimed = [
        mean_over_bar(first, second, margins[: place + 1], [False] * place + [True] * (place < 3)) for place in range(4)
    ]
    found = at(128, law.chances)
    assert [float(found[point]) for point in (*law.grid, None)] == pytest.approx(claimed, abs=1e-9)
    with large_forks():
        check_law(law)


def test_a_wrong_law_is_seen() -> None:
    """Rates swapped, a bar left where it was, or one test forgotten: the tree of coins contradicts each."""
    right = small("0.5").score([1, 1, 4]).law(Fraction(2))

    class Wrong(Halting):
        def draw(self, coins: Any) -> Fraction | None:
            return right.draw(coins)

    swapped = Wrong(right.grid, right.margins, right.test_rate / 2, right.bar_rate * 2)
    lower = Wrong(right.grid, tuple(margin + 1 for margin in right.margins), right.bar_rate, right.test_rate)
    late = Wrong(right.grid, (Fraction(-9), *right.margins[1:]), right.bar_rate, right.test_rate)
    with large_forks():
        check_law(Wrong(right.grid, right.margins, right.bar_rate, right.test_rate))
        for wrong in (swapped, lower, late):
            with pytest.raises(AssertionError):
                check_law(wrong)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("q", ["0.05", "0.5", "0.9"])
def test_neighbours_keep_the_promise(q: str, relation: Any) -> None:
    """Over all worlds of three people both the epsilon and the range hold; over 0.85 of the epsilon is used."""
    check_promise(small(q), UNIVERSE, 3, Fraction(1), relation, attained="0.85")
    check_promise(small(q), UNIVERSE, 3, Fraction(3), relation)


def test_how_near_the_worst_neighbours_come() -> None:
    """The epsilon is nearly attained: a share of 0.999 by removing at q = 0.05, 0.97 by replacing at q = 0.5."""
    assert worst_loss(small("0.05"), UNIVERSE, 3, Fraction(1), "add-remove")[0] > Fraction(999, 1000)
    assert worst_loss(small("0.5"), UNIVERSE, 3, Fraction(1), "replace")[0] > Fraction(97, 100)


class Half(UnboundedQuantile):
    """A fault: every rate is twice what was paid for."""

    def rates(self, epsilon: Fraction, neighbours: Any = "add-remove") -> tuple[Fraction, Fraction]:
        """Return twice the rates, and promise as if they were right."""
        first, second = UnboundedQuantile.rates(self, epsilon, neighbours)
        return 2 * first, 2 * second

    def promise(self, rate: Fraction, neighbours: Any = "add-remove") -> PureRange:
        """Promise the rate."""
        return UnboundedQuantile("0.5", 1, 2, 3).promise(rate, neighbours)


class Same(UnboundedQuantile):
    """A fault: the rates of add-remove are used for replace."""

    def rates(self, epsilon: Fraction, neighbours: Any = "add-remove") -> tuple[Fraction, Fraction]:
        """Return the rates of the other relation."""
        assert neighbours
        return UnboundedQuantile.rates(self, epsilon, "add-remove")

    def promise(self, rate: Fraction, neighbours: Any = "add-remove") -> PureRange:
        """Promise the rate."""
        return UnboundedQuantile("0.5", 1, 2, 3).promise(rate, neighbours)


class Narrow(UnboundedQuantile):
    """A fault: the range is said to be the epsilon."""

    def promise(self, rate: Fraction, neighbours: Any = "add-remove") -> Any:  # noqa: ARG002
        """Promise too small a range."""
        return PureRange(rate, rate)


@pytest.mark.parametrize(("fault", "relation"), [(Half, "add-remove"), (Same, "replace"), (Narrow, "add-remove")])
def test_planted_faults_break_the_promise(fault: Callable[..., Any], relation: Any) -> None:
    """Half the noise, the wrong relation's rates, and a range that is too small are refuted by the same worlds."""
    with pytest.raises(AssertionError):
        check_promise(fault("0.5", 1, 2, 3), UNIVERSE, 3, Fraction(1), relation)


@settings(max_examples=40)
@given(some.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100), TARGETS, some.sampled_from(RELATIONS))
def test_promise_and_calibrate_are_inverse(q: Fraction, target: Any, relation: Any) -> None:
    """The promise gives the target, barely, and the pure epsilon is the rate itself."""
    domain = small(q)
    rate = domain.calibrate(target, relation)
    assert implies(domain.promise(rate, relation), target)
    assert not implies(domain.promise(rate * Fraction(1001, 1000), relation), target)
    assert domain.promise(rate, relation).pure == rate


@pytest.mark.parametrize("q", ["0.01", "0.1", "0.3", "0.5", "0.9", "0.99"])
def test_the_split_is_the_best_one(q: str) -> None:
    """No other pair of rates with the same epsilon compares with less variance, beyond the rounding of a root."""
    domain, share = small(q), Fraction(q)
    first, second = domain.rates(Fraction(1))
    best = float(first) ** -2 + float(second) ** -2
    for part in range(1, 200):
        other = Fraction(part, 100)
        rest = 1 - other * share
        if other * (1 - share) <= 1 and rest > 0:
            assert best < (float(other) ** -2 + float(rest) ** -2) * 1.0001


def test_all_forms_of_data_are_counted_alike() -> None:
    """Lists, arrays, series and decimals give the same tests; what is no number is left out, infinities are not."""
    domain = UnboundedQuantile("0.25", "0.1", "1.5", 30)
    numbers = [0.1, 0.15, 0.2, 7.0, 1e300, -5.0, inf, -inf]
    plain = domain.score(numbers).margins
    forms: list[Any] = [
        np.array(numbers),
        pd.Series(numbers),
        [*map(np.float64, numbers)],
        [*numbers, None, nan, "7", Decimal("NaN"), Decimal("sNaN")],
        np.array([*numbers, nan]),
        [Decimal(x) for x in numbers],
        iter(numbers),
    ]
    assert all(domain.score(form).margins == plain for form in forms)
    whole = [1, 3, 4, 2**40, -7]
    kinds: list[Any] = [np.array(whole), np.array(whole, dtype=object), [Fraction(x) for x in whole]]
    assert len({domain.score(form).margins for form in [whole, *kinds]}) == 1
    assert domain.score([Decimal("1e999999999"), Decimal("1e-999999999")]).margins[0] == 1 - Fraction(1, 2)
    assert domain.score([]).margins == (Fraction(0),) * 30


@settings(max_examples=60)
@given(some.lists(some.floats(0, 100), max_size=8))
def test_floats_are_compared_exactly(numbers: list[float]) -> None:
    """The fast way through arrays counts as fractions do, at points that no float is."""
    domain = UnboundedQuantile("0.5", "0.1", "1.1", 60)
    exact = tuple(sum(Fraction(x) <= point for x in numbers) - Fraction(len(numbers), 2) for point in domain.grid)
    assert domain.score(np.array(numbers, dtype=float)).margins == exact == domain.score(numbers).margins


def test_large_rates_find_the_quantile() -> None:
    """With next to no noise the answer is the first point of the grid that the quantile does not pass, or none."""
    data = [5] * 900 + [10**6] * 100
    sharp = Fraction(10**4)
    assert UnboundedQuantile("0.5", most=20).score(data).law(sharp).draw(SystemCoins()) == 8
    assert UnboundedQuantile("0.99", most=21).score(data).law(sharp).draw(SystemCoins()) == 2**20
    assert UnboundedQuantile("0.99", most=20).score(data).law(sharp).draw(SystemCoins()) is None


def test_private_numbers_do_not_print_and_settings_are_checked() -> None:
    """Neither data nor counts are in a repr; a grid must grow, and be capped."""
    fitted = small("0.5").score([7] * 913)
    assert "913" not in f"{fitted!r} {fitted.law(Fraction(1))!r}"
    for wrong in ({"q": 1}, {"factor": 1}, {"start": 0}, {"most": 0}, {"most": 10**6}):
        with pytest.raises(SettingError, match=next(iter(wrong))):
            UnboundedQuantile(**{"q": "0.5", **wrong})  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="neighbours"):
        small("0.5").score([], "Replace")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="neighbours"):
        small("0.5").promise(Fraction(1), "Replace")  # type: ignore[arg-type]
    assert small("0.5").calibrate(Pure(1)) == 1
    assert small("0.5").calibrate(Zcdp("0.1")) > Fraction(2, 5)
