"""Where mails leave and arrive: in memory for a rehearsal, in a folder for a dry run; real
servers are `live`.

Whoever sends goes through `support.mail.outbox`, whatever the kind, so that a rehearsal
takes the way of a live mail. Any mail program opens the .eml files of a folder.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from support.errors import NotSent
from support.mail.letters import RAW, Fetched

SIMULATED = "simulated"
FOLDER = "folder"
LIVE = "smtp and imap"
ENDING = ".eml"


class Mailbox(Protocol):
    """Where mails leave and arrive; of the three kinds, anything leaves this machine only
    for `LIVE`."""

    kind: str

    async def send(self, recipient: str, message: bytes) -> str:
        """Hand one composed mail over, to one address; what the other side said to it.

        NotSent when it certainly was not taken, FateUnknown when nobody here can know.
        """
        ...

    async def fetch(self, after: str = "") -> list[Fetched]:
        """The messages that lie there, oldest first; those before the key `after` may be
        left out. Or MailError."""
        ...


class SimulatedMailbox:
    """Takes every mail, unless a fault is due (None: none is), and shows what was
    delivered to it; nothing is kept. `sent` has recipient and message of each mail."""

    kind = SIMULATED

    def __init__(self, faults: Iterable[BaseException | None] = ()) -> None:
        self.sent: list[tuple[str, bytes]] = []
        self._faults = iter(faults)
        self._there: list[Fetched] = []

    async def send(self, recipient: str, message: bytes) -> str:
        """Take it, unless a fault is due."""
        if fault := next(self._faults, None):
            raise fault
        self.sent.append((recipient, message))
        return "taken by the simulated mailbox"

    def deliver(self, message: bytes) -> str:
        """Put a message where `fetch` finds it; its key."""
        key = f"simulated.{len(self._there) + 1}"
        self._there.append(Fetched(key, message[:RAW], len(message)))
        return key

    async def fetch(self, after: str = "") -> list[Fetched]:
        """All that was delivered after the message with that key."""
        keys = [message.key for message in self._there]
        return self._there[keys.index(after) + 1 if after in keys else 0 :]


class FolderMailbox:
    """Writes what is sent to `outbox`, reads what lies in `inbox`, two folders within
    `path` that are this account's alone."""

    kind = FOLDER

    def __init__(self, path: str | Path) -> None:
        self.outbox = Path(path) / "outbox"
        self.inbox = Path(path) / "inbox"
        for folder in (Path(path), self.outbox, self.inbox):
            folder.mkdir(0o700, parents=True, exist_ok=True)

    async def send(self, recipient: str, message: bytes) -> str:
        """Write it as a file, whole or not at all; the same mail again is the same file."""
        digest = hashlib.sha256(message).hexdigest()
        path = self.outbox / f"{digest[:32]}{ENDING}"
        try:
            _write(path, message)
        except OSError as error:
            raise NotSent(f"the mail to {recipient} was not written: {error}") from None
        return f"written to {path}"

    async def fetch(self, after: str = "") -> list[Fetched]:
        """All .eml files of `inbox`, oldest first by their time of change, each known by
        what is in it."""
        there = self.inbox.glob("*.[eE][mM][lL]")
        files = [path for path in there if path.is_file()]
        files.sort(key=lambda path: (path.stat().st_mtime_ns, path.name))
        return [_fetched(path) for path in files]


def _write(path: Path, message: bytes) -> None:
    """Whole or not at all, and on the disk."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(message)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        Path(draft).unlink(missing_ok=True)


def _fetched(path: Path) -> Fetched:
    raw = path.read_bytes()
    return Fetched(hashlib.sha256(raw).hexdigest()[:32], raw[:RAW], len(raw))
