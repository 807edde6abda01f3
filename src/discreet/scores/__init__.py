"""From people to scores: one family a file, each with a proven step and gap under both relations.

To add a family, write one file with a frozen record like those here, put the record in ``FAMILIES``, and let
``discreet.testing.scores.check_family`` try to move its scores further than it says.

``Line`` and ``Cutoff`` are ``Rank`` and ``Errors`` on a grid of any size. Their scores come in runs of equal ones.
"""

from discreet.errors import SettingError
from discreet.scores.agreement import Agreement, Conflicts
from discreet.scores.base import Family, Scores, one_each
from discreet.scores.cutoff import Cutoff
from discreet.scores.distance import Distance
from discreet.scores.grid import Grid
from discreet.scores.hypotheses import Errors
from discreet.scores.line import Line
from discreet.scores.rank import Rank
from discreet.scores.revenue import Revenue
from discreet.scores.size import Approvals, Votes, by_count
from discreet.scores.totals import Totals
from discreet.sensitivity import Neighbours, Sensitivity

__all__ = [
    "FAMILIES",
    "NAMED",
    "Agreement",
    "Approvals",
    "Conflicts",
    "Cutoff",
    "Distance",
    "Errors",
    "Family",
    "Grid",
    "Line",
    "Rank",
    "Revenue",
    "Scores",
    "Totals",
    "Votes",
    "by_count",
    "named",
]

FAMILIES = (Votes, Approvals, Agreement, Conflicts, Errors, Revenue, Distance, Rank, Totals)
"""Every family there is."""

NAMED = (Votes, Approvals, Agreement, Conflicts, Errors)
"""The families whose step and gap depend on no setting, so that their name alone says how far scores move."""


def named(name: str, neighbours: Neighbours = "add-remove") -> Sensitivity:
    """Return the step and gap of scores the caller made, known by the name of their family.

    >>> named("counts").gap, named("counts", "replace").gap
    (Fraction(1, 1), Fraction(2, 1))
    """
    names = [family.name for family in NAMED]
    if name not in names:
        remedy = "or say sensitivity= or range= yourself"
        raise SettingError.of("scores", " or ".join(map(repr, names)), name, remedy)
    return one_each(neighbours)
