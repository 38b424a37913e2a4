"""A mailbox of two folders, for a dry run: mails become .eml files, and replies are .eml files that are put there.

Any mail program opens an .eml file, so that what would go out can be read as its recipient would read it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from support.errors import InvalidInput, MailError, NotSent
from support.mail.letters import RAW, Fetched
from support.mail.mailbox import FOLDER

ENDING = ".eml"


class FolderMailbox:
    """Writes what is sent to `outbox`, reads what lies in `inbox`.

    `path`: A folder; it and the two within are made. InvalidInput when they cannot be made.
    """

    kind = FOLDER

    def __init__(self, path: str | Path) -> None:
        self.outbox, self.inbox = Path(path) / "outbox", Path(path) / "inbox"
        try:
            for folder in (Path(path).parent, Path(path), self.outbox, self.inbox):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            Path(path).chmod(0o700)  # of this account alone, and with it what is in it
        except OSError as error:
            raise InvalidInput(f"path: {path} cannot be a folder for mails: {error}; give one to write to.") from None

    def deliver(self, message: bytes) -> None:
        """Put a reply into the inbox, as a mail program does; the same mail again is the same file."""
        _write(self.inbox / f"{_name(message)}{ENDING}", message)

    async def send(self, recipient: str, message: bytes) -> str:
        """Write it as a file, whole or not at all; the same mail again is the same file.

        NotSent when the file cannot be written.
        """
        path = self.outbox / f"{_name(message)}{ENDING}"
        try:
            _write(path, message)
        except OSError as error:
            raise NotSent(f"the mail to {recipient} could not be written to {path}: {error}") from None
        return f"written to {path}"

    async def fetch(self, after: str = "") -> list[Fetched]:
        """The .eml files of `inbox`, oldest first by their time of change; move them there when they are complete.

        A file is known by what is in it, not by its name: `after` leaves nothing out.

        MailError when one cannot be read.
        """
        try:
            files = [path for path in self.inbox.iterdir() if path.suffix.lower() == ENDING and path.is_file()]
            return [_fetched(path) for path in sorted(files, key=lambda path: (path.stat().st_mtime_ns, path.name))]
        except OSError as error:
            raise MailError(f"the folder {self.inbox} cannot be read: {error}; mend that and look again.") from None


def _name(message: bytes) -> str:
    """A name that the same Message-ID always gives, and that no Message-ID can lead out of the folder with."""
    from email.parser import BytesHeaderParser
    from email.policy import SMTP

    message_id = BytesHeaderParser(policy=SMTP).parsebytes(message)["Message-ID"]
    return hashlib.sha256(str(message_id).encode() if message_id else message).hexdigest()[:32]


def _write(path: Path, message: bytes) -> None:
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(message)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(draft)
        raise
    _sync(path.parent)


def _sync(folder: Path) -> None:
    """The name of a new file is safe only when its folder is."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _fetched(path: Path) -> Fetched:
    with path.open("rb") as file:
        raw, size = file.read(RAW), os.fstat(file.fileno()).st_size
    return Fetched(hashlib.sha256(b"%d " % size + raw).hexdigest()[:32], raw, size)
