"""Size: how many people stand behind a candidate."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import ClassVar

from discreet.counts import Counts, Labels, labels
from discreet.exact import whole
from discreet.scores.ballots import ballots_for, votes_for
from discreet.scores.base import Scores, one_each
from discreet.sensitivity import Neighbours, Sensitivity


@dataclass(frozen=True, slots=True, init=False)
class Votes:
    """Each person names one candidate; the score is how many name it. Step 1; gap 1 (add-remove), 2 (replace).

    >>> Votes(["flu", "cold"]).score(["flu", "flu", "cold", None])
    Scores(2 candidates, step=1, gap=1, add-remove, by counts)

    A new person adds 1 to one score or to none: a vector in {0, 1}. A changed one moves a vote from one candidate
    to another: -1 here, +1 there, so gap 2. Whoever names no candidate (None, NaN, anything else) adds nothing.
    """

    name: ClassVar[str] = "counts"
    candidates: Labels

    def __init__(self, candidates: Iterable[Hashable]) -> None:
        object.__setattr__(self, "candidates", labels(candidates))

    def sensitivity(self, neighbours: Neighbours = "add-remove") -> Sensitivity:
        """Return step 1, and gap 1 or 2."""
        return one_each(neighbours)

    def score(self, people: Iterable[object], neighbours: Neighbours = "add-remove") -> Scores:
        """Score each candidate by how many people name it; one item of ``people`` is one person's vote."""
        facts = self.sensitivity(neighbours)
        return Scores(self.candidates, votes_for(self.candidates, people), facts, family=self.name)


@dataclass(frozen=True, slots=True, init=False)
class Approvals:
    """Each person approves several candidates; the score is how many approve it. Step 1; gap 1 or, replace, 2.

    >>> Approvals(["ann", "bob", "eve"], at_most=2).score([{"ann", "bob"}, ["bob", "bob"], None])
    Scores(3 candidates, step=1, gap=1, add-remove, by approvals)

    A new person adds 0 or 1 to each score, whatever ``at_most`` is: a vector in {0, 1}, step and gap 1. A changed
    one adds the difference of two such vectors: step 1, and gap 2 once there are two candidates. ``at_most`` caps
    what one person touches in all, for releases that pay for that; past it, the first in candidate order are kept.
    """

    name: ClassVar[str] = "approvals"
    candidates: Labels
    at_most: int

    def __init__(self, candidates: Iterable[Hashable], at_most: int | None = None) -> None:
        names = labels(candidates)
        object.__setattr__(self, "candidates", names)
        object.__setattr__(self, "at_most", len(names) if at_most is None else whole(at_most, "at_most"))

    def sensitivity(self, neighbours: Neighbours = "add-remove") -> Sensitivity:
        """Return step 1, and gap 1 or 2."""
        return one_each(neighbours)

    def score(self, people: Iterable[object], neighbours: Neighbours = "add-remove") -> Scores:
        """Score each candidate by how many people approve it; one item of ``people`` is one person's ballot."""
        facts = self.sensitivity(neighbours)
        return Scores(self.candidates, ballots_for(self.candidates, people, self.at_most), facts, family=self.name)


def by_count(counts: Counts) -> Scores:
    """Score each candidate by its count. Step 1; gap 1 (add-remove), 2 (replace), whatever ``at_most`` is.

    >>> by_count(Counts(["flu", "cold"], [812, 7], at_most=1))
    Scores(2 candidates, step=1, gap=1, add-remove, by counts)

    One person adds 0 or 1 to each count, so the proof is that of ``Approvals``.
    """
    return Scores(counts.candidates, counts.values, one_each(counts.neighbours), family=Votes.name)
