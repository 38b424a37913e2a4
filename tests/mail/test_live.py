"""Mail by real servers of this machine: aiosmtpd takes it, Dovecot shows it, both over TLS only."""

import asyncio
import socket
import time
import traceback
from datetime import date, timedelta

import pytest
import servers

from support.errors import FateUnknown, MailError, NotSent
from support.mail import live
from support.mail.composing import compose
from support.mail.credentials import Login, MailServers
from support.mail.letters import RAW
from support.mail.live import LiveMailbox
from support.mail.mailbox import LIVE

pytestmark = pytest.mark.filterwarnings(
    "ignore:Requiring AUTH", "ignore:Session.login_data"
)
CLOSED = 1  # a port at which nobody listens


@pytest.fixture
def account(certificate):
    """A function to the mailbox of an account."""

    def made(smtp=CLOSED, imap=CLOSED, user=servers.USER, password=servers.PASSWORD, since=None, patience=20,
             last_patience=20, **fields):  # fmt: skip
        told = {
            "smtp_port": smtp,
            "imap_port": imap,
            "cafile": str(certificate),
        } | fields
        there = MailServers("localhost", "localhost", "seminar@example.org", **told)
        box = LiveMailbox(there, Login(user, password), since=since)
        box.patience, box.last_patience = patience, last_patience
        return box

    return made


def send(box, outgoing):
    return asyncio.run(box.send(outgoing.recipient, compose(outgoing)))


def fetch(box, after=""):
    return asyncio.run(box.fetch(after))


def test_a_mail_that_the_one_server_took_is_shown_by_the_other_and_checking_sends_none(
    account, smtp, dovecot, outgoing
):
    box = account(smtp.port, dovecot)
    assert box.kind == LIVE
    said = asyncio.run(box.check())
    assert (
        f"localhost:{smtp.port}" in said
        and f"localhost:{dovecot}" in said
        and "INBOX: 1" in said
    )
    assert smtp.handler.taken == []
    for ports, error in (
        ((CLOSED, dovecot), NotSent),
        ((smtp.port, CLOSED), MailError),
    ):
        with pytest.raises(error, match=f"localhost:{CLOSED}"):
            asyncio.run(account(*ports).check())
    sent = outgoing(body="Grüße aus Köln\n.\n..\n.endet nicht\n\nEnde")
    assert send(box, sent) == "250 2.0.0 taken"
    assert smtp.handler.taken[0][:2] == ("seminar@example.org", ("ana@example.org",))
    (found,) = fetch(account(imap=dovecot, user="ana"))
    assert found.raw == compose(sent) and found.size == len(found.raw)


@pytest.mark.parametrize("tls", ["implicit", "starttls"])
def test_only_a_certificate_of_the_host_that_somebody_known_vouches_for_will_do(
    account, office, certificate, tmp_path, outgoing, tls
):
    elsewhere = servers.certificate(tmp_path, "elsewhere.example")
    for made, cafile in ((certificate, ""), (elsewhere, str(elsewhere))):
        with servers.SmtpServer(office, made, tls=tls) as server:
            with pytest.raises(NotSent, match=r"(?i)certificate"):
                send(account(server.port, smtp_tls=tls, cafile=cafile), outgoing())
            assert server.handler.taken == []
    with servers.SmtpServer(office, certificate, tls=tls) as server:
        assert send(account(server.port, smtp_tls=tls), outgoing()) == "250 2.0.0 taken"


def test_a_server_without_tls_gets_no_password(account, certificate, outgoing):
    heard = []

    async def talk(reader, writer):
        writer.write(b"220 plain\r\n")
        while line := await reader.readline():
            heard.append(line)
            writer.write(
                b"250-plain\r\n250 AUTH PLAIN\r\n"
                if line.startswith(b"EHLO")
                else b"250 ok\r\n"
            )

    async def tried(tls):
        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(NotSent):
            await account(port, smtp_tls=tls, patience=2).send(
                "ana@example.org", compose(outgoing())
            )
        server.close()

    for tls in ("starttls", "implicit"):
        asyncio.run(tried(tls))
    assert not any(b"AUTH" in line or b"MAIL" in line for line in heard)


def test_a_server_that_never_says_anything_is_not_waited_for_for_ever(
    account, outgoing
):
    with socket.create_server(
        ("127.0.0.1", 0)
    ) as silent:  # connections wait in its queue
        port = silent.getsockname()[1]
        with pytest.raises(NotSent):
            send(account(smtp=port, patience=0.3), outgoing())
        with pytest.raises(MailError):
            fetch(account(imap=port, patience=0.3))


