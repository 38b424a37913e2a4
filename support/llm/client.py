"""`ChatModel`: messages in, validated reply out. Caching, repairs and the limit on calls in flight are here, once."""

from __future__ import annotations

import asyncio
import json
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from support.errors import CacheMiss, InvalidInput, MalformedReply
from support.llm.loops import PerLoop
from support.llm.structured import extract_json, problems, repair_words, strict_schema
from support.llm.transport import Completion, Request, Transport

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.llm.cache import Cache

REPAIRS = 2
ROLES = ("system", "developer", "user", "assistant")
MAX_SEED = 2**32 - 2  # llama.cpp takes 32 bits, and the last number for "draw one"

Messages = str | Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a reply took, over all its attempts, whether they were called for or found in the cache."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def total(self) -> int:
        """Both together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model replied.

    `value` is the validated pydantic object, None without a schema. `latency` is in seconds and counts calls only;
    `cached` says that no call was made at all. `attempts` is 1 plus the repairs.
    """

    text: str
    value: Any
    usage: Usage
    latency: float
    cached: bool
    attempts: int
    model: str
    finish_reason: str


@dataclass
class _Here:
    """What belongs to one event loop: the limit on calls, and the requests that are being answered."""

    limit: asyncio.Semaphore
    pending: dict[str, asyncio.Future[Completion]] = field(default_factory=dict)


class ChatModel:
    """A language model that replies. Make one with `connect` or `scripted`, and share it.

    Attributes
    ----------
    calls : int
        Replies asked so far.
    live_calls : int
        Attempts that were sent to the model; the rest came from the cache.
    """

    def __init__(
        self, transport: Transport, *, cache: Cache | None = None, offline: bool = False, concurrency: int = 8
    ) -> None:
        self.cache = cache
        self.calls = 0
        self.live_calls = 0
        self._transport = transport
        self._offline = offline
        self._here = PerLoop(lambda: _Here(asyncio.Semaphore(concurrency)))

    def __repr__(self) -> str:
        return f"ChatModel({self.model!r} at {self.endpoint}{', offline' if self._offline else ''})"

    @property
    def model(self) -> str:
        """The model's name."""
        return self._transport.model

    @property
    def endpoint(self) -> str:
        """Where it is served: an address, "embedded" or "scripted"."""
        return self._transport.endpoint

    @property
    def details(self) -> dict[str, str]:
        """What a figure's provenance says about the model."""
        return self._transport.details

    async def reply(
        self,
        messages: Messages,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        seed: int | None = None,
        repetition: int = 0,
        max_tokens: int = 512,
    ) -> Reply:
        """Ask for a reply, in the form of `schema` when one is given.

        Parameters
        ----------
        messages : str or sequence of {"role": ..., "content": ...}
            The conversation; a string is one message of the user.
        schema : pydantic model, optional
            A reply that does not fit it is asked again with the validation error, twice at most. Bound every string
            and list, and leave room in `max_tokens`: a reply that is cut off is no JSON.
        temperature : float
            0 to 2.
        seed : int, optional
            Passed to the endpoint; not every endpoint heeds it.
        repetition : int
            Tells apart draws that are otherwise alike, so that the cache keeps each.
        max_tokens : int
            At which the reply is cut off.

        Raises
        ------
        InvalidInput
            When an argument does not fit.
        MalformedReply
            When the reply does not fit the schema, even after the repairs.
        CacheMiss
            Offline, when this call was never recorded.
        ModelUnavailable, ContextOverflow, CallFailed
            When the endpoint does not answer; the message says what to do.
        """
        request = Request(
            model=self.model,
            endpoint=self.endpoint,
            messages=_conversation(messages),
            schema=None if schema is None else json.dumps(strict_schema(schema), separators=(",", ":")),
            temperature=_number("temperature", temperature, 0.0, 2.0),
            seed=None if seed is None else _whole("seed", seed, 0, MAX_SEED),
            max_tokens=_whole("max_tokens", max_tokens, 1),
            repetition=_whole("repetition", repetition, 0),
        )
        self.calls += 1
        return await self._converse(request, schema)

    async def close(self) -> None:
        """Give back the connections of the running event loop; the next reply opens new ones."""
        await self._transport.close()

    async def __aenter__(self) -> ChatModel:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def _converse(self, request: Request, schema: type[BaseModel] | None) -> Reply:
        had: list[tuple[Completion, bool]] = []
        complaint: str | None = None
        while len(had) <= REPAIRS:
            completion, cached = await self._complete(request)
            had.append((completion, cached))
            value, complaint = _validated(completion.text, schema)
            if complaint is None:
                return self._reply(value, had)
            request = _with_repair(request, completion, complaint)
        assert schema is not None
        error = MalformedReply(
            f"{self.model} did not give a {schema.__name__} in {len(had)} attempts. {complaint}. "
            f"Its last reply began: {had[-1][0].text[:200]!r}. Give more room in max_tokens (it was "
            f"{request.max_tokens}), a simpler schema, or use a larger model."
        )
        error.tokens = _usage(had).total
        raise error

    def _reply(self, value: Any, had: list[tuple[Completion, bool]]) -> Reply:
        last = had[-1][0]
        return Reply(
            text=last.text,
            value=value,
            usage=_usage(had),
            latency=sum(c.latency for c, cached in had if not cached),
            cached=all(cached for _, cached in had),
            attempts=len(had),
            model=self.model,
            finish_reason=last.finish_reason,
        )

    async def _complete(self, request: Request) -> tuple[Completion, bool]:
        """One attempt: from the cache, from a call already in flight for the same request, or from the model."""
        if self.cache is None:
            return await self._ask(request), False
        pending, key = self._here.get().pending, request.key
        while (other := pending.get(key)) is not None:
            await asyncio.wait([other])  # awaiting it would let the cancellation of this caller cancel that one
            if not other.cancelled():
                return other.result(), True
        if (found := self.cache.get(request)) is not None:
            return found, True
        mine = pending[key] = asyncio.get_running_loop().create_future()
        try:
            completion = await self._ask(request)
            self.cache.put(request, completion)
            mine.set_result(completion)
            return completion, False
        finally:
            del pending[key]
            mine.cancel()  # no effect after a result; otherwise whoever waited asks by itself

    async def _ask(self, request: Request) -> Completion:
        if self._offline:
            raise self._miss(request)
        async with self._here.get().limit:
            self.live_calls += 1
            return await self._transport.complete(request)

    def _miss(self, request: Request) -> CacheMiss:
        assert self.cache is not None
        held = ", ".join(f"{count} of {model} at {at}" for (model, at), count in self.cache.models().items()) or "none"
        return CacheMiss(
            f"{self.model} at {self.endpoint} is used offline, and its reply to {request.messages[-1][1][:60]!r}… "
            f"is not recorded in {self.cache.path} (recorded replies: {held}). Connect without offline=True, "
            "or take in the recording of this run with Cache.load(...)."
        )


