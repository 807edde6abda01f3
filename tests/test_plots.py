"""Pictures hold what the accounting says, can be read, and are the same file every time."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree as ET

import matplotlib as mpl
import pytest
from hypothesis import given
from hypothesis import strategies as some
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from discreet.accounting import RULES, adaptive, compose, how_many, repeat
from discreet.accounting.uses import Plan
from discreet.errors import SettingError
from discreet.exact import up
from discreet.guarantees import Approx, Gdp, Guarantee, LaplacePair, Pure, PureRange, Range, Renyi, Zcdp
from discreet.plots import epsilon_against_times, profile_of, queries_bought, save
from discreet.plots.canvas import _spread
from discreet.plots.curves import counts_to, name
from discreet.readings import delta_at
from tests.house.test_blocks import run_page
from tests.house.tree import ROOT

PAGE, PICTURES = ROOT / "docs" / "composition-pictures.md", ROOT / "docs" / "pictures"
DELTA = "1e-6"
SIX: tuple[Guarantee, ...] = (Pure(1), Range(1), LaplacePair(1), PureRange(1, "1.5"), Gdp("0.5"), Zcdp("1/8"))
LONG: Guarantee = PureRange("0.123456", "0.234567")

DRAWN: dict[str, Callable[[], Any]] = {
    "rules": lambda: epsilon_against_times(Range("0.5"), 40, delta=DELTA),
    "two": lambda: epsilon_against_times(LONG, 2, delta=DELTA),
    "many": lambda: epsilon_against_times(Zcdp("1e-9"), 10**6, delta=DELTA, plan="batch"),
    "six": lambda: profile_of(*SIX),
    "one": lambda: profile_of(Gdp(3), least="1e-12"),
    "long": lambda: profile_of(*[LONG] * 5, Renyi({2: "0.1234567", 16: "1.1234567"})),
    "tail": lambda: profile_of(Approx(1, "0.001"), Approx(0, "0.01"), Range(2)),
    "budgets": lambda: queries_bought("0.2", [1, 2, 4], delta=DELTA),
    "five": lambda: queries_bought("0.1", ["0.25", "0.5", "0.75", 1, "1.234567"], delta=DELTA),
    "hardly": lambda: queries_bought(1, [2], delta=DELTA),
}


@cache
def drawn(case: str) -> Any:
    """A picture, drawn once; no test changes it."""
    return DRAWN[case]()


def lines(figure: Any) -> dict[str, Any]:
    """The lines of a picture, by their words."""
    return {line.get_label(): line for line in figure.axes[0].lines}


# What a picture holds


@pytest.mark.parametrize(
    ("guarantee", "plan"),
    [
        *[(Range("0.5"), plan) for plan in get_args(Plan)],
        (Pure("0.5"), "fixed"),
        (Gdp("0.5"), "adaptive"),
        (Approx("0.5", "1e-9"), "batch"),
    ],
    ids=str,
)
def test_lines_are_what_the_rules_say(guarantee: Guarantee, plan: Plan) -> None:
    """Each rule that speaks has its line, each number is compose's, and its dashes say for which plans it is proved."""
    figure = epsilon_against_times(guarantee, 10, delta=DELTA, plan=plan)
    assert mistaken(figure, guarantee, plan) == []


def test_planted_mistakes_in_lines_are_caught() -> None:
    """A number off by a thousandth, a line left out, and dashes of another plan are each seen."""
    spoilt: list[Callable[[Any], object]] = [
        lambda line: line.set_ydata([y * 0.999 for y in line.get_ydata()]),
        lambda line: line.remove(),
        lambda line: line.set_linestyle("--"),
    ]
    for spoil in spoilt:
        figure = epsilon_against_times(Pure("0.5"), 10, delta=DELTA, plan="fixed")
        spoil(next(line for words, line in lines(figure).items() if words.startswith("blocks")))
        assert mistaken(figure, Pure("0.5"), "fixed") == ["blocks"]


