"""A live seminar without servers: a mailbox that keeps what it is given, and a kernel that
ends at any line."""

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from email import message_from_bytes, policy

from attacks.forms import Post
from seminar_playing import answered, setup_of

from support.errors import NotSent
from support.mail.credentials import MailServers
from support.mail.mailbox import LIVE as REAL
from support.mail.mailbox import SimulatedMailbox
from support.seminar.data import Persona, scenario
from support.seminar.policies import Policy, load_policies
from support.seminar.records import ACTION, MAIL, PLAN, Draft, Says
from support.seminars.seminar import Seminar
from support.seminars.setup import LIVE

SERVERS = MailServers(
    "smtp.example.org", "imap.example.org", "noor@example.org", "Noor"
)
NOTHING = {"declines": False, "not_before": None, "asks": ""}
JOINS = Persona("ivo", "Ivo Marsh", "ivo.marsh@example.org", "professor")


def live_setup(name="four", **settings):
    """A live seminar, everybody on whose list may be written to."""
    live = {
        "mode": LIVE,
        "servers": SERVERS,
        "daily_limit": 50,
        "allowed": [person.email for person in scenario(name).people],
        "unchecked_senders": True,
    }
    return setup_of(name, **live | settings)


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

    def reply(self, recipient, words, sender=None):
        """A reply to the last mail to somebody, outside its thread where another address
        is given; its key."""
        raw = [raw for to, raw in self.sent if to == recipient][-1]
        mail = message_from_bytes(raw, policy=policy.default)
        post = Post("", sender or recipient, mail["Message-ID"], "", mail["From"])
        self.answered += 1
        own = {"Message_ID": f"<{self.answered}@elsewhere.example>"}
        own |= {"In_Reply_To": ""} if sender else {}
        return self.deliver(post.mail(words, Subject=f"Re: {mail['Subject']}", **own))


class Killed(BaseException):
    """The kernel is gone."""


class Story:
    """A person at the desk who edits, removes, has made again, reads and answers, and
    changes things meanwhile.

    What they say depends on the question alone, so that every run of the story is the
    same one, wherever it breaks off.
    """

    def __init__(self, path, world, days=5):
        self.path, self.world, self.days = path, world, days
        self.asked, self.did = [], Counter()
        self.day, self.seminar = 0, None

    async def play(self, ends=None, after=True):
        """Play on; with `ends`, until that many lines were written by this process, then
        it is gone, after or before the last of them was kept."""
        self.lines, self.ends, self.after = 0, ends, after
        settings = {"mailbox": self.world, "today": self.today}
        with (
            suppress(Killed),
            Seminar(self.path, "spring", **settings) as self.seminar,
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
        kept(*line)
        if self.lines == self.ends:
            raise Killed

    def _evening(self):
        """Everybody who got mail on the day answers; one from another address, too."""
        if self.world is None:
            return
        for posted in self.seminar.outbox.posted():
            today = posted.day == self.day + 1 and posted.status == "sent"
            if not today or not self.once("evening", posted.message_id):
                continue
            self.world.reply(posted.recipient, "Soon, I hope.")
            if self.day == 0 and self.once("home"):
                self.world.reply(posted.recipient, "From home.", "me@home.example")

    def once(self, *what):
        """Whether it is done for the first time."""
        self.did[what] += 1
        return self.did[what] == 1

    def answer(self, question):
        """What they say, and what they change before."""
        desk, *about = question.view
        self.asked.append((desk.day, question.phase, *map(str, about)))
        self._change(desk.day, about[0])
        if question.phase == "decide":
            return {"answer": f"About {about[0].person}: yes.", "words": "Yes, we pay."}
        if question.phase == "read":
            slots = [str(slot) for slot in desk.offered(about[0].sender)]
            said = dict.fromkeys(slots, "not said")
            said[slots[len(about[0].sender) % len(slots)]] = "can"
            asks = "Could you pay the train?" if desk.day == 2 else ""
            return NOTHING | {"dates": said, "asks": asks}
        what, items = about
        if what == MAIL and desk.day == 1:
            first, *others = items
            edited = Draft(
                first.person, "A  date for you", f"{first.body}\r\n\u200eSoon."
            )
            return {"items": [edited, *others]}
        if what == ACTION and desk.day == 3:
            return {"items": items[1:]}
        if what == PLAN and desk.day == 2 and "wish" not in items[0].reason:
            return {"wish": "shorter, please"}
        return None

    def _change(self, day, what):
        """Whatever a user may change, while plan and mails wait."""
        for name, act in self.changes().get((day, what), {}).items():
            if not self.did[name]:
                try:
                    act()
                except Killed:
                    self.did[name] += self.after
                    raise
                self.did[name] += 1

    def changes(self):
        """What is changed, by the day and by what waits."""
        seminar, (first, *_, last) = self.seminar, self.seminar.setup.scenario.slots
        people = [person.name for person in seminar.setup.scenario.people]
        mine = load_policies("seed").add(Policy("mine", "No mail on Tuesdays."))
        opened, says = (
            first + timedelta(days=1),
            Says(perhaps=seminar.setup.scenario.slots[1:3]),
        )
        return {
            (1, PLAN): {
                "policy": lambda: seminar.set_policies(mine),
                "joins": lambda: seminar.add_person(JOINS),
            },
            (2, PLAN): {
                "opens": lambda: seminar.open_date(opened),
                "release": lambda: seminar.release(
                    seminar.inbox.held()[0].key, people[0]
                ),
            },
            (3, PLAN): {"correct": lambda: seminar.correct(self.first_reply(), says)},
            (3, ACTION): {
                "other": lambda: seminar.set_policies(load_policies("all")),
                "drops": lambda: seminar.drop_date(last),
            },
            (4, MAIL): {"remove": lambda: seminar.remove(people[3])},
        }

    def first_reply(self):
        return next(mail.id for mail in self.seminar.desk.mails if mail.answers)
