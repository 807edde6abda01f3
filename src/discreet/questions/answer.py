"""An answer that may be published: what was asked, what was drawn, what was promised, and the receipt."""

import html
import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from discreet.counts import say
from discreet.errors import SettingError
from discreet.exact import Number, chance
from discreet.guarantees import Guarantee, to_dict
from discreet.ledger import Receipt
from discreet.questions.base import Question, written
from discreet.questions.settle import Way
from discreet.selection.result import WHO, Selection, describe
from discreet.sensitivity import Neighbours


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, for each group if there are groups, and the guarantee of all of it together.

    >>> import polars, discreet
    >>> table = discreet.open(polars.DataFrame({"trip": ["zoo"] * 90 + ["lake"] * 3}))
    >>> answer = table.ask(discreet.Winner("trip", among=["zoo", "lake"]), epsilon=1)
    >>> answer.winner
    'zoo'
    >>> print(answer)
    Which trip do most people name, of zoo, lake? zoo
    1-differential privacy (one row more or less), by permute-and-flip among 2 candidates.
    """

    question: Question
    selections: tuple[Selection, ...]
    guarantee: Guarantee
    neighbours: Neighbours
    unit: str
    settled: Way = field(compare=False, repr=False)
    """How it was drawn, as the plan had it."""
    receipt: Receipt | None = None
    """What the ledger wrote down, if there is one."""

    @property
    def winner(self) -> Hashable:
        """The winner's label, as given; the first of several."""
        return self._only().winner

    @property
    def winners(self) -> tuple[Hashable, ...]:
        """All winners, best first."""
        return self._only().winners

    @property
    def value(self) -> Hashable:
        """The number that was asked for, the same as the winner; all of them, where several numbers were."""
        several = self.question.noun == "answer" and self.question.winners is not None
        return self.winners if several else self.winner

    @property
    def groups(self) -> Mapping[Hashable, Selection]:
        """The selection of each public group."""
        return dict(zip(self.question.groups, self.selections, strict=False))

    @property
    def request(self) -> str | None:
        """The name under which a ledger gives this answer again."""
        return None if self.receipt is None else self.receipt.request

    def error_bound(self, probability: Number = "0.05") -> float | None:
        """Return how far below the best the answers may be: with at most this chance any of them is further.

        In points of score; it holds for all winners and groups together, and is that of the plan. None where no bound
        holds for all data.
        """
        known, odds = self.settled.forecast(self.question), chance(probability, "probability")
        return None if known is None else known.error_bound(odds / self.settled.shared_by(self.question))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values."""
        bound, first = self.error_bound(), self.selections[0]
        return {
            "question": self.question.to_dict(),
            **found(self.question, self.selections),
            "candidates": len(self.question.candidates),
            "mechanism": describe(first.mechanism),
            "rate": str(first.rate),
            "guarantee": to_dict(self.guarantee),
            "neighbours": self.neighbours,
            "unit": self.unit,
            "error_bound_95": bound if bound is not None and math.isfinite(bound) else None,
            "request": self.request,
            "receipt": None if self.receipt is None else self.receipt.digest,
            "version": version("discreet"),
        }

    def __str__(self) -> str:
        first = self.selections[0]
        promise = f"{self.guarantee} ({protected(self.neighbours, self.unit)})"
        among = f" among {say(first.candidates)}" if len(self.question.candidates) else ""  # unless nobody listed them
        how = f"by {describe(first.mechanism)}{among}"
        return f"{self.question.sentence()} {self._told()}\n{promise}, {how}."

    def _repr_html_(self) -> str:
        rows = [("question", self.question.sentence()), ("answer", self._told()), ("promise", str(self.guarantee))]
        rows += [("protects", protected(self.neighbours, self.unit)), ("by", describe(self.selections[0].mechanism))]
        cells = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in rows)
        return f"<table>{cells}</table>"

    def _only(self) -> Selection:
        if self.question.by is not None:
            raise SettingError("groups: wanted .groups, since there is an answer for each group, got a single one")
        return self.selections[0]

    def _told(self) -> str:
        told = [", ".join(map(spelt, one.winners)) or "none that may be named" for one in self.selections]
        if self.question.by is None:
            return told[0]
        return "; ".join(f"{group}: {names}" for group, names in zip(self.question.groups, told, strict=True))


def found(question: Question, selections: tuple[Selection, ...]) -> dict[str, Any]:
    """Return what was drawn as JSON-ready values: a winner, winners, or one of these for each group.

    >>> from discreet import select
    >>> from discreet.questions import Winner
    >>> one = select({"zoo": 900, "lake": 3}, epsilon=1, scores="counts")
    >>> found(Winner("trip", among=["zoo", "lake"]), (one,))
    {'winner': 'zoo'}
    """
    many = question.winners is not None
    told = [list(map(written, one.winners)) if many else written(one.winner) for one in selections]
    if question.by is None:
        return {"winners" if many else "winner": told[0]}
    return {"groups": [[written(group), answer] for group, answer in zip(question.groups, told, strict=True)]}


def spelt(winner: Hashable) -> str:
    """Return what was drawn as people read it.

    >>> spelt("zoo"), spelt(None)
    ('zoo', 'above all that were tried')
    """
    return "above all that were tried" if winner is None else str(winner)


def points(question: Question, unit: str, count: object = None) -> str:
    """Return what so many points of score are called: people, who are rows where each row is one.

    >>> from discreet.questions import Winner
    >>> winner = Winner("trip", among=["zoo"])
    >>> points(winner, "row"), points(winner, "pupil", 1), points(winner, "pupil", 2)
    ('rows', 'person', 'people')
    """
    if question.points != "people":
        return question.points
    one, many = ("row", "rows") if unit == "row" else ("person", "people")
    return one if count == 1 else many


def protected(neighbours: Neighbours, unit: str) -> str:
    """Say whose presence, or whose data, is hidden.

    >>> protected("add-remove", "listener"), protected("replace", "row")
    ('one listener more or less', "one row's data changed")
    """
    return WHO[neighbours].replace("person", unit)
