"""What the verbs print: the answer first, then what was promised, and the same again as JSON."""

import csv
import io
import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.cli import main, options
from discreet.cli.output import factor, printable
from discreet.selection.plan import MECHANISMS, NOISES
from tests.cli.runner import SRC, process, run

VOTES = {"smith": 900, "jones": 40, "lee": 3}
ASK = ("--column", "vote", "--among", "lee,smith,jones", "--epsilon", "0.5")


@pytest.fixture
def votes(tmp_path: Path) -> str:
    """A file in which smith is far ahead: another answer has a chance below 1e-180."""
    file = tmp_path / "votes.csv"
    file.write_text("id,vote\n" + "".join(f"1,{name}\n" * count for name, count in VOTES.items()), encoding="utf-8")
    return str(file)


def test_the_winner_is_sure_where_the_lead_is_large() -> None:
    """The exact law of the file above gives another answer than smith less than 1e-9: no test here fails by chance."""
    law = discreet.law(VOTES, epsilon="0.5", scores="counts").to_dict()
    assert law["jones"] + law["lee"] < 1e-9
    assert discreet.law(VOTES, epsilon="0.001", scores="counts").to_dict()["jones"] > 1e-9


def test_the_answer_comes_first(votes: str) -> None:
    """The first line is the winner alone; then the guarantee and the error in sentences, within 80 columns."""
    result = run("winner", votes, *ASK)
    assert (result.exit_code, result.stderr) == (0, "")
    first, *rest = result.stdout.splitlines()
    assert first == "smith"
    assert "no answer more than 1.649 times as likely: 0.5-differential privacy" in " ".join(rest)
    bound = discreet.error_bound(3, epsilon="0.5", sensitivity=1, monotonic=True, mechanism="permute-and-flip")
    assert f"at most {math.floor(bound)} rows below the true best" in " ".join(rest)
    assert max(map(len, rest)) <= 80


def test_json_is_the_answer_of_the_library(votes: str) -> None:
    """One object, with every public fact of the answer in Python, and nothing else."""
    result = run("winner", votes, *ASK, "--json")
    facts = json.loads(result.stdout)
    made = discreet.open(votes).ask(discreet.Winner("vote", among=["lee", "smith", "jones"]), epsilon="0.5")
    assert facts == {"verb": "winner", **json.loads(json.dumps(made.to_dict())), "left": None, "left_of_share": None}
    assert (facts["winner"], facts["version"]) == ("smith", discreet.__version__)
    assert len(result.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "name", "guarantee"),
    [
        (["--rho", "1/8", "--mechanism", "exponential"], "the exponential mechanism", "range"),
        (["-e", "1/2", "--mechanism=noisy-max", "--noise=laplace"], "noisy max with laplace noise", "laplace-pair"),
        (["-e", "5e-1", "--neighbours", "replace"], "permute-and-flip", "laplace-pair"),
    ],
)
def test_settings_reach_the_mechanism(votes: str, words: list[str], name: str, guarantee: str) -> None:
    """The words of the command line are those of select."""
    result = run("winner", votes, "-c", "vote", "--among", "lee,smith", "--json", *words)
    facts = json.loads(result.stdout)
    assert (facts["mechanism"], facts["guarantee"]["kind"]) == (name, guarantee)
    assert facts["neighbours"] == ("replace" if "replace" in words else "add-remove")
    if guarantee == "pure":
        assert facts["guarantee"]["epsilon"] == "1/2"


def test_top_names_several_best_first(votes: str) -> None:
    """The k winners stand on a line each, and share one guarantee."""
    result = run("top", votes, "-k", "2", "-c", "vote", "--among", "lee,smith,jones", "-e", "4")
    assert result.stdout.splitlines()[:3] == ["smith", "jones", ""]
    assert "4-differential privacy, by 2 rounds" in result.stdout.replace("\n", " ")
    spent = run("top", votes, "-k", "2", "-c", "vote", "--among", "lee,smith,jones", "--rho", "1", "--json")
    assert json.loads(spent.stdout)["guarantee"]["kind"] == "zcdp"


