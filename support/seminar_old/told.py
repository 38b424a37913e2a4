"""What prompts say of a seminar: people, dates and mails in words, each of them bounded.

Whatever others wrote is quoted: every line of it begins with ">", so that no text can pose as the end of itself, and
one sentence of each prompt says that instructions inside are not followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from support.seats import Shown, cut
from support.seminar.data import in_words, iso, passed
from support.seminar.ledger import Contact, State
from support.seminar.records import ORGANISER, Hook, Mail
from support.seminar.views import Desk

# What a tight model is shown; see `seats.Shown`.
BODY, SAID = 900, 160  # characters of a mail, and of a note on what somebody said
THREAD, LOG, LEARNT = (
    6,
    12,
    8,
)  # mails of a thread, of a day's log, and changes that are remembered


def quoted(text: str, shown: Shown, most: int = BODY) -> str:
    """A text by somebody else, as far as it is shown, with ">" before each of its lines."""
    kept = shown.text(text, most)
    return "\n".join(
        f"> {line}"
        for line in (" ".join(part.split()) for part in kept.splitlines())
        if line
    )


def line(text: str, most: int = SAID, shown: Shown | None = None) -> str:
    """A short text on one line, cut off."""
    flat = " ".join(text.split())
    return shown.text(flat, most) if shown else cut(flat, most)


def mails(written: Sequence[Mail], shown: Shown, most: int = THREAD) -> list[str]:
    """The last mails, each with a head of ours and quoted below it."""
    kept = shown.last(written, most, "mails")
    heads = [
        f"Day {mail.day}, {mail.kind}, from {mail.sender} to {mail.to}:"
        for mail in kept
    ]
    texts = [quoted(f"{mail.subject}\n{mail.body}", shown) for mail in kept]
    return [f"{head}\n{text}" for head, text in zip(heads, texts, strict=True)]


def dates(days: Iterable[date]) -> str:
    """Dates with their ISO form: "2027-09-15 (Wednesday, 15 September 2027)"; "none" without any."""
    return "; ".join(f"{day} ({in_words(day)})" for day in days) or "none"


def slot_line(state: State, slot: date) -> str:
    """A date with who has it."""
    names, seats = state.slots[slot], state.seats
    free = f", {seats - len(names)} of {seats} seats free" if seats > 1 else ""
    return f"{dates([slot])}: {', '.join(names) or 'nobody'}{free}"


def person_line(state: State, contact: Contact, shown: Shown) -> str:
    """All that is known of one person."""
    said = {
        "can do": contact.available,
        "perhaps": contact.vague,
        "has": state.dates_of(contact.name),
    }
    parts = [
        reached(state, contact),
        *(f"{what} {', '.join(iso(days))}" for what, days in said.items() if days),
    ]
    parts += ["declined"] if contact.declined else []
    parts += (
        [f"gave back {', '.join(iso(contact.cancelled))}"] if contact.cancelled else []
    )
    parts += (
        [f"asked not to be written to before {contact.wait_until}"]
        if contact.wait_until
        else []
    )
    parts += (
        ['noted: "' + line(contact.said, SAID, shown).replace('"', "'") + '"']
        if contact.said
        else []
    )
    return f"{contact.name} ({contact.role}): {'; '.join(parts)}"


def decisions(hooks: Iterable[Hook], shown: Shown) -> list[str]:
    """What the person at the desk was asked (quoted, since it repeats a reply) and said; no open questions."""
    answered = [hook for hook in hooks if hook.answer.strip()]
    told = [
        f"{quoted(h.question, shown, 300)}\n  They said: {line(h.answer, 300, shown)}"
        for h in answered
    ]
    return list(dict.fromkeys(told))


def offered(desk: Desk, person: str) -> tuple[date, ...]:
    """The dates of the programme that the organiser named to somebody; all of them where no mail says."""
    named = {
        slot
        for mail in desk.thread(person)
        if mail.sender == ORGANISER
        for slot in mail.slots
    }
    known = tuple(slot for slot in desk.scenario.slots if slot.isoformat() in named)
    return known or desk.scenario.slots


def reached(state: State, contact: Contact) -> str:
    """When somebody was written to, and answered."""
    if not contact.mails:
        return "not written to yet"
    count, last = len(contact.mails), max(contact.mails)
    ago, times = (
        passed(last, state.today),
        {1: "once", 2: "twice"}.get(count, f"{count} times"),
    )
    when = f"written to {times}, last on {last} ({ago} working day{'' if ago == 1 else 's'} ago)"
    if not contact.answered:
        return f"{when}, has never answered"
    waiting = f", {contact.unanswered} unanswered" if contact.unanswered else ""
    return f"{when}, last answered on {max(contact.answered)}{waiting}"
