"""``discreet demo``: a story on invented data: declare, open a budget, plan, ask, ask again, and be refused."""

import csv
import os
import textwrap
from collections.abc import Generator, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from discreet.errors import SettingError

LISTENERS = 400
SONGS = {"Blue Hour": 30, "Tall Ships": 22, "Paper Moon": 17, "Old Bridge": 12, "Rainmaker": 8, "Nightjar": 6}
"""The songs, and their shares of a hundred plays; the rest are spread over songs nobody asks about."""
FILES = ("plays.csv", "discreet.toml", "budget.db")
VARIABLES = ("DISCREET_CONFIG", "DISCREET_LEDGER")

DECLARATION = """[datasets.plays]
source = "plays.csv"
unit = "listener"
ledger = "budget.db"
budget = { epsilon = 2 }

[datasets.plays.candidates]
song = ["Blue Hour", "Tall Ships", "Paper Moon", "Old Bridge", "Rainmaker", "Nightjar"]

[datasets.plays.bounds]
minutes = { low = 0, high = 10, step = 0.1 }
"""

OPENING = (
    f"{LISTENERS} invented people played songs: plays.csv has a row for each play. Which songs do most of them play, "
    "if nobody may learn from the answers what any one of them did? A file says once and for all what the data is, "
    "whom to protect, what may be answered, and how much may be given away about one person, all answers together:"
)
TOP = ("top", "plays", "-k", "3", "--column", "song", "--at-most", "3", "--epsilon", "1")
STORY: tuple[tuple[str, tuple[str, ...]], ...] = (
    (OPENING, ()),
    ("The budget is opened, once.", ("budget", "open", "plays")),
    ("A plan tells the price and the error beforehand. It reads no rows, and costs nothing.", ("plan", *TOP)),
    (
        "Now it is asked. The answer is drawn by chance, and what is promised holds exactly.",
        (*TOP, "--request", "june"),
    ),
    (
        "Asked again under the same name, the same answer comes back at no further cost; a fresh draw would tell more.",
        (*TOP, "--request", "june"),
    ),
    (
        "A number is asked in the same way: for how long do people play?",
        ("quantile", "plays", "--column", "minutes", "--epsilon", "0.5"),
    ),
    ("What is left?", ("budget", "show", "plays")),
    (
        "One question too many is refused before the file is read.",
        ("winner", "plays", "--column", "song", "--epsilon", "1"),
    ),
)


@click.command()
@click.option("--folder", type=click.Path(file_okay=False), help="Keep the files of the story here, to go on with.")
def demo(folder: str | None) -> None:
    """Tell a story on invented listening data.

    It has a budget, a plan, answers, and a refusal.

    \b
    Example:
      discreet demo --folder playground
    """  # noqa: D301 - a backspace tells click to keep the lines below it
    with stage(folder):
        write(Path("plays.csv"))
        Path("discreet.toml").write_text(DECLARATION, encoding="utf-8")
        for told, command in STORY:
            click.echo(textwrap.fill(told, 80) + "\n")
            if command:
                perform(command)
            else:
                click.echo(textwrap.indent(DECLARATION, "    "))
    click.echo("Your own file is asked in the same words: see discreet --help, and docs/cli.md.")


@contextmanager
def stage(folder: str | None) -> Generator[None, None, None]:
    """Stand in a folder where nothing is declared yet: the one named, or one that is gone afterwards.

    >>> with stage(None):
    ...     list(Path().iterdir())
    []
    """
    there = Path(folder or os.devnull)
    if any((there / name).exists() for name in FILES):
        raise SettingError.of("folder", "one without " + ", ".join(FILES), folder)
    outside = {name: os.environ.pop(name) for name in VARIABLES if name in os.environ}
    try:
        with TemporaryDirectory() as made:
            if folder is not None:
                there.mkdir(parents=True, exist_ok=True)
            with chdir(made if folder is None else there):
                yield
    finally:
        os.environ.update(outside)


def perform(command: tuple[str, ...]) -> None:
    """Show a command as it is typed, and run it.

    >>> perform(("top", "-k", "3"))
    $ discreet top -k 3
    <BLANKLINE>
    Error: column: wanted --column, the column to ask about, got none
    (exit code 2)
    <BLANKLINE>
    """
    from discreet.cli import main

    click.echo(f"$ discreet {' '.join(command)}\n")
    try:
        main.main(list(command), prog_name="discreet", standalone_mode=False)
    except click.ClickException as refusal:
        click.echo(textwrap.fill(f"Error: {refusal.format_message()}", 80))
        click.echo(f"(exit code {refusal.exit_code})")
    click.echo()


def plays() -> Iterator[tuple[str, str, str]]:
    """Yield who played what, for how many minutes; by a fixed rule, since all of it is invented.

    >>> next(plays())
    ('listener-0', 'Blue Hour', '1.0')
    """
    hat = [song for song, share in SONGS.items() for _ in range(share)]
    for listener in range(LISTENERS):
        for turn in range(1 + listener % 4):
            place = (37 * listener + 53 * turn * turn) % 100
            song = hat[place] if place < len(hat) else f"song {place}"
            minutes = 1 + (listener * 7 + turn * 13) % 50 / 10
            yield f"listener-{listener}", song, f"{minutes:.1f}"


def write(file: Path) -> None:
    """Write the plays as CSV, one row a play.

    >>> with stage(None):
    ...     write(Path("plays.csv"))
    ...     Path("plays.csv").read_text(encoding="utf-8").splitlines()[:2]
    ['listener,song,minutes', 'listener-0,Blue Hour,1.0']
    """
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([("listener", "song", "minutes"), *plays()])
