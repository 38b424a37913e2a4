"""One door to all models: `await model.reply(messages, schema=…)` gives a validated reply.

`Request` and `Completion` are what passes a `Transport`, the replaceable edge. `ChatModel` keeps replies by content,
asks again for what does not fit its form, and holds the limit on calls in flight; how an attempt is paced, paid and
repeated is in `support.models.attempts`.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import operator
import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from support.errors import CacheMiss, ConveneError, InvalidInput, MalformedReply
from support.models.attempts import Attempts, Pace, Patience, PerLoop, budgets, cost
from support.models.calls import Call, Fault, meter, note, watched
from support.models.profiles import FAKE, Limits, Price, Profile, needed_price

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

    from support.models.cache import Cache

REPAIRS = 2
ROLES = ("system", "developer", "user", "assistant")
MAX_SEED = 2**32 - 2  # llama.cpp takes 32 bits, and the last number for "draw one"
PROBLEMS_SHOWN = 5
FIRST_ALONE = 0.3  # seconds that other first calls wait for the first one, which learns what its endpoint takes

Messages = str | Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a model: all that may change its reply, and nothing else.

    `messages` are (role, content) pairs. `schema` is a JSON schema as text, None for free text: the order of its fields
    is the order in which a model writes them. `repetition` tells apart draws that are otherwise alike. `options` is
    what a profile asks beside, as JSON. How a schema or the room for thinking is put to an endpoint is no part of it.
    """

    model: str
    endpoint: str
    messages: tuple[tuple[str, str], ...]
    schema: str | None
    temperature: float
    seed: int | None
    max_tokens: int
    repetition: int
    options: str = ""

    @property
    def key(self) -> str:
        """The name of this request in a cache: SHA-256 of its canonical JSON."""
        return _key(self)

    def to_json(self) -> str:
        """The request as JSON, the same text for the same request."""
        return _json(self)

    @classmethod
    def from_json(cls, text: str) -> Request:
        """The request that `to_json` wrote; ValueError, KeyError or TypeError when the text is something else."""
        given = {"options": "", **json.loads(text)}
        given["messages"] = tuple((role, content) for role, content in given["messages"])
        return cls(**{field.name: given[field.name] for field in fields(cls)})

    @property
    def chat(self) -> list[dict[str, str]]:
        """The messages as OpenAI-compatible endpoints take them."""
        return [{"role": role, "content": content} for role, content in self.messages]


@lru_cache(maxsize=512)  # a call asks for both several times: to look it up, to keep it, to note it
def _json(request: Request) -> str:
    made = {field.name: getattr(request, field.name) for field in fields(request)}
    if not made["options"]:
        del made["options"]
    return canonical({**made, "temperature": float(request.temperature)})  # 0 and 0.0 are equal, and so is their text


@lru_cache(maxsize=512)
def _key(request: Request) -> str:
    return hashlib.sha256(_json(request).encode()).hexdigest()


