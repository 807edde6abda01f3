"""``select_in_place``: one candidate, or the best k, where the scores are too many to move: they stay in their table.

What reaches this process is how many candidates each score has, and the few thousand candidates of one shard of one
score. All coins are flipped here, once, on exact numbers; so a task that fails, is repeated or runs twice elsewhere
changes nothing, and what is drawn has exactly the mechanism's law.
"""

import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import Any, Unpack, cast
from uuid import UUID

from discreet.engines.ask import Unlisted
from discreet.engines.in_place import Ranked
from discreet.engines.members import Place, named
from discreet.engines.opening import reader
from discreet.errors import LedgerError, SettingError
from discreet.exact import Number, flag, positive, whole
from discreet.ledger import Ledger, Receipt
from discreet.mechanisms.limited_domain import LimitedDomain, Shortlist
from discreet.sampling.coins import Coins
from discreet.sampling.column import Column
from discreet.sampling.levels import Levels
from discreet.selection.charged import agreeing, charged, uncharged
from discreet.selection.entries import Entries
from discreet.selection.plan import Plan, Settings, plan, sensitivity_of, under
from discreet.selection.result import Selection, describe
from discreet.selection.verbs import door
from discreet.sensitivity import Sensitivity


def select_in_place(
    table: Any,
    /,
    candidate: str,
    score: str,
    *,
    k: int | None = None,
    step: Number = 1,
    maximize: bool = True,
    ledger: Ledger | None = None,
    per: str | None = None,
    analyst: str | None = None,
    memo: str = "",
    request: str | None = None,
    coins: Coins | None = None,
    **settings: Unpack[Settings],
) -> Selection:
    """Pick one candidate of a table with one row for each, or ``k`` of them; the other words are those of ``select``.

    >>> import polars
    >>> rows = polars.DataFrame({"article": ["a", "b", "c"], "readers": [3, 900, 2]})
    >>> select_in_place(rows, "article", "readers", epsilon=1, scores="counts").winner
    'b'

    ``table`` is a DataFrame of Spark, ``spark://`` and the name of a table, or whatever ``open`` reads. Who the
    candidates are must be public, also those whose score is 0. Whole scores are used as they are. All others are
    rounded down to the public grid ``step``, and how far one person moves them is rounded up with them. The table must
    give the same rows each time it is read; where it is noticed that it does not, nothing is released.

    With a ``ledger`` it is charged as a question is; ``analyst``, ``memo`` and ``request`` are those of ``ask``. Then
    ``per`` names whom the stated sensitivity is about, who must be whom the ledger protects: the scores alone do not
    say it. ``"auto"`` is the exponential mechanism where the ledger counts rho.
    """
    flips, least, ticks = door(coins), not flag(maximize, "maximize"), positive(step, "step")
    way = _way(Ranked(reader(table), candidate, score, ticks, least), k, ledger, settings)
    if ledger is None:
        uncharged(analyst, request)
        levels = way.counted()
        return way.selection(way.drawn(levels, flips), len(levels))
    if per is None:
        raise SettingError.of("per", "whom the sensitivity is about, since a ledger protects somebody", per)
    book = agreeing(ledger, per, way.known.neighbours, "the scores")
    about: dict[str, Any] = {"analyst": analyst, "memo": memo, "request": request, "question": way.to_dict()}
    about |= {"per": per, "neighbours": way.known.neighbours}
    recorded, receipt = charged(book, way.chosen.guarantee, way.counted, lambda held: way.told(held, flips), **about)
    return way.shown(recorded, receipt)


@dataclass(frozen=True, slots=True)
class InPlace:
    """What will be done, from public settings: the table and its columns, the mechanism, how many winners.

    >>> InPlace.__slots__
    ('ranked', 'chosen', 'count')
    """

    ranked: Ranked
    chosen: Plan
    count: int | None

    @property
    def known(self) -> Sensitivity:
        """How far one person moves the scores, in ticks."""
        return self.chosen.sensitivity

    def to_dict(self) -> dict[str, Any]:
        """Return what is asked, as a ledger keeps it."""
        asked = {"question": "select in place", "candidate": self.ranked.candidate, "score": self.ranked.score}
        how = {"step": str(self.ranked.step), "mechanism": describe(self.chosen.mechanism)}
        moved = {"moves": [str(self.known.step), str(self.known.gap)], "maximize": not self.ranked.least}
        return {**asked, **how, **moved, "k": self.count}

    def counted(self) -> Levels:
        """Count the members of each level; there must be enough candidates."""
        counted = self.ranked.counted()
        if counted.look is None:
            levels = Levels.of(Column.of(counted.tops), counted.members)
        else:
            levels = Levels(counted.tops, counted.members, counted.counts, counted.look)
        if self.count is not None:
            whole(self.count, "k", most=len(levels))
        return levels

    def drawn(self, levels: Levels, flips: Coins) -> list[Any]:
        """Flip all coins and fetch the names."""
        drawn = self.chosen.mechanism.draw(levels, flips)
        positions = [drawn] if isinstance(drawn, int) else drawn
        return named(self.ranked, [_place(levels, position) for position in positions], flips.below)

    def told(self, levels: Levels, flips: Coins) -> dict[str, Any]:
        """Draw; return the answer as a ledger keeps it."""
        return {"winners": [written(name) for name in self.drawn(levels, flips)], "candidates": len(levels)}

    def shown(self, recorded: Mapping[str, Any], receipt: Receipt) -> Selection:
        """Return a recorded answer, if it is one to this."""
        with suppress(KeyError, TypeError, ValueError):
            winners = [label(one) for one in recorded["winners"]]
            if len(winners) == (self.count or 1):
                return self.selection(winners, whole(recorded["candidates"], "candidates"), receipt)
        raise LedgerError("request: wanted a record of an answer to this question, got another; check the ledger")

    def selection(self, winners: Sequence[Any], candidates: int, receipt: Receipt | None = None) -> Selection:
        """Return what was drawn, as it may be shown."""
        return Selection(
            winners=tuple(winners),
            indices=(),
            mechanism=self.chosen.mechanism,
            guarantee=self.chosen.guarantee,
            neighbours=self.known.neighbours,
            candidates=candidates,
            tick=self.ranked.step,
            receipt=receipt,
        )


