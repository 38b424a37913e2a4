"""Language models behind one door: `connect(name)`, `await model.reply(messages, …)`.

A participant's name, "model:gpt-4o-mini", is all that a study needs to seat one: `named`
connects it for the run at work. Replies are kept by content in the study's file, so that
a run is repeated without being paid twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from support.errors import InvalidInput, ModelUnavailable
from support.models.calls import ESTIMATE
from support.models.endpoint import NO_KEY, Endpoint, address
from support.models.local import Embedded
from support.models.model import ChatModel
from support.models.profiles import (
    EMBEDDED,
    MODEL,
    Profile,
    is_local,
    is_model,
    profile,
)
from support.models.replies import Cache
from support.models.stand_ins import stand_in
from support.within import within

Maker = Callable[[str], ChatModel]
_run: dict[str, Any] = {}  # what the run at work says of all models
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
    **changes: Any,
) -> ChatModel:
    """Connect to a language model, as its profile says where nothing else is given.

    Nothing is sent before a reply. `model` is "embedded", a name that the endpoint
    serves or models.toml has, perhaps with "@ADDRESS". Replies are kept in the file
    `cache`, and `offline` replays those alone. `changes` are fields of an entry of
    models.toml, such as `timeout`, `concurrency`, `max_retries`. InvalidInput when an
    argument does not fit, ModelUnavailable when the endpoint needs a key and there is
    none.

    >>> connect("embedded")
    ChatModel('SmolLM2-135M-Instruct.Q4_1.gguf sha256:b179c9523d0e' at embedded)
    """
    known = profile(model, base_url).changed(**_run | changes)
    if os.environ.get(ESTIMATE) and not offline:
        made = stand_in(name=known.name, profile=known)
        made.profile = known
        made.price = known.price_at(known.address)
        return made
    here = known.name == EMBEDDED.name
    transport = Embedded() if here else _endpoint(known, api_key, offline)
    return ChatModel(transport, known, cache, offline)


def _endpoint(known: Profile, api_key: str | None, offline: bool) -> Endpoint:
    """The endpoint of a profile; ModelUnavailable where its key is missing."""
    url = address(known.address)
    key = api_key or os.environ.get(known.key, "")
    if known.key and not (key or offline or is_local(url)):
        raise ModelUnavailable(
            f"{known.name!r} at {url} needs a key, and there is none. "
            f'{known.mend_key(url)}; model="embedded" needs none.'
        )
    return Endpoint(known, url, key.strip() or NO_KEY)


def throughout(**changes: Any) -> None:
    """What holds for all models of this process, whatever their entries say.

    `changes` are fields of entries, None for what these say.
    """
    _run.clear()
    _run.update({name: value for name, value in changes.items() if value is not None})
    EMBEDDED.changed(**_run)  # refuses what does not fit


def named(kind: str, default: ChatModel | str | None = None) -> ChatModel:
    """The model that a participant's name stands for; the `default` for "model" alone.

    It is connected once for each file.
    """
    name: Any = None
    if is_model(kind):
        name = kind.removeprefix(MODEL).removeprefix(":").strip() or default
    if name is None:
        raise InvalidInput(
            f"model: {kind!r} given; expected {MODEL}:NAME, such as {MODEL}:gpt-4o-mini, "
            f'or "{MODEL}" with model='
        )
    if isinstance(name, ChatModel):
        return name
    make, kept = _serving.get()
    name = name.removeprefix(f"{MODEL}:")
    return make(name) if make else _once(name, kept)


def serving(
    cache: str | Path | None = None, make: Maker | None = None
) -> AbstractContextManager[Any]:
    """While it lasts, `named` connects with the replies of a file at hand.

    Or it has its models made by a function; within, a file of replies changes nothing:
    whoever estimates or tests a run asks nobody.
    """
    kept = Path(cache).resolve() if cache else None
    return within(_serving, (make or _serving.get()[0], kept))


def _once(name: str, cache: Path | None) -> ChatModel:
    """A model that is connected already, for all loops; anew where it has changed."""
    known = profile(name).changed(**_run)
    key = str(known), cache, os.environ.get(ESTIMATE)
    held = _connected.get(key)
    if held is None or (held.cache is not None and held.cache.lost):
        held = _connected[key] = connect(name, cache=cache)
    return held
