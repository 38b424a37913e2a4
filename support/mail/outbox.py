"""The outbox: every mail leaves at most once, and of every one that may have left unseen a
person is told.

    prepared ──► sending ──► sent        the other side took it; "dry" where it is a file
                    │    ──► not sent    certainly; it may be tried again
                    │    ──► uncertain   nobody knows, until a person decides

Each arrow is one transaction that is on the disk before the next step; a mail is recorded
with its exact bytes first, and handed over between two of them. A process that is killed
there leaves "sending": nobody can know whether the other side has the mail, and such a
mail is never sent again by itself. An approval is for one mail, of exactly this recipient,
subject and text: the one that goes out uses it up, and one that was certainly not sent
gives it back.
"""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import astuple, dataclass, replace
from datetime import date
from pathlib import Path

from support.errors import DamagedFile, FateUnknown, InvalidInput, NotSent
from support.mail.composing import compose, reads_as
from support.mail.journal import MailTables
from support.mail.letters import Outgoing, shown
from support.mail.mailbox import FOLDER, LIVE, SIMULATED, Mailbox
from support.presence import Presence

PREPARED = "prepared"
SENDING = "sending"
SENT = "sent"
DRY = "dry"
NOT_SENT = "not sent"
UNCERTAIN = "uncertain"
SAID = 500  # characters of what a server said that are kept
APPROVED = "run = ? AND digest = ? AND message_id = ''"
ENDED = "the process that was sending it ended before the answer was kept"
_under_way = set[tuple[Path, str]]()  # what this process is handing over at this moment


@dataclass(frozen=True)
class Clearance:
    """What may leave this machine; as it comes, nothing: it is a dry run.

    `live`: whether anything may be sent; `allowed`: the addresses that may be sent to,
    each in full; `daily_limit`: how many mails may go from one account on one day, over
    all the runs of a study's file.
    """

    live: bool = False
    allowed: frozenset[str] = frozenset()
    daily_limit: int = 0

    def check(self, recipient: str) -> None:
        """Let a recipient pass who is on the list; NotSent says what to change.

        Whether Ana@ and ana@ are one person is for their server to say (RFC 5321, 2.4).
        """
        if not self.live:
            raise NotSent("this is a dry run; set Clearance(live=True, ...) to send")
        if recipient not in self.allowed:
            raise NotSent(
                f"the address {recipient} is not on the list of allowed recipients; put "
                "it on the list, in exactly this spelling, if it is right"
            )


def digest_of(recipient: str, subject: str, body: str) -> str:
    """What names a mail by its exact words."""
    return hashlib.sha256(repr((recipient, subject, body)).encode()).hexdigest()


@dataclass(frozen=True)
class Posted:
    """One mail in the outbox: whose it is, the exact mail, and what became of it.

    `mail` is its number in the seminar; `kind` that of the mailbox; `owner` the process
    that sends it; `said` what the other side said, or why it is not sent, or not known;
    `decided` what a person said became of it; `sent_on` the day by the calendar on which
    it was last sent, or prepared.
    """

    run: str
    day: int
    person: str
    mail: int
    message_id: str
    digest: str
    kind: str
    sender: str
    recipient: str
    subject: str
    body: str
    message: bytes
    status: str = PREPARED
    owner: str = ""
    said: str = ""
    decided: str = ""
    sent_on: str = ""

    def replaces(self, kept: Posted) -> bool:
        """Whether it says something else than one that certainly never left."""
        same = (self.digest, self.sender) == (kept.digest, kept.sender)
        return kept.status in (PREPARED, NOT_SENT) and not (same or kept.decided)


