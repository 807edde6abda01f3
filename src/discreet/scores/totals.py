"""Totals: how much people bring to a candidate, each amount clipped."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, cast

from discreet.counts import Labels, labels
from discreet.errors import SettingError
from discreet.exact import Number, number, plain, positive, whole
from discreet.scores.base import Scores, whole_numbers
from discreet.scores.order import told
from discreet.sensitivity import Neighbours, Sensitivity


@dataclass(frozen=True, slots=True, init=False)
class Totals:
    """The score of a candidate is the sum of what people bring to it, each in whole ticks from ``low`` to ``high``.

    >>> Totals(["rent", "food"], high=500).score([{"rent": 400.5, "food": 90}, {"food": 10**9}])
    Scores(2 candidates, step=500, gap=500, add-remove, by totals)

    One person brings something to at most ``at_most`` candidates, and 0 to the rest. Write h for the larger of high and
    0, l for the smaller of low and 0, and m for the larger of h and -l.

    Add-remove. A new person adds an entry in [l, h] to at most ``at_most`` scores: step m. Two entries differ by at
    most m if only one can be other than 0, and else by h - l.

    Replace. A changed person adds the difference of two such vectors: an entry by at most h - l, and two entries
    differ by at most twice the gap above. With one candidate step and gap are the same.
    """

    name: ClassVar[str] = "totals"
    candidates: Labels
    low: Fraction
    high: Fraction
    tick: Fraction
    at_most: int

    def __init__(
        self, candidates: Iterable[Hashable], high: Number, low: Number = 0, tick: Number = 1, at_most: int = 1
    ) -> None:
        names, unit = labels(candidates), positive(tick, "tick")
        least, most = number(low, "low"), number(high, "high")
        if least >= most:
            raise SettingError.of("high", f"a number above low, {plain(least)}", high)
        for name, bound in (("low", least), ("high", most)):
            if bound % unit:
                raise SettingError.of(name, f"a whole number of ticks of {plain(unit)}", bound)
        object.__setattr__(self, "candidates", names)
        object.__setattr__(self, "low", least)
        object.__setattr__(self, "high", most)
        object.__setattr__(self, "tick", unit)
        object.__setattr__(self, "at_most", whole(at_most, "at_most"))

    def sensitivity(self, neighbours: Neighbours = "add-remove") -> Sensitivity:
        """Return the step and gap proved above, in ticks."""
        high, low = max(self.high, Fraction(0)) / self.tick, min(self.low, Fraction(0)) / self.tick
        most, alone = max(high, -low), len(self.candidates) == 1
        gap = most if alone or self.at_most == 1 else high - low
        if neighbours == "add-remove":
            return Sensitivity.of(sensitivity=most, range=gap, neighbours=neighbours)
        return Sensitivity.of(sensitivity=high - low, range=high - low if alone else 2 * gap, neighbours=neighbours)

    def score(self, people: Iterable[object], neighbours: Neighbours = "add-remove") -> Scores:
        """Score each candidate by its total; one item of ``people`` maps candidates to what one person brings."""
        totals = [0] * len(self.candidates)
        places = {label: place for place, label in enumerate(self.candidates)}
        for person in people:
            for place, ticks in self._brought(places, person):
                totals[place] += ticks
        return self.score_totals(totals, neighbours)

    def score_totals(self, totals: Iterable[int], neighbours: Neighbours = "add-remove") -> Scores:
        """Score each candidate by its total in ticks, already clipped.

        >>> Totals(["rent", "food"], high=500).score_totals([400, 590])
        Scores(2 candidates, step=500, gap=500, add-remove, by totals)
        """
        values = whole_numbers([int(total) for total in totals])
        return Scores(self.candidates, values, self.sensitivity(neighbours), self.tick, self.name)

    def _brought(self, places: Mapping[Hashable, int], person: object) -> list[tuple[int, int]]:
        if not isinstance(person, Mapping):
            return []
        try:
            rows = list(cast("Mapping[Hashable, object]", person).items())
            amounts = [(places[label], amount) for label, amount in rows if label in places]
        except Exception:  # noqa: BLE001 - a collection that cannot be read brings nothing
            return []
        ticks = [(place, self._ticks(amount)) for place, amount in amounts]
        return sorted((place, found) for place, found in ticks if found is not None)[: self.at_most]

    def _ticks(self, amount: object) -> int | None:
        read = told(amount)
        if read is None:
            return None
        clipped = self.high if read >= self.high else self.low if read <= self.low else Fraction(read)
        return int(clipped // self.tick)
