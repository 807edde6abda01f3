"""Permute-and-flip and noisy max, exactly: the first to arrive in a race.

Add independent noise of scale 1/rate to every score and let a level fall from above: the winner is the first to be
met. On the clock s = exp(-rate * (level - best)) candidate i is met at a rate close to w_i = exp(-rate * (best - q_i))
per unit of s, whatever the noise. So arrivals are proposed at the larger rate W_i / 2**bits, and one that comes at time
s is kept with chance ``share * thinning``, where the thinning is the noise's own rate at s divided by w_i:

* Gumbel: 1. (So its winner has the exponential law, and the clock is only needed for the gap.)
* Laplace: 1 / max(2 - w s, w s). After s = 2 the race goes on with weights doubled and time halved, again and again.
* exponential: 1 / (1 - w s) until s = 1, when a best candidate is surely met. Its clock is t = -ln(1 - s), which never
  ends: the arrival rate per unit of t is then at most w_i again, and the thinning is 1 / ((1 - w) e^t + w).

Noisy max with exponential noise is permute-and-flip: both return i with chance
w_i * integral_0^1 prod_{j != i} (1 - w_j u) du.
Arrival times are real numbers known by their first random bits; a decision that needs more bits draws them.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, NamedTuple, assert_never

from discreet.balls import Ball, Ratio, at, ball, between, rational
from discreet.sampling.choose import Proposed
from discreet.sampling.coins import Coins
from discreet.sampling.flip import GUARD_BITS, flip
from discreet.sampling.levels import Candidates, proposed

ZERO = ball(0)

Noise = Literal["gumbel", "laplace", "exponential"]


class Clock:
    """A random time that unfolds only as far as it is looked at: a start and independent exponential steps.

    The start may rest on an earlier clock (``after``), which is then refined with this one.

    >>> from discreet.sampling.coins import SystemCoins
    >>> clock = Clock(SystemCoins(), lambda: ball(1))
    >>> clock.advance(rational(1, 1000))
    >>> clock.now() > 1, clock.passed(50)
    (True, False)
    """

    __slots__ = ("_after", "_coins", "_counted", "_elapsed", "_start", "_steps")

    def __init__(self, coins: Coins, start: Callable[[], Ball], after: "Clock | None" = None) -> None:
        self._coins = coins
        self._start = start
        self._after = after
        self._counted = 0  # steps already in the elapsed time, until they are refined
        self._elapsed: Ball | None = None
        self._steps: list[tuple[int, int, Ratio]] = []

    def advance(self, mean: Ratio) -> None:
        """Let an exponential time with this mean pass."""
        word = self._coins.word
        self._steps.append((self._coins.bits(word), word, mean))

    def refine(self) -> None:
        """Draw one more helping of bits for every step."""
        self._counted, self._elapsed = 0, None
        if self._after is not None:
            self._after.refine()
        word = self._coins.word
        self._steps = [
            (digits << word | self._coins.bits(word), count + word, mean) for digits, count, mean in self._steps
        ]

    @property
    def precision(self) -> int:
        """How many bits are worth computing with, for what is known so far."""
        return max(count for _, count, _ in self._steps) + GUARD_BITS

    def passed(self, end: int) -> bool:
        """Return whether the time is beyond ``end``, drawing bits until that is certain."""
        while True:
            time = at(self.precision, self.now)
            if time > end or time < end:
                return bool(time > end)
            self.refine()

    def now(self) -> Ball:
        """Enclose the time, at the working precision."""
        if self._elapsed is None:
            self._elapsed = self._start()
        for digits, count, mean in self._steps[self._counted :]:
            self._elapsed -= between(digits, count).log() * mean
        self._counted = len(self._steps)
        return self._elapsed


class Arrival(NamedTuple):
    """Who came first, and the clock that says when: private.

    >>> Arrival._fields
    ('position', 'proposal', 'clock')
    """

    position: int
    proposal: Proposed
    clock: Clock


def race(column: Candidates, rate: Fraction, noise: Noise, coins: Coins) -> Arrival:
    """Return the winner of noisy max with independent noise of scale 1/rate.

    >>> from discreet.sampling.coins import SystemCoins
    >>> from discreet.sampling.column import Column
    >>> race(Column.of([0, 10**6]), Fraction(1), "laplace", SystemCoins()).position
    1
    """
    proposal = proposed(column, rate)
    clock = Clock(coins, lambda: ZERO)
    if noise != "laplace":
        return first(proposal, noise, clock, coins)
    while (arrival := _first(proposal, noise, clock, coins, until=2)) is None:
        proposal = proposed(column, rate, lift=proposal.lift + 1)
        clock = Clock(coins, lambda: ball(1))
    return arrival


def keep(proposal: Proposed, coins: Coins) -> int:
    """Return position i with the chance permute-and-flip gives it among the candidates left.

    >>> from discreet.sampling.coins import SystemCoins
    >>> from discreet.sampling.column import Column
    >>> from discreet.sampling.propose import Proposal
    >>> keep(Proposal(Column.of([0, 10**6]), Fraction(1)), SystemCoins())
    1
    """
    proposal.anchor_on_best()
    return first(proposal, "exponential", Clock(coins, lambda: ZERO), coins).position


def first(proposal: Proposed, noise: Noise, clock: Clock, coins: Coins) -> Arrival:
    """Return the first to arrive from the clock's time on; for Gumbel and exponential noise somebody surely does.

    >>> from discreet.sampling.coins import SystemCoins
    >>> from discreet.sampling.column import Column
    >>> from discreet.sampling.propose import Proposal
    >>> coins = SystemCoins()
    >>> proposal = Proposal(Column.of([0, 10**6]), Fraction(1))
    >>> first(proposal, "gumbel", Clock(coins, lambda: ball(0)), coins).position
    1
    """
    arrival = _first(proposal, noise, clock, coins, until=None)
    assert arrival is not None  # noqa: S101 - for the type checkers: without an end nobody is too late
    return arrival


def _first(proposal: Proposed, noise: Noise, clock: Clock, coins: Coins, until: int | None) -> Arrival | None:
    while True:
        clock.advance(rational(1 << proposal.bits, proposal.total))  # the total falls as blocks are opened
        if until is not None and clock.passed(until):
            return None
        picked = proposal.pick(coins)
        if picked is None:
            continue
        position, bound = picked
        if flip(coins, lambda: _stands(proposal, noise, clock, position, bound), refine=clock.refine):  # noqa: B023
            return Arrival(position, proposal, clock)


def _stands(proposal: Proposed, noise: Noise, clock: Clock, position: int, bound: Any) -> Ball:
    """Enclose the chance that this proposal at this time is a true arrival."""
    weight = proposal.weight(position)
    share = proposal.share(weight, bound)
    match noise:
        case "gumbel":
            return share
        case "laplace":
            passed = weight * clock.now()
            return share / (2 - passed).max(passed)
        case "exponential":
            return share / ((1 - weight) * clock.now().exp() + weight)
        case _:
            assert_never(noise)
