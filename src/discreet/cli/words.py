"""What was typed of a verb, together with what is declared of its dataset: from here come tables, lists and ledgers."""

import os
import re
import shlex
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.cli.options import candidates
from discreet.errors import DataError, SettingError, without_password

if TYPE_CHECKING:
    from discreet.counts import Labels
    from discreet.ledger import Ledger
    from discreet.questions import Table
    from discreet.questions.sources import Bounds, Dataset

LEDGER = "DISCREET_LEDGER"
"""The variable that names a ledger, where no word and no declaration does."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a verb; a dataset that is declared fills in what was not typed, and says what may not be.

    >>> Words({"column": "vote", "among": ("smith", "jones")}).among("vote")
    ('smith', 'jones')
    """

    given: Mapping[str, Any]
    declared: "Dataset | None" = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Words":
        """Read the words, and find out whether the file is a declared dataset."""
        words = cls(given, declared(given.get("file"), given.get("config")))
        words.agree()
        return words

    def agree(self) -> None:
        """Refuse a word that says again what is declared."""
        known = self.declared
        if known is None:
            return
        said: dict[str, Any] = {"unit": True, "neighbours": True, "delimiter": True, "table": True}
        said |= {"ledger": known.where, "dataset": True}
        for name, value in said.items():
            if value and self.given.get(name) is not None:
                got = without_password(self.given[name])
                raise SettingError.of(name, f"none, since {known.name!r} is declared with its own", got)

    def __getitem__(self, name: str) -> Any:
        return self.given.get(name)

    @property
    def unit(self) -> str:
        """Whom the table protects."""
        if self.declared:
            return self.declared.unit
        return "row" if self["unit"] is None else nonempty("unit", self["unit"], "the column that names a person")

    @property
    def neighbours(self) -> Any:
        """What is hidden."""
        return self.declared.neighbours if self.declared else self["neighbours"] or "add-remove"

    @property
    def column(self) -> str:
        """The column that was asked about."""
        if not self["column"]:
            raise SettingError("column: wanted --column, the column to ask about, got none")
        return str(self["column"])

    @property
    def at_most(self) -> int:
        """For how many candidates one person may count."""
        return 1 if self["at_most"] is None else int(self["at_most"])

    @property
    def groups(self) -> dict[str, Any]:
        """The public groups, if there are any."""
        by, listed = self["by"], self["groups"]
        if by is not None and listed is None and self.declared and by in self.declared.lists:
            listed = self.declared.among(by)
        return {"by": by, "groups": listed or ()}

    def among(self, column: str) -> "Labels":
        """Return the public candidates: those typed, or those declared of the column."""
        typed = candidates(self["among"], self["among_file"])
        if typed is not None:
            return typed
        if self.declared and column in self.declared.lists:
            return self.declared.among(column)
        wanted = "--among or --among-file, the public candidates"
        if self.declared:
            columns = ", ".join(map(repr, self.declared.lists)) or "none has"
            wanted += f", or a column that is declared with its own ({columns})"
        raise SettingError(f"among: wanted {wanted}, got neither")

    def bounds(self, column: str) -> "Bounds":
        """Return the public bounds and the step: those typed, or those declared of the column."""
        from discreet.exact import number
        from discreet.questions.sources import Bounds

        typed = [None if self[name] is None else number(self[name], name) for name in Bounds._fields]
        if self.declared and column in self.declared.grids:
            known = self.declared.bounds(column)
            return Bounds(*(there if one is None else one for one, there in zip(typed, known, strict=True)))
        return Bounds(typed[0], typed[1], 1 if typed[2] is None else typed[2])

    @contextmanager
    def book(self) -> "Generator[Ledger | None, None, None]":
        """Open the ledger to charge, if there is one."""
        if self["ledger"] is not None:
            nonempty("ledger", self["ledger"], "a file or a URL")
        where = self["ledger"] or (self.declared and self.declared.where) or os.environ.get(LEDGER)
        if not where:
            without(self.given, ("analyst", "memo", "request", "dataset"))
            yield None
            return
        with opened(where, self["dataset"], self.declared, (self.unit, self.neighbours)) as ledger:
            yield ledger

    @contextmanager
    def table(self, ledger: "Ledger | None") -> "Generator[Table, None, None]":
        """Open the table; standard input is copied first, since it can be read only once."""
        if self.declared is not None:
            yield self.declared.open(ledger=ledger, memory=self["memory"])
            return
        from discreet.engines.files import at_hand
        from discreet.questions import open as open_table

        file: Any = self["file"]
        if file is None and sys.stdin.isatty():
            wanted = "the path of a CSV or Parquet file, the name of a dataset, or CSV on standard input"
            raise SettingError(f"file: wanted {wanted}, got none")
        source: Any = sys.stdin.buffer if file in {None, "-"} else file
        with at_hand(source) as path:
            more = {name: self[name] for name in ("delimiter", "table", "memory") if self[name] is not None}
            yield open_table(path, unit=self.unit, neighbours=self.neighbours, ledger=ledger, **more)


