"""The organiser's books, kept mail by mail: who was written to and what each said, which date is whose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from support.errors import InvalidInput
from support.seminar.data import Scenario, day, days, in_words, passed
from support.seminar.records import ACTIONS, CONFIRMATION, THANKS, Action, Mail, Understood


@dataclass(frozen=True)
class Contact:
    """What is known of one person.

    `mails` are the days on which the organiser wrote to them, `answered` those on which they wrote (a reply of the same
    day answers a mail of that day); `available` and `vague` dates of the programme that they named, firmly or not;
    `confirmed` those for which a confirmation was sent, `cancelled` those that they gave back; `said` is a short note,
    `wait_until` the day before which they asked not to be written to.
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
        return sum(not self.answered or sent > max(self.answered) for sent in self.mails)

    @property
    def named(self) -> tuple[date, ...]:
        """All dates that they named."""
        return tuple(sorted({*self.available, *self.vague}))

    @property
    def asked_since(self) -> bool:
        """Whether they were written to after their first reply."""
        return bool(self.answered) and any(sent > min(self.answered) for sent in self.mails)


@dataclass(frozen=True)
class State:
    """All that is known on the morning of `today`: who has each date, who said what, how many `seats` a date has."""

    today: date
    slots: Mapping[date, tuple[str, ...]]
    contacts: Mapping[str, Contact]
    seats: int = 1
    _given: Mapping[str, tuple[date, ...]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        given: dict[str, tuple[date, ...]] = {}
        for slot, names in self.slots.items():
            for name in names:
                given[name] = (*given.get(name, ()), slot)
        object.__setattr__(self, "_given", given)

    @property
    def open(self) -> tuple[date, ...]:
        """Dates with a free seat."""
        return tuple(slot for slot, names in self.slots.items() if len(names) < self.seats)

    def dates_of(self, name: str) -> tuple[date, ...]:
        """The dates that somebody has."""
        return self._given.get(name, ())

    def waiting(self) -> Iterator[Contact]:
        """People without a date who have not declined."""
        return (c for c in self.contacts.values() if not self.dates_of(c.name) and not c.declined)

    def days_silent(self, name: str) -> int | None:
        """Working days since the last mail to somebody who has not answered it; None where none is open."""
        contact = self.contacts[name]
        return passed(max(contact.mails), self.today) if contact.unanswered else None


def silent(contact: Contact, mails: int) -> bool:
    """Whether somebody never answered that many mails or more."""
    return len(contact.mails) >= mails and not contact.answered


def rivals(state: State, ahead: str, behind: str) -> list[tuple[date, str, str]]:
    """Open dates that two people without a date both named: the date, who of role `ahead`, who of role `behind`."""
    free = [c for c in state.waiting() if c.named]
    return [
        (slot, one.name, other.name)
        for slot in state.open
        for one in free
        if one.role == ahead and slot in one.named
        for other in free
        if other.role == behind and slot in other.named
    ]


class Ledger:
    """What is known of everybody on a scenario's list, from the first mail on.

    Only a confirmation gives a date away, and only one that its person named, on which a seat is free. What a person
    said last about a date is what counts; a date that is not on the programme is noted and can be given to nobody.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._contacts = {person.name: Contact(person.name, person.role) for person in scenario.people}
        self._slots: dict[date, tuple[str, ...]] = dict.fromkeys(scenario.slots, ())
        self._off = set[str]()

    def state(self, today: date) -> State:
        """What the books say on a day; later entries do not change it."""
        return State(today, dict(self._slots), dict(self._contacts), self._scenario.seats)

    def sent(self, mail: Mail, action: Action) -> None:
        """Enter a mail that went out; a confirmation gives its date away."""
        contact, on = self._contact(mail.to), self._scenario.start + timedelta(days=mail.day - 1)
        confirmed = set(contact.confirmed)
        if action.kind == CONFIRMATION and mail.to not in self._off:  # taken off while it was under way
            slot = _date_given(self.state(on), mail.to, action.slot)
            self.assign(mail.to, slot)
            confirmed.add(slot)
        self._contacts[mail.to] = replace(
            contact,
            mails=(*contact.mails, on),
            confirmed=tuple(sorted(confirmed)),
            thanked=contact.thanked or action.kind == THANKS,
        )

    def received(self, understood: Understood, on: date) -> None:
        """Enter what was understood of a reply of that day.

        A date that its holder calls off, or can no longer do, is free again; whoever declines gives all back.
        """
        contact, name = self._contact(understood.person), understood.person
        firm, vague, cannot, cancelled = (
            set(days(given, f"understood of {name}, {what}")) & set(self._slots)
            for what, given in (
                ("available", understood.available),
                ("vague", understood.vague),
                ("unavailable", understood.unavailable),
                ("cancelled", understood.cancelled),
            )
        )
        wait = day(understood.wait_until, f"understood of {name}, wait_until") if understood.wait_until else None
        declined = understood.declined and not firm and not vague
        cannot = set(self._slots) if declined else cannot | cancelled
        back = {slot for slot in cannot if name in self._slots[slot]}
        available = (set(contact.available) - vague | firm) - cannot
        self._contacts[name] = replace(
            contact,
            answered=(*contact.answered, on),
            available=tuple(sorted(available)),
            vague=tuple(sorted((set(contact.vague) | vague) - available - cannot)),
            said=self._said(understood),
            declined=declined or (contact.declined and not firm and not vague),
            cancelled=tuple(sorted({*contact.cancelled, *back})),
            wait_until=wait,
        )
        for slot in back:
            self.free(name, slot)
        if name in self._off:
            self.withdraw(name)

    def _said(self, understood: Understood) -> str:
        known = {slot.isoformat() for slot in self._slots}
        strange = [slot for slot in (*understood.available, *understood.vague) if slot not in known]
        strange = [*understood.never_offered, *strange]
        noted = f"named {', '.join(dict.fromkeys(strange))}, never offered" if strange else ""
        return "; ".join(part for part in (understood.note, noted) if part)

    def assign(self, name: str, slot: date) -> None:
        """Give a date to somebody; nothing changes when they have it."""
        self._contact(name)
        _date_given(self.state(self._scenario.start), name, slot.isoformat())  # all dates are after the start
        if name not in self._slots[slot]:
            self._slots[slot] = (*self._slots[slot], name)

    def free(self, name: str, slot: date) -> None:
        """Take a date back from somebody."""
        if name not in self._slots.get(slot, ()):
            raise InvalidInput(f"date: {slot} given to take back from {name}, who does not have it")
        self._slots[slot] = tuple(other for other in self._slots[slot] if other != name)
        contact = self._contact(name)
        self._contacts[name] = replace(contact, confirmed=tuple(s for s in contact.confirmed if s != slot))

    def withdraw(self, name: str) -> None:
        """Take somebody off the list: no date is theirs any more, and nobody writes to them, whatever they say."""
        contact = self._contact(name)
        self._off.add(name)
        for slot in [slot for slot, names in self._slots.items() if name in names]:
            self.free(name, slot)
        self._contacts[name] = replace(
            contact, declined=True, thanked=True, available=(), vague=(), confirmed=(), said="taken off the list"
        )

    def put_back(self, name: str) -> None:
        """Put somebody on the list again; what they said before counts no more."""
        contact = self._contact(name)
        self._off.discard(name)
        self._contacts[name] = replace(contact, declined=False, thanked=False, said="put back on the list")

    def _contact(self, name: str) -> Contact:
        if name not in self._contacts:
            raise InvalidInput(f"person: {name!r} given; expected one of {', '.join(self._contacts)}")
        return self._contacts[name]


def refusal(state: State, action: Action) -> str:
    """Why an action cannot be carried out; "" where it can.

    A kind that there is not, somebody who is not on the list, a date that is not on the programme, a confirmation
    without a date, of one that is over or full, or of one that its person never named.
    """
    if action.kind not in ACTIONS:
        return f"action: {action.kind!r} given; expected one of {', '.join(ACTIONS)}"
    if action.person not in state.contacts:
        return f"action: {action.kind} to {action.person!r}, who is not on the list"
    try:
        if action.kind == CONFIRMATION:
            _date_given(state, action.person, action.slot)
        elif action.slot is not None:
            _on_programme(state, f"{action.kind} to {action.person}", action.slot)
    except InvalidInput as error:
        return str(error)
    return ""


def evening(state: State, actions: Iterable[Action]) -> State:
    """The state after confirmations that nothing speaks against; mails are not entered."""
    slots, contacts = dict(state.slots), dict(state.contacts)
    for action in actions:
        if action.kind == CONFIRMATION and action.slot:
            slot, known = day(action.slot, f"confirmation to {action.person}"), contacts[action.person]
            slots[slot] = (*(name for name in slots[slot] if name != action.person), action.person)
            contacts[action.person] = replace(known, confirmed=tuple(sorted({*known.confirmed, slot})))
    return State(state.today, slots, contacts, state.seats)


def pending(state: State) -> dict[str, int]:
    """Working days since the last mail to everybody without a date who has not answered it."""
    silences = {contact.name: state.days_silent(contact.name) for contact in state.waiting()}
    return {name: count for name, count in silences.items() if count is not None}


def settled(state: State) -> bool:
    """Whether every seat is taken and every date was confirmed to whoever has it."""
    unconfirmed = (n for slot, names in state.slots.items() for n in names if slot not in state.contacts[n].confirmed)
    return not state.open and not any(unconfirmed)


def _date_given(state: State, name: str, given: str | None) -> date:
    """The date of a confirmation, if it can be given to that person."""
    if not given:
        raise InvalidInput(f"confirmation to {name}: no date given; expected one that they named")
    slot = _on_programme(state, f"confirmation to {name}", given)
    if name in state.slots[slot]:
        return slot
    if slot <= state.today:
        raise InvalidInput(f"confirmation to {name}: {in_words(slot)} is over; expected a date to come")
    if slot not in state.contacts[name].named:
        raise InvalidInput(f"confirmation to {name}: they never named {in_words(slot)}; ask them first")
    if slot not in state.open:
        raise InvalidInput(f"confirmation to {name}: {in_words(slot)} is full ({', '.join(state.slots[slot])})")
    return slot


def _on_programme(state: State, what: str, given: str) -> date:
    slot = day(given, what)
    if slot not in state.slots:
        known = ", ".join(known.isoformat() for known in state.slots)
        raise InvalidInput(f"{what}: {in_words(slot)} is not on the programme; expected one of {known}")
    return slot
