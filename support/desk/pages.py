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
from support.desk.fields import (
    Press,
    Twice,
    boxed,
    heading,
    hint,
    page,
    row,
    there,
    told,
)
from support.desk.markup import count, fill
from support.desk.work import SWEEP, Work, keep, kept
from support.errors import InvalidInput
from support.mail.journal import HELD, Kept
from support.mail.letters import same
from support.mail.outbox import SENDING, SENT, UNCERTAIN, Posted
from support.models.profiles import MODEL
from support.seats import Spoken
from support.seminar.artefacts import as_content, export_artefacts
from support.seminar.seats import ANSWERER
from support.seminar.views import Desk
from support.seminars.seminar import Seminar
from support.seminars.setup import LIVE, MODES, REHEARSAL
from support.seminars.unlock import Lock

if TYPE_CHECKING:
    from support.mail.letters import Incoming
    from support.models.model import ChatModel

CARDS, LISTED, NOTED = (
    20,
    200,
    50,
)  # shown at once: cards, mails in the table, automatic answers and bounces
NOBODY = "choose …"
UNSURE = (
    "Nobody here knows whether these left: the answer of the server was lost. None is sent again by itself. Look into "
    "the sent folder of your mailbox, or ask the recipient, and say for each what you found; then the day goes on."
)
LOCKED = "Mail that was approved before this page was loaded leaves only after the code of `make app`."
AGAIN = "This very mail, with the same words and the same Message-ID, leaves when the day goes on."
FATES = (  # what a person can say of an uncertain mail, what follows, and both as `Seminar.decide` takes them
    ("It arrived", "It counts as sent, and nothing is sent again.", True, False),
    ("It did not arrive: send it again", AGAIN, False, True),
    (
        "It did not arrive: leave it out",
        "It counts as not sent; the organiser may write anew.",
        False,
        False,
    ),
)
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
CLOSE = "A closed seminar plays no day any more and sends nothing; its record goes into the store. It stays readable here."


def opened(seminar: Seminar | None) -> Seminar:
    """The seminar at hand; an error where there is none."""
    if seminar is None:
        raise InvalidInput(
            "seminar: none is open; begin one on the page Setup, or choose one on top"
        )
    return seminar


class SeminarPage:
    """A page about the seminar at hand; without one it says so. `changed` is called after a decision."""

    def __init__(
        self,
        title: str,
        seminar: Callable[[], Seminar | None],
        changed: Callable[[], object],
    ) -> None:
        self._seminar, self.changed = seminar, changed
        self.error, self.said, self.none = (
            w.HTML(),
            w.HTML(),
            w.HTML(told("No seminar is open.")),
        )
        self.inside = w.VBox(layout=w.Layout(display="none"))
        self.view = page(title, self.none, self.inside)

    @property
    def seminar(self) -> Seminar:
        """The one that is open."""
        return opened(self._seminar())

    def refresh(self) -> None:
        """Show how it stands now."""
        seminar = self._seminar()
        there(self.none, seminar is None)
        there(self.inside, seminar is not None)
        if seminar is not None:
            self.draw(seminar)

    def draw(self, seminar: Seminar) -> None:
        """Show how this seminar stands."""
        raise NotImplementedError

    def done(self, said: str) -> None:
        """Say what was done, and show how it stands then."""
        self.said.value = told(said, "status")
        self.refresh()
        self.changed()


class Cards:
    """A card for each of some things by keys; those that stay are left alone, with what is typed in them."""

    def __init__(self, title: str, about: str, make: Callable[[Any], w.Widget]) -> None:
        self.make, self.shown, self.listed, self.more = (
            make,
            dict[Any, w.Widget](),
            w.VBox(),
            w.HTML(),
        )
        self.view = w.VBox([heading(title), hint(about), self.listed, self.more])

    def show(self, things: Mapping[Any, Any]) -> None:
        """Have a card for each of these, in their order, and no other."""
        there(self.view, bool(things))
        self.shown = {
            key: self.shown.get(key) or self.make(things[key])
            for key in list(things)[:CARDS]
        }
        left = len(things) - len(self.shown)
        self.more.value = (
            told(f"{left} more follow when these are settled.") if left else ""
        )
        if self.listed.children != (cards := tuple(self.shown.values())):
            self.listed.children = cards


