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

sys.path.insert(0, str(Path(__file__).parent.parent / "mail"))

import servers
from seminar_playing import setup_of

from support.mail.credentials import MailServers
from support.seminars.setup import LIVE


@contextmanager
def live(folder, **settings):
    """The setup, the Maildirs, the SMTP server and the people; Dovecot serves the organiser's Maildir."""
    servers.need_dovecot()
    certificate = servers.certificate(folder)
    login = {
        "CONVENE_MAIL_USER": servers.USER,
        "CONVENE_MAIL_PASSWORD": servers.PASSWORD,
    }
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
        yield (
            setup,
            office,
            smtp,
            Correspondents(
                setup, office, smtp.port, certificate, tuple(login.values())
            ),
        )


class Correspondents:
    """Everybody on a scenario's list, each with a Maildir: who got mail answers by SMTP that any date suits."""

    def __init__(self, setup, office, smtp_port, certificate, login):
        self.setup, self.office, self.port, self.certificate, self.login = (
            setup,
            office,
            smtp_port,
            certificate,
            login,
        )
        self.read = set[bytes]()
        self.wrote = 0

    def evening(self):
        """Everybody reads what is new in their Maildir, and answers the last of it, which they quote."""
        for person in self.setup.scenario.people:
            mails = self.office.messages(person.email.partition("@")[0])
            if new := [raw for raw in mails if raw not in self.read]:
                self.read.update(new)
                self._answer(person, message_from_bytes(new[-1], policy=policy.default))

    def _answer(self, person, answered):
        quoted = "\n".join(f"> {line}" for line in answered.get_content().splitlines())
        message = EmailMessage()
        message["From"], message["To"] = (
            f"{person.name} <{person.email}>",
            self.setup.servers.address,
        )
        message["Subject"], message["Message-ID"] = (
            f"Re: {answered['Subject']}",
            f"<{self.wrote}.{person.id}@example.org>",
        )
        message["In-Reply-To"] = message["References"] = answered["Message-ID"]
        head = f"On Mon, 2 Aug 2027 at 10:02, {self.setup.sender} wrote:"
        message.set_content(f"Any of your dates would suit me.\n\n{head}\n{quoted}\n")
        self.submit(message.as_bytes(policy=policy.SMTP), person.email)

    def submit(self, raw, sender):
        """Hand any bytes to the server for the organiser, as anybody could."""
        context = ssl.create_default_context(cafile=str(self.certificate))
        with smtplib.SMTP_SSL("localhost", self.port, context=context) as client:
            client.login(*self.login)
            client.sendmail(sender, [self.setup.servers.address], raw)
        self.wrote += 1
