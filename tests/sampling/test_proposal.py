"""The bounds are upper bounds, whatever the floats did; a draw below the total is in proportion to them."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet.balls import at, ball
from discreet.errors import GuardError
from discreet.sampling import choose, column, propose
from discreet.sampling.choose import attempt, peel
from discreet.sampling.coins import SystemCoins
from discreet.sampling.column import Column
from discreet.sampling.propose import Proposal
from discreet.testing import ScriptedCoins

SCORES = some.one_of(
    some.lists(some.integers(-40, 40), min_size=1, max_size=40),
    some.lists(some.integers(-(2**63), 2**63 - 1), min_size=1, max_size=40),
    some.lists(some.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40),
    some.lists(some.floats(-20, 20, width=32), min_size=1, max_size=40).map(lambda found: np.array(found, np.float32)),
    some.lists(some.fractions(-30, 30), min_size=1, max_size=10),
    some.lists(some.integers(-(2**1200), 2**1200), min_size=1, max_size=10),
)
RATES = some.one_of(
    some.fractions(min_value=Fraction(1, 100), max_value=10),
    some.sampled_from([Fraction(10) ** power for power in (-700, -308, -300, -20, 20, 300, 308, 700)]),
)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make eight scores a block, so that a few make many."""
    for module in (column, propose):
        monkeypatch.setattr(module, "BLOCK", 8)


def short_of(proposal: Proposal) -> list[int]:
    """Name the candidates whose true weight certainly passes their bound."""
    bounds = [int(bound) for bound in proposal.table()[0]]
    cap = 1 << proposal.bits
    weights = [at(128, lambda: proposal.weight(place).min(ball(1)) * cap) for place in range(len(bounds))]  # noqa: B023
    return [place for place, weight in enumerate(weights) if weight > bounds[place]]


@pytest.mark.usefixtures("small_blocks")
@given(SCORES, RATES, some.sampled_from([3, 20, 38]), some.sampled_from([0, 0, 1, 7]))
def test_bounds_are_bounds(scores: Any, rate: Fraction, bits: int, lift: int) -> None:
    """No bound lies below its weight, nor a block's below the sum of its bounds, for rates of any size."""
    proposal = Proposal(Column.of(scores), rate, bits, lift)
    assert short_of(proposal) == []
    bounds = proposal.table()[0]
    starts = range(0, len(bounds), 8)
    assert all(int(bounds[at_ : at_ + 8].sum()) <= total for at_, total in zip(starts, proposal._totals, strict=True))
    assert proposal.total == sum(proposal._totals)


@pytest.mark.usefixtures("small_blocks")
@given(some.lists(some.integers(-60, 0), min_size=3, max_size=40), some.data())
def test_bounds_stay_bounds_while_candidates_are_taken_out(scores: list[int], data: some.DataObject) -> None:
    """After any removals what is gone has bound 0, what is left has its own, and totals still cover them."""
    proposal = Proposal(Column.of(scores), Fraction(1))
    gone = data.draw(some.permutations(range(len(scores))))[: len(scores) - 1]
    for place in gone:
        proposal.remove(place)
    bounds = proposal.table()[0]
    (left,) = set(range(len(scores))) - set(gone)
    assert bounds.nonzero()[0].tolist() == [left]
    assert at(128, lambda: not proposal.weight(left) * 2**38 > int(bounds[left]))
    assert int(bounds.sum()) <= proposal.total
    proposal.anchor_on_best()
    assert proposal.best == scores[left]


def test_a_planted_slack_that_is_too_small_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With slack taken away instead of added, bounds fail, and this file's own test of them says so."""
    monkeypatch.setattr(propose, "SLACK", -0.001)
    assert short_of(Proposal(Column.of([0, 1, 2, 3]), Fraction(1))) == [0, 1, 2, 3]


def test_a_bound_that_fails_stops_the_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard at each decision raises instead of drawing from another law."""
    monkeypatch.setattr(propose, "SLACK", -0.001)
    with pytest.raises(GuardError):
        choose.choose(Proposal(Column.of([5, 5]), Fraction(1)), SystemCoins())


@pytest.mark.usefixtures("small_blocks")
def test_a_block_bound_that_fails_stops_the_draw() -> None:
    """A block whose parts sum to more than its bound raises."""
    proposal = Proposal(Column.of([5] * 16), Fraction(1))
    proposal._totals //= 2
    proposal._ends = proposal._totals.cumsum()
    with pytest.raises(GuardError):
        choose.choose(proposal, SystemCoins())


@pytest.mark.usefixtures("small_blocks")
def test_misses_tighten_totals_and_keep_them_bounds() -> None:
    """However many draws miss, every block's total covers its parts, and none grows."""
    proposal = Proposal(Column.of([0, *[-3] * 7] * 40), Fraction(1))
    before = proposal._totals.copy()
    while proposal._patience >= 0:
        proposal.pick(SystemCoins())
    parts = proposal.table()[0].reshape(40, 8).sum(axis=1)
    assert (parts <= proposal._totals).all()
    assert (proposal._totals <= before).all()
    assert proposal.total == parts.sum()


