"""One price for everyone: how fine the public price grid should be, and how much revenue may be lost.

The score of a price p is its revenue, p times the number of bids at or above p. One bidder more moves every revenue
by 0 or by p, and one bidder changed moves them all one way: the gap is the top price under both relations.
"""

from dataclasses import dataclass
from fractions import Fraction

from discreet.exact import Number, positive, whole
from discreet.utility.bounds import above, ball_log
from discreet.utility.planning import Forecast


@dataclass(frozen=True, slots=True)
class PriceGrid:
    """The prices ``step, 2 step, ..., top``, for at most ``bidders`` bidders and one selection at ``epsilon``.

    >>> grid = PriceGrid.of(1000, epsilon="0.1", top=1, step="0.01")
    >>> grid.prices, grid.loss_bound("0.05")
    (100, 85.39558829301032)
    """

    bidders: int
    epsilon: Fraction
    top: Fraction
    prices: int

    @classmethod
    def of(cls, bidders: int, *, epsilon: Number, top: Number = 1, step: Number | None = None) -> "PriceGrid":
        """Choose the grid: steps of ``top * ln(n) / (n epsilon)``, made a little finer so that they divide the top.

        That many steps make the two losses alike: n bidders lose at most a step each, ``top * ln(n) / epsilon``
        together, and the selection loses about as much among that many prices. With ``step=`` the grid is yours;
        a step that does not divide the top is made finer until it does.

        >>> PriceGrid.of(1000, epsilon=1).prices
        145
        """
        people, price = whole(bidders, "bidders"), positive(top, "top")
        budget = positive(epsilon, "epsilon")
        steps = price / positive(step, "step") if step is not None else people * budget / _log(people)
        return cls(people, budget, price, max(1, -int(-steps // 1)))

    @property
    def step(self) -> Fraction:
        """The distance of two prices, exactly."""
        return self.top / self.prices

    def loss_bound(self, probability: Number = "0.05", *, form: str = "exact") -> float:
        """Return a loss of revenue that is exceeded with at most this probability, rounded up.

        Lower the best price p* to the grid: every buyer stays and pays less by under one step, so the best grid
        price loses at most n steps (if p* is under the first step, all its revenue is). The selection then loses
        at most the error bound at rate epsilon / top.

        >>> PriceGrid.of(1000, epsilon="0.1", step="0.01").loss_bound("0.05", form="textbook")
        86.00902459542083
        """
        return self._forecast(form).error_bound(probability)

    def expected_loss(self, *, form: str = "exact") -> float:
        """Return the greatest mean loss of revenue, rounded up.

        >>> PriceGrid.of(1000, epsilon="0.1", step="0.01").expected_loss()
        36.28649597020283
        """
        return self._forecast(form).expected_error()

    def _forecast(self, form: str) -> Forecast:
        # Candidates within step * n of the best price of all: the rounded one at least, so `within` is that much.
        # The exponential mechanism's bound holds for permute-and-flip too, which is never worse.
        return Forecast.of(self.prices, within=self.step * self.bidders, form=form, rate=self.epsilon / self.top)


def continuous_price_loss(bidders: int, *, epsilon: Number, top: Number = 1) -> float:
    """Return the greatest mean loss when the price is drawn from all of (0, top] instead of a grid, rounded up.

    Prices at most d below the best lose at most d * n and have base measure d / top, so the mean loss is at most
    d n + (top / epsilon) W((1 - m)/(m e)) <= d n + (top / epsilon) ln(1/m), m = d / top; d = top / (n epsilon).

    >>> continuous_price_loss(1000, epsilon="0.1") < 56.06
    True
    """
    people, price, budget = whole(bidders, "bidders"), positive(top, "top"), positive(epsilon, "epsilon")
    mass = min(Fraction(1), 1 / (people * budget))
    within = mass * price * people
    return Forecast.over(mass, within=within, form="textbook", epsilon=budget, range=price).expected_error()


def _log(people: int) -> Fraction:
    return max(Fraction(1), above(lambda: ball_log(people)))
