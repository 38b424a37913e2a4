"""What a person who organises a seminar sees of it, as escaped HTML: functions of plain data over a few templates.

Each board stands by itself too: `show` puts it into a notebook with its style.
"""

from __future__ import annotations

import calendar as months
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from support.errors import InvalidInput
from support.mail.characters import shown_text
from support.seminar.data import day as as_day
from support.seminar.data import in_words, passed
from support.seminar.ledger import Contact, State
from support.seminar.records import (
    ACTION,
    CLARIFICATION,
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    MAIL,
    ORGANISER,
    PLAN,
    REPLY,
    THANKS,
    WAIT,
    Action,
    Flag,
    Mail,
    OrganizingDay,
)  # fmt: skip
from support.seminar.rules import PolicySet
from support.seminar.views import AGAIN, APPROVE, EDIT, REMOVE, Desk

MONTHS, NEXT, MOST_DAYS, UNFOLDED, WORDED = 4, 6, 14, 3, 4
"""Months shown at once; dates listed; days with mails that have a column; days of the chat unfolded; dates with room
for a word beside the sign."""

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

ANSWERED = "answer"
DECIDED = {
    APPROVE: ("good", "✓", "approved"),
    EDIT: ("vague", "✎", "changed"),
    AGAIN: ("tentative", "↻", "to be made again"),
    REMOVE: ("amiss", "✕", "removed"),
    ANSWERED: ("good", "✓", "answered"),
    "": ("flag", "…", "waits for a decision"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that the person at the desk was shown on the running day, and the decision about it.

    `what` is "plan", "action", "mail" or "flag"; `decision` one of `DECIDED`, "" while it waits; `text` what was shown,
    `after` what it was changed to (of a flag the answer), `wish` how it was to be made again.
    """

    what: str
    about: str
    decision: str
    text: str
    after: str = ""
    wish: str = ""


@dataclass(frozen=True, slots=True)
class Running:
    """What is known of a day that is not over; see `OrganizingDay`."""

    number: int
    date: str
    received: tuple[Mail, ...] = ()
    flags: tuple[Flag, ...] = ()
    progress: str = ""
    selected: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


# ---- one environment, which escapes ---------------------------------------------------------------------------------


@cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = FileSystemLoader(Path(__file__).parent / "templates")
    made = Environment(
        loader=folder, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_clean
    )
    week = tuple(zip(("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"), months.day_name, strict=True))
    made.globals |= {
        "organiser": ORGANISER, "count": count, "cells": CELLS, "statuses": STATUSES, "weekdays": week, "on": _on,
        "seen": lambda text: bool(shown_text(text).strip()), "decided": _decided,
        "planned": lambda day: any(edit.what == PLAN and edit.after for edit in day.edits),
    }  # fmt: skip
    return made


def _clean(value: Any) -> Any:
    """A text without what would turn its reading order or cannot be shown; its lines and tabs stay."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return value if value.replace("\n", "").replace("\t", "").isprintable() else shown_text(value)


def fill(page: str, view: str, *values: Any, **named: Any) -> str:
    """A view of one of the templates ("boards", "chat", "post", "page"), filled."""
    return str(getattr(_environment().get_template(f"{page}.html.j2").module, view)(*values, **named))


@cache
def style() -> str:
    """The one sheet of rules."""
    return f"<style>{(Path(__file__).parent / 'style.css').read_text('utf-8')}</style>"


def show(*views: str) -> Any:
    """Views for a notebook, with their style."""
    from IPython.display import HTML

    return HTML(style() + "".join(views))


def count(number: int, thing: str, things: str = "") -> str:
    """A number of things in words.

    >>> count(1, "mail"), count(2, "reply", "replies")
    ('1 mail', '2 replies')
    """
    return f"{number} {thing if number == 1 else things or thing + 's'}"


def _on(day: str) -> str:
    """A date in words; text that is no date as it stands."""
    try:
        return in_words(as_day(day, "day"))
    except InvalidInput:
        return day


def _short(day: date) -> str:
    return f"{day.day} {day:%b}"


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
         "kinds": [kind_of(state, contact, slot) for slot in state.slots]}
        for name, contact in state.contacts.items()
    ]  # fmt: skip
    there = {kind for row in rows for kind in row["kinds"]}
    signs = [(tone, sign, text) for kind, (tone, sign, _, text) in CELLS.items() if kind in there]
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


