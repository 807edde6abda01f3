"""The three families: the law is the channel matrix, epsilon is attained exactly, and estimates are unbiased."""

import itertools
from collections.abc import Callable
from fractions import Fraction
from math import isclose

import numpy as np
import pytest

from discreet.balls import Ball, at, ball, lower, upper
from discreet.guarantees import LaplacePair, Pure
from discreet.local import Channel, Kary, Subset, Unary, best_channel, rappor_epsilon
from discreet.local.channels import facts, promise
from discreet.local.estimates import estimated
from discreet.local.subset import best_names
from discreet.readings import delta_at
from discreet.testing import exact_law
from tests.local.oracle import EPSILONS, Matrix, channels, matrix, names

BITS = 128
SMALL = [channel for epsilon in EPSILONS for size in (2, 3, 4) for channel in channels(size, epsilon)]
WALKED = [channel for size in (2, 3) for channel in channels(size, Fraction(1))] + [Subset(4, Fraction(1), 2)]


def exactly(channel: Channel) -> Matrix:
    """Return the oracle's matrix."""
    return at(BITS, lambda: matrix(channel))


def tight(value: Ball, wanted: Ball) -> bool:
    """Return whether two balls overlap and are narrow."""
    return bool(value.overlaps(wanted)) and at(BITS, lambda: upper(value) - lower(value)) < Fraction(1, 10**25)


@pytest.mark.parametrize("channel", WALKED, ids=str)
def test_one_report_has_the_law_of_the_matrix(channel: Channel) -> None:
    """The tree of coins gives each report its chance; another epsilon, and another value, do not fit."""
    law = exact_law(lambda coins: channel.draw(0, coins), leftover="1e-3", runs=6000)
    assert law.leftover < Fraction(1, 100)
    assert law.contains(exactly(channel)[0])
    assert not law.contains(exactly(channel)[1])
    assert not law.contains(exactly(nearby(channel, Fraction(11, 10)))[0])


def nearby(channel: Channel, factor: Fraction) -> Channel:
    """Return the same family with another epsilon."""
    match channel:
        case Kary(size=size, epsilon=epsilon):
            return Kary(size, epsilon * factor)
        case Unary(size=size, epsilon=epsilon, kind=kind):
            return Unary(size, epsilon * factor, kind)
        case Subset(size=size, epsilon=epsilon, names=count):
            return Subset(size, epsilon * factor, count)
        case _:
            raise AssertionError(channel)


@pytest.mark.parametrize("channel", SMALL, ids=str)
def test_the_chances_are_those_of_the_matrix(channel: Channel) -> None:
    """p, q and the chance to name one and not the other are sums of the matrix; with p 2 % off they would not be."""
    row = exactly(channel)[0]

    def total(keep: Callable[[int], bool]) -> Ball:
        return at(BITS, lambda: sum(mass for report, mass in row.items() if keep(report)))

    own, other, apart = at(BITS, lambda: (channel.own(), channel.other(), channel.apart()))
    assert tight(own, total(lambda report: names(channel, report, 0)))
    assert tight(other, total(lambda report: names(channel, report, 1)))
    assert tight(apart, total(lambda report: names(channel, report, 0) and not names(channel, report, 1)))
    assert not tight(at(BITS, lambda: own * ball(Fraction(51, 50))), total(lambda report: names(channel, report, 0)))


@pytest.mark.parametrize("channel", SMALL, ids=str)
def test_epsilon_is_attained_and_never_passed(channel: Channel) -> None:
    """Between any two values every log of odds is epsilon, 0 or -epsilon, and both ends come."""
    rows = exactly(channel)
    levels = at(BITS, lambda: [ball(channel.epsilon), ball(0), ball(-channel.epsilon)])
    for one, two in itertools.permutations(range(channel.size), 2):
        losses = at(BITS, lambda: [(rows[one][report] / rows[two][report]).log() for report in rows[one]])  # noqa: B023
        assert all(any(tight(loss, level) for level in levels) for loss in losses)
        assert all(any(tight(loss, end) for loss in losses) for end in (levels[0], levels[2]))


@pytest.mark.parametrize("channel", SMALL, ids=str)
def test_the_promise_is_the_tightest_that_holds(channel: Channel) -> None:
    """Delta at every epsilon is within the promise; where that is only a pure one, a Laplace pair would be wrong."""
    rows, step = exactly(channel), channel.epsilon / 8

    def delta(epsilon: Fraction) -> Ball:
        return at(
            BITS, lambda: sum((rows[0][key] - ball(epsilon).exp() * rows[1][key]).max(ball(0)) for key in rows[0])
        )

    profile = {step * k: delta(step * k) for k in range(9)}
    promised, pair = promise(channel), LaplacePair(channel.epsilon)
    assert promised in (pair, Pure(channel.epsilon))
    assert all(lower(true) <= delta_at(promised, epsilon) for epsilon, true in profile.items())
    if promised != pair:
        assert any(lower(true) > delta_at(pair, epsilon) for epsilon, true in profile.items())
    assert any(lower(true) > delta_at(Pure(channel.epsilon * Fraction(9, 10)), e) for e, true in profile.items())


