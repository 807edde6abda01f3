"""Where the house stands: its folders, its Python files, and how a file is parsed."""

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "discreet"

Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_files(*folders: str) -> list[Path]:
    """List the Python files under the given folders of the repository; a folder may not exist yet."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    """Parse a file once."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def shown(path: Path) -> str:
    """Name a file from the root of the repository."""
    return path.relative_to(ROOT).as_posix()


def repository_files() -> list[Path]:
    """List what is committed, or would be: tracked files, and untracked ones that are not ignored."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def pages() -> list[Path]:
    """List the pages a user reads: README and everything in docs."""
    return [*ROOT.glob("README.md"), *sorted((ROOT / "docs").rglob("*.md"))]
