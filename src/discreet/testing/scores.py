"""A contract for score families: no neighbour moves a score beyond the step, nor a difference beyond the gap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

from discreet.scores.base import Family
from discreet.sensitivity import Neighbours


@dataclass(frozen=True, slots=True)
class Movement:
    """How far scores moved between two datasets: the largest single move, and the largest difference of moves.

    >>> max(Movement(Fraction(1), Fraction(1)).gap, Fraction(2))
    Fraction(2, 1)
    """

    step: Fraction
    gap: Fraction


def check_family(family: Family, people: Sequence[Any], neighbours: Neighbours, newcomers: Sequence[Any] = ()) -> None:
    """Raise AssertionError if a neighbour of ``people`` moves a score, or a difference, further than promised.

    >>> from discreet.scores.size import Votes
    >>> check_family(Votes(["flu", "cold"]), ["flu", "flu", None], "add-remove", newcomers=["cold"])

    All neighbours made with the people given and the ``newcomers`` are tried.
    """
    promise = family.sensitivity(neighbours)
    _agree(family, people, neighbours)
    for other in neighbouring(people, neighbours, newcomers):
        moved = movement(family, people, other, neighbours)
        if moved.step > promise.step:
            raise AssertionError(f"{family.name}: a score moved further than step={promise.step} ({neighbours})")
        if moved.gap > promise.gap:
            raise AssertionError(f"{family.name}: a difference moved further than gap={promise.gap} ({neighbours})")


def movement(family: Family, people: Sequence[Any], other: Sequence[Any], neighbours: Neighbours) -> Movement:
    """Return how far the stored scores moved from one dataset to the other.

    >>> from discreet.scores.size import Votes
    >>> movement(Votes(["flu", "cold"]), ["flu"], ["cold"], "replace")
    Movement(step=Fraction(1, 1), gap=Fraction(2, 1))
    """
    before, after = family.score(people, neighbours).values, family.score(other, neighbours).values
    moves = [_exact(new) - _exact(old) for old, new in zip(before, after, strict=True)]
    return Movement(max(map(abs, moves)), max(moves) - min(moves))


def neighbouring(people: Sequence[Any], neighbours: Neighbours, newcomers: Sequence[Any] = ()) -> Iterator[list[Any]]:
    """Yield neighbours of a dataset: one person less or one more, or one person changed into another.

    >>> list(neighbouring(["ann"], "add-remove", ["bob"]))
    [[], ['ann', 'ann'], ['ann', 'bob']]
    >>> list(neighbouring(["ann"], "replace", ["bob"]))
    [['ann'], ['bob']]
    """
    rows, arrivals = list(people), [*people, *newcomers]
    if neighbours == "add-remove":
        yield from ([*rows[:place], *rows[place + 1 :]] for place in range(len(rows)))
        yield from ([*rows, arrival] for arrival in arrivals)
    else:
        pairs = product(range(len(rows)), arrivals)
        yield from ([*rows[:place], arrival, *rows[place + 1 :]] for place, arrival in pairs)


def furthest(family: Family, universe: Sequence[Any], size: int, neighbours: Neighbours) -> Movement:
    """Return the largest movement over all datasets of up to ``size`` people from a small universe, in any order.

    >>> from discreet.scores.size import Votes
    >>> furthest(Votes(["flu", "cold"]), ["flu", "cold"], 2, "replace")
    Movement(step=Fraction(1, 1), gap=Fraction(2, 1))

    Where this equals the promise, the promise is tight.
    """
    step = gap = Fraction(0)
    for count in range(size + 1):
        for people in combinations_with_replacement(universe, count):
            for other in neighbouring(people, neighbours, universe):
                moved = movement(family, people, other, neighbours)
                step, gap = max(step, moved.step), max(gap, moved.gap)
    return Movement(step, gap)


def _agree(family: Family, people: Sequence[Any], neighbours: Neighbours) -> None:
    scores = family.score(people, neighbours)
    if scores.sensitivity != family.sensitivity(neighbours):
        raise AssertionError(f"{family.name}: the scores carry another sensitivity than the family states")
    if tuple(scores.candidates) != tuple(family.candidates):
        raise AssertionError(f"{family.name}: the scores carry other candidates than the family states")


def _exact(score: Any) -> Fraction:
    return Fraction(score) if isinstance(score, Fraction) else Fraction(int(score))
