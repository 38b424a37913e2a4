"""Any OpenAI-compatible endpoint, through the openai package and its aiohttp transport."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import time
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from support.errors import CallFailed, ConveneError, InvalidInput
from support.llm.address import Address, plain
from support.llm.failures import (
    Place,
    explain,
    lacks_model,
    no_completion,
    out_of_time,
    refuses_form,
    refuses_max_tokens,
)
from support.llm.loops import PerLoop
from support.llm.transport import Completion, Request, Transport

if TYPE_CHECKING:
    from openai import AsyncOpenAI

FORMS = ("json_schema", "json_object", "text")  # from the strictest down; an endpoint that refuses one gets the next
# The package's own way to an endpoint beside its typed methods: these would build and check objects that nobody keeps,
# half of a call's time.
CHAT = "/chat/completions"
OPTIONS: Any = {"security": {"bearer_auth": True}}
UNHEEDED = 2  # replies in a row without any JSON, after which a form counts as ignored
PROMPT = "Reply with JSON only, no other text, that follows this JSON schema:\n"


class Endpoint(Transport):
    """A model behind an address. Nothing is opened, and the openai package is not loaded, before the first call.

    Parameters
    ----------
    model : str
        As the endpoint calls it.
    address : Address
        Where it is.
    key : str
        Kept out of every message, repr and record.
    timeout : float
        Seconds that one call may take.
    extra_body : mapping, optional
        What this server takes beyond OpenAI's parameters.
    name : str, optional
        The endpoint's name in records, where its address says nothing.
    """

    def __init__(
        self,
        model: str,
        address: Address,
        key: str,
        *,
        timeout: float = 120.0,
        extra_body: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> None:
        self.model = model
        self.endpoint = name or address.url
        self._address = address
        self._key = _Secret(key)
        self._timeout = timeout
        self._extra_body = dict(extra_body or {})
        self._form = 0
        self._unheeded = 0
        self._limit_name = "max_tokens"
        self._place = Place(model, self.endpoint, self._clean)
        self._sessions = PerLoop(self._open)

    def __repr__(self) -> str:
        return f"Endpoint({self.model!r} at {self.endpoint})"

    async def complete(self, request: Request) -> Completion:
        """One reply to one attempt, after stepping down to a form that the endpoint takes."""
        client = await self._sessions.get().ready()
        while True:
            form, limit_name = self._form, self._limit_name
            answer = await self._send(client, self._wire(request, form, limit_name))
            if isinstance(answer, Completion):
                self._heed(request, answer)
                return answer
            if isinstance(answer, ConveneError):
                raise answer
            if answer == "form" and request.schema and form + 1 < len(FORMS):
                self._form = max(self._form, form + 1)  # several first calls may come back together
            elif answer == "limit" and limit_name == "max_tokens" and limit_name not in self._extra_body:
                self._limit_name = "max_completion_tokens"
            else:
                raise CallFailed(f"{self._place} refuses what extra_body= asks of it; leave that out.")

    def _heed(self, request: Request, answer: Completion) -> None:
        """Notice an endpoint that takes a form and does not keep to it: its model has never seen the schema.

        After a few replies in a row that hold no JSON at all, the schema is put into the prompt, beginning with the
        repair of the last one.
        """
        if request.schema is None or answer.finish_reason == "length" or self._form + 1 == len(FORMS):
            return
        self._unheeded = 0 if "{" in answer.text or "[" in answer.text else self._unheeded + 1
        if self._unheeded == UNHEEDED:
            self._form = len(FORMS) - 1

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        if (session := self._sessions.pop()) is not None:
            await session.close()

    async def _send(self, client: AsyncOpenAI, wire: dict[str, Any]) -> Completion | ConveneError | str:
        """A completion, the name of what to put in another way, or the error to raise.

        The error is returned, and raised elsewhere: raised here it would carry the openai package's exception as its
        context, and with it the request and the key.
        """
        import aiohttp
        import openai

        start = time.perf_counter()
        try:
            async with asyncio.timeout(self._timeout):  # openai's own restarts with every byte that trickles in
                answer = json.loads(await client.post(CHAT, cast_to=bytes, body=wire, options=OPTIONS))
        except TimeoutError:
            return out_of_time(self._place)
        # ValueError: an answer that is no JSON; aiohttp's: one that is no HTTP, and its repr has the key.
        except (openai.OpenAIError, aiohttp.ClientError, OSError, ValueError) as error:
            if refuses_form(error) and wire.get("response_format"):
                return "form"
            if refuses_max_tokens(error) and "max_tokens" in wire:
                return "limit"
            return explain(error, self._place, await self._known(client) if lacks_model(error) else ())
        return self._completion(answer, time.perf_counter() - start)

    def _wire(self, request: Request, form: int, limit_name: str) -> dict[str, Any]:
        """The request in the words of the openai package."""
        wire: dict[str, Any] = {
            "model": self.model,
            "messages": request.chat,
            "temperature": request.temperature,
            limit_name: request.max_tokens,
        }
        if request.seed is not None:
            wire["seed"] = request.seed
        if self._extra_body:
            wire.update(self._extra_body)
        return wire if request.schema is None else {**wire, **_formed(request, FORMS[form])}

    def _completion(self, answer: Any, latency: float) -> Completion | ConveneError:
        try:
            choice = answer["choices"][0]
            text = choice["message"].get("content") or choice["message"].get("refusal") or ""
            usage = answer.get("usage") or {}
            read, written = _tokens(usage.get("prompt_tokens")), _tokens(usage.get("completion_tokens"))
            cached = _tokens((usage.get("prompt_tokens_details") or {}).get("cached_tokens"))
            finish = choice.get("finish_reason") or "stop"
            text = text.encode("utf-8", "replace").decode()  # half characters cannot be kept, nor sent back
        except (AttributeError, KeyError, IndexError, TypeError):
            return no_completion(self._place)
        return Completion(
            text=text,
            prompt_tokens=read,
            completion_tokens=written,
            finish_reason=finish,
            latency=latency,
            cached_prompt_tokens=cached,
        )

    async def _known(self, client: AsyncOpenAI) -> list[str]:
        """The names of the endpoint's models; a help in an error message, so that its own failure says nothing new."""
        import aiohttp
        import openai

        try:
            page = await client.with_options(timeout=5.0, max_retries=0).models.list()
            return [model.id for model in page.data]
        except (openai.OpenAIError, aiohttp.ClientError, OSError, ValueError, AttributeError, TypeError):
            return []

    def _clean(self, text: str) -> str:
        return plain(text, (self._key.text, *self._address.secrets))

    def _open(self) -> _Session:
        import openai

        # A proxy from the environment must not stand between this process and its own machine.
        clean = _header_cleaner((self._key.text, *self._address.secrets))
        http = openai.DefaultAioHttpClient(trust_env=not self._address.local, event_hooks={"response": [clean]})
        authorization = self._address.authorization
        return _Session(
            openai.AsyncOpenAI(
                api_key=self._key.text,
                base_url=self._address.url,
                http_client=http,
                default_headers={"Authorization": authorization} if authorization else None,
                timeout=self._timeout,
                max_retries=0,  # an attempt is counted, paid and paced where it is made: `support.llm.attempts`
            )
        )


