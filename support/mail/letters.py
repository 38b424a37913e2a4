"""The nouns of the room: a mail that leaves, the bytes that lie in a mailbox, and what was read from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

RAW = 262_144  # bytes of an incoming message that are looked at; a mailbox cuts what is longer
BODY = 4000  # characters of the new words of an incoming mail
WHOLE = 4 * BODY  # characters of an incoming mail before quotes and signature are cut
SENT_BODY = 5000  # characters of a mail of ours
SUBJECT = 200  # characters of any subject
NAME = 100  # characters of any name
ATTACHMENTS = 10  # names of attachments that are kept
IDS = 50  # Message-IDs of one header that are kept
PROBLEMS = 20  # problems of one mail that are kept
MESSAGE_ID = r"<[A-Za-z0-9!#$%&'*+/=?^_`{|}~.\-@:\[\]]{1,248}>"  # wider than RFC 5322, since servers are; no blanks

Authentication = Literal["pass", "fail", ""]


@dataclass(frozen=True)
class Outgoing:
    """One mail of ours to one person.

    `sender`, `sender_name`: our address, and the name shown with it ("" for none). `recipient`, `recipient_name`: the
    one address that this mail reaches, and the name shown with it ("" for none). `subject`, `body`: one line of at most
    200 characters; plain text of at most 5000.
    """

    sender: str
    sender_name: str
    recipient: str
    recipient_name: str
    subject: str
    body: str
    message_id: str  # of `support.mail.composing.new_message_id`, with its angle brackets
    date: datetime  # when it was written; aware of its time zone
    in_reply_to: str = ""  # the Message-ID of the mail that it answers; "" for none
    references: tuple[str, ...] = ()  # the Message-IDs of the thread, oldest first


@dataclass(frozen=True)
class Fetched:
    """A message as it lies in a mailbox."""

    key: str  # what names it in its mailbox
    raw: bytes  # its first `RAW` bytes at most
    size: int  # bytes it has in the mailbox


@dataclass(frozen=True)
class Incoming:
    """What was read from a message; every text is bounded, and cleaned of what a screen would not show.

    `in_reply_to`, `references`: well-formed Message-IDs of these headers, in their order. `sender`, `sender_name`: the
    one address of its From header, "" if there is none or more than one; the name shown with it.
    """

    key: str  # as in `Fetched`
    message_id: str  # its own; "" if it has none or one that is not well formed
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    sender: str
    sender_name: str
    subject: str  # one line
    date: datetime | None  # of its Date header, aware of its time zone; None if there is none that can be read
    text: str  # the new words: quotes and signature are cut
    whole: str  # the words before anything was cut
    from_html: bool  # whether the words were taken out of HTML
    attachments: tuple[str, ...]  # names only; nothing of an attachment is decoded
    automatic: bool  # whether it says of itself that a program answered, or that it comes from a list
    # Message-IDs that a report of a failed delivery is about; of a report that names none, ("",)
    bounced: tuple[str, ...]
    # "pass", "fail": what our own server found about its sender; "" if it said nothing that counts
    authentication: Authentication
    size: int  # bytes it has in the mailbox
    cut: bool  # whether something of it was left out because it was too long
    problems: tuple[str, ...]  # what was odd about it, each in a few words for people


@dataclass(frozen=True)
class Sent:
    """What matching knows of a mail of ours."""

    mail: int  # its number; a later mail has a higher one
    person: str  # whom it was written to
    recipient: str  # the address that it was sent to
    message_id: str  # its Message-ID, with angle brackets
