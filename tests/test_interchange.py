"""Events of dp_accounting, there and back, and what its accountants make of them, against the released package."""

import json
import math
import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest
from dp_accounting import dp_event as events
from dp_accounting.pld import PLDAccountant
from dp_accounting.privacy_accountant import NeighboringRelation
from dp_accounting.rdp import RdpAccountant
from hypothesis import given
from hypothesis import strategies as some

from discreet.balls import Ball, at, ball
from discreet.errors import SettingError
from discreet.guarantees import Approx, Gdp, Guarantee, LaplacePair, Pure, PureRange, Range, Renyi, Zcdp
from discreet.interchange import READERS, WIDEST, Accountant, from_dp_event, to_dp_event
from discreet.readings import as_zcdp, delta_at, implies
from discreet.readings.curves import CURVED, curve, epsilon_of, reach

GOLDEN: dict[str, dict[str, Any]] = {
    name: json.loads((Path(__file__).parent / "golden" / f"accounting_{name}.json").read_text(encoding="utf-8"))
    for name in ("closed", "adaptive")
}
ROUNDED = 1e-9
"""The accountants compute in floats; a relative error of this size is theirs."""

KINDS: dict[str, Callable[[Fraction], Guarantee]] = {
    "pure": Pure,
    "range": Range,
    "both": lambda a: PureRange(a, a * 3 / 2),
    "laplace": LaplacePair,
    "gauss": Gdp,
    "zcdp": Zcdp,
    "approx": lambda a: Approx(a, 0),
}
ACCOUNTANTS: dict[Accountant, Callable[[], Any]] = {"rdp": RdpAccountant, "pld": PLDAccountant}
WAYS: list[tuple[str, Accountant]] = [
    (kind, way) for kind in KINDS for way in ACCOUNTANTS if (kind, way) != ("zcdp", "pld")
]

AMOUNTS = some.fractions(min_value=Fraction(1, 50), max_value=8, max_denominator=100)
FLOATS = some.floats(min_value=2.0**-30, max_value=2.0**30)
COUNTS = some.integers(min_value=1, max_value=10**6)


# What is written


@pytest.mark.parametrize(("kind", "way"), WAYS)
@given(amount=AMOUNTS, times=COUNTS)
def test_what_is_written_follows_and_barely(kind: str, way: Accountant, amount: Fraction, times: int) -> None:
    """What comes back follows from what was written, so it is never too strong; from a hair more it does not follow."""
    ((back, count),) = from_dp_event(to_dp_event(KINDS[kind](amount), times, accountant=way))
    assert count == times
    assert implies(KINDS[kind](amount), back)
    assert not implies(KINDS[kind](amount * (1 + Fraction(1, 10**9))), back)


@given(FLOATS, COUNTS.filter(lambda count: count > 1))
def test_an_event_with_one_number_comes_back_to_the_bit(number: float, count: int) -> None:
    """Reading and writing changes no bit of an event that its accountant reads as we would write it."""
    both: list[Any] = [events.GaussianDpEvent(number), events.LaplaceDpEvent(number)]
    one_each: dict[Accountant, Any] = {"rdp": events.ZCDpEvent(number), "pld": events.DiscreteLaplaceDpEvent(number, 1)}
    for way, own in one_each.items():
        for event in [*both, own]:
            for whole in (event, events.SelfComposedDpEvent(event, count)):
                ((back, times),) = from_dp_event(whole)
                assert to_dp_event(back, times, accountant=way) == whole


def test_each_kind_has_its_event() -> None:
    """One is one, for the numbers people use."""
    assert to_dp_event(LaplacePair(1)) == to_dp_event(Range(1), accountant="pld") == events.LaplaceDpEvent(1.0)
    assert to_dp_event(Gdp("0.5")) == events.GaussianDpEvent(2.0)
    assert to_dp_event(Zcdp("1/8"), 7) == events.SelfComposedDpEvent(events.ZCDpEvent(0.125), 7)
    assert to_dp_event(Pure(1), accountant="pld") == events.DiscreteLaplaceDpEvent(1.0, 1)
    tight = as_zcdp(Range(1))
    assert tight is not None
    assert tight.rho <= Fraction(to_dp_event(Range(1)).rho) < Fraction(1, 8)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_an_event_that_costs_nothing(kind: str) -> None:
    """A guarantee of 0, and no release at all, are a NoOpDpEvent, and that is no guarantee."""
    nothing = events.NoOpDpEvent()
    assert to_dp_event(KINDS[kind](Fraction(0)), 5) == to_dp_event(KINDS[kind](Fraction(1)), 0) == nothing
    assert from_dp_event(nothing) == ()


