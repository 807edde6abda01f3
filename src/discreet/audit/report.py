"""What an audit found, and how it says so."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.exact import down, plain, up
from discreet.guarantees import Pure, Range
from discreet.sensitivity import Neighbours, Sensitivity


@dataclass(frozen=True, slots=True)
class Worst:
    """The pair of neighbours, and the outcome, where the odds change most. All invented: no one's data.

    >>> print(Worst(("a",), ("a", "b"), 1))
    {a} against {a, b}, outcome 1
    """

    dataset: tuple[Any, ...]
    neighbour: tuple[Any, ...]
    outcome: Any

    def __str__(self) -> str:
        return f"{_people(self.dataset)} against {_people(self.neighbour)}, outcome {self.outcome}"


@dataclass(frozen=True, slots=True)
class Audit:
    """The largest privacy loss over a small world, between two exact fractions, beside what was promised.

    ``low`` and ``high`` enclose the largest |ln P/Q|; ``spread_low`` and ``spread_high`` the most that ln P/Q varies
    over the outcomes of one pair. ``step`` and ``gap`` are the most that a score, and a difference of two, moved.

    >>> from fractions import Fraction
    >>> from discreet.audit import audit
    >>> from discreet.mechanisms import Exponential
    >>> from discreet.scores.size import Votes
    >>> found = audit(Votes(["a", "b"]), ["a", "b"], 2, mechanism=Exponential(Fraction(1)))
    >>> found.holds, found.refuted, found.tightness
    (True, False, Fraction(1, 1))
    """

    mechanism: str
    neighbours: Neighbours
    datasets: int
    pairs: int
    promise: Pure | Range
    stated: Sensitivity | None
    low: Fraction
    high: Fraction
    spread_low: Fraction
    spread_high: Fraction
    step: Fraction
    gap: Fraction
    worst: Worst

    @property
    def holds(self) -> bool:
        """Whether the promise is certainly kept on every pair."""
        loss = self.high <= self.promise.epsilon
        return loss and (isinstance(self.promise, Pure) or self.spread_high <= self.promise.epsilon)

    @property
    def refuted(self) -> bool:
        """Whether some pair certainly breaks the promise."""
        loss = self.low > self.promise.epsilon
        return loss or (isinstance(self.promise, Range) and self.spread_low > self.promise.epsilon)

    @property
    def tightness(self) -> Fraction:
        """Which part of the promised epsilon the worst pair uses up, rounded down; above 1 the promise is broken."""
        return self._found()[0] / self.promise.epsilon

    @property
    def moved_too_far(self) -> bool:
        """Whether scores moved further than their stated sensitivity allows."""
        return self.stated is not None and (self.step > self.stated.step or self.gap > self.stated.gap)

    def __str__(self) -> str:
        lines = [
            f"{self.mechanism}: {self.pairs} pairs of neighbours ({self.neighbours}) among {self.datasets} datasets",
            f"  promised  {self.promise}",
            f"  found     {self._finding()}",
            f"  worst     {self.worst}",
            f"  scores    one moved by {self._moved('step')}, a difference of two by {self._moved('gap')}",
            f"  verdict   {self._verdict()}",
        ]
        return "\n".join(lines)

    def _found(self) -> tuple[Fraction, Fraction]:
        return (self.low, self.high) if isinstance(self.promise, Pure) else (self.spread_low, self.spread_high)

    def _finding(self) -> str:
        low, high = self._found()
        what = "the log of the odds moves by" if isinstance(self.promise, Pure) else "the log of the odds varies by"
        share = f"{float(100 * self.tightness):.1f} % of the promise"
        return f"{what} {down(low):.6g} at least and {up(high):.6g} at most: {share}"

    def _moved(self, what: str) -> str:
        seen = plain(getattr(self, what))
        return seen if self.stated is None else f"{seen} (stated {plain(getattr(self.stated, what))})"

    def _verdict(self) -> str:
        cause = "; the scores move further than stated" if self.moved_too_far else ""
        if self.refuted:
            return f"REFUTED: the promise is certainly broken{cause}"
        said = "holds on all of these pairs" if self.holds else "undecided: closer than the arithmetic can tell"
        return said + cause


def _people(dataset: tuple[Any, ...]) -> str:
    return "{" + ", ".join(map(str, dataset)) + "}"
