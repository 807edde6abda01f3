"""From a question and public words to a mechanism and its promise. No private number is near.

**Groups.** A person counts in one group at most. Under add-remove one person moves the scores of one group, so the
answers of all groups together promise what one of them does. Under replace a person may leave one group and join
another, or change inside one. Either is two steps of add-remove, one out and one in, and two steps double a bounded
range and a Laplace pair alike; so all groups together pay for twice the gap of add-remove.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from discreet.engines.ask import Spread, Tally, is_sparse
from discreet.errors import SettingError
from discreet.guarantees import Guarantee
from discreet.mechanisms import Peel
from discreet.questions.base import Question
from discreet.questions.drawn import FromDomain, Unnamed
from discreet.questions.unbounded import Unbounded
from discreet.sampling.coins import Coins
from discreet.scores.base import Scores
from discreet.selection import law
from discreet.selection.entries import read
from discreet.selection.plan import Chosen, Settings, plan, under
from discreet.selection.result import Selection, family, forecast
from discreet.sensitivity import Neighbours, Sensitivity
from discreet.utility import epsilon_for

if TYPE_CHECKING:
    from discreet.utility import Forecast

NAMES = ("epsilon", "rho", "guarantee", "mechanism", "noise")
"""The words of ``select`` that a question leaves open."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What will be done: the mechanism of each group, how far scores move, and what all answers together promise.

    >>> from discreet.questions import Winner
    >>> print(settle(Winner("trip", among=["zoo", "lake"]), "add-remove", {"epsilon": 1}).guarantee)
    1-differential privacy
    """

    mechanism: Chosen
    sensitivity: Sensitivity
    guarantee: Guarantee
    nothing: Scores
    """The scores of an empty table, which are public."""

    @property
    def rounds(self) -> int:
        """How many draws there are for each group."""
        return self.mechanism.count if isinstance(self.mechanism, Peel) else 1

    @property
    def tick(self) -> Fraction:
        """What one stored unit of score is, in points."""
        return self.nothing.tick

    def forecast(self, question: Question) -> "Forecast | None":
        """Return what is known of the error of one round, in public."""
        return forecast(self.mechanism, len(question.candidates), self.tick)

    def shared_by(self, question: Question) -> int:
        """Return how many draws share a chance of being wrong: one for each winner of each group."""
        return (question.winners or 1) * max(1, len(question.groups))

    def needed(self, question: Question, error: Fraction) -> float | None:
        """Return the smallest epsilon whose error bound is the one wished for."""
        kind, noise = family(self.mechanism)
        odds, gap = Fraction(1, 20) / self.shared_by(question), self.sensitivity.gap * self.tick
        size = len(question.candidates)
        once = epsilon_for(size, error=error, probability=odds, range=gap, mechanism=kind, noise=noise)
        return self.rounds * once

    def drawn(self, question: Question, tally: Tally, flips: Coins) -> list[list[Any]]:
        """Flip the coins of every group, in the public order of groups; return the places of the winners of each.

        >>> from discreet.questions import Winner
        >>> from discreet.sampling.coins import SystemCoins
        >>> question = Winner("trip", among=["zoo", "lake"])
        >>> settle(question, "add-remove", {"epsilon": 1}).drawn(question, np.array([[3, 900]]), SystemCoins())
        [[1]]
        """
        columns = [read(score(question, row, self.sensitivity.neighbours)).column for row in tally]
        if not isinstance(self.mechanism, Peel):
            return [[self.mechanism.draw(column, flips)] for column in columns]
        first = [list(self.mechanism.draw(column, flips)) for column in columns]
        if question.winners == len(question.candidates) > self.rounds:  # who is left is last
            first = [[*places, *({*range(len(question.candidates))} - {*places})] for places in first]
        return first

    def selection(self, question: Question, places: list[Any]) -> Selection:
        """Return what was drawn for one group, as it may be shown."""
        return Selection(
            winners=tuple(question.candidates[place] for place in places),
            indices=tuple(places),
            mechanism=self.mechanism,
            guarantee=self.guarantee,
            neighbours=self.sensitivity.neighbours,
            candidates=len(question.candidates),
            tick=self.tick,
        )

    def likeliest(self, question: Question, tally: Tally) -> tuple[tuple[Hashable, float], ...]:
        """Return all answers with their chances, the likeliest first: of the first winner, in the first group."""
        scores = score(question, tally[0], self.sensitivity.neighbours)
        kind, noise = family(self.mechanism)
        once = self.mechanism.round if isinstance(self.mechanism, Peel) else self.mechanism
        chances = law(scores, guarantee=once.promise(self.sensitivity), mechanism=kind, noise=noise).probabilities
        order = np.argsort(-chances, kind="stable").tolist()
        return tuple((question.candidates[place], float(chances[place])) for place in order)


def settle(question: Question, neighbours: Neighbours, words: Settings, rule: str | None = None) -> "Way":
    """Return how a question is to be drawn: from its list of candidates, or as it says itself.

    >>> from discreet.questions import Winner
    >>> settle(Winner("trip", among=["zoo", "lake"]), "replace", {"epsilon": 1}).mechanism
    PermuteAndFlip(rate=Fraction(1, 2))
    """
    if isinstance(question, type) or not hasattr(question, "sentence"):
        wanted = "one such as Winner('trip', among=['zoo', 'lake'])"
        raise SettingError(f"question: wanted {wanted}, got a {type(question).__name__}")
    said: Any = words
    given: Any = {name: value for name, value in said.items() if value is not None}
    if unknown := sorted(set(given) - set(NAMES)):
        raise SettingError.of("setting", ", ".join(NAMES), unknown[0])
    own: Any = getattr(question, "way", None)
    way: Way | None = None if own is None else own(neighbours, given)
    if way is not None:
        return way
    return listed(question, neighbours, under(rule, given))


def listed(question: Question, neighbours: Neighbours, given: Settings) -> Settled:
    """Return how one of a list of candidates is drawn.

    >>> from discreet.questions import Ranking
    >>> listed(Ranking("trip", among=["zoo", "lake", "museum"]), "replace", {"epsilon": 1}).rounds
    2

    Of n candidates, the last of n winners is who is left, and costs nothing.
    """
    size, wanted = len(question.candidates), question.winners
    rounds = None if wanted is None else max(1, min(wanted, size - 1))
    nothing = score(question, empty(question), neighbours)
    chosen = plan(read(nothing), rounds, **given)
    return Settled(chosen.mechanism, chosen.sensitivity, chosen.guarantee, nothing)


def empty(question: Question) -> Any:
    """Return what an empty table counts, for one group.

    >>> from discreet.questions import Winner
    >>> empty(Winner("trip", among=["zoo", "lake"]))
    array([0, 0])
    """
    return Spread.of({}) if is_sparse(question.ask()) else np.zeros(len(question.candidates), dtype=np.int64)


def score(question: Any, tally: Tally, neighbours: Neighbours) -> Scores:
    """Score one group, with the sensitivity that all groups together pay for.

    >>> from discreet.questions import Winner
    >>> score(Winner("trip", among=["zoo"], by="school", groups=["north"]), np.array([3]), "replace").sensitivity.gap
    Fraction(2, 1)
    """
    if question.by is None or neighbours == "add-remove":
        asked: Scores = question.scores(tally, neighbours)
        return asked
    scores: Scores = question.scores(tally, "add-remove")
    once = scores.sensitivity
    both = Sensitivity.of(sensitivity=2 * once.step, range=2 * once.gap, neighbours="replace")
    return replace(scores, sensitivity=both)


Way: TypeAlias = Settled | FromDomain | Unbounded | Unnamed
"""How an answer is drawn: from a list, from a domain, without bounds, or from items that nobody listed."""
