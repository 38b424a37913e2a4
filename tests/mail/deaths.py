"""Processes that send a mail and are killed while they do, and what became of it.

The long run: python tests/mail/deaths.py [kills] [seed]
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import servers

from support.errors import FateUnknown, NotSent
from support.mail.credentials import Login, MailServers
from support.mail.journal import Approvals
from support.mail.letters import Outgoing
from support.mail.live import LiveMailbox
from support.mail.outbox import Clearance, Outbox
from support.presence import Presence

PEOPLE = ("ana", "ben", "eve")
ALLOWED = frozenset(f"{name}@example.org" for name in PEOPLE)
STALLS = ("MAIL", "RCPT", "before delivery", "after delivery")  # where the server stalls until it is killed
TODAY = date(2026, 3, 2)


@dataclass(frozen=True)
class Account:
    """What a process needs to know to send."""

    port: int
    certificate: str

    def mailbox(self):
        told = MailServers("localhost", "localhost", "seminar@example.org", "", self.port, cafile=self.certificate)
        return LiveMailbox(told, Login(servers.USER, servers.PASSWORD))


class Dying(Outbox):
    """An outbox whose process ends at a point."""

    point = ""

    def _prepare(self, wanted):
        kept = super()._prepare(wanted)
        self._at("prepared")
        return kept

    def _claim(self, wanted):
        claimed = super()._claim(wanted)
        self._at("claimed")
        return claimed

    def _keep(self, *what):
        self._at("answered")
        super()._keep(*what)
        self._at("kept")

    def _at(self, point):
        if point == self.point:
            end()


def end():
    """End this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def half_a_message():
    """Let the library send half of the first message, and end."""
    from aiosmtplib.protocol import SMTPProtocol

    whole = SMTPProtocol.write

    def write(self, data):
        if not data.endswith(b"\r\n.\r\n"):
            return whole(self, data)
        whole(self, data[: len(data) // 2])
        end()

    SMTPProtocol.write = write


def mail_to(name, run):
    """The mail to somebody in a run; every attempt makes another Message-ID, as a program would."""
    own = f"<{run}.{name}.{random.SystemRandom().randrange(10**12)}@example.org>"
    words = {"subject": "A date", "body": f"Dear {name},\n\nwould 5 September suit you?\n"}
    when = datetime(2026, 3, 2, 9, tzinfo=UTC)
    return Outgoing("seminar@example.org", "", f"{name}@example.org", "", **words, message_id=own, date=when)


def approve(path, run, people=PEOPLE):
    """What a person does before anything is sent."""
    approvals = Approvals(path, run)
    for mail in (mail_to(name, run) for name in people):
        approvals.approve(mail.recipient, mail.subject, mail.body)
    approvals.close()


def send(ready, results, path, run, account, point="", people=("ana",)):
    """A process: it sends a mail to each of these, and tells what became of each."""
    with Presence(path) as presence:
        outbox = Dying(path, run, Clearance(True, ALLOWED, 1000), presence=presence)
        outbox.point = point
        if point == "half the message":
            half_a_message()
        ready.wait()
        for number, name in enumerate(people, start=1):
            results.put((name, asyncio.run(attempt(outbox, account, run, number, name))))


async def attempt(outbox, account, run, number, name):
    """The status of a mail, or the name of the error."""
    try:
        mail = mail_to(name, run)
        return (await outbox.send(account.mailbox(), mail, mail=number, day=1, person=name, today=TODAY)).status
    except (NotSent, FateUnknown) as error:
        return type(error).__name__


class Senders:
    """Several processes that begin at the same time, from one that has loaded everything: they are killed at work."""

    def __init__(self, count, path, run, account, point="", people=("ana",)):
        made = multiprocessing.get_context("forkserver")
        made.set_forkserver_preload(["aiosmtplib", "filelock", "email.headerregistry", "support.mail.live", "deaths"])
        self._ready, self._results = made.Barrier(count + 1), made.SimpleQueue()
        given = (self._ready, self._results, path, run, account, point, people)
        self.processes = [made.Process(target=send, args=given, daemon=True) for _ in range(count)]
        for process in self.processes:
            process.start()
        self._ready.wait(60)

    def kill(self):
        for process in self.processes:
            process.kill()

    def join(self):
        """What they told."""
        for process in self.processes:
            process.join(60)
        told = []
        while not self._results.empty():
            told.append(self._results.get())
        return told


def left(path, run):
    """The Message-IDs of a run that are uncertain, and the status of each mail."""
    with Presence(path) as presence:
        outbox = Outbox(path, run, Clearance(), presence=presence)
        uncertain = {one.person for one in outbox.uncertain()}
        statuses = {one.person: (one.message_id, one.status) for one in outbox.posted()}
        outbox.close()
    return uncertain, statuses


def random_kills(count, seed, spread=0.12):
    """Kill as many processes that send three mails each at random moments, and resume each: what became of them."""
    draw, seen = random.Random(seed), Counter()
    with tempfile.TemporaryDirectory() as folder, servers.office() as office:
        certificate = servers.certificate(Path(folder))
        with servers.SmtpServer(office, certificate) as server:
            account = Account(server.port, str(certificate))
            for number in range(count):
                path = Path(folder) / f"{number}.sqlite"
                seen += _one_kill(path, f"run{number}", account, office, draw.uniform(0, spread))
    return seen


def _one_kill(path, run, account, office, seconds):
    approve(path, run)
    senders = Senders(1, path, run, account, people=PEOPLE)
    time.sleep(seconds)
    senders.kill()
    before = len(senders.join())
    told = dict(Senders(1, path, run, account, people=PEOPLE).join())
    uncertain, statuses = left(path, run)
    seen = Counter(kills=1, mails=len(PEOPLE), killed_while_sending=before < len(PEOPLE), uncertain=len(uncertain))
    for name in PEOPLE:
        own = statuses[name][0]
        copies = [found for found in office.ids(name) if found.startswith(f"<{run}.")]
        seen["delivered"] += len(copies)
        seen["sent twice"] += len(copies) > 1
        seen["under another Message-ID"] += any(found != own for found in copies)
        seen["lost without a word"] += not copies and name not in uncertain
        seen["told wrongly"] += (told[name] == "sent") != (statuses[name][1] == "sent")
    return seen


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    given = [int(text) for text in sys.argv[1:]]
    print(dict(random_kills(*(given or [60]), *([1] if len(given) < 2 else []))))
