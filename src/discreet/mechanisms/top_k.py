"""The k best, in order: draw one, take it out, draw from the rest."""

from dataclasses import dataclass, replace
from typing import Literal, Self, TypeAlias

from discreet.guarantees import Approx, Guarantee, Pure, Renyi, Zcdp
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.readings import as_pure, as_zcdp, edge, implies, largest
from discreet.sampling.choose import choose, peel
from discreet.sampling.coins import Coins
from discreet.sampling.levels import Candidates
from discreet.sampling.race import keep
from discreet.sensitivity import Sensitivity

Round: TypeAlias = Exponential | PermuteAndFlip


@dataclass(frozen=True, slots=True)
class Peel:
    """Name ``count`` candidates in order, each round one use of the same mechanism on those not yet named.

    Rounds depend on what came before, so they are composed adaptively: ``count`` times the pure epsilon of a round, or
    ``count`` times its rho. With exponential rounds the law is Plackett and Luce's, that of one Gumbel noise a
    candidate and the ``count`` largest taken. A constant normaliser is of no use here: what is left has another one.

    >>> Peel.calibrate(Pure(1), Sensitivity.of(range=1), 10).round.rate
    Fraction(1, 10)
    """

    round: Round
    count: int
    account: Literal["pure", "zcdp", "once"] = "pure"
    """How the rounds are added up; a single round may state its own promise."""

    def promise(self, sensitivity: Sensitivity) -> Guarantee:
        """Return what all rounds together guarantee.

        >>> from fractions import Fraction
        >>> Peel(Exponential(Fraction(1)), 3).promise(Sensitivity.of(range=1))
        Pure(epsilon=Fraction(3, 1))
        """
        once = self.round.promise(replace(sensitivity, normaliser="varies"))
        if self.account == "once" and self.count == 1:
            return once
        pure, zcdp = as_pure(once), as_zcdp(once)
        assert pure is not None  # noqa: S101 - for the type checkers: both kinds of round are pure
        assert zcdp is not None  # noqa: S101
        return Zcdp(self.count * zcdp.rho) if self.account == "zcdp" else Pure(self.count * pure.epsilon)

    @classmethod
    def calibrate(
        cls, target: Guarantee, sensitivity: Sensitivity, count: int, kind: type[Round] = Exponential
    ) -> Self:
        """Return the strongest ``count`` equal rounds that, added up in one of these ways, give the target.

        >>> from discreet.guarantees import Approx
        >>> float(Peel.calibrate(Approx(1, "1e-6"), Sensitivity.of(range=1), 100).round.rate) > 1 / 100
        True
        """
        varying = replace(sensitivity, normaliser="varies")
        ways = [cls(kind.calibrate(Pure(largest(Pure, target) / count), varying), count)]
        if count == 1:
            ways.append(cls(kind.calibrate(target, varying), count, "once"))
        if isinstance(target, Zcdp | Renyi | Approx) and as_pure(target) is None:
            rho = edge(lambda amount: implies(Zcdp(amount), target))[0]
            ways.append(cls(kind.calibrate(Zcdp(rho / count), varying), count, "zcdp"))
        return max(ways, key=lambda way: way.round.rate)

    def draw(self, column: Candidates, coins: Coins) -> list[int]:
        """Return the positions of the winners, best first.

        >>> from fractions import Fraction
        >>> from discreet.sampling.coins import SystemCoins
        >>> from discreet.sampling.column import Column
        >>> Peel(Exponential(Fraction(1)), 2).draw(Column.of([0, 10**6, 10**9]), SystemCoins())
        [2, 1]
        """
        one = choose if isinstance(self.round, Exponential) else keep
        return peel(column, self.round.rate, self.count, coins, one)
