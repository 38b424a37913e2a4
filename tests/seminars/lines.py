"""A live seminar without servers: a mailbox that keeps what it is given, and a kernel that ends at any line."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage

from seminar_playing import answered, setup_of

from support.errors import NotSent
from support.mail.credentials import MailServers
from support.mail.mailbox import LIVE as REAL
from support.mail.mailbox import SimulatedMailbox
from support.seminar.records import ACTION, MAIL, PLAN
from support.seminar.reviewing import FLAG
from support.seminar.rules import load_policies
from support.seminar.views import AGAIN, EDIT, REMOVE, Draft, Review
from support.seminars.seminar import Seminar
from support.seminars.setup import LIVE

SERVERS = MailServers(
    "smtp.example.org", "imap.example.org", "noor@example.org", "Noor"
)


def live_setup(name="four", **settings):
    """A live seminar, everybody on whose list may be written to."""
    plain = setup_of(name)
    allowed = tuple(person.email for person in plain.scenario.people)
    return replace(plain, **{"mode": LIVE, "servers": SERVERS, "daily_limit": 50, "allowed": allowed,
                             "unchecked_senders": True} | settings)  # fmt: skip


class World(SimulatedMailbox):
    """Stands for real servers and real people: it stays what it is when a kernel ends.

    `refused` names addresses the first mail to which a server refuses.
    """

    kind = REAL

    def __init__(self, refused=()):
        super().__init__()
        self.refused, self.tried, self.answered = set(refused), Counter(), 0

    async def send(self, recipient, message):
        self.tried[recipient] += 1
        if recipient in self.refused and self.tried[recipient] == 1:
            raise NotSent(f"the server refused {recipient}")
        return await super().send(recipient, message)

    def reply(self, raw, words, sender=None):
        """A reply to a mail that was sent; its key."""
        mail = message_from_bytes(raw, policy=policy.default)
        made = EmailMessage()
        made["From"], made["To"], made["Subject"] = (
            sender or mail["To"],
            mail["From"],
            f"Re: {mail['Subject']}",
        )
        made["Message-ID"] = f"<{self.answered}@elsewhere.example>"
        if sender is None:
            made["In-Reply-To"] = mail["Message-ID"]
        made.set_content(words)
        self.answered += 1
        return self.deliver(made.as_bytes())


class Killed(BaseException):
    """The kernel is gone."""


class Story:
    """A person at the desk, who edits, removes, has made again and answers, and changes things meanwhile.

    What they say depends on the question alone, so that every run of the story is the same one, wherever it breaks off.
    """

    def __init__(self, path, world, days=6):
        self.path, self.world, self.days = path, world, days
        self.asked, self.did = [], Counter()
        self.day, self.seminar, self.lines, self.ends = 0, None, 0, None

    async def play(self, ends=None, after=True):
        """Play on; with `ends`, until that many lines were written by this process, then it is gone."""
        self.lines, self.ends, self.after = 0, ends, after
        with (
            suppress(Killed),
            Seminar(
                self.path, "spring", mailbox=self.world, today=self.today
            ) as self.seminar,
        ):
            kept = self.seminar.journal.add
            self.seminar.journal.add = lambda *line: self._line(kept, line)
            await self.seminar.open()
            while self.day < self.days:
                if len(self.seminar.finished) <= self.day:
                    await answered(self.seminar, self.answer)
                self._evening()
                self.day += 1
            return self.seminar
        return None

    def today(self):
        return self.seminar.setup.scenario.start + timedelta(days=self.day)

    def _line(self, kept, line):
        self.lines += 1
        if self.lines == self.ends and not self.after:
            raise Killed
        entry = kept(*line)
        if self.lines == self.ends:
            raise Killed
        return entry

    def _evening(self):
        """Everybody who got mail on the day answers; one writes from another address as well."""
        ours = [
            posted
            for posted in self.seminar.workplace.outbox.posted()
            if posted.day == self.day + 1
        ]
        raws = dict(self.world.sent)
        for posted in ours:
            if posted.status == "sent" and self.once("evening", posted.message_id):
                slots = list(self.seminar.desk.state.open)
                on = slots[len(posted.person) % len(slots)] if slots else None
                words = (
                    f"I could come on {on.day} {on:%B}. Could you pay the train?"
                    if on
                    else "Thank you."
                )
                self.world.reply(raws[posted.recipient], words)
                if self.day == 0 and posted == ours[0]:
                    self.world.reply(
                        raws[posted.recipient],
                        "From home: the 15th of September.",
                        "me@home.example",
                    )

    def once(self, *what):
        """Whether it is done for the first time."""
        self.did[what] += 1
        return self.did[what] == 1

    def answer(self, question):
        """What they say, and what they change before."""
        view = question.view
        key = (view.round, question.phase, view.about)
        self.asked.append(
            (*key, getattr(view.item, "body", None) or getattr(view.item, "text", None))
        )
        self._change(key)
        if question.phase == FLAG:
            return f"About {view.item.person}: yes."
        if question.phase == MAIL and view.round == 1 and view.about == self.person(1):
            return Review(
                EDIT, edited=Draft("A date for you", f"{view.item.body}\n\nMore soon.")
            )
        if question.phase == ACTION and view.round == 3:
            return Review(REMOVE)
        if (
            question.phase == PLAN
            and view.round == 2
            and "wish" not in view.item.reason
        ):
            return Review(AGAIN, wish="shorter, please")
        return None

    def person(self, number):
        return self.seminar.setup.scenario.people[number].name

    def _change(self, key):
        """Policies change while plan and mails wait, somebody is removed, a held mail is released, another dropped."""
        seminar = self.seminar
        if key[:2] == (1, PLAN):
            added = seminar.policies.add("Nothing is sent on Tuesdays.", "mine")
            self._doing("policy", lambda: seminar.set_policies(added))
        if key[:2] == (2, PLAN):
            self._doing(
                "drop", lambda: seminar.set_policies(seminar.policies.drop("mine"))
            )
            if held := seminar.workplace.inbox.held():
                self._doing(
                    "release", lambda: seminar.release(held[0].key, self.person(0))
                )
        if key[:2] == (3, ACTION):
            self._doing(
                "other", lambda: seminar.set_policies(seminar.policies.drop("ask_more"))
            )
            self._doing("back", lambda: seminar.set_policies(load_policies("seed")))
        if key[:2] == (5, MAIL) and key[2] != self.person(
            3
        ):  # a mail of the day went out before
            self._doing("remove", lambda: seminar.remove(self.person(3)))

    def _doing(self, what, act):
        if not self.did[what]:
            try:
                act()
            except Killed:
                self.did[what] += self.after
                raise
            self.did[what] += 1
