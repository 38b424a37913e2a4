"""A budget that is never passed: the worst case of a call is set aside before it is sent, and settled afterwards.

The account lies in the study's file, so that it outlives a killed process, and several processes share it.
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.database import guarded, open_database, transaction
from support.errors import BudgetExceeded, InvalidInput
from support.money.prices import Prices
from support.presence import Presence

SCHEMA = """
CREATE TABLE IF NOT EXISTS accounts (name TEXT PRIMARY KEY, spent INTEGER NOT NULL, uncertain INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS reservations (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, run TEXT NOT NULL, amount INTEGER NOT NULL
);
"""
UNIT = 1_000_000_000  # amounts are kept in whole billionths of a dollar, rounded up: sums of floats drift
POLL = 0.05  # seconds between looks while what is set aside by other calls may still come free


class Budget:
    """An account with a limit, kept in the study's file under a name.

    Parameters
    ----------
    limit_usd : float
        For all calls under this name in this file, those of earlier runs included.
    path : path
        The study's file.
    name : str
        The account's; a sweep's budget has the sweep's name.
    presence : Presence
        The run's; amounts set aside by runs that ended without settling count as spent, since nobody can know.
    prices : Prices, optional
        By default those of `data/inputs/prices`.

    Raises
    ------
    InvalidInput
        When the limit is no amount of money.
    """

    def __init__(
        self, limit_usd: float, path: str | Path, name: str, presence: Presence, prices: Prices | None = None
    ) -> None:
        if isinstance(limit_usd, bool) or not isinstance(limit_usd, (int, float)) or not 0 <= limit_usd < math.inf:
            raise InvalidInput(f"budget_usd={limit_usd!r}: expected US dollars, 0 or more, such as 2.50.")
        self.limit_usd, self.name, self.prices = float(limit_usd), name, prices or Prices()
        self._path, self._presence = Path(path), presence
        self._limit = math.floor(round(limit_usd * UNIT, 3))
        self._lock = threading.Lock()  # a study's threads share the connection
        self._db = open_database(self._path)
        # Without a sync of its own: the next reply or unit that is kept syncs these as well, and a kill loses nothing.
        self._db.execute("PRAGMA synchronous = NORMAL")
        with guarded(self._path):
            self._db.executescript(SCHEMA)
        with self._change():
            self._db.execute("INSERT OR IGNORE INTO accounts VALUES (?, 0, 0)", (name,))
        self._write_off()

    @property
    def spent(self) -> float:
        """US dollars spent so far under this name, with what may have been charged without an answer."""
        return sum(self._account()) / UNIT

    @property
    def uncertain(self) -> float:
        """The part of `spent` that nobody can know: calls that broke off or were killed, at their worst case."""
        return self._account()[1] / UNIT

    @property
    def reserved(self) -> float:
        """US dollars set aside for calls in flight, in all processes."""
        return self._reserved() / UNIT

    async def reserve(self, worst_usd: float, what: str) -> int:
        """Set the worst case of a call aside; return the number to settle it by.

        While calls in flight hold what would be needed, this waits for them: most cost less than their worst case.

        Raises
        ------
        BudgetExceeded
            When the call could pass the limit even if all that is in flight were free.
        """
        amount = math.ceil(round(worst_usd * UNIT, 3))
        while True:
            number, free = self._try(amount)
            if number is not None:
                return number
            if amount > free:
                raise BudgetExceeded(self._words(amount, what))
            await asyncio.sleep(POLL)
            self._write_off()

    def settle(self, number: int, usd: float | None) -> None:
        """Replace what was set aside by what a call cost; None when nobody knows, which counts as its worst."""
        with self._change():
            row = self._db.execute("DELETE FROM reservations WHERE id = ? RETURNING amount", (number,)).fetchone()
            if row is not None:
                spent, uncertain = (0, row[0]) if usd is None else (math.ceil(round(usd * UNIT, 3)), 0)
                self._add(spent, uncertain)

    def close(self) -> None:
        """Close the account's file."""
        self._db.close()

    @contextmanager
    def _change(self) -> Iterator[None]:
        """One change to the account, whole or not at all, and one at a time."""
        with self._lock, transaction(self._db, self._path):
            yield

    def _try(self, amount: int) -> tuple[int | None, int]:
        """A reservation if there is room now; and what would be free if nothing were in flight."""
        with self._change():
            free = self._limit - sum(self._account())
            if amount > free - self._reserved():
                return None, free
            row = (self.name, self._presence.run, amount)
            made = self._db.execute("INSERT INTO reservations (name, run, amount) VALUES (?, ?, ?)", row)
            return made.lastrowid, free

    def _write_off(self) -> None:
        """What runs set aside that are no longer alive may have been charged: it counts as spent."""
        others = "SELECT DISTINCT run FROM reservations WHERE name = ? AND run != ?"
        for (run,) in self._db.execute(others, (self.name, self._presence.run)).fetchall():
            if self._presence.alive(run):
                continue
            with self._change():
                gone = "DELETE FROM reservations WHERE name = ? AND run = ? RETURNING amount"
                self._add(0, sum(amount for (amount,) in self._db.execute(gone, (self.name, run)).fetchall()))

    def _add(self, spent: int, uncertain: int) -> None:
        query = "UPDATE accounts SET spent = spent + ?, uncertain = uncertain + ? WHERE name = ?"
        self._db.execute(query, (spent, uncertain, self.name))

    def _account(self) -> tuple[int, int]:
        return self._db.execute("SELECT spent, uncertain FROM accounts WHERE name = ?", (self.name,)).fetchone()

    def _reserved(self) -> int:
        query = "SELECT COALESCE(SUM(amount), 0) FROM reservations WHERE name = ?"
        return int(self._db.execute(query, (self.name,)).fetchone()[0])

    def _words(self, amount: int, what: str) -> str:
        unknown = f", of it {dollars(self.uncertain)} for calls whose fate is unknown" if self.uncertain else ""
        return (
            f"the budget of {dollars(self.limit_usd)} for {self.name!r} does not hold the next call, which could cost "
            f"up to {dollars(amount / UNIT)} ({what}); {dollars(self.spent)} was spent by then{unknown}. It was not "
            "sent."
        )


def dollars(amount: float) -> str:
    """An amount as people read it: cents where there are some, else three digits that say something.

    >>> dollars(12.5), dollars(0.00042), dollars(0)
    ('$12.50', '$0.00042', '$0.00')
    """
    return f"${amount:.2f}" if amount >= 0.1 or amount == 0 else f"${float(f'{amount:.3g}'):.12f}".rstrip("0")
