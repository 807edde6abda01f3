"""Top-k, timed and compared: ``python -m benchmarks.top_k [--quick]``.

Times stand beside one ``numpy.sort`` of the same counts. Regret is the sum of counts missed, on made-up Zipf counts, at
equal epsilon and neighbours (add-remove); the mechanisms run as they are, with the system's coins. The last picture is
``docs/pictures/top-k-regret.svg``.
"""

import argparse
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers import installed
from benchmarks.timing import side_by_side
from discreet.domains.top_k import JointTopK
from discreet.guarantees import Approx, Pure
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.limited_domain import LimitedDomain
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.mechanisms.top_k import Peel
from discreet.sampling.coins import SystemCoins
from discreet.sampling.column import Column
from discreet.sensitivity import Sensitivity
from discreet.utility.top_k import zipf_counts

COUNTS = Sensitivity.of(sensitivity=1, monotonic=True)
COINS = SystemCoins()
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "top-k-regret.svg"


@dataclass(frozen=True, slots=True)
class Size:
    """How large a table is timed, and how many are named."""

    candidates: int
    count: int


def tasks(size: Size, shape: str) -> dict[str, Callable[[], object]]:
    """Return what is timed, each from plain counts to labels, epsilon 1.

    >>> sorted(tasks(Size(100, 5), "zipf"))
    ['joint', 'limited domain', 'numpy.sort', 'peel, exponential', 'peel, permute-and-flip']
    """
    made_up = np.random.default_rng(1)  # made-up data may have a seed; coins never do
    counts = made_up.permutation(zipf_counts(size.candidates, "0.8", 1000 * size.candidates))
    if shape == "flat":
        counts = made_up.integers(0, 1000, size.candidates)
    joint = JointTopK(range(size.candidates), size.count)
    rate = joint.calibrate(Pure(1))
    peels = [Peel.calibrate(Pure(1), COUNTS, size.count, kind) for kind in (Exponential, PermuteAndFlip)]
    unknown = LimitedDomain.calibrate(Approx(1, Fraction(1, 10**6)), size.count)
    by_item: dict[int | str, int] = dict(enumerate(counts.tolist()))
    return {
        "numpy.sort": lambda: np.sort(counts),
        "joint": lambda: joint.score_counts(counts).law(rate).draw(COINS),
        "peel, exponential": lambda: peels[0].draw(Column.of(counts), COINS),
        "peel, permute-and-flip": lambda: peels[1].draw(Column.of(counts), COINS),
        "limited domain": lambda: unknown.read_counts(by_item).law(size.count).draw(COINS),
    }


def timings(size: Size, rounds: int) -> None:
    """Print seconds, and multiples of one sort."""
    for shape in ("zipf", "flat"):
        print(f"\n{size.candidates} candidates, {size.count} named, {shape} counts, epsilon 1")
        found = side_by_side(tasks(size, shape), rounds)
        for name, timing in found.items():
            ratio = timing.over(found["numpy.sort"]).median
            print(f"  {name:24} {timing.median * 1000:9.2f} ms   {ratio:8.1f} sorts")


def regrets(runs: int) -> dict[tuple[int, int, str], float]:
    """Return the mean regret of each way, and of OpenDP's, on Zipf counts of a thousand candidates; print it."""
    found: dict[tuple[int, int, str], float] = {}
    for total in (20_000, 200_000):
        for count in (5, 20, 50):
            counts = zipf_counts(1000, "0.8", total)
            best = np.sort(counts)[::-1][:count].sum()
            for name, draw in ways(counts, count).items():
                found[total, count, name] = float(np.mean([best - counts[draw()].sum() for _ in range(runs)]))
    names = list(dict.fromkeys(name for _, _, name in found))
    print("\nmean regret, Zipf 0.8, 1000 candidates, epsilon 1\n\n| counts in all, named | " + " | ".join(names) + " |")
    print("| --- " * (len(names) + 1) + "|")
    for total, count in dict.fromkeys((total, count) for total, count, _ in found):
        cells = [f"{found[total, count, name]:.0f}" for name in names]
        print(f"| {total}, {count} | {' | '.join(cells)} |")
    return found


def ways(counts: Any, count: int) -> dict[str, Callable[[], list[int]]]:
    """Return ways to draw ``count`` places, all at epsilon 1 under add-remove; OpenDP's where it is installed.

    >>> sorted(ways(np.array([5, 1, 0]), 2))[:2]
    ['joint', 'peel, exponential']
    """
    joint = JointTopK(range(len(counts)), count)
    law = joint.score_counts(counts).law(joint.calibrate(Pure(1)))
    found: dict[str, Callable[[], list[int]]] = {"joint": lambda: list(map(int, map(str, law.draw(COINS))))}
    for name, kind in (("peel, exponential", Exponential), ("peel, permute-and-flip", PermuteAndFlip)):
        peel, column = Peel.calibrate(Pure(1), COUNTS, count, kind), Column.of(counts)
        found[name] = partial(peel.draw, column, COINS)
    if installed("opendp"):
        found["OpenDP"] = opendp(counts, count)
    return found


def opendp(counts: Any, count: int) -> Callable[[], list[int]]:
    """Return OpenDP's noisy top-k, calibrated to epsilon 1 for counts that all move one way."""
    dp: Any = importlib.import_module("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i32")), dp.linf_distance(T="i32", monotonic=True)
    noisy = dp.binary_search_chain(
        lambda scale: dp.m.make_noisy_top_k(*space, dp.max_divergence(), k=count, scale=scale), d_in=1, d_out=1.0
    )
    values = [int(value) for value in counts]
    return lambda: list(noisy(values))


def draw_regrets(found: dict[tuple[int, int, str], float]) -> None:
    """Draw the regret of each way against how many are named, a panel for each total."""
    plots: Any = importlib.import_module("matplotlib.figure")
    figure = plots.Figure(figsize=(8, 4.2), layout="constrained")
    marks, colours = "os^D", ("#0072b2", "#56b4e9", "#009e73", "#d55e00")
    names = list(dict.fromkeys(name for _, _, name in found))
    for panel, total in enumerate(dict.fromkeys(total for total, _, _ in found), start=1):
        axes = figure.add_subplot(1, 2, panel)
        counts = list(dict.fromkeys(count for _, count, _ in found))
        for place, name in enumerate(names):
            values = [max(found[total, count, name], 1) for count in counts]
            shifted = np.arange(len(counts)) + (place - 1.5) / 15
            axes.plot(shifted, values, marks[place] + "-", color=colours[place], label=name, markersize=7)
        axes.set_yscale("log")
        axes.set_ylim(0.8, 10**4)
        axes.set_xticks(range(len(counts)), [str(count) for count in counts])
        axes.set_xlabel("how many are named")
        axes.set_title(f"{total} counts in all", fontsize=11)
        axes.grid(visible=True, axis="y", color="#e5e5e5")
        if panel == 1:
            axes.set_ylabel("mean regret (1 and below at the foot)")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncol=4, frameon=False)
    figure.suptitle("Counts missed by a private top-k of 1000 candidates, epsilon 1", fontsize=13)
    figure.savefig(PICTURE, metadata={"Date": None})


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.top_k", description="Top-k, timed and compared.")
    parser.add_argument("--quick", action="store_true", help="a small table and few runs: only to see that it runs")
    quick = parser.parse_args().quick
    timings(Size(1000, 10) if quick else Size(100_000, 100), 1 if quick else 7)
    found = regrets(2 if quick else 60)
    if not quick:
        draw_regrets(found)


if __name__ == "__main__":
    main()
