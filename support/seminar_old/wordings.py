"""How simulated speakers write: five voices, several ways to write a date, letters put together of sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np

from support.seminar.data import POSTDOC, PROFESSOR, Persona, lexicon, load_personas

RENOWNED, JUNIOR, FINISHING, STARTING, FRIEND = VOICES = (
    "renowned",
    "junior",
    "finishing",
    "starting",
    "friend",
)

FORMS = {
    "13 October": "{number} {month}",
    "October 13": "{month} {number}",
    "Oct 13": "{short} {number}",
    "13 Oct": "{number} {short}",
    "the 13th of October": "the {number} of {month}",
    "October 13th": "{month} {number}",
    "the 13th": "the {number}",
    "Wed 13 Oct": "{weekday} {number} {short}",
}
"""Ways to write a date; "the 13th" only where no other date that was offered has that number."""

NUMBERS = [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


@cache
def our_issues() -> frozenset[str]:
    """What the project's own personas raise: these have words of their own, by kind."""
    return frozenset(person.issue for person in load_personas().values())


@cache
def wordings() -> dict[str, Any]:
    """The tables of `wordings.toml`."""
    return lexicon("wordings.toml")[0]


def voice_of(persona: Persona) -> str:
    """Which of `VOICES` somebody has, by the role and by what the description tells."""
    told = f"{persona.description} {persona.style}".casefold()
    if re.search(r"\bfriend of (the organiser|yours|mine)\b", told):
        return FRIEND
    if persona.role == PROFESSOR:
        return (
            JUNIOR if re.search(r"\b(assistant|junior) professor\b", told) else RENOWNED
        )
    if persona.role == POSTDOC:
        return JUNIOR
    return (
        STARTING
        if re.search(r"\b(first|second) year\b|\bbegan\b.*\bthis year\b", told)
        else FINISHING
    )


class Voice:
    """How one person words things; drawn from `rng`, with a habit of writing dates that three letters in four keep."""

    def __init__(
        self, persona: Persona, organiser: str, rng: np.random.Generator
    ) -> None:
        self.persona, self.organiser, self.rng = persona, organiser, rng
        self.voice = voice_of(persona)
        self.habit = self._form = self.pick(list(FORMS))

    def chance(self, share: float) -> bool:
        """True in that share of cases."""
        return bool(self.rng.random() < share)

    def pick(self, choices: Sequence[str]) -> str:
        """One of them, drawn."""
        return choices[int(self.rng.integers(len(choices)))]

    def say(self, act: str, **slots: str) -> str:
        """One sentence of an act, its slots filled."""
        known = wordings()[act]
        return _capital(
            self.pick(known.get(self.voice) or known["any"]).format(**slots)
        )

    def issue(self, conditional: bool) -> str:
        """What the person raises, as a question or as a condition; in its own words where it is none of ours."""
        known = wordings()["issue"]
        kind = (
            self.persona.issue_kind if self.persona.issue in our_issues() else "other"
        )
        texts = known.get(kind, known["other"])["only" if conditional else "ask"]
        return _capital(self.pick(texts).format(issue=self.persona.issue))

    def about(self, act: str, days: Sequence[date], offered: Sequence[date]) -> str:
        """One sentence of an act about dates, of which some were `offered`."""
        be, dont, have = (
            ("are", "don't", "have") if len(days) > 1 else ("is", "doesn't", "has")
        )
        return self.say(
            act, dates=self.dates(days, offered), be=be, dont=dont, have=have
        )

    def dates(self, given: Sequence[date], offered: Sequence[date]) -> str:
        """Dates in a row, in a form that can be told from the others offered."""
        form = self._form
        if form == "the 13th" and any(
            d.day == o.day and d != o for d in given for o in {*offered, *given}
        ):
            form = "the 13th of October"
        return listed(in_form(sorted(given), form, together=self.chance(0.5)))

    def letter(self, sentences: Sequence[str]) -> str:
        """Greeting, sentences, closing; all in small letters if that is the person's style."""
        known, me = wordings(), self.persona
        first, *_ = parts = me.name.split()
        greeting = self.pick(known["greeting"][self.voice])
        greeting = greeting.format(first=self.organiser.split()[0], full=self.organiser)
        greeting = "" if "without a greeting" in me.style else greeting
        close = self.pick(known["close"][self.voice])
        close = close.format(
            name=first, me=me.name, initials="".join(part[0] for part in parts)
        )
        body = "\n\n".join(
            filter(None, (greeting, " ".join(filter(None, sentences)), close))
        )
        self._form = self.habit if self.chance(0.75) else self.pick(list(FORMS))
        return body.lower() if "lower case" in me.style else body


def in_form(days: Sequence[date], form: str, *, together: bool = False) -> list[str]:
    """Dates in one of `FORMS`; with `together`, those of one month share its name.

    >>> in_form([date(2027, 10, 5), date(2027, 10, 12), date(2027, 11, 9)], "the 13th of October", together=True)
    ['the 5th and 12th of October', 'the 9th of November']
    """
    together = together and form not in ("the 13th", "Wed 13 Oct")
    groups = [
        list(group)
        for _, group in groupby(
            days, key=lambda d: (d.year, d.month) if together else d
        )
    ]
    numbers = [
        listed([_ordinal(d.day) if "13th" in form else str(d.day) for d in group])
        for group in groups
    ]
    return [
        FORMS[form].format(
            number=number, month=f"{day:%B}", short=f"{day:%b}", weekday=f"{day:%a}"
        )
        for (day, *_), number in zip(groups, numbers, strict=True)
    ]


def listed(parts: Sequence[str]) -> str:
    """Words in a row: a, b and c."""
    return (
        f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)
    )


def in_days(count: int) -> str:
    """How long it takes until then, as people say: in four days, in a week, in 16 days."""
    said = {1: "a day", 7: "a week"}
    return f"in {said.get(count) or f'{NUMBERS[count] if count < len(NUMBERS) else count} days'}"


def _ordinal(number: int) -> str:
    ending = (
        "th" if 10 < number < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    )
    return f"{number}{ending}"


def _capital(given: str) -> str:
    return given[:1].upper() + given[1:]
