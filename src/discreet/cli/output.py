"""What a person or a program reads: all of it may be published."""

import json
import math
import sys
import textwrap
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

import click

from discreet.balls import at, ball, upper
from discreet.counts import say
from discreet.exact import plain
from discreet.guarantees import Approx, Guarantee
from discreet.readings import as_approx, as_pure

if TYPE_CHECKING:
    from discreet.ledger import Balance
    from discreet.questions import Answer, Plan

WIDTH = 80
LARGEST_FACTOR = 13
"""Above this epsilon a factor has too many digits to mean anything, and is written as a power."""

LARGEST_EXPONENT = 1_000_000
"""Above this one only the size of the exponent is told."""
MILLIONTH = Fraction(1, 1_000_000)
"""The chance left out of what a guarantee without a delta of its own is said to mean."""
NUMBERS = {"quantile", "median", "quantiles", "price"}
"""Questions whose answers are numbers, and no winners."""

CHANGE = {
    "add-remove": "Adding or removing any one {unit}",
    "replace": "Changing any one {unit}",
}


def show(answer: "Answer", verb: str, *, left: "tuple[Balance, ...]" = (), as_json: bool = False) -> None:
    r"""Print an answer: the winners, what was promised, how far off they may be, and what is left of the budget.

    >>> import polars, discreet
    >>> table = discreet.open(polars.DataFrame({"trip": ["zoo"] * 900 + ["lake"] * 3}))
    >>> show(table.ask(discreet.Winner("trip", among=["zoo", "lake"]), epsilon=1), "winner")
    zoo
    <BLANKLINE>
    Adding or removing any one row makes no answer more than 2.719 times as likely:
    1-differential privacy, by permute-and-flip among 2 candidates.
    With a chance of 95 % or more, the winner is at most 2 rows below the true best,
    whatever the data.
    """
    if as_json:
        click.echo(as_object(answer, verb, left))
        return
    for line in found(answer):
        click.echo(printable(line))
    click.echo()
    said = [promised(answer), within(answer)]
    if answer.request is not None:
        said.append(charged(answer.request, left))
    for line in said:
        click.echo(folded(line))


def show_plan(plan: "Plan", *, as_json: bool = False) -> None:
    """Print a plan.

    >>> import polars, discreet
    >>> table = discreet.open(polars.DataFrame({"trip": ["zoo"]}))
    >>> show_plan(table.plan(discreet.Winner("trip", among=["zoo", "lake"]), epsilon=1), as_json=True)
    {"verb": "plan", "question": ...}
    """
    if as_json:
        click.echo(json.dumps({"verb": "plan", **plan.to_dict()}, allow_nan=False))
        return
    for line in str(plan).splitlines():
        click.echo(folded(line, indent=12))


def charged(request: str, left: "tuple[Balance, ...]") -> str:
    """Say under which name an answer was charged, and what is left: of all, and of the analyst's share if there is one.

    >>> from discreet.guarantees import Pure
    >>> from discreet.ledger import Balance
    >>> print(charged("june", (Balance("pure", Fraction(1, 2), Fraction(0), Pure(3)),)))
    Charged as june; epsilon 0.5 left of 3-differential privacy.
    >>> charged("june", ())
    'Charged as june; what is left cannot be read just now.'
    """
    told = [str(one) for one in left] or ["what is left cannot be read just now"]
    return f"Charged as {request}; {'; of the share, '.join(told)}."


def as_object(answer: "Answer", verb: str, left: "tuple[Balance, ...]" = ()) -> str:
    """Write an answer as one JSON object, in ASCII.

    >>> import polars, discreet
    >>> table = discreet.open(polars.DataFrame({"trip": ["zoo"]}))
    >>> as_object(table.ask(discreet.Winner("trip", among=["zoo"]), epsilon=1), "winner")[:54]
    '{"verb": "winner", "question": {"question": "winner", '
    """
    balances = [one.to_dict() for one in left] + [None, None]
    facts = {"verb": verb, **answer.to_dict(), "left": balances[0], "left_of_share": balances[1]}
    return json.dumps(facts, allow_nan=False)


def found(answer: "Answer") -> list[str]:
    """Return the lines that answer: a winner each, or a group each.

    >>> import polars, discreet
    >>> table = discreet.open(polars.DataFrame({"trip": ["zoo"], "school": ["north"]}))
    >>> found(table.ask(discreet.Winner("trip", among=["zoo"], by="school", groups=["north"]), epsilon=1))
    ['north: zoo']
    """
    if answer.question.by is None:
        return [str(winner) for winner in answer.winners] or ["none that may be named"]
    groups = answer.groups.items()
    return [f"{group}: {', '.join(map(str, selection.winners))}" for group, selection in groups]


