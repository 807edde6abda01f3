"""The data that a plan is rehearsed on: invented or public, and never what is asked."""

from discreet.cli.words import Words
from discreet.errors import DataError, SettingError


def rehearsal(said: Words) -> Words:
    """Return the words for the data to rehearse on: another file, about the same people.

    >>> rehearsal(Words({"file": "votes.csv", "rehearse": "invented.csv", "unit": "pupil"}))["file"]
    'invented.csv'
    """
    delimiter = said.declared.delimiter if said.declared else said["delimiter"]
    same = {"unit": said.unit, "neighbours": said.neighbours, "delimiter": delimiter, "table": None}
    return Words({**said.given, **same, "file": said["rehearse"]})


def apart(said: Words) -> None:
    """Refuse to rehearse on the file that is asked, or on one of a declared dataset: a rehearsal tells exact chances.

    >>> apart(Words({"rehearse": "-"}))
    Traceback (most recent call last):
    discreet.errors.SettingError: rehearse: wanted a file of invented or public data, got standard input

    Files are compared, not what is in them: a copy under another name is not found out.
    """
    from discreet.questions.declared import datasets

    if said["rehearse"] is None:
        return
    if said["rehearse"] == "-":
        raise SettingError("rehearse: wanted a file of invented or public data, got standard input")
    private = {
        known.source: f"a file of the declared dataset {name!r}" for name, known in datasets(said["config"]).items()
    }
    private[said.declared.source if said.declared else said["file"] or "-"] = "the file that is asked"
    rehearsed = identities(said["rehearse"])
    for source, what in private.items():
        if rehearsed & known_identities(source):
            raise SettingError(f"rehearse: wanted invented or public data, got {what}")


def identities(path: str) -> set[tuple[int, int]]:
    """Return which files a path means, whatever they are called.

    >>> identities("no-such-file.csv")
    Traceback (most recent call last):
    discreet.errors.DataError: file: wanted a file that exists, or a pattern that some match, got 'no-such-file.csv'
    """
    from discreet.engines.files import files_of

    return {(file.stat().st_dev, file.stat().st_ino) for file in files_of(path)}


def known_identities(path: str) -> set[tuple[int, int]]:
    """Return the same of a source, and nothing of one that is not there.

    >>> known_identities("no-such-file.csv")
    set()
    """
    try:
        return identities(path)
    except DataError:
        return set()
