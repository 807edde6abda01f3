"""Two ledgers that are wrong, to show that the fire finds it: one reads and then writes, one tells before it writes."""

import sqlite3
import time
from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, Self

from discreet.errors import BudgetError
from discreet.guarantees import Pure
from discreet.ledger import Budget


class Unlocked:
    """Each statement is safe on its own, and all together are not: others write between the reading and the writing."""

    def __init__(self, where: str, budget: Budget, *, dataset: str, timeout: float) -> None:
        self.limit, self.file = budget.epsilon, sqlite3.connect(where + dataset, timeout, isolation_level=None)
        self.file.execute("PRAGMA synchronous = OFF")
        for table in ("spent (amount)", "charge (request, amount, answer)"):
            self.file.execute(f"CREATE TABLE IF NOT EXISTS {table}")

    @property
    def spent(self) -> Any:
        """What the account says."""
        found = self.file.execute("SELECT amount FROM spent").fetchone()
        return SimpleNamespace(epsilon=Fraction(found[0] if found else 0))

    def charge(self, guarantee: Pure, *, request: str) -> None:
        """Read, decide, write."""
        if self.file.execute("SELECT 1 FROM charge WHERE request = ?", [request]).fetchone():
            return
        total = self.spent.epsilon + guarantee.epsilon
        if self.limit is None or total > self.limit:
            raise BudgetError("epsilon: wanted less")
        time.sleep(0.001)  # as long as an honest disk takes
        self.file.execute("INSERT INTO charge (request, amount) VALUES (?, ?)", [request, str(guarantee.epsilon)])
        self.file.execute("DELETE FROM spent")
        self.file.execute("INSERT INTO spent VALUES (?)", [str(total)])

    def record(self, request: str, answer: Mapping[str, Any]) -> dict[str, Any]:
        """The last answer wins."""
        self.file.execute("UPDATE charge SET answer = ? WHERE request = ?", [answer["drawn"], request])
        return dict(answer)

    def history(self) -> Iterator[Any]:
        """All charges."""
        for request, amount, answer in self.file.execute("SELECT request, amount, answer FROM charge").fetchall():
            yield SimpleNamespace(request=request, amount=Fraction(amount), answer=answer and {"drawn": answer})

    def check(self) -> None:
        """Find nothing."""

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Hasty(Unlocked):
    """Says that a charge is made, and makes it a little later: a crash between the two loses it."""

    waiting: tuple[Pure, str] | None = None

    def charge(self, guarantee: Pure, *, request: str) -> None:
        """Make the charge before, and promise this one."""
        self.settle()
        if self.limit is None or self.spent.epsilon + guarantee.epsilon > self.limit:
            raise BudgetError("epsilon: wanted less")
        self.waiting = guarantee, request

    def settle(self) -> None:
        """Make the charge that was promised."""
        if self.waiting is not None:
            guarantee, request = self.waiting
            self.waiting = None
            super().charge(guarantee, request=request)

    def close(self) -> None:
        """Make the last charge."""
        self.settle()
        super().close()
