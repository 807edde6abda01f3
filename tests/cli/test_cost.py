"""``discreet cost``: the table, what may be promised, JSON, the picture, and refusals."""

import json
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from discreet.accounting import RULES, compose, repeat
from discreet.guarantees import LaplacePair, Pure, Range, from_dict
from tests.cli.runner import process, run

WORDS = ("cost", "--epsilon", "0.1", "--times", "40", "--delta", "1e-6")


def test_the_table_marks_what_each_rule_is_proved_for() -> None:
    """Every rule that speaks has a line with a mark for each use; the smallest comes first."""
    lines = run(*WORDS).stdout.splitlines()
    rows = {rule.name: line for rule in RULES for line in lines if f" {rule.name} " in line and "yes" in line}
    assert rows["batch optimum"].split()[-3:] == ["yes", "-", "-"]
    assert rows["adaptive optimum"].split()[-3:] == ["yes", "yes", "-"]
    assert rows["zcdp"].split()[-3:] == ["yes", "yes", "yes"]
    assert next(line for line in lines if "a picture, no bound" in line).split()[-3:] == ["-", "-", "-"]
    shown = [float(line.split()[0]) for line in lines if line.endswith(("yes  ", "-  ", "yes", "-")) and line.strip()]
    assert shown == sorted(shown)


def test_what_may_be_promised_is_what_compose_says() -> None:
    """The three lines below the table, and the object, are the least bounds for each plan."""
    facts = json.loads(run(*WORDS, "--json").stdout)
    text = run(*WORDS).stdout
    for plan in ("batch", "fixed", "adaptive"):
        found = compose([repeat(Range("0.1"), 40)], delta="1e-6", plan=plan)
        assert from_dict(facts["least"][plan]["guarantee"]) == found.guarantee
        assert f"by the rule {found.rule!r}" in text
    assert (facts["times"], Fraction(facts["delta"])) == (40, Fraction("1e-6"))
    assert {row["rule"] for row in facts["bounds"]} == {rule.name for rule in RULES}


@pytest.mark.parametrize(
    ("mechanism", "each"), [("any", Pure("0.1")), ("permute-and-flip", LaplacePair("0.1")), ("noisy-max", None)]
)
def test_the_mechanism_decides_what_each_promises(mechanism: str, each: Pure | LaplacePair | None) -> None:
    """Permute-and-flip and noisy max are Laplace pairs; any other is only pure."""
    facts = json.loads(run(*WORDS, "--mechanism", mechanism, "--json").stdout)
    assert from_dict(facts["each"]) == (each or LaplacePair("0.1"))


def test_the_picture_is_written(tmp_path: Path) -> None:
    """The named file holds the picture, and its words."""
    file = tmp_path / "cost.svg"
    assert run(*WORDS, "--plot", str(file)).exit_code == 0
    words = " ".join(ET.parse(file).getroot().itertext())  # noqa: S314 - our own file
    assert "number of selections" in words


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (("--epsilon", "0", "--times", "3", "--delta", "1e-6"), "epsilon"),
        (("--epsilon", "1", "--times", "0", "--delta", "1e-6"), "times"),
        (("--epsilon", "1", "--times", "3", "--delta", "0"), "rule='basic'"),
        (("--epsilon", "1", "--times", "3", "--delta", "1"), "strictly between 0 and 1"),
        (("--epsilon", "1", "--times", "3", "--delta", "-1e-6"), "strictly between 0 and 1"),
        (("--epsilon", "1", "--times", "3", "--delta", "1e-6", "--plot", "cost.bmp"), "bmp"),
        (("--epsilon", "1", "--times", "3"), "delta"),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...], match: str) -> None:
    """One line that names the word, and code 2; nothing on standard output."""
    result = run("cost", *words)
    assert result.exit_code == 2
    assert match in result.stderr
    assert result.stdout == ""


def test_it_runs_as_a_real_command() -> None:
    """In a process of its own, with warnings as errors, it reads nothing and answers."""
    done = process(*WORDS, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["verb"] == "cost"
