"""All rules, from the simplest to the sharpest, and the two that only compare."""

from discreet.accounting import (
    adaptive,
    advanced,
    basic,
    blocks,
    bounded_range,
    envelope,
    gaussian,
    limit,
    pure_optimum,
    renyi,
    zcdp,
)
from discreet.accounting.rule import Rule

RULES: tuple[Rule, ...] = (
    basic.RULE,
    zcdp.RULE,
    renyi.RULE,
    gaussian.RULE,
    pure_optimum.RULE,
    bounded_range.RULE,
    envelope.RULE,
    blocks.RULE,
    adaptive.RULE,
    advanced.RULE,
    advanced.RANGE_RULE,
    limit.RULE,
)
"""Every rule there is, in this order."""
