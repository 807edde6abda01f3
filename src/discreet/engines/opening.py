"""From what a person hands over to the engine that reads it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from discreet.errors import DataError, SettingError

if TYPE_CHECKING:
    from discreet.engines.duckdb import DuckDB
    from discreet.engines.spark import Spark

DATABASES = {".duckdb", ".db", ".ddb"}


def reader(source: Any, delimiter: str = ",", table: str | None = None, memory: str | None = None) -> "DuckDB | Spark":
    """Return the engine for a path, a frame, a table of a database, a DataFrame of Spark or ``spark://table``.

    An engine is returned as it is.

    >>> import polars
    >>> type(reader(polars.DataFrame({"trip": ["zoo"]}))).__name__
    'DuckDB'
    """
    from discreet.engines.spark import SCHEME, Spark, is_frame, named

    given: Any = str(source) if isinstance(source, Path) else source
    frame = is_frame(given)  # asked first: it takes any word for a column it might have
    if not frame and hasattr(given.__class__, "tally"):  # not on itself: it may have a column of that name
        return cast("Spark", given)
    if frame or (isinstance(given, str) and given.startswith(SCHEME)):
        for name, said in (("table", table), ("memory", memory)):
            if said is not None:
                raise SettingError.of(name, "nothing for a table of Spark, which has a session of its own", said)
        return Spark(named(given) if isinstance(given, str) else given)
    if isinstance(given, str) and table is None and Path(given).suffix.lower() in DATABASES:
        raise DataError("table: wanted table=, the name of a table in the database, got none")
    from discreet.engines.duckdb import DuckDB

    return DuckDB(given, delimiter, table, memory)
