"""What a call may be asked with: arguments of `ChatModel.reply`, checked and made alike."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any

from support.errors import InvalidInput

ROLES = ("system", "developer", "user", "assistant")
MAX_SEED = 2**32 - 2  # llama.cpp takes 32 bits, and the last number for "draw one"

Messages = str | Sequence[Mapping[str, str]]


def conversation(messages: Messages) -> tuple[tuple[str, str], ...]:
    """Messages as (role, content) pairs; a text is one message of the user.

    Raises
    ------
    InvalidInput
        Naming the message, what it holds, and what was expected.
    """
    given = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    if not isinstance(given, Sequence) or not given:
        raise InvalidInput(
            f"messages={given!r}: expected a text or a list of {{'role': ..., 'content': ...}}, not empty."
        )
    return tuple(_turn(position, message) for position, message in enumerate(given))


def _turn(position: int, message: Any) -> tuple[str, str]:
    where = f"messages[{position}]"
    if not isinstance(message, Mapping) or set(message) != {"role", "content"}:
        raise InvalidInput(f"{where}={message!r}: expected a mapping with 'role' and 'content', and nothing else.")
    role, content = message["role"], message["content"]
    if role not in ROLES:
        raise InvalidInput(f"{where}['role']={role!r}: expected one of {', '.join(ROLES)}.")
    if not isinstance(content, str) or not content.strip():
        raise InvalidInput(f"{where}['content']={content!r}: expected a text that is not blank.")
    try:
        content.encode()
    except UnicodeEncodeError:
        raise InvalidInput(
            f"{where}['content'] holds half of a character (a lone surrogate), which no endpoint takes."
        ) from None
    return role, content


def number(name: str, value: Any, low: float, high: float) -> float:
    """A number between two bounds, as a float.

    Raises
    ------
    InvalidInput
        When it is none, or lies outside.
    """
    if isinstance(value, (str, bytes, bool)) or not hasattr(value, "__float__") or not low <= float(value) <= high:
        raise InvalidInput(f"{name}={value!r}: expected a number from {low:g} to {high:g}.")
    return math.fabs(float(value))  # -0.0 and 0.0 are one request


def whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """A whole number from `low` up, or to `high`, as an int.

    Raises
    ------
    InvalidInput
        When it is none, or lies outside.
    """
    expected = f"{name}={value!r}: expected a whole number from {low}" + (" up" if high is None else f" to {high}")
    try:
        made = operator.index(value)  # numpy's integers pass, 1.0 does not
    except TypeError:
        raise InvalidInput(f"{expected}.") from None
    if isinstance(value, bool) or made < low or (high is not None and made > high):
        raise InvalidInput(f"{expected}.")
    return made
