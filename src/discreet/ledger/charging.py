"""Charging: what happens inside the transaction that charges a release, and inside the one that records its answer."""

import secrets
from typing import Any, NamedTuple

from discreet.errors import BudgetError, SettingError, show
from discreet.guarantees import Guarantee
from discreet.ledger import plans, schema
from discreet.ledger.accounts import Account, price, price_of_plan
from discreet.ledger.chain import answer_digest, charge_digest, genesis
from discreet.ledger.entries import Receipt, content, receipt
from discreet.ledger.names import label, mapping, packed, remark, unpacked
from discreet.ledger.opening import account, now
from discreet.ledger.schema import Charge
from discreet.ledger.store import Row, Session
from discreet.ledger.units import NOTHING, SCALE, Cost, shown, written

SAME = ("content", "question", "memo", "analyst", "plan")
"""What two charges under one request must have in common."""


class Draft(NamedTuple):
    """A charge that was read, and not yet admitted; its texts are what will be stored.

    >>> from discreet.guarantees import Pure
    >>> draft(Pure(1), request="may-1").request
    'may-1'
    """

    item: Guarantee | plans.Plan
    request: str
    content: str
    question: str
    memo: str
    analyst: str
    plan: str | None


def draft(
    item: Guarantee | plans.Plan,
    *,
    request: Any = None,
    question: Any = None,
    memo: Any = "",
    analyst: Any = None,
    plan: Any = None,
) -> Draft:
    """Read a charge: for one release, or for a plan as a whole.

    >>> from discreet.guarantees import Pure
    >>> draft(plans.read([Pure(1), Pure(1)])).content
    '[[{"epsilon":"1","kind":"pure"},2]]'
    """
    return Draft(
        item=item,
        request=secrets.token_hex(16) if request is None else label(request, "request"),
        content=content(item),
        question=packed(question, "question", ordered=True),
        memo=remark(memo),
        analyst="" if analyst is None else label(analyst, "analyst"),
        plan=None if plan is None else named(plan, "plan"),
    )


def release(guarantee: Any) -> Guarantee:
    """Read what one release promises.

    >>> release(1)
    Traceback (most recent call last):
    discreet.errors.SettingError: guarantee: wanted a guarantee such as Range('0.1'), got 1
    """
    if not isinstance(guarantee, Guarantee):
        raise SettingError.of("guarantee", "a guarantee such as Range('0.1')", guarantee)
    return guarantee


def named(request: Any, name: str = "request") -> str:
    """Read a request: its name, or its receipt.

    >>> named("may-1")
    'may-1'
    """
    return request.request if isinstance(request, Receipt) else label(request, name)


def answer_text(answer: Any) -> str:
    """Read an answer: a dict of JSON-ready values.

    >>> answer_text({"winner": "smith"})
    '{"winner":"smith"}'
    """
    if not mapping(answer):
        raise SettingError.of("answer", "a dict of JSON-ready values", answer)
    return packed(dict(answer), "answer")


def admit(run: Session, dataset: str, wanted: Draft) -> Receipt:
    """Return the receipt of a charge: the one that is there, or a new one if every account it touches has room.

    >>> from discreet.guarantees import Pure
    >>> row = Charge("d", 1, now(), "r", "", content(Pure(1)), "null", "", None, None, "1", "0", "")
    >>> admit(lambda sql, *values: [row], "d", draft(Pure(1), request="r")).seq
    1
    >>> admit(lambda sql, *values: [row], "d", draft(Pure(2), request="r"))
    Traceback (most recent call last):
    discreet.errors.SettingError: request: wanted a new one, or the same charge as before, got 'r' with another ...
    """
    if found := run(schema.BY_REQUEST, dataset, wanted.request):
        return receipt(_same(Charge(*found[0]), wanted))
    rows = _touched(run, dataset, wanted.analyst)
    accounts = [account(row) for row in rows]
    cost, turn = _due(run, dataset, wanted, accounts[0])
    after = [one.after(cost) for one in accounts]
    row = _next(run, dataset, wanted, cost, turn)
    row = row._replace(digest=charge_digest(row.digest, row, rows[-1]))
    run(schema.ADD_CHARGE, *row)
    for one, gone in zip(accounts, after, strict=True):
        run(schema.SPEND, *map(written, gone), dataset, one.analyst or "")
    return receipt(row)


def room(run: Session, dataset: str, wanted: Draft) -> None:
    """Refuse a charge for which there is no room; one that was made has its room.

    >>> from discreet.guarantees import Pure
    >>> row = Charge("d", 1, now(), "r", "", content(Pure(1)), "null", "", None, None, "1", "0", "")
    >>> room(lambda sql, *values: [row], "d", draft(Pure(1), request="r"))
    """
    if not run(schema.BY_REQUEST, dataset, wanted.request):
        accounts = [account(row) for row in _touched(run, dataset, wanted.analyst)]
        cost, _ = _due(run, dataset, wanted, accounts[0])
        for one in accounts:
            one.after(cost)