@pytest.mark.parametrize("scores", [[0, 2, 3], [0, -1, -2, -3, -4, -50, 0, 1, 2] * 3])
@pytest.mark.usefixtures("small_blocks")
def test_every_number_below_the_total_is_somebodys(scores: list[int]) -> None:
    """Over all numbers below the total, each candidate is picked exactly as often as its bound says."""
    proposal = Proposal(Column.of(scores), Fraction(1), bits=4)
    total = proposal.total
    picks = [Proposal(Column.of(scores), Fraction(1), bits=4).pick(ScriptedCoins([drawn])) for drawn in range(total)]
    bounds = proposal.table()[0]
    for place, bound in enumerate(bounds):
        assert picks.count((place, int(bound))) == bound
    assert picks.count(None) == total - bounds.sum()


@pytest.mark.parametrize("far", [50, 200, 10**6])
def test_a_far_tail_has_its_whole_mass(far: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand candidates at e**-far have their exact chance together; a textbook draw by doubles gives them none.

    Every number below the total is played once, and the coin's bias is recorded in place of a flip.
    """
    count = 1000
    biases: list[Any] = []

    def record(_coins: object, bias: Any) -> bool:
        biases.append(at(256, bias))
        return True

    monkeypatch.setattr(choose, "flip", record)
    proposal = Proposal(Column.of([far] + [0] * count), Fraction(1), bits=4)
    masses = [ball(0)] * (count + 1)
    for drawn in range(proposal.total):
        place = attempt(proposal, ScriptedCoins([drawn]))
        assert place is not None
        before = masses[place]
        masses[place] = at(256, lambda: before + biases[-1])  # noqa: B023
    chance: Any = at(256, lambda: sum(masses[1:], ball(0)) / sum(masses, ball(0)))
    exact = at(256, lambda: ball(-far).exp() * count / (1 + ball(-far).exp() * count))
    assert chance.overlaps(exact)
    assert at(256, lambda: abs(chance / exact - 1) < ball(Fraction(1, 2**100)))
    ends = np.cumsum(np.exp(np.array([0.0] + [-far] * count)))
    uniforms = (2**53 - np.arange(1, 100)) / 2**53  # the largest numbers random doubles reach
    textbook = ends.searchsorted(uniforms * ends[-1], side="right")
    assert far < 200 or not textbook.any()


@pytest.mark.parametrize("far", [800, 10**6])
def test_what_no_double_holds_can_win(far: int) -> None:
    """Coins that say so let a candidate win whose chance is e**-800, or e**-1000000, and one bit above it does not."""
    proposal = Proposal(Column.of([far, 0]), Fraction(1))
    zeros = far * 2
    drawn = proposal.total - 1  # the last number is the unlikely candidate's
    assert attempt(proposal, ScriptedCoins([drawn, 0, 0], word=zeros)) == 1
    assert attempt(proposal, ScriptedCoins([drawn, 2 ** (zeros // 2)], word=zeros)) is None


EXTREME: list[tuple[Any, Fraction, int]] = [
    ([1e308, -1e308], Fraction(1, 10**300), 0),
    ([1e308, -1e308], Fraction(10) ** 300, 0),
    ([5e-324, 0.0], Fraction(10) ** 330, 0),
    (np.array([-(2**63), 2**63 - 1]), Fraction(1), 1),
    (np.array([0, 2**64 - 1], dtype=np.uint64), Fraction(1), 1),
    ([-(10**400), 10**400], Fraction(1), 1),
]


@pytest.mark.parametrize(("scores", "rate", "best"), EXTREME)
def test_extreme_scores_and_rates_are_ordinary(scores: Any, rate: Fraction, best: int) -> None:
    """Where the odds are beyond any doubt the best wins, without a warning."""
    assert {choose.choose(Proposal(Column.of(scores), rate), SystemCoins()) for _ in range(20)} == {best}


@pytest.mark.parametrize("scores", [[1e308, -1e308], [5e-324, 0.0], [2**63, 0]])
def test_a_rate_too_small_to_matter_gives_an_even_choice(scores: Any) -> None:
    """With a rate of 1e-700 both are chosen: missing one in 60 has a chance of 2**-59."""
    proposal = Proposal(Column.of(scores), Fraction(1, 10**700))
    assert {choose.choose(proposal, SystemCoins()) for _ in range(60)} == {0, 1}


@given(some.lists(some.sampled_from([0, 10**3, 10**6, 10**12, 10**18]), min_size=2, max_size=40, unique=True))
def test_peeling_over_huge_gaps_sorts(scores: list[int]) -> None:
    """Each round measures from the best left, so vast gaps peel in order."""
    wanted = sorted(range(len(scores)), key=lambda place: -scores[place])
    assert peel(Column.of(scores), Fraction(1), len(scores), SystemCoins(), choose.choose) == wanted
    stretched = Column.of([Fraction(score * 10**30) for score in scores])
    assert peel(stretched, Fraction(1), len(scores), SystemCoins(), choose.choose) == wanted
