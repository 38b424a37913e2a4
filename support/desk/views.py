"""What a person who organises a seminar sees of it, as escaped HTML: functions of plain data over a few templates.

Each board stands by itself too: `show` puts it into a notebook with its style.
"""

from __future__ import annotations

import calendar as months
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from support.desk.markup import count, fill, style
from support.errors import InvalidInput
from support.seminar.data import in_words, passed
from support.seminar.ledger import Contact, State
from support.seminar.records import (
    CLARIFICATION,
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    ORGANISER,
    REPLY,
    THANKS,
    Flag,
    Mail,
)
from support.seminar.views import Desk

MONTHS, NEXT, MOST_DAYS, WORDED = 4, 6, 14, 4
"""Months shown at once; dates listed; days with mails that have a column; dates with room for a word beside
the sign."""

CELLS = {
    "confirmed": ("sure", "✓", "confirmed", "has the date, confirmed by mail"),
    "given": ("given", "◑", "given", "has the date, confirmation outstanding"),
    "firm": ("tentative", "●", "can", "tentative: named it firmly, the date is free"),
    "vague": ("vague", "?", "perhaps", "named it vaguely"),
    "spare": ("quiet", "○", "could", "named it, but it is taken or they have another"),
    "back": ("amiss", "↩", "gave back", "had the date and gave it back"),
    "no": ("none", "✕", "no", "declined"),
    "unnamed": ("none", "–", "", "answered without naming it"),
    "unknown": ("none", "·", "", "not known yet"),
}
"""Of each kind of cell of the grid its tone, its sign, a word and a sentence."""

SIGNS = {
    INVITATION: ("given", "→", "invitation"),
    FOLLOW_UP: ("vague", "↻", "follow-up"),
    CLARIFICATION: ("tentative", "→?", "clarification"),
    CONFIRMATION: ("sure", "→✓", "confirmation"),
    THANKS: ("quiet", "→·", "thanks"),
    REPLY: ("good", "←", "reply"),
}
FLAGGED = ("flag", "⚑", "flagged")
"""Of each kind of mail its tone, its sign and its name; and of those that were flagged."""

STATUSES = {
    "sent": ("good", "✓", "sent"),
    "dry": ("tentative", "◌", "dry run: kept as a file"),
    "prepared": ("quiet", "…", "prepared"),
    "sending": ("vague", "…", "being sent"),
    "uncertain": ("flag", "?", "uncertain: decide"),
    "not sent": ("amiss", "✕", "not sent"),
}


def show(*views: str) -> Any:
    """Views for a notebook, with their style."""
    from IPython.display import HTML

    return HTML(style() + "".join(views))


# ---- how it stands --------------------------------------------------------------------------------------------------


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
    def words(self) -> str:
        """The same in a sentence.

        >>> Seats(4, 2, 1, 1).words
        '2 of 4 seats filled, 1 of them not confirmed yet; 1 tentative, 1 open'
        """
        head = f"{self.filled} of {count(self.total, 'seat')} filled"
        head += f", {self.unconfirmed} of them not confirmed yet" if self.unconfirmed else ""
        left = self.total - self.filled - self.tentative
        return head if self.filled == self.total else f"{head}; {self.tentative} tentative, {left} open"

    @property
    def parts(self) -> tuple[tuple[str, str, int], ...]:
        """The parts of a bar: tone, sign, number."""
        left = self.total - self.filled - self.tentative
        sure = ("sure", "✓", self.filled - self.unconfirmed), ("given", "◑", self.unconfirmed)
        return (*sure, ("tentative", "●", self.tentative), ("quiet", "", left))


def seats_of(state: State) -> Seats:
    """How many seats there are, are given away, and might be."""
    held = [(slot, name) for slot, names in state.slots.items() for name in names]
    unconfirmed = sum(slot not in state.contacts[name].confirmed for slot, name in held)
    return Seats(state.seats * len(state.slots), len(held), unconfirmed, _tentative(state))


