"""The best point of a box: laws against plain enumeration, promises that are attained, bounds that do not matter."""

import math
from collections.abc import Callable, Hashable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any, cast, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import discreet
from discreet.balls import Ball, at, ball
from discreet.domains import BestPoint, LeastLoss, least_loss
from discreet.domains.axes import Axes
from discreet.domains.hills import Concave, Halved
from discreet.errors import GuardError, SettingError
from discreet.guarantees import Pure, Range
from discreet.sampling import envelope
from discreet.sampling.coins import SystemCoins
from discreet.sampling.envelope import Envelope, Hill
from discreet.sensitivity import Neighbours
from discreet.testing.domains import check_law, check_promise, worst_loss
from tests.sampling.forks import FORKED
from tests.sampling.test_envelope import until_stopped

PEOPLE: list[list[float]] = [[], [1.0], [0.5, 0.5, 2.0], [-3.0, 9.0, math.nan]]


def walked(people: Any, at: float) -> list[float]:
    """How far each is from a point of a line."""
    return [abs(x - at) for x in people]


def flown(people: Any, at: tuple[float, float]) -> list[float]:
    """How far each is from a point of a plane."""
    return [math.hypot(x - at[0], x - at[1]) for x in people]


def wavy(people: Any, at: float) -> Fraction:
    """A score without a pattern."""
    return Fraction(int(7 * at + 3 * len(people)) ** 2 % 11, 4)


LINE = LeastLoss((0, 2), "0.5", walked, lipschitz=1)
BENT = LeastLoss((0, 2), "0.5", walked, lipschitz=1, convex=True)
PLANE = LeastLoss([(0, 1), (0, 1)], 1, flown, lipschitz=1)
ANY = BestPoint((0, 2), "0.5", wavy, range=3, upper=lambda *_: 3)
STEEP = BestPoint((0, 2), "0.5", wavy, range=3, lipschitz=lambda people: 20 + len(people))
ROUND = BestPoint(
    (0, 2), "0.5", lambda people, at: -sum((x - at) ** 2 for x in people if not math.isnan(x)), range=9, concave=True
)


def enumerated(domain: Any, people: list[float], rate: Fraction) -> dict[Hashable, Ball]:
    """Return the exponential law of the scores of all points, made by hand."""
    axes = domain.axes
    if isinstance(domain, BestPoint):
        scores = [Fraction(cast("Any", domain.function(people, axes.at(place)))) for place in places(axes)]
    else:
        scores = [-held_to(domain, people, axes, place) for place in places(axes)]
    weights = [ball(rate * (score - max(scores))).exp() for score in scores]
    total = sum(weights, ball(0))
    return {axes.spot(place): weight / total for place, weight in zip(places(axes), weights, strict=True)}


def places(axes: Axes) -> list[tuple[int, ...]]:
    """List all places of a box."""
    return list(product(*(range(line.size) for line in axes.lines)))


def held_to(domain: LeastLoss, people: list[float], axes: Axes, place: tuple[int, ...]) -> Fraction:
    """Add up what each adds to the loss of the middle, cut to a share and rounded down to ticks."""
    middle = tuple(Fraction(last, 2) for last in axes.last)
    most = min(math.ceil(axes.far(place, middle) / domain.tick), 2**31)
    total = 0
    for person in people:
        (one,), (other,) = domain.loss([person], axes.at(place)), domain.loss([person], axes.at(middle))
        total += 0 if math.isnan(one - other) else min(max(math.floor((one - other) / float(domain.tick)), -most), most)
    return total * domain.tick


