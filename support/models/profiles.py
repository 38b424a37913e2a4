"""What a participant's name means: which model, where, what it takes, and what it costs.

A name such as "model:o3-mini" or "model:llama@http://127.0.0.1:8000/v1" is looked up in
models.toml: the user's own, which CONVENE_MODELS names, before ours
(`data/inputs/models`). All entries that it fits are merged, field by field; a name that
fits none has what most models take. A price that no entry has is that of genai-prices,
as it came with the package: nothing is asked over the network.
"""

from __future__ import annotations

import json
import math
import os
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from support.data import inputs
from support.errors import InvalidInput, MissingData

MODEL = "model"
VARIABLE = "CONVENE_MODELS"
OPENAI = "https://api.openai.com/v1"
# Tokenizers that fall back on bytes, as all of today's do, make at most one token of a
# byte; what chat templates add around a message, and a template's own preamble, is
# allowed for generously.
PER_MESSAGE = 16
PREAMBLE = 256
DEADLINE = 900.0  # seconds, at least, of a call whose entry says nothing
ATTEMPTS = 5  # of the longest kind, for which a deadline leaves time
DEAREST = 10  # times that a long prompt costs, at most
NIGHT = 2  # the hour, UTC, at which prices that change with it are dear: DeepSeek's


def is_model(kind: Any) -> bool:
    """Whether a kind of participant is a language model: "model", or "model:NAME".

    >>> is_model("model:llama@http://127.0.0.1:8000/v1"), is_model("mixed")
    (True, False)
    """
    return isinstance(kind, str) and (kind == MODEL or kind.startswith(f"{MODEL}:"))


def is_local(address: str) -> bool:
    """Whether what is sent to an address stays on this machine."""
    here = r"https?://(([^/]+\.)?localhost|127\.[\d.]+|\[::1\])(:\d+)?(/|$)|(?!http)"
    return re.match(here, address) is not None


def models_in(value: Any) -> set[str]:
    """Every name of a model in a setting, "model" among them.

    >>> sorted(models_in({"seats": ["model:a", "mixed"], "coordinator": "model"}))
    ['model', 'model:a']
    """
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, list | tuple):
        return set().union(*map(models_in, value))
    return {value} if is_model(value) else set()


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Price(_Frozen):
    """US dollars for a million tokens: of prompts, replies, and cached prompts."""

    input: Dollars
    output: Dollars
    cached_input: Dollars | None = None
    long: float = math.inf  # tokens of a prompt above which it is another, unknown one

    def cost(self, prompt: int, completion: int, cached: int = 0) -> float:
        """What a call costs; `prompt` includes the cached tokens, as endpoints say it.

        >>> Price(input=2.0, output=8.0, cached_input=0.5).cost(1000, 100, cached=800)
        0.0016
        """
        again = self.input if self.cached_input is None else self.cached_input
        read = max(0, prompt - cached) * self.input + cached * again
        return round((read + completion * self.output) / 1_000_000, 12)

    def worst(self, bound: int, room: int) -> float:
        """What a call can cost at most, when its prompt has at most `bound` tokens."""
        dear = DEAREST if bound > self.long else 1
        return dear * max(self.cost(bound, room), self.cost(bound, room, bound))


def prompt_bound(
    messages: tuple[tuple[str, str], ...], schema: str | None = None
) -> int:
    """More tokens than the endpoint can count for a prompt: one for each byte."""
    words = sum(len(content.encode()) + PER_MESSAGE for _, content in messages)
    form = 2 * len((schema or "").encode())  # endpoints rewrite it for the model
    return words + PREAMBLE + form


Count = Annotated[int, Field(ge=1)]
Number = Annotated[int, Field(ge=0)]
Length = Annotated[int, Field(ge=40)]  # characters


class Limits(_Frozen):
    """How much a participant may say, in characters, and is told."""

    tight: bool = False  # the embedded model's, for which forms and prompts were made
    message: Length = 1200  # guided prompts tell it; a tight model is held to it
    reason: Length = 1600  # a message's private reasons
    rows: Count | None = None  # None: half of what the model reads

    def text(self, characters: int) -> int:
        """How long another text may be that a tight model gives so many characters."""
        return characters if self.tight else max(characters, self.reason)

    def room(self, tokens: int) -> int:
        """Tokens at which a reply is cut off that a tight model gives so many."""
        return tokens if self.tight else max(4 * tokens, 1024)


TIGHT = Limits(tight=True, message=240, reason=160, rows=25)
Effort = str | dict[str, Any]
EFFORTS: dict[str, Effort] = {"off": "none"}
EFFORTS |= {level: level for level in ("low", "medium", "high")}


Seconds = Annotated[float, Field(gt=0)]


