"""The pages beside the desk: mail, people, questions about the mails, and what one takes along."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np
import yaml

from support.desk import views
from support.desk.fields import Press, Twice, boxed, heading, hint, page, row, there, told, wide
from support.desk.markup import count, fill
from support.desk.work import SWEEP, Work, keep, kept, words
from support.errors import InvalidInput
from support.mail.addresses import same
from support.mail.inbox import HELD, Kept
from support.mail.posted import SENDING, SENT, UNCERTAIN, Posted
from support.models.profiles import MODEL
from support.seats import Spoken
from support.seminar.artefacts import as_content, export_artefacts
from support.seminar.data import Persona
from support.seminar.seats import ANSWERER
from support.seminar.views import Desk
from support.seminars.seminar import Seminar
from support.seminars.setup import DRY_RUN, LIVE, MODES, REHEARSAL
from support.seminars.unlock import Lock

if TYPE_CHECKING:
    from support.mail.letters import Incoming
    from support.models.model import ChatModel

CARDS, LISTED, NOTED = 20, 200, 50
"""Cards shown at once; mails that the table shows; automatic answers and bounces that are listed, the newest."""

NOBODY = "choose …"
NONE = "No seminar is open."
UNSURE = (
    "Nobody here knows whether these left: the answer of the server was lost. None is sent again by itself. Look into "
    "the sent folder of your mailbox, or ask the recipient, and say for each what you found; then the day goes on."
)
LOCKED = "Mail that was approved before this page was loaded leaves only after the code of `make app`."
AGAIN = "This very mail, with the same words and the same Message-ID, leaves when the day goes on."
FATES = (
    ("It arrived", "It counts as sent, and nothing is sent again.", True, False),
    ("It did not arrive: send it again", AGAIN, False, True),
    ("It did not arrive: leave it out", "It counts as not sent; the organiser may write anew.", False, False),
)
"""What a person can say of an uncertain mail, what follows, and both as `Seminar.decide` takes them."""

HOLDING = (
    "Nobody can say for sure whose these are, so that the organiser has not seen them. Say whose it is, and it is read "
    "on the next day as their reply; or leave it out. Nothing in a mail is opened or followed."
)
OFF = (
    "Whoever is taken off the list gets no more mail, and what they write is held on the page Mail. A date that they "
    "had is free again. They can be put back: what they said before counts no more then, and they are written to anew."
)
TAKE = (
    "What this seminar leaves: its policies as they hold now, the templates, the stop hooks (what was asked at the "
    "desk, and answered), and what was learnt of your changes. No addresses, no mails and no credentials are among it. "
    "The file is YAML, to be read and edited; the page Setup reads it."
)
CLOSE = (
    "A closed seminar plays no day any more and sends nothing; its record goes into the store. It stays readable here."
)


def opened(seminar: Seminar | None) -> Seminar:
    """The seminar at hand; an error where there is none."""
    if seminar is None:
        raise InvalidInput("seminar: none is open; begin one on the page Setup, or choose one on top")
    return seminar


class Cards:
    """A card for each of some things by keys; those that stay are left alone, with what is typed in them."""

    def __init__(self, make: Callable[[Any], w.Widget]) -> None:
        self.make, self.view, self.shown, self.more = make, w.VBox(), dict[str, w.Widget](), w.HTML()

    def show(self, things: Mapping[str, Any]) -> None:
        """Have a card for each of these, in their order, and no other."""
        wanted = list(things)[:CARDS]
        self.shown = {key: self.shown.get(key) or self.make(things[key]) for key in wanted}
        left = len(things) - len(wanted)
        self.more.value = told(f"{left} more follow when these are settled.") if left else ""
        if self.view.children != (cards := (*self.shown.values(), self.more)):
            self.view.children = cards


class MailPage:
    """Shows a seminar's mail, and takes what only a person can know; `changed` is called after a decision."""

    def __init__(self, seminar: Callable[[], Seminar | None], changed: Callable[[], None]) -> None:
        self.seminar, self.changed = seminar, changed
        self.ways, self.table, self.error, self.status, self.noted = (w.HTML() for _ in range(5))
        self.unsure, self.held = Cards(self._uncertain), Cards(self._held)
        self.unsure_box = w.VBox([heading("Uncertain: decide first"), hint(UNSURE), self.unsure.view])
        self.held_box = w.VBox([heading("Held"), hint(HOLDING), self.held.view])
        self.lock, self.code = Lock(), w.Password(description="code", placeholder="8 digits, from the terminal")
        self.code_button = wide("Let it leave")
        Press(lambda: None, self.error).button(self.code_button, self._unlock)
        self.code_row = row(self.code, self.code_button, hint(LOCKED))
        self.check_button = wide("Check mail now", tooltip="Fetch what is new; it is read on the next day")
        Press(lambda: None, self.error).button(self.check_button, self.check_mail)
        self._read: dict[str, Incoming] = {}
        self._noted: tuple[Any, ...] = ()
        self.view = page("Mail", self.ways, row(self.check_button, self.status), self.code_row, self.error,
                         self.unsure_box, self.held_box, self.noted, self.table)  # fmt: skip
        self.refresh()

    def refresh(self) -> None:
        """Show how it stands now."""
        seminar = self.seminar()
        live = seminar is not None and seminar.setup.mode == LIVE
        there(self.code_row, live and not self.lock.open and opened(seminar).workplace.approvals.waiting())
        for part in (self.unsure_box, self.held_box, self.noted, self.table):
            there(part, seminar is not None)
        there(self.check_button, seminar is not None and seminar.setup.mode != REHEARSAL)
        if seminar is None:
            self.ways.value = told(NONE)
            return
        posted = seminar.workplace.outbox.posted()
        self.ways.value = ways(seminar, posted)
        self.unsure.show({mail.message_id: mail for mail in seminar.uncertain})
        there(self.unsure_box, bool(seminar.uncertain))
        more = f"The newest {LISTED} of {len(posted)} are shown." if len(posted) > LISTED else ""
        self.table.value = views.outbox(list(reversed(posted))[:LISTED], more)
        arrived = seminar.workplace.inbox.all()
        held = {one.key: one for one in arrived if one.status == HELD}
        self.held.show(held)
        there(self.held_box, bool(held))
        if self._noted != (now := (id(seminar), len(arrived), len(held))):
            self._noted, self.noted.value = now, self._listed(arrived, posted)

    async def check_mail(self) -> None:
        """Fetch what is new now."""
        self.check_button.disabled = True
        try:
            new = await opened(self.seminar()).check_mail()
        finally:
            self.check_button.disabled = False
        came = f"{count(new, 'mail')} came; read on the next day." if new else "Nothing new has come."
        self._done(came)

    def _unlock(self) -> None:
        code, self.code.value = self.code.value, ""
        self.lock.unlock(code)
        self._done("Mail that was approved may leave: play the day on.")

    def _uncertain(self, mail: Posted) -> w.VBox:
        error = w.HTML()
        press, lines = Press(lambda: None, error), []
        for said, follows, arrived, again in FATES:
            button = wide(said)
            press.button(button, partial(self._decide, mail, arrived, again))
            lines.append(row(button, hint(follows)))
        return boxed("card", w.HTML(fill("post", "uncertain", mail)), *lines, error)

    def _decide(self, mail: Posted, arrived: bool, again: bool) -> None:
        opened(self.seminar()).decide(mail.message_id, arrived, again=again)
        self._done(f"The mail to {mail.person} is settled: it {'arrived' if arrived else 'did not arrive'}.")

    def _held(self, mail: Kept) -> w.VBox:
        people = on_list(opened(self.seminar()))
        options = [(NOBODY, ""), *((name, name) for name in people)]
        whose = w.Dropdown(options=options, value=mail.person if mail.person in people else "", description="from",
                           style={"description_width": "2.6rem"}, layout=w.Layout(width="17rem"))  # fmt: skip
        release, drop, error = wide("It is from them"), wide("Leave it out"), w.HTML()
        press = Press(lambda: whose.value, error)
        press.button(release, lambda: self._release(mail, whose.value))
        press.button(drop, lambda: self._drop(mail))
        shown = views.held(self._incoming(mail), mail.reason)
        return boxed("card", w.HTML(shown), row(whose, release, drop), error)

    def _release(self, mail: Kept, person: str) -> None:
        if not person:
            raise InvalidInput("from: nobody is chosen; choose whose mail it is, or leave it out")
        opened(self.seminar()).release(mail.key, person)
        self._done(f"The mail is read as {person}’s on the next day.")

    def _drop(self, mail: Kept) -> None:
        opened(self.seminar()).drop(mail.key)
        self._done("The mail is left out; it stays in the file and in your mailbox.")

    def _done(self, said: str) -> None:
        self.status.value = told(said, "status")
        self.refresh()
        self.changed()

    def _incoming(self, mail: Kept) -> Incoming:
        """What the message says; read once."""
        from support.mail.reading import read

        if mail.key not in self._read:
            self._read[mail.key] = read(mail.fetched)
        return self._read[mail.key]

    def _listed(self, arrived: Sequence[Kept], posted: Sequence[Posted]) -> str:
        """Bounces and automatic answers, the newest first."""
        subjects = {mail.mail: f"“{mail.subject}” to {mail.person}" for mail in posted}
        rest = [one for one in reversed(arrived) if one.status != HELD]
        lists = [
            (head, [self._line(one, subjects.get(one.mail or 0, "")) for one in rest if one.kind == kind])
            for head, kind in (("Came back undelivered", "bounce"), ("Automatic answers", "automatic"))
        ]
        return fill("post", "noted", lists, NOTED) if any(those for _, those in lists) else ""

    def _line(self, mail: Kept, about: str) -> dict[str, Any]:
        incoming = self._incoming(mail)
        who = mail.person or incoming.sender or "(no sender)"
        return {"day": mail.day, "who": who, "subject": incoming.subject, "about": about, "text": incoming.text}


