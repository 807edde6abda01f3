"""Text that a ledger keeps: names that both databases can compare, and JSON that both can store."""

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from discreet.errors import LedgerError, SettingError

LONGEST = 200
"""Characters of a name; of a memo ten times as many."""


def label(value: Any, name: str, *, longest: int = LONGEST, least: int = 1) -> str:
    """Read a short text of printable characters, kept as it is.

    >>> label("May report", "memo")
    'May report'
    """
    wanted = f"a text of {least} to {longest} printable characters"
    if not isinstance(value, str) or not least <= len(value) <= longest or not value.isprintable():
        raise SettingError.of(name, wanted, value)
    return str(value)


def remark(value: Any) -> str:
    """Read a remark, which may be empty.

    >>> remark("")
    ''
    """
    return label(value, "memo", longest=10 * LONGEST, least=0)


def mapping(value: Any) -> bool:
    """Return whether a value is a dict or the like; to a type checker, it stays a value of any kind.

    >>> mapping({}), mapping([])
    (True, False)
    """
    return isinstance(value, Mapping)


def packed(value: Any, name: str = "value", *, ordered: bool = False) -> str:
    """Return a value as JSON of one line, in plain ASCII; ``ordered`` puts the keys of dicts in order.

    >>> packed({"winner": "smith", "bounds": (1, 2)}), packed({"b": 1, "a": None}, ordered=True)
    ('{"winner":"smith","bounds":[1,2]}', '{"a":null,"b":1}')
    """
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"), sort_keys=ordered)
    except (TypeError, ValueError, RecursionError):
        wanted = "JSON-ready values (texts, finite numbers, lists, dicts)"
        raise SettingError.of(name, wanted, value) from None


def unpacked(text: str) -> Any:
    """Read what ``packed`` wrote.

    >>> unpacked("[1,2]")
    [1, 2]
    """
    return json.loads(text)


@contextmanager
def legible() -> Generator[None, None, None]:
    """Say that what was stored cannot be read, whatever is wrong with it.

    >>> with legible():
    ...     unpacked("no JSON")
    Traceback (most recent call last):
    discreet.errors.LedgerError: ledger: wanted rows that can be read, got a damaged one; run check()
    """
    try:
        yield
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise LedgerError("ledger: wanted rows that can be read, got a damaged one; run check()") from error
