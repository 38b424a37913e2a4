"""Replies that mean what a form asks for, spelt in another way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator

NOTHING = ("", "null", "none")


def alike(allowed: Sequence[Any]) -> BeforeValidator:
    """Takes for one of some values what differs in capitals, spaces and leading zeros.

    >>> from pydantic import TypeAdapter
    >>> names = Annotated[str, alike(["O1", "Tue 17 Mar 09:00"])]
    >>> [TypeAdapter(names).validate_python(given) for given in ("o1", "tue 17 mar 9:00")]
    ['O1', 'Tue 17 Mar 09:00']
    """
    keys: dict[str, list[Any]] = {}
    for one in allowed:
        keys.setdefault(_key(one), []).append(one)

    def known(value: Any) -> Any:
        if not isinstance(value, str | int) or value in allowed:
            return value
        found = keys.get(_key(value), [])
        return found[0] if len(found) == 1 else value

    return BeforeValidator(known)


def _key(value: Any) -> str:
    words = []
    for word in str(value).casefold().split():
        words.append(word.removeprefix("0") or word)
    return " ".join(words)


def or_none(kind: Any) -> Any:
    """Something or null, which may be written as a text or an empty list."""

    def nothing(value: Any) -> Any:
        if isinstance(value, str) and value.strip().casefold() in NOTHING:
            return None
        return None if value == [] else value

    return Annotated[kind | None, BeforeValidator(nothing)]


def or_empty(kind: Any) -> Any:
    """A list that null stands for when it is empty."""

    def empty(value: Any) -> Any:
        return [] if value is None else value

    return Annotated[kind, BeforeValidator(empty)]
