"""The post by mail: mails go out through an outbox; replies are fetched, matched, bounded.

What a mail says is data. Here it becomes words of somebody on the list, at most; what
they state is not in them, and is read by a model or by the person at the desk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from support.errors import InvalidInput
from support.mail.composing import new_message_id
from support.mail.journal import Inbox, Kept
from support.mail.letters import Fetched, Outgoing
from support.mail.mailbox import Mailbox
from support.mail.matching import match
from support.mail.outbox import Outbox
from support.mail.reading import read
from support.seminar.day import DirectPost, Slips
from support.seminar.desk import Desk
from support.seminar.records import CONFIRMATION, MAIL, Mail, Review
from support.seminar.review import Items
from support.seminar.speakers import Response
from support.seminars.setup import LIVE, SeminarSetup

OFF = "{name} was taken off the list."
THREAD = 10
"""Message-IDs of a thread that a mail names."""
MORNING = time(9, tzinfo=UTC)
"""When the mails of a day are written that is no day of the calendar."""


class MailPost(DirectPost):
    """Carries mails through a mailbox; simulated people among those on the list, who read
    in the evening, need none for their replies, which have data.

    `today` is the date of a day of the run, `collected` the last day on which mail was
    read; what was released since then is new. `desk` is set when there is one.
    """

    desk: Desk

    def __init__(
        self,
        setup: SeminarSetup,
        mailbox: Mailbox,
        outbox: Outbox,
        inbox: Inbox,
        today: Callable[[int], date],
        collected: Callable[[], int],
    ) -> None:
        super().__init__(setup.scenario, {})
        self.setup = setup
        self.exact = setup.mode == LIVE
        self.mailbox = mailbox
        self.outbox = outbox
        self.inbox = inbox
        self.today = today
        self.collected = collected

    # ---- what arrives ----

    async def collect(self, day: int) -> list[Mail]:
        """Fetch and keep what is new; hand on what people on the list wrote. All else is
        held."""
        await self.fetch(day)
        found = await super().collect(day)
        for on in range(self.collected() + 1, day + 1):
            for kept in self.inbox.of_day(on):
                written = self._written(kept)
                found += [written] if written else []
        return found

    async def fetch(self, day: int) -> int:
        """Fetch what is new, and keep all of it for that day; how many that were."""
        count = 0
        after = self.inbox.last()
        before = None
        while after != before:  # it may give a part at a time
            there = await self.mailbox.fetch(after)
            count += sum(self._keep(fetched, day) for fetched in there)
            before = after
            after = there[-1].key if there else after
        return count

    def _keep(self, fetched: Fetched, day: int) -> bool:
        """Match a message and keep it; whether it is new."""
        incoming = read(fetched, authserv=self.setup.authserv)
        known = {p.email: p.name for p in self.desk.books.scenario.people}
        sent = self.outbox.sent()
        own = self.setup.sender
        found = match(incoming, sent, known, self.desk.books.removed, own)
        name = incoming.message_id
        return self.inbox.keep(fetched, found, message_id=name, day=day)

    def _written(self, kept: Kept) -> Mail | None:
        """What the organiser gets of a message: new words only, unless it has none."""
        name = kept.person
        if name in self.desk.books.removed:
            self.inbox.hold(kept.key, OFF.format(name=name))
            return None
        incoming = read(kept)
        response = Response(incoming.subject, incoming.text or incoming.whole)
        return response.mail(name, kept.mail)

    async def evening(self, desk: Desk, slips: Slips) -> None:
        """Simulated people read, and may write; what lay in the box was read."""
        self.box.clear()
        await super().evening(desk, slips)

    def awaited(self, last: int) -> bool:
        """Whether a reply waits to be read, or a simulated person looks again before
        that day; of real people nobody knows."""
        waits = self.inbox.of_day(self.collected() + 1)
        return bool(waits) or super().awaited(last)

    # ---- what leaves ----

    async def send(self, mail: Mail) -> None:
        """Send a mail to the one address of its person; see `support.mail.outbox` for
        what may stop it."""
        person = self.desk.books.scenario.by_name[mail.to]
        ours = [one for one in self.outbox.sent() if one.person == mail.to]
        if mail.id not in [one.mail for one in ours]:
            self._check(mail)
        sender = self.setup.sender
        name = new_message_id(sender.rpartition("@")[2])
        thread = tuple(one.message_id for one in ours if one.mail != mail.id)
        outgoing = Outgoing(
            sender,
            self.setup.writer,
            person.email,
            person.name,
            mail.subject,
            mail.body,
            name,
            self._now(mail.day),
            thread[-THREAD:],
        )
        await self.outbox.send(
            self.mailbox,
            outgoing,
            mail=mail.id,
            day=mail.day,
            person=mail.to,
            today=self.today(mail.day),
        )

    def _check(self, mail: Mail) -> None:
        """Whether a mail still holds, whatever was changed since it was written."""
        if mail.to in self.desk.books.removed:
            raise InvalidInput(
                f"mail to {mail.to}, who was taken off the list; put them back, or leave "
                "it out"
            )
        held = self.desk.books.held(mail.to)
        if mail.kind == CONFIRMATION and not {*mail.slots} <= {*held}:
            raise InvalidInput(f"mail to {mail.to}: its date is not theirs any more")

    def _now(self, day: int) -> datetime:
        if self.exact:
            return datetime.now(UTC)
        return datetime.combine(self.today(day), MORNING)


@dataclass
class ApprovingReviewer:
    """A person whose yes to mails approves the exact text, recipient and subject of
    each; nothing else gives an approval."""

    person: Any
    outbox: Outbox

    def __getattr__(self, step: str) -> Any:
        return getattr(self.person, step)

    async def review(self, desk: Desk, what: str, items: Items) -> Review:
        """What the person leaves; of mails, these are approved and no others."""
        review: Review = await self.person.review(desk, what, items)
        if what == MAIL:
            email = {person.name: person.email for person in desk.books.scenario.people}
            shown: Any = items
            kept: Any = () if review.wish else review.items
            for mail in shown:
                self.outbox.withdraw(email[mail.person], mail.subject, mail.body)
            for mail in kept:
                self.outbox.approve(email[mail.person], mail.subject, mail.body)
        return review
