"""What came out of a table: one hidden whole number a candidate, and how much of it one person can be.

The numbers stay inside: printing, logging or failing shows how many candidates there are and nothing else.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError, SettingError
from discreet.exact import whole
from discreet.sensitivity import Neighbours

Labels: TypeAlias = Sequence[Hashable]
"""The candidates, as the caller named them, in the caller's order."""


@dataclass(frozen=True, slots=True, repr=False, eq=False, init=False)
class Counts:
    """How many people stand behind each candidate; one person stands behind at most ``at_most``, once each.

    >>> Counts(["flu", "cold"], [812, 7], at_most=1)
    Counts(2 candidates, at_most=1, add-remove)

    Two counts are never compared, hashed or printed by value, since each of these would show private numbers.
    """

    candidates: Labels
    values: NDArray[np.int64]
    at_most: int
    neighbours: Neighbours

    def __init__(
        self,
        candidates: Iterable[Hashable],
        values: Sequence[int] | NDArray[Any],
        at_most: int = 1,
        neighbours: Neighbours = "add-remove",
    ) -> None:
        names = labels(candidates)
        if neighbours not in get_args(Neighbours):
            raise SettingError.of("neighbours", " or ".join(map(repr, get_args(Neighbours))), neighbours)
        object.__setattr__(self, "candidates", names)
        object.__setattr__(self, "values", _column(values, len(names)))
        object.__setattr__(self, "at_most", whole(at_most, "at_most"))
        object.__setattr__(self, "neighbours", neighbours)

    def __repr__(self) -> str:
        return f"Counts({say(len(self.candidates))}, at_most={self.at_most}, {self.neighbours})"

    def __len__(self) -> int:
        return len(self.candidates)


def labels(candidates: Iterable[Hashable], name: str = "candidates") -> Labels:
    """Return the candidates in the order given, each named once; a ``range`` stays a range.

    >>> labels(["flu", "cold"])
    ('flu', 'cold')
    >>> labels(["flu", "flu"])
    Traceback (most recent call last):
    discreet.errors.SettingError: candidates: wanted each named once; at least one is named twice
    """
    if isinstance(candidates, (str, bytes)):
        raise SettingError.of(name, "a list of labels", candidates, "a text is one label: put it in a list")
    try:
        names = candidates if isinstance(candidates, range) else tuple(candidates)
    except TypeError:
        raise SettingError.of(name, "a list of labels", candidates) from None
    if not names:
        raise SettingError.of(name, "at least one", [])
    if not isinstance(names, range):
        _all_different(names, name)
    return names


def say(candidates: int) -> str:
    """Return the number of candidates as a person would say it.

    >>> say(1), say(1200)
    ('1 candidate', '1200 candidates')
    """
    return f"{candidates} candidate" + ("" if candidates == 1 else "s")


def _all_different(names: tuple[Hashable, ...], name: str) -> None:
    seen: set[Hashable] = set()
    for label in names:
        if label is None or label != label:  # noqa: PLR0124 - only NaN differs from itself
            raise SettingError.of(name, "labels other than None and NaN, which mean a missing value", label)
        try:
            again = label in seen
        except TypeError:
            raise SettingError.of(name, "labels that can be dictionary keys", label) from None
        if again:
            raise SettingError(f"{name}: wanted each named once; at least one is named twice")
        seen.add(label)


def _column(values: Sequence[int] | NDArray[Any], length: int) -> NDArray[np.int64]:
    given = np.asarray(values)
    if given.shape != (length,):
        raise SettingError.of("values", f"one count for each of {say(length)}", given.shape)
    if given.dtype.kind not in "iu" or (given.dtype == np.uint64 and bool((given > np.iinfo(np.int64).max).any())):
        raise DataError("values: counts are whole numbers of 64 bits")
    column = given.astype(np.int64)
    if bool((column < 0).any()):
        raise DataError("values: counts are not negative")
    column.flags.writeable = False
    return column
