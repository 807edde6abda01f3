"""Scores and the families they come from: what every file of this room has in common.

A family is a frozen record of public settings. Given people it returns ``Scores``: hidden exact numbers, with the
proven bounds on how far one person can move them. Every family is total: whatever a person's row holds, scoring
never fails and never warns, since a failure would itself be a release.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.counts import Labels, labels, say
from discreet.errors import SettingError
from discreet.exact import number, plain
from discreet.sensitivity import Neighbours, Sensitivity

Values: TypeAlias = NDArray[np.int64] | list[int] | list[Fraction]
"""Exact scores: 64-bit integers where they fit, else Python integers or fractions."""


class Blocks(NamedTuple):
    """Runs of equal scores that are looked into on demand: by blocks, with what is known of each beforehand.

    >>> Blocks._fields
    ('tops', 'members', 'counts', 'look')
    """

    tops: NDArray[np.int64]
    """The best score of each block, or a bound on it that another block attains."""
    members: NDArray[np.int64]
    """How many candidates each has."""
    counts: NDArray[np.int64]
    """How many runs each has at most."""
    look: Callable[[int], tuple[NDArray[np.int64], NDArray[np.int64]]]
    """Return the scores and the sizes of the runs of a block."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Runs:
    """Scores of candidates in runs of equal ones: a score for each run and how many candidates it has, or ``blocks``.

    >>> Runs(np.array([5, 7]), np.array([3, 10**18]))
    Runs(1000000000000000003 candidates)
    """

    values: Values
    sizes: NDArray[np.int64]
    blocks: Blocks | None = None

    @classmethod
    def of(cls, blocks: Blocks) -> "Runs":
        """Put together runs that are looked into on demand."""
        return cls(blocks.tops, blocks.members, blocks)

    def __len__(self) -> int:
        return int(self.sizes.sum())

    def __repr__(self) -> str:
        return f"Runs({say(len(self))})"


_LARGEST = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Scores:
    """One hidden exact score a candidate, and how far one person moves them, in units of ``tick`` points.

    >>> Scores(("flu", "cold"), [812, 7], one_each("add-remove"), family="counts")
    Scores(2 candidates, step=1, gap=1, add-remove, by counts)

    Scores are never compared, hashed or printed by value, since each of these would show private numbers.
    """

    candidates: Labels
    values: Any
    """``Values``, one a candidate, or ``Runs`` of them."""
    sensitivity: Sensitivity
    tick: Fraction = Fraction(1)
    family: str = "given"

    def __post_init__(self) -> None:
        if len(self.values) != len(self.candidates):
            raise SettingError.of("values", f"one score for each of {say(len(self.candidates))}", len(self.values))
        values: Any = self.values
        if isinstance(values, np.ndarray):
            view: Any = values.view()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - the caller's own array stays as writable as it was
            view.flags.writeable = False
            object.__setattr__(self, "values", view)

    def __repr__(self) -> str:
        facts = self.sensitivity
        parts = [say(len(self.candidates)), f"step={plain(facts.step)}", f"gap={plain(facts.gap)}", facts.neighbours]
        parts += ["constant normaliser"] if facts.normaliser == "constant" else []
        parts += [f"in ticks of {plain(self.tick)}"] if self.tick != 1 else []
        return f"Scores({', '.join(parts)}, by {self.family})"

    def __len__(self) -> int:
        return len(self.candidates)


class Family(Protocol):
    """A way from people to scores whose step and gap are proved.

    >>> from discreet.scores.size import Votes
    >>> family: Family = Votes(["flu", "cold"])
    >>> family.name, family.candidates
    ('counts', ('flu', 'cold'))
    """

    name: ClassVar[str]

    @property
    def candidates(self) -> Labels:
        """The public labels, in the order of the scores."""
        ...

    def sensitivity(self, neighbours: Neighbours = "add-remove") -> Sensitivity:
        """Return the proven step and gap, in the units the scores are stored in."""
        ...

    def score(self, people: Iterable[Any], neighbours: Neighbours = "add-remove") -> Scores:
        """Score every candidate; ``people`` holds one item a person."""
        ...


def one_each(neighbours: Neighbours) -> Sensitivity:
    """Return the step and gap of scores to which one person adds 0 or 1 each, always in the same direction.

    >>> one_each("add-remove").gap, one_each("replace").gap
    (Fraction(1, 1), Fraction(2, 1))

    Adding a person changes the scores by a vector in {0, 1}: no entry above 1, no two entries further than 1 apart.
    Replacing one changes them by the difference of two such vectors, in {-1, 0, 1}: step 1, gap 2.
    """
    return Sensitivity.of(sensitivity=1, range=1 if neighbours == "add-remove" else 2, neighbours=neighbours)


def numbers(candidates: Iterable[Hashable], name: str) -> tuple[Labels, tuple[Fraction, ...]]:
    """Return candidates that are numbers, as given and read exactly; two that read the same are refused.

    >>> numbers(["0.1", 1], "prices")
    (('0.1', 1), (Fraction(1, 10), Fraction(1, 1)))
    """
    names = labels(candidates, name)
    try:
        exact = tuple(number(label, name) for label in names)
    except SettingError:  # its message shows the label; whoever puts data here must not find it there
        exact = ()
    if not exact:
        raise SettingError(f"{name}: wanted numbers; at least one is not")
    labels(exact, name)
    return names, exact


def common_tick(amounts: Iterable[Fraction]) -> Fraction:
    """Return the largest tick of which every amount is a whole multiple.

    >>> common_tick([Fraction(1, 4), Fraction(5, 6)])
    Fraction(1, 12)
    """
    known = tuple(amounts)
    return Fraction(gcd(*(a.numerator for a in known)), lcm(*(a.denominator for a in known)))


def whole_numbers(values: Sequence[int] | NDArray[Any]) -> Values:
    """Return whole numbers as 64-bit integers where all fit, else as they are.

    >>> type(whole_numbers([1, 2])).__name__, type(whole_numbers([2**80])).__name__
    ('ndarray', 'list')
    """
    given = [int(value) for value in values]
    fit = all(-_LARGEST <= value <= _LARGEST for value in given)
    return np.array(given, dtype=np.int64) if fit else given


def dtype_for(bound: int) -> type[Any]:
    """Return the NumPy type in which sums of a few numbers up to ``bound`` are exact.

    >>> dtype_for(10**6).__name__, dtype_for(10**30).__name__
    ('int64', 'object')
    """
    return np.int64 if bound < _LARGEST // 8 else object
