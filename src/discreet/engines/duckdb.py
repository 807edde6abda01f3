"""DuckDB: counts from files, frames and tables larger than memory. The one file that imports it.

DuckDB's own messages quote the rows they stumble over, so none of them is shown, chained or attached.
"""

import os
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np

from discreet.engines.ask import Ask, Tally, columns_of
from discreet.engines.files import Rows, csv_rows, files_of, is_parquet, parquet_rows
from discreet.engines.frames import Stream, declared, is_reader, typed
from discreet.engines.in_place import Small
from discreet.engines.numbers import Figure, figure
from discreet.engines.shape import filled, fits, places, projected
from discreet.engines.sql import Quote, bare, quoted, text_of
from discreet.errors import DataError, SettingError, without_password

QUIET = {
    "autoinstall_known_extensions": "false",  # reading a file must not reach for the network
    "autoload_known_extensions": "false",
    "enable_external_file_cache": "false",  # a file is read once; keeping it would fill the memory with rows
    "preserve_insertion_order": "false",
}
BUILD_SIDE = "SET disabled_optimizers = 'join_order,build_side_probe_side'"
"""Holds the candidates in memory and lets the rows stream past them; left to guess, DuckDB would hold the rows."""
UNKNOWN = '"NULL"'
"""DuckDB's word for the type of a column that has none."""
INTERRUPTED = "Query interrupted"
"""All that DuckDB says where a person pressed Ctrl-C."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DuckDB:
    """A table that DuckDB reads: files, an Arrow stream, or a ``table`` of a database file.

    >>> import polars
    >>> from discreet.engines.ask import Long, Named
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
                self.known.update(self._columns(connection, rows))
        return self.known

    def check(self, ask: Ask | None, unit: str | None) -> None:
        """Refuse columns that are not there, or whose text or number is not the same everywhere."""
        with self._connected() as (connection, rows):
            self._fitted(connection, rows, ask, unit)

    def tally(self, ask: Ask, unit: str | None, key: str) -> Tally:
        """Count."""
        with self._connected() as (connection, given):
            rows = self._fitted(connection, given, ask, unit)

            def number(name: str) -> Figure:
                return figure(rows.column(name), rows.kinds.get(name, "VARCHAR"))

            shown = projected(ask, unit, rows.column, number, rows.text)
            text = text_of(ask, unit=unit is not None, key=key)
            _register(connection, ask)
            connection.execute(BUILD_SIDE)
            connection.execute("SET enable_progress_bar = false")
            query = f"WITH people AS NOT MATERIALIZED ({shown}), {text}"
            return filled(_answer(connection, query, rows), ask)

    def query(self, columns: Callable[[Quote], str], text: str, tables: Small, name: str) -> list[tuple[Any, ...]]:
        """Run a text over ``name``, these columns of the table, beside small tables given by schema and rows."""
        with self._connected() as (connection, given):
            rows = self._fitted(connection, given, None, None)
            for alias, (schema, values) in tables.items():
                connection.execute(f"CREATE TEMP TABLE {alias} ({schema})")
                connection.executemany(f"INSERT INTO {alias} VALUES ({', '.join('?' * len(values[0]))})", list(values))  # noqa: S608
            connection.execute("SET enable_progress_bar = false")
            shown = f"{name} AS NOT MATERIALIZED (SELECT {columns(rows.column)} FROM {rows.text})"  # noqa: S608
            return _answer(connection, f"WITH {shown}\n{text}", rows)

    def shard(self, column: str, count: str) -> str:
        """Write the shard of a value, of so many; the count is a number or a column."""
        return f"CAST(HASH({column}) % CAST({count} AS UBIGINT) AS BIGINT)"

    @contextmanager
    def _connected(self) -> Generator[tuple[duckdb.DuckDBPyConnection, Rows], None, None]:
        with TemporaryDirectory() as folder:  # only we can read it; what does not fit the memory is there for a while
            settings = {"temp_directory": folder} | QUIET
            settings |= {} if self.memory is None else {"memory_limit": self.memory}
            with closing(self._connection(settings)) as connection:
                yield connection, self._rows(connection)

    def _connection(self, settings: dict[str, str]) -> duckdb.DuckDBPyConnection:
        path = ":memory:" if self.table is None else self._database()
        try:
            return duckdb.connect(path, read_only=self.table is not None, config=dict(settings))
        except duckdb.Error:
            pass
        if self.table is None or (self.memory is not None and not _is_size(self.memory)):
            raise SettingError.of("memory", "a size such as '4GB'", self.memory)
        wanted = "a database of DuckDB, since table= names a table of one"
        raise DataError(f"file: wanted {wanted}, got a file that is none, or that another program has open")

    def _database(self) -> str:
        if not isinstance(self.source, str | os.PathLike):
            kind = type(self.source).__name__
            raise SettingError(f"table: wanted none, since only a database file has named tables, got one of a {kind}")
        path = str(self.source)  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
        if not Path(path).is_file():
            raise DataError(f"file: wanted a file that exists, got {without_password(path)[:200]!r}")
        return path

    def _rows(self, connection: duckdb.DuckDBPyConnection) -> Rows:
        if self.table is not None:
            (database,) = connection.execute("SELECT current_database()").fetchall()[0]
            named = f'{quoted(str(database))}."main".{quoted(self.table)}'  # in full: our own tables have short names
            return Rows(named, (), quoted, "a table")
        if isinstance(self.source, str | os.PathLike):
            files = files_of(str(self.source))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
            return parquet_rows(files) if is_parquet(files[0]) else csv_rows(files, self.delimiter)
        if is_reader(self.source):  # the second look at it would find no rows
            raise DataError("table: wanted a table that can be read again, got a reader; read_all() makes one of it")
        frame = hasattr(self.source, "__arrow_c_stream__")  # anything else has types that were guessed from its rows
        source = typed(self.source) if frame else None
        for shown in (Stream(source), source) if frame else ():
            try:
                connection.register("given", shown)
                known = connection.execute("DESCRIBE given").fetchall()
            except Exception:  # noqa: BLE001, S112 - where its stream needs a package that is not here, itself
                continue
            return Rows(_with_texts(known), (), quoted, "a frame")
        kind, wanted = (
            type(self.source).__name__,
            "a path, or a frame with an Arrow stream (pandas, Polars, PyArrow, DuckDB)",
        )
        raise SettingError(f"table: wanted {wanted}, got {kind}; collect() makes a frame of a lazy one")

    def _columns(self, connection: duckdb.DuckDBPyConnection, rows: Rows) -> dict[str, str]:
        """Return the columns and their types; of a pandas frame, a column of Python objects has none."""
        if rows.names is not None:
            return dict.fromkeys(rows.names, "VARCHAR")
        known = _described(connection, rows)
        for file in rows.values[0] if rows.kind == "Parquet" else ():  # DuckDB looks at the first, and casts the others
            if _described(connection, rows._replace(values=([file],))) != known:
                raise DataError(
                    "file: wanted files with the same columns, of the same types, in the same order, got others"
                )
        return {name: bare(kind) for name, kind in declared(self.source, known)}

    def _fitted(self, connection: duckdb.DuckDBPyConnection, rows: Rows, ask: Ask | None, unit: str | None) -> Rows:
        """Return the rows with columns that are compared byte by byte, if they fit what is asked."""
        known = self._columns(connection, rows)
        wanted = {} if ask is None else columns_of(ask)
        for column, use in [*([(unit, "text")] if unit else []), *wanted.items()]:
            _fitting(known, rows, column, use)

        def written(name: str) -> str:  # a column may come with a collation, to which Ann and ann are one
            return f'{quoted(name)} COLLATE "binary"' if known[name] == "VARCHAR" else quoted(name)

        return rows if rows.names is not None else rows._replace(column=written, kinds=known)


