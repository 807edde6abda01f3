"""What a shell offers after a few letters: declared datasets, their columns, their candidates; never a row."""

from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from discreet.errors import DiscreetError

if TYPE_CHECKING:
    from discreet.questions.sources import Dataset

MOST = 1000
"""Candidates a shell is offered at once."""


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the declared datasets, and files.

    >>> files(click.Context(click.Command("winner")), click.Argument(["file"]), "no")[-1].type
    'file'
    """
    return [*names(ctx, param, incomplete), CompletionItem(incomplete, type="file")]


def names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the declared datasets.

    >>> names(click.Context(click.Command("winner")), click.Option(["--dataset"]), "no-such")
    []
    """
    del param
    return [CompletionItem(name) for name in _known(ctx) if name.startswith(incomplete)]


def columns(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the columns of which something is declared.

    >>> columns(click.Context(click.Command("winner")), click.Option(["--column"]), "")
    []
    """
    del param
    found = _dataset(ctx)
    declared = {} if found is None else {**found.lists, **found.grids}
    return [CompletionItem(name) for name in declared if name.startswith(incomplete)]


def amongs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the declared candidates of the column; of a list, its last name.

    >>> amongs(click.Context(click.Command("winner")), click.Option(["--among"]), "zoo,l")
    []
    """
    del param
    found, column = _dataset(ctx), ctx.params.get("column")
    if found is None or column not in found.lists:
        return []
    before, comma, last = incomplete.rpartition(",")
    try:
        offered = [text for text in map(str, found.among(str(column))) if text.startswith(last) and "," not in text]
    except DiscreetError:
        return []
    return [CompletionItem(f"{before}{comma}{text}") for text in offered[:MOST]]


def _dataset(ctx: click.Context) -> "Dataset | None":
    """Return the dataset that was named; in the middle of an option, click has not taken the words apart yet."""
    named: str = ctx.params.get("file") or next(iter(ctx.args), "")
    return _known(ctx).get(named)


def _known(ctx: click.Context) -> "dict[str, Dataset]":
    from discreet.questions.declared import datasets

    try:
        return datasets(ctx.params.get("config"))
    except DiscreetError:  # a broken declaration is told when a verb runs, and not between two letters
        return {}
