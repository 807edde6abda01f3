"""Every family with a small universe of people, for exhaustive tests, and a strategy of unruly ones, for the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Any, NoReturn

import numpy as np
from hypothesis import strategies as st

from discreet.scores import Agreement, Approvals, Conflicts, Distance, Errors, Family, Rank, Revenue, Totals, Votes
from discreet.sensitivity import Neighbours

RELATIONS: tuple[Neighbours, ...] = ("add-remove", "replace")


class Hostile:
    """A value whose every use fails."""

    def __hash__(self) -> NoReturn:
        raise RuntimeError

    def __eq__(self, other: object) -> NoReturn:
        raise RuntimeError

    def __len__(self) -> NoReturn:
        raise RuntimeError

    def __iter__(self) -> NoReturn:
        raise RuntimeError

    def __contains__(self, item: object) -> NoReturn:
        raise RuntimeError

    def __getitem__(self, item: object) -> NoReturn:
        raise RuntimeError


GARBAGE: tuple[Any, ...] = (
    None,
    float("nan"),
    Decimal("NaN"),
    Decimal("sNaN"),
    Decimal("1e999999999999999999"),
    np.float64("nan"),
    np.float32("inf"),
    float("-inf"),
    -1,
    10**400,
    1j,
    "nobody",
    b"\xff",
    "",
    [],
    {},
    {"a": [1]},
    [["a"]],
    [None, float("nan"), Hostile()],
    {"truth": 1},
    object(),
    Hostile(),
    Hostile,
    np.array([1.5, np.nan]),
    np.array(3),
    np.datetime64("NaT"),
)
"""What a table may hold where a vote, a ballot, a bid or a number was expected."""


@dataclass(frozen=True)
class Case:
    """A family, all kinds of people that matter to it, and how many of them show its step and gap."""

    family: Family
    universe: Sequence[Any]
    size: int


def total(people: Sequence[Any]) -> int:
    """A statistic to which one person adds -2 to 2, whatever else the data holds."""
    return sum(person for person in people if type(person) is int and -2 <= person <= 2)


def subsets(labels: str) -> list[set[str]]:
    """All sets of the labels."""
    return [set(chosen) for chosen in chain.from_iterable(combinations(labels, k) for k in range(len(labels) + 1))]


def rank(q: str, over: str = "1", under: str = "1", size: int = 3) -> Case:
    """A quantile with a few people, and a newcomer, on five points."""
    return Case(Rank(range(5), q, over, under), range(5), size)


CASES: dict[str, Case] = {
    "votes": Case(Votes(["a", "b"]), ["a", "b", None], 2),
    "approvals": Case(Approvals(["a", "b"]), [*subsets("ab"), None], 2),
    "approvals, one each": Case(Approvals(["a", "b", "c"], at_most=1), [*subsets("abc"), None], 2),
    "agreement": Case(Agreement(["a", "b"]), subsets("ab"), 2),
    "conflicts": Case(Conflicts(["a", "b"]), subsets("ab"), 2),
    "errors": Case(Errors({"x": 0, "y": lambda row: row[1]}, truth=2), list(product((0, 1), repeat=3)), 2),
    "revenue": Case(Revenue(["0.5", "1", "1.5"]), [0, 0.5, Fraction(1), 1.5, 9, None], 3),
    "revenue, far prices": Case(Revenue([3, 7]), [2, 3, 7], 3),
    "revenue, near prices": Case(Revenue([4, 5]), [3, 4, 5], 3),
    "revenue, one price": Case(Revenue([3]), [2, 3, 4], 2),
    "distance": Case(Distance(range(-4, 5), total, 2), [-2, 0, 2], 3),
    "distance, replace": Case(Distance(range(-4, 5), total, 4, neighbours="replace"), [-2, 0, 2], 3),
    "distance, fractions": Case(Distance(["-0.7", "0.5", "4"], lambda p: Fraction(total(p), 3), "2/3"), [-2, 2], 3),
    "distance, circle": Case(Distance(range(16), total, 2, wrap=True), [-2, 0, 2], 3),
    "totals": Case(Totals(["a", "b"], high=2), [{"a": 3}, {"b": 2}, {"a": 1, "b": 1}, None], 2),
    "totals, both ways": Case(Totals(["a", "b"], high=2, low=-3), [{"a": 3}, {"b": -9}, {"b": 2}, {"a": -3}, {}], 2),
    "totals, two each": Case(
        Totals(["a", "b", "c"], high=2, low=-1, at_most=2), [{"a": 9, "b": -1}, {"a": -1, "b": 2}, {"c": 1}, {}], 2
    ),
    "totals, from above": Case(Totals(["a", "b"], high=4, low=2), [{"a": 9}, {"b": 9}, {}], 2),
    "median": rank("1/2"),
    "lower quartile": rank("1/4", size=4),
    "upper quartile": rank("3/4", size=4),
    "third, steep below": rank("1/3", "1", "5/2"),
    "two thirds, steep above": rank("2/3", "3", "1/2"),
}

NUMBERS = st.one_of(
    st.integers(-3, 8),
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(-1, 5, width=32).map(np.float32),
    st.fractions(-1, 5, max_denominator=8),
    st.decimals(-1, 5, places=2),
    st.decimals(-1, 5, places=2).map(str),
    st.sampled_from([np.int8(3), np.uint64(2**63), np.longdouble(1) / 3, True]),
)
LABELS = st.sampled_from(["a", "b", "c", "d", None])
ROWS = st.tuples(*[st.integers(0, 1)] * 3)


def anybody(good: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Two good rows in three, and one of garbage."""
    return st.one_of(good, good, st.integers(0, len(GARBAGE) - 1).map(GARBAGE.__getitem__))


PEOPLE: dict[str, st.SearchStrategy[Any]] = {
    "counts": anybody(LABELS),
    "approvals": anybody(st.lists(LABELS, max_size=5)),
    "agreement": anybody(st.frozensets(LABELS)),
    "conflicts": anybody(st.frozensets(LABELS)),
    "errors": anybody(ROWS),
    "revenue": anybody(NUMBERS),
    "distance": anybody(st.integers(-2, 2)),
    "rank": anybody(NUMBERS),
    "totals": anybody(st.dictionaries(LABELS, NUMBERS, max_size=3)),
}
"""By the name of a family: people, well-behaved and not."""


def relations_of(family: Family) -> tuple[Neighbours, ...]:
    """The relations a family speaks about."""
    vouched = isinstance(family, Distance) and family.neighbours == "replace"
    return ("replace",) if vouched else RELATIONS


SPOKEN = [(label, relation) for label, case in CASES.items() for relation in relations_of(case.family)]
"""Every case under every relation it speaks about."""
