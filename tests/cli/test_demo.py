"""The demonstration: an answer a person understands, on any screen."""

import re

import numpy as np
import pytest

import discreet
from discreet.cli.demo import EPSILONS, TRIPS, line, percent
from discreet.counts import Counts
from tests.cli.runner import process, run


def test_the_demonstration_answers() -> None:
    """It names a place, what was promised, and one line of the table for each epsilon; no code for colours."""
    result = run("demo")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert set(lines) & set(TRIPS)
    assert "0.5-differential privacy" in result.stdout
    assert [row for row in EPSILONS if re.search(rf"^ +{re.escape(row)} .* %", result.stdout, re.MULTILINE)] == [
        *EPSILONS
    ]
    assert "\x1b" not in result.stdout
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("env", [{"COLUMNS": "200"}, {"COLUMNS": "60", "NO_COLOR": "1"}, {"PYTHONIOENCODING": "ascii"}])
def test_the_demonstration_fits_any_screen(env: dict[str, str]) -> None:
    """Wide, narrow or without Unicode, a real process prints it plainly within 80 columns."""
    done = process("demo", "--epsilon", "1/4", env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode()
    assert "0.25-differential privacy" in shown
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_the_chance_shown_is_that_of_the_true_winners() -> None:
    """The last column adds the exact chances of all who lead, and rejects those of one alone."""
    counts = Counts(["zoo", "lake", "castle"], np.array([5, 5, 4]))
    law = discreet.law([5, 5, 4], epsilon=1, scores="counts").probabilities
    shown = line("1", counts).chance
    assert abs(shown - (law[0] + law[1])) < 1e-15
    assert abs(shown - law[0]) > 0.1


def test_the_bounds_shown_are_those_of_the_library() -> None:
    """The error columns are the public bounds for permute-and-flip, and not those of the exponential mechanism."""
    counts = Counts(list(TRIPS), [10] * len(TRIPS))
    told = line("0.5", counts)
    forecast = {"epsilon": "0.5", "sensitivity": 1, "monotonic": True, "mechanism": "permute-and-flip"}
    assert told.bound == discreet.error_bound(len(TRIPS), **forecast)  # type: ignore[arg-type]
    assert told.mean == discreet.expected_error(len(TRIPS), **forecast)  # type: ignore[arg-type]
    other = forecast | {"mechanism": "exponential"}
    assert told.mean != discreet.expected_error(len(TRIPS), **other)  # type: ignore[arg-type]


def test_only_certainty_is_called_so() -> None:
    """Rounding never turns a likely winner into a sure one."""
    shown = [percent(chance) for chance in (0.0, 0.5, 0.9994, 0.9996, 1 - 2**-53, 1.0)]
    assert shown == ["0.0 %", "50.0 %", "99.9 %", "> 99.9 %", "> 99.9 %", "> 99.9 %"]


@pytest.mark.parametrize("verb", ["winner", "top", "demo"])
def test_help_shows_a_command_that_can_be_copied(verb: str) -> None:
    """The example stands on one line of its own, not run into the text."""
    shown = run(verb, "--help").stdout
    assert f"Example:\n    discreet {verb} " in shown
