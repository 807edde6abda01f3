"""A price on a fine grid, from a million bids, against one sort of them: python -m benchmarks.line."""

import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from benchmarks.timing import Task, side_by_side
from discreet.domains.location import Location
from discreet.domains.prices import ContinuousPrice
from discreet.guarantees import Pure
from discreet.sampling.coins import SystemCoins

SIZES = (10**3, 10**5, 10**6)
ROUNDS = 7


def bids(size: int) -> Any:
    """Return bids in cents, from 0 to 9999.99, spread by a multiplier: no two columns in order."""
    return (np.arange(size, dtype=np.int64) * 7_368_787 % 1_000_003 % 1_000_000) / 100


def tasks(size: int) -> dict[str, Task]:
    """Return one sort, and whole releases: read, cut into pieces, draw."""
    column = bids(size)
    price, fine = ContinuousPrice(10**4, "0.01"), ContinuousPrice(2**42, "0.00000095367431640625")
    return {
        "numpy.sort": partial(np.sort, column),
        "price, 10**6 points": partial(release, price, column),
        "price, 2**62 points": partial(release, fine, column),
        "location, 10**6 points": partial(release, Location((0, "9999.99"), "0.01"), column),
    }


def release(domain: Any, column: Any) -> None:
    """Release one answer at epsilon 1."""
    answer = domain.score(column).law(domain.calibrate(Pure(1))).draw(SystemCoins())
    assert Fraction(answer) <= 2**42


def lines() -> Iterator[str]:
    """Yield a table: seconds, and multiples of the sort."""
    yield "| people | task | seconds | times a sort |"
    yield "| --- | --- | --- | --- |"
    for size in SIZES:
        times = side_by_side(tasks(size), ROUNDS)
        for name, timing in times.items():
            ratio = timing.over(times["numpy.sort"])
            yield f"| {size} | {name} | {timing.median:.2g} | {ratio.median:.3g} |"


if __name__ == "__main__":
    for line in lines():
        print(line)
        sys.stdout.flush()
