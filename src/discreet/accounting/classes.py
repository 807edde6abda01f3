"""The least delta of a batch of bounded ranges of several epsilons, between two certified ends. A fixed batch only.

A batch of k_j mechanisms of range b_j does its worst as a product of two-point pairs: pair (b, t) has the losses t and
t - b, and equal ranges take equal t. So the least delta is the largest D(t) over the box 0 <= t_j <= b_j: a search in
as many dimensions as there are different ranges. ``cells`` encloses it: the lower end is the delta of a member of the
class, the upper end a bound on all. Mechanisms that see earlier answers can do worse (see ``adaptive``).

With two ranges a hundred times each, or three of them five times each, the ends meet to one part in 8192. The work
grows fast with the counts and the number of ranges. Then the ends stay further apart, so that other rules may say less,
and at last there is no answer (None).
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import numpy as np

from discreet.accounting.basic import Amounts, counted, total
from discreet.accounting.bracket import Bracket
from discreet.accounting.cells import CLOSE, Member, best_of, search
from discreet.accounting.products import DEEPEST, SMALL, Batch, deltas
from discreet.exact import Number, chance, down, nonnegative

MOST_CLASSES, MOST = 5, 2000
"""Batches of more classes than the first, of more mechanisms than the second, or with more kinds of outcome than that
in all classes but the largest, are not searched: not enough cells could be looked at."""
QUICK = {2: 4000, 3: 250}
"""For so many different ranges, and at most so many kinds of outcome, an answer takes less than about half a second."""
LARGE = 1000
"""A range above this is left to the sum."""
HALVINGS = 20
"""How finely the epsilon is searched at which the best member has a delta."""
TRIES = 4
"""So often an epsilon is raised until its delta is seen to be within the one asked for."""
COARSE, FINEST = 400, 2.0**-16
"""How many points the climb starts from, and its last step, as a share of the range."""


def delta(epsilons: Amounts, at: Number) -> Fraction | None:
    """Return a delta that every such batch keeps, rounded up; None if ranges are too many, or too many differ.

    >>> round(float(delta({"0.1": 10, "0.3": 5}, 1)), 5)
    0.00055
    """
    found = bracket(epsilons, at)
    return None if found is None else found.upper


def bracket(epsilons: Amounts, at: Number) -> Bracket | None:
    """Enclose the least delta of all such batches.

    >>> [round(float(end), 4) for end in bracket({1: 2, 2: 1}, 0)]
    [0.4806, 0.4806]
    """
    found, e = counted(epsilons), nonnegative(at, "epsilon")
    if e >= total(found):
        return Bracket(Fraction(0), Fraction(0))
    if not fits(found):
        return None
    batch = Batch.of(found, down(e))
    best, bound = search(batch, _climbed(batch))
    legal = batch._replace(b=batch.b * (1 - 2.0**-50))  # smaller by more than it was rounded up
    shares = best.shares[:, None]
    lower = float(deltas(legal, shares * legal.b, (1 - shares) * legal.b, side=-1)[0]) if min(found) >= SMALL else 0.0
    return Bracket(Fraction(max(0.0, lower)), Fraction(min(1.0, bound)))


def epsilon(epsilons: Amounts, delta: Number) -> Fraction | None:
    """Return an epsilon at which delta was seen to be within the one asked for; None as for ``delta``.

    >>> round(float(epsilon({"0.1": 10, "0.3": 5}, "1e-6")), 3)
    1.515
    """
    found, d = counted(epsilons), chance(delta, "delta")
    if not found:
        return Fraction(0)
    if not fits(found):
        return None
    wanted = down(d) * (1 - 2 * CLOSE)  # so that ``delta``, which stops that close, agrees
    least = total(found) if wanted <= DEEPEST else _least(found, wanted)
    return None if least is None else min(total(found), least)


def fits(found: Mapping[Fraction, int]) -> bool:
    """Return whether a batch can be searched.

    >>> fits({Fraction(1): 100, Fraction(2): 100}), fits({Fraction(n): 100 for n in (1, 2, 3, 4)})
    (True, False)
    """
    few = len(found) <= MOST_CLASSES and max(found) <= LARGE and sum(found.values()) <= MOST
    return few and math.prod(sorted(k + 1 for k in found.values())[:-1]) <= MOST


def quick(found: Mapping[Fraction, int]) -> bool:
    """Return whether the search of a batch is quick, and so may be made unasked.

    >>> quick({Fraction(1): 40, Fraction(2): 40}), quick({Fraction(1): 40, Fraction(2): 40, Fraction(3): 40})
    (True, False)
    """
    return math.prod(k + 1 for k in found.values()) <= QUICK.get(len(found), 0)


def _least(found: Mapping[Fraction, int], wanted: float) -> Fraction | None:
    """Leave room for how close a search comes, and prove the epsilon that has it."""
    batch = Batch.of(found, 0.0)
    best = _needed(batch, wanted)
    room, enough = (1 + CLOSE) ** 2, 0.0
    for _ in range(TRIES):
        here = batch._replace(e=_root(batch, best, wanted / room))
        if here.e > batch.total * (1 - CLOSE):
            return total(found)  # as good
        best, bound = search(here, best_of(here, best.shares[:, None]), enough)
        if bound <= wanted:
            return Fraction(here.e)
        room, enough = max(room, bound / best.delta if best.delta <= wanted else room), wanted
    return None


def _needed(batch: Batch, wanted: float) -> Member:
    """Return the member that is the best one at nearly the epsilon where it has the delta wanted."""
    low, high, best = 0.0, batch.total, _climbed(batch)
    for _ in range(HALVINGS):
        e = (low + high) / 2
        here = _climbed(batch._replace(e=e))
        low, high, best = (e, high, here) if here.delta > wanted else (low, e, best)
    return best


def _root(batch: Batch, member: Member, wanted: float) -> float:
    """Return nearly the epsilon at which a member has the delta wanted: a guide, not a certificate."""
    low, high = 0.0, batch.total
    for _ in range(40):
        e = (low + high) / 2
        low, high = (e, high) if best_of(batch._replace(e=e), member.shares[:, None]).delta > wanted else (low, e)
    return high


def _climbed(batch: Batch) -> Member:
    """Return a member near the best one: from the best of a coarse grid by steps that shrink."""
    r = len(batch.k)
    side = round(COARSE ** (1 / r))
    line = [(i + 0.5) / side for i in range(side)]
    start = np.full((r, 1), (1 + batch.e / batch.total) / 2)  # its largest loss is above e, so its delta is not 0
    best = best_of(batch, np.concatenate([np.array(list(product(line, repeat=r))).T, start], axis=1))
    steps, size = np.concatenate([np.eye(r), -np.eye(r)], axis=1), 0.5
    if r < 4:
        steps = np.array(list(product((-1.0, 0.0, 1.0), repeat=r))).T
    while size > FINEST:
        size *= 2 / 3
        best = max(best, best_of(batch, np.clip(best.shares[:, None] + size * steps, 0.0, 1.0)), key=_height)
    return best


def _height(member: Member) -> float:
    return member.delta
