"""The verbs: which mechanism, which rate, which promise; and the law of what comes out."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pandas as pd
import polars as pl
import pytest

from discreet import Approx, LaplacePair, Pure, Range, SettingError, Zcdp, law, select, top_k
from discreet.mechanisms import Exponential, NoisyMax, NoisyMaxWithGap, Peel, PermuteAndFlip, Unequal, Weighted
from discreet.readings import implies, largest
from discreet.scores import Distance, Revenue, Scores
from discreet.scores.base import one_each
from discreet.sensitivity import Sensitivity
from discreet.testing import ScriptedCoins, fits

ALARM = 1e-12
"""The chance that one sampled comparison here calls a right law wrong; there are under a hundred of them."""
DRAWS = 3000
TARGETS = [Pure(1), Pure("1/3"), Range(2), Zcdp("1/8"), Approx(1, "1e-6"), Approx("0.3", "1e-9")]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ({"epsilon": 1}, PermuteAndFlip),
        ({"guarantee": Pure(1)}, PermuteAndFlip),
        ({"rho": "1/8"}, Exponential),
        ({"guarantee": Zcdp("1/8")}, Exponential),
        ({"guarantee": Range(1)}, Exponential),
        ({"guarantee": Approx(1, "1e-6")}, Exponential),
        ({"epsilon": 1, "normaliser": "constant"}, Exponential),
    ],
)
def test_auto_chooses_by_the_promise(words: dict[str, Any], kind: type) -> None:
    """Permute-and-flip for a pure epsilon, the exponential mechanism for what composes or saves the factor 2."""
    verb: Any = select
    made = verb([1, 2], sensitivity=1, **words)
    assert type(made.mechanism) is kind
    assert implies(made.guarantee, words.get("guarantee", made.guarantee))


def test_a_constant_normaliser_doubles_the_rate() -> None:
    """Saying that the sum of weights is constant saves the factor 2, for one winner and not when peeled."""
    assert select([1, 2], epsilon=1, sensitivity=1).rate == Fraction(1, 2)
    assert select([1, 2], epsilon=1, sensitivity=1, normaliser="constant").rate == 1
    assert top_k([1, 2], 1, epsilon=1, sensitivity=1, normaliser="constant").rate == Fraction(1, 2)
    peeled = top_k([1, 2], 1, epsilon=1, sensitivity=1, normaliser="constant").mechanism
    assert isinstance(peeled, Peel)
    assert isinstance(peeled.round, PermuteAndFlip)


def test_a_constant_normaliser_that_saves_nothing_is_left_alone() -> None:
    """Where the gap is no larger than the step permute-and-flip stays; a line pays the factor, a circle does not."""
    made = select([1, 2], epsilon=1, sensitivity=1, range=1, normaliser="constant")
    assert isinstance(made.mechanism, PermuteAndFlip)
    line, circle = (Distance(range(4), len, 1, wrap=wrap).score([]) for wrap in (False, True))
    assert [select(line, epsilon=1).rate, select(circle, epsilon=1).rate] == [Fraction(1, 2), 1]
    assert isinstance(select(circle, epsilon=1).mechanism, Exponential)


WORDS: list[tuple[dict[str, Any], Any]] = [
    ({"mechanism": "exponential"}, Exponential(Fraction(1, 2))),
    ({"mechanism": "permute-and-flip"}, PermuteAndFlip(Fraction(1, 2))),
    ({"mechanism": "noisy-max"}, NoisyMax(Fraction(1, 2), "exponential")),
    ({"mechanism": "noisy-max", "noise": "exponential"}, NoisyMax(Fraction(1, 2), "exponential")),
    ({"mechanism": "noisy-max", "noise": "gumbel"}, NoisyMax(Fraction(1, 2), "gumbel")),
    ({"mechanism": "noisy-max", "noise": "laplace"}, NoisyMax(Fraction(1, 2), "laplace")),
    ({"gap": "0.5"}, NoisyMaxWithGap(Fraction(1, 2), "exponential", Fraction(1, 2))),
    ({"gap": 2, "mechanism": "exponential"}, NoisyMaxWithGap(Fraction(1, 2), "gumbel", Fraction(2))),
    ({"gap": 2, "mechanism": "permute-and-flip"}, NoisyMaxWithGap(Fraction(1, 2), "exponential", Fraction(2))),
    ({"gap": 2, "mechanism": "noisy-max", "noise": "gumbel"}, NoisyMaxWithGap(Fraction(1, 2), "gumbel", Fraction(2))),
    ({"prior": [1, 3]}, Weighted(Fraction(1, 2), (Fraction(1), Fraction(3)))),
]


@pytest.mark.parametrize(("words", "mechanism"), WORDS, ids=[" ".join(map(str, words.values())) for words, _ in WORDS])
def test_every_word_gives_its_mechanism(words: dict[str, Any], mechanism: Any) -> None:
    """The mechanism named is the one used, at the rate whose promise is the epsilon asked for and not one above it."""
    verb: Any = select
    made = verb([0, 1], epsilon=1, sensitivity=1, **words)
    assert made.mechanism == mechanism
    assert made.guarantee == mechanism.promise(Sensitivity.of(sensitivity=1))
    assert implies(made.guarantee, Pure(1))
    assert not implies(made.guarantee, Pure("0.999999"))


@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize("kind", ["auto", "exponential", "permute-and-flip", "noisy-max"])
def test_the_promise_gives_what_was_asked(target: Any, kind: str) -> None:
    """One winner's guarantee implies the target; the promise of twice the rate does not."""
    made = select([0, 1], guarantee=target, sensitivity=1, mechanism=kind)
    assert implies(made.guarantee, target)
    assert isinstance(made.mechanism, Exponential | PermuteAndFlip | NoisyMax)
    doubled = replace(made.mechanism, rate=2 * made.mechanism.rate)
    assert not implies(doubled.promise(Sensitivity.of(sensitivity=1)), target)


