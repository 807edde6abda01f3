"""Draws below a bound: the law does not depend on the bound, however it is cut, and a bound that is none stops them."""

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet.balls import Ball, at, ball, two_to
from discreet.errors import GuardError
from discreet.sampling import envelope
from discreet.sampling.coins import SystemCoins
from discreet.sampling.envelope import Cell, Envelope, Place
from discreet.testing.fit import fits
from discreet.testing.tree import ExactLaw, exact_law
from tests.sampling.alarms import ALARMS
from tests.sampling.forks import FORKED

SIZES: list[Place] = [(5,), (2, 2), (2, 1, 2)]
RATES = [Fraction(1, 10**20), Fraction(1, 4), Fraction(2)]


class Tilted:
    """Scores without a pattern, below planes that are ``loose`` above a cell of several places."""

    def __init__(self, size: Place, loose: Fraction = Fraction(1), tilt: int = 1) -> None:
        self.size, self.loose, self.tilt = size, loose, tilt

    def score(self, place: Place, /) -> Fraction:
        """Return a score from -3 to 3."""
        return Fraction(sum((axis + 3) * step for axis, step in enumerate(place)) % 7 - 3)

    def cells(self) -> Iterable[Cell]:
        """Return the whole box."""
        yield self.cell((0,) * len(self.size), self.size)

    def cut(self, cell: Cell, place: Place | None) -> Iterable[Cell]:
        """Cut along the longest axis, at the place where the bound was loose."""
        axis = max(range(len(cell.size)), key=cell.size.__getitem__)
        first = 1 if place is None else min(place[axis] - cell.low[axis] + 1, cell.size[axis] - 1)
        for start, size in ((0, first), (first, cell.size[axis] - first)):
            low = (*cell.low[:axis], cell.low[axis] + start, *cell.low[axis + 1 :])
            yield self.cell(low, (*cell.size[:axis], size, *cell.size[axis + 1 :]))

    def cell(self, low: Place, size: Place) -> Cell:
        """Lay a plane over a cell that touches it somewhere, or stays ``loose`` above."""
        slope = tuple(Fraction(self.tilt * (axis - 1)) for axis in range(len(size)))
        flat = Cell(low, size, Fraction(0), slope)
        places = product(*(range(start, start + count) for start, count in zip(low, size, strict=True)))
        above = max(self.score(place) - flat.bound(place) for place in places)
        return flat._replace(start=above if flat.single else above + self.loose)


def oracle(hill: Tilted, rate: Fraction) -> dict[Hashable, Ball]:
    """Return the chances of all places, one by one."""
    weights = {place: ball(rate * hill.score(place)).exp() for place in product(*map(range, hill.size))}
    total = sum(weights.values(), ball(0))
    return {place: weight / total for place, weight in weights.items()}


