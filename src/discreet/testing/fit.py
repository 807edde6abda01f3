"""Goodness of fit with a false-alarm level that is proved, not approximated."""

import math
from collections.abc import Sequence


def fits(counts: Sequence[int], law: Sequence[float], alarm: float) -> bool:
    """Return whether counts of independent draws are credible under a law.

    A right law is called wrong with chance at most ``alarm``: each cell is a binomial, both its tails are bounded by
    Chernoff's bound exp(-n KL), and the cells share the alarm.

    >>> fits([500, 500], [0.5, 0.5], alarm=1e-9), fits([700, 300], [0.5, 0.5], alarm=1e-9)
    (True, False)
    """
    total = sum(counts)
    cells = zip(counts, law, strict=True)
    return all(2 * len(counts) * tail(count, total, chance) >= alarm for count, chance in cells)


def tail(count: int, total: int, chance: float) -> float:
    """Bound the chance that a binomial lies as far out as ``count``, on that side.

    >>> tail(10, 10, 0.5) == 0.5**10, tail(5, 10, 0.5)
    (True, 1.0)
    """
    return min(1.0, math.exp(-total * _divergence(count / total, min(1.0, max(0.0, chance)))))


def _divergence(seen: float, chance: float) -> float:
    return _term(seen, chance) + _term(1 - seen, 1 - chance)


def _term(seen: float, chance: float) -> float:
    if seen == 0:
        return 0.0
    return seen * math.log(seen / chance) if chance > 0 else math.inf