def ways(seminar: Seminar, posted: Sequence[Posted]) -> str:
    """How a seminar's mail travels, in words and numbers."""
    setup, facts = seminar.setup, list[tuple[str, list[str]]]()
    if setup.mode == DRY_RUN:
        folder = str(seminar.workplace.folder.resolve())
        facts.append(("folder", [folder, "mails are put into “outbox”, put replies (.eml) into “inbox”"]))
    if setup.mode == LIVE and (servers := setup.servers):
        names = {person.email: person.name for person in setup.scenario.people}
        gone = sum(mail.on == seminar.today() and mail.status in (SENT, SENDING, UNCERTAIN) for mail in posted)
        reads = f"reads {servers.imap_folder} at {servers.imap_host}:{servers.imap_port}"
        sends = f"sends by {servers.smtp_host}:{servers.smtp_port}"
        trusted = servers.authserv or "none: replies may be forged by whoever has seen one of the mails"
        allowed = [f"{names.get(address, '')} {address}" for address in setup.allowed]
        facts += [("servers", [sends, reads, f"as {servers.address}"]), ("trusted mail server", [trusted]),
                  (f"allowed ({len(allowed)} of {len(names)})", allowed),
                  ("sent today", [f"{gone} of at most {setup.daily_limit}"])]  # fmt: skip
    so_far = count(sum(mail.status not in ("prepared", "not sent") for mail in posted), "mail")
    return fill("post", "ways", setup.mode, MODES[setup.mode], [*facts, ("mails so far", [so_far])])


