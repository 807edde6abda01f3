"""Scores of straight pieces: the law of the draw, with few runs and with many, and bounds that are bounds."""

from collections.abc import Callable, Hashable
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet.balls import Ball, at, ball, two_to
from discreet.errors import GuardError, SettingError
from discreet.sampling import lines
from discreet.sampling.coins import SystemCoins
from discreet.sampling.lines import Lines, LogLinear, Run, around
from discreet.testing.domains import check_law
from discreet.testing.tree import ExactLaw, exact_law

SHAPES: list[list[tuple[int, int, int]]] = [
    [(5, 0, 0)],
    [(3, -6, 2), (1, 0, 0), (2, -1, -1)],
    [(2, 4, 0), (3, 0, 3), (1, 7, -5), (4, 1, -2)],
]


def laid(runs: list[tuple[int, int, int]]) -> Lines:
    """Lay runs, given as size, start and slope, end to end."""
    size, start, slope = (np.array(column) for column in zip(*runs, strict=True))
    return Lines(np.cumsum(size) - size, size, start, slope)


def oracle(runs: list[tuple[int, int, int]], rate: Fraction) -> dict[Hashable, Ball]:
    """Return the chances of all numbers, one by one."""
    scores = [start + slope * t for size, start, slope in runs for t in range(size)]
    weights = [ball(rate * score).exp() for score in scores]
    total = sum(weights, ball(0))
    return {place: weight / total for place, weight in enumerate(weights)}


def by_run(runs: list[tuple[int, int, int]], rate: Fraction) -> dict[int, Ball]:
    """Return the chance of each run, from those of its numbers."""
    chances = iter(oracle(runs, rate).values())
    return {position: sum(islice(chances, size), ball(0)) for position, (size, _, _) in enumerate(runs)}


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every list of runs count as many, with bounds so coarse that the tree of coins has room for them.

    Coins of any bias are one fork: what makes them of single bits is settled by the tests of ``flip``.
    """
    monkeypatch.setattr(lines, "FEW", 0)
    monkeypatch.setattr(lines, "BITS", 3)
    monkeypatch.setattr(lines, "flip", lambda coins, bias: coins.weigh(bias))


@pytest.mark.parametrize("runs", SHAPES)
@pytest.mark.parametrize("rate", [Fraction(1, 10**20), Fraction(1, 4), Fraction(2)])
def test_a_few_runs_have_the_law(runs: list[tuple[int, int, int]], rate: Fraction) -> None:
    """Drawn by certified sums: rising, level and falling runs, of one number and of more."""
    check_law(LogLinear(laid(runs), rate), at(128, lambda: oracle(runs, rate)))


@pytest.mark.usefixtures("crowded")
@pytest.mark.parametrize("runs", SHAPES)
@pytest.mark.parametrize("rate", [Fraction(1, 10**20), Fraction(1, 4), Fraction(2)])
def test_many_runs_have_the_law(runs: list[tuple[int, int, int]], rate: Fraction) -> None:
    """Proposed by whole-number bounds, decided by certified coins: a run has the chance of all its numbers."""
    assert attempts(runs, rate).contains(at(128, lambda: by_run(runs, rate)))


@pytest.mark.usefixtures("crowded")
def test_planted_wrong_decisions_among_many_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """To accept every proposal, or half of those and a quarter of all, is another law."""
    accept: list[Callable[..., bool]] = [
        lambda *_: True,
        lambda coins, bias: coins.weigh(lambda: bias() / 2 + ball(1) / 4),
    ]
    for wrong in accept:
        monkeypatch.setattr(lines, "flip", wrong)
        assert not attempts(SHAPES[1], Fraction(1, 4)).contains(at(128, lambda: by_run(SHAPES[1], Fraction(1, 4))))


def attempts(runs: list[tuple[int, int, int]], rate: Fraction) -> ExactLaw:
    """Walk one attempt, given that it stands: they are independent and alike, so the first that stands has this law."""
    law = LogLinear(laid(runs), rate)
    ends = law._ends
    assert ends is not None
    return exact_law(lambda coins: law._attempt(ends, coins)).given(lambda position: position is not None)


def _short(self: Lines, position: int) -> Run:
    first, size, start, slope = Run(
        *(int(column[position]) for column in (self.first, self.size, self.start, self.slope))
    )
    return Run(first, max(1, size - 1), start, slope)


PLANTED: list[tuple[object, str, Callable[..., Any]]] = [
    (Lines, "run", _short),
    (lines, "offset", lambda _, size, coins: coins.below(size)),
    (lines, "geometric_sum", lambda _, size: ball(size)),
    (LogLinear, "mass", lambda *_: ball(1)),
]


@pytest.mark.parametrize(("place", "name", "wrong"), PLANTED, ids=[name for _, name, _ in PLANTED])
def test_planted_wrong_parts_are_caught(
    place: object, name: str, wrong: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A last point left out, a level run for a steep one, and other masses are other laws."""
    law = LogLinear(laid(SHAPES[1]), Fraction(1, 4))
    expected = at(128, lambda: oracle(SHAPES[1], Fraction(1, 4)))
    monkeypatch.setattr(place, name, wrong)
    with pytest.raises(AssertionError):
        check_law(law, expected)