def _with_texts(known: list[tuple[Any, ...]]) -> str:
    """Return what to select from a frame: a column that has no type, since it is missing in every row, is of texts."""
    texts = [f"CAST(NULL AS VARCHAR) AS {quoted(str(name))}" for name, kind, *_ in known if kind == UNKNOWN]
    return f"(SELECT * REPLACE ({', '.join(texts)}) FROM given)" if texts else "given"  # noqa: S608 - quoted names


def _register(connection: duckdb.DuckDBPyConnection, ask: Ask) -> None:
    for name, named in places(ask).items():
        texts = np.array(named.among, dtype=object)
        connection.register(name, {"place": np.arange(named.size), "item": texts})


def _described(connection: duckdb.DuckDBPyConnection, rows: Rows) -> list[tuple[str, str]]:
    schema = _answer(connection, f"DESCRIBE SELECT * FROM {rows.text}", rows)  # noqa: S608 - fixed text, or quoted
    return [(str(name), str(kind)) for name, kind, *_ in schema]


def _is_size(memory: str) -> bool:
    try:
        duckdb.connect(":memory:", config={"memory_limit": memory}).close()
    except duckdb.Error:
        return False
    return True


def _fitting(known: Mapping[str, str], rows: Rows, column: str, use: str) -> None:
    if rows.names is not None:
        rows.column(column)  # a header is looked up by its own rules: it may be somebody's row
        return
    fits(known, column, use)


def _answer(connection: duckdb.DuckDBPyConnection, text: str, rows: Rows) -> list[tuple[Any, ...]]:
    """Run a query; what DuckDB says of a failure stays here."""
    failure: type[BaseException] | None = None
    try:
        return connection.execute(text, list(rows.values)).fetchall()
    except (duckdb.Error, RuntimeError) as error:
        failure = KeyboardInterrupt if str(error) == INTERRUPTED else type(error)
    if issubclass(failure, KeyboardInterrupt | duckdb.InterruptException):
        raise KeyboardInterrupt
    if issubclass(failure, duckdb.OutOfMemoryException):
        raise DataError("file: reading it needs more memory, or more room for temporary files, than there is")
    if issubclass(failure, duckdb.CatalogException):
        raise DataError("table: wanted one that the database has, got another")
    remedy = (
        "; wanted UTF-8, the same number of fields and the same line end in every line" if rows.kind == "CSV" else ""
    )
    raise DataError(f"file: it cannot be read to its end as {rows.kind}{remedy}")
