"""In what two requests differ, part by part: for whoever expected a recorded reply and got none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain
from typing import Any

from support.llm.transport import Request, canonical

NAMES = ("model", "endpoint")  # who was asked: all that a recording without its questions keeps of a request
SETTINGS = ("temperature", "seed", "max_tokens", "repetition")
NOTHING = "nothing"
AROUND = 2  # words of context on either side
LONGEST = 60  # characters of a value that are shown
ALIGNED = 2000  # words: texts that differ over more than this are not aligned word by word

Run = tuple[int, int, int, int]  # recorded[i1:i2] stands where asked[j1:j2] is


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where a request differs from a recorded one.

    `part` is "model", "message 3 (user)", "schema" and the like, `place` where in it: "word 14". `asked` and
    `recorded` are what stands there, ready to be shown; "nothing" where nothing does.
    """

    part: str
    place: str
    asked: str
    recorded: str

    def __str__(self) -> str:
        return f"{self.part}{self.place and ', '}{self.place}: {self.asked} asked, {self.recorded} recorded"


def differences(asked: Request, recorded: Request) -> tuple[Difference, ...]:
    """Every place where a request differs from a recorded one, in reading order.

    >>> a = Request("m", "scripted", (("user", "meet on Monday"),), None, 0.0, None, 64, 0)
    >>> b = Request("m", "scripted", (("user", "meet on Friday"),), None, 0.5, None, 64, 0)
    >>> [str(d) for d in differences(a, b)]  # doctest: +NORMALIZE_WHITESPACE
    ["message 1 (user), word 3 in 'meet on Monday': 'Monday' asked, 'Friday' recorded",
     'temperature: 0.0 asked, 0.5 recorded']
    """
    return tuple(
        chain(
            _values(asked, recorded, NAMES),
            _messages(asked.messages, recorded.messages),
            _schema(asked.schema, recorded.schema),
            _values(asked, recorded, SETTINGS),
        )
    )


def _values(asked: Request, recorded: Request, names: Sequence[str]) -> Iterator[Difference]:
    for name in names:
        ours, theirs = getattr(asked, name), getattr(recorded, name)
        if ours != theirs:
            yield Difference(name, "", repr(ours), repr(theirs))


def _messages(asked: Sequence[tuple[str, str]], recorded: Sequence[tuple[str, str]]) -> Iterator[Difference]:
    """Messages side by side; one that was put in or left out does not make those after it differ."""
    alone: tuple[list[str], list[str]] = [], []
    for i1, i2, j1, j2 in _runs(asked, recorded):
        both = min(i2 - i1, j2 - j1)
        for step in range(both):
            yield from _message(j1 + step + 1, asked[j1 + step], recorded[i1 + step])
        alone[0].extend(f"{number + 1} ({asked[number][0]})" for number in range(j1 + both, j2))
        alone[1].extend(f"{number + 1} ({recorded[number][0]})" for number in range(i1 + both, i2))
    if any(alone):
        ours, theirs = (f"number {', '.join(only)}" if only else "none" for only in alone)
        yield Difference("messages", f"{len(asked)} beside {len(recorded)}, of which alone", ours, theirs)


def _message(number: int, asked: tuple[str, str], recorded: tuple[str, str]) -> Iterator[Difference]:
    part = f"message {number} ({asked[0]})"
    if asked[0] != recorded[0]:
        yield Difference(part, "role", repr(asked[0]), repr(recorded[0]))
    if asked[1] != recorded[1]:
        yield from _text(part, asked[1], recorded[1])


def _text(part: str, asked: str, recorded: str) -> Iterator[Difference]:
    ours, theirs = asked.split(), recorded.split()
    if ours == theirs:
        same = asked[: _common(asked, recorded)]
        place = f"spaces or line breaks after word {len(same.split())}"
        yield Difference(part, place, repr(_gap(asked, same)), repr(_gap(recorded, same)))
    for i1, i2, j1, j2 in _runs(ours, theirs):
        yield Difference(part, _place(ours, j1, j2), _shown(ours[j1:j2]), _shown(theirs[i1:i2]))


def _place(words: Sequence[str], start: int, end: int) -> str:
    """Which words of the message that is asked, the first being number 1; with those around, where it is but a few."""
    if end - start > AROUND:
        return f"words {start + 1} to {end}"
    number = f"word {end}" if end > start else f"after word {start}"
    around = _short(" ".join(words[max(start - AROUND, 0) : end + AROUND]))
    return f"{number if end - start < 2 else f'words {start + 1} and {end}'} in {around!r}"


def _gap(text: str, same: str) -> str:
    """The white space in which two texts begin to differ."""
    start = len(same.rstrip())
    return text[start : len(text) - len(text[start:].lstrip())]


def _runs(asked: Sequence[Any], recorded: Sequence[Any]) -> list[Run]:
    """Where two sequences differ, outside of what they have in common at either end."""
    head = _common(asked, recorded)
    tail = _common(asked[head:][::-1], recorded[head:][::-1])
    ours, theirs = asked[head : len(asked) - tail], recorded[head : len(recorded) - tail]
    if not ours and not theirs:
        return []
    if max(len(ours), len(theirs)) > ALIGNED:
        return [(head, head + len(theirs), head, head + len(ours))]
    codes = SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes()
    return [(head + i1, head + i2, head + j1, head + j2) for tag, i1, i2, j1, j2 in codes if tag != "equal"]


def _common(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many items two sequences have in common at their beginning."""
    both = min(len(one), len(other))
    return next((place for place in range(both) if one[place] != other[place]), both)


def _schema(asked: str | None, recorded: str | None) -> Iterator[Difference]:
    if asked == recorded:
        return
    if asked is None or recorded is None:
        yield Difference("schema", "", _form(asked), _form(recorded))
        return
    ours, theirs = json.loads(asked), json.loads(recorded)
    yield from _nodes(ours, theirs, "")
    if canonical(ours) == canonical(theirs):
        yield Difference("schema", "", "its fields in one order", "the same in another")


def _form(schema: str | None) -> str:
    return "free text" if schema is None else f"the form {json.loads(schema).get('title', '')!r}"


def _nodes(asked: Any, recorded: Any, path: str) -> Iterator[Difference]:
    """The fields of two JSON schemas that differ."""
    if not isinstance(asked, dict) or not isinstance(recorded, dict):
        if asked != recorded:
            yield Difference("schema", path, _json(asked), _json(recorded))
        return
    fields = asked.get("properties"), recorded.get("properties")
    for key in {**asked, **recorded}:
        if key == "required" and fields[0] != fields[1]:
            continue  # it names all fields, and which differ is said of those
        below = f"{path}.{key}" if path else key
        if key in asked and key in recorded:
            yield from _nodes(asked[key], recorded[key], path if key == "properties" else below)
        else:
            yield Difference(
                "schema", below, *(_json(node[key]) if key in node else NOTHING for node in (asked, recorded))
            )


def _json(value: Any) -> str:
    return _short(json.dumps(value, ensure_ascii=False))


def _shown(words: Sequence[str]) -> str:
    return repr(_short(" ".join(words))) if words else NOTHING


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
