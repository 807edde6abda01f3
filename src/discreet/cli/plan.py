"""``discreet plan VERB``: what a question would cost and how wrong it may be, before anything is spent."""

import click

from discreet.cli.choices import APPROVE, RANK, SLOT, TOP, WINNER
from discreet.cli.hypothesis import HYPOTHESIS
from discreet.cli.numbers import PRICE, QUANTILE, TOTAL

VERBS = (WINNER, TOP, RANK, APPROVE, SLOT, QUANTILE, PRICE, TOTAL, HYPOTHESIS)
"""All that can be asked."""


@click.group()
def plan() -> None:
    """Plan a question, in the words that ask it.

    It reads no rows and spends nothing.

    \b
    Example:
      discreet plan winner --column teacher --among smith,jones,lee --epsilon 0.5
    """  # noqa: D301 - a backspace tells click to keep the lines below it


for verb in VERBS:
    plan.add_command(verb.planning())
