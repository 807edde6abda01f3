"""The verbs about candidates that people name: ``winner``, ``top``, ``rank``, ``approve``, ``slot``."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import click

from discreet.cli.asking import Verb
from discreet.cli.options import AMONG, AT_MOST, COLUMN, OTHER, listed
from discreet.errors import SettingError

if TYPE_CHECKING:
    from discreet.cli.words import Words
    from discreet.counts import Labels
    from discreet.questions.base import Question

UNLISTED = ("other", "among", "among_file", "by", "groups", "rho", "mechanism", "noise")
"""Words that mean nothing where nobody lists the names."""
DELTA = click.option("--delta", metavar="NUMBER", help="Instead of --among: find names that nobody listed; say 1e-6.")
COUNT = click.option("-k", "count", type=int, required=True, metavar="COUNT", help="How many winners.")
COLUMNS = click.option(
    "--columns", metavar="LIST", callback=listed, help="Instead of one column: those that say yes, one a candidate."
)
SAYS = click.option("--says", type=click.Choice(["busy", "free"]), default="busy", help="What people say [busy].")


def named(said: "Words") -> dict[str, Any]:
    """Return the words of a question about one column that names candidates.

    >>> from discreet.cli.words import Words
    >>> named(Words({"column": "vote", "among": ("smith",)}))["among"]
    ('smith',)
    """
    names = said.among(said.column)
    return {
        "column": said.column,
        "among": names,
        "at_most": said.at_most,
        "other": like(said["other"], names),
        **said.groups,
    }


def ballots(said: "Words") -> dict[str, Any]:
    """Return the words of a question about ballots: a column that names candidates, or a column for each.

    >>> from discreet.cli.words import Words
    >>> ballots(Words({"columns": ("smith", "jones")}))["columns"]
    ('smith', 'jones')
    """
    if said["columns"] is None:
        if not said["column"]:
            raise SettingError("column: wanted --column (one name a row) or --columns (one a candidate), got neither")
        return {"column": said.column, "among": said.among(said.column), **said.groups}
    for name in ("column", "among", "among_file"):
        if said[name] is not None:
            raise SettingError.of(name.replace("_", "-"), "none with --columns, which are the candidates", said[name])
    return {"columns": said["columns"], **said.groups}


def like(text: str | None, names: "Labels") -> Hashable:
    """Return the candidate with this text; one that was typed is a text, one that was declared may be a number.

    >>> like("3", [1, 2, 3]), like("four", [1, 2, 3]), like(None, [1])
    (3, 'four', None)
    """
    return next((name for name in names if str(name) == text), text)


def _winner(said: "Words") -> "Question":
    from discreet.questions import Winner

    return Winner(**named(said))


def _top(said: "Words") -> "Question":
    from discreet.questions import TopK

    if said["delta"] is not None:
        for name in UNLISTED:
            if said[name] not in {None, "auto"}:
                got, wanted = said[name], "none with --delta, which finds names that nobody listed"
                raise SettingError.of(name.replace("_", "-"), wanted, got if isinstance(got, str) else str(got))
        return TopK(said.column, said["count"], among=None, at_most=said.at_most, delta=said["delta"])
    return TopK(k=said["count"], **named(said))


def _rank(said: "Words") -> "Question":
    from discreet.questions import Ranking

    return Ranking(**named(said))


def _approve(said: "Words") -> "Question":
    from discreet.questions import Approval

    return Approval(**ballots(said))


def _slot(said: "Words") -> "Question":
    from discreet.questions import BestSlot

    return BestSlot(says=said["says"], **ballots(said))


NAMING = (COLUMN, *AMONG, AT_MOST, OTHER)

WINNER = Verb(
    "winner",
    "Name the candidate that most people name.",
    "votes.csv --column teacher --among smith,jones,lee --epsilon 0.5",
    NAMING,
    _winner,
)
TOP = Verb(
    "top",
    "Name the K candidates that most people name, best first. The promise is for all of them together.",
    "plays.parquet -k 3 --column song --among-file songs.txt --unit listener --epsilon 1",
    (COUNT, *NAMING, DELTA),
    _top,
)
RANK = Verb(
    "rank",
    "Put all candidates in order, most named first. Each place costs a share.",
    "votes.csv --column teacher --among smith,jones,lee --epsilon 1",
    NAMING,
    _rank,
)
APPROVE = Verb(
    "approve",
    "Name the candidate that most people approve. Each may approve any number, at no further cost.",
    "approvals.csv --columns smith,jones,lee --epsilon 0.5",
    (COLUMN, *AMONG, COLUMNS),
    _approve,
)
SLOT = Verb(
    "slot",
    "Name the slot that fewest people cannot make. With --says free, people say when they can.",
    "calendar.csv --column busy --among mon,tue,wed --unit person --epsilon 1",
    (COLUMN, *AMONG, COLUMNS, SAYS),
    _slot,
)
