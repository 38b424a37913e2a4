"""What a mail is made of: addresses, characters that may be shown, and a mail as it
leaves, as it lies there, and as it was read."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.errors import InvalidInput

if TYPE_CHECKING:
    from datetime import datetime

RAW = 2**20  # bytes of an incoming message that are fetched; what is longer is held
BODY = 4000  # characters of new words of an incoming mail; more are held
WHOLE = 4 * BODY  # characters of a mail that are looked at, quotes among them
SENT_BODY = 5000  # characters of a mail of ours
SUBJECT, NAME = 200, 100  # characters of any subject, of any name
MESSAGE_ID = r"<[A-Za-z0-9!#$%&'*+/=?^_`{|}~.\-@:\[\]]{1,248}>"
"""Wider than RFC 5322, since servers are; without blanks."""

ATOM = r"[A-Za-z0-9#$&'+/=?^_{}~-]+"  # RFC 5322, 3.2.3, without pipes and patterns
LABEL = r"[A-Za-z0-9][A-Za-z0-9-]{0,62}"
LENGTHS = r"(?=.{1,254}\Z)(?=[^@]{1,64}@)"  # RFC 5321, 4.5.3.1
ADDRESS = re.compile(rf"{LENGTHS}{ATOM}(?:\.{ATOM})*@{LABEL}(?:\.{LABEL})*")

HIDDEN = {"Cc", "Cf", "Zl", "Zp", "Cs"}
"""Categories of controls, formats, ends of lines and paragraphs, halves of a pair."""
JOINERS = "\u034f\u17b4\u17b5\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""They shape the letters before them. After ASCII, or many, they hide a text."""
LONELY = re.compile(f"(?<![^\x00-\x7f])[{JOINERS}]+|[{JOINERS}]{{3,}}")


@dataclass(frozen=True)
class Outgoing:
    """One mail of ours to one person; `compose` checks it.

    Names are shown with the addresses, "" for none. `message_id` is one of
    `composing.new_message_id`; `thread` has those of our earlier mails to that person,
    oldest first; `date` is aware of its time zone.
    """

    sender: str
    sender_name: str
    recipient: str
    recipient_name: str
    subject: str
    body: str
    message_id: str
    date: datetime
    thread: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fetched:
    """A message as it lies in a mailbox: what names it there, its first `RAW` bytes at
    most, and how many it has."""

    key: str
    raw: bytes
    size: int


@dataclass(frozen=True)
class Incoming:
    """What was read from a message; every text is bounded, and cleaned of what a screen
    would not show.

    `message_id` and `sender` are "" where there is no good one; `thread` has the
    Message-IDs that it answers, or reports about, the nearest last; `text` is what it
    says itself, `whole` quotes as well. `doubts` say why it cannot be taken for words of
    its sender, a sentence each.
    """

    message_id: str = ""
    thread: tuple[str, ...] = ()
    sender: str = ""
    sender_name: str = ""
    subject: str = ""
    text: str = ""
    whole: str = ""
    attachments: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def checked_address(text: str, what: str) -> str:
    """The text itself if it is one address that a mail can be sent to.

    Lists, groups, display names, quoted local parts, comments, blanks, controls, patterns
    and characters outside ASCII are refused: each has been a way to reach somebody else
    than who approves a mail reads.
    """
    if isinstance(text, str) and ADDRESS.fullmatch(text):
        return text
    raise InvalidInput(
        f"{what} is {text!r:.120}; expected one bare address such as ana@example.org, in "
        "ASCII (bücher.example is xn--bcher-kva.example)"
    )


def folded(text: str) -> str:
    """The form in which addresses are compared: capitals do not tell people apart."""
    return text.strip().casefold()


def _hidden(character: str) -> bool:
    """Whether a character is a control, ends a line, turns the order or is not seen."""
    if character in "\u200c\u200d":
        return False
    tag = "\U000e0000" <= character < "\U000e0100"
    return tag or unicodedata.category(character) in HIDDEN


def shown(text: str, limit: int) -> str:
    """One line for a person to read, without hidden characters, no longer than that.

    >>> shown("Ana\\r\\nBcc: eve@x.org", 100)
    'Ana Bcc: eve@x.org'
    """
    line = " ".join(shown_text(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def shown_text(text: str) -> str:
    """A text for a person to read: its line ends as newlines, its tabs, and nothing else
    that is hidden.

    >>> shown_text("a\\r\\nb\\tc\\x00")
    'a\\nb\\tc'
    """
    lines = re.sub("\r\n|[\r\u2028\u2029\x85\x0b\x0c]", "\n", text)
    kept = "".join(c for c in lines if c in "\n\t" or not _hidden(c))
    return LONELY.sub("", kept)
