"""What a computation knows of a number it cannot state exactly: two ends that surely enclose it."""

from fractions import Fraction
from typing import NamedTuple


class Bracket(NamedTuple):
    """Two numbers that surely enclose the true optimum; only the upper one may be promised.

    >>> Bracket(Fraction(1, 3), Fraction(1, 2)).upper
    Fraction(1, 2)
    """

    lower: Fraction
    upper: Fraction
