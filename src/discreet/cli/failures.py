"""What is told when something is wrong: one line, or one object with --json; an exit code; never a traceback.

A traceback ends in a message, and the message of a library may hold a row.
"""

import errno
import json
import re
import traceback
from pathlib import Path
from typing import IO, Any

import click

from discreet.errors import BudgetError, DataError, LedgerError, SettingError, without_password

OPTIONS = ("among", "by", "column", "columns", "delta", "epsilon", "groups", "mechanism", "neighbours", "rho", "table")
"""Words of Python that are options of the same name here."""


class Refused(click.ClickException):
    """One line on standard error and an exit code: 1 where nothing else is known.

    >>> Refused("nothing was released").exit_code
    1
    """

    exit_code = 1
    kind = "unforeseen"

    def __init__(self, message: str, **facts: str) -> None:
        super().__init__(message)
        self.facts, self.as_json = facts, False

    def show(self, file: IO[Any] | None = None) -> None:
        """Tell it."""
        if not self.as_json:
            super().show(file)
            return
        error = {"kind": self.kind, "code": self.exit_code, "message": self.message, **self.facts}
        click.echo(json.dumps({"error": error}), file=file, err=True)


class Misused(Refused):
    """A public setting is wrong.

    >>> Misused("k: wanted a whole number from 1, got 0").exit_code
    2
    """

    exit_code, kind = 2, "setting"


class Overspent(Refused):
    """The budget does not allow it.

    >>> Overspent("epsilon: wanted at most ...", remaining="1/2").exit_code
    3
    """

    exit_code, kind = 3, "budget"


class Undeclared(Refused):
    """The data is not what the words said of it.

    >>> Undeclared("file: wanted a file that exists").exit_code
    4
    """

    exit_code, kind = 4, "data"


class Unkept(Refused):
    """The ledger cannot be read or written.

    >>> Unkept("budget.db: wanted a ledger, got another kind of file").exit_code
    1
    """

    exit_code, kind = 1, "ledger"


class Verbs(click.Group):
    """A group of verbs, each of which ends with an answer or with one line.

    >>> Verbs("discreet").name
    'discreet'
    """

    def invoke(self, ctx: click.Context) -> Any:
        """Run a verb; whatever it raises becomes a line and a code."""
        as_json = "--json" in ctx.args
        refusal: Refused | None = None
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, click.Abort):
            raise
        except click.ClickException as error:
            said = error.format_message()
            shown = without_password(said)  # click quotes words that stand in the wrong place
            if not as_json and shown == said:
                raise  # click shows how the verb is used, too
            refusal = Misused(shown)
        except Exception as error:
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                raise
            refusal = _refusal(error)
        refusal.as_json = as_json
        raise refusal


def as_typed(message: str) -> str:
    """Return a message of the library with the words of the command line: options for the words of Python.

    >>> as_typed("noise: wanted nothing unless mechanism='noisy-max', got 'gumbel'")
    "noise: wanted nothing unless --mechanism noisy-max, got 'gumbel'"
    >>> as_typed("at_most: wanted a whole number from 1, got 'by= 0'")
    "at-most: wanted a whole number from 1, got 'by= 0'"
    """
    wanted, got, rest = message.partition(", got ")
    option = r"\b(" + "|".join(OPTIONS) + r")=(?:'([\w-]+)')?"
    wanted = re.sub(option, lambda word: " ".join(filter(None, ("--" + word[1], word[2]))), wanted)
    return wanted.replace("at_most", "at-most") + got + rest


def _refusal(error: Exception) -> Refused:
    match error:
        case BudgetError():
            amounts = {"requested": str(error.requested), "remaining": str(error.remaining)}
            return Overspent(str(error), **amounts, rule=error.rule)
        case DataError():
            return Undeclared(as_typed(str(error)))
        case SettingError():
            return Misused(as_typed(str(error)))
        case LedgerError():
            return Unkept(str(error))
        case _:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}, line {last.lineno}"
            return Refused(f"nothing was released: {type(error).__name__} in {where}; its message may be private")
