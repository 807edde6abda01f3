"""DuckDB: counts from files, frames and tables larger than memory. The one file that imports it.

DuckDB's own messages quote the rows they stumble over, so none of them is shown, chained or attached.
"""

import os
import shutil
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, TypeAlias, cast

import duckdb
import numpy as np

from discreet.counts import Counts, labels
from discreet.engines.ask import Ask, Cells, Long, Named, Tally, columns_of
from discreet.engines.files import Rows, csv_rows, files_of, is_parquet, parquet_rows
from discreet.engines.sql import cell, flag_text, is_number, long_text, prints_alike, quoted, ticks, wide_text
from discreet.errors import DataError, SettingError
from discreet.sensitivity import Neighbours

Source: TypeAlias = str | os.PathLike[str] | BinaryIO
"""The path of a CSV or Parquet file, or an open binary stream of CSV."""

QUIET = {
    "autoinstall_known_extensions": "false",  # reading a file must not reach for the network
    "autoload_known_extensions": "false",
    "enable_external_file_cache": "false",  # a file is read once; keeping it would fill the memory with rows
    "preserve_insertion_order": "false",
}
BUILD_SIDE = "SET disabled_optimizers = 'join_order,build_side_probe_side'"
"""Holds the candidates in memory and lets the rows stream past them; left to guess, DuckDB would hold the rows."""
LARGEST = 2**62


class Stream:
    """A frame of which only its Arrow stream is seen, so that no frame library is a special case.

    >>> hasattr(Stream(None), "__arrow_c_stream__")
    True
    """

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Return the frame's own stream."""
        return self.frame.__arrow_c_stream__(requested_schema)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DuckDB:
    """A table that DuckDB reads: files, an Arrow stream, or a ``table`` of a database file.

    >>> import polars
    >>> engine = DuckDB(polars.DataFrame({"trip": ["zoo", "lake", "zoo"]}))
    >>> engine.tally(Long(Named("trip", ("lake", "zoo"))), None, "").tolist()
    [[1, 2]]
    """

    source: Any
    delimiter: str = ","
    table: str | None = None
    memory: str | None = None
    known: dict[str, str] = field(default_factory=dict[str, str])

    def columns(self) -> Mapping[str, str]:
        """Return the columns and their types."""
        if not self.known:
            with self._connected() as (connection, rows):
                self.known.update(_columns(connection, rows))
        return self.known

    def check(self, ask: Ask | None, unit: str | None) -> None:
        """Refuse columns that are not there, or whose text or number is not the same everywhere."""
        with self._connected() as (connection, rows):
            _check(connection, rows, ask, unit)

    def tally(self, ask: Ask, unit: str | None, key: str) -> Tally:
        """Count."""
        with self._connected() as (connection, rows):
            _check(connection, rows, ask, unit)
            people = f"SELECT {_projection(ask, unit, rows)} FROM {rows.text}"  # noqa: S608 - quoted names
            shaped = long_text if isinstance(ask, Long) else wide_text
            text = shaped(ask, unit=unit is not None, key=key)  # type: ignore[arg-type]
            _register(connection, ask)
            connection.execute(BUILD_SIDE)
            connection.execute("SET enable_progress_bar = false")
            query = f"WITH people AS NOT MATERIALIZED ({people}), {text}"
            return _filled(_answer(connection, query, rows), ask)

    @contextmanager
    def _connected(self) -> Generator[tuple[duckdb.DuckDBPyConnection, Rows], None, None]:
        with TemporaryDirectory() as folder:  # only we can read it; what does not fit the memory is there for a while
            settings = {"temp_directory": folder} | QUIET | ({"memory_limit": self.memory} if self.memory else {})
            with closing(self._connection(settings)) as connection:
                yield connection, self._rows(connection)

    def _connection(self, settings: dict[str, str]) -> duckdb.DuckDBPyConnection:
        path = ":memory:" if self.table is None else str(self.source)
        if self.table is not None and not Path(path).is_file():
            raise DataError(f"file: wanted a file that exists, got {path[:200]!r}")
        try:
            return duckdb.connect(path, read_only=self.table is not None, config=dict(settings))
        except duckdb.Error:
            pass
        raise DataError("file: wanted a database of DuckDB that can be read, and a memory limit such as '4GB'")

    def _rows(self, connection: duckdb.DuckDBPyConnection) -> Rows:
        if self.table is not None:
            return Rows(quoted(self.table), (), quoted, "a table")
        if isinstance(self.source, str | os.PathLike):
            files = files_of(str(self.source))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
            return parquet_rows(files) if is_parquet(files[0]) else csv_rows(files, self.delimiter)
        rows = Rows("given", (), quoted, "a frame")
        if hasattr(self.source, "read_next_batch"):  # the second look at it would find no rows
            raise DataError("table: wanted a table that can be read again, got a reader; read_all() makes one of it")
        for shown in (Stream(self.source), self.source):  # where its stream needs a package that is not here, itself
            try:
                connection.register("given", shown)
                connection.execute("DESCRIBE given").fetchall()
            except (duckdb.Error, ImportError, TypeError, AttributeError):
                continue
            return rows
        kind, wanted = (
            type(self.source).__name__,
            "a path, or a frame with an Arrow stream (pandas, Polars, PyArrow, DuckDB)",
        )
        raise SettingError(f"table: wanted {wanted}, got {kind}; collect() makes a frame of a lazy one")


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
    with at_hand(source) as path:
        found = DuckDB(path, delimiter).tally(Long(Named(column, names)), None, "")
    return Counts(names, found[0], neighbours=neighbours)


