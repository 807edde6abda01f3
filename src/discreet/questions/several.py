"""Several numbers at once: quartiles, deciles, any rising shares of the people."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from discreet.counts import Labels
from discreet.domains import ApproximateQuantiles, JointQuantiles
from discreet.engines.ask import Ask, Cells, Long
from discreet.errors import SettingError
from discreet.exact import Number, plain
from discreet.guarantees import Guarantee, Zcdp
from discreet.points import MOST_POINTS
from discreet.questions.base import Grouped, column, grid
from discreet.questions.drawn import FromDomain, unchosen
from discreet.selection.plan import Settings, target
from discreet.sensitivity import Neighbours

Method: TypeAlias = Literal["auto", "joint", "halving"]

MOST_JOINT, MOST_JOINT_BY_RHO = 20, 4
"""So many quantiles are drawn jointly unless halving is asked for: by an epsilon, and by a rho."""


@dataclass(frozen=True, slots=True)
class Quantiles(Grouped):
    """Ask for several quantiles in one release, on a public grid between public bounds.

    >>> Quantiles("wage", ["0.25", "0.5", "0.75"], bounds=(0, 200_000), step=1000).sentence()
    'What are the quantiles 0.25, 0.5, 0.75 of wage, from 0 to 200000 in steps of 1000?'

    Numbers are read as for ``Quantile``. The answers rise. ``method`` is ``"joint"`` for one draw of ``JointQuantiles``
    or ``"halving"`` for ``ApproximateQuantiles``. ``"auto"`` looks at public settings alone: it halves for more than
    20 quantiles, and for more than 4 where a rho is to be spent, since levels of halving add up well by rho.
    """

    kind: ClassVar[str] = "quantiles"
    noun: ClassVar[str] = "answer"
    column: str
    qs: Iterable[Number]
    bounds: Sequence[Number] = ()
    step: Number = 1
    method: Method = "auto"

    def __post_init__(self) -> None:
        Grouped.__post_init__(self)
        column(self.column)
        if self.method not in get_args(Method):
            raise SettingError.of("method", "'auto', 'joint' or 'halving'", self.method)
        low, high, step = grid(self.bounds, self.step, "bounds", MOST_POINTS)
        self._keep(bounds=(low, high), step=step, qs=JointQuantiles((low, high), step, self.qs).qs)

    @property
    def candidates(self) -> Labels:
        """The points of the grid."""
        return self._domain().points

    @property
    def winners(self) -> int | None:
        """As many as shares."""
        return len(self._domain().qs)

    def ask(self) -> Ask:
        """Count the people in each cell of the grid."""
        points = self._domain().points
        return Long(Cells(self.column, points.low, points.step, len(points), sparse=True), 1, by=self.home())

    def way(self, neighbours: Neighbours, words: Settings) -> FromDomain:
        """Return how this is drawn and what it promises; ``mechanism`` and ``noise`` are not to be chosen."""
        if self.by is not None and neighbours == "replace":
            raise SettingError("neighbours: wanted 'add-remove' for several quantiles of groups, got 'replace'")
        unchosen(words, "several quantiles are drawn by method= of the question")
        goal = target(words)
        return FromDomain.of(self._halving(goal) if self._halves(goal) else self._domain(), goal, neighbours)

    def sentence(self) -> str:
        """Say what is asked."""
        domain = self._domain()
        low, high, step = map(plain, (domain.points.low, domain.points.high, domain.points.step))
        spread = f"from {low} to {high} in steps of {step}"
        return f"What are the quantiles {', '.join(map(plain, domain.qs))} of {self.column}, {spread}{self.for_each()}?"

    def _domain(self) -> JointQuantiles:
        bounds: Any = self.bounds
        return JointQuantiles(bounds, self.step, self.qs)

    def _halving(self, goal: Guarantee) -> ApproximateQuantiles:
        bounds: Any = self.bounds
        return ApproximateQuantiles(bounds, self.step, self.qs, "zcdp" if isinstance(goal, Zcdp) else "pure")

    def _halves(self, goal: Guarantee) -> bool:
        if self.method != "auto":
            return self.method == "halving"
        return len(self._domain().qs) > (MOST_JOINT_BY_RHO if isinstance(goal, Zcdp) else MOST_JOINT)
