"""Where pictures are drawn and written to a file. The one file that imports matplotlib.

A picture can be read in black and white, by the colour-blind, and at half its size: each line has a colour, a mark and
a name beside it.
"""

import os
import textwrap
from collections.abc import Mapping, Sequence
from decimal import Decimal
from io import BytesIO
from math import log10
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from discreet.errors import SettingError
from discreet.plots.curves import Curve, written

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255")
"""Okabe's and Ito's, which the colour-blind tell apart; their yellow, too pale for paper, is a wine red."""
MARKS = ("o", "s", "v", "D", "P", "^", "X", "h")
GREY, PALE = "#666666", "#E6E6E6"
SMALL, LARGE = 11, 14
"""Sizes of letters in points."""
WIDE, HIGH, BOTTOM = 9.0, 6.0, 0.115
"""Inches, and a part of the height."""
LETTER = 0.018
"""About how wide a small letter is, as a part of the axes."""

STYLE = {"svg.hashsalt": "discreet", "svg.fonttype": "none", "pdf.fonttype": 42}
"""The same names inside every file, and text that stays text."""
METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""What would tell two files of one figure apart is left out."""


class Canvas:
    """A figure with one pair of axes, from ``left`` to ``right`` and up to ``top``, and what may be drawn on it.

    >>> canvas = Canvas(left=0.1, right=0.7, top=0.8)
    >>> canvas.head("Message", "words")
    >>> [text.get_text() for text in canvas.figure.texts]
    ['Message', 'words']
    """

    def __init__(self, *, left: float, right: float, top: float) -> None:
        self.tools = _matplotlib()
        self.figure: Figure = self.tools.Figure(figsize=(WIDE, HIGH), facecolor="white")
        self.axes: Any = self.figure.add_subplot()
        self.axes.set_position((left, BOTTOM, right - left, top - BOTTOM))
        self.axes.tick_params(which="both", labelsize=SMALL, color=GREY)
        self.axes.spines[["top", "right"]].set_visible(False)
        self.axes.spines[["bottom", "left"]].set_color(GREY)
        self.axes.grid(visible=True, color=PALE, linewidth=0.8)
        self.axes.set_axisbelow(True)

    def head(self, message: str, words: str) -> None:
        """Write what the picture says above it, and of what."""
        sheet: Any = self.figure
        sheet.text(0.02, 0.955, message, fontsize=LARGE, fontweight="bold", va="center")
        sheet.text(0.02, 0.925, textwrap.fill(words, 108), fontsize=SMALL, color=GREY, va="top")

    def across(self, words: str, low: float, high: float, *, logarithmic: bool = False) -> None:
        """Name and limit the horizontal axis."""
        self.axes.set_xlabel(words, fontsize=SMALL)
        self.axes.set(xscale="log" if logarithmic else "linear", xlim=(low, high))
        if logarithmic:
            self._ticks(self.axes.xaxis, (1,) if high > 300 * low else (1, 2, 5))

    def upwards(self, words: str, low: float, high: float) -> None:
        """Name and limit the vertical axis, which is logarithmic."""
        self.axes.set_ylabel(words, fontsize=SMALL)
        self.axes.set(yscale="log", ylim=(low, high))
        decades = log10(high / low)
        fine = (1, 2, 5) if decades > 1 else (1, 1.5, 2, 3, 4, 5, 7)
        self._ticks(self.axes.yaxis, (1,) if decades > 2.5 else fine)

    def rows(self, words: Sequence[str]) -> None:
        """Put rows of words in place of a vertical axis, the first one on top."""
        self.axes.set_ylim(len(words) - 0.5, -0.8)
        self.axes.set_yticks(range(len(words)), words)
        self.axes.tick_params(axis="y", length=0)
        self.axes.spines["left"].set_visible(False)

    def draw(self, curves: Sequence[Curve]) -> None:
        """Draw lines, solid ones on top; each begins its marks elsewhere, so that none hides another's."""
        for i, curve in enumerate(curves):
            self._line(curve, markevery=(0.03 * i, 0.24))

    def dots(self, curves: Sequence[Curve]) -> None:
        """Draw a dot for each number, write it beside where there is room, and name each line above its first dot."""
        gap = max(len(curve.words) for curve in curves) * LETTER + 0.015
        places = _spread([self._place(curve.x[0], 0)[0] for curve in curves], gap)
        for curve, place in zip(curves, places, strict=True):
            self._line(curve)
            self._words(place, 0.94, curve.words, ha="center", color=_look(curve)["color"], fontweight="bold")
        for row, numbers in enumerate(zip(*(curve.x for curve in curves), strict=True)):
            self._numbers(row, [int(x) for x in numbers])

    def label_ends(self, curves: Sequence[Curve]) -> None:
        """Write the words of each line beside its end, moved up or down no more than they need to stand apart."""
        ends = sorted(curves, key=lambda curve: curve.y[-1])
        places = [self._place(curve.x[-1], curve.y[-1]) for curve in ends]
        heights = _spread([y for _, y in places], 1.5 * SMALL / 72 / (HIGH * self.axes.get_position().height))
        for curve, (x, y), height in zip(ends, places, heights, strict=True):
            self._beside([x, 1.05], [y, height], color=_look(curve)["color"], linewidth=0.7)
        self.label(ends, heights)

    def label(self, curves: Sequence[Curve], heights: Sequence[float]) -> None:
        """Write words beside the picture, each with a piece of its line."""
        for curve, y in zip(curves, heights, strict=True):
            self._beside([1.05, 1.13], [y, y], **_look(curve), markevery=[0])
            self._words(1.145, y, curve.words, va="center", color=GREY if curve.faint else "black")

    def explain(self, dashes: Mapping[str, str], curves: Sequence[Curve]) -> None:
        """Say above the picture what the kinds of lines mean that occur in it."""
        seen = {curve.dash: {**_look(curve), "color": GREY, "marker": ""} for curve in curves}
        lines = [self.tools.Line2D([], [], **seen[dash], label=dashes[dash]) for dash in dashes if dash in seen]
        above: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (-0.02, 1.02), "ncols": len(lines)}
        self.axes.legend(handles=lines, **above, fontsize=SMALL, frameon=False, handlelength=2.6)

    def _line(self, curve: Curve, **marks: Any) -> None:
        order = 2 + (curve.dash == "-") - curve.faint / 2
        self.axes.plot(curve.x, curve.y, **_look(curve), **marks, label=curve.words, clip_on=False, zorder=order)

    def _beside(self, x: Sequence[float], y: Sequence[float], **look: Any) -> None:
        """Draw a line that shows no number, by parts of the axes; it is no line of theirs."""
        self.figure.add_artist(self.tools.Line2D(x, y, transform=self.axes.transAxes, **look))

    def _words(self, x: float, y: float, words: str, **look: Any) -> None:
        self.axes.text(x, y, words, transform=self.axes.transAxes, fontsize=SMALL, **look)

    def _numbers(self, row: int, numbers: Sequence[int]) -> None:
        places = [*(self._place(n, row)[0] for n in numbers), 2.0]
        for n, here, after in zip(numbers, places, places[1:], strict=False):
            if after - here > len(written(n)) * LETTER + 0.06:
                self.axes.annotate(written(n), (n, row), (7, 4), textcoords="offset points", fontsize=SMALL)

    def _place(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point lies, by parts of the axes."""
        right, top = self.axes.transAxes.inverted().transform(self.axes.transData.transform((x, y)))
        return float(right), float(top)

    def _ticks(self, axis: Any, steps: Sequence[float]) -> None:
        """Mark these steps of each power of ten, and write the numbers out."""
        axis.set_major_locator(self.tools.LogLocator(subs=steps))
        axis.set_major_formatter(self.tools.FuncFormatter(_tick))
        axis.set_minor_locator(self.tools.NullLocator())


def save(figure: "Figure", path: str | os.PathLike[str]) -> None:
    """Write a figure as SVG, PNG or PDF, as the name says; the same figure always makes the same file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Canvas(left=0.1, right=0.9, top=0.8).figure, f"{folder}/empty.svg")
    ...     "<svg" in Path(folder, "empty.svg").read_text(encoding="utf-8")
    True
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in METADATA:
        raise SettingError.of("path", "a name that ends in .svg, .png or .pdf", str(path))
    picture: Any = figure
    drawn = BytesIO()
    with _matplotlib().rc_context(STYLE):
        picture.savefig(drawn, format=kind, dpi=200, metadata=METADATA[kind])
    try:
        Path(path).write_bytes(drawn.getvalue())
    except OSError as error:
        remedy = f"the system says: {error.strerror or 'no'}"
        raise SettingError.of("path", "a file that can be written", str(path), remedy) from None


