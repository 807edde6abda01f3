"""Batches of several ranges: brackets around golden values and enumeration, bounds of cells, and planted mistakes."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy.optimize import minimize

from discreet import balls
from discreet.accounting import blocks, bounded_range, cells, classes, compose, repeat
from discreet.accounting.adaptive import delta_bracket
from discreet.accounting.bends import bends
from discreet.accounting.bracket import Bracket
from discreet.accounting.products import Batch, Floats, deltas
from discreet.balls import Ball, ball
from discreet.guarantees import PureRange, Range
from tests.accounting.closed import PARTS, sure
from tests.accounting.plans import plan, rows

ROWS = rows("delta_heterogeneous", "batches", need="br_nonadaptive")
NEAR = 1 + Fraction(1, 7000)
"""Ends that met are this close: a part in 8192, and what lies between a member near the best and the best."""
HAIR = 1 + Fraction(1, 10**15)

Kinds = dict[Fraction, int]
KINDS = some.dictionaries(
    some.fractions(min_value=Fraction(1, 20), max_value=2, max_denominator=20),
    some.integers(1, 3),
    min_size=2,
    max_size=3,
)
SHARES = some.floats(min_value=0, max_value=1)


def ends(kinds: Any, e: Any) -> Bracket:
    """Return the bracket, which must be there."""
    found = classes.bracket(kinds, e)
    assert found is not None
    return found


def flat(kinds: Kinds) -> list[Fraction]:
    """List the ranges one by one."""
    return [b for b, k in kinds.items() for _ in range(k)]


def enumerated(ranges: list[float], shares: list[float], e: float) -> float:
    """Delta of pairs with t = share * range, over all outcomes one by one: max(0, P - e**e Q), nothing else."""
    ts = [share * b for share, b in zip(shares, ranges, strict=True)]
    here = [math.expm1(t - b) / math.expm1(-b) for t, b in zip(ts, ranges, strict=True)]
    there = [math.exp(-t) * q for t, q in zip(ts, here, strict=True)]
    found = []
    for lies in product((0, 1), repeat=len(ts)):
        p = math.prod(1 - q if lie else q for q, lie in zip(here, lies, strict=True))
        q = math.prod(1 - q if lie else q for q, lie in zip(there, lies, strict=True))
        found.append(max(0.0, p - math.exp(e) * q))
    return math.fsum(found)


def counted_out(kinds: Kinds, shares: Any, e: float) -> float:
    """The same for equal t in each class, over the numbers of lies."""
    total, ts = [], [float(s * b) for s, b in zip(shares, kinds, strict=True)]
    qs = [math.expm1(t - b) / math.expm1(-b) for t, b in zip(ts, map(float, kinds), strict=True)]
    for lies in product(*(range(k + 1) for k in kinds.values())):
        chance, loss = 1.0, -e
        for i, k, b, t, q in zip(lies, kinds.values(), kinds, ts, qs, strict=True):
            chance *= math.comb(k, i) * q ** (k - i) * (1 - q) ** i
            loss += k * t - i * float(b)
        total.append(chance * -math.expm1(min(0.0, -loss)))
    return math.fsum(total)


def holds(found: Fraction, true: Any) -> bool:
    """Say whether a bound is not below the truth, but for the digits the truth was computed with."""
    return found * HAIR >= Fraction(true)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_golden_batches(row: dict[str, Any]) -> None:
    """The ends enclose the golden value, computed at 50 digits over all outcomes with a t for each, and nearly meet."""
    golden, found = Fraction(row["br_nonadaptive"]), ends(plan(row), row["eg"])
    assert found.lower / HAIR <= golden
    assert holds(found.upper, golden)
    assert found.upper <= found.lower * NEAR
    assert found.upper == bounded_range.delta(plan(row), row["eg"]) == classes.delta(plan(row)[::-1], row["eg"])


def test_planted_shortcuts_are_below_the_truth() -> None:
    """One share of the range for all classes, and corners of the box only, fail the check that the search passes."""
    wrong: list[Any] = [
        lambda r: [[s / 200] * r for s in range(201)],
        lambda r: product((0.0, 0.5, 1.0), repeat=r),
    ]
    for shortcut in wrong:
        caught = 0
        for row in ROWS:
            kinds = {b: plan(row).count(b) for b in plan(row)}
            found = max(counted_out(kinds, shares, float(row["eg"])) for shares in shortcut(len(kinds)))
            caught += not holds(Fraction(found), row["br_nonadaptive"])
        assert caught >= 5


@settings(max_examples=30, deadline=None)
@given(KINDS, some.data(), PARTS)
def test_no_batch_does_worse(kinds: Kinds, data: Any, part: Fraction) -> None:
    """No responses of these ranges, each with its own t, have a delta above the upper end."""
    ranges = [float(b) for b in flat(kinds)]
    shares = data.draw(some.lists(SHARES, min_size=len(ranges), max_size=len(ranges)))
    e = part * sum(b * k for b, k in kinds.items())
    assert enumerated(ranges, shares, float(e)) <= float(sure(classes.delta(kinds, e))) * (1 + 1e-9) + 1e-15


@pytest.mark.parametrize(
    ("kinds", "e"),
    [
        ({"0.5": 3, "1.2": 2}, "0.8"),
        ({"0.1": 20, "0.23": 15}, "1.4"),
        ({"0.1": 20, "0.23": 15}, "0.1"),
        ({"2": 9, "0.3": 30}, "12"),
        ({"0.3": 5, "0.7": 4, "1": 3}, "3.5"),
    ],
    ids=str,
)
def test_a_search_of_another_kind_ends_between_the_ends(kinds: dict[str, int], e: str) -> None:
    """Simplex searches from many starts find a best member that is at most the upper end and hardly below the lower."""
    exact = {Fraction(b): k for b, k in kinds.items()}
    starts = product((0.3, 0.6, 0.9), repeat=len(exact))

    def height(shares: Floats) -> float:
        return -counted_out(exact, np.clip(shares, 0, 1), float(e))

    best = -min(minimize(height, start, method="Nelder-Mead", options={"xatol": 1e-7}).fun for start in starts)
    found = ends(kinds, e)
    assert float(found.lower) * (1 - 1e-3) <= best <= float(found.upper) * (1 + 1e-9)
    assert found.upper <= found.lower * NEAR


@pytest.mark.parametrize("e", ["0", "0.4", "1.7", "3.3"])
def test_one_class_is_the_exact_optimum(e: str) -> None:
    """Of one range the ends enclose what ``bounded_range`` says; and a class cut in two hairs' breadth nearly so."""
    exact = sure(bounded_range.delta({"0.3": 12}, e))
    alone, halved = ends({"0.3": 12}, e), ends({"0.3": 6, "0.300000000001": 6}, e)
    assert alone.lower <= exact <= alone.upper <= exact * NEAR
    assert exact <= halved.upper <= exact * NEAR


