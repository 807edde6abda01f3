"""Every verb answers, in the words of its own help; and plans, in the same words."""

import json
import shlex
import shutil
from pathlib import Path

import polars as pl
import pytest

import discreet
from discreet.cli import main
from discreet.cli.hypothesis import rule
from discreet.cli.plan import VERBS
from discreet.questions import QUESTIONS
from tests.cli.runner import process, run
from tests.cli.stage import SURE, build

BUDGET_FIRST = ["open", "show", "history", "export", "check"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with the files the examples name."""
    build(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def example(*verb: str) -> list[str]:
    """Return the words of the example a verb's help shows: one line that can be copied."""
    shown = run(*verb, "--help").stdout
    command, head = shown.partition("Example:\n    ")[2].splitlines()[0], ["discreet", *verb]
    words = shlex.split(command, comments=True)
    assert words[: len(head)] == head
    return words[1:]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("verb", [verb.name for verb in VERBS])
def test_the_example_of_each_verb_answers(verb: str) -> None:
    """What the help shows runs on such a file, and the answer is the one that is far ahead."""
    result = run(*example(verb))
    assert (result.exit_code, result.stderr) == (0, "")
    first = result.stdout.splitlines()[0]
    assert first == SURE.get(verb, first)
    if verb == "price":
        assert 0.8 <= float(first) <= 1
    told = json.loads(run(*example(verb), "--json").stdout)
    assert told["verb"] == verb
    assert [str(told.get("winner", told.get("winners", [None])[0]))] == [first] or verb == "price"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("verb", [verb.name for verb in VERBS])
def test_the_example_of_each_plan_plans(verb: str) -> None:
    """The same words, after plan, say what it costs; without the file, too, and as one object."""
    words = example("plan", verb)
    assert words[1:] == example(verb)
    result = run(*words)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert any(line.startswith("  costs ") for line in lines)
    assert max(map(len, lines)) <= 80
    without = [word for word in words if not word.endswith((".csv", ".parquet"))]
    assert run(*without).stdout == result.stdout
    facts = json.loads(run(*words, "--json").stdout)
    assert (facts["verb"], facts["remaining"], facts["unit"]) == ("plan", None, _unit(words))


def _unit(words: list[str]) -> str:
    return words[words.index("--unit") + 1] if "--unit" in words else "row"


@pytest.mark.usefixtures("folder")
def test_the_other_examples_run() -> None:
    """Those of budget in their order, of cost, and of completion up to where the shell takes over."""
    for verb in BUDGET_FIRST:
        assert run(*example("budget", verb)).exit_code == 0
    assert Path("budget.jsonl").read_text(encoding="utf-8").startswith('{"ledger":"default"')
    assert run(*example("budget")).exit_code == 0  # it is there by now, with this budget
    assert run(*example("cost")).exit_code == 0
    words = example("completion")
    assert run(*words[: words.index(">")]).exit_code == 0
    assert run(*example("plan")).exit_code == 0
    assert sorted(main.commands["budget"].commands) == sorted(BUDGET_FIRST)  # type: ignore[attr-defined]


def test_every_question_has_its_verb() -> None:
    """Each kind of question of the library can be asked; medians and quartiles are quantiles."""
    kinds = {verb.question.__name__.removeprefix("_") for verb in VERBS}
    named = {"approval": "approve", "ranking": "rank", "median": "quantile", "quantiles": "quantile"}
    assert kinds == {named.get(kind.kind, kind.kind) for kind in QUESTIONS}


@pytest.mark.usefixtures("folder")
def test_ballots_are_long_or_wide() -> None:
    """A column of names and a column for each name ask the same; slots may say who is free."""
    Path("long.csv").write_text("who,likes\n" + "".join(f"{who},b\n{who},b\n" for who in range(900)), encoding="utf-8")
    asked = ["-c", "likes", "--among", "a,b", "--unit", "who", "-e", "1"]
    assert run("approve", "long.csv", *asked).stdout.startswith("b\n")
    assert run("slot", "long.csv", *asked).stdout.startswith("a\n")
    assert run("slot", "long.csv", *asked, "--says", "free").stdout.startswith("b\n")
    wide = ["approvals.csv", "--columns", "lee,smith", "-e", "1"]
    assert run("slot", *wide, "--says", "free").stdout.startswith("smith\n")


@pytest.mark.usefixtures("folder")
def test_one_person_counts_once_and_for_few() -> None:
    """With --unit a person's rows are one vote; without it each row is."""
    rows = "who,vote\n" + "loud,smith\n" * 900 + "".join(f"quiet-{n},jones\n" for n in range(200))
    asked = ["-c", "vote", "--among", "smith,jones", "-e", "1"]
    assert run("winner", *asked, given=rows).stdout.startswith("smith\n")
    result = run("winner", *asked, "--unit", "who", given=rows)
    assert result.stdout.startswith("jones\n")
    assert "Adding or removing any one who makes" in result.stdout
    assert "people below the true best" in result.stdout.replace("\n", " ")


@pytest.mark.usefixtures("folder")
def test_there_is_an_answer_for_each_group() -> None:
    """Groups are public; each has a line, and all of them share one promise."""
    rows = "school,vote\n" + "north,smith\n" * 900 + "south,jones\n" * 900 + "east,lee\n" * 900
    asked = [
        "winner",
        "-c",
        "vote",
        "--among",
        "smith,jones,lee",
        "--by",
        "school",
        "--groups",
        "north,south",
        "-e",
        "1",
    ]
    lines = run(*asked, given=rows).stdout.splitlines()
    assert lines[:3] == ["north: smith", "south: jones", ""]
    assert json.loads(run(*asked, "--json", given=rows).stdout)["groups"] == [["north", "smith"], ["south", "jones"]]


@pytest.mark.usefixtures("folder")
def test_what_is_none_of_the_candidates_may_count_for_one() -> None:
    """With --other, names that are not public count for the candidate that stands for them."""
    asked = ["winner", "votes.csv", "-c", "teacher", "--among", "lee,others", "-e", "1"]
    assert run(*asked).stdout.startswith(("lee\n", "others\n"))
    assert run(*asked, "--other", "others").stdout.startswith("others\n")


@pytest.mark.usefixtures("folder")
def test_a_database_and_a_pattern_are_read(tmp_path: Path) -> None:
    """A table of a DuckDB file, and several files that match."""
    import duckdb  # noqa: PLC0415 - only this test makes a database

    with duckdb.connect(str(tmp_path / "votes.duckdb")) as made:
        made.execute("CREATE TABLE \"odd; table\" AS SELECT 'smith' AS vote FROM range(900)")
    asked = ["-c", "vote", "--among", "jones,smith", "-e", "1"]
    assert run("winner", "votes.duckdb", "--table", "odd; table", *asked).stdout.startswith("smith\n")
    assert run("winner", "votes.duckdb", *asked).exit_code == 4
    for part, name in (("one", "smith"), ("two", "jones")):
        pl.DataFrame({"vote": [name] * (900 if part == "two" else 3)}).write_csv(tmp_path / f"part-{part}.csv")
    assert run("winner", "part-*.csv", *asked).stdout.startswith("jones\n")


def test_words_of_other_scripts_reach_a_real_process(tmp_path: Path) -> None:
    """Columns named like a command of SQL, in a process of its own, by a question with a comparison."""
    column = 'x"; DROP TABLE people; --'
    frame = pl.DataFrame({column: ["\u5317"] * 900, "really": ["yes"] * 900})
    frame.write_parquet(tmp_path / "odd.parquet")
    rules = ["--rule", f"{column} != \u5317", "--rule", f"{column} == \u5317"]
    done = process("hypothesis", str(tmp_path / "odd.parquet"), "--truth", "really", *rules, "-e", "1", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["winner"] == rules[3]


@pytest.mark.parametrize("text", ["age", "age>=40", "age =40", ">= 40", "age >="])
def test_a_rule_that_compares_nothing_is_refused(text: str) -> None:
    """A comparison has three parts, with a blank on each side of the middle one."""
    with pytest.raises(discreet.SettingError, match="rule: wanted a column, one of"):
        rule(text)


def test_a_plan_finds_the_epsilon_for_an_error() -> None:
    """With --error alone, the plan is for the smallest epsilon that will do; the one just below would not."""
    words = ["plan", "winner", "-c", "vote", "--among", "a,b,c", "--error", "20", "--json"]
    facts = json.loads(run(*words).stdout)
    assert facts["error_bound_95"] <= 20
    worse = discreet.error_bound(3, epsilon=facts["epsilon_needed"] * 0.98, scores="counts")
    assert worse > 20


@pytest.mark.usefixtures("folder")
def test_a_plan_is_rehearsed_on_data_that_is_public() -> None:
    """The likeliest answers on the file named, with their chances."""
    shutil.copy("votes.csv", "invented.csv")
    words = ["plan", *example("winner"), "--rehearse", "invented.csv"]
    assert "  rehearsed smith (100 %)" in run(*words).stdout.replace(">", "")
    told = dict(json.loads(run(*words, "--json").stdout)["rehearsal"])
    assert told["smith"] > 0.999


@pytest.mark.usefixtures("folder")
def test_a_plan_is_not_rehearsed_on_what_is_asked(tmp_path: Path) -> None:
    """Under any name, alone or among others: exact chances of private data are told to nobody."""
    Path("link.csv").symlink_to("votes.csv")
    Path("hard.csv").hardlink_to("votes.csv")
    shutil.copy("votes.csv", "invented.csv")
    for other in ("votes.csv", "./votes.csv", str(tmp_path / "votes.csv"), "link.csv", "hard.csv", "[vh]*.csv"):
        for words in (["plan", *example("winner")], ["plan", *example("winner"), "--json"]):
            result = run(*words, "--rehearse", other)
            assert (result.exit_code, result.stdout) == (2, "")
            assert "rehearse: wanted invented or public data, got the file that is asked" in result.stderr
    Path("discreet.toml").write_text('[datasets.mine]\nsource = "v*.csv"\n', encoding="utf-8")
    for file in ("mine", "invented.csv"):
        words = ["plan", "winner", file, "-c", "teacher", "--among", "smith,jones", "-e", "1", "--rehearse"]
        assert run(*words, "votes.csv").exit_code == 2
        assert run(*words, "invented.csv").exit_code == (0 if file == "mine" else 2)


@pytest.mark.usefixtures("folder")
def test_names_that_nobody_listed_are_found() -> None:
    """With --delta those that many name are told, the promise has that delta; where few name any, none is."""
    asked = ["top", "votes.csv", "-k", "2", "-c", "teacher", "-e", "1"]
    result = run(*asked, "--delta", "1e-9")
    assert result.stdout.splitlines()[:3] == ["smith", "jones", ""]
    told = result.stdout.replace("\n", " ")
    assert (
        "times as likely, plus a chance of 1e-9: (1, 1e-9)-differential privacy, by peeling with a stop symbol." in told
    )
    assert "depends on the data: no bound on the error holds for all of them." in told
    assert "plus one in a million:" in run(*asked, "--delta", "1e-6").stdout.replace("\n", " ")
    few = run("top", "-k", "2", "-c", "teacher", "-e", "1", "--delta", "1e-6", given="teacher\nsmith\nlee\n")
    assert (few.exit_code, few.stdout.splitlines()[:2]) == (0, ["none that may be named", ""])
    assert json.loads(run(*asked, "--delta", "1e-6", "--json").stdout)["winners"] == ["smith", "jones"]
    assert run("budget", "open", "b.db", "-e", "10", "--delta", "1e-5", "--spare", "5e-6").exit_code == 0
    assert run(*asked, "--delta", "1e-6", "--ledger", "b.db").exit_code == 0


@pytest.mark.usefixtures("folder")
def test_several_quantiles_are_one_answer() -> None:
    """They stand on a line each and rise; the error bound is that of the plan."""
    asked = ["quantile", "wages.csv", "-c", "wage", "--low", "0", "--high", "200000", "--step", "1000", "-e", "1"]
    result, several = run(*asked), run(*asked, "--q", "0.25,0.5,0.75")
    assert "the answer is at most" in result.stdout.replace("\n", " ")
    assert "winner" not in result.stdout + several.stdout
    assert several.stdout.splitlines()[3] == ""
    found = list(map(int, several.stdout.splitlines()[:3]))
    assert found == sorted(found)
    assert 40_000 <= found[1] <= 60_000
    facts = json.loads(run("plan", *asked, "--q", "0.25,0.5,0.75", "--json").stdout)
    bound = int(facts["error_bound_95"])
    assert f"all answers together are at most {bound} rows below the true best" in several.stdout.replace("\n", " ")
    weighed = json.loads(run("plan", *asked, "--over", "3", "--under", "2", "--json").stdout)
    assert (weighed["question"]["over"], weighed["question"]["under"], weighed["gap"]) == ("3", "2", "3/2")
    halved = json.loads(run("plan", *asked, "--q", "0.25,0.5", "--method", "halving", "--json").stdout)
    assert halved["mechanism"] == "the exponential mechanism by halving"
    unbounded = run("quantile", "wages.csv", "-c", "wage", "-e", "5").stdout.replace("\n", " ")
    assert unbounded.split()[0] in {"32768", "65536", "131072"}
    assert "rounded up to a power of 2" in run("plan", *asked[:4], "-e", "1").stdout
    price = run("price", "bids.csv", "-c", "bid", "--low", "0.01", "--high", "1.99", "--step", "0.01", "-e", "1").stdout
    assert "the answer is at most" in price.replace("\n", " ")


@pytest.mark.usefixtures("folder")
def test_a_tab_can_be_typed() -> None:
    """As the two characters by which people write it."""
    rows = "who\tvote\n" + "x\tsmith\n" * 900
    assert (
        run("winner", "-c", "vote", "--among", "jones,smith", "-e", "1", "--delimiter", r"\t", given=rows).stdout[:6]
        == "smith\n"
    )


@pytest.mark.usefixtures("folder")
def test_a_plan_sees_a_missing_column_and_no_row() -> None:
    """The names of columns are looked up before anything is spent; a row that cannot be read is no matter."""
    Path("broken.csv").write_text("vote\nsmith\nsmith,too,many\n", encoding="utf-8")
    assert run("plan", "winner", "broken.csv", "-c", "vote", "--among", "a", "-e", "1").exit_code == 0
    assert run("winner", "broken.csv", "-c", "vote", "--among", "a", "-e", "1").exit_code == 4
    assert run("plan", "winner", "broken.csv", "-c", "teacher", "--among", "a", "-e", "1").exit_code == 4


@pytest.mark.parametrize("verb", [verb.name for verb in VERBS if verb.name != "top"])
def test_no_verb_shows_a_field_of_the_data(verb: str, folder: Path) -> None:
    """A field that is nobody's candidate is in no answer, and in no message about a file that breaks off there."""
    words, secret = example(verb), "zebra77"
    file = folder / next(word for word in words if word.endswith(".csv"))
    whole = file.read_text(encoding="utf-8")
    row = ",".join([secret] * len(whole.splitlines()[0].split(",")))
    file.write_text(f"{whole}{row}\n", encoding="utf-8")
    told = run(*words)
    assert (told.exit_code, secret in told.stdout + told.stderr) == (0, False)
    for broken in (f'{whole}"{secret}', f"{whole}{row},{secret}\n", f"{whole}{secret}\xff\n"):
        file.write_bytes(broken.encode("latin-1"))
        told = run(*words)
        assert (told.exit_code, told.stdout, secret in told.stderr) == (4, "", False)
