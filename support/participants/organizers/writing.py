"""Mails out of templates: dates in words, who is addressed how, what the person at the desk decided or changed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import cache

from support.environments.seminar.artefacts import Template, load_templates
from support.environments.seminar.personas import Persona
from support.environments.seminar.scenario import day
from support.environments.seminar.views import Desk, Draft
from support.environments.seminar.workdays import in_words
from support.errors import InvalidInput
from support.participants.organizers.flags import answers_to
from support.participants.organizers.manners import addressed, learnt, mannered
from support.records.organizing import CLARIFICATION, CONFIRMATION, INVITATION, SENT, Action


def written(desk: Desk, action: Action) -> Draft:
    """The mail of an action.

    The goal of a clarification is what it says, word for word; those who edit the action edit the mail.

    Raises
    ------
    InvalidInput
        On an action that sends nothing, a person who is not on the list, or a confirmation without a date.
    """
    if action.kind not in SENT:
        raise InvalidInput(f"action: {action.kind!r} given, which sends no mail; expected one of {', '.join(SENT)}")
    person = desk.scenario.person(action.person)
    subject, body = _template(desk, action.kind).fill(**_given(desk, action, person))
    return Draft(subject, mannered(body, learnt(desk.edits, person, desk.scenario), person, desk.scenario))


def _template(desk: Desk, kind: str) -> Template:
    """The desk's own, or the project's where the desk has none of that kind."""
    return desk.templates.get(kind) or _usual()[kind]


@cache
def _usual() -> Mapping[str, Template]:
    return load_templates()


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
