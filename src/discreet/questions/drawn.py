"""Questions whose answers are no candidates of a list: drawn from a domain, or among items that nobody listed."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

from discreet.domains import ApproximateQuantiles, JointQuantiles
from discreet.engines.ask import Tally
from discreet.errors import SettingError
from discreet.guarantees import Guarantee
from discreet.mechanisms.base import spendable
from discreet.mechanisms.limited_domain import LimitedDomain
from discreet.sampling.coins import Coins
from discreet.selection.plan import Settings
from discreet.selection.result import Drawing, Selection
from discreet.sensitivity import Neighbours, Sensitivity

if TYPE_CHECKING:
    from discreet.questions.base import Question
    from discreet.utility import Forecast

HUGE = 1000
"""Bits of a number of outcomes beyond which no float can tell of an error."""


def unchosen(words: Settings, reason: str) -> None:
    """Refuse the choice of a mechanism where there is none.

    >>> unchosen({"noise": "laplace"}, "names are drawn without noise")
    Traceback (most recent call last):
    discreet.errors.SettingError: noise: wanted none: names are drawn without noise, got 'laplace'
    """
    if words.get("mechanism") not in {None, "auto", "exponential"}:
        raise SettingError.of("mechanism", f"none: {reason}", words.get("mechanism"))
    if words.get("noise") is not None:
        raise SettingError.of("noise", f"none: {reason}", words.get("noise"))


@dataclass(frozen=True, slots=True)
class FromDomain:
    """Several quantiles: what is drawn, at which rate, and what it promises. Under add-remove groups share nobody.

    >>> from discreet.guarantees import Pure
    >>> FromDomain.of(JointQuantiles((0, 9), qs=["1/4", "3/4"]), Pure(1), "replace").guarantee
    Range(epsilon=Fraction(1, 1))
    """

    domain: JointQuantiles | ApproximateQuantiles
    mechanism: Drawing
    sensitivity: Sensitivity
    guarantee: Guarantee
    tick: Fraction = Fraction(1)

    @classmethod
    def of(cls, domain: JointQuantiles | ApproximateQuantiles, goal: Guarantee, neighbours: Neighbours) -> "FromDomain":
        """Take the largest rate that gives the goal."""
        rate = spendable(domain.calibrate(goal, neighbours), goal)
        gap = domain.gap(neighbours)
        facts = Sensitivity.of(sensitivity=gap / 2, range=gap, neighbours=neighbours)
        joint = isinstance(domain, JointQuantiles)
        how = Drawing("the joint exponential mechanism" if joint else "the exponential mechanism by halving", rate)
        return cls(domain, how, facts, domain.promise(rate, neighbours))

    def forecast(self, question: "Question") -> "Forecast | None":
        """Return what is known of the error of a joint draw: people misplaced by all answers together.

        The fine grid is counted, on which values are moved within their cells: 22 nats for each quantile. That is what
        a tie of 2**32 people can cost. Where k people share a cell whose edge is next to the quantile, the fine places
        near it are one in k of the cell, while a cell beyond the edge counts whole. Nobody says in public how large k
        is, so no bound that holds whatever the data can do without.
        """
        from discreet.utility import Forecast  # noqa: PLC0415 - only plans ask

        del question
        if not isinstance(self.domain, JointQuantiles):
            return None
        fine = self.domain.points.size << 32  # values are moved within their cells, by so many bits at most
        outcomes = comb(fine + len(self.domain.qs) - 1, len(self.domain.qs))
        if outcomes.bit_length() > HUGE:
            return None
        return Forecast.of(outcomes, rate=self.mechanism.rate, mechanism="exponential", noise=None)

    def shared_by(self, question: "Question") -> int:
        """Return how many draws share a chance of being wrong: one for each group."""
        return max(1, len(question.groups))

    def needed(self, question: "Question", error: Fraction) -> float | None:
        """Return the smallest epsilon whose error bound is the one wished for: bounds fall as one over the rate."""
        known = self.forecast(question)
        bound = math.inf if known is None else known.error_bound(Fraction(1, 20) / self.shared_by(question))
        if not math.isfinite(bound):
            return None
        return float(self.mechanism.rate * self.sensitivity.gap) * bound / float(error)

    def drawn(self, question: "Question", tally: Tally, flips: Coins) -> list[list[Any]]:
        """Draw all quantiles of each group; return their places on the grid."""
        del question
        found: list[list[Any]] = []
        for row in tally:
            fitted = self.domain.score_places(row.places, row.people, self.sensitivity.neighbours)
            found.append([self.domain.points.index(one) for one in fitted.law(self.mechanism.rate).draw(flips)])
        return found

    def selection(self, question: "Question", places: list[Any]) -> Selection:
        """Return what was drawn for one group, as it may be shown."""
        del question
        points: tuple[int, ...] = tuple(places)
        winners = tuple(self.domain.points[place] for place in points)
        size = len(self.domain.points)
        return Selection(
            winners, tuple(places), self.mechanism, self.guarantee, self.sensitivity.neighbours, size, self.tick
        )

    def likeliest(self, question: "Question", tally: Tally) -> tuple[tuple[Hashable, float], ...]:
        """Return nothing: several numbers have too many answers to list."""
        del question, tally
        return ()


class Unforeseen:
    """A way whose error depends on the data, so that nothing is said of it before; for no groups.

    >>> Unforeseen.__slots__
    ()
    """

    __slots__ = ()

    def forecast(self, question: "Question") -> "Forecast | None":
        """Return None: no bound holds for all data."""
        del question
        return None

    def shared_by(self, question: "Question") -> int:
        """Return one: there are no groups."""
        del question
        return 1

    def needed(self, question: "Question", error: Fraction) -> float | None:
        """Return None, as for the forecast."""
        del question, error
        return None

    def likeliest(self, question: "Question", tally: Tally) -> tuple[tuple[Hashable, float], ...]:
        """Return nothing: the chances of answers are not listed."""
        del question, tally
        return ()


@dataclass(frozen=True, slots=True)
class Unnamed(Unforeseen):
    """The best few of items that nobody listed: drawn until the stop symbol, or until there are enough.

    >>> from discreet.guarantees import Approx
    >>> Unnamed.of(Approx(1, "1e-6"), 5, at_most=1, neighbours="add-remove").mechanism.name
    'peeling with a stop symbol'
    """

    plan: LimitedDomain
    mechanism: Drawing
    sensitivity: Sensitivity
    guarantee: Guarantee
    tick: Fraction = Fraction(1)

    @classmethod
    def of(cls, goal: Guarantee, count: int, *, at_most: int, neighbours: Neighbours) -> "Unnamed":
        """Take the largest rate that gives the goal."""
        plan = LimitedDomain.calibrate(goal, count, at_most=at_most, neighbours=neighbours)
        facts = Sensitivity.of(sensitivity=1, range=plan.gap, neighbours=neighbours)
        return cls(plan, Drawing("peeling with a stop symbol", plan.rate), facts, plan.promise())

    def drawn(self, question: "Question", tally: Tally, flips: Coins) -> list[list[Any]]:
        """Draw; return the items themselves."""
        del question
        (seen,) = tally
        counts = dict(zip(seen.items, seen.people, strict=True))
        return [list(self.plan.read_counts(counts).law(self.plan.draws).draw(flips).items)]

    def selection(self, question: "Question", places: list[Any]) -> Selection:
        """Return what was found, as it may be shown."""
        del question
        relation = self.sensitivity.neighbours
        return Selection(tuple(places), (), self.mechanism, self.guarantee, relation, self.plan.depth, self.tick)
