"""What one person names: labels read by public rules that hold for every row a table may contain."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.counts import Labels


def votes_for(candidates: Labels, people: Iterable[object]) -> NDArray[np.int64]:
    """Count, for each candidate, the people who name it; a person names one or none.

    >>> votes_for(("flu", "cold"), ["flu", None, "flu", ["cold"], "gout"])
    array([2, 0])
    """
    index = _index(candidates)
    return _tally(len(candidates), (_place(index, vote) for vote in people))


def ballots_for(candidates: Labels, people: Iterable[object], at_most: int) -> NDArray[np.int64]:
    """Count, for each candidate, the people whose ballot names it, at most ``at_most`` of them a person.

    >>> ballots_for(("flu", "cold"), [["cold", "cold"], {"cold", "flu"}, "flu", None, 7], at_most=1)
    array([2, 1])

    A ballot is a collection of labels, or one label by itself (a text is always one label). What is no candidate
    is ignored and a label counts once. Of too many, the first in the public order of candidates are kept: a rule
    that looks at this person alone, so one person still adds 0 or 1 to each candidate.
    """
    index = _index(candidates)
    return _tally(len(candidates), (place for ballot in people for place in _places(index, ballot, at_most)))


def _index(candidates: Labels) -> Mapping[Hashable, int]:
    return {label: place for place, label in enumerate(candidates)}


def _place(index: Mapping[Hashable, int], vote: Any) -> int | None:
    try:
        return index.get(vote)
    except Exception:  # noqa: BLE001 - unhashable, or a type whose own comparison fails: names no candidate
        return None


def _places(index: Mapping[Hashable, int], ballot: Any, at_most: int) -> list[int]:
    alone = _place(index, ballot)
    if alone is not None:
        return [alone]
    try:
        named = {_place(index, label) for label in (ballot if _several(ballot) else ())}
    except Exception:  # noqa: BLE001 - a collection that cannot be read names no candidate
        return []
    return sorted(place for place in named if place is not None)[:at_most]


def _several(ballot: object) -> bool:
    return isinstance(ballot, Collection) and not isinstance(ballot, str | bytes)


def _tally(length: int, places: Iterable[int | None]) -> NDArray[np.int64]:
    totals = Counter(places)
    return np.array([totals[place] for place in range(length)], dtype=np.int64)
