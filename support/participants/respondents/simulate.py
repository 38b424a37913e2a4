"""Fill a book with the forms of simulated respondents."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import numpy as np

from support.errors import InvalidInput
from support.instruments import Instrument
from support.participants.respondents.language_model import ModelRespondent
from support.participants.respondents.personas import draw_persona
from support.participants.respondents.protocol import Book, Respondent
from support.participants.respondents.rule_based import RuleBasedRespondent

if TYPE_CHECKING:
    from support.models.model import ChatModel

MAX_SEED = 2**31 - 1


async def simulate(
    instrument: Instrument,
    book: Book,
    per_group: int,
    rng: np.random.Generator,
    model: ChatModel | str | None = None,
) -> list[str]:
    """Let `per_group` respondents of each group fill in an instrument; return their codes, group by group.

    Every form is stored as soon as it and those before it are complete, so that a failure later on loses none of
    them. The same generator gives the same forms; with a model, as far as its seed is heeded or its replies are kept.

    Parameters
    ----------
    book : Book
        A `support.answers.AnswerBook`; the forms carry the source "simulated: rule-based" or "simulated: <model>".
    per_group : int
        1 or more.
    model : ChatModel or str, optional
        Answers in the place of rules; the drawn traits are told to it in words.

    Raises
    ------
    InvalidInput
        When `per_group` does not fit.
    ModelError
        When the model gives no usable reply.
    """
    if isinstance(per_group, bool) or not isinstance(per_group, int) or per_group < 1:
        raise InvalidInput(f"per_group: {per_group!r} given; expected a whole number from 1 up")
    places = [group for group in instrument.groups for _ in range(per_group)]
    seats = [_seat(child, model, i) for i, child in enumerate(rng.spawn(len(places)))]
    tasks = [asyncio.ensure_future(s.fill(instrument, group)) for s, group in zip(seats, places, strict=True)]
    codes = []
    try:
        for seat, group, task in zip(seats, places, tasks, strict=True):
            codes.append(book.submit(instrument, group, await task, source=seat.source, rng=rng))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)  # so that no failure is left unheard behind the first
    return codes


def _seat(rng: np.random.Generator, model: ChatModel | str | None, place: int) -> Respondent:
    persona = draw_persona(rng)
    if model is None:
        return RuleBasedRespondent(persona, rng)
    return ModelRespondent(model, persona, seed=int(rng.integers(MAX_SEED)), repetition=place)
