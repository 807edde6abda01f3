"""Local reports, side by side: ``python -m benchmarks.local [--quick]``. Textbook loops draw from floats: not exact."""

import argparse
import math
import random
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import Task, Timing, side_by_side
from discreet.local import Kary, Subset, Survey, Unary

SIZE, EPSILON = 32, 1.0
MECHANISMS = ("response", "symmetric", "asymmetric", "subset")
FEW = 200
"""People in one round of the tasks that make one report at a time."""


def textbook_numpy(survey: Survey, people: Any) -> Task:
    """Return the vectorised textbook: doubles compared with p and q, sets from sorted random keys."""
    draw, channel, (p, q) = np.random.default_rng(), survey.channel, chances(survey)

    def response() -> Any:
        shifts = draw.integers(1, SIZE, len(people))
        return np.where(draw.random(len(people)) < p, people, (people + shifts) % SIZE)

    def unary() -> Any:
        bits = draw.random((len(people), SIZE)) < q
        bits[np.arange(len(people)), people] = draw.random(len(people)) < p
        return np.packbits(bits, axis=1)

    def subset() -> Any:
        keys, rows = draw.random((len(people), SIZE)), np.arange(len(people))
        keys[rows, people] = np.where(draw.random(len(people)) < p, -1, 2)
        chosen = np.argpartition(keys, names(survey) - 1, axis=1)[:, : names(survey)]
        bits = np.zeros(keys.shape, dtype=bool)
        bits[rows[:, None], chosen] = True
        return np.packbits(bits, axis=1)

    return response if isinstance(channel, Kary) else unary if isinstance(channel, Unary) else subset


def textbook_python(survey: Survey, people: Any) -> Task:
    """Return the textbook loop: one person after the other, with the standard library's floats."""
    channel, (p, q), uniform = survey.channel, chances(survey), random.random

    def response(own: int) -> Any:
        return own if uniform() < p else (own + random.randrange(1, SIZE)) % SIZE  # noqa: S311 - the textbook

    def unary(own: int) -> Any:
        return [uniform() < (p if place == own else q) for place in range(SIZE)]

    def subset(own: int) -> Any:
        others = [place for place in range(SIZE) if place != own]
        inside = uniform() < p
        return [own] * inside + random.sample(others, names(survey) - inside)

    once = response if isinstance(channel, Kary) else unary if isinstance(channel, Unary) else subset
    return lambda: [once(own) for own in people]


def chances(survey: Survey) -> tuple[float, float]:
    """Return p and q in floats, by the textbook formulas."""
    grown = math.exp(EPSILON)
    match survey.channel:
        case Kary():
            return grown / (grown + SIZE - 1), 1 / (grown + SIZE - 1)
        case Unary(kind="symmetric"):
            return math.sqrt(grown) / (1 + math.sqrt(grown)), 1 / (1 + math.sqrt(grown))
        case Unary():
            return 0.5, 1 / (1 + grown)
        case _:
            w = names(survey)
            return w * grown / (w * grown + SIZE - w), 0.0


def names(survey: Survey) -> int:
    """Return how many candidates a subset names."""
    assert isinstance(survey.channel, Subset)
    return survey.channel.names


def tasks(survey: Survey, people: Any) -> dict[str, Task]:
    """Return ours and the textbooks', many and one by one; each is from values to reports."""
    few, reports = people[:FEW].tolist(), survey.encode_all(people)
    return {
        "all": lambda: survey.encode_all(people),
        "numpy": textbook_numpy(survey, people),
        "one": lambda: [survey.encode(own) for own in few],
        "python": textbook_python(survey, few),
        "estimate": lambda: survey.estimate(reports),
    }


def rows(count: int, rounds: int) -> Iterator[str]:
    """Measure each family, and write a row of the table."""
    people = np.arange(count) % SIZE
    for word in MECHANISMS:
        survey = Survey(range(SIZE), EPSILON, mechanism=word)  # type: ignore[arg-type]
        times = side_by_side(tasks(survey, people), rounds)
        yield " | ".join(
            (
                f"| {survey.channel}",
                f"{count / times['all'].median:,.0f}",
                ratio(times["numpy"].over(times["all"])),
                f"{FEW / times['one'].median:,.0f}",
                ratio(times["python"].over(times["one"])),
                ratio(scaled(times["python"], count / FEW).over(times["all"])),
                f"{count / times['estimate'].median:,.0f} |",
            )
        )


def scaled(timing: Timing, factor: float) -> Timing:
    """Return the time of so many times the work."""
    return Timing(tuple(factor * seconds for seconds in timing.rounds))


def ratio(timing: Timing) -> str:
    """Write the median and the middle half."""
    low, high = timing.quartiles()
    return f"{timing.median:.2f} ({low:.2f} to {high:.2f})"


def report(count: int, rounds: int) -> str:
    """Return the table."""
    method = (
        "Figures are medians of rounds in which all tasks take turns in one process; brackets hold the middle half of "
        "the ratios. The textbooks compare doubles with p and q, so no epsilon is proved for them; ours are exact, "
        "with bits from the operating system. *All at once* is from an array of values to an array of reports, "
        "*one by one* from a value to the text that leaves a device, *read* from an array of reports to shares."
    )
    head = (
        "| family | reports a second, all at once | NumPy textbook / ours | reports a second, one by one "
        "| Python textbook / ours one by one | Python textbook / ours all at once | read a second |"
    )
    people = (
        f"{count:,} people, {SIZE} candidates, epsilon {EPSILON:g}, {rounds} rounds. A ratio above 1: ours is faster."
    )
    rule = "| --- | --- | --- | --- | --- | --- | --- |"
    return (
        "\n".join(
            ["# Local reports", "", people, "", *textwrap.wrap(method, 120), "", head, rule, *rows(count, rounds)]
        )
        + "\n"
    )


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.local", description="Local reports, side by side.")
    parser.add_argument("--quick", action="store_true", help="few people and rounds: only to see that it runs")
    parser.add_argument("--people", type=lambda text: int(float(text)), default=10**6)
    parser.add_argument("--output", type=Path, help="the Markdown file (default: benchmarks/local.md; none if quick)")
    options = parser.parse_args()
    if options.output is None and not options.quick:
        options.output = Path(__file__).with_name("local.md")
    text = report(10_000, 3) if options.quick else report(options.people, 9)
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
