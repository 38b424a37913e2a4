"""How a seminar stands, as escaped HTML: people by dates with their mails, the months,
the policies, the days."""

from __future__ import annotations

import calendar
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from support.forms import templates
from support.mail.letters import shown_text
from support.seminar.books import Books, Contact
from support.seminar.data import ORGANISER
from support.seminar.desk import Desk
from support.seminar.records import (
    REPLY,
    SENT,
    Day,
    Mail,
    Says,
)
from support.seminar.review import in_text
from support.seminar.words import stated

CELLS = {
    "confirmed": ("good", "✓", "has the date, and was told"),
    "given": ("some", "◑", "has the date, not told yet"),
    "can": ("can", "●", "can"),
    "perhaps": ("maybe", "?", "perhaps"),
    "spare": ("none", "○", "could, but it is taken, over, or they have another"),
    "back": ("bad", "↩", "gave it back"),
    "cannot": ("none", "✕", "cannot"),
    "unnamed": ("none", "–", "answered without it"),
    "unknown": ("none", "·", "not known yet"),
}
"""Of each kind of cell its tone, its sign, and what it says."""
MAILS = dict(
    zip(
        (*SENT, REPLY),
        (
            ("some", "→"),
            ("maybe", "↻"),
            ("can", "→?"),
            ("good", "→✓"),
            ("none", "→·"),
            ("none", "←"),
        ),
        strict=True,
    )
)
"""Of each kind of mail its tone and its sign."""
MONTHS = 6  # that are shown at once


@cache
def _views() -> Any:
    made = templates(Path(__file__).parent, finalize=_clean)
    made.globals |= {
        "CELLS": CELLS,
        "MAILS": MAILS,
        "ORGANISER": ORGANISER,
        "short": short,
        "long": long,
        "said": said,
        "text": in_text,
    }
    made.filters["short"] = short
    return made.get_template("desk.html.j2").module


def _clean(value: Any) -> Any:
    """A text without characters that turn its order or cannot be seen."""
    plain = isinstance(value, str) and not hasattr(value, "__html__")
    return shown_text(value) if plain else value


def fill(view: str, *values: Any) -> str:
    """One of the template's views; every text in it is escaped."""
    return str(getattr(_views(), view)(*values))


@cache
def style() -> str:
    """The one sheet of rules."""
    rules = Path(__file__).with_name("desk.css").read_text(encoding="utf-8")
    return f"<style>{rules}</style>"


def show(*views: str) -> Any:
    """Views for a notebook, with their style."""
    from IPython.display import HTML

    return HTML(f'{style()}<div class="convene-desk">{"".join(views)}</div>')


def short(day: date) -> str:
    """A date as a head of a column has it."""
    return f"{day.day} {day:%b}"


def long(day: date) -> str:
    """A date with its weekday."""
    return f"{day:%A}, {day.day} {day:%B %Y}"


def said(says: Says) -> str:
    """What a reply was taken to say.

    >>> said(Says(can=(date(2027, 9, 15),), asks="May I bring a guest?"))
    'can do 15 September; asks “May I bring a guest?”'
    """
    return "; ".join(stated("known", says)) or "nothing of dates"


# ---- how it stands ---------------------------------------------------------------------


def cell(books: Books, contact: Contact, slot: date) -> str:
    """What is known of somebody and a date: a key of `CELLS`."""
    if contact.name in books.holders[slot]:
        return "confirmed" if slot in contact.confirmed else "given"
    if slot in contact.gave_back and slot not in contact.named:
        return "back"
    if contact.declined:
        return "cannot"
    if slot in contact.named:
        if slot not in books.to_come or books.held(contact.name):
            return "spare"
        return "can" if slot in contact.can else "perhaps"
    if slot in contact.cannot:
        return "cannot"
    return "unnamed" if contact.answered else "unknown"


def standing(books: Books, contact: Contact) -> str:
    """Where things are with somebody, in words."""
    if contact.off:
        return "taken off the list"
    if contact.declined:
        return "declined"
    if not contact.mails:
        return "not written to"
    if contact.not_before and contact.not_before > books.today:
        return f"not before {short(contact.not_before)}"
    quiet = books.quiet(contact)
    if quiet and not books.held(contact.name):
        return f"silent for {quiet} working day{'s' if quiet > 1 else ''}"
    return ""


def flagged(desk: Desk) -> set[int]:
    """Mails about which the person at the desk was asked."""
    flags = [flag for day in desk.before for flag in day.flags]
    return {flag.mail for flag in (*flags, *desk.decided)}


def board(desk: Desk) -> str:
    """People by dates, each with their mails (Figure 3D and E)."""
    books = desk.books
    rows = []
    there = Counter[str]()
    for contact in books.contacts.values():
        cells = [cell(books, contact, slot) for slot in books.holders]
        there.update(cells)
        where = standing(books, contact)
        rows.append((contact, where, cells, desk.thread(contact.name)))
    kinds = [kind for kind in CELLS if there[kind]]
    return fill("board", books, rows, kinds, flagged(desk))


def months(desk: Desk) -> str:
    """The months to come with today, the dates and the deadline (Figure 3F)."""
    today = desk.today
    free = desk.books.free
    start = desk.scenario.start
    marks = dict.fromkeys(desk.books.holders, ("good", "taken"))
    marks |= dict.fromkeys(free, ("maybe", "open"))
    marks[desk.scenario.deadline] = ("bad", "deadline")
    ahead = {today, *(day for day in marks if day > today)}
    first = sorted({day.replace(day=1) for day in ahead})[:MONTHS]
    weeks = calendar.Calendar().monthdatescalendar
    shown = [(day, weeks(day.year, day.month)) for day in first]
    sent = Counter(start + timedelta(days=mail.day - 1) for mail in desk.mails)
    return fill("months", shown, today, marks, sent)


def policies(desk: Desk) -> str:
    """All policies; those that the organiser goes by today first, with the mails that
    they ask for (Figure 3A)."""
    chosen = list[Any]()
    others = list[Any]()
    for policy in desk.policies:
        asked = [act.person for act in desk.actions if act.policy == policy.id]
        kept = chosen if policy.id in desk.selected else others
        kept.append((policy, asked))
    rest = [policy for policy, _ in others]
    return fill("policies", chosen, rest, bool(desk.actions))


# ---- mails and days --------------------------------------------------------------------


def mails(these: Iterable[Mail], marked: Iterable[int] = ()) -> str:
    """Mails, the newest on top; those of `marked` numbers bear a flag."""
    return fill("mails", list(these)[::-1], set(marked))


def days(these: Sequence[Day]) -> str:
    """Finished days, the newest on top and unfolded (Figure 3B)."""
    return fill("days", these[::-1])


def running(desk: Desk) -> str:
    """What is known of a day that is not over."""
    came = [mail for mail in desk.mails if mail.day == desk.day and mail.kind == REPLY]
    return fill("running", desk, came)
