"""The command ``discreet``: one file a verb. Results go to standard output, all else to standard error."""

import click

from discreet import __version__
from discreet.cli.cost import cost
from discreet.cli.demo import demo
from discreet.cli.failures import Verbs
from discreet.cli.top import top
from discreet.cli.winner import winner

__all__ = ["main"]


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """Ask which one of private data, and get an answer you may publish.

    Exit codes: 0 answered, 2 a setting is wrong, 4 the file cannot be read as asked, 1 anything else.
    """


main.add_command(winner)
main.add_command(top)
main.add_command(cost)
main.add_command(demo)
