"""A budget that is never passed: the worst case of a call is set aside before it is sent, and settled afterwards.

The account lies in a file (a sweep's in its study's, the purse of all studies in one of its own), so that it outlives
a killed process, and several processes share it.
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
from support.errors import BudgetExceeded, InvalidInput
from support.presence import Presence

SCHEMA = """
CREATE TABLE IF NOT EXISTS accounts (name TEXT PRIMARY KEY, spent INTEGER NOT NULL, uncertain INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS reservations (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, run TEXT NOT NULL, amount INTEGER NOT NULL
);
"""
UNIT = 1_000_000_000  # amounts are kept in whole billionths of a dollar, rounded up: sums of floats drift
POLL = 0.05  # seconds between looks while what is set aside by other calls may still come free
_purse: Budget | None = None


class Budget:
    """An account under a name in a file, with a limit for all calls of all runs; BudgetExceeded says `whose` it is."""

    def __init__(
        self,
        limit_usd: float,
        path: str | Path,
        name: str,
        presence: Presence,
        whose: str = "",
    ) -> None:
        if (
            isinstance(limit_usd, bool)
            or not isinstance(limit_usd, (int, float))
            or not 0 <= limit_usd < math.inf
        ):
            raise InvalidInput(
                f"budget_usd={limit_usd!r}: expected US dollars, 0 or more, such as 2.50."
            )
        self.limit_usd, self.name, self.path = float(limit_usd), name, Path(path)
        self._presence, self._whose, self._limit = (
            presence,
            whose or repr(name),
            math.floor(round(limit_usd * UNIT, 3)),
        )
        self._lock = threading.Lock()  # a study's threads share the connection
        self._db = open_database(self.path)
        # Without a sync of its own: the next reply or unit that is kept syncs these as well, and a kill loses nothing.
        self._db.execute("PRAGMA synchronous = NORMAL")
        with guarded(self.path):
            self._db.executescript(SCHEMA)
        with transaction(self._db, self.path):
            self._db.execute("INSERT OR IGNORE INTO accounts VALUES (?, 0, 0)", (name,))
        self._write_off()

    @property
    def spent(self) -> float:
        """US dollars spent so far under this name, with what may have been charged without an answer."""
        return sum(self._account()[:2]) / UNIT

    @property
    def uncertain(self) -> float:
        """The part of `spent` that nobody can know: calls that broke off or were killed, at their worst case."""
        return self._account()[1] / UNIT

    @property
    def reserved(self) -> float:
        """US dollars set aside for calls in flight, in all processes."""
        return self._account()[2] / UNIT

    async def reserve(self, worst_usd: float, what: str) -> int:
        """Set the worst case of a call aside, waiting for what may come free; return the number to settle it by."""
        amount = math.ceil(round(worst_usd * UNIT, 3))
        while amount:
            with self._lock, transaction(self._db, self.path):
                spent, uncertain, reserved = self._account()
                if amount <= self._limit - spent - uncertain - reserved:
                    made = (
                        "INSERT INTO reservations (name, run, amount) VALUES (?, ?, ?)"
                    )
                    return (
                        self._db.execute(
                            made, (self.name, self._presence.run, amount)
                        ).lastrowid
                        or 0
                    )
            if amount > self._limit - spent - uncertain:
                unknown = (
                    f", of it {dollars(uncertain / UNIT)} for calls whose fate is unknown"
                    if uncertain
                    else ""
                )
                needed, gone = (
                    dollars(amount / UNIT),
                    dollars((spent + uncertain) / UNIT),
                )
                said = f"the budget of {dollars(self.limit_usd)} for {self._whose} does not hold the next call, which"
                said += f" could cost up to {needed} ({what}); {gone} was spent by then{unknown}. It was not sent."
                error = BudgetExceeded(said)
                error.purse = "(BUDGET)" in self._whose
                raise error
            await asyncio.sleep(POLL)
            self._write_off()
        return 0  # what costs nothing needs no account

    def settle(self, number: int, usd: float | None) -> None:
        """Replace what was set aside by what a call cost; None when nobody knows, which counts as its worst."""
        if not number:
            return
        with self._lock, transaction(self._db, self.path):
            row = self._db.execute(
                "DELETE FROM reservations WHERE id = ? RETURNING amount", (number,)
            ).fetchone()
            if row is not None:
                self._add(
                    *(
                        (0, row[0])
                        if usd is None
                        else (math.ceil(round(usd * UNIT, 3)), 0)
                    )
                )

    def close(self) -> None:
        """Close the account's file."""
        self._db.close()

    def _write_off(self) -> None:
        """What runs set aside that are no longer alive may have been charged: it counts as spent."""
        others = "SELECT DISTINCT run FROM reservations WHERE name = ? AND run != ?"
        for (run,) in self._db.execute(
            others, (self.name, self._presence.run)
        ).fetchall():
            if not self._presence.alive(run):
                with self._lock, transaction(self._db, self.path):
                    gone = "DELETE FROM reservations WHERE name = ? AND run = ? RETURNING amount"
                    self._add(
                        0,
                        sum(
                            amount
                            for (amount,) in self._db.execute(
                                gone, (self.name, run)
                            ).fetchall()
                        ),
                    )

    def _add(self, spent: int, uncertain: int) -> None:
        query = "UPDATE accounts SET spent = spent + ?, uncertain = uncertain + ? WHERE name = ?"
        self._db.execute(query, (spent, uncertain, self.name))

    def _account(self) -> tuple[int, int, int]:
        reserved = "(SELECT COALESCE(SUM(amount), 0) FROM reservations WHERE name = accounts.name)"
        look = f"SELECT spent, uncertain, {reserved} FROM accounts WHERE name = ?"
        return self._db.execute(look, (self.name,)).fetchone()


def open_purse(limit_usd: float | None) -> Budget | None:
    """Open the account that CONVENE_PURSE names, or "notebooks", for all calls of this process; no limit, no purse."""
    global _purse
    file = output("data", "runs", "purse.sqlite").resolve()
    account = os.environ.get("CONVENE_PURSE") or "notebooks"
    if limit_usd is None:
        _purse = None
    elif _purse is None or (_purse.limit_usd, _purse.name, _purse.path) != (
        limit_usd,
        account,
        file,
    ):
        _purse = Budget(
            limit_usd,
            file,
            account,
            _present(file),
            f"all studies of {account!r} together (BUDGET)",
        )
    return _purse


def purse() -> Budget | None:
    """The budget over all studies of this process, None where none was opened."""
    return _purse


@lru_cache
def _present(path: Path) -> Presence:
    """This process at a purse, until it ends: calls in flight may still settle after the limit was changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    presence = Presence(path).__enter__()
    atexit.register(presence.__exit__)
    return presence


def dollars(amount: float) -> str:
    """An amount as people read it: cents where there are some, else three digits that say something.

    >>> dollars(12.5), dollars(0.00042), dollars(0)
    ('$12.50', '$0.00042', '$0.00')
    """
    return (
        f"${amount:.2f}"
        if amount >= 0.1 or amount == 0
        else f"${float(f'{amount:.3g}'):.12f}".rstrip("0")
    )
