"""What only a person can know of mail: whether an uncertain one arrived, whose a held
one is; and how the post stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from pydantic import create_model

from support.desk.boards import fill
from support.desk.cards import FormCard
from support.errors import InvalidInput
from support.mail.journal import Kept
from support.mail.outbox import SENDING, SENT, UNCERTAIN, Posted
from support.mail.reading import read
from support.seminars.seminar import Seminar
from support.seminars.setup import LIVE, MODES, REHEARSAL

MOST = 20  # held mails that are shown at once, the oldest first
FATES = {
    "It arrived": (True, False),
    "It did not: leave it out": (False, False),
    "It did not: send it again": (False, True),
}
"""What a person can say of an uncertain mail, as `Seminar.decide` takes it."""
NOBODY = "nobody on the list"


def waiting(
    seminar: Seminar,
    known: Mapping[str, Any],
    done: Callable[[], Any],
) -> dict[str, Any]:
    """A card for each mail that waits; those `known` from before stay as they are."""
    found = {}
    inbox = seminar.inbox
    for unsure in seminar.uncertain:
        key = unsure.message_id
        found[key] = known.get(key) or unsure_card(seminar, unsure, done)
    for held in inbox.held()[:MOST]:
        found[held.key] = known.get(held.key) or held_card(seminar, held, done)
    return found


def unsure_card(seminar: Seminar, mail: Posted, done: Callable[[], Any]) -> FormCard:
    """A mail that may have been sent or not; the day goes on when this is said."""

    def settle(arrived: bool, again: bool, _: Any) -> Any:
        seminar.decide(mail.message_id, arrived, again=again)
        return done()

    acts = {words: partial(settle, *fate) for words, fate in FATES.items()}
    title = "This mail may have been sent or not"
    told = mail.said, mail.recipient, mail.subject, mail.body, mail.message_id
    return FormCard(title, mail.person, fill("stranger", *told), None, acts)


def held_card(seminar: Seminar, mail: Kept, done: Callable[[], Any]) -> FormCard:
    """A mail that may not be words of its sender's, as text and as a question."""
    contacts = seminar.desk.books.contacts.values()
    people = [contact.name for contact in contacts if not contact.off]
    kind: Any = Literal[NOBODY, *people]
    form = create_model(
        "Held", whose=(kind, NOBODY)
    )  # no guess: a key may be held down

    def theirs(reply: Any) -> Any:
        if reply.whose == NOBODY:
            raise InvalidInput("Choose whose it is, or leave it out.")
        seminar.release(mail.key, reply.whose)
        return done()

    def nobody(_: Any) -> Any:
        seminar.drop(mail.key)
        return done()

    found = read(mail)
    sender = f"{found.sender_name} <{found.sender or 'no sender that can be read'}>"
    more = ", ".join(found.attachments)
    shown = fill("stranger", mail.why, sender, found.subject, found.whole, more)
    acts = {"It is from them": theirs, "Leave it out": nobody}
    return FormCard("A mail is held", "", shown, form, acts)


def standing(seminar: Seminar) -> str:
    """How mail travels, how many went today, who checks who wrote a reply; and every
    mail that was to leave."""
    setup = seminar.setup
    posted = seminar.outbox.posted()
    told = [f"{setup.mode}: {MODES[setup.mode]}."]
    if setup.mode == REHEARSAL:
        return fill("note", told[0])
    if setup.mode == LIVE:
        gone = [one for one in posted if one.status in (SENT, SENDING, UNCERTAIN)]
        today = sum(one.sent_on == f"{seminar.today():%Y-%m-%d}" for one in gone)
        told.append(f"{today} of {setup.daily_limit} mails sent today.")
        checks = setup.authserv or "nobody: you said yes to that risk"
        told.append(f"Who wrote a reply is checked by {checks}.")
    else:
        told.append(f"The folder: {seminar.folder}")
    rows = [(p.status, p.sent_on, p.recipient, p.subject, p.said) for p in posted[::-1]]
    return fill("note", " ".join(told)) + fill("table", rows)
