"""Approval of the exact mail: recipient, subject and text, and nothing else.

An approval is for one mail. The one that goes out uses it up, so that the same words need a new one next week; a mail
that was certainly not sent gives it back. A change of any of the three is another mail.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3

from support.errors import InvalidInput
from support.mail.addresses import checked_address
from support.mail.tables import MailTables

OPEN, USED, WITHDRAWN = "approved", "used", "withdrawn"
_OPEN = f"run = ? AND digest = ? AND status = '{OPEN}'"


def digest_of(recipient: str, subject: str, body: str) -> str:
    """What names a mail by its words.

    Line ends, blanks around the body and repeated blanks in the subject are not words: the organiser takes them out
    before sending, and mail programs change them.

    >>> digest_of("ana@x.org", "A  date", "Hello\\r\\nAna\\n") == digest_of("ana@x.org", "A date", "Hello\\nAna")
    True
    >>> digest_of("ana@x.org", "A date", "Hello") == digest_of("ana@x.org", "A date", "hello")
    False
    """
    plain = body.replace("\r\n", "\n").replace("\r", "\n").strip()
    words = {"recipient": recipient, "subject": " ".join(subject.split()), "body": plain}
    return hashlib.sha256(json.dumps(words, sort_keys=True).encode("ascii")).hexdigest()


class Approvals(MailTables):
    """The approvals of one run."""

    def approve(self, recipient: str, subject: str, body: str) -> str:
        """Let one mail with exactly these go out; twice without a mail between them is once. Its digest.

        InvalidInput when the recipient is not one address, or when there are no words.
        """
        checked_address(recipient, "recipient")
        for field, text in (("subject", subject), ("body", body)):
            if not text.strip():
                raise InvalidInput(f"{field}: {text!r} given; expected the words that are approved")
        digest = digest_of(recipient, subject, body)
        with self._writing() as db:
            if not is_open(db, self.run, digest):
                row = (self.run, digest, recipient, subject, body, OPEN, "")
                db.execute("INSERT INTO approvals VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", row)
        return digest

    def approved(self, recipient: str, subject: str, body: str) -> bool:
        """Whether a mail with exactly these may go out now."""
        digest = digest_of(recipient, subject, body)
        return bool(self._rows(f"SELECT id FROM approvals WHERE {_OPEN}", (self.run, digest)))

    def waiting(self) -> bool:
        """Whether a mail may go out without another word of a person."""
        return bool(self._rows(f"SELECT id FROM approvals WHERE run = ? AND status = '{OPEN}' LIMIT 1", (self.run,)))

    def withdraw(self, recipient: str, subject: str, body: str) -> bool:
        """Take an approval back; False where there is none, or a mail has used it already."""
        digest = digest_of(recipient, subject, body)
        with self._writing() as db:
            query = f"UPDATE approvals SET status = '{WITHDRAWN}' WHERE {_OPEN}"
            return db.execute(query, (self.run, digest)).rowcount > 0


def is_open(db: sqlite3.Connection, run: str, digest: str) -> bool:
    """Whether an approval waits for its mail; within a transaction."""
    return db.execute(f"SELECT id FROM approvals WHERE {_OPEN}", (run, digest)).fetchone() is not None


def use(db: sqlite3.Connection, run: str, digest: str, message_id: str) -> None:
    """Use an approval up, in the transaction that lets its mail go; all of them, if the same was approved twice."""
    db.execute(f"UPDATE approvals SET status = '{USED}', message_id = ? WHERE {_OPEN}", (message_id, run, digest))


def give_back(db: sqlite3.Connection, run: str, message_id: str) -> None:
    """The mail was certainly not sent: its approval holds again."""
    query = "UPDATE approvals SET status = ?, message_id = '' WHERE run = ? AND message_id = ? AND status = ?"
    db.execute(query, (OPEN, run, message_id, USED))
