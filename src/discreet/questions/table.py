"""A table about people: open it, say whom it protects, plan, ask.

The order is: settings are read and the budget is looked at; the table is counted; the charge is committed; coins are
flipped; the answer is recorded; only then is it shown. A file that cannot be read costs nothing, and a crash after the
charge costs the charge. Nothing of the data is in any refusal.
"""

import json
import secrets
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Unpack

from discreet.engines.ask import Engine, Tally
from discreet.errors import LedgerError
from discreet.exact import Number
from discreet.ledger import Ledger, Receipt
from discreet.questions.answer import Answer, found
from discreet.questions.base import Question
from discreet.questions.plan import Plan, wished
from discreet.questions.settle import Way, settle
from discreet.sampling.coins import Coins
from discreet.selection.charged import agreeing, charged, uncharged
from discreet.selection.plan import Settings
from discreet.selection.verbs import door
from discreet.sensitivity import Neighbours

SHOWN = 3
"""So many of the likeliest answers are named in a rehearsal."""
SPELT_OUT = 1000
"""Lists longer than this stand in a ledger by their length and digest."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Table:
    """A table and whom it protects: the persons named in the column ``unit``, or each ``row``.

    >>> import polars, discreet
    >>> discreet.open(polars.DataFrame({"listener": ["ann"], "article": ["x"]}), unit="listener")
    Table(per listener, add-remove)
    """

    engine: Engine
    unit: str = "row"
    neighbours: Neighbours = "add-remove"
    ledger: Ledger | None = None
    key: str = field(default_factory=lambda: secrets.token_hex(16))
    """Decides which of a person's rows are kept; where there is a ledger, its key does."""

    def __repr__(self) -> str:
        return f"Table(per {self.unit}, {self.neighbours})"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns; in a CSV file they are the first line, whatever that holds."""
        return tuple(self.engine.columns())

    @property
    def person(self) -> str | None:
        """The column that names the person; None where each row is one."""
        return None if self.unit == "row" else self.unit

    def plan(
        self,
        question: Question,
        *,
        ledger: Ledger | None = None,
        analyst: str | None = None,
        error: Number | None = None,
        rehearsal: "Table | None" = None,
        **words: Unpack[Settings],
    ) -> Plan:
        """Return what a question would cost and how wrong the answer may be. It reads no rows and spends nothing.

        ``error`` asks for the smallest epsilon with that error bound. ``rehearsal`` is a table that is public or
        invented: the plan says which answers it would give, and how likely. The other words are those of ``ask``.
        """
        book = self._book(ledger)
        settled = settle(question, self.neighbours, words, None if book is None else book.rule)
        made = Plan(question, settled, self.neighbours, self.unit, error=wished(error))
        if book is not None:
            room = book.admits(settled.guarantee, analyst=analyst)
            made = replace(made, remaining=str(book.account(analyst).remaining), admitted=room)
        if rehearsal is not None:
            counts = rehearsal.engine.tally(question.ask(), rehearsal.person, rehearsal.key)
            made = replace(made, rehearsal=settled.likeliest(question, counts)[:SHOWN])
        return made

    def ask(
        self,
        question: Question,
        *,
        ledger: Ledger | None = None,
        analyst: str | None = None,
        memo: str = "",
        request: str | None = None,
        coins: Coins | None = None,
        **words: Unpack[Settings],
    ) -> Answer:
        """Answer a question, charged to the ledger if there is one.

        What to spend is ``epsilon``, ``rho`` or ``guarantee``; ``mechanism`` and ``noise`` are those of ``select``,
        where ``"auto"`` is permute-and-flip, or the exponential mechanism if the ledger counts rho. A ``request`` with
        the same name is charged once and answered once: asked again, the recorded answer comes back, whichever table
        it is asked of. So name in it which data it is about.
        """
        book, flips = self._book(ledger), door(coins)
        settled = settle(question, self.neighbours, words, None if book is None else book.rule)
        if book is not None:
            about: dict[str, Any] = {"analyst": analyst, "memo": memo, "request": request}
            return self._charged(question, settled, book, flips, about)
        uncharged(analyst, request)
        return self._answer(question, settled, settled.drawn(question, self._tally(question, self.key), flips))

    def private_law(self, question: Question, **words: Unpack[Settings]) -> tuple[tuple[Hashable, float], ...]:
        """Return every answer to a question and its chance, the likeliest first: private, unless the table is public.

        Of several winners it is the law of the first; of groups, that of the first group.
        """
        settled = settle(question, self.neighbours, words)
        return settled.likeliest(question, self._tally(question, self.key))

    def _charged(self, question: Question, settled: Way, book: Ledger, flips: Coins, about: dict[str, Any]) -> Answer:
        """Look at the budget, count, charge, draw, record, show; a request that was answered is only shown."""

        def answer(tally: Tally) -> dict[str, Any]:
            places = settled.drawn(question, tally, flips)
            return {**found(question, self._answer(question, settled, places).selections), "indices": places}

        about |= {"question": brief(question.to_dict()), "per": self.unit, "neighbours": self.neighbours}
        recorded, receipt = charged(
            book, settled.guarantee, lambda: self._tally(question, book.key().hex()), answer, **about
        )
        return self._shown(question, settled, recorded, receipt)

    def _shown(self, question: Question, settled: Way, recorded: dict[str, Any], receipt: Receipt) -> Answer:
        """Return a recorded answer, if its winners are those that stand at its places."""
        with suppress(IndexError, KeyError, TypeError, ValueError):
            made = self._answer(question, settled, recorded["indices"], receipt)
            if found(question, made.selections).items() <= recorded.items():
                return made
        raise LedgerError("request: wanted a record of an answer to this question, got another; check the ledger")

    def _tally(self, question: Question, key: str) -> Tally:
        return self.engine.tally(question.ask(), self.person, key)

    def _answer(
        self, question: Question, settled: Way, each: list[list[Any]], receipt: Receipt | None = None
    ) -> Answer:
        made = tuple(settled.selection(question, places) for places in each)
        return Answer(question, made, settled.guarantee, self.neighbours, self.unit, settled, receipt)

    def _book(self, ledger: Ledger | None) -> Ledger | None:
        """Return the ledger, if it protects the same people as the table."""
        book = self.ledger if ledger is None else ledger
        return None if book is None else agreeing(book, self.unit, self.neighbours, "the table")


def brief(written: dict[str, Any]) -> dict[str, Any]:
    """Return a question as a ledger keeps it: a long list by its length and digest.

    >>> brief({"question": "winner", "among": list(range(1001))})["among"]["length"]
    1001
    """
    long = {name: value for name, value in written.items() if hasattr(value, "append") and len(value) > SPELT_OUT}
    digests = {name: sha256(json.dumps(value).encode()).hexdigest() for name, value in long.items()}
    return written | {name: {"length": len(value), "sha256": digests[name]} for name, value in long.items()}