def declared(file: str | None, config: str | None = None, *, strict: bool = True) -> "Dataset | None":
    """Return the declared dataset of that name, if it is a plain word and declared; anything else is a file.

    Where there are datasets, a plain word that is none of them must be a file that exists, unless not ``strict``.

    >>> declared("votes.csv") is None
    True
    """
    if file is None or not re.fullmatch(r"[A-Za-z0-9_-]+", file) or file == "-":
        return None
    from discreet.questions.declared import datasets

    known = datasets(config)
    if strict and known and file not in known and not Path(file).exists():
        raise DataError(f"file: wanted a file that exists, or a declared dataset ({', '.join(known)}), got {file!r}")
    return known.get(file)


def without(given: Mapping[str, Any], names: tuple[str, ...]) -> None:
    """Refuse words that mean nothing without a ledger.

    >>> without({"memo": "May report"}, ("analyst", "memo"))
    Traceback (most recent call last):
    discreet.errors.SettingError: memo: wanted --ledger with it, since it is kept in the ledger, got 'May report' alone
    """
    for name in names:
        if given.get(name) is not None:
            alone = f"wanted --ledger with it, since it is kept in the ledger, got {given[name]!r} alone"
            raise SettingError(f"{name}: {alone}")


@contextmanager
def opened(
    where: Any, dataset: str | None, known: "Dataset | None" = None, whom: tuple[str, str] = ("row", "add-remove")
) -> "Generator[Ledger, None, None]":
    """Open a ledger that is there: that of a declared dataset, or the one at ``where``.

    >>> with opened("no-such-budget.db", None, whom=("pupil", "add-remove")):
    ...     pass
    Traceback (most recent call last):
    discreet.errors.SettingError: ledger: wanted one that was opened before, got none at ...
    """
    from discreet.questions.sources import existing

    book = known.book() if known is not None and known.where else None
    if book is None:
        name = dataset or (known.name if known else "default")
        book = existing(where, name, opening(where, name, *whom))
    with book:
        yield book


def opening(where: str, dataset: str, unit: str, neighbours: str) -> str:
    """Return the command that opens such a ledger, with an epsilon as an example.

    >>> opening("budget.db", "default", "pupil", "replace")
    'discreet budget open budget.db --epsilon 3 --per pupil --neighbours replace'
    """
    command = ["discreet", "budget", "open", without_password(where), "--epsilon", "3", "--per", unit]
    command += ["--neighbours", neighbours] if neighbours != "add-remove" else []
    command += ["--dataset", dataset] if dataset != "default" else []
    return shlex.join(command)


def nonempty(name: str, value: str, wanted: str) -> str:
    """Return a word, unless it is empty: a variable of the shell that was not set must not mean "none".

    >>> nonempty("unit", "", "the column that names a person")
    Traceback (most recent call last):
    discreet.errors.SettingError: unit: wanted the column that names a person, got ''
    """
    if not value:
        raise SettingError.of(name, wanted, value)
    return value
