"""Datasets declared in ``discreet.toml``: where they are, whom they protect, what may be answered and spent.

The declaration is public, and is shared by the command line, by Python and by whatever serves questions to others. All
of it is read before anything is opened; whatever is wrong with it is a ``DataError`` that names the place.
"""

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

from discreet.counts import Labels, labels
from discreet.errors import DataError, SettingError, show
from discreet.ledger import Budget
from discreet.questions.base import MOST_CELLS, column, texts
from discreet.questions.numbers import Quantile
from discreet.questions.sources import Bounds, Dataset, placed
from discreet.sensitivity import Neighbours, one_of

NAME = "discreet.toml"
PLACE = "DISCREET_CONFIG"
"""The variable that names another file."""
KNOWN = (
    "source",
    "table",
    "unit",
    "neighbours",
    "delimiter",
    "memory",
    "ledger",
    "budget",
    "analysts",
    "candidates",
    "bounds",
)
"""What can be said of a dataset."""
SPENDING = ("epsilon", "delta", "rho", "spare")

Made = TypeVar("Made")


def dataset(name: str, config: str | os.PathLike[str] | None = None) -> Dataset:
    r"""Return the dataset that is declared under a name; see ``datasets`` for where.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / NAME
    ...     _ = file.write_text('[datasets.plays]\nsource = "plays.parquet"\nunit = "listener"\n')
    ...     dataset("plays", file).unit
    'listener'
    """
    known = datasets(config)
    if name not in known:
        raise DataError(f"dataset: wanted one of those declared ({', '.join(known) or 'none is'}), got {show(name)}")
    return known[name]


def datasets(config: str | os.PathLike[str] | None = None) -> dict[str, Dataset]:
    """Return all that is declared in a file; nothing is declared where there is none.

    The file is the one given, or that of the variable ``DISCREET_CONFIG``, or the first ``discreet.toml`` from the
    current folder upwards.

    >>> datasets("no-such-file.toml")
    Traceback (most recent call last):
    discreet.errors.DataError: no-such-file.toml: wanted a file that can be read, got none
    """
    file = found(config)
    if file is None:
        return {}
    given = _tables(_parsed(file), ("datasets",), file.name).get("datasets", {})
    return {
        name: _dataset(name, said, file.absolute().parent) for name, said in _tables(given, None, "datasets").items()
    }


def found(config: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the file with the declarations, if there is one.

    >>> str(found("here.toml"))
    'here.toml'
    """
    named = config or os.environ.get(PLACE)
    if named:
        return Path(named)
    here = Path.cwd()
    return next((folder / NAME for folder in (here, *here.parents) if (folder / NAME).is_file()), None)


def _parsed(file: Path) -> dict[str, Any]:
    """Read the file; a number with a point is the decimal it is written as."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"), parse_float=Decimal)
    except OSError:
        raise DataError(f"{file}: wanted a file that can be read, got none") from None
    except UnicodeDecodeError:
        raise DataError(f"{file}: wanted UTF-8 text, got other bytes") from None
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at .*\)$", str(error))  # the rest of the message may quote the file, and so a password
        raise DataError(f"{file}: wanted TOML, got something else {place[0] if place else ''}".rstrip()) from None


def _dataset(name: str, given: Any, folder: Path) -> Dataset:
    here = f"datasets.{name}"
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise DataError(f"datasets: wanted names of letters, digits, _ and -, got {show(name)}")
    said = _tables(given, KNOWN, here)
    text = partial(_text, said, here)
    source = text("source")
    if source is None:
        raise DataError(f"{here}.source: wanted the path of a file or a pattern, got none")
    unit = _checked(f"{here}.unit", column, text("unit") or "row", "unit")
    relation = text("neighbours") or "add-remove"
    neighbours = _checked(f"{here}.neighbours", one_of, relation, "neighbours", get_args(Neighbours))
    whom = {"per": unit, "neighbours": neighbours}
    shares = _tables(said.get("analysts", {}), None, f"{here}.analysts")
    return Dataset(
        name,
        placed(source, folder),
        text("table"),
        unit,
        neighbours,
        text("delimiter") or ",",
        text("memory"),
        _budget(said["budget"], f"{here}.budget", whom) if "budget" in said else None,
        {who: _budget(share, f"{here}.analysts.{who}", whom) for who, share in shares.items()},
        _each(said, here, "candidates", partial(_candidates, folder=folder)),
        _each(said, here, "bounds", _bounds),
        folder,
        _where(said, here, folder),
    )


