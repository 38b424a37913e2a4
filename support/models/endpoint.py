"""Any OpenAI-compatible endpoint, through the openai package's aiohttp transport: what it takes is learnt by refusals.

Each refusal teaches one thing, once for a model: how the limit on a reply is called, whether a temperature or a seed is
taken, by which form a schema is put, which of its keywords are known, how much room thinking needs. Nothing is tried
twice, so that refusals never loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import math
import re
import time
import weakref
from base64 import b64encode
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from support.errors import CallFailed, ContextOverflow, ConveneError, InvalidInput, ModelError, ModelUnavailable
from support.models.attempts import PerLoop, Wider
from support.models.model import Completion, Request, Transport
from support.models.profiles import Profile

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEFAULT = "https://api.openai.com/v1"
FORMS = ("json_schema", "json_object", "text")  # from the strictest down; an endpoint that refuses one gets the next
# The package's own way to an endpoint beside its typed methods: these would build and check objects that nobody keeps,
# half of a call's time.
CHAT = "/chat/completions"
OPTIONS: Any = {"security": {"bearer_auth": True}}
UNHEEDED = 2  # replies in a row without any JSON, after which a form counts as ignored
THINKS = 4096  # tokens of room that a model is given that refuses what only models that think refuse
RUNS_ON = 4  # times its room, at most, for a reply that is cut off and does not think
PROMPT = "Reply with JSON only, no other text, that follows this JSON schema:\n"
KEYWORDS = ("minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
            "multipleOf", "minItems", "maxItems", "uniqueItems", "const")  # fmt: skip
KEY_LIKE = re.compile(r"\bsk-[\w*-]{6,}")  # endpoints quote keys, in full or in part
OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|context (length|size|window)|prompt is too long|too many tokens", re.I
)
FORM = re.compile(r"response_format|json_?.?schema|json_?.?object|grammar", re.I)
UNKNOWN = re.compile(r"unrecogni[sz]ed|unknown|unexpected|extra.?(fields|inputs)", re.I)
NO_MODEL = re.compile(r"model_not_found|invalid model|model\b.{0,120}\b(not exist|not found|unknown)", re.I)
THOUGHT = re.compile(r"\s*(?:<think(?:ing)?>)?(.*?)</think(?:ing)?>\s*", re.S)
# How providers say how large a reply may be; the last number of the sentence that is the bound.
MOST = re.compile(r"(?:at most|> ?|less than or equal to|up to|maximum of|\[\d+, ?)\W{0,2}(\d[\d,]*)", re.I)
RETRIED = (408, 409, 429)  # and whatever begins with 5
# The question had been passed on: 504 and 524 are gateways that stopped waiting for the answer.
CHARGED = ("time-out", "broken connection", "no completion", "408", "504", "524")


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint's address without its user and password: `authorization` is their header, `secrets` what to hide."""

    url: str
    local: bool
    authorization: str | None = field(default=None, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


def address(base_url: str) -> Address:
    """Take an endpoint's address apart; InvalidInput when it is none, or has a query, where keys are put at times."""
    wanted = "expected an address such as https://api.example.org/v1 or http://127.0.0.1:8000/v1"
    try:
        parts = urlsplit(base_url.strip())
        host, port = parts.hostname, parts.port
    except (ValueError, AttributeError):
        parts, host, port = urlsplit(""), None, None
    if parts.scheme not in ("http", "https") or not host:
        raise InvalidInput(f"base_url is no address of the web: {wanted}.")  # it may hold a password: not quoted
    if parts.query or parts.fragment:
        raise InvalidInput(f"base_url holds a '?' or a '#': {wanted}, and give a key as api_key= or OPENAI_API_KEY.")
    shown = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    url, local = f"{parts.scheme}://{shown}{parts.path.rstrip('/')}", _is_local(host)
    if parts.username is None:
        return Address(url, local)
    user, password = unquote(parts.username), unquote(parts.password or "")
    token = b64encode(f"{user}:{password}".encode()).decode()
    hidden = tuple(text for text in (token, password, parts.password, user if not password else "") if text)
    return Address(url, local, f"Basic {token}", hidden)


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def plain(text: str, secrets: Iterable[str]) -> str:
    """A text from outside without the secrets, and without anything that looks like a key.

    >>> plain("Incorrect API key provided: sk-abcdef123.", [])
    'Incorrect API key provided: [key].'
    """
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "[key]") if secret else text
    return KEY_LIKE.sub("[key]", text)


