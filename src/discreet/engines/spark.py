"""Spark: counts from a DataFrame or table of a cluster, by SQL alone. The one file that imports PySpark.

What must not be read in a plan, an event log or the Spark UI (the key that orders a person's rows, the levels a draw
looks at) never stands in a query. It travels as the single row of a small table of its own, and the query refers to it.
Spark's own messages quote the rows they stumble over, so none of them is shown, chained or attached.
"""

import re
import secrets
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from discreet.engines.ask import Ask, Tally
from discreet.engines.in_place import Small
from discreet.engines.numbers import Figure, figure
from discreet.engines.shape import filled, fitting, places, projected
from discreet.engines.sql import Quote, text_of
from discreet.errors import DataError, SettingError

SCHEME = "spark://"
KINDS = {
    "bigint": "BIGINT",
    "boolean": "BOOLEAN",
    "char": "VARCHAR",
    "date": "DATE",
    "double": "DOUBLE",
    "float": "FLOAT",
    "int": "INTEGER",
    "smallint": "SMALLINT",
    "string": "VARCHAR",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
    "tinyint": "TINYINT",
    "varchar": "VARCHAR",
    "void": '"NULL"',
}
"""Spark's names of types, as the common text knows them."""
PLAIN_SCALE = 6
"""Decimals with more digits after the point than this may print with an exponent, unless they are helped."""
JAVAS = "[0-9.][dDfF][^0-9a-zA-Z]*$|[xX]"
"""Text that says a number only to Java: 1d, 0x1p3."""
GROUPED = "(?<=[0-9])_(?=[0-9])"
"""Underscores that group digits, which only the other engine reads."""
KEY = "the-key-of-this-table"
"""What stands for the key in a text, until a column stands there."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Spark:
    """A DataFrame of Spark, classic or Connect. Only SQL runs, and no Python on any executor.

    >>> Spark("no frame").columns()
    Traceback (most recent call last):
    discreet.errors.SettingError: table: wanted a DataFrame of Spark, got 'no frame'
    """

    frame: Any
    known: dict[str, str] = field(default_factory=dict[str, str])

    def columns(self) -> Mapping[str, str]:
        """Return the columns and their types."""
        return {name: kind_of(kind) for name, kind in self._kinds().items()}

    def check(self, ask: Ask | None, unit: str | None) -> None:
        """Refuse columns that are not there, or whose text or number is not the same everywhere."""
        fitting(ask, unit, self.columns())

    def tally(self, ask: Ask, unit: str | None, key: str) -> Tally:
        """Count, all groups in one aggregate; what reaches the driver is a number for each group and place."""
        self.check(ask, unit)
        text = text_of(ask, unit=unit is not None, key=KEY)
        tables: dict[str, tuple[str, list[Any]]] = {"secret": ("k STRING", [(key,)])}
        tables |= {name: ("place INT, item STRING", list(enumerate(p.among))) for name, p in places(ask).items()}
        found = self._run(
            lambda given: projected(ask, unit, self.text, self.number, given), keyed(text), tables, "people"
        )
        return filled(found, ask)

    def query(self, columns: Callable[[Quote], str], text: str, tables: Small, name: str) -> list[tuple[Any, ...]]:
        """Run a text over ``name``, these columns of the frame, beside small tables given by schema and rows."""
        return self._run(lambda given: f"SELECT {columns(self.text)} FROM {given}", text, tables, name)  # noqa: S608

    def _run(self, shown: Callable[[str], str], text: str, tables: Small, name: str) -> list[tuple[Any, ...]]:
        session = self.frame.sparkSession

        def run() -> list[tuple[Any, ...]]:
            made = {alias: session.createDataFrame(rows, schema) for alias, (schema, rows) in tables.items()}
            made = {alias: frame.hint("broadcast") for alias, frame in made.items()}
            numbered = self.frame.toDF(*(f"c{place}" for place in range(len(self.columns()))))
            with _views(session, {**made, "given": numbered}) as seen:
                parts = [f"{name} AS ({shown(seen['given'])})"]
                parts += [f"{alias} AS (SELECT * FROM {seen[alias]})" for alias in made]  # noqa: S608
                joint = ", " if text.lstrip().partition(" ")[2].startswith("AS (") else "\n"
                return [tuple(row) for row in session.sql(f"WITH {', '.join(parts)}{joint}{text}").collect()]

        found: list[tuple[Any, ...]] = _quietly(run)
        return found

    def text(self, column: str) -> str:
        """Write a column whose values are compared by their text: numbered, so that no name is ever in a query."""
        place, scale = self._place(column), _scale(self._kinds()[column])
        if scale <= PLAIN_SCALE:
            return place
        sign = f"CASE WHEN {place} < 0 THEN '-' ELSE '' END"
        part = f"SUBSTRING(CAST(ABS({place}) % 1 + 1 AS STRING), 2)"
        return f"CONCAT({sign}, CAST(FLOOR(ABS({place})) AS STRING), {part})"

    def number(self, column: str) -> Figure:
        """Write a column that is read as numbers; text that says them says the same ones as in the other engine."""
        place, kind = self._place(column), self.columns()[column]
        if kind == "VARCHAR":
            place = f"CASE WHEN {place} RLIKE '{JAVAS}' THEN NULL ELSE REGEXP_REPLACE({place}, '{GROUPED}', '') END"
        return figure(place, kind)

    def shard(self, column: str, count: str) -> str:
        """Write the shard of a value, of so many; the count is a number or a column."""
        return f"PMOD(XXHASH64({column}), {count})"

    def _kinds(self) -> dict[str, str]:
        """Return the columns and their types as Spark writes them."""
        if not self.known:
            if not hasattr(self.frame, "sparkSession"):
                raise SettingError.of("table", "a DataFrame of Spark", self.frame)
            found = _quietly(lambda: [(str(name), str(kind)) for name, kind in self.frame.dtypes])
            if len(dict(found)) < len(found):
                raise DataError("table: wanted columns with different names, got a name that is there twice")
            self.known.update(found)
        return self.known

    def _place(self, column: str) -> str:
        return f"c{list(self._kinds()).index(column)}"


def is_frame(source: object) -> bool:
    """Return whether something is a DataFrame of Spark, without importing Spark.

    >>> is_frame([1, 2])
    False
    """
    return any(kind.__module__.startswith("pyspark.sql") for kind in type(source).__mro__) and hasattr(source, "toDF")


def named(source: str) -> Any:
    """Return the table that ``spark://name`` names, in the session that is active or the one the environment says.

    >>> named("spark://")
    Traceback (most recent call last):
    discreet.errors.SettingError: source: wanted spark:// and the name of a table, such as spark://plays, got 'spark://'
    """
    table = source.removeprefix(SCHEME)
    if not re.fullmatch(r"[^.`/:\s]+(\.[^.`/:\s]+){0,2}", table):
        raise SettingError.of("source", "spark:// and the name of a table, such as spark://plays", source)
    if find_spec("pyspark") is None:
        raise SettingError("source: wanted PySpark for a table of Spark, got none; install discreet[spark]")
    from pyspark.sql import SparkSession

    quoted = ".".join(f"`{part}`" for part in table.split("."))
    return _quietly(lambda: SparkSession.builder.getOrCreate().table(quoted), f"wanted a table that Spark has: {table}")


def kind_of(kind: str) -> str:
    """Return what the common text calls a type of Spark, without what it has in brackets: names of fields may be data.

    >>> kind_of("int"), kind_of("decimal(10,2)"), kind_of("varchar(9)"), kind_of("map<int,int>")
    ('INTEGER', 'DECIMAL', 'VARCHAR', 'MAP')
    """
    bare = re.split("[(<]", kind)[0]
    return KINDS.get(bare, bare.upper())


def keyed(text: str) -> str:
    """Return a text in which the key is a column of the one-row table ``secret`` and not part of the text.

    >>> keyed(f"MD5(CONCAT('{KEY}/home/', u))")
    "MD5(CONCAT((SELECT k FROM secret), '/home/', u))"
    """
    return text.replace(f"'{KEY}/", "(SELECT k FROM secret), '/")


def _scale(kind: str) -> int:
    found = re.fullmatch(r"decimal\(\d+,\s*(\d+)\)", kind)
    return int(found[1]) if found else 0


@contextmanager
def _views(session: Any, frames: Mapping[str, Any]) -> Generator[dict[str, str], None, None]:
    """Give frames names nobody else has, for a while."""
    names = {alias: f"discreet_{alias}_{secrets.token_hex(8)}" for alias in frames}
    try:
        for alias, frame in frames.items():
            frame.createOrReplaceTempView(names[alias])
        yield names
    finally:
        for name in names.values():
            session.catalog.dropTempView(name)


def _quietly(run: Any, failed: str = "Spark could not answer the query; the driver's own log says why") -> Any:
    """Run something on Spark; what it says of a failure stays with it."""
    try:
        return run()
    except (SettingError, DataError):
        raise
    except Exception:  # noqa: BLE001, S110 - classic and Connect have families of their own, and each may quote a row
        pass
    raise DataError(f"table: {failed}")
