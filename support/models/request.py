"""What passes the edge to a model: `Request`, `Completion`, and `Transport` between them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Integral, Real
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from support.errors import InvalidInput

MAX_SEED = 2**32 - 2  # llama.cpp takes 32 bits, and the last number for "draw one"
Messages = str | Sequence[Mapping[str, str]]


class _Message(BaseModel):
    role: Literal["system", "developer", "user", "assistant"]
    content: str = Field(pattern=r"\S")


_MESSAGES = TypeAdapter(Annotated[list[_Message], Field(min_length=1)])


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a model: all that may change its reply, and not how it is put."""

    model: str
    endpoint: str
    messages: tuple[tuple[str, str], ...]  # (role, content)
    schema: str | None  # JSON; a model writes fields in the order that they have here
    temperature: float
    seed: int | None
    max_tokens: int
    repetition: int  # tells apart draws that are otherwise alike
    options: str = ""  # what a profile asks beside, as JSON

    @property
    def draw(self) -> str:
        """The key of the same question in the first repetition: asked again, it is one
        draw, unless a temperature without a seed has each be drawn anew."""
        alike = self.repetition and not (self.temperature and self.seed is None)
        return (replace(self, repetition=0) if alike else self).key

    @property
    def key(self) -> str:
        """The name of this request in a cache: SHA-256 of its canonical JSON."""
        return hashlib.sha256(_json(self).encode()).hexdigest()

    def to_json(self) -> str:
        """The request as JSON, the same text for the same request."""
        return _json(self)

    @property
    def chat(self) -> list[dict[str, str]]:
        """The messages as OpenAI-compatible endpoints take them."""
        return [{"role": role, "content": content} for role, content in self.messages]


@lru_cache(maxsize=512)  # a call asks for it several times
def _json(request: Request) -> str:
    made = {name: getattr(request, name) for name in Request.__slots__}
    if not request.options:
        del made["options"]
    made["temperature"] = float(request.temperature)  # 0 and 0.0 are one text
    return canonical(made)


def canonical(value: Any) -> str:
    """JSON that is the same text for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer to one request, with the tokens of all attempts that were charged."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish_reason: str = "stop"
    latency: float = 0.0  # seconds
    cached_prompt_tokens: int = 0  # of the prompt's, found in the provider's own cache
    thinking: str = ""  # stood before the text; private, like reasons
    thinking_tokens: int = 0  # among the completion's, as far as the provider says
    model: str = ""  # who answered, as the provider says: it may be another
    fingerprint: str = ""  # of the provider's configuration


class Transport:
    """How requests reach one model.

    A subclass sets `model` and `endpoint`, as in a record, and writes `complete`.
    """

    model: str
    endpoint: str

    async def complete(self, request: Request) -> Completion:
        """Answer one request, or raise one of `support.errors.ModelError`."""
        raise NotImplementedError

    @property
    def learnt(self) -> tuple[str, ...]:
        """What it refused and how that is met, in sentences."""
        return ()

    def room(self, request: Request) -> int:
        """Tokens that the reply may take, thinking included: what it can cost at most."""
        return request.max_tokens

    def widen(self, request: Request, completion: Completion, room: int) -> str:
        """Make more room where a reply was cut off, and say so; "" where there is none."""
        return ""


def conversation(messages: Messages) -> tuple[tuple[str, str], ...]:
    """Messages as (role, content) pairs; a text is one message of the user."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    try:
        said = _MESSAGES.validate_python(messages)
    except ValidationError as error:
        wrong = error.errors()[0]
        raise InvalidInput(
            f"messages: {wrong['input']!r} given ({wrong['msg']}); expected a text, or "
            "messages of 'role' and 'content', which is not blank"
        ) from None
    return tuple((one.role, one.content) for one in said)


def number(
    name: str, value: Any, low: float, high: float = math.inf, kind: type = Real
) -> Any:
    """A number within its bounds; InvalidInput for anything else."""
    is_one = isinstance(value, kind) and not isinstance(value, bool)
    if not is_one or not low <= value <= high:
        of = "whole number" if kind is Integral else "number"
        up = "up" if high == math.inf else f"to {high:,}"
        raise InvalidInput(f"{name}={value!r}: expected a {of} from {low} {up}.")
    return value


def whole(name: str, value: Any, low: int = 0, high: float = math.inf) -> int:
    """A whole number within its bounds; InvalidInput for anything else."""
    return int(number(name, value, low, high, Integral))  # numpy's pass


def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a pydantic model as endpoints can enforce it.

    Every field is required, and none more; an optional one says null. A default stays in
    the model, where it serves Python code.
    """
    schema = model.model_json_schema()

    def strict(node: dict[str, Any]) -> dict[str, Any]:
        made = dict(node)
        if "$ref" in made and len(made) > 1:  # which strict endpoints allow alone
            target = schema["$defs"][made.pop("$ref").removeprefix("#/$defs/")]
            made = target | made
        made.pop("default", None)
        if made.pop("discriminator", None):  # strict endpoints know no oneOf
            made["anyOf"] = made.pop("oneOf")
        if "properties" in made:
            made["required"] = list(made["properties"])
        if made.get("type") == "object":
            made.setdefault("additionalProperties", False)
        return made

    return rewritten(schema, strict)


def rewritten(node: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """A JSON schema with each of its parts changed, from the outside in.

    Names of fields and listed values stay.
    """
    if isinstance(node, list):
        return [rewritten(item, change) for item in node]
    if not isinstance(node, dict):
        return node
    made = change(node)
    for key, value in made.items():
        if key in ("properties", "$defs"):  # names: a field may be called "default"
            made[key] = {name: rewritten(part, change) for name, part in value.items()}
        elif key not in ("const", "enum", "examples"):
            made[key] = rewritten(value, change)
    return made


@lru_cache(maxsize=256)
def schema_text(model: type[BaseModel]) -> str:
    """The strict schema as it is sent, and as it is part of a request."""
    return json.dumps(strict_schema(model), separators=(",", ":"))
