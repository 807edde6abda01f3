"""The delta of products of two-point pairs, many products at once, in floats rounded to one side. See ``classes``.

A pair has the loss ``rise`` where it tells the truth and ``-fall`` where it lies; these two fix its chances. Classes of
equal pairs have binomial numbers of lies. Those of all classes but the last are multiplied out; the last one's are
summed beforehand, for every loss that can be left for them. All terms are positive, so nothing cancels.

*Rounding.* A chance is e to a sum of k logarithms, each of size 2000 at most and right to a few units, and to
log-factorials; ``margin`` is several times what that, and adding up, can come to. The loss that is left is a sum of
losses; ``hair`` is several times its error, and is added to it, so a difference of losses is never too small. No
logarithm is taken of less than ``LEAST``, which moves a sum by less than ``DEEPEST / 2``; so much is added as well.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.exact import up

Floats = npt.NDArray[np.float64]

SMALL = Fraction(1, 2**20)
"""A range below this is read as this one, which is a weaker promise, and so safe."""
LEAST, DEEPEST = 1e-300, 1e-250
CHUNK = 1 << 15
"""So many numbers at once stay in a cache."""


class Batch(NamedTuple):
    """Ranges b (a column, rounded up) and their counts k, asked for delta at e.

    >>> Batch.of({Fraction(1): 2, Fraction(1, 2): 9}, 0.0).k
    (2, 9)
    """

    b: Floats
    k: tuple[int, ...]
    e: float

    @classmethod
    def of(cls, found: Mapping[Fraction, int], e: float) -> "Batch":
        """Put the class last whose lies can be the most, in whatever order they come.

        >>> Batch.of({Fraction(1, 2): 2, Fraction(1): 9}, 0.0).b.tolist()
        [[0.5], [1.0]]
        """
        pairs = [(up(max(b, SMALL)), k) for b, k in found.items()]
        quarter = math.fsum(b * k for b, k in pairs) / 4
        pairs.sort(key=lambda pair: (min(pair[1], quarter / pair[0]), pair))
        return cls(np.array([[b] for b, _ in pairs]), tuple(k for _, k in pairs), e)

    @property
    def counts(self) -> Floats:
        """The counts as a column."""
        return np.array([self.k], dtype=np.float64).T

    @property
    def total(self) -> float:
        """The sum of all ranges."""
        return math.fsum((self.b[:, 0] * self.k).tolist())

    @property
    def hair(self) -> float:
        """More than rounding can move a sum of losses."""
        return self.total * 2.0**-44

    @property
    def margin(self) -> float:
        """More than rounding can move a sum of chances, relatively."""
        return (100 + sum(self.k) + math.prod(k + 1 for k in self.k[:-1])) * 2.0**-38

    @property
    def cost(self) -> float:
        """About how many terms one delta has, where lies that leave no loss above e are dropped; and some overhead."""
        half = max(0.0, self.total - self.e) / 2
        most = [int(min(k, half / b)) + 1 for b, k in zip(self.b[:, 0].tolist(), self.k, strict=True)]
        return float(20 + math.prod(most[:-1]) + sum(self.k))

    def pieces(self, columns: int) -> list[slice]:
        """Cut so many products into pieces that stay in a cache.

        >>> len(Batch.of({Fraction(1): 1}, 0.0).pieces(10**6)) > 1
        True
        """
        size = max(16, CHUNK // int(self.cost))
        return [slice(start, start + size) for start in range(0, columns, size)]


class Others(NamedTuple):
    """All outcomes of all classes but the last: a row for each product, a column for each outcome.

    >>> others([law(1, np.ones(1) / 2, np.ones(1) / 2)] * 2, np.ones((2, 1)), np.ones(1)).lies.tolist()
    [[0.0, 1.0]]
    """

    chances: Floats
    lies: Floats
    """The sums of lies, each times its step."""
    told: list[Floats]
    """For each class the share of it that told the truth."""


def deltas(batch: Batch, rise: Floats, fall: Floats, side: int = 1) -> Floats:
    """Return delta of products of pairs, one a column, rounded up, or down where ``side`` is -1.

    >>> batch, half = Batch.of({Fraction(1): 1}, 0.0), np.array([[0.5]])
    >>> [math.isclose(x, math.tanh(1 / 4)) for x in deltas(batch, half, half)]
    [True]
    """
    parts = [_some(batch, rise[:, i], fall[:, i], side) for i in batch.pieces(rise.shape[1])]
    return np.concatenate([np.zeros(0), *parts]) * (1 + side * batch.margin) + side * DEEPEST / 2


def chances(rise: Floats, fall: Floats) -> tuple[Floats, Floats]:
    """Return the chances of the truth and of a lie under P.

    >>> truth, lie = chances(np.array([0.5]), np.array([0.5]))
    >>> math.isclose(truth[0], math.e**0.5 * lie[0])
    True
    """
    whole = -np.expm1(-(rise + fall))
    return -np.expm1(-fall) / whole, np.exp(-fall) * -np.expm1(-rise) / whole


def law(k: int, truth: Floats, lie: Floats) -> Floats:
    """Return the chances of 0, 1, ..., k lies, a row each.

    >>> law(2, np.array([0.5]), np.array([0.5])).round(9).ravel().tolist()
    [0.25, 0.5, 0.25]
    """
    i = np.arange(k + 1.0)[:, None]
    logs = (k - i) * np.log(np.maximum(truth, LEAST)) + i * np.log(np.maximum(lie, LEAST))
    return np.asarray(np.exp(_ways(k) + logs))


def others(laws: Sequence[Floats], steps: Floats, left: Floats) -> Others:
    """Multiply out all classes but the last. More lies than there is loss left for add nothing, and are dropped.

    >>> others([law(9, np.ones(1) / 2, np.ones(1) / 2)] * 2, np.ones((2, 1)), np.ones(1)).chances.shape
    (1, 2)
    """
    ways, lies = np.ones((left.size, 1)), np.zeros((left.size, 1))
    most = [min(len(one), 1 + max(0, math.floor((left / step).max()))) for one, step in zip(laws, steps, strict=True)]
    for one, step, many in list(zip(laws, steps, most, strict=True))[:-1]:
        more = np.arange(many) * step[:, None]
        ways = (ways[:, :, None] * one[:many].T[:, None, :]).reshape(left.size, -1)
        lies = (lies[:, :, None] + more[:, None, :]).reshape(left.size, -1)
    counts = np.indices(most[:-1]).reshape(len(laws) - 1, lies.shape[1])
    return Others(ways, lies, [1 - i / (len(one) - 1) for i, one in zip(counts, laws[:-1], strict=True)])


def places(n: Floats, k: int) -> npt.NDArray[np.intp]:
    """Return where the entries for n stand in a raveled table whose rows have one for each of -1, 0, ..., k.

    >>> places(np.array([[-1.0, 0.0], [0.0, 1.0]]), 1).tolist()
    [[0, 1], [4, 5]]
    """
    return (n + (np.arange(len(n)) * (k + 2.0) + 1)[:, None]).astype(np.intp)


def _some(batch: Batch, rise: Floats, fall: Floats, side: int) -> Floats:
    """Add up chances times 1 - e**(e - loss)."""
    steps, k = rise + fall, batch.k[-1]
    laws = [law(*one) for one in zip(batch.k, *chances(rise, fall), strict=True)]
    left = ((batch.counts * rise).sum(axis=0) - batch.e + side * batch.hair) / steps[-1]
    ways, lies, _ = others(laws, steps / steps[-1], left)
    over = np.maximum(left[:, None] - lies, -1.0)
    n = np.minimum(np.floor(over), k)
    held, rest = _tails(laws[-1], steps[-1])
    place = places(n, k)
    kept = (1 + side * 2.0**-51) - np.exp((n - over) * steps[-1][:, None])
    return np.asarray(((held.take(place) + kept * rest.take(place)) * ways).sum(axis=1))


def _tails(lies: Floats, step: Floats) -> tuple[Floats, Floats]:
    """Return, for n = -1, 0, ..., k, the sums over i <= n of lies[i] (1 - e**-d) and lies[i] e**-d, d = (n - i) step.

    With n steps and f of loss left for the lies, delta gets the first and 1 - e**-f times the second.
    """
    shrink, lost, seen = np.exp(-step), -np.expm1(-step), np.zeros(step.size)
    held, rest = [np.zeros(step.size)], [np.zeros(step.size)]
    for row in lies:
        held.append(shrink * held[-1] + lost * seen)
        rest.append(shrink * rest[-1] + row)
        seen = seen + row
    return np.stack(held, axis=1).ravel(), np.stack(rest, axis=1).ravel()


@lru_cache(maxsize=64)
def _ways(k: int) -> Floats:
    logs = [math.lgamma(k + 1) - math.lgamma(i + 1) - math.lgamma(k - i + 1) for i in range(k + 1)]
    return np.array(logs)[:, None]