def _matplotlib() -> Any:
    try:
        from matplotlib import figure, lines, rc_context, ticker  # noqa: PLC0415 # pyright: ignore[reportUnknownVariableType] - optional, slow
    except ImportError:
        message = "matplotlib: wanted the package, got none; run: pip install 'discreet[plots]'"
        raise SettingError(message) from None
    locators = {"LogLocator": ticker.LogLocator, "NullLocator": ticker.NullLocator}
    drawn = {"Figure": figure.Figure, "Line2D": lines.Line2D, "FuncFormatter": ticker.FuncFormatter}
    return SimpleNamespace(rc_context=rc_context, **locators, **drawn)


def _look(curve: Curve) -> dict[str, Any]:
    """Return how a line is drawn, in the picture and beside it."""
    if curve.faint:
        return {"color": GREY, "linestyle": curve.dash, "linewidth": 1.1}
    mark = {"marker": MARKS[curve.look], "markersize": 6}
    return {"color": COLOURS[curve.look], "linestyle": curve.dash, "linewidth": 2, **mark}


def _tick(value: float, _: int) -> str:
    return written(Decimal(f"{value:.3g}"))


def _spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Move places, given in order, as little as possible, so that they lie at least ``gap`` apart within 0 and 1."""
    groups: list[tuple[float, int]] = []
    for i, place in enumerate(wanted):
        mean, size = place - i * gap, 1
        while groups and groups[-1][0] > mean:
            before, more = groups.pop()
            mean, size = (mean * size + before * more) / (size + more), size + more
        groups.append((mean, size))
    level = [mean for mean, size in groups for _ in range(size)]
    return [min(max(mean, 0.0), 1 - (len(level) - 1) * gap) + i * gap for i, mean in enumerate(level)]
