"""The phrases of `phrases.toml`, compiled: one pattern for each question that a rule asks of a clause."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files

LISTS: Mapping[str, list[str]] = tomllib.loads(
    files("support.environments.meetings.reading").joinpath("phrases.toml").read_text(encoding="utf-8")
)
_PATTERNS = {name: re.compile("|".join(phrases)) for name, phrases in LISTS.items()}


def has(text: str, name: str) -> bool:
    """Whether a text has one of the phrases of a list.

    >>> has("ideally @w0", "weak"), has("@w0", "weak")
    (True, False)
    """
    return _PATTERNS[name].search(text) is not None


def without(text: str, name: str, instead: str = "") -> str:
    """A text with the phrases of a list taken out, or replaced."""
    return _PATTERNS[name].sub(instead, text)


def any_of(name: str) -> str:
    """A list as part of a larger pattern."""
    return f"(?:{'|'.join(LISTS[name])})"
