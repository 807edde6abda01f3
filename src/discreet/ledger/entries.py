"""What a ledger tells of a charge: receipts and entries, read from rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any

from discreet.guarantees import Guarantee, from_dict, to_dict
from discreet.ledger import plans
from discreet.ledger.names import legible, packed, unpacked
from discreet.ledger.schema import Charge
from discreet.ledger.units import shown


@dataclass(frozen=True, slots=True)
class Receipt:
    """A charge that is durable: what was promised, what it cost, and under which request it can be asked for again.

    ``guarantee`` is None where ``reserved`` holds a plan that was charged as a whole. ``plan`` is the request that
    reserved the plan of which this is a release. ``digest`` closes the chain of all charges up to this one.

    >>> Receipt.__slots__[:4]
    ('dataset', 'seq', 'time', 'request')
    """

    dataset: str
    seq: int
    time: datetime
    request: str
    guarantee: Guarantee | None
    amount: Fraction
    delta: Fraction
    memo: str
    question: Any = field(hash=False)
    analyst: str | None
    plan: str | None
    reserved: plans.Plan
    digest: str

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values; numbers are exact."""
        return {
            "dataset": self.dataset,
            "seq": self.seq,
            "time": self.time.isoformat(),
            "request": self.request,
            "guarantee": None if self.guarantee is None else to_dict(self.guarantee),
            "amount": str(self.amount),
            "delta": str(self.delta),
            "memo": self.memo,
            "question": self.question,
            "analyst": self.analyst,
            "plan": self.plan,
            "reserved": plans.to_json(self.reserved),
            "digest": self.digest,
        }


@dataclass(frozen=True, slots=True)
class Entry(Receipt):
    """A line of the history: a receipt, and the answer if one was recorded.

    >>> Entry.__slots__
    ('answer', 'answered')
    """

    answer: dict[str, Any] | None = field(hash=False)
    answered: datetime | None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values; numbers are exact."""
        answered = None if self.answered is None else self.answered.isoformat()
        return {**Receipt.to_dict(self), "answer": self.answer, "answered": answered}


def content(item: Guarantee | plans.Plan) -> str:
    """Write what is charged: a guarantee, or a plan.

    >>> from discreet.guarantees import Pure
    >>> content(Pure("0.1"))
    '{"epsilon":"1/10","kind":"pure"}'
    """
    return packed(plans.to_json(item) if isinstance(item, tuple) else to_dict(item), ordered=True)


def receipt(row: Charge) -> Receipt:
    """Read a row of charges.

    >>> content = '{"epsilon":"1","kind":"pure"}'
    >>> row = Charge("d", 1, "2026-05-01T12:00:00+00:00", "r", "", content, "null", "", None, None, "1", "0", "00")
    >>> receipt(row).guarantee, receipt(row).analyst
    (Pure(epsilon=Fraction(1, 1)), None)
    """
    with legible():
        return Receipt(**_fields(row))


def entry(row: Sequence[Any]) -> Entry:
    """Read a row of charges joined with answers.

    >>> row = ("d", 1, "2026-05-01T12:00:00+00:00", "r", "", "[]", "null", "", None, None, "1", "0", "00")
    >>> entry((*row, "2026-05-01T12:00:01+00:00", '{"winner":"smith"}')).answer
    {'winner': 'smith'}
    """
    charge, (time, answer) = Charge(*row[:-2]), row[-2:]
    with legible():
        known: Any = None if answer is None else unpacked(answer)
        return Entry(**_fields(charge), answer=known, answered=None if answer is None else datetime.fromisoformat(time))


def _fields(row: Charge) -> dict[str, Any]:
    item: Any = unpacked(row.content)
    plan = plans.is_written(item)
    return {
        "dataset": row.dataset,
        "seq": row.seq,
        "time": datetime.fromisoformat(row.time),
        "request": row.request,
        "guarantee": None if plan else from_dict(item),
        "amount": shown(int(row.amount)),
        "delta": shown(int(row.delta)),
        "memo": row.memo,
        "question": unpacked(row.question),
        "analyst": row.analyst or None,
        "plan": row.plan,
        "reserved": plans.from_json(item) if plan else (),
        "digest": row.digest,
    }
