"""How far one person can move the scores: the only fact about the data a mechanism needs to be private.

Write ``v`` for the change of all the scores when the data moves to a neighbour. ``step`` bounds the size of one
entry of ``v`` (the field's sensitivity); ``gap`` bounds the difference of two entries (the field's range). Every
mechanism here is unchanged when a constant is added to all scores, so the gap is what it pays for.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

from discreet.errors import SettingError
from discreet.exact import Number, flag, plain, positive

Neighbours = Literal["add-remove", "replace"]
"""Neighbouring data: one person more or less (``add-remove``), or one person's data changed (``replace``)."""

Normaliser = Literal["varies", "constant"]
"""Whether the sum of all weights depends on the data; where it provably does not, the factor 2 is saved."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The most one score moves (``step``), and the most the difference of two scores moves (``gap``).

    >>> Sensitivity.of(sensitivity=1)
    Sensitivity(step=Fraction(1, 1), gap=Fraction(2, 1), neighbours='add-remove', normaliser='varies')
    >>> Sensitivity.of(sensitivity=1, monotonic=True).gap
    Fraction(1, 1)
    """

    step: Fraction
    gap: Fraction
    neighbours: Neighbours = "add-remove"
    normaliser: Normaliser = "varies"

    def __post_init__(self) -> None:
        if not 0 < self.gap <= 2 * self.step:
            raise SettingError(
                f"range: wanted a number above 0 and at most twice the sensitivity, {plain(2 * self.step)}, "
                f"got {plain(self.gap)}"
            )

    @classmethod
    def of(
        cls,
        *,
        sensitivity: Number | None = None,
        range: Number | None = None,  # noqa: A002 - the field's own word
        monotonic: bool = False,
        neighbours: str = "add-remove",
        normaliser: str = "varies",
    ) -> "Sensitivity":
        """Read the caller's words: ``sensitivity=`` or ``range=`` (or both, where both are known).

        ``monotonic=True`` says that adding a person moves every score the same way, or not at all. Then all
        entries of v lie in [0, step] or all in [-step, 0], so the gap is the step and not twice it.

        >>> Sensitivity.of(range=3).gap
        Fraction(3, 1)
        """
        relation = one_of(neighbours, "neighbours", get_args(Neighbours))
        weight = one_of(normaliser, "normaliser", get_args(Normaliser))
        monotonic = flag(monotonic, "monotonic")
        if monotonic and relation == "replace":
            raise SettingError(
                "monotonic: wanted False with neighbours='replace', got True; replacing a person takes one away and "
                "adds another, so one score can rise while another falls and the gap is twice the sensitivity"
            )
        if sensitivity is None and range is None:
            raise SettingError(
                "sensitivity: wanted sensitivity= (the most one person moves one score) or range= (the most one "
                "person moves the difference of two scores), got neither; for counts, scores='counts' knows both"
            )
        gap = None if range is None else positive(range, "range")
        # Where only the gap is known, shift v by a constant into [0, gap]: then no entry is larger than the gap.
        step = gap if sensitivity is None else positive(sensitivity, "sensitivity")
        assert step is not None  # noqa: S101 - for the type checkers; one of the two was given
        if monotonic and gap is not None and gap != step:
            raise SettingError.of("range", f"nothing, or the sensitivity {plain(step)}, with monotonic=True", range)
        gap = (step if monotonic else 2 * step) if gap is None else gap
        return cls(step, gap, relation, weight)


def one_of(value: Any, name: str, allowed: tuple[str, ...]) -> Any:
    """Return the word if it is allowed.

    >>> one_of("replace", "neighbours", ("add-remove", "replace"))
    'replace'
    """
    if not isinstance(value, str) or value not in allowed:
        raise SettingError.of(name, " or ".join(map(repr, allowed)), value)
    return value
