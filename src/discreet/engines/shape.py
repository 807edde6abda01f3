"""What every engine does around the one text: name columns, refuse what does not fit, put numbers in their places."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from discreet.engines.ask import (
    Ask,
    Cells,
    Cuts,
    Long,
    Named,
    Seen,
    Spread,
    Tally,
    Unlisted,
    Wide,
    columns_of,
    is_sparse,
    spreads,
)
from discreet.engines.frames import MIXED
from discreet.engines.numbers import Figure, cell, part, ticks
from discreet.engines.sql import Quote, flag_text, is_number, prints_alike
from discreet.errors import DataError

LARGEST = 2**62


def projected(ask: Ask, unit: str | None, quote: Quote, number: Callable[[str], Figure], source: str) -> str:
    """Write ``people``: the columns that are asked for, each under the name the common text calls it by.

    ``number`` writes a column that is read as a number. It is written once, below the rest, since engines work out anew
    what stands in several branches.

    >>> projected(Long(Named("trip", ("zoo",))), "pupil", "<{}>".format, lambda column: Figure(column, column), "given")
    'SELECT <pupil> AS u, CAST(<trip> AS STRING) AS item FROM given'
    """
    figures: dict[str, Figure] = {}
    own = f"discreet_{secrets.token_hex(8)}"  # no column is called that

    def below(name: str) -> Figure:
        figures.setdefault(name, number(name))
        at = list(figures).index(name)
        return Figure(f"{own}_n{at}", f"{own}_r{at}")

    columns = _columns(ask, unit, quote, below)
    if figures:
        held = [f"{one.exact} AS {own}_n{at}, {one.real} AS {own}_r{at}" for at, one in enumerate(figures.values())]
        source = f"(SELECT *, {', '.join(held)} FROM {source}) AS figured"  # noqa: S608 - quoted names
    return f"SELECT {columns} FROM {source}"  # noqa: S608 - quoted names


def _columns(ask: Ask, unit: str | None, quote: Quote, number: Callable[[str], Figure]) -> str:
    columns = [f"{quote(unit)} AS u"] if unit else []
    if isinstance(ask, Unlisted):
        columns.append(f"CAST({quote(ask.column)} AS STRING) AS item")
    elif isinstance(ask, Long):
        columns.append(f"{_placed(ask.item, quote, number)} AS item")
        columns += [f"{ticks(number(ask.amount.column), ask.amount)} AS a"] if ask.amount else []
    else:
        columns += [f"{flag_text(flag, quote, number)} AS f{place}" for place, flag in enumerate(ask.flags)]
    columns += [f"CAST({quote(ask.by.column)} AS STRING) AS home"] if ask.by else []
    return ", ".join(columns)


def _placed(item: Named | Cells | Cuts, quote: Quote, number: Callable[[str], Figure]) -> str:
    match item:
        case Named():
            return f"CAST({quote(item.column)} AS STRING)"
        case Cells():
            return cell(number(item.column), item)
        case Cuts():
            return part(number(item.column), item)


def places(ask: Ask) -> dict[str, Named]:
    """Return the public candidates and groups of an ask, by the names the common text calls them by.

    >>> list(places(Long(Named("trip", ("zoo",)), by=Named("school", ("north",)))))
    ['wanted', 'homes']
    """
    sought = {"wanted": ask.item if isinstance(ask, Long) else None, "homes": ask.by}
    return {name: named for name, named in sought.items() if isinstance(named, Named)}


def fitting(ask: Ask | None, unit: str | None, known: Mapping[str, str]) -> None:
    """Refuse columns that are not there, or whose text or number is not the same everywhere.

    >>> fitting(None, "pupil", {"pupil": "DOUBLE"})
    Traceback (most recent call last):
    discreet.errors.DataError: column: wanted text, whole numbers, ... got 'pupil' of type DOUBLE, ...; write it as text
    """
    wanted = {} if ask is None else columns_of(ask)
    for column, use in [*([(unit, "text")] if unit else []), *wanted.items()]:
        fits(known, column, use)


def fits(known: Mapping[str, str], column: str, use: str) -> None:
    """Refuse one column that is not there, or does not fit its use.

    >>> fits({"trip": "VARCHAR"}, "tripp", "text")
    Traceback (most recent call last):
    discreet.errors.DataError: column: wanted one of trip; got 'tripp'
    """
    if column not in known:
        names = ", ".join(known) if len(known) <= 20 else f"{', '.join(list(known)[:20])} and {len(known) - 20} more"
        raise DataError(f"column: wanted one of {names}; got {column[:60]!r}")
    kind, shown = known[column], f"{column[:60]!r} of type {known[column][:60]}"
    if kind == MIXED:
        remedy = "whose type one row could change for all; use astype('string')"
        raise DataError(f"column: wanted one type, got {column[:60]!r} of mixed Python objects, {remedy}")
    if use == "text" and not prints_alike(kind):
        remedy = "whose text differs from engine to engine; write it as text"
        raise DataError(
            f"column: wanted text, whole numbers, decimals, booleans, dates or times, got {shown}, {remedy}"
        )
    if use == "number" and not is_number(kind):
        raise DataError(f"column: wanted numbers, or text that says them, got {shown}")


def filled(found: Sequence[Sequence[Any]], ask: Ask) -> Tally:
    """Put what was counted in its places; what was not found is 0.

    >>> filled([(0, 1, 5)], Long(Named("trip", ("zoo", "lake")))).tolist()
    [[0, 5]]
    """
    if isinstance(ask, Unlisted):
        return _seen(found)
    return _spread(found, ask) if is_sparse(ask) else _counted(found, ask)


def _counted(found: Sequence[Sequence[Any]], ask: Long | Wide) -> Tally:
    groups, size = (ask.by.size if ask.by else 1), (ask.item.size if isinstance(ask, Long) else ask.size)
    huge = any(abs(number or 0) > LARGEST for row in found for number in row)
    whole = [[0] * size for _ in range(groups)] if huge else np.zeros((groups, size), dtype=np.int64)
    for group, *numbers in found:
        if isinstance(ask, Long):
            place, number = numbers
            whole[group][place] = int(number or 0)
        else:
            whole[group][:] = [int(number or 0) for number in numbers]
    return whole if isinstance(whole, np.ndarray) else np.array(whole, dtype=object)


def _seen(found: Sequence[Sequence[Any]]) -> Tally:
    items, people = zip(*found, strict=True) if found else ((), ())
    return spreads([Seen(items, people)])


def _spread(found: Sequence[Sequence[Any]], ask: Ask) -> Tally:
    counts: list[dict[int, int]] = [{} for _ in range(ask.by.size if ask.by else 1)]
    for group, place, people in found:
        counts[group][place] = people
    return spreads([Spread.of(one) for one in counts])
