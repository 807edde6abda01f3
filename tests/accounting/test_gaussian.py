"""Gaussian privacy: golden values, root-sum-square, and the limit that is only a picture."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from discreet.accounting import bounded_range, gaussian, limit, zcdp
from discreet.errors import SettingError
from tests.accounting.closed import BAD_DELTAS, COUNTS, DELTAS, GOLDEN, case_name, meets_delta, meets_doubles

MUS = some.fractions(min_value=Fraction(1, 50), max_value=5, max_denominator=50)
REACHED = some.fractions(min_value=0, max_value=10, max_denominator=20)


@pytest.mark.parametrize("case", GOLDEN["gdp"][:2], ids=lambda case: str(case["k"]))
def test_golden_delta(case: dict[str, Any]) -> None:
    """Delta is the golden one from above, from one mu or from the parts whose squares add up to its square."""
    mu = Fraction(case["mu_br"])
    assert meets_delta(gaussian.delta([mu], case["eg"]), case["delta_mu_br"])
    assert meets_delta(gaussian.delta({mu / 10: 100}, case["eg"]), case["delta_mu_br"])
    assert not meets_delta(gaussian.delta({mu / 10: 10}, case["eg"]), case["delta_mu_br"])


@pytest.mark.parametrize("case", GOLDEN["gdp"], ids=lambda case: str(case["k"]))
def test_golden_limit(case: dict[str, Any]) -> None:
    """Many bounded ranges tend to the golden delta; the classic price of twice epsilon each does not."""
    found = limit.limit_delta({case["eps"]: case["k"]}, case["eg"])
    assert math.isclose(found, float(case["delta_mu_br"]), rel_tol=7e-13)
    classic = gaussian.delta([Fraction(case["mu_classic_2eps"])], case["eg"])
    assert not math.isclose(classic, float(case["delta_mu_br"]), rel_tol=7e-13)


@pytest.mark.parametrize("case", GOLDEN["table_main_doubles"], ids=case_name)
def test_the_table(case: dict[str, Any]) -> None:
    """The long table's column is met, up to a thousand mechanisms."""
    found = Fraction(limit.limit_epsilon({str(case["eps"]): case["k"]}, "1e-6"))
    assert meets_doubles(found, {**case, "gdp_clt": case["gdp_clt"]}, "gdp_clt") or abs(
        found - Fraction(case["gdp_clt"])
    ) < Fraction("5e-14") * Fraction(case["gdp_clt"])


def test_the_limit_is_no_bound() -> None:
    """The true optimum of a batch lies above the limit picture, so the picture must never be charged."""
    true = bounded_range.epsilon({"0.01": 100}, "1e-2")
    assert true is not None
    assert round(float(true), 6) == 0.025182
    assert limit.limit_epsilon({"0.01": 100}, "1e-2") < true


@given(MUS, REACHED)
def test_delta_is_the_normal_formula(mu: Fraction, e: Fraction) -> None:
    """Where it does not cancel, the textbook formula in floats agrees; with mu doubled it does not."""
    found = float(gaussian.delta([mu], e))
    assert math.isclose(found, textbook(float(mu), float(e)), rel_tol=1e-6, abs_tol=1e-12)
    assert found < 1e-6 or not math.isclose(found, textbook(2 * float(mu), float(e)), rel_tol=1e-6)


def textbook(mu: float, e: float) -> float:
    """The profile of Gaussian noise, in floats."""
    near, far = (math.erfc((e / mu + side * mu / 2) / math.sqrt(2)) / 2 for side in (-1, 1))
    return near - math.exp(e) * far


@example(Fraction(1, 50), 3, Fraction(8), Fraction(1, 10))  # next to the least delta that is given
@given(MUS, COUNTS, REACHED, DELTAS)
def test_bounds_grow_with_what_is_spent(mu: Fraction, count: int, e: Fraction, delta: Fraction) -> None:
    """More mechanisms, a smaller epsilon or a smaller delta never lower a bound; a list is its count."""
    assert gaussian.delta({mu: count}, e + 1) <= gaussian.delta({mu: count}, e) <= gaussian.delta({mu: count + 1}, e)
    found = gaussian.epsilon({mu: count}, delta)
    assert found <= gaussian.epsilon({mu: count}, delta / 2)
    assert found == gaussian.epsilon([mu] * count, delta)
    assert found <= zcdp.epsilon({mu * mu / 2: count}, delta) * (1 + Fraction(1, 10**12))


@given(MUS, DELTAS)
def test_epsilon_is_the_least(mu: Fraction, delta: Fraction) -> None:
    """Delta at the epsilon found is within the one asked for, down to 1e-25, and a hair below it is not."""
    found = gaussian.epsilon([mu], delta)
    assert gaussian.delta([mu], found) <= delta
    assert not found or gaussian.delta([mu], found * (1 - Fraction(1, 10**12))) > delta


@pytest.mark.parametrize("mu", ["1e-300", "1e-30", "1e30", "1e300"])
def test_extremes_stay_on_the_private_side(mu: str) -> None:
    """Very small and very large mus give chances, and an epsilon whose delta is small enough."""
    assert 0 <= gaussian.delta([mu], "1e400") <= gaussian.delta([mu], 1) <= 1
    assert gaussian.delta([mu], gaussian.epsilon([mu], "1e-9")) <= Fraction("1e-9")
    assert gaussian.delta([0], 0) == gaussian.epsilon([], "1e-9") == 0


@pytest.mark.parametrize("delta", BAD_DELTAS)
def test_bad_deltas_are_refused(delta: Any) -> None:
    """A delta that is no chance strictly between 0 and 1 is a wrong setting."""
    with pytest.raises(SettingError):
        gaussian.epsilon([1], delta)
    with pytest.raises(SettingError):
        limit.limit_epsilon([1], delta)
