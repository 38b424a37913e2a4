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

    Attributes
    ----------
    sender, sender_name : str
        Our address, and the name shown with it ("" for none).
    recipient, recipient_name : str
        The one address that this mail reaches, and the name shown with it ("" for none).
    subject, body : str
        One line of at most 200 characters; plain text of at most 5000.
    message_id : str
        Of `support.mail.composing.new_message_id`, with its angle brackets.
    date : datetime
        When it was written; aware of its time zone.
    in_reply_to : str
        The Message-ID of the mail that it answers; "" for none.
    references : tuple of str
        The Message-IDs of the thread, oldest first.
    """

    sender: str
    sender_name: str
    recipient: str
    recipient_name: str
    subject: str
    body: str
    message_id: str
    date: datetime
    in_reply_to: str = ""
    references: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fetched:
    """A message as it lies in a mailbox.

    Attributes
    ----------
    key : str
        What names it in its mailbox.
    raw : bytes
        Its first `RAW` bytes at most.
    size : int
        Bytes it has in the mailbox.
    """

    key: str
    raw: bytes
    size: int


@dataclass(frozen=True)
class Incoming:
    """What was read from a message; every text is bounded, and cleaned of what a screen would not show.

    Attributes
    ----------
    key : str
        As in `Fetched`.
    message_id : str
        Its own; "" if it has none or one that is not well formed.
    in_reply_to, references : tuple of str
        Well-formed Message-IDs of these headers, in their order.
    sender, sender_name : str
        The one address of its From header, "" if there is none or more than one; the name shown with it.
    subject : str
        One line.
    date : datetime or None
        Of its Date header, aware of its time zone; None if there is none that can be read.
    text : str
        The new words: quotes and signature are cut.
    whole : str
        The words before anything was cut.
    from_html : bool
        Whether the words were taken out of HTML.
    attachments : tuple of str
        Names only; nothing of an attachment is decoded.
    automatic : bool
        Whether it says of itself that a program answered, or that it comes from a list.
    bounced : tuple of str
        Message-IDs that a report of a failed delivery is about; of a report that names none, ("",).
    authentication : {"pass", "fail", ""}
        What our own server found about its sender; "" if it said nothing that counts.
    size : int
        Bytes it has in the mailbox.
    cut : bool
        Whether something of it was left out because it was too long.
    problems : tuple of str
        What was odd about it, each in a few words for people.
    """

    key: str
    message_id: str
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    sender: str
    sender_name: str
    subject: str
    date: datetime | None
    text: str
    whole: str
    from_html: bool
    attachments: tuple[str, ...]
    automatic: bool
    bounced: tuple[str, ...]
    authentication: Authentication
    size: int
    cut: bool
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Sent:
    """What matching knows of a mail of ours.

    Attributes
    ----------
    mail : int
        Its number; a later mail has a higher one.
    person : str
        Whom it was written to.
    recipient : str
        The address that it was sent to.
    message_id : str
        Its Message-ID, with angle brackets.
    """

    mail: int
    person: str
    recipient: str
    message_id: str