def _conversation(messages: Messages) -> tuple[tuple[str, str], ...]:
    given = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    if not isinstance(given, Sequence) or not given:
        raise InvalidInput(
            f"messages={given!r}: expected a text or a list of {{'role': ..., 'content': ...}}, not empty."
        )
    return tuple(_turn(position, message) for position, message in enumerate(given))


def _turn(position: int, message: Any) -> tuple[str, str]:
    where = f"messages[{position}]"
    if not isinstance(message, Mapping) or set(message) != {"role", "content"}:
        raise InvalidInput(f"{where}={message!r}: expected a mapping with 'role' and 'content', and nothing else.")
    role, content = message["role"], message["content"]
    if role not in ROLES:
        raise InvalidInput(f"{where}['role']={role!r}: expected one of {', '.join(ROLES)}.")
    if not isinstance(content, str) or not content.strip():
        raise InvalidInput(f"{where}['content']={content!r}: expected a text that is not blank.")
    if any("\ud800" <= letter <= "\udfff" for letter in content):
        raise InvalidInput(f"{where}['content'] holds half of a character (a lone surrogate), which no endpoint takes.")
    return role, content


def _number(name: str, value: Any, low: float, high: float) -> float:
    if isinstance(value, (str, bytes, bool)) or not hasattr(value, "__float__") or not low <= float(value) <= high:
        raise InvalidInput(f"{name}={value!r}: expected a number from {low:g} to {high:g}.")
    return math.fabs(float(value))  # -0.0 and 0.0 are one request


def _whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    expected = f"{name}={value!r}: expected a whole number from {low}" + (" up" if high is None else f" to {high}")
    try:
        number = operator.index(value)  # numpy's integers pass, 1.0 does not
    except TypeError:
        raise InvalidInput(f"{expected}.") from None
    if isinstance(value, bool) or number < low or (high is not None and number > high):
        raise InvalidInput(f"{expected}.")
    return number


def _usage(had: Sequence[tuple[Completion, bool]]) -> Usage:
    return Usage(sum(c.prompt_tokens for c, _ in had), sum(c.completion_tokens for c, _ in had))


def _validated(text: str, schema: type[BaseModel] | None) -> tuple[BaseModel | None, str | None]:
    """The value, or what is wrong with the text."""
    if schema is None:
        return None, None
    from pydantic import ValidationError

    try:
        return schema.model_validate_json(extract_json(text)), None
    except ValidationError as error:
        return None, problems(error)


def _with_repair(request: Request, completion: Completion, complaint: str) -> Request:
    said = ("assistant", completion.text if completion.text.strip() else "(nothing)")
    asked = ("user", repair_words(complaint, cut_off=completion.finish_reason == "length"))
    return replace(request, messages=(*request.messages, said, asked))
