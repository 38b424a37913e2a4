"""What a participant's name means: which model, where, what it takes, how much it may say, and what it costs.

A name such as "model:o3-mini" or "model:llama@http://127.0.0.1:8000/v1" is looked up in models.toml: the user's own,
which CONVENE_MODELS names, before ours (`data/inputs/models`). A name that stands in neither has what most models take.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from datetime import date as Day
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from support.data import inputs
from support.errors import InvalidInput, MissingData, ModelUnavailable

if TYPE_CHECKING:
    from support.models.model import ChatModel

MODEL = "model"
VARIABLE = "CONVENE_MODELS"
# Tokenizers that fall back on bytes, as all of today's do, make at most one token of a byte; what chat templates add
# around a message, and a template's own preamble, is allowed for generously.
PER_MESSAGE, PREAMBLE = 16, 256


def is_model(kind: Any) -> bool:
    """Whether a kind of participant is a language model: "model", or "model:NAME", perhaps with "@ADDRESS"."""
    return isinstance(kind, str) and (kind == MODEL or kind.startswith(f"{MODEL}:"))


def models_in(value: Any) -> set[str]:
    """Every name of a model in a setting, "model" among them.

    >>> sorted(models_in({"seats": ["model:a", "mixed"], "coordinator": "model"}))
    ['model', 'model:a']
    """
    parts = list(value.values()) if isinstance(value, Mapping) else value
    if isinstance(parts, list | tuple):
        return set().union(*map(models_in, parts))
    return {value} if is_model(value) else set()


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class Price(_Frozen):
    """US dollars for a million tokens: of prompts, of replies, of prompts found in the provider's own cache."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached_input: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    at: str | None = (
        None  # the address that it holds for; None: wherever the model is served
    )
    date: Day | None = None  # on which it was looked up

    def cost(
        self, prompt_tokens: int, completion_tokens: int, cached_prompt_tokens: int = 0
    ) -> float:
        """What a call costs; `prompt_tokens` includes the cached ones, as endpoints report them.

        >>> Price(input=2.0, output=8.0, cached_input=0.5).cost(1000, 100, cached_prompt_tokens=800)
        0.0016
        """
        cached = self.input if self.cached_input is None else self.cached_input
        prompts = (
            max(0, prompt_tokens - cached_prompt_tokens) * self.input
            + cached_prompt_tokens * cached
        )
        return round((prompts + completion_tokens * self.output) / 1_000_000, 12)

    def worst(self, bound: int, max_tokens: int) -> float:
        """What a call can cost at most, when its prompt has at most `bound` tokens."""
        return (
            bound * max(self.input, self.cached_input or 0.0) + max_tokens * self.output
        ) / 1_000_000


def prompt_bound(
    messages: tuple[tuple[str, str], ...], schema: str | None = None
) -> int:
    """More tokens than the endpoint can count for a prompt: one for each byte, and room for what it adds."""
    words = sum(len(content.encode()) + PER_MESSAGE for _, content in messages)
    return (
        words + PREAMBLE + (2 * len(schema.encode()) if schema else 0)
    )  # endpoints rewrite a schema for the model


class Limits(_Frozen):
    """How much a participant may say, in characters of a message and its private reasons, and is told."""

    tight: bool = (
        False  # the embedded model's, for which forms, prompts and rooms were made
    )
    message: int = Field(default=1200, ge=40)
    reason: int = Field(default=1600, ge=40)
    rows: int | None = Field(
        default=None, ge=1
    )  # of a table; None: as many as half of the model's context takes

    def text(self, characters: int) -> int:
        """How long another text may be that a tight model gives so many characters."""
        return characters if self.tight else max(characters, self.reason)

    def room(self, tokens: int) -> int:
        """Tokens at which a reply is cut off that a tight model gives so many."""
        return tokens if self.tight else max(4 * tokens, 1024)


TIGHT = Limits(tight=True, message=240, reason=160, rows=25)


EFFORTS: dict[str, str | dict[str, Any]] = {
    "off": "none",
    "low": "low",
    "medium": "medium",
    "high": "high",
}


