"""What a sweep will take, before it runs: a sample of its units is played with stand-ins in the seats of its models.

What they asked is scaled up. Nothing is sent.
"""

from __future__ import annotations

import inspect
import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from support.errors import CacheMiss, DamagedFile, InvalidInput, MissingData, ModelUnavailable
from support.models import connect, serving
from support.models.calls import Call, Meter, collected, metered
from support.models.endpoint import RUNS_ON
from support.models.fakes import ENDPOINT, stand_in, tokens
from support.models.model import ChatModel
from support.models.money import dollars
from support.models.profiles import MODEL, VARIABLE, models_in

if TYPE_CHECKING:
    import pandas as pd

    from support.runs.study import Store, Unit
    from support.runs.sweep import Sweep

LEVELS = ("low", "expected", "high", "worst")
NUMBERS = ("calls", "prompt tokens", "completion tokens", "US dollars", "seconds")
STOPS = (ModelUnavailable, CacheMiss, MissingData, DamagedFile)
FIRST_TOKEN, COMPLAINT = 0.5, 60  # seconds until a reply begins; tokens that ask a model to mend its reply
REPLIES = (
    "Replies are drawn at random: they may end a discussion earlier or later than a real model would. At the worst one "
    f"with a form is asked for again as often as repairs= allows, with {RUNS_ON} times its room, or all of longest= if "
    "the model's profile says that it thinks; one that thinks without its profile saying so takes more."
)


@dataclass(frozen=True, slots=True)
class Range:
    """A number that is not known yet: `low` and `high` are as if units were like the least and most of theirs."""

    low: float
    expected: float
    high: float
    worst: float


@dataclass(frozen=True)
class Estimate:
    """What the units of a sweep that are not finished yet will take; `usd` is None where a model has no price."""

    sweep: str
    models: tuple[str, ...]
    units: int
    finished: int
    sampled: int
    measured: int
    calls: Range
    prompt_tokens: Range
    completion_tokens: Range
    usd: Range | None
    seconds: Range
    assumptions: tuple[str, ...]

    def table(self) -> pd.DataFrame:
        """One row for each of calls, tokens, US dollars (missing without a price) and seconds."""
        import pandas as pd

        rows = (self.calls, self.prompt_tokens, self.completion_tokens, self.usd, self.seconds)
        cells = [[getattr(row, level, math.nan) for level in LEVELS] for row in rows]
        return pd.DataFrame(cells, columns=list(LEVELS)).set_axis(NUMBERS).rename_axis("what").reset_index()

    def __str__(self) -> str:
        return "\n  - ".join((f"{self._title}\n{self._said.to_string(index=False)}\nAssumes:", *self.assumptions))

    def _repr_html_(self) -> str:
        why = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.assumptions)
        return (  # MathJax takes the text between two dollars for a formula
            f"<div class='tex2jax_ignore mathjax_ignore'>{escape(self._title)}{self._said.to_html(index=False)}"
            f"<details><summary>What this assumes</summary><ul>{why}</ul></details></div>"
        )

    @property
    def _title(self) -> str:
        done = f", {self.finished} are finished" if self.finished else ""
        return f"{self.sweep!r} with {', '.join(self.models) or 'no model'}: {self.units} units to do{done}"

    @property
    def _said(self) -> pd.DataFrame:
        """The table as people read it."""
        table, money = self.table(), dollars if self.usd else lambda _: "no price"
        ways: tuple[Any, ...] = (*["{:,.0f}".format] * 3, money, lambda seconds: timedelta(0, round(seconds)))
        rows = [[what, *(str(way(v)) for v in row)] for way, (what, *row) in zip(ways, table.to_numpy(), strict=True)]
        return type(table)(rows, columns=table.columns)


