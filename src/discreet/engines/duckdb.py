"""DuckDB: counts from a CSV or Parquet file larger than memory. The one file that imports it.

DuckDB's own messages quote the rows they stumble over, so none of them is shown, chained or attached.
"""

import os
import re
import shutil
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, NamedTuple, TypeAlias, cast

import duckdb
import numpy as np
from numpy.typing import NDArray

from discreet.counts import Counts, labels
from discreet.engines.header import header, packed, place
from discreet.engines.sql import TALLY, prints_alike, quoted
from discreet.errors import DataError, SettingError
from discreet.sensitivity import Neighbours

Source: TypeAlias = str | os.PathLike[str] | BinaryIO
"""The path of a CSV or Parquet file, or an open binary stream of CSV."""

PARQUET = {".parquet", ".pq"}
"""Names that end so are Parquet; everything else is CSV, through gzip where the name ends in .gz."""

QUIET = {
    "autoinstall_known_extensions": "false",  # reading a file must not reach for the network
    "autoload_known_extensions": "false",
    "enable_external_file_cache": "false",  # a file is read once; keeping it would fill the memory with rows
    "preserve_insertion_order": "false",
    "temp_directory": "",  # rows are never written anywhere
}

BUILD_SIDE = "SET disabled_optimizers = 'join_order,build_side_probe_side'"
"""Holds the candidates in memory and lets the rows stream past them; left to guess, DuckDB would hold the rows."""


class Rows(NamedTuple):
    """A query with one row a person and the column ``item``, and the values of its parameters.

    >>> Rows("SELECT ? AS item", ("smith",)).values
    ('smith',)
    """

    text: str
    values: tuple[object, ...]


def tally(
    source: Source, column: str, among: Iterable[str], *, delimiter: str = ",", neighbours: Neighbours = "add-remove"
) -> Counts:
    r"""Count, for each public candidate, the rows whose ``column`` names it; each row is one person.

    >>> import io
    >>> tally(io.BytesIO(b"pupil,trip\n1,zoo\n2,lake\n3,zoo\n"), "trip", ["zoo", "lake", "museum"])
    Counts(3 candidates, at_most=1, add-remove)

    Values are compared by their text, as it is. Rows that name somebody else, and missing values (an empty field
    of a CSV), drop by this rule, so no row can make a well-formed file fail.
    """
    names = _texts(labels(among, "among"))
    Counts(names, np.zeros(len(names), dtype=np.int64), neighbours=neighbours)  # refuses a bad setting before reading
    if isinstance(source, str | os.PathLike):
        return Counts(names, _count(Path(source), column, names, delimiter), neighbours=neighbours)
    with TemporaryDirectory() as folder:  # DuckDB reads files, and a stream can be read only once
        path = Path(folder) / "rows.csv"
        with path.open("wb") as file:
            shutil.copyfileobj(source, file)
        return Counts(names, _count(path, column, names, delimiter), neighbours=neighbours)


def _count(path: Path, column: str, names: Sequence[str], delimiter: str) -> NDArray[np.int64]:
    if not path.is_file():
        raise DataError(f"file: wanted a file that exists, got {str(path)[:200]!r}")
    found = np.zeros(len(names), dtype=np.int64)
    with closing(duckdb.connect(":memory:", config=dict(QUIET))) as connection:
        parquet = path.suffix.lower() in PARQUET
        rows = _parquet(connection, path, column) if parquet else _csv(path, column, delimiter)
        connection.register("wanted", {"place": np.arange(len(names)), "item": np.array(names, dtype=object)})
        connection.execute(BUILD_SIDE)
        connection.execute("SET enable_progress_bar = false")
        query = Rows(f"WITH people AS NOT MATERIALIZED ({rows.text}) {TALLY}", rows.values)
        for position, score in _answer(connection, query, "Parquet" if parquet else "CSV"):
            found[position] = score
    return found


def _csv(path: Path, column: str, delimiter: str) -> Rows:
    names = header(path, delimiter)
    chosen = place(names, column)
    columns = ", ".join(f"'c{position}': 'VARCHAR'" for position in range(len(names)))
    text = (
        f"SELECT c{chosen} AS item FROM read_csv(?, auto_detect=false, header=true, delim=?, quote='\"', escape='\"', "  # noqa: S608 - made of numbers
        f"nullstr='', strict_mode=true, compression=?, hive_partitioning=false, columns={{{columns}}})"
    )
    return Rows(text, (_literal(path), delimiter, "gzip" if packed(path) else "none"))


def _parquet(connection: duckdb.DuckDBPyConnection, path: Path, column: str) -> Rows:
    source, values = "read_parquet(?, hive_partitioning=false)", (_literal(path),)
    schema = _answer(connection, Rows(f"DESCRIBE SELECT * FROM {source}", values), "Parquet")  # noqa: S608 - fixed text
    kinds = {str(name): str(kind) for name, kind, *_ in schema}
    if column not in kinds:
        known = ", ".join(kinds) if len(kinds) <= 20 else f"{', '.join(list(kinds)[:20])} and {len(kinds) - 20} more"
        raise DataError(f"column: wanted one of {known}; got {column[:60]!r}")
    if not prints_alike(kinds[column]):
        raise DataError(
            f"column: wanted text, whole numbers, decimals, booleans, dates or times, got {column[:60]!r} of type "
            f"{kinds[column][:60]}, whose text differs from engine to engine; write it as text"
        )
    return Rows(f"SELECT {quoted(column)} AS item FROM {source}", values)  # noqa: S608 - quoted


def _answer(connection: duckdb.DuckDBPyConnection, rows: Rows, kind: str) -> list[tuple[Any, ...]]:
    """Run a query; what DuckDB says of a failure stays here."""
    failure: type[BaseException] | None = None
    try:
        return connection.execute(rows.text, list(rows.values)).fetchall()
    except (duckdb.Error, RuntimeError) as error:  # an interrupted query is a RuntimeError
        failure = type(error)
    if failure is RuntimeError or issubclass(failure, duckdb.InterruptException):
        raise KeyboardInterrupt
    if issubclass(failure, duckdb.OutOfMemoryException):
        raise DataError("file: reading it needs more memory than there is")
    remedy = "; wanted UTF-8, the same number of fields and the same line end in every line" if kind == "CSV" else ""
    raise DataError(f"file: it cannot be read to its end as {kind}{remedy}")


def _literal(path: Path) -> str:
    """Return a path that DuckDB takes for this one file: to it, some characters mean many files."""
    return re.sub(r"([*?\[])", r"[\1]", str(path.absolute()))


def _texts(names: Sequence[object]) -> tuple[str, ...]:
    for name in names:
        if not isinstance(name, str) or any("\ud800" <= character <= "\udfff" for character in name):
            raise SettingError.of("among", "texts, each of whole Unicode characters", name)
    return cast("tuple[str, ...]", tuple(names))