@pytest.fixture(params=[0, 64])
def warm(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut no cells beforehand, so that draws have to; or all."""
    monkeypatch.setattr(envelope, "WARM", request.param)
    for name, forked in FORKED.items():
        monkeypatch.setattr(envelope, name, forked)


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("people", PEOPLE, ids=len)
@pytest.mark.parametrize("domain", [LINE, BENT, PLANE, ANY, STEEP, ROUND], ids=str)
def test_points_have_their_law(domain: Any, people: list[float]) -> None:
    """With nobody, with ties, beyond the bounds, and of no number; with cells of every kind."""
    rate = Fraction(1, 3)
    law = domain.score(people).law(rate)
    expected = at(128, lambda: enumerated(domain, people, rate))
    assert at(128, lambda: all(law.chances()[spot].overlaps(chance) for spot, chance in expected.items()))
    check_law(law, leftover="3e-2")


WRONG_LAWS: dict[str, Callable[[], dict[Hashable, Ball]]] = {
    "half the rate": lambda: enumerated(LINE, [0.5, 2.0], Fraction(1, 2)),
    "a person more": lambda: enumerated(LINE, [0.5, 2.0, 2.0], Fraction(1)),
    "another place": lambda: enumerated(LINE, [0.5, 1.5], Fraction(1)),
    "off by one point": lambda: dict(
        zip(LINE.axes.lines[0], [*list(enumerated(LINE, [0.5, 2.0], Fraction(1)).values())[1:], ball(0)], strict=True)
    ),
}


@pytest.mark.parametrize("name", WRONG_LAWS)
def test_planted_wrong_laws_are_caught(name: str) -> None:
    """Another rate, another person, another place, and a law moved by one point are seen."""
    with pytest.raises(AssertionError):
        check_law(LINE.score([0.5, 2.0]).law(Fraction(1)), at(128, WRONG_LAWS[name]))


WORLDS = [(domain, neighbours) for domain in (LINE, BENT, PLANE) for neighbours in get_args(Neighbours)]


@pytest.mark.parametrize(("domain", "neighbours"), WORLDS, ids=str)
def test_neighbours_of_small_worlds_keep_the_promise(domain: LeastLoss, neighbours: Neighbours) -> None:
    """None passes it; on a line the range is attained but for a few ticks, by somebody at an end."""
    universe = [0.0, 0.7, 1.0, 2.0, 5.0, math.nan]
    check_promise(domain, universe, 3, Fraction(1), neighbours, attained="0.3")
    if domain is not PLANE:
        spread = worst_loss(domain, universe, 2, Fraction(1), neighbours)[1]
        assert spread > domain.gap(neighbours) * Fraction(999_999, 1_000_000)


@pytest.mark.parametrize("neighbours", get_args(Neighbours))
def test_planted_smaller_gaps_are_caught(neighbours: Neighbours, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundredth less is refuted."""
    true = LeastLoss.gap
    monkeypatch.setattr(LeastLoss, "gap", lambda self, kind: true(self, kind) * Fraction(99, 100))
    with pytest.raises(AssertionError):
        check_promise(LINE, [0.0, 2.0], 2, Fraction(1), neighbours)


LIES: dict[str, Callable[[Any, Any], Any]] = {
    "far too steep": lambda people, at: [1e9 * x * at for x in people],
    "infinite": lambda people, at: [math.inf if x > at else -math.inf for x in people],
    "no number": lambda people, at: [math.nan if x > at else 3.0 for x in people],
    "huge": lambda people, at: [1e308 * (x - at) for x in people],
}


@pytest.mark.parametrize("name", LIES)
@pytest.mark.parametrize("neighbours", get_args(Neighbours))
def test_no_loss_breaks_the_promise(name: str, neighbours: Neighbours) -> None:
    """Whatever a loss function returns, a person is held to their share: the laws of neighbours stay close."""
    domain = LeastLoss((0, 2), "0.5", LIES[name], lipschitz=1)
    check_promise(domain, [0.0, 1.0, 2.0], 2, Fraction(1), neighbours)


def test_without_the_cut_a_loss_would_break_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted mistake: nobody is held to anything."""

    def uncut(self: Any, place: tuple[int, ...]) -> Fraction:
        return Fraction(-int(((self._losses(place) - self._start) / float(self._tick)).sum()))

    monkeypatch.setattr(least_loss._Total, "score", uncut)
    steep = LeastLoss((0, 2), "0.5", lambda people, at: [3 * abs(x - at) for x in people], lipschitz=1)
    with pytest.raises(AssertionError):
        check_promise(steep, [0.0, 2.0], 2, Fraction(1), "add-remove")


def test_a_draw_that_meets_a_lie_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Losses that jump, or bend the other way, pass their bound; the message shows nothing of the people."""
    monkeypatch.setattr(envelope, "WARM", 3)
    people = np.full(50, 0.123456)
    jumps = LeastLoss((0, 10), 1, lambda people, at: np.where(people < at, 5.0, 0.0), lipschitz=1)
    bends = LeastLoss((0, 1000), 1, lambda people, at: -((people - at) ** 2) / 2000, lipschitz=1, convex=True)
    for lying in (jumps, bends):
        law = lying.score(people).law(Fraction(1, 10**9))
        closer = Envelope(law.hill(), law.rate)
        with pytest.raises(GuardError, match="passed the bound") as caught:
            until_stopped(closer)
        assert "123456" not in repr(caught.value)


@pytest.mark.parametrize(
    ("loss", "error"),
    [
        (lambda people, _: people[0] / 0, "it failed at a point"),
        (lambda *_: ["4711"] * 99, "one number for each person"),
        (lambda *_: 3, "one number for each person"),
        (lambda *_: {"4711": 1}, "it failed at a point"),
    ],
)
def test_functions_that_fail_say_nothing(loss: Any, error: str) -> None:
    """What a function raises stays with it: no message, cause or context holds a row."""
    with pytest.raises(GuardError, match=error) as caught:
        discreet.draw(LeastLoss((0, 9), 1, loss, lipschitz=1).score([4711]), epsilon=1)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert "4711" not in str(caught.value)


@pytest.mark.parametrize("score", [lambda *_: math.nan, lambda *_: math.inf, lambda *_: "many"])
def test_scores_that_are_none_stop_the_draw(score: Any) -> None:
    """A score of its own must be a number everywhere."""
    with pytest.raises(GuardError, match="finite number"):
        discreet.draw(BestPoint((0, 9), 1, score, range=1, concave=True).score([4711]), epsilon=1)


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: LeastLoss((0, 9), 1, "loss", lipschitz=1), "loss: wanted a function"),  # type: ignore[arg-type]
    (lambda: LeastLoss((0, 9), 1, walked, lipschitz=0), "lipschitz"),
    (lambda: LeastLoss([(0, 9), (0, 9)], 1, flown, lipschitz=1, convex=True), "convex"),
    (lambda: LeastLoss([(0, 9)] * 4, 1, flown, lipschitz=1), "bounds: wanted bounds of at most 3"),
    (lambda: LeastLoss([(0, 9), (0, 9)], [1, 1, 1], flown, lipschitz=1), "step: wanted one step, or as many"),
    (lambda: LeastLoss([], 1, flown, lipschitz=1), "bounds"),
    (lambda: LeastLoss("09", 1, flown, lipschitz=1), "bounds"),
    (lambda: BestPoint((0, 9), 1, wavy, range=1), "upper: wanted one of"),
    (lambda: BestPoint((0, 9), 1, wavy, range=1, lipschitz=1, concave=True), "upper: wanted one of"),
    (lambda: BestPoint((0, 9), 1, wavy, range=0, lipschitz=1), "range"),
    (lambda: BestPoint((0, 9), 1, wavy, range=1, lipschitz=-1), "lipschitz"),
    (lambda: BestPoint((0, 9), 1, wavy, range=1, upper=3), "upper: wanted a function"),  # type: ignore[arg-type]
    (lambda: BestPoint([(0, 9), (0, 9)], 1, wavy, range=1, concave=True), "concave"),
    (lambda: BestPoint((0, 9), 1, wavy, range=1, concave=True, neighbours="replace").score([], "add-remove"), "neighb"),
]


