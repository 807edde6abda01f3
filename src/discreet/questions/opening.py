"""Open a table: a path, a frame, a table of a database, or a dataset declared in a file."""

from typing import Any, get_args

from discreet.engines.opening import reader
from discreet.questions.base import column
from discreet.questions.table import Table
from discreet.sensitivity import Neighbours, one_of


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
    with an Arrow stream: Polars, pandas, PyArrow, a DuckDB relation; or a DataFrame of Spark, or ``spark://`` and the
    name of a table. ``unit`` names the column of the person, or is ``"row"`` where each row is one. Rows without a unit
    drop. ``memory`` limits what DuckDB may use, as in ``"4GB"``.

    >>> import polars
    >>> open(polars.DataFrame({"pupil": [1, 2], "trip": ["zoo", "lake"]}), unit="pupil").columns
    ('pupil', 'trip')
    """
    relation: Neighbours = one_of(neighbours, "neighbours", get_args(Neighbours))
    engine = reader(source, delimiter, table, memory)
    opened = Table(engine, column(unit, "unit"), relation, ledger)
    engine.check(None, None if unit == "row" else unit)
    return opened