class Endpoint(Transport):
    """A model behind an address. Nothing is opened, and the openai package is not loaded, before the first call.

    The key is kept out of every message, repr and record; `timeout` is in seconds; `name` stands for the endpoint in
    records where its address says nothing.
    """

    learns = True

    def __init__(
        self, profile: Profile, address: Address, key: str, *, timeout: float = 120.0, name: str | None = None
    ) -> None:
        self.model, self.endpoint = profile.model, name or address.url
        self._profile, self._address, self._key, self._timeout = profile, address, _Secret(key), timeout
        self._limit, self._left_out, self._extra, self._most = "max_tokens", set[str](), profile.thinking, math.inf
        self._form, self._unheeded, self._thinks = FORMS.index(profile.form), 0, bool(profile.thinking)
        self._learnt: list[str] = []
        self._sessions = PerLoop(self._open)

    def __repr__(self) -> str:
        return f"Endpoint({self.model!r} at {self.endpoint})"

    @property
    def learnt(self) -> tuple[str, ...]:
        """What was refused and how it is met, a sentence each."""
        return tuple(self._learnt)

    def room(self, request: Request) -> int:
        """The reply's own room and that for thinking, as far as it is known."""
        extra = self._extra if self._thinks else min(self._extra, (RUNS_ON - 1) * request.max_tokens)
        return int(min(request.max_tokens + extra, max(self._profile.longest, request.max_tokens), self._most))

    def widen(self, request: Request, completion: Completion, room: int) -> str:
        """Twice the room where a reply was cut off or empty by thinking, up to the profile's limit; it is kept."""
        silent = not completion.text.strip()
        if completion.finish_reason != "length" or (request.schema is None and not silent):
            return ""
        self._thinks = self._thinks or silent
        most = self._profile.longest if self._thinks else RUNS_ON * request.max_tokens
        wider = int(min(2 * max(room, request.max_tokens), most, self._profile.longest, self._most))
        if wider <= room:
            return ""
        self._extra = max(self._extra, wider - request.max_tokens)
        return f"cut off at {room} tokens{', before the first word' if silent else ''}; asked again with {wider}"

    async def complete(self, request: Request) -> Completion:
        """One reply to one attempt, asked in the way that the endpoint takes."""
        client = await self._sessions.get().ready()
        while True:
            extra = self._extra, self._most
            if request.max_tokens > self._most:  # learnt while this call waited for its turn
                raise Wider
            answer = await self._send(client, request)
            if isinstance(answer, Completion):
                self._heed(request, answer)
                return answer
            if answer is not None:
                raise answer
            if (self._extra, self._most) != extra:  # what the next attempt may cost has changed
                raise Wider

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
            self._learnt.append("It takes a schema and does not keep to it: the schema stands in the prompt.")

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        if (session := self._sessions.pop()) is not None:
            await session.close()

    async def _send(self, client: AsyncOpenAI, request: Request) -> Completion | ConveneError | None:
        """A completion, the error to raise, or None where a refusal taught how to ask.

        The error is returned, and raised elsewhere: raised here it would carry the openai package's exception as its
        context, and with it the request and the key.
        """
        import aiohttp
        import openai

        start, wire = time.perf_counter(), self._wire(request)
        try:
            async with asyncio.timeout(self._timeout):  # openai's own restarts with every byte that trickles in
                answer = json.loads(await client.post(CHAT, cast_to=bytes, body=wire, options=OPTIONS))
        except TimeoutError:
            return self._place.out_of_time()
        # ValueError: an answer that is no JSON; aiohttp's: one that is no HTTP, and its repr has the key.
        except (openai.OpenAIError, aiohttp.ClientError, OSError, ValueError) as error:
            if _status(error) in (400, 422) and not OVERFLOW.search(_text(error)) and not NO_MODEL.search(_text(error)):
                if self._wire(request) != wire or self._lesson(error, wire):
                    return None  # another call of the first ones may have learnt it meanwhile
                if unmet := [name for name in self._own if _names(error, name)]:
                    return CallFailed(
                        f"{self._place} refuses {unmet[0]}, which the entry of {self._profile.name!r} in models.toml "
                        f"asks of it; leave that out there (it said: {self._clean(_text(error))[:200]})."
                    )
            return explain(error, self._place, await self._known(client) if _lacks_model(error) else ())
        return self._completion(answer, time.perf_counter() - start)

    @property
    def _own(self) -> list[str]:
        """What the profile asks for by itself, which nothing here may leave out."""
        return [*self._profile.extra_body, *(["reasoning_effort"] if self._profile.reasoning_effort else [])]

    def _lesson(self, error: Any, wire: Mapping[str, Any]) -> bool:
        """Learn from a refusal how to ask; False where it teaches nothing new."""
        said, form = _text(error), self._form
        most = MOST.search(said)
        if most and _names(error, self._limit) and int(most[1].replace(",", "")) < wire.get(self._limit, 0):
            self._most = min(self._most, int(most[1].replace(",", "")))
            return self._once(f"A reply has at most {self._most} tokens.")
        if "max_tokens" in wire and "max_completion_tokens" in said and "max_tokens" not in self._own:
            self._limit = "max_completion_tokens"
            return self._think("max_completion_tokens stands for max_tokens.")
        for name in ("temperature", "seed"):
            if name in wire and name not in self._own and _names(error, name):
                self._left_out.add(name)
                told = f"It takes no {name}: none is sent."
                return self._think(told) if name == "temperature" else self._once(told)
        if "response_format" not in wire or "response_format" in self._own:
            return False
        if not (FORM.search(said) or _names(error, "response_format")):
            return False
        keyword = next((k for k in KEYWORDS if k not in self._left_out and re.search(rf"\b{k}\b", said)), None)
        if form == 0 and keyword and f'"{keyword}"' in json.dumps(wire["response_format"]):
            self._left_out.add(keyword)
            return self._once(f"It knows no {keyword} in a schema: that is left out there, and checked here.")
        self._form = max(self._form, len(FORMS) - 1 if UNKNOWN.search(said) else form + 1)
        way = "by response_format json_object, and in the prompt" if self._form == 1 else "in the prompt alone"
        return self._once(f"It takes no {FORMS[form]}: a schema is put {way}.")

    def _think(self, told: str) -> bool:
        """Only models that think refuse this: room is made for that."""
        self._thinks, self._extra = True, max(self._extra, THINKS)
        return self._once(told)

    def _once(self, told: str) -> bool:
        if told not in self._learnt:
            self._learnt.append(told)
        return True

    def _wire(self, request: Request) -> dict[str, Any]:
        """The request in the words of the openai package."""
        wire: dict[str, Any] = {"model": self.model, "messages": request.chat, self._limit: request.max_tokens}
        if self._profile.temperature is not False and "temperature" not in self._left_out:
            wire["temperature"] = request.temperature
        if request.seed is not None and self._profile.seed and "seed" not in self._left_out:
            wire["seed"] = request.seed
        if self._profile.reasoning_effort:
            wire["reasoning_effort"] = self._profile.reasoning_effort
        wire |= self._profile.extra_body
        return wire | self._formed(request) if request.schema else wire

    def _formed(self, request: Request) -> dict[str, Any]:
        """The part of a call that asks for the schema, in one of `FORMS`."""
        assert request.schema is not None
        if FORMS[self._form] == "json_schema":
            schema = _without(json.loads(request.schema), self._left_out)
            title = schema.get("title", "reply")
            name = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in title)[:64]
            return {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": name, "strict": True, "schema": schema},
                }
            }
        messages = request.chat
        # At the end, and in the user's voice: not every model's template has a system message, and none may have two.
        messages[-1]["content"] += f"\n\n{PROMPT}{request.schema}"
        form = {} if FORMS[self._form] == "text" else {"response_format": {"type": "json_object"}}
        return {"messages": messages, **form}

    def _completion(self, answer: Any, latency: float) -> Completion | ConveneError:
        try:
            choice = answer["choices"][0]
            message, usage = choice["message"], answer.get("usage") or {}
            text = message.get("content") or message.get("refusal") or ""
            thinking = message.get("reasoning_content") or message.get("reasoning") or ""
            read, written = _tokens(usage.get("prompt_tokens")), _tokens(usage.get("completion_tokens"))
            cached = _tokens((usage.get("prompt_tokens_details") or {}).get("cached_tokens"))
            thought = _tokens((usage.get("completion_tokens_details") or {}).get("reasoning_tokens"))
            text = text.encode("utf-8", "replace").decode()  # half characters cannot be kept, nor sent back
            thinking = thinking.encode("utf-8", "replace").decode() if isinstance(thinking, str) else ""
        except (AttributeError, KeyError, IndexError, TypeError):
            return self._place.failed("no completion", f"answered with no chat completion; {self._place.ending}.")
        if found := THOUGHT.match(text):
            text, thinking = text[found.end() :], thinking or found[1].strip()
        elif re.match(r"\s*<think(ing)?>", text):  # it was cut off before it came to the end of its thinking
            text, thinking = "", thinking or text
        self._thinks = self._thinks or bool(thinking or thought)
        return Completion(text, read, written, choice.get("finish_reason") or "stop", latency, cached, thinking)

    async def _known(self, client: AsyncOpenAI) -> list[str]:
        """The names of the endpoint's models; a help in an error message, so that its own failure says nothing new."""
        import aiohttp
        import openai

        try:
            page = await client.with_options(timeout=5.0, max_retries=0).models.list()
            return [model.id for model in page.data]
        except (openai.OpenAIError, aiohttp.ClientError, OSError, ValueError, AttributeError, TypeError):
            return []

    @property
    def _place(self) -> Place:
        return Place(self.model, self.endpoint, self._profile.key, self._clean)

    def _clean(self, text: str) -> str:
        return plain(text, (self._key.text, *self._address.secrets))

    def _open(self) -> _Session:
        import openai

        # A proxy from the environment must not stand between this process and its own machine.
        clean = _header_cleaner((self._key.text, *self._address.secrets))
        http = openai.DefaultAioHttpClient(trust_env=not self._address.local, event_hooks={"response": [clean]})
        asked = {"Authorization": self._address.authorization} if self._address.authorization else None
        # No retries: an attempt is counted, paid and paced where it is made, in `support.models.attempts`.
        made: dict[str, Any] = {
            "http_client": http,
            "default_headers": asked,
            "timeout": self._timeout,
            "max_retries": 0,
        }
        return _Session(openai.AsyncOpenAI(api_key=self._key.text, base_url=self._address.url, **made))


