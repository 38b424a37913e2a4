"""Any OpenAI-compatible endpoint, through the openai package's aiohttp transport.

What it takes is learnt by its refusals, each once for a model; nothing is tried twice,
so that refusals never loop. How providers differ stands in `support.models.dialect`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
import weakref
from collections.abc import AsyncGenerator, Awaitable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from support import errors
from support.errors import InvalidInput, ModelError
from support.models.attempts import PerLoop, Wider
from support.models.dialect import (
    EFFORT,
    FORMS,
    LAST,
    Dialect,
    Refusal,
    could_be,
    joined,
    kind_of,
    own,
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
CHAT, MODELS = "/chat/completions", "/models"
OPTIONS: Any = {"security": {"bearer_auth": True}}
NO_KEY = "no-key-needed"  # the openai package insists on one
UNHEEDED = 2  # replies in a row without the form, after which it counts as ignored
CONNECTING = 5.0  # seconds; who does not even take a connection will not answer
UNKEPT = "It takes a schema and does not keep to it: the schema stands in the prompt."
THOUGH = (
    "It thinks though it is asked not to; `reasoning` in models.toml may know another "
    "way."
)
NAMED = (
    'VARIABLE, and name it in an entry of your models.toml, [models."*@{url}"] with '
    'key = "VARIABLE" (no key was sent)'
)
RUNS_ON = 4  # times its room, at most, for a reply that is cut off and does not think
SHORTEST = 8  # characters of a key
KEY_LIKE = re.compile(r"\bsk-[\w*-]{6,}")  # endpoints quote keys, in full or in part


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint's address, and whether it is this machine's own."""

    url: str
    local: bool


def address(base_url: str) -> Address:
    """Take an endpoint's address apart.

    InvalidInput when it is none, or has a user or a query, where keys are put at times.
    """
    wanted = (
        "expected an address such as https://api.example.org/v1 or "
        "http://127.0.0.1:8000/v1"
    )
    parts, host = urlsplit(""), None
    with contextlib.suppress(ValueError, AttributeError):
        parts = urlsplit(base_url.strip())
        host = parts.port != 0 and parts.hostname
    if parts.scheme not in ("http", "https") or not host:
        # It may hold a key: it is not quoted.
        raise InvalidInput(f"base_url is no address of the web: {wanted}.")
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise InvalidInput(
            f"base_url holds a user, a '?' or a '#': {wanted}, and give a key instead, "
            "as api_key= or OPENAI_API_KEY."
        )
    local = re.fullmatch(r"(.+\.)?localhost|127\.[\d.]+|::1", host) is not None
    where = parts.netloc.lower().rstrip(":")
    return Address(f"{parts.scheme}://{where}{parts.path.rstrip('/')}", local)


