"""Models that are none: `scripted` follows a script, `practice` replays a recording with the faults of a bad day for a
pretended price, `stand_in` draws replies of the right form, so that one sees what a study would ask.
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
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from support.errors import CallFailed, InvalidInput, MissingData
from support.models.attempts import Patience
from support.models.model import ChatModel
from support.models.profiles import FAKE, FREE, Profile
from support.models.profiles import profile as profile_of
from support.models.replies import NAMES, Cache
from support.models.request import Completion, Request, Transport, canonical

# What goes wrong at the practice provider: whether it may charge for it, and how long it asks to wait.
FAULTS = {
    "429": (False, 0.2),
    "500": (False, None),
    "broken connection": (True, None),
    "time-out": (True, None),
}
ENDPOINT = "stand-in"
PIECE = re.compile(r"[A-Za-z]{1,6}|\w|[^\w\s]+|\n+")
PER_MESSAGE, CHARACTERS = (
    5,
    5,
)  # tokens that a chat template puts around a message; characters for one that is drawn
LONG = 200  # characters of a text without a limit
ENDS = re.compile(
    r"(?<![a-z])(done|finish|stop|end|agreed|accept|quit|clos)", re.IGNORECASE
)
WORDS = "perhaps the others would rather begin with something simpler because everybody agreed that fairness matters "


class Fake(Transport):
    """A model made of a function."""

    def __init__(
        self,
        model: str,
        endpoint: str,
        answer: Callable[[Request], Awaitable[Completion]],
    ) -> None:
        self.model, self.endpoint, self.complete = model, endpoint, answer  # type: ignore


def scripted(
    replies: Any,
    name: str = "scripted",
    *,
    cache: Cache | str | Path | None = None,
    profile: Profile | None = None,
) -> ChatModel:
    """A model that replies with texts, dicts, pydantic objects or raised errors, in order; or what a function says.

    >>> asyncio.run(scripted(["Let us meet on Monday."]).reply("When?")).text
    'Let us meet on Monday.'
    """
    if isinstance(replies, str) or not (
        callable(replies) or isinstance(replies, Sequence)
    ):
        raise InvalidInput(
            f"replies={replies!r}: expected a list of replies, or a function of the messages."
        )
    lines = iter(() if callable(replies) else replies)

    async def _answer(request: Request) -> Completion:
        line: Any = replies(request.chat) if callable(replies) else next(lines, None)
        line = await line if inspect.isawaitable(line) else line
        if isinstance(line, BaseException):
            raise line
        line = line.model_dump_json() if hasattr(line, "model_dump_json") else line
        if line is None and not callable(replies):
            raise InvalidInput(
                f"the scripted model was given {len(replies)} replies, and is asked for one more (a repair counts as "
                f"well); the last message is {request.messages[-1][1][:80]!r}."
            )
        if not isinstance(line, (str, dict)):
            asked = f"the scripted reply to {request.messages[-1][1][:80]!r} is {line!r}: expected a text, a dict,"
            raise InvalidInput(f"{asked} a pydantic object or an exception.")
        return Completion(
            line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
        )

    kept = Cache(cache) if isinstance(cache, (str, Path)) else cache
    return ChatModel(Fake(name, "scripted", _answer), profile=profile, cache=kept)


def practice(
    recording: str | Path, *, latency: float = 0.05, faults: float = 0, seed: int = 0,
    cache: Cache | str | Path | None = None, offline: bool = False
) -> ChatModel:  # fmt: skip
    """A model that replies as a recording has it, after `latency` seconds; a share of the attempts, drawn, fails."""
    file, rng = Path(recording), random.Random(seed)
    if not 0 <= faults < 1:
        raise InvalidInput(
            f"faults={faults!r}: expected a share from 0 to less than 1."
        )
    if not file.is_file():
        raise MissingData(
            f"there is no recording at {file}; those of the package are in data/replies."
        )
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        known = {
            _question(had["request"]): Completion(**had["reply"])
            for had in map(json.loads, lines)
        }
    if canonical({}) in known:
        raise InvalidInput(
            f"{file} was written without its questions, so that no question finds its reply there."
        )

    async def _answer(request: Request) -> Completion:
        await asyncio.sleep(latency)
        if rng.random() < faults:
            error = CallFailed(
                f"the practice provider pretends: {(kind := rng.choice(list(FAULTS)))}."
            )
            error.fault, error.transient, (error.charged, error.retry_after) = (
                kind,
                True,
                FAULTS[kind],
            )
            raise error
        if (found := known.get(_question(json.loads(request.to_json())))) is None:
            asked = f"{file.name} holds no reply to {request.messages[-1][1][:60]!r}…: a practice model answers only"
            raise InvalidInput(
                f"{asked} what its recording was asked; play that recording's own sweep."
            )
        return found

    model, kept = (
        Fake("recorded", "practice", _answer),
        Cache(cache) if isinstance(cache, (str, Path)) else cache,
    )
    patient = Patience(max_retries=12)
    return ChatModel(
        model,
        profile=profile_of("recorded"),
        cache=kept,
        offline=offline,
        patience=patient,
    )


def _question(request: Mapping[str, Any]) -> str:
    """What was asked, whoever was asked."""
    return canonical(
        {name: value for name, value in request.items() if name not in NAMES}
    )


def stand_in(
    seed: int = 0,
    fill: float = 0.25,
    *,
    ends: float = 0.5,
    name: str = ENDPOINT,
    profile: Profile | None = None,
) -> ChatModel:
    """A model that replies with what a schema allows, drawn from the seed and the question: no key, no meaning.

    `fill` is the share of its greatest length that a text has, and of `max_tokens` without a schema; a list has up to
    twice this share of what it may hold. `ends` tells how often what is named like an end ("done") is chosen.
    """

    def drawn(request: Request, share: float) -> str:
        rng, schema = (
            random.Random(f"{seed} {request.key}"),
            json.loads(request.schema or "{}"),
        )
        if schema:
            return json.dumps(
                Writer(rng, share, ends, schema.get("$defs", {})).value(schema),
                ensure_ascii=False,
            )
        return words(max(1, round(share * request.max_tokens * CHARACTERS)), rng)

    async def _answer(request: Request) -> Completion:
        share, ended, said = fill, "stop", drawn(request, fill)
        while tokens(said) > request.max_tokens and share > 0.01:
            said = drawn(request, share := share / 2)
        while (count := tokens(said)) > request.max_tokens:
            said, ended = said[: len(said) * 3 // 4], "length"
        return Completion(
            said,
            sum(tokens(text) + PER_MESSAGE for _, text in request.messages),
            count,
            ended,
        )

    return ChatModel(
        Fake(name, ENDPOINT, _answer),
        profile=(profile or FAKE).model_copy(update={"price": FREE}),
    )


def tokens(text: str) -> int:
    """About how many tokens a text has: up to six letters of a word are one, a digit, a run of marks, any other letter.

    On the embedded model's recordings this makes 0.85 to 1.03 of what its tokenizer counts; larger ones count fewer.

    >>> tokens("Meet at 10:30?")
    8
    """
    return len(PIECE.findall(text))


def words(length: int, rng: random.Random) -> str:
    """Plausible words, together of exactly so many characters."""
    line = (WORDS * (length // len(WORDS) + 2))[
        WORDS.find(" ", rng.randrange(90)) + 1 :
    ][: max(0, length - 1)].rstrip()
    return (
        line.capitalize().ljust(length - 1, "e") + "." if length > 1 else "e"[:length]
    )


class Writer:
    """Draws what a JSON schema allows, and what forms ask beyond it: numbers of one range from 0, in each field of an
    object, sum to the greatest of it; a list names no choice twice, and often all of them.
    """

    def __init__(
        self,
        rng: random.Random,
        fill: float,
        ends: float,
        definitions: Mapping[str, Any],
    ) -> None:
        self._rng, self._fill, self._ends, self._definitions = (
            rng,
            fill,
            ends,
            definitions,
        )

    def value(self, given: Mapping[str, Any], name: str = "") -> Any:
        """A value of this schema; `name` is that of its field."""
        node, draw = self._resolved(given), self._rng
        match node.get("type", "object"):
            case _ if some := node.get(
                "enum", [node["const"]] if "const" in node else []
            ):
                last = [one for one in some if isinstance(one, str) and ENDS.match(one)]
                rest = [one for one in some if one not in last]
                return draw.choice(
                    (last if draw.random() < self._ends else rest)
                    if last and rest
                    else some
                )
            case _ if some := node.get("anyOf"):
                real = [one for one in some if one.get("type") != "null"]
                declined = (
                    1 - self._ends if ENDS.search(name) else 0.1 * (self._fill < 1)
                )
                if len(real) < len(some) and (not real or draw.random() < declined):
                    return None
                return self.value(draw.choice(real), name)
            case "string" if "pattern" in node:
                return self._matching(
                    importlib.import_module("re._parser").parse(node["pattern"])
                )
            case "string":
                return words(
                    max(
                        node.get("minLength", 0),
                        round(self._fill * node.get("maxLength", LONG)),
                    ),
                    draw,
                )
            case "integer" | "number" as kind:
                low = node.get("minimum", min(0, node.get("maximum", 100) - 100))
                high = node.get("maximum", low + 100)
                drawn = (
                    draw.randint(low, high)
                    if kind == "integer"
                    else draw.uniform(low, high)
                )
                return short if low < (short := round(drawn, 2)) < high else drawn
            case "array":
                return self._list(node)
            case "object":
                return self._object(node)
            case "boolean":
                return draw.random() < (self._ends if ENDS.search(name) else 0.5)

    def _resolved(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        return (
            self._resolved(self._definitions[node["$ref"].removeprefix("#/$defs/")])
            if "$ref" in node
            else node
        )

    def _list(self, node: Mapping[str, Any]) -> list[Any]:
        low, item = node.get("minItems", 0), self._resolved(node.get("items", {}))
        high = node.get("maxItems", low + 3)
        most = min(high, low + round(2 * self._fill * (high - low)))
        count = high if self._fill >= 1 else self._rng.randint(low, most)
        if choices := item.get("enum"):
            count = high if high == len(choices) and self._rng.random() < 0.5 else count
            return (
                self._rng.sample(choices, len(choices)) * (count // len(choices) + 1)
            )[:count]
        return [self.value(part) for part in node.get("prefixItems") or [item] * count]

    def _object(self, node: Mapping[str, Any]) -> dict[str, Any]:
        """Each field drawn; or numbers, or lists of them by columns, that sum to the greatest that one may be."""
        parts = {
            name: self._resolved(part)
            for name, part in node.get("properties", {}).items()
        }
        kinds = [
            {key: said for key, said in part.items() if key != "title"}
            for part in parts.values()
        ]
        first = (
            kinds[0]
            if len(kinds) > 1 and all(kind == kinds[0] for kind in kinds)
            else {}
        )
        cell, columns = first.get("items", first), first.get("maxItems", 0)
        most = (
            cell.get("maximum")
            if cell.get("minimum") == 0 and columns == first.get("minItems", 0)
            else None
        )
        if not most:
            return {name: self.value(part, name) for name, part in parts.items()}
        pieces, piece = (most, 1) if cell["type"] == "integer" else (100, most / 100)
        drawn = [
            Counter(self._rng.choices(list(parts), k=pieces))
            for _ in range(columns or 1)
        ]
        rows = {
            name: [round(column[name] * piece, 10) for column in drawn]
            for name in parts
        }
        return {name: row if columns else row[0] for name, row in rows.items()}

    def _matching(self, parsed: Any) -> str:
        """A text that a pattern matches, from the tree that Python's own `re` works with."""
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
        return "".join(
            kinds[str(kind)](given) for kind, given in parsed if str(kind) in kinds
        )