RUNS = some.lists(
    some.tuples(some.sampled_from([1, 2, 7, 10**6, 2**50]), some.integers(-(10**12), 10**12), some.integers(-9, 9)),
    min_size=33,
    max_size=60,
)
RATES = some.sampled_from([Fraction(1, 10**400), Fraction(1, 10**14), Fraction(1, 997), Fraction(5), Fraction(10**400)])


@settings(max_examples=40, deadline=None)
@given(runs=RUNS, rate=RATES, wide=some.booleans())
def test_bounds_are_bounds(runs: list[tuple[int, int, int]], rate: Fraction, wide: bool) -> None:  # noqa: FBT001
    """No certified mass passes its whole-number bound, and the bounds of the heaviest runs are close."""
    laid_out = laid(runs)
    if wide:
        laid_out = Lines(laid_out.first, laid_out.size, laid_out.start.astype(object), laid_out.slope)
    law = LogLinear(laid_out, rate)
    assert law._ends is not None
    bounds = np.diff(law._ends, prepend=0)
    shares = at(128, lambda: [law.mass(j) * two_to(law._bits - law._lift) / int(bounds[j]) for j in range(len(runs))])
    assert all(share <= 1 for share in shares)
    assert any(share > 1 - 2.0**-18 for share in shares)


def test_a_bound_that_is_none_stops_the_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds without the room for long runs are passed, and the guard says so; nothing is released."""
    monkeypatch.setattr(Lines, "log_sums", lambda found, _: np.zeros(len(found)))
    law = LogLinear(laid([(10**6, 0, 0)] * 40), Fraction(1))
    with pytest.raises(GuardError):
        law.draw(SystemCoins())


@pytest.mark.parametrize("kind", [np.int64, object])
def test_large_rates_find_the_best_point(kind: type[Any]) -> None:
    """Among 10 000 runs over 2**62 points, and among two."""
    size = np.full(10_000, 2**48)
    start = np.zeros(10_000, dtype=kind)
    start[7_000] = 2**60
    found = Lines(np.cumsum(size) - size, size, start, np.full(10_000, -1))
    assert LogLinear(found, Fraction(10**6)).draw(SystemCoins()) == 7_000 * 2**48
    assert LogLinear(around(2**61, 2**62), Fraction(10**6)).draw(SystemCoins()) == 2**61


def test_nothing_private_prints() -> None:
    """Neither the law nor the runs show a number that depends on the data."""
    assert repr(LogLinear(around(3, 9), Fraction(1))) == "LogLinear()"
    assert {repr(laid([(1, 0, 0)] * count)) for count in (5, 50)} == {"Lines()"}


def test_too_many_to_list_are_refused() -> None:
    """Chances of 2**62 points are not listed."""
    with pytest.raises(SettingError, match="to list"):
        LogLinear(around(3, 2**62), Fraction(1)).chances()
