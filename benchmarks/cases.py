"""The scores that are timed: five to a hundred million, in three shapes and two dtypes."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.sampling.column import BLOCK

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

SIZES = (5, 100, 10**4, 10**6, 10**7, 10**8)
NEAR = 27
"""A block is hot if one of its scores lies within so many nats of the best; elsewhere all weights are below 2**-38."""
HOT_SHARE = 0.0007
BYTES_A_SCORE = 64
"""The columns, and what the hungriest competitor allocates beside them."""


@dataclass(frozen=True, slots=True)
class Case:
    """The same scores as integers and as floats, and a rate: the weight of score q is exp(rate * q)."""

    size: int
    shape: str
    rate: Fraction
    ints: Ints
    floats: Floats


def case(size: int, shape: str) -> Case:
    """Make the scores of one row of the table; the float scores are the integers plus a random fraction.

    >>> case(5, "all-hot").ints.dtype
    dtype('int64')
    """
    source = np.random.default_rng(size)  # made-up data may have a seed; coins never do
    ints, rate = SHAPES[shape](source, size)
    floats = source.random(size)
    floats += ints
    return Case(size, shape, rate, ints, floats)


def fits(size: int) -> bool:
    """Whether the memory that is free now holds a case of this size and the competitors' temporaries."""
    return size * BYTES_A_SCORE < _free_memory()


def _all_cold(source: np.random.Generator, size: int) -> tuple[Ints, Fraction]:
    scores = source.integers(0, 1000, size)
    scores[size // 3] = 10**6
    return scores, Fraction(1)


def _typical(source: np.random.Generator, size: int) -> tuple[Ints, Fraction]:
    counts = source.pareto(2.0, size)
    counts += 1
    counts *= 10
    scores = counts.astype(np.int64)
    near = min(size, max(2, round(HOT_SHARE * size / BLOCK)))
    edge, best = np.partition(scores, size - near)[size - near], scores.max()
    return scores, Fraction(1, max(1, math.ceil(int(best - edge) / NEAR)))


def _all_hot(source: np.random.Generator, size: int) -> tuple[Ints, Fraction]:
    return source.integers(0, 1023, size), Fraction(1, 1024)


SHAPES: dict[str, Callable[[np.random.Generator, int], tuple[Ints, Fraction]]] = {
    "all-cold": _all_cold,
    "typical": _typical,
    "all-hot": _all_hot,
}


def _free_memory() -> float:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return math.inf
    fields: dict[str, Any] = dict(line.split(":", 1) for line in lines)
    return int(fields["MemAvailable"].split()[0]) * 1024
