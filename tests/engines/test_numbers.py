"""Floating-point numbers are read alike by every engine, and as they were written where a double can say it."""

import math
import random
import struct
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet.engines.ask import Cells, Long
from discreet.engines.duckdb import DuckDB
from discreet.engines.numbers import BANDS, figure
from discreet.engines.spark import Spark

EDGES = [
    0.0,
    -0.0,
    5e-324,
    2.0**53,
    2.0**53 - 1,
    2.0**62,
    3.9e18,
    -3.9e18,
    4e18,
    1e19,
    1e300,
    8388608.5,
    2.5e-9,
    -5e-10,
]
EDGES += [
    0.49999999999999994,
    0.9999999999999999,
    0.9999999995,
    math.inf,
    -math.inf,
    math.nan,
    784469377.416,
    0.1 + 0.2,
]
EDGES += [side * float(2**bits) + part for bits, _ in BANDS for side in (1, -1) for part in (-0.5, -0.25, 0.0, 0.3)]


def numbers(count: int) -> list[float]:
    """Doubles of every size: any bits, decimals, halves of the last decimal, whole numbers."""
    pick = random.Random()  # noqa: S311 - made-up numbers, others in each run
    kinds: list[Callable[[], float]] = [
        lambda: pick.uniform(-1, 1) * 10.0 ** pick.randrange(-12, 18),
        lambda: round(pick.uniform(-1, 1) * 10 ** pick.randrange(12), pick.randrange(10)),
        lambda: struct.unpack("<d", pick.randbytes(8))[0],
        lambda: (2 * pick.randrange(512) + 1) / 1024 + pick.randrange(2 ** pick.randrange(1, 40)),
        lambda: float(pick.randrange(-(2**62), 2**62)),
        lambda: pick.uniform(2**22, 2**24),
    ]
    return EDGES + [kind() for _ in range(count) for kind in kinds]


def read(engine: Any, text: str | None = None) -> list[Decimal | None]:
    """What an engine reads in the column x, in the order of i."""

    def columns(quote: Callable[[str], str]) -> str:
        return f"{quote('i')} AS i, {figure(quote('x'), 'DOUBLE').exact if text is None else text} AS n"

    return [number for _, number in sorted(engine.query(columns, "SELECT i, n FROM held", {}, "held"))]


def held(values: list[float]) -> DuckDB:
    """A table of doubles."""
    return DuckDB(pl.DataFrame({"i": range(len(values)), "x": values}))


def digits(number: float) -> int:
    """How many decimals a double of this size is read to."""
    return next((kept for bits, kept in BANDS if abs(number) < 2**bits), 0)


def wanted(number: float) -> Decimal | None:
    """The decimals of a number by the rule, in exact steps but for the two that round."""
    if not abs(number) < 4e18:
        return None
    whole, scale = math.floor(abs(number)), float(10 ** digits(number))
    part = math.floor((abs(number) - whole) * scale + 0.5) / scale
    sign = -1 if number < 0 else 1
    return sign * (whole + Decimal(repr(part))).quantize(Decimal("1e-9"))


def test_a_double_is_read_by_one_rule() -> None:
    """Random and extreme doubles are read as the rule says, which a plain cast does not."""
    values = numbers(2000)
    expected = [wanted(number) for number in values]
    assert read(held(values)) == expected
    assert read(held(values), 'TRY_CAST("x" AS DECIMAL(28, 9))') != expected


@settings(max_examples=200)
@given(some.decimals(-(10**14), 10**14, places=9, allow_nan=False))
def test_a_decimal_is_read_as_it_was_written(value: Decimal) -> None:
    """A decimal with no more digits than a double keeps is read back exactly; with more, nearly so."""
    short = round(value, digits(float(value)))
    assert wanted(float(short)) == short
    assert abs(Fraction(wanted(float(value)) or 0) - Fraction(value)) <= Fraction(3, 2) / 10 ** digits(float(value))


@settings(max_examples=200)
@given(some.floats(-3.9e18, 3.9e18), some.floats(-3.9e18, 3.9e18))
def test_reading_keeps_the_order(one: float, other: float) -> None:
    """Of two doubles the smaller is never read as the larger, across the sizes at which digits are dropped too."""
    small, large = sorted([wanted(one) or Decimal(0), wanted(other) or Decimal(0)])
    assert (wanted(min(one, other)) or 0, wanted(max(one, other)) or 0) == (small, large)


def test_money_in_doubles_falls_where_it_was_written() -> None:
    """Cents of millions, as doubles, stand on their own line of the grid."""
    cents = [12_345_678_00 + n for n in range(1000)]
    grid = Long(Cells("x", Fraction(12_345_678), Fraction(1, 100), 1000))
    assert held([cent / 100 for cent in cents]).tally(grid, None, "").tolist() == [[1] * 1000]


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.xdist_group("spark")
@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning", "ignore::ResourceWarning")
def test_spark_reads_the_same_numbers(spark: Any, ansi: str) -> None:
    """Random and extreme doubles are the same numbers in both engines, which a plain cast does not make them."""
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    values = numbers(2000)
    frame = spark.createDataFrame(list(enumerate(values)), "i INT, x DOUBLE")
    assert read(Spark(frame)) == read(held(values))
    assert read(Spark(frame), "TRY_CAST(c1 AS DECIMAL(28, 9))") != read(held(values), 'TRY_CAST("x" AS DECIMAL(28, 9))')
