"""Top-k when nobody can say which items there are: the greatest counts against a stop symbol (Durfee and Rogers 2019).

Only the ``depth`` greatest counts are looked at, and one candidate more, the stop symbol. Its score lies above the
next count by a public amount, so that an item which is there on one dataset and not on its neighbour has next to no
chance to be drawn before it. What little chance it has is the delta.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Self, cast, get_args

from discreet.balls import Ball, ball, exponential, ratio
from discreet.errors import SettingError
from discreet.exact import chance, positive, whole
from discreet.guarantees import Approx, Guarantee, Range, Zcdp
from discreet.readings import as_approx, as_zcdp, edge, implies, largest
from discreet.sampling.among import among
from discreet.sampling.coins import Coins
from discreet.sensitivity import Neighbours, one_of

Item = int | str

DEPTH = 1000
"""Counts looked at unless said otherwise, or four times the number wanted. More only lowers the bar to be found."""
MOST = 20_000
"""More answers than this are not listed."""
HAIR = 1 - Fraction(1, 2**40)


class Found(NamedTuple):
    """The items in the order drawn, and whether the stop symbol ended them: what is released, and what is paid for.

    >>> Found(("flu", "cold"), stopped=True).draws
    3
    """

    items: tuple[Item, ...]
    stopped: bool

    @property
    def draws(self) -> int:
        """How many draws were revealed; that it stopped is one of them."""
        return len(self.items) + self.stopped


@dataclass(frozen=True, slots=True)
class LimitedDomain:
    """Up to ``draws`` draws in up to ``calls`` calls, both fixed beforehand; a person counts for ``at_most`` items.

    Each draw has a bounded range of rate, and ``delta`` is what one call pays for items that are not on both datasets.
    ``slack`` is the delta with which draws are added up as zCDP; without it their epsilons are added.

    >>> few, many = (LimitedDomain.calibrate(Approx(1, "1e-6"), draws) for draws in (2, 10))
    >>> [round(float(plan.rate), 4) for plan in (few, many)], few.slack, many.slack
    ([0.5, 0.1355], Fraction(0, 1), Fraction(1, 2000000))
    """

    rate: Fraction
    draws: int
    delta: Fraction
    calls: int = 1
    slack: Fraction = Fraction(0)
    at_most: int = 1
    depth: int = DEPTH
    neighbours: Neighbours = "add-remove"

    def __post_init__(self) -> None:
        for name in ("draws", "calls", "at_most", "depth"):
            object.__setattr__(self, name, whole(getattr(self, name), name))
        object.__setattr__(self, "rate", positive(self.rate, "rate"))
        object.__setattr__(self, "delta", chance(self.delta, "delta"))
        object.__setattr__(self, "slack", chance(self.slack, "slack") if self.slack else Fraction(0))
        one_of(self.neighbours, "neighbours", get_args(Neighbours))

    @property
    def gap(self) -> int:
        """How far one person moves the difference of two scores: 1, or 2 where people are replaced."""
        return 1 if self.neighbours == "add-remove" else 2

    @property
    def draw_promise(self) -> Range:
        """What one revealed draw promises on the items both datasets have: what composition adds up.

        >>> LimitedDomain(Fraction(1, 10), 5, Fraction(1, 10**6)).draw_promise
        Range(epsilon=Fraction(1, 10))
        """
        return Range(self.rate * self.gap)

    @property
    def bar(self) -> Fraction:
        """How many times the stop symbol outweighs an item that just misses: min(items one person moves, depth)/delta.

        >>> LimitedDomain(Fraction(1), 5, Fraction(1, 100), at_most=3).bar
        Fraction(300, 1)
        """
        return min(self.gap * self.at_most, self.depth) / self.delta

    def promise(self) -> Guarantee:
        """Return what all calls together guarantee, however the draws fall on them.

        >>> print(LimitedDomain(Fraction(1, 10), 5, Fraction(1, 100)).promise())
        (0.55, 0.01)-differential privacy
        """
        base = Approx(self.draws * self.draw_promise.epsilon, self.slack)
        if self.slack:
            once = as_zcdp(self.draw_promise)
            assert once is not None  # noqa: S101 - for the type checkers: a bounded range has a rho
            added = as_approx(Zcdp(self.draws * once.rho), self.slack)
            base = min(base, added, key=lambda way: way.epsilon)
        return self.promise_given(base)

    def promise_given(self, base: Approx) -> Approx:
        """Return the whole promise, where ``draws`` adaptive uses of ``draw_promise`` are known to give ``base``.

        The items that only one dataset has cost a factor 1 + delta a draw, and a chance of delta a call.
        """
        return Approx(base.epsilon + self.draws * self.delta, min(Fraction(1), base.delta + self.calls * self.delta))

    @classmethod
    def calibrate(
        cls,
        target: Guarantee,
        draws: int,
        *,
        calls: int = 1,
        at_most: int = 1,
        depth: int | None = None,
        neighbours: Neighbours = "add-remove",
    ) -> Self:
        """Return the largest rate whose promise gives the target: all of delta to the bar, or half to composition.

        >>> LimitedDomain.calibrate(Approx(1, "1e-6"), 100).slack
        Fraction(1, 2000000)
        """
        wanted = "an Approx with a delta above 0, which unknown items need"
        if not isinstance(target, Approx) or not 0 < target.delta < 1:
            raise SettingError.of("guarantee", wanted, str(target), "or list the candidates, and need no delta")
        draws, calls = whole(draws, "draws"), whole(calls, "calls")
        deep = max(DEPTH, 4 * draws) if depth is None else depth
        found: list[Self] = []
        for slack in (Fraction(0), target.delta / 2):
            delta = (target.delta - slack) / calls
            room = target.epsilon - draws * delta
            if room > 0:
                wide = cls(Fraction(1), draws, delta, calls, slack, at_most, deep, neighbours).gap
                rate = _most(room, slack, draws) / wide
                found.append(cls(rate, draws, delta, calls, slack, at_most, deep, neighbours))
        if not found:
            raise SettingError.of("epsilon", f"more than draws * delta / calls for {draws} draws", target.epsilon)
        return max(found, key=lambda way: way.rate)

    def read(self, people: Iterable[Any]) -> "Shortlist":
        """Count items: each person a text or whole number, or a list, tuple or set of them.

        Anything else drops. Of one person the first ``at_most`` different items count; of a set, the first in the
        public order, whole numbers before texts.

        >>> LimitedDomain(Fraction(1), 1, Fraction(1, 100)).read(["flu", ["flu", "cold"], {"cold"}, None])
        Shortlist(up to 1000 items)
        """
        counts: Counter[Item] = Counter()
        for person in people:
            counts.update(_items(person, self.at_most))
        return self.read_counts(counts)

    def read_counts(self, counts: Mapping[Item, int]) -> "Shortlist":
        """Read items counted elsewhere, under the same limit a person.

        >>> LimitedDomain(Fraction(1), 1, Fraction(1, 100)).read_counts({"flu": 812, "cold": 0}).law(1)
        LimitedLaw(up to 1 of 1000 items)
        """
        own = {item: int(count) for label, count in counts.items() if (item := _item(label)) is not None and count > 0}
        ranked = sorted(own, key=lambda item: (-own[item], *_place(item)))[: self.depth + 1]
        last = own[ranked.pop()] if len(ranked) > self.depth else 0
        return Shortlist(self, tuple(ranked), tuple(own[item] for item in ranked), last)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Shortlist:
    """The items of the greatest counts, best first, and the next count: private, and it does not print.

    >>> LimitedDomain(Fraction(1), 1, Fraction(1, 100), depth=2).read([1, 2, 3]).items
    (1, 2)
    """

    plan: LimitedDomain
    items: tuple[Item, ...]
    counts: tuple[int, ...]
    next: int

    def __repr__(self) -> str:
        return f"Shortlist(up to {self.plan.depth} items)"

    def law(self, count: int) -> "LimitedLaw":
        """Return the law of one call for up to ``count`` items."""
        return LimitedLaw(self, whole(count, "count", most=self.plan.draws))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class LimitedLaw:
    """Peel the shortlist with the stop symbol as one more candidate, until it is drawn or there are enough items.

    An item of count h weighs exp(rate * h); the stop symbol ``bar`` times exp(rate * (next count + gap)). So its score
    is the next count plus gap plus ln(bar)/rate: nothing of this irrational number is ever rounded.

    >>> from discreet.sampling.coins import SystemCoins
    >>> LimitedDomain(Fraction(1), 2, Fraction(1, 100)).read_counts({"flu": 812, "cold": 790}).law(2).draw(
    ...     SystemCoins()
    ... )
    Found(items=('flu', 'cold'), stopped=False)
    """

    shortlist: Shortlist
    count: int

    def __repr__(self) -> str:
        return f"LimitedLaw(up to {self.count} of {self.shortlist.plan.depth} items)"

    def draw(self, coins: Coins) -> Found:
        """Return what one call finds, with exactly this law."""
        left, found = list(range(len(self.shortlist.items))), list[Item]()
        while len(found) < self.count:
            place = among(self._weights(left), coins)
            if place == len(left):
                return Found(tuple(found), stopped=True)
            found.append(self.shortlist.items[left.pop(place)])
        return Found(tuple(found), stopped=False)

    def chances(self) -> Mapping[Found, Ball]:
        """Return every answer and its chance, at the working precision; refuse where they are too many to list."""
        if (len(self.shortlist.items) + 1) ** self.count > MOST:
            raise SettingError.of("count", f"a call with at most {MOST} answers, to list them", self.count)
        return dict(self._answers([], list(range(len(self.shortlist.items))), ball(1)))

    def _answers(self, found: list[Item], left: list[int], weight: Ball) -> Iterable[tuple[Found, Ball]]:
        if len(found) == self.count:
            return [(Found(tuple(found), stopped=False), weight)]
        weights = self._weights(left)()
        total = sum(weights, ball(0))
        answers = [(Found(tuple(found), stopped=True), weight * weights[-1] / total)]
        for place, item in enumerate(left):
            rest = left[:place] + left[place + 1 :]
            answers.extend(self._answers([*found, self.shortlist.items[item]], rest, weight * weights[place] / total))
        return answers

    def _weights(self, left: list[int]) -> Callable[[], list[Ball]]:
        plan, counts = self.shortlist.plan, self.shortlist.counts
        stop, rate, bar = self.shortlist.next + plan.gap, ratio(plan.rate), plan.bar
        best = max(counts[left[0]], stop) if left else stop

        def compute() -> list[Ball]:
            falls = {count: exponential(rate, count - best) for count in {stop, *(counts[place] for place in left)}}
            return [*(falls[counts[place]] for place in left), falls[stop] * ball(bar)]

        return compute


def _most(room: Fraction, slack: Fraction, draws: int) -> Fraction:
    """Return the largest bounded range of which so many give the epsilon, with this delta for zCDP or by the sum."""
    if not slack:
        return room / draws
    rho = edge(lambda amount: implies(Zcdp(amount), Approx(room * HAIR, slack)))[0]
    return largest(Range, Zcdp(rho / draws))


def _item(label: object) -> Item | None:
    """Return a text or whole number as itself, whatever class it came in; else None."""
    if isinstance(label, str):
        return str(label)
    return int(label) if isinstance(label, int) and not isinstance(label, bool) else None


def _items(person: object, at_most: int) -> list[Item]:
    several = isinstance(person, list | tuple | set | frozenset)
    labels = cast("Iterable[object]", person) if several else [person]
    different = dict.fromkeys(item for label in labels if (item := _item(label)) is not None)
    ordered = sorted(different, key=_place) if isinstance(person, set | frozenset) else list(different)
    return ordered[:at_most]


def _place(item: Item) -> tuple[bool, int, str]:
    return (True, 0, item) if isinstance(item, str) else (False, item, "")
