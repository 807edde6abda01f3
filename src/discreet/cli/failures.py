"""What a person sees when something is wrong: one line, an exit code, and never a traceback.

A traceback ends in a message, and the message of a library may hold a row.
"""

import errno
import traceback
from pathlib import Path
from typing import Any

import click

from discreet.errors import DataError, SettingError


class Refused(click.ClickException):
    """One line on standard error, and an exit code: 1 where nothing else is known.

    >>> Refused("nothing was released").exit_code
    1
    """

    exit_code = 1


class Misused(Refused):
    """A public setting is wrong.

    >>> Misused("k: wanted a whole number from 1, got 0").exit_code
    2
    """

    exit_code = 2


class Undeclared(Refused):
    """The data is not what the words said of it.

    >>> Undeclared("file: wanted a file that exists").exit_code
    4
    """

    exit_code = 4


class Verbs(click.Group):
    """A group of verbs, each of which ends with an answer or with one line.

    >>> Verbs("discreet").name
    'discreet'
    """

    def invoke(self, ctx: click.Context) -> Any:
        """Run a verb; whatever it raises becomes a line and a code."""
        refusal: Refused | None = None
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                raise
            refusal = _refusal(error)
        raise refusal


def _refusal(error: Exception) -> Refused:
    if isinstance(error, DataError):
        return Undeclared(str(error))
    if isinstance(error, SettingError):
        return Misused(str(error))
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}, line {last.lineno}"
    return Refused(f"nothing was released: {type(error).__name__} in {where}; its message may be private")