# ---- the chat -------------------------------------------------------------------------------------------------------


def chat(days: Sequence[OrganizingDay], running: Running | None, policies: PolicySet, seats: int = 1) -> str:
    """The history of a run (Figure 3B), the newest at the bottom, the last days and the running one unfolded."""
    known = {policy.id: policy.text for policy in policies}
    first = len(days) + (running is not None) - UNFOLDED
    shown = [_finished(day, known, seats, place >= first) for place, day in enumerate(days)]
    now = None
    if running is not None:
        asked = {(step.about, step.text) for step in running.steps if step.what == "flag"}
        unasked = [flag for flag in running.flags if (flag.person, flag.question) not in asked]
        selected = [(name, known.get(name, "")) for name in running.selected]
        now = {"now": running, "selected": selected, "unasked": unasked}
    return fill("chat", "chat", shown, now)


def _finished(day: OrganizingDay, known: dict[str, str], seats: int, unfolded: bool) -> dict[str, Any]:
    left, acts = list(day.sent), []
    for action in day.actions:
        mail = next((one for one in left if (one.to, one.kind) == (action.person, action.kind)), None)
        if mail:
            left.remove(mail)
        acts.append(_act(action, mail, day))
    gone = [edit.before for edit in day.edits if edit.what == ACTION and not edit.after]
    selected = [(name, known.get(name, "")) for name in day.selected]
    return {"day": day, "told": _counts(day, seats), "selected": selected, "acts": acts, "gone": gone, "loose": left,
            "open": unfolded}  # fmt: skip


def _act(action: Action, mail: Mail | None, day: OrganizingDay) -> dict[str, Any]:
    about = [edit for edit in day.edits if edit.about == action.person]
    changed = [what for what in (ACTION, MAIL) if any(edit.what == what and edit.after for edit in about)]
    amiss = ""
    if mail is None and action.kind != WAIT:
        dropped = any(edit.what == MAIL and not edit.after for edit in about)
        amiss = "mail removed at the desk" if dropped else "no mail went out"
    told = {"person": action.person, "goal": action.goal, "policy": action.policy, "waits": action.kind == WAIT}
    slot = _on(action.slot) if action.slot else ""
    return told | {"kind": action.kind.replace("_", "-"), "slot": slot, "changed": changed, "amiss": amiss,
                   "mail": mail}  # fmt: skip


def _counts(day: OrganizingDay, seats: int) -> str:
    """The day in a line."""
    counted = {"in": day.received, "out": day.sent}
    told = [f"{len(found)} {word}" for word, found in counted.items() if found]
    told += [count(len(day.flags), "question")] if day.flags else []
    told += [f"{len(day.edits)} changed"] if day.edits else []
    told += [f"{len(day.violations)} broken"] if day.violations else []
    taken = sum(len(names) for _, names in day.assignment)
    return ", ".join([*(told or ["no mail"]), f"{taken} of {seats * len(day.assignment)} seats filled"])


def _decided(step: Step) -> tuple[str, str, str]:
    """Tone, sign and words of the decision about a step."""
    return (
        ("quiet", "–", "left open")
        if step.decision == ANSWERED and not step.after
        else DECIDED.get(step.decision, DECIDED[""])
    )


# ---- the post -------------------------------------------------------------------------------------------------------


def outbox(rows: Iterable[Any], more: str = "") -> str:
    """Mails that were to go out, in the order given, with what became of each and what the server said.

    Rows have recipient, subject, body, status, said, person (texts), day (a number) and on (a date or a text).
    """
    names = ("recipient", "subject", "body", "status", "said", "person", "day")
    told = [{**{name: getattr(row, name) for name in names}, "on": _moment(row.on)} for row in rows]
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