async def calls_of(sweep: Sweep, unit: Unit, **context: Any) -> tuple[list[Call], Exception | None]:
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
    seconds_per_call: float | None = None, tokens_per_second: float = 50.0, requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None, store: Store | None = None, fill: float = 0.25,
    chars_per_token: float | None = None, seed: int = 0, **context: Any
) -> Estimate:  # fmt: skip
    """What a sweep will take with the models that its settings name: calls, tokens, US dollars, time. Nothing is sent.

    `model` stands for "model" without a name. `sample` units are played, spread evenly over the settings, texts having
    `fill` of their greatest length, and one of each setting at other lengths; where `store` has finished units of a
    setting, those count instead. InvalidInput when no unit can be played, or a participant hides a model of its own.
    """
    rates = {"requests_per_minute": requests_per_minute, "tokens_per_minute": tokens_per_minute}
    times = {"seconds_per_call": seconds_per_call, "tokens_per_second": tokens_per_second}
    for name, value in {"sample": sample, "concurrency": concurrency, **rates, **times}.items():
        if value is not None and (isinstance(value, bool) or not 0 < value < math.inf):
            raise InvalidInput(f"{name}={value!r}: expected a number above 0.")
    if model is not None and MODEL in inspect.signature(sweep.study).parameters and MODEL not in sweep.grid:
        context[MODEL] = model
    sweep.check(context)
    plays = _Plays(sweep, context, fill, chars_per_token, seed, seconds_per_call, tokens_per_second)
    finished = store.finished(sweep.name) if store is not None else set()
    todo = [unit for unit in sweep.units() if unit not in finished]
    places = np.linspace(0, len(todo) - 1, min(int(sample), len(todo)))  # over settings and repetitions alike
    await plays.play([todo[int(place)] for place in places])
    for unit in finished.intersection(sweep.units()):
        assert store is not None
        plays.measure(unit, store.calls(unit) if store.status(unit) == "done" else ())
    totals = plays.totals(Counter(unit.text for unit in todo))
    for row in totals:  # what calls take one after another, or what the limits take, whichever is longer
        waits = (row[0] / (requests_per_minute or math.inf), (row[1] + row[2]) / (tokens_per_minute or math.inf))
        row[4] = max(row[4] / min(concurrency, len(todo) or 1), 60 * max(waits))
    ranges: list[Any] = [Range(*map(float, column)) for column in np.array(totals).T]
    for name in models_in([unit.settings for unit in todo]) - {MODEL}:
        plays.asks(plays.place(name.removeprefix(f"{MODEL}:")))
    missing = [model for model in plays.asked.values() if model.price is None]
    pace = "".join(f", {name}={rate:g}" for name, rate in {**rates, **times}.items() if rate)
    time = f"{concurrency} units are at work at a time{pace}."
    count, named = plays.count, tuple(sorted(plays.asked))
    return Estimate(
        sweep.name, named, len(todo), len(finished), count["sampled"], count["measured"], ranges[0], ranges[1],
        ranges[2], None if missing else ranges[3], ranges[4], assumptions=(*plays.sentences(todo, missing), time),
    )  # fmt: skip


class _Shut:
    """In the place of a budget: stand-ins need no money, and nobody else gets any."""

    def __init__(self, stood_in: Mapping[str, Any]) -> None:
        self._stood_in = stood_in

    async def reserve(self, worst_usd: float, what: str) -> int:
        if (name := what.rpartition(" by ")[2]) not in self._stood_in:
            raise ModelUnavailable(f"{name!r} was about to be asked")
        return 0

    def settle(self, number: int, usd: float | None) -> None: ...


