"""Models that are none: `scripted` follows a script, `practice` replays a recording with
the faults of a bad day for a pretended price, `stand_in` draws replies of the right form,
so that one sees what a study would ask.
"""

from __future__ import annotations

import asyncio
import gzip
import importlib
import inspect
import json
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from support.errors import CallFailed, InvalidInput
from support.models.attempts import Patience
from support.models.model import ChatModel
from support.models.profiles import FAKE, FREE, Profile
from support.models.profiles import profile as profile_of
from support.models.replies import NAMES, Cache, opened
from support.models.request import Completion, Request, Transport, canonical

# What goes wrong at the practice provider: whether it may charge, and asks to wait.
FAULTS = {
    "429": (False, 0.2),
    "500": (False, None),
    "broken connection": (True, None),
    "time-out": (True, None),
}
Node = Mapping[str, Any]  # of a JSON schema
ENDPOINT = "stand-in"
PIECE = re.compile(r"[A-Za-z]{1,6}|\w|[^\w\s]+|\n+")
PER_MESSAGE = 5  # tokens that a chat template puts around a message
CHARACTERS = 5  # for a token that is drawn
LONG = 200  # characters of a text without a limit
ENDS = re.compile(r"(?<![a-z])(done|finish|stop|end|agreed|accept|quit|clos)", re.I)
WORDS = (
    "perhaps the others would rather begin with something simpler because everybody "
    "agreed that fairness matters "
)


class Fake(Transport):
    """A model made of a function."""

    def __init__(
        self,
        model: str,
        endpoint: str,
        answer: Callable[[Request], Awaitable[Completion]],
    ) -> None:
        self.model, self.endpoint, self._answer = model, endpoint, answer

    async def complete(self, request: Request) -> Completion:
        """What the function answers."""
        return await self._answer(request)


