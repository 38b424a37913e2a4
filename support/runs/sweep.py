"""Parameter grids over seeds: all combinations, repeated, kept unit by unit.

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
import os
import platform
import warnings
from collections import Counter, deque
from collections.abc import (
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AsyncExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from support import __version__, models
from support.data import REPEATED, UNFINISHED
from support.errors import BudgetExceeded, InvalidInput
from support.models import named, serving
from support.models.calls import ESTIMATE, Call, Meter, metered
from support.models.model import check_prices
from support.models.money import Budget, dollars, open_purse, purse
from support.models.profiles import MODEL, models_in
from support.models.request import whole
from support.presence import Presence
from support.runs.progress import Ended, Progress
from support.runs.source import bare, fingerprint, registered
from support.runs.study import Store, Unit, shown
from support.runs.workers import LOOK, Claims, Place, Run, Work, elsewhere, play

if TYPE_CHECKING:
    import pandas as pd

OBJECT = '"source"'  # in the text of a setting for which an object stands
VERSIONS = {
    "convene": __version__,
    "python": platform.python_version(),
    "numpy": np.__version__,
}
PROMPTS = "prompts"  # a folder of templates, of which a unit's settings hold a digest
PLAYED = 2  # repetitions of a setting that stand-ins play, to see what it asks
_terms = {"retry_failed": False, "concurrency": 8}
_signature = lru_cache(inspect.signature)


def terms(
    budget: float | None = None,
    retry_failed: bool = True,
    concurrency: int = 8,
    pace: int | None = None,
    timeout: float | None = None,
) -> None:
    """How all sweeps of this process run where they are not told otherwise.

    `budget` is what all calls may cost (US dollars), `pace` how many requests a minute
    each model gets at most, `timeout` the seconds that an attempt may take,
    `concurrency` how many units are at work at a time.
    """
    whole("CONCURRENCY", concurrency, 1)
    if pace is not None:
        whole("PACE", pace, 1)
    open_purse(budget)
    models.throughout(requests_per_minute=pace, timeout=timeout)
    _terms.update(retry_failed=retry_failed, concurrency=concurrency)


class _Value(NamedTuple):
    """A value of a setting, and what a table shows of it."""

    itself: Any
    labels: dict[str, Any]


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
    # By setting, each value by its text in a unit's settings.
    _values: dict[str, dict[str, _Value]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole("seed", self.seed)
        whole("repetitions", self.repetitions, 1)
        values = {name: _by_text(name, given) for name, given in self.grid.items()}
        object.__setattr__(self, "_values", values)

    def units(self) -> Iterator[Unit]:
        """Every unit: for each combination of settings, each repetition.

        The first two repetitions alone while a run is estimated.
        """
        first = PLAYED if os.environ.get(ESTIMATE) else self.repetitions
        repetitions = range(min(first, self.repetitions))
        for texts in itertools.product(*self._values.values()):
            settings, labels = dict[str, Any](), dict[str, Any]()
            for name, text in zip(self._values, texts, strict=True):
                settings[name] = json.loads(text)
                labels |= self._values[name][text].labels
            text = _text(settings)
            for repetition in repetitions:
                yield Unit(self.name, text, repetition, labels)

    def rng(self, unit: Unit) -> np.random.Generator:
        """The random stream of a unit."""
        return stream(self.seed, self._spawned(unit))

    def _spawned(self, unit: Unit) -> list[int]:
        return [*_digest(unit.text, tuple(self.paired)), unit.repetition]

    async def run(
        self,
        store: Store,
        *,
        on: Any = None,
        concurrency: int | None = None,
        progress: bool | Callable[[Ended], object] = True,
        retry_failed: bool | None = None,
        budget_usd: float | None = None,
        on_error: str = "keep",
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
        rest waits. With on_error="raise" the first error that is no model's ends the
        run as it was raised. BudgetExceeded, with the `ended` of the run, where money
        ends it. What became of a run is a line in the file that CONVENE_ENDED names;
        where CONVENE_ESTIMATE names one, two repetitions are played, and what all of
        them will take is written there.
        """
        self.check(context)
        at_once = _terms["concurrency"] if concurrency is None else concurrency
        retry = _terms["retry_failed"] if retry_failed is None else retry_failed
        whole("concurrency", at_once, 1)
        async with AsyncExitStack() as stack:
            stack.enter_context(serving(cache=store.path))
            presence = stack.enter_context(Presence(store.path))
            presence.others()  # removes what killed runs left beside the file
            claims = stack.enter_context(closing(Claims(store.path, presence)))
            budget = None
            if budget_usd is not None:
                self._check_prices(context)
                account = Budget(budget_usd, store.path, self.name, presence)
                budget = stack.enter_context(closing(account))
            store.register(self.name, self.identity(context))
            units = list(self.units())
            stored = store.finished(self.name, include_failed=not retry)
            left = [unit for unit in units if unit not in stored]
            await self._foretell(left, context)
            meter = stack.enter_context(metered(Meter(budget)))
            skipped = len(units) - len(left)
            shown = Progress(self.name, len(units), skipped, meter, progress)
            stack.enter_context(closing(shown))
            given = _text({**self._defaults, **context}, _described)
            made = partial(self._made, json.loads(given))
            run = Run(store, claims, shown, bool(retry), made)
            work = Work(self, context, on_error == "raise")
            here, away, workers = deque[Unit](), deque[Unit](), []
            for unit in left:
                side = here if on is None or self._asks(unit, context) else away
                side.append(unit)
            if here:
                place = Place(partial(play, work), min(at_once, len(here)))
                workers += [run.work(place, here) for _ in range(place.at_once)]
            if away:
                place = await stack.enter_async_context(elsewhere(on, work))
                workers += [run.work(place, away) for _ in range(place.at_once)]
            try:
                await _all(workers, meter)
            except BaseException as error:
                self._ended(store, shown, f"{type(error).__name__}: {error}")
                raise
            ended = self._ended(store, shown, str(run.passed or ""))
            if file := os.environ.get(ESTIMATE):
                self._estimate(store, file)
            if run.passed is not None:
                raise _partial(run.passed, ended, meter)
            return ended

    def _ended(self, store: Store, progress: Progress, stopped: str) -> Ended:
        """What became of the run; said, as figures do, where it is not whole."""
        units, draws = list(self.units()), self.draws(store)
        different, missing = len(set(draws.values())), len(units) - len(draws)
        for kept in (UNFINISHED, REPEATED):
            kept.pop(self.name, None)
        if missing:
            UNFINISHED[self.name] = f"{len(draws)} of {len(units)} units"
        if different < len(draws):
            alike = "(the others asked the very same)"
            REPEATED[self.name] = f"{different} draws in {len(draws)} units {alike}"
        failures = store.units(self.name, "failed")
        failed = [failures[unit] for unit in units if unit in failures]
        both = ("error", "traceback") if failed else ()
        told = {name: failed[0][name] or "" for name in both}
        ended = progress.end(missing=missing, draws=different, stopped=stopped, **told)
        if failed and not stopped:
            print(
                f"{self.name}: {len(failed)} of {len(units)} units have failed. The "
                f"first said: {ended.error}\nMend that, then run again with "
                "retry_failed=True."
            )
        for model, names, marks in store.answered(self.name):
            prints = f" (fingerprints {marks})" if marks else ""
            print(f"{self.name}: {model} was asked; {names} answered{prints}.")
        return ended

    async def _foretell(self, units: Sequence[Unit], context: dict[str, Any]) -> None:
        """Say where the repetitions of a setting are one question, before any is asked.

        Two of them are played with stand-ins; at a temperature they differ by seed.
        """
        first = next((unit for unit in units if self._asks(unit, context)), None)
        if first is None or self.repetitions < PLAYED:
            return
        given = {**self._defaults, **self.arguments(first, context)}
        if given.get("temperature"):
            return
        from support.runs.estimate import estimate

        grid = {name: [given[name]] for name in self.grid}
        pair = replace(self, grid=grid, repetitions=PLAYED)
        with warnings.catch_warnings(action="ignore"), suppress(Exception):
            asked = await estimate(pair, **context)  # what fails there, fails again
            if asked["draws"].max() == 1:
                print(
                    f"{self.name}: at temperature 0 its {self.repetitions} repetitions "
                    "are one question asked as many times; only the provider's own "
                    "noise can differ, and they count as one draw."
                )

    def _estimate(self, store: Store, file: str) -> None:
        """Write what all repetitions will take, from those that stand-ins played."""
        from support.runs.estimate import scaled

        played: dict[str, tuple[int, list[list[Call]]]] = {}
        for unit in self.units():
            of_setting = played.setdefault(unit.text, (self.repetitions, []))
            of_setting[1].append(store.calls(unit))
        frame = scaled(played).assign(sweep=self.name)
        if len(frame):
            with open(file, "a", encoding="utf-8") as lines:
                frame.to_json(lines, orient="records", lines=True)

    def draws(self, store: Store) -> dict[Unit, int]:
        """The draw of each finished unit, in the order of the grid: units of a setting
        that asked the very same are one; who asked nobody is one of its own."""
        done = store.finished(self.name, include_failed=False)
        asked, known = store.asked(self.name), dict[Any, int]()
        draws = {}
        for unit in self.units():
            if unit in done:
                which = unit.text, asked.get(unit, unit)
                draws[unit] = known.setdefault(which, len(known))
        return draws

    def records(
        self, store: Store, *, every: bool = False
    ) -> Iterator[tuple[Unit, Any]]:
        """Finished units and their records, in the order of the grid: the first of each
        draw, so that they are independent observations, or `every` one."""
        seen = set[int]()
        for unit, draw in self.draws(store).items():
            if every or draw not in seen:
                seen.add(draw)
                yield unit, store.record(unit)

    def missing(self, store: Store) -> int:
        """How many units have no record: a study with any is partial, and says so."""
        return len(list(self.units())) - len(self.draws(store))

    def frame(self, store: Store) -> pd.DataFrame:
        """One row a unit: its settings, what became of it, and its record's outcome."""
        from support.runs.frames import units_frame

        return units_frame(self, store)

    def arguments(self, unit: Unit, context: Mapping[str, Any]) -> dict[str, Any]:
        """What the study is called with: settings, context, and its random stream."""
        given = {**unit.settings, **context, "rng": self.rng(unit)}
        if OBJECT in unit.text:  # it stands in by its name
            for name, values in self._values.items():
                text = _text(given[name])
                if OBJECT in text and text in values:
                    given[name] = values[text].itself
        if "repetition" in _signature(self.study).parameters:
            given["repetition"] = unit.repetition
        return given

    def _made(self, given: Mapping[str, Any], unit: Unit) -> dict[str, Any]:
        """All that makes the record of a unit: `replay` plays it again from this."""
        study = bare(self.study)
        return {
            "study": f"{study.__module__}:{study.__qualname__}",
            "settings": {**given, **unit.settings},
            "seed": self.seed,
            "stream": self._spawned(unit),
            "repetition": unit.repetition,
            "versions": VERSIONS,
        }

    def check(self, context: Mapping[str, Any]) -> None:
        """Refuse what the study does not take, or a lack of what it needs."""
        if PROMPTS in context:
            raise InvalidInput(f"{PROMPTS}: put it into the grid, a folder a value")
        twice = self.grid.keys() & context.keys()
        if twice:
            raise InvalidInput(f"{', '.join(twice)}: it is in the grid already")
        taken = _signature(self.study)
        try:
            taken.bind(**dict.fromkeys({*self.grid, *self.paired, *context, "rng"}))
        except TypeError as error:
            known = f"the study takes {', '.join(taken.parameters)}"
            raise InvalidInput(f"{self.name}: {error}; {known}") from None

    @property
    def parameters(self) -> dict[str, Any]:
        """All that determines the results, for a figure's provenance."""
        known = {**self._defaults, "repetitions": self.repetitions, "seed": self.seed}
        for name, texts in self._values.items():
            known[name] = [json.loads(text) for text in texts]
        given = {name: known[name] for name in known if known[name] is not None}
        return {**given, "paired": list(self.paired)}

    @property
    def models(self) -> list[str]:
        """Names of models in the grid and the study's defaults; "model" is `run`'s."""
        return sorted(models_in({**self._defaults, **self.grid}))

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
        code = registered(str([self.parameters, context])) | {"the study": self.study}
        return identity | {f"code of {name}": fingerprint(code[name]) for name in code}

    @property
    def _defaults(self) -> dict[str, Any]:
        taken = _signature(self.study).parameters.values()
        known = {one.name: one.default for one in taken if one.default is not one.empty}
        known.pop("repetition", None)  # the sweep's own
        return known

    def _asks(self, unit: Unit, context: Mapping[str, Any]) -> bool:
        """Whether a unit may ask a model."""
        given = {**self._defaults, **unit.settings, **context}
        seated = any(map(is_model, context.values())) or models_in(given)
        return bool(seated or isinstance(context.get(MODEL), str))

    def _check_prices(self, context: Mapping[str, Any]) -> None:
        """Refuse a budget where a model has no price."""
        seated = {**self._defaults, **self.grid, **context}
        default, names = context.get(MODEL), models_in(seated)
        if default is None:
            names.discard(MODEL)
        connected = [named(name, default) for name in sorted(names)]
        check_prices([*connected, *filter(is_model, context.values())])


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
        f"units are finished and kept; in all {spent} is spent. To go on, run again "
        f"with a larger {larger} (it counts what is spent already); what was kept is free."
    )
    error.ended = ended
    return error


