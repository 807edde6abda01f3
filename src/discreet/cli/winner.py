"""``discreet winner``: the candidate that most rows name."""

from typing import Any

import click

from discreet.cli.options import FILE, JSON, NOISE, PROMISE, TABLE, words


@click.command()
@FILE
@words(*TABLE, *PROMISE, *NOISE, JSON)
def winner(file: str | None, *, as_json: bool, **given: Any) -> None:
    """Name the candidate that most rows of FILE name; each row is one person.

    FILE is CSV, or Parquet where its name ends in .parquet; "-" or nothing is CSV on standard input.

    \b
    Example:
      discreet winner votes.csv --column teacher --among smith,jones,lee --epsilon 0.5
    """  # noqa: D301 - a backspace tells click to keep the lines below it
    from discreet.cli.answer import answer, asked
    from discreet.cli.output import show

    question = asked(file, **given)
    show(answer(question), "winner", question.column, as_json=as_json)
