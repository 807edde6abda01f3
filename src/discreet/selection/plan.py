"""Which mechanism, at which rate, for which promise: from public settings alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias, TypedDict, Unpack, cast, get_args

from discreet.errors import SettingError
from discreet.exact import Number, nonnegative, positive
from discreet.guarantees import Guarantee, Pure, Zcdp
from discreet.mechanisms import Exponential, NoisyMax, NoisyMaxWithGap, Peel, PermuteAndFlip, Unequal, Weighted
from discreet.selection.entries import Entries
from discreet.sensitivity import Neighbours, Sensitivity, one_of

Chosen: TypeAlias = Exponential | PermuteAndFlip | NoisyMax | NoisyMaxWithGap | Weighted | Unequal | Peel
MECHANISMS = ("auto", "exponential", "permute-and-flip", "noisy-max")
NOISES = ("exponential", "gumbel", "laplace")


class Settings(TypedDict, total=False):
    """The words of ``select`` that decide what is promised; all of them are public.

    >>> Settings(epsilon=1, scores="counts")
    {'epsilon': 1, 'scores': 'counts'}
    """

    epsilon: Number | None
    rho: Number | None
    guarantee: Guarantee | None
    sensitivity: Number | Sequence[Number] | Mapping[Any, Number] | None
    range: Number | None
    monotonic: bool
    scores: str | None
    neighbours: str | None
    normaliser: str
    mechanism: str
    noise: str | None
    gap: Number | None
    prior: Sequence[Number] | Mapping[Any, Number] | None


@dataclass(frozen=True, slots=True)
class Plan:
    """A mechanism, how far one person moves the scores, and so what is promised.

    >>> one = Sensitivity.of(range=1)
    >>> Plan.of(Exponential(Fraction(1)), one).guarantee
    Range(epsilon=Fraction(1, 1))
    """

    mechanism: Chosen
    sensitivity: Sensitivity
    guarantee: Guarantee

    @classmethod
    def of(cls, mechanism: Chosen, sensitivity: Sensitivity) -> "Plan":
        """Put down the mechanism with its promise."""
        return cls(mechanism, sensitivity, mechanism.promise(sensitivity))


def plan(entries: Entries, count: int | None = None, **settings: Unpack[Settings]) -> Plan:
    """Return what the settings ask for; ``count`` asks for that many winners.

    >>> from discreet.selection.entries import read
    >>> plan(read([3, 1]), epsilon=1, sensitivity=1).mechanism
    PermuteAndFlip(rate=Fraction(1, 2))
    """
    for name in settings:
        if name not in Settings.__annotations__:
            raise TypeError(f"unexpected keyword {name!r}; the settings are {', '.join(Settings.__annotations__)}")
    if _is_one_each(settings.get("sensitivity")):
        return _with_steps(entries, count, **settings)
    if settings.get("prior") is not None:
        return _with_prior(entries, count, **settings)
    try:
        return _cached(entries.known, entries.tick, count, **settings)
    except TypeError:  # a setting that cannot be hashed is no setting
        for name, value in settings.items():
            if hasattr(value, "__len__") and not isinstance(value, str):
                raise SettingError.of(name, "one value", value) from None
        return _equal(entries.known, entries.tick, count, **settings)


def _equal(known: Sensitivity | None, tick: Fraction, count: int | None, **settings: Unpack[Settings]) -> Plan:
    goal, sensitivity = target(settings), sensitivity_of(known, settings)
    gap = settings.get("gap")
    if gap is not None:
        grid = positive(gap, "gap", "a number above 0, the public grid the gap is rounded down to")
        settings["gap"] = grid / tick  # read in points, kept in stored units
    return Plan.of(_mechanism(goal, sensitivity, count, settings), sensitivity)


_cached: Callable[..., Plan] = lru_cache(maxsize=256, typed=True)(_equal)


def under(rule: str | None, settings: Settings) -> Settings:
    """Return the settings with what ``auto`` means where releases are added up by a ledger's rule.

    >>> under("zcdp", {"epsilon": 1}), under("pure", {"epsilon": 1})
    ({'epsilon': 1, 'mechanism': 'exponential'}, {'epsilon': 1})

    By rho, and in a plan, a bounded range costs a quarter of what permute-and-flip does at the same epsilon.
    """
    if rule in {None, "pure"} or settings.get("mechanism", "auto") != "auto":
        return settings
    return {**settings, "mechanism": "exponential"}


def target(settings: Settings) -> Guarantee:
    """Return the guarantee asked for, in whichever of the three words.

    >>> target({"epsilon": "0.5"})
    Pure(epsilon=Fraction(1, 2))
    """
    words = [name for name in ("epsilon", "rho", "guarantee") if settings.get(name) is not None]
    if len(words) != 1:
        raise SettingError(f"epsilon: wanted one of epsilon=, rho= or guarantee=, got {' and '.join(words) or 'none'}")
    wanted = settings.get("guarantee")
    if words == ["epsilon"]:
        return Pure(positive(settings.get("epsilon"), "epsilon"))
    if words == ["rho"]:
        return Zcdp(positive(settings.get("rho"), "rho"))
    if not isinstance(wanted, Guarantee):
        raise SettingError.of(
            "guarantee", "a guarantee such as Pure(...), Range(...), Zcdp(...) or Approx(...)", wanted
        )
    return wanted


def sensitivity_of(known: Sensitivity | None, settings: Settings) -> Sensitivity:
    """Return how far one person moves the scores: what is known of them, or what the caller says.

    >>> sensitivity_of(None, {"scores": "counts"}).gap
    Fraction(1, 1)
    """
    family, neighbours = settings.get("scores"), settings.get("neighbours")
    if known is not None or family is not None:
        _nothing_beside("scores", known is not None and family is not None, settings)
    if known is not None:
        if neighbours not in {None, known.neighbours}:
            raise SettingError.of("neighbours", f"{known.neighbours!r}, for which these scores were made", neighbours)
        return known
    if family is not None:
        from discreet.scores import named  # noqa: PLC0415 - only named families need the room

        return named(family, relation(neighbours))
    return Sensitivity.of(
        sensitivity=settings.get("sensitivity"),  # type: ignore[arg-type]
        range=settings.get("range"),
        monotonic=settings.get("monotonic", False),
        neighbours=relation(neighbours),
        normaliser=settings.get("normaliser", "varies"),
    )


def _nothing_beside(word: str, twice: bool, settings: Settings) -> None:  # noqa: FBT001
    usual = {"monotonic": False, "normaliser": "varies"}
    extra = [
        name
        for name in ("sensitivity", "range", "monotonic", "normaliser")
        if settings.get(name, usual.get(name)) != usual.get(name)
    ]
    extra += [word] if twice else []
    if extra:
        raise SettingError(
            f"{' and '.join(extra)}: wanted nothing, since these scores know how far one person moves them"
        )


def _mechanism(goal: Guarantee, sensitivity: Sensitivity, count: int | None, settings: Settings) -> Chosen:
    kind, noise, gap = settings.get("mechanism", "auto"), settings.get("noise"), settings.get("gap")
    one_of(kind, "mechanism", MECHANISMS)
    if noise is not None and kind != "noisy-max":
        raise SettingError.of("noise", "nothing unless mechanism='noisy-max'", noise)
    if noise is not None:
        one_of(noise, "noise", NOISES)
    if kind == "auto":
        saves = count is None and sensitivity.normaliser == "constant" and sensitivity.step < sensitivity.gap
        kind = "permute-and-flip" if isinstance(goal, Pure) and not saves else "exponential"
    if count is not None:
        return _rounds(goal, sensitivity, count, kind, gap)
    if gap is not None:
        added = {"exponential": "gumbel", "permute-and-flip": "exponential"}.get(kind, noise or "exponential")
        return NoisyMaxWithGap.calibrate(goal, sensitivity, added, Fraction(gap))  # type: ignore[arg-type]
    match kind:
        case "exponential":
            return Exponential.calibrate(goal, sensitivity)
        case "permute-and-flip":
            return PermuteAndFlip.calibrate(goal, sensitivity)
        case _:
            return NoisyMax.calibrate(goal, sensitivity, noise or "exponential")  # type: ignore[arg-type]


def _rounds(goal: Guarantee, sensitivity: Sensitivity, count: int, kind: str, gap: object) -> Peel:
    if kind == "noisy-max" or gap is not None:
        came = "a gap" if gap is not None else repr(kind)
        raise SettingError(f"mechanism: wanted 'exponential' or 'permute-and-flip', which can be peeled, got {came}")
    return Peel.calibrate(goal, sensitivity, count, Exponential if kind == "exponential" else PermuteAndFlip)


def _with_prior(entries: Entries, count: int | None, **settings: Unpack[Settings]) -> Plan:
    _exponential_only("prior", count, settings)
    prior = _aligned(entries, settings.get("prior"), "prior", nonnegative)
    sensitivity = sensitivity_of(entries.known, settings)
    return Plan.of(Weighted.calibrate(target(settings), sensitivity, prior), sensitivity)


def _with_steps(entries: Entries, count: int | None, **settings: Unpack[Settings]) -> Plan:
    _exponential_only("sensitivity for each candidate", count, settings)
    if entries.known is not None or any(settings.get(name) for name in ("range", "monotonic", "scores", "prior")):
        raise SettingError("sensitivity: wanted nothing beside one number a candidate; got more said of the scores")
    steps = _aligned(entries, settings.get("sensitivity"), "sensitivity", positive)
    unit = Sensitivity.of(sensitivity=1, neighbours=relation(settings.get("neighbours")))
    return Plan.of(Unequal.calibrate(target(settings), steps), unit)


def _exponential_only(name: str, count: int | None, settings: Settings) -> None:
    kind = one_of(settings.get("mechanism", "auto"), "mechanism", MECHANISMS)
    if kind not in {"auto", "exponential"} or count is not None or settings.get("gap") is not None:
        raise SettingError(f"mechanism: wanted 'exponential', one winner and no gap with a {name}")


def _aligned(entries: Entries, given: Any, name: str, read: Callable[[object, str], Fraction]) -> tuple[Fraction, ...]:
    given = given.to_dict() if hasattr(given, "to_dict") else given  # a pandas Series, labelled
    if isinstance(given, Mapping):
        rows = cast("Mapping[Any, Number]", given)
        missing = sum(entries.label(place) not in rows for place in range(len(entries)))
        if missing:
            raise SettingError(f"{name}: wanted a number for every candidate, got none for {missing} of them")
        return tuple(_each(read, rows[entries.label(place)], name) for place in range(len(entries)))
    if not _is_one_each(given) or type(given) in {set, frozenset}:
        raise SettingError.of(name, f"{len(entries.candidates)} numbers, one a candidate", given)
    if len(given) != len(entries.candidates):
        raise SettingError.of(name, f"{len(entries.candidates)} numbers, one a candidate", len(given))
    return tuple(_each(read, given[entries.places[place]], name) for place in range(len(entries)))


def _each(read: Callable[[object, str], Fraction], value: object, name: str) -> Fraction:
    """Read one number of many; whoever passes the scores here by mistake must not find one in the message."""
    try:
        return read(value, name)
    except SettingError:
        pass
    raise SettingError(f"{name}: wanted a number {'from 0' if name == 'prior' else 'above 0'} for every candidate")


def _is_one_each(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) == 1


def relation(neighbours: str | None) -> Neighbours:
    """Read the neighbour relation; nothing said means add-remove.

    >>> relation(None)
    'add-remove'
    """
    word: Neighbours = one_of("add-remove" if neighbours is None else neighbours, "neighbours", get_args(Neighbours))
    return word
