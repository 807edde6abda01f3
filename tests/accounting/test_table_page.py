"""The long table in the docs is what its script writes: a few rows made anew, and golden columns held against it."""

from typing import Any

import pytest

from docs.make_composition_table import COLUMNS, PAGE, buys, row
from tests.accounting.closed import GOLDEN, case_name

TEXT = PAGE.read_text(encoding="utf-8")
LINES = [[cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if line.startswith("| ")]


@pytest.mark.parametrize(("b", "k"), [("0.01", 1), ("0.1", 100), ("2", 30)])
def test_rows_are_fresh(b: str, k: int) -> None:
    """A row of the first table says today what it says on the page."""
    assert row(b, k) in LINES


def test_a_row_of_what_a_budget_buys_is_fresh() -> None:
    """So does a row of the second."""
    assert buys("0.1", "1") in LINES


@pytest.mark.parametrize("case", GOLDEN["table_main_doubles"], ids=case_name)
def test_the_page_has_the_golden_numbers(case: dict[str, Any]) -> None:
    """Each column on the page is the one computed apart, to the digits shown."""
    names = {"sum": "basic", "pure optimum": "kov_pure_eps", "batch optimum": "br_nonadaptive", "renyi": "br_rdp_tight"}
    line = next(line for line in LINES if line[:2] == [f"{case['eps']:g}", str(case["k"])] and len(line) > 10)
    for name, key in names.items():
        shown = float(line[2 + list(COLUMNS).index(name)])
        assert shown == pytest.approx(float(case[key]), rel=2e-5)
