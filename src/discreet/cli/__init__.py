"""The command ``discreet``. Results go to standard output, all else to standard error."""

import click

from discreet import __version__
from discreet.cli.budget import budget
from discreet.cli.completion import completion
from discreet.cli.cost import cost
from discreet.cli.demo import demo
from discreet.cli.failures import Verbs
from discreet.cli.plan import VERBS, plan

__all__ = ["main"]


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """Ask which one of private data, and get an answer you may publish.

    Exit codes: 0 answered, 2 a setting is wrong, 3 over budget, 4 the data cannot be read as declared, 1 anything else.
    """


for verb in VERBS:
    main.add_command(verb.asking())
for command in (plan, budget, cost, completion, demo):
    main.add_command(command)