def mistaken(figure: Any, guarantee: Guarantee, plan: Plan) -> list[str]:
    """Name the rules whose line is not what compose says, or does not look as it should."""
    said = {
        n: {bound.rule: bound for bound in compose([repeat(guarantee, n)], delta=DELTA, plan=plan, every=True).bounds}
        for n in (1, 2, 3, 5, 7, 10)
        if n <= figure.axes[0].get_xlim()[1]
    }
    found = {words.rsplit("  ", 1)[0]: line for words, line in lines(figure).items()}
    wrong = []
    for rule in RULES:
        heard: Any = {n: bounds[rule.name].guarantee for n, bounds in said.items()}
        wanted = [(float(n), up(one.epsilon)) for n, one in heard.items() if one is not None]
        dash = ":" if rule.role != "bound" else "-" if plan in rule.holds else "--"
        line = found.get(rule.name)
        shown = list(zip(map(float, line.get_xdata()), map(float, line.get_ydata()), strict=True)) if line else []
        if shown != wanted or (line and line.get_linestyle() != dash):
            wrong.append(rule.name)
    return wrong


def test_words_say_what_it_costs() -> None:
    """Title, axes, the legend of dashes and the numbers at the line ends, all rounded up."""
    figure: Any = epsilon_against_times(Range("0.1"), 20, delta=DELTA)
    (axes,), title = figure.axes, figure.texts[0].get_text()
    assert title == "20 selections cost epsilon 1.02 together; their sum is 2"
    assert figure.texts[1].get_text().endswith("with parameters chosen on the way, by the rule 'zcdp'.")
    assert (axes.get_xlabel(), axes.get_ylabel()) == (
        "number of selections",
        "epsilon of all together, at delta = 0.000001",
    )
    assert {"zcdp  1.02", "basic  2", "limit  0.941"} <= {text.get_text() for text in axes.texts} == set(lines(figure))
    explained = [text.get_text() for text in axes.get_legend().get_texts()]
    assert explained == ["proved for this plan", "proved for other plans only", "only to compare"]
    batch: Any = epsilon_against_times(Range("0.1"), 2, delta=DELTA, plan="batch")
    assert "proved for other plans only" not in [text.get_text() for text in batch.axes[0].get_legend().get_texts()]