@pytest.mark.parametrize(("make", "error"), REFUSED)
def test_bad_settings_are_refused(make: Callable[[], object], error: str) -> None:
    """By name, before any data is read."""
    with pytest.raises(SettingError, match=error):
        make()


def test_ranges_follow_the_relation() -> None:
    """From add-remove to replace the range doubles; what was vouched for is the default of both."""
    one = BestPoint((0, 9), 1, wavy, range=2, lipschitz=20)
    assert one.gap() == 2
    assert one.gap("replace") == 4
    assert one.promise(Fraction(1, 2), "replace") == Range(2)
    other = BestPoint((0, 9), 1, wavy, range=2, lipschitz=20, neighbours="replace")
    assert other.score([]).neighbours == "replace"
    assert other.calibrate(Pure(1), "replace") == Fraction(1, 2)
    assert LINE.calibrate(Pure(1)) == Fraction(1, 2)
    assert LINE.calibrate(Pure(1), "replace") == Fraction(1, 4)
    assert LeastLoss((3, 3), 1, walked, lipschitz=1).calibrate(Pure(1)) == 1


def test_one_point_alone_is_drawn() -> None:
    """A box of one point has one answer."""
    assert discreet.draw(LeastLoss((3, 3), 1, walked, lipschitz=1).score([5]), epsilon=1).value == 3