class MailPage(SeminarPage):
    """Shows a seminar's mail, and takes what only a person can know."""

    def __init__(
        self, seminar: Callable[[], Seminar | None], changed: Callable[[], object]
    ) -> None:
        super().__init__("Mail", seminar, changed)
        self.ways, self.table, self.noted = w.HTML(), w.HTML(), w.HTML()
        self.unsure = Cards("Uncertain: decide first", UNSURE, self._uncertain)
        self.held = Cards("Held", HOLDING, self._held)
        self.lock, self.code = (
            Lock(),
            w.Password(description="code", placeholder="8 digits, from the terminal"),
        )
        fetched = "Fetch what is new; it is read on the next day"
        self.code_button = Press(lambda: self.code.value, self.error).new(
            "Let it leave", self._unlock
        )
        self.check_button = Press(lambda: None, self.error).new(
            "Check mail now", self.check_mail, tooltip=fetched
        )
        self.code_row = row(self.code, self.code_button, hint(LOCKED))
        self._read: dict[tuple[str, str], Incoming] = {}
        self._seen: tuple[Any, ...] = ()
        self.inside.children = (self.ways, row(self.check_button, self.said), self.code_row, self.error,
                                self.unsure.view, self.held.view, self.noted, self.table)  # fmt: skip
        self.refresh()

    def draw(self, seminar: Seminar) -> None:
        """Show the mail of this seminar."""
        name, setup, posted = (
            seminar.name,
            seminar.setup,
            seminar.workplace.outbox.posted(),
        )
        there(
            self.code_row,
            setup.mode == LIVE
            and not self.lock.open
            and seminar.workplace.outbox.approved(),
        )
        there(self.check_button, setup.mode != REHEARSAL)
        names = {person.email: person.name for person in setup.scenario.people}
        today = sum(
            mail.on == seminar.today() and mail.status in (SENT, SENDING, UNCERTAIN)
            for mail in posted
        )
        so_far = sum(mail.status not in ("prepared", "not sent") for mail in posted)
        folder = str(seminar.workplace.folder.resolve())
        self.ways.value = fill(
            "post", "ways", setup, MODES[setup.mode], folder, names, today, so_far
        )
        self.unsure.show({(name, mail.message_id): mail for mail in seminar.uncertain})
        more = (
            f"The newest {LISTED} of {len(posted)} are shown."
            if len(posted) > LISTED
            else ""
        )
        self.table.value = views.outbox(list(reversed(posted))[:LISTED], more)
        if self._seen != (now := (id(seminar), *seminar.workplace.inbox.counts())):
            arrived = seminar.workplace.inbox.all()
            self.held.show(
                {(name, one.key): one for one in arrived if one.status == HELD}
            )
            self._seen, self.noted.value = now, self._noted(arrived, posted)

    async def check_mail(self) -> None:
        """Fetch what is new now."""
        self.check_button.disabled = True
        try:
            new = await self.seminar.check_mail()
        finally:
            self.check_button.disabled = False
        self.done(
            f"{count(new, 'mail')} came; read on the next day."
            if new
            else "Nothing new has come."
        )

    def _unlock(self) -> None:
        code, self.code.value = self.code.value, ""
        self.lock.unlock(code)
        self.done("Mail that was approved may leave: play the day on.")

    def _uncertain(self, mail: Posted) -> w.VBox:
        error, lines = w.HTML(), []
        for said, follows, arrived, again in FATES:
            button = Press(lambda: None, error).new(
                said, partial(self._decide, mail, arrived, again)
            )
            lines.append(row(button, hint(follows)))
        return boxed("card", w.HTML(fill("post", "uncertain", mail)), *lines, error)

    def _decide(self, mail: Posted, arrived: bool, again: bool) -> None:
        self.seminar.decide(mail.message_id, arrived, again=again)
        self.done(
            f"The mail to {mail.person} is settled: it {'arrived' if arrived else 'did not arrive'}."
        )

    def _held(self, mail: Kept) -> w.VBox:
        people = [one.name for one in self.seminar.setup.scenario.people
                  if one.name not in self.seminar.workplace.removed]  # fmt: skip
        whose = w.Dropdown(options=[(NOBODY, ""), *((name, name) for name in people)], description="from",
                           value=mail.person if mail.person in people else "", layout=w.Layout(width="17rem"),
                           style={"description_width": "2.6rem"})  # fmt: skip
        press = Press(lambda: whose.value, error := w.HTML())
        release = press.new("It is from them", lambda: self._release(mail, whose.value))
        drop = press.new("Leave it out", lambda: self._drop(mail))
        return boxed(
            "card",
            w.HTML(views.held(self._incoming(mail), mail.reason)),
            row(whose, release, drop),
            error,
        )

    def _release(self, mail: Kept, person: str) -> None:
        if not person:
            raise InvalidInput(
                "from: nobody is chosen; choose whose mail it is, or leave it out"
            )
        self.seminar.release(mail.key, person)
        self.done(f"The mail is read as {person}’s on the next day.")

    def _drop(self, mail: Kept) -> None:
        self.seminar.drop(mail.key)
        self.done("The mail is left out; it stays in the file and in your mailbox.")

    def _incoming(self, mail: Kept) -> Incoming:
        """What the message says; read once."""
        from support.mail.reading import read

        key = self.seminar.name, mail.key
        if key not in self._read:
            self._read[key] = read(mail.fetched)
        return self._read[key]

    def _noted(self, arrived: Sequence[Kept], posted: Sequence[Posted]) -> str:
        """Bounces and automatic answers, the newest first, and the mails of ours that they are about."""
        mails, lists = {mail.mail: mail for mail in posted}, []
        for head, kind in (
            ("Came back undelivered", "bounce"),
            ("Automatic answers", "automatic"),
        ):
            found = [
                one
                for one in reversed(arrived)
                if one.kind == kind and one.status != HELD
            ]
            newest = [
                (one, self._incoming(one), mails.get(one.mail or 0))
                for one in found[:NOTED]
            ]
            lists += [(head, len(found), newest)] if found else []
        return fill("post", "noted", lists) if lists else ""


