"""Selection in place, through DuckDB: the law of the same scores in a list, by levels, buckets and shards."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet.balls import Ball, at
from discreet.engines import in_place, members
from discreet.engines.duckdb import DuckDB
from discreet.engines.in_place import Ranked
from discreet.engines.members import Below, Place, drawn, named
from discreet.errors import DataError, GuardError, SettingError
from discreet.mechanisms.limited_domain import LimitedDomain
from discreet.sampling import laws
from discreet.sampling.coins import SystemCoins
from discreet.sampling.column import Column
from discreet.selection.in_place import on_grid, select_in_place, shortlist_in_place
from discreet.sensitivity import Sensitivity
from discreet.testing import ExactLaw, exact_law
from discreet.testing.fit import fits
from tests.engines.sparks import TINY, Remembering, check_law
from tests.sampling.alarms import ALARMS

SCORES = [3, 1, 3, 0, 3, 1]
NAMES = [f"n{place}" for place in range(len(SCORES))]
RATE = Fraction(3, 4)
LAWS: list[tuple[str, Callable[[Column, Fraction], list[Ball]]]] = [
    ("exponential", laws.exponential),
    ("permute-and-flip", laws.permute_and_flip),
]


def held(scores: list[Any], names: list[Any] | None = None) -> DuckDB:
    """A table of candidates and their scores."""
    own = [f"n{place}" for place in range(len(scores))] if names is None else names
    return DuckDB(pl.DataFrame({"item": own, "score": scores}))


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits so small that six candidates need buckets, pieces and shards."""
    for limit in TINY:
        monkeypatch.setattr(*limit)


@pytest.mark.parametrize("route", ["levels", "buckets"])
@pytest.mark.parametrize(("mechanism", "oracle"), LAWS)
def test_the_law_is_that_of_the_list(
    mechanism: str, oracle: Callable[[Column, Fraction], list[Ball]], route: str, request: pytest.FixtureRequest
) -> None:
    """With large forks, each candidate has the chance it has in a plain list; a rate 5 % off has not."""
    if route == "buckets":
        request.getfixturevalue("tiny")
    check_law(held(SCORES), SCORES, mechanism, oracle, runs=6000)


@pytest.mark.usefixtures("tiny")
def test_samples_of_two_have_the_law() -> None:
    """Peeled through buckets and shards, the first and the second winner fit the law of peeling a list."""
    engine, coins, counts = Remembering(held(SCORES)), SystemCoins(), dict[Any, int]()
    words: Any = {"epsilon": 2 * RATE, "range": 1, "mechanism": "exponential", "k": 2}
    for _ in range(4000):
        winners = select_in_place(engine, "item", "score", coins=coins, **words).winners
        counts[winners] = counts.get(winners, 0) + 1
    weights = [float(w) for w in at(64, lambda: laws.weights(Column.of(SCORES), RATE))]

    def law(own: list[float]) -> dict[tuple[str, ...], float]:
        total, pairs = sum(own), [(a, b) for a in range(6) for b in range(6) if a != b]
        return {(NAMES[a], NAMES[b]): own[a] / total * own[b] / (total - own[a]) for a, b in pairs}

    right, wrong = law(weights), law([weight**0.9 for weight in weights])
    seen = [counts.get(pair, 0) for pair in right]
    assert fits(seen, list(right.values()), ALARMS["in place"])
    assert not fits([20 * count for count in seen], list(wrong.values()), ALARMS["in place"])


MEMBERS = [f"m{place}" for place in range(6)]


def walked(places: list[Place], wrong: Callable[..., bool] | None = None) -> ExactLaw:
    """The law of who is named at some places of a level of six and a level of two, walked coin by coin."""
    ranked = Ranked(Remembering(held([7] * 6 + [9] * 2, [*MEMBERS, "x", "y"])), "item", "score")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("MOST_FETCHED", "LIKELY", "MOST_SHARDS"):
            patch.setattr(members, name, 2)
        if wrong is not None:
            patch.setattr(members, "stands", wrong)
        return exact_law(lambda coins: tuple(named(ranked, places, coins.below)), leftover="1e-3", runs=10_000)


