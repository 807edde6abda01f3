"""Each run tries new examples, also where ``CI`` is set, which alone would make Hypothesis repeat itself."""

import os
import subprocess
import sys

import pytest

from tests.house.tree import ROOT

ASKED = "from hypothesis import settings; {load}; print(settings.default.derandomize, settings.default.print_blob)"


@pytest.mark.parametrize(("load", "told"), [("import tests.conftest", "False True"), ("pass", "True True")])
def test_examples_are_fresh_and_failures_can_be_repeated(load: str, told: str) -> None:
    """With our profile; and without it, what it is there for."""
    command = [sys.executable, "-c", ASKED.format(load=load)]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "CI": "true"}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == told
