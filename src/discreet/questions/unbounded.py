"""A quantile where nobody knows bounds: the first of some public numbers that enough people reach at most.

The numbers grow by a factor, from a start up to the largest that a table is read to. How many there are costs nothing,
so they need not be near the data. The tally brings how many people lie between them, and no more.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from discreet.domains.unbounded import UnboundedQuantile
from discreet.engines.ask import Tally
from discreet.errors import SettingError
from discreet.exact import Number, number, plain, positive
from discreet.guarantees import Guarantee
from discreet.mechanisms.base import spendable
from discreet.questions.base import FINEST, LARGEST, fine
from discreet.questions.drawn import Unforeseen
from discreet.sampling.coins import Coins
from discreet.selection.result import Drawing, Selection
from discreet.sensitivity import Neighbours, Sensitivity

if TYPE_CHECKING:
    from collections.abc import Hashable

    from discreet.questions.base import Question

MOST_CUTS = 1000
"""Public numbers that a table is cut at: each is a comparison for each row."""


def growing(q: Fraction, start: Number, factor: Number) -> UnboundedQuantile:
    """Return the domain of the numbers from ``start`` on, each ``factor`` times the last, up to what tables hold.

    >>> growing(Fraction(1, 2), 1, 10).most
    16
    """
    first, by = fine(positive(start, "start"), "start"), number(factor, "factor")
    if first * (by - 1) < FINEST:
        raise SettingError.of("factor", "a number above 1, by which start grows by 1e-9 or more", by)
    most, point = 1, first * by
    while point <= LARGEST:
        most, point = most + 1, point * by
        if most > MOST_CUTS:
            wanted = f"one by which start reaches {LARGEST} in at most {MOST_CUTS} steps"
            raise SettingError.of("factor", wanted, by, "take a larger factor, or a larger start")
    return UnboundedQuantile(q, first, by, most)


def labels_of(domain: UnboundedQuantile) -> tuple[int | Decimal, ...]:
    """Return the numbers as they are answered: to nine decimals, as tables are read, so with the same people below.

    >>> labels_of(growing(Fraction(1, 2), 8, "1.5"))[:3]
    (8, 12, 18)
    """
    return tuple(_label(point) for point in domain.grid)


def spoken(domain: UnboundedQuantile) -> str:
    """Say which numbers may be answered.

    >>> spoken(growing(Fraction(1, 2), 1, 2)), spoken(growing(Fraction(1, 2), "0.5", 2))
    ('a power of 2', '0.5 times a power of 2')
    """
    power = f"a power of {plain(domain.factor)}"
    return power if domain.start == 1 else f"{plain(domain.start)} times {power}"


@dataclass(frozen=True, slots=True)
class Unbounded(Unforeseen):
    """A quantile without bounds: where a stream of tests along public numbers halts, and what that promises.

    >>> from discreet.guarantees import Pure
    >>> print(Unbounded.of(growing(Fraction(1, 2), 1, 2), Pure(1), "replace").guarantee)
    1-differential privacy and 1.5-bounded range
    """

    domain: UnboundedQuantile
    mechanism: Drawing
    sensitivity: Sensitivity
    guarantee: Guarantee
    tick: Fraction = Fraction(1)

    @classmethod
    def of(cls, domain: UnboundedQuantile, goal: Guarantee, neighbours: Neighbours) -> "Unbounded":
        """Take the largest rate that gives the goal."""
        rate = spendable(domain.calibrate(goal, neighbours), goal)
        step = Fraction(1) if neighbours == "replace" else max(domain.q, 1 - domain.q)
        facts = Sensitivity.of(sensitivity=step, range=1, neighbours=neighbours)
        how = Drawing("a stream of threshold tests", rate)
        return cls(domain, how, facts, domain.promise(rate, neighbours))

    def drawn(self, question: "Question", tally: Tally, flips: Coins) -> list[list[Any]]:
        """Draw; return the place of the number, or the one after the last where no test passed."""
        del question
        (counts,) = tally
        point = self.domain.score_parts(counts, self.sensitivity.neighbours).law(self.mechanism.rate).draw(flips)
        return [[self.domain.most if point is None else self.domain.grid.index(point)]]

    def selection(self, question: "Question", places: list[Any]) -> Selection:
        """Return what was drawn, as it may be shown."""
        del question
        place: int = places[0]
        numbers: tuple[Hashable, ...] = (*labels_of(self.domain), None)
        relation = self.sensitivity.neighbours
        size = self.domain.most
        return Selection((numbers[place],), (place,), self.mechanism, self.guarantee, relation, size, self.tick)


def _label(point: Fraction) -> int | Decimal:
    read = point // FINEST
    return int(read * FINEST) if read * FINEST % 1 == 0 else Decimal(read).scaleb(-9).normalize()
