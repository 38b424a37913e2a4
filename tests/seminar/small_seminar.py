"""A small seminar for tests: four people, four dates, and desks on which anything is known."""

import asyncio
from copy import deepcopy
from datetime import date

from support.seminar.books import Books, Contact
from support.seminar.data import ORGANISER, Persona, Scenario
from support.seminar.desk import Desk, load_templates
from support.seminar.organizer import RuleBasedOrganizer
from support.seminar.policies import PolicySet, load_policies
from support.seminar.records import Action, Mail

MON, TUE, WED, THU, FRI, SAT = (date(2027, 8, day) for day in range(16, 22))
SEP, OCT = date(2027, 9, 15), date(2027, 10, 13)
NOV, DEC = date(2027, 11, 10), date(2027, 12, 8)
SLOTS = SEP, OCT, NOV, DEC
ANA, BO, CY, DI = "Ana Ray", "Bo Lund", "Cy Moor", "Di Ray"
PEOPLE = {ANA: "professor", BO: "phd student", CY: "postdoc", DI: "phd student"}
SEED = "begin follow_up give_up ask_more vague faculty_first"


def persona(name, role="postdoc", **behaves):
    """Somebody who answers at once, whom every date suits."""
    mail = f"{name.replace(' ', '.')}@example.org"
    return Persona(name, name, mail, role, **{"days": 0, **behaves})


def programme(people=None, slots=SLOTS, seats=1, deadline=date(2027, 9, 13)):
    """The seminar; it starts on Monday, 16 August 2027."""
    listed = tuple(persona(name, role) for name, role in (people or PEOPLE).items())
    place = "Room 2.14", "16:00 to 17:00"
    head = "test", "A seminar", "Fill the dates.", "Noor Halvard", *place
    return Scenario(*head, MON, deadline, tuple(slots), listed, seats)


def books(today=MON, known=None, given=None, **scenario):
    """Books in which this is known of people, and these have dates."""
    made = Books(programme(**scenario))
    made.today = today
    for name, contact in made.contacts.items():
        made.contacts[name] = Contact(name, contact.role, **(known or {}).get(name, {}))
    for slot, names in (given or {}).items():
        made.holders[slot] = list(names)
    return made


def policies(names):
    """Policies of the project's file."""
    everything = load_policies("all")
    return PolicySet(tuple(everything[name] for name in names.split()))


def desk(names="", today=MON, known=None, given=None, scenario=None, **more):
    """A desk on such a day; `names` are policies of the project's file."""
    held = books(today, known, given, **(scenario or {}))
    more = {"templates": load_templates(), "day": (today - MON).days + 1, **more}
    return Desk(held, policies(names), **more)


def said(*can, perhaps=(), mails=(MON,), answered=(MON,), **more):
    """What is known of somebody who was written to and answered."""
    dates = {"can": {*can}, "perhaps": {*perhaps}}
    return {"mails": list(mails), "answered": list(answered), **dates, **more}


def known(rest, **first):
    """What is known of people by their first names, and of the `rest`."""
    return {name: first.get(name.split()[0], rest) for name in PEOPLE}


def letter(id, to, kind, day=1, slots=(), asks="", **more):
    """A mail of ours."""
    return Mail(id, day, kind, ORGANISER, to, slots=tuple(slots), asks=asks, **more)


def give(name, slot=SEP):
    """A date is given."""
    return Action("confirmation", name, slots=(slot,))


def evening(before, actions):
    """The books after these actions, whose confirmations were sent."""
    after = deepcopy(before)
    for action in actions:
        if action.kind == "confirmation":
            after.holders[action.slots[0]].append(action.person)
            after.contacts[action.person].confirmed |= {*action.slots}
    return after


def organized(desk, organizer=None):
    """The plan and the actions of a day."""
    who = organizer or RuleBasedOrganizer()

    async def day():
        desk.plan = await who.plan(desk)
        return desk.plan, await who.act(desk)

    return asyncio.run(day())