# What the accountants make of it


def pairs(guarantee: Guarantee) -> list[tuple[float, float]]:
    """Chances P, Q of the outcomes of a mechanism that keeps a guarantee and hardly more; some outcomes are merged."""
    match guarantee:
        case Pure(epsilon=a) | Approx(epsilon=a):
            return two_points(2 * float(a), float(a))
        case Range(epsilon=b):
            return two_points(float(b), 0.75 * float(b))
        case PureRange(pure=a, range=b):
            return two_points(float(b), float(a))
        case LaplacePair(epsilon=r):
            return binned(
                lambda x: 0.5 + math.copysign(-math.expm1(-abs(x)) / 2, x), float(r), [i / 6 for i in range(7)]
            )
        case Gdp(mu=mu):
            return binned(NormalDist().cdf, float(mu), [-2 + i * 0.7 for i in range(9)])
        case Zcdp(rho=rho):
            return pairs(Gdp(math.sqrt(2 * rho)))
        case _:
            raise AssertionError


def two_points(b: float, t: float) -> list[tuple[float, float]]:
    """Losses t and t - b alone."""
    p, q = math.expm1(t - b) / math.expm1(-b), (math.exp(-t) - math.exp(-b)) / -math.expm1(-b)
    return [(p, q), (1 - p, 1 - q)]


def binned(cdf: Callable[[float], float], shift: float, parts: list[float]) -> list[tuple[float, float]]:
    """Noise on 0 or on a shift, of which only the bin is seen."""
    edges = [-math.inf, *(shift * part for part in parts), math.inf]
    moved, still = ([cdf(edge - by) for edge in edges] for by in (shift, 0.0))
    return [(moved[i + 1] - moved[i], still[i + 1] - still[i]) for i in range(len(edges) - 1)]


def least_delta(released: Iterable[tuple[Guarantee, int]], epsilon: float) -> float:
    """The delta of such mechanisms together, by walking all outcomes: no valid account is below it."""
    each = [pairs(guarantee) for guarantee, times in released for _ in range(times)]
    seen = ([math.prod(side) for side in zip(*outcome, strict=True)] for outcome in product(*each))
    return math.fsum(max(0.0, p - math.exp(epsilon) * q) for p, q in seen)


def covers(event: Any, way: Accountant, released: Iterable[tuple[Guarantee, int]]) -> bool:
    """Whether an accountant's delta is nowhere below that of the mechanisms released."""
    account, told = ACCOUNTANTS[way]().compose(event), list(released)
    needed = {epsilon: least_delta(told, epsilon) for epsilon in (0.0, 0.25, 0.5, 1.0, 1.4, 1.8, 2.6, 4.0)}
    return all(account.get_delta(e) >= delta * (1 - ROUNDED) for e, delta in needed.items() if delta > 1e-12)


@pytest.mark.parametrize(("kind", "way"), WAYS)
@pytest.mark.parametrize("amount", ["0.3", "0.9"])
def test_accounts_are_never_too_little(kind: str, way: Accountant, amount: str) -> None:
    """Once and three times, the account is not below what a mechanism that keeps the guarantee can lose."""
    guarantee = KINDS[kind](Fraction(amount))
    assert all(covers(to_dp_event(guarantee, n, accountant=way), way, [(guarantee, n)]) for n in (1, 3))


@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_planted_wrong_conversions_are_caught(kind: str, way: Accountant) -> None:
    """Half the amount (as of doubled noise), a dropped count and one use too few are each seen to be too little."""
    guarantee = KINDS[kind](Fraction("0.9"))
    for planted in (
        to_dp_event(KINDS[kind](Fraction("0.45")), 3, accountant=way),
        to_dp_event(guarantee, 3, accountant=way).event,
        to_dp_event(guarantee, 2, accountant=way),
    ):
        assert not covers(planted, way, [(guarantee, 3)])


