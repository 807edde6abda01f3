"""Exact laws by walking the tree of all coin answers: no samples, no tolerance, no false alarm.

Code that draws asks its coins questions with finitely many equally likely answers. So its law is a tree: each
question is a fork, each finished run a leaf, and a leaf's mass is the product of one over the number of answers along
its way. The heaviest open branches are walked first, until what is still open weighs next to nothing.

The coins also know two larger forks, for tests that have settled the small ones elsewhere: ``weigh`` in place of a coin
of any bias, and ``among`` in place of a draw in proportion to whole numbers.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.balls import Ball, at, lower, ratio, upper
from discreet.exact import Number, number
from discreet.sampling.coins import Coins

PRECISION = 256
GRID = 1 << 48
"""Chances of forks are rounded outwards to this grid, so that masses stay short."""
PATIENCE = 64
"""A run goes on below the heaviest open branch until it is this many times lighter: each restart costs a replay."""

Chances: TypeAlias = Mapping[Any, Fraction | Ball]


@dataclass(frozen=True, slots=True)
class ExactLaw:
    """What is known of a law: each outcome's chance is from its mass to its mass plus the leftover.

    >>> law = exact_law(lambda coins: coins.below(3) == 0)
    >>> law.mass(True), law.leftover
    (Fraction(1, 3), Fraction(0, 1))
    """

    masses: Mapping[Hashable, Fraction]
    leftover: Fraction

    def mass(self, outcome: Hashable) -> Fraction:
        """Return the chance of the leaves that gave this outcome: a lower bound on its chance."""
        return self.masses.get(outcome, Fraction(0))

    def contains(self, law: Chances) -> bool:
        """Return whether no chance in ``law`` (fractions or balls) lies surely outside what is known.

        >>> coin = exact_law(lambda coins: coins.bits(1))
        >>> coin.contains({0: Fraction(1, 2), 1: Fraction(1, 2)}), coin.contains({0: Fraction(1, 3), 1: Fraction(2, 3)})
        (True, False)
        """
        return all(self._allows(key, law.get(key, Fraction(0))) for key in {*self.masses, *law})

    def given(self, keep: Callable[[Hashable], bool]) -> "ExactLaw":
        """Return the law of the outcomes kept, given that one of them came.

        >>> exact_law(lambda coins: coins.below(4)).given(lambda way: way != 3).mass(0)
        Fraction(1, 3)
        """
        kept = {key: mass for key, mass in self.masses.items() if keep(key)}
        total = sum(kept.values(), Fraction(0))
        lowest = {key: mass / (total + self.leftover) for key, mass in kept.items()}
        # The true chance is at most (mass + leftover) / (total + leftover), since mass <= total.
        return ExactLaw(lowest, self.leftover / (total + self.leftover))

    def _allows(self, key: Hashable, chance: Fraction | Ball) -> bool:
        low = self.mass(key)
        high = low + self.leftover
        if isinstance(chance, Fraction):
            return low <= chance <= high
        return at(PRECISION, lambda: not (chance < ratio(low) or chance > ratio(high)))


def exact_law(
    run: Callable[[Coins], Hashable], leftover: Number = "1e-6", runs: int = 100_000, word: int = 1
) -> ExactLaw:
    """Return the law of ``run(coins)``, walked until at most ``leftover`` is open, or for so many ``runs``.

    >>> def until_heads(coins):
    ...     tosses = 1
    ...     while coins.bits(1):
    ...         tosses += 1
    ...     return tosses
    >>> law = exact_law(until_heads, leftover="1e-3")
    >>> law.mass(2), law.leftover
    (Fraction(1, 4), Fraction(1, 1024))
    """
    tree = _Tree(run, word)
    enough = number(leftover, "leftover")
    while tree.open and tree.undecided > enough and runs > 0:
        tree.walk()
        runs -= 1
    return ExactLaw(tree.masses, tree.undecided)


class _Pause(BaseException):
    """A run stops because a heavier branch is open: no part of the code under test may catch it."""


class _Tree:
    def __init__(self, run: Callable[[Coins], Hashable], word: int) -> None:
        self.run = run
        self.word = word
        self.masses: dict[Hashable, Fraction] = {}
        self.undecided = Fraction(1)
        self.open: list[tuple[float, int, list[int], Fraction]] = []
        self._pushed = 0
        self.push([], Fraction(1))

    def push(self, prefix: list[int], mass: Fraction) -> None:
        self._pushed += 1
        heappush(self.open, (-float(mass), self._pushed, prefix, mass))

    def walk(self) -> None:
        _, _, prefix, mass = heappop(self.open)
        path = Path(self, prefix, mass)
        try:
            outcome = self.run(path)
        except _Pause:
            self.push(path.answers, path.mass)
            return
        self.masses[outcome] = self.masses.get(outcome, Fraction(0)) + path.mass
        self.undecided -= path.mass


class Path:
    """Coins that replay the answers of a branch, then take the first answer of every new fork and open the others.

    >>> exact_law(lambda path: path.among([1, 2])).mass(1)
    Fraction(2, 3)
    """

    __slots__ = ("_replayed", "_tree", "answers", "mass", "word")

    def __init__(self, tree: _Tree, prefix: list[int], mass: Fraction) -> None:
        self._tree = tree
        self._replayed = 0
        self.word = tree.word
        self.answers = prefix
        self.mass = mass

    def bits(self, count: int) -> int:
        """Fork into all numbers of ``count`` bits."""
        return self.below(1 << count)

    def below(self, bound: int) -> int:
        """Fork into all numbers below ``bound``."""
        return self._answer(lambda: [Fraction(1, bound)] * bound)

    def words(self, count: int) -> NDArray[np.uint64]:
        """Refuse: no tree has room for these."""
        raise AssertionError(f"exact_law: {count} words of 64 bits have too many answers to walk")

    def among(self, weights: Sequence[int]) -> int:
        """Fork into all positions, in proportion to whole weights."""
        return self._answer(lambda: [Fraction(weight, sum(weights)) for weight in weights])

    def weigh(self, bias: Callable[[], Ball], refine: Callable[[], None] | None = None) -> bool:
        """Fork into heads and tails of a coin whose bias is known to lie in a ball.

        What the ball leaves open is a third way, on which ``refine`` is called and a closer look is taken.
        """
        start, width = Fraction(0), Fraction(1)
        while True:
            low, high = _ends(at(PRECISION, bias))
            low, high = max(start, low), min(start + width, high)
            shares = [(low - start) / width, (start + width - high) / width, (high - low) / width]
            way = self._answer(lambda: shares)  # noqa: B023
            if way < 2:
                return way == 0
            start, width = low, high - low
            if refine is not None:
                refine()

    def _answer(self, shares: Callable[[], list[Fraction]]) -> int:
        if self._replayed == len(self.answers):
            self._fork(shares())
        self._replayed += 1
        return self.answers[self._replayed - 1]

    def _fork(self, shares: list[Fraction]) -> None:
        tree = self._tree
        if tree.open and float(self.mass) * PATIENCE < -tree.open[0][0]:
            raise _Pause
        first, *others = [way for way, share in enumerate(shares) if share]
        for way in others:
            tree.push([*self.answers, way], self.mass * shares[way])
        self.mass *= shares[first]
        self.answers = [*self.answers, first]


def _ends(bias: Ball) -> tuple[Fraction, Fraction]:
    if not bias.is_finite():
        return Fraction(0), Fraction(1)
    return Fraction(int(lower(bias) * GRID // 1), GRID), Fraction(-int(-upper(bias) * GRID // 1), GRID)
