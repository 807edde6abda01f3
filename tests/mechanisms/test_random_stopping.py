"""Random stopping: laws of the number of runs, exact output laws by generating functions, promises, and faults."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, islice, pairwise
from math import exp, factorial, log, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet.balls import at
from discreet.errors import SettingError
from discreet.guarantees import Approx, Pure, Range, Renyi, Zcdp
from discreet.mechanisms.first_pass import FirstPass
from discreet.mechanisms.negative_binomial import NegativeBinomial
from discreet.mechanisms.poisson import Poisson
from discreet.readings import as_approx, as_pure, divergence, implies
from discreet.testing import exact_law

LAWS = [
    NegativeBinomial(1, "0.1"),
    NegativeBinomial(0, "0.1"),
    NegativeBinomial("-1/2", "0.01"),
    NegativeBinomial(2, "0.2"),
    Poisson(3),
    Poisson("0.3"),
]


def chance_of(law: Any, k: int) -> float:
    """Return P(K = k) from its definition: products and factorials, in floats."""
    if isinstance(law, Poisson):
        return exp(-float(law.mu)) * float(law.mu) ** k / factorial(k)
    eta, gamma = float(law.eta), float(law.gamma)
    if k == 0:
        return 0.0
    weight: float = (1 - gamma) ** k
    if eta == 0:
        return weight / k / log(1 / gamma)
    return float(weight * prod((rank + eta) / (rank + 1) for rank in range(k)) / (gamma**-eta - 1))


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_chances_are_those_of_the_definition(law: Any) -> None:
    """Chances, mean and generating function agree with sums over the definition."""
    start = 0 if isinstance(law, Poisson) else 1
    found = at(128, lambda: [float(share) for share in islice(law.chances(), 150)])
    each = [chance_of(law, k) for k in range(start, start + 150)]
    assert found == pytest.approx(each, rel=1e-9, abs=1e-300)
    longer = [chance_of(law, k) for k in range(start, 1500 if start else 150)]
    assert sum(longer) == pytest.approx(1, abs=1e-6)
    assert law.mean == pytest.approx(sum(k * share for k, share in enumerate(longer, start)), rel=1e-3)
    for x in (Fraction(0), Fraction(1, 3), Fraction(9, 10), Fraction(1)):
        wanted = sum(share * float(x) ** k for k, share in enumerate(longer, start))
        assert float(at(128, lambda: law.generating(x))) == pytest.approx(wanted, abs=1e-6)  # noqa: B023


@pytest.mark.parametrize("law", [NegativeBinomial(1, "0.5"), NegativeBinomial(0, "0.4"), Poisson("0.7")], ids=str)
def test_the_number_of_runs_is_drawn_exactly(law: Any) -> None:
    """The tree of coins contains the law, and not that of another shape or mean, or moved by one."""
    walked = exact_law(law.draw, leftover="1e-4")
    start = {Poisson: 0}.get(type(law), 1)

    def claimed(other: Any, shift: int = 0) -> dict[Any, Any]:
        shares = at(128, lambda: list(islice(other.chances(), 40)))
        return dict(enumerate(shares, start + shift))

    assert walked.contains(claimed(law))
    assert not walked.contains(claimed(law, shift=1))
    other = NegativeBinomial(law.eta, law.gamma * Fraction(101, 100)) if start else Poisson("0.71")
    assert not walked.contains(claimed(other))
    assert not walked.contains(claimed(NegativeBinomial(2, "0.5")))


Channel = list[Fraction]


def best_of(law: Any, channel: Channel) -> list[float]:
    """Return the law of the best of K runs: outcomes in rising order of score, and last the chance of no run."""
    sums = list(accumulate(channel, initial=Fraction(0)))
    reached = at(256, lambda: [law.generating(x) for x in sums])
    return at(256, lambda: [float(after - before) for before, after in pairwise(reached)] + [float(reached[0])])


def channels(epsilon: float, count: int, seed: int) -> list[tuple[Channel, Channel]]:
    """Return random pairs of laws of one run whose odds move by exp(epsilon) at the most, many of them at the edge."""
    rng, pairs = np.random.default_rng(seed), list[tuple[Channel, Channel]]()
    while len(pairs) < count:
        size = int(rng.integers(2, 6))
        one = 1e-5 + rng.dirichlet(np.full(size, rng.choice([0.2, 1.0])))
        edge = np.where(np.arange(size) >= rng.integers(0, size + 1), 1, -1)
        signs: Any = [edge, rng.choice([-1, 1], size), rng.uniform(-1, 1, size)][rng.integers(0, 3)]
        pair = _exact(one), _exact(one * np.exp(epsilon / 2 * signs))
        pairs += [pair] if loss(*pair) > epsilon / 10 else []
    return pairs


def _exact(weights: Any) -> Channel:
    exact = [Fraction(float(weight)) for weight in weights]
    return [weight / sum(exact) for weight in exact]


def loss(one: Sequence[Any], other: Sequence[Any]) -> float:
    """Return the largest log of odds; what never happens has none."""
    return max(abs(log(a / b)) for a, b in zip(one, other, strict=True) if a or b)


def renyi(one: Sequence[Any], other: Sequence[Any], order: float) -> float:
    """Return a Renyi divergence."""
    both = [(log(a), log(b)) for a, b in zip(one, other, strict=True) if a or b]
    return float(np.logaddexp.reduce([order * a + (1 - order) * b for a, b in both])) / (order - 1)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_pure_promise_holds_over_random_channels(law: Any) -> None:
    """The exact output law of the best of K, for 200 channels: within the promise, and using half of it or more."""
    epsilon, worst = Fraction(1), 0.0
    for one, other in channels(float(epsilon), 200, seed=7):
        base = Fraction(loss(one, other))
        promised = law.promise(Pure(base)).epsilon
        found = loss(best_of(law, one), best_of(law, other))
        assert found <= float(promised) + 1e-6
        worst = max(worst, found / float(promised))
    assert worst > 0.5


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_renyi_promise_holds_over_random_channels(law: Any, epsilon: float) -> None:
    """At every order tried the exact divergence is within the curve; the base is what each channel really has."""
    orders = [Fraction(3, 2), Fraction(2), Fraction(4), Fraction(16), Fraction(64)]
    every = sorted({*orders, *(Fraction(part, 4) for part in range(5, 40)), Fraction(10**4)})
    for one, other in channels(epsilon, 25, seed=11):
        both = {order: max(0.0, renyi(one, other, float(order)), renyi(other, one, float(order))) for order in every}
        base = Renyi({order: amount * (1 + 1e-9) + 1e-12 for order, amount in both.items()})
        curve = dict(law.renyi(base, orders).points)
        first, second = best_of(law, one), best_of(law, other)
        for order in orders:
            assert renyi(first, second, float(order)) <= float(curve[order]) + 1e-7


def test_weaker_promises_are_refuted() -> None:
    """Channels at the edge break a promise of the base alone, of the geometric law at twice, and one without ln E K."""
    pairs = channels(0.5, 200, seed=3)
    geometric, logarithmic = NegativeBinomial(1, "0.001"), NegativeBinomial(0, "0.001")

    def worst(law: Any) -> float:
        return max(loss(best_of(law, a), best_of(law, b)) / loss(a, b) for a, b in pairs if loss(a, b) > 0.1)

    assert worst(geometric) > 2.2
    assert worst(logarithmic) > 1.4
    rare = _exact([0.999, 0.001]), _exact([0.998, 0.002])
    assert loss(best_of(Poisson(1000), rare[0]), best_of(Poisson(1000), rare[1])) > 1.4 * loss(*rare)


def test_promises_are_the_stated_ones() -> None:
    """Pure: 3, 2 and 3/2 times for the three shapes; Poisson: eps + mu tanh(eps/2); a curve where one run has a rho."""
    for eta, factor in ((1, 3), (0, 2), ("-1/2", Fraction(3, 2))):
        assert NegativeBinomial(eta, "0.01").promise(Range("0.1")) == Pure(Fraction(factor) / 10)
    found = float(Poisson(2).promise(Pure(1)).epsilon)  # type: ignore[union-attr]
    assert found == pytest.approx(1 + 2 * (exp(1) - 1) / (exp(1) + 1))
    for law in (NegativeBinomial(0, "0.01"), Poisson(10)):
        curve = law.promise(Zcdp("0.01"))
        assert isinstance(curve, Renyi)
        assert [amount for _, amount in curve.points] == sorted(amount for _, amount in curve.points)
        with pytest.raises(SettingError, match="guarantee: wanted one without delta"):
            law.promise(Approx(1, "1e-6"))


def test_the_curve_is_the_published_formula() -> None:
    """At order 8 and a base of rho 0.01 the bound is that of the formula, minimised here over a fine list of orders."""
    law, rho, order = NegativeBinomial(0, "0.01"), 0.01, 8
    mean = (1 / 0.01 - 1) / log(100)
    middle = min((1 - 1 / b) * rho * b + log(100) / b for b in np.linspace(1.01, 200, 200_000))
    wanted = rho * order + middle + log(mean) / (order - 1)
    found = float(law.renyi(Zcdp("0.01"), [order]).points[0][1])
    assert found == pytest.approx(wanted, rel=1e-6)
    assert found >= wanted * (1 - 1e-9)


@pytest.mark.parametrize("law", [NegativeBinomial(0, "0.01"), NegativeBinomial(1, "0.1"), Poisson(5)], ids=str)
@pytest.mark.parametrize("rho", ["0.001", "0.1", "2"])
def test_the_rho_lies_above_the_curve(law: Any, rho: str) -> None:
    """At every order of the curve rho times the order is no less than the curve's bound."""
    curve, whole = law.renyi(Zcdp(rho)), law.zcdp(Zcdp(rho))
    assert all(amount <= whole.rho * order for order, amount in curve.points)
    assert law.zcdp(Pure("0.1")).rho <= law.zcdp(Zcdp("0.005")).rho


