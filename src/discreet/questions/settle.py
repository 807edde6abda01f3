"""From a question and public words to a mechanism and its promise. No private number is near.

**Groups.** A person counts in one group at most. Under add-remove one person moves the scores of one group, so the
answers of all groups together promise what one of them does. Under replace a person may leave one group and join
another, or change inside one. Either is two steps of add-remove, one out and one in, and two steps double a bounded
range and a Laplace pair alike; so all groups together pay for twice the gap of add-remove.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.engines.ask import Tally
from discreet.errors import SettingError
from discreet.guarantees import Guarantee
from discreet.mechanisms import Peel
from discreet.questions.base import Question
from discreet.scores.base import Scores
from discreet.selection.entries import read
from discreet.selection.plan import Chosen, Settings, plan, under
from discreet.sensitivity import Neighbours, Sensitivity

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


def settle(question: Question, neighbours: Neighbours, words: Settings, rule: str | None = None) -> Settled:
    """Return the mechanism that the words ask for; ``rule`` is the ledger's, which decides what ``auto`` means.

    >>> from discreet.questions import Ranking
    >>> settle(Ranking("trip", among=["zoo", "lake", "museum"]), "replace", {"epsilon": 1}).rounds
    2

    Of n candidates, the last of n winners is who is left, and costs nothing.
    """
    said: Any = words
    given: Any = {name: value for name, value in said.items() if value is not None}
    if unknown := sorted(set(given) - set(NAMES)):
        raise SettingError.of("setting", ", ".join(NAMES), unknown[0])
    size, wanted = len(question.candidates), question.winners
    rounds = None if wanted is None else max(1, min(wanted, size - 1))
    nothing = score(question, np.zeros(size, dtype=np.int64), neighbours)
    chosen = plan(read(nothing), rounds, **under(rule, given))
    return Settled(chosen.mechanism, chosen.sensitivity, chosen.guarantee, nothing)


def score(question: Question, tally: Tally, neighbours: Neighbours) -> Scores:
    """Score one group, with the sensitivity that all groups together pay for.

    >>> from discreet.questions import Winner
    >>> score(Winner("trip", among=["zoo"], by="school", groups=["north"]), np.array([3]), "replace").sensitivity.gap
    Fraction(2, 1)
    """
    if question.by is None or neighbours == "add-remove":
        return question.scores(tally, neighbours)
    scores = question.scores(tally, "add-remove")
    once = scores.sensitivity
    both = Sensitivity.of(sensitivity=2 * once.step, range=2 * once.gap, neighbours="replace")
    return replace(scores, sensitivity=both)
