"""The first line of a CSV file: the one part of it that is public, and all of it that decides how the rest is read.

Nothing is guessed from the rows. If the delimiter, the quoting or the presence of a header were inferred from a
sample of the data, one person's row could change how everybody else's is read.
"""

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from discreet.errors import DataError, SettingError

LONGEST = 1 << 20
"""Characters of a line beyond which it is not taken for a header."""


def packed(path: Path) -> bool:
    """Return whether a file is read through gzip; its name alone decides.

    >>> packed(Path("votes.csv.gz")), packed(Path("votes.csv"))
    (True, False)
    """
    return path.suffix.lower() == ".gz"


def header(path: Path, delimiter: str = ",") -> list[str]:
    """Return the names in the first line.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "votes.csv"
    ...     _ = file.write_text("pupil,vote", encoding="utf-8")
    ...     header(file)
    ['pupil', 'vote']
    """
    if len(delimiter) != 1 or delimiter in '"\r\n\0':
        raise SettingError.of("delimiter", "one character other than a quote or a line end", delimiter)
    names: list[str] = []
    wrong: str | None = None
    try:
        with _opened(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
            names = next(csv.reader(_lines(text), delimiter=delimiter, strict=True), names)
            while packed(path) and file.read(LONGEST):  # to its checksum: not every DuckDB sees that the end is missing
                pass
    except csv.Error:
        wrong = "has a first line that is not CSV"
    except (OSError, EOFError, zlib.error):
        wrong = "cannot be read to its end"
    except UnicodeDecodeError:
        wrong = "is not UTF-8 text"
    # DuckDB takes the first line end it sees for that of all lines, so none may stand inside a name.
    if wrong is None and (not names or any(end in name for name in names for end in "\r\n")):
        wrong = "is empty, or its first line is empty or has a line end inside a name"
    # Raised out here, so that what went wrong inside, which may quote the data, is not attached.
    if wrong is not None:
        raise DataError(f"file: wanted a CSV file that names its columns in the first line; this one {wrong}")
    return names


def place(names: list[str], column: str) -> int:
    """Return where the column stands; a name that is only nearly right is offered, no other is shown.

    >>> place(["pupil", "vote"], "vote")
    1

    Where a file has no header after all, its first line is somebody's row.
    """
    found = [position for position, name in enumerate(names) if name == column]
    if len(found) == 1:
        return found[0]
    shown = repr(column[:60])
    if found:
        raise DataError(f"column: wanted a name that one column has, got {shown}, which {len(found)} columns have")
    near = next((name for name in names if _bare(name) and _bare(name) == _bare(column)), None)
    remedy = "look at the first line of the file" if near is None else f"did you mean {near!r}?"
    raise DataError(f"column: wanted one of the {len(names)} names in the first line, got {shown}; {remedy}")


def _opened(path: Path) -> BinaryIO:
    return cast("BinaryIO", gzip.open(path, "rb")) if packed(path) else path.open("rb")


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    return iter(lambda: text.readline(LONGEST), "")


def _bare(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