def on_list(seminar: Seminar) -> list[str]:
    """Everybody who is on the list now."""
    return [one.name for one in seminar.setup.scenario.people if one.name not in seminar.workplace.removed]


class PeoplePage:
    """Who is on the list, where things are with each, a way off the list and back."""

    def __init__(self, seminar: Callable[[], Seminar | None], changed: Callable[[], None]) -> None:
        self.seminar, self.changed = seminar, changed
        self.table, self.error, self.status = w.HTML(), w.HTML(), w.HTML()
        look = {"style": {"description_width": "3.4rem"}, "layout": w.Layout(width="20rem")}
        self.whom = w.Dropdown(options=[(NOBODY, "")], value="", description="person", **look)
        press = Press(lambda: self.whom.value, self.error)
        self.off = Twice("Take off the list", partial(self._sure, False), self._move, press)
        self.back = Twice("Put back on the list", partial(self._sure, True), self._move, press)
        self.whom.observe(lambda _: self._chosen(), "value")
        self.box = w.VBox([row(self.whom, self.off.view, self.back.view), hint(OFF), self.error])
        self.view = page("People", self.box, self.status, self.table)
        self._chosen()
        self.refresh()

    def refresh(self) -> None:
        """Show how it stands now."""
        seminar = self.seminar()
        there(self.box, seminar is not None)
        self.table.value = people(seminar) if seminar is not None else told(NONE)
        names = [person.name for person in seminar.setup.scenario.people] if seminar is not None else []
        if [value for _, value in self.whom.options] != ["", *names]:
            chosen = self.whom.value
            self.whom.options = [(NOBODY, ""), *((name, name) for name in names)]
            self.whom.value = chosen if chosen in names else ""

    @property
    def _gone(self) -> bool:
        seminar = self.seminar()
        return seminar is not None and self.whom.value in seminar.workplace.removed

    def _sure(self, back: bool) -> str:
        what = f"put {self.whom.value} back" if back else f"take {self.whom.value} off the list"
        return f"Yes, {what}" if self.whom.value else ""

    def _chosen(self) -> None:
        for way, shown in ((self.off, not self._gone), (self.back, self._gone)):
            way.rest()
            there(way.view, shown)

    def _move(self) -> None:
        """Take whoever is chosen off the list, or put them back."""
        seminar, name = opened(self.seminar()), self.whom.value
        back = self._gone
        seminar.put_back(name) if back else seminar.remove(name)
        self.status.value = told(f"{name} is {'on the list again' if back else 'off the list'}.", "status")
        self._chosen()
        self.refresh()
        self.changed()


