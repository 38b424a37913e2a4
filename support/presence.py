"""Who is at work on a study's file: each run holds a lock that its process cannot leave behind.

The operating system frees a lock when its process ends, however it ends. So a run that asks about another one never
mistakes a killed process for a living one, nor a new process with an old number for the old one.
"""

from __future__ import annotations

import os
import re
import uuid
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from support.errors import InvalidInput

BESIDE = "-wal", "-shm", "-journal"  # what SQLite keeps beside its file
PRIVATE = 0o600  # whoever may read a lock's file can hold the lock, and a dead run would look alive
PATIENCE = 10.0  # seconds: who looks around holds a new lock for an instant, before its run has it


def own(path: Path) -> None:
    """Refuse a place that another account of this machine made, or made the link to: they could read what is kept there.

    So it is where the folder is theirs, who may put another file in its place, or one of the files that SQLite keeps
    beside it, which it would believe. Whoever is root takes any, as in a container, and root's are anybody's.
    """
    me = getattr(os, "geteuid", int)()
    there = path.resolve()
    owners = {path.lstat().st_uid, there.stat().st_uid, there.parent.stat().st_uid}
    for ending in BESIDE:
        with suppress(FileNotFoundError):
            owners.add(Path(f"{there}{ending}").lstat().st_uid)
    if me and not owners <= {me, 0}:
        raise InvalidInput(
            f"{path}, its folder or a file beside it belongs to another account of this machine; choose a place of "
            "your own"
        )


class Presence:
    """One run's presence at a file, as a context manager; `run` is a name that no other run has."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path).resolve()
        self.run = uuid.uuid4().hex[:12]
        self._lock = FileLock(self._file(self.run), timeout=PATIENCE, mode=PRIVATE)

    def __enter__(self) -> Presence:
        self._lock.acquire()
        return self

    def __exit__(self, *exception: object) -> None:
        self._lock.release()
        self._file(self.run).unlink(missing_ok=True)

    def alive(self, run: str) -> bool:
        """Whether another run is still at work; what a dead one left is removed."""
        file = self._file(run)
        if run == self.run or not file.exists():
            return run == self.run
        try:
            with FileLock(file, timeout=0, mode=PRIVATE):
                file.unlink(
                    missing_ok=True
                )  # under the lock: a run that was just about to take it makes a new file
        except Timeout:
            return True
        return False

    def elsewhere(self, run: str) -> bool:
        """Whether a run is another one, and at work."""
        return run != self.run and self.alive(run)

    def others(self) -> list[str]:
        """The runs that are at work on this file beside this one."""
        name = re.compile(re.escape(self._path.name) + r"\.run-([0-9a-f]{12})\.lock")
        runs = [
            found[1]
            for entry in os.listdir(self._path.parent)
            if (found := name.fullmatch(entry))
        ]
        return sorted(filter(self.elsewhere, runs))

    def _file(self, run: str) -> Path:
        return self._path.with_name(f"{self._path.name}.run-{run}.lock")
