"""How providers of one API differ: what they refuse, how they say so, how they reply.

The tables are data, `data/inputs/models/dialect.toml`; here is what reads them: a
refusal (`refusal`, `kind_of`), the lessons of refusals (`Dialect.taught`), and the
shapes of a reply (`read`). Nothing here sends, waits or keeps anything.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import groupby
from typing import Any

from support.data import inputs
from support.models.request import Completion, Request, rewritten


@cache
def table() -> dict[str, Any]:
    """What is known of providers: the tables of dialect.toml."""
    return tomllib.loads(inputs("models", "dialect.toml").read_text("utf-8"))


# -- what a refusal says --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is none: its status, or what stands for it, and its words."""

    status: str
    words: str
    retry_after: float | None = None
    had: Completion | None = None  # what came of a reply that broke off, for its usage

    def names(self, parameter: str) -> bool:
        """Whether its words name a parameter."""
        return re.search(rf"\b{parameter}\b", self.words) is not None

    def says(self, what: str) -> bool:
        """Whether its words say one of the things in the table."""
        pattern = "|".join(table()["says"][what])
        return re.search(pattern, self.words, re.I) is not None

    @property
    def teaches(self) -> bool:
        """Whether it may be about how the question was put."""
        refused = self.status in ("400", "422") or self.says("refuses")
        return refused and kind_of(self)["teaches"]


def kind_of(refused: Refusal) -> dict[str, Any]:
    """Of which kind a refusal is: the first row that fits, as the table explains it."""
    for row in table()["kinds"]:
        kind = table()["usual"] | row
        fits = re.fullmatch(kind["status"], refused.status)
        if fits and refused.says(kind["words"]):
            return kind
    raise LookupError(refused)


def refusal(status: str, body: Any, retry_after: float | None = None) -> Refusal:
    """Read the body of an error in any of its shapes; no status: within a 200."""
    known = table()["body"]
    words = list[str]()
    code = ""
    for name, text in _leaves(body):
        if name in known["codes"] and re.fullmatch("[45]..", text):
            code = code or text
        elif name in known["params"]:
            words.append(f"({text})")
        elif name not in known["silent"]:
            words.append(text if name in known["plain"] else f"{name}: {text}")
    refused = Refusal(status or code, " ".join(dict.fromkeys(words)), retry_after)
    if refused.status:
        return refused
    within = table()["within"].items()
    implied = (str(number) for number, words in within if refused.says(words))
    return replace(refused, status=next(implied, "502"))


