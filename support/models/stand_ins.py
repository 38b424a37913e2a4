"""Models that are none: `scripted` follows a script, `stand_in` draws replies of the right
form, so that one sees what a study would ask.
"""

from __future__ import annotations

import inspect
import json
import random
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rstr import Rstr

from support.errors import InvalidInput
from support.models.model import ChatModel
from support.models.profiles import FAKE, FREE, Profile
from support.models.replies import Cache
from support.models.request import Completion, Request, Transport

Node = Mapping[str, Any]  # of a JSON schema
NULL = {"type": "null"}
ENDPOINT = "stand-in"
PIECE = re.compile(r"[A-Za-z]{1,6}|\w|[^\w\s]+|\n+")
PER_MESSAGE = 5  # tokens that a chat template puts around a message
CHARACTERS = 5  # for a token that is drawn
# Of the greatest length, of a text; a list has up to twice as much: less where that is
# more than a reply may have.
FILLS = (0.25, 0.06, 0.01)
LONG = 200  # characters of a text without a limit
WORDS = (
    "perhaps the others would rather begin with something simpler because everybody "
    "agreed that fairness matters "
)


@dataclass
class Fake(Transport):
    """A model made of a function."""

    model: str
    endpoint: str
    answer: Callable[[Request], Awaitable[Completion]]

    async def complete(self, request: Request) -> Completion:
        """What the function answers."""
        return await self.answer(request)


def scripted(
    replies: Any,
    name: str = "scripted",
    *,
    cache: Cache | str | Path | None = None,
    profile: Profile = FAKE,
) -> ChatModel:
    """A model that replies with texts, dicts, pydantic objects or raised errors, in order;
    or with what a function says of the messages.

    >>> import asyncio
    >>> asyncio.run(scripted(["Let us meet on Monday."]).reply("When?")).text
    'Let us meet on Monday.'
    """
    lines = iter(() if callable(replies) else replies)

    async def _answer(request: Request) -> Completion:
        line: Any = replies(request.chat) if callable(replies) else next(lines, None)
        if inspect.isawaitable(line):
            line = await line
        if isinstance(line, BaseException):
            raise line
        if hasattr(line, "model_dump_json"):
            line = line.model_dump_json()
        if isinstance(line, dict):
            line = json.dumps(line, ensure_ascii=False)
        if not isinstance(line, str):
            asked = request.messages[-1][1][:80]
            raise InvalidInput(
                f"the scripted reply to {asked!r} is {line!r}: expected a text, a "
                "dict, a pydantic object or an exception; None where no line is left (a "
                "repair takes one as well)."
            )
        return Completion(line)

    made = Fake(name, "scripted", _answer)
    return ChatModel(made, profile=profile, cache=cache)


def stand_in(
    seed: int = 0, *, name: str = ENDPOINT, profile: Profile = FAKE
) -> ChatModel:
    """A model that replies with what a schema allows: no key, no meaning.

    Its replies are drawn from the seed and the question: one that is asked again, in
    another repetition, has the same. Texts and lists are short of what they may hold.
    """

    def drawn(request: Request, fill: float) -> str:
        rng = random.Random(f"{seed} {request.draw}")
        if request.schema is None:
            return words(round(fill * request.max_tokens * CHARACTERS), rng)
        schema = json.loads(request.schema)
        return json.dumps(Writer(rng, fill, schema).value(schema), ensure_ascii=False)

    async def _answer(request: Request) -> Completion:
        read = sum(tokens(text) + PER_MESSAGE for _, text in request.messages)
        for fill in FILLS:
            said = drawn(request, fill)
            if tokens(said) <= request.max_tokens:
                return Completion(said, read, tokens(said))
        most = request.max_tokens
        return Completion(said[:most], read, most, "length")

    no = {"price": FREE, "requests_per_minute": None, "tokens_per_minute": None}
    free = profile.model_copy(update=no)
    return ChatModel(Fake(name, ENDPOINT, _answer), profile=free)


