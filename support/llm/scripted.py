"""A model made from a list of replies or from a function: for tests, for lessons, and to see what a study would ask."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.errors import InvalidInput
from support.llm.cache import Cache
from support.llm.client import ChatModel
from support.llm.transport import Completion, Request, Transport

if TYPE_CHECKING:
    from pydantic import BaseModel

    Line = str | dict[str, Any] | BaseModel | BaseException
    Script = Callable[[list[dict[str, str]]], Line | Awaitable[Line]]


class Scripted(Transport):
    """Answers with what it was given, in the order of the calls, or with what a function makes of the messages."""

    endpoint = "scripted"

    def __init__(self, replies: Sequence[Line] | Script, name: str) -> None:
        self.model = name
        self._script = replies if callable(replies) else _Lines(replies)

    async def complete(self, request: Request) -> Completion:
        """The next line of the script."""
        line = self._script(request.chat)
        return Completion(_text(await line if inspect.isawaitable(line) else line))


class _Lines:
    def __init__(self, lines: Sequence[Line]) -> None:
        if isinstance(lines, (str, bytes)) or not isinstance(lines, Sequence):
            raise InvalidInput(f"replies={lines!r}: expected a list of replies, or a function of the messages.")
        self._lines = tuple(lines)
        self._given = 0

    def __call__(self, messages: list[dict[str, str]]) -> Line:
        if self._given == len(self._lines):
            raise InvalidInput(
                f"the scripted model was given {len(self._lines)} replies, and is asked for one more "
                f"(a repair counts as well); the last message is {messages[-1]['content'][:80]!r}."
            )
        self._given += 1
        return self._lines[self._given - 1]


def _text(line: Any) -> str:
    if isinstance(line, BaseException):
        raise line
    if isinstance(line, str):
        return line
    if isinstance(line, dict):
        return json.dumps(line, ensure_ascii=False)
    if hasattr(line, "model_dump_json"):
        return str(line.model_dump_json())
    raise InvalidInput(f"a scripted reply is {line!r}: expected a text, a dict, a pydantic object or an exception.")


def scripted(
    replies: Sequence[Line] | Script,
    name: str = "scripted",
    *,
    cache: Cache | str | Path | None = None,
    concurrency: int = 8,
) -> ChatModel:
    """A model that follows a script. Schemas, repairs and the cache work as with any other model.

    Parameters
    ----------
    replies : sequence or callable
        Replies in the order of the calls: texts, dicts, pydantic objects, or exceptions to raise. Or a function,
        plain or async, from the messages (a list of {"role", "content"} dicts) to such a reply.
    name : str
        The model's name in records and caches.
    cache : Cache or path, optional
        As for `connect`. Mind that the same call then has the same reply.

    Raises
    ------
    InvalidInput
        When asked for more replies than there are.

    Examples
    --------
    >>> import asyncio
    >>> model = scripted(["Let us meet on Monday."])
    >>> asyncio.run(model.reply("When?")).text
    'Let us meet on Monday.'
    """
    kept = Cache(cache) if isinstance(cache, (str, Path)) else cache
    return ChatModel(Scripted(replies, name), cache=kept, concurrency=concurrency)