def people(seminar: Seminar) -> str:
    """Everybody of a seminar in a table, those off the list at the end."""
    everybody, gone = seminar.setup.scenario.people, seminar.workplace.removed
    live = seminar.setup.mode == LIVE
    heads = ["name", "role", "field, affiliation", "address", *(["may be written to"] if live else []), "how it stands"]
    caption = f"{len(everybody) - len(gone)} on the list{f', {len(gone)} taken off' if gone else ''}"
    rows = [_person(seminar, person) for person in sorted(everybody, key=lambda person: person.name in gone)]
    return fill("post", "people", caption, heads, rows)


def _person(seminar: Seminar, person: Persona) -> dict[str, Any]:
    about = ", ".join(part for part in (person.field, person.affiliation) if part)
    chips: list[Any] = []
    if seminar.setup.mode == LIVE:
        yes = any(same(person.email, address) for address in seminar.setup.allowed)
        chips.append(("good", "✓", "allowed") if yes else ("quiet", "✕", "not allowed"))
    stands = views.standing(seminar.desk.state, person.name) if hasattr(seminar, "run") else None
    if person.name in seminar.workplace.removed:
        stands = ("amiss", "✕", "off the list")
    chips.append(stands)
    return {"name": person.name, "cells": [person.role, about, person.email], "chips": chips}


class AskPage:
    """Questions about the mails in plain language, answered with the mails that the answer rests on.

    `desk` gives the newest desk, None before the first day; a model answers when it is there, otherwise the mails
    nearest in meaning are looked up.
    """

    def __init__(self, desk: Callable[[], Desk | None], model: ChatModel | str | None) -> None:
        self.desk, self.model = desk, model
        self.answerer: Any = None
        look = {"style": {"description_width": "7rem"}, "layout": w.Layout(width="46rem", max_width="100%")}
        self.field = w.Text(description="your question", placeholder="What did Professor Tarrant say last?", **look)
        self.button, self.answer, self.error = wide("Ask", button_style="primary"), w.HTML(), w.HTML()
        by = f"the model {getattr(model, 'model', model)}" if model else "looking up the mails nearest in meaning"
        head = hint(f"Ask about the mails so far. Answered by {by}.")
        self.view = page("Ask", head, row(self.field, self.button), self.error, self.answer)
        press = Press(lambda: self.field.value, self.error)
        press.button(self.button, self.ask)
        press.enter(self.field, self.ask)

    async def ask(self) -> None:
        """Answer what stands in the field."""
        if (desk := self.desk()) is None:
            raise InvalidInput("question: there are no mails yet; play a day first")
        self.answer.value = told("Reading the mails …")
        await asyncio.sleep(0)
        shown = ""
        try:
            if self.answerer is None:
                self.answerer = await asyncio.to_thread(self._seated)  # weights take seconds to read
            found = await self.answerer.answer(self.field.value, desk)
            mails = [mail for mail in desk.mails if mail.id in found.mails]
            shown = fill("page", "answer", self.answerer.kind, found.text, mails)
        finally:
            self.answer.value = shown

    def _seated(self) -> Any:
        """The model's, or one by retrieval, whose encoder reads its weights when it is first needed."""
        if self.model:
            return ANSWERER.seat(MODEL, np.random.default_rng(0), None, Spoken(self.model))
        from support.analysis.embeddings import Encoder
        from support.seminar.answering import RetrievalAnswerer

        encoder = Encoder()
        encoder.encode(["the weights are read at the first text"])
        return RetrievalAnswerer(encoder)


