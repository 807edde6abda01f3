"""The one number utility depends on: the rate, in nats per point of score."""

from fractions import Fraction
from typing import TypedDict

from discreet.errors import SettingError
from discreet.exact import Number, positive
from discreet.sensitivity import Sensitivity


class ScoreSettings(TypedDict, total=False):
    """How far one person moves the scores, in the words of ``select``; pure epsilon pays for the gap.

    >>> ScoreSettings(sensitivity=1, monotonic=True)
    {'sensitivity': 1, 'monotonic': True}
    """

    sensitivity: Number | None
    range: Number | None
    monotonic: bool
    neighbours: str


class RateSettings(ScoreSettings, total=False):
    """Either ``epsilon`` with the score settings, or the ``rate`` itself: candidates weigh exp(rate * score).

    >>> RateSettings(rate="0.5")
    {'rate': '0.5'}
    """

    epsilon: Number | None
    rate: Number | None


def gap_of(
    *,
    sensitivity: Number | None = None,
    range: Number | None = None,  # noqa: A002 - the field's own word
    monotonic: bool = False,
    neighbours: str = "add-remove",
) -> Fraction:
    """Read how far one person moves the difference of two scores.

    >>> gap_of(sensitivity=1), gap_of(sensitivity=1, monotonic=True)
    (Fraction(2, 1), Fraction(1, 1))
    """
    return Sensitivity.of(sensitivity=sensitivity, range=range, monotonic=monotonic, neighbours=neighbours).gap


def rate_of(
    *,
    epsilon: Number | None = None,
    rate: Number | None = None,
    sensitivity: Number | None = None,
    range: Number | None = None,  # noqa: A002 - the field's own word
    monotonic: bool = False,
    neighbours: str = "add-remove",
) -> Fraction:
    """Read the rate: ``epsilon`` divided by the gap, or as given.

    >>> rate_of(epsilon=1, sensitivity=1), rate_of(rate="0.5")
    (Fraction(1, 2), Fraction(1, 2))
    """
    if (epsilon is None) == (rate is None):
        found = "neither" if epsilon is None else "both"
        raise SettingError(f"epsilon: wanted epsilon= (with sensitivity= or range=) or rate=, got {found}")
    if epsilon is not None:
        gap = gap_of(sensitivity=sensitivity, range=range, monotonic=monotonic, neighbours=neighbours)
        return positive(epsilon, "epsilon") / gap
    if sensitivity is not None or range is not None:
        raise SettingError("rate: wanted epsilon= with sensitivity= or range=, got rate=; a rate is per point of score")
    return positive(rate, "rate")
