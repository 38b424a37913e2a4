"""`ChatModel`: messages in, validated reply out. Caching, repairs and the limit on calls in flight are here, once.

How an attempt is paced, paid and repeated is in `support.llm.attempts`.
"""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from support.calls import Call, Fault, meter, note, watched
from support.errors import CacheMiss, ConveneError, MalformedReply
from support.llm.arguments import MAX_SEED, Messages, conversation, number, whole
from support.llm.attempts import Attempts, Patience, cost
from support.llm.loops import PerLoop
from support.llm.pace import Pace
from support.llm.replies import Had, Reply, total_cost, total_usage
from support.llm.structured import extract_json, problems, repair_words, schema_text
from support.llm.transport import Completion, Request, Transport
from support.money.prices import Price, Prices

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.llm.cache import Cache

REPAIRS = 2


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
        Questions that were sent to the model; the rest came from the cache.
    repairs : int
        How often a reply that does not fit its schema is asked again.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        cache: Cache | None = None,
        offline: bool = False,
        concurrency: int = 8,
        repairs: int = REPAIRS,
        patience: Patience | None = None,
        pace: Pace | None = None,
    ) -> None:
        self.cache = cache
        self.calls = 0
        self.live_calls = 0
        self._transport = transport
        self._offline = offline
        self.repairs = repairs
        self._attempts = Attempts(transport, patience or Patience(), pace or Pace())
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
            Offline, when this call was never recorded; it says what differs from the nearest one that was.
        BudgetExceeded
            When the run has a budget, and the call could pass it.
        ModelUnavailable, ContextOverflow, CallFailed
            When the endpoint does not answer; the message says what to do.
        """
        request = self.request(messages, schema, temperature, seed, repetition, max_tokens)
        self.calls += 1
        return await self._converse(request, schema)

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

        Raises
        ------
        InvalidInput
            When an argument does not fit.
        """
        return Request(
            model=self.model,
            endpoint=self.endpoint,
            messages=conversation(messages),
            schema=None if schema is None else schema_text(schema),
            temperature=number("temperature", temperature, 0.0, 2.0),
            seed=None if seed is None else whole("seed", seed, 0, MAX_SEED),
            max_tokens=whole("max_tokens", max_tokens, 1),
            repetition=whole("repetition", repetition, 0),
        )

    async def close(self) -> None:
        """Give back the connections of the running event loop; the next reply opens new ones."""
        await self._transport.close()

    async def __aenter__(self) -> ChatModel:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def _converse(self, request: Request, schema: type[BaseModel] | None) -> Reply:
        had: list[Had] = []
        complaint: str | None = None
        while len(had) <= self.repairs:
            had.append(await self._complete(request, len(had)))
            completion = had[-1].completion
            value, complaint = _validated(completion.text, schema)
            if complaint is None:
                return self._reply(value, had)
            request = _with_repair(request, completion, complaint)
        assert schema is not None
        error = MalformedReply(
            f"{self.model} did not give a {schema.__name__} in {len(had)} attempts. {complaint}. "
            f"Its last reply began: {completion.text[:200]!r}. Give more room in max_tokens (it was "
            f"{request.max_tokens}), a simpler schema, more attempts (connect(repairs=…)), or use a larger model."
        )
        error.tokens, error.cost = total_usage(had).total, total_cost(had)
        raise error

    def _reply(self, value: Any, had: list[Had]) -> Reply:
        last = had[-1].completion
        return Reply(
            text=last.text,
            value=value,
            usage=total_usage(had),
            latency=sum(h.completion.latency for h in had if not h.cached),
            cached=all(h.cached for h in had),
            attempts=len(had),
            model=self.model,
            finish_reason=last.finish_reason,
            cost=total_cost(had),
        )

    async def _complete(self, request: Request, repair: int) -> Had:
        """One attempt: from the cache, from a call already in flight for the same request, or from the model."""
        if self.cache is None:
            return await self._ask(request, repair)
        pending, key = self._here.get().pending, request.key
        while (other := pending.get(key)) is not None:
            await asyncio.wait([other])  # awaiting it would let the cancellation of this caller cancel that one
            if not other.cancelled():
                return self._found(request, repair, other.result())
        if (found := self.cache.get(request)) is not None:
            return self._found(request, repair, found)
        mine = pending[key] = asyncio.get_running_loop().create_future()
        try:
            had = await self._ask(request, repair)
            mine.set_result(had.completion)
            return had
        finally:
            del pending[key]
            mine.cancel()  # no effect after a result; otherwise whoever waited asks by itself

    def _found(self, request: Request, repair: int, completion: Completion) -> Had:
        self._note(request, repair, completion, cached=True, usd=0.0)
        return Had(completion, True, 0.0)

    async def _ask(self, request: Request, repair: int) -> Had:
        """Call for a completion and keep it, before anything else can go wrong."""
        if self._offline:
            from support.llm.nearest import miss_words

            assert self.cache is not None
            raise CacheMiss(miss_words(request, self.cache))
        faults: list[Fault] = []
        price, running = self._price(), meter()
        async with self._here.get().limit:
            self.live_calls += 1
            try:
                with running.flight() if running else nullcontext():
                    completion = await self._attempts.complete(request, faults, price)
            except ConveneError as error:
                self._note(request, repair, None, faults=tuple(faults), error=f"{type(error).__name__}: {error}")
                raise
        usd = cost(completion, price)
        kept = completion if self.cache is None else self.cache.put(request, completion)
        self._note(request, repair, completion, usd=usd, faults=tuple(faults))
        return Had(kept, False, usd)  # where another process was first, its reply goes for both

    def _price(self) -> Price | None:
        """What this model costs; under a budget it must be known."""
        running = meter()
        prices = Prices() if running is None else running.prices
        if running is not None and running.budget is not None:
            return prices.needed(self.model, self.endpoint)
        return prices.find(self.model, self.endpoint)

    def _note(self, request: Request, repair: int, completion: Completion | None, **more: Any) -> None:
        """Write down what became of a question, for the unit and for the run's meter."""
        if not watched():
            return
        had = completion or Completion("")
        if self.cache is None or completion is None:  # no cache keeps them: the record of the unit does
            more |= {"question": request.to_json(), "reply": had.text}
        call = Call(
            request.key, request.model, request.endpoint, repair, had.prompt_tokens, had.cached_prompt_tokens,
            had.completion_tokens, seconds=0.0 if more.get("cached") else had.latency, **more,
        )  # fmt: skip
        note(call)
        if (running := meter()) is not None:
            running.count(call)


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
