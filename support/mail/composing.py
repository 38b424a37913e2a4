"""A mail as bytes: plain text, seven bits, one recipient, and no header that could reach another.

What is composed is read back before it is handed out. A mail that another program would understand in another way than
the person who approved it is refused, rather than sent.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any

from support.errors import InvalidInput
from support.mail.addresses import checked_address
from support.mail.characters import first_hidden
from support.mail.letters import IDS, MESSAGE_ID, NAME, SENT_BODY, SUBJECT

if TYPE_CHECKING:
    from email.message import EmailMessage

    from support.mail.letters import Outgoing

HEADERS = ("Date", "From", "To", "Subject", "Message-ID", "In-Reply-To", "References")
OF_THE_BODY = ("Content-Type", "Content-Transfer-Encoding", "MIME-Version")


def new_message_id(domain: str) -> str:
    """A Message-ID that nobody can guess, so that only who got the mail can answer in its thread.

    InvalidInput if `domain` cannot follow the @ of an address.

    >>> len(new_message_id("example.org"))
    46
    """
    checked_address(f"seminar@{domain}", "an address at the domain of a Message-ID")
    return f"<{secrets.token_hex(16)}@{domain}>"


def compose(outgoing: Outgoing) -> bytes:
    """The mail as it travels (RFC 5322), with lines that end in CRLF.

    InvalidInput if a field has a control character, is empty where it must not be, is too long, is no single address,
    or if what was composed does not read back as what was given. The message names the field.
    """
    _check(outgoing)
    message = _message(outgoing)
    raw = message.as_bytes()
    _check_read_back(raw, outgoing)
    return raw


def reads_as(raw: bytes, outgoing: Outgoing) -> bool:
    """Whether bytes that were kept are that mail, its date and its place in a thread aside."""
    try:
        _check_read_back(raw, outgoing)
    except (InvalidInput, AttributeError, LookupError, ValueError):  # those of a mail that lacks headers
        return False
    return True


def _check(outgoing: Outgoing) -> None:
    checked_address(outgoing.sender, "sender")
    checked_address(outgoing.recipient, "recipient")
    _check_line("sender_name", outgoing.sender_name, NAME)
    _check_line("recipient_name", outgoing.recipient_name, NAME)
    _check_line("subject", outgoing.subject, SUBJECT, needed=True)
    _check_line("body", outgoing.body, SENT_BODY, needed=True, allowed="\n\t")
    _check_id("message_id", outgoing.message_id)
    for field, ids in (
        ("in_reply_to", [outgoing.in_reply_to] if outgoing.in_reply_to else []),
        ("references", outgoing.references),
    ):
        for each in ids:
            _check_id(field, each)
    if outgoing.date.utcoffset() is None:
        raise InvalidInput(f"date is {outgoing.date!r}, which has no time zone; expected an aware datetime.")


def _check_line(field: str, text: str, limit: int, *, needed: bool = False, allowed: str = "") -> None:
    if found := first_hidden(text, allowed):
        raise InvalidInput(
            f"{field} is {text[:200]!r}, with the control character {found!r} in it; expected "
            f"{'plain text' if allowed else 'one line of plain text'}: take that character out."
        )
    if needed and not text.strip():
        raise InvalidInput(f"{field} is {text[:50]!r}, which is empty; expected words.")
    if len(text) > limit:
        raise InvalidInput(f"{field} has {len(text)} characters; expected at most {limit}: shorten it.")


def _check_id(field: str, text: str) -> None:
    if not re.fullmatch(MESSAGE_ID, text):
        raise InvalidInput(f"{field} is {text[:200]!r}; expected a Message-ID such as <3f2a@example.org>.")


def _message(outgoing: Outgoing) -> EmailMessage:
    from email.headerregistry import Address
    from email.message import EmailMessage

    message = EmailMessage(policy=_policy())
    message["Date"] = outgoing.date
    message["From"] = Address(outgoing.sender_name, addr_spec=outgoing.sender)
    message["To"] = Address(outgoing.recipient_name, addr_spec=outgoing.recipient)
    message["Subject"] = outgoing.subject
    message["Message-ID"] = outgoing.message_id
    if outgoing.in_reply_to:
        message["In-Reply-To"] = outgoing.in_reply_to
    if outgoing.references:
        message["References"] = " ".join(_shortened(outgoing.references))
    message.set_content(outgoing.body)
    return message


def _shortened(references: tuple[str, ...]) -> tuple[str, ...]:
    """The first of a thread and the last ones (RFC 5537, 3.4.4, does so too): a long thread must still fit."""
    return references if len(references) <= IDS else (references[0], *references[1 - IDS :])


def _policy() -> Any:
    """SMTP's line ends, seven bits, and headers written by the functions below.

    The library's own way would write a Message-ID that is longer than a line as encoded words, so that no program finds
    it again, and breaks a name in the middle of a word where it folds one.
    """
    from email.headerregistry import HeaderRegistry, UniqueSingleAddressHeader, UniqueUnstructuredHeader
    from email.policy import SMTP

    class Line(UniqueUnstructuredHeader):
        def fold(self: Any, *, policy: Any) -> str:
            return f"{self.name}: {_encoded(str(self))}\r\n"

    class Person(UniqueSingleAddressHeader):
        def fold(self: Any, *, policy: Any) -> str:
            return f"{self.name}: {_named(self.address)}\r\n"

    class Thread(UniqueUnstructuredHeader):
        def fold(self: Any, *, policy: Any) -> str:
            return f"{self.name}: " + "\r\n ".join(str(self).split()) + "\r\n"

    registry: Any = HeaderRegistry()
    kinds = {"subject": Line, "from": Person, "to": Person, "in-reply-to": Thread, "references": Thread}
    for name, kind in kinds.items():
        registry.map_to_type(name, kind)
    return SMTP.clone(cte_type="7bit", header_factory=registry)


def _encoded(text: str) -> str:
    """A text as it is, or as encoded words (RFC 2047) if it is not plain: each whole, and no longer than a line."""
    from email.header import Header

    if text.isascii() and "=?" not in text and text == " ".join(text.split()):
        return text
    return Header(text, "utf-8", maxlinelen=75, header_name="Subject").encode(linesep="\r\n")


def _named(address: Any) -> str:
    """A name as a quoted string or as encoded words, with the address between brackets."""
    from email.utils import quote

    name = address.display_name
    written = _encoded(name) if not name.isascii() or "=?" in name else f'"{quote(name)}"'
    return f"{written} <{address.addr_spec}>" if name else address.addr_spec


def _check_read_back(raw: bytes, outgoing: Outgoing) -> None:
    from email import message_from_bytes
    from email.policy import SMTP

    message = message_from_bytes(raw, policy=SMTP)
    found = {
        "recipient": [each.addr_spec for each in message["To"].addresses],
        "sender": [each.addr_spec for each in message["From"].addresses],
        "recipient_name": [_name_in(raw, "To")],
        "sender_name": [_name_in(raw, "From")],
        "subject": [str(message["Subject"])],
        "body": [message.get_content().replace("\r\n", "\n").removesuffix("\n")],
        "message_id": [str(message["Message-ID"])],
    }
    for field, values in found.items():
        given = getattr(outgoing, field).removesuffix("\n") if field == "body" else getattr(outgoing, field)
        if values != [given]:
            raise InvalidInput(
                f"{field} is {given[:200]!r}, but would be read as {values!r}: write it in a plainer way."
            )
    if strange := [name for name in message if name not in HEADERS + OF_THE_BODY] or len(set(message)) < len(message):
        raise InvalidInput(
            f"the mail would have the headers {strange!r} beside its own: write its fields in a plainer way."
        )


def _name_in(raw: bytes, header: str) -> str:
    """A name as it is read by the older parser, since the newer one puts a blank between encoded words."""
    from email import message_from_bytes
    from email.header import decode_header, make_header
    from email.utils import parseaddr

    return str(make_header(decode_header(parseaddr(message_from_bytes(raw)[header])[0])))
