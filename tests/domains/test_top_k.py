"""Joint top-k: the law against plain enumeration, the range attained, and a one-shot view of peeling."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations, pairwise, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

from discreet.balls import Ball, at, ball, exponential, upper
from discreet.domains import top_k
from discreet.domains.top_k import JointTopK
from discreet.errors import DataError, GuardError, SettingError
from discreet.guarantees import Approx, Pure, Range, Zcdp
from discreet.readings import implies
from discreet.sampling import sequences
from discreet.sampling.coins import SystemCoins
from discreet.sampling.sequences import Block, JointLaw, Sequences
from discreet.sensitivity import Neighbours
from discreet.testing.domains import check_law, check_promise, worst_loss

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "laws.json").read_text(encoding="utf-8"))
CASES = [([3, 1, 1], 2), ([0, 0, 0], 3), ([4, 0, 2], 1), ([7, 3, 2, 2], 2), ([0, 9], 2), ([1, 2, 3], 3), ([5], 1)]
COINS = SystemCoins()


def split(weights: Callable[[], Sequence[Ball]], coins: Any) -> int:
    """Fork where ``among`` would draw bits: it is settled by tests of its own."""
    last = len(at(64, weights)) - 1
    for place in range(last):
        if coins.weigh(lambda: weights()[place] / sum(weights()[place:], ball(0))):  # noqa: B023
            return place
    return last


@pytest.fixture
def _large_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork by certified chances in place of bits, so that a tree is small."""
    monkeypatch.setattr(sequences, "among", split)
    monkeypatch.setattr(sequences, "flip", lambda coins, bias: coins.weigh(bias))


def missed(counts: list[int], places: tuple[int, ...]) -> int:
    """The largest count missed, from the definition."""
    return max(best - counts[place] for best, place in zip(sorted(counts, reverse=True), places, strict=False))


def oracle(counts: list[int], count: int, rate: Fraction) -> Mapping[Any, Ball]:
    """All sequences, weighed one by one."""
    weights = {s: ball(-rate * missed(counts, s)).exp() for s in permutations(range(len(counts)), count)}
    total = sum(weights.values(), ball(0))
    return {s: weight / total for s, weight in weights.items()}


@pytest.mark.usefixtures("_large_forks")
@pytest.mark.parametrize(("counts", "count"), CASES)
@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(1, 10**30), Fraction(3)])
def test_the_draw_has_the_law_of_all_sequences(counts: list[int], count: int, rate: Fraction) -> None:
    """Drawn row by row from blocks, a sequence has the chance that plain enumeration gives it."""
    law = JointTopK(range(len(counts)), count).score_counts(counts).law(rate)
    check_law(law, at(128, lambda: oracle(counts, count, rate)), leftover="1e-3")


honest = Sequences.room
PLANTED: list[tuple[object, str, Callable[..., Any]]] = [
    (Sequences, "distance", lambda _, sequence: max(sequence)),
    (sequences, "_share", lambda fall, amount: exponential(fall, amount) / 2),
    (JointLaw, "_weight", lambda self, block: exponential(self._fall, block.start)),
    (Sequences, "room", lambda self, distances: honest(self, distances) * [0, 1] + [1, 0]),
    (sequences, "_fill", lambda room, coins: [*range(len(room) - 1), len(room) - 1 + coins.below(room[-1])]),
]


