"""What a ledger tells without charging: how accounts stand, the history, its export, and whether it is whole."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from discreet.errors import LedgerError, SettingError
from discreet.exact import whole
from discreet.ledger import chain, schema
from discreet.ledger.accounts import Account
from discreet.ledger.chain import PAGE, genesis
from discreet.ledger.entries import Entry, entry
from discreet.ledger.names import label, packed
from discreet.ledger.opening import account
from discreet.ledger.store import Session, Store


def analysts(run: Session, dataset: str) -> tuple[str, ...]:
    """Return those who have an account of their own.

    >>> analysts(lambda sql, *values: [("",), ("ann",)], "default")
    ('ann',)
    """
    return tuple(row[0] for row in run(schema.ACCOUNTS, dataset) if row[0])


def account_of(run: Session, dataset: str, analyst: str | None) -> Account:
    """Return how the whole dataset stands, or an analyst.

    >>> account_of(lambda sql, *values: [("",)], "default", "bob")
    Traceback (most recent call last):
    discreet.errors.SettingError: analyst: wanted none, since no analyst has a budget here, got 'bob'
    """
    name = "" if analyst is None else label(analyst, "analyst")
    found = {row[0]: row for row in run(schema.ACCOUNTS, dataset)}
    if name not in found:
        known = " or ".join(repr(one) for one in found if one) or "none, since no analyst has a budget here"
        raise SettingError.of("analyst", known, analyst)
    return account(found[name])


def secret(run: Session, dataset: str) -> bytes:
    """Return the key of a dataset.

    >>> secret(lambda sql, *values: [("2026", b"secret")], "default")
    b'secret'
    """
    found = run(schema.DATASET, dataset)
    if not found:
        known = " or ".join(repr(name) for (name,) in run(schema.DATASETS))
        raise SettingError.of("dataset", known, dataset)
    return bytes(found[0][1])


def history(store: Store, dataset: str, after: int = 0) -> Iterator[Entry]:
    """Yield entries, a page at a time: between two pages nothing is held, and what was read cannot change.

    >>> import io, tempfile
    >>> from discreet.ledger import Budget, Ledger
    >>> from discreet.guarantees import Pure
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Ledger(f"{folder.name}/budget.db", Budget(epsilon=1)) as ledger:
    ...     done = ledger.charge(Pure("0.1"), memo="May"), ledger.charge(Pure("0.2"), memo="June")
    ...     [(entry.seq, entry.memo, entry.answer) for entry in ledger.history()]
    [(1, 'May', None), (2, 'June', None)]
    >>> folder.cleanup()
    """
    last = whole(after, "after", least=0)
    while True:
        with store.reading() as run:
            rows = run(schema.ENTRIES, dataset, last, PAGE)
        for row in rows:
            yield entry(row)
            last = row[1]
        if len(rows) < PAGE:
            return


def export(store: Store, dataset: str, file: Any) -> int:
    """Write the budgets and then the history, each a line of JSON; the key stays where it is.

    >>> import io, tempfile
    >>> from discreet.ledger import Budget, Ledger
    >>> folder, file = tempfile.TemporaryDirectory(), io.StringIO()
    >>> with Ledger(f"{folder.name}/budget.db", Budget(epsilon=1)) as ledger:
    ...     ledger.export(file)
    0
    >>> '"ledger":"default"' in file.getvalue()
    True
    >>> folder.cleanup()
    """
    if isinstance(file, str | Path):
        return _export_to(store, dataset, Path(file))
    with store.reading() as run:
        budgets = {row[0]: account(row).budget.to_dict() for row in run(schema.ACCOUNTS, dataset)}
        digest = genesis(run, dataset)
    head = {"ledger": dataset, "version": schema.VERSION, "budget": budgets.pop(""), "analysts": budgets}
    file.write(packed({**head, "digest": digest}) + "\n")
    count = 0
    for count, line in enumerate(history(store, dataset), 1):  # noqa: B007 - how many is what is returned
        file.write(packed(line.to_dict()) + "\n")
    return count


def check(store: Store, dataset: str, head: str | None) -> int:
    """Verify everything, and return the number of charges, or raise with all that is wrong.

    >>> import tempfile
    >>> from discreet.ledger import Budget, Ledger
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Ledger(f"{folder.name}/budget.db", Budget(epsilon=1)) as ledger:
    ...     ledger.check()
    0
    >>> folder.cleanup()
    """
    wrong = store.complaints()
    with store.reading() as run:
        try:
            charges, found = chain.complaints(run, dataset, head)
        except (ValueError, TypeError, LookupError):  # what was written over a row may be anything
            charges, found = 0, ["rows cannot be read"]
    if wrong + found:
        what = "; ".join(wrong + found)
        raise LedgerError(f"{store.name}: wanted a whole ledger, got one where {what}; keep it, and restore a back-up")
    return charges


def _export_to(store: Store, dataset: str, path: Path) -> int:
    """Write to a file that is not there yet: neither an earlier export nor the ledger itself is ever written over."""
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            try:
                return export(store, dataset, file)
            except BaseException:
                path.unlink()
                raise
    except OSError as error:
        wanted = "wanted the name of a new file in a folder that may be written"
        raise LedgerError(f"export: {wanted}, got an error ({error.strerror})") from error