def test_neither_a_wrong_password_nor_an_unknown_certificate_gets_in_and_no_password_is_told(
    account, smtp, dovecot, outgoing, tmp_path
):
    box = account(
        smtp.port, dovecot, password="terces tub ,gnorw"[::-1]
    )  # the traceback shows this line
    with pytest.raises(NotSent) as sending:
        send(box, outgoing())
    with pytest.raises(MailError) as reading:
        fetch(box)
    assert not shows_it(sending.value) and not shows_it(reading.value)
    for cafile in ("", str(servers.certificate(tmp_path, "elsewhere.example"))):
        with pytest.raises(MailError, match=r"(?i)certificate"):
            fetch(account(imap=dovecot, cafile=cafile))


def shows_it(error):
    """Whether a traceback with all the values in it has the password; not asked in the test, whose values are in it."""
    told = "".join(
        traceback.TracebackException.from_exception(error, capture_locals=True).format()
    )
    return "secret" in told


CERTAIN = [
    (stage, does)
    for stage in ("connect", "EHLO", "AUTH", "MAIL", "RCPT", "DATA")
    for does in ("554 no", "break")
]
CERTAIN += [
    ("connect", "wait"),
    ("AUTH", "nonsense"),
    ("MAIL", "421 busy"),
    ("RCPT", "451 later"),
    ("DATA", "250 ok"),
]
CERTAIN += [
    ("message", "451 later"),
    ("message", "554 spam"),
    ("AUTH", f"535 {servers.PASSWORD} is wrong"),
]


def scripted(account, certificate, outgoing, stage, does):
    async def talked():
        async with servers.Script(certificate, stage, does) as script:
            first, last = (
                0.3 if does == "wait" and at else 30
                for at in (stage != "message", stage == "message")
            )
            box = account(script.port, patience=first, last_patience=last)
            try:
                return await box.send(outgoing.recipient, compose(outgoing)), script
            except (NotSent, FateUnknown) as error:
                return error, script

    return asyncio.run(talked())


@pytest.mark.parametrize(("stage", "does"), CERTAIN)
def test_a_mail_that_the_server_certainly_has_not_is_not_sent(
    account, certificate, outgoing, stage, does
):
    told, script = scripted(account, certificate, outgoing(), stage, does)
    assert isinstance(told, NotSent), told
    assert stage == "message" or not any(name == "message" for name, _ in script.heard)
    assert servers.PASSWORD not in str(told)


@pytest.mark.parametrize("does", ["break", "wait", "nonsense", "354 more", None])
def test_a_mail_whose_answer_does_not_come_is_of_unknown_fate(
    account, certificate, outgoing, does
):
    told, script = scripted(account, certificate, outgoing(), does and "message", does)
    assert isinstance(told, FateUnknown) if does else told == "250 taken", told
    assert (
        "message",
        compose(outgoing()).replace(b"\r\n.", b"\r\n..") + b".\r\n",
    ) in script.heard
    said = [line for name, line in script.heard if name in ("MAIL", "RCPT")]
    assert said[0].startswith(b"MAIL FROM:<seminar@example.org>") and said[1:] == [
        b"RCPT TO:<ana@example.org>\r\n"
    ]
    assert b"EHLO [127.0.0.1]" in script.heard[0][1]  # not the name of this machine


def test_reading_changes_nothing_and_brings_what_is_new_of_a_large_message_the_beginning(
    account, dovecot, office, monkeypatch
):
    box = account(imap=dovecot)
    large = (
        b"Message-ID: <6@example.org>\r\n\r\n" + b"five megabytes of this\r\n" * 218_000
    )
    for number in range(6):
        office.deliver(
            servers.USER,
            b"Message-ID: <%d@x>\r\n\r\nYes\r\n" % number if number < 5 else large,
        )
    monkeypatch.setattr(live, "MOST", 4)
    first = fetch(box)
    assert fetch(box) == first and [message.raw.split(b"\r\n")[-2] for message in first[:2]] == [
        b"This mailbox is yours.", b"Yes",
    ]  # fmt: skip
    second = fetch(box, first[-1].key)
    assert [int(message.key.split(".")[1]) for message in first + second] == list(
        range(1, 8)
    ) and len(second) == 3
    assert second[-1].raw == large[:RAW] and second[-1].size == len(large) > 5_000_000
    assert fetch(box, second[-1].key) == []
    office.deliver(servers.USER, b"Message-ID: <7@example.org>\r\n\r\nNo\r\n")
    assert [message.raw[-4:] for message in fetch(box, second[-1].key)] == [b"No\r\n"]
    assert not any(
        file.name.endswith("S")
        for file in (office.base / "mail" / servers.USER).rglob("*:2,*")
    )


def test_messages_that_were_numbered_anew_are_all_new_and_those_before_a_seminar_none_of_it(
    account, dovecot
):
    validity, uid = fetch(account(imap=dovecot))[0].key.split(".")
    for after in (f"{int(validity) + 1}.{uid}", "not a key of such a mailbox"):
        assert len(fetch(account(imap=dovecot), after)) == 1
    today = date.fromtimestamp(time.time())
    assert len(fetch(account(imap=dovecot, since=today - timedelta(days=2)))) == 1
    assert fetch(account(imap=dovecot, since=today + timedelta(days=2))) == []
