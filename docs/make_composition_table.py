"""Write docs/composition-table.md: epsilon at delta = 1e-6 by every rule, and how many releases a budget buys.

Run ``python docs/make_composition_table.py`` from the root of the repository: half a minute. A test compares rows.
"""
# ruff: noqa: INP001 - a script that stands beside the page it writes

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path

from discreet.accounting import RULES, how_many
from discreet.accounting.adaptive import epsilon_bracket
from discreet.accounting.uses import Uses, repeat
from discreet.guarantees import Guarantee, Pure, Range

DELTA = Fraction(1, 10**6)
SIZES = ("0.01", "0.1", "0.5", "1", "2")
COUNTS = (1, 2, 5, 10, 30, 100, 1000, 10_000)
BUDGETS = tuple(product(("0.1", "0.01"), ("0.5", "1", "2", "4")))
PAGE = Path(__file__).with_name("composition-table.md")
COLUMNS = {
    "sum": ("basic", 1),
    "pure optimum": ("pure optimum", 1),
    "classic": ("pure optimum", 2),
    "advanced": ("advanced", 1),
    "batch optimum": ("batch optimum", 1),
    "blocks": ("blocks", 1),
    "envelope": ("envelope", 1),
    "renyi": ("renyi", 1),
    "zcdp": ("zcdp", 1),
    "advanced range": ("advanced range", 1),
    "limit": ("limit", 1),
}
"""Each column, its rule, and how many times the bounded range the pure epsilon is that it prices."""
HEAD = """# Composition, in numbers

Selections by the exponential mechanism, each of bounded range b; what k of them cost together at delta = 0.000001,
by every rule. Numbers are rounded up. `classic` prices each at twice its range, as textbooks do. Proved for a batch:
all but `limit`, which is a picture. Proved for a fixed plan: all but `batch optimum` and `limit`. Proved for parameters
chosen on the way: `sum` and `zcdp`. `fixed plan` is the interval that surely holds the true optimum; its upper end may
be promised. No rule here is capped by another; `compose` takes the least.

This page is written by `docs/make_composition_table.py`. Do not edit it.
"""
SECOND = """
## What a budget buys

How many selections of range b fit a total epsilon at delta = 0.000001.
"""


def page() -> str:
    """Return the page."""
    head = ["b", "k", *COLUMNS, "fixed plan"]
    rows = [row(b, k) for b, k in product(SIZES, COUNTS)]
    bought = ["b", "total", "classic", "pure", "chosen on the way", "fixed plan", "batch", "batch / classic"]
    return "\n".join([HEAD, *_table(head, rows), SECOND, *_table(bought, [buys(*budget) for budget in BUDGETS]), ""])


def row(b: str, k: int) -> list[str]:
    """Return a row of the first table."""
    rules = {rule.name: rule for rule in RULES}
    found = [rules[name].epsilon(_uses(name, factor * Fraction(b), k), DELTA) for name, factor in COLUMNS.values()]
    return [b, str(k), *map(_short, found), _bracket(Fraction(b), k)]


def buys(b: str, total: str) -> list[str]:
    """Return a row of the second table."""
    each = Fraction(b)

    def fit(guarantee: Guarantee, plan: str) -> int:
        return how_many(guarantee, epsilon=total, delta=DELTA, plan=plan)  # type: ignore[arg-type]

    classic, batch = fit(Pure(2 * each), "batch"), fit(Range(each), "batch")
    middle = [fit(Pure(each), "batch"), fit(Range(each), "adaptive"), fit(Range(each), "fixed")]
    return [b, total, str(classic), *map(str, middle), str(batch), f"{batch / classic:.2f}"]


def _uses(name: str, size: Fraction, k: int) -> Uses:
    pure = name in {"basic", "pure optimum", "advanced"}
    return Uses.of([repeat(Pure(size) if pure else Range(size), k)], "batch")


def _bracket(b: Fraction, k: int) -> str:
    if k > 1000:
        return ""
    low, high = epsilon_bracket([b] * k, DELTA)
    return f"{_short(low, up=False)} to {_short(high)}"


def _short(value: Fraction | None, *, up: bool = True) -> str:
    if value is None:
        return ""
    context = Context(prec=6, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return f"{context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize():f}"


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
