"""Parameters chosen by the answers must not be plugged into an optimum for fixed plans: two counterexamples."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, exp, expm1

import numpy as np
import pytest

from discreet.accounting.grid import Array, Step, rise, sink
from tests.accounting.plans import GOLDEN


def response(counts: tuple[int, int], menu: tuple[int, int], target: int) -> float:
    """Return the exact delta of randomised responses, their epsilons in tenths."""
    total = 0.0
    chance: float
    for i, j in product(range(counts[0] + 1), range(counts[1] + 1)):
        loss = (2 * i - counts[0]) * menu[0] + (2 * j - counts[1]) * menu[1]
        chance = comb(counts[0], i) * comb(counts[1], j)
        for a, n, up in ((menu[0], counts[0], i), (menu[1], counts[1], j)):
            chance *= exp(a * up / 10) / (1 + exp(a / 10)) ** n
        total += chance * max(0.0, -expm1((target - loss) / 10))
    return total


def test_realised_parameters_must_not_be_plugged_into_the_pure_optimum() -> None:
    """Every admitted multiset meets the target as a fixed plan, yet choosing by the answers exceeds it."""
    case, menu = GOLDEN["plug_in_ledger_counterexample"], (1, 5)
    admitted = {n for n in product(range(80), range(8)) if response(n, menu, 10) <= 0.01}

    @cache
    def worst(n: tuple[int, int], s: int) -> float:
        found = max(0.0, -expm1(s / 10))
        for a, after in ((menu[0], (n[0] + 1, n[1])), (menu[1], (n[0], n[1] + 1))):
            if after in admitted:
                up = 1 / (1 + exp(-a / 10))
                found = max(found, up * worst(after, s - a) + (1 - up) * worst(after, s + a))
        return found

    assert len(admitted) == case["admitted_multisets"]
    assert max(response(n, menu, 10) for n in admitted) == pytest.approx(
        float(case["largest_admitted_fixed_plan_delta"])
    )
    assert worst((0, 0), 10) == pytest.approx(float(case["adaptive_delta"]), rel=1e-9)


def test_realised_parameters_must_not_be_plugged_into_the_bounded_range_optimum() -> None:
    """Every admitted multiset surely meets the target in any order; an adversary who picks parameters exceeds it."""
    menu, target, step = (Fraction(1, 5), Fraction(1)), Fraction(1, 100), Fraction(1, 40)
    steps, size = [Step.of(b, step) for b in menu], 241
    uppers: dict[tuple[int, ...], Array] = {(0, 0): np.zeros(size)}
    admitted: set[tuple[int, ...]] = {(0, 0)}
    for n in sorted(product(range(40), range(3)), key=sum):
        before = list(_before(n))
        if before and all(rest in admitted for _, rest in before):
            uppers[n] = np.max([rise(steps[i], uppers[rest], size) for i, rest in before], axis=0)
            if uppers[n][40] <= target:
                admitted.add(n)
    worst: dict[tuple[int, ...], Array] = {}
    for m in sorted(admitted, key=sum, reverse=True):
        after = [(0, (m[0] + 1, m[1])), (1, (m[0], m[1] + 1))]
        choices = [sink(steps[i], worst[more], size) for i, more in after if more in admitted]
        worst[m] = np.max([np.zeros(size), *choices], axis=0)
    assert all(uppers[n][40] <= target for n in admitted)
    assert worst[0, 0][40] > target


def _before(n: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
    yield from ((i, tuple(m - (j == i) for j, m in enumerate(n))) for i in range(2) if n[i])