class PeoplePage(SeminarPage):
    """Who is on the list, where things are with each, a way off the list and back."""

    def __init__(
        self, seminar: Callable[[], Seminar | None], changed: Callable[[], None]
    ) -> None:
        super().__init__("People", seminar, changed)
        self.table = w.HTML()
        self.whom = w.Dropdown(options=[(NOBODY, "")], value="", description="person", layout=w.Layout(width="20rem"),
                               style={"description_width": "3.4rem"})  # fmt: skip
        press = Press(lambda: self.whom.value, self.error)
        off = partial(self._settle, Seminar.remove, "is off the list")
        back = partial(self._settle, Seminar.put_back, "is on the list again")
        self.off = Twice(
            "Take off the list", lambda: self._sure("take {} off the list"), off, press
        )
        self.back = Twice(
            "Put back on the list", lambda: self._sure("put {} back"), back, press
        )
        self.whom.observe(lambda _: self._chosen(), "value")
        choice = row(self.whom, self.off.view, self.back.view)
        self.inside.children = (choice, hint(OFF), self.error, self.said, self.table)
        self.refresh()

    def draw(self, seminar: Seminar) -> None:
        """Show everybody of this seminar in a table, those off the list at the end."""
        gone, setup, people = (
            seminar.workplace.removed,
            seminar.setup,
            seminar.setup.scenario.people,
        )
        state, off = (
            seminar.desk.state if hasattr(seminar, "run") else None,
            ("amiss", "✕", "off the list"),
        )
        rows = [
            (person, any(same(person.email, address) for address in setup.allowed),
             off if person.name in gone else views.standing(state, person.name) if state else None)
            for person in sorted(people, key=lambda person: person.name in gone)
        ]  # fmt: skip
        self.table.value = fill("post", "people", rows, len(gone), setup.mode == LIVE)
        options = [(NOBODY, ""), *((person.name, person.name) for person in people)]
        if list(self.whom.options) != options:
            self.whom.options = options
        self._chosen()

    def _sure(self, what: str) -> str:
        return f"Yes, {what.format(self.whom.value)}" if self.whom.value else ""

    def _chosen(self) -> None:
        """Offer what can be done with whoever is chosen."""
        gone = self.whom.value in self.seminar.workplace.removed
        for way, shown in ((self.off, not gone), (self.back, gone)):
            way.rest()
            there(way.view, shown)

    def _settle(self, act: Callable[[Seminar, str], object], said: str) -> None:
        act(self.seminar, self.whom.value)
        self.done(f"{self.whom.value} {said}.")


