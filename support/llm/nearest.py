"""A cache that explains itself: the recorded request that is nearest to one that was never recorded.

Nearest is the one with the fewest changes, a word of a message counting as one, and a setting as one; one with the same
messages comes before all others. All requests are gone through once, by the clauses they have in common, and the best
of them are then compared word by word.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.llm.differences import NAMES, SETTINGS, Difference, differences
from support.llm.transport import Request, canonical

if TYPE_CHECKING:
    from support.llm.cache import Cache

REFINED = 200  # requests that are compared word by word
SHOWN = 2  # differences of one part that are shown
UNLIKE = 0.3  # share of common words under which a request is another question altogether
PATIENCE = 200_000  # requests that one cache goes through for those who did not ask for it: a few seconds
MESSAGES = '"messages":'  # so they begin in the JSON of a request
FIELDS = (*NAMES, "schema", *SETTINGS)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a request has no recorded reply; print it to read it.

    Attributes
    ----------
    exact : bool
        Whether it has one after all.
    recorded : int
        How many recorded requests it was compared with.
    nearest : Request or None
        The one with the fewest changes.
    differences : tuple of Difference
        In what that one differs; where only names are recorded, in which of them.
    alike : float
        The share of words that both have, of the longer one's.
    without_question : int
        How many replies were recorded without their questions, so that only model and endpoint can be compared.
    """

    exact: bool = False
    recorded: int = 0
    nearest: Request | None = None
    differences: tuple[Difference, ...] = ()
    alike: float = 1.0
    without_question: int = 0

    def __str__(self) -> str:
        if self.exact:
            return "The reply to this very request is recorded."
        if self.nearest is None:
            return self._blind() if self.without_question else "No reply is recorded at all."
        count = f"{len(self.differences)} place{'s'[: len(self.differences) != 1]}"
        which = f"nearest of {self.recorded:,} recorded requests" if self.recorded > 1 else "one recorded request"
        little = ", and has little in common with this one" if self.alike < UNLIKE else ""
        more = self.without_question and f" {self.without_question:,} more replies are kept without their questions."
        return f"The {which} differs in {count}{little}: {self._told()}.{more or ''}"

    def _blind(self) -> str:
        said = (
            f"The {self.without_question:,} replies were recorded without their questions, so that only model and "
            "endpoint can be compared: "
        )
        rest = f"the messages, the schema, {', '.join(SETTINGS[:-1])} or {SETTINGS[-1]}"
        return said + (self._told() if self.differences else f"they are as asked, it is {rest} that differ") + "."

    def _told(self) -> str:
        parts: dict[str, list[str]] = {}
        for difference in self.differences:
            parts.setdefault(difference.part, []).append(str(difference))
        return "; ".join(_first(part, told) for part, told in parts.items())


def explained(request: Request, cache: Cache) -> Explanation:
    """Why a request has no reply in a cache, by the nearest one that has.

    Raises
    ------
    DamagedFile
        When a recorded request cannot be read.
    """
    if cache.get(request) is not None:
        return Explanation(exact=True)
    numbers, recorded, blind = _finalists(request, cache)
    if not numbers:
        return Explanation(differences=_names(request, cache) if blind else (), without_question=blind)
    words = _words(request)
    found = min((cache.request(number) for number in numbers), key=lambda other: _distance(request, words, other))
    return Explanation(
        recorded=recorded,
        nearest=found,
        differences=differences(request, found),
        alike=_alike(words, _words(found)),
        without_question=blind,
    )


def miss_words(request: Request, cache: Cache) -> str:
    """What a `CacheMiss` says: what was asked, what is recorded, in what the nearest differs, and the way out.

    Many calls may miss at once; when a large file has been gone through a few times, the rest is left to
    `Cache.explain`.
    """
    said = "What differs from the nearest, Cache.explain(...) tells."
    if cache.gone_through < PATIENCE:
        cache.gone_through += len(cache)
        found = cache.explain(request)
        said = f"{found}{_elsewhere(found)}"
    return (
        f"{request.model} at {request.endpoint} is used offline, and its reply to {request.messages[-1][1][:60]!r}… "
        f"is not recorded in {cache.path}. {said} Connect without offline=True, "
        "or take in the recording of this run with Cache.load(...)."
    )


def _elsewhere(found: Explanation) -> str:
    """What to do when it was recorded at another address: the address is part of the question."""
    if found.nearest is None or "endpoint" not in {difference.part for difference in found.differences}:
        return ""
    return f" Connect to where it was recorded, base_url={found.nearest.endpoint!r}: nothing is sent there."


def _finalists(request: Request, cache: Cache) -> tuple[list[int], int, int]:
    """The rows with these very messages, or else with most clauses in common; how many had messages, and had none.

    A word that is changed changes one clause, so that the nearest request has few clauses that differ. Taking apart a
    request at its commas costs a tenth of what taking it apart at its spaces does.
    """
    messages = f"{MESSAGES}{canonical(request.messages)},"
    asked, count, blind = frozenset(_clauses(request.to_json())), 0, 0
    same: list[int] = []
    scored: list[tuple[int, int]] = []
    for number, text in cache.requests():
        place = text.find(MESSAGES)
        count, blind = count + (place >= 0), blind + (place < 0)
        if text.startswith(messages, place):
            same.append(number)
        elif place >= 0 and not same:
            scored.append((len(asked.symmetric_difference(_clauses(text))), number))
    return same or sorted(number for _, number in heapq.nsmallest(REFINED, scored)), count, blind


def _clauses(text: str) -> list[str]:
    r"""A request's JSON, taken apart at the ends of lines (there `\n`), sentences and clauses."""
    return text.replace(". ", "\\n").replace(", ", "\\n").split("\\n")


def _words(request: Request) -> Counter[str]:
    """The words of all messages, and their roles."""
    words = Counter(f" {role}" for role, _ in request.messages)  # a blank: no word has one
    for _, text in request.messages:
        words.update(text.split())
    return words


def _distance(asked: Request, words: Counter[str], other: Request) -> tuple[float, ...]:
    """Changes that lead from one request to the other; where they are as many, fewer in the settings come first."""
    theirs = words if other.messages == asked.messages else _words(other)
    changed = max((words - theirs).total(), (theirs - words).total())
    fields = sum(getattr(asked, name) != getattr(other, name) for name in FIELDS)
    moved = not changed and asked.messages != other.messages
    away = sum(abs((getattr(asked, name) or 0) - (getattr(other, name) or 0)) for name in SETTINGS)
    return changed + moved + fields, fields, away


def _alike(one: Counter[str], other: Counter[str]) -> float:
    return (one & other).total() / max(one.total(), other.total())


def _names(request: Request, cache: Cache) -> tuple[Difference, ...]:
    """How model and endpoint differ from those of replies without questions; nothing where some have the same."""
    asked = (request.model, request.endpoint)
    near = max(cache.models(), key=lambda names: sum(a == b for a, b in zip(names, asked, strict=True)))
    return tuple(Difference(n, "", repr(a), repr(b)) for n, a, b in zip(NAMES, asked, near, strict=True) if a != b)


def _first(part: str, told: list[str]) -> str:
    more = len(told) - SHOWN
    return "; ".join(told[:SHOWN]) + (f"; and {more} more in {part}" if more > 0 else "")
