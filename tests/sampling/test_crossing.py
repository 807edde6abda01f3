"""The raised bar: who clears it first and by how much, on the tree of coins against integrals done another way."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import exp
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet.balls import at, ball
from discreet.sampling import crossing
from discreet.sampling.crossing import Bar, crossings
from discreet.testing import ExactLaw, exact_law
from tests.sampling.forks import weigh
from tests.sampling.integrals import mean_over_bar

ONE, HALF = Fraction(1), Fraction(1, 2)
MARGINS = [Fraction(-1), Fraction(1, 2), Fraction(0)]


@contextmanager
def large_forks() -> Iterator[None]:
    """Fork in two where a flip would draw bits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crossing, "flip", weigh)
        yield


def walked(run: Callable[[Any], Any], leftover: str = "1e-2", runs: int = 3000) -> ExactLaw:
    """Walk the heaviest branches."""
    with large_forks():
        return exact_law(run, leftover=leftover, runs=runs)


def first(margins: Sequence[Fraction], bar_rate: Fraction, rate: Fraction, coins: Any) -> int:
    """Return the place of the first to clear a bar at height 0, or their number."""
    bar = Bar(Fraction(0), bar_rate, coins)
    return next((place for place, margin in enumerate(margins) if bar.cleared(margin, rate)), len(margins))


def integrated(margins: Sequence[Fraction], bar_rate: float, rate: float) -> list[float]:
    """Return the same law by quadrature."""

    def chance(place: int) -> float:
        return mean_over_bar(
            bar_rate, rate, [float(m) for m in margins[: place + 1]], [False] * place + [True] * (place < len(margins))
        )

    return [chance(place) for place in range(len(margins) + 1)]


def test_the_first_to_clear_has_its_law() -> None:
    """The draw contains the certified law, and not those with the rates swapped, or with noise of its own per score."""
    law = walked(lambda coins: first(MARGINS, ONE, HALF, coins))
    assert law.leftover < Fraction(1, 50)
    assert law.contains(dict(enumerate(at(128, lambda: crossings(MARGINS, ONE, HALF)))))
    assert not law.contains(dict(enumerate(at(128, lambda: crossings(MARGINS, HALF, ONE)))))
    fresh, open_ = [], 1.0
    for margin in MARGINS:
        alone = integrated([margin], 1.0, 0.5)[0]
        fresh.append(open_ * alone)
        open_ *= 1 - alone
    assert not law.contains({place: Fraction(share) for place, share in enumerate([*fresh, open_])})


def test_the_law_holds_on_the_bare_coins_too() -> None:
    """With every flip drawn bit by bit the law is the same, as far as the tree was walked."""
    law = exact_law(lambda coins: first(MARGINS[1:], ONE, HALF, coins), leftover="1e-1", runs=3000)
    assert law.contains(dict(enumerate(at(128, lambda: crossings(MARGINS[1:], ONE, HALF)))))
    assert not law.contains(dict(enumerate(at(128, lambda: crossings(MARGINS[1:], HALF, ONE)))))


@settings(max_examples=25)
@given(
    some.lists(some.fractions(-3, 3, max_denominator=4), max_size=6),
    some.fractions(Fraction(1, 4), 3, max_denominator=4),
    some.fractions(Fraction(1, 4), 3, max_denominator=4),
)
def test_certified_crossings_are_the_integrals(margins: list[Fraction], bar_rate: Fraction, rate: Fraction) -> None:
    """The polynomial route and quadrature agree to nine digits, and the chances add up to 1."""
    found = [float(share) for share in at(128, lambda: crossings(margins, bar_rate, rate))]
    assert found == pytest.approx(integrated(margins, float(bar_rate), float(rate)), abs=1e-9)
    assert sum(found) == pytest.approx(1, abs=1e-12)


def test_shifting_scores_and_bar_changes_nothing() -> None:
    """Only the margins count, and far scores are sure."""

    def run(shift: int) -> ExactLaw:
        def go(coins: Any) -> bool:
            return Bar(Fraction(shift), ONE, coins).cleared(Fraction(shift) + HALF, ONE)

        return walked(go, leftover="1e-3")

    assert run(0) == run(10**30)
    far = at(128, lambda: crossings([Fraction(-200), Fraction(200)], ONE, ONE))
    assert at(128, lambda: bool(far[1] > 1 - ball(Fraction(1, 10**30))))


@pytest.mark.parametrize("margin", [Fraction(-1), Fraction(3, 2)])
def test_the_lead_has_its_law(margin: Fraction) -> None:
    """How far a score is above is what the density of score noise less bar noise says; half the noise is rejected."""

    def run(coins: Any) -> int | None:
        bar = Bar(Fraction(0), ONE, coins)
        return bar.lead(margin, HALF, ONE) if bar.cleared(margin, HALF) else None

    def claimed(rate: float) -> dict[int | None, Fraction]:
        beyond = [mean_over_bar(1.0, rate, [float(margin) - lead], [True]) for lead in range(40)]
        steps: dict[int | None, Fraction] = {lead: Fraction(beyond[lead] - beyond[lead + 1]) for lead in range(39)}
        return {**steps, None: Fraction(1 - beyond[0])}

    law = walked(run, runs=4000)
    assert law.leftover < Fraction(1, 5)
    assert law.contains(claimed(0.5))
    assert not law.contains(claimed(1.0))


def test_the_oracle_knows_the_simplest_case() -> None:
    """A score at the bar clears it with chance bar_rate / (bar_rate + rate); one m below with exp(-rate m) of that."""
    assert mean_over_bar(1.0, 2.0, [0.0], [True]) == pytest.approx(1 / 3, abs=1e-12)
    assert mean_over_bar(1.0, 2.0, [-1.0], [True]) == pytest.approx(exp(-2) / 3, abs=1e-12)