@settings(max_examples=25, deadline=None)
@given(KINDS, some.lists(SHARES, min_size=3, max_size=3), PARTS)
def test_rounding_stays_on_its_side(kinds: Kinds, shares: list[float], part: Fraction) -> None:
    """A member's delta in balls lies between its two roundings in floats, which agree to nine digits."""
    e = part * sum(b * k for b, k in kinds.items())
    batch = Batch.of(kinds, float(e))
    batch = batch._replace(e=float(e))
    point = np.array([shares[: len(kinds)]]).T * 0.98 + 0.01
    rise, fall = point * batch.b, (1 - point) * batch.b
    high, low = (deltas(batch, rise, fall, side).item() for side in (1, -1))
    true = balls.at(200, lambda: in_balls(batch, rise[:, 0].tolist(), fall[:, 0].tolist()))
    assert Fraction(low) <= balls.upper(true)
    assert balls.lower(true) <= Fraction(high)
    assert high - low <= 1e-6 * high + 1e-200


def in_balls(batch: Batch, rise: list[float], fall: list[float]) -> Ball:
    """Delta of a product of pairs with these losses, over the numbers of lies, in ball arithmetic."""
    rises, falls = ([ball(Fraction(x)) for x in losses] for losses in (rise, fall))
    truths = [(-f).expm1() / (-r - f).expm1() for r, f in zip(rises, falls, strict=True)]
    total = ball(0)
    for lies in product(*(range(k + 1) for k in batch.k)):
        chance, loss = ball(1), -ball(Fraction(batch.e))
        for i, k, r, f, q in zip(lies, batch.k, rises, falls, truths, strict=True):
            chance *= math.comb(k, i) * q ** (k - i) * (1 - q) ** i
            loss += (k - i) * r - i * f
        total += chance * -(-loss).expm1() if loss > 0 else ball(0)
    return total


BATCHES = [
    Batch.of({Fraction(1): 3, Fraction(1, 2): 4}, 1.1),
    Batch.of({Fraction(1, 10): 30, Fraction(7, 30): 20}, 2.0),
    Batch.of({Fraction(1, 4): 2, Fraction(2): 2, Fraction(1): 1}, 2.3),
    Batch.of({Fraction(1, 10): 40}, 0.5),
]


