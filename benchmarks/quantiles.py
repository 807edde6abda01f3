"""Quantiles against peers: how long, and how far off at equal epsilon: ``python -m benchmarks.quantiles [--quick]``.

Writes ``docs/pictures/rank-errors.svg`` and prints two tables. A rank error is how many people lie between the answer
and the nearest true quantile; inside a run of equal values it is 0.
"""

import argparse
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

import discreet
from benchmarks.timing import side_by_side
from discreet.domains import JointQuantiles
from discreet.scores.line import Line

Floats: TypeAlias = NDArray[np.float64]
Answer: TypeAlias = Callable[[Floats, float], float]

CANDIDATES = 2001
"""Of OpenDP, which scores a list: spread evenly over the bounds, or all points of a smaller grid."""
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "rank-errors.svg"


def main() -> None:
    """Measure both and print them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quantiles", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds: only to see that it runs")
    quick = parser.parse_args().quick
    print(times(10**5 if quick else 10**6, rounds=2 if quick else 9))
    found = errors(draws=5 if quick else 200)
    print(table(found))
    if not quick:
        draw(found)


def wages(n: int, source: np.random.Generator) -> Floats:
    """Return invented wages: in cents, long-tailed, no two alike."""
    return np.asarray(np.round(source.lognormal(10, 0.7, n), 2))


def tied(n: int, source: np.random.Generator) -> Floats:
    """Return invented wages of which nine in ten are the same."""
    found = wages(n, source)
    found[: 9 * n // 10] = 24_000.0
    return found


def whole(n: int, source: np.random.Generator) -> Floats:
    """Return invented ages."""
    return source.integers(18, 90, n).astype(np.float64)


class Kind(NamedTuple):
    """Data to be invented, and what is public of it: bounds and step."""

    make: Callable[[int, np.random.Generator], Floats]
    bounds: tuple[int, int]
    step: str


WAGES = Kind(wages, (0, 200_000), "0.01")
DATA = {
    "wages in cents": WAGES,
    "nine in ten tied": Kind(tied, (0, 200_000), "0.01"),
    "ages, many tied": Kind(whole, (0, 120), "1"),
}


def ours(mechanism: str, kind: Kind) -> Answer:
    """Return our median on the grid."""
    line = Line(kind.bounds, kind.step)
    return lambda data, epsilon: float(
        str(discreet.select(line.score(data), epsilon=epsilon, mechanism=mechanism).winner)
    )


def opendp(kind: Kind) -> Answer:
    """Return OpenDP's median: permute-and-flip among a list of candidates."""
    dp: Any = importlib.import_module("opendp.prelude")
    dp.enable_features("contrib")
    low, high = kind.bounds
    candidates = np.linspace(low, high, min(CANDIDATES, len(Line(kind.bounds, kind.step).points)))
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    scored = dp.t.make_quantile_score_candidates(*space, candidates.tolist(), 0.5)

    def answer(data: Floats, epsilon: float) -> float:
        noisy = dp.m.make_noisy_max(
            scored.output_domain, scored.output_metric, dp.max_divergence(), scale=2 / epsilon, negate=True
        )
        return float(candidates[(scored >> noisy)(data)])

    return answer


def diffprivlib(kind: Kind) -> Answer:
    """Return diffprivlib's median."""
    tools: Any = importlib.import_module("diffprivlib.tools")
    return lambda data, epsilon: float(tools.quantile(data, 0.5, epsilon=epsilon, bounds=kind.bounds))


ANSWERS: dict[str, Callable[[Kind], Answer]] = {
    "discreet": lambda kind: ours("permute-and-flip", kind),
    "discreet, exponential": lambda kind: ours("exponential", kind),
    "OpenDP, up to 2001 candidates": opendp,
    "diffprivlib": diffprivlib,
}


