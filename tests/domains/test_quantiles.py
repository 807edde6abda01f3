"""Several quantiles: exact laws against plain enumeration, exact epsilons of small worlds, ties, planted mistakes."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import discreet
from discreet.balls import Ball, at
from discreet.domains import quantiles, ways
from discreet.domains.joint_quantiles import JointQuantiles
from discreet.domains.quantiles import ApproximateQuantiles
from discreet.domains.ways import Ways
from discreet.guarantees import Pure, Range, Zcdp
from discreet.sampling.coins import SystemCoins
from discreet.scores.line import Line
from discreet.testing.domains import check_promise, worst_loss
from discreet.testing.fit import fits
from tests.sampling.alarms import ALARMS

QUARTILES = ["1/4", "1/2", "3/4"]
KINDS: list[Any] = [ApproximateQuantiles, JointQuantiles]
RATE = Fraction(1, 2)
ALL = 10**6
"""So fine a detail that everybody is a landmark."""


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
    outcomes, crowd = at(128, law.chances), law.fitted.crowd(0, SystemCoins())
    best = max(outcomes, key=lambda one: float(outcomes[one]))
    listed = -float(rate * law._miss(crowd, tuple(map(int, best)))) - float(np.log(float(outcomes[best])))
    assert Ways(crowd, domain.qs, rate, ALL)._total == pytest.approx(listed, abs=1e-12)

    def lacking(held: Any, before: Any, after: Any) -> Any:
        return spread(np.where(np.arange(len(held)) == 0, -np.inf, held), before, after)

    spread = ways._spread
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ways, "_spread", lacking)
        total = Ways(crowd, domain.qs, rate, ALL)._total
    if rate < 1 and data and min(data) < 5 and len(qs) > 1:  # then there is another stretch, and the term counts
        assert total != pytest.approx(listed, abs=1e-12)


@settings(max_examples=60)
@given(
    some.lists(some.tuples(some.floats(-30, 30), some.floats(0, 3)), min_size=1, max_size=40),
    some.floats(-20, 20),
)
def test_kernels_are_their_sums(stretches: list[tuple[float, float]], aim: float) -> None:
    """Two-sided sums over earlier stretches are the sums they stand for, wherever the stretches are."""
    held, before = np.array([one for one, _ in stretches]), np.cumsum([step for _, step in stretches])
    after = before - aim
    for place, found in enumerate(ways._spread(held, before, after)):
        terms = held[:place] - np.abs(after[place] - before[:place])
        assert found == pytest.approx(np.logaddexp.reduce(terms) if place else -np.inf, abs=1e-9)


def test_a_total_that_is_too_small_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard raises where float code said too little: here by a half."""
    law = JointQuantiles((0, 3), qs=QUARTILES).score([0, 1, 2, 3]).law(Fraction(1), 0)
    monkeypatch.setattr(ways, "SPARE", -1.0)
    with pytest.raises(discreet.GuardError):
        [law.draw(SystemCoins()) for _ in range(200)]


@pytest.mark.parametrize("qs", [QUARTILES, ["0.123456789012345678", "0.51234567890123456789"]])
@pytest.mark.parametrize(
    ("n", "epsilon"), [(1000, "1e12"), (100_000, "1e10"), (1000, "1e300"), (1000, "1e-300"), (0, 1), (1, "1e12")]
)
@pytest.mark.parametrize("kind", KINDS)
def test_any_epsilon_has_a_draw(kind: Any, n: int, epsilon: Any, qs: list[str]) -> None:
    """At huge rates the true quantiles come out, to a person; at tiny ones there is an answer too."""
    values = np.arange(n) * 7919 % max(n, 1)
    domain = kind((0, 10**6), qs=qs)
    found = domain.score(values).law(domain.calibrate(Pure(epsilon))).draw(SystemCoins())
    if n > 1 and float(epsilon) > 1:
        assert [abs(one - float(q) * n) <= 2 for one, q in zip(found, domain.qs, strict=True)] == [True] * len(qs)


def test_rates_that_nobody_needs_are_not_used() -> None:
    """A joint draw stops at 2**40, and promises what that is."""
    domain = JointQuantiles((0, 9))
    assert domain.calibrate(Pure("1e300")) == 2**40
    assert domain.promise(domain.calibrate(Pure("1e300"))) == Range(3 * 2**40)
    with pytest.raises(discreet.SettingError, match="rate: wanted at most"):
        domain.score([1]).law(Fraction(2**41))


