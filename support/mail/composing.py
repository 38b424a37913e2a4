"""A mail as bytes: plain text, seven bits, one recipient, and no header that could reach
another.

What is composed is read back. A mail that another program would understand in another way
than the person who approved it is refused, rather than sent.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from support.errors import InvalidInput
from support.mail.letters import (
    NAME,
    SENT_BODY,
    SUBJECT,
    checked_address,
    shown_text,
)

if TYPE_CHECKING:
    from support.mail.letters import Outgoing

LIMITS = {
    "sender_name": NAME,
    "recipient_name": NAME,
    "subject": SUBJECT,
    "body": SENT_BODY,
}


def new_message_id(domain: str) -> str:
    """A Message-ID that nobody can guess, so that only who got the mail can answer in its
    thread."""
    return f"<{secrets.token_hex(16)}@{domain}>"


def compose(outgoing: Outgoing) -> bytes:
    """The mail as it travels (RFC 5322), its lines end in CRLF; InvalidInput names what
    does not fit."""
    checked_address(outgoing.sender, "sender")
    checked_address(outgoing.recipient, "recipient")
    for field, limit in LIMITS.items():
        text: str = getattr(outgoing, field)
        hidden = text != shown_text(text) or (field != "body" and {*text} & {*"\n\t"})
        empty = field in ("subject", "body") and not text.strip()
        if hidden or empty or len(text) > limit:
            raise InvalidInput(
                f"{field} is {text[:limit]!r}, of {len(text)} characters; expected words, "
                f"at most {limit} characters, and no control character"
            )
    raw = _composed(outgoing)
    if fault := _misread(raw, outgoing):
        raise InvalidInput(f"{fault}: write it more plainly")
    return raw


def reads_as(raw: bytes, outgoing: Outgoing) -> bool:
    """Whether bytes that were kept are that mail, its date and thread aside."""
    try:
        return not _misread(raw, outgoing)
    except (AttributeError, LookupError, ValueError):  # of a mail without its headers
        return False


def _composed(outgoing: Outgoing) -> bytes:
    """Headers line by line, and the library's body: the library's headers would encode a
    long Message-ID, and break names in the middle of words."""
    from email.message import EmailMessage
    from email.policy import SMTP
    from email.utils import format_datetime

    body = EmailMessage(policy=SMTP.clone(cte_type="7bit"))
    body.set_content(outgoing.body)
    lines = {
        "Date": format_datetime(outgoing.date),
        "From": _named(outgoing.sender_name, outgoing.sender),
        "To": _named(outgoing.recipient_name, outgoing.recipient),
        "Subject": _encoded(outgoing.subject),
        "Message-ID": outgoing.message_id,
        "In-Reply-To": "".join(outgoing.thread[-1:]),
        "References": "\r\n ".join(outgoing.thread),
    }
    head = "".join(f"{name}: {line}\r\n" for name, line in lines.items() if line)
    return head.encode("ascii") + body.as_bytes()


def _encoded(text: str) -> str:
    """A text as it is, or as encoded words (RFC 2047), each whole and within a line."""
    from email.header import Header

    charset = "us-ascii" if text.isascii() else "utf-8"
    return Header(text, charset, 75, "Subject").encode(linesep="\r\n")


def _named(name: str, address: str) -> str:
    from email.utils import quote

    written = f'"{quote(name)}"' if name.isascii() else _encoded(name)
    return f"{written} <{address}>" if name else address


def _misread(raw: bytes, outgoing: Outgoing) -> str:
    """What another program would read in another way; "" where there is nothing."""
    from email import message_from_bytes
    from email.header import decode_header, make_header
    from email.policy import SMTP
    from email.utils import parseaddr

    message = message_from_bytes(raw, policy=SMTP)
    older = message_from_bytes(raw)
    found = {
        "subject": [str(message["Subject"])],
        "body": [message.get_content().replace("\r\n", "\n").rstrip("\n")],
        "message_id": [str(message["Message-ID"])],
    }
    for field, header in (("sender", "From"), ("recipient", "To")):
        found[field] = [each.addr_spec for each in message[header].addresses]
        name = decode_header(parseaddr(older[header])[0])
        found[f"{field}_name"] = [str(make_header(name))]
    for field, read in found.items():
        given = getattr(outgoing, field)
        if read != [given.rstrip("\n") if field == "body" else given]:
            return f"{field} is {given[:200]!r}, but would be read as {read!r}"
    return ""