def _tokens(said: Any) -> int:
    """A count from outside, which nobody has checked; 0 where it is none."""
    known = isinstance(said, (int, float)) and not isinstance(said, bool) and 0 < said < math.inf
    return int(said) if known else 0


def _without(node: Any, keywords: set[str]) -> Any:
    """A schema without some of its keywords; names of fields stay."""
    if isinstance(node, list):
        return [_without(item, keywords) for item in node]
    if not isinstance(node, dict) or not keywords:
        return node
    return {
        key: {name: _without(part, keywords) for name, part in value.items()}
        if key in ("properties", "$defs")
        else _without(value, keywords)
        for key, value in node.items()
        if key not in keywords
    }


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
        self._client, self._guard, self._guarded = client, _closing(client), False
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


# ---- what went wrong, in plain words ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """Which model at which endpoint, which variable has its key, and how to make a text of theirs fit to be shown."""

    model: str
    endpoint: str
    key: str
    clean: Callable[[str], str]

    def __str__(self) -> str:
        return f"the endpoint {self.endpoint}"

    @property
    def ending(self) -> str:
        """What to think of the address."""
        return "the address is probably right" if self.endpoint.endswith("/v1") else "an address usually ends in /v1"

    def failed(self, fault: str, said: str) -> CallFailed:
        """An answer that did not come, or is none: it may come a little later, and may be charged."""
        error = CallFailed(f"{self} {said}")
        error.fault, error.transient, error.charged = fault, True, True
        return error

    def out_of_time(self) -> CallFailed:
        """The answer did not come in time."""
        return self.failed("time-out", "did not answer in time. Raise timeout=, or lower max_tokens.")


