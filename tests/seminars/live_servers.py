"""Mail servers of this machine, people who answer through them, and the setup of a live
seminar with them."""

import os
import smtplib
import ssl
import sys
from contextlib import contextmanager
from email import message_from_bytes, policy
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent.parent / "mail"))

import servers
from attacks.forms import Post
from lines import live_setup

from support.mail.credentials import MailServers


@contextmanager
def live(folder, **settings):
    """The setup, the Maildirs, the SMTP server and the people; Dovecot serves the
    organiser's Maildir."""
    servers.need_dovecot()
    trusted = servers.certificate(folder)
    address = f"{servers.USER}@example.org"
    with (
        servers.office() as office,
        servers.SmtpServer(office, trusted) as smtp,
        servers.dovecot(office, trusted) as imap,
    ):
        ports = {"smtp_port": smtp.port, "imap_port": imap, "cafile": str(trusted)}
        account = MailServers("localhost", "localhost", address, "Noor", **ports)
        told = {
            "USER": servers.USER,
            "PASSWORD": servers.PASSWORD,
            "ADDRESS": address,
            "CA": str(trusted),
        }
        there = {f"CONVENE_MAIL_{name}": value for name, value in told.items()}
        for kind, port in (("SMTP", smtp.port), ("IMAP", imap)):
            there |= {f"CONVENE_{kind}_HOST": "localhost"}
            there |= {f"CONVENE_{kind}_PORT": str(port)}
        with mock.patch.dict(os.environ, there):
            setup = live_setup(servers=account, **settings)
            yield setup, office, smtp, Correspondents(setup, office, smtp.port, trusted)


class Correspondents:
    """Everybody on a scenario's list, each with a Maildir: who got mail answers by SMTP
    that any date suits."""

    def __init__(self, setup, office, port, trusted):
        self.setup, self.office, self.port = setup, office, port
        self.context = ssl.create_default_context(cafile=str(trusted))
        self.read, self.wrote = set[bytes](), 0

    def ids(self):
        """Message-IDs of all mails that they got."""
        boxes = [p.email.partition("@")[0] for p in self.setup.scenario.people]
        return [name for box in boxes for name in self.office.ids(box)]

    def evening(self):
        """Everybody reads what is new in their Maildir, and answers the last of it, which
        they quote."""
        for person in self.setup.scenario.people:
            mails = self.office.messages(person.email.partition("@")[0])
            if new := [raw for raw in mails if raw not in self.read]:
                self.read.update(new)
                self._answer(person, message_from_bytes(new[-1], policy=policy.default))

    def _answer(self, person, answered):
        quoted = "\n".join(f"> {line}" for line in answered.get_content().splitlines())
        head = f"On Mon, 2 Aug 2027 at 10:02, {self.setup.sender} wrote:"
        ours = answered["Message-ID"], "", self.setup.servers.address
        body = f"Any of your dates would suit me.\r\n\r\n{head}\r\n{quoted}"
        own = f"<{self.wrote}.{person.id}@example.org>"
        raw = Post(person.name, person.email, *ours).mail(body, Message_ID=own)
        self.submit(raw, person.email)

    def submit(self, raw, sender):
        """Hand any bytes to the server for the organiser, as anybody could."""
        with smtplib.SMTP_SSL("localhost", self.port, context=self.context) as client:
            client.login(servers.USER, servers.PASSWORD)
            client.sendmail(sender, [self.setup.servers.address], raw)
        self.wrote += 1
