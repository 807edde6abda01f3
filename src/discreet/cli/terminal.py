"""What only a terminal gets: a sign of life while something takes its time, and tables as wide as the screen."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

PATIENCE = 1.0
"""Seconds after which a person is told that something is going on."""
UNBOUNDED = 10_000
"""The width of what is no terminal: nothing is cut or folded there."""


@contextmanager
def waiting(what: str) -> Generator[None, None, None]:
    """Show that work goes on, on a terminal and after a second; never how much of it there is.

    >>> with waiting("counting"):
    ...     pass
    """
    if not sys.stderr.isatty():
        yield
        return
    from threading import Timer

    from rich.console import Console

    status = Console(stderr=True).status(what)
    timer = Timer(PATIENCE, status.start)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()


def table(headings: "Sequence[str]", rows: "Sequence[Sequence[str]]") -> None:
    """Print a table: drawn on a terminal, plain and unfolded elsewhere.

    >>> table(["analyst", "left"], [["ann", "0.5"], ["bob", "1"]])
    <BLANKLINE>
      analyst   left...
      ann       0.5...
      bob       1...
    """
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = UNBOUNDED
    console.print(drawn(headings, rows))


def drawn(headings: "Sequence[str]", rows: "Sequence[Sequence[str]]") -> "Table":
    """Return a table of plain texts; what stands in them is not read as markup.

    >>> drawn(["analyst"], [["[red]ann"]]).row_count
    1
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(box=box.SIMPLE_HEAD)
    for heading in headings:
        made.add_column(heading)
    for row in rows:
        made.add_row(*map(Text, row))
    return made
