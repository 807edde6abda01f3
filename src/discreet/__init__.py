"""discreet: ask *which one?* of private data, and get an answer you may publish."""

from discreet.errors import DataError, DiscreetError, GuardError, SettingError
from discreet.guarantees import Approx, Guarantee, Pure, Range, Zcdp
from discreet.selection import PrivateLaw, Selection, law, prepare, select, top_k
from discreet.sensitivity import Sensitivity
from discreet.utility import chance_of_error, epsilon_for, error_bound, expected_error

__version__ = "0.1.0"

__all__ = [
    "Approx",
    "DataError",
    "DiscreetError",
    "Guarantee",
    "GuardError",
    "PrivateLaw",
    "Pure",
    "Range",
    "Selection",
    "Sensitivity",
    "SettingError",
    "Zcdp",
    "chance_of_error",
    "epsilon_for",
    "error_bound",
    "expected_error",
    "law",
    "prepare",
    "select",
    "top_k",
]
