"""One door to all models: `await model.reply(messages, schema=…)`, a validated reply.

`ChatModel` keeps replies by content, asks again for what does not fit its form, and
holds the limit on calls in flight; how an attempt is paced, paid and repeated is in
`support.models.attempts`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from support.errors import (
    CacheMiss,
    ConveneError,
    InvalidInput,
    MalformedReply,
    ModelUnavailable,
)
from support.models.attempts import Attempts, Pace, Patience, PerLoop, budgets, cost
from support.models.calls import Call, Fault, meter, note, watched
from support.models.dialect import objects, same_model
from support.models.profiles import FAKE, Limits, Price, Profile, check_prices
from support.models.replies import Cache
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

REPAIRS = 2
HOPELESS = 10  # questions for a form, none answered in it, until all is given up
PROBLEMS_SHOWN = 5
FIRST_ALONE = 0.3  # seconds that others wait for the first call, which learns for all


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a reply took in all its attempts, called for or found in the cache."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_prompt_tokens: int = 0  # of the prompts', those found by the provider
    thinking_tokens: int = 0  # of the completions', as far as the provider says

    @property
    def total(self) -> int:
        """Prompts and replies together."""
        return self.prompt_tokens + self.completion_tokens


TOKENS = tuple(Usage.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model replied, and what that took."""

    text: str
    value: Any  # the validated pydantic object, None without a schema
    usage: Usage
    cached: bool  # no call was made at all
    attempts: int  # 1 plus the repairs
    finish_reason: str
    cost: float | None = None  # US dollars; None where a call has no price
    thinking: str = ""


class _Had(NamedTuple):
    """One completion on the way to a reply."""

    completion: Completion
    cached: bool
    usd: float | None  # 0 for what was not called for


@dataclass
class _Here:
    """What belongs to one event loop: the limit on calls, and those under way."""

    limit: asyncio.Semaphore
    pending: dict[str, asyncio.Future[Completion]] = field(default_factory=dict)
    begun: bool = False
    first: asyncio.Event = field(default_factory=asyncio.Event)  # was answered


