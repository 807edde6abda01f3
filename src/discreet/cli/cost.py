"""``discreet cost``: what many selections cost together, by every rule, and for which use each rule is proved."""

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from discreet.cli.options import JSON, exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from discreet.accounting import Bound, Composition
    from discreet.guarantees import Guarantee

MECHANISMS = ("exponential", "permute-and-flip", "noisy-max", "any")
USES = {"batch": "a batch", "fixed": "a fixed plan", "adaptive": "chosen on\nthe way"}
NOTES = {"comparison": "for comparison", "picture": "a picture, no bound"}
EXPLAINED = {
    "batch": "if all are fixed beforehand (a batch)",
    "fixed": "if every epsilon is fixed beforehand, but what is asked may depend on earlier answers (a fixed plan)",
    "adaptive": "if every epsilon, too, may depend on earlier answers, and only the total is fixed",
}


@click.command()
@click.option("--epsilon", "-e", required=True, callback=exact, metavar="NUMBER", help="What each selection spends.")
@click.option("--times", "-n", required=True, type=click.IntRange(min=1), metavar="COUNT", help="How many there are.")
@click.option("--delta", "-d", required=True, metavar="NUMBER", help="The chance left out of the promise, as 1e-6.")
@click.option("--mechanism", type=click.Choice(MECHANISMS), default=MECHANISMS[0], help="What draws [exponential].")
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw epsilon against the number: .svg, .png or .pdf.")
@JSON
def cost(epsilon: Fraction, times: int, delta: str, mechanism: str, plot: str | None, *, as_json: bool) -> None:
    """Say what many selections cost together. It reads no data and spends nothing.

    \b
    Example:
      discreet cost --epsilon 0.1 --times 100 --delta 1e-6
    """  # noqa: D301 - a backspace tells click to keep the lines below it
    from discreet.accounting import compose, repeat

    each = promised(mechanism, epsilon)
    found = compose([repeat(each, times)], delta=delta, plan="batch", every=True)
    if plot is not None:
        draw(each, times, delta, plot)
    click.echo(as_object(each, times, found) if as_json else in_words(each, times, found))


def promised(mechanism: str, epsilon: Fraction) -> "Guarantee":
    """Return what one selection by a mechanism promises.

    >>> promised("noisy-max", Fraction(1, 10))
    LaplacePair(epsilon=Fraction(1, 10))
    """
    from discreet.guarantees import LaplacePair, Pure, Range

    if mechanism == "exponential":
        return Range(epsilon)
    return Pure(epsilon) if mechanism == "any" else LaplacePair(epsilon)


def least(bounds: "Sequence[Bound]", plan: Any) -> "Bound":
    """Return the least bound that may be promised for a plan.

    >>> from discreet.accounting import compose
    >>> from discreet.guarantees import Range
    >>> least(compose([Range(1)] * 9, delta="1e-6", plan="batch", every=True).bounds, "adaptive").rule
    'zcdp'
    """
    serving = [one for one in bounds if one.guarantee is not None and one.role == "bound" and plan in one.holds]
    return min(serving, key=size)


def size(bound: "Bound") -> Fraction:
    """Return the epsilon of a bound.

    >>> from discreet.accounting import compose
    >>> from discreet.guarantees import Pure
    >>> size(compose([Pure(2)], rule="basic").bounds[0])
    Fraction(2, 1)
    """
    return getattr(bound.guarantee, "epsilon", Fraction(0))


def in_words(each: "Guarantee", times: int, found: "Composition") -> str:
    """Write the table, and what may be promised for each use.

    >>> from discreet.accounting import compose
    >>> from discreet.guarantees import Range
    >>> told = in_words(Range(1), 9, compose([Range(1)] * 9, delta="1e-6", plan="batch", every=True))
    >>> "batch optimum" in told and "a picture, no bound" in told
    True
    """
    from rich.console import Console

    from discreet.exact import plain

    console = Console(width=100, highlight=False)
    with console.capture() as page:
        console.print(f"{times} times {each}, together, at delta {plain(found.delta)}:")
        console.print(table(found.bounds))
    best = {words: least(found.bounds, plan) for plan, words in EXPLAINED.items()}
    promises = [f"* {plain(size(bound))}, by the rule {bound.rule!r}, {words}" for words, bound in best.items()]
    return "\n".join([page.get().rstrip(), "", "The epsilon that may be promised for all of them together:", *promises])


def table(bounds: "Sequence[Bound]") -> "Table":
    """Draw what the rules say, the smallest epsilon first; silent rules are left out.

    >>> from discreet.accounting import compose
    >>> from discreet.guarantees import Pure
    >>> table(compose([Pure(2)], rule="basic").bounds).row_count
    1
    """
    from rich import box
    from rich.table import Table

    from discreet.exact import plain

    drawn = Table(box=box.SIMPLE_HEAD)
    drawn.add_column("epsilon", justify="right")
    drawn.add_column("rule")
    for heading in USES.values():
        drawn.add_column(f"{heading}", justify="center")
    for bound in sorted((one for one in bounds if one.guarantee is not None), key=size):
        marks = ["yes" if plan in bound.holds and bound.role != "picture" else "-" for plan in USES]
        note = f" ({NOTES[bound.role]})" if bound.role in NOTES else ""
        drawn.add_row(plain(size(bound)).removeprefix("about "), bound.rule + note, *marks)
    return drawn


def as_object(each: "Guarantee", times: int, found: "Composition") -> str:
    """Write everything as one JSON object; numbers are exact.

    >>> from discreet.accounting import compose
    >>> from discreet.guarantees import Pure
    >>> as_object(Pure(2), 1, compose([Pure(2)], rule="basic"))[:60]
    '{"verb": "cost", "each": {"kind": "pure", "epsilon": "2"}, "'
    """
    from discreet import __version__
    from discreet.guarantees import to_dict

    best = {plan: least(found.bounds, plan).to_dict() for plan in USES}
    rows = [bound.to_dict() for bound in found.bounds]
    facts: dict[str, Any] = {"verb": "cost", "each": to_dict(each), "times": times, "delta": str(found.delta)}
    return json.dumps(facts | {"least": best, "bounds": rows, "version": __version__})


def draw(each: "Guarantee", times: int, delta: str, plot: str) -> None:
    """Draw epsilon against the number of selections, and write the picture.

    >>> from discreet.guarantees import Pure
    >>> draw(Pure(1), 2, "1e-6", "picture.txt")
    Traceback (most recent call last):
    discreet.errors.SettingError: ...
    """
    from discreet.plots import epsilon_against_times, save

    save(epsilon_against_times(each, times, delta=delta), plot)