def test_a_line_that_ends_early_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that is silent for so many has its number at the last count it speaks of, and there is room for it."""
    monkeypatch.setattr(adaptive, "MOST", 7)
    figure: Any = epsilon_against_times(Range("0.5"), 10, delta=DELTA, plan="fixed")
    (early,) = [text for text in figure.axes[0].texts if " at " in text.get_text()]
    assert (early.get_text()[:17], early.get_text()[-5:]) == ("adaptive optimum ", " at 7")
    early.set_text("adaptive optimum  0.00123 at 1000")
    assert unreadable(figure) == []


def test_profiles_are_the_readings() -> None:
    """Each point is the tight delta at its epsilon, down to the least; those of a guarantee a bit larger are not."""
    shown = list(lines(drawn("six")).values())
    assert all(follows(line, one) for line, one in zip(shown, SIX, strict=True))
    assert not any(follows(line, Range("1.01")) for line in shown)
    assert all(math.isclose(line.get_ydata()[-1], 1e-6, rel_tol=1e-9) for line in shown)
    assert [line.get_xdata()[0] for line in shown] == [0] * 6


def follows(line: Any, guarantee: Guarantee) -> bool:
    """Whether a line is the profile of a guarantee."""
    points = list(zip(line.get_xdata(), line.get_ydata(), strict=True))
    wanted = [max(1e-6, float(delta_at(guarantee, Fraction(float(x))))) for x, _ in points]
    return all(math.isclose(y, delta, rel_tol=1e-6) for (_, y), delta in zip(points, wanted, strict=True))


def test_a_profile_falls_smoothly() -> None:
    """No line has a corner: from one point to the next it moves by less than a tenth of the picture."""
    (axes,) = drawn("six").axes
    for line in axes.lines:
        places = axes.transAxes.inverted().transform(axes.transData.transform(line.get_xydata()))
        assert max(math.dist(*pair) for pair in pairwise(places)) < 0.1


def test_dots_are_the_golden_table() -> None:
    """Five ways, from the classic price to the batch, hold as many as the golden table says, to one per cent."""
    golden = json.loads((ROOT / "tests" / "golden" / "accounting_adaptive.json").read_text(encoding="utf-8"))
    rows = {row["eps_g"]: row for row in golden["queries_table"] if row["eps"] == 0.1 and row["eps_g"] <= 2}
    shown = lines(queries_bought("0.1", rows, delta=DELTA))
    assert list(shown) == [f"epsilon {total:g}" for total in sorted(rows)]
    for total, line in zip(sorted(rows), shown.values(), strict=True):
        classic, pure, zcdp, fixed, batch = line.get_xdata()
        row = rows[total]
        assert (classic, pure, batch) == (row["k_classic"], row["k_pure_range"], row["k_br_nonadaptive"])
        assert row["k_br_adaptive_certified"] * 0.99 <= fixed <= row["k_br_adaptive_at_most"]
        assert zcdp == how_many(Range("0.1"), epsilon=total, delta=DELTA) >= row["k_br_zcdp"]
        assert list(line.get_ydata()) == [0, 1, 2, 3, 4]


def test_numbers_stand_beside_their_dots() -> None:
    """Every number that is written is the one its dot stands for; with room, none is missing."""
    figure = drawn("budgets")
    noted = sorted((*text.xy, text.get_text()) for text in figure.axes[0].texts if hasattr(text, "xy"))
    dots = sorted(
        (x, y, str(x))
        for line in lines(figure).values()
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    )
    assert noted == dots
    assert figure.texts[0].get_text() == "Epsilon 4 buys 71 selections; at the classic price, 10"
    assert figure.axes[0].get_xlabel() == "number of selections that fit"
    assert "classic price: 0.4 each,\nall fixed beforehand" in [t.get_text() for t in figure.axes[0].get_yticklabels()]


# Whether it can be read


@pytest.mark.parametrize("case", DRAWN)
def test_no_words_are_cut_off_or_covered(case: str) -> None:
    """All words lie inside the picture, in letters of 9 points and more, and no two on one another."""
    assert unreadable(drawn(case)) == []


def test_planted_unreadable_words_are_caught() -> None:
    """Words moved to the edge, words moved onto others, and small letters are each seen."""
    for x, y, size in ((0.99, 0.5, 11), (0.02, 0.955, 11), (0.3, 0.3, 6)):
        figure: Any = profile_of(Range(1))
        figure.text(x, y, "planted", fontsize=size)
        assert unreadable(figure)


def unreadable(figure: Any) -> list[str]:
    """Name the words of a picture that cannot be read."""
    canvas: Any = FigureCanvasAgg(figure)
    renderer = canvas.get_renderer()
    figure.draw(renderer)
    beyond = unseen(figure)
    words = [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
    words = [text for text in words if text not in beyond]
    boxes = {id(text): text.get_window_extent(renderer) for text in words}
    page = figure.bbox
    cut = [t for t in words if not (boxes[id(t)].x0 >= 0 and boxes[id(t)].x1 <= page.x1 and boxes[id(t)].y1 <= page.y1)]
    small = [text for text in words if text.get_fontsize() < 9]
    pairs = combinations(words, 2)
    covered = [one for one, other in pairs if boxes[id(one)].padded(-1).overlaps(boxes[id(other)].padded(-1))]
    return [text.get_text() for text in (*cut, *small, *covered)]


def unseen(figure: Any) -> set[Any]:
    """The words of ticks that are not drawn, beyond the ends of their axis."""
    axes = [axis for one in figure.axes for axis in (one.xaxis, one.yaxis)]
    ticks = [(tick, sorted(axis.get_view_interval())) for axis in axes for tick in axis.get_major_ticks()]
    beyond = [tick for tick, (low, high) in ticks if not low <= tick.get_loc() <= high]
    return {text for tick in beyond for text in (tick.label1, tick.label2)}


@pytest.mark.parametrize("case", DRAWN)
def test_no_two_lines_look_the_same(case: str) -> None:
    """Lines that are not faint differ in colour and in mark, so they differ in black and white too."""
    bold = [line for line in lines(drawn(case)).values() if line.get_linewidth() >= 2]
    assert bold
    assert len({line.get_color() for line in bold}) == len({line.get_marker() for line in bold}) == len(bold)


@given(some.lists(some.floats(0, 1), max_size=12).map(sorted))
def test_labels_move_apart_and_no_further(wanted: list[float]) -> None:
    """Places come out in order, apart and inside; those that were apart stay; in the middle they stay in all."""
    found = _spread(wanted, 1 / 16)
    assert all(b - a >= 1 / 16 - 1e-9 for a, b in pairwise(found))
    assert not found or (found[0] >= -1e-9 and found[-1] <= 1 + 1e-9)
    if all(b - a >= 1 / 16 for a, b in pairwise(wanted)):
        assert found == pytest.approx(wanted)
    if found and found[0] > 1e-6 and found[-1] < 1 - 1e-6:
        assert sum(found) == pytest.approx(sum(wanted))


@given(some.integers(min_value=2, max_value=10**40))
def test_counts_are_few_and_reach_the_end(times: int) -> None:
    """From 1 to the last, in order, seventeen at most; the ones between have at most two digits and zeros."""
    counts = counts_to(times)
    assert counts[0] == 1
    assert counts[-1] == times
    assert sorted(set(counts)) == counts
    assert len(counts) <= 17
    assert all(len(str(n).rstrip("0")) <= 2 for n in counts[:-1])


def test_every_kind_has_a_name_of_its_own() -> None:
    """No two kinds of guarantee are written in the same words."""
    kinds = (*SIX, Approx(1, "0.1"), Renyi({2: 1}))
    assert len({name(kind) for kind in kinds}) == len(kinds)


# Files


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "SVG"])
def test_the_same_figure_is_the_same_file(suffix: str, tmp_path: Path) -> None:
    """Drawn twice, byte for byte; one number changed, not."""
    for place, size in (("one", 1), ("two", 1), ("other", 2)):
        save(profile_of(Range(size)), tmp_path / f"{place}.{suffix}")
    one, two, other = ((tmp_path / f"{place}.{suffix}").read_bytes() for place in ("one", "two", "other"))
    assert one == two != other
    assert one[:5] == {"svg": b"<?xml", "png": b"\x89PNG\r", "pdf": b"%PDF-"}[suffix.lower()]


def test_text_stays_text(tmp_path: Path) -> None:
    """An SVG is XML, all words of the picture can be searched in it, and no date stands there."""
    figure: Any = queries_bought("0.5", [2, 4], delta=DELTA)
    save(figure, tmp_path / "drawn.svg")
    seen = words_of(tmp_path / "drawn.svg")
    assert {"Epsilon 4 buys 12 selections; at the classic price, 4", "number of selections that fit"} <= set(seen)
    assert {"classic price: 1 each,", "epsilon 2", "12"} <= set(seen)
    assert b"date" not in (tmp_path / "drawn.svg").read_bytes().lower()


def words_of(path: Path) -> list[str]:
    """The words in an SVG, in their order."""
    root = ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 - our own file
    return [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]


def test_the_pictures_on_the_page_are_fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page's code writes has the words of the committed pictures, and as many lines; none is missing."""
    monkeypatch.chdir(tmp_path)
    run_page(PAGE.read_text(encoding="utf-8"), PAGE.name)
    written = sorted(path.name for path in tmp_path.glob("*.svg"))
    shown = [path.name for path in PICTURES.iterdir() if f"pictures/{path.name})" in PAGE.read_text(encoding="utf-8")]
    assert written == sorted(shown)
    for picture in written:
        old, new = PICTURES / picture, tmp_path / picture
        assert words_of(old) == words_of(new), f"run the code of {PAGE.name} in docs/pictures"
        assert f"pictures/{picture})" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ["picture", "picture.jpeg", "picture.svg.gz", ".svg", "", Path("picture.txt")])
