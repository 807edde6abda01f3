"""Questions to a small world of people, and how far one of them moves the scores, counted by the real SQL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from hypothesis import strategies as st

from discreet.domains.runs import levels_of
from discreet.engines.ask import Spread, Tally, is_sparse
from discreet.engines.duckdb import DuckDB
from discreet.questions import (
    Approval,
    BestHypothesis,
    BestPrice,
    BestSlot,
    LargestTotal,
    Median,
    Quantile,
    Ranking,
    TopK,
    Winner,
    question_from,
)
from discreet.questions.base import Question
from discreet.questions.settle import empty, score
from discreet.scores.base import Runs
from discreet.sensitivity import Neighbours, Sensitivity

Row: TypeAlias = Mapping[str, Any]
Person: TypeAlias = Sequence[Row]
"""The rows of one person."""

KEY = "c0ffee"
TRIPS = ("zoo", "lake", "sea")
SCHEMA: dict[str, Any] = {
    "who": pl.String,
    "home": pl.String,
    "trip": pl.String,
    "bid": pl.Float64,
    "paid": pl.Float64,
    "mon": pl.Boolean,
    "tue": pl.Boolean,
    "truth": pl.String,
    "model": pl.String,
    "age": pl.Int64,
}
HOMES = {"by": "home", "groups": ("north", "south")}


@dataclass(frozen=True)
class Case:
    """A question, the kinds of people that matter to it, and how many of them show its step and gap."""

    question: Question
    universe: Sequence[Person]
    size: int = 1


def trips(*names: str) -> Person:
    """A person who names some trips."""
    return [{"trip": name} for name in names]


NAMING = [trips("zoo"), trips("lake"), trips("sea", "lake"), trips("nobody")]
MARKING: list[Person] = [[{"mon": True}], [{"tue": True}], [{"mon": True, "tue": False}], [{"mon": None}]]
BIDDING: list[Person] = [*([{"bid": float(n)}] for n in range(5)), [{"bid": None}]]
PAYING: list[Person] = [
    [{"trip": "zoo", "paid": 9.0}],
    [{"trip": "lake", "paid": 9.0}],
    [{"trip": "zoo", "paid": 9.0}, {"trip": "lake", "paid": -9.0}],
    [{"trip": "lake", "paid": 2.0}, {"trip": "zoo", "paid": -1.5}],
    [{"trip": "sea", "paid": None}],
]
GUESSING: list[Person] = [
    [{"truth": "yes", "model": "yes", "age": 30}],
    [{"truth": "yes", "model": "no", "age": 50}],
    [{"truth": "no", "model": "no", "age": 30}],
]
CASES: dict[str, Case] = {
    "winner": Case(Winner("trip", TRIPS), NAMING),
    "winner, others count": Case(Winner("trip", TRIPS, at_most=2, other="sea"), NAMING),
    "top": Case(TopK("trip", 2, TRIPS, at_most=2), NAMING),
    "ranking": Case(Ranking("trip", TRIPS), NAMING),
    "approval, long": Case(Approval("trip", TRIPS), NAMING),
    "approval, wide": Case(Approval(columns=["mon", "tue"]), MARKING),
    "slot, busy": Case(BestSlot("trip", TRIPS), NAMING),
    "slot, free": Case(BestSlot(columns=["mon", "tue"], says="free"), MARKING),
    "median": Case(Median("bid", bounds=(0, 4)), BIDDING, 3),
    "upper quartile": Case(Quantile("bid", "3/4", bounds=(0, 4)), BIDDING, 4),
    "tercile, too high is worse": Case(Quantile("bid", "1/3", bounds=(0, 4), over=2), BIDDING, 3),
    "median, too low is worse": Case(Median("bid", bounds=(0, 4), under="2.5"), BIDDING, 3),
    "price": Case(BestPrice("bid", prices=(1, 3, 1)), BIDDING, 1),
    "price, two far apart": Case(BestPrice("bid", prices=(1, 4, 3)), BIDDING, 1),
    "total": Case(LargestTotal("trip", "paid", TRIPS, high=2), PAYING),
    "total, both ways": Case(LargestTotal("trip", "paid", TRIPS, high=2, low=-1, step="0.5", at_most=2), PAYING),
    "hypothesis": Case(BestHypothesis("truth", {"model": "model", "old": ("age", ">=", 40)}), GUESSING),
}

ROW = st.fixed_dictionaries(
    {
        "home": st.sampled_from(["north", "south", "east", None]),
        "trip": st.sampled_from([*TRIPS, "nobody", "", None]),
        "bid": st.sampled_from([None, float("nan"), float("inf"), -1e300, -1.0, 0.0, 0.999, 1.0, 2.0, 3.0, 4.0, 1e300]),
        "paid": st.sampled_from([None, float("nan"), float("-inf"), -7.0, -1.0, -0.5, 0.3, 1.0, 2.0, 1e300]),
        "mon": st.sampled_from([True, False, None]),
        "tue": st.sampled_from([True, False, None]),
        "truth": st.sampled_from(["yes", "no", None]),
        "model": st.sampled_from(["yes", "no", None]),
        "age": st.sampled_from([None, 10, 40, 2**62]),
    }
)


def of(name: str, *, grouped: bool) -> Question:
    """A case's question, for everybody or for each of two homes."""
    return question_from(CASES[name].question.to_dict() | (HOMES if grouped else {}))


