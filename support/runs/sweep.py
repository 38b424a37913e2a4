"""Parameter grids over seeds: every combination of settings, repeated, kept unit by unit.

A unit's random stream depends on the sweep's seed, its settings and its repetition
alone: neither the order and place of execution, nor an interruption, nor a later
extension of the grid changes a result.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import itertools
import json
from collections import deque
from collections.abc import (
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from support import models
from support.data import UNFINISHED
from support.errors import BudgetExceeded, InvalidInput
from support.models import named, serving
from support.models.calls import Meter, metered
from support.models.money import Budget, dollars, open_purse, purse
from support.models.profiles import MODEL, check_prices, models_in
from support.models.request import whole
from support.presence import Presence
from support.runs.progress import Ended, Progress
from support.runs.source import bare, fingerprint, own
from support.runs.study import Store, Unit
from support.runs.workers import LOOK, Claims, Place, Run, elsewhere, play

PASSED = ("rng", "repetition")  # arguments that the sweep itself gives to the study
PROMPTS = "prompts"  # a folder of templates, of which a unit's settings hold a digest
_terms = {"retry_failed": False, "concurrency": 8}


def terms(
    budget: float | None = None,
    retry_failed: bool = True,
    concurrency: int = 8,
    pace: int | None = None,
) -> None:
    """How all sweeps of this process run where they are not told otherwise.

    `budget` is what all calls may cost (US dollars), `pace` how many requests a minute
    each model gets at most, `concurrency` how many units are at work at a time.
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

    The study is async, takes `rng`, the settings by name and perhaps `repetition`, and
    returns a record. Values of the grid are plain data, names of models among them, or
    a class, a function, a path or an object with a `name`, which stand in a unit's
    settings with a digest of their source. `paired` settings share their streams:
    repetition r means the same draw for each of their values.
    """

    name: str
    study: Callable[..., Awaitable[Any]]
    grid: Mapping[str, Sequence[Any]]
    repetitions: int
    seed: int
    paired: Sequence[str] = ()
    # By setting, each value by its text in a unit's settings: taken once.
    _values: dict[str, dict[str, Any]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole("seed", self.seed)
        whole("repetitions", self.repetitions, 1)
        self._bound({*self.grid, *self.paired})
        values = {name: _by_text(name, given) for name, given in self.grid.items()}
        object.__setattr__(self, "_values", values)

    def units(self) -> Iterator[Unit]:
        """Every unit: for each combination of settings, each repetition."""
        plain = self._plain
        for values in itertools.product(*plain.values()):
            settings = dict(zip(plain, values, strict=True))
            text = json.dumps(settings, sort_keys=True)
            for repetition in range(self.repetitions):
                yield Unit(self.name, text, repetition)

    def rng(self, unit: Unit) -> np.random.Generator:
        """The random stream of a unit."""
        settings = unit.settings
        own = {name: settings[name] for name in settings if name not in self.paired}
        digest = hashlib.sha256(json.dumps(own, sort_keys=True).encode()).digest()
        words = np.frombuffer(digest[:16], dtype="<u4").tolist()
        key = (*words, unit.repetition)
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    async def run(
        self,
        store: Store,
        *,
        on: Any = None,
        concurrency: int | None = None,
        progress: bool | Callable[[Ended], object] = True,
        retry_failed: bool | None = None,
        budget_usd: float | None = None,
        **context: Any,
    ) -> Ended:
        """Do the units that the store does not hold yet, each of them a transaction.

        Several processes may run one sweep on one file: each unit is done by one of
        them, and all return when all are done. `on` lends cores to units that ask no
        model: "local" (a process a core), the address of a dask scheduler, or a
        distributed.Client; `concurrency` is how many of the others are at work at a
        time. `budget_usd` is what all calls under this name in this file may cost,
        earlier runs included: a call that could pass it is not sent. `context` are
        arguments of the study that are not in the grid, such as a model.

        An error of a unit is kept with it and does not stop the others, unless it is
        no fault of the unit (a model, the disk): then what was finished is kept, the
        rest waits. BudgetExceeded, with the `ended` of the run, where money ends it.
        """
        self.check(context)
        concurrency = _terms["concurrency"] if concurrency is None else concurrency
        retry = _terms["retry_failed"] if retry_failed is None else retry_failed
        whole("concurrency", concurrency, 1)
        if not isinstance(store, Store):
            wanted = "expected Store(path), from support.runs.study"
            raise InvalidInput(f"store: {store!r} given; {wanted}")
        units, budget = list(self.units()), None
        async with AsyncExitStack() as stack:
            stack.enter_context(serving(cache=store.path))
            presence = stack.enter_context(Presence(store.path))
            presence.others()  # removes what killed runs left beside the file
            claims = stack.enter_context(closing(Claims(store.path, presence)))
            if budget_usd is not None:
                self._check_prices(context)
                account = Budget(budget_usd, store.path, self.name, presence)
                budget = stack.enter_context(closing(account))
            store.register(self.name, self.identity(context))
            stored = store.finished(self.name, include_failed=not retry)
            left = [unit for unit in units if unit not in stored]
            meter = stack.enter_context(metered(Meter(budget)))
            shown = Progress(
                self.name, len(units), len(units) - len(left), meter, progress
            )
            stack.enter_context(closing(shown))
            run = Run(store, claims, shown, bool(retry))
            here, away, work = deque[Unit](), deque[Unit](), []
            for unit in left:
                side = here if on is None or self._asks(unit, context) else away
                side.append(unit)
            if here:
                place = Place(partial(play, self, context), min(concurrency, len(here)))
                work += [run.work(place, here) for _ in range(place.at_once)]
            if away:
                place = await stack.enter_async_context(elsewhere(on, self, context))
                work += [run.work(place, away) for _ in range(place.at_once)]
            await _all(work, meter)
            shown.close()
            return self._ended(store, units, run, meter)

    def _ended(
        self, store: Store, units: Sequence[Unit], run: Run, meter: Meter
    ) -> Ended:
        """What became of the run; said where it is not whole."""
        missing = self.missing(store)
        failures = store.failures(self.name)
        failed = [failures[unit] for unit in units if unit in failures]
        UNFINISHED.pop(self.name, None)
        if missing:
            UNFINISHED[self.name] = f"{len(units) - missing} of {len(units)} units"
        if failed:
            print(
                f"{self.name}: {len(failed)} of {len(units)} units have failed. The first "
                f"said: {failed[0]}\nMend that, then run again with retry_failed=True."
            )
        error = failed[0] if failed else ""
        stopped = "partial: the budget is used up" if run.passed else ""
        ended = run.progress.ended(missing=missing, error=error, stopped=stopped)
        if run.passed is not None:
            raise _partial(run.passed, ended, meter)
        return ended

    def records(self, store: Store) -> Iterator[tuple[Unit, Any]]:
        """This sweep's finished units and their records, in the order of the grid."""
        for unit in self.units():
            record = store.record(unit)
            if record is not None:
                yield unit, record

    def missing(self, store: Store) -> int:
        """How many units have no record: a study with any is partial, and says so."""
        return sum(store.status(unit) != "done" for unit in self.units())

    def arguments(self, unit: Unit, context: Mapping[str, Any]) -> dict[str, Any]:
        """What the study is called with: settings, context, and its random stream."""
        given = {**unit.settings, **context, "rng": self.rng(unit)}
        for name, value in unit.settings.items():
            text = json.dumps(value, sort_keys=True)
            if '"source"' in text:  # an object stands in by its name
                given[name] = self._values.get(name, {}).get(text, value)
        if "repetition" in inspect.signature(self.study).parameters:
            given["repetition"] = unit.repetition
        return given

    def check(self, context: Mapping[str, Any]) -> None:
        """Refuse a context that the study does not take, or that lacks what it needs."""
        if PROMPTS in context:
            raise InvalidInput(f"{PROMPTS}: put it into the grid, a folder a value")
        twice = self.grid.keys() & context.keys()
        if twice:
            raise InvalidInput(f"{', '.join(twice)}: it is in the grid already")
        self._bound({*self.grid, *context}, whole=True)

    def _bound(self, names: Iterable[str], whole: bool = False) -> None:
        """Refuse names that the study does not take; `whole`, those it lacks too."""
        taken = inspect.signature(self.study)
        given = dict.fromkeys([*names, "rng"])
        try:
            taken.bind(**given) if whole else taken.bind_partial(**given)
        except TypeError as error:
            known = ", ".join(taken.parameters)
            raise InvalidInput(
                f"{self.name}: {error}; the study takes {known}"
            ) from None

    @property
    def parameters(self) -> dict[str, Any]:
        """All that determines the results, for a figure's provenance."""
        known = self._defaults.items()
        rest = {name: value for name, value in known if value is not None}
        how = {"repetitions": self.repetitions, "seed": self.seed}
        return {**rest, **self._plain, **how, "paired": list(self.paired)}

    @property
    def models(self) -> list[str]:
        """Names of models in the grid and the study's defaults; "model" is `run`'s."""
        grid = {name: list(values) for name, values in self.grid.items()}
        return sorted(models_in([self._defaults | grid]))

    def identity(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """What must not change under one name; the user's own code among it."""
        study = bare(self.study)
        plain = {name: _identified(context[name]) for name in sorted(context)}
        identity = {
            "study": f"{study.__module__}.{study.__qualname__}",
            "seed": self.seed,
            "paired": sorted(self.paired),
            "settings": sorted(self.grid),
            "context": {name: plain[name] for name in plain if plain[name] is not None},
        }
        if isinstance(self.study, partial) or own(study.__module__):
            identity["code"] = fingerprint(self.study)
        return identity

    @property
    def _plain(self) -> dict[str, list[Any]]:
        values = self._values.items()
        return {name: [json.loads(text) for text in texts] for name, texts in values}

    @property
    def _defaults(self) -> dict[str, Any]:
        taken = inspect.signature(self.study).parameters.values()
        own = [one for one in taken if one.name not in PASSED]
        return {one.name: one.default for one in own if one.default is not one.empty}

    def _asks(self, unit: Unit, context: Mapping[str, Any]) -> bool:
        """Whether a unit may ask a model."""
        if isinstance(context.get(MODEL), str) or any(map(_is_model, context.values())):
            return True
        return bool(models_in({**self._defaults, **unit.settings, **context}))

    def _check_prices(self, context: Mapping[str, Any]) -> None:
        """Refuse a budget where a model has no price."""
        default = context.get(MODEL)
        names = {*self.models, *models_in(context)}
        if default is None:
            names -= {MODEL}
        given = [value for value in context.values() if _is_model(value)]
        check_prices([*(named(name, default) for name in sorted(names)), *given])


async def _all(work: Iterable[Coroutine[Any, Any, None]], meter: Meter) -> None:
    """All workers to their end, or the first error; then the calls still on their way.

    A unit may end without them, as when one of a group that is asked together fails:
    they are paid, and kept.
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


def _partial(passed: BudgetExceeded, ended: Ended, meter: Meter) -> BudgetExceeded:
    """What a run ends with where the money does: whose budget, and how to go on."""
    of_all = meter.budget is None or passed.purse
    account = purse() if of_all else meter.budget
    larger = "BUDGET" if of_all else "budget_usd="
    spent = dollars(account.spent if account else meter.usd)
    error = BudgetExceeded(
        f"{passed} The run is partial: {ended.units - ended.missing} of {ended.units} "
        f"units are finished and kept; in all {spent} is spent. To go on, run again with "
        f"a larger {larger} (it counts what is spent already); what was kept is free."
    )
    error.ended = ended
    return error


def _by_text(setting: str, values: Any) -> dict[str, Any]:
    """Values of a setting by their text in a unit's settings."""
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        wanted = "a list with at least one value"
        raise InvalidInput(f"grid: {setting}={values!r} given; expected {wanted}")
    if setting == PROMPTS:
        values = [
            Path(folder) if isinstance(folder, str) else folder for folder in values
        ]
    by_text: dict[str, Any] = {}
    for value in values:
        try:
            text = json.dumps(value, sort_keys=True, default=_stand_in)
        except TypeError as error:
            raise InvalidInput(
                f"grid: {setting}={value!r} given; expected text, a number or a list, or "
                "something with a name and a source: a class, a function, a path, an "
                f"object with a name ({error})"
            ) from None
        by_text[text] = value
    if len(by_text) < len(values):
        raise InvalidInput(
            f"grid: {setting}={values!r} given; expected each value once"
        )
    return by_text


def _stand_in(value: Any) -> dict[str, str]:
    """What stands for an object in a unit's settings: its name, a digest of its source."""
    if _is_model(value):
        raise TypeError(f'name it: "{MODEL}:{value.model}"')
    name = getattr(value, "__name__", getattr(value, "name", None))
    if not isinstance(name, str) or (isinstance(value, Path) and not value.exists()):
        raise TypeError("it is not there, or has no name")
    return {"name": name, "source": fingerprint(value, whole=True)[:16]}


def _is_model(value: Any) -> bool:
    return hasattr(value, "model") and hasattr(value, "endpoint")


def _identified(value: Any) -> Any:
    """How a value of the context is told from another; None where it cannot be."""
    if _is_model(value):
        return f"{value.model} at {value.endpoint}"
    plain = isinstance(value, str | int | float | list | tuple | dict)
    return value if plain else None
