"""What a participant's name means: which model, where, what it takes, and what it costs.

A name such as "model:o3-mini" or "model:llama@http://127.0.0.1:8000/v1" is looked up in
models.toml: the user's own, which CONVENE_MODELS names, before ours
(`data/inputs/models`). All entries that it fits are merged, field by field; a name that
fits none has what most models take. A price that no entry has is that of genai-prices,
as it came with the package: nothing is asked over the network.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from datetime import date as Day
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from support.data import inputs
from support.errors import InvalidInput, MissingData, ModelUnavailable

MODEL = "model"
VARIABLE = "CONVENE_MODELS"
KEY = "OPENAI_API_KEY"
OPENAI = "https://api.openai.com/v1"
# Tokenizers that fall back on bytes, as all of today's do, make at most one token of a
# byte; what chat templates add around a message, and a template's own preamble, is
# allowed for generously.
PER_MESSAGE, PREAMBLE = 16, 256
OFF = ("off", "none")  # how a model is asked not to think


def is_model(kind: Any) -> bool:
    """Whether a kind of participant is a language model: "model", or "model:NAME".

    >>> is_model("model:llama@http://127.0.0.1:8000/v1"), is_model("mixed")
    (True, False)
    """
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
    """US dollars for a million tokens: of prompts, replies, and cached prompts."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached_input: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    at: str | None = None  # the address that it holds for; None: wherever it is served
    date: Day | None = None  # on which it was looked up
    long: int = 0  # tokens of a prompt above which the price is another one,
    longer: Price | None = None  # where there is one

    def cost(self, prompt: int, completion: int, cached: int = 0) -> float:
        """What a call costs; `prompt` includes the cached tokens, as endpoints say it.

        >>> Price(input=2.0, output=8.0, cached_input=0.5).cost(1000, 100, cached=800)
        0.0016
        """
        if self.longer and prompt > self.long:
            return self.longer.cost(prompt, completion, cached)
        again = self.input if self.cached_input is None else self.cached_input
        read = max(0, prompt - cached) * self.input + cached * again
        return round((read + completion * self.output) / 1_000_000, 12)

    def worst(self, bound: int, room: int) -> float:
        """What a call can cost at most, when its prompt has at most `bound` tokens."""
        if self.longer and bound > self.long:
            return self.longer.worst(bound, room)
        dearest = max(self.input, self.cached_input or 0.0)
        return (bound * dearest + room * self.output) / 1_000_000


def prompt_bound(
    messages: tuple[tuple[str, str], ...], schema: str | None = None
) -> int:
    """More tokens than the endpoint can count for a prompt: one for each byte."""
    words = sum(len(content.encode()) + PER_MESSAGE for _, content in messages)
    form = 2 * len((schema or "").encode())  # endpoints rewrite it for the model
    return words + PREAMBLE + form


class Limits(_Frozen):
    """How much a participant may say, in characters, and is told."""

    tight: bool = False  # the embedded model's, for which forms and prompts were made
    message: int = Field(default=1200, ge=40)
    reason: int = Field(default=1600, ge=40)  # a message's private reasons
    rows: int | None = Field(default=None, ge=1)  # None: half of what the model reads

    def text(self, characters: int) -> int:
        """How long another text may be that a tight model gives so many characters."""
        return characters if self.tight else max(characters, self.reason)

    def room(self, tokens: int) -> int:
        """Tokens at which a reply is cut off that a tight model gives so many."""
        return tokens if self.tight else max(4 * tokens, 1024)


TIGHT = Limits(tight=True, message=240, reason=160, rows=25)
Effort = str | dict[str, Any]
EFFORTS: dict[str, Effort] = {
    "off": "none",
    "low": "low",
    "medium": "medium",
    "high": "high",
}


