"""The best of many private runs: hyper-parameters tried on private data, for the price of two runs or three."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Rational
from typing import Any, Generic, TypeAlias, TypeVar

from discreet.errors import SettingError
from discreet.exact import Number, positive, unwritable
from discreet.guarantees import Guarantee, Pure, Zcdp
from discreet.ledger import Ledger, Receipt
from discreet.mechanisms.first_pass import FirstPass
from discreet.mechanisms.negative_binomial import NegativeBinomial
from discreet.mechanisms.poisson import Poisson
from discreet.readings import as_pure
from discreet.sampling.coins import Coins, SystemCoins

__all__ = ["FirstPass", "NegativeBinomial", "Poisson", "Tuned", "tune"]

Candidate = TypeVar("Candidate")
Payload = TypeVar("Payload")
Runs: TypeAlias = NegativeBinomial | Poisson | FirstPass


@dataclass(frozen=True, slots=True)
class Tuned(Generic[Candidate, Payload]):
    """What the best run gave, and what all of them together promise. How many there were is not told.

    ``found`` is False where no run was made, or none passed: a possible answer like any other.

    >>> nothing = Tuned(False, None, None, None, FirstPass(1, "0.5"), Pure("0.1"), Pure("0.2"))
    >>> print(nothing)
    nothing found; each run: 0.1-differential privacy, all together: 0.2-differential privacy
    """

    found: bool
    candidate: Candidate | None
    score: Any
    payload: Payload | None
    runs: Runs
    each: Guarantee
    guarantee: Guarantee
    receipt: Receipt | None = None

    def __str__(self) -> str:
        what = f"{self.candidate} with score {self.score}" if self.found else "nothing found"
        return f"{what}; each run: {self.each}, all together: {self.guarantee}"


def tune(
    run: Callable[[Candidate, Guarantee], tuple[Any, Payload]],
    candidates: Sequence[Candidate] | Callable[[Coins], Candidate],
    *,
    runs: Runs | None = None,
    each: Guarantee | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    guarantee: Guarantee | None = None,
    ledger: Ledger | None = None,
    memo: str = "",
    analyst: str | None = None,
    per: str | None = None,
    neighbours: str | None = None,
    coins: Coins | None = None,
) -> Tuned[Candidate, Payload]:
    """Try random candidates a random number of times, and return the run with the best score, alone.

    >>> def fit_and_score(depth, promised):  # any private algorithm; here one that looks at no data
    ...     return -((depth - 3) ** 2), f"a model of depth {depth}"
    >>> best = tune(fit_and_score, range(1, 6), runs=NegativeBinomial.expecting(1000), epsilon=1)
    >>> print(best.guarantee, "from", best.each)
    1-differential privacy from 0.5-differential privacy

    ``run(candidate, promised)`` fits and scores one candidate and returns (score, payload), **both of which, together,
    it has made as private as promised**: that is the assumption all rests on. A greater score is better; one that is no
    finite number counts as the worst. It must not fail by what is in the data. ``candidates`` is a public list, each
    equally likely in each run, or a function of coins that draws one.

    * ``each`` says what one run promises. Or ``epsilon``, ``rho`` or ``guarantee`` say what all together may cost, and
      each run is handed the part that this leaves it.
    * ``runs`` is the public law of their number, ``NegativeBinomial.expecting(100)`` unless said otherwise. How many
      there were is not released, and may not be: keep how long this took from those who see the answer.
    * The ledger is charged before anything is drawn or run.
    """
    law = NegativeBinomial.expecting(100) if runs is None else runs
    part = _part(law, each, _target(epsilon, rho, guarantee))
    whole = _whole(law, part, None if ledger is None else ledger.rule, _target(epsilon, rho, guarantee))
    about = {"memo": memo, "analyst": analyst, "per": per, "neighbours": neighbours}
    pick = _picker(candidates)
    receipt = None if ledger is None else ledger.charge(whole, **about)  # type: ignore[arg-type]
    door = SystemCoins() if coins is None else coins
    count = law.draw(door)  # before anything is looked at
    passing = law.threshold if isinstance(law, FirstPass) else None
    best = _best(lambda: _once(run, pick(door), part), count, passing, door)
    candidate, score, payload = best or (None, None, None)
    return Tuned(best is not None, candidate, score, payload, law, part, whole, receipt)


def _best(
    once: Callable[[], tuple[Any, Any, Any]], count: int, passing: Fraction | None, coins: Coins
) -> tuple[Any, Any, Any] | None:
    """Return the best of so many runs, any of those that share the first place alike; or the first that passes."""
    best: tuple[Any, Any, Any] | None = None
    height, equals = (False, Fraction(-1)), 0
    for _ in range(count):
        made = once()
        reached = _height(made[1])
        if passing is not None:
            if reached >= (True, passing):
                return made
        elif reached > height:
            best, height, equals = made, reached, 1
        elif reached == height:
            equals += 1
            best = best if coins.below(equals) else made
    return best


def _once(run: Callable[..., Any], candidate: Any, part: Guarantee) -> tuple[Any, Any, Any]:
    made: Any = run(candidate, part)
    if not _is_pair(made):
        raise SettingError("run: wanted a function that returns a pair (score, payload), got one that does not")
    return candidate, made[0], made[1]


def _is_pair(made: Any) -> bool:
    return isinstance(made, tuple) and len(made) == 2  # pyright: ignore[reportUnknownArgumentType]


def _height(score: Any) -> tuple[bool, Fraction]:
    """Return a score exactly, in an order in which all that is no finite number is equally bad."""
    value = score.item() if hasattr(score, "dtype") and getattr(score, "ndim", 0) == 0 else score
    endless = isinstance(value, float) and not isfinite(value)
    if endless or not isinstance(value, float | Rational | Decimal) or unwritable(value):
        return False, Fraction(0)
    if isinstance(value, Decimal) and not value.is_finite():
        return False, Fraction(0)
    return True, Fraction(value)


def _picker(candidates: Any) -> Callable[[Coins], Any]:
    if callable(candidates):
        sampler: Callable[[Coins], Any] = candidates
        return sampler
    if isinstance(candidates, str) or not hasattr(candidates, "__getitem__") or not len(candidates):
        raise SettingError.of("candidates", "a list of one or more, or a function of coins", candidates)
    return lambda coins: candidates[coins.below(len(candidates))]


def _target(epsilon: Number | None, rho: Number | None, guarantee: Guarantee | None) -> Guarantee | None:
    given: list[Guarantee] = [] if guarantee is None else [guarantee]
    given += [] if epsilon is None else [Pure(positive(epsilon, "epsilon"))]
    given += [] if rho is None else [Zcdp(positive(rho, "rho"))]
    if len(given) > 1:
        raise SettingError("epsilon: wanted one of epsilon=, rho= and guarantee=, got more")
    return given[0] if given else None


def _part(law: Runs, each: Guarantee | None, target: Guarantee | None) -> Guarantee:
    if (each is None) == (target is None):
        got = "neither" if each is None else "both"
        raise SettingError(
            f"each: wanted either each= (of one run) or epsilon=, rho= or guarantee= (of all), got {got}"
        )
    if target is not None:
        return law.calibrate(target)
    if not isinstance(each, Guarantee):
        raise SettingError.of("each", "a guarantee such as Pure('0.1')", each)
    return each


def _whole(law: Runs, part: Guarantee, rule: str | None, target: Guarantee | None) -> Guarantee:
    """Return what all runs promise together, in the words of the ledger: a rho where it counts rhos."""
    rhos = rule == "zcdp" or (rule is None and isinstance(target, Zcdp))
    if rhos and not isinstance(law, FirstPass):
        return law.zcdp(part)
    if rule == "pure" and as_pure(part) is None:
        raise SettingError.of("each", "one with a pure epsilon, which is all this ledger counts", str(part))
    return law.promise(part)
