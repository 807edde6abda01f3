"""Frames: of each only its Arrow stream is seen, and no column whose type was inferred from its rows.

Where a reader infers one type for a whole column of Python objects, one person's row decides how everybody's is read.
"""

from collections.abc import Iterable
from typing import Any

MIXED = "OBJECT"
"""What stands for the type of a column that has none of its own."""


class Stream:
    """A frame of which only its Arrow stream is seen, so that no frame library is a special case.

    >>> hasattr(Stream(None), "__arrow_c_stream__")
    True
    """

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Return the frame's own stream."""
        return self.frame.__arrow_c_stream__(requested_schema)


def is_reader(source: Any) -> bool:
    """Return whether something can be read but once; its type says so, since it may have a column of any name.

    >>> is_reader([1])
    False
    """
    return hasattr(source.__class__, "read_next_batch")


def typed(frame: Any) -> Any:
    """Return a frame of Polars whose columns that are missing in every row are columns of texts; others as they are.

    >>> import polars
    >>> typed(polars.DataFrame({"trip": [None], "pupil": [7]})).dtypes
    [String, Int64]

    Where nobody has answered yet, Polars infers that a column has no type. One row must not decide what can be read.
    """
    if not type(frame).__module__.startswith("polars"):  # in other frames "schema" may be a column
        return frame
    untyped = {name: str for name, kind in frame.schema.items() if str(kind) == "Null"}
    return frame.cast(untyped) if untyped else frame


def declared(frame: Any, known: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the columns and types of a frame; those that pandas keeps as Python objects have no type.

    >>> import pandas
    >>> declared(pandas.DataFrame({"n": [1, 2], "p": [True, "x"]}), [("n", "BIGINT"), ("p", "VARCHAR")])
    [('n', 'BIGINT'), ('p', 'OBJECT')]
    """
    dtypes: Any = getattr(frame, "dtypes", None)
    if not hasattr(dtypes, "get"):  # only pandas has
        return list(known)
    kinds: list[Any] = list(dtypes)
    pairs = zip(known, kinds, strict=False)  # in the same order; an index, which may come last, is no column
    return [(name, MIXED if _is_mixed(dtype) else kind) for (name, kind), dtype in pairs]


def _is_mixed(dtype: Any) -> bool:
    categories = getattr(getattr(dtype, "categories", None), "dtype", None)
    return "object" in {str(dtype), str(categories)}
