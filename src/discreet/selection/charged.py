"""A release through a ledger: the budget is looked at, data are counted, the charge is committed; only then coins.

The order is: look at the budget; count; charge, durably; draw; record; show what is recorded. What cannot be counted
costs nothing. A crash after the charge costs the charge, and the same request is then drawn without a second one. A
request that was answered gets the recorded answer, without a look at the data.
"""

import secrets
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from discreet.errors import SettingError
from discreet.guarantees import Guarantee
from discreet.ledger import Ledger, Receipt
from discreet.sensitivity import Neighbours

Counted = TypeVar("Counted")


def charged(
    book: Ledger,
    guarantee: Guarantee,
    count: Callable[[], Counted],
    answer: Callable[[Counted], Mapping[str, Any]],
    *,
    request: str | None = None,
    analyst: str | None = None,
    **about: Any,
) -> tuple[dict[str, Any], Receipt]:
    """Return the recorded answer to a request, and the receipt of its charge.

    ``about`` is what else a charge says: question, memo, per, neighbours. To charge the same request again costs
    nothing, and is refused where it says something else.

    >>> import tempfile
    >>> from discreet.guarantees import Pure
    >>> from discreet.ledger import Budget
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Ledger(f"{folder.name}/budget.db", Budget(epsilon=3)) as book:
    ...     once = charged(book, Pure(1), lambda: 2, lambda counted: {"winner": counted}, request="may-1")
    ...     again = charged(book, Pure(1), lambda: 7, lambda counted: {"winner": counted}, request="may-1")
    ...     once == again, again[0], book.remaining.epsilon
    (True, {'winner': 2}, Fraction(2, 1))
    >>> folder.cleanup()
    """
    said: dict[str, Any] = {"request": secrets.token_hex(16) if request is None else request, "analyst": analyst}
    known = book.recorded(said["request"])
    if known is not None:
        return known, book.charge(guarantee, **said, **about)
    book.check_room(guarantee, **said)
    counted = count()
    receipt = book.charge(guarantee, **said, **about)
    return book.record(receipt, answer(counted)), receipt


def agreeing(book: Ledger, per: str, neighbours: Neighbours, what: str) -> Ledger:
    """Return a ledger, if its budget protects the same people as ``what`` is charged to it.

    >>> import tempfile
    >>> from discreet.ledger import Budget
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Ledger(f"{folder.name}/budget.db", Budget(epsilon=3, per="pupil")) as book:
    ...     agreeing(book, "row", "add-remove", "the table")
    Traceback (most recent call last):
    discreet.errors.SettingError: ledger: wanted a budget per 'row' under 'add-remove', as the table, got one per ...
    >>> folder.cleanup()
    """
    if (book.budget.per, book.budget.neighbours) != (per, neighbours):
        got = f"one per {book.budget.per!r} under {book.budget.neighbours!r}"
        raise SettingError(f"ledger: wanted a budget per {per!r} under {neighbours!r}, as {what}, got {got}")
    return book


def uncharged(analyst: str | None, request: str | None) -> None:
    """Refuse words that only a ledger understands, where there is none.

    >>> uncharged(None, "may-1")
    Traceback (most recent call last):
    discreet.errors.SettingError: ledger: wanted one, since an analyst or a request was named, got none
    """
    if analyst is not None or request is not None:
        raise SettingError("ledger: wanted one, since an analyst or a request was named, got none")
