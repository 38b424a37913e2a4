"""What the headers of an incoming mail say, as far as it can be believed and shown.

Their values come bounded from `support.mail.reading`, with bytes outside ASCII as surrogates. Python's parser of
structured headers raises on some of them and is slow on others, so addresses are read with the older one and checked.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from support.errors import InvalidInput
from support.mail.addresses import checked_address, domain_of, folded
from support.mail.characters import shown
from support.mail.letters import IDS, MESSAGE_ID, NAME, PROBLEMS, SUBJECT

if TYPE_CHECKING:
    from support.mail.letters import Authentication

# What Python knows as codecs of text and no mail is written in; some need time that grows with the square of a text.
NO_CHARSETS = frozenset(["idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"])

LINE_BREAK = "holds a line break, as an attempt to add headers would"
"""How a problem ends that is no accident; such a mail is held (see `support.mail.matching`)."""


@dataclass
class Headers:
    """The headers of one mail or one part, in their order, and the problems found while they are read."""

    items: Sequence[tuple[str, str]]  # names and values; bytes outside ASCII as surrogates
    problems: list[str] = field(default_factory=list)  # each once, in a few words for people; `PROBLEMS` at most

    def note(self, problem: str) -> None:
        """Add a problem, unless it is known or there are enough of them."""
        if problem not in self.problems and len(self.problems) < PROBLEMS:
            self.problems.append(problem)

    def all(self, name: str) -> list[str]:
        """All values of a header, the topmost first.

        >>> Headers([("To", "a"), ("to", "b")]).all("TO")
        ['a', 'b']
        """
        return [value for key, value in self.items if key.casefold() == name.casefold()]

    def first(self, name: str) -> str:
        """The topmost value of a header; "" if there is none.

        >>> Headers([]).first("Subject")
        ''
        """
        return next(iter(self.all(name)), "")


def ambiguous(raw: bytes, headers: Headers) -> None:
    """Note it if programs differ on which headers these bytes have: where a lone CR ends a line, or "From :" is one."""
    if re.search(rb"\r(?!\n)|^[\w-]+[ \t]+:", re.split(rb"\r?\n\r?\n", raw, maxsplit=1)[0], re.MULTILINE):
        headers.note(f"its head {LINE_BREAK}")


def subject(headers: Headers) -> str:
    """The subject as one line of at most `SUBJECT` characters."""
    if len(headers.all("Subject")) > 1:
        headers.note("it has more than one subject")
    return shown(decoded(headers.first("Subject"), headers, "subject"), SUBJECT)


def sender(headers: Headers) -> tuple[str, str]:
    """The one address of the From header and the name shown with it; ("", name) if there is no single good one."""
    values = headers.all("From")
    if len(values) != 1:
        headers.note("it has no sender" if not values else "it has more than one From header")
        return "", ""
    decoded(values[0], headers, "sender's name")  # notes what is wrong anywhere in it, also where no name is found
    name, address = _one_address(values[0])
    name = shown(decoded(name, headers, "sender's name"), NAME)
    if "@" in name and folded(name.strip("<>\"' ")) != folded(address):
        headers.note("the sender's name looks like an address, which is not the one that it came from")
    if not address:
        headers.note("its sender is not one address that can be read")
    return address, name


def message_ids(headers: Headers, name: str) -> tuple[str, ...]:
    """The well-formed Message-IDs of a header, in their order; of very many, the first and the last ones.

    >>> message_ids(Headers([("References", "<a@x>\\n <b@x> nonsense")]), "References")
    ('<a@x>', '<b@x>')
    """
    found = [each for value in headers.all(name) for each in re.findall(MESSAGE_ID, value)]
    return tuple(found if len(found) <= IDS else [found[0], *found[1 - IDS :]])


def date(headers: Headers) -> datetime | None:
    """When it says it was written, aware of its time zone; None if that cannot be read."""
    from email.utils import parsedate_to_datetime

    if not (value := headers.first("Date")):
        return None
    try:
        when = parsedate_to_datetime(value[:100])
        when = when if when.utcoffset() is not None else when.replace(tzinfo=UTC)  # "-0000" says nothing of the zone
        when.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        headers.note("its date cannot be read")
        return None
    return when


def reply_to(headers: Headers, address: str) -> None:
    """Note it if answers are asked for at another address than the sender's; we never write there."""
    values = headers.all("Reply-To")
    if values and any(folded(_one_address(value)[1]) != folded(address) for value in values):
        headers.note("it asks to be answered at another address, which is not done")


