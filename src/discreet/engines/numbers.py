"""How a number is read in the common text, so that every engine reads the same one, and where it falls on a grid.

Text, whole numbers and decimals are cast to nine decimals. Floating-point numbers are not: engines round that cast each
in its own way. They are cut into whole and part, which is exact; the part is rounded, in floating-point steps that are
the same everywhere, to nine decimals or to as many as any decimal keeps in a double of this size: below 2**23 nine, and
around 10**12 three. So a decimal with no more than that is read as it was written.
"""

from fractions import Fraction
from typing import NamedTuple

from discreet.engines.ask import Amount, Cells, Cuts

FINE = 10**9
"""Numbers are read to nine decimals, below 10**19; all engines subtract two such numbers without a rounding."""
FLOATING = frozenset({"DOUBLE", "FLOAT"})
BANDS = ((23, 9), (26, 8), (29, 7), (33, 6), (36, 5), (39, 4), (43, 3), (46, 2), (49, 1))
"""Below two to the first, doubles lie closer than ten to minus the second."""
WHOLE = "4e18"
"""Doubles below this, cut to whole numbers, are 64-bit numbers; it is far above every grid."""


class Figure(NamedTuple):
    """A number in two texts: its nine decimals, NULL where they do not hold it, and a double.

    >>> Figure._fields
    ('exact', 'real')
    """

    exact: str
    real: str


def figure(x: str, kind: str) -> Figure:
    """Return how a column of some type is read as a number.

    >>> print(figure("x", "VARCHAR").exact)
    TRY_CAST(x AS DECIMAL(28, 9))
    >>> "FLOOR" in figure("x", "DOUBLE").exact
    True
    """
    real = f"TRY_CAST({x} AS DOUBLE)"
    return Figure(_cut(real) if kind in FLOATING else f"TRY_CAST({x} AS DECIMAL(28, 9))", real)


def cell(number: Figure, cells: Cells) -> str:
    """Return the place of a number on a grid, or NULL for what is no number; nothing is rounded but to nine decimals.

    >>> "DECIMAL(28, 9)" in cell(figure("x", "VARCHAR"), Cells("x", 0, 1, 10))
    True
    """
    exact, real = number
    low, top = cells.low, cells.low + (cells.size - 1) * cells.step
    fine = f"CAST(({exact} - {decimal(low)}) * {FINE} AS DECIMAL(38, 0))"
    step = int(cells.step * FINE)
    first = "0" if cells.below == "first" else "NULL"
    below = f"COALESCE({exact} < {decimal(low)}, {real} < {float(low)!r})"  # what is too large for the decimals
    above = f"COALESCE({exact} >= {decimal(top)}, {real} >= {float(top)!r})"
    return (
        f"CASE WHEN {real} IS NULL OR ISNAN({real}) THEN NULL WHEN {below} THEN {first} "
        f"WHEN {above} THEN {cells.size - 1} ELSE CAST(({fine} - MOD({fine}, {step})) / {step} AS BIGINT) END"
    )


def part(number: Figure, cuts: Cuts) -> str:
    """Return the place of a number between public numbers, or NULL for what is no number.

    >>> part(figure("x", "VARCHAR"), Cuts("x", (Fraction(1), Fraction(2)))).count("WHEN")
    3
    """
    places = " ".join(f"WHEN {compared(number, '<=', point)} THEN {at}" for at, point in enumerate(cuts.points))
    return f"CASE WHEN {number.real} IS NULL OR ISNAN({number.real}) THEN NULL {places} ELSE {cuts.size - 1} END"


def ticks(number: Figure, amount: Amount) -> str:
    """Return an amount in whole ticks, rounded down and clipped, or NULL for what is no number.

    >>> ticks(figure("x", "VARCHAR"), Amount("x", -5, 5, 1)).endswith("+ -5")
    True
    """
    cells = Cells(amount.column, amount.low * amount.tick, amount.tick, amount.high - amount.low + 1)
    return f"{cell(number, cells)} + {amount.low}"


def compared(number: Figure, operator: str, value: Fraction) -> str:
    """Return whether a number compares so with a public one.

    >>> compared(figure("x", "VARCHAR"), "<", Fraction(1)).startswith(
    ...     "(TRY_CAST(x AS DOUBLE) IS NOT NULL AND COALESCE("
    ... )
    True
    """
    exact, real = number
    beyond = f"(NOT ISNAN({real}) AND {real} {operator} {float(value)!r})"  # what is too large for the decimals
    return f"({real} IS NOT NULL AND COALESCE({exact} {operator} {decimal(value)}, {beyond}))"


def decimal(value: Fraction) -> str:
    """Return a public number of nine decimals.

    >>> decimal(Fraction(-1, 2))
    "CAST('-0.500000000' AS DECIMAL(28, 9))"
    """
    whole, part = divmod(abs(value) * FINE, FINE)
    sign = "-" if value < 0 else ""
    return f"CAST('{sign}{int(whole)}.{int(part):09d}' AS DECIMAL(28, 9))"


def _cut(real: str) -> str:
    """Write the nine decimals of a double; every step is one that all engines take alike, and all but two are exact.

    Those two, times a power of ten and divided by it, round far less than half of the last decimal kept.
    """
    size = f"ABS({real})"
    bands = " ".join(f"WHEN {size} < {1 << bits}.0e0 THEN 1e{digits}" for bits, digits in BANDS)
    scale = f"(CASE {bands} ELSE 1e0 END)"
    part = f"SIGN({real}) * (FLOOR(({size} - FLOOR({size})) * {scale} + 0.5e0) / {scale})"
    whole = f"CASE WHEN {size} < {WHOLE} THEN TRY_CAST(SIGN({real}) * FLOOR({size}) AS BIGINT) END"
    return f"CAST(CAST({whole} AS DECIMAL(19, 0)) + TRY_CAST({part} AS DECIMAL(10, 9)) AS DECIMAL(28, 9))"