class Outbox(MailTables):
    """The outbox of one run.

    `presence`: this process's at the file; without it, another process lists what this
    one is sending as uncertain.
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

    # ---- a person's word ----

    def approve(self, recipient: str, subject: str, body: str) -> None:
        """Let one mail with exactly these go out; twice without a mail between is once."""
        row = self.run, digest_of(recipient, subject, body), ""
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO approved VALUES (?, ?, ?)", row)

    def withdraw(self, recipient: str, subject: str, body: str) -> None:
        """Take an approval back, unless a mail has used it already."""
        digest = digest_of(recipient, subject, body)
        with self._writing() as db:
            db.execute(f"DELETE FROM approved WHERE {APPROVED}", (self.run, digest))

    def approved(self) -> bool:
        """Whether a mail may go out without another word of a person."""
        query = "SELECT 1 FROM approved WHERE run = ? AND message_id = ''"
        with self._writing() as db:
            return db.execute(query, (self.run,)).fetchone() is not None

    def uncertain(self) -> list[Posted]:
        """The mails of which nobody knows whether they were sent, those of processes that
        died among them."""
        self._bury()
        return self.posted("status = ?", UNCERTAIN)

    def decide(self, message_id: str, arrived: bool) -> Posted:
        """Settle an uncertain mail, by what a person found out.

        One that did not arrive may be sent again, after a new approval: with the same
        bytes and Message-ID, so that a mailbox which has it after all can tell.
        """
        found = [one for one in self.uncertain() if one.message_id == message_id]
        if not found:
            raise InvalidInput(
                f"message_id: {message_id!r} given; expected that of an uncertain mail of "
                "this run"
            )
        status, decided = (SENT, "arrived") if arrived else (NOT_SENT, "lost")
        with self._writing() as db:
            query = "UPDATE outbox SET status = ?, decided = ? WHERE message_id = ?"
            values = status, decided, message_id, UNCERTAIN
            db.execute(f"{query} AND status = ?", values)
        return replace(found[0], status=status, decided=decided)

    def posted(self, where: str = "TRUE", *values: object) -> list[Posted]:
        """The mails of this run of which that is true (all), as they were prepared."""
        return self._records(Posted, "outbox", where, *values)

    def sent(self) -> list[Posted]:
        """The mails that somebody may answer: those that went, and may have."""
        return self.posted("status NOT IN (?, ?)", PREPARED, NOT_SENT)

    # ---- sending ----

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
        """Send a mail, unless it has gone already: a resumed run that asks again gets the
        same.

        Where the same words were prepared before, those bytes and their Message-ID are
        sent. NotSent when it is not allowed, or was refused: it may be tried again.
        FateUnknown when it may have been sent; see `uncertain`.
        """
        harmless = mailbox.kind in (SIMULATED, FOLDER)  # others may leave the machine
        wanted = Posted(
            self.run,
            day,
            person,
            mail,
            outgoing.message_id,
            digest_of(outgoing.recipient, outgoing.subject, outgoing.body),
            mailbox.kind if harmless else LIVE,
            outgoing.sender,
            outgoing.recipient,
            outgoing.subject,
            outgoing.body,
            compose(outgoing),
            sent_on=f"{today:%Y-%m-%d}",
        )
        while (kept := self._prepare(wanted)).status == PREPARED:
            if claimed := self._claim(wanted, outgoing):
                return await self._hand_over(mailbox, claimed)
        return kept

    def _prepare(self, wanted: Posted) -> Posted:
        """The mail as it is kept: gone already, or prepared now. Other words may replace
        what certainly never left."""
        self._bury()
        with self._writing() as db:
            if (kept := self._kept(wanted)) and not wanted.replaces(kept):
                if self._has_gone(kept, wanted):
                    return kept
                self._check(db, wanted, kept.decided)
                query = "UPDATE outbox SET status = ? WHERE message_id = ?"
                db.execute(query, (PREPARED, kept.message_id))
                return replace(kept, status=PREPARED)
            self._check(db, wanted)
            if kept:
                query = "DELETE FROM outbox WHERE message_id = ?"
                db.execute(query, (kept.message_id,))
            row = astuple(wanted)
            marks = ", ".join("?" * len(row))
            db.execute(f"INSERT INTO outbox VALUES ({marks})", row)
            return wanted

    def _has_gone(self, kept: Posted, wanted: Posted) -> bool:
        """Whether a mail that was prepared before has gone; if not, it may be tried with
        the same bytes."""
        name = f"the mail {kept.message_id} to {kept.person} on day {kept.day}"
        if kept.status == SENDING:
            raise FateUnknown(f"{name} is being sent by another process at this moment")
        if kept.status == UNCERTAIN:
            raise FateUnknown(
                f"{name} may have been sent: {kept.said}. See in the mailbox, or ask them, "
                f"whether it arrived; then say so with decide({kept.message_id!r}, ...)"
            )
        if kept.digest != wanted.digest:
            raise NotSent(
                f"a second mail to {kept.person} on day {kept.day} was not sent: there is "
                f"one already ({kept.status}), {kept.subject!r}. Write it on another day"
            )
        return kept.status in (SENT, DRY)

    def _claim(self, wanted: Posted, outgoing: Outgoing) -> Posted | None:
        """Make it this process's to send, for good; None where another was faster.

        What is checked here holds when it is sent: whoever else wants to send waits for
        the end of this transaction.
        """
        with self._writing() as db:
            kept = self._kept(wanted)
            if not kept or (kept.status, kept.digest) != (PREPARED, wanted.digest):
                return None
            self._check(db, wanted, kept.decided)
            as_kept = replace(outgoing, message_id=kept.message_id)
            same = kept.recipient == wanted.recipient
            if not same or not reads_as(kept.message, as_kept):
                raise DamagedFile(
                    f"{self._path}: the mail {kept.message_id} is kept there with other "
                    "words or another recipient than were approved, and was not sent. "
                    "Restore the study's file from a copy, or begin a new seminar."
                )
            if wanted.kind == LIVE or kept.decided:
                query = f"UPDATE approved SET message_id = ? WHERE {APPROVED}"
                db.execute(query, (kept.message_id, self.run, wanted.digest))
            query = "UPDATE outbox SET status = ?, owner = ?, kind = ?, sent_on = ?"
            values = SENDING, self._presence.run, wanted.kind, wanted.sent_on
            db.execute(f"{query} WHERE message_id = ?", (*values, kept.message_id))
        _under_way.add((self._path, kept.message_id))
        return kept

    async def _hand_over(self, mailbox: Mailbox, kept: Posted) -> Posted:
        status = UNCERTAIN
        said = ENDED
        try:
            said = await mailbox.send(kept.recipient, kept.message)
            status = DRY if mailbox.kind == FOLDER else SENT
        except NotSent as error:
            status = NOT_SENT
            said = str(error)
            raise
        except BaseException as error:  # a cancelled task may have sent it as well
            said = str(error) or f"it was interrupted ({type(error).__name__})"
            raise
        finally:
            try:
                self._keep(kept.message_id, status, said)
            finally:
                _under_way.discard((self._path, kept.message_id))
        return self.posted("message_id = ?", kept.message_id)[0]

    def _keep(self, message_id: str, status: str, said: str) -> None:
        """What became of it. Another process may have taken this one for dead, but a
        person's decision stands."""
        words = shown(said, SAID)
        owner = self._presence.run
        where = "message_id = ? AND owner = ? AND status IN (?, ?)"
        values = status, words, message_id, owner, SENDING, UNCERTAIN
        with self._writing() as db:
            query = f"UPDATE outbox SET status = ?, said = ? WHERE {where}"
            if db.execute(query, values).rowcount and status == NOT_SENT:
                query = "UPDATE approved SET message_id = '' WHERE run = ? AND message_id = ?"
                db.execute(query, (self.run, message_id))

    def _check(self, db: sqlite3.Connection, wanted: Posted, decided: str = "") -> None:
        """Whether a mail may leave this machine; one that a person decided about needs an
        approval in any case. A mail that may have been sent counts as sent."""
        if wanted.kind == LIVE:
            self.clearance.check(wanted.recipient)
            where = "kind = ? AND lower(sender) = lower(?) AND sent_on = ?"
            query = f"SELECT count(*) FROM outbox WHERE {where} AND status IN (?, ?, ?)"
            values = LIVE, wanted.sender, wanted.sent_on, SENT, SENDING, UNCERTAIN
            most = self.clearance.daily_limit
            if db.execute(query, values).fetchone()[0] >= most:
                raise NotSent(
                    f"the daily limit of {most} mails from {wanted.sender} is reached for "
                    f"{wanted.sent_on}; go on tomorrow, or raise daily_limit"
                )
        query = f"SELECT 1 FROM approved WHERE {APPROVED}"
        approved = db.execute(query, (self.run, wanted.digest)).fetchone()
        if (wanted.kind == LIVE or decided) and not approved:
            raise NotSent(
                f"the mail to {wanted.recipient} was not sent: nobody has approved exactly "
                "this recipient, subject and text, or that approval was used"
            )

    # ---- what is kept ----

    def _kept(self, wanted: Posted) -> Posted | None:
        found = self.posted("day = ? AND person = ?", wanted.day, wanted.person)
        return next(iter(found), None)

    def _bury(self) -> None:
        """What a dead process was sending is uncertain."""
        for one in self.posted("status = ?", SENDING):
            here = (self._path, one.message_id) in _under_way
            if here or self._presence.elsewhere(one.owner):
                continue
            query = "UPDATE outbox SET status = ?, said = ? WHERE message_id = ?"
            values = UNCERTAIN, ENDED, one.message_id, SENDING, one.owner
            with self._writing() as db:
                db.execute(f"{query} AND status = ? AND owner = ?", values)
