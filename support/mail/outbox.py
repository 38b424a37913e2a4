"""The outbox: every mail leaves at most once, and of every one that may have left unseen a person is told.

A mail is recorded with its exact bytes before it is handed over, and what became of it afterwards, each in a
transaction that is on the disk before the next step. Between the two nobody can know whether the other side has it: a
process that is killed there leaves a mail whose fate is unknown, and such a mail is never sent again by itself.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from support.errors import DamagedFile, InvalidInput, NotSent
from support.mail.approvals import digest_of, give_back, is_open, use
from support.mail.characters import shown
from support.mail.clearance import Clearance
from support.mail.composing import compose, reads_as
from support.mail.letters import Outgoing, Sent
from support.mail.mailbox import FOLDER, KINDS, LIVE, Mailbox
from support.mail.posted import (
    ARRIVED,
    DRY,
    LOST,
    NOT_SENT,
    PREPARED,
    SENDING,
    SENT,
    UNCERTAIN,
    Posted,
    posted,
    replaceable,
    settled,
)
from support.mail.tables import MailTables
from support.presence import Presence

SAID = 500  # characters of what a server said that are kept
KEY = "run = ? AND day = ? AND person = ?"
COUNTED = (SENT, SENDING, UNCERTAIN)  # of the day's mails; one that may have been sent counts as sent
ENDED = "the process that was sending it ended before the answer was kept"
_under_way: set[tuple[Path, str]] = set()  # what this process is handing over at this moment


@dataclass(frozen=True)
class _Wanted:
    """A mail that somebody wants to send."""

    outgoing: Outgoing
    message: bytes
    digest: str
    kind: str
    mail: int
    day: int
    person: str
    today: date


class Outbox(MailTables):
    """The outbox of one run.

    `path`: the study's file. `run`: what names the seminar in it. `clearance`: what may leave this machine; a mailbox
    that lets nothing leave needs none. `presence`: this process's presence at the file. Without it, another process
    takes what this one is sending for a dead one's: it lists that as uncertain, and sends it no second time either.
    """

    def __init__(self, path: str | Path, run: str, clearance: Clearance, *, presence: Presence | None = None) -> None:
        super().__init__(path, run)
        self.clearance = clearance
        self._presence = presence or Presence(path)

    async def send(
        self, mailbox: Mailbox, outgoing: Outgoing, *, mail: int, day: int, person: str, today: date
    ) -> Posted:
        """Send a mail, unless it has gone already; a person gets one mail a day.

        `outgoing`: where the same words were prepared before, those bytes and their Message-ID are sent, not these.
        `mail`, `day`: the number of the mail in its seminar, and the day there. `person`: whom it is for. `today`: by
        the calendar, for the daily limit. Its status is "sent", or "dry" where it is a file now. Asked again,
        a resumed run gets the same. NotSent when it is not allowed, or the other side refused it: it may be tried
        again. FateUnknown when it may have been sent; see `uncertain`. InvalidInput when it cannot be composed. Nothing
        is kept.
        """
        if mailbox.kind not in KINDS:
            raise InvalidInput(f"mailbox: the kind {mailbox.kind!r} given; expected one of {', '.join(KINDS)}")
        digest = digest_of(outgoing.recipient, outgoing.subject, outgoing.body)
        wanted = _Wanted(outgoing, compose(outgoing), digest, mailbox.kind, mail, day, person, today)
        while (kept := self._prepare(wanted)).status == PREPARED:
            if (claimed := self._claim(wanted)) is not None:
                return await self._hand_over(mailbox, claimed)
        return kept

    def uncertain(self) -> list[Posted]:
        """The mails of which nobody knows whether they were sent, those of processes that died among them."""
        self._bury()
        rows = self._rows("SELECT * FROM outbox WHERE run = ? AND status = ? ORDER BY rowid", (self.run, UNCERTAIN))
        return [posted(row) for row in rows]

    def decide(self, message_id: str, arrived: bool) -> Posted:
        """Settle an uncertain mail, by what a person found out.

        One that arrived counts as sent. One that did not may be sent again, after a new approval: with the same bytes
        and Message-ID, so that a mailbox which has it after all can tell that it is the same.

        InvalidInput when there is no such mail, or it is not uncertain.
        """
        self._bury()
        now, decided = (SENT, ARRIVED) if arrived else (NOT_SENT, LOST)
        said = f"decided by a person: it {'arrived' if arrived else 'did not arrive'}"
        with self._writing() as db:
            query = "UPDATE outbox SET status = ?, decided = ?, said = ?"
            query += " WHERE run = ? AND message_id = ? AND status = ?"
            if not db.execute(query, (now, decided, said, self.run, message_id, UNCERTAIN)).rowcount:
                raise InvalidInput(f"message_id: {message_id!r} given; expected that of an uncertain mail of this run")
        return self._one(message_id)

    def posted(self) -> list[Posted]:
        """All mails of this run, in the order in which they were prepared."""
        return [posted(row) for row in self._rows("SELECT * FROM outbox WHERE run = ? ORDER BY rowid", (self.run,))]

    def sent(self) -> list[Sent]:
        """The mails that somebody may answer: those that went, and those that may have."""
        gone = (one for one in self.posted() if one.status not in (PREPARED, NOT_SENT))
        return [Sent(one.mail, one.person, one.recipient, one.message_id) for one in gone]

    def _one(self, message_id: str) -> Posted:
        return posted(self._rows("SELECT * FROM outbox WHERE message_id = ?", (message_id,))[0])

    def _prepare(self, wanted: _Wanted) -> Posted:
        """The mail as it is kept: gone already, or prepared now."""
        self._bury()
        key = (self.run, wanted.day, wanted.person)
        with self._writing() as db:
            row = db.execute(f"SELECT * FROM outbox WHERE {KEY}", key).fetchone()
            digest, sender = wanted.digest, wanted.outgoing.sender
            if row is None or replaceable(row, digest, sender):
                self._check(db, wanted)
                self._write(db, wanted, row is not None)
            elif (gone := settled(row, digest, sender, self._alive)) is not None:
                return gone
            else:
                self._check(db, wanted, row["decided"])
                db.execute(f"UPDATE outbox SET status = '{PREPARED}' WHERE {KEY}", key)
            return posted(db.execute(f"SELECT * FROM outbox WHERE {KEY}", key).fetchone())

    def _write(self, db: sqlite3.Connection, wanted: _Wanted, anew: bool) -> None:
        out, key = wanted.outgoing, (self.run, wanted.day, wanted.person)
        if anew:
            db.execute(f"DELETE FROM outbox WHERE {KEY}", key)
        if db.execute("SELECT 1 FROM outbox WHERE message_id = ?", (out.message_id,)).fetchone():
            raise InvalidInput(f"message_id: {out.message_id} given, which another mail has; expected a new one")
        words = (out.sender, out.recipient, out.subject, out.body, wanted.message)
        row = (*key, wanted.mail, out.message_id, wanted.digest, wanted.kind, *words, PREPARED, "", "", "")
        marks = ", ".join("?" * (len(row) + 1))
        db.execute(f"INSERT INTO outbox VALUES ({marks})", (*row, f"{wanted.today:%Y-%m-%d}"))

    def _claim(self, wanted: _Wanted) -> sqlite3.Row | None:
        """Make it this process's to send, for good; None where another process was faster.

        What is checked here holds when it is sent: whoever else wants to send waits for the end of this transaction.
        """
        key = (self.run, wanted.day, wanted.person)
        with self._writing() as db:
            query = f"SELECT * FROM outbox WHERE {KEY} AND status = ? AND digest = ?"
            row = db.execute(query, (*key, PREPARED, wanted.digest)).fetchone()
            if row is None:
                return None
            self._check(db, wanted, row["decided"])
            self._check_kept(row, wanted.outgoing)
            if wanted.kind == LIVE or row["decided"]:
                use(db, self.run, wanted.digest, row["message_id"])
            values = (SENDING, self._presence.run, wanted.kind, f"{wanted.today:%Y-%m-%d}", *key)
            db.execute(f"UPDATE outbox SET status = ?, owner = ?, kind = ?, sent_on = ? WHERE {KEY}", values)
        claimed: sqlite3.Row = row
        _under_way.add((self._path, claimed["message_id"]))
        return claimed

    async def _hand_over(self, mailbox: Mailbox, claimed: sqlite3.Row) -> Posted:
        message_id: str = claimed["message_id"]
        status, said = UNCERTAIN, ENDED
        try:
            said = await mailbox.send(claimed["recipient"], claimed["message"])
            status = DRY if mailbox.kind == FOLDER else SENT
        except NotSent as error:
            status, said = NOT_SENT, str(error)
            raise
        except BaseException as error:  # a cancelled task may have sent it as well
            said = str(error) or f"it was interrupted ({type(error).__name__})"
            raise
        finally:
            try:
                self._keep(message_id, status, said)
            finally:
                _under_way.discard((self._path, message_id))
        return self._one(message_id)

    def _keep(self, message_id: str, status: str, said: str) -> None:
        """What became of it. Another process may have taken this one for dead, but a person's decision stands."""
        with self._writing() as db:
            query = "UPDATE outbox SET status = ?, said = ? WHERE message_id = ? AND owner = ? AND status IN (?, ?)"
            values = (status, shown(said, SAID), message_id, self._presence.run, SENDING, UNCERTAIN)
            if db.execute(query, values).rowcount and status == NOT_SENT:
                give_back(db, self.run, message_id)

    def _check(self, db: sqlite3.Connection, wanted: _Wanted, decided: str = "") -> None:
        """Whether a mail may leave this machine; one that a person decided about needs an approval in any case."""
        if wanted.kind == LIVE:
            self._check_limits(db, wanted)
        if (wanted.kind == LIVE or decided) and not is_open(db, self.run, wanted.digest):
            raise NotSent(
                f"the mail to {wanted.outgoing.recipient} was not sent: nobody has approved exactly this recipient, "
                "subject and text, or that approval was used. Approve it as it is now."
            )

    def _check_kept(self, row: sqlite3.Row, out: Outgoing) -> None:
        """Whether the bytes that are kept are what was approved: a file may come from somebody else."""
        if row["recipient"] != out.recipient or not reads_as(
            row["message"], replace(out, message_id=row["message_id"])
        ):
            raise DamagedFile(
                f"{self._path}: the mail {row['message_id']} is kept there with other words or another recipient than "
                "were approved, and was not sent. Restore the study's file from a copy, or begin a new seminar."
            )

    def _check_limits(self, db: sqlite3.Connection, wanted: _Wanted) -> None:
        recipient, sender, most = wanted.outgoing.recipient, wanted.outgoing.sender, self.clearance.daily_limit
        self.clearance.check(recipient)
        marks = ", ".join("?" * len(COUNTED))
        which = f"kind = ? AND lower(sender) = lower(?) AND sent_on = ? AND status IN ({marks})"
        query = f"SELECT count(*) FROM outbox WHERE {which}"
        if db.execute(query, (LIVE, sender, f"{wanted.today:%Y-%m-%d}", *COUNTED)).fetchone()[0] >= most:
            raise NotSent(
                f"the mail to {recipient} was not sent: the daily limit of {most} mails from {sender} is reached for "
                f"{wanted.today}. Go on tomorrow, or raise daily_limit."
            )

    def _bury(self) -> None:
        """What a dead process was sending is uncertain."""
        rows = self._rows("SELECT * FROM outbox WHERE run = ? AND status = ?", (self.run, SENDING))
        for row in (row for row in rows if not self._alive(row)):
            with self._writing() as db:
                query = "UPDATE outbox SET status = ?, said = ? WHERE message_id = ? AND status = ? AND owner = ?"
                db.execute(query, (UNCERTAIN, ENDED, row["message_id"], SENDING, row["owner"]))

    def _alive(self, row: sqlite3.Row) -> bool:
        """Whether whoever was sending it still does; this process knows that of itself."""
        if (self._path, row["message_id"]) in _under_way:
            return True
        return row["owner"] != self._presence.run and self._presence.alive(row["owner"])
