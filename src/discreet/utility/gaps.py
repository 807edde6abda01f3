"""How far each score lies below the best, and the weight that gives, without losing digits. Private views.

A weight is e^-x with x = rate * gap. An error in x is a relative error in the weight, so x is carried as the
unevaluated sum of two floats (the second holds what rounding took from the first).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError
from discreet.exact import unwritable

Floats = NDArray[np.float64]
_FAR = 800.0  # e^-800 is zero in floats
_SPLIT = float(2**27 + 1)


class Pair(NamedTuple):
    """A number as the unevaluated sum of two floats, the second far smaller.

    >>> Pair.of(Fraction(1, 3)).small
    1.850371707708594e-17
    """

    big: Any
    small: Any

    @classmethod
    def of(cls, value: Fraction) -> "Pair":
        """Split a fraction that fits a float."""
        big = float(value)
        return cls(big, float(value - Fraction(big)))


@dataclass(frozen=True, slots=True, repr=False)
class Gaps:
    """Errors and weights of all candidates. Private: it has no printed form.

    >>> Gaps(np.zeros(1), np.ones(1))
    Gaps(private)
    """

    errors: Floats
    weights: Floats

    def __repr__(self) -> str:
        return "Gaps(private)"


def private_gaps(scores: object, rate: Fraction) -> Gaps:
    """Read the scores as the numbers they are, and weigh each by exp(rate * (score - best)).

    >>> private_gaps([2, 1], Fraction(1)).weights.round(3).tolist()
    [1.0, 0.368]
    """
    column = _column(scores)
    if column.ndim != 1 or not len(column):
        raise DataError("scores: wanted one number for each of one or more candidates")
    if column.dtype.kind == "f" and _scale_fits(rate):
        return _from_pair(_float_gaps(column.astype(np.float64)), rate)
    if column.dtype.kind in "iu" and _scale_fits(rate):
        return _from_pair(_integer_gaps(column), rate)
    return _exact(column.tolist(), rate)


def _column(scores: object) -> NDArray[Any]:
    if not isinstance(scores, Sequence):
        return np.asarray(scores)
    items: list[object] = list(cast("Sequence[object]", scores))
    if all(type(item) is float for item in items):
        return np.array(items)
    if all(type(item) is int and abs(item) < 2**63 for item in items):
        return np.array(items, np.int64)
    # Anything else is read item by item: NumPy would round big integers and fractions.
    return np.array([*items, None], object)[:-1]


def _scale_fits(rate: Fraction) -> bool:
    return Fraction(1, 10**200) < rate < 10**200


def _float_gaps(values: Floats) -> Pair:
    if not np.isfinite(values).all():
        raise DataError("scores: wanted finite numbers")
    best = values.max()
    with np.errstate(over="ignore", invalid="ignore"):
        big = best - values
        # Knuth's two-sum: what the subtraction rounded away, exactly.
        shadow = big - best
        small = (best - (big - shadow)) - (values + shadow)
    return Pair(big, np.where(np.isfinite(small), small, 0.0))


def _integer_gaps(values: NDArray[Any]) -> Pair:
    # Unsigned 64-bit subtraction wraps to the true gap, even between the least and the greatest signed integer.
    gap = np.uint64(int(values.max()) % 2**64) - values.astype(np.uint64)
    high, low = (gap >> np.uint64(32)).astype(np.float64) * 2.0**32, (gap & np.uint64(2**32 - 1)).astype(np.float64)
    big = high + low
    return Pair(big, low - (big - high))


def _from_pair(gap: Pair, rate: Fraction) -> Gaps:
    times = Pair.of(rate)
    with np.errstate(over="ignore", under="ignore"):
        rough = gap.big * times.big
        near = rough < _FAR
        small_gap = np.where(near, gap.big, 0.0)
        big = small_gap * times.big
        small = _product_error(small_gap, times.big) + small_gap * times.small + gap.small * times.big
        weights = np.where(near, np.exp(-big) * (1 - np.where(near, small, 0.0)), 0.0)
    return Gaps(gap.big + gap.small, weights)


def _product_error(left: Floats, right: float) -> Floats:
    # Dekker: what the product rounded away. Factors are scaled to near 1 first, so that splitting cannot overflow.
    size, power = math.frexp(right)
    scaled, exponents = np.frexp(left)
    one, two = _halves(scaled), _halves(np.float64(size))
    whole = scaled * size
    rest = ((one[0] * two[0] - whole) + one[0] * two[1] + one[1] * two[0]) + one[1] * two[1]
    return np.asarray(np.ldexp(rest, exponents + power), dtype=np.float64)


def _halves(value: Any) -> tuple[Any, Any]:
    lifted = value * _SPLIT
    high = lifted - (lifted - value)
    return high, value - high


def _exact(scores: list[Any], rate: Fraction) -> Gaps:
    values = [value for value in map(_read, scores) if value is not None]
    if len(values) < len(scores):  # raised here and not on the way, so that no score hangs on the error's context
        raise DataError("scores: wanted finite numbers")
    best = max(values)
    errors = np.array([_capped(best - value) for value in values])
    nats = [rate * (best - value) for value in values]
    return Gaps(errors, np.array([_weight(value) for value in nats]))


def _read(score: Any) -> Fraction | None:
    try:
        return _fraction(getattr(score, "item", lambda: score)())
    except Exception:  # noqa: BLE001 - a value whose own type fails is no number, and its failure may show it
        return None


def _fraction(value: Any) -> Fraction | None:
    if isinstance(value, str):
        return None
    if unwritable(value):
        return None
    return Fraction(value)


def _capped(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _weight(nats: Fraction) -> float:
    if nats >= Fraction(_FAR):
        return 0.0
    pair = Pair.of(nats)
    return math.exp(-pair.big) * (1 - float(pair.small))
