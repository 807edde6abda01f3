"""Questions whose candidates stand in the rows: a winner, the best few, approvals, meeting slots."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

from discreet.counts import Labels, labels
from discreet.engines.ask import Ask, Holds, Long, Named, Tally, Unlisted, Wide
from discreet.errors import SettingError
from discreet.exact import Number, chance, number, whole
from discreet.guarantees import Approx, Pure
from discreet.mechanisms.limited_domain import DEPTH
from discreet.questions.base import Grouped, column, listed, texts
from discreet.questions.drawn import Unnamed, unchosen
from discreet.scores.agreement import Agreement, Conflicts
from discreet.scores.base import Scores, one_each
from discreet.scores.size import Approvals, Votes
from discreet.selection.plan import Settings, target
from discreet.sensitivity import Neighbours, one_of


@dataclass(frozen=True, slots=True)
class _Named(Grouped):
    """A column names candidates; one person counts for at most ``at_most`` of them, once each."""

    column: str
    among: Iterable[Hashable]
    at_most: int = 1
    other: Hashable | None = None

    def __post_init__(self) -> None:
        Grouped.__post_init__(self)
        column(self.column)
        self._keep(among=labels(self.among, "among"))
        texts(self.among, "among")
        self._keep(at_most=whole(self.at_most, "at_most"))
        if self.other is not None and self.other not in self.candidates:
            raise SettingError.of("other", "one of the candidates, which counts all that is none of them", self.other)

    @property
    def candidates(self) -> Labels:
        """The public candidates."""
        return cast("Labels", self.among)

    def ask(self) -> Ask:
        """Count people for each candidate."""
        other = None if self.other is None else self.candidates.index(self.other)
        return Long(Named(self.column, texts(self.among, "among"), other), self.at_most, by=self.home())

    def scores(self, tally: Tally, neighbours: Neighbours) -> Scores:
        """Score each candidate by its count: step 1; gap 1 or, replace, 2."""
        return Scores(self.candidates, tally, one_each(neighbours), family=Votes.name)


@dataclass(frozen=True, slots=True)
class Winner(_Named):
    """Ask which candidate most people name.

    >>> Winner("trip", among=["zoo", "lake", "museum"]).sentence()
    'Which trip do most people name, of zoo, lake, museum?'
    """

    kind: ClassVar[str] = "winner"

    def sentence(self) -> str:
        """Say what is asked."""
        return f"Which {self.column} do most people name, of {listed(self.candidates)}{self.for_each()}?"


@dataclass(frozen=True, slots=True, init=False)
class TopK(_Named):
    """Ask which k candidates most people name, best first.

    >>> TopK("article", 10, among=range(1000), at_most=3).sentence()
    'Which 10 of 1000 candidates for article do most people name, best first?'

    Where nobody can say which candidates there are, ``among=None`` finds up to k of those that many people name. That
    needs a delta, since a name that one person alone brings must not be told.

    >>> TopK("article", 10, among=None, at_most=3, delta="1e-6").sentence()
    'Which up to 10 of all article do most people name, best first?'
    """

    kind: ClassVar[str] = "top"
    k: int = 0
    delta: Number | None = None

    def __init__(
        self,
        column: str,
        k: int,
        among: Iterable[Hashable] | None,
        at_most: int = 1,
        other: Hashable | None = None,
        *,
        delta: Number | None = None,
        by: str | None = None,
        groups: Labels = (),
    ) -> None:
        self._keep(column=column, k=k, among=among, at_most=at_most, other=other, by=by, groups=groups)
        self._keep(delta=None if delta is None else chance(delta, "delta"))
        if among is None:
            self._unlisted()
        else:
            _Named.__post_init__(self)
            self._keep(k=whole(k, "k", most=len(self.candidates)))
            if delta is not None:
                raise SettingError.of("delta", "none, since the candidates are listed", delta)

    @property
    def candidates(self) -> Labels:
        """The public candidates; none where nobody listed them."""
        return () if self.unlisted else cast("Labels", self.among)

    @property
    def unlisted(self) -> bool:
        """Whether nobody listed the candidates."""
        return cast("Any", self.among) is None

    def ask(self) -> Ask:
        """Count people for each candidate, or for each name there is."""
        if self.unlisted:
            return Unlisted(self.column, self.at_most, max(DEPTH, 4 * self.k) + 1)
        return _Named.ask(self)

    def way(self, neighbours: Neighbours, words: Settings) -> Unnamed | None:
        """Return how names that nobody listed are drawn, and what that promises; None for a list."""
        if not self.unlisted:
            return None
        unchosen(words, "names that nobody listed are drawn by the exponential mechanism")
        goal = target(words)
        delta = number(self.delta, "delta")
        if isinstance(goal, Pure):
            goal = Approx(goal.epsilon, delta)
        return Unnamed.of(goal, self.k, at_most=self.at_most, neighbours=neighbours)

    def _unlisted(self) -> None:
        Grouped.__post_init__(self)
        column(self.column)
        self._keep(k=whole(self.k, "k"), at_most=whole(self.at_most, "at_most"))
        for name, value in (("other", self.other), ("by", self.by)):
            if value is not None:
                raise SettingError.of(name, "none, since the candidates are not listed", value)
        if self.delta is None:
            raise SettingError.of("delta", "delta= with among=None, such as '1e-6'", None, "or list the candidates")

    @property
    def winners(self) -> int | None:
        """So many as are asked for."""
        return self.k

    def sentence(self) -> str:
        """Say what is asked."""
        few = f"Which {self.k} of {len(self.candidates)} candidates for {self.column}"
        if self.unlisted:
            few = f"Which up to {self.k} of all {self.column}"
        return f"{few} do most people name, best first{self.for_each()}?"


@dataclass(frozen=True, slots=True)
class Ranking(_Named):
    """Ask for all candidates in the order of how many people name them; each place but the last costs a share.

    >>> Ranking("trip", among=["zoo", "lake", "museum"]).winners
    3
    """

    kind: ClassVar[str] = "ranking"

    @property
    def winners(self) -> int | None:
        """All candidates."""
        return len(self.candidates)

    def sentence(self) -> str:
        """Say what is asked."""
        return f"In which order do people name {listed(self.candidates)} as {self.column}, most first{self.for_each()}?"


@dataclass(frozen=True, slots=True)
class _Ballot(Grouped):
    """Long ballots (a ``column`` with one name a row) or wide ones (``columns``, each a candidate that says yes)."""

    column: str | None = None
    among: Iterable[Hashable] = ()
    columns: Iterable[str] = ()

    def __post_init__(self) -> None:
        Grouped.__post_init__(self)
        long = self.column is not None
        given = tuple(self.among if long else self.columns)
        if not given or bool(tuple(self.columns if long else self.among)):
            wanted = "column= and among= (one name a row), or columns= (one column a candidate)"
            raise SettingError(f"column: wanted {wanted}, got neither or both")
        names = labels(self.among, "among") if long else labels(self.columns, "columns")
        self._keep(among=names if long else (), columns=() if long else names)
        texts(names, "among")
        for name in (self.column,) if long else names:
            column(name)

    @property
    def candidates(self) -> Labels:
        """The names in the column, or the columns."""
        return cast("Labels", self.columns if self.column is None else self.among)

    def ask(self) -> Ask:
        """Count, for each candidate, the people who name it; a person may name any number."""
        if self.column is None:
            return Wide(tuple(map(Holds, self.columns)), by=self.home())
        return Long(Named(self.column, texts(self.among, "among")), None, by=self.home())


@dataclass(frozen=True, slots=True)
class Approval(_Ballot):
    """Ask which candidate most people approve. Each may approve any number, at no further cost.

    >>> Approval(columns=["smith", "jones"]).sentence()
    'Which of smith, jones do most people approve?'
    """

    kind: ClassVar[str] = "approval"

    def scores(self, tally: Tally, neighbours: Neighbours) -> Scores:
        """Score each candidate by its approvals: step 1; gap 1 or, replace, 2."""
        return Scores(self.candidates, tally, one_each(neighbours), family=Approvals.name)

    def sentence(self) -> str:
        """Say what is asked."""
        return f"Which of {listed(self.candidates)} do most people approve{self.for_each()}?"


@dataclass(frozen=True, slots=True)
class BestSlot(_Ballot):
    """Ask when fewest people have a conflict. Ballots name slots a person cannot make, or, with ``says="free"``, can.

    >>> BestSlot("busy", among=["mon", "tue"]).sentence()
    'On which of mon, tue do fewest people have a conflict?'
    """

    kind: ClassVar[str] = "slot"
    says: Literal["busy", "free"] = "busy"

    def __post_init__(self) -> None:
        _Ballot.__post_init__(self)
        one_of(self.says, "says", ("busy", "free"))

    def scores(self, tally: Tally, neighbours: Neighbours) -> Scores:
        """Score each slot by minus its conflicts, or by how many are free: step 1; gap 1 or, replace, 2."""
        family, sign = (Conflicts, -1) if self.says == "busy" else (Agreement, 1)
        return Scores(self.candidates, sign * tally, one_each(neighbours), family=family.name)

    def sentence(self) -> str:
        """Say what is asked."""
        what = "do fewest people have a conflict" if self.says == "busy" else "are most people free"
        return f"On which of {listed(self.candidates)} {what}{self.for_each()}?"