@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_a_count_is_a_loop(kind: str, way: Accountant) -> None:
    """Told ten uses, an accountant says what it says of ten events, one after another."""
    guarantee, looped = KINDS[kind](Fraction("0.4")), ACCOUNTANTS[way]()
    for _ in range(10):
        looped.compose(to_dp_event(guarantee, accountant=way))
    counted = ACCOUNTANTS[way]().compose(to_dp_event(guarantee, 10, accountant=way))
    assert math.isclose(counted.get_epsilon(1e-6), looped.get_epsilon(1e-6), rel_tol=1e-3)
    assert counted.get_epsilon(1e-6) > 3 * 0.4


@pytest.mark.parametrize("way", ACCOUNTANTS)
def test_accounts_stay_above_the_golden_optimum(way: Accountant) -> None:
    """No account is below the exact optimum of pure mechanisms, or of bounded ranges; of one use fewer, some are."""
    closed, adaptive = GOLDEN["closed"], GOLDEN["adaptive"]["delta"]
    cases: list[tuple[Any, Any, str]] = [
        (kind, case, name)
        for kind, name, rows in (
            (Pure, "kov", closed["delta"] + closed["delta_large_k"]),
            (Range, "br_nonadaptive", closed["delta"] + closed["delta_large_k"]),
            (Range, "br_adaptive", [case for case in adaptive if "br_adaptive" in case]),
        )
        for case in rows
        if Fraction(case["eps"]) * case["k"] <= 40
    ]

    def account(kind: Any, case: Any, less: int = 0) -> float:
        event = to_dp_event(kind(case["eps"]), case["k"] - less, accountant=way)
        return float(ACCOUNTANTS[way]().compose(event).get_delta(float(case["eg"])))

    assert len(cases) > 100
    low = [case for kind, case, name in cases if account(kind, case) < float(case[name]) * (1 - ROUNDED) - 1e-15]
    assert low == []
    assert any(account(kind, case, less=1) < float(case[name]) * (1 - ROUNDED) for kind, case, name in cases)


def test_distributions_are_exact_where_the_event_is() -> None:
    """Discrete Laplace, Laplace and Gaussian events lose nothing: the optimum, up to the grid of losses."""
    case = next(
        case for case in GOLDEN["closed"]["delta"] if case["eps"] == "0.5" and case["k"] > 1 and case["eg"] != "0.0"
    )
    account = PLDAccountant().compose(to_dp_event(Pure("0.5"), case["k"], accountant="pld"))
    assert math.isclose(account.get_delta(float(case["eg"])), float(case["kov"]), rel_tol=1e-3)
    for guarantee in (LaplacePair(1), Gdp(1)):
        account = PLDAccountant().compose(to_dp_event(guarantee))
        assert math.isclose(account.get_delta(0.5), delta_at(guarantee, "0.5"), rel_tol=1e-6)


RELEASED: list[tuple[CURVED, int]] = [
    (LaplacePair("0.5"), 4),  # permute-and-flip, or noisy max
    (Range("0.3"), 10),  # the exponential mechanism
    (Gdp("0.25"), 2),  # Gaussian noise
    (LaplacePair("0.2"), 3),  # Laplace noise
]


def test_one_account_adds_up_releases_of_four_kinds() -> None:
    """Selections and noisy numbers in one Renyi account: at least our own sum of curves, which has more orders."""
    account = RdpAccountant()
    for guarantee, times in RELEASED:
        account.compose(to_dp_event(guarantee, times))
    ours = epsilon_of(together, Fraction(1, 10**6), reach(Pure(1)))
    assert ours is not None
    assert round(float(ours), 4) == 4.8734  # as docs/interchange.md says
    assert ours <= account.get_epsilon(1e-6) <= ours * Fraction(102, 100)


def together(order: Fraction) -> Ball:
    """The Renyi curves of all that was released, added up."""
    return sum((curve(guarantee, order) * times for guarantee, times in RELEASED), start=ball(0))


def test_one_account_of_distributions_adds_up_the_same() -> None:
    """The other accountant takes them all too: never too little, and less than Renyi for what it reads exactly."""
    all_once = events.ComposedDpEvent([to_dp_event(guarantee, accountant="pld") for guarantee, _ in RELEASED])
    assert covers(all_once, "pld", [(guarantee, 1) for guarantee, _ in RELEASED])
    exact = [to_dp_event(guarantee, times) for guarantee, times in RELEASED if not isinstance(guarantee, Range)]
    renyi, losses = (account().compose(events.ComposedDpEvent(exact)) for account in ACCOUNTANTS.values())
    assert 1 < losses.get_epsilon(1e-6) < renyi.get_epsilon(1e-6)


