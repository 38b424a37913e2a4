"""What a sweep will take, before it runs: a sample of its units is played with stand-ins in the seats of its models.

What they asked is scaled up. Nothing is sent.
"""

from __future__ import annotations

import inspect
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from html import escape
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from support.errors import (
    CacheMiss,
    DamagedFile,
    InvalidInput,
    MissingData,
    ModelUnavailable,
)
from support.models import connect, serving
from support.models.calls import Call, Meter, collected, metered
from support.models.endpoint import RUNS_ON
from support.models.model import ChatModel
from support.models.money import dollars
from support.models.profiles import MODEL, check_prices, models_in
from support.models.stand_ins import ENDPOINT, stand_in, tokens

if TYPE_CHECKING:
    import pandas as pd

    from support.runs.study import Store, Unit
    from support.runs.sweep import Sweep

STOPS = (ModelUnavailable, CacheMiss, MissingData, DamagedFile)
FILL = 0.25  # of its greatest length, what a text usually has
# Seconds until a reply begins, and tokens a second from then; tokens that ask a model to mend its reply.
FIRST_TOKEN, PACE, COMPLAINT = 0.5, 50.0, 60
Takes = dict[
    str, list[np.ndarray]
]  # by setting, what each unit took: the five numbers of an estimate, and waiting


class Range(NamedTuple):
    """A number that is not known yet: `low` and `high` are as if units were like the least and most of theirs."""

    low: float
    expected: float
    high: float
    worst: float


@dataclass(frozen=True, repr=False)
class Estimate:
    """What the units of a sweep that are not finished yet will take; `usd` is None where a model has no price."""

    sweep: str
    models: tuple[str, ...]
    units: int
    finished: int
    calls: Range
    prompt_tokens: Range
    completion_tokens: Range
    usd: Range | None
    seconds: Range
    assumptions: tuple[str, ...]

    def __repr__(self) -> str:
        return "\n  - ".join(
            (
                f"{self._title}\n{self.table().to_string(index=False)}\nAssumes:",
                *self.assumptions,
            )
        )

    def _repr_html_(self) -> str:
        why = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.assumptions)
        return (  # MathJax takes the text between two dollars for a formula
            f"<div class='tex2jax_ignore mathjax_ignore'>{escape(self._title)}{self.table().to_html(index=False)}"
            f"<details><summary>What this assumes</summary><ul>{why}</ul></details></div>"
        )

    @property
    def _title(self) -> str:
        done = f", {self.finished} are finished" if self.finished else ""
        return f"{self.sweep!r} with {', '.join(self.models) or 'no model'}: {self.units} units to do{done}"

    def table(self) -> pd.DataFrame:
        """One row for each of calls, tokens, US dollars and time, as people read them."""
        import pandas as pd

        rows = [
            [f"{n:,.0f}" for n in row]
            for row in (self.calls, self.prompt_tokens, self.completion_tokens)
        ]
        rows.append(
            [dollars(usd) for usd in self.usd] if self.usd else ["no price"] * 4
        )
        rows.append([str(timedelta(0, round(seconds))) for seconds in self.seconds])
        names = ("calls", "prompt tokens", "completion tokens", "money", "time")
        return pd.DataFrame(rows, names, Range._fields).reset_index(names="")


async def calls_of(
    sweep: Sweep, unit: Unit, **context: Any
) -> tuple[list[Call], Exception | None]:
    """Play one unit for its calls, and say what ended it before its time; its record is not kept."""
    with collected() as calls:
        try:
            await sweep.study(**sweep.arguments(unit, context))
        except STOPS:
            raise
        except Exception as error:  # it is handed back, and said with the estimate
            return calls, error
    return calls, None


