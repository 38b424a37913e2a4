"""Mails out of templates: dates in words, who is addressed how, what the person at the desk decided or changed.

Of mails that a person at the desk changed, how they greet and how they close is learnt literally. A greeting is the
first line, where it names the person and ends with a comma or an exclamation mark; a closing is the line before the
organiser's name. Nothing else of an edit is copied into other mails. A greeting is used again for people of the same
role, a closing for everybody; of several, the latest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from support.seminar.artefacts import load_templates
from support.seminar.data import PROFESSOR, Persona, Scenario, in_words, surname_twice
from support.seminar.organizer_log import answers_to
from support.seminar.records import CLARIFICATION, CONFIRMATION, INVITATION, MAIL, Action, Edit
from support.seminar.views import Desk, Draft

LONGEST = 80
"""Characters of a line that can be a greeting or a closing."""


def written(desk: Desk, action: Action) -> Draft:
    """The mail of an action. The goal of a clarification is what it says: those who edit the action edit the mail."""
    held, person = desk.scenario, desk.scenario.person(action.person)
    template = desk.templates.get(action.kind) or load_templates()[action.kind]
    notes = {
        INVITATION: f"We would like to hear about your work on {person.field}." if person.field else "",
        CONFIRMATION: " ".join(hook.answer.strip() for hook in answers_to(desk).get(person.name, ())),
    }
    subject, body = template.fill(
        speaker=addressed(person, held.people),
        dates="\n".join(in_words(slot) for slot in desk.state.open if slot > desk.today),
        date=in_words(date.fromisoformat(action.slot or "")) if action.kind == CONFIRMATION else "",
        place=held.place,
        time=held.time,
        organiser=held.organiser,
        title=held.title,
        question=action.goal if action.kind == CLARIFICATION else "",
        note=notes.get(action.kind, ""),
    )
    return Draft(subject, mannered(body, desk.edits, person, held))


def addressed(person: Persona, people: Sequence[Persona]) -> str:
    """How mails address somebody: professors by title and last name, in full where another shares it; others by name.

    >>> ana = Persona("a", "Ana Ray", "ana@example.org", "professor")
    >>> addressed(ana, [ana]), addressed(ana, [ana, Persona("b", "Bo Ray", "bo@example.org", "postdoc")])
    ('Professor Ray', 'Professor Ana Ray')
    """
    return f"Professor {_last(person, people)}" if person.role == PROFESSOR else person.name


def _last(person: Persona, people: Sequence[Persona]) -> str:
    return person.name if person.name in surname_twice(people) else person.name.split()[-1]


def mannered(body: str, edits: Sequence[Edit], person: Persona, scenario: Scenario) -> str:
    """A mail with the greeting and the closing that edits of mails teach."""
    greeting, closing, lines = "", "", body.split("\n")
    for edit in (edit for edit in edits if edit.what == MAIL and edit.after):
        known = scenario.by_name.get(edit.about)
        if known and known.role == person.role:
            greeting = _replaced(greeting_of(edit.before, known), greeting_of(edit.after, known)) or greeting
        closing = _replaced(closing_of(edit.before, scenario), closing_of(edit.after, scenario)) or closing
    if greeting and greeting_of(lines[0], person):
        gaps = {"{name}": person.name, "{last}": _last(person, scenario.people), "{first}": person.name.split()[0]}
        lines[0] = re.sub(r"\{(?:name|last|first)\}", lambda gap: gaps[gap[0]], greeting)
    if closing and (old := closing_of(body, scenario)):
        lines[max(k for k, line in enumerate(lines) if line.strip() == old)] = closing
    return "\n".join(lines)


def _replaced(old: str, new: str) -> str:
    return new if new and new != old else ""


def greeting_of(text: str, person: Persona) -> str:
    """The greeting of a mail, with gaps for the name; braces of its own are no gaps. "" where there is none.

    >>> greeting_of("Hi Ana!", Persona("a", "Ana Ray", "ana@example.org", "professor"))
    'Hi {first}!'
    """
    names = {"name": person.name, "last": person.name.split()[-1], "first": person.name.split()[0]}
    for line in map(str.strip, text.splitlines()):
        if not 0 < len(line) <= LONGEST or not line.endswith((",", "!")):
            continue
        gaps = line.replace("{", "(").replace("}", ")")
        for gap, name in names.items():
            gaps = re.sub(rf"\b{re.escape(name)}(?!\w)", f"{{{gap}}}", gaps)
        if gaps != line:
            return gaps
    return ""


def closing_of(text: str, scenario: Scenario) -> str:
    """The line before the organiser's own name at the end; "" where there is none."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    names = (scenario.organiser, scenario.organiser.split()[0])
    signed = [k for k, line in enumerate(lines) if line.rstrip(",.") in names]
    return lines[signed[-1] - 1] if signed and signed[-1] and len(lines[signed[-1] - 1]) <= LONGEST else ""