def authentication(headers: Headers, authserv: str, address: str) -> Authentication:
    """What our own server found about the sender (RFC 8601): the topmost Authentication-Results, if it names itself so.

    "fail" if DMARC failed or was asked of another sender, or both SPF and DKIM failed; "pass" if DMARC passed, or a
    DKIM signature of the sender's own domain did. SPF alone says nothing about the From header that people see.
    """
    if not authserv or not (values := headers.all("Authentication-Results")):
        return ""
    own, *results = _without_comments(values[0]).split(";")
    if folded((own.split() or [""])[0]) != folded(authserv):
        return ""
    found = [(m[1].lower(), m[2].lower(), r) for r in results if (m := re.match(r"\s*(\w+)\s*=\s*(\w+)", r))]
    verdicts = {
        method: {verdict for name, verdict, _ in found if name == method} for method in ("dmarc", "spf", "dkim")
    }
    bad = {"fail", "softfail", "permerror"}
    asked = [m[1] for name, _, r in found if name == "dmarc" and (m := re.search(r"header\.from\s*=\s*([\w.-]+)", r))]
    other = any(folded(domain) != folded(domain_of(address)) for domain in asked)  # the server read another sender
    if other or "fail" in verdicts["dmarc"] or all(verdicts[m] and verdicts[m] <= bad for m in ("spf", "dkim")):
        return "fail"
    signed = [r for name, verdict, r in found if (name, verdict) == ("dkim", "pass") and _aligned(r, address)]
    return "pass" if "pass" in verdicts["dmarc"] or signed else ""


def decoded(value: str, headers: Headers, what: str) -> str:
    """A value with its encoded words (RFC 2047) as text; what cannot be decoded is U+FFFD and noted."""
    from email.errors import HeaderParseError
    from email.header import decode_header

    value = re.sub(r"\r?\n[ \t]", " ", decoded_bytes(value.encode("utf-8", "surrogateescape"), "utf-8", headers, what))
    try:
        parts = decode_header(value)
    except (HeaderParseError, ValueError):  # ValueError: a base64 word with characters outside ASCII
        headers.note(f"its {what} is encoded in a broken way")
        return value
    text = "".join(
        part if isinstance(part, str) else
        part.decode("raw_unicode_escape") if charset is None else
        decoded_bytes(part, charset, headers, what)
        for part, charset in parts
    )  # fmt: skip
    if "\n" in text or "\r" in text:
        headers.note(f"its {what} {LINE_BREAK}")
    return text


def decoded_bytes(raw: bytes, charset: str, headers: Headers, what: str) -> str:
    """Bytes as text; an unknown charset is read as UTF-8, and what does not decode is U+FFFD; both are noted."""
    try:
        name = codecs.lookup(charset or "us-ascii").name
        if name.replace("-", "_") in NO_CHARSETS:
            raise LookupError(name)
        text = raw.decode("utf-8" if name == "ascii" else name, "replace")
    except (LookupError, ValueError, UnicodeError):  # ValueError: a NUL in the name; UnicodeError: of odd codecs
        headers.note(f"its {what} is in an unknown charset")
        text = raw.decode("utf-8", "replace")
    if "\ufffd" in text:
        headers.note(f"its {what} has bytes that cannot be decoded")
    return text


def _one_address(value: str) -> tuple[str, str]:
    """The name, still encoded, and the address of a header that has one; ("", "") or (name, "") else.

    Python's parser reads `ana@x.org <eve@y.org>` and `ana@x.org)eve@y.org` as one or the other (CVE-2023-27043), so the
    address has to stand alone or between the angle brackets at the end.
    """
    from email.utils import getaddresses

    value = " ".join(value.split())
    try:
        found = getaddresses([value])
    except (RecursionError, IndexError, ValueError):  # comments in comments
        return "", ""
    name, address = found[0] if len(found) == 1 else ("", "")
    rest = re.sub(r" ?\([^()]*\)$", "", value)
    before = re.sub(r'"[^"]*"', "", rest.removesuffix(f"<{address}>")) if address else "@"
    try:
        return name, checked_address(address, "sender") if rest == address or "@" not in before else ""
    except InvalidInput:
        return name, ""


def _without_comments(value: str) -> str:
    value = re.sub(r'"[^"]*"', "", re.sub(r"\\.", " ", value))  # an escaped quotation mark or bracket ends nothing
    for _ in range(5):  # comments nest
        value = re.sub(r"\([^()]*\)", " ", value)
    return value


def _aligned(result: str, address: str) -> bool:
    found = re.search(r"header\.[di]\s*=\s*(?:[^\s;@]*@)?([\w.-]+)", result)
    ours, theirs = folded(domain_of(address)), folded(found[1]) if found else ""
    return bool(theirs) and "." in theirs and (ours == theirs or ours.endswith("." + theirs))