def canonical(value: Any) -> str:
    """JSON that is the same text for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a model to one request; `latency` in seconds.

    `prompt_tokens` includes the `cached_prompt_tokens`, which the provider found in a cache of its own. Tokens are
    those of all attempts that were charged. `thinking` stood before the text; it is private, like reasons.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish_reason: str = "stop"
    latency: float = 0.0
    cached_prompt_tokens: int = 0
    thinking: str = ""


class Transport:
    """How requests reach one model. A subclass sets `model` and `endpoint`, as in a record, and writes `complete`."""

    model: str
    endpoint: str
    learns = False  # whether its first call finds out what the endpoint takes

    async def complete(self, request: Request) -> Completion:
        """Answer one request, or raise one of `support.errors.ModelError`."""
        raise NotImplementedError

    def room(self, request: Request) -> int:
        """Tokens that the reply may take, thinking included: what it can cost at most."""
        return request.max_tokens

    def widen(self, request: Request, completion: Completion, room: int) -> str:
        """Make more room where a reply was cut off at `room`, and say so; "" where that is not to be had."""
        return ""

    async def close(self) -> None:
        """Give back what the running event loop holds open; most transports hold nothing."""

    @property
    def learnt(self) -> tuple[str, ...]:
        """What the endpoint refused and how it is met, a sentence each."""
        return ()

    @property
    def details(self) -> dict[str, str]:
        """What a figure's provenance says about the model."""
        return {"model": self.model, "endpoint": self.endpoint}


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a reply took, over all its attempts, whether they were called for or found in the cache."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_prompt_tokens: int = 0

    @property
    def total(self) -> int:
        """Prompts and replies together; the tokens that a provider found in its cache are among the prompts'."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model replied.

    `value` is the validated pydantic object, None without a schema. `latency` is in seconds and counts calls only;
    `cached` says that no call was made at all. `attempts` is 1 plus the repairs. `cost` is in US dollars: 0 for what
    was cached, None where a call was made and has no price.
    """

    text: str
    value: Any
    usage: Usage
    latency: float
    cached: bool
    attempts: int
    model: str
    finish_reason: str
    cost: float | None = None
    thinking: str = ""


@dataclass(frozen=True, slots=True)
class _Had:
    """One completion on the way to a reply, whether it was called for, and what it cost."""

    completion: Completion
    cached: bool
    usd: float | None


@dataclass
class _Here:
    """What belongs to one event loop: the limit on calls, and the requests that are being answered."""

    limit: asyncio.Semaphore
    pending: dict[str, asyncio.Future[Completion]] = field(default_factory=dict)
    first: asyncio.Event | None = None


