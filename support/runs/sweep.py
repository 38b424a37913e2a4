"""Parameter grids over seeds: every combination of settings, repeated, stored unit by unit, resumable, shared.

A unit's random stream depends on the sweep's seed, its settings and its repetition alone, so that neither the order and
place of execution, nor an interruption, nor a later extension of the grid changes a result.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from support import models
from support.data import UNFINISHED
from support.errors import BudgetExceeded, InvalidInput
from support.models import named, serving
from support.models.calls import Meter, metered
from support.models.model import whole
from support.models.money import Budget, dollars, open_purse, purse
from support.models.profiles import MODEL, models_in, needed_price
from support.presence import Presence
from support.runs import cluster
from support.runs.progress import Progress, Watcher
from support.runs.source import bare, fingerprint, own
from support.runs.study import Store, Unit, fields_of, flat
from support.runs.work import Claims, Run, finished

if TYPE_CHECKING:
    import pandas as pd

PASSED = (
    "rng",
    "repetition",
)  # arguments that the sweep itself gives to the study function
PROMPTS = "prompts"  # a folder of templates, of which a unit's settings hold a digest
_terms = {"retry_failed": False, "concurrency": 8}


def terms(
    budget: float | None = None,
    retry_failed: bool = True,
    concurrency: int = 8,
    pace: int | None = None,
) -> None:
    """How all sweeps of this process run where they are not told otherwise, and what all calls may cost (US dollars).

    `concurrency` is how many units are at work at a time, `pace` how many requests a minute each model gets at most.
    """
    whole("CONCURRENCY", concurrency, 1)
    if pace is not None:
        whole("PACE", pace, 1)
    open_purse(budget)
    models.paced(pace)
    _terms.update(retry_failed=retry_failed, concurrency=concurrency)


@dataclass(frozen=True)
class Sweep:
    """A study function over a grid of settings.

    The study is async, takes `rng`, the settings by name and perhaps `repetition`, and returns a record. Values of the
    grid are plain data, names of models among them, or a class, a function, a path or an object with a `name`, which
    stand in a unit's settings with a digest of their source. `paired` settings share their random streams: repetition r
    means the same draw for each of their values.
    """

    name: str
    study: Callable[..., Awaitable[Any]]
    grid: Mapping[str, Sequence[Any]]
    repetitions: int
    seed: int
    paired: Sequence[str] = field(default=())
    _digests: dict[int, dict[str, str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _objects: dict[tuple[str, str], Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if "rng" not in (takes := inspect.signature(self.study).parameters):
            raise InvalidInput(
                f"study: {self._title} takes {', '.join(takes)}; expected rng among them"
            )
        for given, setting in [("grid", s) for s in self.grid] + [
            ("paired", s) for s in self.paired
        ]:
            if setting not in (known := self._takes):
                raise InvalidInput(
                    f"{given}: {setting!r} is no setting of {self._title}; it takes {', '.join(known)}"
                )
        if isinstance(folders := self.grid.get(PROMPTS), Sequence) and not isinstance(
            folders, str
        ):
            read = [
                Path(folder) if isinstance(folder, str) else folder
                for folder in folders
            ]
            object.__setattr__(
                self, "grid", {**self.grid, PROMPTS: read}
            )  # for the digest of what is in there
        for setting, values in self.grid.items():
            if (
                isinstance(values, str)
                or not isinstance(values, Sequence)
                or not values
            ):
                raise InvalidInput(
                    f"grid: {setting}={values!r} given; expected a list with at least one value"
                )
            if len({self._cell(setting, value) for value in values}) < len(values):
                raise InvalidInput(
                    f"grid: {setting}={list(values)!r} given; expected each value once"
                )
        whole("seed", self.seed)
        whole("repetitions", self.repetitions, 1)

    def units(self) -> Iterator[Unit]:
        """Every unit of the sweep: for each combination of settings, each repetition."""
        for values in itertools.product(*self.grid.values()):
            text = json.dumps(
                dict(zip(self.grid, values, strict=True)),
                sort_keys=True,
                default=self._stand_in,
            )
            yield from (
                Unit(self.name, text, repetition)
                for repetition in range(self.repetitions)
            )

    def rng(self, unit: Unit) -> np.random.Generator:
        """The random stream of a unit."""
        shared = {k: v for k, v in unit.settings.items() if k not in self.paired}
        digest = hashlib.sha256(json.dumps(shared, sort_keys=True).encode()).digest()
        key = (*np.frombuffer(digest[:16], dtype="<u4").tolist(), unit.repetition)
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    async def run(
        self, store: Store, *, on: Any = None, concurrency: int | None = None, progress: bool | Watcher = True,
        retry_failed: bool | None = None, budget_usd: float | None = None, **context: Any,
    ) -> Counter[str]:  # fmt: skip
        """Do the units that the store does not hold yet, each finished one a transaction; count what became of them.

        Several processes may run one sweep on one file: each unit is done by one of them, and all return when all are
        done. `on` lends cores to units that ask no model: "local" (a process a core), the address of a dask scheduler,
        or a distributed.Client; `concurrency` is how many of the others are at work at a time. `budget_usd` is what all
        calls under this name in this file may cost, earlier runs included: a call that could pass it is not sent.
        `context` are arguments of the study that are not in the grid, such as a connected model, or its name.

        An error of a unit is recorded with it and does not stop the others, unless something outside has to be mended
        first (a model, the disk, a budget that is used up): then what was finished is kept, the rest waits. Where they
        are not given, `concurrency` and `retry_failed` are those of `terms`: 8, and False.
        """
        self.check(context)
        concurrency = _terms["concurrency"] if concurrency is None else concurrency
        retry_failed = (
            bool(_terms["retry_failed"]) if retry_failed is None else retry_failed
        )
        whole("concurrency", concurrency, 1)
        if not isinstance(store, Store):
            raise InvalidInput(
                f"store: {store!r} given; expected Store(path), from support.runs.study"
            )
        units = list(self.units())
        async with AsyncExitStack() as stack:
            stack.enter_context(serving(cache=store.path))
            presence = stack.enter_context(Presence(store.path))
            presence.others()  # removes what killed runs left beside the file
            claims = stack.enter_context(closing(Claims(store.path, presence)))
            budget = None
            if budget_usd is not None:
                self._check_prices(context)
                budget = stack.enter_context(
                    closing(Budget(budget_usd, store.path, self.name, presence))
                )
            store.register(self.name, self.identity(context))
            ended = store.finished(self.name, include_failed=not retry_failed)
            left = [unit for unit in units if unit not in ended]
            meter = stack.enter_context(metered(Meter(budget)))
            shown = stack.enter_context(
                Progress(self.name, len(units), len(units) - len(left), meter, progress)
            )
            here, away = deque[Unit](), deque[Unit]()
            for unit in left:
                (here if on is None or self._asks(unit, context) else away).append(unit)
            run = Run(self, store, context, claims, shown, retry_failed)
            work = [run.here(here) for _ in range(min(concurrency, len(here)))]
            if away:
                ask, at_once = await stack.enter_async_context(
                    cluster.workers(on, self, context)
                )
                work += [
                    run.away(away, ask, at_once) for _ in range(min(at_once, len(away)))
                ]
            await finished(work, meter)
            shown.close(run.passed)
            self._tell(store, units, run, meter)
        return shown.count

    def _tell(
        self, store: Store, units: Sequence[Unit], run: Run, meter: Meter
    ) -> None:
        """Say what is unfinished and what has failed; BudgetExceeded where the money came to its end."""
        UNFINISHED.pop(self.name, None)
        if missing := self.missing(store):
            UNFINISHED[self.name] = f"{len(units) - missing} of {len(units)} units"
        stored = store.failures(self.name)
        if failed := [stored[unit] for unit in units if unit in stored]:
            print(
                f"{self.name}: {len(failed)} of {len(units)} units have failed. The first said: {failed[0]}"
            )
            print("Mend what it says, then run again with retry_failed=True.")
        if run.passed is not None:
            by_purse = meter.budget is None or "(BUDGET)" in str(
                run.passed
            )  # the error says whose budget it was
            account, larger = (
                (purse(), "BUDGET") if by_purse else (meter.budget, "budget_usd=")
            )
            spent = account.spent if account else meter.usd
            done = run.progress.status().over - run.progress.count["failed"]
            raise BudgetExceeded(
                f"{run.passed} The run is partial: {done} of {len(units)} units are finished and kept, the rest "
                f"waits; in all {dollars(spent)} is spent. To go on, run again with a larger {larger} (it counts "
                "what is spent already); replies that were kept cost nothing again."
            )

    def records(self, store: Store) -> Iterator[tuple[Unit, Any]]:
        """This sweep's finished units and their records, in the order of the grid, and nothing else of the store."""
        for unit in self.units():
            if (record := store.record(unit)) is not None:
                yield unit, record

    def frame(self, store: Store) -> pd.DataFrame:
        """One row a unit of the grid: settings, repetition, status, and the record's fields (of large ones, some).

        A field with the name of a setting and another value has " (record)" behind it.
        """
        import pandas as pd

        rows = []
        for unit in self.units():
            made = store.record(unit)
            row = {
                **flat(unit.settings),
                "repetition": unit.repetition,
                "status": store.status(unit) or "missing",
            }
            rows.append(row | ({} if made is None else fields_of(made, row)))
        return pd.DataFrame(rows)

    def missing(self, store: Store) -> int:
        """How many units have no record: failed, or not done yet. A study with any is partial, and has to say so."""
        return sum(store.status(unit) != "done" for unit in self.units())

    def seconds(self, store: Store) -> list[float]:
        """What each of these units took, in the order of `records`; replies out of the cache take no time."""
        return [
            round(taken, 4)
            for unit in self.units()
            if (taken := store.seconds(unit)) is not None
        ]

    def arguments(self, unit: Unit, context: Mapping[str, Any]) -> dict[str, Any]:
        """What the study function is called with for a unit: its settings, the context, and its random stream."""
        made = {**unit.settings, **context, "rng": self.rng(unit)}
        stored = [
            (name, json.dumps(value, sort_keys=True))
            for name, value in unit.settings.items()
            if self._digests
        ]
        made |= {
            key[0]: self._objects[key]
            for key in stored
            if '"source"' in key[1] and key in self._objects
        }
        if "repetition" in inspect.signature(self.study).parameters:
            made["repetition"] = unit.repetition
        return made

    def check(self, context: Mapping[str, Any]) -> None:
        """Refuse a context that the study does not take, or one that lacks what it needs."""
        free = [name for name in self._takes if name not in self.grid]
        for name in context:
            if name not in free:
                raise InvalidInput(
                    f"{name}: {self._title} does not take it here; it takes {', '.join(free)}"
                )
            if name == PROMPTS:
                raise InvalidInput(
                    f"{name}: put it into the grid, a folder a value, so that units tell of it"
                )
        if needed := [name for name in free if name not in {*self._defaults, *context}]:
            raise InvalidInput(
                f"grid: {', '.join(needed)} missing; {self._title} needs a value: put it into the grid"
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """All that determines the results, for a figure's provenance: the grid, and the study's defaults beside it."""
        grid = {
            name: [json.loads(self._cell(name, value)) for value in values]
            for name, values in self.grid.items()
        }
        rest = {
            name: value
            for name, value in self._defaults.items()
            if name not in grid and value is not None
        }
        return {
            **grid,
            **rest,
            "repetitions": self.repetitions,
            "seed": self.seed,
            "paired": list(self.paired),
        }

    @property
    def models(self) -> list[str]:
        """The names of models in the grid and in the study's defaults; "model" is the one that `run` is given."""
        return sorted(
            models_in(
                [
                    self._defaults
                    | {name: list(values) for name, values in self.grid.items()}
                ]
            )
        )

    def identity(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """What must not change under one name; of the context, models and plain data; the user's own code."""
        study, plain = (
            bare(self.study),
            {name: _known(value) for name, value in sorted(context.items())},
        )
        made = {
            "study": f"{study.__module__}.{study.__qualname__}",
            "seed": self.seed,
            "paired": sorted(self.paired),
        }
        made |= {
            "settings": sorted(self.grid),
            "context": {k: v for k, v in plain.items() if v is not None},
        }
        code = isinstance(self.study, partial) or own(study.__module__)
        return made | ({"code": fingerprint(self.study)} if code else {})

    @property
    def _title(self) -> str:
        return bare(self.study).__name__

    @property
    def _takes(self) -> dict[str, inspect.Parameter]:
        return {
            n: p
            for n, p in inspect.signature(self.study).parameters.items()
            if n not in PASSED
        }

    @property
    def _defaults(self) -> dict[str, Any]:
        return {
            name: taken.default
            for name, taken in self._takes.items()
            if taken.default is not taken.empty
        }

    def _asks(self, unit: Unit, context: Mapping[str, Any]) -> bool:
        """Whether a unit may ask a model."""
        named_ones = models_in({**self._defaults, **unit.settings, **context})
        return bool(
            named_ones
            or isinstance(context.get(MODEL), str)
            or any(map(_is_model, context.values()))
        )

    def _check_prices(self, context: Mapping[str, Any]) -> None:
        default = context.get(MODEL)
        names = (
            set(self.models)
            | models_in(context)
            | ({MODEL} if isinstance(default, str) else set())
        )
        models = [
            named(name, default)
            for name in sorted(names)
            if name != MODEL or default is not None
        ]
        for model in (
            *models,
            *(value for value in context.values() if _is_model(value)),
        ):
            needed_price(model)

    def _cell(self, setting: str, value: Any) -> str:
        """A value of the grid as it stands in a unit's settings."""
        try:
            text = json.dumps(value, sort_keys=True, default=self._stand_in)
        except TypeError as error:
            raise InvalidInput(
                f"grid: {setting}={value!r} given; expected text, a number or a list, or something with a name and a "
                f"source: a class, a function, a path, an object with a name ({error})"
            ) from None
        self._objects[setting, text] = value
        return text

    def _stand_in(self, value: Any) -> dict[str, str]:
        """What stands for an object; taken once, whatever the object does meanwhile."""
        if id(value) not in self._digests:
            name = (
                value.name
                if isinstance(value, Path)
                else getattr(value, "__name__", getattr(value, "name", None))
            )
            if _is_model(value):
                raise TypeError(f'name it: "{MODEL}:{value.model}"')
            if not isinstance(name, str) or (
                isinstance(value, Path) and not value.exists()
            ):
                raise TypeError("it is not there, or has no name")
            self._digests[id(value)] = {
                "name": name,
                "source": fingerprint(value, whole=True)[:16],
            }
        return self._digests[id(value)]


def _is_model(value: Any) -> bool:
    return hasattr(value, "model") and hasattr(value, "endpoint")


def _known(value: Any) -> Any:
    """How a value of the context is told from another: a model by its name and endpoint, plain data by itself."""
    if _is_model(value):
        return f"{value.model} at {value.endpoint}"
    return value if isinstance(value, str | int | float | list | tuple | dict) else None