def _tokens(said: Any) -> int:
    """A count from outside, which nobody has checked; 0 where it is none."""
    known = isinstance(said, (int, float)) and not isinstance(said, bool) and 0 < said < math.inf
    return int(said) if known else 0


def _header_cleaner(secrets: tuple[str, ...]) -> Callable[[Any], Awaitable[None]]:
    """Hides the key in the one header that the openai package logs as it comes, at the level DEBUG.

    It knows the secrets alone: through an endpoint it would keep its own client alive.
    """

    async def clean(response: Any) -> None:
        if (quoted := response.headers.get("x-request-id")) is not None:
            response.headers["x-request-id"] = plain(quoted, secrets)

    return clean


class _Secret:
    """A text that tracebacks with local variables, and other curious printers, do not show."""

    def __init__(self, text: str) -> None:
        if not text.isascii() or not text.isprintable():
            raise InvalidInput("the key holds characters that no key has; copy it anew (it is not shown here).")
        self.text = text

    def __repr__(self) -> str:
        return "[key]"


class _Session:
    """One openai client of one event loop, closed with the loop whether or not anybody asks."""

    def __init__(self, client: AsyncOpenAI) -> None:
        self._client = client
        self._guard = _closing(client)
        self._guarded = False
        weakref.finalize(self, _close_at_exit, client, asyncio.get_running_loop())

    async def ready(self) -> AsyncOpenAI:
        """The client, once its end is arranged."""
        if not self._guarded:
            self._guarded = True
            await anext(self._guard)
        return self._client

    async def close(self) -> None:
        """Close the client now."""
        await self._guard.aclose()
        await self._client.close()


async def _closing(client: AsyncOpenAI) -> AsyncGenerator[None]:
    """Closes the client when the loop shuts down its asynchronous generators, as `asyncio.run` does at its end."""
    try:
        yield
    finally:
        await client.close()


def _close_at_exit(client: AsyncOpenAI, loop: asyncio.AbstractEventLoop) -> None:
    """For loops that are left standing at the end of the process, as a notebook's kernel leaves its own."""
    if not loop.is_closed() and not loop.is_running():
        with contextlib.suppress(RuntimeError):  # the kernel stopped its loop for good: the process's end closes all
            loop.run_until_complete(client.close())


def _formed(request: Request, form: str) -> dict[str, Any]:
    """The part of a call that asks for the schema, in one of `FORMS`."""
    assert request.schema is not None
    schema = json.loads(request.schema)
    if form == "json_schema":
        name = "".join(
            letter if letter.isalnum() and letter.isascii() else "_" for letter in schema.get("title", "reply")
        )
        asked = {"name": name[:64], "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": asked}}
    messages = [dict(message) for message in request.chat]
    # At the end, and in the user's voice: not every model's template has a system message, and none may have two.
    messages[-1]["content"] += f"\n\n{PROMPT}{request.schema}"
    return (
        {"messages": messages} if form == "text" else {"messages": messages, "response_format": {"type": "json_object"}}
    )
