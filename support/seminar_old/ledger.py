"""The organiser's books, kept mail by mail: who was written to and what each said, which date is whose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from typing import Any

from support.errors import InvalidInput
from support.seminar.data import Scenario, day, days, in_words, iso, passed
from support.seminar.records import (
    ACTIONS,
    CONFIRMATION,
    THANKS,
    Action,
    Mail,
    Understood,
)


@dataclass(frozen=True)
class Contact:
    """What is known of one person: on which days the organiser wrote to them (`mails`) and they wrote (`answered`).

    `available` and `vague` are dates of the programme that they named, firmly or not; `confirmed` those for which a
    confirmation was sent, `cancelled` those that they gave back; before `wait_until` they asked not to be written to.
    """

    name: str
    role: str
    mails: tuple[date, ...] = ()
    answered: tuple[date, ...] = ()
    available: tuple[date, ...] = ()
    vague: tuple[date, ...] = ()
    said: str = ""
    declined: bool = False
    thanked: bool = False
    confirmed: tuple[date, ...] = ()
    cancelled: tuple[date, ...] = ()
    wait_until: date | None = None

    @property
    def unanswered(self) -> int:
        """Mails since their last reply."""
        return sum(
            not self.answered or sent > max(self.answered) for sent in self.mails
        )

    @property
    def named(self) -> tuple[date, ...]:
        """All dates that they named."""
        return tuple(sorted({*self.available, *self.vague}))

    @property
    def firm(self) -> tuple[date, ...]:
        """Dates that they named firmly and did not give back."""
        return tuple(slot for slot in self.available if slot not in self.cancelled)

    @property
    def perhaps(self) -> tuple[date, ...]:
        """Dates that they named vaguely only, and did not give back."""
        return tuple(
            slot
            for slot in self.vague
            if slot not in (*self.available, *self.cancelled)
        )

    @property
    def asked_since(self) -> bool:
        """Whether they were written to after their first reply."""
        return bool(self.answered) and any(
            sent > min(self.answered) for sent in self.mails
        )

    def silent(self, mails: int) -> bool:
        """Whether they never answered that many mails or more."""
        return len(self.mails) >= mails and not self.answered

    def few(self, most: int) -> bool:
        """Whether they named so few dates firmly, one at least, and were not written to since."""
        return 1 <= len(self.available) <= most and not self.asked_since


@dataclass(frozen=True)
class State:
    """All that is known on the morning of `today`: who has each date, who said what, how many `seats` a date has."""

    today: date
    slots: Mapping[date, tuple[str, ...]]
    contacts: Mapping[str, Contact]
    seats: int = 1

    @cached_property
    def _held(self) -> dict[str, tuple[date, ...]]:
        names = {name for held in self.slots.values() for name in held}
        return {
            name: tuple(slot for slot, held in self.slots.items() if name in held)
            for name in names
        }

    @property
    def open(self) -> tuple[date, ...]:
        """Dates with a free seat."""
        return tuple(
            slot for slot, names in self.slots.items() if len(names) < self.seats
        )

    def dates_of(self, name: str) -> tuple[date, ...]:
        """The dates that somebody has."""
        return self._held.get(name, ())

    def waiting(self) -> Iterator[Contact]:
        """People without a date who have not declined."""
        return (
            c
            for c in self.contacts.values()
            if not self.dates_of(c.name) and not c.declined
        )

    def days_silent(self, name: str) -> int | None:
        """Working days since the last mail to somebody who has not answered it; None where none is open."""
        contact = self.contacts[name]
        return passed(max(contact.mails), self.today) if contact.unanswered else None

    @property
    def pending(self) -> dict[str, int]:
        """The same of everybody without a date who has not answered."""
        silences = {
            contact.name: self.days_silent(contact.name) for contact in self.waiting()
        }
        return {name: count for name, count in silences.items() if count is not None}

    @property
    def untold(self) -> list[tuple[date, str]]:
        """Dates with who has them and got no confirmation."""
        held = ((slot, name) for slot, names in self.slots.items() for name in names)
        return [
            (slot, name)
            for slot, name in held
            if slot not in self.contacts[name].confirmed
        ]

    @property
    def given_back(self) -> set[date]:
        """Dates that somebody called off."""
        return {
            slot for contact in self.contacts.values() for slot in contact.cancelled
        }

    def near(self, slot: date, within: int) -> bool:
        """Whether a date is today or so many days ahead at most."""
        return 0 <= (slot - self.today).days <= within

    def noted(self, name: str, **known: Any) -> State:
        """With something else known of somebody."""
        return replace(
            self,
            contacts={**self.contacts, name: replace(self.contacts[name], **known)},
        )

    def given(self, name: str, slot: date) -> State:
        """With a date given to somebody, who is told."""
        names, confirmed = self.slots[slot], {*self.contacts[name].confirmed, slot}
        held = replace(
            self, slots={**self.slots, slot: names if name in names else (*names, name)}
        )
        return held.noted(name, confirmed=tuple(sorted(confirmed)))

    def freed(self, name: str, slots: Iterable[date]) -> State:
        """Without somebody on these dates."""
        back = set(slots)
        kept = {
            s: tuple(n for n in names if n != name or s not in back)
            for s, names in self.slots.items()
        }
        confirmed = tuple(
            slot for slot in self.contacts[name].confirmed if slot not in back
        )
        return replace(self, slots=kept).noted(name, confirmed=confirmed)


class Ledger:
    """What is known of everybody on a scenario's list, from the first mail on.

    Only a confirmation gives a date away, and only one that its person named, on which a seat is free. What a person
    said last about a date is what counts; a date that is not on the programme is noted and can be given to nobody.
    """

    def __init__(self, scenario: Scenario) -> None:
        contacts = {
            person.name: Contact(person.name, person.role) for person in scenario.people
        }
        self._start, self._off = scenario.start, set[str]()
        self._known = State(
            scenario.start, dict.fromkeys(scenario.slots, ()), contacts, scenario.seats
        )

    def state(self, today: date) -> State:
        """What the books say on a day; later entries do not change it."""
        return replace(self._known, today=today)

    def sent(self, mail: Mail, action: Action) -> None:
        """Enter a mail that went out; a confirmation gives its date away."""
        contact, on = (
            self._known.contacts[mail.to],
            self._start + timedelta(days=mail.day - 1),
        )
        if (
            action.kind == CONFIRMATION and mail.to not in self._off
        ):  # taken off while it was under way
            if why := refusal(self.state(on), action):
                raise InvalidInput(why)
            self._known = self._known.given(
                mail.to, date.fromisoformat(action.slot or "")
            )
        thanked = contact.thanked or action.kind == THANKS
        self._known = self._known.noted(
            mail.to, mails=(*contact.mails, on), thanked=thanked
        )

    def received(self, understood: Understood, on: date) -> None:
        """Enter what was understood of a reply of that day.

        A date that its holder calls off, or can no longer do, is free again; whoever declines gives all back.
        """
        name, programme = understood.person, set(self._known.slots)
        contact = self._known.contacts[name]
        firm, vague, cannot, cancelled = (
            set(days(getattr(understood, what), f"understood of {name}, {what}"))
            & programme
            for what in ("available", "vague", "unavailable", "cancelled")
        )
        wait = (
            day(understood.wait_until, f"understood of {name}, wait_until")
            if understood.wait_until
            else None
        )
        declined = understood.declined and not firm and not vague
        cannot = programme if declined else cannot | cancelled
        back = cannot & {*self._known.dates_of(name)}
        available = (set(contact.available) - vague | firm) - cannot
        strange = [
            slot
            for slot in (*understood.available, *understood.vague)
            if slot not in iso(programme)
        ]
        strange = list(dict.fromkeys([*understood.never_offered, *strange]))
        noted = f"named {', '.join(strange)}, never offered" if strange else ""
        self._known = self._known.freed(name, back).noted(
            name,
            answered=(*contact.answered, on),
            available=tuple(sorted(available)),
            vague=tuple(sorted((set(contact.vague) | vague) - available - cannot)),
            said="; ".join(part for part in (understood.note, noted) if part),
            declined=declined or (contact.declined and not firm and not vague),
            cancelled=tuple(sorted({*contact.cancelled, *back})),
            wait_until=wait,
        )
        if name in self._off:
            self.withdraw(name)

    def withdraw(self, name: str) -> None:
        """Take somebody off the list: no date is theirs any more, and nobody writes to them, whatever they say."""
        self._off.add(name)
        self._known = self._known.freed(name, self._known.slots).noted(
            name,
            declined=True,
            thanked=True,
            available=(),
            vague=(),
            confirmed=(),
            said="taken off the list",
        )

    def put_back(self, name: str) -> None:
        """Put somebody on the list again; what they said before counts no more."""
        self._off.discard(name)
        self._known = self._known.noted(
            name, declined=False, thanked=False, said="put back on the list"
        )


def refusal(state: State, action: Action) -> str:
    """Why an action cannot be carried out; "" where it can."""
    if action.kind not in ACTIONS:
        return f"action: {action.kind!r} given; expected one of {', '.join(ACTIONS)}"
    if action.person not in state.contacts:
        return f"action: {action.kind} to {action.person!r}, who is not on the list"
    what, gives = f"{action.kind} to {action.person}", action.kind == CONFIRMATION
    if gives and not action.slot:
        return f"{what}: no date given; expected one that they named"
    if action.slot is None:
        return ""
    try:
        slot = day(action.slot, what)
    except InvalidInput as error:
        return str(error)
    if slot not in state.slots:
        return f"{what}: {in_words(slot)} is not on the programme; expected one of {', '.join(iso(state.slots))}"
    if not gives or action.person in state.slots[slot]:
        return ""
    if slot <= state.today:
        return f"{what}: {in_words(slot)} is over; expected a date to come"
    if slot not in state.contacts[action.person].named:
        return f"{what}: they never named {in_words(slot)}; ask them first"
    return (
        ""
        if slot in state.open
        else f"{what}: {in_words(slot)} is full ({', '.join(state.slots[slot])})"
    )


def evening(state: State, actions: Iterable[Action]) -> State:
    """The state after confirmations; mails are not entered."""
    for action in actions:
        if action.kind == CONFIRMATION and action.slot:
            state = state.given(action.person, date.fromisoformat(action.slot))
    return state


def settled(state: State) -> bool:
    """Whether every seat is taken and every date was confirmed to whoever has it."""
    return not state.open and not state.untold