class Profile(_Frozen):
    """One model: its entries of models.toml, where each field is explained."""

    name: str = Field(min_length=1)
    model: str = ""  # as the endpoint calls it
    address: str | None = None
    key: str = KEY
    temperature: bool | float = True
    seed: bool = True
    reasons: bool | None = None
    reasoning_effort: str | None = None
    reasoning: dict[str, Effort] = EFFORTS
    thinking: int = Field(default=0, ge=0)
    longest: int = Field(default=32_768, ge=0)
    extra_body: dict[str, Any] = {}
    form: Literal["json_schema", "json_object", "text"] = "json_schema"
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    concurrency: int = Field(default=8, ge=1)
    timeout: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    deadline: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    context: int | None = Field(default=None, ge=1)
    price: Price | None = None
    limits: Limits = Limits()

    def options(self, reasoning: str | None = None) -> str:
        """What is asked beside the question and changes the reply, as JSON; "" if none."""
        if reasoning is not None and reasoning not in self.reasoning:
            raise InvalidInput(
                f"reasoning: {reasoning!r} given; {self.name} knows None, "
                f"{', '.join(self.reasoning)} (see models.toml)"
            )
        sent: Effort = {} if reasoning is None else self.reasoning[reasoning]
        effort, body = self.reasoning_effort, self.extra_body
        if isinstance(sent, str):
            effort = sent
        else:
            body = body | sent
        asked = {"reasoning_effort": effort, "extra_body": body}
        kept = {name: value for name, value in asked.items() if value}
        return json.dumps(kept, sort_keys=True) if kept else ""

    def price_at(self, endpoint: str) -> Price | None:
        """The price at an address: its entry's, or the one that is listed."""
        if self.price and _same(self.price.at or endpoint, endpoint):
            return self.price
        return listed_price(self.model, endpoint)


FREE = Price(input=0.0, output=0.0)
FAKE = Profile(name="scripted", price=FREE, limits=TIGHT, longest=0)
EMBEDDED = Profile(
    name="embedded",
    price=FREE,
    limits=TIGHT,
    longest=0,
    context=8192,
    reasons=False,
    reasoning={"off": {}},
)


def profile(name: str, base_url: str | None = None) -> Profile:
    """The profile of a name, perhaps with "@ADDRESS": all its entries, merged.

    The later count: those for a name, ours and then the user's, each from more names
    ("gpt-5-*") to fewer; those for all that an address serves ("*@ADDRESS"); those for
    a name at an address. A key goes to no host but the one that its entry is for.
    """
    name = name.removeprefix(f"{MODEL}:").strip()
    plain, _, address = name.partition("@")
    if not plain:
        raise InvalidInput(
            f"model: {name!r} given; expected a name, such as model:gpt-4o-mini or "
            "model:NAME@ADDRESS"
        )
    if name == EMBEDDED.name:
        return EMBEDDED
    given = {"model": plain, "key": KEY} | _merged(plain)
    home = base_url or given.get("address") or os.environ.get("OPENAI_BASE_URL")
    home = home or OPENAI
    if address:
        given["address"] = address
        if not _same(address, home):
            given["key"] = ""
    given |= _merged(plain, address or home)
    return Profile(**(given | {"name": name}))


def reasons(
    name: str, asked: str | None = None, thinking_tokens: int = 0
) -> bool | None:
    """Whether a model thinks before it answers; None where nobody knows.

    Tokens of thinking in its replies say so, else how it was `asked` to reason, else
    its entry.

    >>> reasons("o3-mini"), reasons("gemini-2.5-flash", "off"), reasons("gpt-4o")
    (True, False, False)
    """
    if thinking_tokens:
        return True
    known = profile(name)
    effort = asked or known.reasoning_effort
    if effort:
        return effort not in OFF
    return True if known.thinking else known.reasons


class Priced(Protocol):
    """A model as its price is asked for."""

    name: str
    endpoint: str

    @property
    def price(self) -> Price | None:
        """None where it is not known."""