class ChatModel:
    """A language model that replies. Make one with `connect` or `scripted`, and share it.

    `calls` counts replies asked so far, `live_calls` questions that were sent; the rest came from the cache. `name` is
    what stands behind "model:" at a table, `model` what the endpoint calls it.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        profile: Profile | None = None,
        cache: Cache | None = None,
        offline: bool = False,
        concurrency: int = 8,
        repairs: int = REPAIRS,
        patience: Patience | None = None,
        pace: Pace | None = None,
    ) -> None:
        self.cache, self.calls, self.live_calls, self.repairs = cache, 0, 0, repairs
        self.profile = profile or FAKE
        self.model, self.endpoint = transport.model, transport.endpoint
        self.name = self.profile.name if profile and transport.learns else transport.model
        self._transport, self._offline, self._tried = transport, offline, not transport.learns
        self._attempts = Attempts(transport, patience or Patience(), pace or Pace())
        self._here = PerLoop(lambda: _Here(asyncio.Semaphore(concurrency)))

    def __repr__(self) -> str:
        return f"ChatModel({self.model!r} at {self.endpoint}{', offline' if self._offline else ''})"

    @property
    def limits(self) -> Limits:
        """How much it may say and is told."""
        return self.profile.limits

    @property
    def price(self) -> Price | None:
        """What it costs where it is served, None where nobody said."""
        return self.profile.price_at(self.endpoint)

    @property
    def learnt(self) -> tuple[str, ...]:
        """What its endpoint refused and how that is met, a sentence each."""
        return self._transport.learnt

    @property
    def details(self) -> dict[str, str]:
        """What a figure's provenance says about the model."""
        more = {"options": self.profile.options, "learnt": " ".join(self.learnt)}
        return {**self._transport.details, **{name: said for name, said in more.items() if said}}

    async def reply(
        self, messages: Messages, schema: type[BaseModel] | None = None, *, cut: str = "", **settings: Any
    ) -> Reply:
        """Ask for a reply, in the form of `schema` when one is given; `settings` are those of `request`.

        A reply that does not fit is asked again with the validation error, twice at most: bound every string and list.
        `cut` says what of the prompt was left out, for the unit's record. Raises InvalidInput for arguments that do not
        fit; MalformedReply when no reply fits the schema; CacheMiss offline; BudgetExceeded; and ModelUnavailable,
        ContextOverflow or CallFailed when the endpoint does not answer: the message says what to do.
        """
        request = self.request(messages, schema, **settings)
        self.calls += 1
        had: list[_Had] = []
        while len(had) <= self.repairs:
            had.append(await self._complete(request, len(had), cut))
            completion = had[-1].completion
            value, complaint = _validated(completion.text, schema)
            if complaint is None:
                return self._reply(value, had)
            request = _with_repair(request, completion, complaint)
        assert schema is not None
        error = MalformedReply(
            f"{self.model} did not give a {schema.__name__} in {len(had)} attempts. {complaint}. Its last reply began: "
            f"{completion.text[:200]!r}. Give more room in max_tokens (it was {request.max_tokens}), a simpler schema, "
            "more attempts (connect(repairs=…)), or use a larger model."
        )
        error.tokens, error.cost = _usage(had).total, _cost(had)
        raise error

    def request(
        self,
        messages: Messages,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        seed: int | None = None,
        repetition: int = 0,
        max_tokens: int = 512,
    ) -> Request:
        """What `reply` would ask with these arguments: `cache.explain` and `cache.get` take it.

        `repetition` tells apart draws that are otherwise alike, so that the cache keeps each; `max_tokens` is where the
        reply itself, thinking apart, is cut off.
        """
        always = self.profile.temperature
        return Request(
            model=self.model,
            endpoint=self.endpoint,
            messages=_conversation(messages),
            schema=None if schema is None else schema_text(schema),
            temperature=_number("temperature", temperature if isinstance(always, bool) else always, 0.0, 2.0),
            seed=None if seed is None else _whole("seed", seed, 0, MAX_SEED),
            max_tokens=_whole("max_tokens", max_tokens, 1),
            repetition=_whole("repetition", repetition, 0),
            options=self.profile.options,
        )

    async def close(self) -> None:
        """Give back the connections of the running event loop; the next reply opens new ones."""
        await self._transport.close()

    async def __aenter__(self) -> ChatModel:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    def _reply(self, value: Any, had: list[_Had]) -> Reply:
        last, cached = had[-1].completion, all(h.cached for h in had)
        latency = sum(h.completion.latency for h in had if not h.cached)
        about = (_usage(had), latency, cached, len(had), self.model, last.finish_reason, _cost(had), last.thinking)
        return Reply(last.text, value, *about)

    async def _complete(self, request: Request, repair: int, cut: str) -> _Had:
        """One attempt: from the cache, from a call already in flight for the same request, or from the model."""
        if self.cache is None:
            return await self._ask(request, repair, cut)
        pending, key = self._here.get().pending, request.key
        while (other := pending.get(key)) is not None:
            await asyncio.wait([other])  # awaiting it would let the cancellation of this caller cancel that one
            if not other.cancelled():
                return self._found(request, repair, other.result(), cut)
        if (found := self.cache.get(request)) is not None:
            return self._found(request, repair, found, cut)
        mine = pending[key] = asyncio.get_running_loop().create_future()
        try:
            had = await self._ask(request, repair, cut)
            mine.set_result(had.completion)
            return had
        finally:
            del pending[key]
            mine.cancel()  # no effect after a result; otherwise whoever waited asks by itself

    def _found(self, request: Request, repair: int, completion: Completion, cut: str) -> _Had:
        self._note(request, repair, completion, cached=True, usd=0.0, cut=cut)
        return _Had(completion, True, 0.0)

    async def _ask(self, request: Request, repair: int, cut: str) -> _Had:
        """Call for a completion and keep it, before anything else can go wrong."""
        if self._offline:
            assert self.cache is not None
            raise CacheMiss(self.cache.missed(request))
        faults: list[Fault] = []
        running, price = meter(), needed_price(self) if budgets() else self.price
        async with self._here.get().limit:
            await self._turn()
            self.live_calls += 1
            try:
                with running.flight() if running else nullcontext():
                    completion = await self._attempts.complete(request, faults, price)
            except ConveneError as error:
                said = f"{type(error).__name__}: {error}"
                self._note(request, repair, None, faults=tuple(faults), error=said, cut=cut)
                raise
            finally:
                self._learnt()
        usd = cost(completion, price)
        kept = completion if self.cache is None else self.cache.put(request, completion)
        self._note(request, repair, completion, usd=usd, faults=tuple(faults), cut=cut)
        return _Had(kept, False, usd)  # where another process was first, its reply goes for both

    async def _turn(self) -> None:
        """Let the first call of all go ahead: what the endpoint refuses is learnt once, and not by each in flight."""
        here = self._here.get()
        if self._tried or here.first is None:
            here.first = here.first or asyncio.Event()
            return
        try:
            await asyncio.wait_for(here.first.wait(), FIRST_ALONE)
        except TimeoutError:
            self._tried = True

    def _learnt(self) -> None:
        self._tried = True
        if (first := self._here.get().first) is not None:
            first.set()

    def _note(self, request: Request, repair: int, completion: Completion | None, **more: Any) -> None:
        """Write down what became of a question, for the unit and for the run's meter."""
        if not watched():
            return
        had = completion or Completion("")
        if self.cache is None or completion is None:  # no cache keeps them: the record of the unit does
            more |= {"question": request.to_json(), "reply": had.text}
        tokens = (had.prompt_tokens, had.cached_prompt_tokens, had.completion_tokens)
        seconds = 0.0 if more.get("cached") else had.latency
        note(Call(request.key, request.model, request.endpoint, repair, *tokens, seconds=seconds, **more))


