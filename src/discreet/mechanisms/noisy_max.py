"""Noisy max: add independent noise to every score and name the greatest; and the same with its gap."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.errors import SettingError
from discreet.guarantees import Guarantee, LaplacePair, Pure, Range
from discreet.mechanisms.base import spendable
from discreet.readings import largest
from discreet.sampling.coins import Coins
from discreet.sampling.gap import GapNoise, race_with_gap
from discreet.sampling.levels import Candidates, Levels
from discreet.sampling.race import Noise, race
from discreet.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True)
class NoisyMax:
    """Name the greatest of score + noise, the noise of scale 1/rate: Laplace, exponential or Gumbel.

    **Which scale is private for which scores.** What counts is the gap, for all three noises: scale gap / epsilon. For
    scores that all move one way (counts under add-remove) the gap is the sensitivity, so the textbook scale
    sensitivity / epsilon is right. For scores that can move both ways, and for most scores under replace-one, the gap
    is twice the sensitivity, and that textbook scale spends up to twice the epsilon it claims.

    Gumbel noise has the law of the exponential mechanism, and its bounded range. Exponential noise has the law of
    permute-and-flip. Laplace noise is never better than either; it is here because it is asked for.

    >>> from discreet.guarantees import Pure
    >>> NoisyMax.calibrate(Pure(1), Sensitivity.of(sensitivity=1), "laplace")
    NoisyMax(rate=Fraction(1, 2), noise='laplace')
    """

    rate: Fraction
    noise: Noise = "exponential"

    def promise(self, sensitivity: Sensitivity) -> Guarantee:
        """Return rate * gap: a bounded range for Gumbel noise, a Laplace pair for the others.

        >>> NoisyMax(Fraction(1), "gumbel").promise(Sensitivity.of(range=1))
        Range(epsilon=Fraction(1, 1))
        """
        return (Range if self.noise == "gumbel" else LaplacePair)(self.rate * sensitivity.gap)

    @classmethod
    def calibrate(cls, target: Guarantee, sensitivity: Sensitivity, noise: Noise = "exponential") -> Self:
        """Return the mechanism with the least noise whose promise gives the target."""
        kind = Range if noise == "gumbel" else LaplacePair
        return cls(spendable(largest(kind, target) / sensitivity.gap, target), noise)

    def draw(self, column: Candidates, coins: Coins) -> int:
        """Return the position of the winner.

        >>> from discreet.sampling.coins import SystemCoins
        >>> from discreet.sampling.column import Column
        >>> NoisyMax(Fraction(1), "laplace").draw(Column.of([0, 10**6]), SystemCoins())
        1
        """
        return race(column, self.rate, self.noise, coins).position


@dataclass(frozen=True, slots=True)
class NoisyMaxWithGap:
    """Name the greatest of score + noise, and by how much it beat the next, in whole ticks rounded down.

    The gap costs nothing more for Gumbel noise (Ding et al. 2022) and for exponential noise: index and gap together are
    ``Pure(rate * gap of the scores)``. The bounded range of Gumbel noise does not extend to the gap, nor is it claimed.
    ``tick`` is a public grid: a real number released in full would show more than its value in its low digits.

    >>> from discreet.guarantees import Pure
    >>> NoisyMaxWithGap.calibrate(Pure(1), Sensitivity.of(range=1), tick=Fraction(1, 10)).rate
    Fraction(1, 1)
    """

    rate: Fraction
    noise: GapNoise
    tick: Fraction

    def __post_init__(self) -> None:
        if self.noise not in {"gumbel", "exponential"}:
            raise SettingError.of("noise", "'gumbel' or 'exponential', for which the gap is free", self.noise)

    def promise(self, sensitivity: Sensitivity) -> Guarantee:
        """Return the pure epsilon rate * gap, for index and gap together."""
        return Pure(self.rate * sensitivity.gap)

    @classmethod
    def calibrate(
        cls, target: Guarantee, sensitivity: Sensitivity, noise: GapNoise = "exponential", tick: Fraction = Fraction(1)
    ) -> Self:
        """Return the mechanism with the least noise whose promise gives the target."""
        return cls(spendable(largest(Pure, target) / sensitivity.gap, target), noise, tick)

    def draw(self, column: Candidates, coins: Coins) -> int:
        """Return the position of the winner alone."""
        return race(column, self.rate, self.noise, coins).position

    def draw_with_gap(self, column: Candidates, coins: Coins) -> tuple[int, Fraction]:
        """Return the position of the winner, and its noisy lead in points.

        >>> from discreet.sampling.coins import SystemCoins
        >>> from discreet.sampling.column import Column
        >>> NoisyMaxWithGap(Fraction(1), "gumbel", Fraction(10**8)).draw_with_gap(Column.of([0, 10**9]), SystemCoins())[
        ...     0
        ... ]
        1
        """
        if isinstance(column, Levels):
            raise SettingError("gap: wanted none for scores that come in levels, got one; leave it out")
        position, ticks = race_with_gap(column, self.rate, self.noise, self.tick, coins)
        return position, ticks * self.tick
