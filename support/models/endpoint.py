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
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
)
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
    could_be,
    joined,
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
NO_KEY = "no-key-needed"  # the openai package insists on one
UNHEEDED = 2  # replies in a row without the form, after which it counts as ignored
CONNECTING = 5.0  # seconds; who does not even take a connection will not answer
# Tokens of room for a model that refuses what only those that think refuse.
THINKS = 4096
PERHAPS = "the address is probably right"
UNKEPT = "It takes a schema and does not keep to it: the schema stands in the prompt."
THOUGH = (
    "It thinks though it is asked not to; `reasoning` in models.toml may know another "
    "way."
)
RUNS_ON = 4  # times its room, at most, for a reply that is cut off and does not think
SHORTEST = 8  # characters of a key
KEY_LIKE = re.compile(r"\bsk-[\w*-]{6,}")  # endpoints quote keys, in full or in part


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint's address without its user and password."""

    url: str
    local: bool
    # The header for user and password, and what to hide of them.
    authorization: str | None = field(default=None, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


def address(base_url: str) -> Address:
    """Take an endpoint's address apart.

    InvalidInput when it is none, or has a query, where keys are put at times.
    """
    wanted = (
        "expected an address such as https://api.example.org/v1 or "
        "http://127.0.0.1:8000/v1"
    )
    parts, host, port = urlsplit(""), None, None
    with contextlib.suppress(ValueError, AttributeError):
        parts = urlsplit(base_url.strip())
        host, port = parts.hostname, parts.port
    if parts.scheme not in ("http", "https") or not host:
        # It may hold a password: it is not quoted.
        raise InvalidInput(f"base_url is no address of the web: {wanted}.")
    if parts.query or parts.fragment:
        raise InvalidInput(
            f"base_url holds a '?' or a '#': {wanted}, and give a key as api_key= or "
            "OPENAI_API_KEY."
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
    hidden = (token, password or user, parts.password or "")
    return Address(url, local, f"Basic {token}", hidden)


def plain(text: str, secrets: Iterable[str]) -> str:
    """A text from outside without secrets, and without anything that looks like a key.

    What is shorter than a key is no secret: it would stand within every word.

    >>> plain("Incorrect API key provided: sk-abcdef123.", ["e"])
    'Incorrect API key provided: [key].'
    """
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SHORTEST:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "[key]", text)
    return KEY_LIKE.sub("[key]", text)


class Endpoint(Transport):
    """A model behind an address; nothing is opened or loaded before the first call.

    The key is in no message, repr and record; `name` stands for the endpoint where its
    address says nothing.
    """

    learns = True

    def __init__(
        self, profile: Profile, address: Address, key: str, name: str = ""
    ) -> None:
        if not key.isascii() or not key.isprintable():
            raise InvalidInput(
                "the key holds characters that no key has; copy it anew "
                "(it is not shown)."
            )
        self.model, self.endpoint = profile.model, name or address.url
        self._profile, self._address, self._key = profile, address, SecretStr(key)
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
            form = self._dialect.form
            wire = self._dialect.wire(request, self._profile)
            answer = await self._post(client, wire)
            if isinstance(answer, Completion):
                if self._ignored(request, answer, form):
                    raise Wider(answer)
                return answer
            if not self._learnt(answer, request, wire):
                # Raised here, and not where the package's own was caught: that has the key.
                raise await self._error(answer, request, client)
            if (self._extra, self._dialect.most) != before:
                raise Wider  # what the next attempt may cost has changed

    async def _post(self, client: AsyncOpenAI, wire: Any) -> Completion | Refusal:
        import aiohttp
        import openai

        start = time.perf_counter()
        try:
            body = await client.post(CHAT, cast_to=bytes, body=wire, options=OPTIONS)
            streamed = re.match(rb"\s*(data|event|id|retry)?:", body) is not None
            answer = joined(body.decode()) if streamed else json.loads(body)
        # ValueError: no JSON; aiohttp's: no HTTP, and its repr has the key.
        except (openai.OpenAIError, aiohttp.ClientError, OSError, ValueError) as error:
            return _refused(error)
        if streamed and not self._dialect.streams:
            self._learn(*self._dialect.streaming())
        return read(answer, time.perf_counter() - start)

    def _learnt(self, answer: Refusal, request: Request, wire: dict[str, Any]) -> bool:
        """Whether a refusal taught how to ask, this call or another one meanwhile."""
        if not answer.teaches:
            return False
        if self._dialect.wire(request, self._profile) != wire:
            return True
        before = self._dialect
        lesson = before.taught(answer, wire, _asked(request))
        if lesson is None:
            return False
        self._learn(*lesson)
        left_out = self._dialect.left_out - before.left_out
        if self._dialect.limit != before.limit or "temperature" in left_out:
            # Only models that think refuse these: room is made for that.
            self._thinks, self._extra = True, max(self._extra, THINKS)
        return True

    def _learn(self, dialect: Dialect, told: str) -> None:
        self._dialect = dialect
        if told not in self.learnt:
            self.learnt = (*self.learnt, told)

    def _ignored(self, request: Request, answer: Completion, form: int) -> bool:
        """Whether a reply shows that its schema is ignored; the form is given up."""
        if answer.thinking or answer.thinking_tokens:
            self._thinks = True
            if f'"{EFFORT}": "none"' in request.options:
                self._learn(self._dialect, THOUGH)
        begun = answer.text.lstrip()[:1] if answer.finish_reason == "length" else "-"
        last = len(FORMS) - 1
        if not request.schema or form == last or begun in ("{", ""):
            return False
        if could_be(answer.text, request.schema):
            self._unheeded = 0
            return False
        self._unheeded += 1
        if self._unheeded >= UNHEEDED and self._dialect.form != last:
            self._learn(replace(self._dialect, form=last), UNKEPT)
        return self._dialect.form == last

    async def _error(
        self, answer: Refusal, request: Request, client: AsyncOpenAI
    ) -> ModelError:
        """A refusal as an error, with what retries and money need to know."""
        kind, near = kind_of(answer), ""
        asked = _asked(request)
        unmet = next((name for name in sorted(asked) if answer.names(name)), "")
        if asked and answer.says("reasoning|thinking"):
            unmet = unmet or EFFORT
        if unmet and answer.teaches and kind.name in ("status", "ill"):
            kind = BY_NAME["own"]
        if kind.name == "name":
            known = await self._known(client)
            if any(name == self.model for name in known):
                kind = BY_NAME["other"]
            alike = get_close_matches(self.model, known, n=8, cutoff=0.3)
            near = ", ".join(alike or sorted(known)[:8])
        theirs = {
            "said": answer.words,
            "sizes": answer.sizes,
            "cause": answer.detail,
            "unmet": unmet,
            "near": near and f" It knows, among others: {near}.",
        }
        hidden = {name: plain(theirs[name], self._secrets)[:300] for name in theirs}
        version = self.endpoint.endswith("/v1")
        error = kind.error(
            kind.advice.format(
                place=f"the endpoint {self.endpoint}",
                model=self.model,
                name=self._profile.name,
                key=self._profile.key,
                mend=self._mend(),
                status=answer.status,
                ending=PERHAPS if version else "an address usually ends in /v1",
                **hidden,
            )
        )
        by_name = answer.status is None or kind.name == "loading"
        error.fault = kind.name if by_name else str(answer.status)
        error.transient, error.charged = kind.passing, kind.charged
        error.waits, error.had = kind.waits, answer.had
        error.retry_after = answer.retry_after
        return error

    def _mend(self) -> str:
        """What to do where a key was refused, or there was none."""
        sent = self._key.get_secret_value() != NO_KEY
        said = self._profile.mend_key(self._address.url)
        return said if sent else f"No key was sent. {said}"

    async def _known(self, client: AsyncOpenAI) -> list[str]:
        """Names that its endpoint serves: a help, whose own failure says nothing new."""
        import aiohttp
        import openai

        broken = (openai.OpenAIError, aiohttp.ClientError, OSError, ValueError)
        odd = (AttributeError, TypeError)
        with contextlib.suppress(*broken, *odd):
            page = await client.with_options(timeout=5.0).models.list()
            return [str(model.id) for model in page.data]
        return []

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

        # A proxy from the environment must not stand between this process and itself.
        clean = _header_cleaner(self._secrets)
        http = openai.DefaultAioHttpClient(
            trust_env=not self._address.local, event_hooks={"response": [clean]}
        )
        basic = self._address.authorization
        # An attempt is timed, counted, paid and paced where it is made, in
        # `support.models.attempts`.
        client = openai.AsyncOpenAI(
            api_key=self._key.get_secret_value(),
            base_url=self._address.url,
            default_headers={"Authorization": basic} if basic else None,
            timeout=openai.Timeout(None, connect=CONNECTING),
            max_retries=0,
            http_client=http,
        )
        session = _serving(client)
        weakref.finalize(session, _close_at_exit, client, asyncio.get_running_loop())
        return session


def _asked(request: Request) -> set[str]:
    """The names of all that was asked beside the question, by the user or the study."""

    def named(table: Any) -> Iterator[str]:
        for name, value in table.items() if isinstance(table, dict) else ():
            yield name
            yield from named(value)

    return set(named(json.loads(request.options or "{}"))) - {"extra_body", "type"}


def _header_cleaner(secrets: tuple[str, ...]) -> Callable[[Any], Awaitable[None]]:
    """Hides the key in the one header that the openai package logs, at level DEBUG.

    It knows the secrets alone: through an endpoint it would keep its own client alive.
    """

    async def clean(response: Any) -> None:
        said = response.headers.get("x-request-id")
        if said:
            response.headers["x-request-id"] = plain(said, secrets)

    return clean


async def _serving(client: AsyncOpenAI) -> AsyncGenerator[AsyncOpenAI]:
    """The client, at every turn; closed when the loop shuts down its generators."""
    try:
        while True:
            yield client
    finally:
        await client.close()


def _close_at_exit(client: AsyncOpenAI, loop: asyncio.AbstractEventLoop) -> None:
    """For loops that are left standing at the end of the process, as a kernel's is."""
    if not loop.is_closed() and not loop.is_running():
        # A kernel may have stopped its loop for good: the process's end closes all.
        with contextlib.suppress(RuntimeError):
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
            body = response.text or str(error)
        after = retry_after(response.headers)
        return refusal(error.status_code, body, retry_after=after)
    if not isinstance(error, openai.APIConnectionError | aiohttp.ClientError | OSError):
        return Refusal(None, str(error), cause="no completion")
    causes: list[BaseException] = [error]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)
    never = (
        aiohttp.ClientConnectorError,
        aiohttp.InvalidURL,
        aiohttp.ConnectionTimeoutError,
    )
    # Also where nobody knows, it broke: what may be charged is not free.
    unmet = any(isinstance(cause, never) for cause in causes)
    case = "no connection" if unmet else "broken connection"
    return Refusal(None, "", cause=case, detail=str(causes[-1]))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that an endpoint asks to wait; None when it does not say.

    A date counts from the answer's own Date, where it has one: the clocks of two
    machines need not agree.

    >>> retry_after({"retry-after": "1.5"})
    1.5
    >>> now, then = "Sun, 22 Nov 2026 10:00:00 GMT", "Sun, 22 Nov 2026 10:00:30 GMT"
    >>> retry_after({"retry-after": then, "date": now})
    30.0
    """
    given = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", given):
        return float(given)
    until = _moment(given)
    said = _moment(headers.get("date", "")) or time.time()
    return None if until is None else max(0.0, until - said)


def _moment(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError):
        return None
