"""Many answers, paid for together when they open: a stream of scores against a threshold, a session of items."""

import os
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from threading import Lock
from typing import Any, NoReturn

from discreet.errors import DataError, SettingError
from discreet.exact import Number, number, plain, positive, unwritable, whole
from discreet.guarantees import Guarantee, Pure, PureRange
from discreet.ledger import Ledger, Receipt
from discreet.mechanisms.limited_domain import Found, LimitedDomain, Shortlist
from discreet.mechanisms.limited_session import LimitedSession
from discreet.mechanisms.threshold import AboveThreshold
from discreet.sampling.coins import Coins, SystemCoins
from discreet.sensitivity import Sensitivity

__all__ = ["ItemSession", "ThresholdStream"]


class ThresholdStream:
    """Answers whether scores reach a threshold, one by one, until ``positives`` of them have.

    >>> stream = ThresholdStream.open(1000, epsilon=1, sensitivity=1, monotonic=True)
    >>> stream.ask(3), stream.ask(10**6), stream.left
    (False, True, 0)
    >>> print(stream)
    above 1000? 2 asked, 1 of 1 above: 1-differential privacy and 1.5-bounded range (add-remove)

    All answers together, however many, keep the one ``guarantee``. Answers "below" cost nothing more. Each score may be
    chosen by the answers before it. After the last "above" the stream refuses: its noise would begin to show.

    The noises on both sides have different means. The threshold is moved by the difference, which is public, so that a
    score at the threshold is answered by a fair comparison on average; ``error_bound`` says how far answers may be off.

    A stream is held by one process: its noise answers every score, so a copy of it, in a fork, by pickle or by copy,
    would answer twice what was paid for once. Copies are refused. Threads may share it.
    """

    __slots__ = ("_asked", "_lock", "_process", "_watch", "mechanism", "receipt", "sensitivity", "threshold")

    def __init__(
        self,
        mechanism: AboveThreshold,
        threshold: Fraction,
        sensitivity: Sensitivity,
        *,
        receipt: Receipt | None = None,
        coins: Coins | None = None,
    ) -> None:
        self.mechanism, self.threshold, self.sensitivity, self.receipt = mechanism, threshold, sensitivity, receipt
        self._watch = mechanism.watch(threshold + mechanism.centre, SystemCoins() if coins is None else coins)
        self._asked, self._lock, self._process = 0, Lock(), os.getpid()

    @classmethod
    def open(
        cls,
        threshold: Number,
        *,
        epsilon: Number | None = None,
        guarantee: Guarantee | None = None,
        sensitivity: Number | None = None,
        range: Number | None = None,  # noqa: A002 - the field's own word
        monotonic: bool = False,
        neighbours: str = "add-remove",
        positives: int = 1,
        gap: Number | None = None,
        ledger: Ledger | None = None,
        memo: str = "",
        analyst: str | None = None,
        per: str | None = None,
        coins: Coins | None = None,
    ) -> "ThresholdStream":
        """Charge the whole stream, then draw the threshold's noise, and return what answers.

        ``sensitivity`` is how far one person moves one score; ``monotonic=True`` says that a new person moves all
        scores of the stream the same way, or not at all, which costs up to half as much. ``gap`` is a public grid: with
        it, ``lead`` tells by how much a score is above, at no further cost. Every call opens, and charges, another
        stream.
        """
        height = number(threshold, "threshold")
        facts = Sensitivity.of(sensitivity=sensitivity, range=range, monotonic=monotonic, neighbours=neighbours)
        grid = None if gap is None else positive(gap, "gap", "a number above 0, the public grid of the leads")
        mechanism = AboveThreshold.calibrate(_target(epsilon, guarantee), facts, whole(positives, "positives"), grid)
        receipt = None
        if ledger is not None:
            about = {"memo": memo, "analyst": analyst, "per": per, "neighbours": facts.neighbours}
            receipt = ledger.charge(mechanism.promise(facts), **about)  # type: ignore[arg-type]
        return cls(mechanism, height, facts, receipt=receipt, coins=coins)

    @property
    def guarantee(self) -> Pure | PureRange:
        """What all answers together promise."""
        return self.mechanism.promise(self.sensitivity)

    @property
    def left(self) -> int:
        """How many answers "above" are left."""
        return self._watch.left

    @property
    def asked(self) -> int:
        """How many scores have been answered."""
        return self._asked

    def ask(self, score: object) -> bool:
        """Return whether the score reaches the threshold, both with their noise."""
        exact = _score(score)
        self._may_answer()
        with self._lock:
            above = self._watch.above(exact)
            self._asked += 1
        return above

    def lead(self, score: object) -> Fraction | None:
        """Return by how much the score is above, noise and all, rounded down to the public grid; None if it is below.

        >>> stream = ThresholdStream.open(10, epsilon=1, sensitivity=1, gap=1000)
        >>> stream.lead(-(10**6)), stream.lead(10500)
        (None, Fraction(10000, 1))
        """
        exact = _score(score)
        self._may_answer()
        with self._lock:
            lead = self._watch.lead(exact)
            self._asked += 1
        return lead

    def error_bound(self, questions: int, probability: Number = "0.05") -> float:
        """Return how far on the wrong side of the threshold any of so many scores may be, but for this chance.

        Public, and the same whatever the scores.
        """
        return self.mechanism.error_bound(questions, probability)

    def _may_answer(self) -> None:
        if os.getpid() != self._process:
            raise SettingError(
                "stream: wanted the process that opened it, got a fork of it; open a stream of its own there"
            )

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a stream cannot be copied or pickled: a copy would answer with the noise paid for once")

    def __str__(self) -> str:
        done = f"{self._asked} asked, {self.mechanism.positives - self.left} of {self.mechanism.positives} above"
        return f"above {plain(self.threshold)}? {done}: {self.guarantee} ({self.sensitivity.neighbours})"

    def __repr__(self) -> str:
        return f"ThresholdStream({self})"


