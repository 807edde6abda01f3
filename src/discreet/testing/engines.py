"""A contract for engines: the counts of a plain loop over the rows, whatever their order, and whoever else is there."""

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from discreet.engines.ask import (
    Ask,
    Cells,
    Cuts,
    Differs,
    Fails,
    Flag,
    Holds,
    Long,
    Named,
    Seen,
    Spread,
    Tally,
    Unlisted,
    Wide,
    is_sparse,
    spreads,
)
from discreet.engines.numbers import FINE
from discreet.exact import number

Rows: TypeAlias = Sequence[Mapping[str, Any]]
Count: TypeAlias = Callable[[Rows, Ask, str | None, str], Tally]
"""How the engine under test counts rows."""

YES = {"true", "t", "yes", "y", "1", "1.0"}
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def check_engine(count: Count, rows: Rows, ask: Ask, unit: str | None, key: str) -> None:
    """Raise AssertionError if an engine counts other than a loop does, forwards or backwards.

    >>> check_engine(by_loop, [{"trip": "zoo"}], Long(Named("trip", ("zoo",))), None, "")
    """
    expected = listed(by_loop(rows, ask, unit, key))
    for order in (rows, rows[::-1]):
        if listed(count(order, ask, unit, key)) != expected:
            raise AssertionError(f"an engine counts otherwise than a loop: {ask}, unit {unit!r}")


def by_loop(rows: Rows, ask: Ask, unit: str | None, key: str) -> Tally:
    """Count in plain Python, one person after the other.

    >>> rows = [{"who": 1, "trip": "zoo"}, {"who": 1, "trip": "lake"}, {"who": 2, "trip": "zoo"}]
    >>> by_loop(rows, Long(Named("trip", ("zoo", "lake")), at_most=2), "who", "").tolist()
    [[2, 1]]
    """
    if isinstance(ask, Unlisted):
        return spreads([_seen(rows, ask, unit, key)])
    totals: list[dict[int, int]] = [{} for _ in range(ask.by.size if ask.by else 1)]
    for person, owned in _people(rows, unit).items():
        settled = _at_home(owned, ask, str(person), key, alone=unit is None)
        kept = (
            _long(settled, ask, str(person), key, alone=unit is None) if isinstance(ask, Long) else _wide(settled, ask)
        )
        for (group, place), number_of in kept.items():
            totals[group][place] = totals[group].get(place, 0) + number_of
    if is_sparse(ask):
        return spreads([Spread.of(counts) for counts in totals])
    size = ask.item.size if isinstance(ask, Long) else ask.size
    return np.array([[counts.get(place, 0) for place in range(size)] for counts in totals], dtype=object)


def _seen(rows: Rows, ask: Unlisted, unit: str | None, key: str) -> Seen:
    counts: Counter[str] = Counter()
    for person, owned in _people(rows, unit).items():
        items = {_text(row[ask.column]) for row in owned if row[ask.column] is not None}
        turns = sorted(items, key=lambda item: (_whole_digest(f"{key}/{person}/{item}"), item))
        counts.update(turns if unit is None else turns[: ask.at_most])
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[: ask.most]
    return Seen(tuple(item for item, _ in ranked), tuple(people for _, people in ranked))


def listed(tally: Tally) -> list[Any]:
    """Return a tally as plain lists, to compare.

    >>> listed(spreads([Spread.of({3: 1})]))
    [[[3], [1]]]
    """
    return [_plainly(row) for row in tally]


def _plainly(row: Any) -> Any:
    if isinstance(row, Spread):
        return [part.tolist() for part in row]
    return [list(part) for part in row] if isinstance(row, Seen) else row.tolist()


def _people(rows: Rows, unit: str | None) -> dict[Any, list[Mapping[str, Any]]]:
    found: dict[Any, list[Mapping[str, Any]]] = {}
    for place, row in enumerate(rows):
        person = place if unit is None else row[unit]
        if person is not None:
            found.setdefault(_text(person) if unit else person, []).append(row)
    return found


