"""How the units of a sweep are done: claimed, watched, paid, stored, and ended without losing what is finished."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from support.calls import collected, metered
from support.claims import Claims
from support.errors import BudgetExceeded, CacheMiss, DamagedFile, DiskFull, FileInUse, MissingData, ModelUnavailable
from support.money import Budget, Meter
from support.money.budget import dollars
from support.money.prices import Prices
from support.presence import Presence
from support.progress import Progress, Watcher
from support.store import Store, Unit

if TYPE_CHECKING:
    from support.sweep import Sweep

# No fault of the unit: it is left to the next run.
STOPS = (ModelUnavailable, CacheMiss, MissingData, DamagedFile, DiskFull, FileInUse)
LOOK = 0.3  # seconds between looks at units that another process has


@dataclass
class Run:
    """One run of a sweep: what every worker shares."""

    sweep: Sweep
    store: Store
    context: Mapping[str, Any]
    claims: Claims
    progress: Progress
    retry_failed: bool
    waiting: deque[Unit]
    passed: BudgetExceeded | None = None

    @property
    def count(self) -> Counter[str]:
        """Of what happened to units."""
        return self.progress.count

    async def work(self) -> None:
        """Do units until there are none, or until the budget is used up."""
        while self.passed is None and (unit := await self._next()) is not None:
            try:
                await self._do(unit)
            except BudgetExceeded as error:  # what other workers have in flight is paid, and may be finished
                self.passed = error
            finally:
                self.claims.free(unit)
            self.progress.changed(now=not self.waiting)

    async def _next(self) -> Unit | None:
        """A unit that nobody has, once it is claimed; waits while all that are left are at work in other processes."""
        refused = 0
        while self.waiting:
            unit = self.waiting.popleft()
            if not self.claims.take(unit):
                self.waiting.append(unit)
                refused += 1
                if refused >= len(self.waiting):
                    await asyncio.sleep(LOOK)
                    refused = 0
            elif self._ended_elsewhere(unit):
                self.claims.free(unit)
                self.count["elsewhere"] += 1
            else:
                return unit
        return None

    def _ended_elsewhere(self, unit: Unit) -> bool:
        status = self.store.status(unit)
        return status == "done" or (status == "failed" and not self.retry_failed)

    async def _do(self, unit: Unit) -> None:
        started, arguments = time.perf_counter(), self.sweep.arguments(unit, self.context)
        with collected() as calls:
            try:
                record = await self.sweep.study(**arguments)
            except (*STOPS, BudgetExceeded):
                raise
            except Exception as error:  # recorded with its unit, shown by the progress, retried on request
                self.store.fail(unit, error, time.perf_counter() - started, calls)
                self.count["failed"] += 1
                return
        self.count.update(done=1, **self.store.add(unit, record, time.perf_counter() - started, calls))


async def run(
    sweep: Sweep,
    store: Store,
    context: Mapping[str, Any],
    *,
    concurrency: int,
    progress: bool | Watcher,
    retry_failed: bool,
    budget_usd: float | None,
    prices: Prices | None = None,
) -> Counter[str]:
    """Do what the store lacks of a sweep; the arguments are those of `Sweep.run`, which says what is raised."""
    units = list(sweep.units())
    with _opened(sweep, store, context, budget_usd, prices) as (claims, meter):
        store.register(sweep.name, sweep.identity(context))
        finished = store.finished(sweep.name, include_failed=not retry_failed)
        waiting = deque(unit for unit in units if unit not in finished)
        with Progress(sweep.name, len(units), len(units) - len(waiting), meter, progress) as shown, metered(meter):
            at_work = Run(sweep, store, context, claims, shown, retry_failed, waiting)
            await _all([at_work.work() for _ in range(max(1, min(concurrency, len(waiting))))], meter)
            shown.close(at_work.passed)
        _say_failures(sweep, store, units)
        if at_work.passed is not None:
            raise _partial(at_work, len(units), meter)
    return at_work.count


@contextmanager
def _opened(
    sweep: Sweep, store: Store, context: Mapping[str, Any], budget_usd: float | None, prices: Prices | None
) -> Iterator[tuple[Claims, Meter]]:
    """The run's presence, its claims, and its meter, with a budget where one is set."""
    with ExitStack() as stack:
        presence = stack.enter_context(Presence(store.path))
        presence.others()  # removes what killed runs left beside the file
        claims = stack.enter_context(closing(Claims(store.path, presence)))
        budget = None
        if budget_usd is not None:
            budget = stack.enter_context(closing(Budget(budget_usd, store.path, sweep.name, presence, prices)))
            for value in context.values():
                if hasattr(value, "endpoint") and hasattr(value, "model"):
                    budget.prices.needed(value.model, value.endpoint)
        yield claims, Meter(budget, prices)


async def _all(workers: Iterable[Any], meter: Meter) -> None:
    """All workers to their end, or the first error that stops them; then the calls that are still on their way.

    A unit may end without them, as when one of a group that is asked together fails: they are paid, and kept.
    """
    try:
        async with asyncio.TaskGroup() as group:
            for worker in workers:
                group.create_task(worker)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    finally:
        while meter.in_flight:
            await asyncio.sleep(LOOK / 10)


def _say_failures(sweep: Sweep, store: Store, units: Sequence[Unit]) -> None:
    """Failed units of this very grid, in this run or before: nobody should take an empty result for an answer."""
    stored = store.failures(sweep.name)
    if failed := [stored[unit] for unit in units if unit in stored]:
        print(f"{sweep.name}: {len(failed)} of {len(units)} units have failed. The first said: {failed[0]}")
        print("Mend what it says, then run again with retry_failed=True.")


def _partial(at_work: Run, total: int, meter: Meter) -> BudgetExceeded:
    """What the end of the money means for the run."""
    done = at_work.count["done"] + at_work.count["skipped"] + at_work.count["elsewhere"]
    spent = dollars(meter.budget.spent if meter.budget else meter.usd)
    return BudgetExceeded(
        f"{at_work.passed} The run is partial: {done} of {total} units are finished and kept, the rest waits; in all "
        f"{spent} is spent. To go on, run again with a larger budget_usd= (it counts what is spent already); replies "
        "that were kept cost nothing again."
    )
