"""Channel matrices straight from the definition: weigh every possible report, and divide by the sum."""

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from discreet.balls import Ball, ball
from discreet.local import Channel, Kary, Subset, Unary

Matrix: TypeAlias = list[dict[int, Ball]]
"""For each own position, the chance of each report (a position or a mask)."""

EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(3))


def channels(size: int, epsilon: Fraction) -> list[Channel]:
    """Return all families of a size."""
    subsets: list[Channel] = [Subset(size, epsilon, names) for names in range(1, size)]
    return [Kary(size, epsilon), Unary(size, epsilon, "symmetric"), Unary(size, epsilon, "asymmetric"), *subsets]


def names(channel: Channel, report: int, position: int) -> bool:
    """Return whether a report names a candidate."""
    return report == position if isinstance(channel, Kary) else bool(report >> position & 1)


def matrix(channel: Channel) -> Matrix:
    """Return the channel matrix, at the working precision: base measure times exp(rate * score), normalised."""
    size = channel.size
    reports = list(range(size) if isinstance(channel, Kary) else range(1 << size))
    if isinstance(channel, Subset):
        reports = [mask for mask in reports if mask.bit_count() == channel.names]
    weigh = weight(channel)
    rows = [{report: weigh(report, own) for report in reports} for own in range(size)]
    return [{report: mass / sum(row.values()) for report, mass in row.items()} for row in rows]


def weight(channel: Channel) -> Callable[[int, int], Ball]:
    """Return the weight of a report for an own position."""
    grown = ball(channel.epsilon).exp()
    match channel:
        case Unary(kind="symmetric"):
            return lambda mask, own: ball(-channel.epsilon / 2 * (mask ^ 1 << own).bit_count()).exp()
        case Unary():
            q = 1 / (grown + 1)
            base = [q**ones * (1 - q) ** (channel.size - ones) for ones in range(channel.size + 1)]
            return lambda mask, own: base[mask.bit_count()] * (grown if mask >> own & 1 else 1)
        case _:
            return lambda report, own: grown if names(channel, report, own) else ball(1)