def scripted(
    replies: Any,
    name: str = "scripted",
    *,
    cache: Cache | str | Path | None = None,
    profile: Profile = FAKE,
) -> ChatModel:
    """A model that replies with texts, dicts, pydantic objects or raised errors, in order;
    or with what a function says of the messages.

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
            raise InvalidInput(
                f"the scripted reply to {_last(request)} is {line!r}: expected a text, a "
                "dict, a pydantic object or an exception; None where no line is left (a "
                "repair takes one as well)."
            )
        return Completion(line)

    return ChatModel(
        Fake(name, "scripted", _answer), profile=profile, cache=opened(cache)
    )


def practice(
    recording: str | Path,
    *,
    latency: float = 0.05,
    faults: float = 0,
    seed: int = 0,
    cache: Cache | str | Path | None = None,
    offline: bool = False,
) -> ChatModel:
    """A model that replies as a recording has it, after `latency` seconds; a share of the
    attempts, drawn, fails.
    """
    rng = random.Random(seed)
    with gzip.open(recording, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    known = {_question(line["request"]): Completion(**line["reply"]) for line in lines}

    async def _answer(request: Request) -> Completion:
        await asyncio.sleep(latency)
        if rng.random() < faults:
            raise _fault(rng.choice(list(FAULTS)))
        found = known.get(_question(json.loads(request.to_json())))
        if found is None:
            raise InvalidInput(
                f"{recording} holds no reply to {_last(request)}: a practice model "
                "answers only what its recording was asked, with its questions in it; "
                "play that recording's own sweep."
            )
        return found

    return ChatModel(
        Fake("recorded", "practice", _answer),
        profile=profile_of("recorded"),
        cache=opened(cache),
        offline=offline,
        patience=Patience(max_retries=12),
    )


def _fault(kind: str) -> CallFailed:
    error = CallFailed(f"the practice provider pretends: {kind}.")
    error.fault, error.transient = kind, True
    error.charged, error.retry_after = FAULTS[kind]
    return error


def _question(request: Mapping[str, Any]) -> str:
    """What was asked, whoever was asked."""
    return canonical({name: request[name] for name in request if name not in NAMES})


def _last(request: Request) -> str:
    return repr(request.messages[-1][1][:80])


def stand_in(
    seed: int = 0,
    fill: float = 0.25,
    *,
    ends: float = 0.5,
    name: str = ENDPOINT,
    profile: Profile = FAKE,
) -> ChatModel:
    """A model that replies with what a schema allows: no key, no meaning.

    Its replies are drawn from the seed and the question: one that is asked again, in
    another repetition, has the same. `fill` is the share of its greatest length that a
    text has, and of `max_tokens` without a schema; a list has up to twice this share of
    what it may hold. `ends` tells how often what is named like an end ("done") is chosen.
    """

    def drawn(request: Request, share: float) -> str:
        rng = random.Random(f"{seed} {request.draw}")
        if request.schema is None:
            return words(round(share * request.max_tokens * CHARACTERS), rng)
        schema = json.loads(request.schema)
        writer = Writer(rng, share, ends, schema.get("$defs", {}))
        return json.dumps(writer.value(schema), ensure_ascii=False)

    async def _answer(request: Request) -> Completion:
        most, share = request.max_tokens, fill
        while tokens(drawn(request, share)) > most and share > 0.01:
            share /= 2
        said = drawn(request, share)
        ended = "length" if tokens(said) > most else "stop"
        if ended == "length":
            said = said[:most]
        read = sum(tokens(text) + PER_MESSAGE for _, text in request.messages)
        return Completion(said, read, tokens(said), ended)

    free = profile.model_copy(update={"price": FREE})
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
    if length < 2:
        return "e"[:length]
    begin = WORDS.find(" ", rng.randrange(90)) + 1
    line = (WORDS * (length // len(WORDS) + 2))[begin:][: length - 1].rstrip()
    return line.capitalize().ljust(length - 1, "e") + "."


class Writer:
    """Draws what a JSON schema allows, and what forms ask beyond it: numbers of one range
    from 0, in each field of an object, sum to the greatest of it; a list names no choice
    twice, and often all of them.
    """

    def __init__(
        self,
        rng: random.Random,
        fill: float,
        ends: float,
        definitions: Mapping[str, Any],
    ) -> None:
        self._rng, self._fill, self._ends = rng, fill, ends
        self._definitions = definitions

    def value(self, given: Node, name: str = "") -> Any:
        """A value of this schema; `name` is that of its field."""
        node, draw = self._resolved(given), self._rng
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return draw.choice(self._leaning(node["enum"]))
        if "anyOf" in node:
            real = [one for one in node["anyOf"] if one.get("type") != "null"]
            none = 1 - self._ends if ENDS.search(name) else 0.1 * (self._fill < 1)
            if not real or (len(real) < len(node["anyOf"]) and draw.random() < none):
                return None
            return self.value(draw.choice(real), name)
        match node.get("type", "object"):
            case "object":
                return self._object(node)
            case "array":
                return self._array(node)
            case "string":
                return self._string(node)
            case "boolean":
                return draw.random() < (self._ends if ENDS.search(name) else 0.5)
            case "null":
                return None
        low = node.get("minimum", min(0, node.get("maximum", 100) - 100))
        high = node.get("maximum", low + 100)
        if node["type"] == "integer":
            return draw.randint(low, high)
        return min(max(low, round(draw.uniform(low, high), 2)), high)

    def _resolved(self, node: Node) -> Node:
        while "$ref" in node:
            node = self._definitions[node["$ref"].removeprefix("#/$defs/")]
        return node

    def _leaning(self, choices: list[Any]) -> list[Any]:
        """Those that end something or those that do not, where there are both."""
        last = [one for one in choices if ENDS.match(str(one))]
        rest = [one for one in choices if one not in last]
        ends = self._rng.random() < self._ends if last and rest else not rest
        return last if ends else rest

    def _string(self, node: Node) -> str:
        if "pattern" in node:
            parser = importlib.import_module("re._parser")
            return self._matching(parser.parse(node["pattern"]))
        long = round(self._fill * node.get("maxLength", LONG))
        return words(max(node.get("minLength", 0), long), self._rng)

    def _array(self, node: Node) -> list[Any]:
        low, item = node.get("minItems", 0), self._resolved(node.get("items", {}))
        high = node.get("maxItems", low + 3)
        most = min(high, low + round(2 * self._fill * (high - low)))
        count = high if self._fill >= 1 else self._rng.randint(low, most)
        choices = item.get("enum")
        if not choices:
            parts = node.get("prefixItems") or [item] * count
            return [self.value(part) for part in parts]
        if high == len(choices) and self._rng.random() < 0.5:
            count = high
        mixed = self._rng.sample(choices, len(choices))
        return (mixed * (count // len(choices) + 1))[:count]

    def _object(self, node: Node) -> dict[str, Any]:
        fields = node.get("properties", {})
        parts = {name: self._resolved(part) for name, part in fields.items()}
        alike = [{**part, "title": ""} for part in parts.values()]
        if len(alike) > 1 and all(part == alike[0] for part in alike):
            shares = self._shares(alike[0], len(alike))
            if shares:
                return dict(zip(parts, shares, strict=True))
        return {name: self.value(part, name) for name, part in parts.items()}

    def _shares(self, part: Node, count: int) -> list[Any]:
        """Numbers, or rows of them, that sum to the greatest that one may be."""
        columns = part.get("maxItems", 0)
        if columns and columns == part.get("minItems"):
            drawn = [self._shares(part["items"], count) for _ in range(columns)]
            return [list(row) for row in zip(*drawn, strict=True)]
        most = part.get("maximum")
        if not most or part.get("minimum") != 0:
            return []
        pieces = most if part["type"] == "integer" else 100
        got = Counter(self._rng.choices(range(count), k=pieces))
        shares = [round(got[one] * most / pieces, 10) for one in range(count)]
        return [int(one) for one in shares] if pieces == most else shares

    def _matching(self, parsed: Any) -> str:
        """A text that a pattern matches, from the tree that Python's own `re` reads."""
        draw, made = self._rng, self._matching
        kinds: dict[str, Callable[[Any], str]] = {
            "LITERAL": chr,
            "RANGE": lambda given: chr(draw.randint(*given)),
            "IN": lambda given: made([draw.choice(given)]),
            "SUBPATTERN": lambda given: made(given[-1]),
            "BRANCH": lambda given: made(draw.choice(given[1])),
            "MAX_REPEAT": lambda given: made(
                list(given[2]) * draw.randint(given[0], min(given[1], given[0] + 3))
            ),
            "CATEGORY": lambda given: "7" if str(given) == "CATEGORY_DIGIT" else "a",
        }
        known = [(kinds.get(str(kind)), given) for kind, given in parsed]
        return "".join(make(given) for make, given in known if make)
