"""Which unit is at work in which run, so that several processes share one sweep and none does another's unit."""

from __future__ import annotations

from pathlib import Path

from support.database import guarded, open_database, transaction
from support.presence import Presence
from support.store import Unit

SCHEMA = """
CREATE TABLE IF NOT EXISTS claims (
    sweep TEXT NOT NULL, settings TEXT NOT NULL, repetition INTEGER NOT NULL, run TEXT NOT NULL,
    PRIMARY KEY (sweep, settings, repetition)
);
"""
WHERE = "WHERE sweep = ? AND settings = ? AND repetition = ?"


class Claims:
    """The claims of one run in a study's file.

    Parameters
    ----------
    path : path
        The study's file.
    presence : Presence
        The run's; a claim of a run that is no longer alive is free.
    """

    def __init__(self, path: str | Path, presence: Presence) -> None:
        self._path, self._presence = Path(path), presence
        self._db = open_database(self._path)
        self._db.execute("PRAGMA synchronous = NORMAL")  # a claim that the power takes away is nobody's any more
        with guarded(self._path):
            self._db.executescript(SCHEMA)

    def take(self, unit: Unit) -> bool:
        """Claim a unit; False where another run is at it."""
        key = (unit.sweep, unit.settings, unit.repetition)
        with transaction(self._db, self._path):
            row = self._db.execute(f"SELECT run FROM claims {WHERE}", key).fetchone()
            if row is not None and row[0] != self._presence.run and self._presence.alive(row[0]):
                return False
            self._db.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?)", (*key, self._presence.run))
        return True

    def free(self, unit: Unit) -> None:
        """Give a unit back."""
        with transaction(self._db, self._path):
            self._db.execute(f"DELETE FROM claims {WHERE}", (unit.sweep, unit.settings, unit.repetition))

    def close(self) -> None:
        """Give back whatever this run still holds, and close the file."""
        with transaction(self._db, self._path):
            self._db.execute("DELETE FROM claims WHERE run = ?", (self._presence.run,))
        self._db.close()
