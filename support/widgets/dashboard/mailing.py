"""The mail page of a seminar: how mail travels, what nobody knows the fate of, what is held, and what went out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import ipywidgets as w

from support.boards.pieces import block, chip, count, said
from support.boards.posting import outbox_to_html
from support.mail.posted import SENDING, SENT, UNCERTAIN, Posted
from support.seminars.setup import DRY_RUN, LIVE, MODES, SeminarSetup
from support.widgets.dashboard.cards import Cards, boarded
from support.widgets.dashboard.holding import HeldPanel
from support.widgets.dashboard.parts import heading, hint, page, there
from support.widgets.organizing.fields import Press, row, wide

if TYPE_CHECKING:
    from support.seminars.seminar import Seminar

SHOWN = 200
"""Mails that the table shows, the newest."""

UNSURE = (
    "Nobody here knows whether these left: the answer of the server was lost. None is sent again by itself. Look into "
    "the sent folder of your mailbox, or ask the recipient, and say for each what you found; then the day goes on."
)
FATES = (
    ("It arrived", "It counts as sent, and nothing is sent again.", True, False),
    (
        "It did not arrive: send it again",
        "This very mail, with the same words and the same Message-ID, leaves when the day goes on.",
        False,
        True,
    ),
    (
        "It did not arrive: leave it out",
        "It counts as not sent; the organiser may write anew on another day.",
        False,
        False,
    ),
)
"""What a person can say of an uncertain mail, what follows, and both as `Seminar.decide` takes them."""


class MailPage:
    """Shows a seminar's mail, and takes what only a person can know. Display `.view`.

    Parameters
    ----------
    seminar : callable
        Gives the seminar that is open, or None.
    changed : callable
        Called after a decision.
    """

    def __init__(self, seminar: Callable[[], Seminar | None], changed: Callable[[], None] = lambda: None) -> None:
        self.seminar, self.changed = seminar, changed
        self.ways, self.table, self.error, self.status = w.HTML(), w.HTML(), w.HTML(), w.HTML()
        self.unsure = Cards(self._card)
        self.unsure_box = w.VBox(
            [heading("Uncertain: decide first"), w.HTML(boarded(f"<p>{UNSURE}</p>")), self.unsure.view]
        )
        self.held = HeldPanel(seminar, self._done)
        self.view = page("Mail", self.ways, self.status, self.unsure_box, self.error, self.held.view, self.table)
        self.refresh()

    def refresh(self) -> None:
        """Show how it stands now."""
        seminar = self.seminar()
        uncertain = seminar.uncertain if seminar is not None else []
        posted = seminar.workplace.outbox.posted() if seminar is not None else []
        self.ways.value = (
            ways_to_html(seminar, posted) if seminar is not None else boarded("<p>No seminar is open.</p>")
        )
        self.unsure.show({mail.message_id: mail for mail in uncertain})
        there(self.unsure_box, bool(uncertain))
        more = f"<p>The newest {SHOWN} of {len(posted)} are shown.</p>" if len(posted) > SHOWN else ""
        self.table.value = outbox_to_html(list(reversed(posted))[:SHOWN]) + (boarded(more) if more else "")
        there(self.table, seminar is not None)
        self.held.refresh()

    def _card(self, mail: Posted) -> w.VBox:
        """An uncertain mail, with what can be said of it."""
        error, lines = w.HTML(), []
        press = Press(lambda: None, error)
        for words, follows, arrived, again in FATES:
            button = wide(words)
            button.add_class("convene-fate")
            press.button(button, partial(self._decide, mail, arrived, again))
            lines.append(row(button, hint(follows)))
        return w.VBox([w.HTML(uncertain_to_html(mail)), *lines, error])

    def _decide(self, mail: Posted, arrived: bool, again: bool) -> None:
        seminar = self.seminar()
        if seminar is not None:
            seminar.decide(mail.message_id, arrived, again=again)
            self._done(f"The mail to {mail.person} is settled: it {'arrived' if arrived else 'did not arrive'}.")

    def _done(self, words: str) -> None:
        self.status.value = boarded(f'<p role="status">{said(words)}</p>')
        self.refresh()
        self.changed()


def uncertain_to_html(mail: Posted) -> str:
    """A mail that may have been sent or not: to whom, when, its words, and what was said about it."""
    head = f"{chip('flag', '?', 'may have been sent')} to <b>{said(mail.person)}</b> ({said(mail.recipient)})"
    when = f'<span class="small">day {mail.day}, {mail.on.isoformat()}, Message-ID {said(mail.message_id)}</span>'
    answer = f"<p>What is known: {said(mail.said)}</p>" if mail.said else ""
    letter = f"<p><b>{said(mail.subject)}</b></p>{block(mail.body, 'text letter')}"
    return boarded(f"<p>{head}<br>{when}</p>{answer}{letter}")


def ways_to_html(seminar: Seminar, posted: Sequence[Posted]) -> str:
    """How a seminar's mail travels, in words and numbers."""
    setup, mode = seminar.setup, seminar.setup.mode
    facts = [(chip("flag" if mode == LIVE else "given", "●", said(mode)), said(MODES[mode]))]
    if mode == DRY_RUN:
        folder = said(str(seminar.workplace.folder.resolve()))
        facts.append(("folder", f"{folder}: mails are put into “outbox”, put replies (.eml) into “inbox”"))
    if mode == LIVE:
        today = seminar.today()
        gone = sum(mail.on == today and mail.status in (SENT, SENDING, UNCERTAIN) for mail in posted)
        facts += [*_real(setup), ("sent today", f"{gone} of at most {setup.daily_limit}")]
    facts.append(("mails so far", count(sum(mail.status not in ("prepared", "not sent") for mail in posted), "mail")))
    plain = 'style="float:none;width:auto"'  # Voila has a look of its own for lists of terms
    lines = "".join(f"<dt {plain}>{head}</dt><dd {plain}>{words}</dd>" for head, words in facts)
    return boarded(f'<dl style="grid-template-columns:10rem minmax(0,1fr);gap:2px 14px">{lines}</dl>')


def _real(setup: SeminarSetup) -> list[tuple[str, str]]:
    """Servers and recipients of a live seminar."""
    servers, names = setup.servers, {person.email: person.name for person in setup.scenario.people}
    assert servers is not None  # checked by the setup
    sends, reads = f"{servers.smtp_host}:{servers.smtp_port}", f"{servers.imap_host}:{servers.imap_port}"
    listed = ", ".join(f"{said(names.get(address, ''))} {said(address)}" for address in setup.allowed)
    return [
        (
            "servers",
            f"sends by {said(sends)}, reads {said(servers.imap_folder)} at {said(reads)}, as {said(servers.address)}",
        ),
        (f"allowed ({len(setup.allowed)} of {len(setup.scenario.people)})", listed),
    ]
