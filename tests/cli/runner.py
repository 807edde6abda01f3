"""How the tests call the command: inside this process, or as a real one."""

import os
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

from click.testing import CliRunner, Result

from discreet.cli import main

SRC = Path(__file__).parents[2] / "src"


def run(*words: str, given: str | bytes | BinaryIO | None = None) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main, list(words), input=given)


def process(*words: str, given: bytes = b"", env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run the command as a user does."""
    path = os.pathsep.join(filter(None, [str(SRC), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-W", "error", "-m", "discreet", *words]
    variables = os.environ | {"PYTHONPATH": path, "PYTHONUTF8": "1"} | (env or {})
    return subprocess.run(command, input=given, capture_output=True, check=False, env=variables, timeout=120)