def _at_home(
    owned: list[Mapping[str, Any]], ask: Ask, person: str, key: str, *, alone: bool
) -> list[tuple[int, Mapping[str, Any]]]:
    """Keep the rows of one group: of those in which the person has something to count, the first by keyed hash."""
    if ask.by is None:
        return [(0, row) for row in owned]
    named = [(ask.by.among.index(text), row) for row in owned if (text := _text(row[ask.by.column])) in ask.by.among]
    counted = {group for group, row in named if not isinstance(ask, Long) or _counts(ask, row)}
    if alone or not counted:
        return named
    home = min(counted, key=lambda group: (_digest(f"{key}/home/{person}/{group}"), group))
    return [(group, row) for group, row in named if group == home]


def _long(
    settled: list[tuple[int, Mapping[str, Any]]], ask: Long, person: str, key: str, *, alone: bool
) -> dict[tuple[int, int], int]:
    sums: dict[tuple[int, int], int] = {}
    for group, row in settled:
        place = _place(ask, row)
        amount = 1 if ask.amount is None else _ticks(ask, row)
        if place is not None and amount is not None:
            sums[group, place] = sums.get((group, place), 0) + amount if ask.amount else 1
    if ask.amount:
        sums = {at: max(ask.amount.low, min(ask.amount.high, total)) for at, total in sums.items()}
    if alone or not ask.capped:
        return sums
    turns = sorted(sums, key=lambda at: (_digest(f"{key}/{person}/{at[1]}"), at[1]))
    return {at: sums[at] for at in turns[: ask.at_most]}


def _wide(settled: list[tuple[int, Mapping[str, Any]]], ask: Wide) -> dict[tuple[int, int], int]:
    found: dict[tuple[int, int], int] = {}
    for group, row in settled:
        for place, flag in enumerate(ask.flags):
            found[group, place] = max(found.get((group, place), 0), int(_flag(flag, row)))
    return found


def _place(ask: Long, row: Mapping[str, Any]) -> int | None:
    value = row[ask.item.column]
    if isinstance(ask.item, Named):
        text = _text(value)
        return ask.item.among.index(text) if text in ask.item.among else None if value is None else ask.item.other
    return _part(value, ask.item) if isinstance(ask.item, Cuts) else _cell(value, ask.item)


def _counts(ask: Long, row: Mapping[str, Any]) -> bool:
    return _place(ask, row) is not None and (ask.amount is None or _ticks(ask, row) is not None)


def _cell(value: Any, cells: Cells) -> int | None:
    real = _real(value)
    if real is None:
        return None
    if real < cells.low:
        return 0 if cells.below == "first" else None
    top = cells.low + (cells.size - 1) * cells.step
    return cells.size - 1 if real >= top else int((_fine(real) - cells.low) // cells.step)


def _part(value: Any, cuts: Cuts) -> int | None:
    real = _real(value)
    if real is None:
        return None
    read = real if isinstance(real, float) else _fine(real)
    return sum(point < read for point in cuts.points)


def _ticks(ask: Long, row: Mapping[str, Any]) -> int | None:
    assert ask.amount is not None  # noqa: S101 - for the type checkers
    low, high, tick = ask.amount.low, ask.amount.high, ask.amount.tick
    place = _cell(row[ask.amount.column], Cells("", low * tick, tick, high - low + 1))
    return None if place is None else place + low


def _flag(flag: Flag, row: Mapping[str, Any]) -> bool:
    match flag:
        case Holds(column=column):
            return _says_yes(row[column])
        case Differs(column=column, truth=truth):
            return row[column] is None or row[truth] is None or _text(row[column]) != _text(row[truth])
        case Fails(column=column, comparison=comparison, value=value, truth=truth):
            own = _text(row[column]) if isinstance(value, str) else _real(row[column])
            said = row[column] is not None and own is not None and COMPARE[comparison](own, value)
            return said != _says_yes(row[truth])


def _says_yes(value: Any) -> bool:
    return value is not None and _text(value).lower() in YES


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _real(value: Any) -> Fraction | float | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return value if isinstance(value, float) and math.isinf(value) else number(value)


def _fine(value: Fraction | float) -> Fraction:
    return Fraction(round(Fraction(value) * FINE), FINE)


def _digest(text: str) -> str:
    return _whole_digest(text)[:12]


def _whole_digest(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