class TakePage:
    """What a seminar leaves: a file, a download, another seminar that begins with it; its record; and its end."""

    def __init__(self, work: Work, begin_with: Callable[[Seminar], None]) -> None:
        self.work, self.begin_with = work, begin_with
        self.write_button = wide("Write the file beside the store", button_style="primary")
        self.next_button = wide("Begin another seminar with these")
        self.left, self.said, self.error = w.HTML(), w.HTML(), w.HTML()
        self.why = w.Text(
            description="why", placeholder="for the record; may stay empty", layout=w.Layout(width="26rem")
        )
        press = Press(lambda: self.why.value, self.error)
        press.button(self.write_button, self.write)
        press.button(self.next_button, lambda: begin_with(opened(work.seminar)))
        self.end = Twice("Close the seminar", lambda: "Yes, close it for good", self.close, press)
        self.ending = w.VBox([heading("Close"), hint(CLOSE), row(self.why, self.end.view)])
        buttons = row(self.write_button, self.next_button, grid_gap="0 10px")
        self.view = page("Take along", hint(TAKE), buttons, self.said, self.error, self.left, self.ending)

    def write(self) -> None:
        """Write a new file beside the store, and say where."""
        seminar = opened(self.work.seminar)
        names = (seminar.path.with_name(f"{_stem(seminar)}_{k}.yaml") for k in range(1, 10**6))
        path = export_artefacts(seminar.artefacts, next(path for path in names if not path.exists()))
        self.said.value = told(f"Written to {path.resolve()}.", "status")

    def close(self) -> None:
        """Close the seminar for good; its record goes into the store."""
        seminar = opened(self.work.seminar)
        if self.work.playing:
            raise InvalidInput(f"seminar: day {seminar.day} is being played; finish it, then close the seminar")
        seminar.finish(self.why.value)
        if seminar.finished:
            keep(seminar)
        self.said.value = told("The seminar is closed.", "status")
        self.refresh()
        self.work.changed()

    def refresh(self) -> None:
        """Show what there is now."""
        seminar = self.work.seminar
        self.write_button.disabled = self.next_button.disabled = seminar is None
        there(self.ending, seminar is not None and seminar.closed is None)
        self.end.rest()
        if seminar is None:
            self.left.value = told(NONE)
            return
        try:
            self.left.value = taken_along(seminar)
        except Exception as error:  # shown here, for nobody else sees what goes wrong while a page is drawn
            self.left.value = told(words(error), "alert", "trouble")


def taken_along(seminar: Seminar) -> str:
    """What a seminar leaves, in numbers and as a link that saves the file; and where its record is."""
    made = seminar.artefacts
    counted = [count(len(made.policies), "policy", "policies"), count(len(made.templates), "template"),
               count(len(made.hooks), "stop hook"), count(len(made.learnt), "learnt change")]  # fmt: skip
    text = yaml.safe_dump(as_content(made), sort_keys=False, allow_unicode=True, width=120)
    record = "When the seminar is over, its record goes into the store, where notebooks find it."
    if seminar.over:
        where = f"Store({seminar.path.name!r}).records({SWEEP!r}, name={seminar.name!r})"
        record = f"It lies in the store: {where}." if kept(seminar) else "It is not in the store."
    data = base64.b64encode(text.encode()).decode()
    return fill("page", "take", counted, f"{_stem(seminar)}.yaml", data, record)


def _stem(seminar: Seminar) -> str:
    """The name of the files, made of the store's and the seminar's."""
    name = "".join(c if c.isalnum() or c in "-_" else "_" for c in seminar.name)[:60]
    return f"{Path(seminar.path).stem}_{name}_artefacts"
