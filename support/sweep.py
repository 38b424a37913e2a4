"""Parameter grids over seeds: every combination of settings, repeated, stored unit by unit, resumable.

A unit's random stream depends on the sweep's seed, its settings and its repetition alone, so that neither the
order of execution, nor an interruption, nor a later extension of the grid changes a result.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from support.errors import InvalidInput
from support.money import Prices
from support.progress import Watcher
from support.running import run
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
        takes = inspect.signature(self.study).parameters
        if "rng" not in takes:
            raise InvalidInput(f"study: {self.study.__name__} takes {', '.join(takes)}; expected rng among them")
        known = [p for p in takes if p not in PASSED]
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
        progress: bool | Watcher = True,
        retry_failed: bool = False,
        budget_usd: float | None = None,
        prices: Prices | None = None,
        **context: Any,
    ) -> Counter[str]:
        """Do the units that the store does not hold yet, each finished one a transaction.

        Several processes may run one sweep on one file: each unit is done by one of them, and all return when all are
        done.

        Parameters
        ----------
        store : Store
            Where the units go. Those that it has are not done again; failed ones only with `retry_failed`.
        concurrency : int
            Units at work at a time; more than one pays with language models only.
        progress : bool or callable
            True shows a bar, or a table in a notebook; a function is given a `support.progress.Status` now and then.
        budget_usd : float, optional
            US dollars that all calls under this sweep's name in this file may cost, earlier runs included. The worst
            case of a call is set aside before it is sent; the call that could pass the budget is not sent.
        prices : support.money.Prices, optional
            By default those of `data/inputs/prices`.
        context
            Further arguments of the study that are not in the grid: a connected model, for instance.

        Returns
        -------
        Counter
            Of "done", "failed", "skipped" (already stored), "elsewhere" (done by another process meanwhile),
            "format_errors" and "replies" in this run.

        Raises
        ------
        InvalidInput
            When an argument that the study needs is neither in the grid nor in `context`, or one is in both.
        BudgetExceeded
            When the next call could pass the budget; what is finished is kept, and the message says how much it is.
        ModelUnavailable, CacheMiss, MissingData, DamagedFile, DiskFull, FileInUse
            When something outside the units has to be mended first; what was finished is kept, the rest is done by
            the next run. Any other error of a unit is recorded with it and does not stop the others; what the errors
            were is printed at the end.
        """
        self.check(context)
        _check_run(store, concurrency, progress, prices, context.get("model"))
        return await run(
            self,
            store,
            context,
            concurrency=concurrency,
            progress=progress,
            retry_failed=retry_failed,
            budget_usd=budget_usd,
            prices=prices,
        )

    def records(self, store: Store) -> Iterator[tuple[Unit, Any]]:
        """This sweep's finished units and their records, in the order of the grid.

        What the store holds beyond them, such as more repetitions of an earlier run, is left out.
        """
        for unit in self.units():
            if (record := store.record(unit)) is not None:
                yield unit, record

    def missing(self, store: Store) -> int:
        """How many units have no record: failed, or not done yet. A study with any is partial, and has to say so."""
        return sum(store.status(unit) != "done" for unit in self.units())

    def seconds(self, store: Store) -> list[float]:
        """What each of these units took, in the order of `records`; replies out of the cache take no time."""
        taken = [store.seconds(unit) for unit in self.units()]
        return [round(s, 4) for s in taken if s is not None]

    def arguments(self, unit: Unit, context: Mapping[str, Any]) -> dict[str, Any]:
        """What the study function is called with for a unit: its settings, the context, and its random stream."""
        made = {**json.loads(unit.settings), **context, "rng": self.rng(unit)}
        if "repetition" in inspect.signature(self.study).parameters:
            made["repetition"] = unit.repetition
        return made

    def check(self, context: Mapping[str, Any]) -> None:
        """Refuse a context that the study does not take, or one that lacks what it needs.

        Raises
        ------
        InvalidInput
            Naming the argument, and those that the study takes.
        """
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

    def identity(self, context: Mapping[str, Any]) -> dict[str, Any]:
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


def _check_run(store: Any, concurrency: Any, progress: Any, prices: Any, model: Any) -> None:
    if isinstance(model, str):
        raise InvalidInput(f"model={model!r}: expected a connected model: connect({model!r}, cache=store.path)")
    if not isinstance(store, Store):
        raise InvalidInput(f"store: {store!r} given; expected Store(path), from support.store")
    if isinstance(concurrency, bool) or not isinstance(concurrency, int) or concurrency < 1:
        raise InvalidInput(f"concurrency={concurrency!r}: expected a whole number from 1 up.")
    if not isinstance(progress, bool) and not callable(progress):
        raise InvalidInput(f"progress={progress!r}: expected True, False, or a function of a Status.")
    if prices is not None and not isinstance(prices, Prices):
        raise InvalidInput(f"prices={prices!r}: expected Prices(path), from support.money.")