def test_what_one_person_can_do_sets_the_rate() -> None:
    """The rate is epsilon over the gap, however the gap was said."""
    cases: list[tuple[dict[str, Any], int]] = [
        ({"sensitivity": 3}, 6),
        ({"range": 3}, 3),
        ({"sensitivity": 3, "range": 4}, 4),
        ({"sensitivity": 3, "monotonic": True}, 3),
        ({"scores": "counts"}, 1),
        ({"scores": "counts", "neighbours": "replace"}, 2),
    ]
    for said, gap in cases:
        verb: Any = select
        assert verb([0, 1], epsilon=1, **said).rate == Fraction(1, gap)


def test_cached_plans_do_not_mix_numbers_and_flags() -> None:
    """Settings that are equal but not alike (1 and True) are read each on its own."""
    verb: Any = select
    assert verb([0, 1], epsilon=1, sensitivity=1).guarantee == LaplacePair(1)
    with pytest.raises(SettingError, match="epsilon"):
        verb([0, 1], epsilon=True, sensitivity=1)
    with pytest.raises(SettingError, match="monotonic"):
        verb([0, 1], epsilon=1, sensitivity=1, monotonic=1)


# The lead

TICKS = Scores(("a", "b"), [10**6, 0], one_each("add-remove"), Fraction(1, 4))


@pytest.mark.parametrize("grid", ["0.5", "0.3", 7, "1/1000"])
@pytest.mark.parametrize("mechanism", ["permute-and-flip", "exponential"])
def test_the_lead_is_in_points_on_the_grid(grid: Any, mechanism: str) -> None:
    """A million ticks of a quarter are 250 000 points, give or take noise below 1000 (but for chance exp(-3000))."""
    made = select(TICKS, epsilon=1, gap=grid, mechanism=mechanism)
    assert made.winner == "a"
    assert made.gap is not None
    assert made.gap % Fraction(grid) == 0
    assert abs(made.gap - 250_000) < 1000
    assert made.rate == 4


def test_the_lead_of_a_family_in_ticks() -> None:
    """Revenue at prices 0.5 and 2.25 moves in quarters; 4000 buyers at 2.25 lead by 7000 points."""
    scores = Revenue(["0.5", "2.25"]).score([3] * 4000)
    made = select(scores, epsilon=1, gap="0.1")
    assert made.winner == "2.25"
    assert made.gap is not None
    assert made.gap % Fraction(1, 10) == 0
    assert abs(made.gap - 7000) < 500  # noise of scale 2.25 points: off by chance below exp(-200)


def test_the_lead_of_the_least() -> None:
    """With ``maximize=False`` the lead is how far below the next it lies; without ``gap`` there is none."""
    made = select([0, 10**6], epsilon=1, sensitivity=1, gap=1, maximize=False)
    assert made.index == 0
    assert made.gap is not None
    assert abs(made.gap - 10**6) < 1000
    assert select([0, 1], epsilon=1, sensitivity=1).gap is None


