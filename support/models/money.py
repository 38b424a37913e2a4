"""A budget that is never passed: the worst case of a call is set aside before it is sent,
and settled afterwards.

The account lies in a file (a sweep's in its study's, the purse of all studies in one of
its own), so that it outlives a killed process, and several processes share it.
"""

from __future__ import annotations

import asyncio
import atexit
import math
import os
import threading
from functools import lru_cache
from pathlib import Path

from support.data import output
from support.database import guarded, open_database, transaction
from support.errors import BudgetExceeded
from support.models.request import number
from support.presence import Presence

SCHEMA = """
CREATE TABLE IF NOT EXISTS accounts (
    name TEXT PRIMARY KEY, spent INTEGER NOT NULL, uncertain INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS reservations (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, run TEXT NOT NULL, amount INTEGER NOT NULL
);
"""
LOOK = """
SELECT spent, uncertain, (SELECT COALESCE(SUM(amount), 0) FROM reservations
WHERE name = accounts.name) FROM accounts WHERE name = ?
"""
ADD = "UPDATE accounts SET spent = spent + ?, uncertain = uncertain + ? WHERE name = ?"
SET_ASIDE = "INSERT INTO reservations (name, run, amount) VALUES (?, ?, ?) RETURNING id"
FREE = "DELETE FROM reservations WHERE id = ? RETURNING amount"
OTHERS = "SELECT id, run FROM reservations WHERE name = ? AND run != ?"
UNIT = 1_000_000_000  # whole billionths of a dollar, rounded up: sums of floats drift
MOST = 1_000_000  # US dollars of a budget
POLL = 0.05  # seconds between looks while what is set aside may still come free
_purse: Budget | None = None


class Budget:
    """An account under a name in a file, with a limit for all calls of all runs."""

    def __init__(
        self,
        limit_usd: float,
        path: str | Path,
        name: str,
        presence: Presence,
        purse: bool = False,
    ) -> None:
        number("budget_usd", limit_usd, 0, MOST)
        self.limit_usd = float(limit_usd)
        self.name = name
        self.path = Path(path)
        self._limit = math.floor(round(limit_usd * UNIT, 3))
        self._presence = presence
        self._of_all = purse
        self._lock = threading.Lock()  # a study's threads share the connection
        self._db = open_database(self.path)
        # Without a sync of its own: the next reply or unit that is kept syncs these as
        # well, and a kill loses nothing.
        with guarded(self.path):
            self._db.executescript(f"PRAGMA synchronous = NORMAL; {SCHEMA}")
        with transaction(self._db, self.path):
            self._db.execute("INSERT OR IGNORE INTO accounts VALUES (?, 0, 0)", (name,))
        self._write_off()

    @property
    def spent(self) -> float:
        """US dollars spent so far, with what may have been charged without an answer."""
        return sum(self._account()[:2]) / UNIT

    async def reserve(self, worst_usd: float, what: str) -> int:
        """Set a call's worst case aside, once it is free; the number to settle it by."""
        amount = _units(worst_usd)
        while amount:  # what costs nothing needs no account
            with self._lock, transaction(self._db, self.path):
                spent, uncertain, reserved = self._account()
                left = self._limit - spent - uncertain
                if amount <= left - reserved:
                    row = self.name, self._presence.run, amount
                    return int(self._db.execute(SET_ASIDE, row).fetchone()[0])
            if amount > left:
                raise self._exceeded(amount, what)
            await asyncio.sleep(POLL)
            self._write_off()
        return 0

    def settle(self, held: int, usd: float | None) -> None:
        """Replace what was set aside by what the call cost; None, where nobody knows."""
        if not held:
            return
        with self._lock, transaction(self._db, self.path):
            for (worst,) in self._db.execute(FREE, (held,)).fetchall():
                known = (0, worst) if usd is None else (_units(usd), 0)
                self._db.execute(ADD, (*known, self.name))

    def close(self) -> None:
        """Close the account's file."""
        self._db.close()

    def _exceeded(self, amount: int, what: str) -> BudgetExceeded:
        whose = repr(self.name)
        if self._of_all:
            whose = f"all studies of {whose} together (BUDGET)"
        uncertain = self._account()[1] / UNIT
        unknown = f", of it {dollars(uncertain)} for calls whose fate is unknown"
        error = BudgetExceeded(
            f"the budget of {dollars(self.limit_usd)} for {whose} does not hold the next "
            f"call, which could cost up to {dollars(amount / UNIT)} ({what}); "
            f"{dollars(self.spent)} was spent by then{unknown if uncertain else ''}. "
            "It was not sent."
        )
        error.purse = self._of_all
        return error

    def _write_off(self) -> None:
        """What runs set aside that are no longer alive may have been charged."""
        others = self._db.execute(OTHERS, (self.name, self._presence.run)).fetchall()
        for held, run in others:
            if not self._presence.alive(run):
                self.settle(held, None)

    def _account(self) -> tuple[int, int, int]:
        """Spent; for calls broken off, of which nobody knows, at their worst; set aside."""
        return self._db.execute(LOOK, (self.name,)).fetchone()


def _units(usd: float) -> int:
    return math.ceil(round(usd * UNIT, 3))


def open_purse(limit_usd: float | None) -> Budget | None:
    """Open the account for all calls of this process; no limit, no purse.

    CONVENE_PURSE names it, else it is "notebooks".
    """
    global _purse
    name = os.environ.get("CONVENE_PURSE") or "notebooks"
    file = output("data", "runs", "purse.sqlite").resolve()
    _purse = None if limit_usd is None else _opened(limit_usd, name, file)
    return _purse


@lru_cache(typed=True)
def _opened(limit_usd: float, name: str, file: Path) -> Budget:
    """A purse, with this process at it to its end: calls in flight may still settle."""
    file.parent.mkdir(parents=True, exist_ok=True)
    presence = Presence(file).__enter__()
    atexit.register(presence.__exit__)
    return Budget(limit_usd, file, name, presence, purse=True)


def purse() -> Budget | None:
    """The budget over all studies of this process, None where none was opened."""
    return _purse


def dollars(amount: float) -> str:
    """An amount as people read it: cents, else three digits that say something.

    >>> dollars(12.5), dollars(0.00042), dollars(0)
    ('$12.50', '$0.00042', '$0.00')
    """
    if amount >= 0.1 or amount == 0:
        return f"${amount:.2f}"
    return f"${float(f'{amount:.3g}'):.12f}".rstrip("0")
