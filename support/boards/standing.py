"""How it stands: with each person, with each date, and with the seats as a whole. Words and numbers, no markup."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from support.boards.pieces import count, short
from support.seminar.ledger import Contact, State


@dataclass(frozen=True, slots=True)
class Standing:
    """Where things are with one person, in a tone, a sign and a few words."""

    tone: str
    glyph: str
    words: str


@dataclass(frozen=True, slots=True)
class Seats:
    """Seats of all dates: those given away, of them those not confirmed yet, and free ones that somebody wants.

    `tentative` is how many free seats can be filled at once by people without a date, each on a date that they named
    firmly and that is still to come.
    """

    total: int
    filled: int
    unconfirmed: int
    tentative: int

    @property
    def open(self) -> int:
        """Seats that nobody has and nobody is in sight for."""
        return self.total - self.filled - self.tentative

    @property
    def words(self) -> str:
        """The same in a sentence.

        >>> Seats(4, 2, 1, 1).words
        '2 of 4 seats filled, 1 of them not confirmed yet; 1 tentative, 1 open'
        """
        head = f"{self.filled} of {count(self.total, 'seat')} filled"
        head += f", {self.unconfirmed} of them not confirmed yet" if self.unconfirmed else ""
        return head if self.filled == self.total else f"{head}; {self.tentative} tentative, {self.open} open"


def seats_of(state: State) -> Seats:
    """How many seats there are, are given away, and might be."""
    held = [(slot, name) for slot, names in state.slots.items() for name in names]
    unconfirmed = sum(slot not in state.contacts[name].confirmed for slot, name in held)
    return Seats(state.seats * len(state.slots), len(held), unconfirmed, _tentative(state))


def standing(state: State, name: str) -> Standing:
    """Where things are with somebody."""
    contact = state.contacts[name]
    if dates := state.dates_of(name):
        sure = set(dates) <= set(contact.confirmed)
        has = "has " + ", ".join(map(short, dates))
        return Standing("sure", "✓", has) if sure else Standing("given", "◑", f"{has}, not confirmed yet")
    if contact.declined:
        return Standing("quiet", "✕", "declined")
    if not contact.mails:
        return Standing("quiet", "–", "not written to")
    return _unplaced(state, contact)


def _unplaced(state: State, contact: Contact) -> Standing:
    silent = state.days_silent(contact.name)
    if silent is not None:
        return Standing("vague", "…", f"waiting, {count(silent, 'working day')}" if silent else "written to")
    back = ", gave " + ", ".join(map(short, contact.cancelled)) + " back" if contact.cancelled else ""
    later = contact.wait_until
    wait = f", asked to wait until {short(later)}" if later and later > state.today else ""
    return Standing("tentative", "←", f"answered{back}{wait}")


def over(state: State, slot: date) -> bool:
    """Whether a date can be given to nobody any more."""
    return slot <= state.today


def _tentative(state: State) -> int:
    """The largest number of people without a date who can have free seats at once, by augmenting paths."""
    free = {slot for slot in state.open if not over(state, slot)}
    wanted = {c.name: [slot for slot in c.available if slot in free] for c in state.waiting()}
    sitting: dict[date, list[str]] = {slot: [] for slot in free}
    room = {slot: state.seats - len(state.slots[slot]) for slot in free}

    def seat(name: str, tried: set[date]) -> bool:
        for slot in wanted[name]:
            if slot in tried:
                continue
            tried.add(slot)
            if len(sitting[slot]) < room[slot]:
                sitting[slot].append(name)
                return True
            for other in sitting[slot]:
                if seat(other, tried):
                    sitting[slot][sitting[slot].index(other)] = name
                    return True
        return False

    return sum(seat(name, set()) for name in wanted)