@pytest.fixture(params=[0, 2])
def warm(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut few cells beforehand, so that draws have to."""
    monkeypatch.setattr(envelope, "WARM", request.param)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork coins of any bias at once, and draws of few ways: their own tests settle what makes them of bits."""
    for name, forked in FORKED.items():
        monkeypatch.setattr(envelope, name, forked)


@pytest.mark.usefixtures("warm", "forked")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rate", RATES)
def test_draws_have_the_law_however_cells_are_cut(size: Place, rate: Fraction) -> None:
    """Among few cells, in one, two and three dimensions, from the first attempt to the last cut."""
    hill = Tilted(size)
    law = exact_law(lambda coins: Envelope(hill, rate).draw(coins), leftover="1e-2", runs=30_000)
    assert law.leftover < Fraction(1, 25)
    assert law.contains(at(128, lambda: oracle(hill, rate)))


def test_real_bits_give_the_same_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is forked but single bits."""
    monkeypatch.setattr(envelope, "WARM", 0)
    hill = Tilted((2,), loose=Fraction(1, 2))
    law = exact_law(lambda coins: Envelope(hill, Fraction(1, 4)).draw(coins), leftover="1e-2")
    assert law.leftover < Fraction(1, 50)
    assert law.contains(at(128, lambda: oracle(hill, Fraction(1, 4))))
    assert not law.contains(at(128, lambda: oracle(hill, Fraction(1, 2))))


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch, forked: None) -> None:
    """Make every list of cells count as many, with bounds so coarse that the tree of coins has room for them."""
    del forked
    monkeypatch.setattr(envelope, "FEW", 0)
    monkeypatch.setattr(envelope, "BITS", 3)


@pytest.mark.usefixtures("warm", "crowded")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rate", RATES)
def test_attempts_among_many_cells_have_the_law(size: Place, rate: Fraction) -> None:
    """Proposed by whole-number bounds, decided by certified coins: an attempt that stands has the law."""
    assert attempted(Tilted(size), rate).contains(at(128, lambda: oracle(Tilted(size), rate)))


def attempted(hill: Tilted, rate: Fraction) -> ExactLaw:
    """Walk the first attempt, given that it stands."""
    law = exact_law(lambda coins: Envelope(hill, rate).attempt(coins), leftover="1e-3", runs=20_000)
    assert law.leftover < Fraction(1, 50)
    return law.given(lambda place: place is not None)


def _along(rise: Fraction, size: int, coins: Any) -> int:
    del rise
    return int(coins.below(size))


MUTANTS: dict[str, tuple[object, str, Callable[..., Any]]] = {
    "all proposals stand": (envelope, "flip", lambda *_: True),
    "a plane is level": (envelope, "_along", _along),
    "a cell weighs one": (Envelope, "mass", lambda *_: ball(1)),
    "a score counts half": (Envelope, "_share", lambda *given: (ball(-given[0]._rate * given[3] / 2)).exp()),
    "a cell lacks its last place": (
        Tilted,
        "cells",
        lambda self: [self.cell((0,) * len(self.size), (self.size[0] - 1, *self.size[1:]))],
    ),
}


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("name", MUTANTS)
def test_planted_wrong_parts_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A draw that accepts too much, falls otherwise or leaves a place out has another law."""
    place, attribute, wrong = MUTANTS[name]
    expected = at(128, lambda: oracle(Tilted((2, 3)), Fraction(1, 2)))
    monkeypatch.setattr(envelope, "WARM", 2)
    monkeypatch.setattr(place, attribute, wrong)
    hill = Tilted((2, 3), tilt=2)
    law = exact_law(lambda coins: Envelope(hill, Fraction(1, 2)).attempt(coins), leftover="1e-3", runs=20_000)
    assert not law.given(lambda place: place is not None).contains(expected)


@pytest.mark.parametrize("short", [Fraction(1, 10**9), Fraction(5)])
def test_a_bound_that_is_none_stops_the_draw(short: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """However little a score passes it; whoever does not look would never know."""
    monkeypatch.setattr(envelope, "WARM", 0)
    hill = Tilted((6,), loose=-short)
    with pytest.raises(GuardError, match="passed the bound"):
        until_stopped(Envelope(hill, Fraction(1, 10**9)))


def until_stopped(closer: Envelope) -> None:
    """Try often enough to meet every place of a small box at a flat rate."""
    for _ in range(1000):
        closer.attempt(SystemCoins())


def test_too_many_cells_stop_the_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """The most there may be is public."""
    monkeypatch.setattr(envelope, "MOST_CELLS", 3)
    with pytest.raises(GuardError, match="nothing was released"):
        Envelope(Tilted((9,)), Fraction(1))


@given(
    best=some.fractions(-(10**30), 10**30, max_denominator=10**9),
    sizes=some.lists(some.sampled_from([1, 2, 7, 10**6, 2**62]), min_size=34, max_size=40),
    slope=some.fractions(-9, 9, max_denominator=10**6),
    rate=some.sampled_from(
        [Fraction(1, 10**400), Fraction(1, 10**14), Fraction(1, 997), Fraction(5), Fraction(10**400)]
    ),
)
def test_whole_numbers_are_bounds(best: Fraction, sizes: list[int], slope: Fraction, rate: Fraction) -> None:
    """No certified mass passes its whole-number bound, and that of the heaviest cell is close."""

    class Row:
        def score(self, place: Place, /) -> Fraction:
            raise AssertionError(place)

        def cells(self) -> Iterable[Cell]:
            for part, size in enumerate(sizes):
                yield Cell((0,), (size,), best * part / 40, (slope * (part % 3),))

        def cut(self, cell: Cell, place: Place | None) -> Iterable[Cell]:
            del place
            yield cell

    made = Envelope(Row(), rate)
    assert made._ends is not None
    bounds = np.diff(made._ends, prepend=0)
    shares = at(
        128,
        lambda: [
            made.mass(cell) * two_to(made._bits - made._lift) / int(bound)
            for cell, bound in zip(made._cells, bounds, strict=True)
        ],
    )
    assert all(share <= 1 for share in shares)
    assert max(float(share) for share in shares) > 1 / 4


def test_samples_of_a_large_box_fit() -> None:
    """Hundreds of cells, proposals in whole numbers: the sums over blocks of the box are those of plain weights."""
    hill, rate = Tilted((30, 30), Fraction(1, 2)), Fraction(1, 3)
    counts, closer = np.zeros(9, dtype=np.int64), Envelope(hill, rate)  # cut ever finer, from draw to draw
    for _ in range(1500):
        row, column = closer.draw(SystemCoins())
        counts[3 * (row // 10) + column // 10] += 1
    weights = np.array([[np.exp(float(rate * hill.score((r, c)))) for c in range(30)] for r in range(30)])
    blocks = weights.reshape(3, 10, 3, 10).sum(axis=(1, 3)).ravel()
    law = (blocks / blocks.sum()).tolist()
    assert fits(counts.tolist(), law, ALARMS["envelope"])
    assert not fits(counts.tolist(), [share * (1.5 if block % 2 else 0.6) for block, share in enumerate(law)], 1e-9)
