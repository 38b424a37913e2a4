"""Any OpenAI-compatible endpoint, through the openai package's aiohttp transport: what it takes is learnt by refusals.

Each refusal teaches one thing, once for a model. Nothing is tried twice, so that refusals never loop.
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
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from support.errors import (
    CallFailed,
    ContextOverflow,
    ConveneError,
    InvalidInput,
    ModelError,
    ModelUnavailable,
)
from support.models.attempts import PerLoop, Wider
from support.models.model import Completion, Request, Transport, rewritten
from support.models.profiles import Profile

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEFAULT = "https://api.openai.com/v1"
FORMS = (
    "json_schema",
    "json_object",
    "text",
)  # from the strictest down; an endpoint that refuses one gets the next
# The package's own way to an endpoint beside its typed methods: these would build and check objects that nobody keeps,
# half of a call's time.
CHAT = "/chat/completions"
OPTIONS: Any = {"security": {"bearer_auth": True}}
EFFORT = "reasoning_effort"
UNHEEDED = 2  # replies in a row without any JSON, after which a form counts as ignored
THINKS = 4096  # tokens of room that a model is given that refuses what only models that think refuse
RUNS_ON = 4  # times its room, at most, for a reply that is cut off and does not think
PROMPT = "Reply with JSON only, no other text, that follows this JSON schema:\n"
KEYWORDS = ("minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
            "multipleOf", "minItems", "maxItems", "uniqueItems", "const")  # fmt: skip
KEY_LIKE = re.compile(r"\bsk-[\w*-]{6,}")  # endpoints quote keys, in full or in part
OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|context (length|size|window)|prompt is too long|too many tokens",
    re.I,
)
FORM = re.compile(r"response_format|json_?.?schema|json_?.?object|grammar", re.I)
UNKNOWN = re.compile(r"unrecogni[sz]ed|unknown|unexpected|extra.?(fields|inputs)", re.I)
NO_MODEL = re.compile(
    r"model_not_found|invalid model|model\b.{0,120}\b(not exist|not found|unknown)",
    re.I,
)
THOUGHT = re.compile(r"\s*(?:<think(?:ing)?>)?(.*?)</think(?:ing)?>\s*", re.S)
# How providers say how large a reply may be; the last number of the sentence that is the bound.
MOST = re.compile(
    r"(?:at most|> ?|less than or equal to|up to|maximum of|\[\d+, ?)\W{0,2}(\d[\d,]*)",
    re.I,
)
RETRIED = (408, 409, 429)  # and whatever begins with 5
# The question had been passed on: 504 and 524 are gateways that stopped waiting for the answer.
CHARGED = ("time-out", "broken connection", "no completion", "408", "504", "524")
SAID: dict[str, tuple[type[ModelError], str]] = {  # what went wrong, and what to do about it
    "key": (ModelUnavailable, "{place} refused the key for {model!r} (it said: {said}). Set the environment variable "
            '{key}, or pass api_key=, with a key of this endpoint; model="embedded" needs none.'),
    "name": (ModelUnavailable, "{place} does not know the model {model!r}; it knows, among others: {near}. Check the "
             "name."),
    "name or path": (ModelUnavailable, "{place} does not know the model {model!r}, or has no chat completions at this "
                     "address ({ending}); it said: {said}. Check the name."),
    "quota": (ModelUnavailable, "the account at {place} has no credit left (it said: {said}). Top it up, or change "
              "key."),
    "context": (ContextOverflow, "the messages are longer than {model!r} can read{sizes} (it said: {said}). Take fewer "
                "agents, fewer rounds or a shorter history, lower max_tokens, or use a model with a longer context."),
    "own": (CallFailed, "{place} refuses {unmet}, which the setting reasoning= or the entry of {name!r} in models.toml "
            "asks of it; leave that out there (it said: {said})."),
    "pace": (CallFailed, "{place} allows no more calls for now (it said: {said}). Wait, or lower concurrency=."),
    "status": (CallFailed, "{place} answered with error {status}: {said}"),
    "no connection": (ModelUnavailable, "cannot reach {place}: {cause}. Check the address (base_url= or "
                      'OPENAI_BASE_URL), that the server runs, and the network; model="embedded" needs none.'),
    "broken connection": (CallFailed, "{place} broke off the connection ({cause}). See whether it still runs."),
    "time-out": (CallFailed, "{place} did not answer in time. Raise timeout=, or lower max_tokens."),
    "no completion": (CallFailed, "{place} answered with something that is no chat completion; {ending}: {said}"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint's address without its user and password."""

    url: str
    local: bool
    authorization: str | None = field(
        default=None, repr=False
    )  # the header for user and password
    secrets: tuple[str, ...] = field(default=(), repr=False)  # what to hide of them