class ChatModel:
    """A language model that replies. Make one with `connect` or `scripted`; share it."""

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
        profile = profile or FAKE
        self.model, self.endpoint = transport.model, transport.endpoint
        self.name = profile.name if transport.learns else transport.model  # at a table
        self.profile, self.cache, self.repairs = profile, cache, repairs
        self.calls = 0  # replies asked so far
        self.live_calls = 0  # questions that were sent
        self.limits: Limits = profile.limits  # on how much it may say and is told
        self._transport, self._offline = transport, offline
        self._tried = not transport.learns
        self._kept, self._failed = False, 0  # a form; so many questions for one
        self._attempts = Attempts(transport, patience or Patience(), pace or Pace())
        self._here = PerLoop(lambda: _Here(asyncio.Semaphore(concurrency)))

    def __repr__(self) -> str:
        offline = ", offline" if self._offline else ""
        return f"ChatModel({self.model!r} at {self.endpoint}{offline})"

    @cached_property
    def price(self) -> Price | None:
        """What it costs where it is; None where that is not known."""
        return self.profile.price_at(self.endpoint)

    @property
    def learnt(self) -> tuple[str, ...]:
        """What its endpoint refused and how that is met, a sentence each."""
        return self._transport.learnt

    @property
    def details(self) -> dict[str, str]:
        """What a figure's provenance says about the model."""
        more = {"options": self.profile.options(), "learnt": " ".join(self.learnt)}
        known = {name: said for name, said in more.items() if said}
        return self._transport.details | known

    async def reply(
        self,
        messages: Messages,
        schema: type[BaseModel] | None = None,
        *,
        cut: str = "",
        by: str = "",
        phase: str = "",
        **settings: Any,
    ) -> Reply:
        """Ask for a reply, in the form of `schema` when one is given.

        `settings` are those of `request`. A reply that does not fit is asked again with
        the validation error: bound every string and list. `by` (who asks), `phase` and
        `cut` (what of the prompt was left out) are for the records of calls.
        InvalidInput for arguments that do not fit, BudgetExceeded, or a ModelError:
        MalformedReply when no reply fits, CacheMiss offline, else what the endpoint did.
        """
        request = self.request(messages, schema, **settings)
        self.calls += 1
        about: dict[str, Any] = {"cut": cut, "by": by, "phase": phase}
        had: list[_Had] = []
        while len(had) <= self.repairs:
            faults: list[Fault] = []
            about["repair"] = len(had)
            try:
                one = await self._complete(request, faults)
            except CacheMiss:
                raise
            except ConveneError as error:
                said = f"{type(error).__name__}: {error}"
                self._note(request, None, faults, error=said, **about)
                raise
            value, complaint = _validated(one.completion.text, schema)
            self._note(request, one, faults, misfit=complaint != "", **about)
            had.append(one)
            if not complaint:
                self._kept = self._kept or schema is not None
                return _reply(had, value)
            request = _with_repair(request, one.completion, complaint)
        assert schema is not None
        raise self._malformed(had, f"a {schema.__name__}", request, complaint)

    def request(
        self,
        messages: Messages,
        schema: type[BaseModel] | None = None,
        temperature: float = 0.0,
        seed: int | None = None,
        repetition: int = 0,
        max_tokens: int = 512,
        reasoning: str | None = None,
    ) -> Request:
        """What `reply` would ask; `max_tokens` cuts the reply itself, thinking apart.

        `reasoning` is one of what the profile knows, such as "off" or "high"; None is
        the profile's own.
        """
        if schema is not None and not hasattr(schema, "model_json_schema"):
            wanted = "a class derived from pydantic.BaseModel, or None for free text"
            raise InvalidInput(f"schema={schema!r}: expected {wanted}.")
        always = self.profile.temperature
        return Request(
            self.model,
            self.endpoint,
            conversation(messages),
            None if schema is None else schema_text(schema),
            degrees(temperature if isinstance(always, bool) else always),
            None if seed is None else whole("seed", seed, 0, MAX_SEED),
            whole("max_tokens", max_tokens, 1),
            whole("repetition", repetition),
            self.profile.options(reasoning),
        )

    def replaying(self, cache: Cache | None) -> ChatModel:
        """The same model, which replies from a file of replies alone."""
        twin = copy(self)
        twin.cache, twin._offline = cache or self.cache, True
        if twin.cache is None:
            raise InvalidInput(
                "cache: none given; name the file that holds the replies"
            )
        return twin

    async def close(self) -> None:
        """Give back the connections of the running event loop; a reply opens new ones."""
        await self._transport.close()

    async def __aenter__(self) -> ChatModel:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def _complete(self, request: Request, faults: list[Fault]) -> _Had:
        """From the cache, from a call under way for the same request, or from the model."""
        if self.cache is None:
            return await self._ask(request, faults)
        pending, key = self._here.get().pending, request.key
        while (other := pending.get(key)) is not None:
            # Awaiting it would let a cancellation of this caller cancel that one.
            await asyncio.wait([other])
            if not other.cancelled():
                return _Had(other.result(), True, 0.0)
        found = self.cache.get(request)
        if found is not None:
            return _Had(found, True, 0.0)
        mine = pending[key] = asyncio.get_running_loop().create_future()
        try:
            had = await self._ask(request, faults)
            mine.set_result(had.completion)
            return had
        finally:
            del pending[key]
            mine.cancel()  # no effect after a result; else whoever waited asks by itself

    async def _ask(self, request: Request, faults: list[Fault]) -> _Had:
        """Call for a completion and keep it, before anything else can go wrong."""
        if self._offline:
            assert self.cache is not None
            raise CacheMiss(self.cache.missed(request))
        if budgets():
            check_prices([self])
        running, here = meter(), self._here.get()
        async with here.limit:
            await self._turn(here)
            self.live_calls += 1
            try:
                with running.flight(request) if running else nullcontext():
                    made = await self._attempts.complete(request, faults, self.price)
            finally:
                self._tried = True
                here.first.set()
        usd = cost(made, self.price)
        # Where another process was first, its reply goes for both.
        kept = made if self.cache is None else self.cache.put(request, made)
        return _Had(kept, False, usd)

    async def _turn(self, here: _Here) -> None:
        """Let the first call of all go ahead: what is refused is learnt once."""
        if here.begun and not self._tried:
            with suppress(TimeoutError):
                await asyncio.wait_for(here.first.wait(), FIRST_ALONE)
            self._tried = True
        here.begun = True

    def _note(
        self, request: Request, had: _Had | None, faults: list[Fault], **more: Any
    ) -> None:
        """Write down what became of a question, for the unit and for the run's meter."""
        if not watched():
            return
        made = had.completion if had else Completion("")
        if self.cache is None or had is None:  # the record of the unit keeps them
            more |= {"question": request.to_json(), "reply": made.text}
        if had:
            more |= {"usd": had.usd, "cached": had.cached}
        if not more.get("cached"):
            more["seconds"] = made.latency
        for name in TOKENS:
            more[name] = getattr(made, name)
        same = same_model(request.model, made.model)
        call = Call(
            request.key,
            request.model,
            request.endpoint,
            draw="" if request.draw == request.key else request.draw,
            faults=tuple(faults),
            finish="" if made.finish_reason == "stop" else made.finish_reason,
            answered_by="" if same else made.model,
            fingerprint=made.fingerprint,
            **more,
        )
        note(call)

    def _malformed(
        self, had: Sequence[_Had], wanted: str, request: Request, complaint: str
    ) -> ModelUnavailable | MalformedReply:
        """The error to raise where no reply fits; the end of all where none ever did."""
        self._failed += 1
        last = had[-1].completion.text[:200]
        said = f"{complaint}. Its last reply began: {last!r}."
        if not self._kept and self._failed >= HOPELESS:
            return ModelUnavailable(
                f"{self.model} at {self.endpoint} kept the form in none of its first "
                f"{self._failed} replies. {said} See whether the server takes a schema "
                "(`form` in models.toml), or use a larger model."
            )
        error = MalformedReply(
            f"{self.model} did not give {wanted} in {len(had)} attempts. {said} Give more "
            f"room in max_tokens (it was {request.max_tokens}), a simpler schema, more "
            "attempts (connect(repairs=…)), or use a larger model."
        )
        error.tokens = _usage(had).total
        return error


