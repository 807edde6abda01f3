"""AboveThreshold: which scores of a stream reach a threshold, paid for by the ones that do.

The threshold gets exponential noise rho of rate l1, once; every score exponential noise of rate l2; above is the answer
if score + noise >= threshold + rho. After a public number c of answers "above" it ends. The answers "below" are free,
however many there are.

Let d_i be how far score i moves between neighbours, and s = max(0, the greatest d_i of those answered "below"). Raise
rho by s on the neighbour's side: each "below" is then at least as likely there, the density of rho falls by exp(-l1 s),
and an "above" at k by at most exp(-l2 (s - d_k)). So answers that end in c times "above" lose at most

    l1 s + l2 * sum over the answers "above" of max(0, s - d_k),

in which s is at most the step and s - d_k at most the larger of step and gap (where all d_i are negative, s is 0). If A
is the furthest upward move and B the furthest downward one, that is at most l1 A + c l2 (A + B) one way and l1 B + c l2
(A + B) the other: a bounded range of (l1 + 2 c l2) (A + B), less than twice the epsilon where all scores move one way.

Only upward moves of rho were needed, so noise on one side is enough: half the variance of Laplace noise at the same
price. How far an answered score was above is free as well: take s over all answers, so that s >= d_k, and the same
bound holds for the density of the leads. The scores may be chosen by the answers before them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from discreet.balls import at, ball, upper
from discreet.errors import SettingError
from discreet.exact import Number, chance, cube_root, three_digits, up, whole
from discreet.guarantees import Guarantee, Pure, PureRange
from discreet.mechanisms.base import spendable
from discreet.readings import largest
from discreet.sampling.coins import Coins
from discreet.sampling.crossing import Bar
from discreet.sensitivity import Sensitivity

BITS = 128


@dataclass(frozen=True, slots=True)
class AboveThreshold:
    """Say of each score whether it reaches the threshold, until so many have: noise Exp(l2) on each, Exp(l1) on that.

    ``threshold_rate`` is l1 and ``score_rate`` is l2, in nats a point. ``tick`` asks for the leads, rounded down to it.

    >>> from discreet.guarantees import Pure
    >>> AboveThreshold.calibrate(Pure(1), Sensitivity.of(sensitivity=1, monotonic=True))
    AboveThreshold(threshold_rate=Fraction(1, 2), score_rate=Fraction(1, 2), positives=1, tick=None)
    """

    threshold_rate: Fraction
    score_rate: Fraction
    positives: int = 1
    tick: Fraction | None = None

    def promise(self, sensitivity: Sensitivity) -> Pure | PureRange:
        """Return what all answers together cost, whatever their number: pure l1 * step + c * l2 * gap.

        >>> AboveThreshold(Fraction(1), Fraction(1), 3).promise(Sensitivity.of(sensitivity=1))
        Pure(epsilon=Fraction(7, 1))
        >>> print(AboveThreshold(Fraction(1), Fraction(1), 3).promise(Sensitivity.of(sensitivity=1, monotonic=True)))
        4-differential privacy and 7-bounded range
        """
        wide, above = max(sensitivity.step, sensitivity.gap), self.positives * self.score_rate
        pure, bounded = self.threshold_rate * sensitivity.step + above * wide, (self.threshold_rate + 2 * above) * wide
        return PureRange(pure, bounded) if bounded < 2 * pure else Pure(pure)

    @staticmethod
    def calibrate(
        target: Guarantee, sensitivity: Sensitivity, positives: int = 1, tick: Fraction | None = None
    ) -> "AboveThreshold":
        """Return the mechanism whose promise gives the target, epsilon split for the least variance of a comparison.

        That is 1 : (2c)**(2/3) in general and 1 : c**(2/3) for scores that all move one way (Lyu, Su and Li 2017),
        rounded to three digits: whatever the split, the parts add up.
        """
        count = whole(positives, "positives")
        step, wide = sensitivity.step, max(sensitivity.step, sensitivity.gap)
        share = three_digits(1 / (1 + cube_root(count * wide / step) ** 2))

        def spending(epsilon: Fraction) -> "AboveThreshold":
            return AboveThreshold(epsilon * share / step, epsilon * (1 - share) / (count * wide), count, tick)

        return spending(spendable(largest(lambda epsilon: spending(epsilon).promise(sensitivity), target), target))

    @property
    def centre(self) -> Fraction:
        """How far the noise of a score lies above that of the threshold, on average."""
        return 1 / self.score_rate - 1 / self.threshold_rate

    def watch(self, threshold: Fraction, coins: Coins) -> "Watch":
        """Draw the threshold's noise and return what answers the scores; used up after the last "above".

        >>> from discreet.sampling.coins import SystemCoins
        >>> watch = AboveThreshold(Fraction(1), Fraction(1)).watch(Fraction(50), SystemCoins())
        >>> watch.above(Fraction(-1000)), watch.above(Fraction(1000)), watch.left
        (False, True, 0)
        """
        return Watch(self, Bar(threshold, self.threshold_rate, coins))

    def draw(self, scores: Iterable[Fraction], threshold: Fraction, coins: Coins) -> tuple[bool, ...]:
        """Return the answers for a list of scores: as many as it has, or up to the last "above".

        >>> from discreet.sampling.coins import SystemCoins
        >>> once = AboveThreshold(Fraction(1), Fraction(1))
        >>> once.draw([Fraction(0), Fraction(10**6), Fraction(0)], Fraction(10**3), SystemCoins())
        (False, True)
        """
        watch, answers = self.watch(threshold, coins), list[bool]()
        for score in scores:
            answers.append(watch.above(score))
            if not watch.left:
                break
        return tuple(answers)

    def error_bound(self, questions: int, probability: Number = "0.05") -> float:
        """Return how far on the wrong side of threshold - centre any score may be answered, but for this chance.

        With chance at least 1 - probability, of so many scores, those answered "above" are not further below that
        point than this, and those answered "below" not further above it.

        >>> AboveThreshold(Fraction(1), Fraction(1)).error_bound(100)
        8.29404964010...
        """
        room, count = chance(probability, "probability") / 2, whole(questions, "questions")
        high = at(BITS, lambda: upper((ball(count / room)).log())) / self.score_rate
        low = at(BITS, lambda: upper(ball(1 / room).log())) / self.threshold_rate
        return up(max(high - self.centre, low + self.centre))


class Watch:
    """A noisy threshold in use: private, and it does not print.

    >>> from discreet.sampling.coins import SystemCoins
    >>> AboveThreshold(Fraction(1), Fraction(1), 2).watch(Fraction(0), SystemCoins())
    Watch(2 left)
    """

    __slots__ = ("_bar", "_made_by", "left")

    def __init__(self, made_by: AboveThreshold, bar: Bar) -> None:
        self._made_by, self._bar = made_by, bar
        self.left = made_by.positives

    def above(self, score: Fraction) -> bool:
        """Return whether the score reaches the threshold, both with their noise."""
        if not self.left:
            wanted = f"at most {self._made_by.positives} answers 'above'"
            raise SettingError(f"positives: wanted {wanted}, got one question more; open a new stream, and pay for it")
        above = self._bar.cleared(score, self._made_by.score_rate)
        self.left -= above
        return above

    def lead(self, score: Fraction) -> Fraction | None:
        """Return by how much the score is above, noise and all, rounded down to the grid; None if it is not.

        >>> from discreet.sampling.coins import SystemCoins
        >>> watch = AboveThreshold(Fraction(1), Fraction(1), 1, Fraction(100)).watch(Fraction(0), SystemCoins())
        >>> watch.lead(Fraction(-1000)), watch.lead(Fraction(1050))
        (None, Fraction(1000, 1))
        """
        tick = self._made_by.tick
        if tick is None:
            raise SettingError("gap: wanted a public grid for the leads, got none; give gap= when the stream is opened")
        if not self.above(score):
            return None
        return tick * self._bar.lead(score, self._made_by.score_rate, tick)

    def __repr__(self) -> str:
        return f"Watch({self.left} left)"
