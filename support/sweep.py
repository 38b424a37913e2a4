"""Parameter grids over seeds: every combination of settings, repeated, stored unit by unit, resumable.

A unit's random stream depends on the sweep's seed, its settings and its repetition alone, so that neither the
order of execution, nor an interruption, nor a later extension of the grid changes a result.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import itertools
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from support.errors import CacheMiss, DamagedFile, InvalidInput, MissingData, ModelUnavailable
from support.store import Store, Unit

PASSED = ("rng", "repetition")  # arguments that the sweep itself gives to the study function


@dataclass(frozen=True)
class Sweep:
    """A study function over a grid of settings.

    Parameters
    ----------
    name : str
        Under which the units are stored; one name, one seed and one study function.
    study : async callable
        Takes `rng`, the settings by name, and optionally `repetition`; returns a record.
    grid : mapping of setting to its values
        Values are plain data (strings, numbers, lists). Every combination is a setting of the sweep.
    repetitions : int
        Units per setting.
    seed : int
        Of the whole sweep.
    paired : sequence of str
        Settings that share their random streams, so that repetition r means the same draw for each of their
        values (common random numbers): comparisons along them are paired.

    Raises
    ------
    InvalidInput
        When the grid names a setting that the study does not take, has no values or one value twice for a setting,
        or values that are no plain data; when the seed or the repetitions are no whole numbers.
    """

    name: str
    study: Callable[..., Awaitable[Any]]
    grid: Mapping[str, Sequence[Any]]
    repetitions: int
    seed: int
    paired: Sequence[str] = field(default=())

    def __post_init__(self) -> None:
        known = [p for p in inspect.signature(self.study).parameters if p not in PASSED]
        for field_, names in (("grid", self.grid), ("paired", self.paired)):
            for setting in names:
                if setting not in known:
                    raise InvalidInput(
                        f"{field_}: {setting!r} is no setting of {self.study.__name__}; it takes {', '.join(known)}"
                    )
        for setting, values in self.grid.items():
            if isinstance(values, str) or not isinstance(values, Sequence) or not values:
                raise InvalidInput(f"grid: {setting}={values!r} given; expected a list with at least one value")
            if len({_plain(setting, value) for value in values}) < len(values):
                raise InvalidInput(f"grid: {setting}={list(values)!r} given; expected each value once")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise InvalidInput(f"seed: {self.seed!r} given; expected a whole number of at least 0")
        if isinstance(self.repetitions, bool) or not isinstance(self.repetitions, int) or self.repetitions < 1:
            raise InvalidInput(f"repetitions: {self.repetitions!r} given; expected a whole number of at least 1")

    def units(self) -> Iterator[Unit]:
        """Every unit of the sweep: for each combination of settings, each repetition."""
        for values in itertools.product(*self.grid.values()):
            settings = dict(zip(self.grid, values, strict=True))
            for repetition in range(self.repetitions):
                yield Unit(self.name, json.dumps(settings, sort_keys=True), repetition)

    def rng(self, unit: Unit) -> np.random.Generator:
        """The random stream of a unit."""
        shared = {k: v for k, v in json.loads(unit.settings).items() if k not in self.paired}
        digest = hashlib.sha256(json.dumps(shared, sort_keys=True).encode()).digest()
        key = (*np.frombuffer(digest[:16], dtype="<u4").tolist(), unit.repetition)
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    async def run(
        self,
        store: Store,
        *,
        concurrency: int = 8,
        progress: bool = True,
        retry_failed: bool = False,
        **context: Any,
    ) -> Counter[str]:
        """Do the units that the store does not hold yet, each finished one a transaction.

        Parameters
        ----------
        store : Store
            Where the units go. Those that it has are not done again; failed ones only with `retry_failed`.
        concurrency : int
            Units at work at a time; more than one pays with language models only.
        context
            Further arguments of the study that are not in the grid: a connected model, for instance.

        Returns
        -------
        Counter
            Of "done", "failed", "skipped" (already stored), "format_errors" and "replies" in this run.

        Raises
        ------
        InvalidInput
            When an argument that the study needs is neither in the grid nor in `context`, or one is in both.
        ModelUnavailable, CacheMiss, MissingData, DamagedFile
            When something outside the units has to be mended first; what was finished is kept, the rest is done by
            the next run. Any other error of a unit is recorded with it and does not stop the others; what the errors
            were is printed at the end.
        """
        self._check_context(context)
        store.register(self.name, self._identity(context))
        finished = store.finished(self.name, include_failed=not retry_failed)
        units = [u for u in self.units() if u not in finished]
        count: Counter[str] = Counter(skipped=self.repetitions * _size(self.grid) - len(units))
        with _bar(len(units), self.name, enabled=progress) as bar:
            await self._work(iter(units), store, context, count, bar, concurrency)
        if errors := store.errors(self.name):
            print(f"{self.name}: units have failed. The first said: {errors[0]}")
            print("Mend what it says, then run again with retry_failed=True.")
        return count

    def records(self, store: Store) -> Iterator[tuple[Unit, Any]]:
        """This sweep's finished units and their records, in the order of the grid.

        What the store holds beyond them, such as more repetitions of an earlier run, is left out.
        """
        for unit in self.units():
            if (record := store.record(unit)) is not None:
                yield unit, record

    def seconds(self, store: Store) -> list[float]:
        """What each of these units took, in the order of `records`; replies out of the cache take no time."""
        taken = [store.seconds(unit) for unit in self.units()]
        return [round(s, 4) for s in taken if s is not None]

    async def _work(
        self, units: Iterator[Unit], store: Store, context: dict, count: Counter, bar: Any, concurrency: int
    ) -> None:
        async def worker() -> None:
            for unit in units:
                await self._do(unit, store, context, count)
                bar.set_postfix_str(_status(count), refresh=False)
                bar.update()

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(max(1, concurrency)):
                    group.create_task(worker())
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _do(self, unit: Unit, store: Store, context: dict, count: Counter) -> None:
        started = time.perf_counter()
        arguments = {**json.loads(unit.settings), **context, "rng": self.rng(unit)}
        if "repetition" in inspect.signature(self.study).parameters:
            arguments["repetition"] = unit.repetition
        try:
            record = await self.study(**arguments)
        except (ModelUnavailable, CacheMiss, MissingData, DamagedFile):  # no fault of the unit: left to the next run
            raise
        except Exception as error:  # recorded with its unit, shown by the progress bar, retried on request
            store.fail(unit, error, time.perf_counter() - started)
            count["failed"] += 1
            return
        counts = store.add(unit, record, time.perf_counter() - started)
        count.update(done=1, **counts)

    def _check_context(self, context: Mapping[str, Any]) -> None:
        takes = {n: p for n, p in inspect.signature(self.study).parameters.items() if n not in PASSED}
        for name in context:
            if name not in takes or name in self.grid:
                free = [n for n in takes if n not in self.grid]
                raise InvalidInput(f"{name}: {self.study.__name__} does not take it here; it takes {', '.join(free)}")
        given = {*self.grid, *context}
        missing = [name for name, p in takes.items() if p.default is p.empty and name not in given]
        if missing:
            raise InvalidInput(
                f"grid: {', '.join(missing)} missing; {self.study.__name__} needs a value: put it into the grid"
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """All that determines the results, for a figure's provenance: the grid, and the study's defaults beside it."""
        signature = inspect.signature(self.study).parameters
        defaults = {n: p.default for n, p in signature.items() if n not in PASSED and p.default is not p.empty}
        rest = {n: v for n, v in defaults.items() if n not in self.grid and v is not None}
        return {**self.grid, **rest, "repetitions": self.repetitions, "seed": self.seed, "paired": list(self.paired)}

    def _identity(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """What must not change under one name; of the context, models and plain data."""
        return {
            "study": f"{self.study.__module__}.{self.study.__qualname__}",
            "seed": self.seed,
            "paired": sorted(self.paired),
            "settings": sorted(self.grid),
            "context": {name: _known(value) for name, value in sorted(context.items()) if _known(value) is not None},
        }


def _known(value: Any) -> Any:
    """How a value of the context is told from another: a model by its name and endpoint, plain data by itself."""
    if hasattr(value, "model"):
        return f"{value.model} at {value.endpoint}"
    return value if isinstance(value, str | int | float | list | tuple | dict) else None


def _plain(setting: str, value: Any) -> str:
    try:
        return json.dumps(value, sort_keys=True)
    except TypeError as error:
        raise InvalidInput(
            f"grid: {setting}={value!r} given; expected text, a number or a list ({error}); "
            "wrap anything else into a study function"
        ) from None


def _size(grid: Mapping[str, Sequence[Any]]) -> int:
    return int(np.prod([len(values) for values in grid.values()], dtype=int))


def _status(count: Counter[str]) -> str:
    return f"failed {count['failed']}, format errors {count['format_errors']}, replies {count['replies']}"


def _bar(total: int, name: str, *, enabled: bool) -> Any:
    from tqdm import tqdm

    return tqdm(total=total, desc=name, unit="unit", disable=not enabled, mininterval=0.5, ncols=110)
