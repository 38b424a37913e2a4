"""What a sweep will ask, before it runs: two units a setting are played with stand-ins.

Their calls, priced as the models that they stand for, are multiplied. Nothing is sent.
`make estimate` does so for whole notebooks: `scaled` makes the rows of a sweep.
"""

from __future__ import annotations

import json
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.errors import InvalidInput, ModelUnavailable
from support.models import connect, serving
from support.models.calls import Call, Meter, collected, metered
from support.models.model import ChatModel
from support.models.profiles import MODEL, Profile
from support.models.stand_ins import ENDPOINT, stand_in, tokens

if TYPE_CHECKING:
    from support.models.request import Request
    from support.runs.study import Store, Unit
    from support.runs.sweep import Sweep

NOT_ASKED = "no key: it is not asked"
EACH = 2  # units of a setting that are played
FIRST_TOKEN, PACE = 0.5, 50.0  # seconds until a reply begins, then tokens a second
COUNTED = ["calls", "prompt_tokens", "completion_tokens", "dollars", "most", "seconds"]


async def estimate(
    sweep: Sweep, store: Store | None = None, **context: Any
) -> pd.DataFrame:
    """What the units that are not finished will ask of each model, one row a model.

    Calls, tokens, dollars (NaN without a price; `low` and `high` are as if all units of
    a setting were like the cheaper or the dearer of its two), `most` at their longest
    without repairs, seconds. `draws` of `units` ask something of their own: where the
    two of a setting ask the very same, all of its repetitions are one draw.
    """
    sweep.check(context)
    finished = store.finished(sweep.name) if store else set()
    todo = defaultdict[str, list["Unit"]](list)
    for unit in sweep.units():
        if unit not in finished:
            todo[unit.text].append(unit)
    seats, played = _Seats(context), {}
    for text, units in todo.items():
        calls = [await seats.play(sweep, unit) for unit in units[:EACH]]
        played[text] = (len(units), calls)
    made = scaled(played, seats.profiles)
    unpriced = made["model"][made["dollars"].isna()]
    if len(unpriced):
        told = "no price is known of {}; add it to your models.toml (CONVENE_MODELS)"
        warnings.warn(told.format(", ".join(unpriced)), stacklevel=2)
    return made


def scaled(
    played: Mapping[str, tuple[int, Sequence[Sequence[Call]]]],
    profiles: Mapping[str, Profile] | None = None,
) -> pd.DataFrame:
    """The rows of an estimate; `played` has, by setting, how many units there are, and
    the calls of each that was played. Only what stand-ins answered counts."""
    known, rows = dict(profiles or {}), []
    for units, sample in played.values():
        asked = [
            [call for call in calls if call.endpoint == ENDPOINT] for calls in sample
        ]
        for model in sorted({call.model for calls in asked for call in calls}):
            if model not in known:
                known[model] = _priced(connect(model, api_key=NOT_ASKED))
            mine = [[call for call in calls if call.model == model] for calls in asked]
            rows.append([model, units, *_multiplied(units, mine, known[model])])
    names = ["model", "units", "draws", *COUNTED, "low", "high"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.groupby("model", as_index=False).sum(min_count=1)


def _priced(model: ChatModel) -> Profile:
    """A model's profile, with the price that holds at its address."""
    return model.profile.model_copy(update={"price": model.price})


def _multiplied(
    units: int, sample: Sequence[Sequence[Call]], known: Profile
) -> list[float]:
    """A setting's draws, amounts and bounds for one model, from the units played."""
    sums, asked = np.zeros((len(sample), len(COUNTED))), set()
    for row, calls in zip(sums, sample, strict=True):
        for call in {call.key: call for call in calls}.values():
            row += _amounts(call, known)
        asked.add(frozenset(call.draw or call.key for call in calls))
    alike = len(sample) > 1 and len(asked) == 1
    dollars = units * sums[:, COUNTED.index("dollars")]
    draws = 1 if alike else units
    return [draws, *(units * sums.mean(0)), dollars.min(), dollars.max()]


def _amounts(call: Call, known: Profile) -> list[float]:
    """A call's part, as the model would be asked that its stand-in plays."""
    asked = json.loads(call.question or "{}")
    form = "" if known.name == "embedded" else asked.get("schema")  # there, a grammar
    read = call.prompt_tokens + tokens(form or "")
    wrote = call.completion_tokens + known.thinking // 4
    most = asked.get("max_tokens", 0) + known.thinking
    money = [np.nan, np.nan]
    if price := known.price:
        money = [price.cost(read, wrote), price.cost(read, most)]
    seconds = (FIRST_TOKEN + wrote / PACE) / known.concurrency
    paced = 60 / (known.requests_per_minute or np.inf)
    room = 60 * (read + wrote) / (known.tokens_per_minute or np.inf)
    return [1, read, wrote, *money, max(seconds, paced, room)]


class _StandInsOnly(Meter):
    """The meter of an estimate: no call leaves that a stand-in does not answer."""

    @contextmanager
    def flight(self, request: Request | None = None) -> Iterator[None]:
        """Refuse a model that was not named."""
        if request is not None and request.endpoint != ENDPOINT:
            asked = f"{request.model} at {request.endpoint}"
            raise ModelUnavailable(f"{asked} was about to be asked")
        with super().flight(request):
            yield


class _Seats:
    """Whom stand-ins take the place of: connected, and never asked."""

    def __init__(self, context: Mapping[str, Any]) -> None:
        self.context, self.profiles = dict(context), dict[str, Profile]()
        for name, value in context.items():
            if isinstance(value, ChatModel) or (name == MODEL and value):
                self.context[name] = self.stand_in(value)

    def stand_in(self, given: ChatModel | str) -> ChatModel:
        """The one in the place of a model, or of the model of a name."""
        model = given
        if not isinstance(model, ChatModel):
            model = connect(model, api_key=NOT_ASKED)
        name = model.profile.name
        self.profiles[name] = _priced(model)
        return stand_in(name=name, profile=model.profile)

    async def play(self, sweep: Sweep, unit: Unit) -> list[Call]:
        """The calls of a unit."""
        arguments = sweep.arguments(unit, self.context)
        with (
            metered(_StandInsOnly()),
            serving(make=self.stand_in),
            collected() as calls,
        ):
            try:
                await sweep.study(**arguments)
            except ModelUnavailable as error:
                raise InvalidInput(
                    f"estimate: {sweep.name!r} has a participant with a model of its "
                    f'own; nothing was sent ({error}). Name it: "{MODEL}:NAME"'
                ) from None
        return calls
