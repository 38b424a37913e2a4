"""Parameter grids over seeds: all combinations, repeated, kept unit by unit.

A unit's random stream depends on the sweep's seed, its settings and its repetition
alone: neither the order and place of execution, nor an interruption, nor a later
extension of the grid changes a result.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
import os
import platform
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from support import __version__
from support.data import REPEATED, UNFINISHED
from support.errors import BudgetExceeded, InvalidInput
from support.models import named, serving, throughout
from support.models.calls import ESTIMATE, Meter, metered
from support.models.model import ChatModel, check_prices
from support.models.money import Budget, open_purse
from support.models.profiles import MODEL, models_in
from support.models.request import whole
from support.presence import Presence
from support.prompts import SETS, check_folder
from support.runs.estimate import EACH, Rehearsal, alike, write
from support.runs.progress import Ended, Progress
from support.runs.source import bare, fingerprint, registered
from support.runs.study import LABEL, Row, Settings, Store, Unit
from support.runs.workers import Claims, Place, Run, Work, all_done, elsewhere, play

OBJECT = '"source"'  # in the text of a setting for which an object stands
VERSIONS = {
    "convene": __version__,
    "python": platform.python_version(),
    "numpy": np.__version__,
}
PROMPTS = (
    "prompts"  # a set of ours, or a folder, of which a unit's settings hold a digest
)
TERMS = "CONVENE_TERMS"  # in JSON, what a run of all notebooks says of theirs
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
    open_purse(budget)
    throughout(requests_per_minute=pace, timeout=timeout)
    _terms.update(retry_failed=retry_failed, concurrency=concurrency)


@dataclass(frozen=True)
class Sweep:
    """A study function over a grid of settings.

    The study is async, takes `rng`, the settings by name and perhaps `repetition`, and
    returns a record. Values of the grid are plain data, names of models among them, or
    a class, a function, a path or an object with a `name`, which stand in a unit's
    settings with a digest of their source. Values may have labels ({label: value}), by
    which frames call them. `paired` settings share their streams: repetition r means
    the same draw for each of their values.
    """

    name: str
    study: Callable[..., Awaitable[Any]]
    grid: Mapping[str, Sequence[Any] | Mapping[str, Any]]
    repetitions: int
    seed: int
    paired: Sequence[str] = ()

    def __post_init__(self) -> None:
        whole("seed", self.seed)
        whole("repetitions", self.repetitions, 1)
        self._values  # noqa: B018 - refuses what cannot stand in a grid

    @cached_property
    def _values(self) -> dict[str, Row]:
        """By setting, each value by its text in a unit's settings."""
        return {name: _by_text(name, given) for name, given in self.grid.items()}

    def units(self) -> Iterator[Unit]:
        """Every unit: for each combination of settings, each repetition.

        The first two repetitions alone while a run is estimated.
        """
        most = EACH if os.environ.get(ESTIMATE) else self.repetitions
        for texts in itertools.product(*self._values.values()):
            values = map(json.loads, texts)
            text = _text(dict(zip(self._values, values, strict=True)))
            for repetition in range(min(most, self.repetitions)):
                yield Unit(self.name, text, repetition)

    def rng(self, unit: Unit) -> np.random.Generator:
        """The random stream of a unit."""
        sequence = np.random.SeedSequence(self.seed, spawn_key=self._spawned(unit))
        return np.random.default_rng(sequence)

    def _spawned(self, unit: Unit) -> list[int]:
        return [*_digest(unit.text, *self.paired), unit.repetition]

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
        model: "local" (a process a core) or the address of a dask scheduler;
        `concurrency` is how many of the others are at work at a
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
        over = {"done"} if retry else {"done", "failed"}
        async with AsyncExitStack() as stack:
            enter = stack.enter_context
            enter(serving(cache=store.path))
            presence = enter(Presence(store.path))
            presence.others()  # removes what killed runs left beside the file
            claims = enter(closing(Claims(store.path, presence)))
            budget = None
            if budget_usd is not None:
                check_prices(self._connected(context))
                account = Budget(budget_usd, store.path, self.name, presence)
                budget = enter(closing(account))
            store.register(self.name, self.identity(context))
            rows = self.rows(store)
            here = list[Unit]()
            away = list[Unit]()
            for unit, row in rows.items():
                if row["status"] not in over:
                    stays = on is None or self._seated(unit.settings, context)
                    (here if stays else away).append(unit)
            await self._foretell(here, context)
            meter = enter(metered(Meter(budget)))
            skipped = len(rows) - len(here) - len(away)
            shown = Progress(self.name, len(rows), skipped, meter, progress)
            enter(closing(shown))
            run = Run(store, claims, shown, over, self._made(context))
            work = Work(self, context, on_error == "raise")
            place = Place(partial(play, work), min(at_once, len(here)))
            workers = run.workers(place, here)
            if away:
                place = await stack.enter_async_context(elsewhere(on, work))
                workers += run.workers(place, away)
            try:
                await all_done(workers, meter)
            except BaseException as error:
                self._ended(store, shown, f"{type(error).__name__}: {error}")
                raise
            ended = self._ended(store, shown, str(run.passed or ""))
            if file := os.environ.get(ESTIMATE):
                write(self, store, file)
            if run.passed is not None:
                larger = "BUDGET" if run.passed.purse else "budget_usd="
                partly = BudgetExceeded(
                    f"{run.passed} The run is partial: {ended.units - ended.missing} "
                    f"of {ended.units} units are finished and kept. To go on, run again "
                    f"with a larger {larger} (it counts what is spent already); what was "
                    "kept is free."
                )
                partly.ended = ended
                raise partly
            return ended

    async def _foretell(self, units: Sequence[Unit], context: Row) -> None:
        """Say where the repetitions of a setting are one question, before any is asked.

        Two of them are played with stand-ins; at a temperature they differ by seed.
        """
        asking = (unit for unit in units if self._seated(unit.settings, context))
        first = next(asking, None)
        if first is None or self.repetitions < EACH:
            return
        if self._given(first.settings, context).get("temperature"):
            return
        rehearsal = Rehearsal(self, context)
        units = [first._replace(repetition=number) for number in range(EACH)]
        try:
            sample = [await rehearsal.play(unit) for unit in units]
        except Exception:  # the study's own: the run plays it again, and tells
            return
        if alike(sample):
            print(
                f"{self.name}: at temperature 0 its {self.repetitions} repetitions "
                "are one question asked as many times; only the provider's own "
                "noise can differ, and they count as one draw."
            )

    def _ended(self, store: Store, progress: Progress, stopped: str) -> Ended:
        """What became of the run; said, as figures do, where it is not whole."""
        rows = list(self.rows(store).values())
        draws = [row["draw"] for row in rows if row["status"] == "done"]
        failed = [row for row in rows if row["status"] == "failed"]
        missing = len(rows) - len(draws)
        different = len(set(draws))
        for kept in (UNFINISHED, REPEATED):
            kept.pop(self.name, None)
        if missing:
            UNFINISHED[self.name] = f"{len(draws)} of {len(rows)} units"
        if different < len(draws):
            told = f"{different} draws in {len(draws)} units"
            REPEATED[self.name] = f"{told} (the others asked the very same)"
        first = failed[0] if failed else {"error": "", "traceback": ""}
        ended = progress.end(
            missing=missing,
            draws=different,
            error=first["error"],
            traceback=first["traceback"],
            stopped=stopped,
        )
        if failed and not stopped:
            print(
                f"{self.name}: {len(failed)} of {len(rows)} units have failed. The "
                f"first said: {ended.error}\nMend that, then run again with "
                "retry_failed=True."
            )
        for model, names, marks in store.answered(self.name):
            prints = f" (fingerprints {marks})" if marks else ""
            print(f"{self.name}: {model} was asked; {names} answered{prints}.")
        return ended

    def rows(self, store: Store, **sums: str) -> dict[Unit, Row]:
        """What is kept of each unit beside its record (`Store.units`), in the order of
        the grid; the status of one that is not stored is "missing".

        Finished ones have the number of their `draw`: units of a setting that asked the
        very same are one; who asked nobody is one of its own.
        """
        kept = store.units(self.name, **sums)
        known = dict[Any, int]()
        rows = {}
        for unit in self.units():
            row = rows[unit] = kept.get(unit, {"status": "missing"})
            if row["status"] == "done":
                asked = row["asked"] and frozenset(row["asked"].split(","))
                draw = unit.text, asked or unit.repetition
                row["draw"] = known.setdefault(draw, len(known))
        return rows

    def records(self, store: Store) -> Iterator[tuple[Unit, Any]]:
        """Finished units and their records, in the order of the grid: the first of each
        draw, so that they are independent observations."""
        first = dict[int, Unit]()
        for unit, row in self.rows(store).items():
            if row["status"] == "done":
                first.setdefault(row["draw"], unit)
        for unit in first.values():
            yield unit, store.record(unit)

    def missing(self, store: Store) -> int:
        """How many units have no record: a study with any is partial, and says so."""
        return sum(row["status"] != "done" for row in self.rows(store).values())

    def arguments(self, unit: Unit, context: Settings) -> Row:
        """What the study is called with: settings, context, and its random stream."""
        given = {**context, "rng": self.rng(unit)}
        for name, value in unit.settings.items():
            text = _text(value)
            stands_in = OBJECT in text  # by its name
            given[name] = self._values[name][text] if stands_in else unlabelled(value)
        if "repetition" in _signature(self.study).parameters:
            given["repetition"] = unit.repetition
        return given

    def _given(self, *given: Settings) -> Row:
        """The study's defaults, and over them what else it is called with by name."""
        taken = _signature(self.study).parameters.values()
        known = {one.name: one.default for one in taken if one.default is not one.empty}
        known.pop("repetition", None)  # the sweep's own
        for more in given:
            known |= more
        return known

    def _made(self, context: Settings) -> Callable[[Unit], Row]:
        """All that makes the record of a unit."""
        study = bare(self.study)
        name = f"{study.__module__}:{study.__qualname__}"
        given = json.loads(_text(self._given(context), _described))
        return lambda unit: {
            "study": name,
            "settings": {**given, **unit.settings},
            "seed": self.seed,
            "stream": self._spawned(unit),
            "repetition": unit.repetition,
            "versions": VERSIONS,
        }

    def check(self, context: Settings) -> None:
        """Refuse what the study does not take, or a lack of what it needs."""
        if PROMPTS in context:
            raise InvalidInput(f"{PROMPTS}: put it into the grid, a folder a value")
        if twice := self.grid.keys() & context.keys():
            raise InvalidInput(f"{', '.join(twice)}: it is in the grid already")
        taken = _signature(self.study)
        names = {*self.grid, *self.paired, *context, "rng"}
        try:
            taken.bind(**dict.fromkeys(names))
        except TypeError as error:
            known = f"the study takes {', '.join(taken.parameters)}"
            raise InvalidInput(f"{self.name}: {error}; {known}") from None

    @property
    def parameters(self) -> Row:
        """All that determines the results, for a figure's provenance."""
        known = self._given({"repetitions": self.repetitions, "seed": self.seed})
        for name, texts in self._values.items():
            known[name] = [json.loads(text) for text in texts]
        known["paired"] = list(self.paired)
        return {name: value for name, value in known.items() if value is not None}

    def identity(self, context: Settings) -> Row:
        """What must not change under one name; the user's own code among it."""
        study = bare(self.study)
        plain: Row = {}
        for name, value in context.items():
            if isinstance(value, ChatModel):
                plain[name] = f"{value.model} at {value.endpoint}"
            elif isinstance(value, str | int | float | list | tuple | dict):
                plain[name] = value
        identity: Row = {
            "study": f"{study.__module__}.{study.__qualname__}",
            "seed": self.seed,
            "paired": sorted(self.paired),
            "settings": sorted(self.grid),
            "context": plain,
        }
        code = registered(str([self.parameters, context]))
        code["the study"] = self.study
        for name, made in code.items():
            identity[f"code of {name}"] = fingerprint(made)
        return identity

    def _connected(self, context: Settings) -> Iterator[ChatModel]:
        """All whom a run may ask, connected."""
        default = context.get(MODEL)
        for one in self._seated(self.grid, context):
            if isinstance(one, ChatModel):
                yield one
            elif one != MODEL or default is not None:
                yield named(one, default)

    def _seated(self, *given: Settings) -> list[ChatModel | str]:
        """Whom the study may ask when it is called so: models, and names of models."""
        values = self._given(*given)
        seated = [value for value in values.values() if isinstance(value, ChatModel)]
        names = models_in(values)
        if isinstance(values.get(MODEL), str):
            names.add(MODEL)
        return [*seated, *sorted(names)]


