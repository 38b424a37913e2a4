"""Units on other cores and machines: what computes goes out, and comes back as it is stored."""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import lru_cache, partial
from logging import CRITICAL
from typing import TYPE_CHECKING, Any, cast

from support.errors import ConveneError, InvalidInput
from support.runs.source import bare, own
from support.runs.study import Unit
from support.runs.work import Outcome, tried

if TYPE_CHECKING:
    from support.runs.sweep import Sweep

Answer = tuple[list[Outcome], Exception | None]  # what became of units, and what stopped the worker, if anything did
Ask = Callable[[Sequence[Unit]], Awaitable[Answer]]
HIDDEN: Any = {"dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}}
ALONE = 15.0  # seconds without any worker before a run gives up: a cluster restarts one that died in three


@asynccontextmanager
async def workers(on: Any, sweep: Sweep, context: Mapping[str, Any]) -> AsyncIterator[tuple[Ask, int]]:
    """A function that has units computed by a cluster, and how many times at once it may be called."""
    from distributed import Client, LocalCluster
    from distributed.utils import silence_logging_cmgr

    if not isinstance(on, str | Client):
        raise InvalidInput(f'on={on!r}: expected "local", the address of a dask scheduler, or a distributed.Client')
    sent, security = _sent(sweep, context), None if isinstance(on, str) else on.security
    where: Any = on if isinstance(on, str) else cast(Any, on.scheduler).address
    async with AsyncExitStack() as stack:
        stack.enter_context(silence_logging_cmgr(CRITICAL))
        try:
            if on == "local":
                _forked(sweep)
                env = {name: value for name, value in os.environ.items() if name.startswith("CONVENE_")}
                how = {"threads_per_worker": 1, "asynchronous": True, "silence_logs": CRITICAL, "env": env}
                where = LocalCluster(**how, **HIDDEN)
                await stack.enter_async_context(where)
            client: Any = Client(where, asynchronous=True, set_as_default=False, timeout=ALONE, security=security)
            await stack.enter_async_context(client)
            await client.wait_for_workers(1, timeout=ALONE)
            cores = sum((await client.nthreads()).values())
        except (OSError, ValueError, RuntimeError) as error:  # a time-out is an OSError
            raise ConveneError(
                f"on={on!r}: no scheduler with workers answers ({error}). Start them (dask scheduler, dask worker), or "
                'give on="local", in a script below if __name__ == "__main__", or nothing for this process'
            ) from None
        yield partial(_answer, client, sent), 2 * cores


def _forked(sweep: Sweep) -> None:
    """Have workers fork from one process that has loaded the study, and stays: each would need seconds to load it."""
    import dask
    from distributed.utils import get_mp_context

    if sys.platform == "linux":
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
        get_mp_context().set_forkserver_preload(["distributed", __name__, bare(sweep.study).__module__])


async def _answer(client: Any, sent: bytes, units: Sequence[Unit]) -> Answer:
    """What a worker found; the work of one that is killed is done by another."""
    from distributed import CancelledError, KilledWorker

    task = asyncio.ensure_future(client.submit(_computed, sent, units, pure=False).result())
    since = time.monotonic()
    try:
        while not (await asyncio.wait([task], timeout=1.0))[0]:
            since = time.monotonic() if await client.nthreads() else since
            if time.monotonic() - since > ALONE:
                raise TimeoutError
        return await task
    except (OSError, CancelledError, KilledWorker) as error:
        gone = {KilledWorker: "its workers died of a unit", TimeoutError: "it has no worker any more"}
        said = f"the cluster that was to compute units is lost ({gone.get(type(error), 'its scheduler is gone')}). "
        said += "What is finished is kept: run again, with a cluster that is up, or without on="
        raise ConveneError(said) from None
    finally:
        task.cancel()


def _sent(sweep: Sweep, context: Mapping[str, Any]) -> bytes:
    """A sweep and its context as they travel: the user's own module by value, as a notebook's functions do anyway."""
    import cloudpickle

    name = bare(sweep.study).__module__
    by_value = name in sys.modules and own(name) and name not in cloudpickle.list_registry_pickle_by_value()
    try:
        if by_value:
            cloudpickle.register_pickle_by_value(sys.modules[name])
        return cloudpickle.dumps((sweep, context))
    except Exception as error:
        said = f"on=: {bare(sweep.study).__name__} cannot travel to workers ({error}); open files and connections"
        raise InvalidInput(f"{said} inside of it, or run without on=") from None
    finally:
        if by_value:
            cloudpickle.unregister_pickle_by_value(sys.modules[name])


_received = lru_cache(maxsize=4)(pickle.loads)


def _computed(sent: bytes, units: Sequence[Unit]) -> Answer:
    from threadpoolctl import threadpool_limits

    async def each() -> Exception | None:
        try:
            for unit in units:
                outcomes.append(await tried(sweep, unit, context))
        except ConveneError as error:
            return error
        return None

    outcomes, (sweep, context) = list[Outcome](), _received(sent)
    with threadpool_limits(1):
        return outcomes, asyncio.run(each())
