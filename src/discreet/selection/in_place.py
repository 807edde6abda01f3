"""``select_in_place``: one candidate, or the best k, where the scores are too many to move: they stay in their table.

What reaches this process is how many candidates each score has, and the few thousand candidates of one shard of one
score. All coins are flipped here, once, on exact numbers; so a task that fails, is repeated or runs twice elsewhere
changes nothing, and what is drawn has exactly the mechanism's law.
"""

import math
import secrets
from fractions import Fraction
from typing import Any, Unpack

from discreet.engines.ask import Unlisted
from discreet.engines.in_place import Counted, Ranked
from discreet.engines.members import Place, named
from discreet.engines.opening import reader
from discreet.errors import SettingError
from discreet.exact import Number, flag, positive, whole
from discreet.ledger import Ledger
from discreet.mechanisms.limited_domain import LimitedDomain, Shortlist
from discreet.sampling.coins import Coins
from discreet.sampling.column import Column
from discreet.sampling.levels import Levels
from discreet.selection.entries import Entries
from discreet.selection.plan import Settings, plan, sensitivity_of
from discreet.selection.result import Selection
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
    """
    flips, least = door(coins), not flag(maximize, "maximize")
    ranked = Ranked(reader(table), candidate, score, positive(step, "step"), least)
    ranked.check()
    known = on_grid(_said(settings), ranked.step, ranked.grid, one_way=settings.get("monotonic") is True)
    words: Any = {name: value for name, value in settings.items() if name not in SAID}
    nothing = Entries(range(2), Column.of([0, 0]), range(2), known, ranked.step)
    plan(nothing, None if k is None else whole(k, "k"), **words)  # refuses a bad setting before anything is read
    levels = _levels(ranked.counted())
    count = None if k is None else whole(k, "k", most=len(levels))
    chosen = plan(nothing, count, **words)
    drawn = chosen.mechanism.draw(levels, flips)
    positions = [drawn] if isinstance(drawn, int) else drawn
    return Selection(
        winners=tuple(named(ranked, [_place(levels, position) for position in positions], flips.below)),
        indices=(),
        mechanism=chosen.mechanism,
        guarantee=chosen.guarantee,
        neighbours=known.neighbours,
        candidates=len(levels),
        tick=ranked.step,
    )


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


def _levels(counted: Counted) -> Levels:
    if counted.look is None:
        return Levels.of(Column.of(counted.tops), counted.members)
    return Levels(counted.tops, counted.members, counted.counts, counted.look)


def _place(levels: Levels, position: int) -> Place:
    """Return the score, the offset in its level, and the size of the level at one position."""
    block = int(levels.ends.searchsorted(position, side="right"))
    found, rest = levels.open(block), position - levels.first(block)
    at = int(found.ends.searchsorted(rest, side="right"))
    size = int(found.sizes[at])
    return Place(int(found.scores[at]), rest - (int(found.ends[at]) - size), size)
