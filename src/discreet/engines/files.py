"""Files as DuckDB reads them: which ones a path means, and each column by a name nobody can break out of."""

import glob
import os
import re
import shutil
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple

from discreet.engines.header import header, packed, place
from discreet.engines.sql import quoted
from discreet.errors import DataError, without_password

PARQUET = {".parquet", ".pq"}
"""Names that end so are Parquet; everything else is CSV, through gzip where the name ends in .gz."""


class Rows(NamedTuple):
    """A source of rows in SQL, the values of its parameters, and how each column is written.

    ``names`` are those in the first line of a CSV file, which may be somebody's row; otherwise the engine knows them.

    >>> Rows("people", (), quoted, "a table").column("x")
    '"x"'
    """

    text: str
    values: tuple[Any, ...]
    column: Callable[[str], str]
    kind: str
    names: list[str] | None = None
    kinds: Mapping[str, str] = MappingProxyType({})
    """The types of columns, where not all are text."""


@contextmanager
def at_hand(source: str | os.PathLike[str] | BinaryIO) -> Generator[str | os.PathLike[str], None, None]:
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


def files_of(path: str) -> list[Path]:
    """Return the files a path means: the file of that name, or all that match it as a pattern, in order.

    >>> files_of("no-such-file.csv")
    Traceback (most recent call last):
    discreet.errors.DataError: file: wanted a file that exists, or a pattern that some match, got 'no-such-file.csv'
    """
    if Path(path).is_file():
        return [Path(path)]
    found = sorted(Path(name) for name in glob.glob(path, recursive=True) if Path(name).is_file())  # noqa: PTH207
    if not found:
        shown = without_password(path)[:200]
        raise DataError(f"file: wanted a file that exists, or a pattern that some match, got {shown!r}")
    if len({is_parquet(file) for file in found}) > 1:
        raise DataError(f"file: wanted files of one kind, got Parquet and others for {path[:200]!r}")
    return found


def is_parquet(file: Path) -> bool:
    """Return whether a file is Parquet; its name alone decides.

    >>> is_parquet(Path("votes.parquet")), is_parquet(Path("votes.csv.gz"))
    (True, False)
    """
    return file.suffix.lower() in PARQUET


def parquet_rows(files: list[Path]) -> Rows:
    """Return Parquet files as a source.

    >>> parquet_rows([Path("votes.parquet")]).text
    'read_parquet(?, hive_partitioning=false, union_by_name=false)'
    """
    text = "read_parquet(?, hive_partitioning=false, union_by_name=false)"
    return Rows(text, ([literal(file) for file in files],), quoted, "Parquet")


def csv_rows(files: list[Path], delimiter: str) -> Rows:
    """Return CSV files as a source; their first lines must agree.

    Every field is text and columns are called by their place, so nothing is guessed from the rows.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "votes.csv"
    ...     _ = file.write_text("pupil,vote", encoding="utf-8")
    ...     csv_rows([file], ",").column("vote")
    'c1'
    """
    headers = [header(file, delimiter) for file in files]
    names = headers[0]
    if any(other != names for other in headers):
        raise DataError("file: wanted files that name the same columns in the same order, got others")
    if len({packed(file) for file in files}) > 1:
        raise DataError("file: wanted files that are all packed or all not, got both")
    columns = ", ".join(f"'c{position}': 'VARCHAR'" for position in range(len(names)))
    text = (
        "read_csv(?, auto_detect=false, header=true, delim=?, quote='\"', escape='\"', nullstr='', strict_mode=true, "
        f"compression=?, hive_partitioning=false, union_by_name=false, columns={{{columns}}})"
    )
    values = ([literal(file) for file in files], delimiter, "gzip" if packed(files[0]) else "none")

    def column(name: str) -> str:
        return f"c{place(names, name)}"

    return Rows(text, values, column, "CSV", names)


def literal(path: Path) -> str:
    """Return a path that DuckDB takes for this one file: to it, some characters mean many files.

    >>> literal(Path("/data[1].csv"))
    '/data[[]1].csv'
    """
    return re.sub(r"([*?\[])", r"[\1]", str(path.absolute()))