def plain(text: str, key: str) -> str:
    """A text from outside without the key, and without anything that looks like one.

    What is shorter than a key is no secret: it would stand within every word.

    >>> plain("Incorrect API key provided: sk-abcdef123.", "e")
    'Incorrect API key provided: [key].'
    """
    if len(key) >= SHORTEST:
        text = re.sub(rf"(?<!\w){re.escape(key)}(?!\w)", "[key]", text)
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
        sent = {"temperature": profile.temperature, "seed": profile.seed}
        self._dialect = Dialect(
            form=FORMS.index(profile.form),
            left_out=frozenset(name for name in sent if sent[name] is False),
            thinks=bool(profile.thinking),
            extra=profile.thinking,
        )
        self._unheeded = 0
        self._sessions = PerLoop(self._open)

    def _bounded(self, asked: int, wanted: int) -> int:
        """As much room for a reply as is wanted, where there is so much."""
        longest = max(self._profile.longest, asked)
        most = longest if self._dialect.thinks else RUNS_ON * asked
        return int(min(wanted, most, longest, self._dialect.most))

    def room(self, request: Request) -> int:
        """The reply's own room and that for thinking, as far as it is known."""
        asked = request.max_tokens
        return self._bounded(asked, asked + self._dialect.extra)

    def widen(self, request: Request, completion: Completion, room: int) -> str:
        """Twice the room where a reply was cut off or empty by thinking; it is kept."""
        asked, silent = request.max_tokens, not completion.text.strip()
        cut = completion.finish_reason == "length"
        if not cut or (request.schema is None and not silent):
            return ""
        if silent:
            self._dialect = replace(self._dialect, thinks=True)
        wider = self._bounded(asked, 2 * max(room, asked))
        if wider <= room:
            return ""
        extra = max(self._dialect.extra, wider - asked)
        self._dialect = replace(self._dialect, extra=extra)
        where = ", before the first word" if silent else ""
        return f"cut off at {room} tokens{where}; asked again with {wider}"

    async def complete(self, request: Request) -> Completion:
        """One reply to one attempt; `Wider` where it is to be put in another way."""
        if request.max_tokens > self._dialect.most:  # learnt while this call waited
            raise Wider
        client = await anext(self._sessions.get())
        form, wire = self._dialect.form, self._dialect.wire(request)
        sent = client.post(CHAT, cast_to=bytes, body=wire, options=OPTIONS)
        start = time.perf_counter()
        answer = await self._answered(sent)
        if not isinstance(answer, Refusal):
            answer = read(answer, time.perf_counter() - start)
        if isinstance(answer, Completion):
            if self._ignored(request, answer, form):
                raise Wider(answer)
            return answer
        if self._taught(answer, request, wire):
            raise Wider
        # Raised here, and not where the package's own was caught: that has the key.
        raise await self._error(answer, request, client)

    async def _answered(self, sent: Awaitable[bytes]) -> Any:
        """The JSON of an answer, or the refusal that stands in its place."""
        import aiohttp
        import openai

        try:
            body = await sent
            if not re.match(rb"\s*(data|event|id|retry)?:", body):
                return json.loads(body)
            answer = joined(body.decode())
        # ValueError: no JSON; aiohttp's: no HTTP, and its repr has the key.
        except (openai.OpenAIError, aiohttp.ClientError, OSError, ValueError) as error:
            return _refused(error)
        self._learn(self._dialect.streaming())
        return answer

    def _learn(self, dialect: Dialect) -> None:
        self._dialect, self.learnt = dialect, dialect.learnt

    def _taught(self, answer: Refusal, request: Request, wire: dict[str, Any]) -> bool:
        """Whether a refusal taught how to ask, this call or another one meanwhile."""
        if not answer.teaches:
            return False
        if self._dialect.wire(request) != wire:
            return True
        lesson = self._dialect.taught(answer, request, wire)
        if lesson is None:
            return False
        self._learn(lesson)
        return True

    def _ignored(self, request: Request, answer: Completion, form: int) -> bool:
        """Whether a reply shows that its schema is ignored; the form is given up."""
        if answer.thinking or answer.thinking_tokens:
            self._dialect = replace(self._dialect, thinks=True)
            if f'"{EFFORT}": "none"' in request.options:
                self._learn(self._dialect.told(THOUGH))
        begun = answer.text.lstrip()[:1] in ("{", "")
        cut = answer.finish_reason == "length" and begun
        if not request.schema or form == LAST or cut:
            return False
        if could_be(answer.text, request.schema):
            self._unheeded = 0
            return False
        self._unheeded += 1
        if self._unheeded >= UNHEEDED and self._dialect.form != LAST:
            self._learn(self._dialect.told(UNKEPT, form=LAST))
        return self._dialect.form == LAST

    async def _error(
        self, answer: Refusal, request: Request, client: AsyncOpenAI
    ) -> ModelError:
        """A refusal as an error, with what retries and money need to know."""
        kind, near = kind_of(answer), ""
        key = self._key.get_secret_value()
        asked = own(request)
        unmet = next((name for name in sorted(asked) if answer.names(name)), "")
        if asked and answer.says("reasoning"):
            unmet = unmet or EFFORT
        if unmet and answer.teaches and kind.name in ("status", "ill"):
            kind = kind_of(Refusal("own", ""))
        if kind.name == "name":
            known = await self._known(client)
            if self.model in known:
                kind = kind_of(Refusal("other", ""))
            alike = get_close_matches(self.model, known, n=8, cutoff=0.3)
            near = f" It knows, among others: {', '.join(alike)}." if alike else ""
        advice = kind.advice.format(
            place=f"the endpoint {self.endpoint}",
            model=self.model,
            name=self._profile.name,
            key=self._profile.key or NAMED.format(url=self._address.url),
            status=answer.status,
            unmet=unmet,
            said=plain(answer.words, key)[:300],
            near=plain(near, key),
        )
        error: ModelError = getattr(errors, kind.error)(advice)
        error.fault = kind.fault or answer.status
        error.transient, error.charged = kind.passing, kind.charged
        error.waits, error.had = kind.waits, answer.had
        error.retry_after = answer.retry_after
        return error

    async def _known(self, client: AsyncOpenAI) -> list[str]:
        """Names that its endpoint serves: a help, whose failure says nothing new."""
        options = OPTIONS | {"timeout": CONNECTING}
        sent = client.get(MODELS, cast_to=bytes, options=options)
        match await self._answered(sent):
            case {"data": [*models]}:
                return [str(dict(model).get("id")) for model in models]
        return []

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        session = self._sessions.pop()
        if session is not None:
            await session.aclose()

    def _open(self) -> AsyncGenerator[AsyncOpenAI]:
        import openai

        key = self._key.get_secret_value()
        # A proxy from the environment must not stand between this process and itself.
        http = openai.DefaultAioHttpClient(
            trust_env=not self._address.local,
            event_hooks={"response": [partial(_clean, key)]},
        )
        # An attempt is timed, counted, paid and paced where it is made, in
        # `support.models.attempts`.
        client = openai.AsyncOpenAI(
            api_key=key,
            base_url=self._address.url,
            timeout=openai.Timeout(None, connect=CONNECTING),
            max_retries=0,
            http_client=http,
        )
        session = _serving(client)
        weakref.finalize(session, _close_at_exit, client, asyncio.get_running_loop())
        return session


