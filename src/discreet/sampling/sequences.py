"""Sequences of different candidates, each with chance in proportion to exp(-rate * distance), and none ever listed.

With counts c_0 >= c_1 >= ..., a sequence s of k positions is as far from the truth as D(s), the largest of
c_l - c_(s_l). A distance is a whole number, and exp(-rate * D) is (1 - exp(-rate)) times the sum of exp(-rate * v) over
all whole v >= D. So it is enough to draw v with weight N(v) exp(-rate * v), N(v) being how many sequences have
D(s) <= v, and then one of those at random: s comes with weight exp(-rate * D(s)), exactly.

Row l may hold the first t_l(v) positions, those with c_j >= c_l - v, and t_0 <= t_1 <= ... So N(v) is the product of
t_l(v) - l, and a sequence is drawn row by row: each from its own prefix, less what earlier rows took.

Whole numbers v are cut into blocks of lengths that are powers of two, and a tail on which all sequences are open. A
block is drawn with its length's exact geometric weight times N at its end; v in it bit by bit, since the bits of a
geometric variable are independent; and a sequence from those open at the block's end. It stands if D(s) <= v, which
happens with chance N(v) / N(end); otherwise the block is halved, and all is drawn again. Floats choose where to cut,
so they cost time and never exactness. Weights are certified balls, however far apart they are: none is ever zero.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from itertools import permutations
from math import log, perm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.balls import Ball, Ratio, ball, exponential, ratio
from discreet.errors import GuardError, SettingError
from discreet.sampling.among import among
from discreet.sampling.coins import Coins
from discreet.sampling.flip import flip

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST = 20_000
"""More sequences than this are not listed."""
LARGEST_RATE = Fraction(10**200)


class Block(NamedTuple):
    """Distances from ``start``, 2**power of them (all that follow, if None), and the room each row has at the end.

    >>> Block(8, 2, [5, 4]).length
    4
    """

    start: int
    power: int | None
    room: list[int]

    @property
    def length(self) -> int:
        """How many distances; a tail has no such number and says 0."""
        return 0 if self.power is None else 1 << self.power


class Sequences:
    """Counts in falling order, and how long a sequence is: private, and it does not print.

    >>> Sequences(np.array([3, 7, 0]), 2)
    Sequences(2 of 3)
    """

    def __init__(self, counts: Ints, count: int) -> None:
        self.order = np.argsort(-counts, kind="stable")
        self.count = count
        self._rising = -counts[self.order]
        self._tops = -self._rising[:count]

    def __repr__(self) -> str:
        return f"Sequences({self.count} of {len(self.order)})"

    @property
    def farthest(self) -> int:
        """The distance at which all sequences are open."""
        return int(self._rising[-1] - self._rising[0])

    def room(self, distances: Sequence[int]) -> Ints:
        """Return t_l(v) - l, one line a distance and one column a row.

        >>> Sequences(np.array([3, 7, 0]), 2).room([0, 4]).tolist()
        [[1, 1], [2, 2]]
        """
        reach = np.array(distances, dtype=np.int64)[:, None] - self._tops
        return self._rising.searchsorted(reach, side="right") - np.arange(self.count)

    def distance(self, sequence: Sequence[int]) -> int:
        """Return D of a sequence of positions in falling order.

        >>> Sequences(np.array([3, 7, 0]), 2).distance([1, 0])
        4
        """
        return int((self._tops + self._rising[list(sequence)]).max())

    def every(self) -> Iterator[tuple[int, ...]]:
        """Yield all sequences, as positions in falling order; refuse where they are too many.

        >>> len(list(Sequences(np.array([3, 7, 0]), 2).every()))
        6
        """
        found = perm(len(self.order), self.count)
        if found > MOST:
            raise SettingError.of("candidates and count", f"at most {MOST} sequences, to list them", found)
        yield from permutations(range(len(self.order)), self.count)


class JointLaw:
    """Sequences and a rate: draws, and says how likely each sequence is, as original positions.

    >>> from discreet.sampling.coins import SystemCoins
    >>> JointLaw(Sequences(np.array([0, 10**6, 2 * 10**6]), 2), Fraction(1)).draw(SystemCoins())
    (2, 1)
    """

    def __init__(self, sequences: Sequences, rate: Fraction) -> None:
        self.sequences = sequences
        self.rate = rate
        self._fall = -ratio(rate)

    def __repr__(self) -> str:
        return f"JointLaw({self.sequences.count} of {len(self.sequences.order)})"

    def draw(self, coins: Coins) -> tuple[int, ...]:
        """Return a sequence with chance exactly in proportion to exp(-rate * D)."""
        blocks = list(self._blocks)
        while True:
            place = among(lambda: [self._weight(block) for block in blocks], coins)
            sequence = self._attempt(blocks[place], coins)
            if sequence is not None:
                return tuple(map(int, self.sequences.order[sequence]))
            blocks[place : place + 1] = self._halves(blocks[place])

    def chances(self) -> Mapping[tuple[int, ...], Ball]:
        """Return every sequence with its chance, at the working precision.

        >>> law = JointLaw(Sequences(np.array([1, 1]), 1), Fraction(1))
        >>> [float(chance.mid()) for chance in law.chances().values()]
        [0.5, 0.5]
        """
        order, sequences = self.sequences.order, list(self.sequences.every())
        weights = [exponential(self._fall, self.sequences.distance(sequence)) for sequence in sequences]
        total = sum(weights, ball(0))
        return {
            tuple(map(int, order[list(sequence)])): weight / total
            for sequence, weight in zip(sequences, weights, strict=True)
        }

    def _attempt(self, block: Block, coins: Coins) -> list[int] | None:
        distance = block.start
        for bit in range(block.power or 0):
            distance += flip(coins, partial(_share, self._fall, 1 << bit)) << bit
        sequence = _fill(block.room, coins)
        if block.power is None or self.sequences.distance(sequence) <= distance:
            return sequence
        return None

    def _weight(self, block: Block) -> Ball:
        weight = exponential(self._fall, block.start)
        for room in block.room:
            weight *= room
        if block.power is None:
            return weight / (1 - exponential(self._fall, 1))
        for bit in range(block.power):
            weight *= 1 + exponential(self._fall, 1 << bit)
        return weight

    def _halves(self, block: Block) -> list[Block]:
        if not block.power:
            raise GuardError("a sequence passed the distance its block bounds; nothing was released")
        middle = block.start + block.length // 2
        (room,) = self.sequences.room([middle - 1]).tolist()
        return [Block(block.start, block.power - 1, room), Block(middle, block.power - 1, block.room)]

    @cached_property
    def _blocks(self) -> list[Block]:
        farthest = self.sequences.farthest
        cuts = _Cuts(self.sequences, self.rate).blocks() if farthest else []
        ends = [start + (1 << power) - 1 for start, power in cuts]
        rooms = self.sequences.room([*ends, farthest]).tolist()
        found = [Block(start, power, room) for (start, power), room in zip(cuts, rooms, strict=False)]
        return [*found, Block(1 << farthest.bit_length() if farthest else 0, None, rooms[-1])]


def _share(fall: Ratio, amount: int) -> Ball:
    weight = exponential(fall, amount)
    return weight / (1 + weight)


def _fill(room: Sequence[int], coins: Coins) -> list[int]:
    """Return one of the sequences that the rooms leave open, all alike: a shuffle whose prefix grows.

    Before row l is filled, places 0 to l - 1 hold what was taken and those up to l + room hold what is open to the row.
    """
    moved: dict[int, int] = {}
    taken: list[int] = []
    for row, free in enumerate(room):
        place = row + coins.below(free)
        taken.append(moved.get(place, place))
        moved[place] = moved.get(row, row)
    return taken


class _Cuts:
    """Where to cut, in floats: blocks are halved until at least half of what is drawn will stand."""

    def __init__(self, sequences: Sequences, rate: Fraction) -> None:
        self.sequences = sequences
        self.rate = float(min(rate, LARGEST_RATE))
        power = sequences.farthest.bit_length()
        with np.errstate(over="ignore"):
            steps = np.log1p(np.exp(-self.rate * 2.0 ** np.arange(power)))
        self.lengths: Floats = np.concatenate([[0.0], steps.cumsum()])
        self.starts: Ints = np.zeros(1, dtype=np.int64)
        self.powers: Ints = np.array([power], dtype=np.int64)
        self.low, self.high = self._logs([0]), self._logs([(1 << power) - 1])
        self.tail = float(self.high[0]) - self.rate * 2.0**power - min(0.0, log(rate.numerator) - log(rate.denominator))

    def blocks(self) -> list[tuple[int, int]]:
        """Return starts and powers."""
        while (split := self._loose()).any():
            self._halve(split)
        return list(zip(self.starts.tolist(), self.powers.tolist(), strict=True))

    def _loose(self) -> NDArray[np.bool_]:
        mass = self.lengths[self.powers] - self.rate * self.starts
        peak = max(float((self.high + mass).max()), self.tail)
        most, least = np.exp(self.high + mass - peak), np.exp(self.low + mass - peak)
        slack = most - least
        if slack.sum() <= (most.sum() + np.exp(self.tail - peak)) / 2:
            return np.zeros(len(slack), dtype=bool)
        loose: NDArray[np.bool_] = (slack >= slack.sum() / (2 * len(slack))) & (self.powers > 0)
        return loose

    def _halve(self, split: NDArray[np.bool_]) -> None:
        powers = self.powers[split] - 1
        middles = self.starts[split] + (1 << powers)
        below, above = self._logs((middles - 1).tolist()), self._logs(middles.tolist())
        kept = ~split
        self.starts = np.concatenate([self.starts[kept], self.starts[split], middles])
        self.powers = np.concatenate([self.powers[kept], powers, powers])
        self.low = np.concatenate([self.low[kept], self.low[split], above])
        self.high = np.concatenate([self.high[kept], below, self.high[split]])

    def _logs(self, distances: Sequence[int]) -> Floats:
        logs: Floats = np.log(self.sequences.room(distances)).sum(axis=1)
        return logs