# A number for each candidate

EACH = {"a": 1, "b": "0.5", "c": 3}
FORMS: list[Any] = [[1, "0.5", 3], (1, Fraction(1, 2), 3), EACH, pd.Series({"c": 3.0, "b": 0.5, "a": 1.0})]
FORMS += [pl.Series([1.0, 0.5, 3.0]), pl.Series([1.0, 0.5, 3.0]).to_numpy()]
KINDS = ["list", "tuple", "dict", "pandas", "Polars", "array"]


@pytest.mark.parametrize("each", FORMS, ids=KINDS)
def test_a_prior_for_each(each: Any) -> None:
    """The prior is read in any form, matched by label where it has labels, and costs nothing."""
    made = select({"a": 0, "b": 0, "c": 0}, epsilon=1, sensitivity=1, prior=each)
    assert made.mechanism == Weighted(Fraction(1, 2), (Fraction(1), Fraction(1, 2), Fraction(3)))
    assert made.guarantee == Range(1)
    found = law({"a": 0, "b": 0, "c": 0}, epsilon=1, sensitivity=1, prior=each)
    assert found.probabilities.tolist() == pytest.approx([2 / 9, 1 / 9, 6 / 9], rel=1e-15)


@pytest.mark.parametrize("each", FORMS, ids=KINDS)
def test_a_sensitivity_for_each(each: Any) -> None:
    """Sensitivities are read in any form and matched by label where they have labels."""
    made = select({"a": 0, "b": 0, "c": 0}, epsilon=1, sensitivity=each)
    assert isinstance(made.mechanism, Unequal)
    assert made.mechanism.steps == (Fraction(1), Fraction(1, 2), Fraction(3))
    assert made.guarantee == Range(1)


def test_a_steady_candidate_beats_a_shaky_one() -> None:
    """With equal scores the one that a person moves less wins 40 times in 41: more draws to the other are no chance."""
    for steps in (["0.001", "1000"], ["1000", "0.001"]):
        made = [select([0, 0], epsilon=1000, sensitivity=steps).index for _ in range(1000)]
        assert made.count(steps.index("0.001")) > 500


# Several winners


def test_k_may_be_said_by_name() -> None:
    """``top_k(scores, 2)`` and ``top_k(scores, k=2)`` are the same words."""
    values = {"a": 10**6, "b": 0, "c": 10**7}
    assert top_k(values, 2, epsilon=1, scores="counts").winners == ("c", "a")
    assert top_k(values, k=2, epsilon=1, scores="counts").winners == ("c", "a")
    assert top_k(values, k=2, epsilon=1, scores="counts", maximize=False).winners == ("b", "a")


@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("kind", ["auto", "exponential", "permute-and-flip"])
def test_rounds_together_give_the_target(target: Any, count: int, kind: str) -> None:
    """Peeling is never weaker than splitting the pure epsilon, keeps its target, and at twice the rate would not."""
    made = top_k(range(8), count, guarantee=target, sensitivity=1, mechanism=kind)
    assert isinstance(made.mechanism, Peel)
    assert len(set(made.indices)) == count == made.mechanism.count
    assert made.rate >= largest(Pure, target) / count / 2
    assert implies(made.guarantee, target)
    once = made.mechanism.round
    doubled = Peel(type(once)(2 * once.rate), count, made.mechanism.account)
    assert not implies(doubled.promise(Sensitivity.of(sensitivity=1)), target)


def test_many_rounds_are_added_up_as_zcdp_where_that_is_stronger() -> None:
    """Fifty rounds under an approximate target get a larger rate than a fiftieth of the epsilon."""
    made = top_k(range(60), 50, guarantee=Approx(1, "1e-6"), range=1)
    assert made.rate > Fraction(1, 50)
    assert isinstance(made.guarantee, Zcdp)


# The law


def tally(draw: Any, size: int, draws: int = DRAWS) -> list[int]:
    """Count how often each position comes."""
    seen = [0] * size
    for _ in range(draws):
        seen[draw()] += 1
    return seen


