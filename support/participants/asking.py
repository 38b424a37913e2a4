"""What every participant shares that a language model speaks for: its settings, its limits, and what was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from support.errors import MalformedReply
from support.models.profiles import MODEL, Limits
from support.seats import Shown, given_model

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.models.model import ChatModel

T = TypeVar("T")


def words(limits: Limits, characters: int) -> int:
    """Words of a text of so many characters, eight for each, as a model is told them; a tight one is told nothing."""
    return 0 if limits.tight else characters // 8


class Asker:
    """Asks one model, always with the same settings.

    Parameters
    ----------
    model : ChatModel or str
        From `support.models.connect`, or a model's name.
    temperature : float
        0 gives the likeliest reply.
    seed : int, optional
        Passed to the endpoint.
    repetition : int
        Tells repeated runs apart in the cache.

    Attributes
    ----------
    kind : str
        "model" and the model's name, for records.
    shown : Shown
        How much it is shown of a table and of what others wrote.
    replies : int
        Replies asked so far.
    tokens : int
        Tokens of the prompts and replies so far, repairs and replies that never fitted their form among them.
    """

    def __init__(
        self, model: ChatModel | str, *, temperature: float = 0.0, seed: int | None = 0, repetition: int = 0
    ) -> None:
        self.model = given_model(MODEL, model, f"the {type(self).__name__}")
        self.limits, self.shown = self.model.limits, Shown.to(self.model)
        self.settings: dict[str, Any] = {"temperature": temperature, "seed": seed, "repetition": repetition}
        self.kind = f"{MODEL} {self.model.name}"
        self.replies = 0
        self.tokens = 0

    async def ask_model(self, schema: type[BaseModel], room: int, question: str, briefing: str = "") -> Any:
        """The validated reply to a question, after a briefing as the system's message if there is one.

        `room` is the number of tokens at which the reply of a tight model is cut off. What `shown` has left out since
        the last question is told in the call's record.
        """
        self.replies += 1
        messages = [{"role": "system", "content": briefing}] if briefing else []
        messages.append({"role": "user", "content": question})
        asked = {"max_tokens": self.limits.room(room), "cut": self.shown.taken(), **self.settings}
        try:
            reply = await self.model.reply(messages, schema=schema, **asked)
        except MalformedReply as error:
            self.tokens += error.tokens
            raise
        self.tokens += reply.usage.total
        return reply.value
