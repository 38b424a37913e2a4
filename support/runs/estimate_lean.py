"""What a sweep will ask, before it runs: some units are played with stand-ins.

Their calls, priced as the models that they stand for, are scaled up. Nothing is sent.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.errors import InvalidInput, ModelUnavailable
from support.models import connect, serving
from support.models.calls import Call, Meter, collected, metered
from support.models.model import ChatModel
from support.models.profiles import MODEL
from support.models.stand_ins import stand_in, tokens

if TYPE_CHECKING:
    from support.runs.study import Store, Unit
    from support.runs.sweep import Sweep


class _NoMoney:
    """A budget that lets stand-ins pass, which are free, and nobody else."""

    spent, limit_usd = 0.0, 0.0

    async def reserve(self, worst_usd: float, what: str) -> int:
        if worst_usd:
            raise ModelUnavailable(f"a model of its own was about to be asked ({what})")
        return 0

    def settle(self, number: int, usd: float | None) -> None:
        """Nothing was set aside."""


async def estimate(
    sweep: Sweep, *, sample: int = 12, store: Store | None = None, **context: Any
) -> pd.DataFrame:
    """What the units that are not finished will ask of each model, one row a model.

    Calls, tokens of prompts and replies, dollars (NaN without a price); `most` is what
    the calls can cost at their longest, without repairs. `sample` units are played,
    spread evenly over the grid.
    """
    sweep.check(context)
    finished = store.finished(sweep.name) if store else set()
    todo = [unit for unit in sweep.units() if unit not in finished]
    places = np.linspace(0, len(todo) - 1, min(sample, len(todo))).astype(int)
    seats = _Seats(context)
    rows = []
    for place in places:
        for call in await seats.play(sweep, todo[place]):
            rows.append(seats.told(call))
    frame = pd.DataFrame(rows, columns=["model", *AMOUNTS])
    summed = frame.groupby("model").sum(min_count=1) * len(todo) / max(1, len(places))
    return summed.reset_index()


AMOUNTS = ["calls", "prompt_tokens", "completion_tokens", "dollars", "most"]


class _Seats:
    """Whom stand-ins take the place of: connected, and never asked."""

    def __init__(self, context: dict[str, Any]) -> None:
        self.context, self.models = context, dict[str, ChatModel]()
        for name, value in context.items():
            if isinstance(value, ChatModel):
                self.models[name] = value

    def stand_in(self, name: str) -> ChatModel:
        if name not in self.models:
            asked = self.context.get(name, name)
            self.models[name] = connect(asked, api_key="not asked")
        return stand_in(name=name, profile=self.models[name].profile)

    async def play(self, sweep: Sweep, unit: Unit) -> list[Call]:
        """The calls of a unit."""
        seated = {name: self.stand_in(name) for name in {*self.models, MODEL}}
        context = self.context | {n: seated[n] for n in seated if n in self.context}
        with (
            metered(Meter(_NoMoney())),
            serving(make=self.stand_in),
            collected() as calls,
        ):
            try:
                await sweep.study(**sweep.arguments(unit, context))
            except ModelUnavailable as error:
                raise InvalidInput(f"estimate: {error}; name it in the grid") from None
        return calls

    def told(self, call: Call) -> list[Any]:
        """A call as a row, priced as the model that it would be asked of."""
        model, asked = self.models[call.model], json.loads(call.question or "{}")
        read = call.prompt_tokens + tokens(asked.get("schema") or "")
        wrote = call.completion_tokens + model.profile.thinking // 4
        longest = asked.get("max_tokens", 0) + model.profile.thinking
        price = model.price
        usual = price.cost(read, wrote) if price else None
        most = price.cost(read, longest) if price else None
        return [f"{model.name} at {model.endpoint}", 1, read, wrote, usual, most]
