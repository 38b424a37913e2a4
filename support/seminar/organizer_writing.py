"""Mails out of templates: dates in words, who is addressed how, what the person at the desk decided or changed.

Of mails that a person at the desk changed, how they greet and how they close is learnt literally. A greeting is the
first line, where it names the person and ends with a comma or an exclamation mark; a closing is the line before the
organiser's name. Nothing else of an edit is copied into other mails. A greeting is used again for people of the same
role, a closing for everybody; of several, the latest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from support.errors import InvalidInput
from support.seminar.artefacts import load_templates
from support.seminar.data import PROFESSOR, Persona, Scenario, day, in_words, surname_twice
from support.seminar.organizer_ways import answers_to
from support.seminar.records import CLARIFICATION, CONFIRMATION, INVITATION, MAIL, SENT, Action, Edit
from support.seminar.views import Desk, Draft

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


def written(desk: Desk, action: Action) -> Draft:
    """The mail of an action.

    The goal of a clarification is what it says, word for word; those who edit the action edit the mail.
    """
    if action.kind not in SENT:
        raise InvalidInput(f"action: {action.kind!r} given, which sends no mail; expected one of {', '.join(SENT)}")
    person = desk.scenario.person(action.person)
    template = desk.templates.get(action.kind) or load_templates()[action.kind]
    subject, body = template.fill(**_given(desk, action, person))
    return Draft(subject, mannered(body, learnt(desk.edits, person, desk.scenario), person, desk.scenario))


def _given(desk: Desk, action: Action, person: Persona) -> dict[str, str]:
    held = desk.scenario
    date_ = in_words(_slot(action)) if action.kind == CONFIRMATION else ""
    return {
        "speaker": addressed(person, held.people),
        "dates": "\n".join(in_words(slot) for slot in desk.state.open if slot > desk.today),
        "date": date_,
        "place": held.place,
        "time": held.time,
        "organiser": held.organiser,
        "title": held.title,
        "question": action.goal if action.kind == CLARIFICATION else "",
        "note": _note(desk, action, person),
    }


def _slot(action: Action) -> date:
    if action.slot is None:
        raise InvalidInput(f"action: a confirmation for {action.person} without a date given; expected its slot")
    return day(action.slot, f"action for {action.person}, slot")


def _note(desk: Desk, action: Action, person: Persona) -> str:
    if action.kind == INVITATION:
        return f"We would like to hear about your work on {person.field}." if person.field else ""
    if action.kind == CONFIRMATION:
        return " ".join(hook.answer.strip() for hook in answers_to(desk).get(person.name, ()))
    return ""
