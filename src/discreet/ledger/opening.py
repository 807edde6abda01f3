"""Opening a ledger: find the database, make what is missing, and refuse whatever is not what the caller expects."""

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from discreet.errors import LedgerError, SettingError, without_password
from discreet.exact import plain
from discreet.guarantees import from_dict, to_dict
from discreet.ledger import schema
from discreet.ledger.accounts import Account, at_most
from discreet.ledger.budget import MEASURES, Budget
from discreet.ledger.names import label, legible, mapping, packed, unpacked
from discreet.ledger.sqlite import SqliteStore
from discreet.ledger.store import Row, Session, Store
from discreet.ledger.units import Cost, shown, written

SCHEMES = ("postgresql://", "postgres://")
SECRET_BYTES = 32
NEW = "give a budget to open a new one"


class Asked(NamedTuple):
    """What the caller wants to open.

    >>> Asked("default", None, {}).dataset
    'default'
    """

    dataset: str
    budget: Budget | None
    analysts: dict[str, Budget]


def asked(dataset: Any, budget: Any, analysts: Any) -> Asked:
    """Read the settings of a ledger, and refuse budgets that cannot stand beside one another.

    >>> asked("plays", Budget(epsilon=3), {"ann": Budget(epsilon=1)}).analysts["ann"].epsilon
    Fraction(1, 1)
    """
    if budget is not None and not isinstance(budget, Budget):
        raise SettingError.of("budget", "nothing, or a budget such as Budget(epsilon=3)", budget)
    if analysts is not None and not mapping(analysts):
        raise SettingError.of("analysts", "nothing, or a dict from names to budgets", analysts)
    shares: dict[str, Any] = {label(name, "analysts"): share for name, share in (analysts.items() if analysts else ())}
    for share in shares.values():
        if not isinstance(share, Budget):
            raise SettingError.of("analysts", "a budget for each", share)
    return Asked(label(dataset, "dataset"), budget, shares)


def store_at(where: Any, timeout: float) -> Store:
    """Return the store that a path or a URL names.

    >>> store_at("budget.db", timeout=30).name.endswith("budget.db")
    True
    """
    if isinstance(where, str) and where.startswith(SCHEMES):
        return _postgres(where, timeout)
    if not isinstance(where, str | Path) or "://" in str(where) or str(where) in {"", ":memory:"}:
        shown = without_password(where) if isinstance(where, str) else where
        raise SettingError.of("ledger", "a file that lasts, or a URL such as postgresql://host/database", shown)
    return SqliteStore(Path(where), timeout)


def opened(store: Store, wanted: Asked) -> None:
    """Make what is missing, then check that what is there is what the caller expects.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     opened(store_at(f"{folder}/budget.db", 30), Asked("default", None, {}))
    Traceback (most recent call last):
    discreet.errors.SettingError: budget: wanted one, since there is no ledger yet at ...
    """
    if not store.exists():
        if wanted.budget is None:
            raise SettingError(f"budget: wanted one, since there is no ledger yet at {store.name}, got None")
        first = [Account.of(budget, name) for name, budget in _new({}, wanted)]
        store.create(lambda run: _first(run, wanted.dataset, first))
    with store.reading() as run:
        _known_version(run, store.name)
        missing = _missing(run, wanted)
    if missing:  # what a limit is may take a while to work out, so it is not done while others wait
        new = [Account.of(budget, name) for name, budget in missing]
        with store.writing(wanted.dataset) as run:
            still = {name for name, _ in _missing(run, wanted)}
            _add(run, wanted.dataset, [one for one in new if one.analyst in still])


def account(row: Row) -> Account:
    """Read a row of accounts.

    >>> one = account(("", packed(Budget(epsilon=1).to_dict()), '{"kind":"pure","epsilon":"1"}', "4", "0", "3", "0"))
    >>> one.analyst, one.limit.amount - one.gone.amount
    (None, 1)
    """
    analyst, budget, whole, *amounts = row
    with legible():
        most, most_delta, spent, spent_delta = map(int, amounts)
        known = Budget.from_dict(unpacked(budget)), from_dict(unpacked(whole))
    return Account(analyst or None, *known, Cost(most, most_delta), Cost(spent, spent_delta))