def table(people: Mapping[str, Person]) -> DuckDB:
    """All rows of all people, as a frame."""
    rows = [{**dict.fromkeys(SCHEMA), **row, "who": who} for who, owned in people.items() for row in owned]
    return DuckDB(pl.DataFrame(rows, schema=SCHEMA, orient="row"))


def tally(question: Question, people: Mapping[str, Person], unit: str | None) -> Tally:
    """Count by the real SQL; a spread is written out, so that people can be added up."""
    return written_out(question, table(people).tally(question.ask(), unit, KEY))


def written_out(question: Question, counted: Tally) -> Tally:
    """Write a spread out."""
    if not is_sparse(question.ask()):
        return counted
    found = np.zeros((len(counted), len(question.candidates)), dtype=np.int64)
    for group, row in enumerate(counted):
        found[group, row.places] = row.people
    return found


def scored(question: Question, row: Any, neighbours: Neighbours) -> list[int]:
    """The score of every candidate."""
    counted: Any = Spread.of(dict(enumerate(row.tolist()))) if is_sparse(question.ask()) else row
    scores = score(question, counted, neighbours)
    if not isinstance(scores.values, Runs):
        return [int(value) for value in scores.values]
    levels = levels_of(scores.values)
    return [int(levels.stored(place)) for place in range(len(levels))]


def moved(question: Question, neighbours: Neighbours, before: Tally, after: Tally) -> tuple[Fraction, Fraction]:
    """How far scores moved, and differences of two: the sums over all groups, since all answers are one release."""
    step = gap = Fraction(0)
    for old, new in zip(before, after, strict=True):
        first, second = (scored(question, row, neighbours) for row in (old, new))
        moves = [b - a for a, b in zip(first, second, strict=True)]
        step, gap = step + max(map(abs, moves)), gap + max(moves) - min(moves)
    return step, gap


def promised(question: Question, neighbours: Neighbours) -> Sensitivity:
    """What the question says of it."""
    return score(question, empty(question), neighbours).sensitivity


def check(question: Question, facts: Sensitivity, before: Tally, after: Tally) -> None:
    """Raise AssertionError if scores moved further than promised."""
    step, gap = moved(question, facts.neighbours, before, after)
    if step > facts.step or gap > facts.gap:
        raise AssertionError(f"{question}: moved by ({step}, {gap}), further than {facts}")


def furthest(
    name: str, neighbours: Neighbours, unit: str | None, *, by_gap: bool
) -> tuple[list[Person], Person, Person]:
    """Search all small worlds for the one in which a person changes most: the others, the person before, and after.

    People move scores together only through the sum of their counts, so each is counted once, alone.
    """
    case, (kinds, alone) = CASES[name], _each_alone(name, unit)
    best: tuple[Fraction, tuple[int, ...], int, int] = (Fraction(-1), (), 0, 0)
    for size in range(case.size + 1):
        for others in combinations_with_replacement(range(1, len(kinds)), size):
            base = sum((alone[kind] for kind in others), 0 * alone[0])
            for old in range(len(kinds)) if neighbours == "replace" else (0,):
                for new in range(len(kinds)):
                    far = moved(case.question, neighbours, base + alone[old], base + alone[new])[by_gap]
                    best = max(best, (far, others, old, new), key=lambda found: found[0])
    _, others, old, new = best
    return [kinds[kind] for kind in others], kinds[old], kinds[new]


@cache
def _each_alone(name: str, unit: str | None) -> tuple[list[Person], list[Tally]]:
    nobody = list[Row]()
    kinds = [nobody, *(person[:1] if unit is None else person for person in CASES[name].universe)]
    return kinds, [tally(CASES[name].question, {"x": person}, unit) for person in kinds]


def at(home: str, person: Person) -> Person:
    """The person, with all rows in one home."""
    return [{**row, "home": home} for row in person]
