"""``discreet budget``: open a ledger, show what is left, its history, take it away as JSON, check that it is whole."""

import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from discreet.cli.balances import SETTINGS, accounts, amount, budget_of, line, share_of
from discreet.cli.completing import names
from discreet.cli.options import CONFIG, JSON, NEIGHBOURS, exact, words
from discreet.cli.output import folded, printable
from discreet.cli.terminal import table
from discreet.cli.words import LEDGER, declared, nonempty, opened
from discreet.errors import SettingError, without_password

if TYPE_CHECKING:
    from collections.abc import Generator

    from discreet.ledger import Ledger
    from discreet.questions.sources import Dataset

WHERE = click.argument("ledger", required=False, metavar="LEDGER", shell_complete=names)
DATASET = click.option("--dataset", metavar="NAME", help="The dataset in the ledger [default].")
WHICH = (WHERE, DATASET, CONFIG, JSON)


@click.group()
def budget() -> None:
    """Keep a budget that lasts.

    LEDGER is a file, a URL of PostgreSQL, or a dataset that is declared in discreet.toml.

    \b
    Example:
      discreet budget open budget.db --epsilon 3 --delta 1e-6 --per listener
    """  # noqa: D301 - a backspace tells click to keep the lines below it


@budget.command("open")
@WHERE
@click.option("--epsilon", "-e", callback=exact, metavar="NUMBER", help="The most that all answers may promise away.")
@click.option("--delta", "-d", metavar="NUMBER", help="The chance left out of that promise, such as 1e-6 [0].")
@click.option("--rho", callback=exact, metavar="NUMBER", help="The most as zCDP, instead of --epsilon.")
@click.option("--spare", metavar="NUMBER", help="The part of delta for answers that have one of their own [0].")
@click.option("--per", metavar="NAME", help="Whom it protects: the --unit of the questions [row].")
@click.option("--neighbours", type=click.Choice(NEIGHBOURS), help="What is hidden [add-remove].")
@click.option("--analyst", "analysts", multiple=True, metavar="NAME=NUMBER", help="A share, in epsilon or rho; repeat.")
@words(DATASET, CONFIG, JSON)
def open_(ledger: str | None, *, as_json: bool, **given: Any) -> None:
    """Open a ledger with a budget.

    One that is there keeps its budget, and another is refused; analysts may be added.

    \b
    Example:
      discreet budget open budget.db --epsilon 3 --delta 1e-6 --per listener --analyst ann=1 --analyst bob=1
    """  # noqa: D301 - a backspace tells click to keep the lines below it
    known, where = ledger_named(ledger, given["config"])
    with ledger_made(where, known, given) as book:
        if as_json:
            click.echo(json.dumps(accounts(book)))
        else:
            click.echo(folded(f"{without_password(where) if known is None else known.name} is open: {book.budget}."))


@budget.command()
@words(*WHICH)
def show(ledger: str | None, *, as_json: bool, **given: Any) -> None:
    """Show what is spent and what is left.

    It says so of the whole, and of each analyst with a share.

    \b
    Example:
      discreet budget show budget.db
    """  # noqa: D301 - a backspace tells click to keep the lines below it
    with ledger_at(ledger, given) as book:
        if as_json:
            click.echo(json.dumps(accounts(book)))
            return
        shown = [book.account(), *map(book.account, book.analysts)]
        rows = [[one.analyst or "(all)", amount(one.spent), amount(one.remaining)] for one in shown]
        click.echo(printable(f"{book.dataset}: {book.budget}"))
        table(["analyst", "spent", "left"], [list(map(printable, row)) for row in rows])


@budget.command()
@words(*WHICH)
@click.option("--after", type=click.IntRange(min=0), default=0, metavar="NUMBER", help="Only charges after this one.")
def history(ledger: str | None, *, as_json: bool, after: int, **given: Any) -> None:
    """List what was charged.

    With --json, each charge comes with its question and its answer.

    \b
    Example:
      discreet budget history budget.db --after 10
    """  # noqa: D301 - a backspace tells click to keep the lines below it
    with ledger_at(ledger, given) as book:
        entries = list(book.history(after=after))
        if as_json:
            click.echo(json.dumps({"dataset": book.dataset, "history": [entry.to_dict() for entry in entries]}))
            return
        headings = ["number", "time", "request", "promise", "analyst", "memo"]
        table(headings, [list(map(printable, line(entry))) for entry in entries])