def now() -> str:
    """Return the time, in UTC.

    >>> now().endswith("+00:00")
    True
    """
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _postgres(url: str, timeout: float) -> Store:
    try:
        from discreet.ledger.postgres import PostgresStore  # noqa: PLC0415 - an extra that few need
    except ImportError as error:
        raise LedgerError("psycopg: wanted it installed, got nothing; pip install 'discreet[postgres]'") from error
    return PostgresStore(url, timeout)


def _known_version(run: Session, name: str) -> None:
    found = run(schema.VERSIONS)
    version = found[0][0] if len(found) == 1 else None
    if isinstance(version, int) and version > schema.VERSION:
        known = f"tables of version {schema.VERSION}, got {version}"
        raise LedgerError(f"{name}: wanted {known}: a newer discreet wrote them, so use that; nothing was touched")
    if version != schema.VERSION:
        raise LedgerError(f"{name}: wanted a whole ledger, got a damaged one; keep it, and restore a back-up")


def _first(run: Session, dataset: str, accounts: list[Account]) -> None:
    run(schema.SET_VERSION, schema.VERSION)
    _add(run, dataset, accounts)


def _missing(run: Session, wanted: Asked) -> list[tuple[str | None, Budget]]:
    """Return the accounts that are not there yet; refuse budgets that differ from those that are."""
    there = {row[0]: account(row).budget for row in run(schema.ACCOUNTS, wanted.dataset)}
    if not there and wanted.budget is None:
        known = [name for (name,) in run(schema.DATASETS)]
        raise SettingError.of("dataset", " or ".join(map(repr, known)), wanted.dataset, NEW)
    return _new(there, wanted)


def _new(there: Mapping[str, Budget], wanted: Asked) -> list[tuple[str | None, Budget]]:
    whole = there.get("", wanted.budget)
    assert whole is not None  # noqa: S101 - for the type checkers: there is one, or one was given
    if wanted.budget is not None:
        _same("budget", whole, wanted.budget)
    for name, share in wanted.analysts.items():
        _beside(whole, share)
        _same(f"budget of {name!r}", there.get(name, share), share)
    shares: list[tuple[str | None, Budget]] = [item for item in wanted.analysts.items() if item[0] not in there]
    return shares if there else [(None, whole), *shares]


def _add(run: Session, dataset: str, accounts: list[Account]) -> None:
    for new in accounts:
        if new.analyst is None:
            run(schema.ADD_DATASET, dataset, now(), secrets.token_bytes(SECRET_BYTES))
        texts = packed(new.budget.to_dict()), packed(to_dict(new.whole))
        amounts = [written(units) for units in (*new.limit, *new.gone)]
        run(schema.ADD_ACCOUNT, dataset, new.analyst or "", *texts, *amounts)


def _same(name: str, there: Budget, given: Budget) -> None:
    if there != given:
        other = " and ".join(there.differences(given))
        remedy = "open it without a budget to keep the one it has, or open another ledger"
        raise SettingError(f"{name}: wanted the one this ledger has ({there}), got another {other}; {remedy}")


def _beside(whole: Budget, share: Budget) -> None:
    """Refuse an analyst's budget that counts otherwise than the whole, or of other people, or that is above it."""
    if whole.rule == "plan":
        raise SettingError("analysts: wanted none, since a plan is followed as a whole, got one")
    for name in ("rule", "per", "neighbours"):
        if getattr(share, name) != getattr(whole, name):
            raise SettingError.of(
                f"analysts: {name}", f"the one of the whole, {getattr(whole, name)!r}", getattr(share, name)
            )
    names = (MEASURES[whole.rule], "delta")
    for name, most, given in zip(names, whole.limit, share.limit, strict=True):
        if given > most:
            wanted = f"at most the {at_most(shown(most))} of the whole"
            raise SettingError(f"analysts: {name}: wanted {wanted}, got {plain(shown(given))}")
