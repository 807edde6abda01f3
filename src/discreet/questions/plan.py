"""A plan: what a question would cost and how wrong it may be. It reads nothing and spends nothing."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from discreet.exact import Number, chance, plain, positive
from discreet.guarantees import Guarantee, to_dict
from discreet.questions.answer import protected
from discreet.questions.base import Question, written
from discreet.questions.settle import Settled
from discreet.selection.result import describe, family, forecast
from discreet.sensitivity import Neighbours
from discreet.utility import epsilon_for

if TYPE_CHECKING:
    from discreet.utility import Forecast


@dataclass(frozen=True, slots=True)
class Plan:
    """What a question would cost, what would be left, and how far from the best the answer may be.

    >>> import polars, discreet
    >>> table = discreet.open(polars.DataFrame({"trip": ["zoo"]}))
    >>> print(table.plan(discreet.Winner("trip", among=["zoo", "lake"]), epsilon=1, error=5))
    Which trip do most people name, of zoo, lake?
      costs     1-differential privacy (one row more or less), by permute-and-flip
      moves     one row moves a score by at most 1, and a difference of two by at most 1
      error     at most 2.3 people below the best with 95 % chance, 0.18 on average, whatever the data
      needed    epsilon 0.4605 for an error of at most 5 with 95 % chance
    """

    question: Question
    settled: Settled
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
        return self.settled.sensitivity.step * self.settled.nothing.tick

    @property
    def gap(self) -> Fraction:
        """How far one person moves the difference of two scores, in points."""
        return self.settled.sensitivity.gap * self.settled.nothing.tick

    @property
    def needed(self) -> float | None:
        """The smallest epsilon whose error bound is the error wished for."""
        if self.error is None:
            return None
        rounds, (kind, noise) = self.settled.rounds, family(self.settled.mechanism)
        size = len(self.question.candidates)
        odds = Fraction(1, 20) / (self.question.winners or 1)
        once = epsilon_for(size, error=self.error, probability=odds, range=self.gap, mechanism=kind, noise=noise)
        return rounds * once

    def error_bound(self, probability: Number = "0.05") -> float:
        """Return how far below the best each answer may be, exceeded with at most this chance, whatever the data."""
        return self._forecast().error_bound(chance(probability, "probability") / (self.question.winners or 1))

    def expected_error(self) -> float:
        """Return the greatest mean error of one round, whatever the data; in points of score."""
        return self._forecast().expected_error()

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
        if self.error is not None:
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
        far, mean, points = f"{self.error_bound():.3g}", f"{self.expected_error():.2g}", self.question.points
        below = f"at most {far} {points} below the best"
        return f"  error     {below} with 95 % chance, {mean} on average, whatever the data"

    def _forecast(self) -> "Forecast":
        expected = forecast(self.settled.mechanism, len(self.question.candidates), self.settled.nothing.tick)
        assert expected is not None  # noqa: S101 - for the type checkers: no question has a prior
        return expected


def wished(error: Number | None) -> Fraction | None:
    """Read the error wished for.

    >>> wished("0.5"), wished(None)
    (Fraction(1, 2), None)
    """
    return None if error is None else positive(error, "error")
