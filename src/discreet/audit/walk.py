"""Walk every pair of neighbours of a small world and keep the worst."""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any, get_args

from discreet.audit.odds import Known, Odds, Points, fits, transformed
from discreet.audit.report import Audit, Worst
from discreet.audit.worlds import Dataset, how_many, pairs
from discreet.errors import SettingError
from discreet.exact import whole
from discreet.guarantees import Guarantee, Pure, Range
from discreet.readings import as_pure
from discreet.sampling.column import Column
from discreet.scores.base import Family
from discreet.sensitivity import Neighbours, Sensitivity, one_of

Score = Callable[[tuple[Any, ...]], Sequence[Any]]


def audit(
    scores: Score | Family,
    universe: Iterable[Any],
    size: int,
    *,
    mechanism: Known,
    sensitivity: Sensitivity | None = None,
    promise: Guarantee | None = None,
    neighbours: Neighbours | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Audit:
    """Bound the privacy loss, certified, over all datasets of up to ``size`` people from a small universe.

    >>> from fractions import Fraction
    >>> from discreet.mechanisms import Exponential
    >>> def votes(people):
    ...     return [people.count("yes"), people.count("no")]
    >>> facts = Sensitivity.of(sensitivity=1, monotonic=True)
    >>> print(audit(votes, ["yes", "no"], 3, mechanism=Exponential(Fraction(1)), sensitivity=facts))
    Exponential(rate=1): 12 pairs of neighbours (add-remove) among 10 datasets
      promised  1-bounded range (so 1-differential privacy)
      found     the log of the odds varies by 1 at least and 1 at most: 100.0 % of the promise
      worst     {} against {yes}, outcome 1
      scores    one moved by 1 (stated 1), a difference of two by 1 (stated 1)
      verdict   holds on all of these pairs

    ``scores`` is a function of a tuple of people (their order may not matter), or a family from ``discreet.scores``.
    What holds here is proved for these datasets alone; what is refuted is refuted for good. ``progress(done, all)`` is
    called after every pair.
    """
    odds, kinds = Odds(mechanism), _kinds(universe)
    facts = _facts(scores, sensitivity, neighbours)
    relation = _relation(facts, neighbours)
    target = _auditable(promise, mechanism, facts)
    total = how_many(len(kinds), whole(size, "size"), relation)
    walk = _Walk(_World(scores, kinds, relation), odds, isinstance(target, Pure))
    for done, pair in enumerate(pairs(len(kinds), size, relation), start=1):
        walk.look(*pair)
        if progress is not None:
            progress(done, total)
    return walk.report(target, facts, total, comb(size + len(kinds), size))


class _World:
    def __init__(self, scores: Score | Family, universe: Sequence[Any], neighbours: Neighbours) -> None:
        self.scores = scores
        self.universe = universe
        self.neighbours: Neighbours = neighbours
        self._known: dict[Dataset, Points] = {}

    def people(self, dataset: Dataset) -> tuple[Any, ...]:
        return tuple(self.universe[kind] for kind in dataset)

    def points(self, dataset: Dataset) -> Points:
        if dataset not in self._known:
            self._known[dataset] = self._score(self.people(dataset))
        return self._known[dataset]

    def _score(self, people: tuple[Any, ...]) -> Points:
        given = self.scores(people) if callable(self.scores) else self.scores.score(people, self.neighbours).values
        column = _column(given)
        column.tops()
        return tuple(Fraction(column.stored(place)) * column.unit for place in range(len(column)))


@dataclass(slots=True)
class _Bound:
    """The largest of many numbers, each known to lie between two fractions."""

    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)

    def see(self, low: Fraction, high: Fraction) -> bool:
        worse = low > self.low
        self.low, self.high = max(self.low, low), max(self.high, high)
        return worse


