"""Unary encoding: one bit a candidate, each randomised for itself."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from discreet.balls import Ball, at, ball, upper
from discreet.exact import Number, chance, whole
from discreet.local.bulk import Die
from discreet.local.channels import PRECISION, own_coin
from discreet.local.coding import Masks, Rows
from discreet.sampling.coins import Coins


@dataclass(frozen=True, slots=True)
class Unary:
    """Set the own bit with chance p, each other with chance q.

    * ``symmetric`` (basic RAPPOR, Erlingsson 2014): score minus the Hamming distance to the own bit alone, so a step of
      2 and a rate of epsilon / 2. All weights of one bit add up to 1 + exp(-rate), whatever the value.
    * ``asymmetric`` (optimised, Wang 2017): score the own bit, a step of 1, over a public base measure of independent
      bits that are set with chance q = 1 / (exp(epsilon) + 1). The sum of weights is that of one bit.

    >>> from discreet.sampling.coins import SystemCoins
    >>> Unary(3, Fraction(10**6), "symmetric").draw(2, SystemCoins())
    4
    """

    size: int
    epsilon: Fraction
    kind: Literal["symmetric", "asymmetric"]

    @property
    def word(self) -> str:
        """The kind."""
        return self.kind

    @property
    def coding(self) -> Masks:
        """A report is a mask."""
        return Masks(self.size)

    def __str__(self) -> str:
        return f"{self.kind} unary encoding"

    def own(self) -> Ball:
        """Enclose p: 1 / (1 + exp(-epsilon / 2)), or one half."""
        return ball(Fraction(1, 2)) if self.kind == "asymmetric" else 1 / (1 + self._odds())

    def other(self) -> Ball:
        """Enclose q: 1 - p, or 1 / (exp(epsilon) + 1)."""
        return self._odds() / (1 + self._odds())

    def apart(self) -> Ball:
        """The two bits are independent."""
        return self.own() / (1 + self._odds())

    def draw(self, position: int, coins: Coins) -> int:
        """Return a mask: all bits as those of others, eight at a throw, and the own one tossed in its place."""
        eight, rest = patterns(self)
        packed = [eight.throw(coins) for _ in range(self.size // 8)] + ([rest.throw(coins)] if self.size % 8 else [])
        mask = int.from_bytes(bytes(packed), "little") & ~(1 << position)
        return mask | own_coin(self).throw(coins) << position

    def draw_all(self, positions: Any, coins: Coins) -> Rows:
        """Return a packed mask for each person."""
        rows, (eight, rest) = self.coding.empty(len(positions)), patterns(self)
        count, whole_bytes = len(rows), self.size // 8
        rows[:, :whole_bytes] = eight.throws(count * whole_bytes, coins).reshape(count, whole_bytes)
        if self.size % 8:
            rows[:, -1] = rest.throws(count, coins)
        place = np.arange(count), positions >> 3
        shift = (positions & 7).astype(np.uint8)
        rows[place] = rows[place] & ~(np.uint8(1) << shift) | own_coin(self).throws(count, coins) << shift
        return rows

    def _odds(self) -> Ball:
        return ball(-self.epsilon if self.kind == "asymmetric" else -self.epsilon / 2).exp()


@lru_cache(maxsize=64)
def patterns(channel: Unary) -> tuple[Die, Die]:
    """Return the dice of eight independent bits of chance q, and of the few that are left over for the last byte.

    >>> from discreet.sampling.coins import SystemCoins
    >>> patterns(Unary(11, Fraction(10**6), "symmetric"))[1].throws(2, SystemCoins())
    array([0, 0], dtype=uint8)
    """
    eight, rest = (_pattern(channel, bits) for bits in (8, channel.size % 8))
    return eight, rest


def _pattern(channel: Unary, bits: int) -> Die:
    def chances() -> list[Ball]:
        q = channel.other()
        by_ones = [q**ones * (1 - q) ** (bits - ones) for ones in range(bits + 1)]
        return [by_ones[face.bit_count()] for face in range(1 << bits)]

    return Die(chances)


def rappor_epsilon(noise: Number, hashes: int = 1) -> Fraction:
    """Return what RAPPOR's permanent response costs, rounded up: 2 hashes ln((1 - noise/2) / (noise/2)).

    ``noise`` is its f: the chance that a bit is replaced by a fair coin. With one hash bit (basic RAPPOR) this is the
    epsilon of the symmetric unary response that sets bits with chance f/2 or 1 - f/2.

    >>> round(float(rappor_epsilon("0.5", hashes=2)), 4)
    4.3944
    """
    f, h = chance(noise, "noise"), whole(hashes, "hashes")
    return at(PRECISION, lambda: upper(2 * h * ball((2 - f) / f).log()))