def _tentative(state: State) -> int:
    """The largest number of people without a date who can have free seats at once."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    free = [s for s in state.open if s > state.today for _ in range(state.seats - len(state.slots[s]))]
    wanted = [[slot in contact.available for slot in free] for contact in state.waiting()]
    if not free or not wanted:
        return 0
    return int((maximum_bipartite_matching(csr_matrix(wanted)) >= 0).sum())


@dataclass(frozen=True, slots=True)
class Standing:
    """Where things are with one person, in a tone, a sign and a few words."""

    tone: str
    sign: str
    words: str


def standing(state: State, name: str) -> Standing:
    """Where things are with somebody."""
    contact = state.contacts[name]
    if dates := state.dates_of(name):
        has = "has " + ", ".join(map(_short, dates))
        sure = set(dates) <= set(contact.confirmed)
        return Standing("sure", "✓", has) if sure else Standing("given", "◑", f"{has}, not confirmed yet")
    if contact.declined:
        return Standing("quiet", "✕", "declined")
    if not contact.mails:
        return Standing("quiet", "–", "not written to")
    silent = state.days_silent(name)
    if silent is not None:
        return Standing("vague", "…", f"waiting, {count(silent, 'working day')}" if silent else "written to")
    back = ", gave " + ", ".join(map(_short, contact.cancelled)) + " back" if contact.cancelled else ""
    later = contact.wait_until
    wait = f", asked to wait until {_short(later)}" if later and later > state.today else ""
    return Standing("tentative", "←", f"answered{back}{wait}")


# ---- boards ---------------------------------------------------------------------------------------------------------


def grid(desk: Desk) -> str:
    """People by dates (Figure 3D), below a bar of how many seats are filled."""
    state = desk.state
    rows: list[dict[str, Any]] = [
        {"name": name, "role": contact.role, "stands": standing(state, name),
         "cells": [CELLS[kind_of(state, contact, slot)] for slot in state.slots]}
        for name, contact in state.contacts.items()
    ]  # fmt: skip
    there = {cell for row in rows for cell in row["cells"]}
    signs = [(tone, sign, text) for tone, sign, word, text in CELLS.values() if (tone, sign, word, text) in there]
    caption, many = f"Who can do which date, as of {in_words(desk.today)}", len(state.slots) > WORDED
    return fill("boards", "grid", seats_of(state), caption, many, [_date(state, s) for s in state.slots], rows, signs)


def kind_of(state: State, contact: Contact, slot: date) -> str:
    """What a cell says of somebody and a date: one of the keys of `CELLS`."""
    if contact.name in state.slots[slot]:
        return "confirmed" if slot in contact.confirmed else "given"
    if slot in contact.cancelled and slot not in contact.named:
        return "back"
    if contact.declined:
        return "no"
    if slot not in contact.named:
        return "unnamed" if contact.answered else "unknown"
    if len(state.slots[slot]) >= state.seats or state.dates_of(contact.name) or slot <= state.today:
        return "spare"
    return "firm" if slot in contact.available else "vague"


def _date(state: State, slot: date) -> dict[str, Any]:
    """The head of a date's column."""
    names, over = state.slots[slot], slot <= state.today
    full = len(names) >= state.seats
    word = "full" if full else "over" if over else "open"
    if state.seats > 1:
        word = f"{len(names)} of {state.seats}" + (", over" if over and not full else "")
    title = in_words(slot) + (f": {', '.join(names)}" if names else "")
    return {"title": title, "day": slot.day, "month": f"{slot:%b}", "full": full, "word": word}


def calendar(desk: Desk) -> str:
    """Months from the start to the last date that matters (Figure 3F), and the next dates in words."""
    state, deadline = desk.state, desk.scenario.deadline
    sent = Counter(desk.scenario.start + timedelta(days=mail.day - 1) for mail in desk.mails)
    ends = (desk.scenario.start, desk.today, deadline, *state.slots)
    every, last = [min(ends).replace(day=1)], max(ends).replace(day=1)
    while every[-1] < last:
        every.append((every[-1] + timedelta(days=31)).replace(day=1))
    this, dated = desk.today.replace(day=1), {slot.replace(day=1) for slot in (*state.slots, deadline)}
    now = [month for month in every if month == this or (month > this and month in dated)][:MONTHS]
    parts = [m for m in every if m < this], now, [m for m in every if m > this and m not in now]
    drawn = [[_month(desk, month, sent) for month in part] for part in parts]
    ahead = [(slot, _next(desk, slot)) for slot in state.slots if slot >= desk.today]
    ahead += [(deadline, _next(desk, deadline, due=True))] if deadline >= desk.today else []
    listed = [one for _, one in sorted(ahead, key=lambda entry: entry[0])]
    free = f"0/{state.seats}", "date with free seats"
    signs = [("none", "▢", "today"), ("sure", "✓", "date taken"),
             ("vague", *(free if state.seats > 1 else ("open", "date to fill"))), ("none", "due", "deadline"),
             ("none", "•2", "mails of that day, here two")]  # fmt: skip
    return fill("boards", "calendar", *drawn, signs, listed, NEXT)


