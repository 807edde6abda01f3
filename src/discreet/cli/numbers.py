"""The verbs about numbers: ``quantile``, ``price``, ``total``."""

from typing import TYPE_CHECKING, Any

import click

from discreet.cli.asking import Verb
from discreet.cli.options import AMONG, AT_MOST, COLUMN, GRID
from discreet.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.cli.words import Words
    from discreet.questions.base import Question

SHARE = click.option(
    "--q",
    "-q",
    "q",
    default="1/2",
    metavar="SHARE",
    help="The share of people below it [1/2]; or several, such as 0.1,0.9.",
)
WEIGHTS = (
    click.option("--over", metavar="NUMBER", help="What an answer too high costs, a person [1]."),
    click.option("--under", metavar="NUMBER", help="What an answer too low costs, a person [1]."),
)
METHOD = click.option(
    "--method", type=click.Choice(["auto", "joint", "halving"]), help="How several shares are drawn [auto]."
)
AMOUNT = click.option("--amount", metavar="NAME", help="The column to add up.")


def grid(said: "Words", column: str) -> tuple[Any, Any, Any]:
    """Return the public grid of a column: lowest, highest, step.

    >>> from discreet.cli.words import Words
    >>> grid(Words({"low": "0", "high": "100"}), "wage")
    (Fraction(0, 1), Fraction(100, 1), 1)
    """
    low, high, step = said.bounds(column)
    if low is None or high is None:
        got = "neither" if low is high else "one of them"
        raise SettingError(f"bounds: wanted --low and --high, the lowest and the highest answer, got {got}")
    return low, high, step


def _quantile(said: "Words") -> "Question":
    from discreet.questions import Quantile, Quantiles

    shares = str(said["q"]).split(",")
    weights = {name: said[name] for name in ("over", "under") if said[name] is not None}
    low, high, step = said.bounds(said.column)
    if low is high is None and len(shares) == 1:  # no bounds: nearly a power of two
        _none(said, ("method",), "it goes with several shares")
        return Quantile(said.column, shares[0], step=step, **weights, **said.groups)
    low, high, step = grid(said, said.column)
    if len(shares) > 1:
        _none(said, weights, "several shares are asked for")
        return Quantiles(said.column, shares, (low, high), step, method=said["method"] or "auto", **said.groups)
    _none(said, ("method",), "it goes with several shares")
    return Quantile(said.column, shares[0], bounds=(low, high), step=step, **weights, **said.groups)


def _none(said: "Words", names: "Iterable[str]", why: str) -> None:
    for name in names:
        if said[name] is not None:
            raise SettingError.of(name, f"none, since {why}", said[name])


def _price(said: "Words") -> "Question":
    from discreet.questions import BestPrice

    return BestPrice(said.column, prices=grid(said, said.column), **said.groups)


def _total(said: "Words") -> "Question":
    from discreet.questions import LargestTotal

    if said["amount"] is None:
        raise SettingError("amount: wanted --amount, the column to add up, got none")
    low, high, step = said.bounds(said["amount"])
    if high is None:
        raise SettingError("high: wanted --high, the most one person may bring, got none")
    more = {"high": high, "low": 0 if low is None else low, "step": step, "at_most": said.at_most}
    return LargestTotal(said.column, said["amount"], said.among(said.column), **more, **said.groups)


QUANTILE = Verb(
    "quantile",
    "Find the median, or another quantile. The bounds are public; numbers beyond them count as the nearest. Without "
    "bounds it is rounded up to a power of two.",
    "wages.csv --column wage --low 0 --high 200000 --step 1000 --epsilon 0.5",
    (COLUMN, SHARE, METHOD, *WEIGHTS, *GRID),
    _quantile,
)
PRICE = Verb(
    "price",
    "Find the price that earns most. Everyone whose bid reaches it buys.",
    "bids.csv --column bid --low 0.01 --high 1.99 --step 0.01 --epsilon 1",
    (COLUMN, *GRID),
    _price,
)
TOTAL = Verb(
    "total",
    "Name the candidate with the largest sum. Each person brings at most --high to each of at most --at-most.",
    "sales.csv --column shop --amount paid --among north,south --high 500 --unit customer --epsilon 1",
    (COLUMN, AMOUNT, *AMONG, AT_MOST, *GRID),
    _total,
)
