"""Any OpenAI-compatible endpoint, through the openai package's aiohttp transport.

What it takes is learnt by its refusals, each once for a model; nothing is tried twice,
so that refusals never loop. How providers differ stands in `support.models.dialect`.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from pydantic import HttpUrl, SecretStr, ValidationError

from support import errors
from support.errors import InvalidInput, ModelError
from support.models.attempts import PerLoop, Wider
from support.models.dialect import (
    EFFORT,
    FORMS,
    LAST,
    STREAMS,
    Dialect,
    Refusal,
    could_be,
    joined,
    kind_of,
    own,
    read,
    refusal,
)
from support.models.profiles import Profile, is_local
from support.models.request import Completion, Request, Transport

if TYPE_CHECKING:
    from openai import AsyncOpenAI

# The package's own way to an endpoint beside its typed methods: these would build and
# check objects that nobody keeps, half of a call's time.
CHAT = "/chat/completions"
OPTIONS: Any = {"security": {"bearer_auth": True}}
NO_KEY = "no-key-needed"  # the openai package insists on one
UNHEEDED = 2  # first replies without the form, after which it counts as ignored
CONNECTING = 5.0  # seconds; who does not even take a connection will not answer
UNKEPT = "It takes a schema and does not keep to it: the schema stands in the prompt."
RUNS_ON = 4  # times its room, at most, for a reply that is cut off and does not think
SHORTEST = 8  # characters of a key
# No client is garbage before what closes it has run.
_clients = WeakKeyDictionary[Any, Any]()
KEY_LIKE = re.compile(r"\bsk-[\w*-]{6,}")  # endpoints quote keys, in full or in part


def address(base_url: str) -> str:
    """An endpoint's address, written in one way.

    InvalidInput when it is none, or has a user or a query, where keys are put at times.
    """
    try:
        url = HttpUrl(base_url.strip())
    except ValidationError:
        url = None
    if not url or url.username or url.query or url.fragment:
        raise InvalidInput(  # it may hold a key: it is not quoted
            "base_url: expected an address such as https://api.example.org/v1 or "
            "http://127.0.0.1:8000/v1, without a user, a '?' or a '#'; give a key "
            "instead, as api_key= or OPENAI_API_KEY."
        )
    return str(url).rstrip("/")


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

    def __init__(self, profile: Profile, url: str, key: str, name: str = "") -> None:
        if not key.isascii() or not key.isprintable():
            raise InvalidInput(
                "the key holds characters that no key has; copy it anew "
                "(it is not shown)."
            )
        self.model = profile.model
        self.endpoint = name or url
        self._profile = profile
        self._url = url
        self._key = SecretStr(key)
        self._dialect = Dialect(
            form=FORMS.index(profile.form),
            thinks=bool(profile.thinking),
            extra=profile.thinking,
        )
        self._heeds, self._unheeded = False, 0  # its schemas
        self._sessions = PerLoop(self._open)

    @property
    def learnt(self) -> tuple[str, ...]:
        """What it refused and how that is met, in sentences."""
        return self._dialect.learnt

    def _most(self, request: Request) -> int:
        """How much room a reply may have at most."""
        longest = max(self._profile.longest, request.max_tokens)
        if self._dialect.thinks:
            return longest
        return min(longest, RUNS_ON * request.max_tokens)

    def room(self, request: Request) -> int:
        """The reply's own room and that for thinking, as far as it is known."""
        return min(request.max_tokens + self._dialect.extra, self._most(request))

    def widen(self, request: Request, completion: Completion, room: int) -> str:
        """Twice the room where a reply was cut off or empty by thinking; it is kept."""
        silent = not completion.text.strip()
        cut = completion.finish_reason == "length"
        if not cut or (request.schema is None and not silent):
            return ""
        if silent:
            self._dialect = replace(self._dialect, thinks=True)
        wider = min(2 * room, self._most(request))
        if wider <= room:
            return ""
        extra = max(self._dialect.extra, wider - request.max_tokens)
        self._dialect = replace(self._dialect, extra=extra)
        where = ", before the first word" if silent else ""
        return f"cut off at {room} tokens{where}; asked again with {wider}"

    async def complete(self, request: Request) -> Completion:
        """One reply to one attempt; `Wider` where it is to be put in another way."""
        form = self._dialect.form
        wire = self._dialect.wire(request)
        answer = await self._posted(wire)
        if isinstance(answer, Completion):
            if self._ignored(request, answer, form):
                again = Wider()
                again.had = answer
                raise again
            return answer
        if answer.teaches:
            if self._dialect.wire(request) != wire:  # another call learnt meanwhile
                raise Wider
            if lesson := self._dialect.taught(answer, request, wire):
                self._dialect = lesson
                raise Wider
        # Raised here, and not where the package's own was caught: that has the key.
        raise self._error(answer, request)

    async def _posted(self, wire: dict[str, Any]) -> Completion | Refusal:
        """The completion that a body brings, or the refusal in its place."""
        import aiohttp
        import openai

        client = await anext(self._sessions.get())
        start = time.perf_counter()
        try:
            body = await client.post(CHAT, cast_to=bytes, body=wire, options=OPTIONS)
            streams = re.match(rb"\s*(data|event|id|retry)?:", body)
            answer = joined(body.decode()) if streams else json.loads(body)
        # ValueError: no JSON; aiohttp's: no HTTP, and its repr has the key.
        except (openai.OpenAIError, aiohttp.ClientError, OSError, ValueError) as error:
            return _refused(error)
        if streams and not self._dialect.streams:
            self._dialect = self._dialect.told(STREAMS, streams=True)
        return read(answer, time.perf_counter() - start)

    def _ignored(self, request: Request, answer: Completion, form: int) -> bool:
        """Whether a reply shows that its schema is ignored; the form is given up."""
        if answer.thinking or answer.thinking_tokens:
            self._dialect = replace(self._dialect, thinks=True)
        begun = answer.text.lstrip()[:1] in ("{", "")
        cut = answer.finish_reason == "length" and begun
        if not request.schema or form == LAST or cut or self._heeds:
            return False
        self._heeds = could_be(answer.text, request.schema)
        self._unheeded += not self._heeds
        if self._unheeded >= UNHEEDED and self._dialect.form != LAST:
            self._dialect = self._dialect.told(UNKEPT, form=LAST)
        return self._dialect.form == LAST

    def _error(self, answer: Refusal, request: Request) -> ModelError:
        """A refusal as an error, with what retries and money need to know."""
        kind = kind_of(answer)
        asked = own(request)
        unmet = ", ".join(name for name in sorted(asked) if answer.names(name))
        if asked and answer.says("reasoning"):
            unmet = unmet or EFFORT
        if unmet and answer.teaches and kind["name"] in ("status", "ill"):
            kind = kind_of(Refusal("own", ""))
        advice = kind["advice"].format(
            place=f"the endpoint {self.endpoint}",
            model=self.model,
            name=self._profile.name,
            mend=self._profile.mend_key(self._url),
            status=answer.status,
            unmet=unmet,
            said=plain(answer.words, self._key.get_secret_value())[:300],
        )
        error: ModelError = getattr(errors, kind["error"])(advice)
        error.fault = kind["fault"] or answer.status
        error.transient = kind["passing"]
        error.charged = kind["charged"]
        error.waits = kind["waits"]
        error.had = answer.had
        error.retry_after = answer.retry_after
        return error

    def _open(self) -> AsyncGenerator[AsyncOpenAI]:
        import openai

        # A proxy from the environment must not stand between this process and itself.
        http = openai.DefaultAioHttpClient(trust_env=not is_local(self._url))
        # Its log would quote what an endpoint echoes, a key among it.
        logging.getLogger("openai").setLevel("INFO")
        # An attempt is timed, counted, paid and paced where it is made, in
        # `support.models.attempts`.
        client = openai.AsyncOpenAI(
            api_key=self._key.get_secret_value(),
            base_url=self._url,
            timeout=openai.Timeout(None, connect=CONNECTING),
            max_retries=0,
            http_client=http,
        )
        session = _serving(client)
        _clients[session] = client
        return session


async def _serving(client: AsyncOpenAI) -> AsyncGenerator[AsyncOpenAI]:
    """The client, at every turn; closed when the loop shuts down its generators."""
    try:
        while True:
            yield client
    finally:
        await client.close()


def _refused(error: Any) -> Refusal:
    """What there is to know of an exception, and not it: its request has the key."""
    import aiohttp
    import openai

    if isinstance(error, openai.APIStatusError):
        after = error.response.headers.get("retry-after", "")
        wait = float(after) if re.fullmatch(r"\d+(\.\d+)?", after) else None
        return refusal(str(error.status_code), error.body or str(error), wait)
    if not isinstance(error, openai.APIConnectionError | aiohttp.ClientError | OSError):
        return Refusal("no completion", str(error))
    never = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
    # Also where nobody knows, it broke: what may be charged is not free.
    status = "broken connection"
    while True:
        if isinstance(error, never):
            status = "no connection"
        if error.__cause__ is None:
            return Refusal(status, str(error))
        error = error.__cause__
