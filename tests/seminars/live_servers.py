"""Mail servers of this machine, people who answer through them, and the setup of a live seminar with them."""

import os
import smtplib
import ssl
import sys
from contextlib import contextmanager
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "mail"))

import servers
from seminar_playing import setup_of

from support.mail.credentials import MailServers
from support.seminar.records import ORGANISER, Mail
from support.seminar.speakers import seat_speakers
from support.seminar.views import LATER, Letter
from support.seminars.setup import LIVE


@contextmanager
def live(folder, **settings):
    """The setup, the Maildirs, the SMTP server and the people; Dovecot serves the organiser's Maildir."""
    servers.need_dovecot()
    certificate = servers.certificate(folder)
    login = {"CONVENE_MAIL_USER": servers.USER, "CONVENE_MAIL_PASSWORD": servers.PASSWORD}
    with (
        servers.office() as office,
        servers.SmtpServer(office, certificate) as smtp,
        servers.dovecot(office, certificate) as imap,
        mock.patch.dict(os.environ, login | {
            "CONVENE_SMTP_HOST": "localhost", "CONVENE_SMTP_PORT": str(smtp.port), "CONVENE_IMAP_HOST": "localhost",
            "CONVENE_IMAP_PORT": str(imap), "CONVENE_MAIL_ADDRESS": f"{servers.USER}@example.org",
            "CONVENE_MAIL_CA": str(certificate),
        }),
    ):  # fmt: skip
        account = MailServers("localhost", "localhost", f"{servers.USER}@example.org", "Noor", smtp_port=smtp.port,
                              imap_port=imap, cafile=str(certificate))  # fmt: skip
        plain = setup_of(**settings)
        allowed = tuple(person.email for person in plain.scenario.people)
        setup = replace(plain, mode=LIVE, servers=account, daily_limit=50, allowed=allowed,
                        unchecked_senders=True)  # fmt: skip
        yield setup, office, smtp, Correspondents(setup, office, smtp.port, certificate, tuple(login.values()))


class Correspondents:
    """Everybody on a scenario's list, each with a Maildir: they answer by SMTP what a rule-based speaker would."""

    def __init__(self, setup, office, smtp_port, certificate, login):
        self.setup, self.office, self.port, self.certificate, self.login = setup, office, smtp_port, certificate, login
        willing = [replace(person, share=1.0, cancels=0.0) for person in setup.scenario.people]
        self.people = seat_speakers(replace(setup.scenario, people=tuple(willing)), "prompt", np.random.default_rng(5))
        self.threads = {name: [] for name in self.people}
        self.read = set[bytes]()
        self.wrote = 0

    def evening(self, number, today, desk):
        """Everybody reads what is in their Maildir, and answers at once, later or never."""
        for person in self.setup.scenario.people:
            new = [m for m in self.office.messages(person.email.partition("@")[0]) if m not in self.read]
            for raw in new:
                self.read.add(raw)
                self._take(person.name, raw, desk)
            if new:
                self._answer(person, number, today, desk)

    def _take(self, name, raw, desk):
        message = message_from_bytes(raw, policy=policy.default)
        words = message.get_content().split()
        mail = next(m for m in desk.mails if m.to == name and m.body.split() == words)
        self.threads[name].append((mail, message["Message-ID"]))

    def _answer(self, person, number, today, desk):
        thread = [mail for mail, _ in self.threads[person.name]]
        offered = sorted({slot for mail in thread if mail.sender == ORGANISER for slot in mail.slots})
        dates = tuple(slot for slot in desk.state.slots if slot.isoformat() in offered)
        given = desk.state.dates_of(person.name)
        letter = Letter(person.name, self.setup.scenario.organiser, number, today, tuple(thread), dates, given)
        response = _now(self.people[person.name].answer(letter))
        if response.kind != LATER:
            self._send(person, response, thread[-1], self.threads[person.name][-1][1])
            self.threads[person.name].append((Mail(0, number, "reply", person.name, ORGANISER, "", response.body), ""))

    def _send(self, person, response, answered, message_id):
        quoted = "\n".join(f"> {line}" for line in answered.body.splitlines())
        message = EmailMessage()
        message["From"], message["To"] = f"{person.name} <{person.email}>", self.setup.servers.address
        message["Subject"], message["Message-ID"] = response.subject, f"<{self.wrote}.{person.id}@example.org>"
        message["In-Reply-To"] = message["References"] = message_id
        message.set_content(f"{response.body}\n\nOn Mon, 2 Aug 2027 at 10:02, {self.setup.sender} wrote:\n{quoted}\n")
        self.submit(message.as_bytes(policy=policy.SMTP), person.email)

    def submit(self, raw, sender):
        """Hand any bytes to the server for the organiser, as anybody could."""
        context = ssl.create_default_context(cafile=str(self.certificate))
        with smtplib.SMTP_SSL("localhost", self.port, context=context) as client:
            client.login(*self.login)
            client.sendmail(sender, [self.setup.servers.address], raw)
        self.wrote += 1


def _now(coroutine):
    """The result of a coroutine that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("a rule-based speaker waited for something")
