"""Revenue: which price earns most, when everyone whose bid reaches it buys."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.counts import Labels
from discreet.errors import SettingError
from discreet.exact import Number, plain, positive
from discreet.scores.base import Scores, common_tick, dtype_for, numbers, whole_numbers
from discreet.scores.order import reaching, readable
from discreet.sensitivity import Neighbours, Sensitivity


@dataclass(frozen=True, slots=True, init=False)
class Revenue:
    """The score of a price is price times bids that reach it. Step: the top price; gap: at most that, never twice.

    >>> Revenue(["0.50", "0.75", "1.00"]).score([0.75, 1.25, None], "replace")
    Scores(3 candidates, step=4, gap=4, replace, in ticks of 0.25, by revenue)
    >>> Revenue(["0.50", "0.75", "1.00"]).score([0.75, 1.25, None])
    Scores(3 candidates, step=4, gap=3, add-remove, in ticks of 0.25, by revenue)

    Add-remove. A new bid adds p to the prices p it reaches, the lowest few, and 0 to the rest: step the top price. If
    it reaches all, the moves lie between the lowest and the top price; if not, between 0 and the second highest. So
    the gap is the larger of top minus lowest and second highest; on a fine grid, nearly the top price.

    Replace. A bid raised from v to w adds p to the prices in (v, w] and 0 elsewhere; lowered, it takes p away there.
    All moves go one way, so step and gap are the top price and no factor 2 is paid.

    A bid above the top price counts as the top price. What is no number, NaN or negative buys nothing. Decimal text is
    the number it says: "0.80". A float bid is the binary number it is: 0.03 lies a hair below three hundredths and does
    not reach the price "0.03", so give money as text, as decimals or in whole cents. Scores are stored in
    whole ticks, the largest amount that divides every price.
    """

    name: ClassVar[str] = "revenue"
    candidates: Labels
    prices: tuple[Fraction, ...]

    def __init__(self, prices: Iterable[Hashable]) -> None:
        names, exact = numbers(prices, "prices")
        if min(exact) <= 0:
            raise SettingError("prices: wanted numbers above 0; at least one is not")
        object.__setattr__(self, "candidates", names)
        object.__setattr__(self, "prices", exact)

    @classmethod
    def grid(cls, low: Number, high: Number, step: Number) -> "Revenue":
        """Return the family of all prices from ``low`` to ``high``, both included, ``step`` apart.

        >>> len(Revenue.grid("0.01", "1.99", "0.01").candidates)
        199
        """
        start, stop, stride = positive(low, "low"), positive(high, "high"), positive(step, "step")
        if stop < start or (stop - start) % stride:
            raise SettingError.of("high", f"{plain(start)} plus a whole number of steps of {plain(stride)}", high)
        return cls(start + stride * k for k in range((stop - start) // stride + 1))

    @property
    def tick(self) -> Fraction:
        """The largest amount of money that divides every price."""
        return common_tick(self.prices)

    def sensitivity(self, neighbours: Neighbours = "add-remove") -> Sensitivity:
        """Return the step and gap proved above, in ticks; one price alone has the top price for both."""
        rising = sorted(price / self.tick for price in self.prices)
        top = gap = rising[-1]
        if neighbours == "add-remove" and len(rising) > 1:
            gap = max(top - rising[0], rising[-2])
        return Sensitivity.of(sensitivity=top, range=gap, neighbours=neighbours)

    def score(self, people: Iterable[object], neighbours: Neighbours = "add-remove") -> Scores:
        """Score each price by what it would earn; one item of ``people`` is one person's bid."""
        return self._scored(reaching(readable(people), self.prices), neighbours)

    def score_cells(self, cells: NDArray[np.int64], neighbours: Neighbours = "add-remove") -> Scores:
        """Score each price by what it would earn, from how many bids reach it and no higher one; prices must rise.

        >>> Revenue(["0.50", "0.75"]).score_cells(np.array([3, 1]))
        Scores(2 candidates, step=3, gap=2, add-remove, in ticks of 0.25, by revenue)
        """
        return self._scored(np.cumsum(cells[::-1])[::-1], neighbours)

    def _scored(self, buyers: NDArray[np.int64], neighbours: Neighbours) -> Scores:
        facts, tick = self.sensitivity(neighbours), self.tick
        kind = dtype_for(int(facts.step) * (int(buyers.max(initial=0)) + 1))
        amounts = np.array([int(price / tick) for price in self.prices], dtype=kind)
        return Scores(self.candidates, whole_numbers(amounts * buyers.astype(kind)), facts, tick, self.name)
