"""What every calibrated mechanism must keep: its promise gives the target, barely, and its odds keep the promise."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import strategies as some

from discreet.guarantees import Approx, Guarantee, Pure, Range, Zcdp
from discreet.mechanisms import Exponential, NoisyMax, NoisyMaxWithGap, Peel, PermuteAndFlip, Unequal, Weighted
from discreet.sensitivity import Sensitivity

AMOUNTS = some.fractions(min_value=Fraction(1, 50), max_value=8, max_denominator=100)
DELTAS = some.sampled_from([Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 100)])
TARGETS: some.SearchStrategy[Guarantee] = some.one_of(
    AMOUNTS.map(Pure), AMOUNTS.map(Range), AMOUNTS.map(Zcdp), some.builds(Approx, AMOUNTS, DELTAS)
)


@some.composite
def sensitivities(draw: Any) -> Sensitivity:
    """Draw a step, a gap of at most two steps, and a normaliser."""
    step = draw(some.fractions(min_value=Fraction(1, 10), max_value=5, max_denominator=20))
    share = draw(some.sampled_from([Fraction(1, 2), Fraction(3, 4), Fraction(1)]))
    return Sensitivity(step, 2 * step * share, "add-remove", draw(some.sampled_from(["varies", "constant"])))


CALIBRATIONS: dict[str, Callable[[Guarantee, Sensitivity], Any]] = {
    "exponential": Exponential.calibrate,
    "permute-and-flip": PermuteAndFlip.calibrate,
    "gumbel": lambda target, facts: NoisyMax.calibrate(target, facts, "gumbel"),
    "laplace": lambda target, facts: NoisyMax.calibrate(target, facts, "laplace"),
    "with gap": lambda target, facts: NoisyMaxWithGap.calibrate(target, facts, "gumbel", Fraction(1, 8)),
    "peel": lambda target, facts: Peel.calibrate(target, facts, 3),
    "peel flips": lambda target, facts: Peel.calibrate(target, facts, 3, PermuteAndFlip),
    "weighted": lambda target, facts: Weighted.calibrate(target, facts, (Fraction(1), Fraction(2))),
    "unequal": lambda target, _: Unequal.calibrate(target, (Fraction(1), Fraction(7))),
}
UNIT_STEPS = Sensitivity.of(sensitivity=1)


def more(mechanism: Any, factor: Fraction) -> Any:
    """Return the same mechanism with a rate this many times as large."""
    if isinstance(mechanism, Peel):
        return Peel(type(mechanism.round)(mechanism.round.rate * factor), mechanism.count, mechanism.account)
    values = {name: getattr(mechanism, name) for name in mechanism.__slots__}
    return type(mechanism)(**{**values, "rate": mechanism.rate * factor})
