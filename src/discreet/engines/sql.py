"""The one text that counts, in the SQL that DuckDB and Spark share.

An engine quotes names away first: ``people`` has the columns ``u`` (the unit), ``item``, ``a`` (an amount), ``home`` (a
group) and ``f0, f1, ...`` (flags), as far as they are asked for. ``wanted`` and ``homes`` are the public candidates and
groups, each with its ``place``. Nothing else is ever put into the text but numbers and a key of hexadecimal digits.

Which places a person keeps is decided by a keyed hash of person and place: it depends on that person's rows alone, not
on the order of rows, on partitions or on the engine. Twelve of its digits order a person's few places as well as all
do, and fit where an engine need not look elsewhere for them.
"""

import hashlib
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias, assert_never

from discreet.engines.ask import Amount, Ask, Cells, Cuts, Differs, Fails, Flag, Holds, Long, Named, Unlisted, Wide

Quote: TypeAlias = Callable[[str], str]
"""How an engine writes a column: its name, quoted, or what stands for it."""

FINE = 10**9
"""Numbers are read to nine decimals, below 10**19; both engines subtract two such numbers without a rounding."""
YES = "('true', 't', 'yes', 'y', '1', '1.0')"

PRINTS_ALIKE = frozenset(
    {
        "BIGINT",
        "BOOLEAN",
        "DATE",
        "DECIMAL",
        "ENUM",
        "HUGEINT",
        "INTEGER",
        "SMALLINT",
        "TIME",
        "TIMESTAMP",
        "TINYINT",
        "UBIGINT",
        "UHUGEINT",
        "UINTEGER",
        "USMALLINT",
        "UTINYINT",
        "UUID",
        "VARCHAR",
        '"NULL"',
    }
)
"""Types whose text is the same in every engine. Floating-point numbers, binary data and nested values are not."""
NUMBERS = frozenset({"DOUBLE", "FLOAT"})


def text_of(ask: Ask, *, unit: bool, key: str) -> str:
    """Return what follows ``WITH people AS (...),`` for an ask.

    >>> text_of(Unlisted("article", 1, 3), unit=False, key="") == unlisted_text(
    ...     Unlisted("article", 1, 3), unit=False, key=""
    ... )
    True
    """
    match ask:
        case Long():
            return long_text(ask, unit=unit, key=key)
        case Wide():
            return wide_text(ask, unit=unit, key=key)
        case Unlisted():
            return unlisted_text(ask, unit=unit, key=key)
        case _:
            assert_never(ask)


def long_text(ask: Long, *, unit: bool, key: str) -> str:
    """Return what follows ``WITH people AS (...),`` for an ask in rows: ``g``, ``i`` and the number of each.

    >>> print(long_text(Long(Named("trip", ("zoo",))), unit=False, key=""))
    named AS (SELECT 0 AS g, wanted.place AS i FROM people JOIN wanted ON people.item = wanted.item)
    SELECT g, i, COUNT(*) AS n FROM named GROUP BY g, i
    """
    parts = [f"named AS ({_named(ask, unit=unit)})"]
    last = "named"
    if unit:
        parts.append(f"one AS ({_once(ask)})")
        last = "one"
        if ask.by:
            parts += _at_home(key)
            last = "settled"
        if ask.capped:
            parts.append(f"kept AS ({_kept(ask, last, key)})")
            last = "kept"
    number = "COUNT(*)" if ask.amount is None else "SUM(CAST(a AS DECIMAL(38, 0)))"  # 64 bits may not hold the sum
    return f"{', '.join(parts)}\nSELECT g, i, {number} AS n FROM {last} GROUP BY g, i"


def unlisted_text(ask: Unlisted, *, unit: bool, key: str) -> str:
    """Return what follows ``WITH people AS (...),`` for items nobody lists: the most named, and by how many.

    >>> print(unlisted_text(Unlisted("article", 1, 3), unit=False, key=""))
    named AS (SELECT item FROM people WHERE item IS NOT NULL)
    SELECT item, COUNT(*) AS n FROM named GROUP BY item ORDER BY n DESC, item LIMIT 3
    """
    person, needed = ("DISTINCT u, ", "u IS NOT NULL AND ") if unit else ("", "")
    parts = [f"named AS (SELECT {person}item FROM people WHERE {needed}item IS NOT NULL)"]  # noqa: S608 - fixed text
    last = "named"
    if unit:
        order = f"MD5(CONCAT('{key}/', CAST(u AS STRING), '/', item)), item"
        turn = f"ROW_NUMBER() OVER (PARTITION BY u ORDER BY {order}) AS turn"
        ranked = f"(SELECT item, {turn} FROM named) AS turns"  # noqa: S608 - fixed text, and a key of hexadecimal digits
        parts.append(f"kept AS (SELECT item FROM {ranked} WHERE turn <= {ask.at_most})")  # noqa: S608 - numbers
        last = "kept"
    most = f"ORDER BY n DESC, item LIMIT {ask.most}"
    return f"{', '.join(parts)}\nSELECT item, COUNT(*) AS n FROM {last} GROUP BY item {most}"