def tokens(text: str) -> int:
    """About how many tokens a text has: up to six letters of a word, a digit, marks.

    On the embedded model's recordings this makes 0.85 to 1.03 of what its tokenizer
    counts; larger ones count fewer.

    >>> tokens("Meet at 10:30?")
    8
    """
    return len(PIECE.findall(text))


def words(length: int, rng: random.Random) -> str:
    """Plausible words, together of exactly so many characters."""
    begin = rng.randrange(len(WORDS))
    many = WORDS * (length // len(WORDS) + 2)
    return many[begin:][:length].strip().ljust(length, "e")


@dataclass
class Writer:
    """Draws what a JSON schema allows, and what forms ask beyond it: numbers of one range
    from 0, in each field of an object, sum to the greatest of it; a list names no choice
    twice.
    """

    rng: random.Random
    fill: float
    whole: Node  # the schema with the definitions that its parts refer to

    def value(self, node: Node) -> Any:
        """A value of this schema."""
        node = self._resolved(node)
        rng = self.rng
        match node:
            case {"const": value}:
                return value
            case {"enum": choices}:
                return rng.choice(choices)
            case {"anyOf": kinds}:
                real = [one for one in kinds if one != NULL]
                if NULL in kinds and (rng.random() < 0.1 or not real):
                    return None
                return self.value(rng.choice(real))
            case {"type": "null"}:
                return None
            case {"type": "boolean"}:
                return rng.random() < 0.5
            case {"type": "array"}:
                return self._array(node)
            case {"type": "string"}:
                return self._string(node)
            case {"type": "integer" | "number" as kind}:
                low = node.get("minimum", 0)
                high = node.get("maximum", low + 100)
                draw: Any = rng.randint if kind == "integer" else rng.uniform
                return round(draw(low, high), 2)
        return self._object(node)

    def _resolved(self, node: Node) -> Node:
        while "$ref" in node:
            node = self.whole["$defs"][node["$ref"].removeprefix("#/$defs/")]
        return node

    def _string(self, node: Node) -> str:
        """Words or, for a pattern, what fits it."""
        if "pattern" not in node:
            long = round(self.fill * node.get("maxLength", LONG))
            return words(max(node.get("minLength", 0), long), self.rng)
        return Rstr(self.rng).xeger(node["pattern"])

    def _array(self, node: Node) -> list[Any]:
        low = node.get("minItems", 0)
        item = self._resolved(node["items"])
        high = node.get("maxItems", low + 3)
        most = min(high, low + round(2 * self.fill * (high - low)))
        count = self.rng.randint(low, most)
        choices = item.get("enum", ())
        if count <= len(choices):
            return self.rng.sample(choices, count)
        return [self.value(item) for _ in range(count)]

    def _object(self, node: Node) -> dict[str, Any]:
        fields = node.get("properties", {})
        parts = [{**self._resolved(part), "title": ""} for part in fields.values()]
        if len(parts) > 1 and parts.count(parts[0]) == len(parts):
            shares = self._shares(parts[0], len(parts))
            if shares:
                return dict(zip(fields, shares, strict=True))
        return {name: self.value(part) for name, part in fields.items()}

    def _shares(self, part: Node, count: int) -> list[Any]:
        """Numbers, or rows of them, that sum to the greatest that one may be."""
        columns = part.get("maxItems", 0)
        if columns and columns == part.get("minItems"):
            drawn = [self._shares(part["items"], count) for _ in range(columns)]
            return [list(row) for row in zip(*drawn, strict=True)]
        most = part.get("maximum")
        if not most or part.get("minimum") != 0:
            return []
        pieces, each = (most, 1) if part["type"] == "integer" else (100, most / 100)
        got = self.rng.choices(range(count), k=pieces)
        return [round(got.count(one) * each, 10) for one in range(count)]
