"""What the headers of an incoming mail say, as far as it can be believed and shown.

Their values come bounded from `support.mail.reading`, with bytes outside ASCII as surrogates. Python's parser of
structured headers raises on some of them and is slow on others, so addresses are read with the older one and checked.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from support.errors import InvalidInput
from support.mail.letters import (
    IDS,
    MESSAGE_ID,
    NAME,
    PROBLEMS,
    SUBJECT,
    checked_address,
    folded,
    shown,
)

if TYPE_CHECKING:
    from email.message import Message

# What Python knows as codecs of text and no mail is written in; some need time that grows with the square of a text.
NO_CHARSETS = frozenset(
    [
        "idna",
        "punycode",
        "unicode_escape",
        "raw_unicode_escape",
        "undefined",
        "mbcs",
        "oem",
    ]
)
DAEMONS = ("mailer-daemon", "postmaster", "mail-daemon", "maildaemon")
BULK = ("bulk", "auto_reply", "auto-reply", "list", "junk")
MARKS = (
    "X-Autoreply",
    "X-Autorespond",
    "X-Autoresponder",
    "X-Auto-Reply",
    "List-Id",
    "List-Post",
    "Feedback-ID",
)
# How a problem ends that is no accident; such a mail is held (see `support.mail.matching`).
LINE_BREAK = "holds a line break, as an attempt to add headers would"


class Problems(list[str]):
    """What is odd about a mail, each in a few words for people and once, `PROBLEMS` at most."""

    def note(self, problem: str) -> None:
        """Add a problem."""
        if problem not in self and len(self) < PROBLEMS:
            self.append(problem)


def ambiguous(raw: bytes, problems: Problems) -> None:
    """Note it if programs differ on which headers these bytes have: where a lone CR ends a line, or "From :" is one."""
    if re.search(
        rb"\r(?!\n)|^[\w-]+[ \t]+:",
        re.split(rb"\r?\n\r?\n", raw, maxsplit=1)[0],
        re.MULTILINE,
    ):
        problems.note(f"its head {LINE_BREAK}")


def subject(message: Message, problems: Problems) -> str:
    """The subject as one line of at most `SUBJECT` characters."""
    if len(message.get_all("Subject", [])) > 1:
        problems.note("it has more than one subject")
    return shown(decoded(message.get("Subject", ""), problems, "subject"), SUBJECT)


def sender(message: Message, problems: Problems) -> tuple[str, str]:
    """The one address of the From header and the name shown with it; ("", name) if there is no single good one."""
    values = message.get_all("From", [])
    if len(values) != 1:
        problems.note(
            "it has no sender" if not values else "it has more than one From header"
        )
        return "", ""
    decoded(
        values[0], problems, "sender's name"
    )  # notes what is wrong anywhere in it, also where no name is found
    name, address = _one_address(values[0])
    name = shown(decoded(name, problems, "sender's name"), NAME)
    if "@" in name and folded(name.strip("<>\"' ")) != folded(address):
        problems.note(
            "the sender's name looks like an address, which is not the one that it came from"
        )
    if not address:
        problems.note("its sender is not one address that can be read")
    if any(
        folded(_one_address(value)[1]) != folded(address)
        for value in message.get_all("Reply-To", [])
    ):
        problems.note("it asks to be answered at another address, which is not done")
    return address, name


def message_ids(message: Message, name: str) -> tuple[str, ...]:
    """The well-formed Message-IDs of a header, in their order; of very many, the first and the last ones."""
    found = [
        each
        for value in message.get_all(name, [])
        for each in re.findall(MESSAGE_ID, value)
    ]
    return tuple(found if len(found) <= IDS else [found[0], *found[1 - IDS :]])


def authentication(
    message: Message, authserv: str, address: str
) -> Literal["pass", "fail", ""]:
    """What our own server found about the sender (RFC 8601): the topmost Authentication-Results, if it names itself so.

    "fail" if DMARC failed or was asked of another sender, or both SPF and DKIM failed; "pass" if DMARC passed, or a
    DKIM signature of the sender's own domain did. SPF alone says nothing about the From header that people see.
    """
    if not authserv or not (values := message.get_all("Authentication-Results", [])):
        return ""
    plain = re.sub(
        r'"[^"]*"', "", re.sub(r"\\.", " ", values[0])
    )  # an escaped quotation mark or bracket ends nothing
    for _ in range(5):  # comments nest
        plain = re.sub(r"\([^()]*\)", " ", plain)
    own, *results = plain.split(";")
    if folded((own.split() or [""])[0]) != folded(authserv):
        return ""
    found = [
        (m[1].lower(), m[2].lower(), r)
        for r in results
        if (m := re.match(r"\s*(\w+)\s*=\s*(\w+)", r))
    ]
    dmarc, spf, dkim = (
        {verdict for name, verdict, _ in found if name == of}
        for of in ("dmarc", "spf", "dkim")
    )
    asked = [
        m[1]
        for name, _, r in found
        if name == "dmarc" and (m := re.search(r"header\.from\s*=\s*([\w.-]+)", r))
    ]
    domain = folded(address.rpartition("@")[2])
    other = any(
        folded(each) != domain for each in asked
    )  # the server read another sender
    if (
        other
        or "fail" in dmarc
        or (spf and dkim and spf | dkim <= {"fail", "softfail", "permerror"})
    ):
        return "fail"
    signed = [
        r
        for name, verdict, r in found
        if (name, verdict) == ("dkim", "pass") and _aligned(r, domain)
    ]
    return "pass" if "pass" in dmarc or signed else ""


def is_automatic(message: Message) -> bool:
    """Whether a mail says that a program or a list sent it (RFC 3834, RFC 2919, and what older programs write)."""
    submitted = re.split(r"[\s;(]", message.get("Auto-Submitted", "").strip().lower())[
        0
    ]
    return (
        submitted not in ("", "no")
        or any(message.get_all(name, []) for name in MARKS)
        or message.get("Precedence", "").strip().lower() in BULK
        or message.get("Return-Path", "").strip() == "<>"
        or message.get_content_type() == "multipart/report"
    )


def bounced(sender: str, parts: Sequence[Message]) -> tuple[str, ...]:
    """The Message-IDs that a report of a failed delivery (RFC 3464) is about; ("",) if it names none; () if it is none.

    `parts`: the message and all in it. A report of a delay, of a delivery or of a mail that was read is no failure.
    """
    message = parts[0]
    kind = parameter(
        lambda: str(message.get_param("report-type", "") or ""), ""
    ).lower()
    reported = message.get_content_type() == "multipart/report" and kind in (
        "",
        "delivery-status",
    )
    if not reported and sender.partition("@")[0].casefold() not in DAEMONS:
        return ()
    actions = {str(part.get("Action", "")).strip().lower() for part in parts} - {""}
    if actions and "failed" not in actions:
        return ()
    named = [each for part in parts[1:] for each in _named(part)]
    named += message_ids(message, "In-Reply-To") + message_ids(message, "References")
    return tuple(dict.fromkeys(named))[:IDS] or ("",)


def parameter(read: Callable[[], str | None], odd: str) -> str:
    """A parameter of a header; `odd` where Python's reader of those in pieces (RFC 2231) fails."""
    try:
        return read() or ""
    except (ValueError, TypeError, LookupError):
        return odd


