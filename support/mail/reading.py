"""An incoming mail from whatever bytes lie in the mailbox: none raise, none take long, no
attachment is decoded, and whatever may not be what its sender wrote is a doubt.

A mail in doubt waits for a person, so nothing here has to be clever: of words in two forms
it is asked whether they are the same, and not which of them somebody sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import TYPE_CHECKING, Any

from support.mail import headers
from support.mail.headers import LOST
from support.mail.letters import (
    BODY,
    MESSAGE_ID,
    NAME,
    SUBJECT,
    WHOLE,
    Incoming,
    shown,
    shown_text,
)
from support.mail.quoting import new_words

if TYPE_CHECKING:
    from email.message import Message

    from support.mail.letters import Fetched

PARTS = 50  # parts, in each other or not: more are made to exhaust whoever reads them
LINES = 20_000  # of a message: a line is compared with the boundary of every part
IDS, ATTACHMENTS = 50, 10  # Message-IDs and names of attachments that are kept
PLAIN = "text/plain"
HTML = "text/html"
CALENDAR = "text/calendar"
ENCODINGS = ("", "7bit", "8bit", "binary", "quoted-printable", "base64")
CHARSETS = re.compile(
    r"(us-)?ascii|utf-?(8|16|32)([lb]e)?|(iso-?8859|latin|windows|cp|koi8)-?\w+|gb\w+"
    r"|big5\w*|euc[-_]\w+|shift[-_]jis|iso-2022-\w+|tis-620|mac\w*"
)
"""In what mails are written; Python knows others that are none, or slow."""
WIDER = {"us-ascii": "utf-8", "iso-8859-1": "cp1252", "gb2312": "gb18030"}
"""What programs write that name a narrower one."""
BROKEN = re.compile(r"=(?![0-9A-Fa-f]{2}|\s*\n|\Z)")  # what quotes no character
UNSEEN = re.compile("[\0-\x08\x0e-\x1f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
AUTOMATIC = re.compile(
    rb"(?im)^(auto-submitted:(?!\s*no\b)|x-auto|precedence:\s*(bulk|auto|junk)"
    rb"|return-path:\s*<>|content-type:\s*multipart/report"
    rb"|from:.*\b(mailer-daemon|postmaster)@)"
)
"""What programs write at the head of a mail that nobody wrote (RFC 3834, RFC 3464)."""
AWAY = re.compile(
    r"(?i)(out of (the )?office|auto(matic)?[- ]?(reply|response)|automatische? antw"
    r"|abwesen|r[ée]ponse automatique|re[sp]+[ou]+esta autom|risposta autom|autosvar)"
)
"""How some of them begin its subject, and say nothing else."""
FORWARDED = re.compile(r"(?i)(fwd?|wg|tr|rv|i|enc|vb|vl|pd|doorst)\s*:")
LEFT_OUT = re.compile(r"(?is)<!--.*?(-->|\Z)|<(head|script|style)\b.*?(</\2\s*>|\Z)")
BLOCK = re.compile(r"(?i)<(?:br|/?(?:p|div|tr|li|h\d|table|blockquote|hr)\b)[^<>]*>")
MARKS = re.compile(
    r"<?(?:https?://|mailto:)[^\s<>]+>?|\[(?:cid:|image: )\S*\]|[\s*_>|•·-]+"
)
"""What programs put into the plain text of an HTML mail, or leave out of it."""


def read(fetched: Fetched, *, authserv: str = "") -> Incoming:
    """What a message says, bounded and fit to be shown; it never raises.

    `authserv`: the name under which our own mail server signs its
    Authentication-Results; "" to believe none.
    """
    try:
        return _read(fetched, authserv)
    except Exception as error:  # parsers promise nothing; a mail must never stop a run
        return Incoming(doubts=(f"It cannot be read ({type(error).__name__}).",))


def _read(fetched: Fetched, authserv: str) -> Incoming:
    from email import message_from_bytes

    raw = fetched.raw
    if raw.lower().count(b"content-type:") > PARTS or raw.count(b"\n") > LINES:
        return Incoming(doubts=("It has too many lines or parts to be taken apart.",))
    message = message_from_bytes(raw, policy=headers.policy())
    head = re.split(rb"\r?\n\r?\n", raw, maxsplit=1)[0]
    address, name = headers.sender(message)
    subject = headers.decoded(message.get("Subject", ""))
    automatic = bool(AUTOMATIC.search(head) or AWAY.match(subject))
    parts = {kind: list[str]() for kind in (PLAIN, HTML, CALENDAR)}
    attached = list[str]()
    for part in _leaves(message):
        if (kind := part.get_content_type()) in parts and not _filename(part):
            parts[kind].append(_text(part))
        elif part.get_payload():
            attached.append(shown(_filename(part) or kind, NAME))
    plain, html, calendar = ("\n\n".join(parts[kind]).strip() for kind in parts)
    words = words_of(html)
    differs = bool(html) and not _same(plain, words)
    there = filter(None, (plain, words if differs else "", calendar))
    texts = [text[:WHOLE] for text in there]
    text, whole = ("\n\n".join(each) for each in (map(new_words, texts), texts))
    said = f"{name}{subject}{whole}"
    unvouched = authserv and not headers.is_vouched_for(message, authserv, address)
    long = len(text) > BODY or max(len(plain), len(words)) > WHOLE
    one = len(parts[PLAIN]) < 2 and not re.search(rb"\r(?!\n)", raw)
    doubts = {
        "Programs differ on what its head says.": headers.is_ambiguous(head, message)
        or "\n" in f"{name}{subject}",
        "Programs differ on what its lines or its parts are.": not one,
        "It is not whole, or encoded in a broken way.": any(
            part.defects for part in message.walk()
        ),
        "It is too long to be read whole.": long or fetched.size > len(raw),
        "It has no sender that can be read for certain.": not address,
        "Our mail server does not say that it is its sender's.": unvouched,
        "A program answered, or a mail server reports about a mail.": automatic,
        "A calendar answered, with a button in the place of words.": calendar,
        "It has characters that cannot be decoded.": LOST in said,
        "It has characters that cannot be seen.": UNSEEN.search(said),
        "It has no plain text.": html and not plain,
        "It says one thing as plain text and another one in HTML.": plain and differs,
        "It forwards another mail.": FORWARDED.match(subject),
        "It has no words of its own.": not text.strip(),
    }
    thread = headers.message_ids(message, "References")
    thread += headers.message_ids(message, "In-Reply-To")
    if automatic:  # a report names the mail that it is about somewhere
        thread += re.findall(MESSAGE_ID, raw.decode("ascii", "replace"))
    return Incoming(
        message_id="".join(headers.message_ids(message, "Message-ID")[:1]),
        thread=tuple(thread[-IDS:]),
        sender=address,
        sender_name=shown(name, NAME),
        subject=shown(subject, SUBJECT),
        text=shown_text(text)[:BODY].strip(),
        whole=shown_text(whole)[:WHOLE],
        attachments=tuple(attached[:ATTACHMENTS]),
        doubts=tuple(words for words, so in doubts.items() if so),
    )


def _leaves(part: Message) -> Iterator[Message]:
    """Parts that hold something; a mail within a mail is one of them."""
    inside: Any = part.get_payload()
    if part.get_content_maintype() != "multipart" or isinstance(inside, str):
        yield part
        return
    for each in inside:
        yield from _leaves(each)


def _filename(part: Message) -> str:
    """Under which name a part is attached; "" where it is not."""
    attached = part.get_content_disposition() == "attachment"
    name = headers.decoded(part.get_filename() or "")
    return name or (part.get_content_type() if attached else "")


def _text(part: Message) -> str:
    """The text of a part, with U+FFFD where it cannot be decoded."""
    raw: Any = part.get_payload(decode=True)
    charset = (part.get_content_charset() or "utf-8").replace("_", "-")
    encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
    known = CHARSETS.fullmatch(charset) and encoding in ENCODINGS
    broken = encoding == "quoted-printable" and BROKEN.search(str(part.get_payload()))
    lost = "" if known and not broken and isinstance(raw, bytes) else LOST
    try:
        return lost + raw.decode(WIDER.get(charset, charset), "replace")
    except (LookupError, UnicodeError):
        return LOST + raw.decode("utf-8", "replace")


def words_of(html: str) -> str:
    """The words of an HTML text, all of them, whether they are seen or not.

    Python's own parser needs minutes for what is made against it.

    >>> words_of("<p>Yes,<br>the 5th.</p><style>p {color: red}</style>")
    'Yes,\\nthe 5th.'
    """
    text = BLOCK.sub("\n", " ".join(LEFT_OUT.sub("", html).split()))
    return unescape(re.sub(r"</?[a-zA-Z!?][^<>]*>", "", text)).strip()


def _same(plain: str, words: str) -> bool:
    """Whether a plain text and the words of an HTML text say the same; one may quote more
    than the other."""
    both = plain[:WHOLE], words[:WHOLE]
    return any(
        len({MARKS.sub("", way(text)) for text in both}) == 1
        for way in (str, new_words)
    )
