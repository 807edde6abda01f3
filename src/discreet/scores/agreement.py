"""Agreement: when most can come, or fewest cannot."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import ClassVar

from discreet.counts import Labels, labels
from discreet.scores.ballots import ballots_for
from discreet.scores.base import Scores, one_each
from discreet.sensitivity import Neighbours, Sensitivity


@dataclass(frozen=True, slots=True, init=False)
class _Slots:
    name: ClassVar[str]
    sign: ClassVar[int]
    slots: Labels

    def __init__(self, slots: Iterable[Hashable]) -> None:
        object.__setattr__(self, "slots", labels(slots, "slots"))

    @property
    def candidates(self) -> Labels:
        """The slots."""
        return self.slots

    def sensitivity(self, neighbours: Neighbours = "add-remove") -> Sensitivity:
        """Return step 1, and gap 1 or 2."""
        return one_each(neighbours)

    def score(self, people: Iterable[object], neighbours: Neighbours = "add-remove") -> Scores:
        """Score each slot by how many name it; one item of ``people`` is the slots one person names."""
        facts = self.sensitivity(neighbours)
        named = ballots_for(self.slots, people, len(self.slots))
        return Scores(self.slots, self.sign * named, facts, family=self.name)


@dataclass(frozen=True, slots=True, init=False)
class Agreement(_Slots):
    """The score of a slot is how many can come. Step 1; gap 1 (add-remove), 2 (replace).

    >>> Agreement(["mon", "tue"]).score([{"mon"}, {"mon", "tue"}, set()])
    Scores(2 candidates, step=1, gap=1, add-remove, by agreement)

    Each person names the slots they can make. A new one adds 1 to these and 0 to the rest: a vector in {0, 1}. A
    changed one adds the difference of two such vectors: free on Monday instead of Tuesday is +1 and -1, so gap 2.
    """

    name: ClassVar[str] = "agreement"
    sign: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, init=False)
class Conflicts(_Slots):
    """The score of a slot is minus how many cannot come. Step 1; gap 1 (add-remove), 2 (replace).

    >>> Conflicts(["mon", "tue"]).score([{"mon"}, {"mon", "tue"}, set()])
    Scores(2 candidates, step=1, gap=1, add-remove, by conflicts)

    Each person names the slots they cannot make. A new one takes 1 from these and 0 from the rest: every entry in
    {-1, 0}, all one way. A changed one adds the difference of two such vectors: gap 2.
    """

    name: ClassVar[str] = "conflicts"
    sign: ClassVar[int] = -1
