"""What arrived and is no plain reply: mails held until a person says whose they are, automatic answers, bounces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import ipywidgets as w

from support.boards.pieces import block, folded, said, titled
from support.boards.posting import held_mail
from support.errors import InvalidInput
from support.mail.inbox import HELD, Kept
from support.widgets.dashboard.cards import Cards, boarded
from support.widgets.dashboard.parts import heading, there
from support.widgets.organizing.fields import Press, row, wide

if TYPE_CHECKING:
    from support.mail.letters import Incoming
    from support.seminars.seminar import Seminar

AUTOMATIC, BOUNCE = "automatic", "bounce"
SHOWN = 50
"""Automatic answers and bounces that are listed, of each the newest."""

HOLDING = (
    "Nobody can say for sure whose these are, so that the organiser has not seen them. Say whose it is, and it is read "
    "on the next day as their reply; or leave it out. Nothing in a mail is opened or followed."
)
NOBODY = "choose …"


class HeldPanel:
    """Shows what is held, and takes whose it is.

    Parameters
    ----------
    seminar : callable
        Gives the seminar that is open, or None.
    done : callable
        Called with a sentence after something was decided.
    """

    def __init__(self, seminar: Callable[[], Seminar | None], done: Callable[[str], None]) -> None:
        self.seminar, self.done = seminar, done
        self.cards, self.automatic, self.bounced, self.none = Cards(self._card), w.HTML(), w.HTML(), w.HTML()
        self.told = w.HTML(boarded(f"<p>{HOLDING}</p>"))
        self.none.value = boarded("<p>No mail is held.</p>")
        self.view = w.VBox([heading("Held"), self.told, self.none, self.cards.view, self.bounced, self.automatic])
        self._read: dict[str, Incoming] = {}
        self._shown: tuple[Any, ...] = ()
        self._acts = 0

    def refresh(self) -> None:
        """Show what lies there now; looked at again only where the journal went on, since messages may be long."""
        seminar = self.seminar()
        there(self.view, seminar is not None)
        if seminar is None:
            return
        now = id(seminar), len(seminar.entries), seminar.day, self._acts
        if now != self._shown:
            self._shown = now
            self._show(seminar)

    def _show(self, seminar: Seminar) -> None:
        kept = seminar.workplace.inbox.all()
        held = {one.key: one for one in kept if one.status == HELD}
        self.cards.show(held)
        there(self.told, bool(held))
        there(self.none, not held)
        subjects = {mail.mail: f"“{mail.subject}” to {mail.person}" for mail in seminar.workplace.outbox.posted()}
        rest = [one for one in kept if one.status != HELD]
        self.bounced.value = self._listed("Came back undelivered", BOUNCE, rest, subjects)
        self.automatic.value = self._listed("Automatic answers", AUTOMATIC, rest, subjects)

    def _card(self, kept: Kept) -> w.VBox:
        seminar = self.seminar()
        people = [] if seminar is None else on_list(seminar)
        options = [(NOBODY, ""), *((name, name) for name in people)]
        whose = w.Dropdown(
            options=options,
            value=kept.person if kept.person in people else "",
            description="from",
            style={"description_width": "2.6rem"},
            layout=w.Layout(width="17rem"),
        )
        release, drop, error = wide("It is from them"), wide("Leave it out"), w.HTML()
        press = Press(lambda: whose.value, error)
        press.button(release, lambda: self._release(kept, whose.value))
        press.button(drop, lambda: self._drop(kept))
        return w.VBox([w.HTML(self._shown_as_text(kept)), row(whose, release, drop), error])

    def _shown_as_text(self, kept: Kept) -> str:
        incoming = self._incoming(kept)
        return boarded(held_mail(incoming, kept.reason, cut=incoming.cut))

    def _release(self, kept: Kept, person: str) -> None:
        seminar = self.seminar()
        if not person:
            raise InvalidInput("from: nobody is chosen; choose whose mail it is, or leave it out")
        if seminar is not None:
            seminar.release(kept.key, person)
            self._settled(f"The mail is read as {person}’s on the next day.")

    def _drop(self, kept: Kept) -> None:
        seminar = self.seminar()
        if seminar is not None:
            seminar.drop(kept.key)
            self._settled("The mail is left out; it stays in the file and in your mailbox.")

    def _settled(self, words: str) -> None:
        self._acts += 1
        self.done(words)

    def _incoming(self, kept: Kept) -> Incoming:
        """What the message says; read once."""
        from support.mail.reading import read

        if kept.key not in self._read:
            self._read[kept.key] = read(kept.fetched)
        return self._read[kept.key]

    def _listed(self, head: str, kind: str, kept: Iterable[Kept], subjects: dict[int, str]) -> str:
        found = [one for one in kept if one.kind == kind]
        lines = [self._line(one, subjects.get(one.mail or 0, "")) for one in found[: -SHOWN - 1 : -1]]
        more = f"<p>The newest {SHOWN} of {len(found)}.</p>" if len(found) > SHOWN else ""
        return boarded(folded(f"{head}: {len(found)}", "".join(lines) + more)) if found else ""

    def _line(self, kept: Kept, about: str) -> str:
        incoming = self._incoming(kept)
        who = kept.person or incoming.sender or "(no sender)"
        head = f"day {kept.day}, {said(who)}: {titled(incoming.subject)}"
        answers = f'<p class="small">It is about {said(about)}.</p>' if about else ""
        return folded(head, answers + (block(incoming.text, "text letter") or "<p>(no text)</p>"))


def on_list(seminar: Seminar) -> list[str]:
    """Everybody who is on the list now."""
    gone = seminar.workplace.removed
    return [person.name for person in seminar.setup.scenario.people if person.name not in gone]
