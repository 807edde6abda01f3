"""The ledger: a privacy budget that lasts, that cannot be overspent, and that is charged before anything is computed.

``budget`` says what may be spent and by which rule; ``accounts`` prices a guarantee by it, in the exact ``units``;
``charging`` is what happens inside one transaction; ``store`` is what that asks of a database, and ``sqlite`` and
``postgres`` are the two there are. Nothing here can name a private value, so a refusal depends on public numbers alone.
"""

from discreet.errors import BudgetError, LedgerError
from discreet.ledger.accounts import Account, Balance
from discreet.ledger.budget import Budget
from discreet.ledger.entries import Entry, Receipt
from discreet.ledger.ledger import Ledger

__all__ = ["Account", "Balance", "Budget", "BudgetError", "Entry", "Ledger", "LedgerError", "Receipt"]
