"""``discreet demo``: a school votes on its trip, and the answer hides every pupil."""

import csv
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import click

from discreet.cli.options import exact

if TYPE_CHECKING:
    from rich.table import Table

    from discreet.counts import Counts

TRIPS = {"zoo": 26, "aquarium": 20, "planetarium": 17, "castle": 14, "lake": 10, "theatre": 8, "factory": 5}
"""The places, and how many pupils in a hundred like each best."""

PUPILS = 400
EPSILONS = ("0.05", "0.1", "0.5", "1", "2")


@click.command()
@click.option(
    "--epsilon", "-e", callback=exact, metavar="NUMBER", default="0.5", help="What to spend on the answer [0.5]."
)
def demo(*, epsilon: Fraction) -> None:
    """Hold an invented vote, ask it who won, and show what epsilon buys.

    \b
    Example:
      discreet demo --epsilon 0.1
    """  # noqa: D301 - a backspace tells click to keep the lines below it
    from rich.console import Console

    from discreet.cli.answer import Asked, answer, tallied
    from discreet.cli.output import show
    from discreet.exact import plain

    with TemporaryDirectory() as folder:
        file = Path(folder) / "votes.csv"
        write(file, ballots(PUPILS))
        question = Asked(str(file), "trip", tuple(TRIPS), ",", "add-remove", {"epsilon": epsilon})
        released, counts = answer(question), tallied(question)
    click.echo(f"{PUPILS} invented pupils voted on the school trip. Where does it go, if nobody may")
    click.echo("learn from the answer how any one pupil voted?\n")
    show(released, "winner", "trip", as_json=False)
    click.echo("\nWith a file of your own, the same is asked by\n")
    click.echo("  discreet winner votes.csv --column trip \\")
    click.echo(f"    --among {','.join(TRIPS)} \\\n    --epsilon {plain(epsilon)}\n")
    console = Console(highlight=False)
    console.width = min(80, console.width)
    console.print(table([line(epsilon, counts) for epsilon in EPSILONS]))
    click.echo("Errors are votes below the true best, and hold whatever the votes are. The last")
    click.echo("column is the exact chance for these votes; it can be shown only because they")
    click.echo("are invented.")


class Line(NamedTuple):
    """What one epsilon buys: two bounds for any data, and the exact chance for this data.

    >>> Line("1", 3.5, 1.25, 0.98).chance
    0.98
    """

    epsilon: str
    bound: float
    mean: float
    chance: float


def ballots(pupils: int) -> list[str]:
    """Return an invented vote for each pupil.

    >>> len(ballots(3))
    3
    """
    from discreet.sampling.coins import SystemCoins

    hat = [trip for trip, share in TRIPS.items() for _ in range(share)]
    coins = SystemCoins()
    return [hat[coins.below(len(hat))] for _ in range(pupils)]


def write(file: Path, votes: Sequence[str]) -> None:
    """Write the votes as CSV, one row a pupil.

    >>> with TemporaryDirectory() as folder:
    ...     write(Path(folder) / "votes.csv", ["zoo"])
    ...     (Path(folder) / "votes.csv").read_text().split()
    ['pupil,trip', '1,zoo']
    """
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([("pupil", "trip"), *enumerate(votes, start=1)])


def line(epsilon: str, counts: "Counts") -> Line:
    """Return what an epsilon buys.

    >>> from discreet.counts import Counts
    >>> line("1", Counts(["zoo", "lake"], [90, 90])).chance
    1.0
    """
    from discreet.scores import by_count
    from discreet.selection import law
    from discreet.utility import Forecast

    forecast = Forecast.of(len(counts), mechanism="permute-and-flip", epsilon=epsilon, sensitivity=1, monotonic=True)
    chances = law(by_count(counts), epsilon=epsilon).probabilities
    best = counts.values == counts.values.max()
    return Line(epsilon, forecast.error_bound(), forecast.expected_error(), float(chances[best].sum()))


def table(lines: Sequence[Line]) -> "Table":
    """Draw the lines.

    >>> table([Line("1", 3.5, 1.25, 0.98)]).row_count
    1
    """
    from rich import box
    from rich.table import Table

    drawn = Table(box=box.SIMPLE_HEAD, title="What epsilon buys", title_justify="left")
    for heading in ("epsilon", "error at most\n(95 % chance)", "mean error\nat most", "true winner\nwins here"):
        drawn.add_column(heading, justify="right")
    for epsilon, bound, mean, chance in lines:
        drawn.add_row(epsilon, f"{int(bound)}", f"{mean:.2f}", percent(chance))
    return drawn


def percent(chance: float) -> str:
    """Write a chance in percent; nothing likely is called certain.

    >>> percent(0.98765), percent(1.0)
    ('98.8 %', '> 99.9 %')
    """
    return "> 99.9 %" if chance > 0.9995 else f"{100 * chance:.1f} %"
