"""Selection where the candidates are: levels are counted and looked into by queries; nothing else moves.

An engine shows ``ranked``, with a candidate ``c`` and its score ``q`` in whole ticks. One aggregate says how many
candidates each level has. Where there are too many levels, buckets of them are counted, and one is looked into when a
draw asks. Who the members of a level are is asked in ``members``. No query draws anything.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.engines.ask import Amount, Ask, Long, Named
from discreet.engines.sql import Quote
from discreet.errors import DataError, SettingError

MOST_LEVELS = 2**15
"""So many of the best levels are counted one by one; those below them, if there are more, in buckets."""
PIECE = 2**12
"""So many levels at a time are laid out together."""
WIDTH, FINE_ENDS, FIRST_WIDE = 2**12, 2**23, 2**11
"""Buckets near the best are WIDTH ticks wide; those FINE_ENDS ticks and more below it double in width."""
LARGEST = {"exact": 2**61, "grid": 2**53, "real": 2**50}
UNFIT = "score: wanted a finite number within reach of the step for every candidate; at least one is missing or is none"
SIGNED = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"}
WHOLE = frozenset(SIGNED | {f"U{name}" for name in SIGNED})

Small: TypeAlias = Mapping[str, tuple[str, Sequence[tuple[Any, ...]]]]
"""Small tables a query may use, each a schema and its rows: numbers that must not stand in a query."""


class Asked(Protocol):
    """What an engine does for selection in place.

    >>> Asked.__name__
    'Asked'
    """

    def columns(self) -> Mapping[str, str]:
        """Return the columns and their types."""
        ...

    def check(self, ask: Ask | None, unit: str | None) -> None:
        """Refuse what cannot be asked of these columns, without reading a row."""
        ...

    def query(self, columns: Callable[[Quote], str], text: str, tables: Small, name: str) -> list[tuple[Any, ...]]:
        """Run a text over ``name``, these columns of the table, beside small tables."""
        ...

    def shard(self, column: str, count: str) -> str:
        """Write the shard of a value, of so many; the count is a number or a column."""
        ...


class Counted(NamedTuple):
    """Scores of levels and how many members each has; or of buckets, with how many levels, and how to look into one.

    >>> Counted._fields
    ('tops', 'members', 'counts', 'look')
    """

    tops: NDArray[np.int64]
    members: NDArray[np.int64]
    counts: NDArray[np.int64]
    look: Callable[[int], tuple[NDArray[np.int64], NDArray[np.int64]]] | None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Ranked:
    """A table with one row for each candidate, and a column that scores it.

    ``step`` is the public grid real scores are rounded down to; ``least`` turns the order around.

    >>> import polars
    >>> from discreet.engines.duckdb import DuckDB
    >>> ranked = Ranked(DuckDB(polars.DataFrame({"item": ["a", "b", "c"], "score": [5, 5, 2]})), "item", "score")
    >>> ranked.counted().members.tolist()
    [2, 1]
    """

    engine: Asked
    candidate: str
    score: str
    step: Fraction = Fraction(1)
    least: bool = False

    @property
    def grid(self) -> str:
        """How scores become ticks: whole ones are ``exact`` or on a coarser ``grid``; all others are ``real``."""
        if self.engine.columns()[self.score] not in WHOLE:
            return "real"
        return "exact" if self.step == 1 else "grid"

    def check(self) -> None:
        """Refuse columns and a step that do not fit, without reading a row."""
        read = Long(Named(self.candidate, ()), amount=Amount(self.score, 0, 0, Fraction(1)))
        self.engine.check(read, None)  # the candidate is compared by its text, the score is read as a number
        if self.grid == "grid" and self.step.denominator != 1:
            raise SettingError.of("step", "a whole number, since these scores are whole", self.step)

    def counted(self) -> Counted:
        """Count the members of each level; where the levels are many, those below the best ones in buckets."""
        order = f"ORDER BY q DESC NULLS FIRST LIMIT {MOST_LEVELS + 1}"
        found = self.run(f"SELECT q, COUNT(*) AS n FROM ranked GROUP BY q {order}")  # noqa: S608 - numbers
        if not found:
            raise SettingError("candidates: wanted at least one, got none")
        scores, sizes = _columns(found)
        if len(found) <= MOST_LEVELS:
            return Counted(scores, sizes, np.ones_like(sizes), None)
        return self._below(scores[:-1], sizes[:-1], int(scores[-1]))

    def _below(self, scores: NDArray[np.int64], sizes: NDArray[np.int64], best: int) -> Counted:
        """Put the best levels, which are known, before buckets of the rest, the best of which is given."""
        top = {"best": ("q BIGINT", [(best,)])}
        found = self.run(f"SELECT b, MAX(q), COUNT(*) FROM ({_bucketed()}) AS held GROUP BY b", top)  # noqa: S608
        if any(row[0] is None for row in found):
            raise DataError(UNFIT)
        rest = sorted(found)
        starts = range(0, len(scores), PIECE)
        known = [(scores[start : start + PIECE], sizes[start : start + PIECE]) for start in starts]
        tops = [*(int(one[0]) for one, _ in known), *(row[1] for row in rest)]
        members = [*(int(many.sum()) for _, many in known), *(row[2] for row in rest)]
        counts = [*(len(one) for one, _ in known), *(min(row[2], _width(row[0])) for row in rest)]

        def look(block: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            if block < len(known):
                return known[block]
            text = f"SELECT held.q, COUNT(*) FROM ({_bucketed()}) AS held JOIN chosen ON held.b = chosen.b GROUP BY 1"  # noqa: S608
            return _columns(self.run(text, {**top, "chosen": ("b BIGINT", [(rest[block - len(known)][0],)])}))

        return Counted(np.array(tops), np.array(members), np.array(counts), look)

    def run(self, text: str, tables: Small | None = None) -> list[tuple[Any, ...]]:
        """Run a text over ``ranked``, beside small tables: private."""
        return self.engine.query(self._shown, text, tables or {}, "ranked")

    def _shown(self, quote: Quote) -> str:
        ticks = _ticks(quote(self.score), self.grid, self.step)
        return f"{quote(self.candidate)} AS c, {f'-({ticks})' if self.least else ticks} AS q"


def _ticks(x: str, grid: str, step: Fraction) -> str:
    """Write a score in whole ticks, rounded down; NULL where it is none, or beyond reach."""
    if grid == "exact":
        return f"TRY_CAST({x} AS BIGINT)"
    real, most = f"TRY_CAST({x} AS DOUBLE)", LARGEST[grid]
    scaled, reach = f"{real} / CAST('{float(step)!r}' AS DOUBLE)", f"CAST('{float(most)!r}' AS DOUBLE)"
    near = f"{real if grid == 'grid' else scaled} BETWEEN -{reach} AND {reach}"
    return f"CASE WHEN {near} THEN CAST(FLOOR({scaled}) AS BIGINT) END"


def _bucketed() -> str:
    """Write every bucket: how far below the best it lies, in pieces of one width, further down of double."""
    fine = f"CAST((d - MOD(d, {WIDTH})) / {WIDTH} AS BIGINT)"
    wide = f"{FIRST_WIDE - FINE_ENDS.bit_length()} + LENGTH(BIN(d))"
    near = f"CASE WHEN q >= -{LARGEST['exact']} THEN q END"
    far = f"SELECT q, (SELECT best.q FROM best) - {near} AS d FROM ranked WHERE q <= (SELECT best.q FROM best)"  # noqa: S608
    bucket = f"CASE WHEN d IS NULL THEN NULL WHEN d < {FINE_ENDS} THEN {fine} ELSE {wide} END"
    return f"SELECT q, {bucket} AS b FROM ({far}) AS t"  # noqa: S608 - numbers


def _width(bucket: int) -> int:
    """How many levels a bucket may have."""
    return WIDTH if bucket < FIRST_WIDE else 1 << (bucket - FIRST_WIDE + FINE_ENDS.bit_length() - 1)


def _columns(found: Sequence[tuple[Any, ...]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return scores, best first, and how many members each has."""
    if any(row[0] is None or abs(row[0]) > LARGEST["exact"] for row in found):
        raise DataError(UNFIT)
    ordered = sorted(found, key=lambda row: -row[0])
    scores, sizes = (np.array([row[at] for row in ordered], dtype=np.int64) for at in (0, 1))
    return scores, sizes
