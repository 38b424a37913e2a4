"""An incoming mail from whatever bytes lie in the mailbox: no bytes raise, none take long, no attachment is decoded."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from support.mail import headers as head
from support.mail.headers import Problems
from support.mail.letters import (
    ATTACHMENTS,
    BODY,
    NAME,
    RAW,
    WHOLE,
    Incoming,
    shown,
    shown_text,
)
from support.mail.markup import LONGEST, words_of
from support.mail.quoting import new_words

if TYPE_CHECKING:
    from email.message import Message

    from support.mail.letters import Fetched

PARTS = (
    50  # parts that are told apart; more have been made to exhaust whoever reads them
)
VALUE = 2000  # characters of a header that are read; thirty times that for a thread's Message-IDs
LINES = 10_000  # of the message: the parser compares each with the boundary of every part around it
ENCODINGS = ("", "7bit", "8bit", "binary", "quoted-printable", "base64")


def read(fetched: Fetched, *, authserv: str = "") -> Incoming:
    """What a message says, bounded and fit to be shown; what cannot be read is one of its `problems`, and never raises.

    `authserv`: the name under which our own mail server signs its Authentication-Results; "" to believe none.
    """
    problems = Problems()
    try:
        return _read(fetched, problems, authserv)
    except Exception as error:  # the parsers below it promise nothing, and a mail must never stop a run
        problems.note(f"it cannot be read ({type(error).__name__})")
        return Incoming(cut=True, problems=tuple(problems))


def _read(fetched: Fetched, problems: Problems, authserv: str) -> Incoming:
    raw = fetched.raw[:RAW]
    if raw.count(b"\n") >= LINES:
        raw = b"".join(raw.splitlines(keepends=True)[:LINES])
    parts, whole_message = _parsed(raw, problems)
    message = parts[0]
    head.ambiguous(raw, problems)
    address, name = head.sender(message, problems)
    words = _Reader(problems).words(message)
    if cut := len(raw) < max(fetched.size, len(fetched.raw)):
        problems.note(f"only {len(raw)} of its {fetched.size} bytes were read")
    whole = shown_text(words.text[: 2 * WHOLE]).strip()
    text = new_words(whole[:WHOLE])
    return Incoming(
        message_id=next(iter(head.message_ids(message, "Message-ID")), ""),
        in_reply_to=head.message_ids(message, "In-Reply-To"),
        references=head.message_ids(message, "References"),
        sender=address,
        sender_name=name,
        subject=head.subject(message, problems),
        text=text[:BODY],
        attachments=_attachments(message, problems),
        automatic=head.is_automatic(message),
        bounced=head.bounced(address, parts),
        authentication=head.authentication(message, authserv, address),
        cut=cut
        or not whole_message
        or words.cut
        or len(text) > BODY
        or len(whole) > WHOLE,
        problems=tuple(problems),
    )


class _TooManyPartsError(Exception):
    pass


def _parsed(raw: bytes, problems: Problems) -> tuple[list[Message], bool]:
    """The message and all in it, itself the first, and whether it is whole: of too many, what was parsed before."""
    from email.feedparser import BytesFeedParser
    from email.message import Message

    made: list[Message] = []

    def part(policy: Any = None) -> Message:
        if len(made) >= PARTS:
            raise _TooManyPartsError
        made.append(Message(policy=policy))
        return made[-1]

    parser = BytesFeedParser(part, policy=_policy())
    made.clear()  # the parser tries its factory once
    try:
        parser.feed(raw)
        parser.close()
        return made, True
    except (_TooManyPartsError, RecursionError):
        problems.note(f"it has more than {PARTS} parts, of which the first were read")
        return made, False


@lru_cache(maxsize=1)
def _policy() -> Any:
    """The parser's old policy, every value bounded: some of what Python does takes the square of its length."""
    from email.policy import Compat32

    class Bounded(Compat32):
        def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
            name, value = super().header_source_parse(sourcelines)
            return name[:100], value[
                : VALUE * 30 if name.lower() in ("references", "in-reply-to") else VALUE
            ]

        def header_fetch_parse(self, name: str, value: str) -> Any:
            return value

    return Bounded()


