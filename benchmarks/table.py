"""The measurements as Markdown that also reads well in a terminal."""

import os
import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

import discreet
from benchmarks.measure import Figures, Row, Settings
from benchmarks.ours import DTYPES, MECHANISMS
from benchmarks.peers import PEERS
from benchmarks.targets import of_figures, of_rows
from benchmarks.timing import Timing

PACKAGES = ("numpy", "python-flint", "opendp", "diffprivlib")

METHOD = """\
Every figure is a ratio of times measured in one process: each round runs all competitors of a row once in turn, short
tasks many times. Shown is the median of the rounds' ratios, and in brackets the ends of their middle half. One pass is
`scores.max()` on the same array. Ours is `discreet.select(array, ...)` from the array to the answer. Each peer gets the
scores in the form it likes best, converted beforehand: OpenDP `make_noisy_max` over 32-bit integers (a vector of its
own) with pure DP (permute-and-flip) and zCDP (exponential); diffprivlib a list; NumPy the textbook
`exp`, normalise, `choice`, which is not exact. OpenDP and diffprivlib stop at the first accepted candidate, so
their time is itself random where few candidates are hot: hence the wide brackets.

Shapes: *all-cold* has one clear winner and everything else far below; *typical* has heavy-tailed counts, with at least
two and about 0.07 % of all blocks of 4096 scores holding one within 27 nats of the best; *all-hot* has every
score within one nat. Float scores are the integer scores plus a random fraction. The rate is one over a whole number.
A dash means not installed, or not asked for.
"""


def report(settings: Settings, rows: Sequence[Row], figures: Figures) -> str:
    """Return the whole report."""
    parts = [
        "# How fast",
        _machine(settings),
        METHOD,
        "## Ours / one pass over memory",
        _table(_our_header(), (_our_cells(row) for row in rows)),
        "## Peers / ours (same mechanism, int64)",
        _table(["n", "shape", *(peer.name for peer in PEERS)], (_peer_cells(row) for row in rows)),
        "## Targets, on two shared cores",
        _table(["what", "target", "measured", ""], _target_cells(rows, figures)),
        MISSES,
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


MISSES = """
Where a target is missed. OpenDP stops at the first candidate it accepts, so where all are nearly as good it spends some
tens of nanoseconds a score and not thousands; ours reads all scores in either case. A small call is some dozens of
interpreter steps around one certified comparison; on a shared machine its best round wanders by a few microseconds from
run to run.
"""


def _machine(settings: Settings) -> str:
    allowed = getattr(os, "sched_getaffinity", None)
    cores = len(allowed(0)) if allowed else os.cpu_count()
    packages = ", ".join((f"discreet {discreet.__version__}", *(f"{name} {_version(name)}" for name in PACKAGES)))
    today = datetime.now(UTC).date().isoformat()
    machine = f"{cores} cores ({platform.machine()}, shared)"
    return f"{today}, {machine}, Python {platform.python_version()}, {packages}; {settings.rounds} rounds."


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _our_header() -> list[str]:
    columns = (f"{mechanism} {dtype}" for mechanism in MECHANISMS for dtype in DTYPES)
    return ["n", "shape", "a pass", *columns, "flip / exponential"]


def _our_cells(row: Row) -> list[str]:
    tasks = [(f"{mechanism} {dtype}", f"pass {dtype}") for mechanism in MECHANISMS for dtype in DTYPES]
    tasks.append(("permute-and-flip int64", "exponential int64"))
    yardstick = _time(row.times["pass int64"].median) if row.times else "-"
    return [*_label(row), yardstick, *(_cell(row.ratio(*pair), "not run: memory") for pair in tasks)]


def _peer_cells(row: Row) -> list[str]:
    cells = (_cell(row.ratio(peer.name, f"{peer.mechanism} int64"), row.absent.get(peer.name, "-")) for peer in PEERS)
    return [*_label(row), *cells]


def _target_cells(rows: Sequence[Row], figures: Figures) -> Iterable[Sequence[str]]:
    return (target.cells() for target in (*of_rows(rows), *of_figures(figures)))


def _label(row: Row) -> tuple[str, str]:
    return f"{row.size:,}", row.shape


def _cell(ratio: Timing | None, otherwise: str) -> str:
    if ratio is None:
        return otherwise
    low, high = ratio.quartiles()
    return f"{_short(ratio.median)} ({_short(low)} to {_short(high)})"


def _time(seconds: float) -> str:
    return f"{_short(seconds * 1e6)} us" if seconds < 1e-3 else f"{_short(seconds * 1e3)} ms"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _table(header: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    lines = [header, *body]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    written = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    rule = " | ".join("-" * width for width in widths)
    return "\n".join(f"| {line} |" for line in (written[0], rule, *written[1:]))
