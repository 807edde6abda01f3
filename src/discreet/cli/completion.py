"""``discreet completion``: the lines that teach a shell to complete verbs, options, datasets and candidates."""

import click

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_DISCREET_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what makes a shell complete.

    Put it where your shell looks when it starts.

    \b
    Example:
      discreet completion bash > ~/.discreet-complete.bash
    """  # noqa: D301 - a backspace tells click to keep the lines below it
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is not None:
        click.echo(kind(ctx.find_root().command, {}, "discreet", VARIABLE).source())