def _leaves(node: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every text and number of a body, with the name under which it stands."""
    match node:
        case None | "" | "None" | "null":
            return
        case list():
            for part in node:
                yield from _leaves(part, name)
        case dict():
            for key, part in node.items():
                yield from _leaves(part, key)
        case _:
            yield name, str(node)


# -- how a question is put ------------------------------------------------------------

FORMS = ("json_schema", "json_object with schema", "json_object", "text")
LAST = len(FORMS) - 1
EFFORT = "reasoning_effort"
# What stands for a parameter that is left out.
INSTEAD = {"max_tokens": "max_completion_tokens"}
# What is left out where a refusal names it.
PARAMETERS = ("max_tokens", "temperature", "seed", "stream_options")
STREAMS = "It streams: its replies are joined here."
PROMPT = "Reply with JSON only, no other text, that follows this JSON schema:\n"


def own(request: Request) -> set[str]:
    """The names of all that is asked beside the question, by the user or the study."""
    return set(re.findall(r'"([^"\\]+)":', request.options)) - {"extra_body", "type"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one endpoint is asked, as far as its refusals and replies have taught."""

    form: int = 0  # of FORMS
    left_out: frozenset[str] = frozenset()  # parameters, and keywords of schemas
    user_only: bool = False  # it takes no system message
    streams: bool = False  # it answers in a stream, or not at all
    thinks: bool = False
    extra: int = 0  # tokens that thinking may take
    learnt: tuple[str, ...] = ()  # in sentences

    def told(self, sentence: str, **changes: Any) -> Dialect:
        """The dialect after a lesson."""
        return replace(self, learnt=(*self.learnt, sentence), **changes)

    def wire(self, request: Request) -> dict[str, Any]:
        """A request as the body of a call."""
        asked = json.loads(request.options or "{}")
        chat = by_user(request.chat) if self.user_only else request.chat
        wire: dict[str, Any] = {"model": request.model, "messages": chat}
        asks = {
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
            EFFORT: asked.get(EFFORT),
        }
        if self.streams:
            asks |= {"stream": True, "stream_options": {"include_usage": True}}
        for name, value in asks.items():
            if name in self.left_out:
                name = INSTEAD.get(name, "")
            if name and value is not None:
                wire[name] = value
        wire |= asked.get("extra_body", {})
        if request.schema:
            if self.form:
                # In the user's voice: not every model's template has a system message.
                chat[-1]["content"] += f"\n\n{PROMPT}{request.schema}"
            if self.form < LAST:
                form = _form(request.schema, FORMS[self.form], self.left_out)
                wire["response_format"] = form
        return wire

    def taught(
        self, refused: Refusal, request: Request, wire: Mapping[str, Any]
    ) -> Dialect | None:
        """What a refusal teaches; None where that is nothing new.

        What the user's entry or the study asks for is never left out.
        """
        asks = wire.keys() - own(request)
        for name in PARAMETERS:
            sized = name in INSTEAD and refused.says("size")
            if name in asks and refused.names(name) and not sized:
                told = f"It takes no {name}: none is sent."
                return self.told(told, left_out=self.left_out | {name})
        if not self.user_only and refused.says("role"):
            told = "It takes no system message: it stands before the user's first one."
            return self.told(told, user_only=True)
        if not self.streams and refused.says("stream"):
            return self.told(STREAMS, streams=True)
        if "response_format" in asks and refused.says("form"):
            return self._simpler(refused, json.dumps(wire["response_format"]))
        return None

    def _simpler(self, refused: Refusal, sent: str) -> Dialect:
        """The schema without a keyword that was refused, or put in another way."""
        named = []
        for word, pattern in table()["keywords"].items():
            there = f'"{word}":' in sent
            if there and re.search(rf"\b{pattern}\b", refused.words, re.I):
                named.append(word)
        if named:
            told = f"It knows no {', '.join(named)} in a schema: checked here instead."
            return self.told(told, left_out=self.left_out.union(named))
        this, other = FORMS[self.form : self.form + 2]
        told = f"It takes no {this}: a schema goes as {other}, and in the prompt."
        return self.told(told, form=self.form + 1)


@lru_cache(maxsize=256)
def _form(schema: str, form: str, left_out: frozenset[str]) -> dict[str, Any]:
    """The response_format of a schema."""
    if form == "json_object":
        return {"type": form}
    strict = form == "json_schema"
    large = table()["large"]

    def known(node: dict[str, Any]) -> dict[str, Any]:
        kept = {name: node[name] for name in node if name not in left_out}
        for bound in () if strict else table()["bounds"]:
            if kept.get(bound, 0) > large:
                del kept[bound]
        return kept

    parsed = rewritten(json.loads(schema), known)
    if not strict:
        return {"type": "json_object", "schema": parsed}
    made = {"name": "reply", "schema": parsed}
    if "strict" not in left_out:
        made["strict"] = True
    return {"type": form, form: made}


def by_user(chat: list[dict[str, str]]) -> list[dict[str, str]]:
    """Messages in which a system's text begins the user's, and nobody speaks twice."""
    made = []
    for model, turn in groupby(chat, lambda message: message["role"] == "assistant"):
        text = "\n\n".join(message["content"] for message in turn)
        made.append({"role": "assistant" if model else "user", "content": text})
    return made


# -- what a reply says ----------------------------------------------------------------

TAG = "(?:think|thinking|thought|reasoning)"
OPEN = re.compile(rf"\s*[<\[]{TAG}[>\]]", re.I)
CLOSE = re.compile(rf"[<\[]/{TAG}[>\]]\s*", re.I)


def joined(body: str) -> Any:
    """The answer that the chunks of a stream make together, each part a list."""
    made: dict[str, Any] = {}
    message: dict[str, list[Any]] = {}
    reason = "broken off"
    for line in re.findall(r"^data:\s*(\{.*)", body, re.M):
        chunk = json.loads(line)
        if chunk.get("error"):
            return chunk
        for choice in chunk.pop("choices", None) or ():
            reason = choice.get("finish_reason") or reason
            for name, part in (choice.get("delta") or {}).items():
                if part:
                    parts = part if isinstance(part, list) else [part]
                    message.setdefault(name, []).extend(parts)
        made |= chunk
    return made | {"choices": [{"message": message, "finish_reason": reason}]}


def read(answer: Any, latency: float) -> Completion | Refusal:
    """A completion; or the refusal that stands in its place."""
    known = table()["reply"]
    match answer:
        case {"choices": [dict() as choice, *_]}:
            wrong = answer.get("error") or choice.get("error")
        case [{}, *_]:
            choice = {}
            wrong = answer
        case dict() if answer.keys() & known["wrong"]:
            choice = {}
            wrong = answer
        case _:
            return Refusal("no completion", json.dumps(answer))
    if wrong:
        return refusal("", wrong)
    text, thinking = _parted(choice.get("message") or choice.get("text"))
    reason = str(choice.get("finish_reason") or "stop").lower()
    reason = "length" if reason in known["cut"] else reason
    had = Completion(
        _whole(text),
        **_counted(answer),
        finish_reason=reason,
        latency=latency,
        thinking=_whole(thinking),
        model=_whole(answer.get("model")),
        fingerprint=_whole(answer.get("system_fingerprint")),
    )
    empty = not text.strip()
    if reason in known["filtered"]:
        status = "filtered"
    elif reason in known["broken"] or (empty and reason != "length"):
        status = "broke off"
    else:
        return had
    said = f"it is {'empty' if empty else 'half'}, finish_reason {reason!r}"
    return Refusal(status, said, had=had)


def _whole(said: Any) -> str:
    """A text without half characters, which cannot be kept."""
    return str(said or "").encode("utf-8", "replace").decode()


def _counted(answer: Any) -> dict[str, int]:
    """The tokens that an answer took, as far as it says so; nobody has checked that."""
    counts = dict(_leaves(answer.get("usage")))
    made = dict[str, int]()
    for name, field in table()["reply"]["usage"].items():
        if re.fullmatch(r"\d+(\.\d+)?", counts.get(field, "")):
            made[name] = int(float(counts[field]))
    return made


def _parted(message: Any) -> tuple[str, str]:
    """Text and thinking of a message, apart."""
    said = {False: "", True: ""}
    for thinks, part in _said(message):
        said[thinks] += part
    text = said[False]
    thinking = said[True]
    begun, *rest = CLOSE.split(text, maxsplit=1)
    if rest or OPEN.match(begun):  # cut off in its thinking, a text has no more
        thought = OPEN.sub("", begun, count=1).strip()
        return "".join(rest), thinking or thought
    return text, thinking


def _said(node: Any, thinks: bool = False) -> Iterator[tuple[bool, str]]:
    """Each text of a message, or of a part of it, and whether it is thinking."""
    known = table()["reply"]
    match node:
        case str():
            yield thinks, node
        case list():
            for part in node:
                yield from _said(part, thinks)
        case dict():
            kind = str(node.get("type"))
            thinks = thinks or kind.startswith(("thinking", "reasoning"))
            thoughts = [node[name] for name in known["thinking"] if node.get(name)]
            yield from _said(thoughts[:1], True)
            for name in known["texts"]:
                yield from _said(node.get(name), thinks)
            for name in known["objects"]:
                given = node.get(name, "")
                yield thinks, given if isinstance(given, str) else json.dumps(given)
            names = known["thinking"] + known["texts"] + known["objects"]
            if not node.keys() & {"type", "role", *names}:
                yield thinks, json.dumps(node)


DECODER = json.JSONDecoder(strict=False)  # lines may be broken within a text


def objects(text: str) -> list[str]:
    """The JSON objects in a text, the last first, and what they wrap.

    An object in a list is read where it is the only one.

    >>> objects('About {this}: {"Form": {"a": 1}}, I think.')
    ['{"Form": {"a": 1}}', '{"a": 1}']
    """
    found = _values(text) or _values(re.sub(r",(\s*[}\]])", r"\1", text))
    if not found:
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            found = [ast.literal_eval(text[text.index("{") : text.rindex("}") + 1])]
    return [one for value in reversed(found) for one in _unwrapped(value)]


def _values(text: str) -> list[Any]:
    found = []
    end = 0
    text = text.strip()
    for begin in re.finditer(r'^"|\{(?=\s*["}])|\[(?=\s*\{\s*["}])', text):
        if begin.start() >= end:
            with suppress(ValueError, RecursionError):
                value, end = DECODER.raw_decode(text, begin.start())
                found.append(value)
    return found


def _unwrapped(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield from objects(value)
        case [one]:
            yield from _unwrapped(one)
        case dict():
            said = json.dumps(value, ensure_ascii=False, default=str)
            within = [part for part in value.values() if "{" in str(part)]
            wrapped = list(_unwrapped(within[0])) if len(within) == 1 else []
            called = value.keys() & {"arguments", "parameters", "function"}
            yield from [*wrapped, said] if called else [said, *wrapped]


def could_be(text: str, schema: str) -> bool:
    """Whether a text holds an object with all fields that a schema requires."""
    required = set(json.loads(schema)["required"])
    return any(required <= json.loads(found).keys() for found in objects(text))


# -- who answered ---------------------------------------------------------------------

DATED = re.compile(
    r"([-@:_.](\d{4}-\d\d-\d\d|\d{3,4}|\d{6}|\d{8}|preview(-\d\d-\d\d)?|exp|v\d+))+$"
)


@lru_cache
def same_model(asked: str, answered: str) -> bool:
    """Whether the name of who answered is that of whom was asked, as providers put it.

    A snapshot of a family is that family, the end of a path is its model; another
    snapshot than the one that was asked for is another model.

    >>> same_model("gpt-4o-mini", "openai/gpt-4o-mini-2024-07-18")
    True
    >>> same_model("gpt-4o", "gpt-4o-mini")
    False
    """
    wanted = _bare(asked)
    heard = _bare(answered)
    return not heard or wanted in (heard, DATED.sub("", heard))


def _bare(name: str) -> str:
    last = re.sub(r"\s.*|.*[/\\]", "", name.lower())
    return re.sub(r"(@[\w.-]+|\.gguf|[-:]latest|:free)$", "", last)
