"""Public settings that several domains read, write and calibrate in the same way."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import floor, inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.exact import plain, unwritable
from discreet.guarantees import Guarantee, Pure
from discreet.points import Points
from discreet.readings import edge, implies
from discreet.scores.line import held, placed
from discreet.scores.order import Comparable, readable, told

Held: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The places of a grid where anybody is, in rising order, and how many are there: private."""


def within(points: Points) -> str:
    """Write a grid for a repr.

    >>> within(Points.between(0, 1, "0.25"))
    '0 to 1 in steps of 0.25'
    """
    return f"{plain(points.low)} to {plain(points.high)} in steps of {plain(points.step)}"


def reached(people: Iterable[object], points: Points) -> Held:
    """Count the people at the highest point that each reaches; what is no number drops.

    >>> [part.tolist() for part in reached([0.29, "0.5", 7, -1, None, 0.299], Points.between(0, 1, "0.01"))]
    [[0, 29, 50, 100], [1, 2, 1, 1]]
    """
    values = readable(people)
    return held(placed([_short(value) for value in values] if isinstance(values, list) else values, points))


def nearest(people: Iterable[object], points: Points) -> Held:
    """Count the people at the point next to each, half way up; what is no number drops.

    >>> [part.tolist() for part in nearest([0.5, -7, "2.4", None, float("inf")], Points.between(0, 3))]
    [[0, 1, 2, 3], [1, 1, 1, 1]]
    """
    return reached(people, Points(points.low - points.step / 2, points.step, points.size))


def next_to(value: object, points: Points) -> int:
    """Return the place of the point next to a number, half way up; what is no number counts as the lowest point.

    >>> [next_to(value, Points.between(0, 3)) for value in ("2.5", 1, -8, float("inf"), float("nan"), "many")]
    [3, 1, 0, 3, 0, 0]
    """
    number = told(value)
    if number is None or not number > points.low:
        return 0
    if number >= points.high:
        return points.size - 1
    exact = Fraction(0) if unwritable(number) else Fraction(number)  # one that long lies next to 0
    return floor((exact - points.low) / points.step + Fraction(1, 2))


def _short(value: Comparable) -> Comparable:
    """Return a number in the same cell that can be written out as a fraction."""
    if not unwritable(value):
        return value
    if -1 < value < 1:
        return 0
    return inf if value > 0 else -inf


def steepest(promise: Callable[[Fraction], Guarantee], target: Guarantee) -> Fraction:
    """Return the largest rate found whose promise gives the target; where any rate does, 1.

    ``promise`` need not grow in proportion to the rate. The rate returned has been tried.

    >>> from discreet.guarantees import Pure
    >>> float(steepest(lambda rate: Pure(rate * rate), Pure(2)))
    1.4142135623730951
    """
    if promise(Fraction(1)) == promise(Fraction(2)) and implies(promise(Fraction(1)), Pure(0)):
        return Fraction(1)
    return edge(lambda rate: implies(promise(rate), target))[0]
