"""What the caller handed over, read as labels and exact hidden scores."""

import math
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import numpy as np

from discreet.counts import labels, say
from discreet.errors import DataError, SettingError
from discreet.exact import flag
from discreet.sampling.column import Column, is_array
from discreet.sampling.levels import Candidates
from discreet.sensitivity import Sensitivity

if TYPE_CHECKING:
    from discreet.scores.base import Runs, Scores


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Entries:
    """Candidates and their hidden scores, larger is better; ``known`` where the scores know how far they move.

    >>> Entries(range(2), Column.of([3, 1]), range(2))
    Entries(2 candidates)
    """

    candidates: Sequence[Hashable]
    column: Candidates
    places: Sequence[int]
    known: Sensitivity | None = None
    tick: Fraction = Fraction(1)

    def __repr__(self) -> str:
        return f"Entries({say(len(self.column))})"

    def __len__(self) -> int:
        return len(self.column)

    def label(self, position: int) -> Hashable:
        """Return the label of a candidate, as given."""
        return self.candidates[self.places[position]]


def read(
    values: object, candidates: Iterable[Hashable] | None = None, *, maximize: bool = True, infinite: str = "refuse"
) -> Entries:
    """Read a list, dict, Series, array of any real dtype, or ``Scores``; nothing is rounded and nothing is shown.

    >>> read({"smith": 310, "jones": 295}).label(1)
    'jones'
    """
    names, numbers = _split(values, candidates)
    if len(numbers) == 0:
        raise SettingError.of("candidates", "at least one", [])
    if names is not None and len(names) != len(numbers):
        raise SettingError.of("candidates", f"{len(numbers)} labels, one a score", len(names))
    everyone = range(len(numbers)) if names is None else names
    best_is_most = flag(maximize, "maximize")
    numbers, places = _possible(numbers, infinite, maximize=best_is_most)
    column = _column(numbers)
    column = column if best_is_most else column.negated()
    if _is_scores(values):
        return Entries(everyone, column, places, values.sensitivity, values.tick)
    return Entries(everyone, column, places)


def _column(numbers: Any) -> Candidates:
    if not _in_runs(numbers):
        column = Column.of(numbers)
        column.tops()  # refuses what is not finite, before anything is charged or drawn
        return column
    from discreet.domains.runs import levels_of  # noqa: PLC0415 - whoever scores a line waits for it, nobody else

    return levels_of(numbers)


def _in_runs(numbers: object) -> "TypeGuard[Runs]":
    room = sys.modules.get("discreet.scores.base")
    return room is not None and isinstance(numbers, room.Runs)


def _is_scores(values: object) -> "TypeGuard[Scores]":
    room = sys.modules.get("discreet.scores.base")  # whoever has made scores has imported it; nobody else need wait
    return room is not None and isinstance(values, room.Scores)


def _split(values: Any, candidates: Iterable[Hashable] | None) -> tuple[Sequence[Hashable] | None, Any]:
    """Return the labels (None means positions) and the numbers."""
    given = None if candidates is None else labels(candidates)
    own, numbers = _labelled(values)
    if own is not None and given is not None:
        raise SettingError("candidates: wanted nothing, since these scores come with labels; got labels as well")
    return (own if given is None else given), numbers


def _labelled(values: Any) -> tuple[Sequence[Hashable] | None, Any]:
    if _is_scores(values):
        return values.candidates, values.values
    if isinstance(values, Mapping):
        rows = cast("Mapping[Hashable, Any]", values)
        return tuple(rows), list(rows.values())
    kind = type(values).__name__
    if isinstance(values, str | bytes | set | frozenset) or not hasattr(values, "__iter__"):
        remedy = "; discreet.scores.by_count makes scores of it" if kind == "Counts" else ""
        raise DataError(f"scores: wanted a list, dict, Series or array of numbers, got {kind}{remedy}")
    if getattr(values, "ndim", 1) != 1:
        raise DataError(f"scores: wanted one dimension, got {values.ndim}")
    if hasattr(values, "to_numpy"):  # a pandas or Polars Series, neither of which we import
        return _index(values), values.to_numpy()
    return None, values if is_array(values) and values.dtype.kind != "O" else list(values)


def _is(number: object, never: float) -> bool:
    """Whether a number of any kind is the infinity that stands for never."""
    if isinstance(number, Decimal):
        return number.is_infinite() and float(number) == never
    return bool(isinstance(number, float | np.floating) and number == never)


def _index(series: Any) -> Sequence[Hashable] | None:
    index = getattr(series, "index", None)
    if index is None or not hasattr(index, "is_unique"):
        return None
    if not index.is_unique:
        raise SettingError("candidates: wanted each named once, got an index that repeats a label")
    found: Sequence[Hashable] = index
    return found


def _possible(numbers: Any, infinite: object, *, maximize: bool) -> tuple[Any, Sequence[int]]:
    """Set aside the candidates scored as never to be chosen, where the caller says that this is public."""
    if not isinstance(infinite, str) or infinite not in {"refuse", "never"}:
        raise SettingError.of("infinite", "'refuse', or 'never' where infinitely bad scores are public", infinite)
    if infinite == "refuse" or _in_runs(numbers):  # no family makes infinite scores
        return numbers, range(len(numbers))
    never = -math.inf if maximize else math.inf
    if is_array(numbers) and numbers.dtype.kind == "f":
        places: Sequence[int] = np.flatnonzero(numbers != never).tolist()
    else:
        places = [place for place, number in enumerate(numbers) if not _is(number, never)]
    if not places:
        raise DataError("scores: wanted at least one candidate that may be chosen")
    return (numbers[places] if is_array(numbers) else [numbers[place] for place in places]), places
