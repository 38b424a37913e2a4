"""Units on other cores and machines: what computes goes out, and comes back as it is stored."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import lru_cache, partial
from logging import CRITICAL
from typing import TYPE_CHECKING, Any, cast

from support.errors import ConveneError, InvalidInput
from support.runs.source import bare, own
from support.runs.study import Unit
from support.runs.work import Outcome, tried

if TYPE_CHECKING:
    from support.runs.sweep import Sweep

Answer = tuple[
    list[Outcome], Exception | None
]  # what became of units, and what stopped the worker, if anything did
Ask = Callable[[Sequence[Unit]], Awaitable[Answer]]
TRIES = 3  # as often units are given to other processes when theirs dies
ALONE = 15.0  # seconds without any worker before a run gives up: a cluster restarts one that died in three


@asynccontextmanager
async def workers(
    on: Any, sweep: Sweep, context: Mapping[str, Any]
) -> AsyncIterator[tuple[Ask, int]]:
    """A function that has units computed elsewhere, and how many times at once it may be called."""
    sent = _sent(sweep, context)
    if on == "local":
        with Local(sweep, sent).open() as pool:
            yield pool.answer, 2 * pool.cores
    else:
        async with _cluster(on) as (client, cores):
            yield partial(_answer, client, sent), 2 * cores


class Local:
    """Processes of this machine, one a core; when one dies, the work of all is done by others.

    On Linux they fork from one process that has loaded the study, and stays: each would need seconds to load it.
    """

    def __init__(self, sweep: Sweep, sent: bytes) -> None:
        from dask.system import (
            CPU_COUNT,
        )  # what a container may use, which `os.cpu_count` does not know

        linux = sys.platform == "linux"
        self.sent, self.cores = sent, CPU_COUNT
        context: Any = multiprocessing.get_context("forkserver" if linux else "spawn")
        if linux:
            context.set_forkserver_preload([__name__, bare(sweep.study).__module__])
        env = {
            name: value
            for name, value in os.environ.items()
            if name.startswith("CONVENE_")
        }
        self._made = partial(ProcessPoolExecutor, self.cores, context, _begun, (env,))

    @contextmanager
    def open(self) -> Iterator[Local]:
        """The processes end with the block, whatever they are at where an error ends it."""
        self._pool = self._made()
        try:
            yield self
        except BaseException:
            came: Any = self._pool._result_queue
            came._writer.close()  # else the second half of an outcome would be waited for for ever
            for process in list(self._pool._processes.values()):
                process.terminate()
            raise
        finally:
            self._pool.shutdown(cancel_futures=True)

    async def answer(self, units: Sequence[Unit]) -> Answer:
        """What a process found."""
        for _ in range(TRIES):
            pool = self._pool
            try:
                return await asyncio.wrap_future(
                    pool.submit(_computed, self.sent, units)
                )
            except (
                BrokenProcessPool,
                OSError,
                EOFError,
            ):  # the last two of the process that they fork from
                if pool is self._pool:
                    self._pool = self._made()
        said = 'on="local": its processes died. A script has to call this below if __name__ == "__main__"; '
        raise ConveneError(
            f"{said}else they died of a unit. What is finished is kept: run again without on= to see of what"
        )


def _begun(env: Mapping[str, str]) -> None:
    """A process takes over the folders and limits of the one that asks, and ends with it."""
    for name in [name for name in os.environ if name.startswith("CONVENE_")]:
        del os.environ[name]
    os.environ.update(env)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks is interrupted, and ends us
    asks: Any = multiprocessing.parent_process()
    threading.Thread(target=lambda: (asks.join(), os._exit(1)), daemon=True).start()


@asynccontextmanager
async def _cluster(on: Any) -> AsyncIterator[tuple[Any, int]]:
    """A client of a dask cluster, and how many cores that has."""
    from distributed import Client
    from distributed.utils import silence_logging_cmgr

    if not isinstance(on, str | Client):
        raise InvalidInput(
            f'on={on!r}: expected "local", the address of a dask scheduler, or a distributed.Client'
        )
    security = None if isinstance(on, str) else on.security
    where: Any = on if isinstance(on, str) else cast(Any, on.scheduler).address
    async with AsyncExitStack() as stack:
        stack.enter_context(silence_logging_cmgr(CRITICAL))
        try:
            client: Any = Client(
                where,
                asynchronous=True,
                set_as_default=False,
                timeout=ALONE,
                security=security,
            )
            await stack.enter_async_context(client)
            await client.wait_for_workers(1, timeout=ALONE)
            cores = sum((await client.nthreads()).values())
        except (OSError, ValueError, RuntimeError) as error:  # a time-out is an OSError
            raise ConveneError(
                f"on={on!r}: no scheduler with workers answers ({error}). Start them (dask scheduler, dask worker), or "
                'give on="local", or nothing for this process'
            ) from None
        yield client, cores


async def _answer(client: Any, sent: bytes, units: Sequence[Unit]) -> Answer:
    """What a worker found; the work of one that is killed is done by another."""
    from distributed import CancelledError, KilledWorker

    task = asyncio.ensure_future(
        client.submit(_computed, sent, units, pure=False).result()
    )
    since = time.monotonic()
    try:
        while not (await asyncio.wait([task], timeout=1.0))[0]:
            since = time.monotonic() if await client.nthreads() else since
            if time.monotonic() - since > ALONE:
                raise TimeoutError
        return await task
    except (OSError, CancelledError, KilledWorker) as error:
        gone = {
            KilledWorker: "its workers died of a unit",
            TimeoutError: "it has no worker any more",
        }
        said = f"the cluster that was to compute units is lost ({gone.get(type(error), 'its scheduler is gone')}). "
        said += "What is finished is kept: run again, with a cluster that is up, or without on="
        raise ConveneError(said) from None
    finally:
        task.cancel()


def _sent(sweep: Sweep, context: Mapping[str, Any]) -> bytes:
    """A sweep and its context as they travel: the user's own module by value, as a notebook's functions do anyway."""
    import cloudpickle

    name = bare(sweep.study).__module__
    by_value = (
        name in sys.modules
        and own(name)
        and name not in cloudpickle.list_registry_pickle_by_value()
    )
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
