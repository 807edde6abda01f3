"""A device says the same again: across calls, restarts and races; its files are its owner's alone."""

import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from discreet.errors import DataError, SettingError
from discreet.local import Memo, Survey

SURVEY = Survey([f"page {number}" for number in range(40)], "0.1", mechanism="asymmetric")
"""Reports of so many bits that two of them are never the same by chance."""


def files(folder: Path) -> list[Path]:
    """Return all files of a memo."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_asked_again_a_device_says_the_same(tmp_path: Path) -> None:
    """Another object, another value, another day: one report a question; another question has its own."""
    first = Memo(tmp_path).encode(SURVEY, "page 3", question="home")
    again = {Memo(tmp_path).encode(SURVEY, f"page {number}", question="home") for number in (3, 3, 7, 39)}
    assert again == {first}
    assert Memo(tmp_path).encode(SURVEY, "page 3", question="work") != first
    assert SURVEY.encode("page 3") != first  # without a memo it is drawn anew: the test could fail
    assert len(files(tmp_path)) == 2


def test_each_new_value_may_have_its_report(tmp_path: Path) -> None:
    """With changed="encode" a value that comes back brings its own report back."""
    memo = Memo(tmp_path, changed="encode")
    three, seven = (memo.encode(SURVEY, page, question="home") for page in ("page 3", "page 7"))
    assert three != seven
    assert memo.encode(SURVEY, "page 3", question="home") == three
    assert memo.encode(SURVEY, "page 7", question="home") == seven


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are those of POSIX")
def test_only_the_owner_may_read(tmp_path: Path) -> None:
    """Files are 0600 and folders 0700, and neither shows the value, nor is any draft left."""
    Memo(tmp_path / "memo").encode(SURVEY, "page 3", question="home")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in files(tmp_path)}
    folders = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "memo").rglob("*") if path.is_dir()}
    assert modes == {0o600}
    assert folders | {stat.S_IMODE((tmp_path / "memo").stat().st_mode)} == {0o700}
    (kept,) = files(tmp_path)
    assert "page 3" not in kept.read_text(encoding="ascii") + str(kept)
    assert "page" not in repr(Memo(tmp_path))


def test_of_many_at_once_the_first_wins(tmp_path: Path) -> None:
    """However many ask at the same time, one report comes out."""
    with ThreadPoolExecutor(16) as pool:
        said = set(pool.map(lambda _: Memo(tmp_path).encode(SURVEY, "page 3", question="home"), range(64)))
    assert len(said) == 1
    assert len(files(tmp_path)) == 1


def test_a_draft_left_by_a_crash_is_not_a_report(tmp_path: Path) -> None:
    """What was half written was never shown, and does not stand in the way."""
    memo = Memo(tmp_path)
    memo.encode(SURVEY, "page 3", question="home")
    (kept,) = files(tmp_path)
    draft = kept.with_name(kept.name + ".1.00")
    kept.rename(draft)
    draft.write_text("{", encoding="ascii")
    report = memo.encode(SURVEY, "page 3", question="home")
    assert memo.encode(SURVEY, "page 3", question="home") == report


@pytest.mark.parametrize("damage", ["", "{}", "[]", "null", '{"report": "00"', "\xff"])
def test_a_damaged_memo_gives_nothing(tmp_path: Path, damage: str) -> None:
    """A second report would cost a second epsilon, so none is drawn."""
    memo = Memo(tmp_path)
    memo.encode(SURVEY, "page 3", question="home")
    (kept,) = files(tmp_path)
    kept.write_bytes(damage.encode("latin1"))
    with pytest.raises(DataError, match=r"^memo"):
        memo.encode(SURVEY, "page 3", question="home")


def test_another_survey_under_the_same_name_is_refused(tmp_path: Path) -> None:
    """Whoever asks the same with another epsilon, family or list does not get a second report."""
    memo = Memo(tmp_path)
    memo.encode(SURVEY, "page 3", question="home")
    others = [Survey(SURVEY.candidates, "0.2", mechanism="asymmetric"), Survey(["page 3", "page 4"], "0.1")]
    for other in others:
        with pytest.raises(SettingError, match=r"^question: wanted"):
            memo.encode(other, "page 3", question="home")


def test_a_value_that_is_no_candidate_is_refused_either_way(tmp_path: Path) -> None:
    """Kept or not, the refusal is the same, and nothing is written for it."""
    memo = Memo(tmp_path)
    with pytest.raises(DataError, match=r"^values"):
        memo.encode(SURVEY, "nowhere", question="home")
    assert files(tmp_path) == []
    memo.encode(SURVEY, "page 3", question="home")
    with pytest.raises(DataError, match=r"^values"):
        memo.encode(SURVEY, "nowhere", question="home")


def test_where_files_cannot_be_linked_nothing_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system without links cannot settle who was first: refused, and no draft is left."""

    def refuse(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(SettingError, match=r"^folder: wanted one on a file system with links"):
        Memo(tmp_path).encode(SURVEY, "page 3", question="home")
    assert files(tmp_path) == []


def test_settings_of_a_memo_are_checked(tmp_path: Path) -> None:
    """Neither an unknown word nor a file for a folder will do."""
    with pytest.raises(SettingError, match=r"^changed"):
        Memo(tmp_path, changed="always")  # type: ignore[arg-type]
    (tmp_path / "file").write_text("", encoding="ascii")
    with pytest.raises(SettingError, match=r"^folder"):
        Memo(tmp_path / "file")
    with pytest.raises(SettingError, match=r"^folder"):
        Memo(os.path.join(tmp_path, "file", "below"))  # noqa: PTH118 - a text is a path too
