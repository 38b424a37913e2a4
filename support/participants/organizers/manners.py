"""What is learnt literally from mails that a person at the desk changed: how they greet, and how they close.

A greeting is the first line, where it names the person and ends with a comma or an exclamation mark; a closing is the
line before the organiser's name. Nothing else of an edit is copied into other mails. A greeting is used again for
people of the same role, a closing for everybody; of several, the latest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from support.environments.seminar.personas import PROFESSOR, Persona, surname_twice
from support.environments.seminar.scenario import Scenario
from support.records.organizing import MAIL, Edit

LONGEST = 80
"""Characters of a line that can be a greeting or a closing."""


@dataclass(frozen=True, slots=True)
class Manner:
    """A greeting with {name}, {first} and {last} for who is greeted, and a closing; "" where none was learnt."""

    greeting: str = ""
    closing: str = ""


def addressed(person: Persona, people: Sequence[Persona]) -> str:
    """How mails address somebody: professors by title and last name, in full where another shares it; others by name.

    >>> ana = Persona("a", "Ana Ray", "ana@example.org", "professor")
    >>> addressed(ana, [ana]), addressed(ana, [ana, Persona("b", "Bo Ray", "bo@example.org", "postdoc")])
    ('Professor Ray', 'Professor Ana Ray')
    """
    if person.role != PROFESSOR:
        return person.name
    return f"Professor {person.name if person.name in surname_twice(people) else person.name.split()[-1]}"


def learnt(edits: Sequence[Edit], person: Persona, scenario: Scenario) -> Manner:
    """What the edits of mails say about a mail to this person."""
    greeting = closing = ""
    for edit in edits:
        if edit.what != MAIL or not edit.after:
            continue
        known = scenario.by_name.get(edit.about)
        if known and known.role == person.role:
            greeting = _replaced(greeting_of(edit.before, known), greeting_of(edit.after, known)) or greeting
        closing = _replaced(closing_of(edit.before, scenario), closing_of(edit.after, scenario)) or closing
    return Manner(greeting, closing)


def _replaced(old: str, new: str) -> str:
    return new if new and new != old else ""


def greeting_of(text: str, person: Persona) -> str:
    """The greeting of a mail, with gaps for the name; "" where there is none.

    >>> greeting_of("Hi Ana!", Persona("a", "Ana Ray", "ana@example.org", "professor"))
    'Hi {first}!'
    """
    for line in text.splitlines():
        plain = line.strip()
        if 0 < len(plain) <= LONGEST and plain.endswith((",", "!")) and (gaps := _gapped(plain, person)) != plain:
            return gaps
    return ""


def _gapped(line: str, person: Persona) -> str:
    """A line with gaps for somebody's name; braces of its own are no gaps."""
    names = {"name": person.name, "last": person.name.split()[-1], "first": person.name.split()[0]}
    plain = line.replace("{", "(").replace("}", ")")
    for gap, name in names.items():
        plain = re.sub(rf"\b{re.escape(name)}(?!\w)", f"{{{gap}}}", plain)
    return plain


def closing_of(text: str, scenario: Scenario) -> str:
    """The line before the organiser's own name at the end; "" where there is none."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    names = (scenario.organiser, scenario.organiser.split()[0])
    signed = [k for k, line in enumerate(lines) if line.rstrip(",.") in names]
    return lines[signed[-1] - 1] if signed and signed[-1] and len(lines[signed[-1] - 1]) <= LONGEST else ""


def mannered(body: str, manner: Manner, person: Persona, scenario: Scenario) -> str:
    """A mail with the greeting and the closing that were learnt."""
    lines = body.split("\n")
    if manner.greeting and greeting_of(lines[0], person):
        lines[0] = _filled(manner.greeting, person, scenario.people)
    closing = closing_of(body, scenario)
    if manner.closing and closing:
        at = max(k for k, line in enumerate(lines) if line.strip() == closing)
        lines[at] = manner.closing
    return "\n".join(lines)


def _filled(greeting: str, person: Persona, people: Sequence[Persona]) -> str:
    last = person.name if person.name in surname_twice(people) else person.name.split()[-1]
    gaps = {"{name}": person.name, "{last}": last, "{first}": person.name.split()[0]}
    return re.sub(r"\{(?:name|last|first)\}", lambda gap: gaps[gap[0]], greeting)