@contextmanager
def at_hand(source: Source) -> Generator[str | os.PathLike[str], None, None]:
    r"""Give a path for a source: a stream is copied to a file only we can read, since it can be read only once.

    >>> import io
    >>> with at_hand(io.BytesIO(b"trip\nzoo\n")) as path:
    ...     Path(path).read_bytes()
    b'trip\nzoo\n'
    """
    if isinstance(source, str | os.PathLike):
        yield source
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        with path.open("wb") as file:
            shutil.copyfileobj(source, file)
        yield path


def _projection(ask: Ask, unit: str | None, rows: Rows) -> str:
    """Write the columns of ``people``, each under the name the common text calls it by."""
    columns = [f"{rows.column(unit)} AS u"] if unit else []
    if isinstance(ask, Long):
        item = rows.column(ask.item.column)
        text = cell(item, ask.item) if isinstance(ask.item, Cells) else f"CAST({item} AS STRING)"
        columns.append(f"{text} AS item")
        columns += [f"{ticks(rows.column(ask.amount.column), ask.amount)} AS a"] if ask.amount else []
    else:
        columns += [f"{flag_text(flag, rows.column)} AS f{place}" for place, flag in enumerate(ask.flags)]
    columns += [f"CAST({rows.column(ask.by.column)} AS STRING) AS home"] if ask.by else []
    return ", ".join(columns)


def _register(connection: duckdb.DuckDBPyConnection, ask: Ask) -> None:
    for name, places in (("wanted", ask.item if isinstance(ask, Long) else None), ("homes", ask.by)):
        if isinstance(places, Named):
            texts = np.array(places.among, dtype=object)
            connection.register(name, {"place": np.arange(places.size), "item": texts})


def _filled(found: list[tuple[Any, ...]], ask: Ask) -> Tally:
    groups, size = (ask.by.size if ask.by else 1), (ask.item.size if isinstance(ask, Long) else ask.size)
    whole = [[0] * size for _ in range(groups)] if _may_be_huge(found) else np.zeros((groups, size), dtype=np.int64)
    for group, *numbers in found:
        if isinstance(ask, Long):
            place, number = numbers
            whole[group][place] = int(number or 0)
        else:
            whole[group][:] = [int(number or 0) for number in numbers]
    return whole if isinstance(whole, np.ndarray) else np.array(whole, dtype=object)


def _may_be_huge(found: list[tuple[Any, ...]]) -> bool:
    return any(abs(number or 0) > LARGEST for row in found for number in row)


def _check(connection: duckdb.DuckDBPyConnection, rows: Rows, ask: Ask | None, unit: str | None) -> None:
    known = _columns(connection, rows)
    wanted = {} if ask is None else columns_of(ask)
    for column, use in [*([(unit, "text")] if unit else []), *wanted.items()]:
        _fitting(known, rows, column, use)


def _columns(connection: duckdb.DuckDBPyConnection, rows: Rows) -> dict[str, str]:
    if rows.names is not None:
        return dict.fromkeys(rows.names, "VARCHAR")
    schema = _answer(connection, f"DESCRIBE SELECT * FROM {rows.text}", rows)  # noqa: S608 - fixed text, or quoted
    return {str(name): str(kind) for name, kind, *_ in schema}


def _fitting(known: Mapping[str, str], rows: Rows, column: str, use: str) -> None:
    if rows.names is not None:
        rows.column(column)  # a header is looked up by its own rules: it may be somebody's row
        return
    if column not in known:
        names = ", ".join(known) if len(known) <= 20 else f"{', '.join(list(known)[:20])} and {len(known) - 20} more"
        raise DataError(f"column: wanted one of {names}; got {column[:60]!r}")
    kind, shown = known[column], f"{column[:60]!r} of type {known[column][:60]}"
    if use == "text" and not prints_alike(kind):
        remedy = "whose text differs from engine to engine; write it as text"
        raise DataError(
            f"column: wanted text, whole numbers, decimals, booleans, dates or times, got {shown}, {remedy}"
        )
    if use == "number" and not is_number(kind):
        raise DataError(f"column: wanted numbers, or text that says them, got {shown}")


def _answer(connection: duckdb.DuckDBPyConnection, text: str, rows: Rows) -> list[tuple[Any, ...]]:
    """Run a query; what DuckDB says of a failure stays here."""
    failure: type[BaseException] | None = None
    try:
        return connection.execute(text, list(rows.values)).fetchall()
    except (duckdb.Error, RuntimeError) as error:  # an interrupted query is a RuntimeError
        failure = type(error)
    if failure is RuntimeError or issubclass(failure, duckdb.InterruptException):
        raise KeyboardInterrupt
    if issubclass(failure, duckdb.OutOfMemoryException):
        raise DataError("file: reading it needs more memory, or more room for temporary files, than there is")
    if issubclass(failure, duckdb.CatalogException):
        raise DataError("table: wanted one that the database has, got another")
    remedy = (
        "; wanted UTF-8, the same number of fields and the same line end in every line" if rows.kind == "CSV" else ""
    )
    raise DataError(f"file: it cannot be read to its end as {rows.kind}{remedy}")


def _texts(names: Sequence[object]) -> tuple[str, ...]:
    for name in names:
        if not isinstance(name, str) or any("\ud800" <= character <= "\udfff" for character in name):
            raise SettingError.of("among", "texts, each of whole Unicode characters", name)
    return cast("tuple[str, ...]", tuple(names))