class _Plays:
    """Units played with stand-ins: what each took (`NUMBERS`), by its setting."""

    def __init__(self, sweep: Sweep, context: dict[str, Any], fill: float, characters: float | None, *how: Any) -> None:
        self.sweep, self.context, self.fill, self.characters = sweep, context, fill, characters
        self.seed, self.seconds_per_call, self.tokens_per_second = how
        self.models = {name: value for name, value in context.items() if isinstance(value, ChatModel)}
        self.kept = all(model.cache is not None for model in self.models.values())  # a run keeps what it connects
        self.asked: dict[str, ChatModel] = {}
        self.taken: dict[str, dict[str, list[np.ndarray]]] = {"usual": {}, "other": {}, "worst": {}, "measured": {}}
        self.count: Counter[str] = Counter()
        self.errors: list[Exception] = []

    def place(self, name: str) -> ChatModel:
        """Whom a stand-in of this name takes the place of: connected, and never asked."""
        if name not in self.models:
            self.models[name] = connect(self.context.get(name, name), api_key="not asked")
        return self.models[name]

    def asks(self, model: ChatModel) -> ChatModel:
        """Remember whose calls are counted."""
        return self.asked.setdefault(f"{model.name} at {model.endpoint}", model)

    async def play(self, units: Sequence[Unit]) -> None:
        """The units at the usual length of texts; one of each setting at half, at double, and at all that they may be.

        What ends a discussion is chosen half of the time where it can be; in the longer plays seldom, and never.
        """
        one_each = list({unit.text: unit for unit in reversed(units)}.values())
        lengths = ((self.fill, 0.5), (self.fill / 2, 0.5), (min(1.0, 2 * self.fill), 0.1), (1.0, 0.0))
        for kind, (fill, ends) in zip(("usual", "other", "other", "worst"), lengths, strict=True):
            for unit in units if kind == "usual" else one_each:
                calls, error = await self._stood_in(unit, fill, ends)
                self._keep(kind, unit, calls, fill)
                if kind == "usual":
                    self.errors += [error] if error else []
                    self.count.update(sampled=1, asked=len(calls), repairs=sum(call.repair > 0 for call in calls))
        if units and len(self.errors) == len(units) and not self.count["asked"]:
            said = f"estimate: no unit of {self.sweep.name!r} can be played. {self.errors[0]}"
            raise InvalidInput(said) from self.errors[0]

    async def _stood_in(self, unit: Unit, fill: float, ends: float) -> tuple[list[Call], Exception | None]:
        def make(name: str) -> ChatModel:
            profile = self.place(name).profile
            return stand_in(self.seed, fill, self.characters, ends=ends, name=name, profile=profile)

        seated = {name: make(name) for name in self.context if name in self.models or name == MODEL}
        try:
            with metered(Meter(_Shut(self.models))), serving(make=make):  # type: ignore[arg-type]
                return await calls_of(self.sweep, unit, **{**self.context, **seated})
        except ModelUnavailable as error:
            raise InvalidInput(
                f"estimate: a participant of {self.sweep.name!r} has a model of its own; nothing was sent ({error}). "
                'Name it in the settings ("model:NAME"), or give it as an argument of the study, such as model=.'
            ) from None

    def measure(self, unit: Unit, calls: Sequence[Call]) -> None:
        """Take what a finished unit asked these models."""
        known = {(model.model, model.endpoint) for model in self.models.values()}
        if calls and known.issuperset((call.model, call.endpoint) for call in calls):
            self._keep("measured", unit, calls)
            self.count["measured"] += 1

    def _keep(self, kind: str, unit: Unit, calls: Sequence[Call], fill: float = 0.0) -> None:
        """What the calls took; a question that is asked twice costs once where a cache keeps the reply."""
        once = {call.key if self.kept else number: call for number, call in enumerate(calls)}.values()
        parts = [self._part(call, fill, kind == "worst") for call in once if kind != "worst" or not call.repair]
        self.taken[kind].setdefault(unit.text, []).append(np.sum([np.zeros(5), *parts], axis=0))

    def _part(self, call: Call, fill: float, worst: bool) -> np.ndarray:
        """One call, or at the worst one with all its repairs, each of which repeats what was said before."""
        stood, asked = call.endpoint == ENDPOINT and call.model in self.models, json.loads(call.question or "{}")
        same = (m for m in self.models.values() if (m.model, m.endpoint) == (call.model, call.endpoint))
        model = self.asks(self.models[call.model] if stood else next(same))
        known, price, schema = model.profile, model.price, asked.get("schema") or ""
        prompt, written, times = call.prompt_tokens, call.completion_tokens, 1
        if stood:  # the embedded model's schema is its grammar, and no part of its prompt
            prompt += 0 if model.endpoint == "embedded" else tokens(schema, self.characters)
            written += round(fill * known.thinking)
        if worst:
            most, times = asked["max_tokens"], 1 + model.repairs if schema else 1
            thinks = known.thinking or known.reasoning_effort
            written = max(most, min(known.longest, known.longest if thinks else most * RUNS_ON))
        read = times * prompt + times * (times - 1) // 2 * (written + COMPLAINT)
        seconds = self.seconds_per_call or call.seconds or FIRST_TOKEN + written / self.tokens_per_second
        usd = price.cost(read, times * written) if price else math.nan
        return np.array([times, read, times * written, usd, times * seconds])

    def totals(self, todo: Mapping[str, int]) -> list[np.ndarray]:
        """All units to do, each taken as the units of its setting that were looked at, or as all of those."""
        usual, measured = self.taken["usual"], self.taken["measured"]
        around = {text: takes + self.taken["other"][text] for text, takes in usual.items()} | measured
        worst = {text: takes + self.taken["worst"].get(text, []) for text, takes in around.items()}

        def total(takes: Mapping[str, list[np.ndarray]], of: Callable[..., np.ndarray]) -> np.ndarray:
            every = [one for some in takes.values() for one in some]
            return np.sum(
                [np.zeros(5), *(n * of(takes.get(text) or every, axis=0) for text, n in todo.items())], axis=0
            )

        return [total(around, np.min), total(usual | measured, np.mean), total(around, np.max), total(worst, np.max)]

    def sentences(self, todo: Sequence[Unit], missing: Sequence[ChatModel]) -> Iterator[str]:
        """What the numbers rest on, in the order in which it matters."""
        count, known, settings = self.count, len(self.taken["measured"]), len({unit.text for unit in todo})
        if not todo:
            yield "Every unit is finished: there is nothing left to do."
            return
        played = f"of {len(self.taken['usual'])} of the {settings} settings"
        yield f"{count['sampled']} of {len(todo)} units were played with stand-ins for the models, {played}."
        if not count["asked"] and not known:
            yield "They asked no model anything: the sweep costs no calls."
            return
        if known:
            yield f"For {known} settings the calls of {count['measured']} finished units count instead."
        piece = f"{self.characters:g} characters" if self.characters else "six letters, a digit, or a mark"
        yield f"A text has {self.fill:.0%} of its greatest length, half and twice that too; a token is {piece}."
        mended = f"{count['repairs']} of the {count['asked']} replies in the sample mend the form of the one before."
        yield f"{REPLIES} {mended}"
        if self.errors:
            said = f"The first said: {type(self.errors[0]).__name__}: {self.errors[0]}"
            yield f"{len(self.errors)} of the units in the sample broke off, and count with what they asked. {said}"
        for model in missing:
            file = (
                os.environ.get(VARIABLE) or f"a models.toml of yours, which the environment variable {VARIABLE} names"
            )
            yield (
                f"No price is known for {model.name!r} at {model.endpoint}. Put it into {file}, in US dollars for a "
                f"million tokens: [models.{json.dumps(model.name)}] price = {{ input = …, output = … }}"
            )
        dates = sorted({str(model.price.date) for model in self.asked.values() if model.price and model.price.date})
        yield (
            f"Prices are those of models.toml{f' ({dates[0]})' if dates else ''}, without a provider's own cache and "
            f"attempts that fail; a question asked twice in a unit {'costs once' if self.kept else 'costs twice'}."
        )
