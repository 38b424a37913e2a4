"""The real thing: mails leave by SMTP, replies are read by IMAP, both with TLS that is always checked.

A server has a mail when it has answered the dot that ends it (RFC 5321, 3.3 and 4.1.1.4). Before the first byte of the
message it has none; between there and the answer nobody here knows. The library's `sendmail` does not tell these apart,
so the dialogue is led here. In the IMAP folder nothing is marked or changed, and nothing large is fetched whole.
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

GO_ON = 354
SAID = 300  # characters of a server's answer that are shown
HELLO = "[127.0.0.1]"  # what mail programs say, rather than the name of their machine
MOST = 500  # messages of one look; the next look brings those after them
PARTS = f"(UID RFC822.SIZE BODY.PEEK[]<0.{RAW}>)"  # PEEK: it stays unread
CHECK = "Check the host, the port and the kind of TLS."
NOT_THEIRS = (
    "The certificate is not that of this host, or nobody known vouches for it: check the host's name; for a server of "
    "your own, name its certificate in cafile (CONVENE_MAIL_CA)."
)


class LiveMailbox:
    """An account at mail servers; whom it may write to is for the outbox to say.

    `since`: messages that arrived before that day are none of a seminar's business.
    """

    kind = LIVE
    patience = 30.0  # seconds to wait for each answer of a server
    last_patience = 600.0  # for that to a message (RFC 5321, 4.5.3.2.6); if it does not come, the mail is uncertain

    def __init__(
        self, servers: MailServers, login: Login, *, since: date | None = None
    ) -> None:
        self.servers, self.since = servers, since
        self._login, self._context = login, _context(servers.cafile)

    async def send(self, recipient: str, message: bytes) -> str:
        """Send a composed mail to one address; what the server said when it took it (errors as in `Mailbox`)."""
        from aiosmtplib import SMTPException
        from aiosmtplib.protocol import PERIOD_REGEX, normalize_message_line_endings

        payload = (
            PERIOD_REGEX.sub(b"..", normalize_message_line_endings(message)) + b".\r\n"
        )
        refused = f"the mail to {recipient} was refused before it was sent"
        async with self._connected() as client:
            try:
                await client.mail(self.servers.address)
                await client.rcpt(recipient)
                answer = await client.execute_command(b"DATA")
            except (SMTPException, OSError, ValueError) as error:
                raise NotSent(f"{refused}: {self._told(error)}") from None
            if answer.code != GO_ON:
                raise NotSent(
                    f"{refused}: {self._bounded(f'{answer.code} {answer.message}')}"
                )
            if client.protocol is None or not client.protocol.is_connected:
                raise NotSent(
                    f"the mail to {recipient} was not sent: the connection broke before its first byte"
                )
            unknown = f"the mail to {recipient} may have been sent: the server's answer"
            try:  # from the first byte on, only the answer tells
                client.protocol.write(payload)
                answer = await client.protocol.read_response(timeout=self.last_patience)
            except (SMTPException, OSError) as error:
                raise FateUnknown(
                    f"{unknown} did not come ({self._told(error)})"
                ) from None
        said = self._bounded(f"{answer.code} {answer.message}")
        if 200 <= answer.code < 300:
            return said
        if 400 <= answer.code < 600:
            raise NotSent(f"the mail to {recipient} was refused by the server: {said}")
        raise FateUnknown(f"{unknown} is none of SMTP's ({said})")

    async def fetch(self, after: str = "") -> list[Fetched]:
        """The messages of the folder after that one, oldest first, `MOST` at most; they stay unread.

        Keys are "UIDVALIDITY.UID" (RFC 9051, 2.3.1.1): if messages have been numbered anew since, all are new.
        """
        return await asyncio.to_thread(self._collect, after)

    async def check(self) -> str:
        """Log in at both servers and send nothing; what was found, in words. MailError says who lets us not in."""
        async with self._connected():
            pass
        count, servers = await asyncio.to_thread(self._count), self.servers
        return (
            f"Logged in as {self._login.user} at {servers.smtp_host}:{servers.smtp_port} for sending and at "
            f"{servers.imap_host}:{servers.imap_port} for reading, both encrypted and with a valid certificate; "
            f"{servers.imap_folder} holds {count} message{'' if count == 1 else 's'}. Nothing was sent."
        )

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[SMTP]:
        """A connection to the SMTP server, encrypted, its certificate checked, and logged in."""
        from aiosmtplib import SMTP, SMTPException

        servers = self.servers
        tls: dict[str, Any] = {
            "use_tls": servers.smtp_tls == IMPLICIT,
            "start_tls": servers.smtp_tls == STARTTLS,
        }
        client = SMTP(
            hostname=servers.smtp_host, port=servers.smtp_port, timeout=self.patience, local_hostname=HELLO,
            tls_context=self._context, **tls,
        )  # fmt: skip
        where, user = f"{servers.smtp_host}:{servers.smtp_port}", self._login.user
        try:
            try:
                await client.connect()
            except (SMTPException, OSError, ValueError) as error:
                way_out = (
                    NOT_THEIRS if "CERTIFICATE_VERIFY_FAILED" in str(error) else CHECK
                )
                raise NotSent(
                    f"no connection to {where} for sending: {self._told(error)}. {way_out}"
                ) from None
            try:
                await client.login(user, self._login.password)
            except (SMTPException, OSError, ValueError) as error:
                raise NotSent(
                    f"{where} lets {user} not log in for sending: {self._told(error)}"
                ) from None
            yield client
        finally:  # good-bye without waiting for the answer: whether the mail was taken is known by now
            with contextlib.suppress(Exception):
                if client.protocol is not None and client.protocol.is_connected:
                    client.protocol.write(b"QUIT\r\n")
            client.close()

    @contextmanager
    def _opened(self) -> Iterator[MailBox]:
        """The folder, opened for reading only, over a connection that is encrypted and whose certificate is checked."""
        import imaplib

        from imap_tools import MailBox
        from imap_tools.errors import ImapToolsError

        servers, login = self.servers, self._login
        where, box = f"{servers.imap_host}:{servers.imap_port}", None
        try:
            box = MailBox(
                servers.imap_host,
                servers.imap_port,
                timeout=self.patience,
                ssl_context=self._context,
            )
            enter = (
                box.login
                if login.password.isascii() and login.user.isascii()
                else box.login_utf8
            )
            enter(login.user, login.password, initial_folder=None)
            box.folder.set(servers.imap_folder, readonly=True)
            yield box
        except (OSError, imaplib.IMAP4.error, ImapToolsError) as error:
            raise MailError(
                f"the folder {servers.imap_folder} of {login.user} at {where} cannot be read: {self._told(error)}. "
                "Check the host, the port, the user, the password and the folder."
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
            values = box.client.response("UIDVALIDITY")[
                1
            ]  # while it is the same, a number names the same message
            if not values or values[0] is None or not values[0].isdigit():
                raise OSError(
                    f"the server gives no UIDVALIDITY for the folder ({values!r})"
                )
            validity, known = int(values[0]), re.fullmatch(r"([0-9]+)\.([0-9]+)", after)
            last = int(known[2]) if known and int(known[1]) == validity else 0
            criteria: dict[str, Any] = {"date_gte": self.since} if self.since else {}
            there = map(int, box.uids(AND(uid=U(str(last + 1), "*"), **criteria)))
            uids = sorted(
                uid for uid in there if uid > last
            )  # "n:*" finds the last also where it is below n
            found = [_fetched(box, validity, uid) for uid in uids[:MOST]]
        return [message for message in found if message is not None]

    def _told(self, error: Exception) -> str:
        """What a server or the network said, in one bounded line without the password."""
        code = f"{error.code} " if hasattr(error, "code") else ""
        return self._bounded(
            f"{code}{getattr(error, 'message', None) or str(error) or type(error).__name__}"
        )

    def _bounded(self, said: str) -> str:
        return shown(self._login.without(said), SAID)


def _fetched(box: MailBox, validity: int, uid: int) -> Fetched | None:
    """One message, or None where it has been taken away meanwhile."""
    status, data = box.client.uid("FETCH", str(uid), PARTS)
    if status != "OK":
        raise OSError(f"the server does not give message {uid}: {status} {data!r:.200}")
    about = b" ".join(
        item[0] if isinstance(item, tuple) else item or b"" for item in data
    )
    size = re.search(rb"RFC822\.SIZE ([0-9]+)", about)
    raw = next(
        (
            item[1]
            for item in data
            if isinstance(item, tuple) and b"BODY[]" in item[0].upper()
        ),
        None,
    )
    if raw is None or size is None:
        return None
    return Fetched(f"{validity}.{uid}", raw[:RAW], int(size[1]))


def _context(cafile: str) -> ssl.SSLContext:
    """TLS, the certificate valid and that of the host."""
    try:
        return ssl.create_default_context(cafile=cafile or None)
    except OSError as error:
        raise InvalidInput(
            f"cafile: {cafile!r} cannot be read as certificates ({error}); '' is the system's"
        ) from None
