"""Roles whose answers are kept in the journal, and come from there when a run is taken up again."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache
from typing import Any

from support import errors
from support.errors import ConveneError, DamagedFile, InvalidInput
from support.seminar.post import AMISS, Written
from support.seminar.records import Action, Flag, OrganizingDay, Understood
from support.seminar.views import DayPlan, Draft, Response, Review, Verdict
from support.seminars.journal import Entry, Journal

Args = tuple[Any, ...]


KEPT: dict[str, tuple[Any, Callable[[Args], str]]] = {
    "read": (Understood, lambda a: str(a[1].id)),
    "progress": (str, lambda a: ""),
    "select": (tuple[str, ...], lambda a: ""),
    "plan": (DayPlan, lambda a: ""),
    "act": (tuple[Action, ...], lambda a: ""),
    "draft": (Draft, lambda a: a[1].person),
    "describe": (str, lambda a: f"{a[1].what} {a[1].about}"),
    "close": (str, lambda a: ""),
    "check": (
        Verdict,
        lambda a: digest(a[0], a[2].partition("\n")[0] if len(a) > 2 else ""),
    ),
    "review": (Review, lambda a: f"{a[1]} {a[3]}"),
    "decide": (str, lambda a: str(a[1].mail)),
    "answer": (Response, lambda a: a[0].person),
    "collect": (list[Written], lambda a: ""),
    "send": (type(None), lambda a: a[0].to),
}
"""Of every step: the form of its answer, and what it is about."""

SHOWN: dict[str, Callable[[Args], Any]] = {
    "review": lambda a: a[2],
    "decide": lambda a: a[1],
}
"""What of the question is kept beside an answer; in other steps, what the role has spent so far stands there."""

COLLECT = "collect"  # post is fetched: what goes amiss there ends the day, and is tried again when it is taken up

DAY, FINISHED = "day", "finished"
KINDS = {
    "day": OrganizingDay,
    "plan": DayPlan,
    "action": Action,
    "mail": Draft,
    "flag": Flag,
}
"""Forms of what else stands in the journal: finished days, and what a person at the desk was shown."""


def digest(*texts: str) -> str:
    """A short name for texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def to_text(form: Any, value: Any) -> str:
    """A value of that form as JSON; InvalidInput when `from_text` could not read it: such a line is never kept."""
    try:
        text = str(_adapter(form).dump_json(value, warnings=False).decode())
        _adapter(form).validate_json(text)
    except ValueError as error:
        why = " ".join(str(error).split())[:300]
        raise InvalidInput(
            f"journal: {value!r:.200} cannot be kept as {form!r} ({why})"
        ) from None
    return text


def from_text(form: Any, text: str, line: int | None = None) -> Any:
    """The value that `to_text` wrote, in that line of the journal; DamagedFile when it is none of that form."""
    try:
        return _adapter(form).validate_json(text)
    except ValueError as error:
        which, why = (
            "a line" if line is None else f"line {line}",
            " ".join(str(error).split())[:300],
        )
        raise DamagedFile(
            f"journal: {which} cannot be read ({why}). Restore the study's file from a copy, or begin a new seminar."
        ) from None


