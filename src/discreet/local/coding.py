"""How a report is written: a short text for one, a row of an array for many, and how many reports name each candidate.

A report names some of the candidates. Where it names exactly one it is that one's position; else it is a mask with one
bit a candidate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError

Rows = NDArray[Any]
"""Many reports, one a row: positions, or masks packed into bytes."""
Support = NDArray[np.int64]
"""How many reports name each candidate."""

BLOCK = 1 << 16
TABLE = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
"""The eight bits of each byte, least first."""
ONES: NDArray[np.int64] = TABLE.sum(axis=1, dtype=np.int64)


class Coding(Protocol):
    """One way of writing reports down."""

    def text(self, report: int) -> str:
        """Write one report, short and fit for JSON."""
        ...

    def named(self, row: Any) -> tuple[int, ...]:
        """Return the positions that one row names."""
        ...

    def empty(self, count: int) -> Rows:
        """Return room for so many reports."""
        ...

    def rows(self, texts: Sequence[str]) -> Rows:
        """Read written reports; refuse what was never written by ``text``."""
        ...

    def checked(self, rows: Rows) -> Rows:
        """Return rows that could have come out of the survey; refuse others."""
        ...

    def support(self, rows: Rows) -> Support:
        """Count the reports that name each candidate."""
        ...


@dataclass(frozen=True, slots=True)
class Positions:
    """A report is the position of the one candidate it names.

    >>> coding = Positions(3)
    >>> coding.text(2), coding.support(coding.rows(["2", "0", "2"]))
    ('2', array([1, 0, 2]))
    """

    size: int

    def text(self, report: int) -> str:
        """Write the position in decimal."""
        return str(report)

    def named(self, row: Any) -> tuple[int, ...]:
        """Return the one position."""
        return (int(row),)

    def empty(self, count: int) -> Rows:
        """Return room for so many reports, in the narrowest whole numbers that hold a position."""
        return np.empty(count, dtype=np.min_scalar_type(self.size - 1))

    def rows(self, texts: Sequence[str]) -> Rows:
        """Read decimal positions."""
        digits = len(str(self.size - 1))
        if not all(text.isascii() and text.isdigit() and len(text) <= digits for text in texts):
            raise foreign()
        positions = np.fromiter(map(int, texts), dtype=np.int64, count=len(texts))
        return self.checked(positions).astype(np.min_scalar_type(self.size - 1))

    def checked(self, rows: Rows) -> Rows:
        """Return whole numbers from 0 and below the number of candidates; refuse others."""
        if (
            rows.ndim != 1
            or rows.dtype.kind not in "iu"
            or (rows.size and not 0 <= rows.min() <= rows.max() < self.size)
        ):
            raise foreign()
        return rows

    def support(self, rows: Rows) -> Support:
        """Count each position."""
        return np.bincount(rows.astype(np.intp, copy=False), minlength=self.size).astype(np.int64, copy=False)


@dataclass(frozen=True, slots=True)
class Masks:
    """A report is a mask with a bit for each candidate, least first; ``ones`` of them set, where that is fixed.

    >>> coding = Masks(10)
    >>> coding.text(0b1000000101), coding.support(coding.rows(["0502"]))
    ('0502', array([1, 0, 1, 0, 0, 0, 0, 0, 0, 1]))
    """

    size: int
    ones: int | None = None

    @property
    def width(self) -> int:
        """How many bytes a mask takes."""
        return -(-self.size // 8)

    def text(self, report: int) -> str:
        """Write the bytes of the mask in hexadecimal."""
        return report.to_bytes(self.width, "little").hex()

    def named(self, row: Any) -> tuple[int, ...]:
        """Return the positions whose bits are set."""
        return tuple(map(int, np.flatnonzero(np.unpackbits(row, bitorder="little"))))

    def empty(self, count: int) -> Rows:
        """Return room for so many reports, packed."""
        return np.empty((count, self.width), dtype=np.uint8)

    def rows(self, texts: Sequence[str]) -> Rows:
        """Read hexadecimal masks."""
        if not all(len(text) == 2 * self.width and text.isalnum() for text in texts):
            raise foreign()
        try:
            packed = bytes.fromhex("".join(texts))
        except ValueError:
            raise foreign() from None
        return self.checked(np.frombuffer(packed, dtype=np.uint8).reshape(len(texts), self.width))

    def checked(self, rows: Rows) -> Rows:
        """Return packed masks of the right width, with no bit beyond the last candidate; refuse others."""
        if rows.ndim != 2 or rows.dtype != np.uint8 or rows.shape[1] != self.width:
            raise foreign()
        beyond = self.size % 8
        if beyond and bool((rows[:, -1] >> beyond).any()):
            raise foreign()
        if self.ones is not None and not self._all_full(rows):
            raise foreign()
        return rows

    def support(self, rows: Rows) -> Support:
        """Count each bit: how often each byte comes in each place says it all."""
        columns = [np.bincount(rows[:, place], minlength=256) @ TABLE for place in range(self.width)]
        return np.concatenate(columns)[: self.size].astype(np.int64, copy=False)

    def _all_full(self, rows: Rows) -> bool:
        blocks = range(0, len(rows), BLOCK)
        return all(bool((ONES[rows[start : start + BLOCK]].sum(axis=1) == self.ones).all()) for start in blocks)


def foreign() -> DataError:
    """Return the refusal of a report that no device could have written, without showing it.

    >>> print(foreign())
    reports: wanted what this survey writes, got at least one it never writes; leave out those it does not accept
    """
    wanted = "wanted what this survey writes, got at least one it never writes; leave out those it does not accept"
    return DataError(f"reports: {wanted}")
