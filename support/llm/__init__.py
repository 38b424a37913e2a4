"""Model calls: `connect` to a model, `await model.reply(messages, schema=...)`, and get a validated reply.

One seam for all models: any OpenAI-compatible endpoint, the small one that is embedded, and scripted ones for tests
and lessons. Replies are kept by content in the study's file, so that a run is repeated without being paid twice.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from support.errors import InvalidInput, ModelUnavailable
from support.llm.address import DEFAULT, Address, address
from support.llm.cache import Cache
from support.llm.client import ChatModel, Reply, Usage
from support.llm.embedded import Embedded
from support.llm.endpoint import Endpoint
from support.llm.scripted import scripted
from support.llm.transport import Transport

__all__ = ["Cache", "ChatModel", "Reply", "Usage", "connect", "scripted"]


def connect(
    model: str = "embedded",
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    cache: Cache | str | Path | None = None,
    offline: bool = False,
    concurrency: int = 8,
    timeout: float = 120.0,
    max_retries: int = 2,
) -> ChatModel:
    """Connect to a language model. Nothing is sent, started or loaded before the first reply.

    Parameters
    ----------
    model : str
        "embedded", or a name that the endpoint serves.
    base_url : str, optional
        The endpoint; by default the environment variable OPENAI_BASE_URL, else OpenAI's.
    api_key : str, optional
        By default the environment variable OPENAI_API_KEY. Servers on this machine need none.
    cache : Cache or path, optional
        The study's SQLite file, in which replies are kept and found again. None keeps nothing.
    offline : bool
        Replay kept replies only, without key, network or weights.
    concurrency : int
        How many calls may be in flight; the embedded model takes one at a time.
    timeout : float
        Seconds that one call may take.
    max_retries : int
        On rate limits, server errors and lost connections.

    Raises
    ------
    InvalidInput
        When an argument does not fit, or `offline` is asked without a cache.
    ModelUnavailable
        When the endpoint needs a key and there is none.

    Examples
    --------
    >>> connect("embedded")
    ChatModel('SmolLM2-135M-Instruct.Q4_1.gguf sha256:b179c9523d0e' at embedded)
    """
    _check(model, concurrency, timeout, max_retries)
    if offline and cache is None:
        raise InvalidInput("offline=True replays kept replies only: give the file that holds them, cache=...")
    options: dict[str, Any] = {"timeout": float(timeout), "max_retries": max_retries}
    kept = Cache(cache) if isinstance(cache, (str, Path)) else cache
    transport: Transport
    if model == "embedded":
        transport = Embedded(**options)
    else:
        where = address(base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT)
        transport = Endpoint(model, where, _key(api_key, where, model, offline), **options)
    return ChatModel(transport, cache=kept, offline=offline, concurrency=concurrency)


def _key(api_key: str | None, where: Address, model: str, offline: bool) -> str:
    key = (api_key or os.environ.get("OPENAI_API_KEY") or "").strip()
    if key or where.local or where.authorization or offline:
        return key or "no-key-needed"  # the openai package insists on one
    raise ModelUnavailable(
        f"{model!r} at {where.url} needs a key, and there is none. Set the environment variable OPENAI_API_KEY, "
        'or pass api_key=; model="embedded" needs none.'
    )


def _check(model: Any, concurrency: Any, timeout: Any, max_retries: Any) -> None:
    if not isinstance(model, str) or not model.strip():
        raise InvalidInput(f'model={model!r}: expected "embedded" or the name of a model.')
    for name, value, low in (("concurrency", concurrency, 1), ("max_retries", max_retries, 0)):
        if not isinstance(value, int) or isinstance(value, bool) or value < low:
            raise InvalidInput(f"{name}={value!r}: expected a whole number from {low} up.")
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout < float("inf"):
        raise InvalidInput(f"timeout={timeout!r}: expected seconds, more than 0.")