def explain(error: Exception, place: Place, known: Sequence[str] = ()) -> ModelError:
    """The exception to raise instead of the openai package's, marked with what retries and money need to know.

    It holds no trace of the original, whose request has the key. `known` are names of models that are served there.
    """
    made, status = _explained(error, place, known), _status(error)
    made.fault = str(status) if status is not None else _kind(error)
    made.charged = made.fault in CHARGED
    given_up = isinstance(made, ContextOverflow) or _code(error) == "insufficient_quota"
    made.transient = not given_up and (status is None or status in RETRIED or status >= 500)
    headers = getattr(getattr(error, "response", None), "headers", None)
    made.retry_after = None if headers is None else retry_after(headers)
    return made


def _explained(error: Exception, place: Place, known: Sequence[str]) -> ModelError:
    import openai

    said, status, kind = place.clean(_text(error))[:300], _status(error), _kind(error)
    if isinstance(error, (openai.AuthenticationError, openai.PermissionDeniedError)):
        return ModelUnavailable(
            f"{place} refused the key for {place.model!r} (it said: {said}). Set the environment variable {place.key}, "
            'or pass api_key=, with a key of this endpoint; model="embedded" needs none.'
        )
    if _lacks_model(error):
        near = get_close_matches(place.model, known, n=8, cutoff=0.3) or sorted(known)[:8]
        served = f"it knows, among others: {place.clean(', '.join(near))}" if known else f"it said: {said}"
        where = "" if known else f", or has no chat completions at this address ({place.ending})"
        return ModelUnavailable(f"{place} does not know the model {place.model!r}{where}; {served}. Check the name.")
    if _code(error) == "insufficient_quota" or status == 402:
        return ModelUnavailable(
            f"the account at {place} has no credit left (it said: {said}). Top it up, or change key."
        )
    if status in (400, 413, 422) and OVERFLOW.search(_text(error)):
        body = getattr(error, "body", None)
        counted = isinstance(body, dict) and {"n_prompt_tokens", "n_ctx"} <= set(body)
        sizes = f": {body['n_prompt_tokens']} tokens, and it reads {body['n_ctx']}" if counted else ""  # type: ignore[index]
        return ContextOverflow(
            f"the messages are longer than {place.model!r} can read{sizes} (it said: {said}). Take fewer agents, fewer "
            "rounds or a shorter history, lower max_tokens, or use a model with a longer context."
        )
    if status is None and kind != "no completion":
        detail = place.clean(str(list(_causes(error))[-1] or error))[:300]
        if kind == "no connection":
            return ModelUnavailable(
                f"cannot reach {place}: {detail}. Check the address (base_url= or OPENAI_BASE_URL), that the server "
                'runs, and the network; model="embedded" needs none.'
            )
        lost = CallFailed(f"{place} broke off the connection ({detail}). See whether it still runs.")
        return place.out_of_time() if kind == "time-out" else lost
    if isinstance(error, openai.RateLimitError):
        return CallFailed(f"{place} allows no more calls for now (it said: {said}). Wait, or lower concurrency=.")
    if status is not None:
        return CallFailed(f"{place} answered with error {status}: {said}")
    return CallFailed(f"{place} answered with something that is no chat completion; {place.ending}: {said}")