def _month(desk: Desk, month: date, sent: Counter[date]) -> dict[str, Any]:
    weeks = months.Calendar(months.MONDAY).monthdatescalendar(month.year, month.month)
    drawn = [[_day(desk, day, sent[day]) if day.month == month.month else None for day in week] for week in weeks]
    return {"name": f"{month:%B %Y}", "short": f"{month:%B}", "weeks": drawn}


def _day(desk: Desk, day: date, mails: int) -> dict[str, Any]:
    state, looks, signs, words = desk.state, ["d"], list[str](), list[str]()
    if day in state.slots:
        tone, sign, word = _slot(state, day)
        looks, signs, words = ["d", tone], [sign], [word]
    elif day < desk.today:
        looks.append("past")
    if day == desk.scenario.deadline:
        looks, signs, words = [*looks, "due"], [*signs, "due"], [*words, "deadline"]
    if mails:
        signs, words = [*signs, f"•{mails}"], [*words, count(mails, "mail")]
    if day == desk.today:
        looks, words = [*looks, "today"], ["today", *words]
    title = f"{in_words(day)}: {'; '.join(words)}" if words else ""
    marks = {"look": " ".join(looks), "signs": " ".join(signs), "words": "; ".join(words), "title": title}
    return {"number": day.day, "today": day == desk.today, **marks}


def _slot(state: State, slot: date) -> tuple[str, str, str]:
    """Tone, sign and words of a date to be filled."""
    names, left = state.slots[slot], "over" if slot <= state.today else "open"
    if len(names) >= state.seats:
        sure = all(slot in state.contacts[name].confirmed for name in names)
        return ("sure", "✓", "taken") if sure else ("given", "◑", "taken, not confirmed yet")
    if state.seats > 1:
        return "vague", f"{len(names)}/{state.seats}", f"{len(names)} of {state.seats} seats taken, {left}"
    return "vague", left, "over, given to nobody" if left == "over" else "open date"


def _next(desk: Desk, day: date, *, due: bool = False) -> dict[str, Any]:
    """A date to come, or the deadline, for the list."""
    state, away = desk.state, passed(desk.today, day)
    when = "today" if day == desk.today else f"in {count(away, 'working day')}" if away else "at the weekend"
    told: dict[str, Any] = {"day": f"{day:%a} {day.day} {day:%b %Y}", "away": when, "due": due}
    told |= {"has": [], "left": "", "can": [], "perhaps": []}
    if due:
        return told
    names = state.slots[day]
    told["has"] = [(name, day in state.contacts[name].confirmed) for name in names]
    if (free := state.seats - len(names)) > 0:
        told["left"] = f"{free} of {state.seats} seats open" if state.seats > 1 else "open"
        told["can"] = [contact.name for contact in state.waiting() if day in contact.available]
        told["perhaps"] = [contact.name for contact in state.waiting() if day in contact.vague]
    return told


def correspondence(desk: Desk, flags: Sequence[Flag] = (), person: str | None = None) -> str:
    """People by days (Figure 3E), each with the whole thread below, folded; of one `person` unfolded.

    Mails of `flags` bear a flag in place of their sign.
    """
    if person is not None and person not in desk.state.contacts:
        raise InvalidInput(f"person: {person!r} given; expected one of {', '.join(desk.state.contacts)}")
    threads = {name: desk.thread(name) for name in ([person] if person else desk.state.contacts)}
    days = sorted({mail.day for mails in threads.values() for mail in mails})
    shown, flagged = days[-MOST_DAYS:], {flag.mail for flag in flags}
    heads = [{"title": f"Day {n}, {in_words(on)}", "day": on.day, "month": f"{on:%b}"}
             for n in shown for on in [_of(desk, n)]]  # fmt: skip
    rows = [_thread(desk, name, mails, shown, flagged) for name, mails in threads.items()]
    before = f"Days before {shown[0]}" if len(days) > len(shown) else ""
    signs = [(tone, "↻1" if sign == "↻" else sign, word) for tone, sign, word in (*SIGNS.values(), FLAGGED)]
    caption = f"Mails by person and day, as of {in_words(desk.today)}"
    return fill("boards", "correspondence", caption, before, heads, rows, signs, person is not None)


