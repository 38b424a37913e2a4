"""What every participant shares that a language model speaks for: its settings, its kind, and what was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.errors import MalformedReply

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.llm import ChatModel


class Asker:
    """Asks one model, always with the same settings.

    Parameters
    ----------
    model : ChatModel
        From `support.llm.connect`.
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
    replies : int
        Replies asked so far.
    tokens : int
        Tokens of the prompts and replies so far, repairs and replies that never fitted their form among them.
    """

    def __init__(
        self, model: ChatModel, *, temperature: float = 0.0, seed: int | None = 0, repetition: int = 0
    ) -> None:
        self.model = model
        self.settings: dict[str, Any] = {"temperature": temperature, "seed": seed, "repetition": repetition}
        self.kind = f"model {model.model}"
        self.replies = 0
        self.tokens = 0

    async def ask_model(self, schema: type[BaseModel], room: int, question: str, briefing: str = "") -> Any:
        """The validated reply to a question, after a briefing as the system's message if there is one.

        `room` is the number of tokens at which the reply is cut off.
        """
        self.replies += 1
        messages = [{"role": "system", "content": briefing}] if briefing else []
        messages.append({"role": "user", "content": question})
        try:
            reply = await self.model.reply(messages, schema=schema, max_tokens=room, **self.settings)
        except MalformedReply as error:
            self.tokens += error.tokens
            raise
        self.tokens += reply.usage.total
        return reply.value