class Profile(_Frozen):
    """One model: an entry of models.toml, where each field is explained."""

    name: str = Field(min_length=1)
    model: str = ""  # as the endpoint calls it
    address: str | None = None
    key: str = "OPENAI_API_KEY"
    temperature: bool | float = True
    seed: bool = True
    reasoning_effort: str | None = None
    reasoning: dict[str, str | dict[str, Any]] = EFFORTS
    thinking: int = Field(default=0, ge=0)
    longest: int = Field(default=32_768, ge=0)
    extra_body: dict[str, Any] = {}
    form: Literal["json_schema", "json_object", "text"] = "json_schema"
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    concurrency: int = Field(default=8, ge=1)
    context: int | None = Field(default=None, ge=1)
    price: Price | None = None
    limits: Limits = Limits()

    def options(self, reasoning: str | None = None) -> str:
        """What is asked beside the question and changes the reply, as JSON; "" for nothing."""
        if reasoning is not None and reasoning not in self.reasoning:
            known = ", ".join(self.reasoning)
            raise InvalidInput(
                f"reasoning: {reasoning!r} given; {self.name} knows None, {known} (see models.toml)"
            )
        asked = {
            "reasoning_effort": self.reasoning_effort,
            "extra_body": self.extra_body,
        }
        sent = {} if reasoning is None else self.reasoning[reasoning]
        asked |= (
            {"reasoning_effort": sent}
            if isinstance(sent, str)
            else {"extra_body": self.extra_body | sent}
        )
        kept = {name: value for name, value in asked.items() if value}
        return json.dumps(kept, sort_keys=True) if kept else ""

    def price_at(self, endpoint: str) -> Price | None:
        """The price, where it holds for this address."""
        held = self.price and (self.price.at or endpoint).rstrip(
            "/"
        ) == endpoint.rstrip("/")
        return self.price if held else None


FREE = Price(input=0.0, output=0.0)
FAKE = Profile(name="scripted", price=FREE, limits=TIGHT, longest=0)
EMBEDDED = Profile(
    name="embedded",
    price=FREE,
    limits=TIGHT,
    longest=0,
    context=8192,
    reasoning={"off": {}},
)


def profile(name: str) -> Profile:
    """The profile of a name, such as "o3-mini", as models.toml has it: for name and address, name, or "*@ADDRESS"."""
    name = name.removeprefix(f"{MODEL}:").strip()
    plain, _, address = name.partition("@")
    if not plain:
        raise InvalidInput(
            f"model: {name!r} given; expected a name, such as model:gpt-4o-mini or model:NAME@ADDRESS"
        )
    if name == EMBEDDED.name:
        return EMBEDDED
    own = os.environ.get(VARIABLE)
    known = {
        **_read(inputs("models", "models.toml")),
        **(_read(Path(own)) if own else {}),
    }
    found = next(
        (known[key] for key in (name, plain, f"*@{address}") if key in known), {}
    )
    given = {
        "model": plain,
        **found,
        "name": name,
        **({"address": address} if address else {}),
    }
    return Profile(**given)


def needed_price(model: ChatModel) -> Price:
    """The price of a model, where a budget needs one; without one, the lines to add are told."""
    if (price := model.price) is not None:
        return price
    where = (
        os.environ.get(VARIABLE)
        or "a file of your own, which the environment variable CONVENE_MODELS names"
    )
    raise ModelUnavailable(
        f"{model.name!r} at {model.endpoint} has no price, so that no budget can be kept. Add these lines, with US "
        f"dollars for a million tokens (0 where the model is your own), to {where}:\n"
        f"[models.{json.dumps(model.name)}]\nprice = {{ input = …, output = … }}"
    )


def _read(path: Path) -> Mapping[str, Mapping[str, Any]]:
    """The entries of a file, checked; read anew when it has changed."""
    try:
        return _parsed(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise MissingData(
            f"{path} cannot be read ({error.strerror}); {VARIABLE} names your own models.toml"
        ) from None


@lru_cache(maxsize=8)
def _parsed(path: Path, stamp: int) -> Mapping[str, Mapping[str, Any]]:
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
        shared = {name: given[name] for name in ("date", "at") if name in given}
        entries = dict(given["models"])
        for name, entry in entries.items():
            if "price" in entry:
                entry["price"] = {**shared, **entry["price"]}
            Profile(**{"model": name, **entry, "name": name})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        said = f"{type(error).__name__}: {error}"
        if isinstance(error, ValidationError):
            first = error.errors(include_url=False)[0]
            said = f"{'.'.join(map(str, first['loc']))}={first['input']!r} given; {first['msg']}"
        raise InvalidInput(
            f"{path}: {said}; see data/inputs/models/models.toml for what an entry takes"
        ) from None
    return entries