def test_other_formats_are_refused(path: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says which names will do, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingError, match=r"^path: wanted a name that ends in \.svg, \.png or \.pdf, got '"):
        save(profile_of(Range(1)), path)
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """A folder that is not there, and a folder in place of a file."""
    (tmp_path / "folder.svg").mkdir()
    figure = profile_of(Range(1))
    for path, why in ((tmp_path / "none" / "a.svg", "No such file"), (tmp_path / "folder.svg", "Is a directory")):
        with pytest.raises(SettingError, match=f"^path: wanted a file that can be written, got '.*{why}"):
            save(figure, path)


# Settings


def refusals() -> Iterator[tuple[str, Callable[[], object]]]:
    """Wrong settings, each with how its message begins."""
    yield "times: wanted a whole number from 2", lambda: epsilon_against_times(Range(1), 1, delta=DELTA)
    yield "delta: wanted a number strictly between", lambda: epsilon_against_times(Range(1), 9, delta=0)
    yield "plan: ", lambda: epsilon_against_times(Range(1), 9, delta=DELTA, plan="later")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    yield "guarantee: wanted a guarantee", lambda: epsilon_against_times("1", 9, delta=DELTA)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    yield "guarantee: wanted one that costs", lambda: epsilon_against_times(Pure(0), 9, delta=DELTA)
    yield "delta: wanted a number above", lambda: epsilon_against_times(Approx(1, "1e-6"), 9, delta="2e-6")
    yield "guarantees: wanted 1 to 6 of them, got 0", profile_of
    yield "guarantees: wanted 1 to 6 of them, got 7", lambda: profile_of(*SIX, Range(2))
    yield "guarantees: wanted ones whose delta at epsilon 0 is above", lambda: profile_of(Range("1e-9"))
    yield "least: wanted a number strictly", lambda: profile_of(Range(1), least=1)
    yield "each: wanted a number above 0, got 0", lambda: queries_bought(0, [1], delta=DELTA)
    yield "epsilons: wanted 1 to 5 numbers, got an empty list", lambda: queries_bought(1, [], delta=DELTA)
    yield "epsilons: wanted 1 to 5 numbers, got a list of 6", lambda: queries_bought("0.1", range(1, 7), delta=DELTA)
    yield "epsilons: wanted numbers from 2, twice each, got", lambda: queries_bought(1, [1, 2], delta=DELTA)


