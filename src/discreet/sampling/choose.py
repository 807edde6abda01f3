"""Integers decide: the exponential law, by accepting or refusing what was proposed."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from discreet.errors import SettingError
from discreet.sampling.coins import Coins
from discreet.sampling.column import Column
from discreet.sampling.flip import flip
from discreet.sampling.levels import Candidates, LevelProposal, Levels, proposed
from discreet.sampling.propose import Proposal

Proposed: TypeAlias = Proposal | LevelProposal
Draw: TypeAlias = Callable[[Proposed, Coins], int]


def attempt(proposal: Proposed, coins: Coins) -> int | None:
    """Return position i with chance exactly w_i * 2**bits / total, else None.

    >>> from discreet.sampling.coins import SystemCoins
    >>> attempt(Proposal(Column.of([1, 1]), Fraction(1)), SystemCoins()) in (0, 1, None)
    True
    """
    picked = proposal.pick(coins)
    if picked is None:
        return None
    position, bound = picked
    share: Any = proposal.share  # a proposal takes the bounds it gave
    return position if flip(coins, lambda: share(proposal.weight(position), bound)) else None


def choose(proposal: Proposed, coins: Coins) -> int:
    """Return position i with chance exactly in proportion to exp(rate * score i).

    Attempts are independent and each returns i in proportion to w_i, so the first that returns has the law.

    >>> from discreet.sampling.coins import SystemCoins
    >>> choose(Proposal(Column.of([0, 10**6]), Fraction(1)), SystemCoins())
    1
    """
    while (position := attempt(proposal, coins)) is None:
        pass
    return position


def peel(column: Candidates, rate: Fraction, count: int, coins: Coins, draw: Draw) -> list[int]:
    """Return ``count`` positions: draw one, take it out, draw from the rest.

    >>> from discreet.sampling.coins import SystemCoins
    >>> peel(Column.of([0, 10**6, 2 * 10**6]), Fraction(1), 2, SystemCoins(), choose)
    [2, 1]
    """
    if count > len(column):
        raise SettingError.of("count", f"at most {len(column)}, the number of candidates", count)
    if isinstance(column, Levels):
        return _peel_levels(column, rate, count, coins, draw)
    if column.exact is not None:
        return _peel_exact(column, rate, count, coins, draw)
    proposal = Proposal(column, rate)
    taken = [draw(proposal, coins)]
    while len(taken) < count:
        proposal.remove(taken[-1])
        taken.append(draw(proposal, coins))
    return taken


def _peel_exact(column: Column, rate: Fraction, count: int, coins: Coins, draw: Draw) -> list[int]:
    # Rounded distances from one score say nothing about another, so what is left is measured anew each time.
    left = np.arange(len(column))
    taken: list[int] = []
    while len(taken) < count:
        place = draw(Proposal(column.only(left), rate), coins)
        taken.append(int(left[place]))
        left = np.delete(left, place)
    return taken


def _peel_levels(levels: Levels, rate: Fraction, count: int, coins: Coins, draw: Draw) -> list[int]:
    taken: list[int] = []
    while True:
        place = draw(proposed(levels, rate), coins)
        original = place
        for earlier in sorted(taken):  # a position counts those that are left
            original += earlier <= original
        taken.append(original)
        if len(taken) == count:
            return taken
        levels = levels.without(place)