def wide_text(ask: Wide, *, unit: bool, key: str) -> str:
    """Return what follows ``WITH people AS (...),`` for an ask in columns: ``g``, and the number of each flag.

    >>> print(wide_text(Wide((Holds("mon"), Holds("tue"))), unit=False, key=""))
    named AS (SELECT 0 AS g, f0, f1 FROM people)
    SELECT g, SUM(f0), SUM(f1) FROM named GROUP BY g
    """
    flags = [f"f{place}" for place in range(ask.size)]
    group, joined = ("homes.place", " JOIN homes ON people.home = homes.item") if ask.by else ("0", "")
    person = "u, " if unit else ""
    parts = [f"named AS (SELECT {person}{group} AS g, {', '.join(flags)} FROM people{joined})"]  # noqa: S608 - fixed text
    last = "named"
    if unit:
        most = ", ".join(f"MAX({flag}) AS {flag}" for flag in flags)
        parts.append(f"one AS (SELECT u, g, {most} FROM named WHERE u IS NOT NULL GROUP BY u, g)")  # noqa: S608
        last = "one"
        if ask.by:
            parts += _at_home(key)
            last = "settled"
    sums = ", ".join(f"SUM({flag})" for flag in flags)
    return f"{', '.join(parts)}\nSELECT g, {sums} FROM {last} GROUP BY g"


def _named(ask: Long, *, unit: bool) -> str:
    place, joined, needed = "people.item", "", ["people.item"]
    if isinstance(ask.item, Named):
        place, joined, needed = "wanted.place", " JOIN wanted ON people.item = wanted.item", []
        if ask.item.other is not None:
            place = f"COALESCE(wanted.place, {ask.item.other})"
            joined, needed = f" LEFT{joined}", ["people.item"]
    needed += ["people.a"] if ask.amount else []
    where = " WHERE " * bool(needed) + " AND ".join(f"{column} IS NOT NULL" for column in needed)
    group = "0"
    if ask.by:
        group, joined = "homes.place", f"{joined} JOIN homes ON people.home = homes.item"
    columns = [*(["people.u"] if unit else []), f"{group} AS g", f"{place} AS i", *(["people.a"] if ask.amount else [])]
    return f"SELECT {', '.join(columns)} FROM people{joined}{where}"  # noqa: S608 - fixed text


def _once(ask: Long) -> str:
    """One row for each person, group and place; a person's rows add up before they are clipped again."""
    if ask.amount is None:
        return "SELECT DISTINCT u, g, i FROM named WHERE u IS NOT NULL"
    clipped = f"LEAST(GREATEST(SUM(CAST(a AS DECIMAL(38, 0))), {ask.amount.low}), {ask.amount.high})"
    return f"SELECT u, g, i, {clipped} AS a FROM named WHERE u IS NOT NULL GROUP BY u, g, i"  # noqa: S608 - numbers


def _at_home(key: str) -> list[str]:
    """One group for each person, so that the groups have no person in common."""
    turn = f"ROW_NUMBER() OVER (PARTITION BY u ORDER BY {_order(key + '/home', 'g')}) AS turn"
    return [
        "pairs AS (SELECT DISTINCT u, g FROM one)",
        f"firsts AS (SELECT u, g, {turn} FROM pairs)",  # noqa: S608 - fixed text, and a key of hexadecimal digits
        "settled AS (SELECT one.* FROM one JOIN firsts ON one.u = firsts.u AND one.g = firsts.g WHERE firsts.turn = 1)",
    ]


def _kept(ask: Long, last: str, key: str) -> str:
    columns = "g, i" + (", a" if ask.amount else "")
    turn = f"ROW_NUMBER() OVER (PARTITION BY u ORDER BY {_order(key, 'i')}) AS turn"
    return f"SELECT {columns} FROM (SELECT {columns}, {turn} FROM {last}) AS turns WHERE turn <= {ask.at_most}"  # noqa: S608


def _order(key: str, place: str) -> str:
    return f"SUBSTRING(MD5(CONCAT('{key}/', CAST(u AS STRING), '/', CAST({place} AS STRING))), 1, 12), {place}"


def cell(x: str, cells: Cells) -> str:
    """Return the place of a number on a grid, or NULL for what is no number; nothing is rounded but to nine decimals.

    >>> "DECIMAL(28, 9)" in cell("x", Cells("x", 0, 1, 10))
    True
    """
    real, exact = f"TRY_CAST({x} AS DOUBLE)", f"TRY_CAST({x} AS DECIMAL(28, 9))"
    low, top = cells.low, cells.low + (cells.size - 1) * cells.step
    fine = f"CAST(({exact} - {_decimal(low)}) * {FINE} AS DECIMAL(38, 0))"
    step = int(cells.step * FINE)
    first = "0" if cells.below == "first" else "NULL"
    below = f"COALESCE({exact} < {_decimal(low)}, {real} < {float(low)!r})"  # what is too large for the decimals
    above = f"COALESCE({exact} >= {_decimal(top)}, {real} >= {float(top)!r})"
    return (
        f"CASE WHEN {real} IS NULL OR ISNAN({real}) THEN NULL WHEN {below} THEN {first} "
        f"WHEN {above} THEN {cells.size - 1} ELSE CAST(({fine} - MOD({fine}, {step})) / {step} AS BIGINT) END"
    )


