"""Open a table: a path, a frame, a table of a database, or a dataset declared in a file."""

from pathlib import Path
from typing import Any, get_args

from discreet.errors import DataError
from discreet.questions.base import column
from discreet.questions.table import Table
from discreet.sensitivity import Neighbours, one_of

DATABASES = {".duckdb", ".db", ".ddb"}


def open(  # noqa: A001 - the word a person types: discreet.open
    source: Any,
    *,
    unit: str = "row",
    neighbours: str = "add-remove",
    delimiter: str = ",",
    table: str | None = None,
    memory: str | None = None,
    ledger: Any = None,
) -> Table:
    """Open a table about people, and say whom it protects.

    ``source`` is a path or a pattern of CSV or Parquet files, a DuckDB database file (with ``table``), or any frame
    with an Arrow stream: Polars, pandas, PyArrow, a DuckDB relation. ``unit`` names the column of the person, or is
    ``"row"`` where each row is one. Rows without a unit drop. ``memory`` limits what DuckDB may use, as in ``"4GB"``.

    >>> import polars
    >>> open(polars.DataFrame({"pupil": [1, 2], "trip": ["zoo", "lake"]}), unit="pupil").columns
    ('pupil', 'trip')
    """
    from discreet.engines.duckdb import DuckDB  # noqa: PLC0415 - a table library is imported when a table is opened

    relation: Neighbours = one_of(neighbours, "neighbours", get_args(Neighbours))
    given: Any = str(source) if isinstance(source, Path) else source
    if isinstance(given, str) and table is None and Path(given).suffix.lower() in DATABASES:
        raise DataError("table: wanted table=, the name of a table in the database, got none")
    engine = DuckDB(given, delimiter, table, memory)
    opened = Table(engine, column(unit, "unit"), relation, ledger)
    engine.check(None, None if unit == "row" else unit)
    return opened
