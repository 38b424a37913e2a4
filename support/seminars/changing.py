"""What a person changes at a seminar unasked: its policies, its templates, who is on the list, mails in doubt.

Every change is a line of the journal, so that a run which is taken up again has it in its place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from support.errors import InvalidInput
from support.mail.journal import Kept
from support.mail.outbox import Posted
from support.seminar.artefacts import Template
from support.seminar.rules import PolicySet, as_entries, policies_of
from support.seminar.views import Desk
from support.seminars.journal import Entry, Journal
from support.seminars.remembering import COLLECT, USER, Memory, from_text, to_text

if TYPE_CHECKING:
    from support.seminar.organizing import Run
    from support.seminar.workday import Office
    from support.seminars.setup import SeminarSetup
    from support.seminars.workplace import Workplace

POLICIES, TEMPLATES, REMOVED, PUT_BACK, ENDED = "policies", "templates", "removed", "put back", "closed"
"""What a user changes while a seminar runs."""

CLOSED = "seminar: not open yet; await seminar.open() first"

Templates = tuple[Template, ...]
Entries = list[dict[str, str]]


class Changing:
    """A seminar that is open, as far as a person changes it."""

    setup: SeminarSetup
    journal: Journal
    workplace: Workplace
    run: Run
    day: int
    _memory: Memory
    _changes: list[Entry]
    _stale: bool
    _replaying: bool
    closed: str | None

    @property
    def running(self) -> bool:
        """Whether the newest day was begun and is not finished."""
        raise NotImplementedError

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
        """Other policies, from the next step of the organiser on.

        InvalidInput when they are no policies, or the seminar is not open.
        """
        if not isinstance(policies, PolicySet):
            raise InvalidInput(f"policies: {policies!r:.200} given; expected a PolicySet")
        self._change(POLICIES, to_text(Entries, as_entries(policies)))

    def set_templates(self, templates: Templates) -> None:
        """Other templates, from the next mail on; of a kind without one, the project's is used.

        InvalidInput when they are no templates, or the seminar is not open.
        """
        self._change(TEMPLATES, to_text(Templates, templates))

    def remove(self, name: str) -> None:
        """Take somebody off the list: they get no more mail, and what they write is held.

        InvalidInput when they are not on it.
        """
        self._person(name)
        self._change(REMOVED, to_text(str, name))

    def put_back(self, name: str) -> None:
        """Put somebody who was taken off the list on it again; what they said before counts no more."""
        self._person(name)
        if name not in self.workplace.removed:
            raise InvalidInput(f"person: {name!r} given, who is on the list")
        self._change(PUT_BACK, to_text(str, name))

    def finish(self, why: str = "") -> None:
        """Close the seminar for good: no day is played any more, and its record is complete.

        InvalidInput while a day is not over, or when it is closed already.
        """
        if self.closed is not None:
            raise InvalidInput("seminar: it is closed already")
        if self.running:
            raise InvalidInput(f"seminar: day {self.day} is not over; finish it, then close the seminar")
        self._change(ENDED, to_text(str, why.strip()))

    async def check_mail(self) -> int:
        """Fetch what is new now; it is read on the next day. How many messages came.

        InvalidInput, FileInUse, MailError when the seminar is not open or taken over, or a server does not answer as it
        should.
        """
        if self._stale:
            raise InvalidInput(CLOSED)
        self.journal.check()
        return int(await self.run.post.fetch(self._memory.last("post", COLLECT) + 1))

    def _person(self, name: str) -> None:
        if not isinstance(name, str) or name not in self.setup.scenario.by_name:
            known = ", ".join(self.setup.scenario.by_name)
            raise InvalidInput(f"person: {name!r} given; expected one of {known}")

    def _change(self, what: str, answer: str) -> None:
        if self._stale:
            raise InvalidInput(CLOSED)
        self._memory.day = self.day
        self._changes.append(self._memory.add(USER, what, "", "", answer))
        if not self._replaying:  # else it waits for its turn, after what was changed before it
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
            office.put_back(name)
        else:
            self.workplace.removed.append(name := from_text(str, said))
            office.take_off(name)

    def release(self, key: str, person: str, mail: int | None = None) -> Kept:
        """Say whose a held mail is; it is read on the next day as their reply.

        `key`: of the mail, see `workplace.inbox.held`. `mail`: which of our mails it answers, if that is not the one
        that was found. InvalidInput when no such mail is held, or they are not on the list, or not any more. FileInUse
        when another window has taken the seminar over.
        """
        if self._stale:
            raise InvalidInput(CLOSED)
        self._person(person)
        if person in self.workplace.removed:
            raise InvalidInput(f"person: {person!r} given, who was taken off the list; what they write stays held")
        self.journal.check()
        return self.workplace.inbox.release(key, person, self._memory.last("post", COLLECT) + 1, mail)

    def drop(self, key: str) -> Kept:
        """Leave a held mail out; its bytes stay.

        InvalidInput when no such mail is held. FileInUse when another window has taken the seminar over.
        """
        self.journal.check()
        return self.workplace.inbox.drop(key)

    @property
    def uncertain(self) -> list[Posted]:
        """Mails that may have been sent or not."""
        return self.workplace.outbox.uncertain()

    def decide(self, message_id: str, arrived: bool, *, again: bool = False) -> None:
        """Say of an uncertain mail whether it arrived; `play` then goes on with its day.

        `again`: of one that did not arrive: approve it anew, so that it is sent again as it is. Otherwise it is left
        out. InvalidInput when no such mail is uncertain. FileInUse when another window has taken the seminar over.
        """
        self.journal.check()
        if message_id not in [mail.message_id for mail in self.uncertain]:
            raise InvalidInput(f"message_id: {message_id!r} given; expected that of an uncertain mail of this seminar")
        mail = self.workplace.outbox.decide(message_id, arrived)
        if again and not arrived:
            self.workplace.approvals.approve(mail.recipient, mail.subject, mail.body)
        self._stale = True

    def _catch_up(self, number: int | None) -> None:
        """Do again what the user did before that line of the journal; None: all of it, for the journal ends."""
        self._replaying = self._replaying and number is not None
        while self._changes and (number is None or self._changes[0].number < number):
            self._apply(self._changes.pop(0))
