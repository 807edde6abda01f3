"""Sums of independent privacy losses, by Fourier transform, rounded up for certain.

Every law is first *tilted* by e**(theta loss), which brings the epsilon asked about into the middle. So there is no
floor: the error of the transform, which otherwise spoils deltas below about 1e-13, is as small as the answer, and is
added to it. What lies above the window is bounded by Chernoff and added too; what wraps around from below only raises
the result.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.accounting.grid import Array
from discreet.accounting.losses import PROFILE_SLACK, ROUND, Losses

MOST_BINS = 1 << 20
LEAST_WINDOW = 1 << 12
WINDOW = 28
"""The window in standard deviations of the tilted sum, where its whole span is too long."""
HALVINGS = 64
LARGEST_LOG = 710
"""No logarithm of a float is further from 0, subnormal numbers aside."""
ROUNDS = 4

Part = tuple[Losses, int]
"""One law of losses, and how many times it is added."""


def delta_of_sum(parts: Sequence[Part], at: float) -> Fraction:
    """Return an upper bound on delta at epsilon ``at``, from 0, of a sum of losses.

    >>> one = Losses.of_values(Fraction(1), np.array([0.5, 0.1, 0.0]))
    >>> round(float(delta_of_sum([(one, 1)], 1.0)), 6), float(delta_of_sum([(one, 1)], 0.0)) >= 0.5
    (0.1, True)
    """
    return Fraction(min(1.0, Sum.around(parts, at).delta(at)))


def epsilon_of_sum(parts: Sequence[Part], delta: float) -> Fraction | None:
    """Return an upper bound on epsilon at ``delta`` of a sum of losses, or None where the infinite mass is above it.

    >>> one = Losses.of_values(Fraction(1), np.array([0.5, 0.1, 0.0]))
    >>> round(float(epsilon_of_sum([(one, 1)], 0.1)), 6)
    1.0
    """
    span = math.fsum(count * part.span for part, count in parts)
    found = most = span * (1 + PROFILE_SLACK)
    if sum(count * part.infinite for part, count in parts) * (1 + PROFILE_SLACK) >= delta:
        return None
    guess = _chernoff(parts, delta)
    for _ in range(ROUNDS):
        found = Sum.around(parts, guess).epsilon(delta, most)
        if abs(found - guess) <= 1e-3 * found:
            break
        guess = found
    return Fraction(found)


@dataclass(frozen=True)
class Sum:
    """The tilted law of a sum of losses on a window, and what it may lack.

    The masses are right to the relative ``slack``, apart from ``noise`` in all: a transform of n values errs, in
    Euclidean norm, by at most a few log2(n) units; over ``adds`` factors of size at most 1 these add up, and the sum of
    n errors is at most the square root of n times their norm.

    >>> one = Losses.of_values(Fraction(1), np.array([0.5, 0.1, 0.0]))
    >>> round(Sum.around([(one, 1)], 0.5).delta(1.0), 6)
    0.1
    """

    losses: Array
    masses: Array
    theta: float
    log_moment: float
    infinite: float
    beyond: float
    slack: float
    noise: float

    @classmethod
    def around(cls, parts: Sequence[Part], centre: float) -> "Sum":
        """Add the losses up, tilted so that the mean lies near ``centre``; any centre gives a valid bound."""
        theta, step = _tilt(parts, centre), parts[0][0].step
        laws = [(part.tilted(theta), count) for part, count in parts]
        half = sum(count * (len(law) // 2) for law, count in laws)
        mean, deviation = _moments(laws)
        bins = 1 << (2 * half + 1).bit_length()
        bins = min(bins, MOST_BINS, max(LEAST_WINDOW, 1 << math.ceil(WINDOW * deviation).bit_length()))
        first = -half if bins > 2 * half else round(mean) - bins // 2
        masses = np.roll(_circular(laws, bins), -((first + half) % bins))
        top, adds = first + bins, sum(count for _, count in parts)
        exponent = LARGEST_LOG + max(abs(theta * part.span) + abs(part.log_moment(theta)) for part, _ in parts)
        return cls(
            losses=np.arange(first, top, dtype=np.float64) * step,
            masses=np.maximum(masses, 0.0),
            theta=theta,
            log_moment=_log_moment(parts, theta),
            infinite=math.fsum(count * part.infinite for part, count in parts),
            beyond=0.0 if top > half else _chance_above(parts, top * step, theta, WINDOW / 2 / (step * deviation)),
            slack=1 + sum(count * part.error for part, count in parts) + 16 * ROUND * (adds + 1) * exponent,
            noise=8 * ROUND * (math.sqrt(bins) * adds * (1 + math.log2(bins)) + 1 + (abs(top) + half) * step),
        )

    def delta(self, at: float) -> float:
        """Return an upper bound on delta at epsilon ``at``."""
        start = int(np.searchsorted(self.losses, at))
        over = self.losses[start:] - at
        seen = float(np.sum(self.masses[start:] * np.exp(-self.theta * over) * -np.expm1(-over)))
        scale = math.exp(min(LARGEST_LOG - 1.0, self.log_moment - self.theta * at))
        return (scale * (seen * self.slack + self.noise) * self.slack + self.beyond + self.infinite) * self.slack

    def epsilon(self, delta: float, most: float) -> float:
        """Return an epsilon from 0 to ``most`` at which delta is not above the one asked for."""
        if self.delta(0.0) <= delta:
            return 0.0
        low, high = 0.0, most
        for _ in range(HALVINGS):
            between = (low + high) / 2
            low, high = (between, high) if self.delta(between) > delta else (low, between)
        return high


def _circular(laws: Sequence[tuple[Array, int]], bins: int) -> Array:
    spectrum = np.ones(bins // 2 + 1, dtype=np.complex128)
    for law, count in laws:
        rows = -(-len(law) // bins)
        folded = np.concatenate([law, np.zeros(rows * bins - len(law))]).reshape(rows, bins).sum(axis=0)
        spectrum *= np.fft.rfft(folded) ** count
    return np.fft.irfft(spectrum, bins)


def _moments(laws: Sequence[tuple[Array, int]]) -> tuple[float, float]:
    """Return the mean and the standard deviation of the sum, in steps; the second is never 0."""
    mean, variance = 0.0, 1.0
    for law, count in laws:
        index = np.arange(len(law), dtype=np.float64) - len(law) // 2
        middle = float(law @ index)
        mean += count * middle
        variance += count * float(law @ (index - middle) ** 2)
    return mean, math.sqrt(variance)


def _tilt(parts: Sequence[Part], centre: float) -> float:
    """Return the theta at which the tilted mean is ``centre``, or an end of the sensible range."""

    def mean(theta: float) -> float:
        return sum(count * float(part.tilted(theta) @ part.points) for part, count in parts)

    if mean(0.0) >= centre:
        return 0.0
    high = 1 / parts[0][0].step
    low = high * 2.0**-40
    for _ in range(30):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if mean(middle) < centre else (low, middle)
    return low


def _chance_above(parts: Sequence[Part], top: float, theta: float, more: float) -> float:
    """Bound the chance of a loss of ``top`` or more, by the best of a few exponents."""
    exponents = [theta + more * share for share in (0.0, 0.25, 0.5, 1.0)]
    powers = [_log_moment(parts, x) - x * top for x in exponents]
    return math.exp(min(0.0, *powers)) * (1 + PROFILE_SLACK)


def _log_moment(parts: Sequence[Part], theta: float) -> float:
    return math.fsum(count * part.log_moment(theta) for part, count in parts)


def _chernoff(parts: Sequence[Part], delta: float) -> float:
    """Return an epsilon near which delta is reached, by the best of many exponents."""
    thetas = [math.exp2(x / 2) / parts[0][0].step for x in range(-60, 1)]
    return max(0.0, min((_log_moment(parts, x) - math.log(delta)) / x for x in thetas))
