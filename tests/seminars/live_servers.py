"""Mail servers of this machine, people who answer through them, and the setup of a live seminar with them."""

import os
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent.parent / "mail"))

import servers
from correspondents import Correspondents
from seminar_playing import setup_of

from support.mail.credentials import MailServers
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