def part(x: str, cuts: Cuts) -> str:
    """Return the place of a number between public numbers, or NULL for what is no number.

    >>> part("x", Cuts("x", (Fraction(1), Fraction(2)))).count("WHEN")
    3
    """
    real = f"TRY_CAST({x} AS DOUBLE)"
    places = " ".join(f"WHEN {_compared(x, '<=', point)} THEN {place}" for place, point in enumerate(cuts.points))
    return f"CASE WHEN {real} IS NULL OR ISNAN({real}) THEN NULL {places} ELSE {cuts.size - 1} END"


def ticks(x: str, amount: Amount) -> str:
    """Return an amount in whole ticks, rounded down and clipped, or NULL for what is no number.

    >>> ticks("x", Amount("x", -5, 5, 1)).endswith("+ -5")
    True
    """
    cells = Cells(amount.column, amount.low * amount.tick, amount.tick, amount.high - amount.low + 1)
    return f"{cell(x, cells)} + {amount.low}"


def flag_text(flag: Flag, quote: Quote) -> str:
    """Return 1 where a flag says yes, else 0.

    >>> flag_text(Differs("p", "t"), quoted)
    'CASE WHEN CAST("p" AS STRING) = CAST("t" AS STRING) THEN 0 ELSE 1 END'
    """
    match flag:
        case Holds(column=column):
            return f"CASE WHEN {_says_yes(quote(column))} THEN 1 ELSE 0 END"
        case Differs(column=column, truth=truth):
            same = f"CAST({quote(column)} AS STRING) = CAST({quote(truth)} AS STRING)"
            return f"CASE WHEN {same} THEN 0 ELSE 1 END"
        case Fails(column=column, comparison=comparison, value=value, truth=truth):
            operator = {"==": "=", "!=": "<>"}.get(comparison, comparison)
            said = _compared(quote(column), operator, value)
            agrees = f"COALESCE({said}, FALSE) = COALESCE({_says_yes(quote(truth))}, FALSE)"
            return f"CASE WHEN {agrees} THEN 0 ELSE 1 END"
        case _:
            assert_never(flag)


def _says_yes(x: str) -> str:
    return f"LOWER(CAST({x} AS STRING)) IN {YES}"


def _compared(x: str, operator: str, value: Fraction | str) -> str:
    if isinstance(value, str):  # a text is compared by its digest, so that no text of the caller's is ever SQL
        digest = hashlib.md5(value.encode(), usedforsecurity=False).hexdigest()
        return f"MD5(CAST({x} AS STRING)) {operator} '{digest}'"
    exact, real = f"TRY_CAST({x} AS DECIMAL(28, 9))", f"TRY_CAST({x} AS DOUBLE)"
    beyond = f"(NOT ISNAN({real}) AND {real} {operator} {float(value)!r})"  # what is too large for the decimals
    return f"COALESCE({exact} {operator} {_decimal(value)}, {beyond})"


def _decimal(value: Fraction) -> str:
    whole, part = divmod(abs(value) * FINE, FINE)
    sign = "-" if value < 0 else ""
    return f"CAST('{sign}{int(whole)}.{int(part):09d}' AS DECIMAL(28, 9))"


def quoted(identifier: str) -> str:
    """Return a column's name as SQL reads it, whatever it holds.

    >>> print(quoted('x"; DROP TABLE people'))
    "x""; DROP TABLE people"
    """
    return '"' + identifier.replace('"', '""') + '"'


def bare(kind: str) -> str:
    """Return a type without what it has in brackets: the members of an ENUM and the fields of a STRUCT may be data.

    >>> bare("DECIMAL(10,2)"), bare("ENUM('ann')"), bare("DECIMAL(10,2)[]")
    ('DECIMAL', 'ENUM', 'LIST')
    """
    return "LIST" if kind.endswith("]") else kind.partition("(")[0]


def prints_alike(kind: str) -> bool:
    """Return whether values of this type can be compared by their text.

    >>> prints_alike("DECIMAL"), prints_alike("DOUBLE"), prints_alike("LIST")
    (True, False, False)
    """
    return kind in PRINTS_ALIKE


def is_number(kind: str) -> bool:
    """Return whether values of this type may be read as numbers; text may, where it says one.

    >>> is_number("DOUBLE"), is_number("VARCHAR"), is_number("DATE")
    (True, True, False)
    """
    return kind in NUMBERS or (prints_alike(kind) and kind not in {"BOOLEAN", "DATE", "TIME", "TIMESTAMP", "UUID"})
