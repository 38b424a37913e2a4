"""Language models behind one door: `connect(name)`, `await model.reply(messages, …)`.

A participant's name, "model:gpt-4o-mini", is all that a study needs to seat one: `named`
connects it for the run at work. Replies are kept by content in the study's file, so that
a run is repeated without being paid twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from support.errors import InvalidInput, ModelUnavailable
from support.models.attempts import Pace, Patience
from support.models.calls import ESTIMATE
from support.models.endpoint import NO_KEY, Endpoint, address
from support.models.local import Embedded
from support.models.model import REPAIRS, ChatModel
from support.models.profiles import EMBEDDED, MODEL, Profile, is_model, profile
from support.models.replies import Cache
from support.models.request import Transport, whole
from support.models.stand_ins import stand_in

DEADLINE = 600.0  # seconds, at least, of a call whose profile says nothing
ATTEMPTS = 5  # of the longest kind, for which a deadline leaves time
Maker = Callable[[str], ChatModel]
# What the run at work says: requests a minute for a model that says nothing of its own,
# and seconds for an attempt.
_pace: int | None = None
_timeout: float | None = None
_connected: dict[tuple[Any, ...], ChatModel] = {}
_serving: ContextVar[tuple[Maker | None, Path | None]] = ContextVar(
    "who makes models, and the file of their replies", default=(None, None)
)


def connect(
    model: str = "embedded",
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    cache: Cache | str | Path | None = None,
    offline: bool = False,
    concurrency: int | None = None,
    timeout: float | None = None,
    max_retries: int = 6,
    deadline: float | None = None,
    repairs: int = REPAIRS,
    failures_in_a_row: int = 10,
) -> ChatModel:
    """Connect to a language model, as its profile says where nothing else is given.

    Nothing is sent before a reply. `model` is "embedded", a name that the endpoint
    serves or models.toml has, perhaps with "@ADDRESS". Replies are kept in the file
    `cache`, and `offline` replays those alone. `timeout` is in seconds for an attempt,
    `deadline` for all attempts of a call and the waits between them (the profile's; for
    the embedded model none). InvalidInput when an argument does not fit,
    ModelUnavailable when the endpoint needs a key and there is none.

    >>> connect("embedded")
    ChatModel('SmolLM2-135M-Instruct.Q4_1.gguf sha256:b179c9523d0e' at embedded)
    """
    known = profile(model, base_url)
    if offline and cache is None:
        raise InvalidInput(
            "offline=True replays kept replies only: give the file that holds them, "
            "cache=..."
        )
    _time("timeout", timeout)
    _time("deadline", deadline)
    if os.environ.get(ESTIMATE) and not offline:
        made = stand_in(name=known.name, profile=known)
        made.profile, made.price = known, known.price_at(known.address)
        return made
    transport: Transport = Embedded()
    if known is not EMBEDDED:
        transport = _endpoint(known, api_key, offline)
    each, total = _seconds(known, timeout, deadline)
    retries = whole("max_retries", max_retries)
    failures = whole("failures_in_a_row", failures_in_a_row, 1)
    at_once = known.concurrency if concurrency is None else concurrency
    return ChatModel(
        transport,
        profile=known,
        cache=Cache(cache) if isinstance(cache, str | Path) else cache,
        offline=offline,
        concurrency=whole("concurrency", at_once, 1),
        repairs=whole("repairs", repairs),
        patience=Patience(retries, total, failures, each),
        pace=Pace(known.requests_per_minute or _pace, known.tokens_per_minute),
    )


def _endpoint(known: Profile, api_key: str | None, offline: bool) -> Endpoint:
    """The endpoint of a profile; ModelUnavailable where its key is missing."""
    where = address(known.address)
    key = api_key or os.environ.get(known.key, "")
    free = where.local or offline
    if known.key and not key and not free:
        raise ModelUnavailable(
            f"{known.name!r} at {where.url} needs a key, and there is none. "
            f'{known.mend_key(where.url)}; model="embedded" needs none.'
        )
    return Endpoint(known, where, key.strip() or NO_KEY)


def _seconds(
    known: Profile, timeout: float | None, deadline: float | None
) -> tuple[float, float]:
    """For an attempt and for a call: as given, as the run says, as the profile says."""
    each = timeout or _timeout or known.timeout
    total = deadline or known.deadline or DEADLINE
    if not deadline and (not known.deadline or each > known.deadline):
        total = max(total, ATTEMPTS * each)
    return each, total


def _time(name: str, given: float | None) -> None:
    """InvalidInput for what is no time in seconds; None is one."""
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if given is not None and not (number and 0 < given < float("inf")):
        raise InvalidInput(f"{name}={given!r}: expected seconds, more than 0.")


def paced(requests_per_minute: int | None) -> None:
    """How many requests a minute each model gets at most whose profile sets no limit."""
    global _pace
    _pace = requests_per_minute


def patient(timeout: float | None) -> None:
    """How many seconds an attempt may take, whatever profiles say; None: what they say.

    A call has time for five such attempts.
    """
    global _timeout
    _time("timeout", timeout)
    _timeout = timeout


def named(kind: str, default: ChatModel | str | None = None) -> ChatModel:
    """The model that a participant's name stands for; the `default` for "model" alone.

    It is connected once for each file.
    """
    if not is_model(kind):
        raise InvalidInput(
            f"model: {kind!r} given; expected {MODEL}:NAME, such as {MODEL}:gpt-4o-mini"
        )
    name = kind.removeprefix(MODEL).removeprefix(":").strip() or default
    if name is None:
        raise InvalidInput(
            f'model: none given for "{MODEL}"; name one ("{MODEL}:gpt-4o-mini"), or '
            "pass model="
        )
    if isinstance(name, ChatModel):
        return name
    make, kept = _serving.get()
    name = name.removeprefix(f"{MODEL}:")
    return make(name) if make else _once(name, kept)


@contextmanager
def serving(
    cache: str | Path | None = None, make: Maker | None = None
) -> Iterator[None]:
    """While it lasts, `named` connects with the replies of a file at hand.

    Or it has its models made by a function; within, a file of replies changes nothing:
    whoever estimates or tests a run asks nobody.
    """
    kept = None if cache is None else Path(cache).resolve()
    token = _serving.set((make or _serving.get()[0], kept))
    try:
        yield
    finally:
        _serving.reset(token)


def _once(name: str, cache: Path | None) -> ChatModel:
    """A model that is connected already, for all loops; anew where it has changed."""
    key = name, cache, _pace, _timeout, os.environ.get(ESTIMATE)
    held = _connected.get(key)
    lost = held and held.cache is not None and held.cache.lost
    if held is None or lost or held.profile != profile(name):
        held = _connected[key] = connect(name, cache=cache)
    return held