def stream(seed: int, spawned: Sequence[int]) -> np.random.Generator:
    """The random stream of a unit, from its sweep's seed and a key of its own."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=spawned))


@lru_cache
def _digest(text: str, paired: tuple[str, ...]) -> list[int]:
    """What tells the streams of one setting from another's, in four numbers."""
    settings = json.loads(text)
    own = {name: settings[name] for name in settings if name not in paired}
    digest = hashlib.sha256(_text(own).encode()).digest()
    return np.frombuffer(digest[:16], dtype="<u4").tolist()


def _text(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    return json.dumps(value, sort_keys=True, default=default)


def _by_text(setting: str, values: Any) -> dict[str, _Value]:
    """Values of a setting by their text in a unit's settings.

    Of those that would look alike in a table, the second gets a number.
    """
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        wanted = "a list with at least one value"
        raise InvalidInput(f"grid: {setting}={values!r} given; expected {wanted}")
    by_text, alike = dict[str, _Value](), Counter[str]()
    for value in values:
        itself = Path(value) if setting == PROMPTS and value else value
        try:
            text = _text(itself, _stand_in)
        except TypeError as error:
            raise InvalidInput(
                f"grid: {setting}={value!r} given; expected text, a number or a list, "
                "or something with a name and a source: a class, a function, a path, an "
                f"object with a name ({error})"
            ) from None
        labels = shown({setting: json.loads(text)})
        label = str(labels[setting])
        alike[label] += 1
        if alike[label] > 1:
            labels[setting] = f"{label} ({alike[label]})"
        by_text[text] = _Value(itself, labels)
    return by_text


def _stand_in(value: Any) -> dict[str, str]:
    """What stands for an object of a grid in a unit's settings."""
    if is_model(value):
        raise TypeError(f'name it: "{MODEL}:{value.model}"')
    described = _described(value)
    if not described["source"]:
        raise TypeError("it is not there, or has no name")
    return described


def _described(value: Any) -> dict[str, str]:
    """An object as plain data: its name and a digest of its source, or where it is."""
    if is_model(value):
        return {"name": value.model, "source": value.endpoint}
    name = getattr(value, "__name__", getattr(value, "name", None))
    if not isinstance(name, str) or (isinstance(value, Path) and not value.exists()):
        return {"name": type(value).__name__, "source": ""}
    return {"name": name, "source": fingerprint(value)[:16]}


def is_model(value: Any) -> bool:
    """Whether a value is a connected model."""
    return hasattr(value, "model") and hasattr(value, "endpoint")


def _identified(value: Any) -> Any:
    """How a value of the context is told from another; None where it cannot be."""
    if is_model(value):
        return f"{value.model} at {value.endpoint}"
    plain = isinstance(value, str | int | float | list | tuple | dict)
    return value if plain else None
