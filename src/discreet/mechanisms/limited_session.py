"""Many calls for unknown items against one budget: each pays for what it reveals, the stop symbol included."""

import os
from fractions import Fraction
from threading import Lock
from typing import NoReturn

from discreet.errors import BudgetError
from discreet.guarantees import Guarantee
from discreet.mechanisms.limited_domain import Found, LimitedDomain, Shortlist
from discreet.sampling.coins import Coins


class LimitedSession:
    """Calls under a plan, until its draws or its calls are used up.

    The plan's promise covers the whole session. This charges nobody: ``discreet.streams.ItemSession`` charges a ledger
    before the first call. A call that stops early pays for the items it found and for the stop, and what it did not use
    serves later calls. It lives in the process that opened it, and is not copied.

    >>> from discreet.sampling.coins import SystemCoins
    >>> plan = LimitedDomain(Fraction(1), 5, Fraction(1, 10**6), calls=3)
    >>> session = LimitedSession(plan)
    >>> session.ask(plan.read_counts({"flu": 900, "cold": 700}), 3, SystemCoins())
    Found(items=('flu', 'cold'), stopped=True)
    >>> session.draws_left, session.calls_left
    (2, 2)
    """

    def __init__(self, plan: LimitedDomain) -> None:
        self.plan = plan
        self._draws, self._calls = plan.draws, plan.calls
        self._lock, self._process = Lock(), os.getpid()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a session is not copied: its draws would be spent twice")

    def __repr__(self) -> str:
        return f"LimitedSession({self._draws} draws and {self._calls} calls left)"

    @property
    def promise(self) -> Guarantee:
        """What all calls together guarantee: to be charged when the session opens."""
        return self.plan.promise()

    @property
    def draws_left(self) -> int:
        """How many draws may still be revealed."""
        return self._draws

    @property
    def calls_left(self) -> int:
        """How many calls may still be made."""
        return self._calls

    def ask(self, shortlist: Shortlist, count: int, coins: Coins) -> Found:
        """Return up to ``count`` items, and pay for them; refuse before anything is drawn if they may not fit."""
        law = shortlist.law(count)
        if shortlist.plan != self.plan:
            raise BudgetError("plan: wanted data read under this session's plan, got data read under another")
        if os.getpid() != self._process:
            raise BudgetError("session: wanted the process that opened it, got a copy in another; nothing was drawn")
        self._reserve(law.count)
        found = law.draw(coins)  # a failure keeps the reservation
        with self._lock:
            self._draws += law.count - found.draws
        return found

    def _reserve(self, count: int) -> None:
        with self._lock:
            if not self._calls or count > self._draws:
                what, left = ("draws", self._draws) if self._calls else ("calls", 0)
                raise BudgetError(
                    f"count: wanted at most the {self._draws} draws in {self._calls} calls that are left, got {count}; "
                    "nothing was drawn",
                    requested=Fraction(count),
                    remaining=Fraction(left),
                    rule=what,
                )
            self._draws, self._calls = self._draws - count, self._calls - 1