def _way(ranked: Ranked, k: int | None, ledger: Ledger | None, settings: Settings) -> InPlace:
    """Settle what will be done; whatever is wrong with the settings is refused here, before anything is read."""
    ranked.check()
    said = _said(settings)
    one_way = settings.get("monotonic") is True or (settings.get("scores") is not None and said.gap == said.step)
    known = on_grid(said, ranked.step, ranked.grid, one_way=one_way)
    left: Any = {name: value for name, value in settings.items() if name not in SAID}
    words: Any = under(None if ledger is None else ledger.rule, left)
    count = None if k is None else whole(k, "k")
    nothing = Entries(range(2), Column.of([0, 0]), range(2), known, ranked.step)
    return InPlace(ranked, plan(nothing, count, **words), count)


def written(name: Any) -> Any:
    """Return a candidate's name as a JSON-ready value that says what it was.

    >>> written("zoo"), written(date(2026, 5, 1))
    ('zoo', ['date', '2026-05-01'])
    """
    return name if name is None or isinstance(name, str | int) else [type(name).__name__, str(name)]


def label(kept: Any) -> Any:
    """Return the name that was written so.

    >>> label(written(Decimal("1.50")))
    Decimal('1.50')
    """
    if not isinstance(kept, list):
        return kept
    kind, text = cast("list[str]", kept)
    return KINDS[kind](text)


def shortlist_in_place(
    plan: LimitedDomain, table: Any, /, column: str, *, unit: str = "row", ledger: Ledger | None = None
) -> Shortlist:
    """Read the greatest counts of a column without a public list; nothing but these leaves the table.

    >>> import polars
    >>> from fractions import Fraction
    >>> plan = LimitedDomain(Fraction(1), 1, Fraction(1, 100))
    >>> shortlist_in_place(plan, polars.DataFrame({"sign": ["flu"] * 90 + ["cold"]}), "sign").law(1)
    LimitedLaw(up to 1 of 1000 items)

    Which of a person's items count is decided by a secret key, that of the ``ledger`` if there is one.
    """
    key = secrets.token_hex(16) if ledger is None else ledger.key().hex()
    person = None if unit == "row" else unit
    (seen,) = reader(table).tally(Unlisted(column, plan.at_most, plan.depth + 1), person, key)
    return plan.read_counts(dict(zip(seen.items, seen.people, strict=True)))


KINDS: dict[str, Callable[[str], Any]] = {
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "Decimal": Decimal,
    "UUID": UUID,
}
"""How names that are neither text nor whole numbers are read back."""
SAID = ("sensitivity", "range", "monotonic", "scores", "normaliser", "neighbours")
"""The words that say how far one person moves the scores."""


def on_grid(points: Sensitivity, step: Fraction, grid: str, *, one_way: bool = False) -> Sensitivity:
    """Return how far one person moves scores that were rounded down to a grid, in whole steps of it.

    Whole scores on a grid of 1 stay as they are. Otherwise a score that moves by v points moves by the whole number
    below or above v / step, so one score moves by at most the step rounded up, and two by one more than the gap rounded
    up. A real score is divided as a floating-point number, which may put it on the other side of one line: one more.

    >>> on_grid(Sensitivity.of(sensitivity=1, monotonic=True), Fraction(1), "exact").gap
    Fraction(1, 1)
    >>> moved = on_grid(Sensitivity.of(sensitivity="0.5"), Fraction("0.25"), "real")
    >>> moved.step, moved.gap
    (Fraction(3, 1), Fraction(6, 1))
    """
    if grid == "exact":
        return points
    slack = int(grid == "real")
    once = math.ceil(points.step / step) + slack
    both = min((1 if one_way else 2) * once, math.ceil(points.gap / step) + 1 + slack)
    return Sensitivity(Fraction(once), Fraction(both), points.neighbours)


def _said(settings: Settings) -> Sensitivity:
    for name in ("prior", "gap"):
        if settings.get(name) is not None:
            raise SettingError(f"{name}: wanted nothing, since the candidates stay where they are, got one")
    moved = settings.get("sensitivity")
    if hasattr(moved, "__len__") and not isinstance(moved, str):
        raise SettingError.of("sensitivity", "one number for all candidates", moved)
    return sensitivity_of(None, settings)


def _place(levels: Levels, position: int) -> Place:
    """Return the score, the offset in its level, and the size of the level at one position."""
    block = int(levels.ends.searchsorted(position, side="right"))
    found, rest = levels.open(block), position - levels.first(block)
    at = int(found.ends.searchsorted(rest, side="right"))
    size = int(found.sizes[at])
    return Place(int(found.scores[at]), rest - (int(found.ends[at]) - size), size)