def promised(answer: "Answer") -> str:
    """Return the guarantee in a sentence.

    >>> import polars, discreet
    >>> table = discreet.open(polars.DataFrame({"trip": ["zoo"], "pupil": [7]}), unit="pupil", neighbours="replace")
    >>> print(promised(table.ask(discreet.Winner("trip", among=["zoo", "lake"]), epsilon="0.1")))
    Changing any one pupil makes no answer more than 1.106 times as likely: 0.1-differential privacy, by \
permute-and-flip among 2 candidates.
    """
    from discreet.selection.result import describe

    first = answer.selections[0]
    among = f" among {say(first.candidates)}" if len(answer.question.candidates) else ""  # unless nobody listed them
    how = f"{answer.guarantee}, by {describe(first.mechanism)}{among}"
    return f"{CHANGE[answer.neighbours].format(unit=answer.unit)} {odds(answer.guarantee)}: {how}."


def odds(guarantee: Guarantee) -> str:
    """Return what a guarantee means for the chance of an answer, rounded towards saying less.

    >>> from discreet.guarantees import Approx, Pure, Zcdp
    >>> odds(Pure("0.5"))
    'makes no answer more than 1.649 times as likely'
    >>> odds(Zcdp("0.01"))
    'makes no answer more than 1.863 times as likely, plus one in a million'
    >>> odds(Approx(1, "1e-9"))
    'makes no answer more than 2.719 times as likely, plus a chance of 1e-9'
    """
    pure = as_pure(guarantee)
    if pure is not None:
        return f"makes no answer more than {factor(pure.epsilon)} times as likely"
    delta = guarantee.delta if isinstance(guarantee, Approx) else MILLIONTH
    also = "one in a million" if delta == MILLIONTH else f"a chance of {plain(delta)}"
    return f"makes no answer more than {factor(as_approx(guarantee, delta).epsilon)} times as likely, plus {also}"


def factor(epsilon: Fraction) -> str:
    """Return e to the epsilon, rounded up to four figures.

    >>> factor(Fraction(1, 10)), factor(Fraction(100, 3)), factor(Fraction(10**400))
    ('1.106', 'e^33.34', 'e^(10^400)')
    """
    up = Context(prec=4, rounding=ROUND_CEILING)
    if epsilon > LARGEST_EXPONENT:
        return f"e^(10^{len(str(ceil(epsilon) - 1))})"
    if epsilon > LARGEST_FACTOR:
        return f"e^{up.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator)):f}"
    exact = upper(at(128, lambda: ball(epsilon).exp()))
    return f"{up.divide(Decimal(exact.numerator), Decimal(exact.denominator)):f}"


def within(answer: "Answer") -> str:
    """Return how far below the best the answer may be; scores are whole ticks, so a bound on them rounds down.

    >>> import polars, discreet
    >>> table = discreet.open(polars.DataFrame({"trip": ["zoo"]}))
    >>> print(within(table.ask(discreet.TopK("trip", 2, among=["zoo", "lake", "castle"]), epsilon=10)))
    With a chance of 95 % or more, each winner is at most 0 rows below the best not yet named, whatever the data.
    """
    bound, first = bound_of(answer), answer.selections[0]
    if not math.isfinite(bound):
        return "How wrong it may be depends on the data: no bound on the error holds for all of them."
    far = Fraction(bound) // first.tick * first.tick
    alone = len(first.winners) == 1
    number = answer.question.kind in NUMBERS
    who, best = ("the winner", "the true best") if alone else ("each winner", "the best not yet named")
    if number:
        who, best = "the answer" if alone else "all answers together", "the true best"
    who += "" if answer.question.by is None else " of each group"
    verb = "are" if number and not alone else "is"
    told = f"{plain(far)} {points(answer, far)} below {best}"
    return f"With a chance of 95 % or more, {who} {verb} at most {told}, whatever the data."


def bound_of(answer: "Answer") -> float:
    """Return the error bound at 95 %; infinite where none holds for all data.

    >>> import polars, discreet
    >>> table = discreet.open(polars.DataFrame({"age": [9] * 90}))
    >>> bound_of(table.ask(discreet.Quantiles("age", ["0.25", "0.75"], bounds=(0, 20)), epsilon=10)) < 30
    True
    """
    known = answer.error_bound()
    return math.inf if known is None else known


def points(answer: "Answer", count: Fraction) -> str:
    """Return what the points of a score are: people, who are rows where each row is one.

    >>> import polars, discreet
    >>> table = discreet.open(polars.DataFrame({"trip": ["zoo"]}))
    >>> points(table.ask(discreet.Winner("trip", among=["zoo"]), epsilon=1), Fraction(1))
    'row'
    """
    words: str = answer.question.points
    if words == "people":
        return {"row": "row" if count == 1 else "rows"}.get(answer.unit, "person" if count == 1 else "people")
    return words


def folded(text: str, indent: int = 0) -> str:
    """Return a text in lines of the width of a page; from the second on they are indented.

    >>> len(folded("word " * 20).splitlines())
    2
    """
    hanging = " " * indent
    return textwrap.fill(
        printable(text), WIDTH, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
    )


def printable(label: object) -> str:
    r"""Return a label that a terminal prints as one line and does not obey.

    >>> print(printable("caf\u00e9\n\x1b[2J"))
    caf\xe9\n\x1b[2J
    """
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(label))
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return shown.encode(encoding, "backslashreplace").decode(encoding)
