"""The chain of digests: a row that was changed, lost or put between shows in all that follow.

Charges follow one another from what the ledger promised when it opened; answers follow one another as they were
recorded. Each digest holds the one before. Whoever can write to the database can compute a whole new chain, so a digest
that was noted elsewhere (in a receipt, in an export) is what tells the true one.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from discreet.ledger import schema
from discreet.ledger.names import packed
from discreet.ledger.schema import Charge
from discreet.ledger.store import Row, Session
from discreet.ledger.units import NOTHING, Cost

PAGE = 1000
"""Rows read at a time."""
FACTS = 5
"""What never changes of an account comes first in its row: analyst, budget, whole, both limits."""


def chained(previous: str, *parts: object) -> str:
    """Return the digest of a row that follows another.

    >>> chained("", "a", 1) == chained("", "a", 1) != chained("", "a", 2)
    True
    """
    return sha256(packed([previous, *parts]).encode()).hexdigest()


def genesis(run: Session, dataset: str) -> str:
    """Return where the chain of charges begins: at what the ledger promised when it opened, and its key.

    >>> rows = {schema.DATASET: ("2026", b"key"), schema.ACCOUNTS_OF: ("", "{}", "{}", "9", "0", "1", "0")}
    >>> len(genesis(lambda sql, *values: [rows[sql]], "default"))
    64
    """
    ((opened, key),) = run(schema.DATASET, dataset)
    (whole,) = run(schema.ACCOUNTS_OF, dataset, "")
    return chained("", dataset, opened, sha256(bytes(key)).hexdigest(), *whole[:FACTS])


def charge_digest(previous: str, row: Charge, account: Sequence[Any]) -> str:
    """Return the digest of a charge: of all that its row says, of the account it is made to, of the digest before.

    >>> row = Charge("d", 1, "now", "r", "", "[]", "null", "", None, None, "1", "0", "")
    >>> charge_digest("", row, ["ann", "1"]) == charge_digest("", row._replace(amount="2"), ["ann", "1"])
    False
    """
    return chained(previous, *row[:-1], *account[:FACTS])


def answer_digest(previous: str, charge: str, number: int, time: str, answer: str) -> str:
    """Return the digest of an answer: of what it says, of the charge it answers, of the answer before.

    >>> answer_digest("", "abc", 1, "now", "{}") == answer_digest("", "abc", 2, "now", "{}")
    False
    """
    return chained(previous, charge, number, time, answer)


def complaints(run: Session, dataset: str, head: str | None) -> tuple[int, list[str]]:
    """Go through all rows of a dataset; return how many charges there are, and what is wrong.

    ``head`` is a digest that must be there.

    >>> complaints(lambda sql, *values: [], "default", None)
    (0, ['the dataset is missing'])
    """
    accounts = {row[0]: row for row in run(schema.ACCOUNTS, dataset)}
    if "" not in accounts or not run(schema.DATASET, dataset):
        return 0, ["the dataset is missing"]
    walk = _walk(run, dataset, accounts, head)
    wrong = walk.wrong + list(_wrong_answers(run, dataset))
    for name, cost in walk.sums.items():
        most, most_delta, *spent = (int(amount) for amount in accounts[name][3:])
        if cost != Cost(*spent) or not cost.within(Cost(most, most_delta)):
            wrong.append(f"the charges of {name or 'the whole'} do not add up to what is spent")
    if not walk.met:
        wrong.append("no charge has the digest that was noted (an older copy was restored, or a new chain written)")
    return walk.charges, wrong


class _Walk(NamedTuple):
    """What was found along the chain of charges."""

    charges: int
    met: bool
    """Whether the digest that was asked for is there."""
    sums: dict[str, Cost]
    wrong: list[str]


def _walk(run: Session, dataset: str, accounts: Mapping[str, Row], head: str | None) -> _Walk:
    digest, last, count = genesis(run, dataset), 0, 0
    met, wrong, sums = head in {None, digest}, list[str](), dict.fromkeys(accounts, NOTHING)
    while rows := run(schema.CHARGES, dataset, last, PAGE):
        for charge in (Charge(*row) for row in rows):
            if charge.seq != last + 1:
                wrong.append(f"number {last + 1} is missing")
            if charge.analyst not in accounts:
                wrong.append(f"the account of number {charge.seq} is missing")
            elif charge.digest != charge_digest(digest, charge, accounts[charge.analyst]):
                wrong.append(f"number {charge.seq} was changed, or the account it was charged to")
            for name in {"", charge.analyst} & set(accounts):
                sums[name] = sums[name].plus(Cost(int(charge.amount), int(charge.delta)))
            digest, last, count = charge.digest, charge.seq, count + 1
            met = met or digest == head
    return _Walk(count, met, sums, wrong)


def _wrong_answers(run: Session, dataset: str) -> Iterator[str]:
    digest, last = "", 0
    while rows := run(schema.ANSWERS, dataset, last, PAGE):
        for number, seq, time, answer, given, charge in rows:
            if number != last + 1:
                yield f"answer number {last + 1} is missing"
            if given != answer_digest(digest, charge, number, time, answer):
                yield f"the answer to number {seq} was changed"
            digest, last = given, number
