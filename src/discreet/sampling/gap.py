"""Noisy max with its gap: by how much the winner's noisy score beat the runner-up's, which costs nothing more.

The race that found the winner goes on among the others from the moment it stopped. The clock s of a race measured from
score m reads s * exp(-rate * (m - m')) when measured from m' instead. Only for Gumbel and exponential noise is the gap
known to be free, and only the gap, never the noisy scores themselves.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Literal

import numpy as np

from discreet.balls import Ball, at, ball, whole_part
from discreet.errors import SettingError
from discreet.sampling.coins import Coins
from discreet.sampling.column import Column
from discreet.sampling.propose import Proposal
from discreet.sampling.race import Arrival, Clock, first, race

GapNoise = Literal["gumbel", "exponential"]


def race_with_gap(column: Column, rate: Fraction, noise: GapNoise, tick: Fraction, coins: Coins) -> tuple[int, int]:
    """Return the winner's position and the gap to the runner-up in whole ticks, rounded down.

    >>> from discreet.sampling.coins import SystemCoins
    >>> race_with_gap(Column.of([0, 10**9]), Fraction(1), "gumbel", Fraction(10**8), SystemCoins())[0]
    1
    """
    if len(column) < 2:
        raise SettingError.of("scores", "at least two candidates for a gap", len(column))
    winner = race(column, rate, noise, coins)
    rivals = np.delete(np.arange(len(column)), winner.position)
    rest = Proposal(column.only(rivals), rate)
    fall = rate * column.unit * (_best(column, np.arange(len(column))) - _best(column, rivals))

    def resume() -> Ball:
        elapsed = _level(winner.clock.now(), noise) * ball(-fall).exp()
        return elapsed if noise == "gumbel" else -(-elapsed).log1p()

    second = first(rest, noise, Clock(coins, resume, after=winner.clock), coins)
    return winner.position, _ticks(second, resume, noise, rate * tick)


def _best(column: Column, positions: "np.ndarray[tuple[int], np.dtype[np.intp]]") -> Fraction | int:
    if column.exact is not None:
        return max(column.exact[int(position)] for position in positions)
    return Column(column.data[positions]).greatest()


def _level(time: Ball, noise: GapNoise) -> Ball:
    """Read a clock as s = exp(-rate * (level - best))."""
    return time if noise == "gumbel" else -(-time).expm1()


def _ticks(second: Arrival, resume: Callable[[], Ball], noise: GapNoise, per_tick: Fraction) -> int:
    def gap() -> Ball:
        return (_level(second.clock.now(), noise) / _level(resume(), noise)).log() / ball(per_tick)

    while (ticks := at(second.clock.precision, lambda: whole_part(gap()))) is None:
        second.clock.refine()
    return ticks