async def _clean(key: str, response: Any) -> None:
    """Hide the key in the one header that the openai package logs, at level DEBUG."""
    said = response.headers.get("x-request-id")
    if said:
        response.headers["x-request-id"] = plain(said, key)


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

    if isinstance(error, openai.APIStatusError):
        after = retry_after(error.response.headers)
        return refusal(str(error.status_code), error.body or str(error), after)
    if not isinstance(error, openai.APIConnectionError | aiohttp.ClientError | OSError):
        return Refusal("no completion", str(error))
    never = (
        aiohttp.ClientConnectorError,
        aiohttp.InvalidURL,
        aiohttp.ConnectionTimeoutError,
    )
    # Also where nobody knows, it broke: what may be charged is not free.
    status = "broken connection"
    while True:
        if isinstance(error, never):
            status = "no connection"
        if error.__cause__ is None:
            return Refusal(status, str(error))
        error = error.__cause__


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that an endpoint asks to wait; None when it does not say.

    A date counts from the answer's own: the clocks of two machines need not agree.

    >>> retry_after({"retry-after": "1.5"})
    1.5
    >>> now, then = "Sun, 22 Nov 2026 10:00:00 GMT", "Sun, 22 Nov 2026 10:00:30 GMT"
    >>> retry_after({"retry-after": then, "date": now})
    30.0
    """
    given = headers.get("retry-after", "")
    if re.fullmatch(r"\d+(\.\d+)?", given):
        return float(given)
    with contextlib.suppress(ValueError, TypeError, KeyError):
        wait = parsedate_to_datetime(given) - parsedate_to_datetime(headers["date"])
        return max(0.0, wait.total_seconds())
    return None
