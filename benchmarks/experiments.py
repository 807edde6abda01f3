"""Known answers from real files: ``python -m benchmarks.experiments adult|approval FILE``.

*adult* repeats a course experiment on the census extract of the UCI repository: the scores are the counts of marital
status over 1000, the weights exp(score / 2), and 200 winners are drawn. *approval* asks each polling station of the
French field experiment of 2002 for its leader. Each compares what was drawn, through ``discreet.open`` and ``ask``,
with the exact law worked out here from the file alone: each count must lie in a band, and a right sampler leaves any of
them with chance below 1e-6.
"""

import argparse
import csv
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb
from pathlib import Path
from typing import NamedTuple

from flint import arb, ctx

import discreet
from discreet.guarantees import Range

ALARM = Fraction(1, 10**6)
COURSE = {"Married-civ-spouse": 174, "Never-married": 25, "Divorced": 1}
"""What the course text drew."""
STATUSES = (*COURSE, "Separated", "Widowed", "Married-spouse-absent", "Married-AF-spouse")
STATIONS = ("GylesNonains", "Orsay1", "Orsay5", "Orsay6", "Orsay7", "Orsay12")
NAMES = (
    "Bayrou",
    "Besancenot",
    "Boutin",
    "Chevenement",
    "Chirac",
    "Gluckstein",
    "Hue",
    "Jospin",
    "Laguiller",
    "LePen",
    "Lepage",
    "Madelin",
    "Mamere",
    "Megret",
    "Saint-Josse",
    "Taubira",
)


class Line(NamedTuple):
    """One line of the result: who, how likely, how often, and the band for that."""

    group: str
    answer: str
    chance: float
    seen: int
    low: int
    high: int

    @property
    def inside(self) -> bool:
        """Whether what was seen lies in the band."""
        return self.low <= self.seen <= self.high


def adult(path: str, draws: int) -> list[Line]:
    """Draw marital statuses: exp(count / 1000 / 2) is the exponential mechanism of range 1/2000 at a gap of 1."""
    table = discreet.open(path, unit="person")
    question = discreet.Winner("marital_status", STATUSES)
    promise = Range(Fraction(1, 2000))
    drawn = Counter(str(table.ask(question, guarantee=promise, mechanism="exponential").winner) for _ in range(draws))
    with Path(path).open(encoding="utf-8", newline="") as file:
        counts = Counter(row["marital_status"] for row in csv.DictReader(file))
    law = softmax({status: Fraction(counts[status], 2000) for status in STATUSES})
    lines = banded("all", law, drawn, draws, cells=len(STATUSES))
    print("The course's own 200 draws:", verdict(banded("course", law, Counter(COURSE), 200, cells=len(STATUSES))))
    return lines


def approval(path: str, draws: int) -> list[Line]:
    """Ask all stations at once, at epsilon 1/20 by the exponential mechanism."""
    table = discreet.open(path, unit="voter")
    question = discreet.Approval("candidate", NAMES, by="station", groups=STATIONS)
    promise = Range(Fraction(1, 20))
    drawn: dict[str, Counter[str]] = {station: Counter() for station in STATIONS}
    for _ in range(draws):
        answer = table.ask(question, guarantee=promise, mechanism="exponential")
        for station, found in answer.groups.items():
            drawn[str(station)][str(found.winner)] += 1
    with Path(path).open(encoding="utf-8", newline="") as file:
        counts = Counter((row["station"], row["candidate"]) for row in csv.DictReader(file))
    lines: list[Line] = []
    for station in STATIONS:
        law = softmax({name: Fraction(counts[station, name], 20) for name in NAMES})
        lines += banded(station, law, drawn[station], draws, cells=len(STATIONS) * len(NAMES))
    return lines


EXPERIMENTS: Mapping[str, Callable[[str, int], list[Line]]] = {"adult": adult, "approval": approval}


def softmax(exponents: Mapping[str, Fraction]) -> dict[str, arb]:
    """Return exp(x) over their sum for each, in balls of 200 bits.

    >>> round(float(softmax({"a": Fraction(0), "b": Fraction(0)})["a"]), 3)
    0.5
    """
    with ctx.workprec(200):
        weights = {name: (arb(x.numerator) / x.denominator).exp() for name, x in exponents.items()}
        total = sum(weights.values(), arb(0))
        return {name: weight / total for name, weight in weights.items()}


def banded(group: str, law: Mapping[str, arb], seen: Mapping[str, int], draws: int, cells: int) -> list[Line]:
    """Return a line for each answer; the tails of a binomial outside its band are exact, and share the alarm.

    >>> banded("", {"a": arb(1) / 2}, {"a": 9}, 20, cells=1)[0].low
    0
    """
    each = ALARM / (2 * cells)
    return [
        Line(group, name, float(chance), seen.get(name, 0), *band(chance, draws, each)) for name, chance in law.items()
    ]


def band(chance: arb, draws: int, tail: Fraction) -> tuple[int, int]:
    """Return the least and greatest count whose own tail is not below ``tail``.

    >>> band(arb(1) / 2, 4, Fraction(1, 10))
    (1, 3)
    """
    masses = [arb(comb(draws, count)) * chance**count * (1 - chance) ** (draws - count) for count in range(draws + 1)]
    least = arb(tail.numerator) / tail.denominator
    low = sum(below < least for below in accumulate(masses))
    high = draws - sum(above < least for above in accumulate(reversed(masses)))
    return low, high


def verdict(lines: Sequence[Line]) -> str:
    """Say whether all lie in their bands.

    >>> verdict([Line("", "a", 0.5, 9, 0, 20)])
    '1 of 1 inside'
    """
    return f"{sum(line.inside for line in lines)} of {len(lines)} inside"


def main() -> None:
    """Run the command line; fail where a count lies outside its band."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.experiments", description="Known answers from real files."
    )
    parser.add_argument("experiment", choices=EXPERIMENTS)
    parser.add_argument("file")
    parser.add_argument("--draws", type=int, default=200)
    options = parser.parse_args()
    lines = EXPERIMENTS[options.experiment](options.file, options.draws)
    print(f"| group | answer | chance | drawn of {options.draws} | band at 1 - 1e-6 |\n| --- | --- | --- | --- | --- |")
    for line in lines:
        if line.seen or line.chance * options.draws >= 1:
            print(f"| {line.group} | {line.answer} | {line.chance:.4f} | {line.seen} | {line.low} to {line.high} |")
    print(verdict(lines))
    assert all(line.inside for line in lines)


if __name__ == "__main__":
    main()