def always(size: int, most: int, below: Below) -> bool:
    """Keep the shard that was drawn, if it has a member."""
    del most, below
    return size > 0


def halves(size: int, most: int, below: Below) -> bool:
    """Keep it half the time, however many members it has."""
    return size > 0 and below(2 * most) < most


def one_more(size: int, most: int, below: Below) -> bool:
    """Count one member too many."""
    return size > 0 and below(most + 1) < size + 1


def test_a_member_of_a_large_level_is_as_likely_as_another() -> None:
    """Through parts and shards of different sizes, each has one chance in n; kept otherwise, it has not."""
    found, uniform = walked([Place(7, 3, 6)]), {(name,): Fraction(1, 6) for name in MEMBERS}
    assert found.contains(uniform)
    assert found.leftover < Fraction(1, 50)
    for mutant in (always, halves, one_more):
        assert not walked([Place(7, 3, 6)], mutant).contains(uniform)


def test_members_of_several_levels_are_independent() -> None:
    """One of a large and both of a small level: the small ones keep their order, the large one its law."""
    found = walked([Place(9, 1, 2), Place(7, 0, 6), Place(9, 0, 2)])
    ways: list[Any] = [*found.masses]
    assert {way[0] + way[2] for way in ways} == {"yx"}
    assert found.contains({("y", name, "x"): Fraction(1, 6) for name in MEMBERS})


def test_two_of_one_large_level_are_different() -> None:
    """Two places in one large level are named by their offsets, whatever the coins."""
    found = walked([Place(7, 3, 6), Place(7, 4, 6)])
    ways: list[Any] = [*found.masses]
    assert len(ways) == 1
    assert all(len({*way}) == 2 for way in ways)


KINDS: list[Callable[[int], Any]] = [str, int, lambda n: date(2000, 1, 1 + n), lambda n: Decimal(n).scaleb(-2)]


@given(size=some.integers(1, 25), likely=some.integers(1, 9), kind=some.sampled_from(KINDS), missing=some.booleans())
@settings(max_examples=20)
def test_only_members_are_drawn(size: int, likely: int, kind: Callable[[int], Any], missing: bool) -> None:  # noqa: FBT001
    """Whatever the parts, the shards and the type of names, a member comes, and none that is not in the level."""
    names = [kind(place) for place in range(size)] + [None] * missing
    ranked = Ranked(held([4] * len(names), names), "item", "score")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(members, "LIKELY", likely)
        found = {drawn(ranked, Place(4, 0, len(names)), SystemCoins().below) for _ in range(6)}
    assert found <= {*names}


