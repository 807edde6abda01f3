"""Utility before spending: error against epsilon from public settings, and (named so) private views of exact laws."""

from discreet.utility.bounds import Crowd, Curve
from discreet.utility.laws import private_chance_of_error, private_error_quantile, private_law, private_mean_error
from discreet.utility.learning import Lesson, sample_size
from discreet.utility.planning import Forecast, chance_of_error, epsilon_for, error_bound, expected_error
from discreet.utility.prices import PriceGrid, continuous_price_loss
from discreet.utility.top_k import compare_top_k, zipf_counts

__all__ = [
    "Crowd",
    "Curve",
    "Forecast",
    "Lesson",
    "PriceGrid",
    "chance_of_error",
    "compare_top_k",
    "continuous_price_loss",
    "epsilon_for",
    "error_bound",
    "expected_error",
    "private_chance_of_error",
    "private_error_quantile",
    "private_law",
    "private_mean_error",
    "sample_size",
    "zipf_counts",
]
