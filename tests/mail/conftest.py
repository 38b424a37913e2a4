"""The helpers of this folder, importable by tests and by the processes they start; and mail servers of this machine."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import servers

from support.mail.letters import Outgoing


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A certificate of this machine's, and its key, in one file."""
    return servers.certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def office():
    """A folder with a Maildir for everybody; Dovecot's user may read it, which pytest's folders do not allow."""
    with servers.office() as there:
        yield there


@pytest.fixture
def smtp(office, certificate):
    """An SMTP server that asks for TLS and a login, and writes what it takes to the office."""
    with servers.SmtpServer(office, certificate) as server:
        yield server


@pytest.fixture
def dovecot(office, certificate):
    """An IMAP server over TLS on the same office; its port."""
    servers.need_dovecot()
    with servers.dovecot(office, certificate) as port:
        yield port


@pytest.fixture
def outgoing():
    """A function to a mail of ours; one field or the other may be another."""

    def made(person="ana", number=1, **fields):
        given = {
            "sender": "seminar@example.org",
            "sender_name": "The seminar",
            "recipient": f"{person}@example.org",
            "recipient_name": person.title(),
            "subject": "A date in September",
            "body": "Dear colleague,\n\nwould 5 September suit you?\n\nThe seminar\n",
            "message_id": f"<{number}.{person}@example.org>",
            "date": datetime(2026, 3, 2, 9, tzinfo=UTC),
        }
        return Outgoing(**given | fields)

    return made
