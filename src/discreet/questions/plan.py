"""A plan: what a question would cost and how wrong it may be. It reads nothing and spends nothing."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.exact import Number, chance, plain, positive
from discreet.guarantees import Guarantee, to_dict
from discreet.questions.answer import points, protected
from discreet.questions.base import Question, written
from discreet.questions.settle import Way
from discreet.selection.result import describe
from discreet.sensitivity import Neighbours


@dataclass(frozen=True, slots=True)
class Plan:
    """What a question would cost, what would be left, and how far from the best the answer may be.

    >>> import polars, discreet
    >>> table = discreet.open(polars.DataFrame({"trip": ["zoo"]}))
    >>> print(table.plan(discreet.Winner("trip", among=["zoo", "lake"]), epsilon=1, error=5))
    Which trip do most people name, of zoo, lake?
      costs     1-differential privacy (one row more or less), by permute-and-flip
      moves     one row moves a score by at most 1, and a difference of two by at most 1
      error     at most 2.3 rows below the best with 95 % chance, 0.18 on average, whatever the data
      needed    epsilon 0.4605 for an error of at most 5 with 95 % chance
    """

    question: Question
    settled: Way
    neighbours: Neighbours
    unit: str
    remaining: str | None = None
    """What is left of the budget, if there is a ledger."""
    admitted: bool | None = None
    """Whether the budget has room for this, if there is a ledger."""
    error: Fraction | None = None
    """The error wished for."""
    rehearsal: tuple[tuple[Hashable, float], ...] = ()
    """The likeliest answers on data named as public, and their chances."""

    @property
    def guarantee(self) -> Guarantee:
        """What would be promised."""
        return self.settled.guarantee

    @property
    def step(self) -> Fraction:
        """How far one person moves a score, in points."""
        return self.settled.sensitivity.step * self.settled.tick

    @property
    def gap(self) -> Fraction:
        """How far one person moves the difference of two scores, in points."""
        return self.settled.sensitivity.gap * self.settled.tick

    @property
    def needed(self) -> float | None:
        """The smallest epsilon whose error bound is the error wished for."""
        return None if self.error is None else self.settled.needed(self.question, self.error)

    def error_bound(self, probability: Number = "0.05") -> float:
        """Return how far below the best the answers may be: with at most this chance any of them is further.

        It holds for all winners and groups together, whatever the data. Infinite where nothing can be said in public.
        """
        known, odds = self.settled.forecast(self.question), chance(probability, "probability")
        return math.inf if known is None else known.error_bound(odds / self.settled.shared_by(self.question))

    def expected_error(self) -> float:
        """Return the greatest mean error of one round, whatever the data; in points of score."""
        known = self.settled.forecast(self.question)
        return math.inf if known is None else known.expected_error()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values."""
        bound, mean = self.error_bound(), self.expected_error()
        return {
            "question": self.question.to_dict(),
            "guarantee": to_dict(self.guarantee),
            "mechanism": describe(self.settled.mechanism),
            "neighbours": self.neighbours,
            "unit": self.unit,
            "candidates": len(self.question.candidates),
            "step": str(self.step),
            "gap": str(self.gap),
            "error_bound_95": bound if math.isfinite(bound) else None,
            "expected_error": mean if math.isfinite(mean) else None,
            "remaining": self.remaining,
            "admitted": self.admitted,
            "epsilon_needed": self.needed,
            "rehearsal": [[written(answer), odds] for answer, odds in self.rehearsal],
        }

    def __str__(self) -> str:
        who = protected(self.neighbours, self.unit)
        lines = [f"  costs     {self.guarantee} ({who}), by {describe(self.settled.mechanism)}"]
        lines += [self._moves(), self._error()]
        if self.remaining is not None:
            lines.append(f"  left      {self.remaining}" + ("" if self.admitted else "; this does not fit"))
        if self.error is not None and self.needed is not None:
            wish = f"an error of at most {plain(self.error)} with 95 % chance"
            lines.append(f"  needed    epsilon {self.needed:.4g} for {wish}")
        if self.rehearsal:
            told = ", ".join(f"{answer} ({100 * odds:.0f} %)" for answer, odds in self.rehearsal)
            lines.append(f"  rehearsed {told}")
        return "\n".join([self.question.sentence(), *lines])

    def _moves(self) -> str:
        far = f"a score by at most {plain(self.step)}, and a difference of two by at most {plain(self.gap)}"
        where = ", all groups together" if self.question.by is not None else ""
        return f"  moves     one {self.unit} moves {far}{where}"

    def _error(self) -> str:
        if not math.isfinite(self.error_bound()):
            return "  error     depends on the data: no bound holds for all of them"
        far, mean = f"{self.error_bound():.3g}", f"{self.expected_error():.2g}"
        below = f"at most {far} {points(self.question, self.unit)} below the best"
        return f"  error     {below} with 95 % chance, {mean} on average, whatever the data"


def wished(error: Number | None) -> Fraction | None:
    """Read the error wished for.

    >>> wished("0.5"), wished(None)
    (Fraction(1, 2), None)
    """
    return None if error is None else positive(error, "error")
