"""What a device remembers, so that a person who is asked again says the same again and nothing adds up."""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Literal, get_args

from discreet.errors import DataError, SettingError
from discreet.local.survey import Survey
from discreet.sampling.coins import Coins
from discreet.sensitivity import one_of

Change = Literal["keep", "encode"]


class Memo:
    """A folder on the person's own device with one small file a question.

    The first report to a question is the report to that question for good. So however often it is asked, all that
    leaves the device is one report, and costs one epsilon.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> memo = Memo(folder.name + "/memo")
    >>> survey = Survey(["zoo", "lake"], epsilon="0.1")
    >>> first = memo.encode(survey, "zoo", question="trip")
    >>> {memo.encode(survey, "zoo", question="trip") for _ in range(100)} == {first}
    True
    >>> folder.cleanup()

    ``changed="keep"`` gives the first report even when the value has changed since. With ``changed="encode"`` each new
    value gets a report of its own, kept likewise (RAPPOR's permanent response). That is one epsilon a value, and **only
    for people whose values change at the same times**: two different reports show that the value changed, and no
    epsilon bounds that.
    """

    __slots__ = ("_changed", "_folder")

    def __init__(self, folder: str | os.PathLike[str], *, changed: Change = "keep") -> None:
        self._folder = Path(folder)
        self._changed = one_of(changed, "changed", get_args(Change))
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SettingError(f"folder: wanted one that can be written, got none: {error.strerror}") from None

    def __repr__(self) -> str:
        return f"Memo(changed={self._changed!r})"

    def encode(self, survey: Survey, value: object, *, question: str, coins: Coins | None = None) -> str:
        """Return the kept report, or draw one and keep it before anybody sees it.

        Another survey under a name already used is refused: its report would be a second one.
        """
        report = survey.encode(value, coins)  # refuses what is no candidate, whether or not a report is kept
        home = self._folder / hashlib.sha256(question.encode()).hexdigest()
        home.mkdir(mode=0o700, exist_ok=True)
        path = home / ("first.json" if self._changed == "keep" else f"{survey.place(value)}.json")
        settings = hashlib.sha256(json.dumps(survey.to_dict()).encode()).hexdigest()
        if not path.exists():
            _write_first(path, json.dumps({"report": report, "settings": settings}))
        return _kept(path, settings, survey)


def _write_first(path: Path, text: str) -> None:
    """Write a whole file that only its owner may read, unless there is one: of two writers the first wins."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(8).hex()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        _link(draft, path)
    finally:
        draft.unlink()
    _settle(path.parent)


def _link(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    except OSError as error:
        raise SettingError(f"folder: wanted one on a file system with links, got none: {error.strerror}") from None


def _settle(folder: Path) -> None:
    """Make the new name in the folder last through a loss of power, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _kept(path: Path, settings: str, survey: Survey) -> str:
    try:
        kept = json.loads(path.read_text(encoding="ascii"))
        report, made_for = kept["report"], kept["settings"]
    except (OSError, ValueError, KeyError, TypeError):
        raise DataError(
            "memo: the kept report cannot be read; a new one would be a second one, so none is given"
        ) from None
    if made_for != settings or not survey.accepts(report):
        wanted = "a name for each survey; under this one another survey was answered"
        raise SettingError(f"question: wanted {wanted}, and a second report costs a second epsilon")
    return str(report)
