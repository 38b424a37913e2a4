"""Everybody and everything at one seminar: roles, the post, the mailbox, the outbox and the inbox."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from support.mail.journal import Inbox
from support.mail.mailbox import FolderMailbox, Mailbox, SimulatedMailbox
from support.mail.outbox import Clearance, Outbox
from support.models.profiles import is_model
from support.presence import Presence
from support.seats import HUMAN, Question, Spoken, people
from support.seminar.mailing import Account, MailPost
from support.seminar.organizer_seat import ORGANIZER
from support.seminar.post import DirectPost, Slips, checked_letter
from support.seminar.records import MAIL, Action, Flag
from support.seminar.seats import REVIEWER, seat_detector
from support.seminar.speakers import seat_speakers
from support.seminar.views import APPROVE, EDIT, DayPlan, Desk, Draft, Review
from support.seminar.workday import Run
from support.seminars.remembering import Memory, Remembered
from support.seminars.setup import DRY_RUN, LIVE, REHEARSAL, SeminarSetup

if TYPE_CHECKING:
    from support.models.model import ChatModel

BY_MAIL = SimpleNamespace(
    kind="by mail"
)  # whoever is written to and answers as they like, in records
MORNING = time(
    9, tzinfo=UTC
)  # when the mails of a day are written that is no day of the calendar


class ApprovingReviewer:
    """A person whose yes to a mail approves its exact text, recipient and subject; nothing else gives an approval."""

    kind = HUMAN

    def __init__(
        self, reviewer: Any, outbox: Outbox, addresses: Mapping[str, str]
    ) -> None:
        self.reviewer, self._outbox, self._addresses = reviewer, outbox, addresses

    async def review(
        self, desk: Desk, what: str, item: DayPlan | Action | Draft, about: str = ""
    ) -> Review:
        """What the person does with it; a mail that they let go, as it is or changed, is approved so, and no other."""
        review = await self.reviewer.review(desk, what, item, about)
        if isinstance(item, Draft):
            self._outbox.withdraw(self._addresses[about], item.subject, item.body)
        if what == MAIL and review.decision in (APPROVE, EDIT):
            draft: Any = review.edited if review.decision == EDIT else item
            letter = checked_letter(f"mail to {about}", draft.subject, draft.body)
            self._outbox.approve(self._addresses[about], letter.subject, letter.body)
        return review

    async def decide(self, desk: Desk, flag: Flag) -> str:
        """What the person decides."""
        return await self.reviewer.decide(desk, flag)


class Workplace:
    """What a seminar needs, made from its setup. `roles`: everybody by their role, for a record."""

    def __init__(
        self,
        path: Path,
        name: str,
        setup: SeminarSetup,
        presence: Presence,
        model: ChatModel | str | None,
        mailbox: Mailbox | None,
        today: Callable[[], date],
    ) -> None:
        self.setup, self.model, self._today = setup, model, today
        self.removed: list[str] = []  # from the list
        self.roles: dict[str, Any] = {}
        self.folder = path.with_name(f"{path.stem} mail") / _file_name(name)
        self._mailbox = mailbox
        self.mailbox = mailbox or self._made()
        clearance = Clearance(
            setup.mode == LIVE, frozenset(setup.allowed), setup.daily_limit
        )
        self.outbox = Outbox(path, name, clearance, presence=presence)
        self.inbox = Inbox(path, name)

    def close(self) -> None:
        """Close the files."""
        self.outbox.close()
        self.inbox.close()

    def _made(self) -> Mailbox:
        if self.setup.mode == REHEARSAL:
            return SimulatedMailbox()
        if self.setup.mode != LIVE:
            return FolderMailbox(self.folder)
        from support.mail.credentials import find_login
        from support.mail.live import LiveMailbox

        assert self.setup.servers is not None  # checked by the setup
        since = min(
            self.setup.scenario.start, date.today()
        )  # the servers' calendar, whatever ours is in a test
        return LiveMailbox(
            self.setup.servers, find_login(self.setup.servers), since=since
        )

    def seated(self, memory: Memory, questions: asyncio.Queue[Question]) -> Run:
        """A run with everybody seated anew; all that they say is kept in the memory."""
        setup, slips = self.setup, Slips()
        who, drawn = np.random.default_rng(setup.seed).spawn(2)
        if self._mailbox is None and setup.mode == REHEARSAL:
            self.mailbox = SimulatedMailbox()
        organizer = Remembered(
            ORGANIZER.seat(setup.organizer, drawn, None, self._spoken),
            "organizer",
            memory,
        )
        detector = Remembered(
            seat_detector(setup.detector, spoken=self._spoken),
            "detector",
            memory,
        )
        with people(questions):
            person = REVIEWER.seat(setup.reviewer, drawn)
            post = self._post(who, slips, memory)
        if setup.mode == LIVE:
            person = ApprovingReviewer(
                person,
                self.outbox,
                {one.name: one.email for one in setup.scenario.people},
            )
        reviewer = Remembered(person, "reviewer", memory)
        self.roles = {
            **post.seats,
            "organizer": organizer,
            "detector": detector,
            "reviewer": reviewer,
        }
        return Run(
            setup.scenario, Remembered(post, "post", memory), organizer, detector, reviewer,
            setup.artefacts, setup.past, setup.delegation, slips,
        )  # fmt: skip

    def _post(self, who: np.random.Generator, slips: Slips, memory: Memory) -> MailPost:
        setup = self.setup
        name, authserv = (
            (setup.servers.name, setup.servers.authserv) if setup.servers else ("", "")
        )
        account = Account(
            setup.sender,
            name or setup.scenario.organiser,
            self._now,
            self._date,
            authserv,
        )
        post = MailPost(
            setup.scenario, account, self.mailbox, self.outbox, self.inbox, exact=setup.mode == LIVE,
            seats={person.name: BY_MAIL for person in setup.scenario.people}, removed=self.removed,
            collected=lambda: memory.last("post", "collect"),
        )  # fmt: skip
        if played := self._people(who, memory):
            post.seats = {**post.seats, **played}
            post.people = DirectPost(setup.scenario, played, slips)
            post.deliver = getattr(self.mailbox, "deliver", None)
        return post

    @property
    def _spoken(self) -> Spoken:
        return Spoken(self.model, self.setup.temperature)

    def _people(self, who: np.random.Generator, memory: Memory) -> dict[str, Any]:
        """Whoever is played here: all in a rehearsal, persons at the desk in a dry run, nobody where mail is real."""
        setup = self.setup
        if setup.mode == LIVE:
            return {}
        seated = seat_speakers(setup.scenario, setup.people, who, self._spoken)
        return {  # a person would mind to be asked again, and a model costs
            name: Remembered(
                seat, name, memory, again=seat.kind != HUMAN and not is_model(seat.kind)
            )
            for name, seat in seated.items()
            if setup.mode != DRY_RUN or seat.kind == HUMAN
        }

    def _date(self, day: int) -> date:
        return (
            self._today()
            if self.setup.mode == LIVE
            else self.setup.scenario.start + timedelta(days=day - 1)
        )

    def _now(self, day: int) -> datetime:
        return (
            datetime.now(UTC)
            if self.setup.mode == LIVE
            else datetime.combine(self._date(day), MORNING)
        )


def _file_name(name: str) -> str:
    """A seminar's name as that of a folder, which no other seminar's gives.

    >>> _file_name("spring"), _file_name("spring 2027"), _file_name("spring/2027")
    ('spring', 'spring_2027-210429', 'spring_2027-22126d')
    """
    plain = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)[:50]
    return (
        plain
        if plain == name == name.lower()
        else f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
    )
