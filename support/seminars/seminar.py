"""One seminar, from its setup to its last date: played a day at a time, left and taken up
again."""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.errors import FateUnknown, InvalidInput
from support.mail.journal import Inbox, Kept
from support.mail.mailbox import FolderMailbox, Mailbox, SimulatedMailbox
from support.mail.outbox import Clearance, Outbox, Posted
from support.presence import Presence, own
from support.seats import HUMAN, Question, Spoken
from support.seminar.data import Persona, Scenario
from support.seminar.desk import Artefacts, Desk, Template
from support.seminar.policies import PolicySet
from support.seminar.records import REPLY, Day, Flag, Organizing, Reading, Says
from support.seminar.study import recorded
from support.seminars.journal import (
    COLLECT,
    DAY,
    USER,
    Entry,
    Finished,
    Journal,
    to_text,
)
from support.seminars.post import MailPost
from support.seminars.seated import SeatedRun
from support.seminars.setup import DRY_RUN, LIVE, REHEARSAL, SeminarSetup

if TYPE_CHECKING:
    from support.models.model import ChatModel

GENERALISE = "generalise"
POLICIES = "policies"
TEMPLATES = "templates"
READING = "reading"
ENDED = "closed"
JOINS = "joins"
OPENS = "opens"
CHANGES: Mapping[str, Any] = {
    POLICIES: PolicySet,
    TEMPLATES: tuple[Template, ...],
    READING: Reading,
    ENDED: str,
    JOINS: Persona,
    OPENS: date,
    "drops": date,
    "off": str,
    "back": str,
}
ENTERED = JOINS, OPENS, "drops", "off", "back"
"""What a user changes while a seminar runs, and what of it stands in the books."""


