"""The ledger: a release is charged, durably, before it is computed, and its answer is recorded before it is shown."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self, TextIO

from discreet.errors import BudgetError, SettingError
from discreet.exact import positive
from discreet.guarantees import Guarantee
from discreet.ledger import charging, plans, reports
from discreet.ledger.accounts import Account, Balance
from discreet.ledger.budget import Budget
from discreet.ledger.entries import Entry, Receipt
from discreet.ledger.names import label
from discreet.ledger.opening import asked, opened, store_at


class Ledger:
    """A budget that lasts: in a SQLite file, or in PostgreSQL by its URL. Safe for threads, processes and crashes.

    >>> import tempfile
    >>> from discreet.guarantees import Pure
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Ledger(f"{folder.name}/budget.db", Budget(epsilon=3, per="listener")) as ledger:
    ...     receipt = ledger.charge(Pure("0.1"), request="may-1", memo="May report")
    ...     again = ledger.charge(Pure("0.1"), request="may-1", memo="May report")
    ...     receipt == again, ledger.remaining.epsilon
    (True, Fraction(29, 10))
    >>> folder.cleanup()

    Opening creates what is missing; a ledger that is there needs no budget, and refuses another one. Several datasets
    may share a database, each with its own budget; ``analysts`` have budgets within it. ``timeout`` is how many
    seconds a charge waits for others.
    """

    def __init__(
        self,
        where: str | Path,
        budget: Budget | None = None,
        *,
        dataset: str = "default",
        analysts: Mapping[str, Budget] | None = None,
        timeout: float = 30,
    ) -> None:
        wanted = asked(dataset, budget, analysts)
        self._store = store_at(where, float(positive(timeout, "timeout")))
        self.dataset = wanted.dataset
        try:
            opened(self._store, wanted)
            self.budget = self.account().budget
        except BaseException:
            self._store.close()
            raise

    def charge(
        self,
        guarantee: Guarantee,
        *,
        request: str | None = None,
        question: Any = None,
        memo: str = "",
        analyst: str | None = None,
        plan: Receipt | str | None = None,
        per: str | None = None,
        neighbours: str | None = None,
    ) -> Receipt:
        """Charge one release; when this returns, the charge is durable. Only then compute the answer.

        The same ``request`` with the same content is charged once, however often it is sent, and gets the same
        receipt. ``question`` is kept as JSON. A release of a reserved ``plan`` costs nothing more. ``per`` and
        ``neighbours``, where the release knows whom it protects, must be the budget's.
        """
        self._about(per, neighbours)
        item, about = charging.release(guarantee), {"request": request, "question": question, "memo": memo}
        draft = charging.draft(item, **about, analyst=analyst, plan=plan)
        with self._store.writing(self.dataset) as run:
            return charging.admit(run, self.dataset, draft)

    def check_room(self, guarantee: Guarantee, *, analyst: str | None = None, request: str | None = None) -> None:
        """Refuse as ``charge`` would refuse now, and charge nothing: whoever must read data first, looks first."""
        draft = charging.draft(charging.release(guarantee), request=request, analyst=analyst)
        with self._store.reading() as run:
            charging.room(run, self.dataset, draft)

    def admits(self, guarantee: Guarantee, *, analyst: str | None = None) -> bool:
        """Return whether there is room for a release now."""
        try:
            self.check_room(guarantee, analyst=analyst)
        except BudgetError:
            return False
        return True

    def reserve(
        self,
        guarantees: Iterable[Any],
        *,
        request: str | None = None,
        question: Any = None,
        memo: str = "",
        analyst: str | None = None,
    ) -> Receipt:
        """Charge a plan as a whole; ``charge(..., plan=receipt)`` then takes its releases one by one, in order."""
        item = plans.read(guarantees, "guarantees")
        draft = charging.draft(item, request=request, question=question, memo=memo, analyst=analyst)
        with self._store.writing(self.dataset) as run:
            return charging.admit(run, self.dataset, draft)

    def record(self, request: Receipt | str, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Record the answer to a charge, once, and return what is recorded: show that, and nothing else.

        Of two who answer the same request one is recorded, and both get the same answer back.
        """
        name, text = charging.named(request), charging.answer_text(answer)
        with self._store.writing(self.dataset) as run:
            return charging.record(run, self.dataset, name, text)

    def recorded(self, request: Receipt | str) -> dict[str, Any] | None:
        """Return the recorded answer to a request; None if there is none, charged or not."""
        name = charging.named(request)
        with self._store.reading() as run:
            return charging.answer_to(run, self.dataset, name)

    def once(self, guarantee: Guarantee, compute: Callable[[], Mapping[str, Any]], **settings: Any) -> dict[str, Any]:
        """Charge, compute, record, and return the recorded answer; a retry of the request gets it without computing.

        ``settings`` are those of ``charge``.
        """
        receipt = self.charge(guarantee, **settings)
        known = self.recorded(receipt)
        return self.record(receipt, compute()) if known is None else known

    @property
    def rule(self) -> str:
        """How charges add up: ``"pure"``, ``"zcdp"`` or ``"plan"``."""
        return self.budget.rule

    @property
    def spent(self) -> Balance:
        """What is gone of the budget."""
        return self.account().spent

    @property
    def remaining(self) -> Balance:
        """What is left of the budget, and what the whole of it means."""
        return self.account().remaining

    @property
    def analysts(self) -> tuple[str, ...]:
        """Those who have a budget of their own."""
        with self._store.reading() as run:
            return reports.analysts(run, self.dataset)

    def account(self, analyst: str | None = None) -> Account:
        """Return how the dataset stands, or an analyst: budget, spent, remaining."""
        with self._store.reading() as run:
            return reports.account_of(run, self.dataset, analyst)

    def key(self, dataset: str | None = None) -> bytes:
        """Return the secret key of a dataset: 32 random bytes, made when it was first opened, shown nowhere else."""
        name = self.dataset if dataset is None else label(dataset, "dataset")
        with self._store.reading() as run:
            return reports.secret(run, name)

    def history(self, *, after: int = 0) -> Iterator[Entry]:
        """Yield all charges in their order, from the one after number ``after`` on."""
        return reports.history(self._store, self.dataset, after)

    def export(self, file: str | Path | TextIO) -> int:
        """Write the history as lines of JSON, the budget first; return how many charges were written."""
        return reports.export(self._store, self.dataset, file)

    def check(self, *, head: str | None = None) -> int:
        """Verify sums, numbers, the chain of digests and the file itself; return the number of charges, or raise.

        ``head`` is a digest noted earlier (of a receipt, or of the last line of an export). If no charge has it, the
        ledger is not the one it was: an older copy was restored.
        """
        return reports.check(self._store, self.dataset, head)

    def close(self) -> None:
        """Close the ledger; what was charged stays charged."""
        self._store.close()

    def _about(self, per: str | None, neighbours: str | None) -> None:
        """Refuse a promise about other people, or other neighbours, than the budget's."""
        for name, ours, given in (("per", self.budget.per, per), ("neighbours", self.budget.neighbours, neighbours)):
            if given not in {None, ours}:
                raise SettingError.of(name, f"the one of this ledger, {ours!r}", given)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Ledger({self._store.name!r}, {self.budget}, dataset={self.dataset!r})"
