"""The words that several verbs share."""

import csv
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import click

from discreet.errors import DataError, SettingError
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


FILE = click.argument("file", required=False, type=click.Path(allow_dash=True))

TABLE = (
    click.option("--column", "-c", required=True, metavar="NAME", help="The column that names a candidate."),
    click.option("--among", metavar="LIST", help="The public candidates: smith,jones (quoted as in CSV)."),
    click.option("--among-file", type=click.Path(), help="The public candidates: a file with one on each line."),
    click.option("--delimiter", default=",", metavar="CHAR", help="What stands between the fields of a CSV [,]."),
)
PROMISE = (
    click.option("--epsilon", "-e", callback=exact, metavar="NUMBER", help="What to spend, such as 0.1 or 1/10."),
    click.option("--rho", callback=exact, metavar="NUMBER", help="What to spend as zCDP, instead of --epsilon."),
    click.option(
        "--neighbours",
        type=click.Choice(NEIGHBOURS),
        default=NEIGHBOURS[0],
        help="What is hidden: that a row is there [add-remove], or what it holds.",
    ),
)
NOISE = (
    click.option("--mechanism", type=click.Choice(MECHANISMS), default="auto", help="How to draw [auto]."),
    click.option("--noise", type=click.Choice(NOISES), help="The noise of --mechanism noisy-max."),
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def words(*options: Callable[[Verb], Verb]) -> Callable[[Verb], Verb]:
    """Return a decorator that gives a verb these options, shown in this order.

    >>> @words(*NOISE)
    ... def verb() -> None: ...
    >>> [option.name for option in reversed(verb.__click_params__)]
    ['mechanism', 'noise']
    """

    def dress(verb: Verb) -> Verb:
        for option in reversed(options):
            verb = option(verb)
        return verb

    return dress


def candidates(among: str | None, among_file: str | None) -> tuple[str, ...]:
    """Read the public candidates, in order; blanks around a name and empty lines are left out.

    >>> candidates('smith, "Jones, Jr."', None)
    ('smith', 'Jones, Jr.')
    """
    if (among is None) == (among_file is None):
        got = "neither" if among is None else "both"
        raise SettingError(f"among: wanted --among or --among-file, the public candidates, got {got}")
    given = _listed(among) if among is not None else _lines(Path(among_file or ""))
    return tuple(name for name in map(str.strip, given) if name)


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


def _listed(text: str) -> list[str]:
    try:
        rows = list(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error:
        raise SettingError.of("among", "a list such as smith,jones, quoted as in CSV", text) from None
    return rows[0] if rows else []


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise DataError(f"among-file: wanted a readable file of UTF-8 text, got {str(path)[:200]!r}") from None