class AskPage:
    """Questions about the mails of the newest `desk`, answered by a model, or by the mails nearest in meaning."""

    def __init__(
        self, desk: Callable[[], Desk | None], model: ChatModel | str | None
    ) -> None:
        self.desk, self.model = desk, model
        self.answerer: Any = None
        look = {
            "style": {"description_width": "7rem"},
            "layout": w.Layout(width="46rem", max_width="100%"),
        }
        self.field = w.Text(
            description="your question",
            placeholder="What did Professor Tarrant say last?",
            **look,
        )
        self.answer, self.error = w.HTML(), w.HTML()
        press = Press(lambda: self.field.value, self.error)
        self.button = press.new("Ask", self.ask, button_style="primary")
        by = (
            f"the model {getattr(model, 'model', model)}"
            if model
            else "looking up the mails nearest in meaning"
        )
        head = hint(f"Ask about the mails so far. Answered by {by}.")
        self.view = page(
            "Ask", head, row(self.field, self.button), self.error, self.answer
        )
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
                self.answerer = await asyncio.to_thread(
                    self._seated
                )  # weights take seconds to read
            found = await self.answerer.answer(self.field.value, desk)
            mails = [mail for mail in desk.mails if mail.id in found.mails]
            shown = fill("page", "answer", self.answerer.kind, found.text, mails)
        finally:
            self.answer.value = shown

    def _seated(self) -> Any:
        """The model's, or one by retrieval, whose encoder reads its weights when it is first needed."""
        if self.model:
            return ANSWERER.seat(
                MODEL, np.random.default_rng(0), None, Spoken(self.model)
            )
        from support.analysis.embeddings import Encoder
        from support.seminar.answering import RetrievalAnswerer

        encoder = Encoder()
        encoder.encode(["the weights are read at the first text"])
        return RetrievalAnswerer(encoder)


class TakePage(SeminarPage):
    """What a seminar leaves: a file, a download, another seminar that begins with it; its record; and its end."""

    def __init__(self, work: Work, begin_with: Callable[[Seminar], None]) -> None:
        super().__init__("Take along", lambda: work.seminar, work.changed)
        self.work, self.left = work, w.HTML()
        self.why = w.Text(description="why", placeholder="for the record; may stay empty",
                          layout=w.Layout(width="26rem"))  # fmt: skip
        press = Press(lambda: self.why.value, self.error)
        self.write_button = press.new(
            "Write the file beside the store", self.write, button_style="primary"
        )
        self.next_button = press.new(
            "Begin another seminar with these", lambda: begin_with(self.seminar)
        )
        self.end = Twice(
            "Close the seminar", lambda: "Yes, close it for good", self.close, press
        )
        self.ending = w.VBox(
            [heading("Close"), hint(CLOSE), row(self.why, self.end.view)]
        )
        self.inside.children = (hint(TAKE), row(self.write_button, self.next_button, grid_gap="0 10px"), self.said,
                                self.error, self.left, self.ending)  # fmt: skip

    def draw(self, seminar: Seminar) -> None:
        """Show what this seminar leaves, in numbers and as a link that saves the file; and where its record is."""
        there(self.ending, seminar.closed is None)
        self.end.rest()
        text = yaml.safe_dump(
            as_content(seminar.artefacts),
            sort_keys=False,
            allow_unicode=True,
            width=120,
        )
        record = "When the seminar is over, its record goes into the store, where notebooks find it."
        if seminar.over:
            where = f"Store({seminar.path.name!r}).records({SWEEP!r}, name={seminar.name!r})"
            record = (
                f"It lies in the store: {where}."
                if kept(seminar)
                else "It is not in the store."
            )
        data = base64.b64encode(text.encode()).decode()
        self.left.value = fill(
            "page", "take", seminar.artefacts, f"{_stem(seminar)}.yaml", data, record
        )

    def write(self) -> None:
        """Write a new file beside the store, and say where."""
        path = self.seminar.path
        names = (
            path.with_name(f"{_stem(self.seminar)}_{k}.yaml") for k in range(1, 10**6)
        )
        made = export_artefacts(
            self.seminar.artefacts, next(name for name in names if not name.exists())
        )
        self.said.value = told(f"Written to {made.resolve()}.", "status")

    def close(self) -> None:
        """Close the seminar for good; its record goes into the store."""
        seminar = self.seminar
        if self.work.playing:
            raise InvalidInput(
                f"seminar: day {seminar.day} is being played; finish it, then close the seminar"
            )
        seminar.finish(self.why.value)
        if seminar.finished:
            keep(seminar)
        self.done("The seminar is closed.")


def _stem(seminar: Seminar) -> str:
    """The name of the files, made of the store's and the seminar's."""
    name = "".join(c if c.isalnum() or c in "-_" else "_" for c in seminar.name)[:60]
    return f"{Path(seminar.path).stem}_{name}_artefacts"
