"""Samplers on a tree with large forks: the certified flip, the integer draw, a shard that stands or does not.

Each is settled by tests of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.balls import Ball, at, ball, ratio, two_to
from discreet.engines import members
from discreet.sampling import choose, race
from discreet.sampling.levels import LevelProposal
from discreet.sampling.propose import Proposal
from discreet.testing.tree import PRECISION


def weigh(
    coins: Any, bias: Callable[[], Ball], prefix: tuple[int, int] = (0, 0), refine: Callable[[], None] | None = None
) -> bool:
    """Fork in two where ``flip`` would draw bits."""
    assert prefix == (0, 0)
    return bool(coins.weigh(bias, refine))


def pick(proposal: Proposal, coins: Any) -> tuple[int, int] | None:
    """Fork into candidates where ``pick`` would draw below the total."""
    bounds = [int(bound) for bound in proposal.table()[0]]
    place = coins.among([*bounds, proposal.total - sum(bounds)])
    return None if place == len(bounds) else (place, bounds[place])


def pick_of_levels(proposal: LevelProposal, coins: Any) -> tuple[int, Fraction] | None:
    """Fork into levels, each block looked into, and then into the members of the level."""
    levels, before, ways = proposal.levels, int(proposal._ends[-1]), list[tuple[int, int, int]]()
    for block in range(len(levels.tops)):
        sums, found, start = proposal._open(block), levels.open(block), levels.first(block)
        bounds = [int(bound) for bound in np.diff(sums, prepend=0)]
        ways += [(*one,) for one in zip(bounds, (start + found.ends).tolist(), found.sizes.tolist(), strict=True)]
    proposal._ends = proposal._totals.cumsum()
    way = coins.among([*(bound for bound, _, _ in ways), before - sum(bound for bound, _, _ in ways)])
    if way == len(ways):
        return None
    bound, end, size = ways[way]
    return end - 1 - coins.among([1] * size), Fraction(bound << proposal._raised, size)


def one_of(weights: Callable[[], Sequence[Ball]], coins: Any) -> int:
    """Fork into all ways where ``among`` would draw bits: one after the other, each against those that are left."""
    known = at(PRECISION, weights)
    for way in range(len(known) - 1):
        if coins.weigh(lambda: known[way] / sum(known[way:], ball(0))):  # noqa: B023
            return way
    return len(known) - 1


def along(fall: Fraction, size: int, coins: Any) -> int:
    """Fork into all steps where ``offset`` would draw bits."""
    return one_of(lambda: [ball(-fall * step).exp() for step in range(size)], coins)


FORKED: dict[str, Callable[..., Any]] = {"flip": weigh, "among": one_of, "offset": along}
"""What stands in for these names of a module, on a tree with large forks."""


def stands(size: int, most: int, below: Callable[[int], int]) -> bool:
    """Fork in two where a shard stands or does not, instead of into all numbers below the size of the largest."""
    coins: Any = getattr(below, "__self__")  # noqa: B009 - a bound method of coins
    return bool(coins.weigh(lambda: two_to(0) * ratio(Fraction(size, most))))


@contextmanager
def large_forks() -> Iterator[None]:
    """Replace all of these for the length of a block."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (choose, race):
            patch.setattr(module, "flip", weigh)
        patch.setattr(Proposal, "pick", pick)
        patch.setattr(LevelProposal, "pick", pick_of_levels)
        patch.setattr(members, "stands", stands)
        yield
