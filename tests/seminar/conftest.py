"""Desks made by hand (a day, the list, what is known of people, policies), and persons who are asked something."""

import asyncio
from datetime import date

import pytest

from support.errors import InvalidInput
from support.seminar.artefacts import load_templates
from support.seminar.data import Persona, Scenario
from support.seminar.ledger import Contact, State
from support.seminar.organizer import RuleBasedOrganizer
from support.seminar.rules import PolicySet, load_policies
from support.seminar.views import Desk

SLOTS = (date(2027, 9, 15), date(2027, 10, 13), date(2027, 11, 10), date(2027, 12, 8))
MONDAY = date(2027, 8, 16)
PEOPLE = {
    "Ana Ray": "professor",
    "Bo Lund": "phd student",
    "Cy Moor": "postdoc",
    "Di Ray": "phd student",
}


@pytest.fixture(scope="session")
def policies():
    """Policies of the project's file by their ids, in the file's order."""
    everything = load_policies("all")
    return lambda *ids: PolicySet(tuple(p for p in everything if p.id in ids))


@pytest.fixture(scope="session")
def make_desk():
    """A function that makes a desk; `known` holds what is known of people beside name and role."""
    templates = load_templates()

    def make(
        policies=None,
        today=MONDAY,
        known=(),
        given=(),
        slots=SLOTS,
        people=PEOPLE,
        seats=1,
        deadline=None,
        **more,
    ):
        listed = tuple(
            Persona(n, n, f"{n.replace(' ', '.')}@example.org", role, "birds")
            for n, role in people.items()
        )
        held = Scenario(
            "test", "A seminar", "Fill the dates.", "Noor Halvard", "Room 2.14", "16:00 to 17:00", MONDAY,
            deadline or date(2027, 9, 13), tuple(slots),
            listed, seats,
        )  # fmt: skip
        contacts = {
            name: Contact(name, role, **dict(known).get(name, {}))
            for name, role in people.items()
        }
        state = State(today, dict.fromkeys(slots, ()) | dict(given), contacts, seats)
        day = (today - MONDAY).days + 1
        return Desk(
            held,
            state,
            day,
            policies=policies or PolicySet(),
            templates=templates,
            **more,
        )

    return make


@pytest.fixture(scope="session")
def work():
    """A function from a desk to the plan and the actions of a rule-based organiser."""

    def run(desk, organizer=None):
        async def day(who):
            progress = await who.progress(desk)
            selected = await who.select(desk, progress)
            plan = await who.plan(desk, progress, selected)
            return plan, await who.act(desk, plan, selected)

        return asyncio.run(day(organizer or RuleBasedOrganizer()))

    return run


@pytest.fixture(scope="session")
def done(work):
    """A function from a desk to its actions, {person: (kind, slot, policy)}."""
    return lambda desk: {a.person: (a.kind, a.slot, a.policy) for a in work(desk)[1]}


@pytest.fixture(scope="session")
def sitting():
    """A function from a person's seat, what it is asked, and answers that are given in turn until one fits.

    It returns the question, what the seat gives back, and what the refused answers were told.
    """

    def sit(seat, step, *answers):
        async def asked():
            refused, acting = [], asyncio.create_task(step(seat))
            question = await asyncio.wait_for(seat.questions.get(), 5)
            for answer in answers:
                assert not acting.done()
                try:
                    question.answer(answer)
                except InvalidInput as error:
                    refused.append(str(error))
            return question, await asyncio.wait_for(acting, 5), refused

        return asyncio.run(asked())

    return sit
