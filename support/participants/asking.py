"""What every participant shares that a language model speaks for: its settings, its limits, and what was asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from support.errors import MalformedReply
from support.models.profiles import MODEL, TIGHT, Limits
from support.participants.seating import given_model

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.models.model import ChatModel

T = TypeVar("T")
CONTEXT, CHARACTERS = 100_000, 3  # tokens that a model reads where its profile does not say; characters of a token


def words(limits: Limits, characters: int) -> int:
    """Words of a text of so many characters, eight for each, as a model is told them; a tight one is told nothing."""
    return 0 if limits.tight else characters // 8


def cut(text: str, most: int) -> str:
    """A text of so many characters at most, with a mark where it was cut off."""
    return text if len(text) <= most else text[:most].rstrip() + " […]"


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


class Shown:
    """What a prompt shows of tables and of what others wrote, as far as a model's limits go; keeps what it left out."""

    def __init__(self, limits: Limits = TIGHT, context: int = CONTEXT) -> None:
        self.limits, self.context = limits, context
        self._cut: list[str] = []

    @classmethod
    def to(cls, model: ChatModel) -> Shown:
        """For one model."""
        return cls(model.limits, model.profile.context or CONTEXT)

    def most(self, tight: int) -> int:
        """Items to be shown where a tight model is shown so many."""
        return tight if self.limits.tight else 4 * tight

    def characters(self, tight: int) -> int:
        """Characters to be shown where a tight model is shown so many."""
        return self.limits.text(self.most(tight))

    def text(self, text: str, tight: int) -> str:
        """A text, cut off."""
        most = self.characters(tight)
        self.left(most, len(text), "characters of a text")
        return cut(text, most)

    def last(self, items: Sequence[T], tight: int, what: str) -> Sequence[T]:
        """The last of some items."""
        kept = items[-self.most(tight) :]
        self.left(len(kept), len(items), what)
        return kept

    def rows(self, lines: Sequence[str]) -> int:
        """How many lines of a table are shown: so many as the limits say, or as half of what the model reads takes."""
        kept = self.limits.rows
        if kept is None:
            left, kept = self.context // 2 * CHARACTERS, 0
            while kept < len(lines) and (left := left - len(lines[kept]) - 1) >= 0:
                kept += 1
        self.left(kept, len(lines), "rows of a table")
        return min(kept, len(lines))

    def left(self, kept: int, there: int, what: str) -> None:
        """Keep in mind how many of those there are shown."""
        self._cut += [f"{kept} of {there} {what}"] if kept < there else []

    def taken(self) -> str:
        """What was left out since this was asked last."""
        told, self._cut = "; ".join(self._cut), []
        return told