@pytest.mark.parametrize(("message", "ask"), list(refusals()), ids=lambda part: part if isinstance(part, str) else "")
def test_wrong_settings_are_refused(message: str, ask: Callable[[], object]) -> None:
    """Each with the name of the setting first, in the grammar of all our errors."""
    with pytest.raises(SettingError) as caught:
        ask()
    assert str(caught.value).startswith(message)


# The extra package


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each function says so before it computes anything."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    wanted = r"^matplotlib: wanted the package, got none; run: pip install 'discreet\[plots\]'$"
    asked: list[Callable[[], object]] = [
        lambda: epsilon_against_times(Range("0.1"), 10**15, delta=DELTA),
        lambda: profile_of(Range(1)),
        lambda: queries_bought("1e-9", [1000], delta=DELTA),
    ]
    for ask in asked:
        with pytest.raises(SettingError, match=wanted):
            ask()


def test_discreet_does_not_need_matplotlib_and_pictures_need_no_window(tmp_path: Path) -> None:
    """Importing the package, and its pictures, does not import matplotlib; drawing does not import pyplot."""
    program = """
import sys, discreet, discreet.plots
assert not any(name.startswith("matplotlib") for name in sys.modules)
discreet.plots.save(discreet.plots.profile_of(discreet.Range(1)), sys.argv[1])
assert "matplotlib.pyplot" not in sys.modules
"""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "tkagg"}
    subprocess.run([sys.executable, "-c", program, tmp_path / "drawn.svg"], env=env, check=True)
    assert (tmp_path / "drawn.svg").exists()


def test_nothing_global_is_left_behind(tmp_path: Path) -> None:
    """Settings of matplotlib are as they were, after drawing and after saving."""
    before = dict(mpl.rcParams)
    save(profile_of(Range(1)), tmp_path / "a.svg")
    assert dict(mpl.rcParams) == before
