"""A real PostgreSQL server: in a folder of its own, on a socket in that folder alone, as a user that is not root."""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

PLENTY = 2**31
TRIES = 400
"""Tenths of a second that a server may take to start on a busy machine."""
MISSING = "PostgreSQL was not tried: no server is installed (scripts/postgres installs one)"


def programs() -> Path | None:
    """Return the folder with the server's programs."""
    known = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    if pg_config := shutil.which("pg_config"):
        told = subprocess.run([pg_config, "--bindir"], capture_output=True, text=True, check=False).stdout.strip()
        known.insert(0, Path(told))
    if initdb := shutil.which("initdb"):
        known.append(Path(initdb).resolve().parent)
    return next((folder for folder in known if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


def unprivileged() -> dict[str, Any]:
    """Return how to start a process as somebody who is not root; nothing if we are nobody special."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    who = known.get("postgres") or known["nobody"]
    return {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}


def swift() -> str:
    """Return where to make folders that are gone afterwards: in memory where there is plenty, since disks are slow.

    A killed process loses nothing that it wrote, on a disk or not; so only a power cut would see the difference.
    """
    memory = Path("/dev/shm")  # noqa: S108 - only for folders of a name that nobody can guess
    usable = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > PLENTY
    return str(memory) if usable else tempfile.gettempdir()


class Server:
    """One server, started and stopped by the tests."""

    def __init__(self, binaries: Path, place: str | None = None) -> None:
        self.binaries, self.who = binaries, unprivileged()
        self.folder = Path(tempfile.mkdtemp(prefix="discreet-postgres-", dir=place or swift()))
        if self.who:
            os.chown(self.folder, self.who["user"], self.who["group"])
        settings = ["-U", "discreet", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        self._run("initdb", "-D", str(self.folder / "data"), *settings)
        self.start()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"postgresql://discreet@/postgres?host={self.folder}"

    def fresh(self) -> str:
        """Return the URL of a place with nothing in it."""
        name = f"s{secrets.token_hex(8)}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        return f"{self.url}&options=-csearch_path%3D{name}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        watch = shutil.which("setpriv")  # so that it ends with us, however we end
        prefix = [watch, "--pdeathsig", "INT"] if watch else []
        command = [*prefix, str(self.binaries / "postgres"), "-D", str(self.folder / "data"), "-k", str(self.folder)]
        with (self.folder / "log").open("ab") as log:
            settings = ["-c", "listen_addresses="]
            self._process = subprocess.Popen(
                [*command, *settings], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self.who
            )
        for _ in range(TRIES):
            try:
                psycopg.connect(self.url).close()
            except psycopg.OperationalError:
                if self._process.poll() is not None:
                    break
                time.sleep(0.1)
            else:
                return
        raise RuntimeError((self.folder / "log").read_text())

    def crash(self) -> None:
        """End it at once, as a power cut would: what is not on the disk is gone."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    def close(self) -> None:
        """Stop it, and remove its folder."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait()
        shutil.rmtree(self.folder)

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [str(self.binaries / program), *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            **self.who,
        )
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
