"""What the head of an incoming mail says, as far as it can be believed and shown."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from support.mail.letters import ADDRESS, MESSAGE_ID

if TYPE_CHECKING:
    from email.message import Message

VALUE = 10_000  # characters of a header that are read
LOST = "\ufffd"  # stands where something cannot be decoded
NAMED = r'(?P<name>(?:"(?:[^"\\]|\\.)*"|[^"<>@])*)<(?P<address>[^<>\s]+)>'
SENDER = re.compile(rf"{NAMED}|(?P<bare>[^<>\s]+)( \([^()<>@]*\))?")
"""One address alone, or at the end between angle brackets: programs read others, such as
`ana@x.org <eve@y.org>`, as one or the other (CVE-2023-27043)."""
ONCE = ("from", "subject", "content-type", "content-transfer-encoding")
SPACED = re.compile(rb"(?m)^[\w-]+[ \t]+:")
"""Programs differ on whether "From :" is one."""
TOLD = re.compile(r"(?i)[;\s](boundary|charset)\s*=")
COMMENT = re.compile(r'"[^"\\]*"|\([^()\\]*\)')
PASSED = re.compile(r";\s*(?:dmarc|spf|dkim)\s*=\s*pass\b([^;]*)")
VOUCHED = re.compile(
    r"\s(?:header\.(?:from|d|i)|smtp\.mailfrom)\s*=\s*(?:[^\s@]*@)?([\w.-]+)(?!\S)"
)
"""For which domain it did."""


@cache
def policy() -> Any:
    """Python's older parser, every value bounded: some of what it does with them takes
    the square of their length."""
    from email.policy import Compat32

    class Bounded(Compat32):
        def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
            name, value = super().header_source_parse(sourcelines)
            return name, value[:VALUE]

        def header_fetch_parse(self, name: str, value: str) -> Any:
            return value

    return Bounded()


def is_ambiguous(head: bytes, message: Message) -> bool:
    """Whether programs differ on which headers there are, or which of two counts."""
    twice = any(len(message.get_all(name, [])) > 1 for name in ONCE)
    told = [TOLD.findall(part.get("Content-Type", "")) for part in message.walk()]
    twice |= any(len(names) > len({*names}) for names in told)
    return twice or bool(SPACED.search(head))


def message_ids(message: Message, name: str) -> list[str]:
    """The well-formed Message-IDs of a header, in their order."""
    return re.findall(MESSAGE_ID, " ".join(message.get_all(name, [])))


def sender(message: Message) -> tuple[str, str]:
    """The one address of the From header, and the name shown with it; "" for an address
    that is not certain."""
    value = " ".join(message.get("From", "").split())
    found = SENDER.fullmatch(value)
    if not found:
        return "", decoded(value)
    name = decoded((found["name"] or "").strip().strip('"'))
    address = found["address"] or found["bare"]
    return (address, name) if ADDRESS.fullmatch(address) else ("", decoded(value))


def is_vouched_for(message: Message, authserv: str, address: str) -> bool:
    """Whether our own server says that a mail is its sender's (RFC 8601): the topmost
    Authentication-Results, if it names itself so.

    It does where DMARC, SPF or DKIM passed for their domain, one above or one below it;
    not where DMARC failed, or was asked of another sender. A name of ours that is
    mistyped vouches for nobody.
    """
    plain = message.get("Authentication-Results", "").lower()
    for _ in range(5):  # comments nest
        plain = COMMENT.sub(" ", plain)
    if plain.replace(";", " ").split()[:1] != [authserv.lower()]:
        return False
    domain = address.lower().rpartition("@")[2]
    passed = " ".join(PASSED.findall(plain))
    theirs = any(
        f".{domain}".endswith(f".{name}") or name.endswith(f".{domain}")
        for name in VOUCHED.findall(passed)
    )
    asked = {*re.findall(r"header\.from\s*=\s*([\w.-]+)", plain)}
    unsure = re.search(r'["()\\]|;\s*dmarc\s*=\s*fail', plain)
    return theirs and not unsure and asked <= {domain}


def decoded(value: str) -> str:
    """A value with its encoded words (RFC 2047) as text."""
    from email.errors import HeaderParseError
    from email.header import decode_header, make_header

    raw = value.encode("utf-8", "surrogateescape")
    plain = re.sub(r"\r?\n(?=[ \t])", "", raw.decode("utf-8", "replace"))
    try:
        return str(make_header(decode_header(plain)))
    except (HeaderParseError, LookupError, ValueError):
        return f"{LOST}{plain}"
