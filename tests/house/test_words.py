"""The repository speaks of itself only: no addresses of package registries, no paths of somebody's machine."""

import re
import tomllib
from itertools import chain

import pytest

from tests.house.tree import ROOT, repository_files, shown

# Written in two halves, so that this file does not mention them either.
FORBIDDEN = [
    "/work" + "/",
    "/tmp" + "/venv",  # noqa: S108 - looked for, not used
    "/opt" + "/pypi",
    "/root" + "/",
    "pypi" + ".org",
    "python" + "hosted",
    "anaconda" + ".org",
    "npmjs" + ".",
    "--index" + "-url",
    "--find" + "-links",
]


def mentions(text: str) -> list[str]:
    """List the forbidden words a text contains."""
    return [word for word in FORBIDDEN if word in text]


def test_no_file_mentions_a_registry_or_a_machine() -> None:
    """No file that is or would be committed names a package registry or a path of the machine it was made on."""
    files = repository_files()
    assert files
    texts = ((shown(path), path.read_bytes().decode("utf-8", errors="replace")) for path in files)
    assert {name: found for name, text in texts if (found := mentions(text))} == {}


@pytest.mark.parametrize("word", FORBIDDEN)
def test_a_planted_mention_is_caught(word: str) -> None:
    """Each forbidden word is found inside a line."""
    assert mentions(f"see https://{word}simple for more") == [word]


def test_constraints_are_versions_only() -> None:
    """Each line of the constraints is a name and an exact version, and all we ask for is pinned."""
    lines = [line for line in _lines("constraints.txt") if line and not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.+]+", line)] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    assert {_name(line) for line in asked} <= {_name(line) for line in lines}


def test_the_changelog_knows_this_version() -> None:
    """The version of the package has its own heading in the changelog."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert any(line.startswith(f"## [{project['version']}]") for line in _lines("CHANGELOG.md"))


def _lines(name: str) -> list[str]:
    return (ROOT / name).read_text(encoding="utf-8").splitlines()


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower().replace("_", "-")
