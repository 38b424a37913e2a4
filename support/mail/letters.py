"""What a mail is made of: addresses, characters that may be shown, and a mail as it leaves, lies there and was read."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from support.errors import InvalidInput

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

ATOM = r"[A-Za-z0-9#$&'+/=?^_{}~-]+"  # RFC 5322, 3.2.3, without routes, pipes, quotes and patterns; lengths: RFC 5321
LABEL = r"[A-Za-z0-9][A-Za-z0-9-]{0,62}"
ADDRESS = re.compile(
    rf"(?=.{{1,254}}\Z)(?=[^@]{{1,64}}@){ATOM}(?:\.{ATOM})*@{LABEL}(?:\.{LABEL})*"
)

HIDDEN_CATEGORIES = {
    "Cc",
    "Cf",
    "Zl",
    "Zp",
    "Cs",
}  # controls, formats, line and paragraph separators, halves of a pair
SEEN_FORMATS = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
# Joiners and variation selectors shape the letters before them. After ASCII, or many, they hide a text in another.
JOINERS = "\u034f\u17b4\u17b5\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
LONELY = re.compile(f"(?<![^\x00-\x7f])[{JOINERS}]+|[{JOINERS}]{{3,}}")
LINE_ENDS = str.maketrans(
    {
        "\r": "\n",
        "\u2028": "\n",
        "\u2029": "\n",
        "\x85": "\n",
        "\x0b": "\n",
        "\x0c": "\n",
    }
)


@dataclass(frozen=True)
class Outgoing:
    """One mail of ours to one person; `compose` checks it."""

    sender: str
    sender_name: str  # shown with the address; "" for none, as that of the recipient
    recipient: str  # the one address that it reaches
    recipient_name: str
    subject: str  # one line
    body: str  # plain text
    message_id: (
        str  # of `support.mail.composing.new_message_id`, with its angle brackets
    )
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
    """What was read from a message; every text is bounded, and cleaned of what a screen would not show."""

    message_id: str = ""  # its own; "" if it has none or one that is not well formed
    in_reply_to: tuple[
        str, ...
    ] = ()  # the well-formed Message-IDs of this header, in their order
    references: tuple[str, ...] = ()
    sender: str = (
        ""  # the one address of its From header; "" if there is none or more than one
    )
    sender_name: str = ""  # the name shown with it
    subject: str = ""  # one line
    text: str = ""  # the new words: quotes and signature are cut
    attachments: tuple[str, ...] = ()  # names only; nothing of an attachment is decoded
    automatic: bool = False  # whether it says of itself that a program answered, or that it comes from a list
    # Message-IDs that a report of a failed delivery is about; of a report that names none, ("",)
    bounced: tuple[str, ...] = ()
    # what our own server found about its sender; "" if it said nothing that counts
    authentication: Literal["pass", "fail", ""] = ""
    cut: bool = False  # whether something of it was left out because it was too long
    problems: tuple[
        str, ...
    ] = ()  # what was odd about it, each in a few words for people


def checked_address(text: str, what: str) -> str:
    """The text itself if it is one address that a mail can be sent to.

    Lists, groups, display names, quoted local parts, comments, blanks, control characters, patterns and characters
    outside ASCII are refused: each has been a way to reach somebody else than who approves a mail reads.
    """
    if isinstance(text, str) and ADDRESS.fullmatch(text):
        return text
    fault = "it is empty" if not text else "it is not one address, or too long"
    if isinstance(text, str) and not text.isascii():
        fault = "it has characters outside ASCII (write a domain such as bücher.example as xn--bcher-kva.example)"
    raise InvalidInput(
        f"{what} is {text!r:.120}: {fault}; expected one bare address such as ana@example.org."
    )


def folded(text: str) -> str:
    """The form in which addresses and names are compared: upper and lower case do not tell people apart."""
    return text.strip().casefold()


def same(a: str, b: str) -> bool:
    """Whether two addresses are the same one; "" is nobody's."""
    return bool(a) and folded(a) == folded(b)


def _hidden(character: str) -> bool:
    """Whether a character is a control, ends a line, turns the reading order or cannot be shown at all."""
    shaping = character in "\u200c\u200d" or character in SEEN_FORMATS
    tag = (
        ord(character) >> 12 == 0xE0 and not 0xE0100 <= ord(character) <= 0xE01EF
    )  # a sentence that no screen shows
    return tag or (unicodedata.category(character) in HIDDEN_CATEGORIES and not shaping)


def first_hidden(text: str, allowed: str = "") -> str:
    """The first such character of a text that is not allowed there; "" if there is none."""
    lonely = LONELY.search(text)
    return next(
        (c for c in text if c not in allowed and _hidden(c)),
        lonely[0][0] if lonely else "",
    )


def shown(text: str, limit: int) -> str:
    """One line for a person to read: hidden characters out, blanks as one, and at most `limit` characters.

    >>> shown("Ana\\r\\nBcc: eve@x.org", 100)
    'Ana Bcc: eve@x.org'
    """
    line = "".join(
        " " if c.isspace() else c for c in text if c.isspace() or not _hidden(c)
    )
    line = " ".join(LONELY.sub("", line).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def shown_text(text: str) -> str:
    """A text for a person to read: its line ends as newlines, its tabs, and nothing else that is hidden.

    >>> shown_text("a\\r\\nb\\tc\\x00")
    'a\\nb\\tc'
    """
    lines = text.replace("\r\n", "\n").translate(LINE_ENDS)
    if not (
        lines.isascii() and lines.replace("\n", "").isprintable()
    ):  # which hides nothing, as most mails do
        lines = "".join(c for c in lines if c in "\n\t" or not _hidden(c))
    return LONELY.sub("", lines)