def retry_after(headers: Mapping[str, str], now: Callable[[], float] = time.time) -> float | None:
    """Seconds that an endpoint asks to wait, from a Retry-After in seconds or as a date; None when it does not say.

    A date counts from the answer's own Date, where it has one: the clocks of two machines need not agree.

    >>> retry_after({"retry-after": "1.5"})
    1.5
    >>> retry_after({"retry-after": "Sun, 22 Nov 2026 10:00:30 GMT", "date": "Sun, 22 Nov 2026 10:00:00 GMT"})
    30.0
    """
    given = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", given):
        return float(given)
    until, said = _moment(given), _moment(headers.get("date", ""))
    return None if until is None else max(0.0, until - (now() if said is None else said))


def _moment(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError):
        return None


def _kind(error: Exception) -> str:
    """What happened without a status. The aiohttp transport calls all a time-out; the causes know better."""
    import aiohttp
    import openai

    causes = list(_causes(error))
    # The openai package lets some of aiohttp's own errors through.
    if not isinstance(error, (openai.APIConnectionError, aiohttp.ClientError, OSError)):
        return "no completion"
    if any(isinstance(cause, (aiohttp.ClientConnectorError, aiohttp.InvalidURL)) for cause in causes):
        return "no connection"
    lost = (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError)
    slow = isinstance(error, openai.APITimeoutError) and not any(isinstance(cause, lost) for cause in causes)
    return "time-out" if slow else "broken connection"  # also where nobody knows: what may be charged is not free


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _lacks_model(error: Any) -> bool:
    """Whether an endpoint does not know the model, or the path at which it was asked."""
    return _status(error) == 404 or (_status(error) == 400 and bool(NO_MODEL.search(_text(error))))


def _names(error: Any, parameter: str) -> bool:
    """Whether a refusal is about a parameter: by the field that says so, or else by its words."""
    param = getattr(error, "param", None)
    if isinstance(param, str) and param:
        return param.startswith(parameter)
    return bool(re.search(rf"\b{parameter}\b", _text(error)))


def _status(error: Any) -> int | None:
    return getattr(error, "status_code", None)


def _code(error: Any) -> str | None:
    """What the endpoint calls an error; aiohttp's own exceptions have a number under this name."""
    import openai

    return error.code if isinstance(error, openai.APIError) else None


def _text(error: Any) -> str:
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    parts = (message if isinstance(message, str) else str(error), _code(error), getattr(error, "type", None))
    return " ".join(part for part in parts if isinstance(part, str) and part)
