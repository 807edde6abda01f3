"""What the file of a ledger must be: on a disk of this machine, in the folder where it was made, under one name.

SQLite keeps the latest charges in a log beside the file, and finds the log by the file's name. Whoever comes by another
name has another log and does not see those charges, and yet it is the same file. So a second name is refused.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from discreet.errors import LedgerError

NETWORK = """nfs nfs4 cifs smb3 smbfs afs ncpfs ceph lustre gpfs beegfs glusterfs
fuse.ceph fuse.glusterfs fuse.s3fs fuse.sshfs"""
"""Disks of other machines, by the names Linux gives them."""
MOUNTS = Path("/proc/self/mounts")
"""What is mounted where, on Linux; elsewhere nobody can say."""


def local(path: Path) -> None:
    """Refuse a disk of another machine, and a file that was mounted without its folder.

    The log needs memory that all its users share, and the log of a file that was mounted alone is not theirs.

    >>> local(Path("budget.db"))
    """
    if not MOUNTS.exists():
        return
    rows = (line.split(" ") for line in MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines())
    mounted = {Path(row[1].replace("\\040", " ")): row[2] for row in rows if len(row) > 2}
    home = path.resolve()
    if home in mounted:
        wanted = "wanted the folder of the ledger mounted, got the file alone"
        raise LedgerError(f"{path}: {wanted}; its log would stay behind, so mount the folder")
    kind = next((mounted[place] for place in home.parents if place in mounted), "unknown")
    if kind in NETWORK.split():
        raise LedgerError(f"{path}: wanted a file on a local disk, got one on {kind}; use PostgreSQL by its URL")


def draft(path: Path) -> Path:
    """Return a name under which to make a ledger, before it gets its own: at every instant it is absent or complete.

    >>> draft(Path("budget.db")).match(".budget.db.*.new")
    True
    """
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")


def one_name(path: Path, outcome: str) -> None:
    """Refuse a file that has a second name (a hard link); a missing one has none.

    The second name may be the draft of a maker that is about to take it away, or was killed before it could. Nobody
    needs it any more, so it is taken away here, and whoever opens a new ledger need not wait for its maker.

    >>> one_name(Path("no-such-budget.db"), "nothing was charged")
    """
    if _names(path) > 1:
        _drop_drafts(path.resolve())
    count = _names(path)
    if count > 1:
        wanted = f"wanted a file with one name, got one with {count} (hard links), each of which has a log of its own"
        raise LedgerError(f"{path}: {wanted}; remove the others, and copy instead of linking; {outcome}")


def inode(path: Path) -> tuple[int, int] | None:
    """Return which file a name leads to.

    >>> inode(Path("no-such-budget.db"))
    """
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def sync(folder: Path) -> None:
    """Make a new name in a folder durable.

    >>> sync(Path())
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _names(path: Path) -> int:
    """Return how many names a file has; a folder has many of its own, and is refused elsewhere."""
    try:
        found = path.stat()
    except OSError:
        return 0
    return found.st_nlink if S_ISREG(found.st_mode) else 1


def _drop_drafts(home: Path) -> None:
    """Take away the drafts that are this very file; the drafts of others, who are still at work, stay."""
    with suppress(OSError):
        for other in home.parent.iterdir():
            ours = other.name.startswith(f".{home.name}.") and other.name.endswith(".new")
            if ours and inode(other) == inode(home):
                other.unlink(missing_ok=True)
