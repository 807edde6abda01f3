"""What a person or a program reads: all of it may be published."""

import json
import math
import sys
import textwrap
from collections.abc import Hashable
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from discreet.balls import at, ball, upper
from discreet.counts import say
from discreet.exact import plain
from discreet.guarantees import Guarantee
from discreet.readings import as_approx, as_pure

if TYPE_CHECKING:
    from discreet.selection import Selection

WIDTH = 80
LARGEST_FACTOR = 13
"""Above this epsilon a factor has too many digits to mean anything, and is written as a power."""

CHANGE = {
    "add-remove": "Adding or removing any one row",
    "replace": "Changing any one row",
}


def show(selection: "Selection", verb: str, column: str, *, as_json: bool) -> None:
    r"""Print a selection: its winners, what was promised, and how far off they may be.

    >>> import discreet
    >>> show(discreet.select({"zoo": 900, "lake": 3}, epsilon=1, scores="counts"), "winner", "trip", as_json=False)
    zoo
    <BLANKLINE>
    Adding or removing any one row makes no answer more than 2.719 times as likely:
    1-differential privacy, by permute-and-flip among 2 candidates.
    With a chance of 95 % or more, the winner is at most 2 rows below the true best,
    whatever the data.
    """
    if as_json:
        click.echo(as_object(selection, verb, column))
        return
    for winner in selection.winners:
        click.echo(printable(winner))
    click.echo()
    click.echo(textwrap.fill(promised(selection), WIDTH))
    click.echo(textwrap.fill(within(selection), WIDTH))


def as_object(selection: "Selection", verb: str, column: str) -> str:
    """Write a selection as one JSON object, in ASCII.

    >>> import discreet
    >>> as_object(discreet.select({"zoo": 9}, epsilon=1, scores="counts"), "winner", "trip")[:44]
    '{"verb": "winner", "column": "trip", "winner'
    """
    from discreet import __version__

    facts: dict[str, Any] = {"verb": verb, "column": column} | selection.to_dict() | {"version": __version__}
    bound = facts["error_bound_95"]
    if bound is not None and not math.isfinite(bound):
        facts["error_bound_95"] = None  # JSON has no infinity
    return json.dumps(facts, allow_nan=False)


def promised(selection: "Selection") -> str:
    """Return the guarantee in a sentence.

    >>> import discreet
    >>> print(promised(discreet.select([9, 8], epsilon="0.1", scores="counts", neighbours="replace")))
    Changing any one row makes no answer more than 1.106 times as likely: 0.1-differential privacy, by \
permute-and-flip among 2 candidates.
    """
    from discreet.selection.result import describe

    how = f"{selection.guarantee}, by {describe(selection.mechanism)} among {say(selection.candidates)}"
    return f"{CHANGE[selection.neighbours]} {odds(selection.guarantee)}: {how}."


def odds(guarantee: Guarantee) -> str:
    """Return what a guarantee means for the chance of an answer, rounded towards saying less.

    >>> from discreet.guarantees import Pure, Zcdp
    >>> odds(Pure("0.5"))
    'makes no answer more than 1.649 times as likely'
    >>> odds(Zcdp("0.01"))
    'makes no answer more than 1.863 times as likely, plus one in a million'
    """
    pure = as_pure(guarantee)
    if pure is not None:
        return f"makes no answer more than {factor(pure.epsilon)} times as likely"
    approximate = as_approx(guarantee, "0.000001")
    return f"makes no answer more than {factor(approximate.epsilon)} times as likely, plus one in a million"


def factor(epsilon: Fraction) -> str:
    """Return e to the epsilon, rounded up to four figures.

    >>> factor(Fraction(1, 10)), factor(Fraction(100))
    ('1.106', 'e^100')
    """
    if epsilon > LARGEST_FACTOR:
        return f"e^{plain(epsilon)}"
    exact = upper(at(128, lambda: ball(epsilon).exp()))
    up = Context(prec=4, rounding=ROUND_CEILING)
    return f"{up.divide(Decimal(exact.numerator), Decimal(exact.denominator)):f}"


def within(selection: "Selection") -> str:
    """Return how far below the best the answer may be; counts are whole, so a bound on them rounds down.

    >>> import discreet
    >>> print(within(discreet.top_k([9, 8, 7], 2, epsilon=10, scores="counts")))
    With a chance of 95 % or more, each winner is at most 0 rows below the best not yet named, whatever the data.
    """
    bound = selection.error_bound()
    if bound is None or not math.isfinite(bound):
        return "No bound on the error can be given."
    rows = math.floor(bound)
    alone = len(selection.winners) == 1
    who, best = ("the winner", "the true best") if alone else ("each winner", "the best not yet named")
    far = f"{rows} row{'' if rows == 1 else 's'} below {best}"
    return f"With a chance of 95 % or more, {who} is at most {far}, whatever the data."


def printable(label: Hashable) -> str:
    r"""Return a label that a terminal prints as one line and does not obey.

    >>> print(printable("caf\u00e9\n\x1b[2J"))
    caf\xe9\n\x1b[2J
    """
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(label))
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return shown.encode(encoding, "backslashreplace").decode(encoding)