async def estimate(
    sweep: Sweep, model: ChatModel | str | None = None, *, sample: int = 12, concurrency: int = 8,
    seconds_per_call: float | None = None, store: Store | None = None, **context: Any
) -> Estimate:  # fmt: skip
    """What a sweep will take with the models that its settings name: calls, tokens, US dollars, time. Nothing is sent.

    `model` stands for "model" without a name. `sample` units are played, spread evenly over the settings; where `store`
    has finished units of a setting, those count instead. A profile's requests and tokens a minute slow it down.
    InvalidInput when no unit can be played, or a participant hides a model of its own.
    """
    for name, value in {
        "sample": sample,
        "concurrency": concurrency,
        "seconds_per_call": seconds_per_call,
    }.items():
        if value is not None and not 0 < value < math.inf:
            raise InvalidInput(f"{name}={value!r}: expected a number above 0.")
    if (
        model is not None
        and MODEL in inspect.signature(sweep.study).parameters
        and MODEL not in sweep.grid
    ):
        context[MODEL] = model
    sweep.check(context)
    plays, finished = (
        _Plays(sweep, context, seconds_per_call),
        store.finished(sweep.name) if store else set(),
    )
    todo = [unit for unit in sweep.units() if unit not in finished]
    places = np.linspace(
        0, len(todo) - 1, min(int(sample), len(todo))
    )  # over settings and repetitions alike
    await plays.play([todo[int(place)] for place in places])
    if store:
        for unit in finished.intersection(sweep.units()):
            plays.measure(
                unit, store.calls(unit) if store.status(unit) == "done" else ()
            )
    for name in models_in([unit.settings for unit in todo]) - {MODEL}:
        plays.asked.add(plays.place(name.removeprefix(f"{MODEL}:")))
    *rows, waits = np.transpose(plays.totals(Counter(unit.text for unit in todo)))
    rows[4] = np.maximum(rows[4] / min(concurrency, len(todo) or 1), waits)
    calls, read, written, usd, seconds = (Range(*map(float, row)) for row in rows)
    models = {f"{model.name} at {model.endpoint}": model for model in plays.asked}
    pace = (
        f"a call takes {seconds_per_call:g} s"
        if seconds_per_call
        else f"a model writes {PACE:g} tokens a second"
    )
    return Estimate(
        sweep.name, tuple(sorted(models)), len(todo), len(finished), calls, read, written,
        usd if all(model.price for model in models.values()) else None, seconds,
        (*plays.sentences(len(todo), models), f"{concurrency} units are at work at a time, and {pace}."),
    )  # fmt: skip


