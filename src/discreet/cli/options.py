"""The words that several verbs share."""

import csv
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import click

from discreet.cli.completing import amongs, columns, files, names
from discreet.errors import SettingError
from discreet.exact import plain, positive

Verb = TypeVar("Verb", bound=Callable[..., Any])

MECHANISMS = ("auto", "permute-and-flip", "exponential", "noisy-max")
NOISES = ("exponential", "gumbel", "laplace")
NEIGHBOURS = ("add-remove", "replace")


def exact(ctx: click.Context, param: click.Parameter, value: str | None) -> Fraction | None:
    """Read a number above zero as it was typed, a decimal or a fraction, and never through a binary float.

    >>> exact(click.Context(click.Command("winner")), click.Option(["--epsilon"]), "1/10")
    Fraction(1, 10)
    """
    del ctx
    name, wanted = param.name or "number", "a decimal or a fraction above 0, such as 0.1 or 1/10"
    return None if value is None else positive(value, name, wanted)


def listed(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Read a list of names, written as one line of CSV; blanks around a name are left out.

    >>> listed(click.Context(click.Command("winner")), click.Option(["--among"]), 'smith, "Jones, Jr."')
    ('smith', 'Jones, Jr.')
    """
    del ctx
    if value is None:
        return None
    try:
        rows = list(csv.reader([value], skipinitialspace=True, strict=True))
    except csv.Error:
        raise SettingError.of(param.name or "list", "a list such as smith,jones, quoted as in CSV", value) from None
    found = [name for name in map(str.strip, rows[0] if rows else []) if name]
    if not found:
        raise SettingError.of(param.name or "list", "at least one name", value)
    return tuple(found)


def character(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    r"""Read a delimiter; ``\\t`` is a tab, which few shells let anybody type.

    >>> character(click.Context(click.Command("winner")), click.Option(["--delimiter"]), "\\t")
    '\t'
    """
    del ctx, param
    return "\t" if value == "\\t" else value


FILE = click.argument("file", required=False, type=click.Path(allow_dash=True), shell_complete=files)
CONFIG = click.option(
    "--config",
    type=click.Path(dir_okay=False),
    help="The file that declares datasets [discreet.toml here or above, or DISCREET_CONFIG].",
)
COLUMN = click.option("--column", "-c", metavar="NAME", shell_complete=columns, help="The column to ask about.")
AMONG = (
    click.option(
        "--among",
        metavar="LIST",
        callback=listed,
        shell_complete=amongs,
        help="The public candidates: smith,jones (quoted as in CSV).",
    ),
    click.option("--among-file", type=click.Path(), help="The public candidates: a file with one on each line."),
)
AT_MOST = click.option("--at-most", type=int, metavar="COUNT", help="How many candidates one person may count for [1].")
OTHER = click.option("--other", metavar="NAME", help="The candidate that counts all who are none of them.")
GRID = (
    click.option("--low", metavar="NUMBER", help="The lowest answer; public."),
    click.option("--high", metavar="NUMBER", help="The highest answer; public."),
    click.option("--step", metavar="NUMBER", help="The distance of two answers [1]."),
)
DATA = (
    click.option("--unit", metavar="NAME", help="Whom to protect: the column that names a person [each row is one]."),
    click.option(
        "--neighbours",
        type=click.Choice(NEIGHBOURS),
        help="What is hidden: that a person is there [add-remove], or all they say.",
    ),
    click.option("--by", metavar="NAME", help="A public column of groups, to ask once for each."),
    click.option("--groups", metavar="LIST", callback=listed, help="The public groups in it."),
    click.option(
        "--delimiter",
        metavar="CHAR",
        callback=character,
        help=r"What stands between the fields of a CSV [,]; \t: a tab.",
    ),
    click.option("--table", metavar="NAME", help="The table to read, where FILE is a DuckDB database."),
    click.option("--memory", metavar="SIZE", help="The most memory to use, such as 4GB."),
    CONFIG,
)
PROMISE = (
    click.option("--epsilon", "-e", callback=exact, metavar="NUMBER", help="What to spend, such as 0.1 or 1/10."),
    click.option("--rho", callback=exact, metavar="NUMBER", help="What to spend as zCDP, instead of --epsilon."),
)
MECHANISM = click.option("--mechanism", type=click.Choice(MECHANISMS), default="auto", help="How to draw [auto].")
NOISE = click.option("--noise", type=click.Choice(NOISES), help="The noise of --mechanism noisy-max.")
BOOK = (
    click.option("--ledger", metavar="WHERE", help="The budget to charge: a file or a URL [DISCREET_LEDGER]."),
    click.option("--dataset", metavar="NAME", shell_complete=names, help="The dataset in the ledger [default]."),
    click.option("--analyst", metavar="NAME", help="Whose share of the budget to charge as well."),
)
CHARGE = (
    click.option("--memo", metavar="TEXT", help="A remark for the history of the ledger."),
    click.option("--request", metavar="NAME", help="A name: asked again under it, the same answer at no further cost."),
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def words(*options: Callable[[Verb], Verb]) -> Callable[[Verb], Verb]:
    """Return a decorator that gives a verb these options, shown in this order.

    >>> @words(MECHANISM, NOISE)
    ... def verb() -> None: ...
    >>> [option.name for option in reversed(verb.__click_params__)]
    ['mechanism', 'noise']
    """

    def dress(verb: Verb) -> Verb:
        for option in reversed(options):
            verb = option(verb)
        return verb

    return dress


def candidates(among: tuple[str, ...] | None, among_file: str | None) -> tuple[str, ...] | None:
    """Return the public candidates that were typed, in order; None if there are none.

    >>> candidates(("smith", "jones"), None)
    ('smith', 'jones')
    """
    if among is not None and among_file is not None:
        raise SettingError("among: wanted --among or --among-file, the public candidates, got both")
    if among_file is None:
        return among
    from discreet.questions.sources import names_in

    return names_in(Path(among_file), "among-file")


def spending(epsilon: Any, rho: Any) -> dict[str, Any]:
    """Return the one word that says what to spend.

    >>> spending("1/10", None)
    {'epsilon': '1/10'}
    """
    given = {name: value for name, value in (("epsilon", epsilon), ("rho", rho)) if value is not None}
    if len(given) != 1:
        got = " and ".join(f"--{name} {plain(value)}" for name, value in given.items()) or "neither"
        raise SettingError(f"epsilon: wanted --epsilon or --rho, got {got}")
    return given