def _usage(had: Sequence[_Had]) -> Usage:
    return Usage(*(sum(getattr(h.completion, name) for h in had) for name in TOKENS))


def _reply(had: Sequence[_Had], value: BaseModel | None) -> Reply:
    """The reply that the last completion is, with what all of them took."""
    last = had[-1].completion
    known = [h.usd for h in had if h.usd is not None]
    return Reply(
        last.text,
        value,
        _usage(had),
        all(h.cached for h in had),
        len(had),
        last.finish_reason,
        sum(known) if len(known) == len(had) else None,
        last.thinking,
    )


def extract_json(text: str) -> str:
    """The JSON in a reply, the last object where there are several; else the text.

    >>> extract_json('Here it is: {"vote": "P1"} as {you} wished')
    '{"vote": "P1"}'
    """
    for found in objects(text):
        return found
    first, last = text.find("{"), text.rfind("}")
    whole = text.lstrip()[:1] == "[" or not 0 <= first < last
    return text.strip() if whole else text[first : last + 1]


def _validated(
    text: str, schema: type[BaseModel] | None
) -> tuple[BaseModel | None, str]:
    """The value, and what is wrong with the text; the last object that fits counts."""
    if schema is None:
        return None, ""
    from pydantic import ValidationError

    for said in objects(text):
        with suppress(ValidationError):
            return schema.model_validate_json(said), ""
    try:
        return schema.model_validate_json(extract_json(text)), ""
    except ValidationError as error:
        found = error.errors(include_url=False)
    said = "; ".join(_problem(one) for one in found[:PROBLEMS_SHOWN])
    more = len(found) - PROBLEMS_SHOWN
    return None, f"{said}; and {more} more" if more > 0 else said


def _problem(found: Any) -> str:
    where = ".".join(map(str, found["loc"]))
    return f"{where}: {found['msg']}" if where else found["msg"]


def _with_repair(request: Request, completion: Completion, complaint: str) -> Request:
    """The question with the reply that did not fit, and the words that ask again."""
    wrong = f"Your reply does not have the required form. {complaint}. Answer again"
    if completion.finish_reason == "length":
        wrong = (
            "Your reply was cut off before it was complete, because it was too long. "
            "Answer again, much shorter,"
        )
    asked = f"{wrong} with the corrected JSON only."
    said = completion.text if completion.text.strip() else "(nothing)"
    again = ("assistant", said), ("user", asked)
    return replace(request, messages=(*request.messages, *again))
