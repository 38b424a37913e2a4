"""One door to all models: `await model.reply(messages, schema=…)` gives a validated reply.

`ChatModel` keeps replies by content, asks again for what does not fit its form, and holds
the limit on calls in flight; how an attempt is paced, paid and repeated is in
`support.models.attempts`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from support.errors import CacheMiss, ConveneError, InvalidInput, MalformedReply
from support.models.attempts import Attempts, Pace, Patience, PerLoop, budgets, cost
from support.models.calls import Call, Fault, meter, note, watched
from support.models.profiles import FAKE, Limits, Price, Profile, needed_price
from support.models.request import (
    MAX_SEED,
    Completion,
    Messages,
    Request,
    Transport,
    conversation,
    degrees,
    schema_text,
    whole,
)

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.models.replies import Cache

REPAIRS = 2


PROBLEMS_SHOWN = 5


FIRST_ALONE = 0.3  # seconds that other first calls wait for the first one, which learns what its endpoint takes


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
    """What a model replied, and what that took."""

    text: str
    value: Any  # the validated pydantic object, None without a schema
    usage: Usage
    cached: bool  # no call was made at all
    attempts: int  # 1 plus the repairs
    finish_reason: str
    cost: float | None = (
        None  # US dollars: 0 for what was cached, None where a call was made and has no price
    )
    thinking: str = ""


class _Had(NamedTuple):
    """One completion on the way to a reply, whether it was called for, and what it cost."""

    completion: Completion
    cached: bool
    usd: float | None


@dataclass
class _Here:
    """What belongs to one event loop: the limit on calls, and the requests that are being answered."""

    limit: asyncio.Semaphore
    pending: dict[str, asyncio.Future[Completion]] = field(default_factory=dict)
    begun: bool = False
    first: asyncio.Event = field(
        default_factory=asyncio.Event
    )  # the first call was answered


class ChatModel:
    """A language model that replies. Make one with `connect` or `scripted`, and share it."""

    def __init__(
        self, transport: Transport, *, profile: Profile | None = None, cache: Cache | None = None,
        offline: bool = False, concurrency: int = 8, repairs: int = REPAIRS, patience: Patience | None = None,
        pace: Pace | None = None,
    ) -> None:  # fmt: skip
        self.model, self.endpoint, self.profile = (
            transport.model,
            transport.endpoint,
            profile or FAKE,
        )
        self.name = (
            profile.name if profile and transport.learns else transport.model
        )  # as behind "model:" at a table
        self.cache, self.repairs = cache, repairs
        self.calls, self.live_calls = (
            0,
            0,
        )  # replies asked so far, and questions that were sent
        self.limits: Limits = self.profile.limits  # on how much it may say and is told
        self.price: Price | None = self.profile.price_at(self.endpoint)
        self._transport, self._offline, self._tried = (
            transport,
            offline,
            not transport.learns,
        )
        self._attempts = Attempts(transport, patience or Patience(), pace or Pace())
        self._here = PerLoop(lambda: _Here(asyncio.Semaphore(concurrency)))

    def __repr__(self) -> str:
        return f"ChatModel({self.model!r} at {self.endpoint}{', offline' if self._offline else ''})"

    @property
    def learnt(self) -> tuple[str, ...]:
        """What its endpoint refused and how that is met, a sentence each."""
        return self._transport.learnt

    @property
    def details(self) -> dict[str, str]:
        """What a figure's provenance says about the model."""
        more = {"options": self.profile.options(), "learnt": " ".join(self.learnt)}
        return {
            **self._transport.details,
            **{name: said for name, said in more.items() if said},
        }

    async def reply(
        self,
        messages: Messages,
        schema: type[BaseModel] | None = None,
        *,
        cut: str = "",
        **settings: Any,
    ) -> Reply:
        """Ask for a reply, in the form of `schema` when one is given; `settings` are those of `request`.

        A reply that does not fit is asked again with the validation error: bound every string and list. `cut` says what
        of the prompt was left out, for the unit's record. InvalidInput for arguments that do not fit, BudgetExceeded,
        or a ModelError: MalformedReply when no reply fits, CacheMiss offline, else what the endpoint did.
        """
        request = self.request(messages, schema, **settings)
        self.calls += 1
        had: list[_Had] = []
        while len(had) <= self.repairs:
            had.append(await self._complete(request, len(had), cut))
            last = had[-1].completion
            value, complaint = _validated(last.text, schema)
            usage, usd = _spent(had)
            if complaint is None:
                cached = all(h.cached for h in had)
                return Reply(
                    last.text,
                    value,
                    usage,
                    cached,
                    len(had),
                    last.finish_reason,
                    usd,
                    last.thinking,
                )
            request = _with_repair(request, last, complaint)
        assert schema is not None
        error = MalformedReply(
            f"{self.model} did not give a {schema.__name__} in {len(had)} attempts. {complaint}. Its last reply began: "
            f"{last.text[:200]!r}. Give more room in max_tokens (it was {request.max_tokens}), a simpler schema, "
            "more attempts (connect(repairs=…)), or use a larger model."
        )
        error.tokens = usage.total
        raise error

    def request(
        self, messages: Messages, schema: type[BaseModel] | None = None, temperature: float = 0.0,
        seed: int | None = None, repetition: int = 0, max_tokens: int = 512,
        reasoning: str | None = None,
    ) -> Request:  # fmt: skip
        """What `reply` would ask; `max_tokens` is where the reply itself, thinking apart, is cut off.

        `reasoning` is one of what the profile knows, such as "off" or "high"; None is the profile's own.
        """
        if schema is not None and not (
            isinstance(schema, type) and hasattr(schema, "model_json_schema")
        ):
            wanted = "a class derived from pydantic.BaseModel, or None for free text"
            raise InvalidInput(f"schema={schema!r}: expected {wanted}.")
        always, drawn = (
            self.profile.temperature,
            None if seed is None else whole("seed", seed, 0, MAX_SEED),
        )
        asked = (
            conversation(messages),
            None if schema is None else schema_text(schema),
        )
        settings = (
            degrees(temperature if isinstance(always, bool) else always),
            drawn,
        )
        counts = whole("max_tokens", max_tokens, 1), whole("repetition", repetition)
        return Request(
            self.model,
            self.endpoint,
            *asked,
            *settings,
            *counts,
            self.profile.options(reasoning),
        )

    async def close(self) -> None:
        """Give back the connections of the running event loop; the next reply opens new ones."""
        await self._transport.close()

    async def __aenter__(self) -> ChatModel:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def _complete(self, request: Request, repair: int, cut: str) -> _Had:
        """One attempt: from the cache, from a call already in flight for the same request, or from the model."""
        if self.cache is None:
            return await self._ask(request, repair, cut)
        pending, key = self._here.get().pending, request.key
        found: Completion | None = None
        while found is None and (other := pending.get(key)) is not None:
            await asyncio.wait(
                [other]
            )  # awaiting it would let the cancellation of this caller cancel that one
            found = None if other.cancelled() else other.result()
        if (found := found or self.cache.get(request)) is not None:
            self._note(request, repair, found, cached=True, usd=0.0, cut=cut)
            return _Had(found, True, 0.0)
        mine = pending[key] = asyncio.get_running_loop().create_future()
        try:
            had = await self._ask(request, repair, cut)
            mine.set_result(had.completion)
            return had
        finally:
            del pending[key]
            mine.cancel()  # no effect after a result; otherwise whoever waited asks by itself

    async def _ask(self, request: Request, repair: int, cut: str) -> _Had:
        """Call for a completion and keep it, before anything else can go wrong."""
        if self._offline:
            assert self.cache is not None
            raise CacheMiss(self.cache.missed(request))
        faults: list[Fault] = []
        running, price = meter(), needed_price(self) if budgets() else self.price
        here = self._here.get()
        async with here.limit:
            await self._turn(here)
            self.live_calls += 1
            try:
                with running.flight() if running else nullcontext():
                    completion = await self._attempts.complete(request, faults, price)
            except ConveneError as error:
                said = f"{type(error).__name__}: {error}"
                self._note(
                    request, repair, None, faults=tuple(faults), error=said, cut=cut
                )
                raise
            finally:
                self._tried = True
                here.first.set()
        usd = cost(completion, price)
        kept = completion if self.cache is None else self.cache.put(request, completion)
        self._note(request, repair, completion, usd=usd, faults=tuple(faults), cut=cut)
        return _Had(
            kept, False, usd
        )  # where another process was first, its reply goes for both

    async def _turn(self, here: _Here) -> None:
        """Let the first call of all go ahead: what the endpoint refuses is learnt once, and not by each in flight."""
        if here.begun and not self._tried:
            with suppress(TimeoutError):
                await asyncio.wait_for(here.first.wait(), FIRST_ALONE)
            self._tried = True
        here.begun = True

    def _note(
        self, request: Request, repair: int, completion: Completion | None, **more: Any
    ) -> None:
        """Write down what became of a question, for the unit and for the run's meter."""
        if not watched():
            return
        had = completion or Completion("")
        if (
            self.cache is None or completion is None
        ):  # no cache keeps them: the record of the unit does
            more |= {"question": request.to_json(), "reply": had.text}
        tokens = (had.prompt_tokens, had.cached_prompt_tokens, had.completion_tokens)
        seconds = 0.0 if more.get("cached") else had.latency
        note(
            Call(
                request.key,
                request.model,
                request.endpoint,
                repair,
                *tokens,
                seconds=seconds,
                **more,
            )
        )


