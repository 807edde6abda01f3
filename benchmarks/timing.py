"""Ratios measured side by side: every round runs each task once in turn, so they meet the same machine."""

import gc
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from time import perf_counter, sleep
from typing import Any, TypeAlias

Task: TypeAlias = Callable[[], Any]

SAMPLE = 2e-3
"""A sample repeats its task until it lasts about this many seconds."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds a call, one figure a round."""

    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle of the rounds."""
        return statistics.median(self.rounds)

    @property
    def least(self) -> float:
        """The quickest round."""
        return min(self.rounds)

    def over(self, other: "Timing") -> "Timing":
        """Return this time as multiples of another's, round by round.

        >>> Timing((2.0, 6.0)).over(Timing((1.0, 2.0))).rounds
        (2.0, 3.0)
        """
        return Timing(tuple(mine / theirs for mine, theirs in zip(self.rounds, other.rounds, strict=False)))

    def quartiles(self) -> tuple[float, float]:
        """Return the ends of the middle half of the rounds."""
        if len(self.rounds) == 1:
            return self.rounds[0], self.rounds[0]
        low, _, high = statistics.quantiles(self.rounds, n=4, method="inclusive")
        return low, high


def side_by_side(
    tasks: Mapping[str, Task], rounds: int, budget: float = 30.0, pause: float = 0.0, sample: float = SAMPLE
) -> dict[str, Timing]:
    """Time all tasks, alternating; a task that would take more than ``budget`` seconds in all sits out later rounds.

    It still runs three times at least, and at most ``rounds`` times. The first call of each is a warm-up. A ``pause``
    between rounds, in seconds, lets figures that are not ratios meet more than one mood of a shared machine.

    >>> sorted(side_by_side({"a": int, "b": float}, rounds=1))
    ['a', 'b']
    """
    once = {name: _seconds(task, 1) for name, task in tasks.items()}
    once |= {name: _seconds(task, 1) for name, task in tasks.items() if once[name] < SAMPLE}  # the first was cold
    repeats = {name: max(1, round(sample / seconds)) for name, seconds in once.items()}
    taken: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        sleep(pause)
        for name, task in tasks.items():
            if len(taken[name]) < 3 or sum(taken[name]) < budget:
                taken[name].append(_seconds(task, repeats[name]))
    return {name: Timing(tuple(seconds)) for name, seconds in taken.items()}


def starts(statements: tuple[str, ...], rounds: int) -> dict[str, Timing]:
    """Time a fresh interpreter that runs one statement and stops, alternating between the statements.

    Byte code is kept, as an installed package has it; the warm-up writes it.
    """
    return side_by_side({statement: partial(_start, statement) for statement in statements}, rounds)


def _start(statement: str) -> None:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-c", statement], check=True, env=kept)  # noqa: S603 - our own interpreter


def _seconds(task: Task, repeats: int) -> float:
    collecting = gc.isenabled()
    gc.disable()
    try:
        start = perf_counter()
        for _ in range(repeats):
            task()
        return (perf_counter() - start) / repeats
    finally:
        if collecting:
            gc.enable()