class _Walk:
    def __init__(self, world: _World, odds: Odds, pure: bool) -> None:  # noqa: FBT001
        self.world = world
        self.odds = odds
        self.pure = pure
        self.loss, self.spread = _Bound(), _Bound()
        self.step = self.gap = Fraction(0)
        self.worst = Worst((), (), None)

    def look(self, one: Dataset, other: Dataset) -> None:
        before, after = self.world.points(one), self.world.points(other)
        self._measure(before, after)
        fits(self.odds.mechanism, len(before))
        before, after = (transformed(self.odds.mechanism, points) for points in (before, after))
        ratios = self.odds.ratios(before, after)
        sizes = {outcome: _size(*ends) for outcome, ends in ratios.items()}
        outcome = max(sizes, key=lambda key: sizes[key])
        low, high = max(low for low, _ in sizes.values()), max(high for _, high in sizes.values())
        worse = self.loss.see(low, high), self.spread.see(*self.odds.spread(before, after))
        if worse[0 if self.pure else 1] or self.worst.outcome is None:
            self.worst = Worst(self.world.people(one), self.world.people(other), outcome)

    def report(self, target: Pure | Range, facts: Sensitivity | None, total: int, datasets: int) -> Audit:
        return Audit(
            mechanism=_named(self.odds.mechanism),
            neighbours=self.world.neighbours,
            datasets=datasets,
            pairs=total,
            promise=target,
            stated=facts,
            low=self.loss.low,
            high=self.loss.high,
            spread_low=self.spread.low,
            spread_high=self.spread.high,
            step=self.step,
            gap=self.gap,
            worst=self.worst,
        )

    def _measure(self, before: Points, after: Points) -> None:
        if len(before) != len(after):
            wanted = f"the same number of scores for every dataset, here {len(before)}"
            raise SettingError.of("scores", wanted, len(after))
        moves = [new - old for old, new in zip(before, after, strict=True)]
        self.step = max(self.step, *map(abs, moves))
        self.gap = max(self.gap, max(moves) - min(moves))


def _kinds(universe: Iterable[Any]) -> list[Any]:
    try:
        # A set has another order in every process; sorted by what it prints, the worst pair found is always the same.
        kinds = sorted(universe, key=repr) if isinstance(universe, AbstractSet) else list(universe)
    except TypeError:
        raise SettingError.of("universe", "a list of the kinds of people there may be", universe) from None
    if not kinds:
        raise SettingError.of("universe", "at least one kind of person", kinds)
    return kinds


def _facts(scores: Score | Family, sensitivity: Any, neighbours: Any) -> Sensitivity | None:
    family = all(hasattr(scores, name) for name in ("candidates", "sensitivity", "score"))
    if not callable(scores) and not family:
        raise SettingError.of("scores", "a function of a tuple of people, or a family from discreet.scores", scores)
    if neighbours is not None:
        one_of(neighbours, "neighbours", get_args(Neighbours))
    if sensitivity is None:
        return None if callable(scores) else scores.sensitivity(neighbours or "add-remove")
    if not isinstance(sensitivity, Sensitivity):
        raise SettingError.of("sensitivity", "Sensitivity.of(...)", sensitivity)
    return sensitivity


def _column(given: Any) -> Column:
    try:
        column = Column.of(given)
    except TypeError:
        column = None
    if not column:
        raise SettingError.of("scores", "a list of one or more numbers for every dataset", given)
    return column


def _relation(facts: Sensitivity | None, neighbours: Neighbours | None) -> Neighbours:
    if facts is not None and neighbours not in {None, facts.neighbours}:
        raise SettingError.of("neighbours", f"{facts.neighbours!r}, as in the sensitivity", neighbours)
    return neighbours or (facts.neighbours if facts is not None else "add-remove")


def _auditable(promise: Guarantee | None, mechanism: Known, facts: Sensitivity | None) -> Pure | Range:
    if promise is None and facts is None:
        raise SettingError("sensitivity: wanted sensitivity= (then the mechanism promises) or promise=, got neither")
    stated = promise if promise is not None or facts is None else mechanism.promise(facts)
    target = stated if isinstance(stated, Range) or not isinstance(stated, Guarantee) else as_pure(stated)
    if not isinstance(target, Pure | Range) or target.epsilon == 0:
        came = str(stated) if isinstance(stated, Guarantee) else stated
        raise SettingError.of("promise", "a pure epsilon or a bounded range, above 0", came)
    return target


def _named(mechanism: Known) -> str:
    text = repr(mechanism)
    return text if "Fraction" not in text else _short(text)


def _short(text: str) -> str:
    """Write ``Fraction(1, 2)`` as ``1/2``."""
    head, *parts = text.split("Fraction(")
    for part in parts:
        inside, _, rest = part.partition(")")
        over, under = inside.split(", ")
        head += (over if under == "1" else f"{over}/{under}") + rest
    return head


def _size(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Enclose the absolute value of a number that lies between low and high."""
    return max(low, -high, Fraction(0)), max(high, -low)
