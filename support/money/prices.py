"""What a million tokens costs at which endpoint: a dated file, checked when it is read."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from support.data import inputs
from support.errors import InvalidInput, MissingData, ModelUnavailable

VARIABLE = "CONVENE_PRICES"
FIELDS = {"name", "endpoint", "input", "cached_input", "output"}
MILLION = 1_000_000

# Tokenizers that fall back on bytes, as all of today's do, make at most one token of a byte; what chat templates add
# around a message, and a template's own preamble, is allowed for generously.
PER_MESSAGE, PREAMBLE = 16, 256


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens: of prompts, of prompts found in the provider's own cache, of replies."""

    input: float
    output: float
    cached_input: float | None = None

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_prompt_tokens: int = 0) -> float:
        """What a call costs, in US dollars; `prompt_tokens` includes the cached ones, as endpoints report them.

        >>> Price(input=2.0, output=8.0, cached_input=0.5).cost(1000, 100, cached_prompt_tokens=800)
        0.0016
        """
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = max(0, prompt_tokens - cached_prompt_tokens)
        total = fresh * self.input + cached_prompt_tokens * cached + completion_tokens * self.output
        return round(total / MILLION, 12)

    def worst(self, prompt_bound: int, max_tokens: int) -> float:
        """What a call can cost at most, when its prompt has at most `prompt_bound` tokens."""
        dearest = max(self.input, self.cached_input or 0.0)
        return (prompt_bound * dearest + max_tokens * self.output) / MILLION


def prompt_bound(messages: tuple[tuple[str, str], ...], schema: str | None = None) -> int:
    """More tokens than the endpoint can count for a prompt: one for each byte, and room for what it adds."""
    words = sum(len(content.encode()) + PER_MESSAGE for _, content in messages)
    return words + PREAMBLE + (2 * len(schema.encode()) if schema else 0)  # endpoints rewrite a schema for the model


OURS: Mapping[tuple[str, str], Price] = {
    ("*", "embedded"): Price(0.0, 0.0),
    ("*", "scripted"): Price(0.0, 0.0),
    ("*", "stand-in"): Price(0.0, 0.0),
    ("recorded", "practice"): Price(0.15, 0.6, 0.075),  # pretended: lessons about money need some
}
"""What is free, or pretended, whatever file is read; a file that lists them goes first."""


class Prices:
    """The prices of a file, found by model and endpoint.

    Parameters
    ----------
    path : path, optional
        By default the file that CONVENE_PRICES names, else ``data/inputs/prices/prices.toml``.

    Raises
    ------
    MissingData
        When the file is not there.
    InvalidInput
        When it is not of the form that its README gives.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path or os.environ.get(VARIABLE) or inputs("prices", "prices.toml"))
        self.date, self._prices = _read(self.path, _stamp(self.path))

    def find(self, model: str, endpoint: str) -> Price | None:
        """The price of a model at an endpoint, None when none is listed."""
        places = ((model, endpoint), ("*", endpoint))
        return next((known[place] for known in (self._prices, OURS) for place in places if place in known), None)

    def needed(self, model: str, endpoint: str) -> Price:
        """The price, where there must be one.

        Raises
        ------
        ModelUnavailable
            When none is listed; the message has the lines to add.
        """
        if (price := self.find(model, endpoint)) is not None:
            return price
        raise ModelUnavailable(
            f"budget_usd: {model!r} at {endpoint} has no price in {self.path} (of {self.date}), so that no budget can "
            "be kept. Add these lines to that file, with US dollars for a million tokens (0 where the model is your "
            f"own), or to a file of your own that {VARIABLE} names:\n"
            f"[[models]]\nname = {_quoted(model)}\nendpoint = {_quoted(endpoint)}\ninput = …\noutput = …"
        )


def _quoted(text: str) -> str:
    """A text as TOML writes it, which is as JSON does."""
    return json.dumps(text, ensure_ascii=False)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise _unreadable(path, error) from None
    return found.st_mtime_ns, found.st_size


def _unreadable(path: Path, error: OSError) -> MissingData:
    return MissingData(
        f"prices: {path} cannot be read ({error.strerror}); restore it with git checkout -- data/inputs/prices, "
        f"or name another file in the environment variable {VARIABLE}."
    )


@lru_cache(maxsize=8)
def _read(path: Path, stamp: tuple[int, int]) -> tuple[date, Mapping[tuple[str, str], Price]]:
    """The file, read anew when its stamp has changed."""
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"prices: {path} is not TOML ({error}); mend that line.") from None
    except OSError as error:
        raise _unreadable(path, error) from None
    if not isinstance(given.get("date"), date) or not isinstance(given.get("models"), list):
        raise InvalidInput(f"prices: {path} needs date = YYYY-MM-DD, and [[models]]; see data/inputs/prices/README.md.")
    prices: dict[tuple[str, str], Price] = {}
    for number, entry in enumerate(given["models"], 1):
        where, price = _entry(entry, f"prices: {path}, entry {number} of [[models]]")
        if where in prices:
            raise InvalidInput(f"prices: {path} lists {where[0]!r} at {where[1]} twice; leave one.")
        prices[where] = price
    return given["date"], prices


def _entry(entry: Any, where: str) -> tuple[tuple[str, str], Price]:
    if not isinstance(entry, dict) or not {"name", "endpoint", "input", "output"} <= set(entry) <= FIELDS:
        raise InvalidInput(f"{where}: {entry!r} given; expected name, endpoint, input, output, perhaps cached_input.")
    for name in ("name", "endpoint"):
        if not isinstance(entry[name], str) or not entry[name].strip():
            raise InvalidInput(f"{where}: {name}={entry[name]!r} given; expected a text.")
    for name in FIELDS & set(entry) - {"name", "endpoint"}:
        value = entry[name]
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
            raise InvalidInput(f"{where}: {name}={value!r} given; expected US dollars for a million tokens, 0 or more.")
    rest = {name: float(entry[name]) for name in FIELDS & set(entry) - {"name", "endpoint"}}
    return (entry["name"], entry["endpoint"].rstrip("/")), Price(**rest)
