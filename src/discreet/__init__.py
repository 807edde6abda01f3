"""discreet: ask *which one?* of private data, and get an answer you may publish."""

from typing import TYPE_CHECKING, Any

from discreet.errors import BudgetError, DataError, DiscreetError, GuardError, LedgerError, SettingError
from discreet.guarantees import Approx, Gdp, Guarantee, LaplacePair, Pure, PureRange, Range, Renyi, Zcdp
from discreet.selection import PrivateLaw, Selection, law, prepare, select, top_k
from discreet.sensitivity import Sensitivity

if TYPE_CHECKING:
    from discreet.accounting import Composition, compose, each_of, how_many, repeat
    from discreet.ledger import Budget, Ledger
    from discreet.questions import (
        Answer,
        Approval,
        BestHypothesis,
        BestPrice,
        BestSlot,
        LargestTotal,
        Median,
        Quantile,
        Quantiles,
        Ranking,
        Table,
        TopK,
        Winner,
        dataset,
    )
    from discreet.questions import (
        open as open,  # noqa: A004 - the word a person types: discreet.open
    )
    from discreet.selection.drawn import Drawn, draw
    from discreet.selection.in_place import select_in_place, shortlist_in_place
    from discreet.streams import ThresholdStream
    from discreet.tuning import Tuned, tune
    from discreet.utility import chance_of_error, compare_top_k, epsilon_for, error_bound, expected_error

__version__ = "0.1.0"

LATE = {
    "accounting": ("Composition", "compose", "each_of", "how_many", "repeat"),
    "ledger": ("Budget", "Ledger"),
    "questions": (
        "Answer",
        "Approval",
        "BestHypothesis",
        "BestPrice",
        "BestSlot",
        "LargestTotal",
        "Median",
        "Quantile",
        "Quantiles",
        "Ranking",
        "Table",
        "TopK",
        "Winner",
        "dataset",
        "open",
    ),
    "selection": ("Drawn", "draw"),
    "in_place": ("select_in_place", "shortlist_in_place"),
    "streams": ("ThresholdStream",),
    "tuning": ("Tuned", "tune"),
    "utility": ("chance_of_error", "compare_top_k", "epsilon_for", "error_bound", "expected_error"),
}
"""What no selection needs, by the room it is imported from when it is first asked for."""

__all__ = [
    "Answer",
    "Approval",
    "Approx",
    "BestHypothesis",
    "BestPrice",
    "BestSlot",
    "Budget",
    "BudgetError",
    "Composition",
    "DataError",
    "DiscreetError",
    "Drawn",
    "Gdp",
    "Guarantee",
    "GuardError",
    "LaplacePair",
    "LargestTotal",
    "Ledger",
    "LedgerError",
    "Median",
    "PrivateLaw",
    "Pure",
    "PureRange",
    "Quantile",
    "Quantiles",
    "Range",
    "Ranking",
    "Renyi",
    "Selection",
    "Sensitivity",
    "SettingError",
    "Table",
    "ThresholdStream",
    "TopK",
    "Tuned",
    "Winner",
    "Zcdp",
    "chance_of_error",
    "compare_top_k",
    "compose",
    "dataset",
    "draw",
    "each_of",
    "epsilon_for",
    "error_bound",
    "expected_error",
    "how_many",
    "law",
    "prepare",
    "repeat",
    "select",
    "select_in_place",
    "shortlist_in_place",
    "top_k",
    "tune",
]


def __getattr__(name: str) -> Any:
    """Import what no selection needs when it is first asked for, so that importing discreet stays quick."""
    home: Any  # each room is imported where it stands, so that the reader of imports sees it
    if name in LATE["questions"]:
        from discreet import questions as home  # noqa: PLC0415
    elif name in LATE["ledger"]:
        from discreet import ledger as home  # noqa: PLC0415
    elif name in LATE["accounting"]:
        from discreet import accounting as home  # noqa: PLC0415
    elif name in LATE["selection"]:
        from discreet.selection import drawn as home  # noqa: PLC0415
    elif name in LATE["in_place"]:
        from discreet.selection import in_place as home  # noqa: PLC0415
    elif name in LATE["streams"]:
        from discreet import streams as home  # noqa: PLC0415
    elif name in LATE["tuning"]:
        from discreet import tuning as home  # noqa: PLC0415
    elif name in LATE["utility"]:
        from discreet import utility as home  # noqa: PLC0415
    else:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    value = globals()[name] = getattr(home, name)
    return value
