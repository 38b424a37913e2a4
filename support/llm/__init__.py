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
from support.llm.arguments import whole
from support.llm.attempts import Patience
from support.llm.cache import Cache
from support.llm.client import REPAIRS, ChatModel
from support.llm.embedded import Embedded
from support.llm.endpoint import Endpoint
from support.llm.pace import Pace
from support.llm.replies import Reply, Usage
from support.llm.scripted import scripted
from support.llm.transport import Transport

DEADLINE = 600.0

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
    max_retries: int = 6,
    deadline: float | None = None,
    repairs: int = REPAIRS,
    failures_in_a_row: int = 10,
    requests_per_minute: int | None = None,
    tokens_per_minute: int | None = None,
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
        Seconds that one attempt may take.
    max_retries : int
        Attempts after the first, on 408, 409, 429, 5xx, broken connections, time-outs and answers that are no
        completion; each waits longer than the one before, or as long as the endpoint asks (Retry-After). Where an
        endpoint that has answered cannot be reached any more, only the deadline ends them.
    deadline : float, optional
        Seconds for all attempts of one call and the waits between them, 600 by default; for the embedded model, whose
        calls queue, none.
    repairs : int
        How often a reply that does not fit its schema is asked again.
    failures_in_a_row : int
        Calls that may fail for good, with none answered between them, before all calls are given up.
    requests_per_minute, tokens_per_minute : int, optional
        Limits of the endpoint, kept over every window of a minute; tokens count prompts and replies together.

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
    _check_model(model)
    _check_seconds(timeout=timeout, deadline=deadline)
    counts = {"concurrency": concurrency, "failures_in_a_row": failures_in_a_row}
    limits = {"requests_per_minute": requests_per_minute, "tokens_per_minute": tokens_per_minute}
    _check_whole(1, **counts, **{name: limit for name, limit in limits.items() if limit is not None})
    _check_whole(0, max_retries=max_retries, repairs=repairs)
    if offline and cache is None:
        raise InvalidInput("offline=True replays kept replies only: give the file that holds them, cache=...")
    kept = Cache(cache) if isinstance(cache, (str, Path)) else cache
    transport: Transport
    if model == "embedded":
        transport = Embedded(timeout=float(timeout))
    else:
        where = address(base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT)
        transport = Endpoint(model, where, _key(api_key, where, model, offline), timeout=float(timeout))
        deadline = DEADLINE if deadline is None else float(deadline)
    return ChatModel(
        transport,
        cache=kept,
        offline=offline,
        concurrency=concurrency,
        repairs=repairs,
        patience=Patience(max_retries, deadline, failures_in_a_row),
        pace=Pace(requests_per_minute, tokens_per_minute),
    )


def _key(api_key: str | None, where: Address, model: str, offline: bool) -> str:
    key = (api_key or os.environ.get("OPENAI_API_KEY") or "").strip()
    if key or where.local or where.authorization or offline:
        return key or "no-key-needed"  # the openai package insists on one
    raise ModelUnavailable(
        f"{model!r} at {where.url} needs a key, and there is none. Set the environment variable OPENAI_API_KEY, "
        'or pass api_key=; model="embedded" needs none.'
    )


def _check_model(model: Any) -> None:
    if not isinstance(model, str) or not model.strip():
        raise InvalidInput(f'model={model!r}: expected "embedded" or the name of a model.')


def _check_whole(low: int, **given: Any) -> None:
    for name, value in given.items():
        whole(name, value, low)


def _check_seconds(**given: Any) -> None:
    for name, value in given.items():
        if name == "deadline" and value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
            raise InvalidInput(f"{name}={value!r}: expected seconds, more than 0.")