def address(base_url: str) -> Address:
    """Take an endpoint's address apart; InvalidInput when it is none, or has a query, where keys are put at times."""
    wanted = "expected an address such as https://api.example.org/v1 or http://127.0.0.1:8000/v1"
    parts, host, port = urlsplit(""), None, None
    with contextlib.suppress(ValueError, AttributeError):
        parts = urlsplit(base_url.strip())
        host, port = parts.hostname, parts.port
    if parts.scheme not in ("http", "https") or not host:
        raise InvalidInput(
            f"base_url is no address of the web: {wanted}."
        )  # it may hold a password: not quoted
    if parts.query or parts.fragment:
        raise InvalidInput(
            f"base_url holds a '?' or a '#': {wanted}, and give a key as api_key= or OPENAI_API_KEY."
        )
    local = host == "localhost" or host.endswith(".localhost")
    with contextlib.suppress(ValueError):
        local = ipaddress.ip_address(host).is_loopback
    shown = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    url = f"{parts.scheme}://{shown}{parts.path.rstrip('/')}"
    if parts.username is None:
        return Address(url, local)
    user, password = unquote(parts.username), unquote(parts.password or "")
    token = b64encode(f"{user}:{password}".encode()).decode()
    hidden = tuple(
        text
        for text in (token, password, parts.password, user if not password else "")
        if text
    )
    return Address(url, local, f"Basic {token}", hidden)


def plain(text: str, secrets: Iterable[str]) -> str:
    """A text from outside without the secrets, and without anything that looks like a key.

    >>> plain("Incorrect API key provided: sk-abcdef123.", [])
    'Incorrect API key provided: [key].'
    """
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "[key]") if secret else text
    return KEY_LIKE.sub("[key]", text)


