"""Coins that say what a test wants to hear."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


class ScriptedCoins:
    """Coins that play back a list of answers, in order, whatever the question.

    >>> coins = ScriptedCoins([1, 0, 5])
    >>> coins.bits(1), coins.bits(1), coins.below(6)
    (1, 0, 5)

    An answer that does not fit its question, and a question after the last answer, raise AssertionError: a script is
    part of a test, and a test whose script does not fit the code has failed.
    """

    __slots__ = ("_answers", "_asked", "word")

    def __init__(self, answers: Iterable[int], word: int = 1) -> None:
        self._answers = iter(answers)
        self._asked = 0
        self.word = word

    def bits(self, count: int) -> int:
        """Return the next answer, as a number of ``count`` bits."""
        return self.below(1 << count)

    def below(self, bound: int) -> int:
        """Return the next answer, as a number below ``bound``."""
        answer = next(self._answers, None)
        if answer is None:
            raise AssertionError(f"scripted coins: all {self._asked} answers are used up, and one more was asked for")
        self._asked += 1
        if not 0 <= answer < bound:
            raise AssertionError(
                f"scripted coins: answer {self._asked} is {answer}, wanted one from 0 and below {bound}"
            )
        return answer

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return the next ``count`` answers, as 64-bit words."""
        return np.array([self.below(1 << 64) for _ in range(count)], dtype=np.uint64)

    @property
    def left(self) -> int:
        """Return how many answers were not asked for, and use them up."""
        return sum(1 for _ in self._answers)
