"""The post by mail: the organiser's mails go out through an outbox, replies are fetched, read, matched and bounded.

What a mail says is data. Here it becomes a reply of somebody on the list, at most; who decides about it can do nothing
but what `seminar.records.ACTIONS` names, to people on the list.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from support.errors import InvalidInput
from support.mail.composing import compose, new_message_id
from support.mail.journal import RELEASED, TAKEN, Inbox, Kept
from support.mail.letters import Fetched, Outgoing
from support.mail.mailbox import Mailbox
from support.mail.matching import match
from support.mail.outbox import Outbox
from support.mail.reading import read
from support.mail.suspicion import instructions_in
from support.seminar.data import Scenario
from support.seminar.ledger import State
from support.seminar.post import DirectPost, Written
from support.seminar.records import Mail
from support.seminar.views import ANSWER, LATER, Response

ANSWERED = "What shall I answer, if anything?"
OBEYED = "It reads like an instruction to the system, which was not followed: “{said}”."
CUT = "It was longer than what is read; the rest is in your mailbox."
SURE = "Say whose it is if you are sure."  # of a reply that is held, since its sender’s address alone says who wrote
WORDLESS = "(no words of its own)"
OFF = "It was sent by {name}, who was taken off the list."

REPLY, BOUNCE = (
    "reply",
    "bounce",
)  # kinds of match that are handed on, what came back as a question
CAME_BACK = "A mail server says that my mail to {name} came back undelivered. Is the address right? What shall be done?"

THREAD = 10  # Message-IDs of a thread that a mail names


@dataclass(frozen=True)
class Account:
    """Whose mail it is, and what time it is: from the day of the run to when a mail is written, and the calendar's."""

    address: str
    name: str
    now: Callable[[int], datetime]
    today: Callable[[int], date]  # by which a daily limit counts
    authserv: str = ""  # under which the own server says whether a sender is genuine


