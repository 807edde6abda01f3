"""Who is in a level: fetched where the members are few, otherwise one public shard of a hash at a time.

The hash only cuts. Which member it is, is settled by coins that are flipped where the names are asked for, and no query
draws anything. Scores, shards and how many shards there are travel in a small table, and are in no text.

**One winner in a large level**, the common case, takes one query. A hash cuts the level into parts, and each part into
as many shards. A part and a shard of it are drawn before the query, each as likely as another. The query returns how
many members each part has, how many each shard of that part has, and the members of that shard. A part stands with
chance its size / the size of the largest part; if it does not, another is drawn in the same way until one stands, and
looked into. So each part comes with a chance in proportion to its size. The same goes for the shards of the part. Each
member of a shard is as likely as another, and so each of the n members of the level comes with chance 1 / n. A good
hash makes parts and shards of nearly one size, and so the first ones nearly always stand.

**Several winners in large levels** are named by their offsets, which are different: the shard in which each lies is
found by counting, and fetched.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from discreet.engines.in_place import Ranked, Small
from discreet.errors import GuardError

MOST_FETCHED = 10_000
"""More members than this are sharded before one shard is fetched."""
LIKELY = 5000
"""A level is cut into shards of about so many members."""
MOST_SHARDS = 4096
"""So many finer shards are counted in each round that looks for offsets."""
DEEPEST = 2**60
CHANGED = "the candidates changed between two looks at them, so nothing was released; cache them, or write them down"
SAME = "ranked.q IS NOT DISTINCT FROM (SELECT q FROM chosen)"
"""Compares a score so that Spark works it out once: with a plain equals sign it first asks whether there is one."""
LOOK = f"""SELECT k, d, COUNT(*) FROM (
SELECT CASE WHEN MOD(t - (SELECT s FROM chosen), (SELECT p FROM chosen)) = 0 THEN (SELECT p FROM chosen) + t
ELSE MOD(t, (SELECT p FROM chosen)) END AS k,
CASE WHEN t = (SELECT s FROM chosen) THEN c ELSE {{other}} END AS d
FROM (SELECT c, {{shard}} AS t FROM ranked WHERE {SAME}) AS cut) AS seen GROUP BY k, d"""  # noqa: S608 - fixed text
"""Counts the parts of a level, the shards of one part, and each member of one shard. Shard t is in part MOD(t, p)."""

OTHERS = {"VARCHAR": "''", "BIGINT": "0", "INTEGER": "0", "DATE": "DATE '2000-01-01'"}
"""What stands where no member is listed, by the type of candidates: Spark counts groups of NULL by a slower way."""

Below: TypeAlias = Callable[[int], int]
"""A coin: a whole number from 0 to below a bound, each as likely as another."""


class Place(NamedTuple):
    """One member of a level: its score, its offset among the level's members, and how many these are: private.

    >>> Place(7, 0, 3).size
    3
    """

    score: int
    offset: int
    size: int


def named(ranked: Ranked, places: Sequence[Place], below: Below) -> list[Any]:
    """Return candidates for some different places, in the order asked; of each level, any members are as likely.

    >>> import polars
    >>> from discreet.engines.duckdb import DuckDB
    >>> ranked = Ranked(DuckDB(polars.DataFrame({"item": ["a", "b", "c"], "score": [5, 5, 2]})), "item", "score")
    >>> named(ranked, [Place(2, 0, 1)], lambda bound: 0)
    ['c']
    """
    large = [place for place in places if place.size > MOST_FETCHED]
    if len(large) != 1:
        return by_offset(ranked, places)
    others = iter(by_offset(ranked, [place for place in places if place.size <= MOST_FETCHED]))
    alone = drawn(ranked, large[0], below)
    return [alone if place.size > MOST_FETCHED else next(others) for place in places]


def drawn(ranked: Ranked, level: Place, below: Below) -> Any:
    """Draw one member of a large level, each as likely as another; the offset is not used.

    >>> import polars
    >>> from discreet.engines.duckdb import DuckDB
    >>> ranked = Ranked(DuckDB(polars.DataFrame({"item": ["a", "a"], "score": [5, 5]})), "item", "score")
    >>> drawn(ranked, Place(5, 0, 2), lambda bound: 0)
    'a'
    """
    count = math.isqrt((level.size - 1) // LIKELY) + 1
    part, shard = below(count), below(count)
    seen = _look(ranked, level, count, part, shard)
    other = settled(seen.parts, count, part, below)
    if other != part:
        part, shard = other, below(count)
        seen = _look(ranked, level, count, part, shard)
    own = settled(seen.shards, count, shard, below)
    members = seen.members if own == shard else _fetched(ranked, level.score, part + count * own, count * count)
    return _sorted(members, seen.shards[own])[below(seen.shards[own])][0]


def settled(sizes: Mapping[int, int], count: int, first: int, below: Below) -> int:
    """Return a shard in proportion to its size, the first if it stands.

    >>> settled({0: 3, 1: 3}, 2, 1, lambda bound: 0)
    1
    """
    shard, most = first, max(sizes.values())
    while not stands(sizes.get(shard, 0), most, below):
        shard = below(count)
    return shard


def stands(size: int, most: int, below: Below) -> bool:
    """Return yes with chance size / most.

    >>> stands(1, 1, lambda bound: 0)
    True
    """
    return below(most) < size


def by_offset(ranked: Ranked, places: Sequence[Place]) -> list[Any]:
    """Return the candidates at some offsets: count finer and finer shards until those with the offsets are small.

    >>> import polars
    >>> from discreet.engines.duckdb import DuckDB
    >>> ranked = Ranked(DuckDB(polars.DataFrame({"item": ["a", "b", "c"], "score": [5, 5, 2]})), "item", "score")
    >>> by_offset(ranked, [Place(2, 0, 1), Place(5, 1, 2)])
    ['c', 'b']
    """
    if not places:
        return []
    shards = [(place.score, 0, place.offset, place.size) for place in places]
    shares = max(2, MOST_SHARDS // max(1, sum(place.size > MOST_FETCHED for place in places)))
    modulus = 1
    while modulus < DEEPEST and any(size > MOST_FETCHED for *_, size in shards):
        shards = _split(ranked, shards, modulus, modulus * shares)
        modulus *= shares
    members = _grouped(ranked, "ranked.c", [shard[:2] for shard in shards], modulus)
    ordered = {(score, shard): _sorted(members[score, shard], size) for score, shard, _, size in shards}
    return [ordered[score, shard][rest][0] for score, shard, rest, _ in shards]


class Seen(NamedTuple):
    """What one look at a level returns: the sizes of its parts, those of the shards of one part, one shard's members.

    >>> Seen._fields
    ('parts', 'shards', 'members')
    """

    parts: dict[int, int]
    shards: dict[int, int]
    members: list[tuple[Any, ...]]


def _look(ranked: Ranked, level: Place, count: int, part: int, shard: int) -> Seen:
    """Look at a level, if its members are as many as were counted."""
    seen, own = Seen({}, {}, []), part + count * shard
    other = OTHERS.get(ranked.engine.columns()[ranked.candidate], "NULL")
    text = LOOK.format(shard=ranked.engine.shard("c", "(SELECT f FROM chosen)"), other=other)
    tables = {"chosen": ("q BIGINT, s BIGINT, p BIGINT, f BIGINT", [(level.score, own, count, count * count)])}
    for key, member, many in ranked.run(text, tables):
        at = key % count
        seen.parts[at] = seen.parts.get(at, 0) + many
        if key >= count:
            at = (key - count) // count
            seen.shards[at] = seen.shards.get(at, 0) + many
        if key - count == own:
            seen.members.extend([(member,)] * many)
    if sum(seen.parts.values()) != level.size:
        raise GuardError(CHANGED)
    return seen


def _fetched(ranked: Ranked, score: int, shard: int, modulus: int) -> list[tuple[Any, ...]]:
    return _grouped(ranked, "ranked.c", [(score, shard)], modulus)[score, shard]


def _split(ranked: Ranked, shards: list[Any], modulus: int, finer: int) -> list[Any]:
    """Find the finer shard in which each offset lies."""
    chosen = [shard[:2] for shard in shards]
    count = "(SELECT f FROM chosen)" if len(set(chosen)) == 1 else "chosen.f"
    columns = f"{ranked.engine.shard('ranked.c', count)} AS t, COUNT(*) AS n"
    pieces = _grouped(ranked, columns, chosen, modulus, " GROUP BY", finer=finer)
    return [_within(sorted(pieces[score, shard]), score, rest, size) for score, shard, rest, size in shards]


def _grouped(
    ranked: Ranked, columns: str, shards: Sequence[tuple[int, int]], modulus: int, group: str = "", *, finer: int = 0
) -> dict[tuple[int, int], list[tuple[Any, ...]]]:
    """Return columns of the members of some shards of levels, for each shard.

    A single one is a filter, which costs one look at each score; several are joined to.
    """
    wanted = sorted(set(shards))
    shard = ranked.engine.shard("ranked.c", "(SELECT m FROM chosen)" if len(wanted) == 1 else "chosen.m")
    if len(wanted) == 1:
        own = f" AND {shard} = (SELECT s FROM chosen)" if modulus > 1 else ""  # noqa: S608 - a hash of a column
        text = f"SELECT {columns} FROM ranked WHERE {SAME}{own}{group and group + ' 1'}"  # noqa: S608 - fixed text
        found = [(*wanted[0], *row) for row in ranked.run(text, _chosen(wanted, modulus, finer))]
    else:
        own = f"JOIN chosen ON ranked.q = chosen.q WHERE {shard} = chosen.s{group and group + ' 1, 2, 3'}"
        found = ranked.run(f"SELECT ranked.q, chosen.s, {columns} FROM ranked {own}", _chosen(wanted, modulus, finer))  # noqa: S608
    members: dict[tuple[int, int], list[tuple[Any, ...]]] = {key: [] for key in wanted}
    for score, piece, *row in found:
        members[score, piece].append(tuple(row))
    return members


def _chosen(shards: Sequence[tuple[int, int]], modulus: int, finer: int) -> Small:
    """Return some shards of levels as a small table: score, shard, of how many, and how many finer ones there are."""
    return {"chosen": ("q BIGINT, s BIGINT, m BIGINT, f BIGINT", [(*shard, modulus, finer) for shard in shards])}


def _sorted(members: list[Any], size: int) -> list[Any]:
    if len(members) != size:
        raise GuardError(CHANGED)
    return sorted(members, key=str)


def _within(pieces: list[tuple[int, int]], score: int, rest: int, size: int) -> tuple[int, int, int, int]:
    if sum(number for _, number in pieces) != size:
        raise GuardError(CHANGED)
    for piece, number in pieces:
        if rest < number:
            return score, piece, rest, number
        rest -= number
    raise GuardError(CHANGED)
