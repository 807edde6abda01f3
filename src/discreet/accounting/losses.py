"""Privacy losses on a grid: a dominating pair as masses, rounded up for certain.

A profile (epsilon -> delta) of a pair that is its own mirror image becomes masses by connecting its values at the grid
points with chords in e**epsilon: exact at the points, above the profile between them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.accounting.grid import Array

ROUND = 2.0**-53
PROFILE_SLACK = 2.0**-40
"""A profile given as a function must be right to this relative error."""


@dataclass(frozen=True, slots=True)
class Losses:
    """The law of the loss under P: masses at -n, ..., n steps, and what is infinite.

    >>> Losses.of_values(Fraction(1), np.array([0.5, 0.1, 0.0])).span
    2.0
    """

    step: float
    masses: Array
    logs: Array
    infinite: float
    error: float

    @classmethod
    def of_values(cls, step: Fraction, values: Array) -> "Losses":
        """Turn upper bounds on a self-dual profile at 0, 1, ... steps into masses whose own profile is above them."""
        width = float(step)
        back = np.arange(1, len(values)) * width
        left = np.exp(-back) * values[1:] - np.expm1(-back)
        error = 16 * ROUND * (2 * len(values) + 1)
        both = np.concatenate([left[::-1], values]) * (1 + error)
        masses = _masses(both.tolist(), math.exp(-width), -math.expm1(-width))
        logs = np.log(masses, where=masses > 0, out=np.full(len(masses), -np.inf))
        return cls(width, masses, logs, float(both[-1]), error)

    @classmethod
    def of_profile(cls, profile: Callable[[float], float], step: Fraction, reach: float) -> "Losses":
        """Read a self-dual profile at the grid points up to ``reach``; what is left there counts as infinite.

        >>> round(Losses.of_profile(lambda e: max(0.0, 1 - math.exp((e - 1) / 2)), Fraction(1, 10), 1).span, 9)
        1.0
        """
        count = math.ceil(reach / step) + 1
        values = [profile(float(j * step) * (1 - 4 * ROUND)) for j in range(count)]
        return cls.of_values(step, np.array(values) * (1 + PROFILE_SLACK))

    @property
    def span(self) -> float:
        """The largest finite loss."""
        return (len(self.masses) // 2) * self.step

    @property
    def points(self) -> Array:
        """The losses the masses stand at."""
        half = len(self.masses) // 2
        return np.arange(-half, half + 1, dtype=np.float64) * self.step

    def log_moment(self, theta: float) -> float:
        """Return ln of the sum of masses times e**(theta loss)."""
        powers = self.logs + theta * self.points
        top = float(np.max(powers))
        return top + math.log(float(np.sum(np.exp(powers - top))))

    def tilted(self, theta: float) -> Array:
        """Return the masses tilted, so that they sum to 1."""
        return np.asarray(np.exp(self.logs + theta * self.points - self.log_moment(theta)))


def _masses(values: list[float], shrink: float, width: float) -> Array:
    """Go from the right to the left, each mass as large as the profile to its left needs."""
    tail, reached = 0.0, values[-1]
    masses = [0.0] * len(values)
    for j in range(len(values) - 1, 0, -1):
        tail *= shrink
        masses[j] = max(0.0, (values[j - 1] - reached) / width - tail)
        tail += masses[j]
        reached += width * tail
    masses[0] = max(0.0, 1 - values[-1] - math.fsum(masses))
    return np.array(masses)