@pytest.mark.parametrize("channel", SMALL, ids=str)
def test_the_estimator_is_unbiased_exactly(channel: Channel) -> None:
    """(named - q) / (p - q) is on average 1 for the own candidate and 0 for others; without the -q it is not."""
    row = exactly(channel)[0]
    for candidate in range(channel.size):

        def mean(shift: Ball) -> Ball:
            spread = channel.own() - channel.other()
            return sum(mass * (int(names(channel, key, candidate)) - shift) / spread for key, mass in row.items())  # noqa: B023

        assert tight(at(BITS, lambda: mean(channel.other())), at(BITS, lambda: ball(int(candidate == 0))))  # noqa: B023
        assert not at(BITS, lambda: mean(ball(0))).overlaps(ball(int(candidate == 0)))


@pytest.mark.parametrize("channel", [*channels(3, Fraction(1)), Kary(4, Fraction(2))], ids=str)
def test_the_variance_is_that_of_all_outcomes(channel: Channel) -> None:
    """For three people, two of one mind, the variance over all reports is the formula's, one by one and summed."""
    people, shares, facts_ = (0, 0, 1), [2 / 3, 1 / 3, 0, 0], facts(channel)
    rows = [{report: float(lower(mass)) for report, mass in row.items()} for row in exactly(channel)]
    moments = [[0.0, 0.0] for _ in range(channel.size)]
    for reports in itertools.product(rows[0], repeat=3):
        chance = 1.0
        for person, report in zip(people, reports, strict=True):
            chance *= rows[person][report]
        support = np.array([sum(names(channel, key, place) for key in reports) for place in range(channel.size)])
        made = estimated(range(channel.size), support, 3, facts_, channel.epsilon)
        for candidate, moment in enumerate(moments):
            share = made.shares[candidate]
            moment[0] += chance * share
            moment[1] += chance * (share - shares[candidate]) ** 2
    for candidate, (mean, spread) in enumerate(moments):
        assert isclose(mean, shares[candidate], abs_tol=1e-12)
        assert isclose(spread, facts_.variance(shares[candidate]) / 3, rel_tol=1e-12)
    assert isclose(sum(spread for _, spread in moments), facts_.summed / 3, rel_tol=1e-12)
    assert not isclose(
        sum(spread for _, spread in moments), facts(nearby(channel, Fraction(51, 50))).summed / 3, rel_tol=1e-3
    )


FIGURES = [
    (Kary(32, Fraction(1)), 372),
    (Unary(32, Fraction(1), "asymmetric"), 118.9),
    (Subset(32, Fraction(1), 9), 109.7),
    (Kary(1024, Fraction(4)), 403),
    (Unary(1024, Fraction(4), "asymmetric"), 78.9),
    (Kary(4, Fraction(1)), 7.56),
    (Unary(4, Fraction(1), "asymmetric"), 15.7),
    (Subset(4, Fraction(1), 1), 7.56),
]


@pytest.mark.parametrize(("channel", "summed"), FIGURES, ids=str)
def test_known_figures(channel: Channel, summed: float) -> None:
    """The summed variances that independent code gave, to the digits it was written with."""
    assert isclose(facts(channel).summed, summed, rel_tol=2e-3)


def test_the_best_subset_is_the_best_of_all_sizes() -> None:
    """No other number of names has less variance, and the next ones above and below do have more."""
    for size in (2, 3, 4, 5, 8, 17, 40):
        for epsilon in (Fraction(1, 1000), Fraction(1, 10), Fraction(1), Fraction(2), Fraction(5)):
            cost = {count: facts(Subset(size, epsilon, count)).summed for count in range(1, size)}
            best = best_names(size, epsilon)
            assert isclose(cost[best], min(cost.values()), rel_tol=1e-12)
            assert all(cost[best] <= cost[near] * (1 + 1e-12) for near in (best - 1, best + 1) if near in cost)
    wrong = facts(Subset(32, Fraction(1), 12)).summed
    assert wrong > 1.02 * facts(Subset(32, Fraction(1), best_names(32, Fraction(1)))).summed


def test_the_best_family_is_the_best() -> None:
    """Of all families none has less variance than the one taken; k-ary response is taken where it is the same."""
    for size in (2, 3, 8, 30):
        for epsilon in EPSILONS:
            best = facts(best_channel(size, epsilon)).summed
            assert all(best <= facts(channel).summed * (1 + 1e-12) for channel in channels(size, epsilon))
    assert best_channel(2, 1) == Kary(2, Fraction(1))
    assert best_channel(1024, 4) == Subset(1024, Fraction(4), best_names(1024, Fraction(4)))


def test_rappor_with_one_hash_is_the_symmetric_response() -> None:
    """The epsilon of a noise f gives back bits that are set with chance f/2, from above; two hashes cost twice."""
    noise = Fraction(1, 2)
    epsilon = rappor_epsilon(noise)
    low, high = at(
        BITS, lambda: (lower(Unary(3, epsilon, "symmetric").other()), upper(ball(epsilon) - 2 * ball(3).log()))
    )
    assert Fraction(0) <= noise / 2 - low < Fraction(1, 10**20)
    assert Fraction(0) <= high < Fraction(1, 10**20)
    assert abs(2 * epsilon - rappor_epsilon(noise, 2)) < Fraction(1, 10**20)