class Seminar:
    """A seminar in a study's file (see `begin`), opened to be worked on. Close it, or use
    it as a context manager.

    `model` is the one where the setup seats "model", `mailbox` in the place of the
    setup's, `today` the calendar that live seminars follow; `take_over` takes it from
    another window; `changed` is called at every new line. InvalidInput, FileInUse,
    DamagedFile, MissingData when there is no such seminar, it is open elsewhere, cannot
    be read, or live mail lacks its credentials.
    """

    def __init__(
        self,
        path: str | Path,
        name: str,
        *,
        model: ChatModel | str | None = None,
        mailbox: Mailbox | None = None,
        today: Callable[[], date] = date.today,
        take_over: bool = False,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.path = Path(path)
        self.name = name
        self.today = today
        digest = hashlib.sha256(name.encode()).hexdigest()[:12]
        self.folder = self.path.with_name(f"{self.path.stem} mail") / digest
        with ExitStack() as opened:
            here = opened.enter_context(Presence(path))
            self.journal = Journal(path, name, here, take_over, self._catch_up, changed)
            opened.enter_context(closing(self.journal))
            self.setup = setup = SeminarSetup.from_json(self.journal.setup)
            allowed = frozenset(setup.allowed)
            clearance = Clearance(setup.mode == LIVE, allowed, setup.daily_limit)
            self.outbox = Outbox(path, name, clearance, presence=here)
            opened.enter_context(closing(self.outbox))
            self.inbox = opened.enter_context(closing(Inbox(path, name)))
            self.mailbox = mailbox or self._mailbox()
            self.close = opened.pop_all().close
        self._spoken = Spoken(model, setup.temperature)
        self.finished: list[Day] = []
        self.day = 0  # the newest one, running or finished; 0 before the first
        self.questions = asyncio.Queue[Question]()  # to the person at the desk
        self.closed: str | None = None  # why it was closed for good
        self._stale = True
        self._changes = list[Entry]()

    def __enter__(self) -> Seminar:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _mailbox(self) -> Mailbox:
        if self.setup.mode == REHEARSAL:
            return SimulatedMailbox()
        if self.setup.mode == DRY_RUN:
            self.folder.parent.mkdir(0o700, exist_ok=True)
            own(self.folder.parent)
            return FolderMailbox(self.folder)
        from support.mail.credentials import find_login
        from support.mail.live import LiveMailbox

        servers: Any = self.setup.servers
        since = min(self.setup.scenario.start, date.today())  # by the servers' calendar
        return LiveMailbox(servers, find_login(servers), since=since)

    # ---- who is there, and what they remember ----

    async def open(self, questions: asyncio.Queue[Question] | None = None) -> None:
        """Bring the seminar to where it was left; `play` does so, too. Nothing is asked
        and nothing is sent. `questions` is where persons are asked from now on; a queue
        that answers by itself approves no live mail."""
        if (
            questions
            and self.setup.mode == LIVE
            and type(questions) is not asyncio.Queue
        ):
            raise InvalidInput(
                "questions: a function given; a person approves live mail"
            )
        if questions:
            self.questions = questions
            self._stale = True
        if self._stale:
            await self._restore()
            self._catch_up()
            self._stale = False

    async def _restore(self) -> None:
        """Seat everybody anew, and have them be what the finished days left."""
        journal = self.journal
        lines = self.journal.load()
        while not self.questions.empty():  # of a day that broke off
            self.questions.get_nowait()
        files = self.mailbox, self.outbox, self.inbox
        post = MailPost(self.setup, *files, self._date, lambda: journal.last(COLLECT))
        self.run = SeatedRun(post, journal, self._spoken, self.questions)
        over = [line for line in lines if line.role == DAY]
        past: list[Finished] = [line.value(Finished) for line in over]
        self.finished = [one.day for one in past]
        events = [event for one in past for event in one.events]
        self.run.restore(self.finished, events)
        self.closed = None
        self._changes = []
        self._entered = len(events)
        self.day = max((line.day for line in lines), default=0)
        last = over[-1].number if over else 0
        for line in lines:
            if line.role == USER and line.number < last:
                self._apply(line, again=True)
            elif line.role == USER:
                self._changes.append(line)
            elif line.number < last or line.step == GENERALISE:
                await self.run.recall(line)

    def _date(self, day: int) -> date:
        """The date of a day of the run, live by the calendar."""
        if self.setup.mode == LIVE:
            return self.today()
        return self.setup.scenario.on(day)

    # ---- days ----

    async def play(self) -> Day:
        """Play the running day to its end, or the next one; a person is waited for.

        InvalidInput when there is none. FateUnknown when a mail may have been sent or
        not: `decide` about it, then play on. After any other error the day is taken up
        where it broke off.
        """
        try:
            await self.open()
            number = self.next_day
            if waiting := len(self.uncertain):
                told = f"{waiting} mails may have been sent or not"
                raise FateUnknown(f"{told}; decide about them first")
            if self.running:  # what was changed on this day comes again in its place
                await self._restore()
            self.day = number
            self.journal.open(number)
            day = await self.run.day(number)
            self._catch_up()
            events = self.desk.books.events
            kept = Finished(day, tuple(events[self._entered :]))
            self.journal.add(DAY, "", "", "", to_text(Finished, kept))
        except BaseException:
            self._stale = True
            raise
        self._entered = len(events)
        self.finished.append(day)
        return day

    @property
    def running(self) -> bool:
        """Whether the newest day was begun and is not finished."""
        return self.day > (self.finished[-1].number if self.finished else 0)

    @property
    def last(self) -> int:
        """The number of the last day."""
        return self.setup.scenario.last

    @property
    def next_day(self) -> int:
        """The number of the day that `play` plays, live by the calendar; InvalidInput
        when there is none."""
        if self.closed is not None:
            raise InvalidInput(f"seminar: it was closed ({self.closed})")
        if self.running:
            return self.day
        number = self.day + 1
        if self.setup.mode == LIVE:
            number = (self.today() - self.setup.scenario.start).days + 1
        if not self.day < number <= self.last:
            raise InvalidInput(
                f"day: {number} is to be played; expected one after {self.day} and up to "
                f"{self.last}, the deadline. A live day is the one of this machine's clock"
            )
        return number

    @property
    def over(self) -> bool:
        """Whether the last day is over, or all is settled and no mail under way; real
        people may still write."""
        if self.closed is not None:
            return True
        if not self.finished or self.running or self._stale:
            return False
        settled = self.desk.books.settled and self.setup.mode != LIVE
        return self.day >= self.last or (
            settled and not self.run.mail.awaited(self.last)
        )

    # ---- what there is ----

    @property
    def desk(self) -> Desk:
        """The desk as it is now."""
        if not hasattr(self, "run"):
            raise InvalidInput("seminar: not open yet; await seminar.open() first")
        return self.run.desk

    @property
    def policies(self) -> PolicySet:
        """The policies that hold now."""
        return self.desk.policies

    @property
    def removed(self) -> list[str]:
        """Who was taken off the list."""
        return self.desk.books.removed

    @property
    def scenario(self) -> Scenario:
        """The programme as it is now, with all that drives who is simulated."""
        return replace(self.run.scenario, slots=self.desk.books.scenario.slots)

    @property
    def artefacts(self) -> Artefacts:
        """What one takes along into another seminar."""
        left = self.setup.artefacts.learning(tuple(self.finished))
        return replace(left, policies=self.policies, templates=self.desk.templates)

    @property
    def record(self) -> Organizing:
        """The finished days as a record, as a rehearsal of a study leaves it."""
        setup = self.setup
        run = self.run
        days = tuple(self.finished)
        told: dict[str, Any] = {"mode": setup.mode, "delegation": setup.delegation}
        told |= {"removed": self.removed, "closed": self.closed}
        seats = {**run.mail.seats, **run.roles}
        return recorded(self.scenario, seats, setup.artefacts, days, told)

    # ---- what a person changes unasked: each is a line, and comes again in its place ----

    def set_policies(self, policies: PolicySet) -> None:
        """Other policies, from the next step of the organiser on."""
        self._change(POLICIES, policies)

    def set_templates(self, templates: tuple[Template, ...]) -> None:
        """Other templates, from the next mail on; of a kind without one, the project's
        is used."""
        self._change(TEMPLATES, templates)

    def correct(self, mail: int, says: Says) -> None:
        """What a reply says, whatever it was taken to say; both stay on record."""
        replies = {one.id: one for one in self.desk.mails if one.kind == REPLY}
        sender = replies[known("mail", mail, replies)].sender
        self._change(READING, Reading(mail, sender, says, HUMAN))

    def add_person(self, persona: Persona) -> None:
        """Somebody more on the list; mail may go to them."""
        self.setup.check_person(persona)
        self._change(JOINS, persona)

    def remove(self, name: str) -> None:
        """Take somebody off the list: they get no more mail, and what they write is
        held."""
        self._change("off", known("person", name, self.desk.books.contacts))

    def put_back(self, name: str) -> None:
        """Put somebody who was taken off the list on it again; what they said before
        counts no more."""
        self._change("back", known("person", name, self.removed))

    def open_date(self, slot: date) -> None:
        """One more date on the programme."""
        if slot <= self.desk.today:
            raise InvalidInput(f"date: {slot} given; expected one to come")
        self._change(OPENS, slot)

    def drop_date(self, slot: date) -> None:
        """Take a date off the programme, whoever had it; not the last one."""
        slots = self.desk.books.scenario.slots
        self._change("drops", known("date", slot, slots if len(slots) > 1 else ()))

    def finish(self, why: str = "") -> None:
        """Close the seminar for good: no day is played any more, and its record is
        complete."""
        if self.closed is not None or self.running:
            raise InvalidInput("seminar: it is closed, or a day is not over")
        self._change(ENDED, why.strip())

    def _change(self, what: str, value: Any) -> None:
        if what in (JOINS, OPENS):
            self.desk.books.copy().enter(what, value)  # or it is refused here
        self.journal.day = self.day
        self.journal.add(USER, what, "", "", to_text(CHANGES[what], value))
        waits = bool(self._changes)  # for its turn
        self._changes.append(self.journal.entries[-1])
        if not waits:
            self._catch_up()

    def _catch_up(self, number: float = math.inf) -> None:
        """Do again what the user changed before that line of the journal."""
        while self._changes and self._changes[0].number < number:
            self._apply(self._changes.pop(0))

    def _apply(self, line: Entry, again: bool = False) -> None:
        """Do what a line says; `again` where the books have it, but for a reading that
        came too late for its day's record."""
        desk = self.desk
        what = line.step
        value = line.value(CHANGES[line.step])
        if what == ENDED:
            self.closed = value
        elif what in (POLICIES, TEMPLATES):
            setattr(desk, what, value)
        elif what == READING:
            recorded = [one for day in self.finished for one in day.readings]
            if not (again and value in recorded):
                self.run.enter(value)
        elif what == JOINS:
            self.run.admit(value)
        if what in ENTERED and not again:
            desk.books.enter(what, value)

    async def generalise(self, hook: Flag) -> str:
        """A general policy out of what was decided, as the organiser proposes it, once;
        "" where it makes none."""
        about = to_text(Flag, hook)
        for line in self.journal.entries:
            if (line.step, line.about) == (GENERALISE, about):
                return str(line.value(str))
        self.journal.check()
        organizer = self.run.roles["organizer"]
        made = str(await organizer.generalise(self.desk, hook))
        self.journal.day = self.day
        told = about, organizer.spent(), to_text(str, made)
        self.journal.add(organizer.name, GENERALISE, *told)
        return made

    @property
    def approved(self) -> bool:
        """Whether mail that was approved before a break is sent by going on."""
        return self.running and self.outbox.approved()

    # ---- mail ----

    async def check_mail(self) -> int:
        """Fetch what is new now; it is read on the next day. How many messages came."""
        self.journal.check()
        return await self.run.mail.fetch(self.journal.last(COLLECT) + 1)

    def release(self, key: str, person: str) -> Kept:
        """Say whose a held mail is; it is read on the next day as their reply. What
        people write who were taken off the list stays held."""
        self.journal.check()
        listed = [name for name in self.desk.books.contacts if name not in self.removed]
        day = self.journal.last(COLLECT) + 1
        return self.inbox.release(key, known("person", person, listed), day)

    def drop(self, key: str) -> Kept:
        """Leave a held mail out; its bytes stay."""
        self.journal.check()
        return self.inbox.drop(key)

    @property
    def uncertain(self) -> list[Posted]:
        """Mails that may have been sent or not."""
        return self.outbox.uncertain()

    def decide(self, message_id: str, arrived: bool, *, again: bool = False) -> None:
        """Say of an uncertain mail whether it arrived; one that did not is left out, or
        with `again` approved anew."""
        self.journal.check()
        mail = self.outbox.decide(message_id, arrived)
        if again and not arrived:
            self.outbox.approve(mail.recipient, mail.subject, mail.body)
        self._stale = True


def known(what: str, given: Any, listed: Collection[Any]) -> Any:
    """What was given, if it is one of these; InvalidInput else."""
    if given not in listed:
        told = ", ".join(map(str, listed)) or "none"
        raise InvalidInput(f"{what}: {given!r} given; expected one of {told}")
    return given
