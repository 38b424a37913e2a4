"""What a sweep will ask, before it runs: two units a setting are played with stand-ins.

Their calls, priced as the models that they stand for, are multiplied. Nothing is sent.
`make estimate` does so for whole notebooks: `scaled` makes the rows of a sweep.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.errors import InvalidInput
from support.models import connect, serving
from support.models.calls import Call, Meter, collected, metered
from support.models.model import ChatModel
from support.models.profiles import MODEL, Profile
from support.models.stand_ins import ENDPOINT, stand_in, tokens

if TYPE_CHECKING:
    from support.models.request import Request
    from support.runs.study import Planned, Store

NOT_ASKED = "no key: it is not asked"
EACH = 2  # units of a setting that are played
FIRST_TOKEN, PACE = 0.5, 50.0  # seconds until a reply begins, then tokens a second
COUNTED = ["calls", "prompt_tokens", "completion_tokens", "dollars", "most", "seconds"]


async def estimate(
    sweep: Planned, store: Store | None = None, **context: Any
) -> pd.DataFrame:
    """What the units that are not finished will ask of each model, one row a model.

    Calls, tokens, dollars (NaN without a price; `low` and `high` are as if all units of
    a setting were like the cheaper or the dearer of its two), `most` at their longest
    without repairs, seconds. `draws` of `units` ask something of their own: where the
    two of a setting ask the very same, all of its repetitions are one draw.
    """
    sweep.check(context)
    profiles, played = dict[str, Profile](), {}

    def seated(given: ChatModel | str) -> ChatModel:
        """A stand-in with the profile of whom it stands for."""
        model = given
        if not isinstance(model, ChatModel):
            model = connect(model, api_key=NOT_ASKED)
        known = model.profile
        profiles[known.name] = _priced(model)
        return stand_in(name=known.name, profile=known)

    for name, value in context.items():
        if isinstance(value, ChatModel) or (name == MODEL and value):
            context[name] = seated(value)
    finished = store.finished(sweep.name) if store else set()
    left = [unit for unit in sweep.units() if unit not in finished]
    with metered(_StandInsOnly()), serving(make=seated):
        for text, group in groupby(left, lambda unit: unit.text):
            units, sample = list(group), []
            for unit in units[:EACH]:
                with collected() as calls:
                    await sweep.study(**sweep.arguments(unit, context))
                sample.append(calls)
            played[text] = len(units), sample
    made = scaled(played, profiles)
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
        shape = len(sample), len(COUNTED)
        sums: dict[str, np.ndarray] = {}
        for number, calls in enumerate(sample):
            for call in {call.key: call for call in calls}.values():
                model = call.model
                if call.endpoint != ENDPOINT:
                    continue
                if model not in known:
                    known[model] = _priced(connect(model, api_key=NOT_ASKED))
                of_model = sums.setdefault(model, np.zeros(shape))
                of_model[number] += _amounts(call, known[model])
        asked = [{call.draw or call.key for call in calls} for calls in sample]
        draws = 1 if len(asked) > 1 and asked[0] == asked[-1] else units
        for model, of_model in sums.items():
            dollars = units * of_model[:, COUNTED.index("dollars")]
            amounts = [*(units * of_model.mean(0)), dollars.min(), dollars.max()]
            rows.append([model, units, draws, *amounts])
    names = ["model", "units", "draws", *COUNTED, "low", "high"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.groupby("model", as_index=False).sum(min_count=1)


def _priced(model: ChatModel) -> Profile:
    """A model's profile, with the price that holds at its address."""
    return model.profile.model_copy(update={"price": model.price})


def _amounts(call: Call, known: Profile) -> list[float]:
    """A call's part, as the model would be asked that its stand-in plays."""
    asked = json.loads(call.question or "{}")
    form = "" if known.name == "embedded" else asked.get("schema")  # there, a grammar
    read = call.prompt_tokens + tokens(form or "")
    wrote = call.completion_tokens + known.thinking // 4
    money = [np.nan, np.nan]
    if price := known.price:
        most = asked.get("max_tokens", 0) + known.thinking
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
            raise InvalidInput(
                "estimate: a participant has a model of its own; nothing was sent "
                f"({request.model} at {request.endpoint} was about to be asked). Name "
                f'it: "{MODEL}:NAME"'
            )
        with super().flight(request):
            yield
