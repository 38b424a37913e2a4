"""The real thing: mails leave by SMTP, replies are read by IMAP, both with TLS that is always checked."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Collection
from datetime import date
from pathlib import Path

from support.errors import InvalidInput, NotSent
from support.mail.clearance import check_listed
from support.mail.collecting import collect, opened
from support.mail.credentials import Login, MailServers
from support.mail.letters import Fetched
from support.mail.mailbox import LIVE
from support.mail.submitting import connected, submit

__all__ = ["LiveMailbox", "MailServers"]

PATIENCE = 30.0  # seconds to wait for each answer
LAST_PATIENCE = 600.0  # for the answer to the message itself (RFC 5321, section 4.5.3.2.6): too short leaves doubt


class LiveMailbox:
    """An account at mail servers.

    `allowed`: the addresses that may be sent to: a second lock, behind the outbox's. `since`: messages that arrived
    before that day are not read: they are none of a seminar's business. `patience`: seconds to wait for each answer of
    a server. `last_patience`: the same for the answer to a message; a mail is uncertain when it does not come.
    InvalidInput when the certificates of `servers.cafile` cannot be read.
    """

    kind = LIVE

    def __init__(
        self,
        servers: MailServers,
        login: Login,
        *,
        allowed: Collection[str],
        since: date | None = None,
        patience: float = PATIENCE,
        last_patience: float = LAST_PATIENCE,
    ) -> None:
        self.servers, self.allowed, self.since = servers, frozenset(allowed), since
        self.patience, self.last_patience = patience, last_patience
        self._login, self._context = login, _context(servers.cafile)

    async def send(self, recipient: str, message: bytes) -> str:
        """Send a composed mail to one address of the list; what the server said when it took it.

        NotSent when the server certainly has no such mail. FateUnknown when the connection broke, or time ran out,
        between the first byte of the message and the answer to it.
        """
        check_listed(recipient, self.allowed)
        if not message.isascii():
            raise NotSent(f"the mail to {recipient} was not sent: it has bytes above 127; compose it in seven bits.")
        patience = (self.patience, self.last_patience)
        return await submit(self.servers, self._login, self._context, recipient, message, patience)

    async def fetch(self, after: str = "") -> list[Fetched]:
        """The messages of the folder after that one, 500 at most; they stay unread.

        MailError when the folder cannot be read.
        """
        rest = (self._login, self._context, self.patience, after, self.since)
        return await asyncio.to_thread(collect, self.servers, *rest)

    async def check(self) -> str:
        """Log in at both servers and send nothing; what was found, in words.

        MailError when one of them does not let us in; it says which, and why.
        """
        async with connected(self.servers, self._login, self._context, self.patience):
            pass
        count = await asyncio.to_thread(self._count)
        servers = self.servers
        return (
            f"Logged in as {self._login.user} at {servers.smtp_host}:{servers.smtp_port} for sending and at "
            f"{servers.imap_host}:{servers.imap_port} for reading, both encrypted and with a valid certificate; "
            f"{servers.imap_folder} holds {count} message{'' if count == 1 else 's'}. Nothing was sent."
        )

    def _count(self) -> int:
        with opened(self.servers, self._login, self._context, self.patience) as box:
            return len(box.uids())


def _context(cafile: str) -> ssl.SSLContext:
    """TLS 1.2 or later, the certificate valid and that of the host."""
    if cafile and not Path(cafile).is_file():
        raise InvalidInput(f"cafile: {cafile!r} given; expected a file of certificates, or '' for the system's")
    try:
        context = ssl.create_default_context(cafile=cafile or None)
    except (OSError, ssl.SSLError) as error:
        raise InvalidInput(f"cafile: {cafile!r} cannot be read as certificates: {error}") from None
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
