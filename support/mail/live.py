"""The real thing: mails leave by SMTP, replies are read by IMAP, both with TLS that is
always checked.

A server has a mail when it has answered the dot that ends it (RFC 5321, 3.3 and 4.1.1.4).
Before the first byte of the message it has none; between there and the answer nobody here
knows. The library's `sendmail` does not tell these apart, so the dialogue is led here. In
the IMAP folder nothing is marked or changed, and nothing large is fetched whole.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any

from support.errors import FateUnknown, InvalidInput, MailError, NotSent
from support.mail.credentials import IMPLICIT, STARTTLS, Login, MailServers
from support.mail.letters import RAW, Fetched, shown
from support.mail.mailbox import LIVE

if TYPE_CHECKING:
    from aiosmtplib import SMTP
    from imap_tools import MailBox

SAID = 300  # characters of a server's answer that are shown
MOST = 500  # messages of one look; the next look brings those after them
PARTS = f"(UID RFC822.SIZE BODY.PEEK[]<0.{RAW}>)"  # PEEK: it stays unread
CHECK = (
    "Check host, port, kind of TLS, user and password; for a server of your own name its "
    "certificate in cafile (CONVENE_MAIL_CA)."
)


class LiveMailbox:
    """An account at mail servers; whom it may write to is for the outbox to say.

    Messages that arrived before the day `since` are none of a seminar's business.
    `patience` is how many seconds each answer of a server is waited for, `last_patience`
    that to a message (RFC 5321, 4.5.3.2.6); if it does not come, the mail is uncertain.
    """

    kind = LIVE
    patience = 30.0
    last_patience = 600.0

    def __init__(
        self, servers: MailServers, login: Login, *, since: date | None = None
    ) -> None:
        self.servers = servers
        self.since = since
        self._login = login
        try:
            self._context = ssl.create_default_context(cafile=servers.cafile or None)
        except OSError as error:
            raise InvalidInput(
                f"cafile: {servers.cafile!r} cannot be read: {error}"
            ) from None

    async def send(self, recipient: str, message: bytes) -> str:
        """Send a composed mail to one address; what the server said when it took it
        (errors as in `Mailbox`)."""
        from aiosmtplib import SMTPException
        from aiosmtplib.protocol import PERIOD_REGEX, normalize_message_line_endings

        lines = normalize_message_line_endings(message)
        payload = PERIOD_REGEX.sub(b"..", lines) + b".\r\n"
        name = f"the mail to {recipient}"
        async with self._connected() as client:
            with self._before(f"{name} was refused"):
                await client.mail(self.servers.address)
                await client.rcpt(recipient)
                answer = await client.execute_command(b"DATA")
                if answer.code != 354:  # go on
                    raise ValueError(f"{answer.code} {answer.message}")
                if not client.protocol or not client.protocol.is_connected:
                    raise ValueError("the connection broke")
            try:  # from the first byte on, only the answer tells
                client.protocol.write(payload)
                answer = await client.protocol.read_response(self.last_patience)
            except (SMTPException, OSError) as error:
                unknown = f"{name} may have been sent, no answer came"
                raise FateUnknown(f"{unknown}: {self._told(error)}") from None
        said = self._told(f"{answer.code} {answer.message}")
        if 200 <= answer.code < 300:
            return said
        if 400 <= answer.code < 600:
            raise NotSent(f"{name} was refused: {said}")
        raise FateUnknown(f"{name} may have been sent, the answer is none: {said}")

    async def fetch(self, after: str = "") -> list[Fetched]:
        """The messages of the folder after that one, oldest first, `MOST` at most; they
        stay unread.

        Keys are "UIDVALIDITY.UID" (RFC 9051, 2.3.1.1): if messages have been numbered anew
        since, all are new.
        """
        return await asyncio.to_thread(self._collect, after)

    async def check(self) -> str:
        """Log in at both servers and send nothing; what was found, in words. MailError
        says who lets us not in."""
        async with self._connected():
            count = await asyncio.to_thread(self._count)
        servers = self.servers
        return (
            f"Logged in as {self._login.user} at {servers.smtp_host}:{servers.smtp_port} "
            f"and {servers.imap_host}:{servers.imap_port}, both encrypted and with a valid "
            f"certificate; messages in {servers.imap_folder}: {count}. Nothing was sent."
        )

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[SMTP]:
        """A connection to the SMTP server, encrypted, its certificate checked, and logged
        in."""
        from aiosmtplib import SMTP

        servers = self.servers
        login = self._login
        client = SMTP(
            hostname=servers.smtp_host,
            port=servers.smtp_port,
            timeout=self.patience,
            local_hostname="[127.0.0.1]",  # not the name of this machine
            tls_context=self._context,
            use_tls=servers.smtp_tls == IMPLICIT,
            start_tls=servers.smtp_tls == STARTTLS,
        )
        where = f"{servers.smtp_host}:{servers.smtp_port}"
        try:
            with self._before(f"{where} lets {login.user} not in. {CHECK}"):
                await client.connect()
                await client.login(login.user, login.password)
            yield client
        finally:  # good-bye without waiting: whether a mail was taken is known by now
            with contextlib.suppress(Exception):
                if client.protocol and client.protocol.is_connected:
                    client.protocol.write(b"QUIT\r\n")
            client.close()

    @contextmanager
    def _before(self, what: str) -> Iterator[None]:
        """Whatever fails before the first byte of a mail: it was not sent."""
        from aiosmtplib import SMTPException

        try:
            yield
        except (SMTPException, OSError, ValueError) as error:
            raise NotSent(f"{what} {self._told(error)}") from None

    @contextmanager
    def _opened(self) -> Iterator[MailBox]:
        """The folder, opened for reading only, over a connection that is encrypted and
        whose certificate is checked."""
        import imaplib

        from imap_tools import MailBox
        from imap_tools.errors import ImapToolsError

        servers = self.servers
        login = self._login
        box = None
        host = servers.imap_host
        port = servers.imap_port
        try:
            box = MailBox(host, port, timeout=self.patience, ssl_context=self._context)
            box.login_utf8(login.user, login.password, initial_folder=None)
            box.folder.set(servers.imap_folder, readonly=True)
            yield box
        except (OSError, imaplib.IMAP4.error, ImapToolsError) as error:
            raise MailError(
                f"the folder {servers.imap_folder} at {host}:{port} cannot be read by "
                f"{login.user}. {CHECK} {self._told(error)}"
            ) from None
        finally:
            if box is not None:
                with contextlib.suppress(Exception):  # whatever was to be read has been
                    box.logout()

    def _count(self) -> int:
        with self._opened() as box:
            return len(box.uids())

    def _collect(self, after: str) -> list[Fetched]:
        from imap_tools import AND, U

        with self._opened() as box:
            # while it is the same, a number names the same message
            (validity,) = box.client.response("UIDVALIDITY")[1]
            if not validity:
                raise OSError("the server gives no UIDVALIDITY for the folder")
            known, _, last = after.partition(".")
            begin = int(last) + 1 if known == validity.decode() else 1
            criteria: dict[str, Any] = {"date_gte": self.since} if self.since else {}
            there = map(int, box.uids(AND(uid=U(str(begin), "*"), **criteria)))
            # "n:*" finds the last also where it is below n
            uids = sorted(uid for uid in there if uid >= begin)
            found = [_fetched(box, validity.decode(), uid) for uid in uids[:MOST]]
        return [message for message in found if message]

    def _told(self, said: object) -> str:
        """What a server or the network said, in one bounded line without the password."""
        words = str(said) or type(said).__name__
        return shown(self._login.without(words), SAID)


def _fetched(box: MailBox, validity: str, uid: int) -> Fetched | None:
    """One message, or None where it has been taken away meanwhile."""
    status, data = box.client.uid("FETCH", str(uid), PARTS)
    if status != "OK":
        raise OSError(f"the server does not give message {uid}: {status} {data!r:.200}")
    about = b""
    raw = None
    for item in data:
        told, *body = item if isinstance(item, tuple) else (item or b"",)
        about += told + b" "
        raw = body[0] if b"BODY[]" in told.upper() and body else raw
    size = re.search(rb"RFC822\.SIZE ([0-9]+)", about)
    return (
        Fetched(f"{validity}.{uid}", raw[:RAW], int(size[1])) if raw and size else None
    )