@settings(max_examples=8)
@given(
    some.sampled_from([NegativeBinomial(0, "0.01"), NegativeBinomial(2, "0.2"), Poisson(4)]),
    some.sampled_from([Pure(1), Range("0.5"), Zcdp("0.5"), Approx(2, "1e-6"), Approx(1, 0)]),
)
def test_promise_and_calibrate_are_inverse(law: Any, target: Any) -> None:
    """What calibrate leaves one run keeps the target; a hundredth more does not."""
    base = law.calibrate(target)
    more = Pure(base.epsilon * Fraction(101, 100)) if isinstance(base, Pure) else Zcdp(base.rho * Fraction(101, 100))

    def keeps(each: Any) -> bool:
        promise = law.zcdp(each) if isinstance(target, Zcdp) else law.promise(each)
        return implies(promise, target)

    assert keeps(base)
    assert not keeps(more)


def test_many_runs_for_two() -> None:
    """A hundred runs of rho 0.005 cost an epsilon of 0.9 at delta 1e-6, where a hundred charged one by one cost 5.2."""
    together = as_approx(NegativeBinomial.expecting(100).renyi(Zcdp("0.005")), "1e-6").epsilon
    assert together < Fraction(9, 10) < 5 < as_approx(Zcdp("0.5"), "1e-6").epsilon


