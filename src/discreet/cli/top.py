"""``discreet top``: the k candidates that most rows name."""

from typing import Any

import click

from discreet.cli.options import FILE, JSON, NOISE, PROMISE, TABLE, words


@click.command()
@FILE
@click.option("-k", "count", type=int, required=True, help="How many winners.")
@words(*TABLE, *PROMISE, NOISE[0], JSON)
def top(file: str | None, *, count: int, as_json: bool, **given: Any) -> None:
    """Name the K candidates that most rows of FILE name, best first; each row is one person.

    The promise is for all of them together. FILE is read as by "winner".

    \b
    Example:
      discreet top plays.parquet -k 3 --column song --among-file songs.txt --epsilon 1
    """  # noqa: D301 - a backspace tells click to keep the lines below it
    from discreet.cli.answer import answer, asked
    from discreet.cli.output import show

    question = asked(file, **given)
    show(answer(question, count), "top", question.column, as_json=as_json)
