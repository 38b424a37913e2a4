"""Which study files this process has open.

POSIX drops all of a process's locks on a file as soon as it closes any descriptor of it, SQLite's among them (see "How
to corrupt an SQLite database", 2.2). Another process that closes the file then takes itself for the last one, deletes
the log, and what is written here afterwards is lost. So a file that is open here is never opened past SQLite.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections import Counter
from collections.abc import Callable
from pathlib import Path

opening = threading.Lock()  # held from the look at a file to the end of its opening
_open: Counter[tuple[int, int]] = Counter()
_counting = threading.Lock()


class Connection(sqlite3.Connection):
    """A connection that is counted while it is open."""

    ended: Callable[[], object] = staticmethod(lambda: None)

    def close(self) -> None:
        """Close it."""
        super().close()
        self.ended()


def connect(path: Path, timeout: float) -> sqlite3.Connection:
    """A counted connection, which may be used from any thread, one at a time."""
    made: Connection = sqlite3.connect(path, timeout=timeout, check_same_thread=False, factory=Connection)
    made.execute("SELECT count(*) FROM sqlite_master").fetchone()  # SQLite opens a file at the first use, not before
    key = _key(path)
    with _counting:
        _open[key] += 1
    made.ended = weakref.finalize(made, _drop, key)  # also where nobody closes it
    return made


def is_open(path: Path) -> bool:
    """Whether this process has the file open through `connect`."""
    return _open[_key(path)] > 0


def _drop(key: tuple[int, int]) -> None:
    with _counting:
        _open[key] -= 1


def _key(path: Path) -> tuple[int, int]:
    about = os.stat(path)
    return about.st_dev, about.st_ino