def check_prices(models: Iterable[Priced]) -> None:
    """ModelUnavailable where a budget cannot be kept, with the lines to add for all."""
    lacking = {one.name: one.endpoint for one in models if one.price is None}
    if not lacking:
        return
    where = os.environ.get(VARIABLE)
    where = (
        where or f"a file of your own, which the environment variable {VARIABLE} names"
    )
    price = "price = { input = …, output = … }"
    lines = [f"[models.{json.dumps(name)}]\n{price}" for name in lacking]
    known = ", ".join(f"{name!r} at {lacking[name]}" for name in lacking)
    raise ModelUnavailable(
        f"no price is known of {known}, so that no budget can be kept. Add these lines, "
        "with US dollars for a million tokens (0 where the model is your own), to "
        f"{where}:\n" + "\n".join(lines)
    )


@lru_cache
def listed_price(model: str, address: str) -> Price | None:
    """What genai-prices lists for a model; by its name where the address says nothing.

    Of prices that change with the hour it is the dearest. On one's own machine there
    is none: a name may stand there for weights of one's own.
    """
    if not re.match(r"https?://(?!localhost|127\.|\[::1\])", address):
        return None
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    try:
        snapshot.find_provider(None, None, address)
        ways: list[tuple[str | None, str | None]] = [(None, address)]
    except LookupError:
        ways = [("litellm", None), ("openrouter", None)]  # these know "vendor/model"
    for way in ways:
        with suppress(LookupError):
            _, found = snapshot.find_provider_model(model, None, *way)
            days = [datetime.now(UTC).replace(hour=hour) for hour in range(24)]
            prices = [_price(found.get_prices(day)) for day in days]
            return max(prices, key=lambda price: price.output)
    return None


def _price(listed: Any) -> Price:
    """A price as it is listed; where it has tiers, the last from the second on."""
    names = {"input": "input", "output": "output", "cached_input": "cache_read"}
    first, last, long = {}, {}, 0
    for ours, theirs in names.items():
        cost = getattr(listed, f"{theirs}_mtok")
        tiers = getattr(cost, "tiers", None)
        first[ours] = last[ours] = getattr(cost, "base", cost)
        if tiers:
            last[ours], long = tiers[-1].price, tiers[0].start
    longer = Price(**last) if long else None
    return Price(**first, long=long, longer=longer)


def _merged(plain: str, address: str = "") -> dict[str, Any]:
    """The entries for a name anywhere, or for an address, as one."""
    ours, own = inputs("models", "models.toml"), os.environ.get(VARIABLE)
    made: dict[str, Any] = {}
    for path in (ours, *([Path(own)] if own else [])):
        for who, entry in _read(path).items():
            names, _, at = who.partition("@")
            if _same(at, address) and _fits(plain, names):
                made |= entry
    return made


@lru_cache(maxsize=4096)
def _fits(name: str, pattern: str) -> bool:
    """Whether a name is meant, in full or without who sells it: "qwen/qwen3-32b"."""
    name, pattern = name.lower(), pattern.lower()
    short = name.rpartition("/")[2]
    return pattern in (name, short) or ("*" in pattern and fnmatchcase(short, pattern))


def _same(address: str, other: str) -> bool:
    return address.rstrip("/") == other.rstrip("/")


def _read(path: Path) -> Mapping[str, Mapping[str, Any]]:
    """The entries of a file, checked; read anew when it has changed."""
    try:
        return _parsed(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise MissingData(
            f"{path} cannot be read ({error.strerror}); {VARIABLE} names your own "
            "models.toml"
        ) from None


@lru_cache(maxsize=8)
def _parsed(path: Path, stamp: int) -> Mapping[str, Mapping[str, Any]]:
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
        shared = {name: given[name] for name in ("date", "at") if name in given}
        entries = dict(given["models"])
        for name, entry in entries.items():
            if "price" in entry:
                entry["price"] = shared | entry["price"]
            Profile(**({"model": name} | entry | {"name": name}))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        said = f"{type(error).__name__}: {error}"
        if isinstance(error, ValidationError):
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            said = f"{where}={first['input']!r} given; {first['msg']}"
        raise InvalidInput(
            f"{path}: {said}; see data/inputs/models/models.toml for what an entry takes"
        ) from None
    order = sorted(entries, key=lambda who: ("*" not in who[1:], len(who)))
    return {who: entries[who] for who in order}