def times(n: int, rounds: int) -> str:
    """Time medians of n wages beside one sort of them, and nine deciles in one draw."""
    data = wages(n, np.random.default_rng())
    deciles = JointQuantiles(WAGES.bounds, WAGES.step, [f"0.{tenth}" for tenth in range(1, 10)])
    part = data[: n // 10]
    tasks: dict[str, Any] = {"one sort": lambda: np.sort(data)}
    for name, make in ANSWERS.items():
        answer = make(WAGES)
        tasks[name] = lambda answer=answer: answer(data, 1.0)
    tasks[f"nine deciles of {n // 10} at once"] = lambda: discreet.draw(deciles.score(part), epsilon=1)
    found = side_by_side(tasks, rounds)
    lines = [f"The median of {n} numbers, in multiples of one sort:", "", "| what | times a sort | middle half |"]
    lines.append("| --- | --- | --- |")
    ratios = {name: timing.over(found["one sort"]) for name, timing in found.items()}
    spread = {name: " to ".join(f"{end:.2f}" for end in one.quartiles()) for name, one in ratios.items()}
    lines += [f"| {name} | {one.median:.2f} | {spread[name]} |" for name, one in ratios.items()]
    return "\n".join(lines) + "\n"


def errors(draws: int, n: int = 1000) -> dict[tuple[str, float, str], float]:
    """Return the mean rank error of each answer, on each kind of data, at each epsilon."""
    found: dict[tuple[str, float, str], float] = {}
    for kind, facts in DATA.items():
        data = facts.make(n, np.random.default_rng())
        made = {name: make(facts) for name, make in ANSWERS.items()}
        for epsilon in (0.1, 1.0):
            for name, answer in made.items():
                missed = [rank_error(data, answer(data, epsilon)) for _ in range(draws)]
                found[kind, epsilon, name] = float(np.mean(missed))
    return found


def rank_error(data: Floats, answer: float) -> float:
    """Return how many people lie between an answer and the median.

    >>> rank_error(np.array([1.0, 2.0, 3.0]), 3.0), rank_error(np.array([1.0, 2.0, 2.0]), 2.0)
    (0.5, 0.0)
    """
    half = len(data) / 2
    return max(0.0, float((data < answer).sum()) - half, float((data > answer).sum()) - half)


def table(found: dict[tuple[str, float, str], float]) -> str:
    """Write the errors as a table."""
    cases = list(dict.fromkeys((kind, epsilon) for kind, epsilon, _ in found))
    lines = ["| mean rank error of 1000 people | " + " | ".join(f"{kind}, epsilon {e:g}" for kind, e in cases) + " |"]
    lines.append("| --- " * (len(cases) + 1) + "|")
    for name in ANSWERS:
        cells = [f"{found[kind, e, name]:.1f}" for kind, e in cases]
        lines += [f"| {name} | {' | '.join(cells)} |"]
    return "\n".join(lines) + "\n"


def draw(found: dict[tuple[str, float, str], float]) -> None:
    """Draw the errors: one panel a kind of data, one mark an answer."""
    plots: Any = importlib.import_module("matplotlib.figure")
    figure = plots.Figure(figsize=(9, 4.2), layout="constrained")
    marks, colours = "osD^", ("#0072b2", "#56b4e9", "#d55e00", "#666666")
    for panel, kind in enumerate(DATA, start=1):
        axes = figure.add_subplot(1, 3, panel)
        for place, name in enumerate(ANSWERS):
            values = [max(found[kind, epsilon, name], 0.1) for epsilon in (0.1, 1.0)]
            axes.plot(
                np.array([0, 1]) + (place - 1.5) / 20,
                values,
                marks[place] + "-",
                color=colours[place],
                label=name,
                markersize=7,
            )
        axes.set_yscale("log")
        axes.set_ylim(0.08, 700)
        axes.set_xlim(-0.3, 1.3)
        axes.set_xticks([0, 1], ["0.1", "1"])
        axes.set_xlabel("epsilon")
        axes.set_title(kind, fontsize=11)
        axes.grid(visible=True, axis="y", color="#e5e5e5")
        axes.set_axisbelow(True)
        if panel == 1:
            axes.set_ylabel("mean rank error of 1000 people")
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncol=4, frameon=False)
    figure.suptitle("How far a private median is off, at equal epsilon", fontsize=13)
    figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
