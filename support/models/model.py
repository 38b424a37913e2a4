"""One door to all models: `await model.reply(messages, schema=…)`, a validated reply.

`ChatModel` keeps replies by content, asks again for what does not fit its form, and
holds the limit on calls in flight; how an attempt is paced, paid and repeated is in
`support.models.attempts`.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from support.errors import (
    CacheMiss,
    ConveneError,
    InvalidInput,
    MalformedReply,
    ModelError,
    ModelUnavailable,
)
from support.models.attempts import Attempts, PerLoop, budgets, cost
from support.models.calls import Call, Meter, meter, note
from support.models.dialect import objects, same_model
from support.models.profiles import FAKE, VARIABLE, Limits, Price, Profile
from support.models.replies import Cache
from support.models.request import (
    MAX_SEED,
    Completion,
    Messages,
    Request,
    Transport,
    conversation,
    number,
    schema_text,
    whole,
)

if TYPE_CHECKING:
    from pydantic import BaseModel

HOPELESS = 10  # questions for a form, none answered in it, until all is given up
SHARED = (  # by completions and calls
    "prompt_tokens",
    "completion_tokens",
    "cached_prompt_tokens",
    "thinking_tokens",
    "fingerprint",
)
PROBLEMS_SHOWN = 5
TO_ADD = "price = { input = …, output = … }"
BRACES = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model replied, and what that took in all attempts, from the cache or not."""

    text: str
    value: Any  # the validated pydantic object, None without a schema
    prompt_tokens: int
    completion_tokens: int
    cached: bool  # no call was made at all
    attempts: int  # 1 plus the repairs
    finish_reason: str
    thinking: str = ""

    @property
    def tokens(self) -> int:
        """Those of prompts and replies together."""
        return self.prompt_tokens + self.completion_tokens