def test_nothing_prints() -> None:
    """Neither data nor scores stand in what is shown."""
    fitted = PLANE.score([0.123456])
    shown = f"{fitted} {fitted.law(Fraction(1))} {fitted.hill()!r} {Envelope(fitted.hill(), Fraction(1))}"
    assert "123456" not in shown
    assert "Fraction" not in f"{fitted} {fitted.law(Fraction(1))}"


@pytest.mark.parametrize("size", [10**3, 10**9, 2**62 - 1])
@pytest.mark.parametrize("seed", range(3))
def test_answers_are_near_on_any_grid(size: int, seed: int) -> None:
    """A sharp rate finds the middle person, whatever the grid: among thousands, the score is best within nats."""
    people = [size * (3 + part) / 40 + seed for part in range(31)]
    fitted = LeastLoss((0, size), 1, lambda people, at: np.abs(np.array(people) - at), lipschitz=1, convex=True).score(
        people
    )
    law = fitted.law(fitted.domain.calibrate(Pure(10**6)))
    assert abs(Fraction(str(law.draw(SystemCoins()))) - Fraction(people[15])) < Fraction(size, 1000)


def test_answers_in_three_dimensions_are_near() -> None:
    """Ten thousand people, a million million points; a strict bound on cells."""
    people = np.array([[1.0, 2.0, 3.0]] * 900 + [[9.0, 9.0, 9.0]] * 100)

    def away(people: Any, at: tuple[float, float, float]) -> Any:
        return np.sqrt(((people - np.array(at)) ** 2).sum(axis=1))

    made = discreet.draw(LeastLoss([(0, 10)] * 3, "0.01", away, lipschitz=1).score(people), epsilon=2)
    assert isinstance(made.value, tuple)
    assert all(isinstance(part, Decimal) for part in made.value)
    assert math.dist([float(part) for part in made.value], (1, 2, 3)) < 3  # a miss has chance below e^-20


@given(
    heights=some.lists(some.integers(-50, 50), min_size=2, max_size=40),
    ask=some.lists(some.integers(0, 39), max_size=6),
    off=some.lists(some.integers(-2, 2), min_size=41, max_size=41),
)
def test_lines_stay_above_what_is_concave(heights: list[int], ask: list[int], off: list[int]) -> None:
    """After any cuts, of exact scores and of scores that are off by up to an error, no cell has a score above it."""
    slopes = sorted(heights, reverse=True)
    exact = [Fraction(sum(slopes[:at])) for at in range(len(slopes) + 1)]
    for error in (0, 2):
        values = [value + (off[at] if error else 0) for at, value in enumerate(exact)]
        hill = Concave(len(exact) - 1, lambda at: values[at[0]], lambda _: Fraction(error))  # noqa: B023
        check_cells(hill, len(values), ask)


def test_a_plain_secant_is_caught() -> None:
    """The planted mistake: scores that are off, and no room left for it."""
    values = [Fraction(-((at - 20) ** 2) + (at % 3)) for at in range(41)]
    check_cells(Concave(40, lambda at: values[at[0]], lambda _: Fraction(2)), 41, [*range(41)])
    with pytest.raises(AssertionError):
        check_cells(Concave(40, lambda at: values[at[0]]), 41, [*range(41)])