class Profile(_Frozen):
    """One model: its entries of models.toml, where each field is explained."""

    name: str
    model: str = ""  # as the endpoint calls it
    address: str = ""
    key: str = "OPENAI_API_KEY"  # the variable that holds it; "" where none is meant for the address
    reasons: bool | None = None
    reasoning_effort: str | None = None
    reasoning: dict[str, Effort] = EFFORTS
    thinking: Number = 0
    longest: Number = 32_768
    extra_body: dict[str, Any] = {}
    form: Literal["json_schema", "json_object", "text"] = "json_schema"
    requests_per_minute: Count | None = None
    tokens_per_minute: Count | None = None
    concurrency: Count = 8
    timeout: Seconds = 120.0
    deadline: Seconds | None = None
    max_retries: Number = 6
    failures_in_a_row: Count = 10
    repairs: Number = 2
    context: Count | None = None
    price: Price | None = None
    limits: Limits = Limits()

    @property
    def patience(self) -> float:
        """Seconds for all attempts of a call, and the waits between them."""
        return self.deadline or max(DEADLINE, ATTEMPTS * self.timeout)

    def changed(self, **changes: Any) -> Profile:
        """The profile with other fields."""
        try:
            return Profile(**(self.__dict__ | changes))
        except ValidationError as error:
            wrong = error.errors()[0]
            name = ".".join(map(str, wrong["loc"]))
            given = wrong["input"]
            raise InvalidInput(f"{name}={given!r}: {wrong['msg']}.") from None

    def options(self, reasoning: str | None = None) -> str:
        """What is asked beside the question and changes the reply, as JSON; "" if none."""
        sent = self.reasoning.get(reasoning) if reasoning else {}
        if sent is None:
            raise InvalidInput(
                f"reasoning: {reasoning!r} given; {self.name} knows None, "
                f"{', '.join(self.reasoning)} (see models.toml)"
            )
        effort = self.reasoning_effort
        body = self.extra_body
        if isinstance(sent, str):
            effort = sent
        else:
            body = body | sent
        asked = {"reasoning_effort": effort, "extra_body": body}
        kept = {name: value for name, value in asked.items() if value}
        return json.dumps(kept, sort_keys=True) if kept else ""

    def price_at(self, endpoint: str) -> Price | None:
        """The price at an address: its entry's, or the one that is listed."""
        return self.price or listed_price(self.model, endpoint)

    def mend_key(self, url: str) -> str:
        """What to do where the key for its address is missing or refused."""
        if self.key:
            return f"Set the environment variable {self.key}, or pass api_key="
        return (
            f'No key was sent: pass api_key=, or add [models."*@{url}"] with key = "VARIABLE", the '
            "environment variable that holds it, to your models.toml"
        )


FREE = Price(input=0.0, output=0.0)
FAKE = Profile(name="scripted", price=FREE, limits=TIGHT, longest=0)
EMBEDDED = Profile(
    name="embedded",
    price=FREE,
    limits=TIGHT,
    longest=0,
    context=8192,
    concurrency=1,  # its server would queue the rest on the clock of their time-outs
    deadline=float("inf"),
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
    plain, _, at = name.partition("@")
    if not plain:
        raise InvalidInput(
            f"model: {name!r} given; expected a name, such as model:gpt-4o-mini or "
            "model:NAME@ADDRESS"
        )
    if name == EMBEDDED.name:
        return EMBEDDED
    known = {"model": plain} | _merged(plain, "")
    usual = os.environ.get("OPENAI_BASE_URL") or OPENAI
    home = (known.get("address") or base_url or usual).rstrip("/")
    address = (base_url or at or home).rstrip("/")
    if address != home:
        known["key"] = ""
    known |= _merged(plain, address) | {"name": name, "address": address}
    return Profile(**known)


def _merged(plain: str, address: str) -> dict[str, Any]:
    """The entries for a name anywhere, or for an address, as one.

    A name is meant in full or without who sells it: "qwen/qwen3-32b".
    """
    called = {plain.lower(), plain.lower().rpartition("/")[2]}
    files = [str(inputs("models", "models.toml")), os.environ.get(VARIABLE)]
    made: dict[str, Any] = {}
    for file in filter(None, files):
        try:
            entries = _entries(file, os.stat(file).st_mtime_ns)
        except OSError as error:
            raise MissingData(
                f"{file} cannot be read ({error.strerror}); {VARIABLE} names your own "
                "models.toml"
            ) from None
        for who, entry in entries.items():
            names, _, at = who.partition("@")
            fits = any(fnmatchcase(name, names.lower()) for name in called)
            if fits and at.rstrip("/") == address:
                made |= entry
    return made


@lru_cache
def _entries(path: str, stamp: int) -> Mapping[str, Mapping[str, Any]]:
    """The entries of a file, checked, in their order."""
    try:
        entries = tomllib.loads(Path(path).read_text(encoding="utf-8"))["models"]
        for name, entry in entries.items():
            Profile(**(entry | {"name": name}))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise InvalidInput(
            f"{path}: {said}; see data/inputs/models/models.toml for what an entry takes"
        ) from None
    return entries


def reasons(name: str, asked: str | None = None) -> bool | None:
    """Whether a model thinks before it answers; None where nobody knows.

    How it was `asked` to reason says so, else its entry.

    >>> reasons("o3-mini"), reasons("gemini-2.5-flash", "off"), reasons("gpt-4o")
    (True, False, False)
    """
    known = profile(name)
    effort = asked or known.reasoning_effort
    if effort:
        return effort not in ("off", "none")
    return True if known.thinking else known.reasons


@lru_cache
def listed_price(model: str, address: str) -> Price | None:
    """What genai-prices lists for a model; by its name where the address says nothing.

    The dearest of its hours. On one's own machine there is none: a name may stand
    there for weights of one's own.
    """
    if is_local(address):
        return None
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    try:
        sellers = [snapshot.find_provider(None, None, address).id]
    except LookupError:
        sellers = ["litellm", "openrouter"]  # these know "vendor/model"
    for seller in sellers:
        # A ValidationError where it is not paid by tokens.
        with suppress(LookupError, ValidationError):
            _, found = snapshot.find_provider_model(model, None, seller, None)
            listed = found.get_prices(datetime.now(UTC).replace(hour=NIGHT))
            base = {
                name: getattr(cost, "base", cost) for name, cost in vars(listed).items()
            }
            tiers = getattr(listed.input_mtok, "tiers", ())
            return Price(
                input=base["input_mtok"],
                output=base["output_mtok"],
                cached_input=base.get("cache_read_mtok"),
                long=tiers[0].start if tiers else math.inf,
            )
    return None