LAWS: dict[str, tuple[Sequence[Any], dict[str, Any]]] = {
    "auto": ([3, 2, 0], {}),
    "exponential": ([3.5, 2.25, 0.0], {"mechanism": "exponential"}),
    "permute-and-flip": ([3, Fraction(5, 3), 0], {"mechanism": "permute-and-flip"}),
    "gumbel": ([3, 2, 0], {"mechanism": "noisy-max", "noise": "gumbel"}),
    "laplace": ([3, 2, 0], {"mechanism": "noisy-max", "noise": "laplace"}),
    "exponential noise": ([3, 2, 0], {"mechanism": "noisy-max", "noise": "exponential"}),
    "gap": ([3, 2, 0], {"gap": 1}),
    "prior": ([3, 2, 0], {"prior": [1, 2, "0.5"]}),
    "least": ([0, 1, 3], {"maximize": False}),
    "never": ([3, 2, 0], {"infinite": "never"}),
    "constant": ([3, 2, 0], {"normaliser": "constant"}),
}


@pytest.mark.parametrize("name", LAWS)
def test_draws_have_the_law(name: str) -> None:
    """Many draws of ``select`` fit the exact law; the law of twice the epsilon is rejected."""
    values, words = LAWS[name]
    verb: Any = select
    seen = tally(lambda: verb(values, epsilon=1, sensitivity=1, **words).index, len(values))
    once, twice = (law(values, epsilon=spent, sensitivity=1, **words).probabilities.tolist() for spent in (1, 2))
    assert fits(seen, once, ALARM)
    assert not fits(seen, twice, ALARM)


def test_scores_in_ticks_have_the_law_of_their_points() -> None:
    """Ticks of 1/4 are the same scores in points; forgetting the tick is rejected."""
    ticked = Scores((0, 1, 2), [12, 8, 0], Sensitivity.of(range=4), Fraction(1, 4))
    seen = tally(lambda: select(ticked, epsilon=1).index, 3)
    assert fits(seen, law([3, 2, 0], epsilon=1, range=1).probabilities.tolist(), ALARM)
    assert not fits(seen, law([12, 8, 0], epsilon=1, range=1).probabilities.tolist(), ALARM)


@pytest.mark.parametrize("kind", ["exponential", "permute-and-flip"])
def test_winners_in_order_have_the_law_of_repeated_draws(kind: str) -> None:
    """The first two of three come as one from all and then one from the rest; the other order is rejected."""
    values, pairs = [3, 1, 0], [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]

    def chances(of: list[int]) -> list[float]:
        found = law([values[place] for place in of], epsilon=1, sensitivity=1, mechanism=kind).probabilities
        shares: list[float] = found.tolist()
        return shares

    def both(first: int, then: int) -> float:
        rest = [place for place in range(3) if place != first]
        return chances([0, 1, 2])[first] * chances(rest)[rest.index(then)]

    def draw() -> int:
        made = top_k(values, 2, epsilon=2, sensitivity=1, mechanism=kind)
        return pairs.index((made.indices[0], made.indices[1]))

    seen = tally(draw, 6)
    assert fits(seen, [both(first, then) for first, then in pairs], ALARM)
    assert not fits(seen, [both(then, first) for first, then in pairs], ALARM)


def test_unequal_sensitivities_have_the_law_of_the_compared_scores() -> None:
    """The draw is exponential in the compared losses at the planned rate; at twice that rate it is rejected."""
    values, steps = [4, 2, 0], ["1", "2", "0.5"]
    mechanism = select(values, epsilon=2, sensitivity=steps).mechanism
    assert isinstance(mechanism, Unequal)
    gains = [-loss for loss in mechanism.compare([Fraction(-value) for value in values])]
    seen = tally(lambda: select(values, epsilon=2, sensitivity=steps).index, 3)
    once, twice = (
        law(gains, epsilon=rate * mechanism.rate, range=1, mechanism="exponential").probabilities.tolist()
        for rate in (1, 2)
    )
    assert fits(seen, once, ALARM)
    assert not fits(seen, twice, ALARM)


def test_coins_given_are_the_coins_used() -> None:
    """A test's own coins decide the draw, in both verbs, and no other randomness is read."""

    class Heard(ScriptedCoins):
        __slots__ = ()

        def below(self, bound: int) -> int:
            raise LookupError(bound)

    with pytest.raises(LookupError):
        select([1, 1], epsilon=1, sensitivity=1, coins=Heard([]))
    with pytest.raises(LookupError):
        top_k([1, 1], 1, epsilon=1, sensitivity=1, coins=Heard([]))
