"""Plans declared before the first release: read, written as JSON, and followed from any release on."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from discreet.accounting import PlanFilter, repeat
from discreet.accounting.uses import Repeated
from discreet.errors import SettingError
from discreet.guarantees import from_dict, to_dict

Plan = tuple[Repeated, ...]


def read(items: Any, name: str = "plan") -> Plan:
    """Read guarantees and repetitions in their order of execution; equal neighbours are counted together.

    >>> from discreet.guarantees import Pure
    >>> read([Pure(1), repeat(Pure(1), 2)])
    (Repeated(guarantee=Pure(epsilon=Fraction(1, 1)), times=3),)
    """
    if isinstance(items, Repeated | str) or not hasattr(items, "__iter__"):
        raise SettingError.of(name, "a list of guarantees and of repeat(guarantee, times)", items)
    given: list[Any] = list(items)
    uses = [repeat(*item) if isinstance(item, Repeated) else repeat(item, 1) for item in given]
    runs = groupby((use for use in uses if use.times), lambda use: use.guarantee)
    plan = tuple(Repeated(guarantee, sum(use.times for use in same)) for guarantee, same in runs)
    if not plan:
        raise SettingError.of(name, "at least one release", items)
    return plan


def total(plan: Plan) -> int:
    """Return how many releases a plan holds.

    >>> from discreet.guarantees import Pure
    >>> total(read([repeat(Pure(1), 100), Pure(2)]))
    101
    """
    return sum(times for _, times in plan)


def after(plan: Plan, taken: int) -> PlanFilter:
    """Return the filter of a plan of which so many releases have been taken, in their order.

    >>> from discreet.guarantees import Pure
    >>> after(read([repeat(Pure(1), 3), Pure(2)]), 2).left[0]
    Repeated(guarantee=Pure(epsilon=Fraction(1, 1)), times=1)
    """
    left: list[Repeated] = []
    for guarantee, times in plan:
        gone = min(taken, times)
        taken -= gone
        left += [Repeated(guarantee, times - gone)] if times > gone else []
    return PlanFilter(tuple(left))


def to_json(plan: Plan) -> list[list[Any]]:
    """Write a plan as JSON-ready values.

    >>> from discreet.guarantees import Pure
    >>> to_json(read([repeat(Pure(1), 2)]))
    [[{'kind': 'pure', 'epsilon': '1'}, 2]]
    """
    return [[to_dict(guarantee), times] for guarantee, times in plan]


def is_written(value: Any) -> bool:
    """Return whether this is what ``to_json`` wrote, and no single guarantee.

    >>> is_written([[{"kind": "pure", "epsilon": "1"}, 2]]), is_written({"kind": "pure", "epsilon": "1"})
    (True, False)
    """
    return isinstance(value, list)


def from_json(rows: Sequence[Sequence[Any]]) -> Plan:
    """Read what ``to_json`` wrote.

    >>> from_json([[{"kind": "pure", "epsilon": "1"}, 2]])
    (Repeated(guarantee=Pure(epsilon=Fraction(1, 1)), times=2),)
    """
    return tuple(Repeated(from_dict(guarantee), times) for guarantee, times in rows)