@pytest.mark.parametrize("size", [101, 2**40, 2**62])
@pytest.mark.parametrize("kind", KINDS)
def test_ties_are_exact_on_grids_of_any_size(kind: Any, size: int) -> None:
    """Copies of one number have it as all their quantiles, whatever the grid: also where 62 bits have no room left."""
    middle = size // 2
    domain = kind((0, size - 1), qs=QUARTILES)
    law = domain.score([middle] * 1000).law(domain.calibrate(Pure(1)))
    assert law.draw(SystemCoins()) == (middle,) * 3
    mostly = domain.score([middle] * 9000 + [place * (size // 1001) for place in range(1000)])
    assert mostly.law(Fraction(1, 2)).draw(SystemCoins()) == (middle,) * 3


@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_read_as_people_are(kind: Any) -> None:
    """Counts at places of the grid have the law of the people they count."""
    domain = kind((0, 3), qs=QUARTILES)
    people, counts = domain.score([0, 2, 2, 3]), domain.score_places(np.array([0, 2, 3]), np.array([1, 2, 1]))
    one, other = (at(64, fitted.law(RATE, 0).chances) for fitted in (people, counts))
    assert {key: float(share) for key, share in one.items()} == {key: float(share) for key, share in other.items()}


def _continuous(people: list[int], cells: int, qs: list[Fraction], rate: Fraction, *, halving: bool) -> Any:
    """Integrate the law over all places of people within their cells: the volume of each box, times its weight."""
    law, grid = dict[tuple[int, ...], float](), (np.arange(60) + 0.5) / 60
    for inside in product(grid, repeat=len(people)):
        places = np.sort(np.array(people, dtype=np.float64) + inside)
        cuts = np.unique(np.concatenate([np.arange(cells + 1), places]))
        below, widths = np.searchsorted(places, cuts[:-1] + 1e-9), np.diff(cuts)
        boxes = dict[tuple[int, ...], float]()
        for box in combinations_with_replacement(range(len(widths)), len(qs)):
            aims = [float(q) * len(people) for q in qs]
            off = [0.0, *(below[one] - aim for one, aim in zip(box, aims, strict=True)), 0.0]
            miss = abs(off[1]) / (2 * max(map(float, qs))) if halving else np.abs(np.diff(off)).sum()
            volume = float(np.prod([widths[one] for one in box])) / (2 if len(set(box)) < len(box) else 1)
            key = tuple(int(cuts[one]) for one in box)
            boxes[key] = boxes.get(key, 0.0) + volume * float(np.exp(-float(rate) * miss))
        for key, weight in boxes.items():
            law[key] = law.get(key, 0.0) + weight / sum(boxes.values()) / len(grid) ** len(people)
    return law


@pytest.mark.parametrize(
    ("kind", "qs"), [(ApproximateQuantiles, [Fraction(3, 4)]), (JointQuantiles, [Fraction(1, 3), Fraction(2, 3)])]
)
def test_32_bits_within_a_cell_are_as_good_as_all_reals(kind: Any, qs: list[Fraction]) -> None:
    """Samples with the usual movement fit the continuous law, and not that of values which stay where they are."""
    people, rate = [0, 0], Fraction(3)
    domain, coins = kind((0, 1), qs=qs), SystemCoins()
    law = _continuous(people, 2, qs, rate, halving=kind is ApproximateQuantiles)
    drawn = [domain.score(people).law(rate).draw(coins) for _ in range(1500)]
    counts, outcomes = [drawn.count(one) for one in sorted(law)], sorted(law)
    assert sum(counts) == len(drawn)
    assert fits(counts, [law[one] for one in outcomes], ALARMS["quantiles"])
    still = at(64, domain.score(people).law(rate, 0).chances)
    assert not fits([4 * count for count in counts], [float(still[one]) for one in outcomes], 1e-12)


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


def test_settings_are_read_strictly() -> None:
    """A misspelt account, one bound, or text for two of them are refused by name, for a line as well."""
    wrong: Any = "zCDP"
    wrong_bounds: list[Any] = [5, "09", (0,), (0, 1, 2)]
    with pytest.raises(discreet.SettingError, match="account: wanted 'pure' or 'zcdp'"):
        ApproximateQuantiles((0, 9), account=wrong)
    for kind in (*KINDS, Line):
        for bounds in wrong_bounds:
            with pytest.raises(discreet.SettingError, match="bounds: wanted two public numbers"):
                kind(bounds)


def test_jitter_is_the_same_on_all_grids() -> None:
    """Values are moved by 32 bits, also on a grid that fills the 62 bits, and stay in their cells."""
    for size in (10, 2**62):
        assert ApproximateQuantiles((0, size - 1)).score([1]).law(Fraction(1)).jitter == quantiles.MOST_JITTER
    listed: dict[Any, Ball] = dict(
        at(64, ApproximateQuantiles((0, 2), qs=["1/2"]).score([1]).law(Fraction(1), 0).chances)
    )
    assert set(listed) == {(0,), (1,), (2,)}