def test_helpers_find_what_they_promise() -> None:
    """Expected numbers and chances to hit are met to a few digits; more runs are needed for less luck."""
    for eta in (1, 0, "-1/2", 3):
        assert NegativeBinomial.expecting(50, eta).mean == pytest.approx(50, rel=1e-4)
    for eta in (1, 0, 3):
        assert NegativeBinomial.reaching("0.1", "0.8", eta).misses("0.1") == pytest.approx(0.2, rel=1e-3)
    assert Poisson.reaching("0.1", "0.8").misses("0.1") == pytest.approx(0.2, rel=1e-9)
    assert Poisson.reaching("0.1", "0.8").mean < NegativeBinomial.reaching("0.1", "0.8", 1).mean
    assert Poisson.expecting(7).mean == 7
    with pytest.raises(SettingError, match="surely: wanted a chance that this shape can reach"):
        NegativeBinomial.reaching("0.1", "0.8", "-1/2")


@pytest.mark.parametrize("most", [None, 1, 2, 7])
@pytest.mark.parametrize("gamma", ["0.05", "0.5"])
def test_the_first_pass_keeps_its_promise(gamma: str, most: int | None) -> None:
    """Walk the runs: the exact law of what comes out moves within twice the base epsilon and the price of the cap."""
    law, stop = FirstPass(0, gamma, most), float(Fraction(gamma))
    rounds = 2000 if most is None else most
    worst, epsilon = 0.0, 0.7

    def outcome(channel: Channel) -> list[float]:
        passing, fails = np.array([float(share) for share in channel[:-1]]), float(channel[-1])
        open_, found, nothing = 1.0, np.zeros(len(passing)), 0.0
        for left in reversed(range(rounds)):
            found = found + open_ * passing
            nothing += open_ * fails * (stop if left else 1.0)
            open_ *= fails * (1 - stop)
        return [*found, nothing]

    promised = float(law.promise(Pure("0.7")).epsilon)
    rare = _exact([0.001, 0.3, 0.699]), _exact([0.001 * exp(0.7), 0.3 * exp(-0.7), 0.999 - 0.3 * exp(-0.7)])
    for one, other in [rare, *channels(epsilon, 60, seed=5)]:
        worst = max(worst, loss(outcome(one), outcome(other)))
        assert float(law.misses(1 - one[-1])) == pytest.approx(outcome(one)[-1], abs=1e-9)
    assert worst <= promised + 1e-9
    assert worst > (1.7 if (gamma, most) == ("0.05", None) else 0.9) * epsilon


