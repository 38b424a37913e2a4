"""The new words of a reply: what it quotes and how it is signed are cut, and an answer is not.

mail-parser-reply finds where a quoted mail and a signature begin. Measured on replies as people write them, it loses
what stands below or between quoted lines, takes a list ("- 5 September") or a line such as "Thanks, the 5th works" for
a signature, and needs 45 s for 4000 characters made against it. So it sees short lines only, its cuts are checked, and
a cut that could hold an answer is not made: a quote too many is read twice, an answer too few is lost.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from support.mail.letters import WHOLE

if TYPE_CHECKING:
    from mailparser_reply.parser import EmailReply

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "sv")  # Danish closes with "Tak", which begins "Take the 5th"
SHORT = 240  # characters of a line that the library sees; where a quoted mail begins, the line is shorter
PLACE = "\x00{}\x00"  # stands for a longer line in the library's copy of the text
ATTRIBUTION = re.compile(r"@|\d{4}|\d:\d\d|\d\.")  # "On Mon, 5 Sep 2026 at 10:02 Noor wrote:", not "On Monday I wrote:"
DATED = re.compile(
    r"\b(?:jan|feb|f[eé]v|m[aä]r|apr|avr|abr|ma[yi]|ju[nl]|gen|ene|mag|giu|lug|aug|ago|ao[uû]t|sept?|set|o[ck]t|ott|nov"
    r"|de[cz]|d[eé]c|dic|jui)[a-zéûß]{0,8}\b.*\d|\b(?:mon|tues|wednes|thurs|fri|mitt|diens|donners|frei)(?:day|tag|woch)",
    re.IGNORECASE,
)
ANSWERS = frozenset(
    ["yes", "no", "ja", "nein", "oui", "non", "sí", "si", "da", "nee", "ok", "okay", "ps", "p.s", "p.s.", "nb", "n.b."]
)
SIGNED_LINES = 10  # lines that a signature has at most
SIGNED_WORDS = 8  # words of one of its lines


def new_words(text: str) -> str:
    """What a reply says itself; if it seems to say nothing, all that it does not quote; "" if that is nothing too.

    >>> new_words("Yes, the 5th.\\n\\nOn Mon, 3 Aug 2026 at 10:02, Noor <n@x.org> wrote:\\n> Dear Ana,\\n> would you")
    'Yes, the 5th.'
    """
    lines = _headless(_tidied(text[:WHOLE]))
    short = "\n".join(PLACE.format(n) if len(line) > SHORT else line for n, line in enumerate(lines))
    words = _unsigned(_unquoted(short)) or "\n".join(_own_lines(short))
    words = re.sub(r"\n{3,}", "\n\n", words).strip()
    return re.sub(r"\x00(\d+)\x00", lambda found: lines[int(found[1])], words)


def _tidied(text: str) -> list[str]:
    """Lines with single blanks, and no two empty ones in a row: the library's patterns try every way to split them."""
    lines = [" ".join(line.replace("\x00", "").split()) for line in text.splitlines()]
    return [line for before, line in zip(["", *lines], lines, strict=False) if before or line]


def _headless(lines: list[str]) -> list[str]:
    """Lines without the "On …, Noor <n@x.org> wrote:" of any language that stands right above marked quotes."""
    kept: list[str] = []
    for line in lines:
        if line.startswith(">"):
            head = [n for n in range(max(len(kept) - 3, 0), len(kept)) if kept[n]]
            if head and kept[head[-1]].endswith(":") and (begin := _head_at([kept[n] for n in head])) is not None:
                kept = kept[: head[begin]]
        kept.append(line)
    return kept


def _head_at(lines: list[str]) -> int | None:
    """Which of the lines above a quote begins its attribution; it may be wrapped before the address."""
    for number in range(len(lines) - 1, -1, -1):
        text = " ".join(lines[number:])
        if len(text) <= SHORT and re.search(r"\d", text) and re.search(r"@|\d:\d\d", text):
            return number
    return None


def _parsed(text: str) -> list[EmailReply]:
    from mailparser_reply.parser import EmailMessage

    return EmailMessage(text=text, languages=list(LANGUAGES), keep_hyphen_lists=True).read().replies


def _unquoted(text: str) -> str:
    """The text without its quoted lines, and without a quoted mail that no sign marks line by line."""
    kept: list[str] = []
    for number, reply in enumerate(_parsed(text)):
        body = reply.content.removeprefix(reply.headers or "")
        if number and not _in_part_quoted(reply.headers or "", body):
            break
        believed = not number or _believed(reply.headers or "")
        kept += _own_lines(body if believed else reply.content)
    return "\n".join(kept).strip()


def _in_part_quoted(header: str, body: str) -> bool:
    """Whether words of the sender may follow this header: it is quoted itself, its quotes are marked, or it is none."""
    return header.startswith(">") or body.lstrip().startswith(">") or not _believed(header)


def _believed(header: str) -> bool:
    """Whether what the library took for the head of a quoted mail has a time or an address, as all of them have."""
    return header.count("\n") > 2 or bool(ATTRIBUTION.search(header)) or "---" in header


def _own_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if not line.startswith(">")]


def _unsigned(text: str) -> str:
    """The text without its signature, as far as that is one and something is left."""
    if not text:
        return ""
    signature = _parsed(text)[0].signatures or ""
    at = text.rfind(signature) if signature else -1
    if at <= 0 or not _is_signature([line for line in signature.split("\n") if line]):
        return text
    return text[:at].strip() or text


def _is_signature(lines: list[str]) -> bool:
    """Whether lines at the end of a mail say who wrote it and nothing else."""
    if not lines or len(lines) > SIGNED_LINES or any(_may_answer(line) for line in lines):
        return False
    marked = set(lines[0]) <= {"-", "_"}
    named = all(word[0].isupper() or word[0] == "<" for word in lines[0].partition(",")[2].split())
    return marked or named


def _may_answer(line: str) -> bool:
    """Whether a line under a closing could be part of an answer: a date, a yes or no, a sentence."""
    words = line.split()
    sentence = len(words) > 2 and (line[-1] in ".!?…" or line[0].islower())
    answer = any(word.strip(",:;.!").casefold() in ANSWERS or word.casefold() in ANSWERS for word in words)
    return "\x00" in line or sentence or answer or len(words) > SIGNED_WORDS or bool(DATED.search(line))
