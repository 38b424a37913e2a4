"""Any OpenAI-compatible endpoint, through the openai package's aiohttp transport.

What it takes is learnt by its refusals, each once for a model; nothing is tried twice, so
that refusals never loop. The tables are in `support.models.dialect`.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import re
import time
import weakref
from base64 import b64encode
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from support.errors import InvalidInput, ModelError
from support.models.attempts import PerLoop, Wider
from support.models.dialect import (
    BY_NAME,
    EFFORT,
    FORMS,
    Dialect,
    Refusal,
    kind_of,
    read,
    refusal,
)
from support.models.profiles import Profile
from support.models.request import Completion, Request, Transport

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEFAULT = "https://api.openai.com/v1"
# The package's own way to an endpoint beside its typed methods: these would build and
# check objects that nobody keeps, half of a call's time.
CHAT = "/chat/completions"
OPTIONS: Any = {"security": {"bearer_auth": True}}
UNHEEDED = 2  # replies in a row without any JSON, after which a form counts as ignored
THINKS = (
    4096  # tokens of room for a model that refuses what only those that think refuse
)
RUNS_ON = 4  # times its room, at most, for a reply that is cut off and does not think
KEY_LIKE = re.compile(r"\bsk-[\w*-]{6,}")  # endpoints quote keys, in full or in part


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
    """A model behind an address; nothing is opened or loaded before the first call.

    The key is in no message, repr and record; `name` stands for the endpoint where its
    address says nothing.
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
                "the key holds characters that no key has; copy it anew (it is not shown)."
            )
        self.model, self.endpoint = profile.model, name or address.url
        self._profile, self._address, self._key = profile, address, SecretStr(key)
        self._timeout = timeout
        tables = [sent for sent in profile.reasoning.values() if isinstance(sent, dict)]
        own = {name for table in (profile.extra_body, *tables) for name in table}
        if profile.reasoning_effort:
            own.add(EFFORT)
        self._own = frozenset(own)  # what the user asks for is never left out
        self._dialect = Dialect(form=FORMS.index(profile.form))
        self._extra, self._thinks = profile.thinking, bool(profile.thinking)
        self._unheeded = 0
        self._sessions = PerLoop(self._open)

    def room(self, request: Request) -> int:
        """The reply's own room and that for thinking, as far as it is known."""
        asked, extra = request.max_tokens, self._extra
        if not self._thinks:
            extra = min(extra, (RUNS_ON - 1) * asked)
        longest = max(self._profile.longest, asked)
        return int(min(asked + extra, longest, self._dialect.most))

    def widen(self, request: Request, completion: Completion, room: int) -> str:
        """Twice the room where a reply was cut off or empty by thinking; it is kept."""
        silent = not completion.text.strip()
        cut = completion.finish_reason == "length"
        if not cut or (request.schema is None and not silent):
            return ""
        self._thinks = self._thinks or silent
        longest = self._profile.longest
        most = longest if self._thinks else RUNS_ON * request.max_tokens
        wanted = 2 * max(room, request.max_tokens)
        wider = int(min(wanted, most, longest, self._dialect.most))
        if wider <= room:
            return ""
        self._extra = max(self._extra, wider - request.max_tokens)
        where = ", before the first word" if silent else ""
        return f"cut off at {room} tokens{where}; asked again with {wider}"

    async def complete(self, request: Request) -> Completion:
        """One reply to one attempt, asked in the way that the endpoint takes."""
        client = await anext(self._sessions.get())
        while True:
            before = self._extra, self._dialect.most
            if request.max_tokens > self._dialect.most:  # learnt while this call waited
                raise Wider
            wire = self._dialect.wire(request, self._profile)
            answer = await self._post(client, wire)
            if isinstance(answer, Completion):
                self._heed(request, answer)
                return answer
            if not self._learnt(answer, request, wire):
                # Raised here, and not where the package's own was caught: that has the key.
                raise await self._error(answer, wire, client)
            if (self._extra, self._dialect.most) != before:
                raise Wider  # what the next attempt may cost has changed

    async def _post(self, client: AsyncOpenAI, wire: Any) -> Completion | Refusal:
        import aiohttp
        import openai

        start = time.perf_counter()
        try:
            # openai's own time-out begins anew with every byte that trickles in.
            async with asyncio.timeout(self._timeout):
                body = await client.post(
                    CHAT, cast_to=bytes, body=wire, options=OPTIONS
                )
            had = read(json.loads(body), time.perf_counter() - start)
        except TimeoutError:
            return Refusal(None, "", cause="time-out")
        # ValueError: no JSON; aiohttp's: no HTTP, and its repr has the key.
        except (openai.OpenAIError, aiohttp.ClientError, OSError, ValueError) as error:
            return _refused(error)
        if isinstance(had, Refusal):
            return had
        completion, thought = had
        self._thinks = self._thinks or bool(completion.thinking or thought)
        return completion

    def _learnt(
        self, answer: Refusal, request: Request, wire: Mapping[str, Any]
    ) -> bool:
        """Whether a refusal taught how to ask, this call or another one meanwhile."""
        if answer.status not in (400, 422) or kind_of(answer).name != "status":
            return False
        if self._dialect.wire(request, self._profile) != wire:
            return True
        lesson = self._dialect.taught(answer, wire, self._own)
        if lesson is None:
            return False
        before, (self._dialect, told) = self._dialect, lesson
        left_out = self._dialect.left_out - before.left_out
        if self._dialect.limit != before.limit or "temperature" in left_out:
            # Only models that think refuse these: room is made for that.
            self._thinks, self._extra = True, max(self._extra, THINKS)
        self._tell(told)
        return True

    def _tell(self, told: str) -> None:
        if told not in self.learnt:
            self.learnt = (*self.learnt, told)

    def _heed(self, request: Request, answer: Completion) -> None:
        """Notice a model that thinks though asked not to, or that ignores a schema."""
        if answer.thinking and f'"{EFFORT}": "none"' in request.options:
            self._tell(
                "It thinks though it is asked not to; `reasoning` in models.toml may know "
                "another way."
            )
        last = len(FORMS) - 1
        form = self._dialect.form
        if not request.schema or answer.finish_reason == "length" or form == last:
            return
        has_json = "{" in answer.text or "[" in answer.text
        self._unheeded = 0 if has_json else self._unheeded + 1
        if self._unheeded == UNHEEDED:
            self._dialect = replace(self._dialect, form=last)
            self._tell(
                "It takes a schema and does not keep to it: the schema stands in the prompt."
            )

    async def _error(
        self, answer: Refusal, wire: Mapping[str, Any], client: AsyncOpenAI
    ) -> ModelError:
        """A refusal as an error, with what retries and money need to know."""
        kind = BY_NAME.get(answer.cause) or kind_of(answer)
        unmet = next(
            (name for name in wire if name in self._own and answer.names(name)), ""
        )
        if kind.name == "status" and (
            unmet or (EFFORT in wire and answer.names(EFFORT))
        ):
            kind, unmet = BY_NAME["own"], unmet or EFFORT
        near = await self._near(client) if kind.name == "name" else ""
        version = self.endpoint.endswith("/v1")
        theirs = {
            "said": answer.words,
            "sizes": answer.sizes,
            "cause": answer.detail,
            "unmet": unmet,
            "near": near and f" It knows, among others: {near}.",
        }
        hidden = {name: plain(theirs[name], self._secrets)[:300] for name in theirs}
        error = kind.error(
            kind.advice.format(
                place=f"the endpoint {self.endpoint}",
                model=self.model,
                name=self._profile.name,
                key=self._profile.key,
                status=answer.status,
                ending="the address is probably right"
                if version
                else "an address usually ends in /v1",
                **hidden,
            )
        )
        error.fault = kind.name if answer.status is None else str(answer.status)
        error.transient, error.charged = kind.passing, kind.charged
        error.retry_after = answer.retry_after
        return error

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

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        session = self._sessions.pop()
        if session is not None:
            await session.aclose()

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


def _refused(error: Any) -> Refusal:
    """What there is to know of an exception, and not it: its request has the key."""
    import aiohttp
    import openai

    response = getattr(error, "response", None)
    if response is not None:
        try:
            body = json.loads(response.content)
        except ValueError:
            body = getattr(error, "message", str(error))
        after = retry_after(response.headers)
        return refusal(error.status_code, body, retry_after=after)
    causes = [error]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)

    def caused(*kinds: type) -> bool:  # the transport calls all a time-out
        return any(isinstance(cause, kinds) for cause in causes)

    lost = (
        aiohttp.ClientOSError,
        aiohttp.ServerDisconnectedError,
        aiohttp.ClientPayloadError,
    )
    if not isinstance(error, openai.APIConnectionError | aiohttp.ClientError | OSError):
        return Refusal(None, str(error), cause="no completion")
    if caused(aiohttp.ClientConnectorError, aiohttp.InvalidURL):
        case = "no connection"
    elif isinstance(error, openai.APITimeoutError) and not caused(*lost):
        case = "time-out"
    else:  # also where nobody knows: what may be charged is not free
        case = "broken connection"
    return Refusal(None, "", cause=case, detail=str(causes[-1]))


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
