"""Lattice and box: the law against enumeration, an epsilon that is exact in one to three dimensions, and mutants."""

from collections.abc import Callable, Hashable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from discreet.balls import Ball, at, ball, upper
from discreet.domains.corner import promised
from discreet.domains.lattice import BoxLaplace, LatticeLaplace
from discreet.errors import SettingError
from discreet.guarantees import Guarantee, Pure, PureRange, Range, Zcdp
from discreet.readings import implies
from discreet.sampling.coins import Coins, SystemCoins
from discreet.testing.domains import check_law
from discreet.testing.tree import exact_law

CLOSE = Fraction(1, 10**12)
BOXES = [(1, 1, 1), (4, 1, 1), (4, 1, 3), (4, 1, 9), (3, 2, 1), (3, 2, 3), (2, 2, 4), (2, 3, 2), (1, 3, 5), (2, 3, 4)]


def distance(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Return the sum of the distances along all sides."""
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


def oracle(true: tuple[int, ...], most: int, rate: Fraction) -> dict[Hashable, Ball]:
    """Return the chances of every point of the box, weight by weight."""
    box = list(product(range(most + 1), repeat=len(true)))
    weights = {y: ball(-rate * distance(true, y)).exp() for y in box}
    total = sum(weights.values(), ball(0))
    return {y: weight / total for y, weight in weights.items()}


def attained(most: int, dimension: int, sensitivity: int, rate: Fraction) -> tuple[Fraction, Fraction]:
    """Return the greatest log of odds, and its greatest spread, over all pairs of true points near each other."""
    sums: dict[tuple[int, ...], Ball] = {}
    box = list(product(range(most + 1), repeat=dimension))
    for x in box:
        total: Ball = at(128, lambda: sum((ball(-rate * distance(x, y)).exp() for y in box), ball(0)))  # noqa: B023
        sums[x] = at(128, total.log)
    pure = spread = Fraction(0)
    for x, other in product(box, box):
        if distance(x, other) <= sensitivity:
            moves = [distance(other, y) - distance(x, y) for y in box]
            loss = upper(at(128, lambda: ball(rate * max(moves)) + sums[other] - sums[x]))  # noqa: B023
            pure, spread = max(pure, loss), max(spread, rate * (max(moves) - min(moves)))
    return pure, spread


@pytest.mark.parametrize(("true", "most"), [((0,), 0), ((2, 0), 2), ((1, 1), 1), ((9, -4), 2)])
@pytest.mark.parametrize("rate", [Fraction(1, 10**9), Fraction(1), Fraction(6)])
def test_the_box_has_its_law(true: tuple[int, ...], most: int, rate: Fraction) -> None:
    """On a corner, inside, and from outside, where the numbers are clipped first."""
    inside = tuple(min(max(value, 0), most) for value in true)
    law = BoxLaplace(most, len(true)).score(true).law(rate)
    check_law(law, at(128, lambda: oracle(inside, most, rate)), leftover="2e-2")


def test_the_lattice_has_its_law() -> None:
    """Two independent discrete Laplace laws around the true numbers; all beyond two steps are put together."""
    rate = Fraction(3)
    law = LatticeLaplace(2).score([5, -7]).law(rate)

    def near(coins: Coins) -> tuple[int, ...]:
        return tuple(max(-2, min(2, y - x)) for y, x in zip(law.draw(coins), (5, -7), strict=True))

    less = at(128, lambda: ball(-rate).exp())
    side = at(128, lambda: {k: less ** abs(k) * (1 - less if abs(k) < 2 else 1) / (1 + less) for k in range(-2, 3)})
    chances = at(128, lambda: {(a, b): side[a] * side[b] for a in side for b in side})
    walked = exact_law(near, leftover="2e-2")
    assert walked.contains(chances)
    assert not walked.contains(
        at(128, lambda: {(a, b): side[a] * side[-b] * (1 + (a == 1)) for a in side for b in side})
    )


def test_planted_wrong_laws_are_caught() -> None:
    """Half the rate, and a box one point shorter, are seen."""
    law = BoxLaplace(2, 2).score([1, 2]).law(Fraction(1))
    for wrong in (at(128, lambda: oracle((1, 2), 2, Fraction(1, 2))), at(128, lambda: oracle((1, 1), 1, Fraction(1)))):
        with pytest.raises(AssertionError):
            check_law(law, wrong, leftover="2e-2")


@pytest.mark.parametrize(("most", "dimension", "sensitivity"), BOXES)
@pytest.mark.parametrize("rate", [Fraction(1, 100), Fraction(2, 3), Fraction(4)])
def test_the_promise_is_exact(most: int, dimension: int, sensitivity: int, rate: Fraction) -> None:
    """Over all pairs of true points of a box, in one to three dimensions, to twelve digits."""
    promise = BoxLaplace(most, dimension, sensitivity).promise(rate)
    assert isinstance(promise, PureRange)
    pure, spread = attained(most, dimension, sensitivity, rate)
    assert abs(pure - promise.pure) <= CLOSE
    assert abs(spread - promise.range) <= CLOSE


PLANTED: dict[str, Callable[[Fraction], Fraction]] = {
    "the lattice's rate": lambda rate: 3 * rate,
    "all along one side": lambda rate: promised(rate, 3, 3, 1).pure,
    "one point too few": lambda rate: promised(rate, 2, 3, 2).pure,
    "the bounded range": lambda rate: 6 * rate,
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_wrong_promises_are_caught(name: str) -> None:
    """Enumeration tells the exact epsilon of a 4 by 4 box from these."""
    rate = Fraction(2, 3)
    assert abs(attained(3, 2, 3, rate)[0] - PLANTED[name](rate)) > Fraction(1, 1000)


def test_the_gain_over_a_factor_two_vanishes_with_the_dimension() -> None:
    """The worst move is spread evenly, so the gain over half the lattice's rate shrinks until each side moves by 1."""
    shares = [BoxLaplace(1000, d, d).calibrate(Pure(d)) / LatticeLaplace(d, d).calibrate(Pure(d)) for d in (1, 100)]
    assert abs(shares[0] - shares[1]) < CLOSE  # spread evenly, each side pays for a move of one
    assert shares[0] > Fraction(3, 5)
    one = [float(BoxLaplace(1000, d, 10).calibrate(Pure(1))) * 10 for d in (1, 2, 10)]
    assert one[0] > one[1] > one[2] > 0.5


@pytest.mark.parametrize("target", [Pure("0.3"), Range(2), Zcdp("0.1"), Pure(20)])
@pytest.mark.parametrize("domain", [BoxLaplace(7, 3, 4), LatticeLaplace(3, 4)])
def test_calibration_inverts_the_promise(domain: Any, target: Guarantee) -> None:
    """The promise at the rate gives the target, and a millionth more does not."""
    rate = domain.calibrate(target)
    assert implies(domain.promise(rate), target)
    assert not implies(domain.promise(rate * (1 + Fraction(1, 10**6))), target)


def test_the_lattice_spends_its_epsilon_on_every_outcome() -> None:
    """With a sensitivity of 1 every loss is rate or -rate: randomised response, so nothing tighter than pure holds."""
    rate = Fraction(1, 2)
    assert LatticeLaplace(1).promise(rate) == Pure(rate)
    assert {abs(y - 1) - abs(y) for y in range(-50, 50)} == {1, -1}


def test_huge_boxes_and_lattices_draw_at_once() -> None:
    """2**62 points a side, twenty sides."""
    for rate in (Fraction(1, 10**30), Fraction(1, 10**6), Fraction(10)):
        drawn = BoxLaplace(2**62 - 1, 20).score([2**61] * 20).law(rate).draw(SystemCoins())
        assert len(drawn) == 20
        assert all(0 <= y < 2**62 for y in drawn)
        assert len(LatticeLaplace(20).score([2**80] * 20).law(rate).draw(SystemCoins())) == 20


def test_reading_never_fails_by_a_value() -> None:
    """What is no number counts as 0, what is not whole is rounded down; only the number of numbers is checked."""
    strange = [None, float("nan"), float("inf"), "3.7", -1.5]
    assert LatticeLaplace(5).score(strange).law(Fraction(10**6)).draw(SystemCoins()) == (0, 0, 0, 3, -2)
    assert BoxLaplace(2, 5).score(strange).law(Fraction(10**6)).draw(SystemCoins()) == (0, 0, 0, 2, 0)
    with pytest.raises(SettingError, match="data: wanted 2 numbers"):
        LatticeLaplace(2).score([1])


def test_what_is_too_much_to_list_is_refused() -> None:
    """A lattice without end, and a box of too many points, have no list of chances."""
    for domain in (LatticeLaplace(1), BoxLaplace(2**40, 1), BoxLaplace(9, 9)):
        with pytest.raises(SettingError):
            domain.score([1] * domain.dimension).law(Fraction(1)).chances()


def test_a_box_of_one_point_costs_nothing() -> None:
    """Whatever the target, its one point comes."""
    domain = BoxLaplace(0, 2)
    assert domain.promise(Fraction(3)) == PureRange(0, 0)
    assert domain.score([5, 5]).law(domain.calibrate(Pure(1))).draw(SystemCoins()) == (0, 0)
