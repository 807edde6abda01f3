"""Questions whose answer is a number, or a candidate with the largest sum."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, cast

from discreet.counts import Labels, labels
from discreet.domains.unbounded import UnboundedQuantile
from discreet.engines.ask import Amount, Ask, Cells, Cuts, Long, Named, Tally
from discreet.errors import SettingError
from discreet.exact import Number, chance, plain, positive, whole
from discreet.points import MOST_POINTS
from discreet.questions.base import LARGEST, Grouped, column, fine, grid, listed, texts
from discreet.questions.drawn import unchosen
from discreet.questions.unbounded import Unbounded, growing, labels_of, spoken
from discreet.scores.base import Scores
from discreet.scores.line import Line
from discreet.scores.revenue import Revenue
from discreet.scores.totals import Totals
from discreet.selection.plan import Settings, target
from discreet.sensitivity import Neighbours


@dataclass(frozen=True, slots=True)
class Quantile(Grouped):
    """Ask which number has a share q of the people below it, on a public grid between public bounds.

    >>> Quantile("wage", "0.9", bounds=(0, 200_000), step=1000).sentence()
    'What is the 0.9-quantile of wage, from 0 to 200000 in steps of 1000?'

    Numbers are rounded down to the grid; those below the bounds count as the lower one, those above as the upper. What
    is no number drops. Of several, one of a person's numbers is kept.

    ``over`` and ``under`` are what one person too many below, or above, the answer costs. Only their ratio matters: the
    lesser counts as one person.

    >>> Quantile("wage", "0.9", bounds=(0, 200_000), step=1000, over=3).sentence()
    'What is the 0.9-quantile of wage, from 0 to 200000 in steps of 1000, if too high costs 3 and too low 1?'

    Without ``bounds`` the answer is one of the public numbers ``start``, ``start * factor`` and so on: nearly the first
    that a share q of the people do not exceed, or None. No group and no weight goes with it.

    >>> Quantile("wage", "0.9").sentence()
    'What is the 0.9-quantile of wage, rounded up to a power of 2?'
    """

    kind: ClassVar[str] = "quantile"
    noun: ClassVar[str] = "answer"
    column: str
    q: Number = Fraction(1, 2)
    bounds: Sequence[Number] = ()
    step: Number = 1
    over: Number = 1
    under: Number = 1
    start: Number = field(default=1, kw_only=True)
    factor: Number = field(default=2, kw_only=True)

    def __post_init__(self) -> None:
        Grouped.__post_init__(self)
        column(self.column)
        self._keep(q=chance(self.q, "q"), over=positive(self.over, "over"), under=positive(self.under, "under"))
        if self.unbounded:
            self._alone(by=None, step=1, over=1, under=1)
            domain = self._growing()
            self._keep(start=domain.start, factor=domain.factor)
            return
        self._alone(start=1, factor=2)
        low, high, step = grid(self.bounds, self.step, "bounds", MOST_POINTS)
        self._keep(bounds=(low, high), step=step)

    @property
    def unbounded(self) -> bool:
        """Whether no bounds were given."""
        return isinstance(self.bounds, tuple) and not self.bounds

    @property
    def candidates(self) -> Labels:
        """The points of the grid, or the public numbers where there are no bounds."""
        return labels_of(self._growing()) if self.unbounded else self._line().points

    def ask(self) -> Ask:
        """Count the people in each cell of the grid, or between the public numbers."""
        if self.unbounded:
            return Long(Cuts(self.column, self._growing().grid), 1)
        low, high, step = self._ends()
        return Long(Cells(self.column, low, step, (high - low) // step + 1, sparse=True), 1, by=self.home())

    def way(self, neighbours: Neighbours, words: Settings) -> Unbounded | None:
        """Return how a quantile without bounds is drawn, and what that promises; None where there are bounds."""
        if not self.unbounded:
            return None
        unchosen(words, "a quantile without bounds is a stream of threshold tests")
        return Unbounded.of(self._growing(), target(words), neighbours)

    def scores(self, tally: Any, neighbours: Neighbours) -> Scores:
        """Score each point by how many people it is away from the quantile."""
        return self._line().score_places(tally.places, tally.people, neighbours)

    def sentence(self) -> str:
        """Say what is asked."""
        what = "median" if Fraction(self.q) == Fraction(1, 2) else f"{plain(Fraction(self.q))}-quantile"
        return f"What is the {what} of {self.column}, {self._spread()}{self.for_each()}?"

    def _spread(self) -> str:
        if self.unbounded:
            return f"rounded up to {spoken(self._growing())}"
        low, high, step = map(plain, self._ends())
        over, under = self._weights()
        costs = "" if over == under else f", if too high costs {plain(over)} and too low {plain(under)}"
        return f"from {low} to {high} in steps of {step}{costs}"

    def _alone(self, **usual: Any) -> None:
        """Refuse words that mean nothing with, or without, bounds."""
        for name, value in usual.items():
            if getattr(self, name) != value:
                reason = "since there are no bounds" if self.unbounded else "since there are bounds"
                raise SettingError.of(name, f"none, {reason}", getattr(self, name))

    def _growing(self) -> UnboundedQuantile:
        return growing(Fraction(self.q), self.start, self.factor)

    def _ends(self) -> tuple[Fraction, Fraction, Fraction]:
        return cast("tuple[Fraction, Fraction, Fraction]", (*self.bounds, self.step))

    def _line(self) -> Line:
        low, high, step = self._ends()
        return Line((low, high), step, Fraction(self.q), *self._weights())

    def _weights(self) -> tuple[Fraction, Fraction]:
        """Return what an error either way costs, so that a point is at least one person."""
        over, under = Fraction(self.over), Fraction(self.under)
        return over / min(over, under), under / min(over, under)


@dataclass(frozen=True, slots=True, init=False)
class Median(Quantile):
    """Ask which number has half the people below it.

    >>> Median("wage", bounds=(0, 200_000), step=1000).sentence()
    'What is the median of wage, from 0 to 200000 in steps of 1000?'
    """

    kind: ClassVar[str] = "median"

    def __init__(
        self,
        column: str,
        bounds: Sequence[Number] = (),
        step: Number = 1,
        over: Number = 1,
        under: Number = 1,
        *,
        start: Number = 1,
        factor: Number = 2,
        by: str | None = None,
        groups: Labels = (),
    ) -> None:
        self._keep(column=column, q=Fraction(1, 2), bounds=bounds, step=step, over=over, under=under)
        self._keep(start=start, factor=factor, by=by, groups=groups)
        Quantile.__post_init__(self)


@dataclass(frozen=True, slots=True)
class BestPrice(Grouped):
    """Ask which price earns most if everyone whose bid reaches it buys. ``prices`` is (lowest, highest, step).

    >>> BestPrice("bid", prices=("0.01", "1.99", "0.01")).sentence()
    'Which price from 0.01 to 1.99 in steps of 0.01 earns most, by the bid of each person?'

    Of several bids, one of a person's is kept. What is no number buys nothing.
    """

    kind: ClassVar[str] = "price"
    noun: ClassVar[str] = "answer"
    points: ClassVar[str] = "of revenue"
    column: str
    prices: Sequence[Number] = ()

    def __post_init__(self) -> None:
        Grouped.__post_init__(self)
        column(self.column)
        if isinstance(self.prices, str) or not hasattr(self.prices, "__len__") or len(self.prices) != 3:
            raise SettingError("prices: wanted three numbers: the lowest, the highest and the step, got others")
        self._keep(prices=grid(self.prices[:2], self.prices[2], "prices"))
        positive(self.prices[0], "prices", "prices above 0")

    @property
    def candidates(self) -> Labels:
        """The prices."""
        return _revenue_on(*self._ends()).candidates

    def ask(self) -> Ask:
        """Count the bids that reach each price and no higher one."""
        low, high, step = self._ends()
        return Long(Cells(self.column, low, step, (high - low) // step + 1, "drop"), 1, by=self.home())

    def scores(self, tally: Tally, neighbours: Neighbours) -> Scores:
        """Score each price by what it would earn."""
        return _revenue_on(*self._ends()).score_cells(tally, neighbours)

    def sentence(self) -> str:
        """Say what is asked."""
        low, high, step = map(plain, self._ends())
        spread = f"from {low} to {high} in steps of {step}"
        return f"Which price {spread} earns most, by the {self.column} of each person{self.for_each()}?"

    def _ends(self) -> tuple[Fraction, Fraction, Fraction]:
        return cast("tuple[Fraction, Fraction, Fraction]", self.prices)


@dataclass(frozen=True, slots=True)
class LargestTotal(Grouped):
    """Ask which candidate has the largest sum of ``amount``, when each person brings at most ``high`` to a few.

    >>> LargestTotal("shop", "paid", among=["north", "south"], high=500).sentence()
    'Which shop has the largest total of paid, of north, south, at most 500 from each person?'

    Amounts are rounded down to whole ticks of ``step`` and clipped to ``low`` and ``high``, row by row; then those of a
    person for a candidate add up and are clipped again. A row whose amount is no number drops.
    """

    kind: ClassVar[str] = "total"
    points: ClassVar[str] = "of the total"
    column: str
    amount: str
    among: Iterable[Hashable]
    high: Number
    low: Number = 0
    step: Number = 1
    at_most: int = 1

    def __post_init__(self) -> None:
        Grouped.__post_init__(self)
        column(self.column)
        column(self.amount, "amount")
        self._keep(among=labels(self.among, "among"))
        texts(self.among, "among")
        self._keep(at_most=whole(self.at_most, "at_most"))
        totals = self._totals()
        self._keep(high=fine(totals.high, "high"), low=fine(totals.low, "low"), step=fine(totals.tick, "step"))
        if max(abs(totals.high), abs(totals.low)) / totals.tick > LARGEST:
            raise SettingError.of("step", f"one of which high and low hold at most {LARGEST}", totals.tick)

    @property
    def candidates(self) -> Labels:
        """The public candidates."""
        return cast("Labels", self.among)

    def ask(self) -> Ask:
        """Add up the clipped amounts for each candidate."""
        totals = self._totals()
        low, high = int(totals.low / totals.tick), int(totals.high / totals.tick)
        amount = Amount(self.amount, low, high, totals.tick)
        return Long(Named(self.column, texts(self.among, "among")), self.at_most, amount, self.home())

    def scores(self, tally: Tally, neighbours: Neighbours) -> Scores:
        """Score each candidate by its total."""
        return self._totals().score_totals(tally.tolist(), neighbours)

    def sentence(self) -> str:
        """Say what is asked."""
        low, high = plain(Fraction(self.low)), plain(Fraction(self.high))
        simple = self.low == 0 and self.at_most == 1
        most = (
            f"at most {high} from each person" if simple else f"from {low} to {high} for each person and {self.column}"
        )
        which = f"Which {self.column} has the largest total of {self.amount}"
        return f"{which}, of {listed(self.candidates)}, {most}{self.for_each()}?"

    def _totals(self) -> Totals:
        return Totals(self.candidates, self.high, self.low, self.step, self.at_most)


@lru_cache(maxsize=4)
def _revenue_on(low: Fraction, high: Fraction, step: Fraction) -> Revenue:
    return Revenue(_points(low, high, step))


def _points(low: Fraction, high: Fraction, step: Fraction) -> Labels:
    if low.denominator == step.denominator == 1:
        return range(int(low), int(high) + 1, int(step))
    digits = max(len(plain(part).partition(".")[2]) for part in (low, step))
    unit = Decimal(1).scaleb(-digits)
    first, stride = int(low / Fraction(unit)), int(step / Fraction(unit))
    return tuple(unit * (first + stride * place) for place in range((high - low) // step + 1))
