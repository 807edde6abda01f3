"""What we set out to reach on two shared cores, and whether we did."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmarks.measure import TOP, Figures, Row
from benchmarks.ours import DTYPES, MECHANISMS


@dataclass(frozen=True, slots=True)
class Target:
    """One promise to ourselves: a measured figure, and the bound it should keep."""

    what: str
    bound: float
    measured: float
    unit: str = "x"
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the figure keeps its bound."""
        return self.measured >= self.bound if self.at_least else self.measured <= self.bound

    def cells(self) -> tuple[str, ...]:
        """Return the row of the table."""
        wanted = f"at {'least' if self.at_least else 'most'} {self.bound:g} {self.unit}"
        return self.what, wanted, f"{self.measured:.3g} {self.unit}", "met" if self.met else "MISSED"


def of_rows(rows: Iterable[Row]) -> Iterator[Target]:
    """Judge the grid: the worst of both mechanisms and both dtypes counts."""
    for row in rows:
        if row.size >= 10**7 and row.shape in {"typical", "all-hot"} and row.times:
            bound = 2 if row.shape == "typical" else 5
            yield Target(f"ours / one pass, {row.shape}, n = {row.size:.0e}, worst column", bound, _worst_pass(row))
        if row.size == 10**6:
            yield from _against_opendp(row)


def of_figures(figures: Figures) -> Iterator[Target]:
    """Judge the single figures: what is not a ratio by its quickest round, since a shared machine only ever adds."""
    yield Target("a drawn index from a column, n = 5", 20, figures.small["draw"].least * 1e6, "us")
    yield Target("a whole select from a list, n = 5", 50, figures.small["select"].least * 1e6, "us")
    for size, timing in figures.prepared.items():
        yield Target(f"a prepared draw, n = {size:,}", 100, timing.least * 1e9, "ns")
    for rate, timing in figures.top.items():
        yield Target(f"top-{TOP} of {figures.top_size:.0e} counts / one select, {rate}", 2, timing.median)
    for statement, ratio in figures.start.items():
        yield Target(f"{statement} / import numpy, best of each", 2, ratio)


def _worst_pass(row: Row) -> float:
    tasks = [(f"{mechanism} {dtype}", f"pass {dtype}") for mechanism in MECHANISMS for dtype in DTYPES]
    return max(ratio.median for pair in tasks if (ratio := row.ratio(*pair)))


def _against_opendp(row: Row) -> Iterator[Target]:
    theirs = [row.times[name] for name in (f"opendp {mechanism}" for mechanism in MECHANISMS) if name in row.times]
    if theirs:
        fastest = min(timing.median for timing in theirs)
        slowest = max(row.times[f"{mechanism} int64"].median for mechanism in MECHANISMS)
        what = f"OpenDP's fastest / our slowest, {row.shape}, n = {row.size:.0e}"
        yield Target(what, 300, fastest / slowest, at_least=True)
