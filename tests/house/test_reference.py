"""The reference page is what its script writes, and the script leaves nothing out."""

import importlib
import re
import sys
from types import ModuleType

import pytest

from docs.make_reference import MODULES, PAGE, line_about, reference


def test_the_page_is_fresh() -> None:
    """docs/reference.md is what docs/make_reference.py writes today."""
    assert PAGE.read_text(encoding="utf-8") == reference(), "run: python docs/make_reference.py"


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_has_its_line(module: str) -> None:
    """Under each module's heading stand its public names, all of them, once each, in their order."""
    section = reference().partition(f"## {module}\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\* `(\w+)`: \S", section, re.MULTILINE) == importlib.import_module(module).__all__


def test_constants_speak_through_the_text_below_them() -> None:
    """A name that can carry no docstring is described by the string under its assignment."""
    assert line_about("discreet.scores", "FAMILIES") == "Every family there is."


def test_a_planted_silent_name_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A public name without documentation stops the script: a function, and a constant."""
    planted = ModuleType("planted")
    vars(planted).update(function=lambda: 1, CONSTANT_OF_NOTHING=3)
    monkeypatch.setitem(sys.modules, "planted", planted)
    for name in ("function", "CONSTANT_OF_NOTHING"):
        with pytest.raises(LookupError, match=name):
            line_about("planted", name)