class _Words(NamedTuple):
    """The words of a part, whether any came from HTML, and whether they were cut."""

    text: str = ""
    from_html: bool = False
    cut: bool = False


class _Reader:
    """Words of a message's parts; each further HTML part may be half as long, so that many cost no more than two."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._longest = LONGEST

    def words(self, part: Message) -> _Words:
        """The words of a part and of those in it: of alternatives the plain one, of a report the explanation only."""
        kind, inside = part.get_content_type(), part.get_payload()
        if part.get_content_maintype() != "multipart":
            return self._text(part, kind) if _is_words(part, kind) else _Words()
        if not isinstance(inside, list):
            self._problems.note("its parts cannot be told apart")
            return (
                self._text(part, "text/plain")
                if _is_words(part, "text/plain")
                else _Words()
            )
        those = [
            each
            for each in inside[: 1 if kind == "multipart/report" else PARTS]
            if not isinstance(each, str)
        ]
        said = [words for words in map(self.words, those) if words.text.strip()]
        if kind == "multipart/alternative":
            said = ([words for words in said if not words.from_html] or said)[:1]
        text = "\n\n".join(words.text.strip("\n") for words in said)
        return _Words(
            text,
            any(words.from_html for words in said),
            any(words.cut for words in said),
        )

    def _text(self, part: Message, kind: str) -> _Words:
        charset = head.parameter(lambda: part.get_content_charset("utf-8"), "unknown")
        text = head.decoded_bytes(self._bytes(part), charset, self._problems, "text")
        if kind == "text/plain":
            return _Words(text)
        words, hidden, cut = words_of(text, self._longest)
        self._longest //= 2
        if hidden:
            self._problems.note("words that a reader would not have seen were left out")
        return _Words(words, True, cut)

    def _bytes(self, part: Message) -> bytes:
        if (
            str(part.get("Content-Transfer-Encoding", "")).strip().lower()
            not in ENCODINGS
        ):
            self._problems.note("its text is in an unknown transfer encoding")
            return str(part.get_payload()).encode("utf-8", "surrogateescape")
        raw = part.get_payload(decode=True)
        if any("Base64" in type(defect).__name__ for defect in part.defects):
            self._problems.note("its text is encoded in a broken way")
        return raw if isinstance(raw, bytes) else b""


def _is_words(part: Message, kind: str) -> bool:
    named = part.get_content_disposition() == "attachment" or _filename(part)
    return (
        kind in ("text/plain", "text/html")
        and not named
        and isinstance(part.get_payload(), str)
    )


def _filename(part: Message) -> str:
    return head.parameter(part.get_filename, "a name that cannot be read")


def _attachments(message: Message, problems: Problems) -> tuple[str, ...]:
    """What is attached, by name or else by type; nothing of it is decoded."""
    found = [
        part
        for part in _leaves(message)
        if not _is_words(part, part.get_content_type())
    ]
    found = [part for part in found if part.get_payload() or _filename(part)]
    if len(found) > ATTACHMENTS:
        problems.note(
            f"it has {len(found)} attachments, of which {ATTACHMENTS} are named"
        )
    names = [
        head.decoded(
            _filename(part) or part.get_content_type(), problems, "attachment's name"
        )
        for part in found
    ]
    return tuple(shown(name, NAME) for name in names[:ATTACHMENTS])


def _leaves(part: Message) -> Iterator[Message]:
    """Parts that hold something; a mail within a mail is one of them."""
    inside = part.get_payload()
    if part.get_content_maintype() != "multipart":
        yield part
    elif isinstance(inside, list):
        for each in inside:
            yield from _leaves(each) if not isinstance(each, str) else ()
