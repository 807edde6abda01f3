"""Small worlds: all datasets of a few people, and all pairs of neighbours among them.

A dataset is a multiset of people, written as the sorted positions of its people in the universe.
"""

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import TypeAlias

from discreet.errors import SettingError
from discreet.sensitivity import Neighbours

MOST = 10**6
"""Pairs of neighbours an audit will walk."""

Dataset: TypeAlias = tuple[int, ...]


def pairs(kinds: int, size: int, neighbours: Neighbours) -> Iterator[tuple[Dataset, Dataset]]:
    """Yield every pair of neighbours of up to ``size`` people of so many kinds, once.

    >>> list(pairs(2, 1, "add-remove"))
    [((), (0,)), ((), (1,))]
    >>> list(pairs(2, 1, "replace"))
    [((0,), (1,))]
    """
    for count in range(size):
        for people in combinations_with_replacement(range(kinds), count):
            if neighbours == "add-remove":
                yield from ((people, _with(people, one)) for one in range(kinds))
            else:
                yield from ((_with(people, one), _with(people, other)) for one, other in combinations(range(kinds), 2))


def how_many(kinds: int, size: int, neighbours: Neighbours) -> int:
    """Count the pairs without walking them; more than a million are refused.

    >>> how_many(2, 3, "add-remove"), how_many(2, 3, "replace")
    (12, 6)
    """
    bases = comb(size + kinds - 1, kinds)  # multisets of fewer than ``size`` people
    count = bases * (kinds if neighbours == "add-remove" else comb(kinds, 2))
    if not 0 < count <= MOST:
        wanted = f"a world of 1 to {MOST} pairs of neighbours"
        raise SettingError.of("universe and size", wanted, count, "take fewer kinds of people, or fewer people")
    return count


def _with(people: Dataset, one: int) -> Dataset:
    return tuple(sorted((*people, one)))
