"""What a sweep will ask, before it runs: two units a setting are played with stand-ins.

Their calls, priced as the models that they stand for, are multiplied. Nothing is sent.
`make estimate` does so for whole notebooks: `scaled` makes the rows of a sweep.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from support.errors import InvalidInput
from support.models import connect, serving
from support.models.calls import Call, Meter, collected, metered
from support.models.model import ChatModel
from support.models.profiles import MODEL, Profile
from support.models.stand_ins import ENDPOINT, stand_in, tokens
from support.runs.study import Settings, Store, Unit

if TYPE_CHECKING:
    import pandas as pd

    from support.models.request import Request

EACH = 2  # units of a setting that are played
FIRST_TOKEN, PACE = 0.5, 50.0  # seconds until a reply begins, then tokens a second
COUNTED = ["calls", "prompt_tokens", "completion_tokens", "dollars", "most", "seconds"]
Sample = Sequence[Sequence[Call]]  # the calls of each unit that was played


async def estimate(
    sweep: Any, store: Store | None = None, **context: Any
) -> pd.DataFrame:
    """What the units of a sweep that are not finished will ask of each model, one row a
    model.

    Calls, tokens, dollars (NaN without a price), `most` at their longest without
    repairs, seconds. `draws` of `units` ask something of their own: where the two of a
    setting ask the very same, all of its repetitions are one draw.
    """
    sweep.check(context)
    finished = store.units(sweep.name) if store else {}
    left = [unit for unit in sweep.units() if unit not in finished]
    rehearsal = Rehearsal(sweep, context)
    played = []
    for _, group in groupby(left, lambda unit: unit.text):
        units = list(group)
        sample = [await rehearsal.play(unit) for unit in units[:EACH]]
        played.append((len(units), sample))
    return scaled(played, rehearsal.profiles)


def write(sweep: Any, store: Store, file: str) -> None:
    """Write what all repetitions of a sweep will take, from those that were played."""
    played = []
    for _, group in groupby(sweep.units(), lambda unit: unit.text):
        sample = [store.calls(unit) for unit in group]
        played.append((sweep.repetitions, sample))
    frame = scaled(played, {}).assign(sweep=sweep.name)
    frame.to_json(file, orient="records", lines=True, mode="a")


class Rehearsal(Meter):
    """Units played with stand-ins for all whom they ask: no other call leaves."""

    def __init__(self, sweep: Any, context: Settings) -> None:
        super().__init__()
        self.profiles = dict[str, Profile]()
        self._sweep = sweep
        self._context = dict(context)
        for name, value in context.items():
            if isinstance(value, ChatModel) or (name == MODEL and value):
                self._context[name] = self._seated(value)

    async def play(self, unit: Unit) -> list[Call]:
        """The calls of a unit."""
        arguments = self._sweep.arguments(unit, self._context)
        seats = serving(make=self._seated)
        with metered(self), seats, collected() as calls:
            await self._sweep.study(**arguments)
        return calls

    def _seated(self, given: ChatModel | str) -> ChatModel:
        """A stand-in with the profile of whom it stands for."""
        known = _profile(given)
        self.profiles[known.name] = known
        return stand_in(name=known.name, profile=known)

    @contextmanager
    def flight(self, request: Request | None = None) -> Iterator[None]:
        """Refuse a model that was not named."""
        if request is not None and request.endpoint != ENDPOINT:
            raise InvalidInput(
                "estimate: a participant has a model of its own; nothing was sent "
                f"({request.model} at {request.endpoint} was about to be asked). Name "
                f'it: "{MODEL}:NAME"'
            )
        with super().flight(request):
            yield


def alike(sample: Sample) -> bool:
    """Whether units that were played asked the very same: one draw, as all others."""
    first, *others = [{call.draw or call.key for call in calls} for calls in sample]
    return bool(first) and others == [first]


def scaled(
    played: Sequence[tuple[int, Sample]], known: dict[str, Profile]
) -> pd.DataFrame:
    """The rows of an estimate; `played` has, for each setting, how many units there are,
    and the calls of each that was played. Only what stand-ins answered counts."""
    import pandas as pd

    settings = [
        pd.DataFrame(columns=["model", "units", "draws", *COUNTED], dtype=float)
    ]
    for units, sample in played:
        rows = []
        for calls in sample:
            once = {call.key: call for call in calls if call.endpoint == ENDPOINT}
            for call in once.values():
                if call.model not in known:
                    known[call.model] = _profile(call.model)
                rows.append([call.model, *_amounts(call, known[call.model])])
        asked = pd.DataFrame(rows, columns=["model", *COUNTED]).groupby("model")
        each = asked.sum(min_count=1) * (units / len(sample))
        each = each.assign(units=units, draws=1 if alike(sample) else units)
        settings.append(each.reset_index())
    return pd.concat(settings).groupby("model", as_index=False).sum(min_count=1)


def _profile(model: ChatModel | str) -> Profile:
    """A model's profile, with the price that holds at its address."""
    if isinstance(model, str):
        model = connect(model, api_key="no key: it is not asked")
    if model.price is None:
        warnings.warn(f"no price is known of {model.name} (models.toml)", stacklevel=2)
    return model.profile.model_copy(update={"price": model.price})


def _amounts(call: Call, known: Profile) -> list[float]:
    """A call's part, as the model would be asked that its stand-in plays."""
    asked = json.loads(call.question or "{}")
    form = "" if known.name == "embedded" else asked.get("schema")  # there, a grammar
    read = call.prompt_tokens + tokens(form or "")
    wrote = call.completion_tokens + known.thinking // 4
    dollars = most = np.nan
    if price := known.price:
        longest = asked.get("max_tokens", 0) + known.thinking
        dollars = price.cost(read, wrote)
        most = price.cost(read, longest)
    seconds = [
        (FIRST_TOKEN + wrote / PACE) / known.concurrency,
        60 / (known.requests_per_minute or np.inf),
        60 * (read + wrote) / (known.tokens_per_minute or np.inf),
    ]
    return [1, read, wrote, dollars, most, max(seconds)]
