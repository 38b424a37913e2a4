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
from support.models.endpoint import DEFAULT, NO_KEY, Address, Endpoint, address
from support.models.local import Embedded
from support.models.model import REPAIRS, ChatModel
from support.models.profiles import EMBEDDED, MODEL, Profile, is_model
from support.models.profiles import profile as profile_of
from support.models.replies import Cache
from support.models.request import Transport, whole

TIMEOUT, DEADLINE = 120.0, 600.0
ATTEMPTS = 5  # of the longest kind, for which a deadline leaves time
ESTIMATE = "CONVENE_ESTIMATE"  # the variable that is set while a run is estimated
# For each model that says nothing of its own: requests a minute, and a longer patience.
_pace: int | None = None
_timeout: float | None = None
_connected: dict[tuple[str, Path | None], ChatModel] = {}
_serving: ContextVar[tuple[Callable[[str], ChatModel], bool] | None] = ContextVar(
    "who connects models", default=None
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
    known = profile_of(model)
    if offline and cache is None:
        raise InvalidInput(
            "offline=True replays kept replies only: give the file that holds them, "
            "cache=..."
        )
    where = address(base_url or known.address or _usual())
    if os.environ.get(ESTIMATE) and not offline:
        return _estimated(known, where)
    patience = _patience(known, timeout, deadline, max_retries, failures_in_a_row)
    at_once = known.concurrency if concurrency is None else concurrency
    at_once = whole("concurrency", at_once, 1)
    if known is EMBEDDED:
        transport: Transport = Embedded()
        at_once = 1  # its server would queue the rest on the clock of their time-outs
    else:
        key = api_key or os.environ.get(known.key, "")
        free = where.local or offline or (bool(_away(known)) and not base_url)
        if not key and not free:
            raise ModelUnavailable(
                f"{known.name!r} at {where.url} needs a key, and there is none. Set the "
                f"environment variable {known.key}, or pass api_key=; "
                'model="embedded" needs none.'
            )
        transport = Endpoint(known, where, key.strip() or NO_KEY)
    return ChatModel(
        transport,
        profile=known,
        cache=Cache(cache) if isinstance(cache, str | Path) else cache,
        offline=offline,
        concurrency=at_once,
        repairs=whole("repairs", repairs),
        patience=patience,
        pace=Pace(known.requests_per_minute or _pace, known.tokens_per_minute),
    )


def _patience(
    known: Profile,
    timeout: float | None,
    deadline: float | None,
    retries: int,
    failures: int,
) -> Patience:
    """How long a call is tried: as given, as the run says, as the profile says."""
    own = getattr(known, "timeout", None) or TIMEOUT
    each = seconds("timeout", own if timeout is None else timeout)
    if timeout is None and _timeout:
        each = _timeout
    total: float | None = None
    if deadline is not None:
        total = seconds("deadline", deadline)
    elif known is not EMBEDDED:
        own = getattr(known, "deadline", None) or DEADLINE
        total = max(own, ATTEMPTS * each)
    return Patience(
        whole("max_retries", retries),
        total,
        whole("failures_in_a_row", failures, 1),
        each,
    )


def seconds(name: str, given: Any) -> float:
    """A time in seconds; InvalidInput for anything else."""
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if not number or not 0 < given < float("inf"):
        raise InvalidInput(f"{name}={given!r}: expected seconds, more than 0.")
    return float(given)


def _usual() -> str:
    return os.environ.get("OPENAI_BASE_URL") or DEFAULT


def _away(known: Profile) -> str:
    """The address behind the "@" of a name."""
    return known.name.partition("@")[2]


def _estimated(known: Profile, where: Address) -> ChatModel:
    """A stand-in with the profile and the price of a model."""
    from support.models.stand_ins import stand_in

    made = stand_in(name=known.name, profile=known)
    made.profile, made.price = known, known.price_at(where.url)
    return made


def paced(requests_per_minute: int | None) -> None:
    """How many requests a minute each model gets at most whose profile sets no limit.

    Those connected are let go.
    """
    global _pace
    if requests_per_minute != _pace:
        _pace = requests_per_minute
        _connected.clear()


def patient(timeout: float | None) -> None:
    """How many seconds an attempt may take, whatever profiles say; None: what they say.

    A call has time for five such attempts. Models that are connected are let go.
    """
    global _timeout
    wanted = None if timeout is None else seconds("timeout", timeout)
    if wanted != _timeout:
        _timeout = wanted
        _connected.clear()


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
    name, serves = name.removeprefix(f"{MODEL}:"), _serving.get()
    return serves[0](name) if serves else _once(name, None)


@contextmanager
def serving(
    cache: str | Path | None = None, make: Callable[[str], ChatModel] | None = None
) -> Iterator[None]:
    """While it lasts, `named` connects with the replies of a file at hand.

    Or it has its models made by a function.
    """
    kept, outer = None if cache is None else Path(cache).resolve(), _serving.get()
    # Within a `make`, a file of replies changes nothing: whoever estimates or tests a
    # run asks nobody.
    given = outer if outer and outer[1] else (lambda name: _once(name, kept), False)
    token = _serving.set((make, True) if make else given)
    try:
        yield
    finally:
        _serving.reset(token)


def _once(name: str, cache: Path | None) -> ChatModel:
    """A model that is connected already, for all loops; anew where it has changed."""
    held, wanted = _connected.get((name, cache)), profile_of(name)
    homes = (address(wanted.address or _usual()).url, "embedded")
    same = held and held.profile == wanted and held.endpoint in homes
    lost = held and held.cache is not None and held.cache.lost
    if held is None or not same or lost or os.environ.get(ESTIMATE):
        held = _connected[name, cache] = connect(name, cache=cache)
    return held
