"""The three pictures: what is asked of the accounting, and what a picture says in words."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.accounting import Composition, compose, how_many, repeat
from discreet.accounting.composition import IN_WORDS
from discreet.accounting.uses import Plan
from discreet.errors import SettingError
from discreet.exact import Number, chance, plain, positive, up, whole
from discreet.guarantees import Guarantee, Pure, Range
from discreet.plots.canvas import Canvas
from discreet.plots.curves import Curve, counts_to, end_of, epsilon_in, name, of_profile, of_rule, short, written
from discreet.readings import delta_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PROFILES, BUDGETS = 6, 5
"""More of them in one picture would not be told apart."""


def epsilon_against_times(guarantee: Guarantee, times: int, *, delta: Number, plan: Plan = "adaptive") -> "Figure":
    """Return a picture of the epsilon that 1 to ``times`` releases of a guarantee have together, by every rule.

    Solid lines are proved for the plan, dashed ones only for other plans, and dotted ones are there to be compared.

    >>> figure = epsilon_against_times(Pure("0.1"), 100, delta="1e-6", plan="fixed")
    >>> figure.texts[0].get_text()
    '100 selections cost epsilon 4.78 together; their sum is 10'
    """
    canvas = Canvas(left=0.10, right=0.60, top=0.78)
    d, counts = chance(delta, "delta"), counts_to(whole(times, "times", least=2))
    found = [compose([repeat(guarantee, n)], delta=d, plan=plan, every=True) for n in counts]
    rules = zip(*(one.bounds for one in found), strict=True)
    curves = [curve for bounds in rules if (curve := of_rule(bounds, counts, plan))]
    if not curves:
        raise SettingError.of("guarantee", f"one that costs something at delta={plain(d)}", str(guarantee))
    canvas.head(_cost(found[-1], times), _each(guarantee, found[-1]))
    canvas.across("number of selections", 1, times, logarithmic=True)
    low, high = min(min(curve.y) for curve in curves), max(max(curve.y) for curve in curves)
    canvas.upwards(f"epsilon of all together, at delta = {plain(d)}", low / 1.15, high * 1.15)
    canvas.draw(curves)
    canvas.label_ends(curves)
    canvas.explain({"-": "proved for this plan", "--": "proved for other plans only", ":": "only to compare"}, curves)
    return canvas.figure


def profile_of(*guarantees: Guarantee, least: Number = "1e-6") -> "Figure":
    """Return a picture of the delta of one release at every epsilon, down to where it is ``least``.

    >>> figure = profile_of(Range(1), Pure(1))
    >>> figure.texts[0].get_text()
    'At epsilon 0.5, deltas go from 0.0775 to 0.288'
    """
    if not 1 <= len(guarantees) <= PROFILES:
        raise SettingError.of("guarantees", f"1 to {PROFILES} of them", len(guarantees))
    canvas, d = Canvas(left=0.14, right=0.60, top=0.83), chance(least, "least")
    ends = [end_of(guarantee, d) for guarantee in guarantees]
    last, middle = max(ends) or Fraction(1), Fraction(f"{float(min(ends) / 2):.1g}")
    curves = [of_profile(one, i, end, last, d) for i, (one, end) in enumerate(zip(guarantees, ends, strict=True))]
    ranked = sorted((delta_at(guarantee, middle), i) for i, guarantee in enumerate(guarantees))
    canvas.head(*_compared(middle, [(delta, name(guarantees[i])) for delta, i in ranked]))
    canvas.across("epsilon", 0, up(last))
    canvas.upwards("delta", up(d), 1)
    canvas.draw(curves)
    canvas.label([curves[i] for _, i in ranked], [0.96 - 0.155 * i for i in reversed(range(len(curves)))])
    return canvas.figure


def queries_bought(each: Number, epsilons: Iterable[Number], *, delta: Number) -> "Figure":
    """Return a picture of how many selections of bounded range ``each`` fit some budgets, accounted in five ways.

    >>> figure = queries_bought("0.5", [4, 8], delta="1e-6")
    >>> figure.texts[0].get_text()
    'Epsilon 8 buys 38 selections; at the classic price, 8'
    """
    size, totals = positive(each, "each"), _budgets(epsilons, 2 * positive(each, "each"))
    canvas, d, ways = Canvas(left=0.36, right=0.96, top=0.85), chance(delta, "delta"), _ways(size)
    bought = [[how_many(kind, epsilon=total, delta=d, plan=plan) for _, kind, plan in ways] for total in totals]
    old, new, budget = written(bought[-1][0]), written(bought[-1][-1]), short(totals[-1])
    canvas.head(
        f"Epsilon {budget} buys {new} selections; at the classic price, {old}",
        f"Each: {name(Range(size))}. All together: delta = {plain(d)}, and epsilon as written at the lines.",
    )
    canvas.across("number of selections that fit", bought[0][0] / 1.6, bought[-1][-1] * 1.6, logarithmic=True)
    canvas.rows([words for words, *_ in ways])
    pairs = zip(totals, bought, strict=True)
    canvas.dots([Curve(f"epsilon {short(total)}", n, range(len(ways)), i) for i, (total, n) in enumerate(pairs)])
    return canvas.figure


def _budgets(epsilons: Iterable[Number], least: Fraction) -> list[Fraction]:
    totals = sorted({positive(epsilon, "epsilons") for epsilon in epsilons})
    if not 1 <= len(totals) <= BUDGETS:
        raise SettingError.of("epsilons", f"1 to {BUDGETS} numbers", totals)
    if totals[0] < least:
        remedy = "below that, not one selection fits at the classic price"
        raise SettingError.of("epsilons", f"numbers from {plain(least)}, twice each", totals[0], remedy)
    return totals


def _ways(each: Fraction) -> tuple[tuple[str, Guarantee, Plan], ...]:
    """Return words, guarantee and plan of five ways to account for the same selection."""
    return (
        (f"classic price: {plain(2 * each)} each,\nall fixed beforehand", Pure(2 * each), "batch"),
        (f"pure price: {plain(each)} each,\nall fixed beforehand", Pure(each), "batch"),
        ("price of the range,\nparameters chosen on the way", Range(each), "adaptive"),
        ("price of the range,\nparameters fixed beforehand", Range(each), "fixed"),
        ("price of the range,\nall fixed beforehand", Range(each), "batch"),
    )


def _cost(found: Composition, times: int) -> str:
    added = next((epsilon_in(bound) for bound in found.bounds if bound.rule == "basic"), None)
    rest = f"; their sum is {short(added)}" if added is not None and added > found.epsilon else ""
    return f"{written(times)} selections cost epsilon {short(found.epsilon)} together{rest}"


def _each(guarantee: Guarantee, found: Composition) -> str:
    return f"Each: {name(guarantee)}. Together: {IN_WORDS[found.plan]}, by the rule '{found.rule}'."


def _compared(epsilon: Fraction, ranked: Sequence[tuple[Fraction, str]]) -> tuple[str, str]:
    (low, best), (high, worst) = ranked[0], ranked[-1]
    if low == high:
        return f"At epsilon {plain(epsilon)}, delta is {short(high)}", f"One release: {best}."
    message = f"At epsilon {plain(epsilon)}, deltas go from {short(low)} to {short(high)}"
    return message, f"One release. The least there: {best}; the most: {worst}."