def _usage(had: Sequence[_Had]) -> Usage:
    names = ("prompt_tokens", "completion_tokens", "cached_prompt_tokens")
    return Usage(*(sum(getattr(h.completion, name) for h in had) for name in names))


def _cost(had: Sequence[_Had]) -> float | None:
    """All completions together; None when one was called for and has no price."""
    known = [h.usd for h in had if h.usd is not None]
    return sum(known) if len(known) == len(had) else None


# ---- what may be asked -----------------------------------------------------------------------------------------------


def _conversation(messages: Messages) -> tuple[tuple[str, str], ...]:
    """Messages as (role, content) pairs; a text is one message of the user."""
    given = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    if not isinstance(given, Sequence) or not given:
        raise InvalidInput(f"messages={given!r}: expected a text or a list of {{'role': …, 'content': …}}, not empty.")
    return tuple(_said(f"messages[{position}]", message) for position, message in enumerate(given))


def _said(where: str, message: Any) -> tuple[str, str]:
    if not isinstance(message, Mapping) or set(message) != {"role", "content"} or message["role"] not in ROLES:
        raise InvalidInput(f"{where}={message!r}: expected 'role' (one of {', '.join(ROLES)}) and 'content', no more.")
    role, content = message["role"], message["content"]
    if not isinstance(content, str) or not content.strip():
        raise InvalidInput(f"{where}['content']={content!r}: expected a text that is not blank.")
    try:
        content.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{where}['content'] holds half of a character, which no endpoint takes.") from None
    return role, content


def _number(name: str, value: Any, low: float, high: float) -> float:
    if isinstance(value, (str, bytes, bool)) or not hasattr(value, "__float__") or not low <= float(value) <= high:
        raise InvalidInput(f"{name}={value!r}: expected a number from {low:g} to {high:g}.")
    return math.fabs(float(value))  # -0.0 and 0.0 are one request


def _whole(name: str, value: Any, low: int, high: float = math.inf) -> int:
    try:
        made = operator.index(value)  # numpy's integers pass, 1.0 does not
    except TypeError:
        made = low - 1
    if isinstance(value, bool) or not low <= made <= high:
        up = "up" if high == math.inf else f"to {high}"
        raise InvalidInput(f"{name}={value!r}: expected a whole number from {low} {up}.")
    return made