def test_first_pass_settings() -> None:
    """Its price, its cap and its limits: refused are a base without a pure epsilon, and a target below the cap's."""
    law = FirstPass("0.9", "0.1", 60)
    assert law.mean == pytest.approx((1 - 0.9**60) / 0.1)
    assert law.promise(law.calibrate(Pure(1))) == Pure(1)
    walked = exact_law(FirstPass(0, "0.5", 3).draw, leftover="1e-4")
    assert walked.contains({1: Fraction(1, 2), 2: Fraction(1, 4), 3: Fraction(1, 4)})
    with pytest.raises(SettingError, match="guarantee"):
        law.promise(Zcdp(1))
    with pytest.raises(SettingError, match="guarantee"):
        law.calibrate(Pure("0.0001"))


@pytest.mark.parametrize(
    "make",
    [
        lambda: NegativeBinomial(-1, "0.1"),
        lambda: NegativeBinomial(0, 1),
        lambda: NegativeBinomial.expecting(1),
        lambda: Poisson(0),
        lambda: FirstPass(0, 0),
        lambda: FirstPass(0, "0.1", 0),
    ],
)
def test_impossible_settings_are_refused(make: Any) -> None:
    """Shapes, chances, means and caps outside what there is."""
    with pytest.raises(SettingError):
        make()


def test_a_base_that_stops_at_an_order() -> None:
    """A curve known up to order 8 gives one up to order 8, and none beyond."""
    found = NegativeBinomial(0, "0.1").promise(Renyi([(2, "0.1"), (8, 1)]))
    assert isinstance(found, Renyi)
    assert max(order for order, _ in found.points) <= 8
    assert divergence(found, 2) > Fraction(1, 10)
    assert as_pure(found) is None
