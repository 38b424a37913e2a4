"""A mail as bytes: plain text, seven bits, one recipient, and no header that could reach another.

What is composed is read back before it is handed out. A mail that another program would understand in another way than
the person who approved it is refused, rather than sent.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

from support.errors import InvalidInput
from support.mail.letters import (
    IDS,
    MESSAGE_ID,
    NAME,
    SENT_BODY,
    SUBJECT,
    checked_address,
    first_hidden,
)

if TYPE_CHECKING:
    from support.mail.letters import Outgoing

HEADERS = {"Date", "From", "To", "Subject", "Message-ID", "In-Reply-To", "References", "Content-Type",
           "Content-Transfer-Encoding", "MIME-Version"}  # fmt: skip


def new_message_id(domain: str) -> str:
    """A Message-ID that nobody can guess, so that only who got the mail can answer in its thread."""
    return f"<{secrets.token_hex(16)}@{domain}>"


def compose(outgoing: Outgoing) -> bytes:
    """The mail as it travels (RFC 5322), its lines end in CRLF; InvalidInput names what does not fit."""
    checked_address(outgoing.sender, "sender")
    checked_address(outgoing.recipient, "recipient")
    for field, limit in (
        ("sender_name", NAME),
        ("recipient_name", NAME),
        ("subject", SUBJECT),
        ("body", SENT_BODY),
    ):
        text: str = getattr(outgoing, field)
        if found := first_hidden(text, allowed="\n\t" if field == "body" else ""):
            raise InvalidInput(
                f"{field} is {text[:200]!r}, with the control character {found!r} in it: take it out."
            )
        if field in ("subject", "body") and not text.strip():
            raise InvalidInput(
                f"{field} is {text[:50]!r}, which is empty; expected words."
            )
        if len(text) > limit:
            raise InvalidInput(
                f"{field} has {len(text)} characters; expected at most {limit}: shorten it."
            )
    ids = {
        "message_id": outgoing.message_id,
        "in_reply_to": outgoing.in_reply_to or "<x>",
    }
    for field, one in [
        *ids.items(),
        *(("references", one) for one in outgoing.references),
    ]:
        if not re.fullmatch(MESSAGE_ID, one):
            raise InvalidInput(
                f"{field} is {one[:200]!r}; expected a Message-ID such as <3f2a@example.org>."
            )
    raw = _composed(outgoing)
    _check_read_back(raw, outgoing)
    return raw


def reads_as(raw: bytes, outgoing: Outgoing) -> bool:
    """Whether bytes that were kept are that mail, its date and its place in a thread aside."""
    try:
        _check_read_back(raw, outgoing)
    except (
        InvalidInput,
        AttributeError,
        LookupError,
        ValueError,
    ):  # those of a mail that lacks headers
        return False
    return True


def _composed(outgoing: Outgoing) -> bytes:
    """Headers line by line, and the library's body.

    The library's own way would encode a Message-ID that is longer than a line, and breaks names in the middle of words.
    """
    from email.message import EmailMessage
    from email.policy import SMTP
    from email.utils import format_datetime

    body, thread = EmailMessage(policy=SMTP.clone(cte_type="7bit")), outgoing.references
    body.set_content(outgoing.body)
    lines = {
        "Date": format_datetime(outgoing.date),
        "From": _named(outgoing.sender_name, outgoing.sender),
        "To": _named(outgoing.recipient_name, outgoing.recipient),
        "Subject": _encoded(outgoing.subject),
        "Message-ID": outgoing.message_id,
        "In-Reply-To": outgoing.in_reply_to,
        # of a long thread the first and the last (RFC 5537, 3.4.4, does so too)
        "References": "\r\n ".join(
            thread if len(thread) <= IDS else (thread[0], *thread[1 - IDS :])
        ),
    }
    return (
        "".join(f"{name}: {line}\r\n" for name, line in lines.items() if line).encode(
            "ascii"
        )
        + body.as_bytes()
    )


def _encoded(text: str) -> str:
    """A text as it is, or as encoded words (RFC 2047) if it is not plain: each whole, and no longer than a line."""
    from email.header import Header

    if text.isascii() and "=?" not in text and text == " ".join(text.split()):
        return text
    return Header(text, "utf-8", maxlinelen=75, header_name="Subject").encode(
        linesep="\r\n"
    )


def _named(name: str, address: str) -> str:
    from email.utils import quote

    written = (
        _encoded(name) if not name.isascii() or "=?" in name else f'"{quote(name)}"'
    )
    return f"{written} <{address}>" if name else address


def _check_read_back(raw: bytes, outgoing: Outgoing) -> None:
    from email import message_from_bytes
    from email.header import decode_header, make_header
    from email.policy import SMTP
    from email.utils import parseaddr

    message, older = message_from_bytes(raw, policy=SMTP), message_from_bytes(raw)

    def name_in(
        header: str,
    ) -> str:  # the newer parser puts a blank between encoded words
        return str(make_header(decode_header(parseaddr(older[header])[0])))

    found = {
        "recipient": [each.addr_spec for each in message["To"].addresses],
        "sender": [each.addr_spec for each in message["From"].addresses],
        "recipient_name": [name_in("To")],
        "sender_name": [name_in("From")],
        "subject": [str(message["Subject"])],
        "body": [message.get_content().replace("\r\n", "\n").removesuffix("\n")],
        "message_id": [str(message["Message-ID"])],
    }
    for field, values in found.items():
        given = (
            getattr(outgoing, field).removesuffix("\n")
            if field == "body"
            else getattr(outgoing, field)
        )
        if values != [given]:
            raise InvalidInput(
                f"{field} is {given[:200]!r}, but would be read as {values!r}: write it more plainly."
            )
    if not HEADERS.issuperset(message) or len(set(message)) < len(message):
        raise InvalidInput(
            f"the mail would have the headers {list(message)!r}: write its fields more plainly."
        )
