"""Private views: the law of a selection for given scores, as floats. Nothing here is safe to publish.

Every function takes the private scores and returns numbers that depend on them without noise: for the owner of the
data, for simulation and for teaching. Each probability above 1e-290 is right to about 2e-14 of itself.
"""

import math
from collections.abc import Callable
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from discreet.exact import Number, chance, nonnegative
from discreet.sensitivity import one_of
from discreet.utility.gaps import Gaps, private_gaps
from discreet.utility.rates import PaceSettings, rate_of

Floats = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_BLOCK = 1 << 16
_NEGLIGIBLE = 1e-22


def private_law(scores: object, *, mechanism: str = "exponential", **pace: Unpack[PaceSettings]) -> Floats:
    """Return the chance of each candidate, given its score. Private: it depends on the scores without noise.

    >>> private_law([0, 0], rate=1).tolist()
    [0.5, 0.5]
    >>> private_law([3, 1, 0], rate="0.5", mechanism="permute-and-flip").round(6).tolist()
    [0.731857, 0.170259, 0.097884]
    """
    return _law(private_gaps(scores, rate_of(**pace)), mechanism)


def private_mean_error(scores: object, *, mechanism: str = "exponential", **pace: Unpack[PaceSettings]) -> float:
    """Return the mean of (best score - score of the answer). Private.

    >>> round(private_mean_error([3, 1, 0], rate="0.5"), 6)
    0.883181
    """
    gaps = private_gaps(scores, rate_of(**pace))
    return math.fsum((_law(gaps, mechanism) * gaps.errors).tolist())


def private_chance_of_error(
    scores: object, *, error: Number, mechanism: str = "exponential", **pace: Unpack[PaceSettings]
) -> float:
    """Return the chance that the answer is ``error`` or more below the best. Private.

    >>> private_chance_of_error([0, 0, 0, -5], error=5, rate="1e-300")
    0.25
    """
    gaps = private_gaps(scores, rate_of(**pace))
    reached = gaps.errors >= float(nonnegative(error, "error"))
    return min(1.0, math.fsum(_law(gaps, mechanism)[reached].tolist()))


def private_error_quantile(
    scores: object,
    *,
    probability: Number = "0.05",
    mechanism: str = "exponential",
    **pace: Unpack[PaceSettings],
) -> float:
    """Return the least error of a candidate that is exceeded with at most this probability. Private.

    >>> private_error_quantile([0, 0, -5], probability="0.5", rate="1e-9")
    0.0
    """
    gaps, allowed = private_gaps(scores, rate_of(**pace)), float(chance(probability, "probability"))
    law = _law(gaps, mechanism)
    order = np.argsort(gaps.errors)[::-1]
    exceeded = np.cumsum(law[order]) <= allowed  # true while all of the worst so far may be exceeded
    worst = min(int(np.count_nonzero(exceeded)), len(order) - 1)
    return float(gaps.errors[order[worst]])


def _law(gaps: Gaps, mechanism: str) -> Floats:
    law = _LAWS[one_of(mechanism, "mechanism", tuple(_LAWS))](gaps.weights)
    return np.minimum(law, 1.0)


def _exponential(weights: Floats) -> Floats:
    return weights / math.fsum(weights.tolist())


def _permute_and_flip(weights: Floats) -> Floats:
    """Integrate: candidate i has chance p_i times the integral over u in [0, 1] of the product of 1 - p_j u, j != i.

    All terms are positive. Write the product as e^A(u) / (1 - p_i u): A is summed once per node for everybody, over
    distinct weights. Since 1 - p u >= (1 - u)^p, the integral of e^A is at least 1/(1 + sum p); panels on which
    e^A is far below that are left out.
    """
    distinct, place, copies = np.unique(weights, return_inverse=True, return_counts=True)
    total = math.fsum(weights.tolist())
    cells = np.zeros_like(distinct)
    rows = max(1, _BLOCK // len(distinct))
    nodes, node_weights = _nodes(total)
    for start in range(0, len(nodes), rows):
        gone = -np.multiply.outer(nodes[start : start + rows], distinct)
        product = np.exp((np.log1p(gone) * copies).sum(axis=1))
        cells += (node_weights[start : start + rows] * product) @ (1 / (1 + gone))
        if product[-1] * (1 + total) < _NEGLIGIBLE:
            break
    return (distinct * cells)[place.reshape(-1)]


def _nodes(total: float) -> tuple[Floats, Floats]:
    edges = [0.0]
    while edges[-1] < 0.5:
        edges.append(min(0.5, edges[-1] + max(1 / total, edges[-1] / 2)))
    edges += [1 - 0.5**k for k in range(2, 10)] + [1.0]
    low, high = np.array(edges[:-1])[:, None], np.array(edges[1:])[:, None]
    return (low + (high - low) * (1 + _NODES) / 2).ravel(), ((high - low) / 2 * _WEIGHTS).ravel()


_LAWS: dict[str, Callable[[Floats], Floats]] = {"exponential": _exponential, "permute-and-flip": _permute_and_flip}