@pytest.mark.parametrize("kind", [LaplacePair, Gdp, Range, Pure, Zcdp])
def test_the_ends_of_the_floats_are_safe(kind: Any) -> None:
    """What is too small for the accountant is charged as more; what is too large hides nothing, and is said to."""
    tiny = RdpAccountant().compose(to_dp_event(kind("1e-17"), 10**34))
    assert tiny.get_epsilon(1e-6) >= 2
    assert to_dp_event(kind("1e-400")) != events.NoOpDpEvent()
    assert to_dp_event(kind(10**400)) == events.NonPrivateDpEvent()


# Where the released package counts too little


def test_the_released_package_forgets_the_count_of_randomised_response() -> None:
    """Twenty uses are charged as one by loss distributions: why we write no such event."""
    response, relation = events.RandomizedResponseDpEvent(0.5, 4), NeighboringRelation.REPLACE_ONE
    twenty = events.SelfComposedDpEvent(response, 20)
    once, counted = (PLDAccountant(relation).compose(event).get_epsilon(1e-6) for event in (response, twenty))
    looped = PLDAccountant(relation).compose(events.ComposedDpEvent([response] * 20)).get_epsilon(1e-6)
    assert looped > 20
    assert counted == once == pytest.approx(1.6095, abs=1e-4), (
        "dp_accounting now counts randomised response: Pure may be written as one, and docs/interchange.md must say so"
    )
    ((guarantee, times),) = from_dp_event(twenty)
    ours = PLDAccountant().compose(to_dp_event(guarantee, times, accountant="pld"))
    assert ours.get_epsilon(1e-6) >= looped


def test_the_released_package_loses_faint_laplace_noise() -> None:
    """Many uses of a tiny epsilon are charged as nothing by the Renyi accountant: why no multiplier is that large."""
    faint = RdpAccountant().compose(events.LaplaceDpEvent(2.0**53), 4**53)
    assert faint.get_epsilon(1e-6) == 0, "dp_accounting now keeps the digits: WIDEST can go, docs/interchange.md too"
    ours = RdpAccountant().compose(to_dp_event(LaplacePair(Fraction(1, WIDEST)), WIDEST**2))
    assert ours.get_epsilon(1e-6) >= 4.8


def test_the_released_package_disagrees_on_replacing_a_row() -> None:
    """For neighbours that replace, one accountant doubles the reach of a row and the other does not."""
    relation = NeighboringRelation.REPLACE_ONE
    renyi, losses = RdpAccountant(neighboring_relation=relation), PLDAccountant(relation)
    found = [account.compose(events.GaussianDpEvent(1.0)).get_epsilon(1e-6) for account in (renyi, losses)]
    assert found == pytest.approx([5.2215, 10.9972], abs=1e-4), (
        "docs/interchange.md must say what dp_accounting does now"
    )


# What is read


def test_compositions_are_flattened_in_order() -> None:
    """Counts are multiplied, equal neighbours merged but no others, and what costs nothing is left out."""
    one, two, no = events.GaussianDpEvent(2.0), events.LaplaceDpEvent(4.0), events.NoOpDpEvent()
    inner = events.SelfComposedDpEvent(events.ComposedDpEvent([one, no, events.SelfComposedDpEvent(one, 2), two]), 5)
    gauss, laplace = Gdp("0.5"), LaplacePair("0.25")
    assert from_dp_event(events.ComposedDpEvent([inner, two, one])) == ((gauss, 15), (laplace, 6), (gauss, 1))
    silent = [events.SelfComposedDpEvent(one, 0), events.ZCDpEvent(0.0), events.RandomizedResponseDpEvent(0.3, 1)]
    assert from_dp_event(events.ComposedDpEvent(silent)) == ()


def test_floats_are_the_fractions_they_are() -> None:
    """A float of an event is not the decimal it prints as."""
    assert from_dp_event(events.ZCDpEvent(0.1)) == ((Zcdp(Fraction(0.1)), 1),)
    assert from_dp_event(events.ZCDpEvent(0.1)) != ((Zcdp("0.1"), 1),)
    assert from_dp_event(events.DiscreteLaplaceDpEvent(0.25, 3)) == ((Pure("0.75"), 1),)