@lru_cache
def _digest(text: str, *paired: str) -> list[int]:
    """What tells the streams of one setting from another's, in four numbers."""
    settings = json.loads(text)
    own = {name: settings[name] for name in settings if name not in paired}
    digest = hashlib.sha256(_text(own).encode()).digest()
    return np.frombuffer(digest[:16], dtype="<u4").tolist()


def _text(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    return json.dumps(value, sort_keys=True, default=default)


def unlabelled(value: Any) -> Any:
    """A setting's value as a study takes it: without its label."""
    labelled = isinstance(value, Mapping) and LABEL in value
    return value["value"] if labelled else value


def _by_text(setting: str, values: Any) -> Row:
    """Values of a setting by their text in a unit's settings."""
    if isinstance(values, Mapping):
        values = [
            value if label == value else {LABEL: label, "value": value}
            for label, value in values.items()
        ]
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        wanted = "a list with at least one value"
        raise InvalidInput(f"grid: {setting}={values!r} given; expected {wanted}")
    by_text = {}
    for value in values:
        itself = value
        if setting == PROMPTS and value is not None and value not in SETS:
            itself = Path(value)
            if not itself.is_dir():
                check_folder(itself)  # which says what there is
        try:
            by_text[_text(itself, _stand_in)] = unlabelled(itself)
        except TypeError as error:
            raise InvalidInput(
                f"grid: {setting}={value!r} given; expected text, a number or a list, "
                "or something with a name and a source: a class, a function, a path, an "
                f"object with a name ({error})"
            ) from None
    return by_text


def _stand_in(value: Any) -> dict[str, str]:
    """What stands for an object of a grid in a unit's settings."""
    if isinstance(value, ChatModel):
        raise TypeError(f'name it: "{MODEL}:{value.model}"; or give it to run: model=…')
    described = _described(value)
    if not described["source"]:
        raise TypeError("it is not there, or has no name")
    return described


def _described(value: Any) -> dict[str, str]:
    """An object as plain data: its name and a digest of its source, or where it is."""
    if isinstance(value, ChatModel):
        return {"name": value.model, "source": value.endpoint}
    name = getattr(value, "__name__", getattr(value, "name", None))
    lost = isinstance(value, Path) and not value.exists()
    if lost or not isinstance(name, str):
        return {"name": type(value).__name__, "source": ""}
    return {"name": name, "source": fingerprint(value)[:16]}