# ---- replies with a form ---------------------------------------------------------------------------------------------


def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a pydantic model, in the strict form that endpoints can enforce.

    Every field becomes required, an optional one by saying null; no field may be added. A default stays in the model,
    where it serves Python code, and leaves the schema, where a required field has no use for it.
    """
    if not isinstance(model, type) or not hasattr(model, "model_json_schema"):
        raise InvalidInput(
            f"schema={model!r}: expected a class derived from pydantic.BaseModel, or None for free text."
        )
    schema = model.model_json_schema()
    made: dict[str, Any] = _strict(schema, schema.get("$defs", {}))
    return made


def schema_text(model: type[BaseModel]) -> str:
    """The strict schema as the text that is sent and that names a reply in a cache: made once for a class."""
    # A dict in the place of a class has no hash, and is refused in our words.
    return _text_of(model) if isinstance(model, type) else json.dumps(strict_schema(model))


@lru_cache(maxsize=256)
def _text_of(model: type[BaseModel]) -> str:
    return json.dumps(strict_schema(model), separators=(",", ":"))


def _strict(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_strict(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node and len(node) > 1:  # strict endpoints allow no neighbour of a $ref
        node = {**definitions[node["$ref"].removeprefix("#/$defs/")], **{k: v for k, v in node.items() if k != "$ref"}}
    made = {key: _strict_part(key, value, definitions) for key, value in node.items() if key != "default"}
    if "properties" in made:
        made["required"] = list(made["properties"])
    if made.get("type") == "object":
        made.setdefault("additionalProperties", False)
    return made


def _strict_part(key: str, value: Any, definitions: dict[str, Any]) -> Any:
    if key in ("properties", "$defs"):  # names chosen by the author: a field may well be called "default"
        return {name: _strict(part, definitions) for name, part in value.items()}
    return value if key in ("const", "enum", "examples") else _strict(value, definitions)


def extract_json(text: str) -> str:
    """The JSON in a reply that may wrap it in a fence or in a sentence; the text itself when none is seen.

    >>> extract_json('Here it is: {"vote": "P1"} as you wished')
    '{"vote": "P1"}'
    """
    text = text.strip()
    if text[:1] not in ("{", "[") and (fenced := re.search(r"```\w*\s*(.*?)```", text, re.DOTALL)):
        text = fenced[1].strip()
    first, last = text.find("{"), text.rfind("}")
    return text if text[:1] == "[" or not 0 <= first < last else text[first : last + 1]


def _validated(text: str, schema: type[BaseModel] | None) -> tuple[BaseModel | None, str | None]:
    """The value, or what is wrong with the text."""
    if schema is None:
        return None, None
    from pydantic import ValidationError

    try:
        return schema.model_validate_json(extract_json(text)), None
    except ValidationError as error:
        return None, _problems(error)


def _problems(error: ValidationError) -> str:
    """What is wrong with a reply, in plain words: field and complaint, the first few."""
    found = [(".".join(map(str, item["loc"])), item["msg"]) for item in error.errors(include_url=False)]
    said = "; ".join(f"{where}: {what}" if where else what for where, what in found[:PROBLEMS_SHOWN])
    return said if len(found) <= PROBLEMS_SHOWN else f"{said}; and {len(found) - PROBLEMS_SHOWN} more"


def _with_repair(request: Request, completion: Completion, complaint: str) -> Request:
    """The question with the reply that did not fit, and the words that ask for it again."""
    if completion.finish_reason == "length":
        asked = (
            "Your reply was cut off before it was complete, because it was too long. "
            "Answer again, much shorter, with the corrected JSON only."
        )
    else:
        asked = f"Your reply does not have the required form. {complaint}. Answer again with the corrected JSON only."
    said = completion.text if completion.text.strip() else "(nothing)"
    return replace(request, messages=(*request.messages, ("assistant", said), ("user", asked)))