class ChatModel:
    """A language model that replies. Make one with `connect` or `scripted`; share it."""

    def __init__(
        self,
        transport: Transport,
        profile: Profile = FAKE,
        cache: Cache | str | Path | None = None,
        offline: bool = False,
    ) -> None:
        self.model = transport.model
        self.endpoint = transport.endpoint
        self.name = profile.name if profile.address else self.model  # at a table
        self.profile = profile
        self.cache = Cache(cache) if isinstance(cache, str | Path) else cache
        if offline and self.cache is None:
            raise InvalidInput(
                "offline=True replays kept replies only: give the file that holds them, "
                "cache=..."
            )
        self.calls = 0  # replies asked so far
        self.live_calls = 0  # questions that were sent
        self.limits: Limits = profile.limits  # on how much it may say and is told
        self._transport = transport
        self._offline = offline
        self._kept, self._failed = False, 0  # a form; so many questions for one
        self._attempts = Attempts(transport, profile)
        self._limit = PerLoop(lambda: asyncio.Semaphore(profile.concurrency))
        # By the request's key: the same one in flight is called once.
        self._locks = PerLoop(WeakValueDictionary[str, asyncio.Lock])

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
        calls: list[Call] = []
        while len(calls) <= self.profile.repairs:
            key = request.key
            draw = request.draw
            call = Call(key, request.model, request.endpoint, len(calls))
            call.cut = cut
            call.by = by
            call.phase = phase
            call.draw = "" if draw == key else draw
            calls.append(call)
            try:
                made = await self._complete(request, call)
            except CacheMiss:
                raise
            except ConveneError as error:
                call.error = f"{type(error).__name__}: {error}"
                call.question = request.to_json()
                note(call)
                raise
            value, complaint = _validated(made.text, schema)
            call.misfit = complaint != ""
            note(call)
            if not complaint:
                self._kept = self._kept or schema is not None
                return Reply(
                    made.text,
                    value,
                    sum(one.prompt_tokens for one in calls),
                    sum(one.completion_tokens for one in calls),
                    all(one.cached for one in calls),
                    len(calls),
                    made.finish_reason,
                    made.thinking,
                )
            request = _with_repair(request, made, complaint)
        said = f"{complaint}. Its last reply began: {made.text[:200]!r}."
        raise self._malformed(calls, schema, said)

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
        return Request(
            self.model,
            self.endpoint,
            conversation(messages),
            None if schema is None else schema_text(schema),
            abs(number("temperature", temperature, 0, 2)),  # no -0.0
            None if seed is None else whole("seed", seed, 0, MAX_SEED),
            whole("max_tokens", max_tokens, 1),
            whole("repetition", repetition),
            self.profile.options(reasoning),
        )

    async def _complete(self, request: Request, call: Call) -> Completion:
        """From the cache, where another call may just put it, or from the model.

        What there is to tell of it is put into `call`.
        """
        if self.cache is None:
            made = await self._ask(request, call)
            # The record of the unit keeps the words.
            call.question = request.to_json()
            call.reply = made.text
        else:
            lock = self._locks.get().setdefault(request.key, asyncio.Lock())
            async with lock:
                found = self.cache.get(request)
                if found is not None:
                    made = replace(found, latency=0.0)
                    call.cached = True
                    call.usd = 0.0
                elif self._offline:
                    raise CacheMiss(self.cache.missed(request))
                else:
                    # Where another process was first, its reply goes for both.
                    asked = await self._ask(request, call)
                    made = self.cache.put(request, asked)
        for name in SHARED:
            setattr(call, name, getattr(made, name))
        call.seconds = made.latency
        call.finish = "" if made.finish_reason == "stop" else made.finish_reason
        same = same_model(request.model, made.model)
        call.answered_by = "" if same else made.model
        return made

    async def _ask(self, request: Request, call: Call) -> Completion:
        """Call for a completion, in its turn."""
        if budgets():
            check_prices([self])
        async with self._limit.get():
            self.live_calls += 1
            with (meter() or Meter()).flight(request):
                made = await self._attempts.complete(request, call.faults, self.price)
        call.usd = cost(made, self.price)
        return made

    def _malformed(self, calls: Sequence[Call], schema: Any, said: str) -> ModelError:
        """The error to raise where no reply fits; the end of all where none ever did."""
        self._failed += 1
        if not self._kept and self._failed >= HOPELESS:
            return ModelUnavailable(
                f"{self.model} at {self.endpoint} kept the form in none of its first "
                f"{self._failed} replies. {said} See whether the server takes a schema "
                "(`form` in models.toml), or use a larger model."
            )
        error = MalformedReply(
            f"{self.model} did not give a {schema.__name__} in {len(calls)} attempts. "
            f"{said} Give more room in max_tokens, a simpler schema, more attempts "
            "(repairs= in connect), or use a larger model."
        )
        error.tokens = sum(
            call.prompt_tokens + call.completion_tokens for call in calls
        )
        return error


def _validated(
    text: str, schema: type[BaseModel] | None
) -> tuple[BaseModel | None, str]:
    """The value, and what is wrong with the text; the last object that fits counts."""
    if schema is None:
        return None, ""
    from pydantic import ValidationError

    braces = BRACES.search(text)
    whole = braces[0] if braces else text.strip()
    problems: list[Any] = []
    for said in (*objects(text), whole):
        try:
            return schema.model_validate_json(said), ""
        except ValidationError as error:
            problems = problems or error.errors(include_url=False)
    told = []
    for one in problems[:PROBLEMS_SHOWN]:
        where = ".".join(map(str, one["loc"]))
        told.append(f"{where}: {one['msg']}".removeprefix(": "))
    return None, "; ".join(told)


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


def check_prices(models: Iterable[ChatModel]) -> None:
    """ModelUnavailable where a budget cannot be kept, with the lines to add for all."""
    lacking = {one.name: one.endpoint for one in models if one.price is None}
    if lacking:
        known = ", ".join(f"{name!r} at {url}" for name, url in lacking.items())
        lines = "".join(f"\n[models.{json.dumps(name)}]\n{TO_ADD}" for name in lacking)
        file = os.environ.get(VARIABLE) or f"a file that {VARIABLE} names"
        raise ModelUnavailable(
            f"no price is known of {known}, so that no budget can be kept. Add these "
            "lines, with US dollars for a million tokens (0 where the model is your "
            f"own), to {file}:{lines}"
        )
