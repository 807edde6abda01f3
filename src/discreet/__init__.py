"""discreet: ask *which one?* of private data, and get an answer you may publish."""

from typing import TYPE_CHECKING, Any

from discreet.errors import DataError, DiscreetError, GuardError, SettingError
from discreet.guarantees import Approx, Gdp, Guarantee, LaplacePair, Pure, PureRange, Range, Renyi, Zcdp
from discreet.selection import PrivateLaw, Selection, law, prepare, select, top_k
from discreet.sensitivity import Sensitivity

if TYPE_CHECKING:
    from discreet.accounting import Composition, compose, each_of, how_many, repeat
    from discreet.utility import chance_of_error, epsilon_for, error_bound, expected_error

__version__ = "0.1.0"

__all__ = [
    "Approx",
    "Composition",
    "DataError",
    "DiscreetError",
    "Gdp",
    "Guarantee",
    "GuardError",
    "LaplacePair",
    "PrivateLaw",
    "Pure",
    "PureRange",
    "Range",
    "Renyi",
    "Selection",
    "Sensitivity",
    "SettingError",
    "Zcdp",
    "chance_of_error",
    "compose",
    "each_of",
    "epsilon_for",
    "error_bound",
    "expected_error",
    "how_many",
    "law",
    "prepare",
    "repeat",
    "select",
    "top_k",
]


def __getattr__(name: str) -> Any:
    """Import what no selection needs when it is first asked for, so that importing discreet stays quick."""
    if name not in __all__:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    from discreet import accounting, utility  # noqa: PLC0415 - this is the point

    value = globals()[name] = getattr(utility if hasattr(utility, name) else accounting, name)
    return value
