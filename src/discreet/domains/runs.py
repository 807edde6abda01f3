"""From runs of equal scores to levels that can be drawn from: the one step between a score and a sampler."""

from discreet.sampling.column import Column
from discreet.sampling.levels import Levels
from discreet.scores.base import Runs, Values


def levels_of(runs: Values | Runs) -> Levels:
    """Return the levels of runs, looked into on demand where the runs are.

    >>> import numpy as np
    >>> levels_of(Runs(np.array([5, 7]), np.array([3, 2])))
    Levels(5 candidates)
    """
    assert isinstance(runs, Runs)  # noqa: S101 - for the type checkers: a line scores in runs
    return Levels.of(Column.of(runs.values), runs.sizes) if runs.blocks is None else Levels(*runs.blocks)