def _short(day: date) -> str:
    return f"{day.day} {day:%b}"


def _of(desk: Desk, day: int) -> date:
    return desk.scenario.start + timedelta(days=day - 1)


def _thread(
    desk: Desk, name: str, mails: Sequence[Mail], shown: Sequence[int], flagged: Collection[int]
) -> dict[str, Any]:
    cells: dict[int, list[tuple[str, str, str]]] = {day: [] for day in shown}
    earlier, follow_ups = Counter[bool](), 0
    for mail in mails:
        tone, sign, word = FLAGGED if mail.id in flagged else SIGNS.get(mail.kind, ("quiet", "→", "mail"))
        if mail.kind == FOLLOW_UP:
            follow_ups += 1
            sign, word = f"{sign}{follow_ups}", f"{word} {follow_ups}"
        if mail.day in cells:
            cells[mail.day].append((tone, sign, word))
        else:
            earlier[mail.sender == ORGANISER] += 1
    before = [(f"{sign}{earlier[side]}", f"{earlier[side]} {word}")
              for side, sign, word in ((True, "→", "out"), (False, "←", "in")) if earlier[side]]  # fmt: skip
    thread = [(f"Day {day}, {_of(desk, day):%a} {_short(_of(desk, day))}", [mail for mail in mails if mail.day == day])
              for day in dict.fromkeys(mail.day for mail in mails)]  # fmt: skip
    words, since = _gap(desk, name, mails)
    return {"name": name, "cells": list(cells.values()), "earlier": before, "thread": thread, "words": words,
            "since": since}  # fmt: skip


def _gap(desk: Desk, name: str, mails: Sequence[Mail]) -> tuple[str, int]:
    """Mails and replies in numbers, and how many working days an answer is outstanding."""
    if not mails:
        return "not written to", 0
    out = sum(mail.sender == ORGANISER for mail in mails)
    replies, last = len(mails) - out, mails[-1]
    head = f"{count(out, 'mail')}, {count(replies, 'reply', 'replies') if replies else 'no reply'}"
    done = last.sender != ORGANISER or last.kind in (CONFIRMATION, THANKS)
    if done or desk.state.contacts[name].declined:
        return f"{head}; {standing(desk.state, name).words}", 0
    head = f"{head}; the last mail unanswered" if replies else head
    since = passed(_of(desk, last.day), desk.today)
    return (head, since) if since else (f"{head} yet", 0)


# ---- the post -------------------------------------------------------------------------------------------------------


def outbox(rows: Iterable[Any], more: str = "") -> str:
    """Mails that were to go out, in the order given, with what became of each and what the server said.

    Rows have recipient, subject, body, status, said, person (texts), day (a number) and on (a date or a text).
    """
    names = ("recipient", "subject", "body", "said", "person", "day")
    told = [{**{name: getattr(row, name) for name in names}, "on": _moment(row.on),
             "chip": STATUSES.get(row.status, ("quiet", "·", row.status))} for row in rows]  # fmt: skip
    return fill("post", "outbox", told, more)


def held(rows: Iterable[Any]) -> str:
    """Mails that are held because nobody can say for sure whose they are, in the order given.

    Rows have sender, sender_name, subject, text, reason (texts), problems and attachments (tuples of text).
    """
    return fill("post", "held", [held_mail(row, row.reason) for row in rows])


def held_mail(mail: Any, reason: str) -> dict[str, Any]:
    """What is shown of a mail that is held; "cut" where it is longer than that."""
    names = ("sender", "sender_name", "subject", "text", "problems", "attachments")
    return {name: getattr(mail, name) for name in names} | {"reason": reason, "cut": getattr(mail, "cut", False)}


def _moment(on: date | str) -> str:
    """A date, with the time to the minute where there is one; text that is no date as it is."""
    try:
        moment = datetime.fromisoformat(on) if isinstance(on, str) and len(on) > len("2027-09-15") else on
    except ValueError:
        return str(on)
    return f"{moment:%Y-%m-%d %H:%M}" if isinstance(moment, datetime) else str(moment)
