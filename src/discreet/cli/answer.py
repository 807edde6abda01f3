"""From a file to an answer: the one path that every verb takes."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet.cli.options import candidates, spending
from discreet.errors import SettingError

if TYPE_CHECKING:
    from discreet.counts import Counts
    from discreet.selection import Selection, Settings

PATIENCE = 1.0
"""Seconds after which a person is told that something is going on."""


class Asked(NamedTuple):
    """What was asked of which table; all of it is public.

    >>> Asked("votes.csv", "vote", ("smith", "jones"), ",", "add-remove", {"epsilon": 1}).column
    'vote'
    """

    file: str | None
    column: str
    among: tuple[str, ...]
    delimiter: str
    neighbours: Any
    settings: "Settings"


def asked(
    file: str | None,
    *,
    column: str,
    among: str | None,
    among_file: str | None,
    delimiter: str,
    epsilon: Any,
    rho: Any,
    neighbours: str,
    mechanism: str,
    noise: str | None = None,
) -> Asked:
    """Read the words of a verb.

    >>> words = dict(column="vote", delimiter=",", neighbours="replace", mechanism="auto", among_file=None)
    >>> asked("votes.csv", among="smith,jones", epsilon=1, rho=None, **words).among
    ('smith', 'jones')
    """
    names = candidates(among, among_file)
    settings: Any = {**spending(epsilon, rho), "mechanism": mechanism, "noise": noise}
    return Asked(file, column, names, delimiter, neighbours, settings)


def answer(question: Asked, count: int | None = None) -> "Selection":
    """Count, then draw: one winner, or ``count`` of them. Settings are refused before the file is opened.

    >>> answer(Asked("votes.csv", "vote", ("smith",), ",", "add-remove", {"epsilon": 1}), 2)
    Traceback (most recent call last):
    discreet.errors.SettingError: k: wanted a whole number from 1 to 1, got 2
    """
    from discreet.scores import by_count
    from discreet.selection import select, top_k

    rehearse(question, count)
    with waiting("counting"):
        counts = tallied(question)
    scores = by_count(counts)
    if count is None:
        return select(scores, **question.settings)
    return top_k(scores, count, **question.settings)


def rehearse(question: Asked, count: int | None) -> None:
    """Refuse whatever is wrong with the settings, on counts that are all zero.

    >>> rehearse(Asked(None, "vote", ("smith",), ",", "add-remove", {"epsilon": 1}), None)
    """
    from discreet.counts import Counts
    from discreet.exact import whole
    from discreet.scores import by_count
    from discreet.selection.entries import read
    from discreet.selection.plan import plan

    nothing = Counts(question.among, [0] * len(question.among), neighbours=question.neighbours)
    if count is not None:
        whole(count, "k", most=len(question.among))
    plan(read(by_count(nothing)), count, **question.settings)


def tallied(question: Asked) -> "Counts":
    """Return the private counts behind a question.

    >>> tallied(Asked("no-such-file.csv", "vote", ("smith",), ",", "add-remove", {}))
    Traceback (most recent call last):
    discreet.errors.DataError: file: wanted a file that exists, got 'no-such-file.csv'
    """
    from discreet.engines.duckdb import tally

    file = question.file
    if file is None and sys.stdin.isatty():
        raise SettingError("file: wanted the path of a CSV or Parquet file, or CSV on standard input, got neither")
    source = sys.stdin.buffer if file is None or file == "-" else file
    return tally(source, question.column, question.among, delimiter=question.delimiter, neighbours=question.neighbours)


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
