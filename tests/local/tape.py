"""Coins that play back bytes, for code that reads words and bits alike."""

import numpy as np
from numpy.typing import NDArray


class Tape:
    """Bytes in the order they are asked for; a word takes eight, and so does one helping of a single draw."""

    word = 64

    def __init__(self, tape: bytes) -> None:
        self.left = tape

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return the next words."""
        return np.frombuffer(self._take(8 * count), dtype="<u8").astype(np.uint64)

    def bits(self, count: int) -> int:
        """Return the next bits, a whole number of bytes."""
        return int.from_bytes(self._take(count // 8), "little")

    def below(self, bound: int) -> int:
        """Refuse: many draws never ask this."""
        raise AssertionError(f"asked for one number below {bound}")

    def _take(self, count: int) -> bytes:
        taken, self.left = self.left[:count], self.left[count:]
        assert len(taken) == count, "the tape is at its end"
        return taken


def padded(digits: bytes) -> bytes:
    """Fill up to whole words."""
    return digits + bytes(-len(digits) % 8)
