"""Chances under a raised bar by numerical integration: an oracle that shares nothing with the package."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

NODES, SHARES = np.polynomial.legendre.leggauss(60)


def mean_over_bar(bar_rate: float, rate: float, margins: Sequence[float], above: Sequence[bool]) -> float:
    """Return the chance that scores with these margins are answered so, all against one bar of Exp(bar_rate) noise."""
    edges = sorted({0.0, *(margin for margin in margins if margin > 0)})
    last = edges[-1]
    edges += [last + step / bar_rate for step in (0.5, 1, 2, 4, 8, 16, 45)]
    total = 0.0
    for start, end in pairwise(edges):
        bar: Any = start + (end - start) * (NODES + 1) / 2
        value: Any = bar_rate * np.exp(-bar_rate * bar)
        for margin, up in zip(margins, above, strict=False):
            clears = np.exp(-rate * np.maximum(0.0, bar - margin))
            value = value * (clears if up else 1 - clears)
        total += float(value @ SHARES) * (end - start) / 2
    return total
