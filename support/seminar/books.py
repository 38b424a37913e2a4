"""The organiser's books: who was written to, what each said, which date is whose.

They are entered event by event, so that a reading that was wrong can be corrected at any
time: the same events are entered again, with the right one in its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from support.seminar.data import Persona, Scenario, in_words, passed
from support.seminar.records import (
    ACTIONS,
    CERTAIN,
    CONFIRMATION,
    INVITATION,
    MORE,
    THANKS,
    Action,
    Mail,
    Says,
)


@dataclass
class Contact:
    """What is known of one person.

    `mails` and `answered` are the days on which the organiser wrote to them and they
    wrote; `can`, `perhaps`, `cannot` the dates of which they last said so; `choice` those
    that were free when they were last asked for some; `asked` has the day on which they
    were asked whether a date is certain, `confirmed` the dates that were confirmed.
    """

    name: str
    role: str
    mails: list[date] = field(default_factory=list)
    answered: list[date] = field(default_factory=list)
    can: set[date] = field(default_factory=set)
    perhaps: set[date] = field(default_factory=set)
    cannot: set[date] = field(default_factory=set)
    gave_back: set[date] = field(default_factory=set)
    choice: set[date] = field(default_factory=set)
    asked: dict[date, date] = field(default_factory=dict)
    confirmed: set[date] = field(default_factory=set)
    declined: bool = False
    thanked: bool = False
    off: bool = False  # taken off the list
    not_before: date | None = None

    @property
    def unanswered(self) -> int:
        """Mails since their last reply."""
        return sum(not self.answered or sent > self.answered[-1] for sent in self.mails)

    @property
    def named(self) -> set[date]:
        """All dates that they named and did not take back."""
        return self.can | self.perhaps

    @property
    def spoken_of(self) -> set[date]:
        """All dates of which they said something."""
        return self.named | self.cannot

    @property
    def asked_since(self) -> bool:
        """Whether they were written to after their first reply."""
        return any(sent > self.answered[0] for sent in self.mails if self.answered)

    def silent(self, mails: float) -> bool:
        """Whether they never answered so many mails or more."""
        return len(self.mails) >= mails and not self.answered

    def few(self, most: int) -> bool:
        """Whether they named so few dates firmly, one at least, and were not written to
        since."""
        return 1 <= len(self.can) <= most and not self.asked_since


class Books:
    """What a person said last about a date counts; a date that is not on the programme
    can be given to nobody. `events` make the books again, from the programme `begun`."""

    def __init__(self, scenario: Scenario) -> None:
        self.begun = scenario
        self.events = list[tuple[Any, ...]]()
        self.scenario = scenario
        self.today = scenario.start
        self.contacts = {p.name: Contact(p.name, p.role) for p in scenario.people}
        self.holders: dict[date, list[str]] = {slot: [] for slot in scenario.slots}

    def enter(self, what: str, *of: Any) -> None:
        """Enter an event: "sent" (mail, on), "received" (mail, name, says or None, on),
        "given" or "freed" (name, slot), "joins" (persona), "off" or "back" (name),
        "opens" or "drops" (slot)."""
        getattr(self, f"_{what}")(*of)
        self.events.append((what, *of))

    def copy(self, read: Mapping[int, Says] | None = None) -> Books:
        """The books as they stand, or had some mails been read so."""
        made = Books(self.begun)
        for what, *of in self.events:
            if what == "received":
                of[2] = (read or {}).get(of[0], of[2])
            made.enter(what, *of)
        made.today = self.today
        return made

    def corrected(self, mail: int, says: Says) -> Books:
        """The books as they would be, had that mail said something else; a date that
        its holder turns out to have refused is free again."""
        made = self.copy({mail: says})
        for name, contact in made.contacts.items():
            for slot in sorted(contact.cannot & {*made.held(name)}):
                made.enter("freed", name, slot)
        return made

    # ---- what they say ----

    @property
    def free(self) -> dict[date, int]:
        """Dates with seats that nobody has, and how many."""
        seats = self.scenario.seats
        left = {slot: seats - len(names) for slot, names in self.holders.items()}
        return {slot: count for slot, count in left.items() if count > 0}

    @property
    def to_come(self) -> tuple[date, ...]:
        """The free dates after today."""
        return tuple(slot for slot in self.free if slot > self.today)

    def held(self, name: str) -> list[date]:
        """The dates that somebody has."""
        return [slot for slot, names in self.holders.items() if name in names]

    @property
    def waiting(self) -> list[Contact]:
        """People without a date who have not declined."""
        have = {name for names in self.holders.values() for name in names}
        everybody = self.contacts.values()
        return [c for c in everybody if c.name not in have and not c.declined]

    @property
    def removed(self) -> list[str]:
        """Who was taken off the list."""
        return [c.name for c in self.contacts.values() if c.off]

    def quiet(self, contact: Contact) -> int | None:
        """Working days since the last mail, where it is not answered."""
        if not contact.unanswered:
            return None
        return passed(contact.mails[-1], self.today)

    @property
    def untold(self) -> list[tuple[str, date]]:
        """Who has a date that was not confirmed to them."""
        found = []
        for slot, names in self.holders.items():
            for name in names:
                if slot not in self.contacts[name].confirmed:
                    found.append((name, slot))
        return found

    @property
    def assignment(self) -> tuple[tuple[date, tuple[str, ...]], ...]:
        """Every date with the people who have it."""
        return tuple((slot, tuple(names)) for slot, names in self.holders.items())

    @property
    def crowded(self) -> list[tuple[date, tuple[str, ...]]]:
        """Dates with more people than seats, as a reading that is corrected late can
        leave them."""
        seats = self.scenario.seats
        return [(slot, names) for slot, names in self.assignment if len(names) > seats]

    @property
    def settled(self) -> bool:
        """Whether every seat is taken, and whoever has one knows it."""
        return not self.free and not self.untold

    def refusal(self, action: Action, others: Sequence[Action] = ()) -> str:
        """Why an action cannot be carried out, after others of the same day; "" where it
        can."""
        what = f"{action.kind} to {action.person}"
        if action.person in [other.person for other in others]:
            return f"{what}: a second action of one day"
        if action.kind not in ACTIONS:
            return f"{what}: expected one of {', '.join(ACTIONS)}"
        if action.person not in self.contacts:
            return f"{what}, who is not on the list"
        contact = self.contacts[action.person]
        if contact.off:
            return f"{what}, who was taken off the list; put them back first"
        if strange := [slot for slot in action.slots if slot not in self.holders]:
            return f"{what}: {strange[0]} is not on the programme"
        if action.kind != CONFIRMATION:
            return ""
        if len(action.slots) != 1:
            return f"{what}: {len(action.slots)} dates given; expected the one they get"
        (slot,) = action.slots
        if contact.name in self.holders[slot]:
            return ""
        if slot <= self.today:
            return f"{what}: {in_words(slot)} is over; expected a date to come"
        if slot not in contact.named:
            return f"{what}: they never named {in_words(slot)}; ask them first"
        taken = {*self.holders[slot]}
        for other in others:
            if other.kind == CONFIRMATION and slot in other.slots:
                taken.add(other.person)
        full = len(taken) >= self.scenario.seats
        return f"{what}: {in_words(slot)} is full" if full else ""

    # ---- what is entered ----

    def _sent(self, mail: Mail, on: date) -> None:
        contact = self.contacts[mail.to]
        contact.mails.append(on)
        contact.thanked |= mail.kind == THANKS
        if mail.kind == INVITATION or mail.asks == MORE:
            contact.choice = {*self.free}
        if mail.asks == CERTAIN:
            contact.asked |= dict.fromkeys(mail.slots, on)
        if mail.kind == CONFIRMATION:
            contact.confirmed |= {*mail.slots}

    def _given(self, name: str, slot: date) -> None:
        if name not in self.holders[slot]:
            self.holders[slot].append(name)

    def _freed(self, name: str, *slots: date) -> None:
        for slot in {*slots} & {*self.held(name)}:
            self.holders[slot].remove(name)
        self.contacts[name].confirmed -= {*slots}

    def _received(
        self,
        mail: int,
        name: str,
        says: Says | None,
        on: date,
    ) -> None:
        """A date that its holder gives back, or can no longer do, is free again; who
        declines gives all back. What nobody could read keeps its place, and moves
        nothing. What is said of a date that opens later counts from then on."""
        if says is None:
            return
        c = self.contacts[name]
        programme = {*self.holders}
        c.answered.append(on)
        if c.off:
            return
        can = {*says.can}
        perhaps = {*says.perhaps}
        declines = says.declines and not (can | perhaps) & programme
        cannot = programme if declines else {*says.cannot, *says.gives_back}
        back = cannot & {*self.held(name)}
        self._freed(name, *cannot)
        c.can = ((c.can - perhaps) | can) - cannot
        c.perhaps = (c.perhaps | perhaps) - c.can - cannot
        c.cannot = (c.cannot - c.named) | cannot
        c.gave_back = (c.gave_back - c.named) | back
        c.declined = declines or (c.declined and not c.named)
        c.not_before = says.not_before

    def _joins(self, persona: Persona) -> None:
        people = (*self.scenario.people, persona.introduced)
        self.scenario = replace(self.scenario, people=people)
        self.contacts[persona.name] = Contact(persona.name, persona.role)

    def _off(self, name: str) -> None:
        """No date is theirs any more, and nobody writes to them, whatever they say."""
        self._freed(name, *self.holders)
        contact = self.contacts[name]
        contact.off = contact.declined = contact.thanked = True
        contact.can = set()
        contact.perhaps = set()

    def _back(self, name: str) -> None:
        old = self.contacts[name]
        self.contacts[name] = Contact(name, old.role, old.mails, old.answered)

    def _opens(self, slot: date) -> None:
        self._programme({*self.holders, slot})

    def _drops(self, slot: date) -> None:
        """Whoever had it has it no more."""
        for name in self.holders[slot]:
            self.contacts[name].confirmed.discard(slot)
        self._programme({*self.holders} - {slot})

    def _programme(self, slots: set[date]) -> None:
        self.scenario = replace(self.scenario, slots=tuple(sorted(slots)))
        self.holders = {
            slot: self.holders.get(slot, []) for slot in self.scenario.slots
        }