@budget.command()
@words(*WHICH[:-1])
@click.option("--to", "file", type=click.Path(dir_okay=False), help="The file to write [standard output].")
def export(ledger: str | None, *, file: str | None, **given: Any) -> None:
    """Write the history as lines of JSON, the budget first.

    \b
    Example:
      discreet budget export budget.db --to budget.jsonl
    """  # noqa: D301 - a backspace tells click to keep the lines below it
    with ledger_at(ledger, given) as book:
        count = book.export(sys.stdout if file is None else Path(file))
    click.echo(f"{count} charges written", err=True)


@budget.command()
@words(*WHICH)
@click.option("--head", metavar="DIGEST", help="A digest noted earlier: of the last line of an export.")
def check(ledger: str | None, *, as_json: bool, head: str | None, **given: Any) -> None:
    """Check that the ledger is whole.

    Checked are the sums, the numbers, the chain of digests, and the file itself.

    \b
    Example:
      discreet budget check budget.db
    """  # noqa: D301 - a backspace tells click to keep the lines below it
    with ledger_at(ledger, given) as book:
        count = book.check(head=head)
    click.echo(json.dumps({"whole": True, "charges": count}) if as_json else f"whole, with {count} charges")


def ledger_named(ledger: str | None, config: str | None) -> "tuple[Dataset | None, str]":
    """Return the declared dataset, if it is one, and where its ledger is.

    >>> ledger_named("budget.db", None)
    (None, 'budget.db')
    """
    if ledger is not None:
        nonempty("ledger", ledger, "a file, a URL or a declared dataset")
    named = ledger or os.environ.get(LEDGER)
    if not named:
        raise SettingError(f"ledger: wanted a file, a URL, a declared dataset, or the variable {LEDGER}, got none")
    known = declared(named, config, strict=False)
    if known is None:
        return None, named
    where = known.ledger()
    if where is None:
        raise SettingError.of("ledger", "a dataset that is declared with a ledger", named)
    return known, where


@contextmanager
def ledger_at(ledger: str | None, given: dict[str, Any]) -> "Generator[Ledger, None, None]":
    """Open a ledger that is there.

    >>> with ledger_at("no-such-budget.db", {"config": None, "dataset": None}):
    ...     pass
    Traceback (most recent call last):
    discreet.errors.SettingError: ledger: wanted one that was opened before, got none at ...
    """
    known, where = ledger_named(ledger, given["config"])
    if known is not None and given["dataset"] is not None:
        raise SettingError.of("dataset", f"none, since {known.name!r} is declared with its own", given["dataset"])
    with opened(where, given["dataset"], known) as book:
        yield book


@contextmanager
def ledger_made(where: str, known: "Dataset | None", given: dict[str, Any]) -> "Generator[Ledger, None, None]":
    """Open a ledger, and make it if it is not there.

    >>> with ledger_made("budget.db", None, dict.fromkeys((*SETTINGS, "analysts"))):
    ...     pass
    Traceback (most recent call last):
    discreet.errors.SettingError: epsilon: wanted --epsilon or --rho, got neither
    """
    from discreet.ledger import Ledger

    if known is not None:
        typed = {**given, "analyst": next(iter(given["analysts"] or ()), None)}
        for name in (*SETTINGS, "analyst"):
            if typed[name] is not None:
                raise SettingError.of(name, f"none, since {known.name!r} is declared with its own", typed[name])
        book = known.book(create=True)
        assert book is not None  # noqa: S101 - for the type checkers: ledger_named() found one
    else:
        shares = dict(share_of(text, given) for text in given["analysts"] or ())
        book = Ledger(where, budget_of(given), dataset=given["dataset"] or "default", analysts=shares)
    with book:
        yield book
