"""What of ours is timed, always through the door a caller uses."""

from fractions import Fraction
from typing import Any

import discreet
from benchmarks.cases import Case
from benchmarks.timing import Task
from discreet.mechanisms import Exponential
from discreet.sampling.coins import SystemCoins
from discreet.sampling.column import Column

MECHANISMS = ("exponential", "permute-and-flip")
DTYPES = ("int64", "float64")
FIVE = [12, 40, 37, 22, 35]


def passes(case: Case) -> dict[str, Task]:
    """Return the yardsticks: one pass of ``max()`` over each column."""
    return {"pass int64": case.ints.max, "pass float64": case.floats.max}


def selections(case: Case) -> dict[str, Task]:
    """Return one private selection for each mechanism and dtype, from the array to the answer."""
    columns: dict[str, Any] = {"int64": case.ints, "float64": case.floats}
    return {
        f"{mechanism} {dtype}": _select(columns[dtype], case.rate, mechanism)
        for mechanism in MECHANISMS
        for dtype in DTYPES
    }


def small() -> dict[str, Task]:
    """Return an index drawn from a column of five, and a whole ``select`` from a list of five."""
    mechanism, column, coins = Exponential(Fraction(1, 2)), Column.of(FIVE), SystemCoins()
    return {
        "draw": lambda: mechanism.draw(column, coins),
        "select": lambda: discreet.select(FIVE, epsilon=1, sensitivity=1, monotonic=True).index,
    }


def prepared(case: Case, draws: int) -> Task:
    """Return many draws from one prepared law; preparing it is not timed."""
    law = discreet.prepare(case.ints, epsilon=case.rate, sensitivity=1, monotonic=True)
    return lambda: law.draws(draws)


def top_and_one(case: Case, count: int, rate: Fraction) -> dict[str, Task]:
    """Return the best ``count`` of a column, and a single selection from it at the same rate."""
    return {"top": _top(case.ints, count, rate), "one": _select(case.ints, rate, "exponential")}


def _top(scores: Any, count: int, rate: Fraction) -> Task:
    whole, kind = rate * count, "exponential"
    return lambda: discreet.top_k(scores, count, epsilon=whole, sensitivity=1, monotonic=True, mechanism=kind).indices


def _select(scores: Any, rate: Fraction, mechanism: str) -> Task:
    return lambda: discreet.select(scores, epsilon=rate, sensitivity=1, monotonic=True, mechanism=mechanism).index
