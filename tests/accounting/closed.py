"""The golden values of the closed forms, and what it means to meet one from the private side."""

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

from hypothesis import strategies as some

from discreet.exact import Number

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "accounting_closed.json").read_text(encoding="utf-8")
)
Delta: TypeAlias = Callable[[Mapping[Number, int], Number], Fraction | None]
PROFILES: list[dict[str, Any]] = GOLDEN["delta"] + GOLDEN["delta_large_k"]
DIGITS = Fraction(1, 10**18)
"""Golden values have twenty digits; ours may fall below them by that rounding, and by nothing else."""

BAD_DELTAS = [0, 1, -0.1, 2, float("nan"), "many"]
BAD_AMOUNTS = [{-1: 1}, {float("nan"): 1}, {1: -1}, {1: 0.5}, [float("inf")], "0.1", 1]

EPSILONS = some.fractions(min_value=Fraction(1, 50), max_value=4, max_denominator=50)
COUNTS = some.integers(min_value=1, max_value=25)
PARTS = some.fractions(min_value=0, max_value=1, max_denominator=40)
DELTAS = some.integers(min_value=1, max_value=25).map(lambda power: Fraction(1, 10**power))


def sure(found: Fraction | None) -> Fraction:
    """Return a bound that must be there."""
    assert found is not None
    return found


def meets_delta(found: Fraction | None, golden: str, slack: str = "7e-13") -> bool:
    """Say whether a delta is the golden one, or above it by less than ``slack`` of it."""
    exact = Fraction(golden)
    return found is not None and exact * (1 - DIGITS) <= found <= exact * (1 + Fraction(slack))


def meets_epsilon(found: Fraction | None, golden: str, slack: str = "3e-12") -> bool:
    """Say whether an epsilon is the golden one, or above it by less than ``slack``."""
    exact = Fraction(golden)
    return found is not None and exact * (1 - DIGITS) <= found <= exact + Fraction(slack)


def meets_doubles(found: Fraction | None, case: dict[str, Any], key: str) -> bool:
    """Say whether an epsilon agrees with one that was itself computed in doubles, by a search of limited depth."""
    exact = Fraction(case[key])
    return found is not None and abs(found - exact) <= max(Fraction("1e-12"), exact * Fraction("2e-12"))


def grows(rule: Delta, epsilon: Fraction, count: int, one: Fraction, other: Fraction) -> None:
    """Hold a rule to it: more mechanisms or a larger one never need less, a larger epsilon to reach never more."""
    low, high = sorted((one * count * epsilon, other * count * epsilon))
    here, more, larger, later = (
        rule({epsilon: count}, low) or Fraction(0),
        rule({epsilon: count + 1}, low) or Fraction(0),
        rule({epsilon * Fraction(5, 4): count}, low) or Fraction(0),
        rule({epsilon: count}, high) or Fraction(0),
    )
    hair = 1 + Fraction(1, 10**15)
    assert later <= here * hair
    assert here <= more * hair
    assert here <= larger * hair


def case_name(case: dict[str, Any]) -> str:
    """Name a golden case by its settings."""
    return "-".join(str(case[key]) for key in ("eps", "k", "eg", "delta") if key in case)