@given(some.fractions(min_value=Fraction(1, 1000), max_value=1), some.integers(min_value=2, max_value=50))
def test_randomised_response_is_its_largest_odds(share: Fraction, buckets: int) -> None:
    """exp(epsilon) is the odds of a true answer against another, and not a hair less."""
    p = float(share)
    odds = buckets / Fraction(p) - buckets + 1
    found = from_dp_event(events.RandomizedResponseDpEvent(p, buckets))
    epsilon = found[0][0].epsilon if found else Fraction(0)  # type: ignore[union-attr]
    assert math.isclose(epsilon, math.log(odds), rel_tol=1e-12, abs_tol=1e-15)
    assert at(300, lambda: bool(ball(epsilon).exp() - ball(odds) > -ball(Fraction(1, 2**200))))
    assert p < 1 or found == ()


# What is refused


@pytest.mark.parametrize(
    ("guarantee", "way", "said"),
    [
        (Renyi({2: 1}), "rdp", "write the Zcdp, Gdp or pure guarantee"),
        (Renyi({2: 1}), "pld", "write the Zcdp, Gdp or pure guarantee"),
        (Approx(1, "1e-6"), "rdp", "take delta off the target"),
        (Zcdp(1), "pld", "use accountant='rdp'"),
        (Pure(1), "gdp", "accountant: wanted 'rdp' or 'pld', got 'gdp'"),
    ],
)
def test_guarantees_without_an_event_are_refused(guarantee: Guarantee, way: Any, said: str) -> None:
    """The message says what would serve."""
    with pytest.raises(SettingError, match=said):
        to_dp_event(guarantee, accountant=way)


@pytest.mark.parametrize("times", [-1, 1.5, True, "two"])
def test_wrong_counts_are_refused(times: Any) -> None:
    """A count is a whole number, there and back."""
    with pytest.raises(SettingError, match="times: wanted a whole number from 0"):
        to_dp_event(Pure(1), times)
    with pytest.raises(SettingError, match="count: wanted a whole number from 0"):
        from_dp_event(events.SelfComposedDpEvent(events.GaussianDpEvent(1.0), times))


class GaussianDpEvent(events.GaussianDpEvent):  # type: ignore[misc]
    """An event somebody made of one that is read, under the same name."""


GAUSS = events.GaussianDpEvent(1.0)
OTHERS: list[Any] = [
    *[events.PoissonSampledDpEvent(0.1, GAUSS), events.SingleEpochTreeAggregationDpEvent(1.0, 3)],
    events.SelfComposedDpEvent(events.SampledWithoutReplacementDpEvent(9, 3, GAUSS), 2),
    *[events.NonPrivateDpEvent(), events.UnsupportedDpEvent(), GaussianDpEvent(1.0), "GaussianDpEvent", None],
]
WRONG = [
    *[events.GaussianDpEvent(0.0), events.GaussianDpEvent(math.inf)],
    *[events.LaplaceDpEvent(-1.0), events.LaplaceDpEvent(math.nan)],
    *[events.ZCDpEvent(-0.5), events.ZCDpEvent(0.5, 0.1), events.DiscreteLaplaceDpEvent(1.0, -1)],
    *[events.RandomizedResponseDpEvent(*numbers) for numbers in ((0.0, 2), (1.5, 2), (0.5, 0))],
]


@pytest.mark.parametrize("event", OTHERS)
def test_other_events_are_refused(event: Any) -> None:
    """The message names the kinds that are read."""
    with pytest.raises(SettingError, match=rf"event: wanted a composition of {', '.join(READERS)}, got "):
        from_dp_event(event)


@pytest.mark.parametrize("event", WRONG)
def test_wrong_numbers_in_events_are_refused(event: Any) -> None:
    """No noise, noise that is no number, or an additive term: none is a guarantee."""
    named = "noise_multiplier|rho|xi|sensitivity|noise_parameter|num_buckets"
    with pytest.raises(SettingError, match=f"^({named}): wanted "):
        from_dp_event(event)


def test_without_the_package_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named; the rest of the library does not need it."""
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    for use in (lambda: to_dp_event(Pure(1)), lambda: from_dp_event(events.NoOpDpEvent())):
        with pytest.raises(SettingError, match=r"pip install 'discreet\[dp-accounting\]'"):
            use()