def inside(batch: Batch, lo: Floats, hi: Floats) -> float:
    """The largest delta at many points of a cell, its corners left out."""
    line = np.linspace(0.1, 0.9, 9)
    parts = np.array(list(product(line, repeat=len(lo)))).T
    points = lo + parts * (hi - lo)
    return float(deltas(batch, points * batch.b, (1 - points) * batch.b, -1).max())


def random_cells(batch: Batch, count: int = 60) -> list[tuple[Floats, Floats]]:
    """Cells of all sizes, in all places: by a fixed sequence that fills the cube, without a generator."""
    found = []
    for n in range(1, count):
        steps = np.array([[math.sqrt(p)] for p in (2, 3, 5)])[: len(batch.k)]
        width = 2.0 ** -(n % 9)
        lo = (n * steps % 1) * (1 - width)
        found.append((lo, lo + width))
    return found


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: str(batch.k))
def test_a_cell_is_bounded_by_its_widest_pair(batch: Batch) -> None:
    """No point of a cell is above its wide bound; with the losses widened half as much some are."""
    caught = 0
    for lo, hi in random_cells(batch):
        true = inside(batch, lo, hi)
        bound, half = (
            deltas(batch, (hi - cut) * batch.b, (1 - lo - cut) * batch.b).item() for cut in (0.0, (hi - lo) / 2)
        )
        assert true <= bound
        caught += true > half * (1 + 1e-9)
    assert caught


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: str(batch.k))
def test_a_cell_is_bounded_by_its_corners_and_bends(batch: Batch) -> None:
    """No point of a cell is above its largest corner and the bends; without them (one class: with a fifth) some are."""
    caught = {0.0 if len(batch.k) > 1 else 0.2: 0}
    for lo, hi in [*random_cells(batch), *peaks(batch)]:
        true, corner, rise = inside(batch, lo, hi), cells._corners(batch, lo, hi)[0].item(), bends(batch, lo, hi).sum()
        assert true <= corner + rise
        for share in caught:
            caught[share] += true > (corner + share * rise) * (1 + 1e-7)
    assert all(caught.values())


def peaks(batch: Batch) -> list[tuple[Floats, Floats]]:
    """Cells around the best member, where delta bends most."""
    best = classes._climbed(batch).shares[:, None]
    half = min(0.4 / max(batch.k), float(best.min()), float(1 - best.max()))
    return [(best - half / n, best + half / n) for n in range(1, 40)]


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: str(batch.k))
def test_the_bend_itself(batch: Batch) -> None:
    """Second differences of delta at a fixed event are not below minus A: the inequality that the bends rest on."""
    for lo, _ in random_cells(batch, 30):
        point, step = lo * 0.9 + 0.05, 1e-4
        for j in range(len(batch.k)):
            move = np.zeros_like(point)
            move[j] = step
            least = bends(batch, point - move, point + move)[j].item() * 8 / (2 * step) ** 2  # A, in shares
            three = np.concatenate([point - move, point, point + move], axis=1)
            before, here, after = deltas(batch, three * batch.b, (1 - three) * batch.b)
            assert (before - 2 * here + after) / step**2 >= -least * (1 + 1e-6) - 1e-6 * here / step


def test_work_cut_short_is_still_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """With less work, or from a poor start, the ends only move apart."""
    row = next(row for row in ROWS if len(row["eps_in_order_of_execution"]) == 4)
    full, golden = ends(plan(row), row["eg"]), row["br_nonadaptive"]
    for work in (1.0, 1e5, 1e6):
        monkeypatch.setattr(cells, "WORK", work)
        found = ends(plan(row), row["eg"])
        assert found.lower <= Fraction(golden)
        assert holds(found.upper, golden)
        assert found.upper >= full.upper / NEAR
    monkeypatch.undo()
    monkeypatch.setattr(classes, "_climbed", lambda batch: cells.best_of(batch, np.full((len(batch.k), 1), 0.99)))
    found = ends(plan(row), row["eg"])
    assert found.lower <= Fraction(golden) <= found.upper * HAIR
    assert found.upper <= found.lower * NEAR


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_batch_needs_no_more_than_a_plan(row: dict[str, Any]) -> None:
    """Batch, adaptive optimum, blocks: each at most the next, on both sides of what separates batch and plan."""
    batch, adaptive = ends(plan(row), row["eg"]), delta_bracket(plan(row), row["eg"])
    assert batch.lower <= adaptive.upper
    assert batch.upper <= adaptive.upper * NEAR
    assert adaptive.lower <= blocks.block_delta(plan(row), row["eg"], points=64) * NEAR