@cache
def _adapter(form: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(form)


class Memory:
    """Answers of a journal by the question, and the way to keep new ones; `day` is set by whoever plays one.

    `reached`: called with the number of a line when its answer was given again; None where a question is a new one.
    `added`: called with every new line.
    """

    def __init__(
        self,
        journal: Journal,
        reached: Callable[[int | None], None],
        added: Callable[[Entry], None],
    ) -> None:
        self.journal, self._reached, self._added = journal, reached, added
        self._lines: dict[tuple[int, str, str, str], list[Entry]] = {}
        self._last: dict[tuple[str, str], int] = {}
        for entry in journal.entries():
            self._lines.setdefault(
                (entry.day, entry.role, entry.step, entry.about), []
            ).append(entry)
            self._note(entry)
        self.open(0)

    def open(self, day: int) -> None:
        """Begin a day."""
        self.day, self._asked = day, Counter[tuple[int, str, str, str]]()

    def last(self, role: str, step: str) -> int:
        """The last day on which a role gave an answer in that step; 0 for none."""
        return self._last.get((role, step), 0)

    def _note(self, entry: Entry) -> None:
        if entry.error is None:
            self._last[entry.role, entry.step] = max(
                entry.day, self.last(entry.role, entry.step)
            )

    def add(
        self,
        role: str,
        step: str,
        about: str,
        asked: str,
        answer: str | None,
        error: str | None = None,
    ) -> Entry:
        """Write a new line."""
        entry = self.journal.add(self.day, role, step, about, asked, answer, error)
        self._note(entry)
        self._added(entry)
        return entry

    async def answer(
        self, who: Remembered, step: str, args: Args, ask: Callable[[], Awaitable[Any]]
    ) -> Any:
        """The answer of a role: the journal's, or a new one, which is kept before it is given.

        Who has to remember what they said (`again`) is asked in any case; that answer counts for nothing.
        """
        form, about_of = KEPT[step]
        key = (self.day, who.name, step, about_of(args))
        number, self._asked[key] = self._asked[key], self._asked[key] + 1
        if number < len(lines := self._lines.get(key, [])):
            if who.again:
                with suppress(*AMISS):  # what goes amiss did so before
                    await ask()
            self._reached(lines[number].number)
            who.recall(lines[number])
            return _given(form, lines[number])
        if self.day <= self.last(
            DAY, FINISHED
        ):  # nothing is asked about a day that is over, nor sent
            raise DamagedFile(
                f"journal: day {self.day} is over, but {who.name} has no answer there to the step {step!r} {key[3]}. "
                "Restore the study's file from a copy, or open it with the version of Convene that played it."
            )
        self._reached(None)
        self.journal.check()  # whoever lost the seminar to another window asks nobody and sends nothing
        shown = SHOWN[step](args) if step in SHOWN else None
        try:
            text = to_text(form, value := await ask())
        except AMISS as error:
            if step != COLLECT:
                self.add(
                    *key[1:],
                    who.beside(shown),
                    None,
                    f"{type(error).__name__}: {error}",
                )
            raise
        self.add(*key[1:], who.beside(shown), text)
        return value


USER = "user"  # whoever works with the seminar, in lines that no role wrote: policies changed, somebody taken off


class Remembered:
    """A role, an answer of which is asked for once only; with `again` for what it said before as well.

    `replies`, `tokens`: what it spent as a language model, before a restart as well.
    """

    def __init__(
        self, role: Any, name: str, memory: Memory, *, again: bool = False
    ) -> None:
        self.role, self.name, self._memory, self.again = role, name, memory, again
        self._before = (0, 0)

    @property
    def replies(self) -> int:
        """Replies of the language model so far."""
        return self._before[0] + int(getattr(self.role, "replies", 0))

    @property
    def tokens(self) -> int:
        """Tokens of the language model so far."""
        return self._before[1] + int(getattr(self.role, "tokens", 0))

    def beside(self, shown: Any) -> str:
        """What stands beside an answer: what was shown, or else what the role has spent so far, if anything."""
        if shown is not None:
            return to_text(type(shown), shown)
        spent = (self.replies, self.tokens)
        return to_text(tuple[int, int], spent) if any(spent) else ""

    def recall(self, entry: Entry) -> None:
        """Take over what a line says was spent until then."""
        if entry.asked and entry.step not in SHOWN:
            said = from_text(tuple[int, int], entry.asked, entry.number)
            self._before = (
                max(said[0], self._before[0]),
                max(said[1], self._before[1]),
            )

    def __getattr__(self, step: str) -> Any:
        found = getattr(self.role, step)
        if step not in KEPT:
            return found

        async def remembered(*args: Any) -> Any:
            return await self._memory.answer(self, step, args, lambda: found(*args))

        return remembered


def _given(form: Any, entry: Entry) -> Any:
    """What a line holds, or the error again that it tells of."""
    if entry.answer is not None:
        return from_text(form, entry.answer, entry.number)
    kind, _, said = (entry.error or "").partition(": ")
    raised = getattr(errors, kind, None)
    if not (isinstance(raised, type) and issubclass(raised, ConveneError)):
        raise DamagedFile(
            f"journal: line {entry.number} holds no answer and the error {entry.error!r}"
        )
    raise raised(said)
