"""Clauses of a marked sentence: how much each matters, whether it wants or refuses, and whether it is about meetings.

A clause without a word of its own on that ("and on Fridays") goes on as the one before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from support.environments.meetings.reading.joining import bare, gathered, resolved
from support.environments.meetings.reading.phrases import any_of, has, without

_WHO = r"(?:(?:he|she|they|i|we) )?(?:also |then |usually |always |never |normally |generally |would |will )*"
_SPLIT = "|".join(
    [
        r";|:(?! ?\d)|\s-\s|\.\.\.|[()]",
        rf",? {any_of('joins')}\b",
        rf",? and (?={_WHO}{any_of('begins')})|, (?:or )?|,$",
        r"(?= (?:except|apart from|other than|but not|and not|save for)\b)|(?<=\w) (?=not @|not in the @|not on @)",
    ]
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: its marked text, 1 to 3, whether it refuses what it names, whether it is about wishes at all."""

    text: str
    priority: int = 2
    refuses: bool = False
    about: bool = False


def split(text: str) -> tuple[Clause, ...]:
    """The clauses of a marked sentence that have something to say about time.

    >>> [(c.text, c.refuses) for c in split("prefers @w0, but never on @d1")]
    [('prefers @w0', False), ('never on @d1', True)]
    """
    text = resolved(text)
    made: list[Clause] = []
    for part in gathered([p.strip(" ,.!?\"'") for p in re.split(_SPLIT, text)]):
        made.append(_judged(part, made[-1] if made else None))
    return tuple(made)


def _judged(part: str, before: Clause | None) -> Clause:
    text = without(part, "harmless", "fine")
    priority = 1 if has(part, "weak") else 3 if has(part, "strong") else 2
    if has(text, "past"):
        return Clause(part, priority)
    outside = re.search(r"\boutside\b", text) is not None
    refuses = has(text, "refusals") != outside
    if refuses or outside or has(text, "wishes"):
        return Clause(part, priority, refuses, True)
    if bare(part):
        return Clause(part, priority)
    if before is None or not before.about:
        return Clause(part, priority, False, True)
    return Clause(part, before.priority if priority == 2 else priority, before.refuses, True)
