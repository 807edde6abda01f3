"""How far delta can rise between the corners of a cell of t's: a bound on its bend in each class. See ``classes``.

D(t) is the largest over c of F_c(t) = P_t(S) - e**e Q_t(S), where S is "the lies, each times its range, sum to at most
c"; the largest is at c = sum k_j t_j - e. Take one class, of k mechanisms of range b, and write x = e**(t - b), q for
the chance of the truth, and z for c less the sum of lies; P' is without one mechanism of the class, P'' without two.
F_c is linear in the chances of each mechanism, and Q = P e**-loss; so at that c, -F_c''(t) is k / (1 - e**-b) times

    sum_{0 <= z < b} P' (x + e**-z)  +  (k - 1) / (1 - e**-b) sum_{0 <= z < 2b} P'' (e**-z - x**2) sign(b - z).

In the second sum the factor is at most 1 - x**2 = q (1 - e**-b) (1 + x) where z < b, and at most
x**2 - e**-2b = (1 - q) (1 - e**-b) (x + e**-b) from there on. With a the sum of P' over 0 <= z < b, which is that of
q P'' over z < b and of (1 - q) P'' over the rest, the second sum is at most (1 - e**-b) (1 + x) a, the first is at most
(1 + x) a, and so

    -F_c''(t) <= A = k**2 (1 + x) / (1 - e**-b) a.

Let A be the most that this is on the cell. At each t the smooth F_c + A t**2 / 2 of its c touches D + A t**2 / 2 from
below and is not bent down there. So the latter is convex: if it rose above a chord, then where it does so most, F_c
would be bent down. On an edge of width w, D is therefore at most its larger end and A w**2 / 8. One class after the
other: on the cell D is at most its largest corner and the sum of A_j w_j**2 / 8.
"""

import numpy as np
import numpy.typing as npt

from discreet.accounting.products import Batch, Floats, chances, law, others, places


def bends(batch: Batch, lo: Floats, hi: Floats) -> Floats:
    """Return A_j w_j**2 / 8 for each class (a row) and each cell (a column), rounded up; cells are shares of ranges.

    >>> from fractions import Fraction
    >>> batch = Batch.of({Fraction(1): 3}, 0.5)
    >>> wide, narrow = (bends(batch, np.array([[0.5]]), np.array([[hi]])).item() for hi in (0.75, 0.625))
    >>> 0 < narrow < wide / 4
    True
    """
    k, b = batch.counts, batch.b
    parts = [_windows(batch, lo[:, i], hi[:, i]) for i in batch.pieces(lo.shape[1])]
    a = np.minimum(1.0, np.concatenate([np.zeros((len(k), 0)), *parts], axis=1))
    curved = k**2 * (1 + np.exp((hi - 1) * b)) / -np.expm1(-b) * a
    return np.asarray(curved * ((hi - lo) * b) ** 2 / 8 * (1 + batch.margin))


def _windows(batch: Batch, lo: Floats, hi: Floats) -> Floats:
    """Bound each a on each cell: every chance at its largest there, and every window of sums at its widest.

    The mechanism left out is a teller of the truth: of the chance of an outcome the share that tells it, over
    the chance of telling it; where that can be 0, the bound is 1.
    """
    b, last, k = batch.b, batch.b[-1], batch.k[-1]
    truths, lies = zip(chances(lo * b, (1 - lo) * b), chances(hi * b, (1 - hi) * b), strict=True)
    laws = [_largest(count, *(side[j] for side in (*truths, *lies))) for j, count in enumerate(batch.k)]
    most = ((batch.counts * hi * b).sum(axis=0) - batch.e + batch.hair) / last
    least = ((batch.counts * lo * b).sum(axis=0) - batch.e - batch.hair - b) / last
    rest, top = others(laws, np.broadcast_to(b / last, lo.shape), most), most[:, None]
    own = laws[-1] * (1 - np.arange(k + 1) / k)[:, None]
    found = np.zeros(lo.shape)
    for j, told in enumerate([*rest.told, np.ones(1)]):
        table = _sums(own if j == len(rest.told) else laws[-1])
        upper, lower = (table.take(_places(end, rest.lies, k)) for end in (top, least[j][:, None]))
        found[j] = ((upper * (1 + batch.margin) - lower) * rest.chances * told).sum(axis=1)
    return np.divide(found, truths[1], out=np.ones(lo.shape), where=truths[1] > 0)


def _largest(k: int, truth: Floats, rarer: Floats, rare: Floats, lie: Floats) -> Floats:
    """Return the most that each chance of 0, 1, ..., k lies is where one lie's grows from ``rare`` to ``lie``.

    The chance of i lies rises until one lie has the chance i / k, and falls from there on.
    """
    i = np.arange(k + 1.0)[:, None] / k
    return law(k, np.clip(1 - i, rarer, truth), np.clip(i, rare, lie))


def _sums(lies: Floats) -> Floats:
    """Tabulate the sums of the first n + 1 of them, for n = -1, 0, ..., k."""
    return np.asarray(np.pad(lies.cumsum(axis=0), ((1, 0), (0, 0))).T.ravel())


def _places(end: Floats, lies: Floats, k: int) -> npt.NDArray[np.intp]:
    return places(np.clip(np.floor(end - lies), -1, k), k)
