"""Budgets as they are typed and shown: a whole and its shares, what is spent and left, and a line of the history."""

from typing import TYPE_CHECKING, Any

from discreet.cli.options import spending
from discreet.errors import SettingError

if TYPE_CHECKING:
    from discreet.ledger import Balance, Budget, Entry, Ledger

SETTINGS = ("epsilon", "delta", "rho", "spare", "per", "neighbours", "dataset")
LONGEST = 60
"""Characters of a memo in a table."""


def budget_of(given: dict[str, Any]) -> "Budget":
    """Return the budget that was typed.

    >>> print(budget_of(dict.fromkeys(SETTINGS) | {"epsilon": 3, "per": "listener"}))
    3-differential privacy per listener (add-remove), by epsilon
    """
    from discreet.ledger import Budget

    more = {name: given[name] for name in ("delta", "spare", "neighbours") if given[name] is not None}
    return Budget(**spending(given["epsilon"], given["rho"]), per=given["per"] or "row", **more)


def share_of(text: str, given: dict[str, Any]) -> "tuple[str, Budget]":
    """Read an analyst and a share of the budget, in the measure of the whole.

    >>> name, budget = share_of("ann=1/2", dict.fromkeys(SETTINGS) | {"epsilon": 3})
    >>> name, budget.epsilon
    ('ann', Fraction(1, 2))
    """
    name, found, number = text.rpartition("=")
    if not found:
        raise SettingError.of("analyst", "a name and a number, such as ann=1", text)
    measure = "epsilon" if given["epsilon"] is not None else "rho"
    return name, budget_of({**given, "spare": None, measure: number})


def accounts(book: "Ledger") -> dict[str, Any]:
    """Return how everything stands as JSON-ready values.

    >>> from discreet.ledger import Budget, Ledger
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Ledger(f"{folder}/b.db", Budget(epsilon=1)) as book:
    ...     accounts(book)["remaining"]["epsilon"]
    '1'
    """
    one = book.account()
    whole = {"budget": one.budget.to_dict(), "spent": one.spent.to_dict(), "remaining": one.remaining.to_dict()}
    shares = {name: book.account(name) for name in book.analysts}
    analysts = {name: {"spent": a.spent.to_dict(), "remaining": a.remaining.to_dict()} for name, a in shares.items()}
    return {"dataset": book.dataset, **whole, "analysts": analysts}


def amount(balance: "Balance") -> str:
    """Write an amount in its measure, what is left rounded down.

    >>> from discreet.guarantees import Pure
    >>> from discreet.ledger import Balance
    >>> from fractions import Fraction
    >>> amount(Balance("pure", Fraction(1, 2), Fraction(0), Pure(3)))
    'epsilon 0.5'
    """
    return str(balance).removesuffix(f" of {balance.whole}").removesuffix(" left").removesuffix(" spent")


def line(entry: "Entry") -> list[str]:
    """Return the columns of a charge.

    >>> import tempfile
    >>> from discreet import Pure
    >>> from discreet.ledger import Budget, Ledger
    >>> with tempfile.TemporaryDirectory() as folder, Ledger(f"{folder}/b.db", Budget(epsilon=1)) as book:
    ...     _ = book.charge(Pure("0.1"), request="may", memo="May report")
    ...     line(next(book.history()))[2:]
    ['may', '0.1-differential privacy', '', 'May report']
    """
    promise = f"a plan of {len(entry.reserved)} kinds" if entry.guarantee is None else str(entry.guarantee)
    when = entry.time.isoformat(sep=" ", timespec="seconds")
    return [str(entry.seq), when, entry.request, promise, entry.analyst or "", entry.memo[:LONGEST]]
