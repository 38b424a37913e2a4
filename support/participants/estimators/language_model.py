"""EstimateGain by a language model: after each round it says what the options at hand are worth to everybody."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from support.environments.fair_decisions.views import COMPARISON, COMPLETE, SCORE, WORDS, Heard, Table
from support.participants.asking import Asker
from support.participants.estimators.hearing import answers, averaged
from support.participants.estimators.priors import Prior, prior_for
from support.participants.estimators.targets import Pair
from support.prompts import render
from support.records.planning import Feedback, Plan

if TYPE_CHECKING:
    from pydantic import BaseModel

PLACES = ("first", "second")
ROOM = 40, 12
"""Tokens of a reply: for each list, and for each number in it."""

Parts = list[dict[Pair, float]]


class LanguageModelEstimator(Asker):
    """Asks a model once for each round, and averages over the rounds in which an option was proposed.

    Options that were never proposed keep the prior mean. A round for which the model gave no usable reply is not asked
    about again: the others stand. One estimator serves one search.

    Parameters
    ----------
    model : ChatModel
    **settings
        See `Asker`.
    """

    _read: dict[tuple[Any, ...], Parts]

    async def estimate(self, table: Table, feedback: str, history: Sequence[Heard]) -> np.ndarray:
        """Expected gains, float of shape (participants, decisions, options).

        Raises
        ------
        InvalidInput
            On another kind of feedback or preferences, or the answer of somebody who is not at the table.
        MalformedReply
            When a new round's reply does not fit its form.
        """
        answers(table, feedback, history)  # refuses strangers
        prior = prior_for(table)
        parts: list[dict[Pair, list[float]]] = [{} for _ in table.participants]
        for entry in history:
            for mine, told in zip(parts, await self._told(table, feedback, entry, prior), strict=False):
                for pair, value in told.items():
                    mine.setdefault(pair, []).append(value)
        return np.array([averaged(prior.mean, table.shape[1], mine) for mine in parts])

    async def _told(self, table: Table, feedback: str, entry: Heard, prior: Prior) -> Parts:
        """What the model made of a round, asked once; nothing where it failed."""
        self._read = getattr(self, "_read", {})
        key = (table, entry.plans, entry.feedback)
        if key not in self._read:
            self._read[key] = []
            n, lists = table.shape[1], len(table.participants) * len(entry.plans)
            form = estimate_form(table.participants, n, len(entry.plans), float(prior.values[-1]))
            room = lists * (ROOM[0] + ROOM[1] * n)
            reply = await self.ask_model(form, room, self.question(table, feedback, entry))
            self._read[key] = _parts(reply, table, entry.plans)
        return self._read[key]

    def question(self, table: Table, feedback: str, entry: Heard) -> str:
        """What the model is asked about one round."""
        prior, by_name = prior_for(table), {answer.participant: answer for answer in entry.feedback}
        heard = [(name, by_name.get(name, Feedback(name))) for name in table.participants]
        return render(
            "estimating/estimate",
            preferences=table.preferences,
            options=table.shape[2],
            highest=int(prior.values[-1]),
            middle=f"{prior.mean[0]:.0f}",
            decisions=table.decisions,
            plans=[[names[k] for names, k in zip(table.options, plan, strict=True)] for plan in entry.plans],
            answers=[(name, _line(answer, feedback)) for name, answer in heard],
        )


def _line(answer: Feedback, feedback: str) -> str:
    """One participant's answer, as the model is told it; its words on one line, in quotation marks."""
    if feedback in (SCORE, COMPLETE) and answer.score is not None:
        return f"has a total of {answer.score}"
    if feedback == WORDS and answer.text.strip():
        return '"' + " ".join(answer.text.replace('"', "'").split()) + '"'
    if feedback == COMPARISON and answer.prefers is not None:
        return f"likes the {PLACES[answer.prefers]} plan better"
    return "likes both plans alike" if feedback == COMPARISON and answer.alike else "gave no answer"


def _parts(reply: Any, table: Table, plans: Sequence[Plan]) -> Parts:
    found: Parts = []
    for i in range(len(table.participants)):
        mine = getattr(reply, f"participant_{i}")
        lists = [mine] if len(plans) == 1 else [getattr(mine, place) for place in PLACES]
        numbers: dict[Pair, list[float]] = {}
        for plan, told in zip(plans, lists, strict=True):
            for pair, value in zip(enumerate(plan), told, strict=True):
                numbers.setdefault(pair, []).append(value)
        found.append({pair: float(np.mean(values)) for pair, values in numbers.items()})
    return found


@cache
def estimate_form(participants: tuple[str, ...], decisions: int, plans: int, highest: float) -> type[BaseModel]:
    """For each participant, by name, a number from 0 to `highest` for each decision; of two plans, a list each."""
    from pydantic import Field, create_model

    number = Annotated[float, Field(ge=0, le=highest)]
    numbers: Any = Annotated[list[number], Field(min_length=decisions, max_length=decisions)]
    if plans > 1:
        places: dict[str, Any] = dict.fromkeys(PLACES[:plans], (numbers, ...))
        numbers = create_model("PlansReply", **places)
    fields: dict[str, Any] = {f"participant_{i}": (numbers, Field(alias=name)) for i, name in enumerate(participants)}
    return create_model("EstimateReply", **fields)