def check_cells(hill: Hill, count: int, ask: list[int]) -> None:
    """Cells share out the line, each above its scores, before and after each cut."""
    cells = list(hill.cells())
    for wanted in (None, *ask):
        if wanted is not None:
            at = next((n for n, cell in enumerate(cells) if cell.low[0] <= wanted < cell.low[0] + cell.size[0]), None)
            if at is None or cells[at].single:
                continue
            cells[at : at + 1] = hill.cut(cells[at], (wanted,))
        covered = sorted(cell.low[0] + step for cell in cells for step in range(cell.size[0]))
        assert covered == list(range(count))
        for cell in cells:
            assert not cell.single or cell.start == hill.score(cell.low)
            for step in range(cell.size[0]):
                place = (cell.low[0] + step,)
                assert cell.bound(place) >= hill.score(place)


def test_halves_share_out_a_cell() -> None:
    """In every dimension, down to single places, with their own scores."""
    hill = Halved(
        (3, 1, 2),
        (Fraction(1), Fraction(9), Fraction(1)),
        lambda at: Fraction(-sum(at)),
        lambda low, _: Fraction(-sum(low)),
    )
    cells = list(hill.cells())
    while any(not cell.single for cell in cells):
        at = next(n for n, cell in enumerate(cells) if not cell.single)
        cells[at : at + 1] = hill.cut(cells[at], None)
    assert sorted(cell.low for cell in cells) == list(product(range(4), range(2), range(3)))
    assert all(cell.start == hill.score(cell.low) for cell in cells)


@pytest.mark.parametrize("odd", [1e15, 1e18, 1e300, -1e15, math.inf, math.nan])
@pytest.mark.parametrize("convex", [True, False])
def test_one_odd_person_does_not_hold_up_a_draw(odd: float, convex: bool) -> None:  # noqa: FBT001
    """However far off somebody is, bounds grow by no more than one person counts for."""
    people = np.append(np.linspace(40, 60, 1000), odd)
    domain = LeastLoss((0, 100), "0.01", lambda people, at: np.abs(people - at), lipschitz=1, convex=convex)
    closer = Envelope(
        domain.score(people).law(domain.calibrate(Pure(1))).hill(), domain.calibrate(Pure(1)) * domain.tick
    )
    assert any(closer.attempt(SystemCoins()) is not None for _ in range(3000))


@pytest.mark.parametrize("epsilon", ["1e12", "1e18", "1e300"])
@pytest.mark.parametrize("convex", [True, False])
def test_any_rate_has_a_draw(epsilon: str, convex: bool) -> None:  # noqa: FBT001
    """The anchor follows the bounds down, so floats never measure from too far off."""
    domain = LeastLoss((0, 100), "0.01", lambda people, at: np.abs(people - at), lipschitz=1, convex=convex)
    made = discreet.draw(domain.score(np.linspace(40, 60, 101)), epsilon=epsilon)
    assert made.value == 50


@pytest.mark.parametrize("shape", [{"concave": True}, {"lipschitz": len}])
@pytest.mark.parametrize("same", [True, False])
def test_points_that_floats_round_keep_their_bounds(shape: Any, same: bool) -> None:  # noqa: FBT001
    """Times in thousandths of seconds: what a function gets is off by a part of a step."""
    start = 1_700_000_000
    people = [start + (200.123 if same else 8 * n + 0.123) for n in range(50)]
    when = BestPoint((start, start + 400), "0.001", lambda p, at: -sum(abs(x - at) for x in p), range=400, **shape)
    for epsilon in (1, 1000):
        assert start <= float(str(discreet.draw(when.score(people), epsilon=epsilon).value)) <= start + 400
    with pytest.raises(SettingError, match="step: wanted one that floats tell apart"):
        BestPoint((start, start + 400), "0.000001", lambda p, at: -sum(abs(x - at) for x in p), range=400, concave=True)


def test_boxes_beyond_floats_are_refused() -> None:
    """Before any data is read."""
    with pytest.raises(SettingError, match="bounds"):
        LeastLoss((0, 10**320), 10**310, walked, lipschitz=1)
    with pytest.raises(SettingError, match="lipschitz"):
        LeastLoss((0, 10), 1, walked, lipschitz="1e320")