class Endpoint(Transport):
    """A model behind an address; neither opened, nor the openai package loaded, before the first call.

    The key is in no message, repr and record; `name` stands for the endpoint where its address says nothing.
    """

    learns = True

    def __init__(
        self,
        profile: Profile,
        address: Address,
        key: str,
        *,
        timeout: float = 120.0,
        name: str | None = None,
    ) -> None:
        if not key.isascii() or not key.isprintable():
            raise InvalidInput(
                "the key holds characters that no key has; copy it anew (it is not shown here)."
            )
        self.model, self.endpoint = profile.model, name or address.url
        self._profile, self._address, self._key, self._timeout = (
            profile,
            address,
            SecretStr(key),
            timeout,
        )
        tables = [
            profile.extra_body,
            *(sent for sent in profile.reasoning.values() if isinstance(sent, dict)),
        ]
        effort = [EFFORT] if profile.reasoning_effort else []
        self._own = [
            *effort,
            *(name for table in tables for name in table),
        ]  # never left out
        self._limit, self._left_out, self._extra, self._most = (
            "max_tokens",
            set[str](),
            profile.thinking,
            math.inf,
        )
        self._form, self._unheeded, self._thinks = (
            FORMS.index(profile.form),
            0,
            bool(profile.thinking),
        )
        self._sessions = PerLoop(self._open)

    def room(self, request: Request) -> int:
        """The reply's own room and that for thinking, as far as it is known."""
        extra = (
            self._extra
            if self._thinks
            else min(self._extra, (RUNS_ON - 1) * request.max_tokens)
        )
        return int(
            min(
                request.max_tokens + extra,
                max(self._profile.longest, request.max_tokens),
                self._most,
            )
        )

    def widen(self, request: Request, completion: Completion, room: int) -> str:
        """Twice the room where a reply was cut off or empty by thinking, up to the profile's limit; it is kept."""
        silent = not completion.text.strip()
        if completion.finish_reason != "length" or (
            request.schema is None and not silent
        ):
            return ""
        self._thinks = self._thinks or silent
        most = self._profile.longest if self._thinks else RUNS_ON * request.max_tokens
        wider = int(
            min(
                2 * max(room, request.max_tokens),
                most,
                self._profile.longest,
                self._most,
            )
        )
        if wider <= room:
            return ""
        self._extra = max(self._extra, wider - request.max_tokens)
        return f"cut off at {room} tokens{', before the first word' if silent else ''}; asked again with {wider}"

    async def complete(self, request: Request) -> Completion:
        """One reply to one attempt, asked in the way that the endpoint takes."""
        client = await anext(self._sessions.get())
        while True:
            extra = self._extra, self._most
            if (
                request.max_tokens > self._most
            ):  # learnt while this call waited for its turn
                raise Wider
            answer = await self._send(client, request)
            if isinstance(answer, ConveneError):
                raise answer
            if answer is not None:
                self._heed(request, answer)
                return answer
            if (
                self._extra,
                self._most,
            ) != extra:  # what the next attempt may cost has changed
                raise Wider

    def _heed(self, request: Request, answer: Completion) -> None:
        """Say so where a model thinks that is asked not to; put a schema that is not kept to into the prompt."""
        if answer.thinking and f'"{EFFORT}": "none"' in request.options:
            self._learn(
                "It thinks though it is asked not to; `reasoning` in models.toml may know another way."
            )
        if (
            request.schema is None
            or answer.finish_reason == "length"
            or self._form + 1 == len(FORMS)
        ):
            return
        self._unheeded = (
            0 if "{" in answer.text or "[" in answer.text else self._unheeded + 1
        )
        if self._unheeded == UNHEEDED:
            self._form = len(FORMS) - 1
            self._learn(
                "It takes a schema and does not keep to it: the schema stands in the prompt."
            )

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        if (session := self._sessions.pop()) is not None:
            await session.aclose()

    async def _send(
        self, client: AsyncOpenAI, request: Request
    ) -> Completion | ConveneError | None:
        """A completion, the error to raise, or None where a refusal taught how to ask.

        The error is raised elsewhere: here its context would be the openai package's, with the request and the key.
        """
        import aiohttp
        import openai

        start, wire = time.perf_counter(), self._wire(request)
        try:
            async with asyncio.timeout(
                self._timeout
            ):  # openai's own restarts with every byte that trickles in
                answer = json.loads(
                    await client.post(CHAT, cast_to=bytes, body=wire, options=OPTIONS)
                )
        except TimeoutError:
            return self._failed("time-out")
        # ValueError: an answer that is no JSON; aiohttp's: one that is no HTTP, and its repr has the key.
        except (openai.OpenAIError, aiohttp.ClientError, OSError, ValueError) as error:
            refusal = _Refusal(error)
        else:
            return self._completion(answer, time.perf_counter() - start)
        if (
            refusal.status in (400, 422)
            and not OVERFLOW.search(refusal.said)
            and not NO_MODEL.search(refusal.said)
        ):
            if self._wire(request) != wire or self._lesson(refusal, wire):
                return (
                    None  # another call of the first ones may have learnt it meanwhile
                )
            if unmet := [
                name
                for name in wire
                if name in (EFFORT, *self._own) and refusal.names(name)
            ]:
                return self._failed("own", refusal.said, refusal.status, unmet=unmet[0])
        case, near = (
            refusal.case,
            await self._near(client) if refusal.case == "name" else "",
        )
        made = self._failed(f"{case} or path" if case == "name" and not near else case, refusal.said, refusal.status,
                            near=near, sizes=refusal.sizes, cause=refusal.cause)  # fmt: skip
        made.retry_after = refusal.retry_after
        return made

    def _failed(
        self, case: str, said: str = "", status: int | None = None, **more: str
    ) -> ModelError:
        """An error of the table, marked with what retries and money need to know."""
        kind, text = SAID[case]
        ending = (
            "the address is probably right"
            if self.endpoint.endswith("/v1")
            else "an address usually ends in /v1"
        )
        here = {
            "place": f"the endpoint {self.endpoint}",
            "model": self.model,
            "status": status,
            "ending": ending,
        }
        theirs = {
            name: plain(said, self._secrets)[:300]
            for name, said in {"said": said, **more}.items()
        }
        made = kind(
            text.format(
                key=self._profile.key, name=self._profile.name, **here, **theirs
            )
        )
        made.fault = case if status is None else str(status)
        made.charged = made.fault in CHARGED
        passing = status is None or status in RETRIED or status >= 500
        made.transient = passing and case not in ("context", "quota")
        return made

    async def _near(self, client: AsyncOpenAI) -> str:
        """Names like the model's that its endpoint serves: a help in a message, whose own failure says nothing new."""
        import aiohttp
        import openai

        try:
            page = await client.with_options(timeout=5.0, max_retries=0).models.list()
            known = [model.id for model in page.data]
        except (
            openai.OpenAIError,
            aiohttp.ClientError,
            OSError,
            ValueError,
            AttributeError,
            TypeError,
        ):
            return ""
        return ", ".join(
            get_close_matches(self.model, known, n=8, cutoff=0.3) or sorted(known)[:8]
        )

    def _lesson(self, refusal: _Refusal, wire: Mapping[str, Any]) -> bool:
        """Learn from a refusal how to ask; False where it teaches nothing new."""
        said, form, asks = (
            refusal.said,
            self._form,
            {name for name in wire if name not in self._own},
        )
        bound = (
            int(most[1].replace(",", "")) if (most := MOST.search(said)) else math.inf
        )
        if bound < wire.get(self._limit, 0) and refusal.names(self._limit):
            self._most = min(self._most, bound)
            return self._learn(f"A reply has at most {self._most} tokens.")
        if "max_tokens" in asks and "max_completion_tokens" in said:
            self._limit = "max_completion_tokens"
            return self._learn(
                "max_completion_tokens stands for max_tokens.", thinks=True
            )
        for name in ("temperature", "seed", EFFORT):
            if name in asks and refusal.names(name):
                if name == EFFORT and re.search(
                    rf"\b{wire[name]}\b", said
                ):  # others it may take: which ones, it says
                    return False
                self._left_out.add(name)
                return self._learn(
                    f"It takes no {name}: none is sent.", thinks=name == "temperature"
                )
        if "response_format" not in asks or not (
            FORM.search(said) or refusal.names("response_format")
        ):
            return False
        keyword = next(
            (
                k
                for k in KEYWORDS
                if k not in self._left_out and re.search(rf"\b{k}\b", said)
            ),
            None,
        )
        if (
            form == 0
            and keyword
            and f'"{keyword}"' in json.dumps(wire["response_format"])
        ):
            self._left_out.add(keyword)
            return self._learn(
                f"It knows no {keyword} in a schema: that is left out there, and checked here."
            )
        self._form = max(
            self._form, len(FORMS) - 1 if UNKNOWN.search(said) else form + 1
        )
        way = (
            "by response_format json_object, and in the prompt"
            if self._form == 1
            else "in the prompt alone"
        )
        return self._learn(f"It takes no {FORMS[form]}: a schema is put {way}.")

    def _learn(self, told: str, thinks: bool = False) -> bool:
        if thinks:  # only models that think refuse this: room is made for that
            self._thinks, self._extra = True, max(self._extra, THINKS)
        self.learnt = self.learnt if told in self.learnt else (*self.learnt, told)
        return True

    def _wire(self, request: Request) -> dict[str, Any]:
        """The request in the words of the openai package, its schema in one of `FORMS`."""
        wire: dict[str, Any] = {
            "model": self.model,
            "messages": request.chat,
            self._limit: request.max_tokens,
        }
        if (
            self._profile.temperature is not False
            and "temperature" not in self._left_out
        ):
            wire["temperature"] = request.temperature
        if (
            request.seed is not None
            and self._profile.seed
            and "seed" not in self._left_out
        ):
            wire["seed"] = request.seed
        asked = json.loads(request.options or "{}")
        if EFFORT in asked and EFFORT not in self._left_out:
            wire[EFFORT] = asked[EFFORT]
        wire |= asked.get("extra_body", {})
        if not request.schema:
            return wire
        if FORMS[self._form] == "json_schema":
            out = self._left_out
            schema = rewritten(
                json.loads(request.schema),
                lambda node: {k: node[k] for k in node if k not in out},
            )
            title = schema.get("title", "reply")
            name = "".join(
                letter if letter.isalnum() and letter.isascii() else "_"
                for letter in title
            )[:64]
            form = {"name": name, "strict": True, "schema": schema}
            return wire | {
                "response_format": {"type": "json_schema", "json_schema": form}
            }
        messages = request.chat
        # At the end, and in the user's voice: not every model's template has a system message, and none may have two.
        messages[-1]["content"] += f"\n\n{PROMPT}{request.schema}"
        wire |= (
            {"response_format": {"type": "json_object"}}
            if FORMS[self._form] == "json_object"
            else {}
        )
        return wire | {"messages": messages}

    def _completion(self, answer: Any, latency: float) -> Completion | ConveneError:
        try:
            choice = answer["choices"][0]
            message, usage = choice["message"], answer.get("usage") or {}
            text = message.get("content") or message.get("refusal") or ""
            thinking = (
                message.get("reasoning_content") or message.get("reasoning") or ""
            )
            read, written = (
                _tokens(usage.get("prompt_tokens")),
                _tokens(usage.get("completion_tokens")),
            )
            cached = _tokens(
                (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
            )
            thought = _tokens(
                (usage.get("completion_tokens_details") or {}).get("reasoning_tokens")
            )
            text = text.encode(
                "utf-8", "replace"
            ).decode()  # half characters cannot be kept, nor sent back
            thinking = (
                thinking.encode("utf-8", "replace").decode()
                if isinstance(thinking, str)
                else ""
            )
        except (AttributeError, KeyError, IndexError, TypeError):
            return self._failed("no completion", json.dumps(answer))
        if found := THOUGHT.match(text):
            text, thinking = text[found.end() :], thinking or found[1].strip()
        elif re.match(
            r"\s*<think(ing)?>", text
        ):  # it was cut off before it came to the end of its thinking
            text, thinking = "", thinking or text
        self._thinks = self._thinks or bool(thinking or thought)
        return Completion(
            text,
            read,
            written,
            choice.get("finish_reason") or "stop",
            latency,
            cached,
            thinking,
        )

    @property
    def _secrets(self) -> tuple[str, ...]:
        return self._key.get_secret_value(), *self._address.secrets

    def _open(self) -> AsyncGenerator[AsyncOpenAI]:
        import openai

        # A proxy from the environment must not stand between this process and its own machine.
        clean = _header_cleaner(self._secrets)
        http = openai.DefaultAioHttpClient(
            trust_env=not self._address.local, event_hooks={"response": [clean]}
        )
        asked = (
            {"Authorization": self._address.authorization}
            if self._address.authorization
            else None
        )
        # No retries: an attempt is counted, paid and paced where it is made, in `support.models.attempts`.
        how: Any = {
            "default_headers": asked,
            "timeout": self._timeout,
            "max_retries": 0,
            "http_client": http,
        }
        client = openai.AsyncOpenAI(
            api_key=self._key.get_secret_value(), base_url=self._address.url, **how
        )
        session = _serving(client)
        weakref.finalize(session, _close_at_exit, client, asyncio.get_running_loop())
        return session


def _tokens(said: Any) -> int:
    """A count from outside, which nobody has checked; 0 where it is none."""
    known = (
        isinstance(said, (int, float))
        and not isinstance(said, bool)
        and 0 < said < math.inf
    )
    return int(said) if known else 0


def _header_cleaner(secrets: tuple[str, ...]) -> Callable[[Any], Awaitable[None]]:
    """Hides the key in the one header that the openai package logs as it comes, at the level DEBUG.

    It knows the secrets alone: through an endpoint it would keep its own client alive.
    """

    async def clean(response: Any) -> None:
        if "x-request-id" in response.headers:
            response.headers["x-request-id"] = plain(
                response.headers["x-request-id"], secrets
            )

    return clean


async def _serving(client: AsyncOpenAI) -> AsyncGenerator[AsyncOpenAI]:
    """The client, at every turn; closed when the loop shuts down its generators, as `asyncio.run` does at its end."""
    try:
        while True:
            yield client
    finally:
        await client.close()


def _close_at_exit(client: AsyncOpenAI, loop: asyncio.AbstractEventLoop) -> None:
    """For loops that are left standing at the end of the process, as a notebook's kernel leaves its own."""
    if not loop.is_closed() and not loop.is_running():
        with contextlib.suppress(
            RuntimeError
        ):  # the kernel stopped its loop for good: the process's end closes all
            loop.run_until_complete(client.close())


class _Refusal:
    """What there is to know of the openai package's exception, and not the exception, whose request has the key."""

    def __init__(self, error: Any) -> None:
        import aiohttp
        import openai

        response, body = getattr(error, "response", None), getattr(error, "body", None)
        body = body if isinstance(body, dict) else {}
        self.status, self.param = (
            getattr(error, "status_code", None),
            getattr(error, "param", None),
        )
        code = (
            error.code if isinstance(error, openai.APIError) else None
        )  # aiohttp's own have a number there
        message = body.get("message")
        parts = (
            message if isinstance(message, str) else str(error),
            code,
            getattr(error, "type", None),
        )
        self.said = " ".join(part for part in parts if isinstance(part, str) and part)
        self.retry_after = None if response is None else retry_after(response.headers)
        counted = {"n_prompt_tokens", "n_ctx"} <= set(body)
        self.sizes = (
            f": {body['n_prompt_tokens']} tokens, and it reads {body['n_ctx']}"
            if counted
            else ""
        )
        causes = [error]
        while causes[-1].__cause__ is not None:
            causes.append(causes[-1].__cause__)
        self.cause = str(causes[-1])

        def caused(
            *kinds: type,
        ) -> bool:  # the aiohttp transport calls all a time-out; the causes know better
            return any(isinstance(cause, kinds) for cause in causes)

        lost = (
            aiohttp.ClientOSError,
            aiohttp.ServerDisconnectedError,
            aiohttp.ClientPayloadError,
        )
        if self.status in (401, 403):
            self.case = "key"
        elif self.status == 404 or (self.status == 400 and NO_MODEL.search(self.said)):
            self.case = "name"  # or the path at which it was asked
        elif self.status == 402 or code == "insufficient_quota":
            self.case = "quota"
        elif self.status in (400, 413, 422) and OVERFLOW.search(self.said):
            self.case = "context"
        elif self.status is not None:
            self.case = "pace" if self.status == 429 else "status"
        # The openai package lets some of aiohttp's own errors through.
        elif not isinstance(
            error, (openai.APIConnectionError, aiohttp.ClientError, OSError)
        ):
            self.case = "no completion"
        elif caused(aiohttp.ClientConnectorError, aiohttp.InvalidURL):
            self.case = "no connection"
        else:  # a broken connection also where nobody knows: what may be charged is not free
            slow = isinstance(error, openai.APITimeoutError) and not caused(*lost)
            self.case = "time-out" if slow else "broken connection"

    def names(self, parameter: str) -> bool:
        """Whether it is about a parameter: by the field that says so, or else by its words."""
        if isinstance(self.param, str) and self.param:
            return self.param.startswith(parameter)
        return bool(re.search(rf"\b{parameter}\b", self.said))


def retry_after(headers: Mapping[str, str]) -> float | None:
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
    return (
        None
        if until is None
        else max(0.0, until - (time.time() if said is None else said))
    )


def _moment(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError):
        return None
