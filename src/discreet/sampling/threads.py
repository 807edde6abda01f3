"""Work over many blocks, on as many cores as this process may use."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

WORTH_IT = 256
"""Blocks below which starting threads costs more than it saves."""


def spread(work: Callable[[int, int], None], blocks: int) -> None:
    """Call ``work(first, last)`` on ranges that together cover ``blocks``, in threads where that pays.

    The threads live only during the call, so a later fork finds none.

    >>> seen = []
    >>> spread(lambda first, last: seen.append((first, last)), 3)
    >>> seen
    [(0, 3)]
    """
    cores = _cores()
    if blocks < WORTH_IT or cores == 1:
        work(0, blocks)
        return
    edges = [blocks * part // cores for part in range(cores + 1)]
    with ThreadPoolExecutor(cores) as pool:
        for _ in pool.map(work, edges[:-1], edges[1:]):
            pass


def _cores() -> int:
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