class _Plays:
    """Units played with stand-ins, and finished ones: what each took."""

    def __init__(
        self, sweep: Sweep, context: dict[str, Any], seconds_per_call: float | None
    ) -> None:
        self.sweep, self.context, self.seconds_per_call = (
            sweep,
            context,
            seconds_per_call,
        )
        self.models = {
            name: value
            for name, value in context.items()
            if isinstance(value, ChatModel)
        }
        self.kept = all(
            model.cache is not None for model in self.models.values()
        )  # a run keeps what it connects
        self.asked = set[ChatModel]()  # whose calls are counted
        self.usual, self.other, self.worst, self.measured = (
            defaultdict[str, list[np.ndarray]](list) for _ in range(4)
        )
        self.played: list[tuple[list[Call], Exception | None]] = []

    def place(self, name: str) -> ChatModel:
        """Whom a stand-in of this name takes the place of: connected, and never asked."""
        if name not in self.models:
            self.models[name] = connect(
                self.context.get(name, name), api_key="not asked"
            )
        return self.models[name]

    async def play(self, units: Sequence[Unit]) -> None:
        """The units at the usual length of texts; one of each setting at half, at double, and at all that they may be.

        What ends a discussion is chosen half of the time where it can be; in the longer plays seldom, and never.
        """
        for unit in units:
            self.played.append(await self._stood_in(unit, FILL, 0.5))
            self._keep(self.usual, unit, self.played[-1][0], FILL)
        if self.played and all(error and not calls for calls, error in self.played):
            error = self.played[0][1]
            raise InvalidInput(
                f"estimate: no unit of {self.sweep.name!r} can be played. {error}"
            ) from error
        for unit in {unit.text: unit for unit in reversed(units)}.values():
            for takes, fill, ends in (
                (self.other, FILL / 2, 0.5),
                (self.other, 2 * FILL, 0.1),
                (self.worst, 1.0, 0.0),
            ):
                self._keep(
                    takes, unit, (await self._stood_in(unit, fill, ends))[0], fill
                )

    async def _stood_in(
        self, unit: Unit, fill: float, ends: float
    ) -> tuple[list[Call], Exception | None]:
        def make(name: str) -> ChatModel:
            return stand_in(
                fill=fill, ends=ends, name=name, profile=self.place(name).profile
            )

        async def reserve(worst_usd: float, what: str) -> int:
            name = what.rpartition(" by ")[2]
            if (
                worst_usd or name not in self.models
            ):  # stand-ins are free, also of a name that somebody else has
                raise ModelUnavailable(f"{name!r} was about to be asked")
            return 0

        # In the place of a budget: nobody else gets any money.
        shut: Any = SimpleNamespace(reserve=reserve, settle=lambda number, usd: None)
        seated = {
            name: make(name)
            for name in self.context
            if name in self.models or name == MODEL
        }
        try:
            with metered(Meter(shut)), serving(make=make):
                return await calls_of(self.sweep, unit, **{**self.context, **seated})
        except ModelUnavailable as error:
            said = f"estimate: a participant of {self.sweep.name!r} has a model of its own; nothing was sent ({error})."
            raise InvalidInput(
                f'{said} Name it in the settings ("model:NAME"), or pass it to the study.'
            ) from None

    def measure(self, unit: Unit, calls: Sequence[Call]) -> None:
        """Take what a finished unit asked these models."""
        known = {(model.model, model.endpoint) for model in self.models.values()}
        if calls and known.issuperset((call.model, call.endpoint) for call in calls):
            self._keep(self.measured, unit, calls)

    def _keep(
        self, takes: Takes, unit: Unit, calls: Sequence[Call], fill: float = 0.0
    ) -> None:
        """What the calls took; a question that is asked twice costs once where a cache keeps the reply."""
        worst, once = (
            takes is self.worst,
            {call.key if self.kept else n: call for n, call in enumerate(calls)},
        )
        parts = [
            self._part(call, fill, worst)
            for call in once.values()
            if not (worst and call.repair)
        ]
        takes[unit.text].append(np.sum([np.zeros(6), *parts], axis=0))

    def _part(self, call: Call, fill: float, worst: bool) -> np.ndarray:
        """One call, or at the worst one with all its repairs, each of which repeats what was said before."""
        stood, asked = (
            call.endpoint == ENDPOINT and call.model in self.models,
            json.loads(call.question or "{}"),
        )
        same = (
            m
            for m in self.models.values()
            if (m.model, m.endpoint) == (call.model, call.endpoint)
        )
        model = self.models[call.model] if stood else next(same)
        self.asked.add(model)
        known, price, schema = model.profile, model.price, asked.get("schema") or ""
        prompt, written, times = call.prompt_tokens, call.completion_tokens, 1
        if (
            stood
        ):  # the embedded model's schema is its grammar, and no part of its prompt
            prompt += 0 if model.endpoint == "embedded" else tokens(schema)
            written += round(fill * known.thinking)
        if worst:
            most, times = asked["max_tokens"], 1 + model.repairs if schema else 1
            thinks = known.thinking or known.reasoning_effort
            written = max(
                most, min(known.longest, known.longest if thinks else most * RUNS_ON)
            )
        read, wrote = (
            times * prompt + times * (times - 1) // 2 * (written + COMPLAINT),
            times * written,
        )
        usd = price.cost(read, wrote) if price else math.nan
        seconds = times * (
            self.seconds_per_call or call.seconds or FIRST_TOKEN + written / PACE
        )
        requests, room = (
            known.requests_per_minute or math.inf,
            known.tokens_per_minute or math.inf,
        )
        return np.array(
            [
                times,
                read,
                wrote,
                usd,
                seconds,
                60 * max(times / requests, (read + wrote) / room),
            ]
        )

    def totals(self, todo: Mapping[str, int]) -> list[np.ndarray]:
        """All units to do, each taken as the units of its setting that were looked at, or as all of those."""

        def total(takes: Takes, of: Callable[..., np.ndarray]) -> np.ndarray:
            every = [one for some in takes.values() for one in some]
            parts = (
                count * of(takes.get(text) or every, axis=0)
                for text, count in todo.items()
            )
            return np.sum([np.zeros(6), *parts], axis=0)

        around = {
            text: takes + self.other[text] for text, takes in self.usual.items()
        } | self.measured
        worst = {text: takes + self.worst[text] for text, takes in around.items()}
        middle = total(self.usual | self.measured, np.mean)
        return [
            total(around, np.min),
            middle,
            total(around, np.max),
            total(worst, np.max),
        ]

    def sentences(self, todo: int, models: Mapping[str, ChatModel]) -> Iterator[str]:
        """What the numbers rest on, in the order in which it matters."""
        played, asked = (
            len(self.played),
            [call for calls, _ in self.played for call in calls],
        )
        said = f"{played} of {todo} units were played with stand-ins, whose replies are random"
        yield f"{said}: they may end a discussion earlier or later than a real model would."
        if self.measured:
            yield f"For {len(self.measured)} settings the calls of finished units count instead."
        mended, room = (
            sum(call.repair > 0 for call in asked),
            f"{RUNS_ON} times its room (longest=, if it thinks)",
        )
        yield f"{mended} of {len(asked)} replies mend a form; at the worst each has {room} and all its repairs."
        if errors := [error for _, error in self.played if error]:
            said = f"the first said {type(errors[0]).__name__}: {errors[0]}"
            yield f"{len(errors)} of the units played broke off, and count with what they asked; {said}"
        try:
            check_prices(model for _, model in sorted(models.items()))
        except ModelUnavailable as error:
            yield f"No price: {error}"
        dates = sorted(
            {
                str(model.price.date)
                for model in models.values()
                if model.price and model.price.date
            }
        )
        yield f"Prices are those of models.toml{f' ({dates[0]})' if dates else ''}; attempts that fail come on top."
