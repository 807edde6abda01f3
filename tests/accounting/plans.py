"""Golden numbers computed apart from this package, and small independent recursions."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "accounting_adaptive.json").read_text(encoding="utf-8")
)


def rows(*keys: str, need: str) -> list[dict[str, Any]]:
    """List the golden rows that have an entry."""
    return [row for key in keys for row in GOLDEN[key] if need in row]


def plan(row: dict[str, Any]) -> list[Fraction]:
    """Read the plan of a golden row, in order of execution."""
    if "eps_in_order_of_execution" in row:
        return [Fraction(b) for b in row["eps_in_order_of_execution"]]
    return [Fraction(str(row["eps"]))] * int(row.get("k", 2))


def two(b: float, e: float) -> float:
    """Return the optimum of two adaptive mechanisms of one bounded range, in closed form."""
    c = math.exp(-b)
    if e >= 2 * b:
        return 0.0
    if e >= b / 2:
        return (1 - math.exp((e - 2 * b) / 3)) ** 3 / (1 - c) ** 2
    return (1 + c * math.exp(e) - 2 * math.exp((e - b) / 2) / math.cosh(b / 4)) / (1 - c)
