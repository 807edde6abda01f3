"""Which top-k to ask for: in one joint draw, or by peeling. From public numbers alone.

What is proved for any counts hardly tells them apart, since it cannot see where the counts fall. What decides is their
shape: a steep fall at rank k is for the joint draw, a flat tail for peeling. So say what is public about it: a least
fall at rank k (``gap``), or counts of a like table that is public or made up; the mechanisms are then run on those.
Never give the private counts: a choice that looks at them is one more release.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import perm, sqrt
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from discreet.domains.top_k import JointTopK
from discreet.errors import SettingError
from discreet.exact import Number, chance, plain, positive, whole
from discreet.guarantees import Approx, Guarantee, Pure
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.mechanisms.top_k import Peel
from discreet.sampling.coins import SystemCoins
from discreet.sampling.column import Column
from discreet.sensitivity import Neighbours, Sensitivity, one_of
from discreet.utility.bounds import EXPONENTIAL, Crowd, Curve, outward
from discreet.utility.flips import PERMUTE_AND_FLIP

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TopKWay:
    """One way to ask, and what can be said of its error: all public.

    >>> compare_top_k(100, 2, 1).ways[0].name
    'joint'
    """

    name: str
    rate: Fraction
    missed: float
    """The largest count missed at a rank, best minus named, exceeded with at most the probability asked for."""
    regret: float
    """The most that the sum of counts missed can be on average, whatever the counts."""
    wrong_set: float | None = None
    """The most likely another set than the true one can be, given the gap."""
    tried: tuple[float, float] | None = None
    """On the public counts: the mean of the sum of counts missed, and its standard error."""


@dataclass(frozen=True, slots=True)
class TopKComparison:
    """The ways side by side, the one to take, and why.

    >>> compare_top_k(1000, 20, 1, gap=500).best
    'joint'
    """

    guarantee: Guarantee
    ways: tuple[TopKWay, ...]
    best: str
    reason: str

    def __str__(self) -> str:
        heads = ["", "missed at most", "mean regret at most", "other set at most", "mean regret, tried"]
        lines = [
            heads,
            *([way.name, *map(_short, (way.missed, way.regret, way.wrong_set)), _tried(way)] for way in self.ways),
        ]
        widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
        kept = [column for column in range(len(heads)) if column == 0 or any(line[column] for line in lines[1:])]
        table = ["  ".join(line[column].ljust(widths[column]) for column in kept).rstrip() for line in lines]
        return "\n".join([f"{self.guarantee}", *table, f"take {self.best}: {self.reason}"])


def compare_top_k(
    candidates: int,
    count: int,
    epsilon: Number,
    *,
    delta: Number | None = None,
    neighbours: str = "add-remove",
    at_most: int | None = None,
    probability: Number = "0.05",
    gap: Number | None = None,
    public_counts: Sequence[int] | Ints | None = None,
    runs: int = 20,
) -> TopKComparison:
    """Compare the joint draw with peeling, for counts to which a person adds at most one each, at equal guarantees.

    ``gap`` is a public promise that the counts at ranks k and k + 1 are at least so far apart. ``public_counts`` are
    counts of a table that is public or made up; each way is then run on them ``runs`` times.

    >>> [(way.name, way.wrong_set < 1e-20) for way in compare_top_k(1000, 20, 1, gap=500).ways]
    [('joint', True), ('peel, exponential', False), ('peel, permute-and-flip', False)]
    """
    total = whole(candidates, "candidates")
    k = whole(count, "count", most=total)
    relation: Neighbours = one_of(neighbours, "neighbours", get_args(Neighbours))
    target: Guarantee = Pure(epsilon) if delta is None else Approx(epsilon, delta)
    likely, fall = chance(probability, "probability"), None if gap is None else positive(gap, "gap")
    joint = _joint(JointTopK(range(total), k, at_most), target, relation, likely, fall)
    moves = Sensitivity.of(sensitivity=1, monotonic=relation == "add-remove", neighbours=relation)
    peels = [Peel.calibrate(target, moves, k, kind) for kind in (Exponential, PermuteAndFlip)]
    curves = (("peel, exponential", EXPONENTIAL), ("peel, permute-and-flip", PERMUTE_AND_FLIP))
    ways: list[TopKWay] = [
        joint,
        *(_peel(named, peel, total, likely, fall) for named, peel in zip(curves, peels, strict=True)),
    ]
    if public_counts is not None:
        public = _public(public_counts, total)
        draws = [_joint_draw(JointTopK(range(total), k, at_most), joint.rate, public)]
        draws += [_peel_draw(peel, public) for peel in peels]
        times = whole(runs, "runs", 2)
        ways = [replace(way, tried=_try(draw, public, times)) for way, draw in zip(ways, draws, strict=True)]
    return TopKComparison(target, tuple(ways), *_verdict(ways))


def zipf_counts(candidates: int, exponent: Number, total: int) -> Ints:
    """Return made-up counts in falling order: rank i has its share of ``total`` in proportion to i**-exponent.

    >>> zipf_counts(4, 1, 100).tolist()
    [48, 24, 16, 12]
    """
    shares = np.arange(1, whole(candidates, "candidates") + 1) ** -float(positive(exponent, "exponent"))
    counts: Ints = (shares * (whole(total, "total") / shares.sum())).astype(np.int64)
    return counts


def _joint(
    domain: JointTopK, target: Guarantee, relation: Neighbours, likely: Fraction, fall: Fraction | None
) -> TopKWay:
    """All sequences are one crowd, one of them surely best; the sum missed is at most count times the largest."""
    rate = domain.calibrate(target, relation)
    crowd = Crowd.of(perm(len(domain.candidates), domain.count))
    missed, mean = EXPONENTIAL.reach(crowd, likely) / rate, EXPONENTIAL.mean(crowd) / rate
    wrong = None if fall is None else min(1.0, outward(EXPONENTIAL.chance(crowd, fall * rate)))
    return TopKWay("joint", rate, outward(missed), outward(mean * domain.count), wrong)


def _peel(named: tuple[str, Curve], peel: Peel, total: int, likely: Fraction, fall: Fraction | None) -> TopKWay:
    """Each round misses at most what it falls behind the best left, which is no less than the count at its rank.

    Rounds after the first have fewer losers, so the first bounds them all; chances and means add up over rounds.
    """
    (name, curve), rate, k = named, peel.round.rate, peel.count
    crowd = Crowd.of(total)
    missed, mean = curve.reach(crowd, likely / k) / rate, curve.mean(crowd) / rate
    wrong = None if fall is None else min(1.0, outward(k * curve.chance(crowd, fall * rate)))
    return TopKWay(name, rate, outward(missed), outward(mean * k), wrong)


def _public(counts: Sequence[int] | Ints, total: int) -> Ints:
    given = np.asarray(counts)
    if given.shape != (total,) or given.dtype.kind not in "iu" or bool((given < 0).any()):
        raise SettingError.of("public_counts", f"{total} whole numbers from 0, one a candidate", given.shape)
    return given.astype(np.int64)


def _joint_draw(domain: JointTopK, rate: Fraction, public: Ints) -> Callable[[], Sequence[Any]]:
    law = domain.score_counts(public).law(rate)
    return lambda: law.draw(SystemCoins())


def _peel_draw(peel: Peel, public: Ints) -> Callable[[], Sequence[Any]]:
    column = Column.of(public)
    return lambda: peel.draw(column, SystemCoins())


def _try(draw: Callable[[], Sequence[Any]], public: Ints, runs: int) -> tuple[float, float]:
    named = [list(draw()) for _ in range(runs)]
    best = int(np.sort(public)[-len(named[0]) :].sum())
    regrets = [best - int(public[places].sum()) for places in named]
    mean = sum(regrets) / runs
    return mean, sqrt(sum((regret - mean) ** 2 for regret in regrets) / (runs - 1) / runs)


def _verdict(ways: Sequence[TopKWay]) -> tuple[str, str]:
    if all(way.tried is not None for way in ways):
        best, *others = sorted(ways, key=lambda way: way.tried or (0.0, 0.0))
        (mean, error), (next_mean, next_error) = best.tried or (0.0, 0.0), others[0].tried or (0.0, 0.0)
        close = next_mean - mean <= 2 * sqrt(error**2 + next_error**2)
        note = f"; {others[0].name} is too close to tell apart" if close else ""
        return best.name, f"it missed least on the public counts, {_short(mean)} on average{note}"
    by_gap = [(way.wrong_set, way.name) for way in ways if way.wrong_set is not None and way.wrong_set < 1]
    if by_gap:
        return min(by_gap)[1], "with this gap its bound on the chance of another set is the least"
    best = min(ways, key=lambda way: way.missed)
    return best.name, "its bound for any counts is the least; the shape of the counts may say otherwise"


def _short(value: float | None) -> str:
    return "" if value is None else plain(Fraction(f"{value:.3g}"))


def _tried(way: TopKWay) -> str:
    return "" if way.tried is None else f"{_short(way.tried[0])} (+- {_short(way.tried[1])})"
