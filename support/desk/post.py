"""What only a person can know of mail: whether an uncertain one arrived, whose a held
one is; and how the post stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import ipywidgets as w

from support.desk.boards import fill
from support.desk.cards import FormCard, button, framed, row
from support.labs.base import Press
from support.mail.journal import Kept
from support.mail.outbox import SENDING, SENT, UNCERTAIN, Posted
from support.mail.reading import read
from support.seminars.seminar import Seminar
from support.seminars.setup import LIVE, MODES

MOST = 20  # held mails that are shown at once, the oldest first
FATES = {
    "It arrived": (True, False),
    "It did not: leave it out": (False, False),
    "It did not: send it again": (False, True),
}
"""What a person can say of an uncertain mail, as `Seminar.decide` takes it."""
NOBODY = "whose is it? …"


def waiting(
    seminar: Seminar, known: Mapping[str, Any], done: Callable[[], Any]
) -> dict[str, Any]:
    """A card for each mail that waits; those `known` from before stay as they are."""
    makers: dict[str, Callable[[], Any]] = {}
    for unsure in seminar.uncertain:
        makers[unsure.message_id] = partial(unsure_card, seminar, unsure, done)
    inbox = seminar.workplace.inbox
    for held in inbox.held()[:MOST] if inbox.waiting() else ():
        makers[held.key] = partial(HeldCard, seminar, held, done)
    return {key: known.get(key) or make() for key, make in makers.items()}


def unsure_card(seminar: Seminar, mail: Posted, done: Callable[[], Any]) -> FormCard:
    """A mail that may have been sent or not; the day goes on when this is said."""

    def settle(arrived: bool, again: bool, _: Any) -> Any:
        seminar.decide(mail.message_id, arrived, again=again)
        return done()

    acts = {words: partial(settle, *fate) for words, fate in FATES.items()}
    title = "This mail may have been sent or not"
    return FormCard(title, mail.person, fill("unsure", mail), None, acts)


class HeldCard:
    """A mail of which nobody can say for sure whose it is, as text."""

    def __init__(self, seminar: Seminar, mail: Kept, done: Callable[[], Any]) -> None:
        self.seminar, self.key, self.done = seminar, mail.key, done
        contacts = seminar.desk.books.contacts.values()
        people = [contact.name for contact in contacts if not contact.off]
        first = mail.person if mail.person in people else NOBODY
        self.whose = w.Dropdown(options=[NOBODY, *people], value=first)
        self.error, self.yes = w.HTML(), button("It is from them", primary=True)
        self.out = button("Leave it out")
        self.press = Press(lambda: self.whose.value, self.error)
        self.press.button(self.yes, self._theirs)
        self.press.button(self.out, self._nobody)
        shown = w.HTML(fill("held", read(mail.fetched), mail.reason))
        buttons = row(self.whose, self.yes, self.out)
        self.view = framed("A mail is held", "", shown, buttons, self.error)

    def _theirs(self) -> Any:
        self.seminar.release(self.key, self.whose.value)
        return self.done()

    def _nobody(self) -> Any:
        self.seminar.drop(self.key)
        return self.done()


def standing(seminar: Seminar) -> str:
    """How mail travels, how many went today, and who checks who wrote a reply."""
    setup = seminar.setup
    lines = [f"{setup.mode}: {MODES[setup.mode]}."]
    if setup.mode != LIVE:
        return fill("facts", [*lines, f"Folder: {seminar.workplace.folder}"])
    gone = (SENT, SENDING, UNCERTAIN)
    rows = seminar.workplace.outbox.posted()
    today = [one for one in rows if one.on == seminar.today() and one.status in gone]
    lines.append(f"{len(today)} of {setup.daily_limit} mails sent today.")
    checks = setup.servers.authserv
    lines.append(
        f"Who wrote a reply is checked by {checks}."
        if checks
        else "Nobody checks who wrote a reply: you said yes to that risk."
    )
    return fill("facts", [*lines, f"May be written to: {', '.join(setup.allowed)}."])
