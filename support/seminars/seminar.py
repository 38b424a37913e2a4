"""One seminar, from its setup to its last date: played a day at a time, left and taken up again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from support.errors import FateUnknown, InvalidInput
from support.mail.journal import Kept
from support.mail.mailbox import Mailbox
from support.mail.outbox import Posted
from support.presence import Presence
from support.seats import Question
from support.seminar import organizing
from support.seminar.artefacts import Artefacts, Template
from support.seminar.ledger import settled
from support.seminar.records import Organizing, OrganizingDay
from support.seminar.rules import PolicySet, as_entries, policies_of
from support.seminar.views import Desk
from support.seminars.journal import Entry, Journal
from support.seminars.remembering import (
    COLLECT,
    DAY,
    FINISHED,
    USER,
    Memory,
    from_text,
    to_text,
)
from support.seminars.setup import LIVE, SeminarSetup
from support.seminars.unlock import Lock
from support.seminars.workplace import Workplace

if TYPE_CHECKING:
    from support.models.model import ChatModel
    from support.seminar.workday import Office

# what a user changes while a seminar runs
POLICIES, TEMPLATES, REMOVED, PUT_BACK, ENDED = (
    "policies",
    "templates",
    "removed",
    "put back",
    "closed",
)

CLOSED = "seminar: not open yet; await seminar.open() first"

Templates = tuple[Template, ...]
Entries = list[dict[str, str]]
WAITS = "code: mail that was approved before would leave; first give the code of `make app` on the page Mail"


class Seminar:
    """A seminar in a study's file (see `begin`), opened to be worked on. Close it, or use it as a context manager.

    `model`: where the setup seats one. `mailbox`: in the place of the setup's. `today`: the calendar that live seminars
    follow. `take_over`: from another window. `changed`: called at every new line of the journal. InvalidInput,
    FileInUse, DamagedFile, MissingData when there is no such seminar, it is open elsewhere, cannot be read, or live
    mail lacks its credentials.
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
        self.path, self.name, self.today, self.changed = (
            Path(path),
            name,
            today,
            changed,
        )
        with ExitStack() as opened:
            presence = opened.enter_context(Presence(path))
            self.journal = opened.enter_context(
                closing(Journal(path, name, presence, take_over=take_over))
            )
            self.setup = SeminarSetup.from_json(self.journal.setup)
            self.workplace = Workplace(
                self.path, name, self.setup, presence, model, mailbox, today
            )
            opened.callback(self.workplace.close)
            self._opened = opened.pop_all()
        self.finished: list[OrganizingDay] = []
        self.entries: list[Entry] = []
        self.day = 0  # the newest one, running or finished; 0 before the first
        self.questions: asyncio.Queue[Question] = (
            asyncio.Queue()
        )  # to the person at the desk
        self._stale, self._ahead, self._replaying = True, False, False
        self.closed: str | None = None  # why it was closed for good

    def __enter__(self) -> Seminar:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the seminar back; what was kept stays."""
        self._opened.close()

    async def open(self) -> None:
        """Bring the seminar to where it was left; `play` does so, too. Nothing is asked and nothing is sent."""
        if self._stale:
            await self._replay()
            self._catch_up(None)
            self._stale, self._ahead = False, self.running

    async def _replay(self) -> None:
        """Seat everybody anew, with the journal in front of them, and play the finished days again by it."""
        self._replaying = True
        self._memory = Memory(self.journal, self._catch_up, self._added)
        self.entries = self.journal.entries()
        self._changes = [entry for entry in self.entries if entry.role == USER]
        self.workplace.removed.clear()
        self.closed = None
        while not self.questions.empty():  # of a day that broke off
            self.questions.get_nowait()
        self.run = self.workplace.seated(self._memory, self.questions)
        done = [
            entry
            for entry in self.entries
            if (entry.role, entry.step) == (DAY, FINISHED)
        ]
        self.finished = [
            from_text(OrganizingDay, entry.answer or "", entry.number) for entry in done
        ]
        self.day = max((entry.day for entry in self.entries), default=0)
        for day in self.finished:
            self._memory.open(day.number)
            await self.run.day(day.number)

    def _added(self, entry: Entry) -> None:
        self.entries.append(entry)
        self.changed()

    @property
    def running(self) -> bool:
        """Whether the newest day was begun and is not finished."""
        return self.day > (self.finished[-1].number if self.finished else 0)

    @property
    def next_day(self) -> int:
        """The number of the day that `play` plays; InvalidInput when there is none, live by the calendar."""
        if self.closed is not None:
            raise InvalidInput(
                f"seminar: it was closed{f' ({self.closed})' if self.closed else ''}"
            )
        if self.running:
            return self.day
        if self.setup.mode != LIVE:
            return self.day + 1
        today, programme = self.today(), self.setup.scenario
        number = (today - programme.start).days + 1
        if number < 1:
            raise InvalidInput(
                f"today: {today} given; the seminar begins on {programme.start}"
            )
        if number == self.day:
            raise InvalidInput(
                f"today: {today} was played already; the next day begins tomorrow"
            )
        if number < self.day:
            played = programme.start + timedelta(days=self.day - 1)
            raise InvalidInput(
                f"today: {today} given, but {played} was played already; set this machine's clock"
            )
        if number > self.last:
            raise InvalidInput(
                f"today: {today} given; the deadline was {programme.deadline}"
            )
        return number

    @property
    def last(self) -> int:
        """The number of the last day."""
        return (self.setup.scenario.deadline - self.setup.scenario.start).days + 1

    @property
    def over(self) -> bool:
        """Whether the last day is over, or all is settled and no mail under way; real people may still write."""
        if self.closed is not None:
            return True
        if not self.finished or self.running or self._stale:
            return False
        done = (
            self.setup.mode != LIVE
            and settled(self.run.office.state)
            and not self.run.post.awaited(self.last)
        )
        return self.day >= self.last or done

    async def play(self) -> OrganizingDay:
        """Play the running day to its end, or the next one; a person is waited for.

        InvalidInput when there is none. FateUnknown when a mail may have been sent or not: `decide` about it, then play
        on. After any other error the day is taken up where it broke off.
        """
        try:
            await self.open()
            if (
                self.setup.mode == LIVE
                and self.workplace.outbox.approved()
                and not Lock().open
            ):
                raise InvalidInput(WAITS)
            number = self.next_day
            if number > self.last:
                raise InvalidInput(
                    f"day: {number} asked for; the deadline was day {self.last}"
                )
            if waiting := self.uncertain:
                raise FateUnknown(
                    f"{len(waiting)} mails may have been sent or not; decide about them first"
                )
            if (
                self._ahead
            ):  # what the user changed on this day comes again in its place
                await self._replay()
            self.day, self._ahead = number, False
            self._memory.open(number)
            day = await self.run.day(number)
            self._catch_up(None)
            self._memory.add(DAY, FINISHED, "", "", to_text(OrganizingDay, day))
        except BaseException:
            self._stale = True
            raise
        self.finished.append(day)
        return day

    @property
    def artefacts(self) -> Artefacts:
        """What one takes along into another seminar."""
        left = organizing.carried(self.setup.artefacts, self.finished)
        return replace(left, policies=self.policies, templates=self.templates)

    @property
    def record(self) -> Organizing:
        """The finished days as a record, as a rehearsal of a study leaves it."""
        setup, closed = (
            self.setup,
            {"closed": self.closed} if self.closed is not None else {},
        )
        told = {
            "mode": setup.mode,
            "delegation": setup.delegation,
            "removed": list(self.workplace.removed),
            **closed,
        }
        return organizing.record(
            setup.scenario,
            self.workplace.roles,
            self.finished,
            artefacts=setup.artefacts,
            **told,
        )

    # ---- what a person changes unasked: each is a line of the journal, and comes again in its place ----

    @property
    def desk(self) -> Desk:
        """The desk as it is now."""
        return self._office.desk()

    @property
    def _office(self) -> Office:
        if not hasattr(self, "run"):
            raise InvalidInput(CLOSED)
        return self.run.office

    @property
    def policies(self) -> PolicySet:
        """The policies that hold now."""
        return self._office.policies

    @property
    def templates(self) -> dict[str, Template]:
        """The templates that hold now."""
        return dict(self._office.artefacts.templates)

    def set_policies(self, policies: PolicySet) -> None:
        """Other policies, from the next step of the organiser on."""
        if not isinstance(policies, PolicySet):
            raise InvalidInput(
                f"policies: {policies!r:.200} given; expected a PolicySet"
            )
        self._change(POLICIES, to_text(Entries, as_entries(policies)))

    def set_templates(self, templates: Templates) -> None:
        """Other templates, from the next mail on; of a kind without one, the project's is used."""
        self._change(TEMPLATES, to_text(Templates, templates))

    def remove(self, name: str) -> None:
        """Take somebody off the list: they get no more mail, and what they write is held."""
        self.setup.scenario.person(name)
        self._change(REMOVED, to_text(str, name))

    def put_back(self, name: str) -> None:
        """Put somebody who was taken off the list on it again; what they said before counts no more."""
        self.setup.scenario.person(name)
        if name not in self.workplace.removed:
            raise InvalidInput(f"person: {name!r} given, who is on the list")
        self._change(PUT_BACK, to_text(str, name))

    def finish(self, why: str = "") -> None:
        """Close the seminar for good: no day is played any more, and its record is complete."""
        if self.closed is not None:
            raise InvalidInput("seminar: it is closed already")
        if self.running:
            raise InvalidInput(
                f"seminar: day {self.day} is not over; finish it, then close the seminar"
            )
        self._change(ENDED, to_text(str, why.strip()))

    async def check_mail(self) -> int:
        """Fetch what is new now; it is read on the next day. How many messages came."""
        self._check_open()
        self.journal.check()
        return int(await self.run.post.fetch(self._memory.last("post", COLLECT) + 1))

    def _check_open(self) -> None:
        if self._stale:
            raise InvalidInput(CLOSED)

    def _change(self, what: str, answer: str) -> None:
        self._check_open()
        self._memory.day = self.day
        self._changes.append(self._memory.add(USER, what, "", "", answer))
        if (
            not self._replaying
        ):  # else it waits for its turn, after what was changed before it
            self._catch_up(None)

    def _apply(self, change: Entry) -> None:
        office, said = self.run.office, change.answer or ""
        if change.step == POLICIES:
            office.policies = policies_of(from_text(Entries, said), "journal")
        elif change.step == TEMPLATES:
            made = {template.kind: template for template in from_text(Templates, said)}
            office.artefacts = replace(office.artefacts, templates=made)
        elif change.step == ENDED:
            self.closed = from_text(str, said)
        elif change.step == PUT_BACK:
            self.workplace.removed.remove(name := from_text(str, said))
            office.ledger.put_back(name)
        else:
            self.workplace.removed.append(name := from_text(str, said))
            office.ledger.withdraw(name)

    def release(self, key: str, person: str) -> Kept:
        """Say whose a held mail is; it is read on the next day as their reply."""
        self._check_open()
        self.setup.scenario.person(person)
        if person in self.workplace.removed:
            raise InvalidInput(
                f"person: {person!r} given, who was taken off the list; what they write stays held"
            )
        self.journal.check()
        return self.workplace.inbox.release(
            key, person, self._memory.last("post", COLLECT) + 1
        )

    def drop(self, key: str) -> Kept:
        """Leave a held mail out; its bytes stay."""
        self.journal.check()
        return self.workplace.inbox.drop(key)

    @property
    def uncertain(self) -> list[Posted]:
        """Mails that may have been sent or not."""
        return self.workplace.outbox.uncertain()

    def decide(self, message_id: str, arrived: bool, *, again: bool = False) -> None:
        """Say of an uncertain mail whether it arrived; one that did not is left out, or with `again` approved anew."""
        self.journal.check()
        mail = self.workplace.outbox.decide(message_id, arrived)
        if again and not arrived:
            self.workplace.outbox.approve(mail.recipient, mail.subject, mail.body)
        self._stale = True

    def _catch_up(self, number: int | None) -> None:
        """Do again what the user did before that line of the journal; None: all of it, for the journal ends."""
        self._replaying = self._replaying and number is not None
        while self._changes and (number is None or self._changes[0].number < number):
            self._apply(self._changes.pop(0))