def decoded(value: str, problems: Problems, what: str) -> str:
    """A value with its encoded words (RFC 2047) as text; what cannot be decoded is U+FFFD and noted."""
    from email.errors import HeaderParseError
    from email.header import decode_header

    value = re.sub(
        r"\r?\n[ \t]",
        " ",
        decoded_bytes(
            value.encode("utf-8", "surrogateescape"), "utf-8", problems, what
        ),
    )
    try:
        parts = decode_header(value)
    except (
        HeaderParseError,
        ValueError,
    ):  # ValueError: a base64 word with characters outside ASCII
        problems.note(f"its {what} is encoded in a broken way")
        return value
    text = "".join(
        part if isinstance(part, str) else
        part.decode("raw_unicode_escape") if charset is None else
        decoded_bytes(part, charset, problems, what)
        for part, charset in parts
    )  # fmt: skip
    if "\n" in text or "\r" in text:
        problems.note(f"its {what} {LINE_BREAK}")
    return text


def decoded_bytes(raw: bytes, charset: str, problems: Problems, what: str) -> str:
    """Bytes as text; an unknown charset is read as UTF-8, and what does not decode is U+FFFD; both are noted."""
    try:
        name = codecs.lookup(charset or "us-ascii").name
        if name.replace("-", "_") in NO_CHARSETS:
            raise LookupError(name)
        text = raw.decode("utf-8" if name == "ascii" else name, "replace")
    except (
        LookupError,
        ValueError,
        UnicodeError,
    ):  # ValueError: a NUL in the name; UnicodeError: of odd codecs
        problems.note(f"its {what} is in an unknown charset")
        text = raw.decode("utf-8", "replace")
    if "\ufffd" in text:
        problems.note(f"its {what} has bytes that cannot be decoded")
    return text


def _one_address(value: str) -> tuple[str, str]:
    """The name, still encoded, and the address of a header that has one; ("", "") or (name, "") else.

    Python reads `ana@x.org <eve@y.org>` and `ana@x.org)eve@y.org` as one or the other (CVE-2023-27043), so the address
    has to stand alone or between the angle brackets at the end.
    """
    from email.utils import getaddresses

    value = " ".join(value.split())
    try:
        found = getaddresses([value])
    except (RecursionError, IndexError, ValueError):  # comments in comments
        return "", ""
    name, address = found[0] if len(found) == 1 else ("", "")
    rest = re.sub(r" ?\([^()]*\)$", "", value)
    before = (
        re.sub(r'"[^"]*"', "", rest.removesuffix(f"<{address}>")) if address else "@"
    )
    try:
        return name, checked_address(
            address, "sender"
        ) if rest == address or "@" not in before else ""
    except InvalidInput:
        return name, ""


def _aligned(result: str, domain: str) -> bool:
    """Whether a signature is that of the sender's domain, or of one above it."""
    found = re.search(r"header\.[di]\s*=\s*(?:[^\s;@]*@)?([\w.-]+)", result)
    signer = folded(found[1]) if found else ""
    return "." in signer and (domain == signer or domain.endswith("." + signer))


def _named(part: Message) -> Iterable[str]:
    """Message-IDs of a returned mail: its headers, or these in the text of a part."""
    for name in ("Message-ID", "Original-Message-ID", "X-Original-Message-ID"):
        yield from message_ids(part, name)
    if part.get_content_maintype() == "text" and isinstance(
        text := part.get_payload(), str
    ):
        yield from re.findall(rf"(?im)^[> ]*Message-ID:\s*({MESSAGE_ID})", text)
