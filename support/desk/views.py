"""What a person who organises a seminar sees of it, as escaped HTML; `show` puts views into a notebook."""

from __future__ import annotations

import calendar as months
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from support.desk.markup import count, fill, short, style
from support.seminar import records
from support.seminar.data import passed
from support.seminar.ledger import Contact, State
from support.seminar.records import ORGANISER, Action, Flag, Mail, OrganizingDay
from support.seminar.rules import PolicySet
from support.seminar.views import AGAIN, APPROVE, EDIT, REMOVE, Desk

MONTHS, NEXT, MOST_DAYS = (
    4,
    6,
    14,
)  # months shown at once; dates listed; days with mails that have a column
WORDED, UNFOLDED = (
    4,
    3,
)  # dates with room for a word beside the sign; newest days of the chat that are not folded
Sign = tuple[str, str, str]  # a tone, a sign and a few words
CELLS = {  # of each kind of cell of the grid its tone, its sign, a word and a sentence
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
SIGNS: dict[str, Sign] = {
    records.INVITATION: ("given", "→", "invitation"),
    records.FOLLOW_UP: ("vague", "↻", "follow-up"),
    records.CLARIFICATION: ("tentative", "→?", "clarification"),
    records.CONFIRMATION: ("sure", "→✓", "confirmation"),
    records.THANKS: ("quiet", "→·", "thanks"),
    records.REPLY: ("good", "←", "reply"),
}
FLAGGED = ("flag", "⚑", "flagged")
STATUSES: dict[str, Sign] = {
    "sent": ("good", "✓", "sent"),
    "dry": ("tentative", "◌", "dry run: kept as a file"),
    "prepared": ("quiet", "…", "prepared"),
    "sending": ("vague", "…", "being sent"),
    "uncertain": ("flag", "?", "uncertain: decide"),
    "not sent": ("amiss", "✕", "not sent"),
}
DECIDED: dict[str, Sign] = {
    APPROVE: ("good", "✓", "approved"),
    EDIT: ("vague", "✎", "changed"),
    AGAIN: ("tentative", "↻", "to be made again"),
    REMOVE: ("amiss", "✕", "removed"),
    "answer": ("good", "✓", "answered"),
    "": ("flag", "…", "waits for a decision"),
}


def show(*views: str) -> Any:
    """Views for a notebook, with their style."""
    from IPython.display import HTML

    return HTML(style() + "".join(views))


# ---- how it stands --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seats:
    """Seats of all dates."""

    total: int
    filled: int
    unconfirmed: int  # of those that are filled
    tentative: int  # that can be filled at once by people without a date, each on one to come that they named firmly

    @property
    def left(self) -> int:
        """Free seats that nobody wants."""
        return self.total - self.filled - self.tentative

    @property
    def words(self) -> str:
        """The same in a sentence.

        >>> Seats(4, 2, 1, 1).words
        '2 of 4 seats filled, 1 of them not confirmed yet; 1 tentative, 1 open'
        """
        head = f"{self.filled} of {count(self.total, 'seat')} filled"
        head += (
            f", {self.unconfirmed} of them not confirmed yet"
            if self.unconfirmed
            else ""
        )
        return (
            head
            if self.filled == self.total
            else f"{head}; {self.tentative} tentative, {self.left} open"
        )


def seats_of(state: State) -> Seats:
    """How many seats there are, are given away, and might be."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    held = [(slot, name) for slot, names in state.slots.items() for name in names]
    unconfirmed = sum(slot not in state.contacts[name].confirmed for slot, name in held)
    free = [
        s
        for s in state.open
        if s > state.today
        for _ in range(state.seats - len(state.slots[s]))
    ]
    wanted = [
        [slot in contact.available for slot in free] for contact in state.waiting()
    ]
    matched = maximum_bipartite_matching(csr_matrix(wanted)) if free and wanted else ()
    return Seats(
        state.seats * len(state.slots),
        len(held),
        unconfirmed,
        sum(int(one >= 0) for one in matched),
    )


def standing(state: State, name: str) -> Sign:
    """Where things are with somebody."""
    contact = state.contacts[name]
    if dates := state.dates_of(name):
        has = "has " + ", ".join(map(short, dates))
        sure = set(dates) <= set(contact.confirmed)
        return (
            ("sure", "✓", has) if sure else ("given", "◑", f"{has}, not confirmed yet")
        )
    if contact.declined:
        return "quiet", "✕", "declined"
    if not contact.mails:
        return "quiet", "–", "not written to"
    silent = state.days_silent(name)
    if silent is not None:
        return (
            "vague",
            "…",
            f"waiting, {count(silent, 'working day')}" if silent else "written to",
        )
    back = (
        ", gave " + ", ".join(map(short, contact.cancelled)) + " back"
        if contact.cancelled
        else ""
    )
    later = contact.wait_until
    wait = (
        f", asked to wait until {short(later)}" if later and later > state.today else ""
    )
    return "tentative", "←", f"answered{back}{wait}"


# ---- boards ---------------------------------------------------------------------------------------------------------


def grid(desk: Desk) -> str:
    """People by dates (Figure 3D), below a bar of how many seats are filled."""
    state = desk.state
    rows = [
        (
            contact,
            standing(state, name),
            [CELLS[kind_of(state, contact, slot)] for slot in state.slots],
        )
        for name, contact in state.contacts.items()
    ]
    there = {cell for _, _, cells in rows for cell in cells}
    signs = [
        (tone, sign, said)
        for tone, sign, word, said in CELLS.values()
        if (tone, sign, word, said) in there
    ]
    return fill(
        "boards", "grid", state, seats_of(state), rows, signs, len(state.slots) > WORDED
    )


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
    if (
        len(state.slots[slot]) >= state.seats
        or state.dates_of(contact.name)
        or slot <= state.today
    ):
        return "spare"
    return "firm" if slot in contact.available else "vague"


def calendar(desk: Desk) -> str:
    """Months from the start to the last date that matters (Figure 3F), and the next dates in words."""
    state, start, deadline = desk.state, desk.scenario.start, desk.scenario.deadline
    sent = Counter(start + timedelta(days=mail.day - 1) for mail in desk.mails)
    ends = (start, desk.today, deadline, *state.slots)
    this, dated = _month(desk.today), {_month(day) for day in (*state.slots, deadline)}
    every = range(_month(min(ends)), _month(max(ends)) + 1)
    now = [
        month for month in every if month == this or (month > this and month in dated)
    ][:MONTHS]
    parts = (
        [m for m in every if m < this],
        now,
        [m for m in every if m > this and m not in now],
    )
    drawn = [[_drawn(desk, month, sent) for month in part] for part in parts]
    ahead = sorted([*((slot, False) for slot in state.slots), (deadline, True)])
    listed = [
        (day, due, passed(desk.today, day)) for day, due in ahead if day >= desk.today
    ]
    return fill("boards", "calendar", state, *drawn, listed, NEXT)


def _month(day: date) -> int:
    """Months since the year 0."""
    return 12 * day.year + day.month - 1


def _drawn(
    desk: Desk, month: int, sent: Mapping[date, int]
) -> tuple[date, list[list[Any]]]:
    """The first of a month, and its weeks: of each day the date and what is to be marked there."""
    first = date(month // 12, month % 12 + 1, 1)
    weeks = months.Calendar(months.MONDAY).monthdatescalendar(first.year, first.month)
    return first, [
        [
            (day, _marks(desk, day, sent[day])) if day.month == first.month else None
            for day in week
        ]
        for week in weeks
    ]


def _marks(desk: Desk, day: date, mails: int) -> list[Sign]:
    marks = [("today", "", "today")] if day == desk.today else []
    if day in desk.state.slots:
        marks.append(_slot(desk.state, day))
    elif day < desk.today:
        marks.append(("past", "", ""))
    if day == desk.scenario.deadline:
        marks.append(("due", "due", "deadline"))
    return [*marks, ("", f"•{mails}", count(mails, "mail"))] if mails else marks


def _slot(state: State, slot: date) -> Sign:
    """How a date to be filled is marked."""
    names, left = state.slots[slot], "over" if slot <= state.today else "open"
    if len(names) >= state.seats:
        sure = all(slot in state.contacts[name].confirmed for name in names)
        return (
            ("sure", "✓", "taken")
            if sure
            else ("given", "◑", "taken, not confirmed yet")
        )
    if state.seats > 1:
        return (
            "vague",
            f"{len(names)}/{state.seats}",
            f"{len(names)} of {state.seats} seats taken, {left}",
        )
    return "vague", left, "over, given to nobody" if left == "over" else "open date"


def correspondence(
    desk: Desk, flags: Sequence[Flag] = (), person: str | None = None
) -> str:
    """People by days (Figure 3E), each thread folded below, of one `person` unfolded; mails of `flags` bear a flag."""
    threads = {
        name: desk.thread(name)
        for name in ([person] if person else desk.state.contacts)
    }
    days = {number: desk.scenario.start + timedelta(days=number - 1)
            for number in sorted({mail.day for mails in threads.values() for mail in mails})}  # fmt: skip
    shown, flagged = list(days)[-MOST_DAYS:], {flag.mail for flag in flags}
    rows = [
        (name, mails, _signs(mails, flagged), *_gap(desk, name, mails))
        for name, mails in threads.items()
    ]
    signs = [
        (tone, "↻1" if sign == "↻" else sign, word)
        for tone, sign, word in (*SIGNS.values(), FLAGGED)
    ]
    return fill(
        "boards",
        "correspondence",
        desk.today,
        days,
        shown,
        rows,
        signs,
        person is not None,
    )


def _signs(mails: Sequence[Mail], flagged: Collection[int]) -> list[tuple[int, Sign]]:
    """The day and the sign of each mail; follow-ups are counted."""
    found, follow_ups = list[tuple[int, Sign]](), 0
    for mail in mails:
        tone, sign, word = (
            FLAGGED
            if mail.id in flagged
            else SIGNS.get(mail.kind, ("quiet", "→", "mail"))
        )
        if mail.kind == records.FOLLOW_UP:
            follow_ups += 1
            sign, word = f"{sign}{follow_ups}", f"{word} {follow_ups}"
        found.append((mail.day, (tone, sign, word)))
    return found


def _gap(desk: Desk, name: str, mails: Sequence[Mail]) -> tuple[str, int]:
    """Mails and replies in numbers, and how many working days an answer is outstanding."""
    if not mails:
        return "not written to", 0
    out = sum(mail.sender == ORGANISER for mail in mails)
    replies, last = len(mails) - out, mails[-1]
    head = f"{count(out, 'mail')}, {count(replies, 'reply', 'replies') if replies else 'no reply'}"
    done = last.sender != ORGANISER or last.kind in (
        records.CONFIRMATION,
        records.THANKS,
    )
    if done or desk.state.contacts[name].declined:
        return f"{head}; {standing(desk.state, name)[2]}", 0
    head = f"{head}; the last mail unanswered" if replies else head
    since = passed(desk.scenario.start + timedelta(days=last.day - 1), desk.today)
    return (head, since) if since else (f"{head} yet", 0)


def outbox(rows: Iterable[Any], more: str = "") -> str:
    """Mails as `Posted`, in the order given, with what became of each and what the server said."""
    return fill("post", "outbox", list(rows), STATUSES, more)


def held(mail: Any, reason: str) -> str:
    """A mail as `Incoming` that is held, since nobody can say for sure whose it is."""
    return fill("post", "held", mail, reason)


# ---- the chat -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that the person at the desk was shown on the running day, and the decision about it."""

    what: str  # "plan", "action", "mail" or "flag"
    about: str
    decision: str  # one of `DECIDED`, "" while it waits
    text: str
    after: str = ""  # what it was changed to; of a flag the answer
    wish: str = ""  # how it was to be made again


def chat(
    days: Sequence[OrganizingDay],
    policies: PolicySet,
    seats: int = 1,
    unfolded: Collection[int] | None = None,
) -> str:
    """The history of a run (Figure 3B), the newest at the bottom; unfolded are the last days, or those of numbers."""
    known = {policy.id: policy.text for policy in policies}
    newest = [day.number for day in days[-UNFOLDED:]] if unfolded is None else unfolded
    told = [
        (day, _counts(day, seats), *_acts(day), day.number in newest) for day in days
    ]
    return fill("chat", "chat", told, known)


def running(day: OrganizingDay, policies: PolicySet, steps: Sequence[Step] = ()) -> str:
    """What is known of a day that is not over, and what was shown and decided on it so far."""
    asked = {(step.about, step.text) for step in steps if step.what == "flag"}
    unasked = [flag for flag in day.flags if (flag.person, flag.question) not in asked]
    return fill(
        "chat",
        "running",
        day,
        {p.id: p.text for p in policies},
        unasked,
        steps,
        DECIDED,
    )


def _acts(day: OrganizingDay) -> tuple[list[tuple[Action, Mail | None]], list[Mail]]:
    """Each action with the mail that came of it, and mails of no action."""
    left, acts = list(day.sent), []
    for action in day.actions:
        mail = next(
            (one for one in left if (one.to, one.kind) == (action.person, action.kind)),
            None,
        )
        if mail:
            left.remove(mail)
        acts.append((action, mail))
    return acts, left


def _counts(day: OrganizingDay, seats: int) -> str:
    """The day in a line."""
    told = [
        f"{len(found)} {word}"
        for word, found in (("in", day.received), ("out", day.sent))
        if found
    ]
    told += [count(len(day.flags), "question")] if day.flags else []
    told += [
        f"{len(found)} {word}"
        for word, found in (("changed", day.edits), ("broken", day.violations))
        if found
    ]
    taken = sum(len(names) for _, names in day.assignment)
    return ", ".join(
        [
            *(told or ["no mail"]),
            f"{taken} of {seats * len(day.assignment)} seats filled",
        ]
    )
