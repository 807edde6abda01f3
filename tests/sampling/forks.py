"""Samplers on a tree with large forks: the certified flip and the integer draw, each settled by tests of its own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from discreet.balls import Ball
from discreet.sampling import choose, race
from discreet.sampling.propose import Proposal


def weigh(
    coins: Any, bias: Callable[[], Ball], prefix: tuple[int, int] = (0, 0), refine: Callable[[], None] | None = None
) -> bool:
    """Fork in two where ``flip`` would draw bits."""
    assert prefix == (0, 0)
    return bool(coins.weigh(bias, refine))


def pick(proposal: Proposal, coins: Any) -> tuple[int, int] | None:
    """Fork into candidates where ``pick`` would draw below the total."""
    bounds = [int(bound) for bound in proposal.table()[0]]
    place = coins.among([*bounds, proposal.total - sum(bounds)])
    return None if place == len(bounds) else (place, bounds[place])


@contextmanager
def large_forks() -> Iterator[None]:
    """Replace both for the length of a block."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (choose, race):
            patch.setattr(module, "flip", weigh)
        patch.setattr(Proposal, "pick", pick)
        yield
