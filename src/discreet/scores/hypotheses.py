"""Hypotheses: which rule is wrong least often."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from discreet.counts import Labels, labels
from discreet.errors import SettingError
from discreet.scores.base import Scores, one_each
from discreet.sensitivity import Neighbours, Sensitivity

Reader: TypeAlias = Callable[[Any], object] | Hashable
"""How to find a value in one person's row: a function of the row, or the name of a column in it."""


@dataclass(frozen=True, slots=True, init=False)
class Errors:
    """The score of a hypothesis is minus how many people it misjudges. Step 1; gap 1 (add-remove), 2 (replace).

    >>> rules = {"always yes": lambda row: "yes", "the model": "predicted"}
    >>> Errors(rules, truth="bought").score([{"predicted": "no", "bought": "yes"}])
    Scores(2 candidates, step=1, gap=1, add-remove, by errors)

    A new person takes 1 from the hypotheses that misjudge them: every entry in {-1, 0}, all one way, so gap 1. A
    changed one adds the difference of two such vectors: gap 2. A hypothesis that fails on a row misjudges it.
    The functions must look at the row alone: one that remembers earlier rows has no such bound.
    """

    name: ClassVar[str] = "errors"
    hypotheses: tuple[tuple[Hashable, Reader], ...]
    truth: Reader

    def __init__(self, hypotheses: Mapping[Any, Reader], truth: Reader = "label") -> None:
        if not isinstance(hypotheses, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise SettingError.of("hypotheses", "labels mapped to functions or column names", hypotheses)
        labels(hypotheses, "hypotheses")
        object.__setattr__(self, "hypotheses", tuple(hypotheses.items()))
        object.__setattr__(self, "truth", truth)

    @property
    def candidates(self) -> Labels:
        """The labels of the hypotheses."""
        return tuple(label for label, _ in self.hypotheses)

    def sensitivity(self, neighbours: Neighbours = "add-remove") -> Sensitivity:
        """Return step 1, and gap 1 or 2."""
        return one_each(neighbours)

    def score(self, people: Iterable[Any], neighbours: Neighbours = "add-remove") -> Scores:
        """Score each hypothesis by minus its errors; one item of ``people`` is one person's row."""
        facts = self.sensitivity(neighbours)
        rows = list(people)
        wrong = [sum(_misjudges(reader, self.truth, row) for row in rows) for _, reader in self.hypotheses]
        return Scores(self.candidates, -np.array(wrong, dtype=np.int64), facts, family=self.name)


def _misjudges(reader: Reader, truth: Reader, row: Any) -> bool:
    try:
        return not bool(_read(reader, row) == _read(truth, row))
    except Exception:  # noqa: BLE001 - a rule or a row that fails is an error of the rule; failing aloud would be a release
        return True


def _read(reader: Reader, row: Any) -> object:
    return reader(row) if callable(reader) else row[reader]