@pytest.mark.parametrize("file", [["-"], []])
def test_standard_input_is_read(file: list[str]) -> None:
    """A dash, or no file at all, is CSV on standard input."""
    rows = "vote\n" + "smith\n" * 900
    assert run("winner", *file, *ASK, given=rows).stdout.startswith("smith\n")
    assert process("winner", *file, *ASK, given=rows.encode()).stdout.startswith(b"smith")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("smith\njones\n", ("smith", "jones")),
        ("\ufeffsmith\r\n\r\n  \r\n jones \r\n", ("smith", "jones")),
        ('Jones, Jr.\n"lee"\n@x', ("Jones, Jr.", '"lee"', "@x")),
    ],
)
def test_a_file_of_candidates_has_one_on_each_line(tmp_path: Path, text: str, names: tuple[str, ...]) -> None:
    """Blank lines and blanks around a name are left out; all else is the name."""
    file = tmp_path / "names.txt"
    file.write_bytes(text.encode())
    assert options.candidates(None, str(file)) == names


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0")).filter(str.strip), min_size=1))
def test_a_list_of_candidates_is_a_line_of_csv(names: list[str]) -> None:
    """Any name can be given, quoted where it must be."""
    line = io.StringIO()
    csv.writer(line, quoting=csv.QUOTE_ALL, lineterminator="").writerow(names)
    word = click.Option(["--among"])
    found = options.listed(click.Context(click.Command("winner")), word, line.getvalue())
    assert found == tuple(name.strip() for name in names)


def test_odd_names_are_counted_as_they_are(tmp_path: Path) -> None:
    """Quotes, semicolons and letters of any script are names like others, of columns and of candidates."""
    column, best = 'x"; DROP TABLE people; --', 'O\'Neil; "\u5c71\u7530" --'
    text = io.StringIO(newline="")
    csv.writer(text).writerows([[column], *[[best]] * 900, ["smith"]])
    (tmp_path / "odd.csv").write_bytes(text.getvalue().encode())
    (tmp_path / "names.txt").write_text(f"smith\n{best}\n", encoding="utf-8")
    words = ["-c", column, "--among-file", str(tmp_path / "names.txt"), "-e", "1", "--json"]
    assert json.loads(run("winner", str(tmp_path / "odd.csv"), *words).stdout)["winner"] == best


def test_a_name_cannot_command_the_terminal() -> None:
    """Control characters are printed as escapes, and a name stays on one line."""
    shown = printable("a\x1b]0;x\x07\n\u202eb")
    assert shown.isprintable()
    assert shown == "a\\x1b]0;x\\x07\\n\\u202eb"
    rows = "vote\n" + "\u5c71\n" * 900
    done = process(
        "winner", "-c", "vote", "--among", "\u5c71,b", "-e", "1", given=rows.encode(), env={"PYTHONIOENCODING": "ascii"}
    )
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, b"\\u5c71")


def test_the_words_are_those_of_the_library() -> None:
    """The choices a shell completes are the ones select takes."""
    assert sorted(options.MECHANISMS) == sorted(MECHANISMS)
    assert sorted(options.NOISES) == sorted(NOISES)


@given(st.fractions(0, 13))
def test_a_factor_never_says_too_little(epsilon: Fraction) -> None:
    """The factor shown is at least e to the epsilon, and at most a thousandth above it."""
    shown, true = float(factor(epsilon)), math.exp(epsilon)
    assert true * (1 - 1e-12) <= shown <= true * 1.001 + 1e-9


def test_help_shows_an_example_of_each_verb() -> None:
    """Each verb explains itself and shows a line to type."""
    for verb in main.commands:
        assert f"  discreet {verb} " in run(verb, "--help").stdout
    assert run("--version").stdout == f"main {discreet.__version__}\n"
    assert process("--version").stdout.split() == [b"discreet", discreet.__version__.encode()]


def test_help_is_light() -> None:
    """Neither DuckDB nor rich is imported before a verb needs it."""
    code = f"import sys; sys.path.insert(0, {str(SRC)!r}); import discreet.cli\n"
    code += "print({'duckdb', 'rich'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"
