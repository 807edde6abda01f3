"""From words to an answer, or to a plan: the one path that every verb takes."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from typing import TYPE_CHECKING, Any

import click

from discreet.cli.options import BOOK, CHARGE, DATA, FILE, JSON, MECHANISM, NOISE, PROMISE, spending, words
from discreet.cli.rehearsal import apart, rehearsal
from discreet.cli.terminal import waiting
from discreet.cli.words import Words
from discreet.errors import DiscreetError, SettingError

if TYPE_CHECKING:
    from discreet.engines.ask import Ask, Tally
    from discreet.ledger import Balance, Ledger
    from discreet.questions import Answer, Table
    from discreet.questions.base import Question

ALIKE = """FILE is CSV, Parquet where its name ends in .parquet, or a dataset that is declared in discreet.toml. "-" or
nothing is CSV on standard input."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb: what it says of itself, an example to copy, the options of its own, and the question they make.

    >>> Verb("winner", "Name one.", "votes.csv --epsilon 1", (), lambda words: words["column"]).example
    'votes.csv --epsilon 1'
    """

    name: str
    about: str
    example: str
    options: tuple[Callable[[Any], Any], ...]
    question: "Callable[[Words], Question]"

    def asking(self) -> click.Command:
        """Return the command that asks."""
        return self._command(
            self.about + f"\n\n{ALIKE}",
            f"discreet {self.name} {self.example}",
            words(FILE, *self.options, *PROMISE, MECHANISM, NOISE, *DATA, *BOOK, *CHARGE, JSON),
            answered,
        )

    def planning(self) -> click.Command:
        """Return the command that plans."""
        error = click.option("--error", metavar="NUMBER", help="Find the epsilon for this error, in points of score.")
        rehearse = click.option("--rehearse", metavar="FILE", help="Data that is invented or public: what would win?")
        return self._command(
            f'Plan what "discreet {self.name}" would ask: what it costs, what is left, how wrong it may be.\n\n'
            "It reads no rows of FILE, which may be left out, and spends nothing.",
            f"discreet plan {self.name} {self.example}",
            words(FILE, *self.options, *PROMISE, error, rehearse, MECHANISM, NOISE, *DATA, *BOOK, JSON),
            planned,
        )

    def _command(
        self, about: str, example: str, dress: Callable[[Any], Any], run: "Callable[[Verb, Mapping[str, Any]], None]"
    ) -> click.Command:
        def called(**given: Any) -> None:
            run(self, given)

        text, short = f"{about}\n\n\b\nExample:\n  {example}", self.about.partition(". ")[0].removesuffix(".") + "."
        made: click.Command = click.command(self.name, help=text, short_help=short)(dress(called))
        return made


def answered(verb: Verb, given: Mapping[str, Any]) -> None:
    """Ask: settings are refused first, then the budget is looked at, then the file is read.

    >>> from discreet.cli.choices import WINNER
    >>> answered(WINNER, {"column": "vote", "among": ("smith",)})
    Traceback (most recent call last):
    discreet.errors.SettingError: epsilon: wanted --epsilon or --rho, got neither
    """
    from discreet.cli.output import show

    said = Words.of(given)
    with said.book() as ledger:
        answer = asked(verb, said, ledger)
        show(answer, verb.name, left=left_of(ledger, said["analyst"]), as_json=bool(given.get("as_json")))


def asked(verb: Verb, said: Words, ledger: "Ledger | None") -> "Answer":
    """Return the answer; the file is opened only when it must be counted, so not for one that was recorded.

    >>> from discreet.cli.choices import TOP
    >>> asked(TOP, Words({"column": "vote", "among": ("smith",), "count": 2, "epsilon": 1}), None)
    Traceback (most recent call last):
    discreet.errors.SettingError: k: wanted a whole number from 1 to 1, got 2
    """
    from discreet.questions import Table

    question, settings = verb.question(said), spent(said)
    more = {"analyst": said["analyst"], "memo": said["memo"] or "", "request": said["request"]}
    with waiting("counting"):
        return Table(Unopened(said, ledger), said.unit, said.neighbours, ledger).ask(question, **more, **settings)


def left_of(ledger: "Ledger | None", analyst: str | None) -> "tuple[Balance, ...]":
    """Return what is left of the whole budget, and of the analyst's share; nothing if that cannot be read.

    >>> left_of(None, None)
    ()

    The answer was charged by now, and must be shown whatever happens to the ledger.
    """
    if ledger is None:
        return ()
    try:
        return tuple(ledger.account(one).remaining for one in dict.fromkeys((None, analyst)))
    except DiscreetError:
        return ()


def planned(verb: Verb, given: Mapping[str, Any]) -> None:
    """Plan: nothing is read but the names of columns, and nothing is spent.

    >>> from discreet.cli.choices import WINNER
    >>> planned(WINNER, {"column": "vote", "among": ("smith", "jones"), "epsilon": 1})
    Which vote do most people name, of smith, jones?
      costs     1-differential privacy...
    """
    from discreet.cli.output import show_plan

    said = Words.of(given)
    question, error = verb.question(said), said["error"]
    apart(said)
    with said.book() as ledger, public(said, ledger, question) as table:
        settings = spent(said) if error is None or said["epsilon"] or said["rho"] else enough(table, question, said)
        more: dict[str, Any] = {"analyst": said["analyst"], "error": error, **settings}
        if said["rehearse"] is not None:
            with waiting("rehearsing"), rehearsal(said).table(None) as invented:
                found = table.plan(question, rehearsal=invented, **more)
        else:
            found = table.plan(question, **more)
    show_plan(found, as_json=bool(given.get("as_json")))


def spent(said: Words) -> Any:
    """Return the words that say what to spend, and how to draw.

    >>> spent(Words({"epsilon": 1, "mechanism": "auto"}))
    {'epsilon': 1, 'mechanism': 'auto', 'noise': None}
    """
    return spending(said["epsilon"], said["rho"]) | {"mechanism": said["mechanism"] or "auto", "noise": said["noise"]}


def enough(table: "Table", question: "Question", said: Words) -> Any:
    """Return the words that spend just enough for the error wished for: three digits, rounded up.

    >>> from discreet.cli.choices import WINNER
    >>> said = Words({"column": "vote", "among": ("smith", "jones"), "error": "10"})
    >>> with public(said, None, WINNER.question(said)) as table:
    ...     str(enough(table, WINNER.question(said), said)["epsilon"])
    '0.231'
    """
    settings = spent(Words({**said.given, "epsilon": 1}))
    needed = table.plan(question, error=said["error"], **settings).needed
    if needed is None:
        raise SettingError("error: wanted --epsilon with it, since how wrong this is depends on the data, got none")
    return settings | {"epsilon": Context(prec=3, rounding=ROUND_CEILING).create_decimal(Decimal(str(needed)))}


@contextmanager
def public(said: Words, ledger: "Ledger | None", question: "Question") -> "Generator[Table, None, None]":
    """Open the table only to look whether it has the columns; where no file is named, there is nothing to look at.

    >>> with public(Words({"unit": "pupil"}), None, None) as table:
    ...     table
    Table(per pupil, add-remove)
    """
    if said["file"] in {None, "-"}:
        from discreet.questions import Table

        yield Table(Nothing(), said.unit, said.neighbours, ledger)
        return
    with said.table(ledger) as table:
        table.engine.check(question.ask(), None if said.unit == "row" else said.unit)
        yield table


class Nothing:
    """The engine of a plan without a file.

    >>> Nothing().columns()
    {}
    """

    def columns(self) -> dict[str, str]:
        """Return that there are none."""
        return {}

    def check(self, ask: object, unit: str | None) -> None:
        """Find nothing wrong."""

    def tally(self, ask: "Ask", unit: str | None, key: str) -> "Tally":
        """Refuse."""
        del ask, unit, key
        raise SettingError("file: wanted one to count, got none")


@dataclass(frozen=True, slots=True)
class Unopened(Nothing):
    """The engine of a question: it opens the file, or copies standard input, when there is no way around counting.

    >>> Unopened(Words({"file": "no-such-file.csv"}), None).columns()
    {}
    """

    said: Words
    ledger: "Ledger | None"

    def tally(self, ask: "Ask", unit: str | None, key: str) -> "Tally":
        """Open, and count."""
        with self.said.table(self.ledger) as table:
            return table.engine.tally(ask, unit, key)
