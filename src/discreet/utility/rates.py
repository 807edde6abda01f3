"""The one number utility depends on: the rate, in nats per point of score."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypedDict, Unpack

from discreet.errors import SettingError
from discreet.exact import Number, positive
from discreet.sensitivity import Sensitivity, one_of

FAMILY_NAMES = ("counts", "approvals", "agreement", "conflicts", "errors")
"""The families of scores known by name: to each, one person adds 0 or 1 everywhere, or takes it everywhere."""


class MoveSettings(TypedDict, total=False):
    """How far one person moves the scores, in numbers; pure epsilon pays for the gap.

    >>> MoveSettings(sensitivity=1, monotonic=True)
    {'sensitivity': 1, 'monotonic': True}
    """

    sensitivity: Number | None
    range: Number | None
    monotonic: bool
    neighbours: str | None


class ScoreSettings(MoveSettings, total=False):
    """How far one person moves the scores, in the words of ``select``: in numbers, or by the name of the family.

    >>> ScoreSettings(scores="counts")
    {'scores': 'counts'}
    """

    scores: str | None


class PaceSettings(MoveSettings, total=False):
    """Either ``epsilon`` with how far scores move, or the ``rate`` itself: candidates weigh exp(rate * score).

    >>> PaceSettings(rate="0.5")
    {'rate': '0.5'}
    """

    epsilon: Number | None
    rate: Number | None


class RateSettings(PaceSettings, ScoreSettings, total=False):
    """The same, where the scores may be known by name.

    >>> RateSettings(epsilon=1, scores="counts")
    {'epsilon': 1, 'scores': 'counts'}
    """


_SCORE = tuple(ScoreSettings.__annotations__)


def understood(given: Mapping[str, object], words: Iterable[str]) -> None:
    """Refuse a word that is not among those known.

    >>> understood({"epsilom": 1}, ["epsilon", "rate"])
    Traceback (most recent call last):
    TypeError: unexpected keyword 'epsilom'; the settings are epsilon, rate
    """
    known = tuple(words)
    for name in given:
        if name not in known:
            raise TypeError(f"unexpected keyword {name!r}; the settings are {', '.join(known)}")


def named(scores: str, neighbours: str = "add-remove") -> Sensitivity:
    """Return how far one person moves the scores of a family known by name.

    >>> named("counts").gap, named("counts", "replace").gap
    (Fraction(1, 1), Fraction(2, 1))
    """
    one_of(scores, "scores", FAMILY_NAMES)
    return Sensitivity.of(sensitivity=1, monotonic=neighbours == "add-remove", neighbours=neighbours)


def gap_of(**settings: Unpack[ScoreSettings]) -> Fraction:
    """Read how far one person moves the difference of two scores.

    >>> gap_of(sensitivity=1), gap_of(sensitivity=1, monotonic=True), gap_of(scores="counts")
    (Fraction(2, 1), Fraction(1, 1), Fraction(1, 1))
    """
    understood(settings, _SCORE)
    family, neighbours = settings.get("scores"), settings.get("neighbours") or "add-remove"
    if family is not None:
        extra = _said(settings, "sensitivity", "range", "monotonic")
        if extra:
            raise SettingError(f"{extra}: wanted nothing, since these scores know how far one person moves them")
        return named(family, neighbours).gap
    return Sensitivity.of(
        sensitivity=settings.get("sensitivity"),
        range=settings.get("range"),
        monotonic=settings.get("monotonic", False),
        neighbours=neighbours,
    ).gap


def rate_of(**pace: Unpack[RateSettings]) -> Fraction:
    """Read the rate: ``epsilon`` divided by the gap, or as given.

    >>> rate_of(epsilon=1, sensitivity=1), rate_of(epsilon=1, scores="counts"), rate_of(rate="0.5")
    (Fraction(1, 2), Fraction(1, 1), Fraction(1, 2))
    """
    understood(pace, RateSettings.__annotations__)
    epsilon, rate = pace.get("epsilon"), pace.get("rate")
    if (epsilon is None) == (rate is None):
        found = "neither" if epsilon is None else "both"
        raise SettingError(f"epsilon: wanted epsilon= (with sensitivity=, range= or scores=) or rate=, got {found}")
    if epsilon is not None:
        score: ScoreSettings = {name: value for name, value in pace.items() if name in _SCORE}  # type: ignore[assignment]
        return positive(epsilon, "epsilon") / gap_of(**score)
    extra = _said(pace, "sensitivity", "range", "monotonic", "scores")
    if extra:
        raise SettingError(f"rate: wanted epsilon= with {extra}=, got rate=; a rate is per point of score")
    return positive(rate, "rate")


def _said(settings: Mapping[str, object], *names: str) -> str:
    return " and ".join(name for name in names if settings.get(name) is not None and settings.get(name) is not False)
