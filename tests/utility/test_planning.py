"""Planning: what a user asks before spending, rounded up, and its inverse."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.errors import SettingError
from discreet.scores import NAMED
from discreet.scores import named as family
from discreet.sensitivity import Neighbours
from discreet.utility import Forecast, chance_of_error, epsilon_for, error_bound, expected_error, private_law
from discreet.utility.bounds import outward
from discreet.utility.rates import FAMILY_NAMES, gap_of, named
from tests.utility.golden import GOLDEN, off

COUNTS: dict[str, Any] = {"sensitivity": 1, "monotonic": True}
VOTING: dict[str, Any] = {"epsilon": "0.5", **COUNTS}
EXPONENTIAL: dict[str, Any] = {"mechanism": "exponential"}
WAYS: list[dict[str, Any]] = [
    {"mechanism": "exponential"},
    {"mechanism": "exponential", "form": "textbook"},
    {"mechanism": "permute-and-flip"},
    {"mechanism": "permute-and-flip", "form": "textbook"},
    {"mechanism": "noisy-max"},
]
ways = st.sampled_from(WAYS)
chances = st.fractions(Fraction(1, 10**9), Fraction(1, 2), max_denominator=10**9)


def test_approval_voting_is_golden() -> None:
    """A hundred candidates at epsilon 1/2: every published number, never below it and within 1e-15."""
    voting = GOLDEN["approval_voting"]
    classic, monotone = voting["classic_weights_exp_eps_q_over_2"], voting["monotone_weights_exp_eps_q"]
    general: dict[str, Any] = {"epsilon": "0.5", "sensitivity": 1, **EXPONENTIAL}
    exact: dict[str, Any] = {**VOTING, **EXPONENTIAL}
    flip: dict[str, Any] = {"mechanism": "permute-and-flip", "form": "textbook"}
    pairs = [
        (error_bound(100, probability="0.01", **general), classic["tight_worst_case_quantile"]),
        (error_bound(100, probability="0.01", form="textbook", **general), classic["bound_2_ln_d_over_beta_over_eps"]),
        (error_bound(100, probability="0.01", **exact), monotone["tight_worst_case_quantile"]),
        (error_bound(100, probability="0.01", form="textbook", **exact), monotone["bound_ln_d_over_beta_over_eps"]),
        (error_bound(100, probability="0.01", **flip, **VOTING), voting["permute_and_flip_monotone_union_bound"]),
        (expected_error(100, **exact), voting["em_worst_case_mean_monotone"]),
        (expected_error(100, **general), voting["em_worst_case_mean_classic"]),
        (expected_error(100, form="textbook", **exact), voting["mean_bound_ln_d"]),
        (expected_error(100, **flip, **VOTING), voting["pf_mean_bound_harmonic"]),
    ]
    assert all(-1e-21 <= off(ours, true) < 1e-15 for ours, true in pairs)
    assert abs(off(expected_error(100, **general), voting["em_worst_case_mean_monotone"])) > 0.5  # the factor 2


@given(st.integers(2, 10**6), st.integers(1, 50), chances, st.fractions(Fraction(1, 50), 50), ways)
def test_bounds_are_monotone(more: int, winners: int, chance: Fraction, epsilon: Fraction, way: dict[str, Any]) -> None:
    """More epsilon, more winners, fewer candidates, a greater chance never raise an error; a nearer one is likelier."""
    candidates = winners + more
    settings: dict[str, Any] = {"winners": winners, **way, "range": 1}

    def both(count: int, price: Fraction, **changed: Any) -> tuple[float, float]:
        known = {**settings, "epsilon": price, **changed}
        return error_bound(count, probability=chance, **known), expected_error(count, **known)

    bound, mean = both(candidates, epsilon)
    better = [
        both(candidates, epsilon * 2),
        both(candidates - 1, epsilon),
        both(candidates, epsilon, winners=winners + 1),
    ]
    assert all(first <= bound and second <= mean for first, second in better)
    assert error_bound(candidates, probability=chance * Fraction(3, 2), epsilon=epsilon, **settings) <= bound
    likely = [chance_of_error(candidates, error=bound * part, epsilon=epsilon, **settings) for part in (0.5, 1, 2)]
    assert likely == sorted(likely, reverse=True)


@given(st.integers(2, 10**12), chances, st.floats(1e-6, 1e6), ways)
def test_epsilon_for_inverts_error_bound(candidates: int, chance: Fraction, error: float, way: dict[str, Any]) -> None:
    """At the epsilon returned the bound is at most the error; a millionth of a millionth less is too little."""
    epsilon = epsilon_for(candidates, error=error, probability=chance, **way, **COUNTS)
    settings: dict[str, Any] = {"probability": chance, **way, **COUNTS}
    assert error_bound(candidates, epsilon=epsilon, **settings) <= error
    if epsilon > 1e-300:
        assert error_bound(candidates, epsilon=Fraction(epsilon) * (1 - Fraction(1, 10**12)), **settings) > error


@given(st.integers(2, 10**9), chances, st.floats(1e-3, 1e3), ways)
def test_chance_and_bound_agree(candidates: int, chance: Fraction, epsilon: float, way: dict[str, Any]) -> None:
    """The chance of the error bound is the probability it was asked for, unless the bound is already 0."""
    settings: dict[str, Any] = {"epsilon": epsilon, **way, **COUNTS}
    bound = error_bound(candidates, probability=chance, **settings)
    if bound > 0:
        assert math.isclose(chance_of_error(candidates, error=bound, **settings), chance, rel_tol=1e-9)


@given(st.fractions(Fraction(1, 10**20), 10**20))
def test_rounding_outward_survives_printing(value: Fraction) -> None:
    """The float is not below the fraction, nor is the decimal it prints as; the second float below it would be."""
    result = outward(value)
    assert min(Fraction(result), Fraction(repr(result))) >= value
    lower = math.nextafter(math.nextafter(result, 0), 0)
    assert min(Fraction(lower), Fraction(repr(lower))) < value


def test_noises_are_the_mechanisms_they_equal() -> None:
    """Gumbel noise is the exponential mechanism, exponential noise is permute-and-flip, and Laplace is neither."""
    noisy = {
        noise: error_bound(9, rate=1, mechanism="noisy-max", noise=noise)
        for noise in ("gumbel", "exponential", "laplace")
    }
    assert noisy["gumbel"] == error_bound(9, rate=1)
    assert noisy["exponential"] == error_bound(9, rate=1, mechanism="permute-and-flip")
    assert noisy["exponential"] == error_bound(9, rate=1, mechanism="noisy-max")
    assert noisy["laplace"] > noisy["gumbel"] > noisy["exponential"]


def test_the_rate_is_epsilon_per_gap() -> None:
    """Monotone scores halve the error of general ones; a range of 3 triples it; the rate may be given instead."""
    bound = error_bound(50, rate=1, mechanism="permute-and-flip")
    assert error_bound(50, epsilon=1, **COUNTS) == bound == error_bound(50, epsilon=3, range=3)
    assert error_bound(50, epsilon=2, sensitivity=1) == bound
    assert error_bound(50, epsilon=2, sensitivity=1, neighbours="replace") == bound
    assert math.isclose(error_bound(50, epsilon=1, sensitivity=1), 2 * bound, rel_tol=1e-15)


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_families_known_by_name_are_those_of_scores(relation: Neighbours) -> None:
    """Each name planning knows moves as the family itself says, under either relation, and no name is missing."""
    assert set(FAMILY_NAMES) == {known.name for known in NAMED}
    for name in FAMILY_NAMES:
        assert named(name, relation) == family(name, relation)
        assert error_bound(9, epsilon=1, scores=name, neighbours=relation) == error_bound(
            9, epsilon=1, range=family(name, relation).gap
        )
    assert gap_of(scores="counts", neighbours=None) == gap_of(scores="counts") != gap_of(sensitivity=1)


def test_auto_is_what_select_takes() -> None:
    """Nothing said is auto: permute-and-flip for an epsilon, the exponential mechanism at a rate."""
    flip: dict[str, Any] = {"mechanism": "permute-and-flip"}
    spoken: list[dict[str, Any]] = [{}, {"mechanism": "auto"}]
    for said in spoken:
        assert Forecast.of(9, epsilon=1, scores="counts", **said) == Forecast.of(9, rate=1, **flip)
        assert Forecast.of(9, rate=1, **said) == Forecast.of(9, rate=1, **EXPONENTIAL)
        assert epsilon_for(9, error=5, scores="counts", **said) == epsilon_for(9, error=5, scores="counts", **flip)
        assert expected_error(9, **VOTING, **said) < expected_error(9, **VOTING, **EXPONENTIAL)
    chosen = discreet.select({"a": 3, "b": 1}, epsilon=1, scores="counts")
    assert chosen.error_bound() == error_bound(2, epsilon=1, scores="counts")


def test_within_moves_the_best() -> None:
    """Winners that lie within some distance of the best add that distance to bound and mean, and to no less."""
    near, exact = Forecast.of(10, rate=1, winners=3, within=2), Forecast.of(10, rate=1, winners=3)
    assert math.isclose(near.error_bound(), exact.error_bound() + 2, rel_tol=1e-15)
    assert math.isclose(near.expected_error(), exact.expected_error() + 2, rel_tol=1e-15)
    assert near.chance_of_error(2) == 1.0
    assert near.chance_of_error(5) == exact.chance_of_error(3)


def test_a_base_measure_is_a_crowd() -> None:
    """Mass h/d is h winners among d; the textbook form is e^(-rate t)/mass at twice the distance t of the mass."""
    over, of = Forecast.over("1/20", rate=1), Forecast.of(20, rate=1)
    assert (over.error_bound(), over.expected_error()) == (of.error_bound(), of.expected_error())
    classic = Forecast.over("0.01", within=7, rate=2, form="textbook")
    assert math.isclose(classic.chance_of_error(14), math.exp(-14) / 0.01, rel_tol=1e-14)
    assert math.isclose(classic.expected_error(), 7 + math.log(100) / 2, rel_tol=1e-15)


@pytest.mark.parametrize("way", WAYS)
def test_extremes_are_ordinary(way: dict[str, Any]) -> None:
    """One candidate never errs; epsilon of 1e-300 and 1e300, and 10^12 candidates, have certified answers."""
    one: dict[str, Any] = {"epsilon": 1, **COUNTS, **way}
    assert error_bound(1, **one) == expected_error(1, **one) == chance_of_error(1, error="1e-9", **one) == 0
    assert epsilon_for(1, error=1, **COUNTS, **way) == math.ulp(0.0)
    tiny, huge = ({"epsilon": price, **COUNTS, **way} for price in ("1e-300", "1e300"))
    assert 1e301 < error_bound(10**12, **tiny) < 1e302
    assert 1e-299 < error_bound(10**12, **huge) < 1e-298
    assert chance_of_error(10**12, error=1, **huge) == math.ulp(0.0)
    assert 0.2 < chance_of_error(2, error=1, **tiny) <= 1
    assert error_bound(10**12, epsilon="1e-310", **COUNTS, **way) == math.inf
    assert 0 < expected_error(10**12, **huge) < 1e-298


BAD: list[tuple[str, dict[str, Any]]] = [
    ("epsilon", {"epsilon": 0, **COUNTS}),
    ("epsilon", {"epsilon": -1, **COUNTS}),
    ("epsilon", {"epsilon": "many", **COUNTS}),
    ("epsilon", {"epsilon": math.nan, **COUNTS}),
    ("epsilon", {"epsilon": 1, "rate": 1, **COUNTS}),
    ("epsilon", dict(COUNTS)),
    ("rate", {"rate": 0}),
    ("rate", {"rate": 1, "sensitivity": 1}),
    ("sensitivity", {"epsilon": 1}),
    ("sensitivity", {"epsilon": 1, "sensitivity": 0}),
    ("mechanism", {"rate": 1, "mechanism": "best"}),
    ("noise", {"rate": 1, "mechanism": "noisy-max", "noise": "normal"}),
    ("noise", {"rate": 1, "noise": "laplace"}),
    ("mechanism", {"rate": 1, "mechanism": ["exponential"]}),
    ("noise", {"rate": 1, "mechanism": "noisy-max", "noise": ["laplace"]}),
    ("noise", {"epsilon": 1, "noise": "laplace", **COUNTS}),
    ("scores", {"epsilon": 1, "scores": "revenue"}),
    ("scores", {"epsilon": 1, "scores": ["counts"]}),
    ("sensitivity", {"epsilon": 1, "scores": "counts", "sensitivity": 1}),
    ("sensitivity", {"epsilon": 1, "scores": "counts", "sensitivity": 0}),
    ("range and monotonic", {"epsilon": 1, "scores": "counts", "range": 1, "monotonic": True}),
    ("neighbours", {"epsilon": 1, "scores": "counts", "neighbours": "swap"}),
    ("rate", {"rate": 1, "scores": "counts"}),
    ("rate", {"rate": 1, "monotonic": True}),
    ("winners", {"rate": 1, "winners": 10}),
    ("within", {"rate": 1, "within": -1}),
    ("form", {"rate": 1, "form": "wrong"}),
    ("probability", {"rate": 1, "probability": 0}),
    ("probability", {"rate": 1, "probability": 1}),
]


@pytest.mark.parametrize(("name", "settings"), BAD)
def test_bad_settings_are_named(name: str, settings: dict[str, Any]) -> None:
    """Each wrong setting is refused with its own name first."""
    with pytest.raises(SettingError, match=f"^{name}: wanted"):
        error_bound(9, **settings)


def test_bad_errors_are_named() -> None:
    """No candidates, an error below 0, and an error that no epsilon can promise are refused by name."""
    with pytest.raises(SettingError, match=r"^candidates: wanted"):
        error_bound(0, rate=1)
    with pytest.raises(SettingError, match=r"^error: wanted"):
        chance_of_error(9, error=-1, rate=1)
    for error, within in ((0, 0), (2, 2), ("1e-320", 0)):
        with pytest.raises(SettingError, match=r"^error: wanted"):
            epsilon_for(9, error=error, within=within, range="1e10")


UNKNOWN: dict[str, Callable[..., object]] = {
    "error_bound": error_bound,
    "expected_error": expected_error,
    "chance_of_error": lambda *given, **settings: chance_of_error(*given, error=1, **settings),
    "epsilon_for": lambda *given, **settings: epsilon_for(*given, error=1, **settings),
    "over": lambda _count, **settings: Forecast.over("0.1", **settings),
    "law": lambda count, **settings: private_law([count], **settings),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_words_are_answered_with_the_known(name: str) -> None:
    """A mistyped word is a TypeError that repeats it and lists the settings, as select does."""
    with pytest.raises(TypeError, match=r"^unexpected keyword 'sens'; the settings are .*sensitivity, range") as caught:
        UNKNOWN[name](9, sens=1)
    assert "_of()" not in str(caught.value)
