"""Utility before spending: how far from the best the answer may be, from public settings alone."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypedDict, Unpack

from discreet.errors import SettingError
from discreet.exact import Number, chance, down, nonnegative, positive
from discreet.sensitivity import one_of
from discreet.utility.bounds import EXPONENTIAL, EXPONENTIAL_TEXTBOOK, LAPLACE, Crowd, Curve, outward
from discreet.utility.flips import PERMUTE_AND_FLIP, PERMUTE_AND_FLIP_TEXTBOOK
from discreet.utility.rates import RateSettings, ScoreSettings, gap_of, rate_of, understood

Form = Literal["exact", "textbook"]
"""Which bound: the exact worst case (Laplace noise: the best we know), or the closed form found in papers."""

MECHANISMS = ("auto", "exponential", "permute-and-flip", "noisy-max")
"""In the words of ``select``: ``auto`` is permute-and-flip at an epsilon, and the exponential mechanism at a rate."""

NOISES = {"laplace": "laplace", "gumbel": "exponential", "exponential": "permute-and-flip"}
CURVES: dict[str, dict[str, Curve]] = {
    "exponential": {"exact": EXPONENTIAL, "textbook": EXPONENTIAL_TEXTBOOK},
    "permute-and-flip": {"exact": PERMUTE_AND_FLIP, "textbook": PERMUTE_AND_FLIP_TEXTBOOK},
    "laplace": {"exact": LAPLACE, "textbook": LAPLACE},
}


class CrowdSettings(TypedDict, total=False):
    """The mechanism, and what is known in public: ``winners`` candidates lie within ``within`` of the best.

    >>> CrowdSettings(mechanism="noisy-max", noise="gumbel")
    {'mechanism': 'noisy-max', 'noise': 'gumbel'}
    """

    mechanism: str
    noise: str | None
    winners: int
    within: Number
    form: str


class ScoredSettings(CrowdSettings, ScoreSettings, total=False):
    """Everything but the price.

    >>> ScoredSettings(sensitivity=1, winners=2)
    {'sensitivity': 1, 'winners': 2}
    """


class Settings(CrowdSettings, RateSettings, total=False):
    """Everything that decides the error in public.

    >>> Settings(epsilon=1, range=1)
    {'epsilon': 1, 'range': 1}
    """


@dataclass(frozen=True, slots=True)
class Forecast:
    """What can be said of the error of one selection before it is made; all fields are public.

    >>> forecast = Forecast.of(100, epsilon="0.5", scores="counts")
    >>> forecast.error_bound("0.01"), forecast.expected_error()
    (17.00102060097357, 4.855867588918282)
    """

    crowd: Crowd
    rate: Fraction
    within: Fraction
    law: str
    form: str

    @classmethod
    def of(
        cls,
        candidates: int,
        *,
        mechanism: str = "auto",
        noise: str | None = None,
        winners: int = 1,
        within: Number = 0,
        form: str = "exact",
        **pace: Unpack[RateSettings],
    ) -> "Forecast":
        """Read the settings of a selection among ``candidates`` as ``select`` reads them.

        ``mechanism="auto"`` is what ``select`` takes for an epsilon, permute-and-flip, and with ``rate=`` exponential.

        >>> Forecast.of(2, rate=1, mechanism="noisy-max", noise="gumbel").law
        'exponential'
        """
        understood(pace, Settings.__annotations__)
        auto = "exponential" if pace.get("epsilon") is None else "permute-and-flip"
        law, crowd = _law(mechanism, noise, auto), Crowd.of(candidates, winners)
        return cls(crowd, rate_of(**pace), nonnegative(within, "within"), law, _form(form))

    @classmethod
    def over(cls, mass: Number, *, within: Number = 0, form: str = "exact", **pace: Unpack[RateSettings]) -> "Forecast":
        """Speak of the exponential mechanism with a base measure: ``mass`` of it scores within ``within`` of the best.

        The coupling that moves losers together moves measure just as well, so mass and the rest take the place
        of the counts: Pr[error >= within + x] <= 1 / (1 + e^(rate x) mass / (1 - mass)) <= e^(-rate x) / mass.

        >>> Forecast.over("0.01", within=2, rate=1).error_bound() >= 2
        True
        """
        understood(pace, ("within", "form", *RateSettings.__annotations__))
        return cls(Crowd.measure(mass), rate_of(**pace), nonnegative(within, "within"), "exponential", _form(form))

    def error_bound(self, probability: Number = "0.05") -> float:
        """Return an error that is exceeded with at most this probability, rounded up."""
        return outward(self.within + self.curve.reach(self.crowd, chance(probability, "probability")) / self.rate)

    def chance_of_error(self, error: Number) -> float:
        """Return the most likely an error of at least ``error`` can be, rounded up.

        >>> Forecast.of(2, rate=1).chance_of_error(0)
        1.0
        """
        beyond = nonnegative(error, "error") - self.within
        return min(1.0, outward(self.curve.chance(self.crowd, beyond * self.rate)))

    def expected_error(self) -> float:
        """Return the greatest mean error, rounded up."""
        return outward(self.within + self.curve.mean(self.crowd) / self.rate)

    @property
    def curve(self) -> Curve:
        """The worst case of the mechanism, in nats."""
        return CURVES[self.law][self.form]


def error_bound(candidates: int, *, probability: Number = "0.05", **settings: Unpack[Settings]) -> float:
    """Return an error that the selection exceeds with at most this probability, whatever the scores.

    The error is the best score minus the score of the answer; the float is never below the bound.

    >>> error_bound(100, epsilon="0.5", scores="counts", probability="0.01")
    17.00102060097357
    >>> error_bound(100, epsilon="0.5", scores="counts", probability="0.01", form="textbook")
    17.014285711125474
    """
    return Forecast.of(candidates, **settings).error_bound(probability)


def chance_of_error(candidates: int, *, error: Number, **settings: Unpack[Settings]) -> float:
    """Return the most likely it can be that the answer is ``error`` or more below the best, whatever the scores.

    >>> chance_of_error(100, error=20, epsilon="0.5", scores="counts") < 0.0045
    True
    """
    return Forecast.of(candidates, **settings).chance_of_error(error)


def expected_error(candidates: int, **settings: Unpack[Settings]) -> float:
    """Return the greatest mean error of the selection, whatever the scores.

    >>> expected_error(100, epsilon=1, range=1), expected_error(100, epsilon=1, range=1, mechanism="exponential")
    (2.427933794459141, 2.6286495970202823)
    """
    return Forecast.of(candidates, **settings).expected_error()


def epsilon_for(
    candidates: int, *, error: Number, probability: Number = "0.05", **settings: Unpack[ScoredSettings]
) -> float:
    """Return the smallest epsilon whose ``error_bound`` at this probability is at most ``error``, rounded up.

    The bound is a number of nats divided by the rate, and the rate is epsilon divided by the gap.

    >>> epsilon = epsilon_for(100, error=18, probability="0.01", scores="counts")
    >>> epsilon, error_bound(100, epsilon=epsilon, probability="0.01", scores="counts") <= 18
    (0.4722505722492657, True)
    """
    gap, crowd = _split(settings)
    if crowd.get("mechanism", "auto") == "auto":
        crowd["mechanism"] = "permute-and-flip"
    forecast = Forecast.of(candidates, rate=1, **crowd)
    room = _attainable(positive(error, "error")) - forecast.within
    if room <= 0:
        raise SettingError.of("error", f"a number above within ({forecast.within})", error)
    reach = forecast.curve.reach(forecast.crowd, chance(probability, "probability"))
    result = max(outward(gap * reach / room), math.ulp(0.0))
    if math.isinf(result):
        raise SettingError.of("error", "an error that some finite epsilon can promise", error)
    return result


def _split(settings: ScoredSettings) -> tuple[Fraction, CrowdSettings]:
    understood(settings, ("error", "probability", *ScoredSettings.__annotations__))
    score: ScoreSettings = {}
    crowd: CrowdSettings = {}
    for name, value in settings.items():
        (score if name in ScoreSettings.__annotations__ else crowd)[name] = value  # type: ignore[literal-required]
    return gap_of(**score), crowd


def _attainable(error: Fraction) -> Fraction:
    # The bound will be shown as a float, so aim at the greatest float not above the error, read either way.
    shown = down(error)
    return min(Fraction(shown), Fraction(repr(shown))) if shown > 0 and math.isfinite(shown) else error


def _law(mechanism: str, noise: str | None, auto: str) -> str:
    one_of(mechanism, "mechanism", MECHANISMS)
    if mechanism != "noisy-max":
        if noise is not None:
            raise SettingError.of("noise", "nothing unless mechanism='noisy-max'", noise)
        return auto if mechanism == "auto" else mechanism
    return NOISES[one_of(noise or "exponential", "noise", tuple(NOISES))]


def _form(form: str) -> str:
    word: str = one_of(form, "form", ("exact", "textbook"))
    return word