@settings(max_examples=6, deadline=None)
@given(KINDS, PARTS, PARTS)
def test_delta_grows_with_what_is_spent(kinds: Kinds, one: Fraction, other: Fraction) -> None:
    """More mechanisms or larger ranges never need less, a larger epsilon to reach never more; order does not matter."""
    low, high = sorted(part * sum(b * k for b, k in kinds.items()) for part in (one, other))
    first = next(iter(kinds))
    here = sure(classes.delta(kinds, low))
    assert sure(classes.delta(kinds, high)) <= here * NEAR
    assert here <= sure(classes.delta([*flat(kinds), first], low)) * NEAR
    assert here <= sure(classes.delta({b * Fraction(5, 4): k for b, k in kinds.items()}, low)) * NEAR
    assert here == classes.delta(flat(kinds)[::-1], low)


@pytest.mark.parametrize("delta", ["0.05", "1e-6", "1e-25", "1e-100"])
@pytest.mark.parametrize("kinds", [{"0.1": 20, "0.25": 20}, {"1": 4, "2.5": 3}, {"0.5": 3, "1": 3, "0.7": 2}], ids=str)
def test_epsilon_is_certified_and_near_the_least(kinds: dict[str, int], delta: str) -> None:
    """Delta at the epsilon found is within the one asked for; at a thousandth less even a member's is above it."""
    found = sure(classes.epsilon(kinds, delta))
    assert ends(kinds, found).upper <= Fraction(delta)
    assert ends(kinds, found * Fraction(999, 1000)).lower > Fraction(delta)
    assert sure(classes.epsilon(kinds, Fraction(delta) / 2)) >= found


def test_extremes_stay_on_the_private_side() -> None:
    """Tiny ranges count as small ones, huge ranges and vanishing deltas still give a bound that holds."""
    two = sure(bounded_range.delta({1: 2}, "0.4"))
    tiny = ends({"1e-90": 3, 1: 2}, "0.4")
    assert tiny.lower == 0
    assert two <= tiny.upper <= two * NEAR
    assert sure(classes.epsilon({"1e-90": 3, "1e-80": 2}, "1e-6")) == Fraction("1e-90") * 3 + Fraction("1e-80") * 2
    huge = ends({999: 2, 500: 1}, 2000)
    assert 0 < huge.lower <= huge.upper <= 1
    assert counted_out({Fraction(999): 2, Fraction(500): 1}, [0.99, 0.99], 2000) <= huge.upper
    for delta in ("1e-240", "1e-300", "1e-1000"):
        found = sure(classes.epsilon({1: 3, 2: 2}, delta))
        assert 6 < found <= 7
    assert classes.delta({1: 3, 2: 2}, 7) == classes.delta([], 0) == classes.epsilon([], "0.1") == 0


@pytest.mark.parametrize(
    "kinds", [dict.fromkeys(range(1, 8), 1), dict.fromkeys((1, 2, 3), 90), {1: 1999, 2: 2}, {1001: 1, 1: 1}], ids=str
)
def test_what_is_not_searched_has_no_answer(kinds: dict[int, int]) -> None:
    """Too many classes, too many outcomes, and ranges too large give None, and epsilon at the sum is still free."""
    assert classes.delta(kinds, 1) is classes.epsilon(kinds, "0.1") is None
    assert classes.delta(kinds, sum(b * k for b, k in kinds.items())) == 0


def test_composition_takes_it_and_asks_the_others() -> None:
    """A batch of two ranges gets it, unasked; an end of a bracket does not silence other rules, as one range's does."""
    for items in (
        [repeat(Range("0.1"), 20), repeat(Range("0.2"), 20)],
        [repeat(PureRange("0.1", "0.15"), 9), repeat(Range("0.1"), 20)],
    ):
        found = compose(items, delta="1e-6", plan="batch")
        assert found.rule == "batch optimum"
        assert len(found.bounds) > 1
        assert found.epsilon <= compose(items, delta="1e-6", plan="fixed").epsilon
        assert compose(items, epsilon=found.epsilon, plan="batch", rule=found.rule).delta <= Fraction("1e-6")
    assert len(compose([repeat(Range("0.1"), 40)], delta="1e-6", plan="batch").bounds) == 1


def test_a_slow_search_is_made_only_when_asked_for() -> None:
    """Batches whose search takes seconds leave it to whoever names the rule."""
    many = [repeat(Range(b), 12) for b in ("0.1", "0.2", "0.3")]
    assert "batch optimum" not in {bound.rule for bound in compose(many, epsilon=2, plan="batch").bounds}
    named = compose(many, epsilon=2, plan="batch", rule="batch optimum")
    assert named.delta <= compose(many, epsilon=2, plan="batch").delta
