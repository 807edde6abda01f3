"""What an engine is asked to count: records of public settings, the same for every engine.

``Long`` counts things that stand in rows (a row names one candidate, holds one number), ``Wide`` things that stand in
columns (a row says yes or no to each). Both give one whole number for each group and place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Comparison = Literal["<", "<=", ">", ">=", "==", "!="]


@dataclass(frozen=True, slots=True)
class Named:
    """Places are public texts; what is none of them drops, or counts for the place ``other``.

    >>> Named("trip", ("zoo", "lake")).size
    2
    """

    column: str
    among: tuple[str, ...]
    other: int | None = None

    @property
    def size(self) -> int:
        """How many places there are."""
        return len(self.among)


@dataclass(frozen=True, slots=True)
class Cells:
    """Places are the cells of a public grid: cell j holds the numbers from ``low + j * step`` on; the last all above.

    Numbers below ``low`` count for the first cell, or drop. What is no number drops.

    >>> Cells("wage", Fraction(0), Fraction(100), 11).size
    11
    """

    column: str
    low: Fraction
    step: Fraction
    size: int
    below: Literal["first", "drop"] = "first"
    sparse: bool = False
    """Whether the cells are too many to list, and are counted as a ``Spread``."""


@dataclass(frozen=True, slots=True)
class Cuts:
    """Places lie between public numbers that rise: place j holds what is at most number j and no earlier one.

    The last place holds all that is above every number. What is no number drops.

    >>> Cuts("wage", (Fraction(1), Fraction(10), Fraction(100))).size
    4
    """

    column: str
    points: tuple[Fraction, ...]

    @property
    def size(self) -> int:
        """How many places there are."""
        return len(self.points) + 1


@dataclass(frozen=True, slots=True)
class Amount:
    """What is added up instead of counting: whole ticks, clipped to ``low`` and ``high`` for each row and each sum.

    >>> Amount("paid", 0, 100, Fraction(1)).high
    100
    """

    column: str
    low: int
    high: int
    tick: Fraction


@dataclass(frozen=True, slots=True)
class Long:
    """Count people for each place; one person for at most ``at_most`` places (all of them if None), once each.

    >>> Long(Named("trip", ("zoo", "lake")), at_most=1).capped
    True
    """

    item: Named | Cells | Cuts
    at_most: int | None = 1
    amount: Amount | None = None
    by: Named | None = None

    @property
    def capped(self) -> bool:
        """Whether there is anything to keep back."""
        return self.at_most is not None and self.at_most < self.item.size


@dataclass(frozen=True, slots=True)
class Holds:
    """Yes where a column says so: true, t, yes, y, 1.

    >>> Holds("monday").column
    'monday'
    """

    column: str


@dataclass(frozen=True, slots=True)
class Differs:
    """Yes where the text of a column is not that of another, or either is missing.

    >>> Differs("predicted", "bought").truth
    'bought'
    """

    column: str
    truth: str


@dataclass(frozen=True, slots=True)
class Fails:
    """Yes where a comparison of a column with a public value does not agree with whether another column says yes.

    >>> Fails("age", ">=", Fraction(40), "bought").comparison
    '>='
    """

    column: str
    comparison: Comparison
    value: Fraction | str
    truth: str


Flag: TypeAlias = Holds | Differs | Fails


@dataclass(frozen=True, slots=True)
class Wide:
    """Count, for each flag, the people of whom any row says yes.

    >>> Wide((Holds("monday"), Holds("tuesday"))).size
    2
    """

    flags: tuple[Flag, ...]
    by: Named | None = None

    @property
    def size(self) -> int:
        """How many places there are."""
        return len(self.flags)


@dataclass(frozen=True, slots=True)
class Unlisted:
    """Count people for each text there is, a person for at most ``at_most``; only the ``most`` greatest leave.

    >>> Unlisted("article", at_most=3, most=1001).by is None
    True
    """

    column: str
    at_most: int
    most: int

    @property
    def by(self) -> None:
        """What nobody lists is not asked group by group."""


Ask: TypeAlias = Long | Wide | Unlisted


class Seen(NamedTuple):
    """The texts most people name, most first and ties in the order of texts, and how many name each: private.

    >>> Seen(("flu",), (812,)).items
    ('flu',)
    """

    items: tuple[str, ...]
    people: tuple[int, ...]


class Spread(NamedTuple):
    """The cells of a grid that anybody is in, in rising order, and how many people are in each: private.

    >>> Spread._fields
    ('places', 'people')
    """

    places: NDArray[np.int64]
    people: NDArray[np.int64]

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> "Spread":
        """Put counts in order.

        >>> Spread.of({7: 1, 3: 2}).people.tolist()
        [2, 1]
        """
        held = sorted(place for place, people in counts.items() if people)
        return cls(np.array(held, dtype=np.int64), np.array([counts[place] for place in held], dtype=np.int64))


Tally: TypeAlias = NDArray[Any]
"""Whole numbers, one row a group and one column a place, 64-bit where they fit. A row may be a ``Spread``, or what was
``Seen``."""


def spreads(rows: Sequence[Spread | Seen]) -> Tally:
    """Return one ``Spread`` a group, or what was ``Seen``, as a tally.

    >>> len(spreads([Spread.of({}), Spread.of({3: 1})]))
    2
    """
    made: Tally = np.empty(len(rows), dtype=object)
    for group, row in enumerate(rows):
        made[group] = row
    return made


class Engine(Protocol):
    """A table that can be counted. Rows without a unit, and rows that name no place, drop by these rules alone.

    >>> Engine.__name__
    'Engine'
    """

    def columns(self) -> Mapping[str, str]:
        """Return the columns and their types, as far as they are public."""
        ...

    def check(self, ask: Ask | None, unit: str | None) -> None:
        """Refuse what cannot be asked of these columns, without reading a row."""
        ...

    def tally(self, ask: Ask, unit: str | None, key: str) -> Tally:
        """Count; ``key`` is secret, and decides which of a person's places are kept."""
        ...


def is_sparse(ask: Ask) -> bool:
    """Return whether an ask is about more places than can be listed.

    >>> is_sparse(Long(Named("trip", ("zoo",))))
    False
    """
    return isinstance(ask, Long) and isinstance(ask.item, Cells) and ask.item.sparse


def columns_of(ask: Ask) -> dict[str, str]:
    """Return the columns an ask reads, and whether each must be compared by its ``text`` or read as a ``number``.

    >>> columns_of(Long(Named("item", ("a",)), amount=Amount("paid", 0, 9, Fraction(1))))
    {'item': 'text', 'paid': 'number'}
    """
    found: dict[str, str] = {}
    if isinstance(ask, Unlisted):
        return {ask.column: "text"}
    if isinstance(ask, Long):
        found[ask.item.column] = "text" if isinstance(ask.item, Named) else "number"
        if ask.amount:
            found[ask.amount.column] = "number"
    else:
        for flag in ask.flags:
            found |= _columns_of_flag(flag)
    return found | ({ask.by.column: "text"} if ask.by else {})


def _columns_of_flag(flag: Flag) -> dict[str, str]:
    match flag:
        case Holds(column=column):
            return {column: "any"}
        case Differs(column=column, truth=truth):
            return {column: "text", truth: "text"}
        case Fails(column=column, value=value, truth=truth):
            return {column: "text" if isinstance(value, str) else "number", truth: "any"}
