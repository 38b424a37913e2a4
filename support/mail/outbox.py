"""The outbox: every mail leaves at most once, and of every one that may have left unseen a person is told.

    prepared ──► sending ──► sent        the other side took it; "dry" where it is a file
                    │    ──► not sent    certainly; it may be tried again
                    │    ──► uncertain   nobody knows, until a person decides: sent, or not sent

Each arrow is one transaction that is on the disk before the next step; a mail is recorded with its exact bytes first,
and handed over between two of them. A process that is killed there leaves "sending": nobody can know whether the other
side has the mail, and such a mail is never sent again by itself. An approval is for one mail, of exactly this
recipient, subject and text: the one that goes out uses it up, and one that was certainly not sent gives it back.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path

from support.errors import DamagedFile, FateUnknown, InvalidInput, NotSent
from support.mail.composing import compose, reads_as
from support.mail.journal import MailTables, digest_of
from support.mail.letters import Outgoing, checked_address, shown
from support.mail.mailbox import FOLDER, LIVE, SIMULATED, Mailbox
from support.presence import Presence

PREPARED, SENDING, SENT, DRY = "prepared", "sending", "sent", "dry"
NOT_SENT, UNCERTAIN = "not sent", "uncertain"
SAID = 500  # characters of what a server said that are kept
MAIL = "run = ? AND day = ? AND person = ?"  # a person gets one mail a day
APPROVED = "run = ? AND digest = ? AND status = 'approved'"
ENDED = "the process that was sending it ended before the answer was kept"
WAY_OUT = "See in the mailbox, or ask them, whether it arrived; then say so with Outbox.decide({message_id!r}, ...)."
_under_way: set[tuple[Path, str]] = (
    set()
)  # what this process is handing over at this moment


@dataclass(frozen=True)
class Clearance:
    """What may leave this machine; as it comes, nothing: it is a dry run."""

    live: bool = False  # whether anything may be sent at all
    allowed: frozenset[str] = (
        frozenset()
    )  # the addresses that may be sent to, each in full
    daily_limit: int = 0  # how many mails may go from one account on one day, over all the runs of a study's file

    def __post_init__(self) -> None:
        for address in self.allowed:
            checked_address(address, "an address of `allowed`")
        if type(self.daily_limit) is not int or self.daily_limit < 0:
            raise InvalidInput(
                f"daily_limit: {self.daily_limit!r} given; expected a whole number of mails from 0"
            )

    def check(self, recipient: str) -> None:
        """Let a recipient pass who is on the list; NotSent says what to change.

        Whether Ana@ and ana@ are one person is for their server to say (RFC 5321, section 2.4); domains have no
        capitals.

        >>> Clearance(True, frozenset({"ana@example.org"})).check("ana@Example.org")
        """
        not_sent = f"the mail to {recipient} was not sent"
        if not self.live:
            raise NotSent(
                f"{not_sent}: this is a dry run. Set Clearance(live=True, ...) to send."
            )
        if _lower_domain(recipient) not in map(_lower_domain, self.allowed):
            raise NotSent(
                f"{not_sent}: the address is not on the list of allowed recipients. Put it on the list, in exactly "
                "this spelling, if it is right."
            )


def _lower_domain(address: str) -> str:
    local, _, domain = address.rpartition("@")
    return f"{local}@{domain.lower()}"


@dataclass(frozen=True)
class Posted:
    """One mail in the outbox: its number and day there, and the exact mail."""

    run: str  # the seminar that it belongs to
    mail: int
    day: int
    person: str  # whom it is for
    recipient: str
    subject: str
    body: str
    message_id: str  # its own, under which it is sent, and sent again
    status: str  # "prepared", "sending", "sent", "dry", "not sent", "uncertain"
    said: str  # what the other side said, or why it is not sent, or not known
    on: date  # the day by the calendar on which it was last sent, or prepared


@dataclass(frozen=True)
class _Wanted:
    """A mail that somebody wants to send."""

    outgoing: Outgoing
    message: bytes
    digest: str
    kind: str
    mail: int
    key: tuple[str, int, str]  # run, day and person
    today: str


class Outbox(MailTables):
    """The outbox of one run.

    `presence`: this process's at the file; without it, another process lists what this one is sending as uncertain.
    """

    def __init__(
        self,
        path: str | Path,
        run: str,
        clearance: Clearance,
        *,
        presence: Presence | None = None,
    ) -> None:
        super().__init__(path, run)
        self.clearance = clearance
        self._presence = presence or Presence(path)

    def approve(self, recipient: str, subject: str, body: str) -> None:
        """Let one mail with exactly these go out; twice without a mail between them is once."""
        digest = digest_of(recipient, subject, body)
        with self._writing() as db:
            if not self._is_approved(db, digest):
                row = (self.run, digest, recipient, subject, body)
                db.execute(
                    "INSERT INTO approvals VALUES (NULL, ?, ?, ?, ?, ?, 'approved', '')",
                    row,
                )

    def withdraw(self, recipient: str, subject: str, body: str) -> None:
        """Take an approval back, unless a mail has used it already."""
        with self._writing() as db:
            query = f"UPDATE approvals SET status = 'withdrawn' WHERE {APPROVED}"
            db.execute(query, (self.run, digest_of(recipient, subject, body)))

    def approved(self) -> bool:
        """Whether a mail may go out without another word of a person."""
        return bool(
            self._rows(
                "SELECT id FROM approvals WHERE run = ? AND status = 'approved' LIMIT 1",
                self.run,
            )
        )

    def _is_approved(self, db: sqlite3.Connection, digest: str) -> bool:
        return (
            db.execute(
                f"SELECT id FROM approvals WHERE {APPROVED}", (self.run, digest)
            ).fetchone()
            is not None
        )

    async def send(
        self,
        mailbox: Mailbox,
        outgoing: Outgoing,
        *,
        mail: int,
        day: int,
        person: str,
        today: date,
    ) -> Posted:
        """Send a mail, unless it has gone already: a resumed run that asks again gets the same.

        Where the same words were prepared before, those bytes and their Message-ID are sent. NotSent when it is not
        allowed, or was refused: it may be tried again. FateUnknown when it may have been sent; see `uncertain`.
        """
        digest = digest_of(outgoing.recipient, outgoing.subject, outgoing.body)
        kind = (
            mailbox.kind if mailbox.kind in (SIMULATED, FOLDER) else LIVE
        )  # what is not known may leave the machine
        wanted = _Wanted(
            outgoing,
            compose(outgoing),
            digest,
            kind,
            mail,
            (self.run, day, person),
            f"{today:%Y-%m-%d}",
        )
        while (kept := self._prepare(wanted)).status == PREPARED:
            if (claimed := self._claim(wanted)) is not None:
                return await self._hand_over(mailbox, claimed)
        return kept

    def uncertain(self) -> list[Posted]:
        """The mails of which nobody knows whether they were sent, those of processes that died among them."""
        self._bury()
        return [one for one in self.posted() if one.status == UNCERTAIN]

    def decide(self, message_id: str, arrived: bool) -> Posted:
        """Settle an uncertain mail, by what a person found out.

        One that did not arrive may be sent again, after a new approval: with the same bytes and Message-ID, so that a
        mailbox which has it after all can tell that it is the same.
        """
        self._bury()
        status, decided = (SENT, "arrived") if arrived else (NOT_SENT, "lost")
        said = f"decided by a person: it {'arrived' if arrived else 'did not arrive'}"
        with self._writing() as db:
            query = "UPDATE outbox SET status = ?, decided = ?, said = ? WHERE run = ? AND message_id = ?"
            values = (status, decided, said, self.run, message_id, UNCERTAIN)
            if not db.execute(f"{query} AND status = ?", values).rowcount:
                raise InvalidInput(
                    f"message_id: {message_id!r} given; expected that of an uncertain mail of this run"
                )
        return self._one(message_id)

    def posted(self) -> list[Posted]:
        """All mails of this run, in the order in which they were prepared."""
        return [
            _posted(row)
            for row in self._rows(
                "SELECT * FROM outbox WHERE run = ? ORDER BY rowid", self.run
            )
        ]

    def sent(self) -> list[Posted]:
        """The mails that somebody may answer: those that went, and those that may have."""
        return [one for one in self.posted() if one.status not in (PREPARED, NOT_SENT)]

    def _one(self, message_id: str) -> Posted:
        return _posted(
            self._rows("SELECT * FROM outbox WHERE message_id = ?", message_id)[0]
        )

    def _prepare(self, wanted: _Wanted) -> Posted:
        """The mail as it is kept: gone already, or prepared now. Other words may replace what certainly never left."""
        self._bury()
        with self._writing() as db:
            row = db.execute(
                f"SELECT * FROM outbox WHERE {MAIL}", wanted.key
            ).fetchone()
            other = row is None or (row["digest"], row["sender"]) != (
                wanted.digest,
                wanted.outgoing.sender,
            )
            if row is None or (
                other and row["status"] in (PREPARED, NOT_SENT) and not row["decided"]
            ):
                self._check(db, wanted)
                self._write(db, wanted)
            elif self._has_gone(row, wanted):
                return _posted(row)
            else:
                self._check(db, wanted, row["decided"])
                db.execute(
                    f"UPDATE outbox SET status = '{PREPARED}' WHERE {MAIL}", wanted.key
                )
            return _posted(
                db.execute(f"SELECT * FROM outbox WHERE {MAIL}", wanted.key).fetchone()
            )

    def _has_gone(self, row: sqlite3.Row, wanted: _Wanted) -> bool:
        """Whether a mail that was prepared before has gone; if not, it may be tried with the same bytes."""
        name = f"the mail {row['message_id']} to {row['person']} on day {row['day']}"
        if row["status"] == SENDING and self._alive(row):
            raise FateUnknown(
                f"{name} is being sent by another process at this moment; wait, and ask again."
            )
        if row["status"] in (SENDING, UNCERTAIN):
            way_out = WAY_OUT.format(message_id=row["message_id"])
            raise FateUnknown(
                f"{name} may have been sent: {row['said'] or ENDED}. {way_out}"
            )
        if row["digest"] != wanted.digest:
            raise NotSent(
                f"a second mail to {row['person']} ({row['recipient']}) on day {row['day']} was not sent: there is one "
                f"already ({row['status']}), its subject {row['subject']!r}, and its words differ. Write it on another "
                "day."
            )
        return row["status"] in (SENT, DRY)

    def _write(self, db: sqlite3.Connection, wanted: _Wanted) -> None:
        out = wanted.outgoing
        db.execute(f"DELETE FROM outbox WHERE {MAIL}", wanted.key)
        words = (out.sender, out.recipient, out.subject, out.body, wanted.message)
        row = (
            *wanted.key,
            wanted.mail,
            out.message_id,
            wanted.digest,
            wanted.kind,
            *words,
            PREPARED,
            wanted.today,
        )
        marks = ", ".join("?" * (len(row) - 1))
        db.execute(f"INSERT INTO outbox VALUES ({marks}, '', '', '', ?)", row)

    def _claim(self, wanted: _Wanted) -> sqlite3.Row | None:
        """Make it this process's to send, for good; None where another process was faster.

        What is checked here holds when it is sent: whoever else wants to send waits for the end of this transaction.
        """
        with self._writing() as db:
            query = f"SELECT * FROM outbox WHERE {MAIL} AND status = ? AND digest = ?"
            row: sqlite3.Row | None = db.execute(
                query, (*wanted.key, PREPARED, wanted.digest)
            ).fetchone()
            if row is None:
                return None
            self._check(db, wanted, row["decided"])
            self._check_kept(row, wanted.outgoing)
            if wanted.kind == LIVE or row["decided"]:
                query = f"UPDATE approvals SET status = 'used', message_id = ? WHERE {APPROVED}"
                db.execute(query, (row["message_id"], self.run, wanted.digest))
            values = (
                SENDING,
                self._presence.run,
                wanted.kind,
                wanted.today,
                *wanted.key,
            )
            db.execute(
                f"UPDATE outbox SET status = ?, owner = ?, kind = ?, sent_on = ? WHERE {MAIL}",
                values,
            )
        _under_way.add((self._path, row["message_id"]))
        return row

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
            values = (
                status,
                shown(said, SAID),
                message_id,
                self._presence.run,
                SENDING,
                UNCERTAIN,
            )
            if db.execute(query, values).rowcount and status == NOT_SENT:
                query = "UPDATE approvals SET status = 'approved', message_id = '' WHERE run = ? AND message_id = ?"
                db.execute(f"{query} AND status = 'used'", (self.run, message_id))

    def _check(
        self, db: sqlite3.Connection, wanted: _Wanted, decided: str = ""
    ) -> None:
        """Whether a mail may leave this machine; one that a person decided about needs an approval in any case."""
        recipient = wanted.outgoing.recipient
        if wanted.kind == LIVE:
            self.clearance.check(recipient)
            self._check_limit(db, wanted)
        if (wanted.kind == LIVE or decided) and not self._is_approved(
            db, wanted.digest
        ):
            raise NotSent(
                f"the mail to {recipient} was not sent: nobody has approved exactly this recipient, subject and text, "
                "or that approval was used. Approve it as it is now."
            )

    def _check_kept(self, row: sqlite3.Row, out: Outgoing) -> None:
        """Whether the bytes that are kept are what was approved: a file may come from somebody else."""
        same = row["recipient"] == out.recipient
        if not same or not reads_as(
            row["message"], replace(out, message_id=row["message_id"])
        ):
            raise DamagedFile(
                f"{self._path}: the mail {row['message_id']} is kept there with other words or another recipient than "
                "were approved, and was not sent. Restore the study's file from a copy, or begin a new seminar."
            )

    def _check_limit(self, db: sqlite3.Connection, wanted: _Wanted) -> None:
        """Of the day's mails from an account; one that may have been sent counts as sent."""
        sender, most = wanted.outgoing.sender, self.clearance.daily_limit
        which = "kind = ? AND lower(sender) = lower(?) AND sent_on = ? AND status IN (?, ?, ?)"
        values = (LIVE, sender, wanted.today, SENT, SENDING, UNCERTAIN)
        if (
            db.execute(f"SELECT count(*) FROM outbox WHERE {which}", values).fetchone()[
                0
            ]
            >= most
        ):
            raise NotSent(
                f"the mail to {wanted.outgoing.recipient} was not sent: the daily limit of {most} mails from {sender} "
                f"is reached for {wanted.today}. Go on tomorrow, or raise daily_limit."
            )

    def _bury(self) -> None:
        """What a dead process was sending is uncertain."""
        rows = self._rows(
            "SELECT * FROM outbox WHERE run = ? AND status = ?", self.run, SENDING
        )
        for row in (row for row in rows if not self._alive(row)):
            with self._writing() as db:
                query = "UPDATE outbox SET status = ?, said = ? WHERE message_id = ? AND status = ? AND owner = ?"
                db.execute(
                    query, (UNCERTAIN, ENDED, row["message_id"], SENDING, row["owner"])
                )

    def _alive(self, row: sqlite3.Row) -> bool:
        """Whether whoever was sending it still does; this process knows that of itself."""
        if (self._path, row["message_id"]) in _under_way:
            return True
        return row["owner"] != self._presence.run and self._presence.alive(row["owner"])


def _posted(row: sqlite3.Row) -> Posted:
    plain = {
        field.name: row[field.name] for field in fields(Posted) if field.name != "on"
    }
    return Posted(**plain, on=date.fromisoformat(row["sent_on"]))
