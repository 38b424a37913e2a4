"""What a mailbox is: a way to hand one mail over, and to see what lies there.

Three kinds fit it: a simulated one in memory, a folder of .eml files, and real servers. Whoever sends goes through
`support.mail.outbox`, whatever the kind, so that a rehearsal takes the same way as a live mail.
"""

from __future__ import annotations

from typing import Protocol

from support.mail.letters import Fetched

SIMULATED, FOLDER, LIVE = "simulated", "folder", "smtp and imap"
KINDS = (SIMULATED, FOLDER, LIVE)


class Mailbox(Protocol):
    """Where mails leave and arrive."""

    kind: str  # one of `KINDS`; only for `LIVE` does anything leave this machine

    async def send(self, recipient: str, message: bytes) -> str:
        """Hand one composed mail over, to one address; what the other side said to it.

        NotSent when it certainly was not taken. FateUnknown when nobody here can know.
        """
        ...

    async def fetch(self, after: str = "") -> list[Fetched]:
        """The messages that lie there, oldest first; looking changes nothing there.

        `after`: the key of the last one that was kept: a mailbox may leave out what came before. "" for all. MailError
        when the mailbox cannot be read.
        """
        ...
