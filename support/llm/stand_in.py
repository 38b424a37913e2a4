"""A model that answers at once and offline, with replies drawn from the schema: what would a study ask, and cost?"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from support.errors import InvalidInput
from support.llm.client import ChatModel
from support.llm.drawn import Writer, words
from support.llm.transport import Completion, Request, Transport

ENDPOINT = "stand-in"
PIECE = re.compile(r"[A-Za-z]{1,6}|\w|[^\w\s]+|\n+")
PER_MESSAGE = 5  # tokens that a chat template puts around a message
CHARACTERS = 5  # for a token of the words that are drawn


def stand_in(
    seed: int = 0,
    fill: float = 0.25,
    chars_per_token: float | None = None,
    *,
    ends: float = 0.5,
    name: str = "stand-in",
) -> ChatModel:
    """A model that replies with what a schema allows, drawn at random: no key, no network, no meaning.

    Parameters
    ----------
    seed : int
        A reply depends on the seed and on the question (`Request.key`), not on the order of the questions.
    fill : float
        The share of its greatest length that a text has, and of `max_tokens` where no schema is given; a list has up
        to twice this share of what it may hold. At 1 everything is as long as it may be.
    chars_per_token : float, optional
        Characters that a token stands for, in prompts and replies alike. By default tokens are counted by
        `tokens`, which tells prose from numbers and from the marks of JSON.
    ends : float
        How often a reply chooses what is named like an end ("done", "FINISH") where it could go on.
    name : str
        Of the model, in records.

    Raises
    ------
    InvalidInput
        When an argument does not fit.

    Examples
    --------
    >>> import asyncio
    >>> asyncio.run(stand_in(fill=0.1).reply("How are you?", max_tokens=40)).usage
    Usage(prompt_tokens=9, completion_tokens=5, cached_prompt_tokens=0)
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InvalidInput(f"seed={seed!r}: expected a whole number from 0 up.")
    _check("from 0 to 1", 0 <= _number(ends) <= 1, ends=ends)
    _check("above 0, up to 1", 0 < _number(fill) <= 1, fill=fill)
    if chars_per_token is not None:
        _check("of at least 0.1", 0.1 <= _number(chars_per_token) < math.inf, chars_per_token=chars_per_token)
    return ChatModel(StandIn(seed, fill, chars_per_token, ends, name))


def _number(value: Any) -> float:
    """The number, or one that fits nowhere."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan


def _check(expected: str, fits: bool, **given: Any) -> None:
    for name, value in given.items():
        if not fits:
            raise InvalidInput(f"{name}={value!r}: expected a number {expected}.")


class StandIn(Transport):
    """The transport behind `stand_in`."""

    endpoint = ENDPOINT

    def __init__(self, seed: int, fill: float, chars_per_token: float | None, ends: float, name: str) -> None:
        self.model = name
        self._seed, self._fill, self._chars, self._ends = seed, fill, chars_per_token, ends

    async def complete(self, request: Request) -> Completion:
        """A drawn reply; one that would pass `max_tokens` is drawn shorter, and cut off where nothing else helps."""
        schema = json.loads(request.schema) if request.schema else None
        fill, ended = self._fill, "stop"
        text = self._text(request, schema, fill)
        while self._count(text) > request.max_tokens and fill > 0.01:
            text = self._text(request, schema, fill := fill / 2)
        while self._count(text) > request.max_tokens:
            text, ended = text[: len(text) * 3 // 4], "length"
        asked = sum(self._count(content) for _, content in request.messages)
        framed = asked if self._chars else asked + PER_MESSAGE * len(request.messages)
        return Completion(text, framed, self._count(text), ended)

    def _text(self, request: Request, schema: Mapping[str, Any] | None, fill: float) -> str:
        rng = np.random.default_rng([self._seed, int(request.key, 16)])
        if schema is None:
            return words(max(1, round(fill * request.max_tokens * (self._chars or CHARACTERS))), rng)
        return json.dumps(Writer(rng, fill, self._ends, schema.get("$defs", {})).value(schema), ensure_ascii=False)

    def _count(self, text: str) -> int:
        return tokens(text, self._chars)


def tokens(text: str, chars_per_token: float | None = None) -> int:
    """About how many tokens a text has.

    Up to six letters of a word are one, and so are a digit, a run of marks and a letter outside of ASCII. On the
    recorded questions and replies of the embedded model this makes 0.85 to 1.03 of its tokenizer's count, where
    characters for a token vary from 2.1 to 3.8. Tokenizers with a larger vocabulary make fewer.

    >>> tokens("Meet at 10:30?"), tokens("Meet at 10:30?", chars_per_token=4)
    (8, 4)
    """
    return math.ceil(len(text) / chars_per_token) if chars_per_token else len(PIECE.findall(text))
