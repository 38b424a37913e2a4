"""How the units of a sweep are done: claimed, tried, stored, and ended without losing what is finished."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from support import errors
from support.database import guarded, open_database, transaction
from support.errors import BudgetExceeded
from support.models.calls import Call, Meter, collected
from support.presence import Presence
from support.runs.progress import Progress
from support.runs.study import KEY, WHERE, Packed, Store, Unit, packed

if TYPE_CHECKING:
    from support.runs.sweep import Sweep

# No fault of the unit: it is left to the next run.
STOPS = (errors.ModelUnavailable, errors.CacheMiss, errors.MissingData, errors.DamagedFile, errors.DiskFull,
         errors.FileInUse, errors.UnknownParticipant, BudgetExceeded)  # fmt: skip
LOOK = 0.3  # seconds between looks at units that another process has
A_CHUNK, AT_MOST = 0.3, 64  # seconds, and units, that a worker is given at a time
CLAIMS = f"CREATE TABLE IF NOT EXISTS claims ({KEY}, run TEXT NOT NULL, PRIMARY KEY (sweep, settings, repetition))"


class Claims:
    """Which unit is at work in which run, so that several processes share one sweep; those of a dead run are free."""

    def __init__(self, path: str | Path, presence: Presence) -> None:
        self._path, self._presence, self._db = path, presence, open_database(path)
        self._db.execute(
            "PRAGMA synchronous = NORMAL"
        )  # a claim that the power takes away is nobody's any more
        with guarded(path):
            self._db.execute(CLAIMS)

    def take(self, unit: Unit) -> bool:
        """Claim a unit; False where another run is at it."""
        key = (unit.sweep, unit.text, unit.repetition)
        with transaction(self._db, self._path):
            row = self._db.execute(f"SELECT run FROM claims {WHERE}", key).fetchone()
            if (
                row is not None
                and row[0] != self._presence.run
                and self._presence.alive(row[0])
            ):
                return False
            self._db.execute(
                "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?)",
                (*key, self._presence.run),
            )
        return True

    def free(self, *units: Unit) -> None:
        """Give units back."""
        keys = [(unit.sweep, unit.text, unit.repetition) for unit in units]
        with transaction(self._db, self._path):
            self._db.executemany(f"DELETE FROM claims {WHERE}", keys)

    def close(self) -> None:
        """Give back whatever this run still holds, and close the file."""
        with transaction(self._db, self._path):
            self._db.execute("DELETE FROM claims WHERE run = ?", (self._presence.run,))
        self._db.close()


class Outcome(NamedTuple):
    """What became of a unit: its record as it is stored, or what its error said; seconds; calls."""

    record: Packed | str
    seconds: float
    calls: list[Call]


async def tried(sweep: Sweep, unit: Unit, context: Mapping[str, Any]) -> Outcome:
    """What a unit comes to; what is no fault of it is raised."""
    started, arguments = time.perf_counter(), sweep.arguments(unit, context)
    with collected() as calls:
        try:
            record = await sweep.study(**arguments)
        except STOPS:
            raise
        except (
            Exception
        ) as error:  # recorded with its unit, shown by the progress, retried on request
            return Outcome(
                f"{type(error).__name__}: {error}", time.perf_counter() - started, calls
            )
    return Outcome(packed(record), time.perf_counter() - started, calls)


@dataclass
class Run:
    """One run of a sweep: what every worker shares."""

    sweep: Sweep
    store: Store
    context: Mapping[str, Any]
    claims: Claims
    progress: Progress
    retry_failed: bool
    passed: BudgetExceeded | None = None
    took: float = A_CHUNK  # seconds that a unit takes elsewhere, from those so far

    async def here(self, waiting: deque[Unit]) -> None:
        """Do units in this process until there are none, or until the budget is used up."""
        while self.passed is None and (units := await self._next(waiting, 1)):
            try:
                self._keep(units[0], await tried(self.sweep, units[0], self.context))
            except BudgetExceeded as error:  # what other workers have in flight is paid, and may be finished
                self.passed = error
            finally:
                self.claims.free(*units)
            self.progress.changed(now=not waiting)

    async def away(self, waiting: deque[Unit], ask: Any, at_once: int) -> None:
        """Have units done by processes elsewhere, some at a time, and keep what comes back."""
        while self.passed is None and waiting:
            most = min(AT_MOST, A_CHUNK / self.took, len(waiting) / at_once)
            units = await self._next(waiting, max(1, int(most)))
            try:
                outcomes, error = await ask(units) if units else ([], None)
                for unit, outcome in zip(units, outcomes, strict=False):
                    self.took = 0.9 * self.took + 0.1 * outcome.seconds
                    self._keep(unit, outcome)
                if error is not None:
                    raise error
            finally:
                self.claims.free(*units)
            self.progress.changed(now=not waiting)

    def _keep(self, unit: Unit, outcome: Outcome) -> None:
        if isinstance(outcome.record, str):
            self.store.fail(unit, outcome.record, outcome.seconds, outcome.calls)
            self.progress.count["failed"] += 1
        else:
            self.progress.count.update(done=1, **self.store.add(unit, *outcome))

    async def _next(self, waiting: deque[Unit], most: int) -> list[Unit]:
        """Units that nobody has, once claimed; waits while all that are left are at work in other processes."""
        units: list[Unit] = []
        while waiting and not units:
            for _ in range(len(waiting)):
                unit = waiting.popleft()
                if not self.claims.take(unit):
                    waiting.append(unit)
                elif (status := self.store.status(unit)) == "done" or (
                    status == "failed" and not self.retry_failed
                ):
                    self.claims.free(unit)
                    self.progress.count["elsewhere"] += 1
                else:
                    units.append(unit)
                if len(units) == most:
                    return units
            if waiting and not units:
                await asyncio.sleep(LOOK)
        return units


async def finished(work: Iterable[Any], meter: Meter) -> None:
    """All workers to their end, or the first error that stops them; then the calls that are still on their way.

    A unit may end without them, as when one of a group that is asked together fails: they are paid, and kept.
    """
    try:
        async with asyncio.TaskGroup() as tasks:
            for worker in work:
                tasks.create_task(worker)
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    finally:
        while meter.in_flight:
            await asyncio.sleep(LOOK / 10)