@settings(max_examples=25)
@given(
    scores=some.lists(some.one_of(some.integers(-50, 50), some.integers(-(2**61), 2**61)), min_size=1, max_size=40),
    least=some.booleans(),
    most=some.sampled_from([1, 3, 100]),
)
def test_levels_and_buckets_hold_every_candidate(scores: list[int], least: bool, most: int) -> None:  # noqa: FBT001
    """However far apart scores are, the blocks laid end to end are the sorted scores, and each place has its member."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_place, "MOST_LEVELS", most)
        patch.setattr(in_place, "PIECE", 2)
        patch.setattr(members, "MOST_FETCHED", 1)
        ranked = Ranked(held(scores), "item", "score", least=least)
        counted = ranked.counted()
        blocks = [(counted.tops, counted.members)]
        if counted.look is not None:
            blocks = [counted.look(block) for block in range(len(counted.tops))]
            for (own, sizes), top, many, levels in zip(blocks, *counted[:3], strict=True):
                assert (own.max(), sizes.sum(), len(own) <= levels) == (top, many, True)
        pairs = [(int(s), int(n)) for own, sizes in blocks for s, n in zip(own, sizes, strict=True)]
        sign = -1 if least else 1
        assert [s for s, n in pairs for _ in range(n)] == sorted((sign * score for score in scores), reverse=True)
        places = [Place(s, offset, n) for s, n in pairs for offset in range(n)]
        assert sorted(named(ranked, places, SystemCoins().below)) == sorted(f"n{place}" for place in range(len(scores)))


def test_a_level_off_by_one_releases_nothing() -> None:
    """Where the members found are not as many as were counted, in either direction, the answer is withheld."""

    class Miscounting(Remembering):
        """An engine whose first answer says one too many, or one too few, of each level."""

        by = 1

        def query(self, columns: Any, text: str, tables: Any, name: str) -> Any:
            found = super().query(columns, text, tables, name)
            return found if tables else [(score, size + self.by) for score, size in found]

    words: Any = {"epsilon": 1, "scores": "counts"}
    engine = Miscounting(held([5, 5, 5]))
    for by, fetched in ((1, 10), (-1, 10), (1, 1), (-1, 1)):
        engine.by = by
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(members, "MOST_FETCHED", fetched)
            patch.setattr(members, "LIKELY", 1)
            with pytest.raises(GuardError, match="changed between two looks"):
                select_in_place(engine, "item", "score", **words)
    engine.by = 0
    assert select_in_place(engine, "item", "score", **words).winner in {*NAMES}


@pytest.mark.parametrize("bad", [[1.5, None], [1.5, float("nan")], [1.5, float("inf")], [1.5, 1e300]])
def test_what_is_no_score_is_refused(bad: list[Any]) -> None:
    """A missing, infinite or unreachable score is refused as in a list, and nothing of it is shown."""
    with pytest.raises(DataError, match="wanted a finite number within reach") as caught:
        select_in_place(held(bad), "item", "score", epsilon=1, sensitivity=1, step="0.01")
    assert not any(figure in str(caught.value) for figure in ("1.5", "nan", "1e+300"))
    with pytest.raises(DataError, match="within reach"):
        select_in_place(held([0, 2**62]), "item", "score", epsilon=1, sensitivity=1)


def test_settings_are_refused_before_a_row_is_read() -> None:
    """Words that make no sense, and columns that do not fit, never reach a query."""

    class Closed(Remembering):
        """An engine nobody may ask."""

        def query(self, columns: Any, text: str, tables: Any, name: str) -> Any:
            raise AssertionError(columns, text, tables, name)

    engine = Closed(held([1, 2]))
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"sensitivity": 1}, "epsilon"),
        ({"epsilon": 1}, "sensitivity"),
        ({"epsilon": 1, "sensitivity": [1, 2]}, "one number for all"),
        ({"epsilon": 1, "scores": "counts", "prior": [1, 2]}, "prior"),
        ({"epsilon": 1, "scores": "counts", "gap": 1}, "gap"),
        ({"epsilon": 1, "scores": "counts", "k": 0}, "k: wanted"),
        ({"epsilon": 1, "scores": "counts", "step": "0.5"}, "whole number"),
        ({"epsilon": 1, "scores": "counts", "step": 0}, "step"),
    ]
    for words, match in wrong:
        with pytest.raises(SettingError, match=match):
            select_in_place(engine, "item", "score", **words)
    with pytest.raises(DataError, match="wanted numbers"):
        select_in_place(Closed(held([1], [True])), "score", "item", epsilon=1, scores="counts")
    with pytest.raises(SettingError, match="k: wanted"):
        select_in_place(held([1, 2]), "item", "score", k=3, epsilon=1, scores="counts")
    with pytest.raises(SettingError, match="at least one"):
        select_in_place(
            DuckDB(pl.DataFrame({"item": [], "score": []}, schema={"item": pl.String, "score": pl.Int64})),
            "item",
            "score",
            epsilon=1,
            scores="counts",
        )


def test_columns_follow_the_rules_of_a_tally(tmp_path: Path) -> None:
    """A first line that may be a row is not shown; Python objects are refused; a collation makes none one."""
    words: Any = {"epsilon": 50, "scores": "counts"}
    file = tmp_path / "scores.csv"
    file.write_text("zebra77,score\na,900\nb,1\n", encoding="utf-8")
    with pytest.raises(DataError, match="2 names in the first line") as caught:
        select_in_place(file, "item", "score", **words)
    assert "zebra77" not in str(caught.value)
    assert select_in_place(file, "zebra77", "score", **words).winner == "a"
    with pytest.raises(DataError, match="mixed Python objects"):
        select_in_place(pd.DataFrame({"item": ["a", 1], "score": [1, 2]}), "item", "score", **words)
    path = tmp_path / "scores.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE held(item VARCHAR COLLATE NOCASE, score INT)")
        connection.execute("INSERT INTO held VALUES ('Ann', 900), ('ann', 1), ('ANN', 1)")
    assert select_in_place(DuckDB(path, table="held"), "item", "score", **words).winner == "Ann"
    plan = LimitedDomain(Fraction(1), 1, Fraction(1, 100))
    assert sorted(shortlist_in_place(plan, DuckDB(path, table="held"), "item").counts) == [1, 1, 1]


@settings(max_examples=60)
@given(
    scores=some.lists(some.floats(-1e6, 1e6), min_size=2, max_size=8),
    moves=some.lists(some.fractions(-1, 1, max_denominator=64), min_size=8, max_size=8),
    step=some.fractions(Fraction(1, 100), 3, max_denominator=100),
    one_way=some.booleans(),
)
def test_the_grid_keeps_its_promise(scores: list[float], moves: list[Fraction], step: Fraction, one_way: bool) -> None:  # noqa: FBT001
    """However the scores of a neighbour moved, ticks move by no more than was promised of them."""
    own = [abs(move) if one_way else move for move in moves[: len(scores)]]
    moved = [float(Fraction(score) + move) for score, move in zip(scores, own, strict=True)]
    true = [Fraction(after) - Fraction(before) for before, after in zip(scores, moved, strict=True)]
    once, both = max(map(abs, true)), max(true) - min(true)
    if both == 0 or (one_way and min(true) < 0):
        return
    points = Sensitivity(once, min(both, 2 * once), "add-remove")
    ticks = [
        Ranked(held(values), "item", "score", step).run("SELECT c, q FROM ranked ORDER BY c")
        for values in (scores, moved)
    ]
    change = [after[1] - before[1] for before, after in zip(*ticks, strict=True)]
    promised = on_grid(points, step, "real", one_way=one_way)
    assert max(map(abs, change)) <= promised.step
    assert max(change) - min(change) <= promised.gap


def test_a_grid_moves_more_than_the_scores() -> None:
    """The promise is needed: where no score moved by 3 hundredths, one tick moves and another does not."""
    before, after = [[("n0", 9), ("n1", 4)], [("n0", 10), ("n1", 4)]]
    for values, expected in (([0.99, 0.45], before), ([1.01, 0.46], after)):
        ranked = Ranked(held(values), "item", "score", Fraction("0.1"))
        assert ranked.run("SELECT c, q FROM ranked ORDER BY c") == expected
    assert on_grid(Sensitivity.of(sensitivity="0.02"), Fraction("0.1"), "real").gap >= 1


def test_a_shortlist_is_that_of_the_rows() -> None:
    """The greatest counts that leave the table are those a list of rows gives, ties, caps and depth included."""
    people = {f"p{n}": [f"s{n % 7}", f"s{n % 3}", "é"] for n in range(60)}
    rows = pl.DataFrame([{"who": who, "sign": sign} for who, signs in people.items() for sign in (*signs, signs[0])])
    rows = pl.concat([rows, pl.DataFrame({"who": ["p1", None], "sign": [None, "s9"]}, schema=rows.schema)])
    for depth in (2, 5, 100):
        plan = LimitedDomain(Fraction(1), 2, Fraction(1, 100), at_most=3, depth=depth)
        found, expected = shortlist_in_place(plan, rows, "sign", unit="who"), plan.read(people.values())
        assert (found.items, found.counts, found.next) == (expected.items, expected.counts, expected.next)
    once = LimitedDomain(Fraction(1), 2, Fraction(1, 100), at_most=1)
    assert sum(shortlist_in_place(once, rows, "sign", unit="who").counts) == 60
    assert sum(shortlist_in_place(once, rows, "sign").counts) == 241
