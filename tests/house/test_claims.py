"""Every mechanism and every score family has its claim, and every claim names code and tests that exist."""

import ast
import importlib
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import pytest

import discreet.mechanisms
from discreet import scores
from discreet.exact import number
from discreet.scores import FAMILIES
from discreet.sensitivity import Neighbours
from tests.house.tree import ROOT, parsed, shown

CLAIMS = ROOT / "docs" / "claims"
PAGES = sorted(CLAIMS.glob("*.md"))
MECHANISMS = sorted(set(discreet.mechanisms.__all__) - {"Mechanism"})
SECTIONS = ("## Statement", "## Assumptions", "## Argument", "## Pinned by")


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_has_its_claim(name: str) -> None:
    """The page of a mechanism states, assumes, argues, names the mechanism's own file, and is listed in the README."""
    page = CLAIMS / f"{page_name(name)}.md"
    text = page.read_text(encoding="utf-8")
    assert [section for section in SECTIONS if f"\n{section}\n" not in text] == []
    assert source_of(discreet.mechanisms, name) in sources(text)
    assert f"| `{name}` | [{page.stem}]({page.name}) |" in (CLAIMS / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "README.md"], ids=shown)
def test_every_claim_is_pinned(page: Path) -> None:
    """Each claim names at least one test and one source file, and all it names exist."""
    text = page.read_text(encoding="utf-8")
    assert list(pins(text))
    assert sources(text)
    assert list(missing(text)) == []


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_every_family_is_in_the_table(family: type[Any]) -> None:
    """The page of the families has a row for each, and names its file."""
    text = (CLAIMS / "scores.md").read_text(encoding="utf-8")
    assert family.__name__ in {name for name, *_ in rows(text)}
    assert source_of(scores, family.__name__) in sources(text)


def test_the_table_says_what_the_families_say() -> None:
    """Step and gap of each example, under both relations, are the numbers in its row."""
    table = rows((CLAIMS / "scores.md").read_text(encoding="utf-8"))
    assert {example: told for name, example, *told in table if stated(name, example) != [*map(number, told)]} == {}


def test_a_planted_wrong_row_is_caught() -> None:
    """Another gap than the family's, and an example of another family, are seen."""
    right = [Fraction(1), Fraction(1), Fraction(1), Fraction(2)]
    assert stated("Votes", 'Votes(["a", "b"])') == right
    assert stated("Rank", "Rank(range(9))") != right
    with pytest.raises(AssertionError):
        stated("Rank", 'Votes(["a", "b"])')


def test_planted_pins_that_do_not_exist_are_caught() -> None:
    """A file that is not there, a function that is not in it, and a helper that is no test are all missed."""
    here = shown(Path(__file__))
    wrong = [f"{here}::test_no_such_thing", "tests/house/no_such_file.py::test_x", f"{here}::page_name"]
    right = f"{here}::test_every_claim_is_pinned"
    assert list(missing(" ".join(f"`{pin}`" for pin in [*wrong, right]))) == wrong
    assert list(missing("`src/discreet/no_such_file.py`")) == ["src/discreet/no_such_file.py"]


def page_name(mechanism: str) -> str:
    """Return ``PermuteAndFlip`` as ``permute-and-flip``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", mechanism).lower()


def source_of(room: Any, name: str) -> str:
    """Return the file a public name is defined in."""
    module = importlib.import_module(getattr(room, name).__module__)
    assert module.__file__ is not None
    return shown(Path(module.__file__))


def sources(text: str) -> set[str]:
    """Return the files of the package that a page names."""
    return set(re.findall(r"`(src/discreet/[\w/]+\.py)`", text))


def pins(text: str) -> Iterator[tuple[str, str]]:
    """Yield the tests that a page names, as file and function."""
    yield from re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)


def missing(text: str) -> Iterator[str]:
    """Name the tests and source files of a page that do not exist."""
    for place, name in pins(text):
        path = ROOT / place
        found = path.is_file() and any(
            isinstance(node, ast.FunctionDef) and node.name == name for node in parsed(path).body
        )
        if not found or not name.startswith("test_"):
            yield f"{place}::{name}"
    yield from sorted(place for place in sources(text) if not (ROOT / place).is_file())


def rows(text: str) -> list[tuple[str, ...]]:
    """Return the rows of the families' table: name, example, and four numbers."""
    return re.findall(r"^\| `(\w+)` \| `(.+)` \|" + r" (\S+) \|" * 4 + "$", text, re.MULTILINE)


def stated(name: str, example: str) -> list[Fraction]:
    """Return step and gap of an example under add-remove, then under replace, in points."""
    family = eval(example, dict(vars(scores)))  # noqa: S307 - an expression from our own page
    assert type(family).__name__ == name
    facts = [family.sensitivity(relation) for relation in get_args(Neighbours)]
    tick = getattr(family, "tick", 1)
    return [amount * tick for one in facts for amount in (one.step, one.gap)]
