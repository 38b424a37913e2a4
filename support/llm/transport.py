"""The replaceable edge: one request in, one completion out. Everything that talks to a model is a `Transport`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a model: all that may change its reply, and nothing else.

    `messages` are (role, content) pairs. `schema` is a JSON schema as text, None for free text: the order of
    its fields is the order in which a model writes them, so it is part of what was asked.
    `repetition` tells apart draws that are otherwise alike. The address of the embedded model's server and the way
    a schema is put to an endpoint are no part of it: they do not change what was asked.
    """

    model: str
    endpoint: str
    messages: tuple[tuple[str, str], ...]
    schema: str | None
    temperature: float
    seed: int | None
    max_tokens: int
    repetition: int

    @property
    def key(self) -> str:
        """The name of this request in a cache: SHA-256 of its canonical JSON."""
        return _key(self)

    def to_json(self) -> str:
        """The request as JSON, the same text for the same request."""
        return _json(self)

    @classmethod
    def from_json(cls, text: str) -> Request:
        """The request that `to_json` wrote.

        Raises
        ------
        ValueError, KeyError, TypeError
            When the text is something else.
        """
        given = json.loads(text)
        given["messages"] = tuple((role, content) for role, content in given["messages"])
        return cls(**{field.name: given[field.name] for field in fields(cls)})

    @property
    def chat(self) -> list[dict[str, str]]:
        """The messages as OpenAI-compatible endpoints take them."""
        return [{"role": role, "content": content} for role, content in self.messages]


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a model to one request; `latency` in seconds.

    `prompt_tokens` includes the `cached_prompt_tokens`, which the provider found in a cache of its own.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish_reason: str = "stop"
    latency: float = 0.0
    cached_prompt_tokens: int = 0


class Transport:
    """How requests reach one model. A subclass sets the attributes and writes `complete`.

    Attributes
    ----------
    model, endpoint : str
        As they stand in a cache and in a figure's provenance.
    """

    model: str
    endpoint: str

    async def complete(self, request: Request) -> Completion:
        """Answer one request, or raise one of `support.errors.ModelError`."""
        raise NotImplementedError

    async def close(self) -> None:
        """Give back what the running event loop holds open; most transports hold nothing."""

    @property
    def details(self) -> dict[str, str]:
        """What a figure's provenance says about the model."""
        return {"model": self.model, "endpoint": self.endpoint}


@lru_cache(maxsize=512)  # a call asks for both several times: to look it up, to keep it, to note it
def _json(request: Request) -> str:
    made = {field.name: getattr(request, field.name) for field in fields(request)}
    return canonical({**made, "temperature": float(request.temperature)})  # 0 and 0.0 are equal, and so is their text


@lru_cache(maxsize=512)
def _key(request: Request) -> str:
    return hashlib.sha256(_json(request).encode()).hexdigest()


def canonical(value: Any) -> str:
    """JSON that is the same text for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")
