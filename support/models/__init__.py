"""Language models behind one door: `connect(name)`, `await model.reply(messages, schema=…)`, a validated reply.

A participant's name, "model:gpt-4o-mini", is all that a study needs to seat one: `named` connects it for the run at
work. Replies are kept by content in the study's file, so that a run is repeated without being paid twice.
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
from support.models.endpoint import DEFAULT, Address, Endpoint, address
from support.models.local import Embedded
from support.models.model import REPAIRS, ChatModel
from support.models.profiles import MODEL, Profile, is_model
from support.models.profiles import profile as profile_of
from support.models.replies import Cache
from support.models.request import Transport, whole

DEADLINE = 600.0
_pace: int | None = None  # requests a minute of each model that says nothing of its own
_connected: dict[tuple[str, Path | None], ChatModel] = {}
_serving: ContextVar[tuple[Callable[[str], ChatModel], bool] | None] = ContextVar(
    "who connects models", default=None
)


def connect(
    model: str = "embedded", *, base_url: str | None = None, api_key: str | None = None,
    cache: Cache | str | Path | None = None, offline: bool = False, concurrency: int | None = None,
    timeout: float = 120.0, max_retries: int = 6, deadline: float | None = None, repairs: int = REPAIRS,
    failures_in_a_row: int = 10,
) -> ChatModel:  # fmt: skip
    """Connect to a language model, as its profile says where nothing else is given. Nothing is sent before a reply.

    `model` is "embedded", a name that the endpoint serves or models.toml has, perhaps with "@ADDRESS". Replies are kept
    in the file `cache`, and `offline` replays those alone. `timeout` is in seconds for an attempt, `deadline` for all
    attempts of a call and the waits between them (600 by default; for the embedded model, whose calls queue, none).
    InvalidInput when an argument does not fit, ModelUnavailable when the endpoint needs a key and there is none.

    >>> connect("embedded")
    ChatModel('SmolLM2-135M-Instruct.Q4_1.gguf sha256:b179c9523d0e' at embedded)
    """
    known = profile_of(model)
    at_once = whole(
        "concurrency", known.concurrency if concurrency is None else concurrency, 1
    )
    retries, failures = (
        whole("max_retries", max_retries),
        whole("failures_in_a_row", failures_in_a_row, 1),
    )
    for name, seconds in (
        ("timeout", timeout),
        ("deadline", DEADLINE if deadline is None else deadline),
    ):
        if (
            isinstance(seconds, bool)
            or not isinstance(seconds, (int, float))
            or not 0 < seconds < float("inf")
        ):
            raise InvalidInput(f"{name}={seconds!r}: expected seconds, more than 0.")
    if offline and cache is None:
        raise InvalidInput(
            "offline=True replays kept replies only: give the file that holds them, cache=..."
        )
    transport: Transport = Embedded(timeout=float(timeout))
    if known.name != "embedded":
        where = address(
            base_url or known.address or os.environ.get("OPENAI_BASE_URL") or DEFAULT
        )
        transport = Endpoint(
            known, where, _key(api_key, where, known, offline), timeout=float(timeout)
        )
        deadline = DEADLINE if deadline is None else float(deadline)
    kept = Cache(cache) if isinstance(cache, (str, Path)) else cache
    pace = Pace(known.requests_per_minute or _pace, known.tokens_per_minute)
    how: Any = {
        "offline": offline,
        "concurrency": at_once,
        "repairs": whole("repairs", repairs),
        "pace": pace,
    }
    return ChatModel(
        transport,
        profile=known,
        cache=kept,
        patience=Patience(retries, deadline, failures),
        **how,
    )


def paced(requests_per_minute: int | None) -> None:
    """How many requests a minute each model gets at most whose profile sets no limit; those connected are let go."""
    global _pace
    if requests_per_minute != _pace:
        _pace = requests_per_minute
        _connected.clear()


def named(kind: str, default: ChatModel | str | None = None) -> ChatModel:
    """The model that a participant's name stands for, connected once for each file; the `default` for "model" alone."""
    if not is_model(kind):
        raise InvalidInput(
            f"model: {kind!r} given; expected {MODEL}:NAME, such as {MODEL}:gpt-4o-mini"
        )
    name = kind.removeprefix(MODEL).removeprefix(":").strip() or default
    if name is None:
        raise InvalidInput(
            f'model: none given for "{MODEL}"; name one ("{MODEL}:gpt-4o-mini"), or pass model='
        )
    if isinstance(name, ChatModel):
        return name
    name, serves = name.removeprefix(f"{MODEL}:"), _serving.get()
    return serves[0](name) if serves else _once(name, None)


@contextmanager
def serving(
    cache: str | Path | None = None, make: Callable[[str], ChatModel] | None = None
) -> Iterator[None]:
    """While it lasts, `named` connects with the replies of a file at hand, or has its models made by a function."""
    kept, outer = None if cache is None else Path(cache).resolve(), _serving.get()
    # Within a `make`, a file of replies changes nothing: whoever estimates or tests a run asks nobody.
    given = (
        (make, True)
        if make
        else outer
        if outer and outer[1]
        else (lambda name: _once(name, kept), False)
    )
    token = _serving.set(given)
    try:
        yield
    finally:
        _serving.reset(token)


def _once(name: str, cache: Path | None) -> ChatModel:
    """A model that is connected already, for all loops; connected anew where its profile or its address has changed."""
    held, wanted = _connected.get((name, cache)), profile_of(name)
    where = address(wanted.address or os.environ.get("OPENAI_BASE_URL") or DEFAULT).url
    lost = held is not None and held.cache is not None and held.cache.lost
    if (
        held is None
        or lost
        or held.profile != wanted
        or held.endpoint not in (where, "embedded")
    ):
        held = _connected[name, cache] = connect(name, cache=cache)
    return held


def _key(api_key: str | None, where: Address, known: Profile, offline: bool) -> str:
    key = (api_key or os.environ.get(known.key) or "").strip()
    if key or where.local or where.authorization or offline:
        return key or "no-key-needed"  # the openai package insists on one
    said = f"{known.name!r} at {where.url} needs a key, and there is none. Set the environment variable {known.key},"
    raise ModelUnavailable(f'{said} or pass api_key=; model="embedded" needs none.')