def _spent(had: Sequence[_Had]) -> tuple[Usage, float | None]:
    """Tokens and US dollars of all completions; None when one was called for and has no price."""
    names = ("prompt_tokens", "completion_tokens", "cached_prompt_tokens")
    known = [h.usd for h in had if h.usd is not None]
    usage = Usage(*(sum(getattr(h.completion, name) for h in had) for name in names))
    return usage, sum(known) if len(known) == len(had) else None


def extract_json(text: str) -> str:
    """The JSON in a reply that may wrap it in a fence or in a sentence; the text itself when none is seen.

    >>> extract_json('Here it is: {"vote": "P1"} as you wished')
    '{"vote": "P1"}'
    """
    text = text.strip()
    if text[:1] not in ("{", "[") and (
        fenced := re.search(r"```\w*\s*(.*?)```", text, re.DOTALL)
    ):
        text = fenced[1].strip()
    first, last = text.find("{"), text.rfind("}")
    return text if text[:1] == "[" or not 0 <= first < last else text[first : last + 1]


def _validated(
    text: str, schema: type[BaseModel] | None
) -> tuple[BaseModel | None, str | None]:
    """The value, or what is wrong with the text."""
    if schema is None:
        return None, None
    from pydantic import ValidationError

    from support.models.dialect import objects

    for said in objects(text):
        with suppress(ValidationError):
            return schema.model_validate_json(said), None
    try:
        return schema.model_validate_json(extract_json(text)), None
    except ValidationError as error:
        found = [
            (".".join(map(str, item["loc"])), item["msg"])
            for item in error.errors(include_url=False)
        ]
    said = "; ".join(
        f"{where}: {what}" if where else what for where, what in found[:PROBLEMS_SHOWN]
    )
    return None, said if len(
        found
    ) <= PROBLEMS_SHOWN else f"{said}; and {len(found) - PROBLEMS_SHOWN} more"


def _with_repair(request: Request, completion: Completion, complaint: str) -> Request:
    """The question with the reply that did not fit, and the words that ask for it again."""
    asked = f"Your reply does not have the required form. {complaint}. Answer again with the corrected JSON only."
    if completion.finish_reason == "length":
        asked = (
            "Your reply was cut off before it was complete, because it was too long. "
        )
        asked += "Answer again, much shorter, with the corrected JSON only."
    said = completion.text if completion.text.strip() else "(nothing)"
    return replace(
        request, messages=(*request.messages, ("assistant", said), ("user", asked))
    )
