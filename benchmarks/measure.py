"""Run the measurements: rows of the grid (size by shape), and single figures."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from benchmarks import ours
from benchmarks.cases import SHAPES, SIZES, Case, case, fits
from benchmarks.peers import PEERS, Peer, available
from benchmarks.timing import Timing, side_by_side, starts


@dataclass(frozen=True, slots=True)
class Settings:
    """How much to measure."""

    sizes: tuple[int, ...] = SIZES
    rounds: int = 9
    peers: bool = True
    prepared_sizes: tuple[int, ...] = (5, 1000, 10**5)
    draws: int = 10**6
    top_size: int = 10**7
    import_rounds: int = 15


QUICK = Settings(sizes=(5, 100, 10**4), rounds=3, draws=10**4, top_size=10**5, import_rounds=3)
TOP = 10
STARTS = ("import discreet", "from discreet import select")


@dataclass(frozen=True, slots=True)
class Row:
    """One size and shape: times by task, and why a task has none."""

    size: int
    shape: str
    times: dict[str, Timing]
    absent: dict[str, str]

    def ratio(self, task: str, yardstick: str) -> Timing | None:
        """Return one task's time as multiples of another's, or None where either was not run."""
        if task not in self.times or yardstick not in self.times:
            return None
        return self.times[task].over(self.times[yardstick])


@dataclass(frozen=True, slots=True)
class Figures:
    """What is not a row: seconds for small calls, seconds a prepared draw by size, and two ratios."""

    small: dict[str, Timing]
    prepared: dict[int, Timing]
    top_size: int
    top: dict[str, Timing]
    start: dict[str, float]


def rows(settings: Settings) -> Iterator[Row]:
    """Measure the grid, smallest first; a size that does not fit in memory gives rows without times."""
    for size in settings.sizes:
        for shape in SHAPES:
            _say(f"{size:.0e} {shape}")
            if fits(size):
                yield _row(case(size, shape), settings)
            else:
                yield Row(size, shape, {}, dict.fromkeys((peer.name for peer in PEERS), "not run: memory"))


def figures(settings: Settings) -> Figures:
    """Measure the single figures."""
    _say("small calls, prepared draws, top-k, import")
    small = (
        side_by_side(ours.small(), 40, pause=0.2, sample=0.1) if settings.rounds > 3 else side_by_side(ours.small(), 5)
    )
    prepared = {size: _prepared(size, settings) for size in settings.prepared_sizes}
    start = starts((*STARTS, "import numpy"), settings.import_rounds)
    quickest = {statement: start[statement].least / start["import numpy"].least for statement in STARTS}
    return Figures(small, prepared, settings.top_size, _top(settings), quickest)


def _row(scores: Case, settings: Settings) -> Row:
    tasks = ours.passes(scores) | ours.selections(scores)
    absent: dict[str, str] = {}
    present = available() if settings.peers else ()
    for peer in PEERS:
        if reason := _why_not(peer, scores.size, present):
            absent[peer.name] = reason
        else:
            tasks[peer.name] = peer.build(scores)
    return Row(scores.size, scores.shape, side_by_side(tasks, settings.rounds), absent)


def _why_not(peer: Peer, size: int, present: tuple[Peer, ...]) -> str:
    if peer not in present:
        return "-"
    return "not run: too slow" if size > peer.largest else ""


def _prepared(size: int, settings: Settings) -> Timing:
    task = ours.prepared(case(size, "typical"), settings.draws)
    whole = side_by_side({"draws": task}, settings.rounds)["draws"]
    return Timing(tuple(seconds / settings.draws for seconds in whole.rounds))


def _top(settings: Settings) -> dict[str, Timing]:
    # At the rate of the grid one count stands far out and the others lie close together, so later rounds are hot.
    counts = case(settings.top_size, "typical")
    rates = {"epsilon 1": Fraction(1, TOP), "the rate above": counts.rate}
    times = {name: side_by_side(ours.top_and_one(counts, TOP, rate), settings.rounds) for name, rate in rates.items()}
    return {name: timing["top"].over(timing["one"]) for name, timing in times.items()}


def _say(what: str) -> None:
    print(f"measuring: {what}", file=sys.stderr, flush=True)
