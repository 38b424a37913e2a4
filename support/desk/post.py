"""What only a person can know of mail: whether an uncertain one arrived, whose a held
one is; and how the post stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from pydantic import create_model

from support.desk.boards import fill
from support.desk.cards import FormCard
from support.mail.journal import Kept
from support.mail.outbox import SENDING, SENT, UNCERTAIN, Posted
from support.mail.reading import read
from support.seminars.seminar import Seminar
from support.seminars.setup import DRY_RUN, LIVE, MODES

MOST = 20  # held mails that are shown at once, the oldest first
FATES = {
    "It arrived": (True, False),
    "It did not: leave it out": (False, False),
    "It did not: send it again": (False, True),
}
"""What a person can say of an uncertain mail, as `Seminar.decide` takes it."""
NOBODY = "nobody on the list"


def waiting(
    seminar: Seminar, known: Mapping[str, Any], done: Callable[[], Any]
) -> dict[str, Any]:
    """A card for each mail that waits; those `known` from before stay as they are."""
    makers: dict[str, Callable[[], Any]] = {}
    for unsure in seminar.uncertain:
        makers[unsure.message_id] = partial(unsure_card, seminar, unsure, done)
    inbox = seminar.inbox
    for held in inbox.held()[:MOST] if inbox.waiting() else ():
        makers[held.key] = partial(held_card, seminar, held, done)
    return {key: known.get(key) or make() for key, make in makers.items()}


def unsure_card(seminar: Seminar, mail: Posted, done: Callable[[], Any]) -> FormCard:
    """A mail that may have been sent or not; the day goes on when this is said."""

    def settle(arrived: bool, again: bool, _: Any) -> Any:
        seminar.decide(mail.message_id, arrived, again=again)
        return done()

    acts = {words: partial(settle, *fate) for words, fate in FATES.items()}
    title = "This mail may have been sent or not"
    return FormCard(title, mail.person, fill("unsure", mail), None, acts)


def held_card(seminar: Seminar, mail: Kept, done: Callable[[], Any]) -> FormCard:
    """A mail of which nobody can say for sure whose it is, as text."""
    contacts = seminar.desk.books.contacts.values()
    people = [contact.name for contact in contacts if not contact.off]
    first = mail.person if mail.person in people else NOBODY
    kind: Any = Literal[NOBODY, *people]  # type: ignore[valid-type]
    form = create_model("Held", whose=(kind, first))

    def theirs(reply: Any) -> Any:
        seminar.release(mail.key, reply.whose)
        return done()

    def nobody(_: Any) -> Any:
        seminar.drop(mail.key)
        return done()

    shown = fill("held", read(mail.fetched), mail.reason)
    acts = {"It is from them": theirs, "Leave it out": nobody}
    return FormCard("A mail is held", "", shown, form, acts)


def standing(seminar: Seminar) -> str:
    """How mail travels, how many went today, and who checks who wrote a reply."""
    setup = seminar.setup
    lines = [f"{setup.mode}: {MODES[setup.mode]}."]
    if setup.mode != LIVE:
        folder = [f"Folder: {seminar.folder}"] if setup.mode == DRY_RUN else []
        return fill("facts", [*lines, *folder])
    gone = (SENT, SENDING, UNCERTAIN)
    rows = seminar.outbox.posted()
    today = [one for one in rows if one.on == seminar.today() and one.status in gone]
    lines.append(f"{len(today)} of {setup.daily_limit} mails sent today.")
    checks = setup.servers.authserv
    lines.append(
        f"Who wrote a reply is checked by {checks}."
        if checks
        else "Nobody checks who wrote a reply: you said yes to that risk."
    )
    return fill("facts", [*lines, f"May be written to: {', '.join(setup.allowed)}."])
