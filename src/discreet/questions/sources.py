"""A declared dataset: where it is, whom it protects, which answers are possible, where its budget is kept."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from discreet.counts import Labels
from discreet.errors import DataError, LedgerError, SettingError
from discreet.ledger import Budget, Ledger
from discreet.ledger.opening import NEW, store_at
from discreet.ledger.store import NOTHING_DONE
from discreet.questions.opening import open as opened
from discreet.questions.table import Table
from discreet.sensitivity import Neighbours

PATIENCE = 30
"""Seconds to wait for a database that has to say whether it holds a ledger."""


class Bounds(NamedTuple):
    """A public grid of numbers.

    >>> Bounds(0, 3600, 10).high
    3600
    """

    low: Any
    high: Any
    step: Any = 1


@dataclass(frozen=True, slots=True)
class Dataset:
    """A declared dataset; nothing of it is open yet.

    >>> Dataset("plays", "plays.parquet", unit="listener", lists={"stars": (1, 2, 3)}).among("stars")
    (1, 2, 3)
    """

    name: str
    source: str
    table: str | None = None
    unit: str = "row"
    neighbours: Neighbours = "add-remove"
    delimiter: str = ","
    memory: str | None = None
    budget: Budget | None = None
    analysts: Mapping[str, Budget] = field(default_factory=dict[str, Budget])
    lists: Mapping[str, Labels | Path] = field(default_factory=dict[str, "Labels | Path"])
    """The public candidates of columns, or the files that hold them."""
    grids: Mapping[str, Bounds] = field(default_factory=dict[str, Bounds])
    """The public bounds of columns."""
    folder: Path = Path()
    where: str | Mapping[str, str] | None = field(default=None, repr=False)
    """The ledger: a path, a URL (which may hold a password, and so is not shown), or the variable that holds either."""

    def __post_init__(self) -> None:
        for name, declared in (("budget", self.budget), ("analysts", self.analysts)):
            if declared and self.where is None:
                wanted = "a ledger declared with it, since nothing else holds anybody to it"
                raise DataError(f"datasets.{self.name}.{name}: wanted {wanted}, got none; add ledger, or leave it out")

    def open(self, *, ledger: Ledger | None = None, memory: str | None = None) -> Table:
        """Open the table, with its ledger if it has one; a ledger that is not there yet is not made here.

        Another ``ledger`` will do if it has the declared budget.
        """
        book = self.book() if ledger is None else ledger
        if ledger is not None:
            self.agree(ledger)
        whom: dict[str, Any] = {"unit": self.unit, "neighbours": self.neighbours, "ledger": book}
        return opened(self.source, table=self.table, delimiter=self.delimiter, memory=memory or self.memory, **whom)

    def book(self, *, create: bool = False) -> Ledger | None:
        """Open the ledger. Only with ``create`` is one made: whoever mistypes its path must not get a fresh budget."""
        where = self.ledger()
        if where is None:
            return None
        if create and self.budget is None:
            wanted = "one to open the ledger with, such as budget = { epsilon = 3 }"
            raise DataError(f"datasets.{self.name}.budget: wanted {wanted}, got none; declare it")
        if create:
            return Ledger(where, self.budget, dataset=self.name, analysts=self.analysts)
        book = existing(where, self.name, f"discreet budget open {self.name}")
        try:
            self.agree(book)
        except BaseException:
            book.close()
            raise
        return book

    def agree(self, book: Ledger) -> None:
        """Refuse a ledger with another budget than the declared one, for all or for an analyst."""
        there = {name: book.account(name).budget for name in book.analysts if name in self.analysts}
        pairs = [("budget", self.budget, book.budget)]
        pairs += [(f"analysts.{name}", self.analysts[name], budget) for name, budget in there.items()]
        for name, declared, kept in pairs:
            if declared is not None and declared != kept:
                said = f"the budget this ledger opened with, {kept}"
                raise DataError(
                    f"datasets.{self.name}.{name}: wanted {said}, got {declared}; a budget cannot be changed"
                )

    def ledger(self) -> str | None:
        """Return where the ledger is: a path or a URL."""
        where = self.where
        if where is None or isinstance(where, str):
            return where
        found = os.environ.get(where["env"])
        if not found:
            wanted = f"the variable {where['env']} to hold a path or a URL"
            raise DataError(f"datasets.{self.name}.ledger: wanted {wanted}, got nothing; set it")
        return placed(found, self.folder)

    def among(self, column: str) -> Labels:
        """Return the public candidates of a column."""
        if column not in self.lists:
            known = ", ".join(map(repr, self.lists)) or "no column"
            raise DataError(f"datasets.{self.name}.candidates: wanted one of those declared ({known}), got {column!r}")
        found = self.lists[column]
        return names_in(found, f"datasets.{self.name}.candidates.{column}") if isinstance(found, Path) else found

    def bounds(self, column: str) -> Bounds:
        """Return the public bounds of a column."""
        if column not in self.grids:
            known = ", ".join(map(repr, self.grids)) or "no column"
            raise DataError(f"datasets.{self.name}.bounds: wanted one of those declared ({known}), got {column!r}")
        return self.grids[column]


def existing(where: str, dataset: str, command: str) -> Ledger:
    """Open a ledger that is there; ``command`` says how one is made. A mistyped path must not be a fresh budget.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     existing(f"{folder}/budget.db", "plays", "discreet budget open plays")
    Traceback (most recent call last):
    discreet.errors.SettingError: ledger: wanted one that was opened before, got none at ...
    """
    store = store_at(where, PATIENCE)
    try:
        there = store.exists()
    except LedgerError as error:  # nobody meant to charge anything yet
        raise LedgerError(str(error).removesuffix(f"; {NOTHING_DONE}")) from error
    finally:
        store.close()
    if not there:
        wanted = f"one that was opened before, got none at {store.name}"
        raise SettingError(f"ledger: wanted {wanted}; to open it: {command}")
    try:
        return Ledger(where, dataset=dataset)
    except SettingError as error:
        if not str(error).endswith(NEW):
            raise
        raise SettingError(f"{str(error).removesuffix(NEW)}to open it: {command}") from None


def names_in(file: Path, name: str) -> tuple[str, ...]:
    r"""Return the names in a file, one on each line; blanks around a name and empty lines are left out.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "names.txt"
    ...     _ = file.write_text("smith\n\n jones \n", encoding="utf-8")
    ...     names_in(file, "among-file")
    ('smith', 'jones')
    """
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise DataError(f"{name}: wanted a readable file of UTF-8 text, got {str(file)[:200]!r}") from None
    return tuple(line for line in map(str.strip, lines) if line)


def placed(where: str, folder: Path) -> str:
    """Return a path as seen from the folder of the file that names it; a URL stays as it is.

    >>> placed("postgresql://host/budgets", Path("here"))
    'postgresql://host/budgets'
    """
    return where if "://" in where else str(folder / os.path.expanduser(where))  # noqa: PTH111 - a user nobody knows is a name like any other
