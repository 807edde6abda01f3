"""The one door to randomness."""

import os
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

WORD = 64
"""Random bits a decision asks for at a time."""


class Coins(Protocol):
    """A source of independent fair bits. ``word`` is how many a decision asks for at a time."""

    @property
    def word(self) -> int:
        """Return how many bits one helping has; only running time depends on it."""
        ...

    def bits(self, count: int) -> int:
        """Return a uniform whole number below ``2**count``."""
        ...

    def below(self, bound: int) -> int:
        """Return a uniform whole number below ``bound``."""
        ...

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return ``count`` independent uniform 64-bit words."""
        ...


class SystemCoins:
    """Coins from the operating system's entropy source.

    There is no state: every call asks the system afresh. So nothing can be shared across a fork or a thread,
    nothing can be left in memory to foretell the next coin, and there is nothing to seed.

    >>> 0 <= SystemCoins().below(6) < 6
    True
    """

    __slots__ = ()
    word = WORD

    def bits(self, count: int) -> int:
        """Return a uniform whole number below ``2**count``.

        >>> SystemCoins().bits(3) in range(8)
        True
        """
        return int.from_bytes(os.urandom((count + 7) // 8), "little") >> (-count % 8)

    def below(self, bound: int) -> int:
        """Return a uniform whole number below ``bound``: draw enough bits, and again when they say too much.

        >>> SystemCoins().below(1)
        0
        """
        count = (bound - 1).bit_length()
        while (drawn := self.bits(count)) >= bound:
            pass
        return drawn

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return ``count`` independent uniform 64-bit words.

        >>> SystemCoins().words(2).shape
        (2,)
        """
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)
