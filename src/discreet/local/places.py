"""Where a person's value stands among the candidates: one value, or ten million at once."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.counts import Labels, say
from discreet.errors import DataError, SettingError

Places = NDArray[np.intp]
NOWHERE = -1


class Finder:
    """Finds values among public candidates; what is none of them counts as ``other``, or is refused.

    >>> finder = Finder(("zoo", "lake"), other="lake")
    >>> finder.place("zoo"), finder.places(["moon", "zoo"])
    (0, array([1, 0]))
    >>> finder
    Finder(2 candidates)
    """

    __slots__ = ("_known", "_names", "_other", "_sorted")

    def __init__(self, names: Labels, other: Hashable | None = None) -> None:
        self._names = names
        self._known: Mapping[Hashable, int] | None = None
        if not isinstance(names, range):
            self._known = {name: place for place, name in enumerate(names)}
        self._sorted = _sorted(names)
        self._other = NOWHERE if other is None else self._find(other)
        if other is not None and self._other == NOWHERE:
            raise SettingError.of("other", "one of the candidates, which stands for all that is none of them", other)

    def __repr__(self) -> str:
        return f"Finder({say(len(self._names))})"

    def place(self, value: object) -> int:
        """Return the position of one value."""
        found = self._find(value)
        return self._elsewhere() if found == NOWHERE else found

    def places(self, values: Iterable[object]) -> Places:
        """Return the position of each value."""
        if isinstance(values, (str, bytes)):
            raise SettingError.of("values", "one value a person", "a single text", "encode() takes one value")
        if isinstance(values, Sequence) or not hasattr(values, "__array__"):
            return self._settled(np.fromiter(map(self._find, values), dtype=np.intp))
        array = np.asarray(values)
        if array.ndim != 1:
            raise SettingError.of("values", "a column, one value a person", f"an array of {array.ndim} dimensions")
        found = self._search(array)
        return self._settled(np.fromiter(map(self._find, array.tolist()), dtype=np.intp) if found is None else found)

    def _search(self, array: NDArray[Any]) -> Places | None:
        """Find a whole column by halving, where column and candidates are of one kind."""
        kind = array.dtype.kind
        if isinstance(self._names, range) and kind in "iu" and array.dtype != np.uint64:
            return self._steps(array)
        if self._sorted is None or self._sorted[0].dtype.kind != kind:
            return None
        names, places = self._sorted
        near = names.searchsorted(array).clip(max=len(names) - 1)
        found: Places = np.where(names[near] == array, places[near], NOWHERE)
        return found

    def _steps(self, array: NDArray[Any]) -> Places:
        names = self._names
        assert isinstance(names, range)  # noqa: S101 - for the type checkers
        last = np.iinfo(np.int64).max // 4
        if max(abs(names[0]), abs(names[-1])) > last:
            return np.fromiter(map(self._find, array.tolist()), dtype=np.intp)
        numbers = array.astype(np.int64, copy=False)
        inside = (numbers >= min(names[0], names[-1])) & (numbers <= max(names[0], names[-1]))
        steps = np.where(inside, numbers - names.start, 0)
        if names.step != 1:
            steps, rest = np.divmod(steps, names.step)
            inside &= rest == 0
        return steps if inside.all() else np.where(inside, steps, NOWHERE)

    def _find(self, value: object) -> int:
        if self._known is None:
            return self._names.index(int(value)) if isinstance(value, Integral) and value in self._names else NOWHERE
        try:
            return self._known.get(value, NOWHERE)
        except TypeError:  # no key of a dictionary, so no candidate
            return NOWHERE

    def _settled(self, found: Places) -> Places:
        lost = found == NOWHERE
        if lost.any():
            found[lost] = self._elsewhere()
        return found

    def _elsewhere(self) -> int:
        if self._other == NOWHERE:
            raise DataError(
                "values: wanted candidates of the survey, got at least one that is none of them; other= names the "
                "candidate that stands for all the rest"
            )
        return self._other


def _sorted(names: Labels) -> tuple[NDArray[Any], Places] | None:
    """Return texts or small whole numbers in order, each with its position; None where an array would change them."""
    kinds = {type(name) for name in names[:1]} if isinstance(names, range) else set(map(type, names))
    if isinstance(names, range) or kinds not in ({str}, {int}):
        return None
    array = np.array(names)
    if array.dtype.kind not in "Ui" or array.tolist() != list(names):
        return None
    order = array.argsort()
    return array[order], order
