"""How private Laplace weights on a box are, exactly: no factor 2, and more than nothing.

On the numbers 0 to M give y the weight exp(-r * abs(y - x)). The weights add up to Z(x) = G(x + 1) + G(M - x + 1) - 1,
where G(n) is the sum of exp(-r t) for t below n. Between x and x + t the log of the odds is at most r t +
ln(Z(x + t) / Z(x)), attained at any y <= x. As ln Z is concave in x, that is largest at the corner x = 0; and it does
not fall as t grows, since one step changes ln Z by at most r.

In a box of d such sides both parts add up over the sides. The second is concave in the move along each side, so for a
move of S in all the worst is spread evenly: S = c d + k, by c + 1 along k sides and by c along the others. From one
corner to the opposite one the log of the odds changes by 2 r S: the bounded range, exactly.
"""

from fractions import Fraction

from discreet.balls import Ball, at, ball, upper
from discreet.guarantees import PureRange
from discreet.sampling.geometric import geometric_sum

BITS = 256


def promised(fall: Fraction, most: int, moved: int, sides: int = 1) -> PureRange:
    """Return the exact epsilon, rounded up, and the exact bounded range, where data move by at most ``moved`` in all.

    >>> round(float(promised(Fraction(1), 10**6, 1).pure), 4), promised(Fraction(1), 10, 10)
    (1.2091, PureRange(pure=Fraction(10, 1), range=Fraction(20, 1)))
    """
    reach = min(moved, sides * most)
    far, more = divmod(reach, sides)
    if far == most:  # from corner to corner, and all corners have one sum
        return PureRange(fall * reach, 2 * fall * reach)
    return PureRange(upper(at(BITS, lambda: _corner(fall, most, (far, more), sides))), 2 * fall * reach)


def _corner(fall: Fraction, most: int, spread: tuple[int, int], sides: int) -> Ball:
    far, more = spread
    rise = (sides - more) * _log_rise(fall, most, far)
    if more:
        rise += more * _log_rise(fall, most, far + 1)
    return ball(fall * (far * sides + more)) + rise


def _log_rise(fall: Fraction, most: int, far: int) -> Ball:
    inside = geometric_sum(fall, far + 1) + geometric_sum(fall, most - far + 1) - 1
    return (inside / geometric_sum(fall, most + 1)).log()