class ItemSession(LimitedSession):
    """Many calls for items that nobody listed, charged as a whole when it opens; each call then pays draws.

    >>> from discreet import Approx
    >>> plan = LimitedDomain.calibrate(Approx(2, "1e-6"), 12, calls=4)
    >>> session = ItemSession.open(plan)
    >>> session.ask(plan.read(["flu"] * 900 + ["a rare disease"]), 3)
    Found(items=('flu',), stopped=True)
    >>> session.draws_left, session.calls_left
    (10, 3)
    """

    def __init__(self, plan: LimitedDomain, receipt: Receipt | None = None) -> None:
        super().__init__(plan)
        self.receipt = receipt

    @classmethod
    def open(
        cls,
        plan: LimitedDomain,
        *,
        ledger: Ledger | None = None,
        memo: str = "",
        analyst: str | None = None,
        per: str | None = None,
    ) -> "ItemSession":
        """Charge the whole promise of a plan, under its relation, and return what answers.

        Every call opens, and charges, another session. What a session does not use stays charged.
        """
        receipt = None
        if ledger is not None:
            receipt = ledger.charge(plan.promise(), memo=memo, analyst=analyst, per=per, neighbours=plan.neighbours)
        return cls(plan, receipt)

    def ask(self, shortlist: Shortlist, count: int, coins: Coins | None = None) -> Found:
        """Return up to ``count`` items, and pay for them; refuse before anything is drawn if they may not fit."""
        return super().ask(shortlist, count, SystemCoins() if coins is None else coins)


def _target(epsilon: Number | None, guarantee: Guarantee | None) -> Guarantee:
    if (epsilon is None) == (guarantee is None):
        raise SettingError(
            f"epsilon: wanted one of epsilon= or guarantee=, got {'none' if epsilon is None else 'both'}"
        )
    if epsilon is not None:
        return Pure(positive(epsilon, "epsilon"))
    if not isinstance(guarantee, Guarantee):
        raise SettingError.of("guarantee", "a guarantee such as Pure(...)", guarantee)
    return guarantee


def _score(value: Any) -> Fraction:
    """Read a score as the number it is; the message never shows it."""
    item = value.item() if hasattr(value, "dtype") and getattr(value, "ndim", 0) == 0 else value
    if not isinstance(item, float | Decimal | Rational):
        raise DataError(f"score: wanted one real number, got {type(item).__name__}")
    if unwritable(item):
        raise DataError("score: wanted a decimal that can be written out, got one that fills the memory")
    try:
        return Fraction(item)
    except (ValueError, OverflowError):
        pass
    raise DataError("score: wanted a finite number, got NaN or an infinity")
