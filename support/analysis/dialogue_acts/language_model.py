"""A language model as annotator: the paper's way (appendix C.5), with a prompt of our own."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from support.analysis.dialogue_acts.acts import LABELS, MEANINGS, OTHERS
from support.analysis.dialogue_acts.annotators import Labels, union
from support.analysis.frames import need_columns
from support.errors import ContextOverflow, MalformedReply
from support.models.profiles import MODEL
from support.prompts import render
from support.seats import given_model

if TYPE_CHECKING:
    import pandas as pd
    from pydantic import BaseModel

    from support.models.model import ChatModel

MOST = 6  # acts of one message by a tight model: a schema without a bound lets small models run on
TOKENS = 80


class LanguageModelAnnotator:
    """Asks a model for the acts of each message, given the messages of the round before, at temperature 0.

    A blank message performs "others" and is not asked. A reply that does not fit its form after the repairs, and a
    message that the model cannot read whole, leave the message unlabelled: `problems` says why. Any other failure of
    the model is raised, for it would meet every message.

    Parameters
    ----------
    model : ChatModel or str
        From `support.models.connect`, or a model's name; with a cache, labelling again asks nothing.
    repetition : int
        Tells apart repeated labellings of the same messages, to see how stable they are.
    """

    covered: Labels = LABELS

    def __init__(self, model: ChatModel | str, *, name: str = "", seed: int | None = 0, repetition: int = 0) -> None:
        self.model = given_model(MODEL, model, "the annotator")
        self.name = name or f"model {self.model.name}"
        limits = self.model.limits
        self.settings: dict[str, Any] = {"temperature": 0.0, "seed": seed, "repetition": repetition}
        self.settings |= {
            "schema": acts_schema(MOST if limits.tight else len(LABELS)),
            "max_tokens": limits.room(TOKENS),
        }
        self.problems: dict[int, str] = {}

    async def label(self, messages: pd.DataFrame) -> list[Labels]:
        """The acts of each message; run and round tell which messages came before it."""
        need_columns(messages, ["run", "round", "sender", "text"], "messages")
        self.problems = {}
        said = _by_round(messages)
        rows = zip(messages["run"], messages["round"], messages["sender"], messages["text"], strict=True)
        return await asyncio.gather(
            *(
                self._one(place, sender, text, said.get((run, number - 1), []))
                for place, (run, number, sender, text) in enumerate(rows)
            )
        )

    async def _one(self, place: int, sender: str, text: str, before: list[str]) -> Labels:
        if not text.strip():
            return (OTHERS,)
        asked = [
            {"role": "system", "content": render("dialogue_acts/briefing", meanings=tuple(MEANINGS.items()))},
            {"role": "user", "content": render("dialogue_acts/message", before=before, sender=sender, text=text)},
        ]
        try:
            reply = await self.model.reply(asked, **self.settings)
        except (MalformedReply, ContextOverflow) as error:
            self.problems[place] = str(error)
            return ()
        return union(reply.value.acts)


def _by_round(messages: pd.DataFrame) -> dict[tuple[Any, int], list[str]]:
    said: dict[tuple[Any, int], list[str]] = {}
    for run, number, sender, text in zip(
        messages["run"], messages["round"], messages["sender"], messages["text"], strict=True
    ):
        said.setdefault((run, number), []).append(f"{sender}: {text}")
    return said


@cache
def acts_schema(most: int = MOST) -> type[BaseModel]:
    """Schema of a reply: one label or more."""
    from pydantic import Field, create_model

    return create_model("ActsReply", acts=(list[Literal[LABELS]], Field(min_length=1, max_length=most)))  # type: ignore[valid-type]
