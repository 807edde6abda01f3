"""What we are measured against: OpenDP's and diffprivlib's selections, and the textbook in NumPy.

Each is given the scores in the form it likes best, made beforehand. What it must do for every new vector is timed.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.timing import Task

TOO_SLOW = 10**9
"""Larger than any case: no cap."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A competitor: the package, the mechanism of ours it answers to, and the most scores we have patience for."""

    package: str
    mechanism: str
    largest: int
    build: Callable[[Case], Task]

    @property
    def name(self) -> str:
        """The package and the mechanism."""
        return f"{self.package} {self.mechanism}"


def installed(package: str) -> bool:
    """Return whether a package is there and loads.

    >>> installed("no-such-package")
    False
    """
    try:
        importlib.import_module(package)
    except ImportError:
        return False
    return True


def available() -> tuple[Peer, ...]:
    """Return the peers whose packages are installed."""
    return tuple(peer for peer in PEERS if installed(peer.package))


def _opendp(measure: str) -> Callable[[Case], Task]:
    def build(case: Case) -> Task:
        dp: Any = importlib.import_module("opendp.prelude")
        convert: Any = importlib.import_module("opendp._data").slice_as_object
        dp.enable_features("contrib")
        space = dp.vector_domain(dp.atom_domain(T="i32")), dp.linf_distance(T="i32")
        select = dp.m.make_noisy_max(*space, getattr(dp, measure)(), scale=float(1 / case.rate))
        vector = convert(case.ints.astype(np.int32), "Vec<i32>")
        return lambda: select(vector)

    return build


def _diffprivlib(mechanism: str) -> Callable[[Case], Task]:
    def build(case: Case) -> Task:
        made: Any = getattr(importlib.import_module("diffprivlib.mechanisms"), mechanism)
        utility = case.ints.tolist()
        epsilon = float(case.rate)
        return lambda: made(epsilon=epsilon, sensitivity=1, utility=utility, monotonic=True).randomise()

    return build


def _textbook(case: Case) -> Task:
    source = np.random.default_rng()
    rate = float(case.rate)

    def draw() -> int:
        weights = np.exp(rate * (case.floats - case.floats.max()))
        return int(source.choice(case.size, p=weights / weights.sum()))

    return draw


PEERS = (
    Peer("opendp", "exponential", 10**6, _opendp("zero_concentrated_divergence")),
    Peer("opendp", "permute-and-flip", 10**6, _opendp("max_divergence")),
    Peer("diffprivlib", "exponential", 10**6, _diffprivlib("Exponential")),
    Peer("diffprivlib", "permute-and-flip", 10**4, _diffprivlib("PermuteAndFlip")),
    Peer("numpy", "exponential", TOO_SLOW, _textbook),
)
