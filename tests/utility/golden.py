"""Numbers computed apart from this package, and how close a float comes to them."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "utility.json").read_text(encoding="utf-8"))


def off(value: float, true: str | Fraction) -> float:
    """Return the relative distance from the true number, with its sign: a bound rounded up is never below 0."""
    exact = Fraction(true)
    return float(Fraction(value) / exact - 1) if exact else value