def record(run: Session, dataset: str, request: str, answer: str) -> dict[str, Any]:
    """Record an answer if there is none, and return the one that is there.

    >>> record(lambda sql, *values: [], "default", "may-1", "{}")
    Traceback (most recent call last):
    discreet.errors.SettingError: request: wanted one that was charged for a release, got 'may-1'; charge first, ...
    """
    found = run(schema.BY_REQUEST, dataset, request)
    charge = Charge(*found[0]) if found else None
    if charge is None or plans.is_written(unpacked(charge.content)):
        remedy = "charge first, and answer after"
        raise SettingError.of("request", "one that was charged for a release", request, remedy)
    if not (known := run(schema.ANSWER, dataset, charge.seq)):
        known, time = [(answer,)], now()
        last, previous = _last(run(schema.LAST_ANSWER, dataset))
        digest = answer_digest(previous, charge.digest, last + 1, time, answer)
        run(schema.ADD_ANSWER, dataset, charge.seq, last + 1, time, answer, digest)
    return dict(unpacked(known[0][0]))


def answer_to(run: Session, dataset: str, request: str) -> dict[str, Any] | None:
    """Return the recorded answer, or None.

    >>> answer_to(lambda sql, *values: [('{"winner":"smith"}',)], "default", "may-1")
    {'winner': 'smith'}
    """
    found = run(schema.ANSWER_TO, dataset, request)
    return dict(unpacked(found[0][0])) if found else None


def _same(there: Charge, wanted: Draft) -> Charge:
    other = [name for name in SAME if getattr(there, name) != getattr(wanted, name)]
    if other:
        got = " and ".join("guarantee" if name == "content" else name for name in other)
        allowed = "a new one, or the same charge as before"
        raise SettingError(f"request: wanted {allowed}, got {show(wanted.request)} with another {got}")
    return there


def _touched(run: Session, dataset: str, analyst: str) -> list[Row]:
    """Return the accounts a charge is made to: the whole first, then the analyst's."""
    found = run(schema.ACCOUNTS_OF, dataset, analyst)
    if analyst and len(found) == 1:
        known = [row[0] for row in run(schema.ACCOUNTS, dataset) if row[0]]
        wanted = " or ".join(map(repr, known)) or "none, since no analyst has a budget here"
        raise SettingError.of("analyst", wanted, analyst, "open the ledger with analysts={...} to add one")
    return found


def _due(run: Session, dataset: str, wanted: Draft, whole: Account) -> tuple[Cost, int | None]:
    """Return what a charge costs now, and its turn in the plan it is taken from."""
    rule = whole.budget.rule
    if isinstance(wanted.item, tuple):
        if rule == "plan":
            raise SettingError("guarantees: wanted no further plan, since this ledger is one, got one")
        return price_of_plan(wanted.item, rule), None
    if wanted.plan is not None:
        return NOTHING, _turn(run, dataset, wanted.item, wanted.plan, wanted.analyst)
    if rule == "plan":
        _follow(whole.budget.plan, whole.gone.amount // SCALE, wanted.item)
    return price(wanted.item, rule), None


def _turn(run: Session, dataset: str, guarantee: Guarantee, request: str, analyst: str) -> int:
    """Return the turn of the next release of a reserved plan, if this may be it."""
    found = [Charge(*row) for row in run(schema.BY_REQUEST, dataset, request)]
    reserved: Any = unpacked(found[0].content) if found else None
    if not plans.is_written(reserved):
        raise SettingError.of("plan", "the receipt or request of reserve()", request)
    if found[0].analyst != analyst:
        wanted = repr(found[0].analyst) if found[0].analyst else "none"
        raise SettingError.of("analyst", f"the one who reserved the plan, {wanted}", analyst or None)
    taken = run(schema.TURN, dataset, request)[0][0] or 0
    _follow(plans.from_json(reserved), taken, guarantee)
    return int(taken) + 1


def _follow(plan: plans.Plan, taken: int, guarantee: Guarantee) -> None:
    """Refuse a release whose turn in the plan it is not."""
    try:
        plans.after(plan, taken).after(guarantee)
    except SettingError as error:
        left = shown(SCALE * (plans.total(plan) - taken))
        message = f"{error}; nothing was charged"
        raise BudgetError(message, requested=shown(SCALE), remaining=left, rule="plan") from None


def _next(run: Session, dataset: str, wanted: Draft, cost: Cost, turn: int | None) -> Charge:
    """Return the row that follows the last, with the digest of the last."""
    last, previous = _last(run(schema.LAST_CHARGE, dataset))
    texts = (wanted.request, wanted.analyst, wanted.content, wanted.question, wanted.memo, wanted.plan)
    amounts = written(cost.amount), written(cost.delta)
    return Charge(dataset, last + 1, now(), *texts, turn, *amounts, previous if last else genesis(run, dataset))


def _last(found: list[Row]) -> tuple[int, str]:
    """Return number and digest of the last row; 0 and nothing before the first."""
    return (int(found[0][0]), str(found[0][1])) if found else (0, "")