@dataclass
class MailPost:
    """Carries mails through a mailbox, to real people or to simulated ones, whose answers `deliver` puts into it."""

    scenario: Scenario
    account: Account
    mailbox: Mailbox
    outbox: Outbox
    inbox: Inbox
    exact: bool = False
    people: DirectPost | None = None
    deliver: Callable[[bytes], None] | None = None
    seats: Mapping[str, Any] = field(default_factory=dict)
    removed: Collection[str] = ()  # who was taken off the list meanwhile
    collected: Callable[[], int] = lambda: (
        0
    )  # the last day on which `collect` ended: what was released since is new
    _wrote: int = field(default=0, init=False)

    async def collect(self, day: int) -> list[Written]:
        """Fetch and keep what is new; hand on what people on the list wrote, and what came back. Others' is held."""
        await self.fetch(day)
        replies, returned = list[Written](), list[Written]()
        for kept in [
            kept
            for on in range(self.collected() + 1, day + 1)
            for kept in self.inbox.of_day(on)
        ]:
            on_list = (
                kept.person in self.scenario.by_name and kept.person not in self.removed
            )
            if kept.kind == REPLY and on_list:
                replies.append(self._written(kept))
            elif kept.kind == REPLY:
                self.inbox.hold(kept.key, OFF.format(name=kept.person))
            elif kept.kind == BOUNCE and on_list and kept.mail:
                told = CAME_BACK.format(name=kept.person)
                returned.append(
                    Written(kept.person, Response(LATER), kept.mail, told, bounced=True)
                )
        return replies + returned

    async def fetch(self, day: int) -> int:
        """Fetch what is new, and keep all of it for that day; how many messages that were."""
        count, after, seen = 0, self.inbox.last(), set[str]()
        while new := [
            fetched
            for fetched in await self.mailbox.fetch(after)
            if fetched.key not in seen
        ]:
            count += sum(self._keep(fetched, day) for fetched in new)
            seen |= {
                fetched.key for fetched in new
            }  # the mailbox may give a part at a time
            after = new[-1].key
        return count

    def _keep(self, fetched: Fetched, day: int) -> bool:
        """Match a message and keep it; whether it is new. A reply of which only the address says who wrote is held."""
        incoming = read(fetched, authserv=self.account.authserv)
        known = {person.email: person.name for person in self.scenario.people}
        found = match(
            incoming, self.outbox.sent(), known, self.removed, self.account.address
        )
        doubt = (
            " ".join((*found.warnings, SURE))
            if found.kind == REPLY and found.warnings
            else ""
        )
        return self.inbox.keep(
            fetched, found, message_id=incoming.message_id, day=day, hold=doubt
        )

    def _written(self, kept: Kept) -> Written:
        """A reply as the organiser gets it: new words only, and what the person at the desk has to be asked."""
        incoming = read(kept.fetched, authserv=self.account.authserv)
        body = incoming.text or WORDLESS
        instructions = instructions_in(f"{incoming.subject}\n{body}")
        doubts = [OBEYED.format(said="” “".join(instructions))] if instructions else []
        doubts += [CUT] if incoming.cut else []
        warning = " ".join((*doubts, ANSWERED)) if doubts else ""
        return Written(
            kept.person,
            Response(ANSWER, incoming.subject, body),
            kept.mail or 0,
            warning,
        )

    async def send(self, mail: Mail) -> None:
        """Send a mail to the one address of its person; see `support.mail.outbox` for what may stop it."""
        person = self.scenario.person(mail.to)
        gone = any(
            (sent.mail, sent.person) == (mail.id, mail.to)
            for sent in self.outbox.sent()
        )  # or it may have
        if person.name in self.removed and not gone:
            raise InvalidInput(
                f"mail to {person.name}, who was taken off the list; put them back, or leave it out"
            )
        thread = self._thread(mail.to)
        ours, theirs = (
            (self.account.address, self.account.name),
            (person.email, person.name),
        )
        told = (
            mail.subject,
            mail.body,
            new_message_id(self.account.address.rpartition("@")[2]),
        )
        answered = thread[-1] if thread else "", tuple(thread[-THREAD:])
        outgoing = Outgoing(
            *ours, *theirs, *told, self.account.now(mail.day), *answered
        )
        on = self.account.today(mail.day)
        await self.outbox.send(
            self.mailbox, outgoing, mail=mail.id, day=mail.day, person=mail.to, today=on
        )

    def _thread(self, name: str) -> list[str]:
        """Message-IDs of all mails with somebody, oldest first."""
        ours = [
            (sent.mail, 0, sent.message_id)
            for sent in self.outbox.sent()
            if sent.person == name
        ]
        read = (
            kept for kept in self.inbox.all() if kept.status in (TAKEN, RELEASED)
        )  # a held one may be anybody's
        replies = (kept for kept in read if (kept.person, kept.kind) == (name, REPLY))
        theirs = [
            (kept.mail or 0, 1, kept.message_id) for kept in replies if kept.message_id
        ]
        return [message_id for _, _, message_id in sorted(ours + theirs)]

    async def evening(self, day: int, mails: Sequence[Mail], state: State) -> None:
        """Simulated people read, and write into the mailbox."""
        if self.people is None or self.deliver is None:
            return
        await self.people.evening(day, mails, state)
        ours = {sent.mail: sent for sent in self.outbox.sent()}
        for written in await self.people.collect(day):
            answered = ours.get(written.answers)
            try:
                raw = compose(
                    self._reply(written, day, answered.message_id if answered else "")
                )
            except InvalidInput as error:  # what cannot be a mail is silence, as any response that does not fit
                self.people.slips.note(written.person, "answer", str(error))
                continue
            self._wrote = day
            self.deliver(raw)

    def _reply(self, written: Written, day: int, answered: str) -> Outgoing:
        """A simulated person's reply as a mail; its name is made of what it is, so that it is the same one again."""
        person = self.scenario.person(written.person)
        own = repr((self.account.address, person.id, day))
        name = f"<{hashlib.sha256(own.encode()).hexdigest()[:24]}@simulated.example>"
        theirs, ours = (
            (person.email, person.name),
            (self.account.address, self.account.name),
        )
        told = (
            written.response.subject or "(no subject)",
            written.response.body or WORDLESS,
            name,
        )
        thread = answered, (answered,) if answered else ()
        return Outgoing(*theirs, *ours, *told, self.account.now(day), *thread)

    def awaited(self, last: int) -> bool:
        """Whether a simulated person still writes; of real people nobody knows."""
        if self.people is None:
            return False
        return 0 < self.collected() <= self._wrote or self.people.awaited(last)