def _budget(given: Any, here: str, whom: Mapping[str, Any]) -> Budget:
    return _checked(here, Budget, **_tables(given, SPENDING, here), **whom)


def _candidates(given: Any, here: str, folder: Path) -> Labels | Path:
    """Read a list, a file of names, or a range."""
    if isinstance(given, list):
        names = _checked(here, labels, given, "candidates")
        _checked(here, texts, names, "candidates")
        return names
    if isinstance(given, dict) and "file" in given:
        return Path(placed(str(_text(_tables(cast("Any", given), ("file",), here), here, "file")), folder))
    said = _tables(given, ("from", "to", "step"), here)
    points = _grid(here, said, "from", "to").candidates
    if len(points) > MOST_CELLS:
        raise DataError(f"{here}: wanted at most {MOST_CELLS} candidates, got {len(points)}; take a larger step")
    return tuple(points)


def _bounds(given: Any, here: str) -> Bounds:
    said = _tables(given, ("low", "high", "step"), here)
    grid = _grid(here, said, "low", "high")
    low, high = grid.bounds
    return Bounds(low, high, grid.step)


def _grid(here: str, said: Mapping[str, Any], low: str, high: str) -> Quantile:
    if low not in said or high not in said:
        raise DataError(f"{here}: wanted {low} and {high}, got {' and '.join(said) or 'neither'}")
    return _checked(here, Quantile, "column", bounds=(said[low], said[high]), step=said.get("step", 1))


def _where(said: Mapping[str, Any], here: str, folder: Path) -> str | dict[str, str] | None:
    given = said.get("ledger")
    if isinstance(given, dict):
        if not given:
            raise DataError(f"{here}.ledger: wanted env, the variable that holds a path or a URL, got an empty table")
        variable = _text(_tables(cast("Any", given), ("env",), f"{here}.ledger"), f"{here}.ledger", "env")
        return {"env": str(variable)}
    where = _text(said, here, "ledger")
    return None if where is None else placed(where, folder)


def _each(said: Mapping[str, Any], here: str, key: str, read: Callable[[Any, str], Made]) -> dict[str, Made]:
    given = _tables(said.get(key, {}), None, f"{here}.{key}")
    return {name: read(value, f"{here}.{key}.{name}") for name, value in given.items()}


def _tables(given: Any, known: tuple[str, ...] | None, here: str) -> dict[str, Any]:
    """Return a table of the file, if it holds no other keys than those known."""
    if not isinstance(given, dict):
        raise DataError(f"{here}: wanted a table, got {show(given)}")
    for name in cast("dict[str, Any]", given):
        if known is not None and name not in known:
            raise DataError(f"{here}: wanted only {', '.join(known)}; got {show(name)}")
    return cast("dict[str, Any]", given)


def _text(said: Mapping[str, Any], here: str, key: str) -> str | None:
    value = said.get(key)
    if value is not None and (not isinstance(value, str) or not value):
        raise DataError(f"{here}.{key}: wanted a text, got {show(value)}")
    return value


def _checked(here: str, make: Callable[..., Made], *given: Any, **more: Any) -> Made:
    """Make something of what was declared; what is wrong with it is wrong with the declaration."""
    try:
        return make(*given, **more)
    except SettingError as error:
        raise DataError(f"{here}: {error}") from None