@pytest.mark.usefixtures("_large_forks")
@pytest.mark.parametrize(("place", "name", "wrong"), PLANTED, ids=[name for _, name, _ in PLANTED])
def test_planted_wrong_parts_are_caught(
    place: object, name: str, wrong: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another distance, bit, block weight, number of open places or filling is another law, and is seen."""
    expected = at(128, lambda: oracle([7, 3, 2, 2], 2, Fraction(1, 3)))
    monkeypatch.setattr(place, name, wrong)
    law = JointTopK(range(4), 2).score_counts([7, 3, 2, 2]).law(Fraction(1, 3))
    with pytest.raises((AssertionError, GuardError)):
        check_law(law, expected, leftover="1e-3")


@pytest.mark.usefixtures("_large_forks")
def test_half_the_rate_is_another_law() -> None:
    """The tree of coins tells a rate from its half."""
    law = JointTopK(range(3), 2).score_counts([3, 1, 1]).law(Fraction(1, 6))
    with pytest.raises(AssertionError, match="another law"):
        check_law(law, at(128, lambda: oracle([3, 1, 1], 2, Fraction(1, 3))), leftover="1e-3")


@settings(max_examples=40)
@given(some.lists(some.integers(0, 60), min_size=1, max_size=6), some.integers(1, 6), some.integers(-3, 6))
def test_blocks_weigh_what_the_sequences_weigh(counts: list[int], count: int, power: int) -> None:
    """However the distances are cut: open sequences weighed over all distances are all sequences weighed once.

    Blocks halved down to single distances have no slack, and then the sums must agree exactly.
    """
    count, rate = min(count, len(counts)), Fraction(2) ** power / 7
    law = JointLaw(Sequences(np.array(counts), count), rate)

    def singles(block: Block) -> list[Block]:
        return [one for half in law._halves(block) for one in singles(half)] if block.power else [block]

    def compare() -> tuple[bool, bool]:
        loose = sum(map(law._weight, law._blocks), ball(0))
        tight = sum((law._weight(one) for block in law._blocks for one in singles(block)), ball(0))
        truth = sum((ball(-rate * missed(counts, s)).exp() for s in permutations(range(len(counts)), count)), ball(0))
        truth /= 1 - ball(-rate).exp()
        return bool(abs(tight / truth - 1) < 2.0**-200), bool(truth * 2.001 > loose)

    exact, half_stand = at(256, compare)
    assert exact
    assert half_stand


def test_rates_from_nothing_to_everything() -> None:
    """At a rate of next to nothing all sequences are alike; at a huge one the best is drawn."""
    best = JointTopK(list("abcde"), 2).score_counts([1, 40, 3, 20, 2])
    assert {best.law(Fraction(10**400)).draw(COINS) for _ in range(5)} == {("b", "d")}
    flat = at(128, lambda: best.law(Fraction(1, 10**400)).chances())
    assert all(abs(chance * 20 - 1) < 1e-9 for chance in flat.values())
    ties = at(128, lambda: JointTopK(range(4), 2).score_counts([5] * 4).law(Fraction(9)).chances())
    assert all(chance.overlaps(ball(Fraction(1, 12))) for chance in ties.values())


def test_shifts_and_exchanges_change_nothing_else() -> None:
    """More of every count is the same law, and candidates that change places take their chances along."""

    def law(counts: list[int]) -> Mapping[Any, Ball]:
        return at(128, JointTopK(range(3), 2).score_counts(counts).law(Fraction(1, 3)).chances)

    plain, shifted, turned = law([4, 1, 2]), law([2**61 + 4, 2**61 + 1, 2**61 + 2]), law([1, 2, 4])
    assert all(plain[s].overlaps(shifted[s]) for s in plain)
    assert all(plain[s].overlaps(turned[tuple((place - 1) % 3 for place in s)]) for s in plain)


def test_large_counts_and_many_candidates() -> None:
    """Counts at both ends of what is stored, and a large table, are drawn from without a warning."""
    ends = JointTopK(range(3), 2).score_counts(np.array([0, 2**64 - 1, 2**62], dtype=np.uint64))
    assert set(ends.law(Fraction(1)).draw(COINS)) == {1, 2}
    counts = (10**9 / np.arange(1, 20_001)).astype(np.int64)
    assert JointTopK(range(20_000), 100).score_counts(counts).law(Fraction(1)).draw(COINS) == tuple(range(100))


def every_change(kinds: int, most: int, neighbours: Neighbours) -> list[NDArray[np.int64]]:
    """All that one person of at most so many candidates can do to the counts."""
    people = [
        np.array([place in named for place in range(kinds)], dtype=np.int64)
        for size in range(most + 1)
        for named in combinations(range(kinds), size)
    ]
    return people if neighbours == "add-remove" else [one - other for one in people for other in people]


def widest(kinds: int, count: int, most: int, neighbours: Neighbours, largest: int) -> int:
    """The most that one person moves the difference of two scores, over all small counts."""
    order = np.array(list(permutations(range(kinds), count)))

    def scores(counts: NDArray[np.int64]) -> NDArray[np.int64]:
        best = -np.sort(-counts, axis=1)[:, None, :count]
        found: NDArray[np.int64] = -(best - counts[:, order]).max(axis=2)
        return found

    here, found = np.array(list(product(range(largest + 1), repeat=kinds))), 0
    for change in every_change(kinds, most, neighbours):
        kept = here[(here + change >= 0).all(axis=1)]
        found = max(found, int(np.ptp(scores(kept + change) - scores(kept), axis=1).max()))
    return found


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize(("kinds", "count"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 2)])
def test_the_gap_is_attained_and_never_passed(kinds: int, count: int, most: int, neighbours: Neighbours) -> None:
    """Over all small counts and all people, the gap is what is promised: no more, and no less where it can be."""
    promised = JointTopK(range(kinds), count, at_most=most).gap(neighbours)
    found = widest(kinds, count, most, neighbours, 4 if kinds == 4 else 5)
    # One candidate has one answer, and four units need room for two people's pairs: three candidates have none.
    short = {(1, 1): promised, (3, 2): promised - 3, (3, 3): promised - 3}.get((kinds, count), 0)
    assert promised - max(short, 0) <= found <= promised


def test_the_promise_holds_in_small_worlds_and_is_nearly_used_up() -> None:
    """Certified odds over all small worlds keep the bounded range, and reach all of it."""
    sets = list(chain.from_iterable(combinations("abc", size) for size in range(4)))
    rate = Fraction(1, 2)
    for domain, universe in (
        (JointTopK(["a", "b", "c"], 2), sets),
        (JointTopK(["a", "b"], 1), "ab"),
    ):
        check_promise(domain, universe, 3, rate, "add-remove", attained="0.4")
        check_promise(domain, universe, 2, rate, "replace", attained="0.3")
    spread = worst_loss(JointTopK(["a", "b", "c"], 2), sets, 3, rate, "add-remove")[1]
    assert abs(spread - 1) < Fraction(1, 10**9)


def test_a_wrong_range_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Called one-signed, with a gap of 1 for two of three, the promise breaks in a small world."""
    monkeypatch.setattr(JointTopK, "gap", lambda *_: 1)
    with pytest.raises(AssertionError, match=r"wider|better"):
        check_promise(JointTopK(["a", "b", "c"], 2, at_most=1), "abc", 4, Fraction(1), "add-remove")


@pytest.mark.parametrize("target", [Pure("0.7"), Range("0.7"), Zcdp("0.1"), Approx("0.5", "1e-6")])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_calibration_is_the_inverse_of_the_promise(target: Any, neighbours: Neighbours) -> None:
    """The rate gives the target, and a slightly larger one does not."""
    domain = JointTopK(range(5), 3)
    rate = domain.calibrate(target, neighbours)
    assert implies(domain.promise(rate, neighbours), target)
    assert not implies(domain.promise(rate * (1 + Fraction(1, 10**9)), neighbours), target)
    with pytest.raises(SettingError, match="spend"):
        domain.calibrate(Pure(0))


def test_people_are_read_by_public_rules() -> None:
    """Whoever names nobody, somebody unknown or what is no label drops; too many are cut in the public order."""
    odd: list[Any] = [
        None,
        float("nan"),
        {},
        [[]],
        ["c", "b", "a", "b"],
        {"b", "zz"},
        "ab",
        ("c",),
        "a",
        b"a",
        3,
        {"a": 1},
    ]
    read = JointTopK(["a", "b", "c"], 2, at_most=2).score(odd)
    assert read.counts.tolist() == [2, 2, 1]
    assert JointTopK(["a", "b", "c"], 1, at_most=1).score(odd).counts.tolist() == [2, 1, 1]
    assert JointTopK(["a"], 1).score([]).law(Fraction(1)).draw(COINS) == ("a",)
    assert JointTopK(range(2), 1).score_counts(np.array([-5, 7], dtype=np.int8)).counts.tolist() == [0, 7]


def test_nothing_private_is_shown() -> None:
    """No part of the way prints a count, and no error of reading repeats one."""
    read = JointTopK(range(3), 2).score_counts([817, 5, 3])
    law = read.law(Fraction(1))
    assert "817" not in f"{read!r}{law!r}{law.places!r}{law.places.sequences!r}{read.law}"
    wrong: list[tuple[Any, type[Exception]]] = [
        ([817, 5], SettingError),
        ([817.5, 1, 2], DataError),
        ([817**9, 1, 2], DataError),
    ]
    for bad, error in wrong:
        with pytest.raises(error) as caught:
            JointTopK(range(3), 2).score_counts(bad)
        assert "817" not in str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: JointTopK([], 1),
        lambda: JointTopK("abc", 1),
        lambda: JointTopK(["a", "a"], 1),
        lambda: JointTopK(["a"], 2),
        lambda: JointTopK(["a"], 1, at_most=0),
        lambda: JointTopK(range(50), 20).score_counts([0] * 50).law(Fraction(1)).chances(),
    ],
)
def test_bad_settings_are_refused(make: Callable[[], object]) -> None:
    """No candidates, one named twice, a text in place of a list, too long a sequence, too many to list."""
    with pytest.raises(SettingError):
        make()
    assert top_k.LARGEST == 2**62


