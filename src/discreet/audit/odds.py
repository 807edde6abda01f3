"""Log ratios of two output laws, enclosed between fractions; exactly where a theorem gives the very number.

Intervals never show that a number equals its bound, and the worst pair often does. Two identities settle those ties.
Where both datasets have the same scores up to order, the exponential mechanism's normaliser is the same, and the log
ratio of candidate i is rate * v_i. Where all rivals of i move alike, by c, and i never stands above the best of them,
permute-and-flip's log ratio of i is rate * (v_i - c).
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Literal, TypeAlias

from discreet.balls import Ball, at, ball, lower, upper
from discreet.errors import SettingError
from discreet.exact import whole
from discreet.mechanisms import Exponential, NoisyMax, Peel, PermuteAndFlip, Unequal, Weighted
from discreet.sampling import laws
from discreet.sampling.column import Column

Known: TypeAlias = Exponential | PermuteAndFlip | NoisyMax | Peel | Weighted | Unequal
Points: TypeAlias = tuple[Fraction, ...]
Law: TypeAlias = dict[int | tuple[int, ...], Ball]
Shape: TypeAlias = Literal["exponential", "permute-and-flip", "laplace"]

BITS = 128
_LAWS = {
    "exponential": laws.exponential,
    "permute-and-flip": laws.permute_and_flip,
    "laplace": laws.laplace_noisy_max,
}


class Odds:
    """One mechanism's laws on small score vectors, each computed once.

    >>> low, high = Odds(Exponential(Fraction(1))).ratios((Fraction(0), Fraction(0)), (Fraction(1), Fraction(0)))[0]
    >>> round(float(low), 6), high - low < Fraction(1, 10**20)
    (0.379885, True)
    """

    def __init__(self, mechanism: Known) -> None:
        self.mechanism = mechanism
        self.shape: Shape = _shape(mechanism)
        self._known: dict[Points, Law] = {}

    def ratios(self, before: Points, after: Points) -> dict[int | tuple[int, ...], tuple[Fraction, Fraction]]:
        """Enclose ln(chance after / chance before) of every outcome that can happen."""
        start, end = self._law(before), self._law(after)
        return {
            outcome: self._exact(outcome, before, after) or _log_ratio(start[outcome], end[outcome])
            for outcome in start
        }

    def spread(self, before: Points, after: Points) -> tuple[Fraction, Fraction]:
        """Enclose how far the log ratio varies over the outcomes."""
        moves = [new - old for old, new in zip(before, after, strict=True)]
        if self.shape == "exponential" and not isinstance(self.mechanism, Peel):
            live = [move for place, move in enumerate(moves) if self._possible(place)]
            exact = self.mechanism.rate * (max(live) - min(live))
            return exact, exact
        lows, highs = zip(*self.ratios(before, after).values(), strict=True)
        return max(Fraction(0), max(lows) - min(highs)), max(highs) - min(lows)

    def _law(self, points: Points) -> Law:
        if points not in self._known:
            self._known[points] = _law_of(self.mechanism, points)
        return self._known[points]

    def _possible(self, place: int) -> bool:
        return not isinstance(self.mechanism, Weighted) or self.mechanism.prior[place] > 0

    def _exact(self, outcome: int | tuple[int, ...], before: Points, after: Points) -> tuple[Fraction, Fraction] | None:
        if isinstance(outcome, tuple):
            if len(outcome) != 1:
                return None
            (outcome,) = outcome
        move = after[outcome] - before[outcome]
        common = _common_move(self.mechanism, self.shape, outcome, before, after)
        if common is None:
            return None
        exact = _rate(self.mechanism) * (move - common)
        return exact, exact


def _common_move(mechanism: Known, shape: Shape, outcome: int, before: Points, after: Points) -> Fraction | None:
    if shape == "exponential":
        return Fraction(0) if not isinstance(mechanism, Weighted) and sorted(before) == sorted(after) else None
    rivals = [place for place in range(len(before)) if place != outcome]
    moves = {after[place] - before[place] for place in rivals}
    if shape == "laplace" or len(moves) != 1:
        return None
    below = all(points[outcome] <= max(points[place] for place in rivals) for points in (before, after))
    return moves.pop() if below else None


def _shape(mechanism: object) -> Shape:
    match mechanism:
        case NoisyMax(noise="laplace"):
            return "laplace"
        case NoisyMax(noise="exponential") | PermuteAndFlip() | Peel(round=PermuteAndFlip()):
            return "permute-and-flip"
        case Exponential() | NoisyMax() | Weighted() | Unequal() | Peel():
            return "exponential"
        case _:
            kinds = "a mechanism whose law is known: Exponential, PermuteAndFlip, NoisyMax, Peel, Weighted or Unequal"
            raise SettingError.of("mechanism", kinds, mechanism)


def _rate(mechanism: Known) -> Fraction:
    return mechanism.round.rate if isinstance(mechanism, Peel) else mechanism.rate


def _law_of(mechanism: Known, points: Points) -> Law:
    column = Column.of(points)
    if isinstance(mechanism, Weighted):
        return _weighted(mechanism, column)
    if isinstance(mechanism, Peel):
        return _peeled(mechanism, points)
    return dict(enumerate(laws.settled(_LAWS[_shape(mechanism)], column, mechanism.rate, BITS)))


def _weighted(mechanism: Weighted, column: Column) -> Law:
    def shares() -> list[Ball]:
        weights = mechanism.weights(column)
        total = sum(weights, ball(0))
        return [weight / total for weight in weights]

    found = at(2 * BITS, shares)
    return {place: share for place, share in enumerate(found) if mechanism.prior[place]}


def _peeled(mechanism: Peel, points: Points) -> Law:
    everyone = range(len(points))
    once: dict[frozenset[int], Law] = {}

    def chance(order: Sequence[int]) -> Ball:
        result, left = ball(1), list(everyone)
        for place in order:
            key = frozenset(left)
            if key not in once:
                law = _law_of(mechanism.round, tuple(points[other] for other in left))
                once[key] = {left[int(spot)]: share for spot, share in law.items() if not isinstance(spot, tuple)}
            result *= once[key][place]
            left.remove(place)
        return result

    return at(2 * BITS, lambda: {order: chance(order) for order in permutations(everyone, mechanism.count)})


def _log_ratio(before: Ball, after: Ball) -> tuple[Fraction, Fraction]:
    found = at(2 * BITS, lambda: (after / before).log())  # noqa: PLW0108 - the division, too, needs the precision
    return _certain(found, lower), _certain(found, upper)


def _certain(value: Ball, end: Callable[[Ball], Fraction]) -> Fraction:
    return at(BITS, lambda: end(value))


def fits(mechanism: Known, candidates: int) -> None:
    """Refuse a mechanism made for another number of candidates.

    >>> fits(Weighted(Fraction(1), (Fraction(1), Fraction(3))), 3)
    Traceback (most recent call last):
    discreet.errors.SettingError: prior: wanted 3 numbers, one a candidate, got 2
    """
    match mechanism:
        case Weighted(prior=given):
            _one_each("prior", given, candidates)
        case Unequal(steps=given):
            _one_each("steps", given, candidates)
        case Peel(count=count):
            whole(count, "count", most=candidates)
        case _:
            pass


def _one_each(name: str, given: Sequence[Fraction], candidates: int) -> None:
    if len(given) != candidates:
        raise SettingError.of(name, f"{candidates} numbers, one a candidate", len(given))


def transformed(mechanism: Known, points: Points) -> Points:
    """Return the scores the law rests on: the pairwise comparison's for unequal steps, else the scores themselves.

    >>> transformed(Exponential(Fraction(1)), (Fraction(1), Fraction(2)))
    (Fraction(1, 1), Fraction(2, 1))
    """
    if not isinstance(mechanism, Unequal):
        return points
    return tuple(-loss for loss in mechanism.compare([-point for point in points]))
