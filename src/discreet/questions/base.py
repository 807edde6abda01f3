"""What a question is: a frozen record of public settings that knows what to count and how to score the counts."""

import datetime as dt
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from typing import Any, ClassVar, Protocol, cast

from discreet.counts import Labels, labels
from discreet.engines.ask import Ask, Named, Tally
from discreet.errors import SettingError
from discreet.exact import Number, number, plain, positive
from discreet.scores.base import Scores
from discreet.sensitivity import Neighbours

FINEST, LARGEST = Fraction(1, 10**9), 10**15
"""Tables are read to nine decimals, and numbers of this size are told apart exactly; so no grid is finer or larger."""
MOST_CELLS = 1_000_000
"""Points of a grid that are scored one by one."""


class Question(Protocol):
    """A question to a table. Everything in it is public.

    >>> Question.__name__
    'Question'
    """

    kind: ClassVar[str]
    points: ClassVar[str]
    noun: ClassVar[str]

    @property
    def by(self) -> str | None:
        """The public column of disjoint groups, if there is to be an answer for each."""
        ...

    @property
    def groups(self) -> Labels:
        """The public groups; nothing if there are none."""
        ...

    @property
    def candidates(self) -> Labels:
        """What may be answered."""
        ...

    @property
    def winners(self) -> int | None:
        """How many different candidates are asked for; None for one."""
        ...

    def ask(self) -> Ask:
        """Return what is to be counted."""
        ...

    def sentence(self) -> str:
        """Say what is asked."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the question as JSON-ready values."""
        ...


class Listed(Question, Protocol):
    """A question whose answers are candidates that can be scored one by one.

    >>> Listed.__name__
    'Listed'
    """

    def scores(self, tally: Tally, neighbours: Neighbours) -> Scores:
        """Score what was counted, for one group."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped:
    """Words all questions share: ``by`` a public column, one answer for each of the public ``groups``.

    >>> Grouped(by="school", groups=["north", "south"]).home()
    Named(column='school', among=('north', 'south'), other=None)
    """

    points: ClassVar[str] = "people"
    """What a point of score is."""
    noun: ClassVar[str] = "winner"
    """What is answered: a winner, or an answer where it is a number."""
    by: str | None = None
    groups: Labels = ()

    def __post_init__(self) -> None:
        if (self.by is None) != (len(self.groups) == 0):
            raise SettingError("groups: wanted by= (a column) and groups= (the public groups in it), got one of them")
        if self.by is not None:
            column(self.by, "by")
            self._keep(groups=labels(self.groups, "groups"))
            self.home()
        self._keep(groups=tuple(self.groups))

    @property
    def winners(self) -> int | None:
        """How many different candidates are asked for; None for one."""
        return None

    def home(self) -> Named | None:
        """Return where a row's group stands."""
        return None if self.by is None else Named(self.by, texts(self.groups, "groups"))

    def for_each(self) -> str:
        """Say for which groups, in the end of a sentence."""
        return "" if self.by is None else f", for each of {len(self.groups)} {self.by}"

    def to_dict(self) -> dict[str, Any]:
        """Return the question as JSON-ready values."""
        kind: str = getattr(self, "kind", "question")
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        usual = {field.name: field.default for field in fields(self)}
        return {"question": kind} | {name: written(v) for name, v in given.items() if v != usual[name]}

    def _keep(self, **values: Any) -> None:
        """Put down settings as they were read; only a record that is being made may."""
        for name, value in values.items():
            object.__setattr__(self, name, value)


def written(value: Any) -> Any:
    """Return a setting as a JSON-ready value.

    >>> written(Fraction(1, 3)), written(("a", 1)), written(Decimal("0.50"))
    ('1/3', ['a', 1], '0.50')
    """
    match value:
        case None | bool() | str():
            return value
        case Integral():
            return int(value)
        case Fraction():
            return plain(value) if Fraction(plain(value).removeprefix("about ")) == value else str(value)
        case Mapping():
            return {str(name): written(item) for name, item in value.items()}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        case tuple() | list() | range():
            return [written(item) for item in cast("Iterable[Any]", value)]
        case _:
            return _text(value, "label") if isinstance(value, dt.date | Decimal) else str(value)


def texts(names: Iterable[Hashable], name: str) -> tuple[str, ...]:
    """Return labels as the text a table has for them.

    >>> texts(["zoo", 3, True, dt.date(2026, 1, 31), Decimal("1.50")], "among")
    ('zoo', '3', 'true', '2026-01-31', '1.50')
    """
    found = tuple(_text(label, name) for label in names)
    labels(found, name)
    return found


def column(value: object, name: str = "column") -> str:
    """Read the name of a column.

    >>> column("trip")
    'trip'
    """
    if not isinstance(value, str) or not value:
        raise SettingError.of(name, "the name of a column", value)
    return value


def fine(value: Fraction, name: str) -> Fraction:
    """Return a public cut or step, if tables can be read that finely.

    >>> fine(Fraction("0.01"), "step")
    Fraction(1, 100)
    """
    if value % FINEST or abs(value) > LARGEST:
        wanted = f"a decimal with at most nine digits after the point, and at most {LARGEST} in size"
        raise SettingError.of(name, wanted, value)
    return value


def grid(bounds: Any, step: Number, name: str, most: int = MOST_CELLS) -> tuple[Fraction, Fraction, Fraction]:
    """Read public bounds and a step.

    >>> grid((0, 1), "0.25", "bounds")
    (Fraction(0, 1), Fraction(1, 1), Fraction(1, 4))
    """
    ends: list[Any] = [] if isinstance(bounds, str) or not hasattr(bounds, "__len__") else list(bounds)
    if len(ends) != 2:
        raise SettingError(f"{name}: wanted two public numbers, the lowest and the highest, got others")
    low, high = (fine(number(end, name), name) for end in ends)
    stride = fine(positive(step, "step"), "step")
    if high <= low or (high - low) % stride:
        raise SettingError.of(name, f"a highest number that is {plain(low)} plus a few steps of {plain(stride)}", high)
    if (high - low) // stride >= most:
        raise SettingError.of("step", f"a grid of at most {most} points", step, "take a larger step")
    return low, high, stride


def listed(names: Labels, most: int = 5) -> str:
    """Name a few candidates, or say how many there are.

    >>> listed(["zoo", "lake"]), listed(range(99))
    ('zoo, lake', '99 candidates')
    """
    return ", ".join(map(str, names)) if len(names) <= most else f"{len(names)} candidates"


def _text(label: object, name: str) -> str:
    match label:
        case bool():
            return "true" if label else "false"
        case str() if not any("\ud800" <= character <= "\udfff" for character in label):
            return label
        case Integral():
            return str(int(label))
        case Decimal():
            return f"{label:f}"
        case dt.datetime() if label.tzinfo is None:
            whole, point, part = label.isoformat(sep=" ").partition(".")
            return whole + point + part.rstrip("0")
        case dt.date() if not isinstance(label, dt.datetime):
            return label.isoformat()
        case _:
            wanted = "texts of whole Unicode characters, whole numbers, True, False, decimals, dates"
            raise SettingError.of(name, wanted, label, "write others as the text the table has for them")