@pytest.mark.parametrize("case", GOLDEN["gumbel_top_k"])
def test_one_noise_a_candidate_is_peeling(case: dict[str, Any]) -> None:
    """Gumbel noise drawn once and the two greatest taken has the law of two exponential rounds, Plackett and Luce's.

    With T = exp(-noisy score) the noisy scores fall as independent exponential times T of rates w rise. So "first a,
    then b" is: T_b = t, T_a < t, all others > t; integrated over t. Nothing is drawn twice or taken out here.
    """
    weights = np.exp([float(case["eta"]) * float(score) for score in case["scores"]])
    total = weights.sum()
    nodes, widths = np.polynomial.legendre.leggauss(200)
    x, lengths = 20 * (nodes + 1), 20 * widths  # beyond 40 nothing is left
    for first, second in permutations(range(len(weights)), 2):
        a, b = weights[first] / total, weights[second] / total
        once = float(
            (b * np.exp(-(1 - a) * x) * -np.expm1(-a * x) * lengths).sum()
        )  # x is t times the sum of all rates
        golden = float(case["ordered_outcome_probabilities"][f"{first},{second}"])
        swapped = float(case["ordered_outcome_probabilities"][f"{second},{first}"])
        tail = np.exp(-40 * (1 - a))
        assert abs(once - golden) < 1e-9 + tail
        assert abs(a * b / (1 - a) - golden) < 1e-15
        assert abs(golden - swapped) < 1e-9 or abs(once - swapped) > 1e-4


@pytest.mark.stats
def test_large_tables_fit_a_second_sampler() -> None:
    """Over many draws from a larger table, the largest count missed has the law that summing N(v) gives."""
    counts = sorted(np.random.default_rng(1).integers(0, 60, 300).tolist(), reverse=True)
    count, rate, draws = 12, Fraction(1, 2), 4000
    law = JointLaw(Sequences(np.array(counts), count), rate)
    upto = [0, *(math.prod(room) for room in law.sequences.room(range(61)).tolist())]
    exact = [ball(more - less) * ball(-rate * v).exp() for v, (less, more) in enumerate(pairwise(upto))]
    weights = np.array([float(upper(weight)) for weight in exact])
    seen = np.bincount([missed(counts, law.draw(COINS)) for _ in range(draws)], minlength=61)
    share = weights / weights.sum()
    large = share * draws > 10
    fit = ((seen - share * draws)[large] ** 2 / (share * draws)[large]).sum()
    assert fit < large.sum() + 7 * (2 * large.sum()) ** 0.5
